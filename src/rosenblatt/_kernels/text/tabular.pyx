"""Rows with named columns: numbers into one matrix, texts as codes, one column of labels."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from rosenblatt._kernels.text.names cimport Names
from rosenblatt._kernels.text.parsing cimport Growing, Parser

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

    cdef int room_for_row(self) except -1 nogil:
        self.values.reserve((self.n_rows + 1) * self.n_numbers)
        self.text_codes.reserve((self.n_rows + 1) * self.n_texts)
        return 0

    cdef void put_number(self, int64_t column, double value) noexcept nogil:
        cdef int64_t i = self.n_rows * self.n_numbers + self.places[column]
        if self.float32:
            (<float *>self.values.at)[i] = <float>value
        else:
            (<double *>self.values.at)[i] = value

    cdef int put_text(
        self, int64_t column, const unsigned char *text, int64_t at, int64_t end
    ) except -2 nogil:
        """A text or the label; -1 after `fail`."""
        cdef int32_t code
        if self.roles[column] == C_LABEL:
            if at == end:
                return <int>self.fail("no label", at, end)
            code = self.row_label = self.label_code(text, at, end)
        else:
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
