from libc.stdint cimport int32_t, int64_t, uint32_t

ctypedef const unsigned char *Text  # bytes that are read, never written


cdef uint32_t murmur(Text p, int64_t n, uint32_t seed) noexcept nogil


cdef class Names:
    """Byte strings, each numbered when it is first met."""

    cdef unsigned char *text
    cdef int64_t *stops
    cdef uint32_t *hashes
    cdef int32_t *slots
    cdef int64_t text_room, room, mask
    cdef readonly int64_t count

    cdef int32_t find(self, Text p, int64_t n, bint add) except -2 nogil
    cdef void forget(self, int64_t count) noexcept nogil
    cdef int _more_slots(self) except -1 nogil
    cdef int _more_room(self, int64_t n) except -1 nogil
