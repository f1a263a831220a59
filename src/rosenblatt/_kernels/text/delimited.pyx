"""Comma or tab separated values (RFC 4180): into numbers and codes of texts."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr
from rosenblatt._kernels.text.names cimport Text
from rosenblatt._kernels.text.numbers cimport read_number
from rosenblatt._kernels.text.parsing cimport ends_line, line_end
from rosenblatt._kernels.text.tabular cimport C_IGNORED, C_NUMBER, TabularParser


cdef struct Field:
    int64_t begin, stop, after
    bint doubled


cdef int64_t closing_quote(Text text, int64_t at, int64_t end, bint *doubled) noexcept nogil:
    """The quote that ends the field opened at `at`, or -1; "" within it stands for one."""
    cdef const void *found
    at += 1
    doubled[0] = False
    while True:
        found = memchr(text + at, 34, end - at)
        if found is NULL:
            return -1
        at = <const unsigned char *>found - text
        if at + 1 < end and text[at + 1] == 34:
            doubled[0] = True
            at += 2
        else:
            return at


cdef int64_t field_stop(Text text, int64_t at, int64_t end, unsigned char delimiter) noexcept nogil:
    """The delimiter or line feed that ends the field at `at`; -1 within an open quote."""
    cdef bint doubled
    if text[at] == 34:
        at = closing_quote(text, at, end, &doubled)
        if at < 0:
            return -1
    while text[at] != delimiter and text[at] != 10:
        at += 1
    return at


def record(const unsigned char[::1] text, int64_t at, int64_t end, unsigned char delimiter):
    """Where the fields of the record at `at` begin, and where it ends; None in an open quote."""
    if not 0 <= at < end <= text.shape[0] or text[end - 1] != 10:
        raise ValueError("the record must lie in the buffer, which must end in a line feed")
    starts = [at]
    while True:
        at = field_stop(&text[0], at, end, delimiter)
        if at < 0:
            return None
        if text[at] == 10:
            return starts, at + 1
        at += 1
        starts.append(at)


cdef class DelimitedParser(TabularParser):
    cdef unsigned char delimiter
    cdef bint trim, in_value
    cdef int64_t inner_lines, n_plain
    cdef readonly int64_t n_fields

    def __init__(
        self, unsigned char delimiter, bint trim, bint float32, double limit, list missing
    ):
        super().__init__(float32, limit, missing)
        self.delimiter, self.trim = delimiter, trim

    cdef int64_t row_stop(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Count the fields too: that one is missing says more than what it shifted."""
        cdef int64_t stop = field_stop(text, at, end, self.delimiter), extra = -1
        self.n_fields = 1
        while stop >= 0 and text[stop] == self.delimiter:
            if self.n_fields == self.n_columns:
                extra = stop + 1
            self.n_fields += 1
            stop = field_stop(text, stop + 1, end, self.delimiter)
        if stop < 0:
            return -1
        if self.in_value and self.n_fields > self.n_columns:
            self.fail("long row", extra, stop - (text[stop - 1] == 13))
        elif self.in_value and self.n_fields < self.n_columns:
            at = stop - (text[stop - 1] == 13)
            self.fail("short row", at, at)
        return stop

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t column, next_at, row_at = at
        if self.n_columns == 0:
            raise ValueError("columns must be set before rows are read")
        if ends_line(text, at):
            self.line += 1
            return line_end(text, at, end) + 1
        self.room_for_row()
        self.row_label, self.inner_lines, self.in_value = 0, 0, True
        for column in range(self.n_columns):
            self.fault_column = column
            if self.roles[column] == C_NUMBER:
                next_at = self.number_field(text, at, end, last, column)
            else:
                next_at = self.text_field(text, at, end, last, column)
            if next_at < 0:
                return -1 if self.found is not NULL else row_at
            at = next_at
            if text[at] == self.delimiter:
                at += 1
                if column == self.n_columns - 1:
                    return self.fail("long row", at, at)
            elif column < self.n_columns - 1:
                return self.fail("short row", at, at)
        self.finish_row(self.row_label)
        self.line += 1 + self.inner_lines
        return line_end(text, at, end) + 1

    cdef inline bint ends_field(self, Text text, int64_t at) noexcept nogil:
        return text[at] == self.delimiter or ends_line(text, at)

    cdef inline bint blank(self, unsigned char c) noexcept nogil:
        return (c == 32 or c == 9) and c != self.delimiter

    cdef int64_t number_field(
        self, Text text, int64_t at, int64_t end, bint last, int64_t column
    ) except -2 nogil:
        """The end of the field; -1 after `fail`, or if it is not complete."""
        cdef Field field
        cdef const unsigned char *stop
        cdef int64_t after = at
        cdef double value = 0.0
        while self.blank(text[after]):
            after += 1
        stop = read_number(text + after, text + end, &value)
        if stop is not NULL and not self.marks_are_numbers:
            after = stop - text
            while self.blank(text[after]):
                after += 1
            if self.ends_field(text, after) and -self.limit <= value <= self.limit:
                self.put_number(column, value)
                return after
        # Not a plain number: quoted, missing, or wrong.
        if self.find_field(text, at, end, last, &field) < 0:
            return -1
        self.strip(text, &field)
        if self.read_value(column, text, field.begin, field.stop, field.begin, field.stop) < 0:
            return -1
        return field.after

    cdef int64_t text_field(
        self, Text text, int64_t at, int64_t end, bint last, int64_t column
    ) except -2 nogil:
        cdef Field field
        if self.find_field(text, at, end, last, &field) < 0:
            return -1
        if self.roles[column] == C_IGNORED:
            return field.after
        if self.trim:
            self.strip(text, &field)
        if not field.doubled:
            if self.put_text(column, text, field.begin, field.stop) < 0:
                return -1
        elif self.put_text(column, self.unquoted(text, &field), 0, self.n_plain) < 0:
            return self.point_at(text, field.begin, field.stop)
        return field.after

    cdef const unsigned char *unquoted(self, Text text, Field *field) except NULL nogil:
        """A copy in which a doubled quote is one; `n_plain` bytes long."""
        cdef int64_t i = field.begin
        cdef unsigned char *plain
        self.scratch.reserve(field.stop - field.begin)
        plain = <unsigned char *>self.scratch.at
        self.n_plain = 0
        while i < field.stop:
            plain[self.n_plain] = text[i]
            self.n_plain += 1
            i += 2 if text[i] == 34 else 1
        return plain

    cdef int find_field(
        self, Text text, int64_t at, int64_t end, bint last, Field *field
    ) noexcept nogil:
        """Where a field is, without its quotes; -1 after `fail`, or if it is not complete."""
        cdef int64_t i
        field.begin, field.doubled = at, False
        if text[at] != 34:
            while not self.ends_field(text, at):
                if text[at] == 13:
                    return self.fail_form("bare return", at)
                at += 1
            field.stop = field.after = at
            return 0
        field.stop = closing_quote(text, at, end, &field.doubled)
        if field.stop < 0:
            return self.fail_form("open quote", at) if last else -1
        field.begin, field.after = at + 1, field.stop + 1
        if not self.ends_field(text, field.after):
            return self.fail_form("after quote", field.after)
        for i in range(field.begin, field.stop):
            self.inner_lines += text[i] == 10
        return 0

    cdef int fail_form(self, const char *found, int64_t at) noexcept nogil:
        """What is wrong is the form of the row, so its fields cannot be counted."""
        self.in_value = False
        return <int>self.fail(found, at, at + 1)

    cdef void strip(self, Text text, Field *field) noexcept nogil:
        while field.begin < field.stop and self.blank(text[field.begin]):
            field.begin += 1
        while field.stop > field.begin and self.blank(text[field.stop - 1]):
            field.stop -= 1
