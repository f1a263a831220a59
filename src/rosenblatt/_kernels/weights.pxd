cimport numpy as cnp
from libc.stdint cimport int64_t


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
    cdef int64_t itemsize
    cdef int64_t class_stride
    cdef int64_t feature_stride

    cdef void move(self, const void *rows, const void *ops, int64_t row, int64_t vector,
                   double step, int64_t seen_before) noexcept nogil
    cdef double largest(self) noexcept nogil
    cdef bint within_reach(self, double growth) noexcept nogil
