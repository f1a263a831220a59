from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows
from rosenblatt._kernels.rows.weights cimport rb_weights, WeightArrays

cdef extern from "rows/readouts.h":
    enum:
        RB_MEANS

    ctypedef struct rb_means:
        double *errors
        double *scales
        const double *rates
        double fading, smallest_scale
        int64_t t
        rb_weights *lags[RB_MEANS + 1]
        int wrong[RB_MEANS + 2]

    void rb_score_one(const rb_rows *, const rb_ops *, const rb_weights *, double *)
    void rb_score_mean(const rb_means *, int, const rb_rows *, const rb_ops *, const double *, double *)
    bint rb_is_wrong(const double *, int64_t, int64_t)
    bint rb_expect(rb_means *, const rb_rows *, const rb_ops *, const rb_weights *, int64_t)
    void rb_serve(const rb_means *, int64_t, int, double, double *)
    void rb_follow(rb_means *, const rb_rows *, const rb_weights *)


cdef bint read_means(rb_means *means, dict readouts, WeightArrays weights) except -1
