"""Arrays whose length is known only at the end."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc

cnp.import_array()


cdef class Growing:
    def __cinit__(self, int64_t item):
        self.item = item

    def __dealloc__(self):
        free(self.at)

    cdef int reserve(self, int64_t n) except -1 nogil:
        """Room for `n` items in all, more than asked for so that growing stays rare."""
        cdef int64_t room
        cdef void *at
        if n <= self.room:
            return 0
        room = max(n, self.room + self.room // 2)
        at = realloc(self.at, room * self.item)
        if at is NULL:
            raise MemoryError("no memory for what was read; read it in blocks")
        self.at, self.room = at, room
        return 0

    cdef object take(self, int64_t n, int typenum):
        """The first `n` items as an array that owns them; starts anew with nothing."""
        cdef Growing owner = Growing.__new__(Growing, self.item)
        cdef cnp.npy_intp length = n
        cdef void *at
        if n == 0:
            return cnp.PyArray_SimpleNew(1, &length, typenum)
        at = realloc(self.at, n * self.item)
        owner.at, owner.room = at if at is not NULL else self.at, n
        self.at, self.room = NULL, 0
        array = cnp.PyArray_SimpleNewFromData(1, &length, typenum, owner.at)
        cnp.set_array_base(array, owner)
        return array
