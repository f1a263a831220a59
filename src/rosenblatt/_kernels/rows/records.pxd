from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rosenblatt._kernels.rows.mappings cimport MOST_VALUES


cdef struct Moments:
    double n, first, total, squares
    double center, scale


cdef struct RecordRow:
    int64_t n_values, n_features
    bint is_dense, is_running
    double values[MOST_VALUES]
    int64_t columns[MOST_VALUES]
    Moments moments[MOST_VALUES]  # of each column of numbers that is scaled by earlier rows


cdef class RecordPlan:
    cdef list _columns, _described
    cdef tuple _names, _known, _places
    cdef bint read(self, RecordRow *row, dict x, bint learning) except -1
    cdef bint _number(self, RecordRow *row, dict known, given, Moments *moments,
                      bint learning) except -1
    cdef bint _level(self, RecordRow *row, dict known, given) except -1
    cdef bint is_own(self, RecordRow *row, PyObject *model, PyObject *learner) except -1
    cdef int keep(self, RecordRow *row) except -1


cdef RecordPlan plan_for(dict learner, described)
