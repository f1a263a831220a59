"""Recorded updates, repeated."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from rosenblatt._kernels.rows.rows cimport Rows
from rosenblatt._kernels.rows.scoring cimport same_type
from rosenblatt._kernels.rows.weights cimport rb_move, WeightArrays

cnp.import_array()

cdef enum:
    NO_ONE = -1


def replay(WeightArrays weights, Rows rows, cnp.ndarray row, cnp.ndarray right, cnp.ndarray wrong,
           cnp.ndarray step, cnp.ndarray t, int64_t start, int64_t stop):
    """Repeat the recorded updates start .. stop - 1 on `weights`, in the order of training."""
    cdef const int64_t *rows_at = <const int64_t *>cnp.PyArray_DATA(row)
    cdef const int32_t *right_at = <const int32_t *>cnp.PyArray_DATA(right)
    cdef const int32_t *wrong_at = <const int32_t *>cnp.PyArray_DATA(wrong)
    cdef const double *step_at = <const double *>cnp.PyArray_DATA(step)
    cdef const int64_t *t_at = <const int64_t *>cnp.PyArray_DATA(t)
    cdef int64_t i
    cdef bint binary = weights.c.n_vectors == 1
    same_type(rows, weights.c.is_float32)
    weights.claim()
    with nogil:
        for i in range(start, stop):
            if binary:
                rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], 0,
                        (2 * right_at[i] - 1) * step_at[i], t_at[i] - 1)
                continue
            if wrong_at[i] != NO_ONE:
                rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], wrong_at[i], -step_at[i],
                        t_at[i] - 1)
            rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], right_at[i], step_at[i],
                    t_at[i] - 1)
    weights.busy = False
