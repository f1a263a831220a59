"""Rows with named columns: numbers into one matrix, texts as codes, one column of labels."""

cimport numpy as cnp
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from rosenblatt._kernels.text.names cimport Names, Text
from rosenblatt._kernels.text.numbers cimport read_number
from rosenblatt._kernels.text.parsing cimport Growing, Parser, put_real, rb_bad_text

from rosenblatt._kernels.text.numbers import parse

cnp.import_array()

IGNORED, NUMBER, TEXT, LABEL = C_IGNORED, C_NUMBER, C_TEXT, C_LABEL


cdef class TabularParser(Parser):
    """A matrix of the number columns, codes of the text columns, and the label column.

    `roles` says what each column of the file is, `places` where it goes: the column of the matrix,
    or of the codes. Texts of all columns share their names.
    """

    def __init__(self, bint float32, double limit, list missing):
        self.float32, self.limit = float32, limit
        self.missing, self.texts = Names(), Names()
        for mark in missing:
            self.missing.number(mark)
            self.marks_are_numbers = self.marks_are_numbers or parse(mark) is not None
            self.longest_mark = max(self.longest_mark, len(mark))
        self.values = Growing(4 if float32 else 8)
        self.text_codes, self.scratch = Growing(4), Growing(1)

    def set_columns(self, signed char[::1] roles, int32_t[::1] places):
        """The columns of the file that follows; where they go must stay as it was."""
        cdef int64_t i, n_numbers = 0, n_texts = 0
        if roles.shape[0] != places.shape[0] or roles.shape[0] == 0:
            raise ValueError("every column needs a role and a place")
        for i in range(roles.shape[0]):
            n_numbers += roles[i] == C_NUMBER
            n_texts += roles[i] == C_TEXT
        for i in range(roles.shape[0]):
            if roles[i] == C_NUMBER and not 0 <= places[i] < n_numbers:
                raise ValueError("a place outside of the matrix")
            if roles[i] == C_TEXT and not 0 <= places[i] < n_texts:
                raise ValueError("a place outside of the codes")
        if self.n_rows and (n_numbers != self.n_numbers or n_texts != self.n_texts):
            raise ValueError("rows of another width are waiting to be taken")
        self.roles, self.places, self.n_columns = roles, places, roles.shape[0]
        self.n_numbers, self.n_texts = n_numbers, n_texts

    def expect(self, double times):
        super().expect(times)
        self.values.expect(times * self.n_rows * self.n_numbers)
        self.text_codes.expect(times * self.n_rows * self.n_texts)

    cdef int room_for_row(self) except -1 nogil:
        self.values.reserve((self.n_rows + 1) * self.n_numbers)
        self.text_codes.reserve((self.n_rows + 1) * self.n_texts)
        return 0

    cdef void put_number(self, int64_t column, double value) noexcept nogil:
        cdef int64_t i = self.n_rows * self.n_numbers + self.places[column]
        put_real(self.values.at, self.float32, i, value)

    cdef int read_value(
        self, int64_t column, Text text, int64_t at, int64_t end, int64_t begin,
        int64_t stop
    ) except -2 nogil:
        """A number or the mark of a missing one; -1 after `fail`, which names begin to stop."""
        cdef double value = 0.0
        cdef const unsigned char *after = read_number(text + at, text + end, &value)
        if self.missing.find(text + at, end - at, False) >= 0:
            value = NAN
        elif after is not text + end or at == end:
            return <int>self.fail("not a number", begin, stop)
        elif not -self.limit <= value <= self.limit:
            return <int>self.fail("too large", begin, stop)
        self.put_number(column, value)
        return 0

    cdef int64_t point_at(self, Text text, int64_t begin, int64_t stop) noexcept nogil:
        """A fault was found in a copy: name its place in the text."""
        cdef int64_t bad = rb_bad_text(text, begin, stop)
        if bad < 0:
            return self.fail(self.found, begin, stop)
        return self.fail(self.found, bad, bad + 1)

    cdef int put_text(self, int64_t column, Text text, int64_t at, int64_t end) except -2 nogil:
        """A text or the label; -1 after `fail`."""
        cdef int32_t code
        if self.roles[column] == C_LABEL:
            if at == end:
                return <int>self.fail("no label", at, end)
            code = self.row_label = self.label_code(text, at, end)
        else:
            if end - at <= self.longest_mark and self.missing.find(text + at, end - at, False) >= 0:
                end = at  # whatever a gap is marked with, it is one
            code = self.code_of(self.texts, text, at, end)
            if code >= 0:
                (<int32_t *>self.text_codes.at)[
                    self.n_rows * self.n_texts + self.places[column]
                ] = code
        return -1 if code < 0 else 0

    def take(self):
        """The matrix, the codes of the texts, and the texts; starts anew."""
        cdef int64_t n = self.n_rows
        values = self.values.take(
            n * self.n_numbers, cnp.NPY_FLOAT32 if self.float32 else cnp.NPY_FLOAT64
        )
        codes = self.text_codes.take(n * self.n_texts, cnp.NPY_INT32)
        texts, self.texts = self.texts.listed(), Names()
        return values.reshape(n, self.n_numbers), codes.reshape(n, self.n_texts), texts
