"""A mapping {feature: value} as one sparse row, with columns handed out as features appear."""

cimport numpy as cnp
from cpython.long cimport PyLong_AsDouble
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t
from rosenblatt.engine.rows.rows cimport Rows

import numpy as np

from rosenblatt.engine.rows.rows import sparse

cnp.import_array()


class NotANumber(Exception):
    """A value of the mapping that cannot be learned from: (feature, value)."""


cdef class MappingRow:
    """One row that is filled again and again; `rows` is what the loops read.

    `columns` is the caller's dict of feature to column. Features seen for the first time wait in
    `pending` until `commit`, so that a refused example leaves no trace.
    """

    def __init__(self, dict columns):
        self.columns = columns
        self.pending = []
        self._reserve(64)

    cdef _reserve(self, int64_t capacity):
        self._capacity = capacity
        self._values = np.empty(capacity, np.float64)
        self._columns = np.empty(capacity, np.int64)
        self._starts = np.zeros(2, np.int64)
        self.rows = sparse(self._values, self._columns, self._starts, len(self.columns))

    def read(self, mapping, double limit, bint unseen_allowed):
        """Fill the row; unseen features are put on `pending`, or left out if not allowed."""
        cdef double value
        cdef int64_t n = 0
        cdef int64_t n_columns = len(self.columns)
        cdef int64_t column
        cdef bint in_order = True
        cdef double *values
        cdef int64_t *columns
        self.pending.clear()
        # Other mappings than dicts may hand out more items than they say they have.
        items = mapping.items() if type(mapping) is dict else list(mapping.items())
        if len(items) > self._capacity:
            self._reserve(2 * len(items))
        values = <double *>cnp.PyArray_DATA(self._values)
        columns = <int64_t *>cnp.PyArray_DATA(self._columns)
        for feature, given in items:
            try:
                value = given
            except (TypeError, ValueError, OverflowError):
                raise NotANumber(feature, given) from None
            if not isfinite(value) or value > limit or value < -limit:
                raise NotANumber(feature, given)
            known = self.columns.get(feature)
            if known is None:
                if not unseen_allowed:
                    continue
                column = n_columns + len(self.pending)
                self.pending.append(feature)
            else:
                column = known
            if n == self._capacity:
                raise RuntimeError("the mapping changed while it was read")
            in_order = in_order and (n == 0 or columns[n - 1] < column)
            columns[n] = column
            values[n] = value
            n += 1
        # By column, so that the order of the mapping does not matter to the last bit.
        if not in_order:
            self._sort(n)
        (<int64_t *>cnp.PyArray_DATA(self._starts))[1] = n
        self.rows.largest_squared_norm = squared_norm_of(values, n)

    cdef _sort(self, int64_t n):
        if n > MOST_UNORDERED:
            order = np.argsort(self._columns[:n], kind="stable")
            self._columns[:n] = self._columns[:n][order]
            self._values[:n] = self._values[:n][order]
            return
        sort_by_column(<int64_t *>cnp.PyArray_DATA(self._columns),
                       <double *>cnp.PyArray_DATA(self._values), n)

    def stored(self):
        """Return copies of the values and columns of the row."""
        cdef int64_t n = self._starts[1]
        return self._values[:n].copy(), self._columns[:n].copy()

    def commit(self):
        for feature in self.pending:
            self.columns[feature] = len(self.columns)
        self.pending.clear()
        self.rows.c.n_features = len(self.columns)


cdef void sort_by_column(int64_t *columns, double *values, int64_t n) noexcept:
    """Sort a few values by column, most of them in order."""
    cdef int64_t i, j, column
    cdef double value
    for i in range(1, n):
        column = columns[i]
        value = values[i]
        j = i
        while j > 0 and columns[j - 1] > column:
            columns[j] = columns[j - 1]
            values[j] = values[j - 1]
            j -= 1
        columns[j] = column
        values[j] = value


cdef double squared_norm_of(const double *values, int64_t n) noexcept:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(n):
        total += values[i] * values[i]
    return total


cdef double whole_as_double(given) except? -1.0:
    """Return a whole number as a float: infinity if it is too large."""
    try:
        return PyLong_AsDouble(given)
    except OverflowError:
        return INFINITY
