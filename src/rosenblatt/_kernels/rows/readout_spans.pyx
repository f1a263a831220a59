"""Rows of a block, predicted by read-outs and then learned from, in a single call.

As with single examples, only what is usual is done here, with the same result as by `Readouts`; what
is not (more values in a row than there is room for, a scale that has become too small, a step that
is refused) is left to it, and nothing has changed by then.
"""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from rosenblatt._kernels.rows.examples cimport (rb_expect, rb_follow, rb_is_wrong, rb_means, RB_MEANS,
                                                rb_serve, read_means)
from rosenblatt._kernels.rows.learning cimport learn_row, MOST_CLASSES
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows, Rows
from rosenblatt._kernels.rows.rules cimport Rule
from rosenblatt._kernels.rows.weights cimport WeightArrays

import numpy as np

from rosenblatt._kernels.rows.rows import dense, sparse

cnp.import_array()

cdef enum:
    MOST_VALUES = 2048

cdef const rb_ops *DENSE = (<Rows>dense(np.zeros((1, 1)))).ops
cdef const rb_ops *SPARSE = (<Rows>sparse(np.zeros(1), np.zeros(1, np.int64), np.zeros(2, np.int64),
                                          1)).ops


cdef class Span:
    """Rows of an array, or of the three of a CSR matrix, one at a time."""

    cdef rb_rows row
    cdef const rb_ops *ops
    cdef const double *_values
    cdef cnp.ndarray _columns, _starts, _kept
    cdef int64_t _room[MOST_VALUES]
    cdef int64_t _ends[2]
    cdef int64_t _width

    def __init__(self, arrays, int64_t n_features):
        self._kept = arrays[0]
        if cnp.PyArray_TYPE(self._kept) != cnp.NPY_FLOAT64 or not cnp.PyArray_ISCARRAY_RO(self._kept):
            raise TypeError("rows of float64 are needed, one after the other")
        self._values, self._width = <const double *>cnp.PyArray_DATA(self._kept), n_features
        self._columns = self._starts = None
        self.ops = DENSE
        if len(arrays) > 1:
            self._columns, self._starts, self.ops = arrays[1], arrays[2], SPARSE

    cdef bint take(self, int64_t at) noexcept:
        """Let `row` be the one at a place; False if it has too many values."""
        cdef int64_t first, n, i
        cdef const int32_t *narrow
        if self._columns is None:
            self.row = rb_rows(self._values + at * self._width, NULL, NULL, 1, self._width, 0)
            return True
        first, n = number(self._starts, at), number(self._starts, at + 1) - number(self._starts, at)
        if not (0 <= n <= MOST_VALUES and 0 <= first <= cnp.PyArray_SIZE(self._kept) - n):
            return False
        if cnp.PyArray_ITEMSIZE(self._columns) == 8:
            memcpy(self._room, <const int64_t *>cnp.PyArray_DATA(self._columns) + first,
                   n * sizeof(int64_t))
        else:
            narrow = <const int32_t *>cnp.PyArray_DATA(self._columns) + first
            for i in range(n):
                self._room[i] = narrow[i]
        for i in range(n):
            if not 0 <= self._room[i] < self._width:
                return False
        self._ends[0], self._ends[1] = 0, n
        self.row = rb_rows(self._values + first, &self._room[0], &self._ends[0], 1, self._width, n)
        return True


cdef int64_t number(cnp.ndarray array, int64_t at) noexcept:
    """An entry of an array of whole numbers of 32 or 64 bits."""
    if cnp.PyArray_ITEMSIZE(array) == 8:
        return (<const int64_t *>cnp.PyArray_DATA(array))[at]
    return (<const int32_t *>cnp.PyArray_DATA(array))[at]


def learn_span(WeightArrays weights, Rule rule, readouts, Span span, cnp.ndarray slots, int64_t start,
               int64_t stop, int place, double sharpness, bint latest, cnp.ndarray wrong, scores):
    """Predict and learn rows start .. stop - 1; return the row reached and the mistakes counted.

    `place` is that of the read-out that predicts, -1: the one with the fewest mistakes. `wrong` and,
    unless None, `scores` get what `Watch` says, of the read-out or of the `latest` weights.
    """
    cdef rb_means means
    cdef int64_t k = weights.c.n_vectors, at = start, mistakes = 0, one, others, slot
    cdef double squared_norm
    cdef double served[MOST_CLASSES]
    cdef const int32_t *slot_at = <const int32_t *>cnp.PyArray_DATA(slots)
    cdef int32_t *wrong_at = <int32_t *>cnp.PyArray_DATA(wrong)
    cdef double *scores_at = NULL if scores is None else <double *>cnp.PyArray_DATA(<cnp.ndarray?>scores)
    cdef WeightArrays gentle = readouts.gentle
    cdef Rule of_gentle = readouts.rule
    if (k > MOST_CLASSES or rule._python is not None or rule.c.rates != weights.c.rates or weights.busy
            or (k > 1 and weights.by_feature != (span._columns is not None))
            or not read_means(&means, readouts.__dict__, weights)):
        return start, 0
    while at < stop and span.take(at):
        slot, one, others = slot_at[at], 0, 0
        if not rb_expect(&means, &span.row, span.ops, &weights.c, slot):
            break
        rb_serve(&means, k, place, sharpness, served)
        squared_norm = span.ops.squared_norm(&span.row, 0, 0.0)
        if not learn_row(weights, rule, &span.row, span.ops, squared_norm, <int32_t>slot, &one):
            break
        if gentle is not None:
            learn_row(gentle, of_gentle, &span.row, span.ops, squared_norm, <int32_t>slot, &others)
        rb_follow(&means, &span.row, &weights.c)
        wrong_at[at] = means.wrong[0] if latest else rb_is_wrong(served, k, slot)
        if scores_at != NULL:
            memcpy(scores_at + at * k, served, k * sizeof(double))
        mistakes += one
        means.t += 1
        at += 1
    readouts.t = means.t
    return at, mistakes
