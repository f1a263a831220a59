cimport numpy as cnp
from libc.stdint cimport int64_t
from rosenblatt.engine.rows.rows cimport Rows


cdef enum:
    MOST_VALUES = 256
    MOST_UNORDERED = 64


cdef class MappingRow:
    cdef readonly dict columns
    cdef readonly list pending
    cdef readonly Rows rows
    cdef cnp.ndarray _values, _columns, _starts
    cdef int64_t _capacity
    cdef _reserve(self, int64_t capacity)
    cdef _sort(self, int64_t n)


cdef double squared_norm_of(const double *values, int64_t n) noexcept
cdef double whole_as_double(given) except? -1.0
cdef void sort_by_column(int64_t *columns, double *values, int64_t n) noexcept
