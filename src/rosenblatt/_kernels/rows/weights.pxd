cimport numpy as cnp
from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows

cdef extern from "rows/weights.h" nogil:
    enum:
        RB_FOLD_BITS

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
    void rb_move(rb_weights *, const rb_rows *, const rb_ops *, int64_t row, int64_t vector,
                 double step, double change, int64_t seen_before) noexcept
    void rb_move_counted(rb_weights *, const rb_rows *, const rb_ops *, int64_t row, int64_t vector,
                         double step, double change, double counted) noexcept
    double rb_clock_at(const rb_weights *, int64_t seen) noexcept
    double rb_squared_length(const rb_weights *) noexcept
    void rb_fold(rb_weights *, int64_t times, double clock) noexcept


cdef class WeightArrays:
    cdef rb_weights c
    cdef readonly cnp.ndarray table
    cdef readonly cnp.ndarray stored_bias
    cdef readonly object table_sum
    cdef readonly object bias_sum
    cdef readonly object rates  # "variance", "gradient" or None
    cdef readonly object table_rate
    cdef readonly object bias_rate
    cdef readonly bint by_feature, is_float32, fit_intercept, is_scaled
    cdef readonly int64_t n_vectors, n_features
    cdef public int64_t t
    cdef public int64_t version  # changes whenever shape, memory or the meaning of a vector does
    cdef bint busy

    cdef int claim(self) except -1
