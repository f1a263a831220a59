"""Rows with named columns: numbers into one matrix, texts as codes, one column of labels."""

cimport numpy as cnp
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from rosenblatt.engine.text.names cimport Names, Text
from rosenblatt.engine.text.numbers cimport read_number
from rosenblatt.engine.text.parsing cimport Growing, Parser, put_real, rb_bad_text

from rosenblatt.engine.text.numbers import parse

cnp.import_array()

cdef enum:
    LONGEST_FOOTER_WORD = 32

IGNORED = C_IGNORED
NUMBER = C_NUMBER
TEXT = C_TEXT
LABEL = C_LABEL


cdef class TabularParser(Parser):
    """A matrix of the number columns, codes of the text columns, and the label column.

    `roles` says what each column of the file is, `places` where it goes: the column of the matrix,
    or of the codes. Texts of all columns share their names.
    """

    def __init__(self, bint float32, double limit, list missing):
        self.float32 = float32
        self.limit = limit
        self.missing = Names()
        self.texts = Names()
        for mark in missing:
            self.missing.number(mark)
            self.marks_are_numbers = self.marks_are_numbers or parse(mark) is not None
            self.longest_mark = max(self.longest_mark, len(mark))
        self.values = Growing(4 if float32 else 8)
        self.text_codes = Growing(4)
        self.scratch = Growing(1)
        self.stray_rows = Growing(8)
        self.stray_columns = Growing(4)
        self.stray_codes = Growing(4)
        self.stray_texts = Names()
        self.footer_words = Names()

    def set_columns(
        self, signed char[::1] roles, int32_t[::1] places, signed char[::1] lenient=None
    ):
        """Set the columns of the file that follows; where they go must stay as it was.

        In a number column that is `lenient`, a text that is no number is a gap, and is kept as a
        stray for `take_strays`; in others it is a fault.
        """
        cdef int64_t n_numbers = 0
        cdef int64_t n_texts = 0
        cdef int64_t i
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
        if lenient is not None and lenient.shape[0] != roles.shape[0]:
            raise ValueError("every column is lenient or not")
        self.roles = roles
        self.places = places
        self.n_columns = roles.shape[0]
        self.lenient = lenient
        self.n_numbers = n_numbers
        self.n_texts = n_texts

    def set_footer_words(self, list words):
        """Set the words, in small letters, that begin a row below the last, such as total: it is a fault."""
        self.footer_words = Names()
        for word in words:
            self.footer_words.number(word)

    cdef bint begins_footer(self, int64_t column, Text text, int64_t at, int64_t end) except -1 nogil:
        cdef unsigned char small[LONGEST_FOOTER_WORD]
        cdef int64_t i, n
        if end > at and text[end - 1] == 58:  # "Total:"
            end -= 1
        n = end - at
        if column != 0 or not 0 < n <= LONGEST_FOOTER_WORD:
            return False
        for i in range(n):
            small[i] = text[at + i] | 32 if 65 <= text[at + i] <= 90 else text[at + i]
        return self.footer_words.find(small, n, False) >= 0

    def expect(self, double times):
        super().expect(times)
        self.values.expect(times * self.n_rows * self.n_numbers)
        self.text_codes.expect(times * self.n_rows * self.n_texts)

    cdef int room_for_row(self) except -1 nogil:
        self.values.reserve((self.n_rows + 1) * self.n_numbers)
        self.text_codes.reserve((self.n_rows + 1) * self.n_texts)
        self.forget_strays_of_bad_row()
        return 0

    cdef void forget_strays_of_bad_row(self) noexcept nogil:
        """Leave nothing of a row with a fault behind, nor of its strays."""
        cdef const int64_t *rows = <const int64_t *>self.stray_rows.at
        while self.n_strays and rows[self.n_strays - 1] >= self.n_rows:
            self.n_strays -= 1

    cdef int put_stray(
        self, int64_t column, Text text, int64_t at, int64_t end, int64_t begin, int64_t stop
    ) except -2 nogil:
        """Store a gap for a text that is no number, which is kept in a lenient column.

        In others, or if it may begin a footer, it is a fault: -1 after `fail`.
        """
        cdef int32_t code = -1
        cdef int64_t n = self.n_strays
        if (
            self.lenient is not None and self.lenient[column]
            and not self.begins_footer(column, text, at, end)
        ):
            code = self.code_of(self.stray_texts, text, at, end)
        if code < 0:
            return <int>self.fail("not a number", begin, stop)
        self.stray_rows.reserve(n + 1)
        self.stray_columns.reserve(n + 1)
        self.stray_codes.reserve(n + 1)
        (<int64_t *>self.stray_rows.at)[n] = self.n_rows
        (<int32_t *>self.stray_columns.at)[n] = self.places[column]
        (<int32_t *>self.stray_codes.at)[n] = code
        self.n_strays = n + 1
        self.put_number(column, NAN)
        return 0

    cdef void put_number(self, int64_t column, double value) noexcept nogil:
        cdef int64_t i = self.n_rows * self.n_numbers + self.places[column]
        put_real(self.values.at, self.float32, i, value)

    cdef int read_value(
        self, int64_t column, Text text, int64_t at, int64_t end, int64_t begin,
        int64_t stop
    ) except -2 nogil:
        """Read a number or the mark of a missing one; -1 after `fail`, which names begin to stop."""
        cdef double value = 0.0
        cdef const unsigned char *after = read_number(text + at, text + end, &value)
        if self.missing.find(text + at, end - at, False) >= 0:
            value = NAN
        elif after is not text + end or at == end:
            return self.put_stray(column, text, at, end, begin, stop)
        elif not -self.limit <= value <= self.limit:
            return <int>self.fail("too large", begin, stop)
        self.put_number(column, value)
        return 0

    cdef int64_t point_at(self, Text text, int64_t begin, int64_t stop) noexcept nogil:
        """Name the place in the text of a fault that was found in a copy."""
        cdef int64_t bad = rb_bad_text(text, begin, stop)
        if bad < 0:
            return self.fail(self.found, begin, stop)
        return self.fail(self.found, bad, bad + 1)

    cdef int put_text(self, int64_t column, Text text, int64_t at, int64_t end) except -2 nogil:
        """Read a text or the label; -1 after `fail`."""
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
        """Return the matrix, the codes of the texts, and the texts; start again with none."""
        cdef int64_t n = self.n_rows
        values = self.values.take(
            n * self.n_numbers, cnp.NPY_FLOAT32 if self.float32 else cnp.NPY_FLOAT64
        )
        codes = self.text_codes.take(n * self.n_texts, cnp.NPY_INT32)
        texts = self.texts.listed()
        self.texts = Names()
        return values.reshape(n, self.n_numbers), codes.reshape(n, self.n_texts), texts

    def take_strays(self):
        """Return for each stray its column of the matrix and the number of its text, and the texts.

        To be called before `take` and `take_rows`, as these forget how many rows there are.
        """
        cdef int64_t n
        self.forget_strays_of_bad_row()
        n = self.n_strays
        columns = self.stray_columns.take(n, cnp.NPY_INT32)
        codes = self.stray_codes.take(n, cnp.NPY_INT32)
        texts = self.stray_texts.listed()
        self.stray_texts = Names()
        self.n_strays = 0
        return columns, codes, texts
