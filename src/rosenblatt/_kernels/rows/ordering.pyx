"""Shuffled orders that depend on the seed alone, not on the version of any library."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t

cnp.import_array()

cdef extern from *:
    """
    #include <stdint.h>
    static inline uint64_t rb_high_product(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    #else
        uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
        uint64_t middle = ah * bl + ((al * bl) >> 32);
        return ah * bh + (middle >> 32) + (((middle & 0xffffffffu) + al * bh) >> 32);
    #endif
    }
    """
    uint64_t rb_high_product(uint64_t a, uint64_t b) noexcept nogil


cdef inline uint64_t next_random(uint64_t *state) noexcept nogil:
    """splitmix64: one 64-bit word of state, so that a run can be resumed from a number."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


def shuffled(cnp.ndarray order, uint64_t state):
    """Fill `order` with 0 .. n - 1 in random order; return the next state."""
    cdef int64_t *at = <int64_t *>cnp.PyArray_DATA(order)
    cdef int64_t n = cnp.PyArray_DIM(order, 0), i, j
    with nogil:
        for i in range(n):
            j = <int64_t>rb_high_product(next_random(&state), <uint64_t>(i + 1))
            at[i] = at[j]
            at[j] = i
    return state
