from libc.stdint cimport int64_t
from rosenblatt.engine.rows.mappings cimport MOST_VALUES


cdef struct Moments:
    double n, first, total, squares
    double center, scale


cdef struct Column:
    bint is_number, is_running, gaps
    double clip
    Moments moments  # center and scale; sums if these follow from the records before
    int64_t n_levels, mode


cdef struct RecordRow:
    int64_t n_values, n_features
    bint is_dense, is_running
    double values[MOST_VALUES]
    int64_t columns[MOST_VALUES]
    Moments moments[MOST_VALUES]  # after this record, of each column that is running


cdef class RecordPlan:
    cdef list names, levels
    cdef Column *columns
    cdef public bint has_moved  # since the schema took its running means over
    cdef bint read(self, RecordRow *row, dict x, bint learning) except -1
    cdef int keep(self, RecordRow *row) noexcept
