"""JSON lines: one flat object a line, by its keys into numbers and codes of texts."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memchr
from rosenblatt.engine.text.names cimport Names, Text
from rosenblatt.engine.text.numbers cimport read_number
from rosenblatt.engine.text.parsing cimport Growing, ends_line, line_end, rb_put_utf8
from rosenblatt.engine.text.tabular cimport C_IGNORED, C_LABEL, C_NUMBER, TabularParser

import numpy as np

cdef enum:
    MOST_EXTRA = 1000
    N_ESCAPES = 8

# What may stand behind a backslash, and what is meant by it.
cdef const char *ESCAPES = b'ntrbf"\\/'
cdef const char *MEANT = b'\n\t\r\b\f"\\/'


cdef inline int64_t after_space(Text text, int64_t at) noexcept nogil:
    while text[at] == 32 or text[at] == 9 or (text[at] == 13 and not ends_line(text, at)):
        at += 1
    return at


cdef inline int hexadecimal(unsigned char c) noexcept nogil:
    if 48 <= c <= 57:
        return c - 48
    c |= 32
    return c - 87 if 97 <= c <= 102 else -1


cdef class JsonParser(TabularParser):
    """Rows by key; `null` and absent keys are gaps."""

    cdef Names keys, extra
    cdef Growing extra_met
    cdef int64_t[::1] met_in, met_at
    cdef int64_t row, string_at, string_end
    cdef const unsigned char *string
    cdef readonly int64_t first_at

    def __init__(self, bint float32, double limit, list missing):
        super().__init__(float32, limit, missing)
        self.extra = Names()
        self.extra_met = Growing(8)

    def set_keys(self, list keys):
        """Return the keys in the order of the columns."""
        self.keys = Names()
        for key in keys:
            self.keys.number(key)
        if self.keys.count != self.n_columns:
            raise ValueError("every column needs a key of its own")
        self.met_in = np.full(self.n_columns, -1, np.int64)
        self.met_at = np.zeros(self.n_columns, np.int64)

    def extra_keys(self):
        """Keys met that are not among the columns, the first thousand of them."""
        return self.extra.listed()

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t known = self.extra.count
        cdef int64_t next_at = self.read_object(text, at, end)
        if next_at < 0:
            self.extra.forget(known)
        return next_at

    cdef int64_t read_object(self, Text text, int64_t at, int64_t end) except -2 nogil:
        cdef int64_t column = -1
        cdef int64_t row_at, i
        if self.keys is None or self.n_columns != self.met_in.shape[0]:
            raise ValueError("keys must be set before rows are read")
        at = row_at = after_space(text, at)
        if ends_line(text, at):
            self.line += 1
            return line_end(text, at, end) + 1
        if text[at] != 123:
            return self.fail("no object", at, self.token_stop(text, at))
        self.room_for_row()
        self.row_label = 0
        self.row += 1
        self.fault_column = -1
        at = after_space(text, at + 1)
        if text[at] == 125:
            at += 1
        else:
            while True:
                at = self.key(text, at, end, &column)
                if at >= 0:
                    at = self.value(text, at, end, column)
                if at < 0:
                    return -1
                at = after_space(text, at)
                if text[at] == 125:
                    at += 1
                    break
                if text[at] != 44:
                    return self.fail("no comma", at, self.token_stop(text, at))
                at = after_space(text, at + 1)
        at = after_space(text, at)
        if not ends_line(text, at):
            return self.fail("after object", at, line_end(text, at, end))
        for i in range(self.n_columns):
            if self.met_in[i] != self.row and self.roles[i] != C_IGNORED:
                self.fault_column = i
                if self.absent(text, row_at, row_at + 1, i) < 0:
                    return -1
        self.finish_row(self.row_label)
        self.line += 1
        return line_end(text, at, end) + 1

    cdef int64_t token_stop(self, Text text, int64_t at) noexcept nogil:
        """Return the end of something to point at."""
        cdef int64_t begin = at
        while text[at] > 32 and text[at] != 44 and text[at] != 125 and text[at] != 93:
            at += 1
        return max(at, begin + 1)

    cdef int64_t key(self, Text text, int64_t at, int64_t end, int64_t *column) except -2 nogil:
        cdef int64_t begin = at
        if text[at] != 34:
            return self.fail("no key", at, self.token_stop(text, at))
        at = self.read_string(text, at, end)
        if at < 0:
            return -1
        column[0] = self.keys.find(
            self.string + self.string_at, self.string_end - self.string_at, False
        )
        if column[0] >= 0:
            if self.met_in[column[0]] == self.row:
                self.first_at = self.met_at[column[0]]
                return self.fail("repeated key", begin, at)
            self.met_in[column[0]] = self.row
            self.met_at[column[0]] = begin
        else:
            self.fault_column = -1
            if not self.is_text(text, begin, at):
                return -1
            if self.extra_twice(begin):
                return self.fail("repeated key", begin, at)
        self.fault_column = column[0]
        at = after_space(text, at)
        if text[at] != 58:
            return self.fail("no colon", at, self.token_stop(text, at))
        return after_space(text, at + 1)

    cdef bint extra_twice(self, int64_t begin) except -1 nogil:
        """Note a key that is not among the columns; whether it stands in this row already."""
        cdef int64_t known = self.extra.count
        cdef int64_t *met
        cdef int64_t i = self.extra.find(
            self.string + self.string_at, self.string_end - self.string_at, known < MOST_EXTRA
        )
        if i < 0:
            return False
        self.extra_met.reserve(2 * self.extra.count)
        met = <int64_t *>self.extra_met.at
        if i < known and met[2 * i] == self.row:
            self.first_at = met[2 * i + 1]
            return True
        met[2 * i] = self.row
        met[2 * i + 1] = begin
        return False

    cdef int64_t value(self, Text text, int64_t at, int64_t end, int64_t column) except -2 nogil:
        """Read a value and put it where its column goes; a column below 0 is passed over."""
        cdef int64_t begin = at
        cdef double number = 0.0
        cdef bint used = column >= 0 and self.roles[column] != C_IGNORED
        if text[at] == 34:
            at = self.read_string(text, at, end)
            if at < 0:
                return -1
            if not used:
                return at if self.is_text(text, begin, at) else -1
            return self.put(text, self.string, self.string_at, self.string_end, begin, at, column)
        if text[at] == 123 or text[at] == 91:
            return self.fail("nested", at, at + 1)
        at = self.token_stop(text, at)
        if self.is_word(text, begin, at, "null"):
            if used and self.absent(text, begin, at, column) < 0:
                return -1
            return at
        if self.is_word(text, begin, at, "true") or self.is_word(text, begin, at, "false"):
            if used and self.roles[column] == C_NUMBER:
                self.put_number(column, text[begin] == 116)
                return at
        elif not self.is_number(text, begin, at) or not read_number(
            text + begin, text + at, &number
        ) is text + at:
            return self.fail("not a value", begin, at)
        return self.put(text, text, begin, at, begin, at, column) if used else at

    cdef int64_t put(
        self, Text text, Text value, int64_t value_at, int64_t value_end, int64_t begin,
        int64_t stop, int64_t column
    ) except -2 nogil:
        """Hand on a value that stands between `begin` and `stop` of the text."""
        if self.roles[column] == C_NUMBER:
            if self.read_value(column, value, value_at, value_end, begin, stop) < 0:
                return -1
        elif self.put_text(column, value, value_at, value_end) < 0:
            return self.point_at(text, begin, stop)
        return stop

    cdef int absent(self, Text text, int64_t at, int64_t end, int64_t column) except -2 nogil:
        if self.roles[column] == C_LABEL:
            return <int>self.fail("no label", at, end)
        if self.roles[column] == C_NUMBER:
            self.put_number(column, NAN)
            return 0
        return self.put_text(column, text, at, at)

    cdef bint is_word(self, Text text, int64_t at, int64_t end, const char *word) noexcept nogil:
        cdef int64_t i = 0
        while at + i < end and word[i] and text[at + i] == <unsigned char>word[i]:
            i += 1
        return at + i == end and not word[i]

    cdef bint is_number(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """JSON asks for more than we do: no +, no 01, digits on both sides of a point."""
        cdef int64_t i
        if text[at] == 45:
            at += 1
        if not 48 <= text[at] <= 57:
            return False
        if text[at] == 48 and 48 <= text[at + 1] <= 57:
            return False
        for i in range(at, end):
            if text[i] == 46 and not 48 <= text[i + 1] <= 57:
                return False
        return True

    cdef int64_t read_string(self, Text text, int64_t at, int64_t end) except -2 nogil:
        """Find the string at `at`; where it ends. Without escapes it is read where it lies."""
        cdef int64_t begin = at
        at += 1
        while text[at] != 34 and text[at] != 92:
            if text[at] < 32:
                if text[at] == 10 or text[at] == 13:
                    return self.fail("open string", begin, begin + 1)
                return self.fail("control character", at, at + 1)
            at += 1
        if text[at] == 34:
            self.string = text
            self.string_at = begin + 1
            self.string_end = at
            return at + 1
        return self.unescape(text, begin + 1, line_end(text, at, end))

    cdef int64_t unescape(self, Text text, int64_t begin, int64_t end) except -2 nogil:
        """Copy a string with escapes; no escape is shorter than what it stands for in UTF-8."""
        cdef int64_t at = begin
        cdef int64_t n = 0
        cdef int64_t code, low
        cdef unsigned char *plain
        cdef unsigned char c
        cdef const char *escape
        self.scratch.reserve(end - begin + 4)
        plain = <unsigned char *>self.scratch.at
        while text[at] != 34:
            c = text[at]
            if c < 32:
                if c == 10 or c == 13:
                    return self.fail("open string", begin - 1, begin)
                return self.fail("control character", at, at + 1)
            if c != 92:
                plain[n] = c
                n += 1
                at += 1
                continue
            c = text[at + 1]
            if ends_line(text, at + 1):
                return self.fail("open string", begin - 1, begin)
            if c == 117:
                code = self.four_digits(text, at + 2)
                if 0xD800 <= code < 0xDC00 and text[at + 6] == 92 and text[at + 7] == 117:
                    low = self.four_digits(text, at + 8)
                    if 0xDC00 <= low < 0xE000:
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                        at += 6
                if code <= 0 or 0xD800 <= code < 0xE000:
                    return self.fail("bad escape", at, min(at + 6, end))
                n += rb_put_utf8(plain + n, <uint32_t>code)
                at += 6
                continue
            escape = <const char *>memchr(ESCAPES, c, N_ESCAPES)
            if escape is NULL:
                return self.fail("bad escape", at, at + 2)
            plain[n] = MEANT[escape - ESCAPES]
            n += 1
            at += 2
        self.string = plain
        self.string_at = 0
        self.string_end = n
        return at + 1

    cdef int64_t four_digits(self, Text text, int64_t at) noexcept nogil:
        cdef int64_t value = 0
        cdef int64_t i
        cdef int digit
        for i in range(at, at + 4):
            digit = hexadecimal(text[i])
            if digit < 0:
                return -1
            value = value * 16 + digit
        return value
