from libc.stdint cimport int64_t, uint64_t
from rosenblatt.engine.text.names cimport Text


cdef extern from "text/numbers.h" nogil:
    ctypedef struct rb_decimal:
        uint64_t w
        int64_t q
        int negative
        int cut
    const unsigned char *rb_scan_number(Text p, Text end, rb_decimal *out)
    const unsigned char *rb_short_number(Text p, Text end, double *value, rb_decimal *rest)
    bint rb_is_simple(const rb_decimal *d)
    double rb_simple_value(const rb_decimal *d)
    void rb_multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
    int rb_leading_zeros(uint64_t v)


cdef double rounded(const rb_decimal *d, Text begin, Text end) noexcept nogil


cdef inline const unsigned char *read_number(Text p, Text end, double *value) noexcept nogil:
    """The correctly rounded number at `p`; where it ends, or NULL if there is none."""
    cdef rb_decimal d
    cdef const unsigned char *stop = rb_short_number(p, end, value, &d)
    if stop is not NULL:
        if d.w:
            value[0] = rounded(&d, p, stop)
        return stop
    stop = rb_scan_number(p, end, &d)
    if stop is not NULL:
        value[0] = rb_simple_value(&d) if rb_is_simple(&d) else rounded(&d, p, stop)
    return stop
