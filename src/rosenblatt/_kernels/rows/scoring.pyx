"""Scores of all rows at once."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from rosenblatt._kernels.rows.rows cimport Rows

import numpy as np

cnp.import_array()


cdef int same_type(Rows rows, bint is_float32) except -1:
    """Reading numbers of one type as another would be silent nonsense."""
    if rows.is_float32 != is_float32:
        raise TypeError("rows and weights differ in type")
    return 0


def score(Rows rows, cnp.ndarray table, cnp.ndarray bias):
    """Scores of all rows: (n,) for one vector, else (n, n_vectors).

    `table` and `bias` have the type of the rows; for sparse rows and several vectors the table
    is (n_features, n_vectors), else (n_vectors, n_features).
    """
    cdef int64_t k = cnp.PyArray_DIM(bias, 0), n = rows.c.n_rows
    cdef cnp.ndarray out
    cdef double *at
    cdef void *w = cnp.PyArray_DATA(table)
    cdef void *b = cnp.PyArray_DATA(bias)
    cdef void *scores
    same_type(rows, cnp.PyArray_TYPE(table) == cnp.NPY_FLOAT32)
    if k == 1:
        out = np.empty(n)
        at = <double *>cnp.PyArray_DATA(out)
        with nogil:
            rows.ops.score(&rows.c, 0, n, w,
                           (<float *>b)[0] if rows.is_float32 else (<double *>b)[0], at)
        return out
    out = np.empty((n, k))
    at = <double *>cnp.PyArray_DATA(out)
    scores = malloc(k * sizeof(double))
    if scores == NULL:
        raise MemoryError
    with nogil:
        rows.ops.score_classes(&rows.c, 0, n, w, b, k, scores, at)
    free(scores)
    return out
