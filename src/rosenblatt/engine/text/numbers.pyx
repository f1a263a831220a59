"""Decimal text to the nearest float64, ties to even: what `float` gives, without its cost.

The method is that of Eisel and Lemire ("Number parsing at a gigabyte per second", 2021): w * 10^q is
w * 5^q * 2^q, and 128 bits of 5^q are enough to round in nearly all cases. The few others, with more
than 19 digits that matter, are left to Python.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy
from rosenblatt.engine.text.names cimport Text

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *s, char **endptr, object overflow) except? -1.0

cdef enum:
    LEAST = -342
    GREATEST = 308

cdef uint64_t FIVES[GREATEST - LEAST + 1][2]


def _fill_powers_of_five():
    """Return the leading 128 bits of 5^q; of 5^-q, which has no end, rounded up."""
    cdef int q
    for q in range(LEAST, GREATEST + 1):
        five = pow(<object>5, abs(q))  # a whole number of Python's, without limit
        size = five.bit_length()
        if q >= 0:
            bits = five << (128 - size) if size <= 128 else five >> (size - 128)
        else:
            bits = (1 << (size + 127)) // five + 1
            if bits >> 128:
                bits = (1 << (size + 126)) // five + 1
        FIVES[q - LEAST][0] = bits >> 64
        FIVES[q - LEAST][1] = bits & 0xFFFFFFFFFFFFFFFF


_fill_powers_of_five()


cdef double from_bits(uint64_t bits, bint negative) noexcept nogil:
    cdef double value
    if negative:
        bits |= 1ULL << 63
    memcpy(&value, &bits, 8)
    return value


cdef uint64_t nearest(uint64_t w, int64_t q) noexcept nogil:
    """Return the bits of the float64 nearest to w * 10^q."""
    cdef int zeros, upper, shift
    cdef uint64_t high, low, more, ignored, mantissa
    cdef int64_t exponent
    if w == 0 or q < LEAST:
        return 0
    if q > GREATEST:
        return 2047ULL << 52
    zeros = rb_leading_zeros(w)
    w <<= zeros
    rb_multiply(w, FIVES[q - LEAST][0], &high, &low)
    if (high & 0x1FF) == 0x1FF:  # the bits below those we keep are all 1: look at 64 more
        rb_multiply(w, FIVES[q - LEAST][1], &more, &ignored)
        low += more
        if low < more:
            high += 1
    upper = <int>(high >> 63)
    shift = upper + 9
    mantissa = high >> shift
    # 217706 / 2^16 is just above the binary logarithm of ten.
    exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023
    if exponent <= 0:
        if exponent < -62:
            return 0
        mantissa >>= 1 - exponent
        mantissa = (mantissa + (mantissa & 1)) >> 1
        return mantissa  # the first normal number carries into the exponent by itself
    if low <= 1 and -4 <= q <= 23 and (mantissa & 3) == 1 and (mantissa << shift) == high:
        mantissa &= ~1ULL  # exactly between two numbers: to the even one
    mantissa = (mantissa + (mantissa & 1)) >> 1
    if mantissa == 1ULL << 53:
        mantissa >>= 1
        exponent += 1
    if exponent >= 2047:
        return 2047ULL << 52
    return (mantissa & ((1ULL << 52) - 1)) | (<uint64_t>exponent << 52)


cdef double rounded(const rb_decimal *d, Text begin, Text end) noexcept nogil:
    """Return the value of a number that was scanned from `begin` to `end`; infinite if out of range."""
    cdef uint64_t bits = nearest(d.w, d.q)
    if d.cut and bits != nearest(d.w + 1, d.q):
        return by_python(begin, end)
    return from_bits(bits, d.negative)


# A function of its own: one that may need the lock takes it at every call.
cdef double by_python(Text begin, Text end) noexcept with gil:
    text = PyBytes_FromStringAndSize(<const char *>begin, end - begin)
    return PyOS_string_to_double(PyBytes_AS_STRING(text), NULL, None)


def parse(bytes text):
    """Return the number that is the whole of `text`, or None."""
    # As in a file, something follows: short numbers are read eight bytes at a time.
    cdef bytes padded = text + b"\n" * 64
    cdef const unsigned char *begin = <const unsigned char *>PyBytes_AS_STRING(padded)
    cdef const unsigned char *end = begin + len(padded)
    cdef double value = 0.0
    return value if read_number(begin, end, &value) is begin + len(text) else None
