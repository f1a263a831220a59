from libc.stdint cimport int32_t, int64_t
from rosenblatt._kernels.rows.readouts cimport rb_readout
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows
from rosenblatt._kernels.rows.rules cimport Rule
from rosenblatt._kernels.rows.weights cimport WeightArrays

cdef enum:
    MOST_CLASSES = 256  # that `learn_row` has room for


cdef bint learn_row(WeightArrays weights, Rule rule, rb_readout *readout, const rb_rows *row,
                    const rb_ops *ops, int64_t n_stored, double squared_norm, int32_t label,
                    int64_t *mistakes) noexcept
