"""A table of rows, dense or sparse, as the loops see it."""

cimport numpy as cnp
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "rows/tables.h" nogil:
    const rb_ops rb_ops_dense_f32
    const rb_ops rb_ops_dense_f64
    const rb_ops rb_ops_sparse_f32_i32
    const rb_ops rb_ops_sparse_f32_i64
    const rb_ops rb_ops_sparse_f64_i32
    const rb_ops rb_ops_sparse_f64_i64

cnp.import_array()


cdef class Rows:
    """Pointers to the caller's arrays; nothing is copied."""

    @property
    def n_rows(self):
        return self.c.n_rows

    @property
    def n_features(self):
        return self.c.n_features

    def set_n_features(self, int64_t n_features):
        self.c.n_features = n_features

    @property
    def dtype(self):
        return np.dtype(np.float32 if self.is_float32 else np.float64)

    def inspect(self, double limit):
        """The first (row, column, value) that is not finite or beyond `limit`, else None.

        Where all is well it sets `largest_squared_norm`; rows must be inspected before learning.
        """
        cdef int64_t row = 0, column = 0
        cdef double value = 0.0
        cdef bint found
        with nogil:
            found = self.ops.inspect(&self.c, limit, &row, &column, &value)
        if found:
            return row, column, value
        self.largest_squared_norm = value
        return None

    def squared_norms(self):
        """The squared length of every row."""
        cdef cnp.ndarray out = np.empty(self.c.n_rows)
        cdef double *at = <double *>cnp.PyArray_DATA(out)
        cdef int64_t i
        with nogil:
            for i in range(self.c.n_rows):
                at[i] = self.ops.squared_norm(&self.c, i, 0.0)
        return out


def dense(cnp.ndarray X):
    """Rows of a C-contiguous 2-D array of float32 or float64."""
    cdef Rows rows = Rows.__new__(Rows)
    rows.c.values = cnp.PyArray_DATA(X)
    rows.c.n_rows, rows.c.n_features = cnp.PyArray_DIM(X, 0), cnp.PyArray_DIM(X, 1)
    rows.is_float32 = cnp.PyArray_TYPE(X) == cnp.NPY_FLOAT32
    rows.ops = &rb_ops_dense_f32 if rows.is_float32 else &rb_ops_dense_f64
    rows._arrays = (X,)
    return rows


def sparse(cnp.ndarray data, cnp.ndarray indices, cnp.ndarray indptr, int64_t n_features):
    """Rows of a CSR matrix; `indices` and `indptr` both int32 or both int64."""
    cdef Rows rows = Rows.__new__(Rows)
    cdef bint wide = cnp.PyArray_ITEMSIZE(indices) == 8
    rows.c.values = cnp.PyArray_DATA(data)
    rows.c.columns = cnp.PyArray_DATA(indices)
    rows.c.starts = cnp.PyArray_DATA(indptr)
    rows.c.n_rows, rows.c.n_features = cnp.PyArray_DIM(indptr, 0) - 1, n_features
    rows.c.n_stored = min(cnp.PyArray_DIM(data, 0), cnp.PyArray_DIM(indices, 0))
    rows.is_sparse = True
    rows.is_float32 = cnp.PyArray_TYPE(data) == cnp.NPY_FLOAT32
    if rows.is_float32:
        rows.ops = &rb_ops_sparse_f32_i64 if wide else &rb_ops_sparse_f32_i32
    else:
        rows.ops = &rb_ops_sparse_f64_i64 if wide else &rb_ops_sparse_f64_i32
    rows._arrays = (data, indices, indptr)
    return rows
