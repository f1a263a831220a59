"""What epochs need: shuffled orders that depend on the seed alone, not on the version of any library,
and fingerprints by which a state is known again."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t

cnp.import_array()

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #define RB_INCREMENT 0x9E3779B97F4A7C15u
    static inline uint64_t rb_high_product(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    #else
        uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
        uint64_t middle = ah * bl + ((al * bl) >> 32);
        return ah * bh + (middle >> 32) + (((middle & 0xffffffffu) + al * bh) >> 32);
    #endif
    }
    /* Both halves of the product, so that every bit of a number counts. */
    static inline uint64_t rb_folded(uint64_t a, uint64_t b) {
        return (a * b) ^ rb_high_product(a, b);
    }
    /* Mix a number and its place into 128 bits. Zeros, which most numbers of wide sparse models are,
     * need not be: the others bring their places. */
    static inline void rb_mix(double value, uint64_t place, uint64_t *a, uint64_t *b) {
        uint64_t bits;
        if (value == 0.0) return;
        memcpy(&bits, &value, sizeof bits);
        *a = rb_folded(*a ^ bits ^ (place * 0x94D049BB133111EBu), 0x9E3779B97F4A7C15u);
        *b = rb_folded(*b ^ bits ^ (place * 0x9E3779B97F4A7C15u), 0xBF58476D1CE4E5B9u);
    }
    """
    const uint64_t RB_INCREMENT
    uint64_t rb_high_product(uint64_t a, uint64_t b) noexcept nogil
    void rb_mix(double value, uint64_t place, uint64_t *a, uint64_t *b) noexcept nogil


cdef inline uint64_t next_random(uint64_t *state) noexcept nogil:
    """splitmix64: one 64-bit word of state, so that a run can be resumed from a number."""
    cdef uint64_t z
    state[0] += RB_INCREMENT
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


def shuffled(cnp.ndarray order, uint64_t state, numbers=None):
    """Fill `order` with the numbers (None: 0 .. n - 1) in random order; return the next state."""
    cdef int64_t *at = <int64_t *>cnp.PyArray_DATA(order)
    cdef const int64_t *source = NULL
    cdef int64_t n = cnp.PyArray_DIM(order, 0)
    cdef int64_t i, j
    if numbers is not None:
        source = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray?>numbers)
    with nogil:
        for i in range(n):
            j = <int64_t>rb_high_product(next_random(&state), <uint64_t>(i + 1))
            at[i] = at[j]
            at[j] = i if source == NULL else source[i]
    return state


def after_draws(uint64_t state, uint64_t draws):
    """Return the state after so many random numbers."""
    return state + draws * RB_INCREMENT


def gather(cnp.ndarray pieces, int64_t size, int64_t n, subset, cnp.ndarray out):
    """Fill `out` with the members of the pieces, one after the other; return how many they are.

    Piece p is size p .. size (p + 1) - 1, below n, or those places of the subset.
    """
    cdef const int64_t *piece = <const int64_t *>cnp.PyArray_DATA(pieces)
    cdef const int64_t *chosen = NULL
    cdef int64_t *at = <int64_t *>cnp.PyArray_DATA(out)
    cdef int64_t count = 0
    cdef int64_t p, i
    if subset is not None:
        chosen = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray?>subset)
    with nogil:
        for p in range(cnp.PyArray_DIM(pieces, 0)):
            for i in range(piece[p] * size, min(n, (piece[p] + 1) * size)):
                at[count] = i if chosen == NULL else chosen[i]
                count += 1
    return count


def fingerprint(cnp.ndarray values, uint64_t a=0, uint64_t b=0):
    """128 bits, as two numbers, that follow from float64 or float32 values and what came before.

    0.0 and -0.0 are one number.
    """
    cdef const double *wide = <const double *>cnp.PyArray_DATA(values)
    cdef const float *narrow = <const float *>cnp.PyArray_DATA(values)
    cdef bint is_narrow = cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT32
    cdef int64_t n = cnp.PyArray_SIZE(values)
    cdef int64_t i
    with nogil:
        for i in range(n):
            rb_mix(<double>narrow[i] if is_narrow else wide[i], <uint64_t>i, &a, &b)
        rb_mix(1.0, <uint64_t>n, &a, &b)
    return a, b
