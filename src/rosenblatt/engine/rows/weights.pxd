cimport numpy as cnp
from libc.stdint cimport int64_t

cdef extern from "threads.h" nogil:
    bint rb_take(long *flag) noexcept
    void rb_give_back(long *flag) noexcept
    bint rb_is_taken(const long *flag) noexcept

cdef extern from "rows/weights.h" nogil:
    enum:
        RB_FOLD_BITS  # by how many powers of two a fold shrinks what is stored

    ctypedef struct rb_weights:
        char *w
        char *b
        double *u
        double *ub
        char *rate
        char *bias_rate
        int rates
        int64_t n_vectors
        int64_t n_features
        int64_t class_stride
        int64_t feature_stride
        int64_t itemsize
        int64_t average_from
        double reach
        double limit
        bint is_float32
        bint fit_intercept
        bint is_scaled
        double scale
        int64_t folds
        double clock
        int64_t since
        double clock_from
        int64_t folds_from
        int64_t updates
        int64_t examples
        double length2

    double rb_largest_weight(const rb_weights *) noexcept
    double rb_clock_at(const rb_weights *, int64_t seen) noexcept
    double rb_squared_length(const rb_weights *) noexcept


cdef class WeightArrays:
    cdef rb_weights c
    cdef readonly dict planes  # name: (table, bias)
    cdef readonly cnp.ndarray table
    cdef readonly cnp.ndarray stored_bias
    cdef readonly object rates  # "variance", "gradient" or None
    cdef readonly bint by_feature
    cdef readonly bint is_float32
    cdef readonly bint fit_intercept
    cdef readonly bint is_scaled
    cdef readonly int64_t n_vectors
    cdef readonly int64_t n_features
    cdef public int64_t t
    cdef public int64_t version  # changes whenever shape, memory or the meaning of a vector does
    cdef long busy  # a flag of threads.h: a loop learns into these weights, or they are being bound

    cdef int point_to_weights(self, dict planes) except -1
    cdef void describe(self, bint by_feature, int64_t n_features, bint fit_intercept, bint is_scaled)
    cdef int point_to_sums(self, dict planes) except -1
    cdef int point_to_rates(self, dict planes, rates) except -1
    cdef int claim(self) except -1
    cdef void release(self) noexcept
    cdef bint is_busy(self) noexcept
