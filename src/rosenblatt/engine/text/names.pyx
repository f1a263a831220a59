"""Byte strings as numbers in the order of first meeting, and the hash behind it.

The hash is MurmurHash3 for 32 bits (Appleby 2008), little-endian on every machine: the same bytes
have the same hash everywhere and for ever.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset


cdef inline uint32_t turned(uint32_t v, int by) noexcept nogil:
    return (v << by) | (v >> (32 - by))


cdef inline uint32_t mixed(uint32_t k) noexcept nogil:
    return turned(k * <uint32_t>0xCC9E2D51, 15) * <uint32_t>0x1B873593


cdef uint32_t murmur(Text p, int64_t n, uint32_t seed) noexcept nogil:
    cdef uint32_t h = seed
    cdef uint32_t k
    cdef int64_t whole = n & ~<int64_t>3
    cdef int64_t i
    for i in range(0, whole, 4):
        k = p[i] | <uint32_t>p[i + 1] << 8 | <uint32_t>p[i + 2] << 16 | <uint32_t>p[i + 3] << 24
        h = turned(h ^ mixed(k), 13) * 5 + <uint32_t>0xE6546B64
    k = 0
    for i in range(n - 1, whole - 1, -1):
        k = k << 8 | p[i]
    if n > whole:
        h ^= mixed(k)
    h ^= <uint32_t>n
    h = (h ^ (h >> 16)) * <uint32_t>0x85EBCA6B
    h = (h ^ (h >> 13)) * <uint32_t>0xC2B2AE35
    return h ^ (h >> 16)


def hashed(bytes text, uint32_t seed=0):
    return murmur(<const unsigned char *>PyBytes_AS_STRING(text), len(text), seed)


cdef void *wider(void *old, int64_t n_bytes) except NULL nogil:
    cdef void *found = realloc(old, n_bytes)
    if found is NULL:
        with gil:
            raise MemoryError("no memory for more names")
    return found


cdef class Names:
    def __cinit__(self):
        self.mask = -1

    def __dealloc__(self):
        free(self.text)
        free(self.stops)
        free(self.hashes)
        free(self.slots)

    cdef int _more_slots(self) except -1 nogil:
        """Make a table with four times the room, so that at most half of it is in use."""
        cdef int64_t size = 64 if self.mask < 0 else (self.mask + 1) * 4
        cdef int64_t i, slot
        cdef int32_t *slots = <int32_t *>wider(self.slots, size * sizeof(int32_t))
        self.slots = slots
        self.mask = size - 1
        memset(slots, 0xFF, size * sizeof(int32_t))
        for i in range(self.count):
            slot = self.hashes[i] & self.mask
            while slots[slot] >= 0:
                slot = (slot + 1) & self.mask
            slots[slot] = <int32_t>i
        return 0

    cdef int _more_room(self, int64_t n) except -1 nogil:
        """Make room for one more name of `n` bytes."""
        cdef int64_t used = self.stops[self.count - 1] if self.count else 0
        cdef int64_t room
        if self.count == self.room:
            room = 2 * self.room + 32
            self.stops = <int64_t *>wider(self.stops, room * sizeof(int64_t))
            self.hashes = <uint32_t *>wider(self.hashes, room * sizeof(uint32_t))
            self.room = room
        if used + n > self.text_room:
            room = 2 * (used + n) + 256
            self.text = <unsigned char *>wider(self.text, room)
            self.text_room = room
        return 0

    cdef int32_t find(self, Text p, int64_t n, bint add) except -2 nogil:
        """Return the number of a name, which is added if it is new and `add` says so; else -1."""
        cdef uint32_t h = murmur(p, n, 0)
        cdef int64_t slot, begin
        cdef int32_t known
        if self.mask < 0 and not add:
            return -1
        if add and 2 * self.count >= self.mask:  # who only asks, maybe beside others, moves nothing
            self._more_slots()
        slot = h & self.mask
        while self.slots[slot] >= 0:
            known = self.slots[slot]
            if self.hashes[known] == h:
                begin = self.stops[known - 1] if known else 0
                if self.stops[known] - begin == n:
                    if n == 0 or memcmp(self.text + begin, p, n) == 0:
                        return known
            slot = (slot + 1) & self.mask
        if not add:
            return -1
        if self.count == 0x7FFFFFFF:
            raise MemoryError("more than 2,147,483,647 different names")
        self._more_room(n)
        begin = self.stops[self.count - 1] if self.count else 0
        if n:
            memcpy(self.text + begin, p, n)
        self.stops[self.count] = begin + n
        self.hashes[self.count] = h
        self.slots[slot] = <int32_t>self.count
        self.count += 1
        return <int32_t>(self.count - 1)

    cdef void forget(self, int64_t count) noexcept nogil:
        """Keep the first `count` names only.

        A name never stands in the way of one that came before it, so the last can be taken out
        of the table without mending it.
        """
        cdef int64_t slot
        while self.count > count:
            self.count -= 1
            slot = self.hashes[self.count] & self.mask
            while self.slots[slot] != self.count:
                slot = (slot + 1) & self.mask
            self.slots[slot] = -1

    def number(self, bytes name, bint add=True):
        """Return the number of a name; -1 if it is unknown and not to be added."""
        return self.find(<const unsigned char *>PyBytes_AS_STRING(name), len(name), add)

    def listed(self):
        """Return all names in the order of their numbers."""
        cdef int64_t begin = 0
        cdef int64_t i
        found = []
        for i in range(self.count):
            found.append(
                PyBytes_FromStringAndSize(<char *>self.text + begin, self.stops[i] - begin)
            )
            begin = self.stops[i]
        return found
