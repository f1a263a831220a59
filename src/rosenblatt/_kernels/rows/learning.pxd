cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from rosenblatt._kernels.rows.readouts cimport rb_readout
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows
from rosenblatt._kernels.rows.rules cimport Rule
from rosenblatt._kernels.rows.weights cimport WeightArrays

cdef extern from "rows/loop.h" nogil:
    ctypedef struct rb_log:
        int64_t *row
        int32_t *right
        int32_t *wrong
        double *step
        int64_t *t
        double *change
        double *scale
        int64_t *folds
        double *clock
        int64_t size
        int64_t capacity

cdef enum:
    MOST_CLASSES = 256  # that `learn_row` has room for


cdef class Log:
    cdef readonly cnp.ndarray row, right, wrong, step, t, change, scale, folds, clock
    cdef rb_log c


cdef bint learn_row(WeightArrays weights, Rule rule, rb_readout *readout, Log log, const rb_rows *row,
                    const rb_ops *ops, int64_t n_stored, double squared_norm, int32_t label,
                    int64_t *mistakes) noexcept
