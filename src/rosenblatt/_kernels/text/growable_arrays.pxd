from libc.stdint cimport int64_t


cdef class Growing:
    """Memory that grows at its end; `take` makes it an array without a copy."""

    cdef void *at
    cdef int64_t item, room

    cdef int reserve(self, int64_t n) except -1 nogil
    cdef object take(self, int64_t n, int typenum)
