cimport numpy as cnp
from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.rules cimport rb_rule, Rule
from rosenblatt._kernels.rows.weights cimport rb_weights, WeightArrays

cdef extern from "rows/readout.h" nogil:
    enum: RB_MEANS, RB_BY_MISTAKES, RB_MIXED

    ctypedef struct rb_readout:
        rb_weights *lags[3]
        rb_weights *gentle
        const rb_rule *gentle_rule
        double *scales
        double *errors
        const double *rates
        double fading
        double sharpness
        double smallest_scale
        int place
        int64_t t

    int rb_place(const rb_readout *) noexcept


cdef class ReadoutArrays:
    cdef rb_readout c
    cdef readonly cnp.ndarray scales, errors, rates
    cdef readonly tuple lags
    cdef readonly WeightArrays gentle
    cdef readonly Rule rule

    cdef rb_readout *beside(self, WeightArrays weights) noexcept
