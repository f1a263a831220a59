cimport numpy as cnp
from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.rows cimport Rows


cdef class WeightArrays:
    cdef readonly cnp.ndarray table
    cdef readonly cnp.ndarray bias
    cdef readonly object table_sum
    cdef readonly object bias_sum
    cdef readonly bint by_feature
    cdef readonly bint fit_intercept
    cdef readonly bint is_float32
    cdef readonly int64_t n_vectors
    cdef readonly int64_t n_features
    cdef public int64_t t
    cdef public double reach
    cdef char *w
    cdef char *b
    cdef double *u
    cdef double *ub
    cdef double limit
    cdef bint busy
    cdef int64_t itemsize
    cdef int64_t class_stride
    cdef int64_t feature_stride

    cdef int claim(self) except -1
    cdef bint can_grow(self, double growth) noexcept nogil
    cdef double largest(self) noexcept nogil


cdef inline bint within_reach(WeightArrays weights, double growth) noexcept nogil:
    """Whether every weight stays within the limit when it grows by `growth` at most."""
    if weights.reach + growth <= weights.limit:
        weights.reach += growth
        return True
    return weights.can_grow(growth)


cdef inline void move(WeightArrays weights, Rows rows, int64_t row, int64_t vector, double step,
                      int64_t seen_before) noexcept nogil:
    """Add `step` times a row to one vector, and to its running sum weighted by the counter."""
    cdef int64_t at = vector * weights.class_stride
    rows.ops.add(&rows.c, row, step, weights.w + at * weights.itemsize, weights.feature_stride)
    if weights.fit_intercept:
        if weights.is_float32:
            (<float *>weights.b)[vector] += <float>step
        else:
            (<double *>weights.b)[vector] += step
    if weights.u != NULL:
        rows.ops.add_to_sum(&rows.c, row, step * seen_before, weights.u + at,
                            weights.feature_stride)
        if weights.fit_intercept:
            weights.ub[vector] += step * seen_before
