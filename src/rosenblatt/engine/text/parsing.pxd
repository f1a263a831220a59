from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memchr
from rosenblatt.engine.text.names cimport Names, Text


cdef class Growing:
    """Memory that grows at its end; `take` makes it an array without a copy."""

    cdef void *at
    cdef int64_t item, room

    cdef int reserve(self, int64_t n) except -1 nogil
    cdef void expect(self, double n) noexcept nogil
    cdef int append(self, int64_t n, Growing other, int64_t more) except -1
    cdef object take(self, int64_t n, int typenum)


cdef class Parser:
    cdef const char *found
    cdef readonly int64_t fault_at, fault_end, fault_line, row_at, row_end
    cdef public int64_t line, max_row
    cdef readonly int64_t n_rows
    cdef Growing codes, lines
    cdef Names labels
    cdef public object admits
    cdef readonly object reason

    cdef bint is_text(self, Text text, int64_t at, int64_t end) noexcept nogil
    cdef int32_t code_of(self, Names names, Text text, int64_t at, int64_t end) except -2 nogil
    cdef int32_t label_code(self, Text text, int64_t at, int64_t end) except -2 nogil
    cdef bint admitted(self, Text text, int64_t at, int64_t end) except -1 with gil
    cdef int make_room(self, int64_t n_bytes) except -1 nogil
    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil
    cdef int64_t row_stop(self, Text text, int64_t at, int64_t end) noexcept nogil
    cdef bint is_long(self, Text text, int64_t at, int64_t end) noexcept nogil
    cdef int64_t fail(self, const char *found, int64_t at, int64_t end) noexcept nogil
    cdef int finish_row(self, int32_t code) except -1 nogil


cdef class SparseParser(Parser):
    cdef bint float32
    cdef double limit
    cdef int64_t max_features
    cdef Growing values, columns, starts
    cdef readonly int64_t n_stored

    cdef int end_row(self, int32_t code, int64_t n) except -1 nogil
    cdef int append(self, SparseParser other, const int32_t *code) except -1


cdef extern from "text/utf8.h" nogil:
    int64_t rb_bad_utf8(Text text, int64_t at, int64_t end)
    int64_t rb_bad_text(Text text, int64_t at, int64_t end)
    int64_t rb_put_utf8(unsigned char *out, uint32_t c)


cdef inline void put_real(void *values, bint float32, int64_t i, double value) noexcept nogil:
    if float32:
        (<float *>values)[i] = <float>value
    else:
        (<double *>values)[i] = value


cdef inline int64_t line_end(Text text, int64_t at, int64_t end) noexcept nogil:
    """The place of the line feed that ends the line of `at`."""
    cdef const void *found = memchr(text + at, 10, end - at)
    return end if found is NULL else <const unsigned char *>found - text


cdef inline int64_t after_blanks(Text text, int64_t at) noexcept nogil:
    while text[at] == 32 or text[at] == 9:
        at += 1
    return at


cdef inline bint ends_token(unsigned char c) noexcept nogil:
    return c <= 32 and (c == 32 or c == 10 or c == 9 or c == 13)


cdef inline int64_t token_end(Text text, int64_t at) noexcept nogil:
    while not ends_token(text[at]):
        at += 1
    return at


cdef inline bint ends_line(Text text, int64_t at) noexcept nogil:
    """A line feed, alone or after a carriage return."""
    return text[at] == 10 or (text[at] == 13 and text[at + 1] == 10)
