"""A table of rows, dense or sparse, as the loops see it, and the scores of all of them."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from "rows/tables.h" nogil:
    const rb_ops *rb_dense_ops[][2]
    const char *rb_clone_names[]
    int rb_clone
    int rb_count_clones()
    const rb_ops rb_ops_sparse_f32_i32
    const rb_ops rb_ops_sparse_f32_i64
    const rb_ops rb_ops_sparse_f64_i32
    const rb_ops rb_ops_sparse_f64_i64
    const rb_ops rb_ops_checked_f32_i32
    const rb_ops rb_ops_checked_f32_i64
    const rb_ops rb_ops_checked_f64_i32
    const rb_ops rb_ops_checked_f64_i64

cnp.import_array()

cdef object changed_error = ValueError


def refuse_changed_with(kind):
    """Set the error that rows raise which were changed while they were read."""
    global changed_error
    changed_error = kind


cdef class Rows:
    """Pointers to the caller's arrays; nothing is copied."""

    @property
    def n_rows(self):
        return self.c.n_rows

    @property
    def n_features(self):
        return self.c.n_features

    @property
    def n_values(self):
        """How many values are stored."""
        if not self.is_sparse:
            return self.c.n_rows * self.c.n_features
        starts = self._arrays[2]
        return int(starts[self.c.n_rows] - starts[0])

    @property
    def is_checked(self):
        """Whether others may change the rows, so that the loops look at what they read."""
        return self.c.outside != NULL

    cdef int64_t most_stored(self) noexcept:
        """Return the most values that a row has."""
        cdef int64_t most = 0
        cdef int64_t row
        if not self.is_sparse:
            return self.c.n_features
        for row in range(self.c.n_rows):
            if self.index_bytes == 8:
                most = max(most, (<const int64_t *>self.c.starts)[row + 1]
                           - (<const int64_t *>self.c.starts)[row])
            else:
                most = max(most, <int64_t>(<const int32_t *>self.c.starts)[row + 1]
                           - (<const int32_t *>self.c.starts)[row])
        return min(most, self.c.n_stored)

    cdef int refuse_changed(self) except -1:
        """Refuse rows that pointed outside of their table since they were inspected."""
        if self._outside:
            self._outside = 0
            raise changed_error(
                "X was changed while it was read: a row points outside of its columns or of what "
                "is stored. Let nobody write to a packed file in use; write a new one beside it "
                "and rename that."
            )
        return 0

    @property
    def dtype(self):
        return np.dtype(np.float32 if self.is_float32 else np.float64)

    def inspect(self, double limit):
        """Return the first (row, column, value) that is not finite or beyond `limit`, else None.

        Where all is well it sets `largest_squared_norm`; rows must be inspected before learning.
        """
        cdef int64_t row = 0
        cdef int64_t column = 0
        cdef double value = 0.0
        cdef bint found
        with nogil:
            found = self.ops.inspect(&self.c, limit, &row, &column, &value)
        if found:
            return row, column, value
        self.largest_squared_norm = value
        return None

    def squared_norms(self):
        """Return the squared length of every row."""
        cdef cnp.ndarray out = np.empty(self.c.n_rows)
        cdef double *at = <double *>cnp.PyArray_DATA(out)
        cdef int64_t i
        with nogil:
            for i in range(self.c.n_rows):
                at[i] = self.ops.squared_norm(&self.c, i, 0.0)
        return out


def clones():
    """Return the names of the compiled copies of the loops over dense rows that this processor can run."""
    return [rb_clone_names[i].decode() for i in range(rb_count_clones())]


def use_clone(str name):
    """Use this copy for tables made from now on; the best one is used unless told otherwise."""
    global rb_clone
    rb_clone = clones().index(name)


use_clone(clones().pop())


def dense(cnp.ndarray X):
    """Wrap a C-contiguous 2-D array of float32 or float64 as rows."""
    cdef Rows rows = Rows.__new__(Rows)
    rows.c.values = cnp.PyArray_DATA(X)
    rows.c.n_rows = cnp.PyArray_DIM(X, 0)
    rows.c.n_features = cnp.PyArray_DIM(X, 1)
    rows.is_float32 = cnp.PyArray_TYPE(X) == cnp.NPY_FLOAT32
    rows.ops = rb_dense_ops[rb_clone][rows.is_float32]
    rows._arrays = (X,)
    return rows


