from libc.stdint cimport int32_t, int64_t
from rosenblatt.engine.text.names cimport Names, Text
from rosenblatt.engine.text.parsing cimport Growing, Parser


cdef enum Role:
    C_IGNORED = 0
    C_NUMBER = 1
    C_TEXT = 2
    C_LABEL = 3


cdef class TabularParser(Parser):
    cdef bint float32, marks_are_numbers
    cdef double limit
    cdef int64_t n_columns, n_numbers, n_texts, longest_mark
    cdef signed char[::1] roles
    cdef int32_t[::1] places
    cdef signed char[::1] lenient
    cdef Growing values, text_codes, scratch
    cdef Growing stray_rows, stray_columns, stray_codes
    cdef Names texts, missing, stray_texts, footer_words
    cdef int64_t n_strays
    cdef int32_t row_label
    cdef readonly int64_t fault_column

    cdef int room_for_row(self) except -1 nogil
    cdef void forget_strays_of_bad_row(self) noexcept nogil
    cdef bint begins_footer(
        self, int64_t column, Text text, int64_t at, int64_t end
    ) except -1 nogil
    cdef int put_stray(
        self, int64_t column, Text text, int64_t at, int64_t end, int64_t begin, int64_t stop
    ) except -2 nogil
    cdef void put_number(self, int64_t column, double value) noexcept nogil
    cdef int read_value(
        self, int64_t column, Text text, int64_t at, int64_t end, int64_t begin,
        int64_t stop
    ) except -2 nogil
    cdef int64_t point_at(self, Text text, int64_t begin, int64_t stop) noexcept nogil
    cdef int put_text(self, int64_t column, Text text, int64_t at, int64_t end) except -2 nogil