def sparse(cnp.ndarray data, cnp.ndarray indices, cnp.ndarray indptr, int64_t n_features):
    """Wrap a CSR matrix as rows; `indices` and `indptr` are both int32 or both int64.

    Memory that cannot be written to may be that of a mapped file, which others can write to.
    """
    cdef Rows rows = Rows.__new__(Rows)
    cdef bint wide = cnp.PyArray_ITEMSIZE(indices) == 8
    rows.c.values = cnp.PyArray_DATA(data)
    rows.c.columns = cnp.PyArray_DATA(indices)
    rows.c.starts = cnp.PyArray_DATA(indptr)
    rows.c.n_rows = cnp.PyArray_DIM(indptr, 0) - 1
    rows.c.n_features = n_features
    rows.c.n_stored = min(cnp.PyArray_DIM(data, 0), cnp.PyArray_DIM(indices, 0))
    rows.is_sparse = True
    rows.index_bytes = 8 if wide else 4
    rows.is_float32 = cnp.PyArray_TYPE(data) == cnp.NPY_FLOAT32
    if rows.is_float32:
        rows.ops = &rb_ops_sparse_f32_i64 if wide else &rb_ops_sparse_f32_i32
    else:
        rows.ops = &rb_ops_sparse_f64_i64 if wide else &rb_ops_sparse_f64_i32
    if not (cnp.PyArray_ISWRITEABLE(indices) and cnp.PyArray_ISWRITEABLE(indptr)):
        rows.c.outside = &rows._outside
        if rows.is_float32:
            rows.ops = &rb_ops_checked_f32_i64 if wide else &rb_ops_checked_f32_i32
        else:
            rows.ops = &rb_ops_checked_f64_i64 if wide else &rb_ops_checked_f64_i32
    rows._arrays = (data, indices, indptr)
    return rows


cdef int same_type(Rows rows, bint is_float32) except -1:
    """Reading numbers of one type as another would be silent nonsense."""
    if rows.is_float32 != is_float32:
        raise TypeError("rows and weights differ in type")
    return 0


def score(Rows rows, cnp.ndarray table, cnp.ndarray bias, int64_t start=0, stop=None):
    """Score the rows from `start` to `stop`: (n,) for one vector, else (n, n_vectors).

    `table` and `bias` have the type of the rows; for sparse rows and several vectors the table
    is (n_features, n_vectors or more), else (n_vectors or more, n_features).
    """
    cdef int64_t k = cnp.PyArray_DIM(bias, 0)
    cdef int64_t end = rows.c.n_rows
    cdef int64_t n = max(0, (end if stop is None else min(end, <int64_t>stop)) - start)
    cdef cnp.ndarray out
    cdef double *at
    cdef void *w = cnp.PyArray_DATA(table)
    cdef void *b = cnp.PyArray_DATA(bias)
    cdef void *scores
    cdef int64_t stride = cnp.PyArray_STRIDE(table, 0) // cnp.PyArray_ITEMSIZE(table)
    same_type(rows, cnp.PyArray_TYPE(table) == cnp.NPY_FLOAT32)
    if k == 1:
        out = np.empty(n)
        at = <double *>cnp.PyArray_DATA(out)
        with nogil:
            rows.ops.score(&rows.c, start, n, w,
                           (<float *>b)[0] if rows.is_float32 else (<double *>b)[0], at)
        rows.refuse_changed()
        return out
    out = np.empty((n, k))
    at = <double *>cnp.PyArray_DATA(out)
    scores = malloc(RB_BLOCK * k * sizeof(double))
    if scores == NULL:
        raise MemoryError
    with nogil:
        rows.ops.score_classes(&rows.c, start, n, w, b, k, stride, scores, at)
    free(scores)
    rows.refuse_changed()
    return out
