"""Comma or tab separated values (RFC 4180): into numbers and codes of texts."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr, memcmp
from rosenblatt.engine.text.names cimport Text
from rosenblatt.engine.text.numbers cimport read_number
from rosenblatt.engine.text.parsing cimport ends_line, line_end, put_real
from rosenblatt.engine.text.tabular cimport C_IGNORED, C_NUMBER, TabularParser

from rosenblatt.engine.text.numbers import parse

cdef double EXACT = 9007199254740992.0  # 2^53: a float64 has not all whole numbers beyond it


cdef struct Field:
    int64_t begin, stop, after
    bint doubled


cdef int64_t closing_quote(Text text, int64_t at, int64_t end, bint *doubled) noexcept nogil:
    """Return the quote that ends the field opened at `at`, or -1; "" within it stands for one."""
    cdef const void *found
    cdef unsigned char quote = text[at]
    at += 1
    doubled[0] = False
    while True:
        found = memchr(text + at, quote, end - at)
        if found is NULL:
            return -1
        at = <const unsigned char *>found - text
        if at + 1 < end and text[at + 1] == quote:
            doubled[0] = True
            at += 2
        else:
            return at


cdef inline int64_t next_field(Text text, int64_t at, unsigned char delimiter) noexcept nogil:
    """Return where the field behind a delimiter begins: of blanks many are one."""
    while delimiter == 32 and text[at] == 32:
        at += 1
    return at


cdef int64_t past_blanks(
    Text text, int64_t at, int64_t end, unsigned char delimiter, unsigned char quote
) noexcept nogil:
    """Return where a field begins whose quote stands behind blanks, as in ``a, "b, c"``; else `at`.

    Its closing quote must end the field, on the same line: in ``a, "b" or c`` the quotes are text.
    """
    cdef bint doubled
    cdef int64_t opened = at
    cdef int64_t closed
    if text[at] != 32 or delimiter == 32:
        return at
    while text[opened] == 32:
        opened += 1
    if text[opened] != quote:
        return at
    closed = closing_quote(text, opened, line_end(text, opened, end) + 1, &doubled)
    if closed < 0 or not (text[closed + 1] == delimiter or ends_line(text, closed + 1)):
        return at
    return opened


cdef int64_t field_stop(
    Text text, int64_t at, int64_t end, unsigned char delimiter, unsigned char quote,
    bint trim=True
) noexcept nogil:
    """Return the delimiter or line feed that ends the field at `at`; -1 within an open quote."""
    cdef bint doubled
    if trim:
        at = past_blanks(text, at, end, delimiter, quote)
    if text[at] == quote:
        at = closing_quote(text, at, end, &doubled)
        if at < 0:
            return -1
    while text[at] != delimiter and text[at] != 10:
        at += 1
    return at


def record(
    const unsigned char[::1] text, int64_t at, int64_t end, unsigned char delimiter,
    unsigned char quote=34, bint trim=True
):
    """Return where the fields of the record at `at` begin, and where it ends; None in an open quote."""
    if not 0 <= at < end <= text.shape[0] or text[end - 1] != 10:
        raise ValueError("the record must lie in the buffer, which must end in a line feed")
    at = next_field(&text[0], at, delimiter)
    starts = [at]
    while True:
        at = field_stop(&text[0], at, end, delimiter, quote, trim)
        if at < 0:
            return None
        if text[at] == 10:
            return starts, at + 1
        at = next_field(&text[0], at + 1, delimiter)
        if delimiter == 32 and ends_line(&text[0], at):
            return starts, line_end(&text[0], at, end) + 1
        starts.append(at)


cdef inline bint may_lose_digits(Text text, int64_t at, double value) noexcept nogil:
    """Return whether the number of a field at `at` has zeros in front, or is too large to be exact."""
    return not -EXACT < value < EXACT or (text[at] == 48 and 48 <= text[at + 1] <= 57)


cdef inline int64_t sign_size(Text text, int64_t at, int64_t end) noexcept nogil:
    """Return how many bytes a currency sign or a blank at `at` takes; 0 if there is none."""
    cdef unsigned char c = text[at]
    if c == 36 or c == 32 or c == 9:
        return 1
    if c == 0xC2 and end - at > 1 and (0xA2 <= text[at + 1] <= 0xA5 or text[at + 1] == 0xA0):
        return 2  # ¢ £ ¤ ¥, and the blank that keeps lines together
    if c == 0xE2 and end - at > 2:
        if text[at + 1] == 0x82 and 0xA0 <= text[at + 2] <= 0xBF:
            return 3  # € and its neighbours
        if text[at + 1] == 0x80 and text[at + 2] == 0xAF:
            return 3  # the narrow blank
    return 0


cdef bint is_row_count(Text text, int64_t at, int64_t stop) noexcept nogil:
    """Return whether a line is "(90 rows)" or "(1 row)", as psql writes it below a table."""
    cdef int64_t digits = 0
    while stop > at and (text[stop - 1] == 32 or text[stop - 1] == 13):
        stop -= 1
    at += 1
    while at < stop and 48 <= text[at] <= 57:
        at += 1
        digits += 1
    if digits == 0 or stop - at < 5 or memcmp(text + at, b" row", 4) != 0:
        return False
    at += 4
    if text[at] == 115:  # "s"
        at += 1
    return at == stop - 1 and text[at] == 41


cdef bint is_misspelt(Text text, int64_t at, int64_t end) noexcept nogil:
    """Return whether a text that is not a number has only what numbers have: digits, marks, signs, an e."""
    cdef bint digits = False
    cdef unsigned char c
    while at < end:
        c = text[at]
        digits = digits or 48 <= c <= 57
        if not (48 <= c <= 57 or c == 43 or c == 44 or c == 45 or c == 46 or (c | 32) == 101):
            return False
        at += 1
    return digits


cdef class DelimitedParser(TabularParser):
    """Rows of fields; `set_dialect` says what stands between them and how numbers are written.

    A plain number is read at once. Others are `styled`: with a decimal comma, marks of thousands,
    signs of currencies or percent, or in parentheses where they are negative. `lost_digits` has by
    column the first whole number whose digits its value does not tell, as 007.
    """

    cdef unsigned char delimiter, quote, decimal, comment
    cdef bint trim, in_value, styled, plain
    cdef readonly dict lost_digits
    cdef bytes thousands
    cdef const unsigned char *group
    cdef int64_t inner_lines, n_plain, n_group
    cdef readonly int64_t n_fields
    cdef readonly int64_t n_comments
    cdef readonly int64_t comment_line
    cdef readonly int64_t n_footers
    cdef readonly int64_t footer_line

    def __init__(
        self, unsigned char delimiter, bint trim, bint float32, double limit, list missing
    ):
        super().__init__(float32, limit, missing)
        self.trim = trim
        self.lost_digits = {}
        self.set_dialect(delimiter)

    def set_dialect(
        self, unsigned char delimiter, unsigned char quote=34, unsigned char decimal=46,
        bytes thousands=b"", bint signs=False, unsigned char comment=0
    ):
        """Set what the next rows are written with; 0 for `comment` if there are no such lines.

        Lines that are no rows are counted from here on: comments, and counts of rows as of psql.
        """
        self.delimiter = delimiter
        self.quote = quote
        self.decimal = decimal
        self.comment = comment
        self.n_comments = 0
        self.comment_line = 0
        self.n_footers = 0
        self.footer_line = 0
        self.thousands = thousands
        self.n_group = len(thousands)
        self.group = <const unsigned char *>PyBytes_AS_STRING(self.thousands)
        self.styled = signs or decimal != 46 or self.n_group > 0
        # With a decimal comma a point is no decimal mark, so that a number must be looked at.
        self.plain = decimal == 46 and not self.marks_are_numbers

    def number(self, bytes text):
        """Return the number that a field of this text holds; None if it holds none."""
        cdef const unsigned char *begin = <const unsigned char *>PyBytes_AS_STRING(text)
        if self.styled and self.plain_form(begin, 0, len(text)) >= 0:
            text = (<char *>self.scratch.at)[:self.n_plain]
        elif self.styled:
            return None
        return parse(text)

    cdef int64_t plain_form(self, Text text, int64_t at, int64_t end) except -2 nogil:
        """Copy a number as it would stand in a program; `n_plain` is its length, -1 if it is none.

        Thousands are groups of three digits; of two as well where points are decimal marks, as in
        India. No such number begins with 0.
        """
        cdef bint negative = False
        cdef bint grouped = False
        cdef bint fraction = False
        cdef int64_t least = 2 if self.decimal == 46 else 3
        cdef int64_t digits = 0
        cdef int64_t in_group = 0
        cdef int64_t size
        cdef unsigned char *plain
        cdef unsigned char c
        self.scratch.reserve(end - at + 2)
        plain = <unsigned char *>self.scratch.at
        self.n_plain = 1
        if end - at > 2 and text[at] == 40 and text[end - 1] == 41:
            negative = True
            at = at + 1
            end = end - 1
        while at < end and (
            text[end - 1] == 37 or sign_size(text, end - 1, end) == 1
            or (end - at > 2 and sign_size(text, end - 3, end) == 3)
            or (end - at > 1 and sign_size(text, end - 2, end) == 2)
        ):
            if text[end - 1] == 37 or text[end - 1] < 128:
                end -= 1
            else:
                end -= 3 if end - at > 2 and sign_size(text, end - 3, end) == 3 else 2
        while at < end:
            size = sign_size(text, at, end)
            if size == 0 and (text[at] == 45 or text[at] == 43):
                size = 1
                negative = negative != (text[at] == 45)
            elif size == 0 and end - at > 2 and (
                text[at] == 0xE2 and text[at + 1] == 0x88 and text[at + 2] == 0x92
            ):
                size = 3
                negative = not negative
            if size == 0:
                break
            at += size
        plain[0] = 45 if negative else 43
        while at < end:
            c = text[at]
            if 48 <= c <= 57:
                digits += 1
                in_group += 1
            elif (
                self.n_group and not fraction and digits and end - at > self.n_group
                and memcmp(text + at, self.group, self.n_group) == 0
            ):
                if in_group > 3 or (grouped and in_group < least) or (
                    not grouped and plain[1] == 48
                ):
                    return -1
                grouped = True
                in_group = 0
                at += self.n_group
                continue
            elif not fraction and c == self.decimal:
                if grouped and in_group != 3:
                    return -1
                fraction = True
                c = 46
            elif (c | 32) == 101 and digits:
                if not fraction and grouped:
                    return -1
                while at < end:
                    plain[self.n_plain] = text[at]
                    self.n_plain += 1
                    at += 1
                return self.n_plain
            else:
                return -1
            plain[self.n_plain] = c
            self.n_plain += 1
            at += 1
        if digits == 0 or (grouped and not fraction and in_group != 3):
            return -1
        return self.n_plain

    cdef int64_t row_stop(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Count the fields too: that one is missing says more than what it shifted."""
        cdef int64_t extra = -1
        cdef int64_t stop
        at = next_field(text, at, self.delimiter)
        stop = field_stop(text, at, end, self.delimiter, self.quote, self.trim)
        self.n_fields = 1
        while stop >= 0 and text[stop] == self.delimiter:
            at = next_field(text, stop + 1, self.delimiter)
            if self.delimiter == 32 and ends_line(text, at):
                stop = line_end(text, at, end)
                break
            if self.n_fields == self.n_columns:
                extra = at
            self.n_fields += 1
            stop = field_stop(text, at, end, self.delimiter, self.quote, self.trim)
        if stop < 0:
            return -1
        if self.in_value and self.n_fields > self.n_columns:
            self.fail("long row", extra, stop - (text[stop - 1] == 13))
        elif self.in_value and self.n_fields < self.n_columns:
            at = stop - (text[stop - 1] == 13)
            self.fail("short row", at, at)
        return stop

    def skip_rows(self, const unsigned char[::1] text, int64_t at, int64_t end, int64_t goal):
        """Return where the first row at `goal` or behind it begins; before it, where a row has no end.

        Nothing is read. The byte before `end` is a line feed, and a row begins at `at`.
        """
        cdef int64_t stop
        if not 0 <= at <= end <= text.shape[0] or (at < end and text[end - 1] != 10):
            raise ValueError("what is skipped must lie in the buffer and end in a line feed")
        self.in_value = False
        while at < goal and at < end:
            if ends_line(&text[0], at) or self.is_no_row(&text[0], at, end):
                stop = line_end(&text[0], at, end)
            else:
                stop = self.row_stop(&text[0], at, end)
            if stop < 0:
                break
            at = stop + 1
        return at

    cdef bint is_no_row(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Return whether the line at `at` cannot be a row, but is a comment or a count of rows; count it.

        Such lines have not as many fields as there are columns. Of a comment there is one field, or
        a blank behind the mark: "#ff0000,2" among rows of three is a row that lacks something.
        """
        cdef int64_t stop, i
        cdef bint is_comment = self.comment and text[at] == self.comment
        if not is_comment and text[at] != 40:
            return False
        stop = line_end(text, at, end)
        self.n_fields = 1
        i = field_stop(text, at, stop + 1, self.delimiter, self.quote)
        while i >= 0 and text[i] == self.delimiter:
            i = next_field(text, i + 1, self.delimiter)
            if self.delimiter == 32 and ends_line(text, i):
                break
            self.n_fields += 1
            i = field_stop(text, i, stop + 1, self.delimiter, self.quote)
        if i < 0:
            return False  # a quote is open: the row goes on in the next line
        if self.n_fields == self.n_columns:
            return False
        if is_comment:
            if self.n_fields > 1 and text[at + 1] != 32 and text[at + 1] != self.comment:
                return False
            self.n_comments += 1
            if self.n_comments == 1:
                self.comment_line = self.line + 1
            return True
        if not is_row_count(text, at, stop):
            return False
        self.n_footers += 1
        if self.n_footers == 1:
            self.footer_line = self.line + 1
        return True

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t row_at = at
        cdef int64_t column, next_at, first
        cdef const unsigned char *stop
        cdef double value = 0.0
        cdef double limit = self.limit
        if self.n_columns == 0:
            raise ValueError("columns must be set before rows are read")
        if ends_line(text, at) or self.is_no_row(text, at, end):
            self.line += 1
            return line_end(text, at, end) + 1
        at = next_field(text, at, self.delimiter)
        self.room_for_row()
        first = self.n_rows * self.n_numbers
        self.row_label = 0
        self.inner_lines = 0
        self.in_value = True
        for column in range(self.n_columns):
            self.fault_column = column
            stop = NULL
            if self.roles[column] != C_NUMBER:
                next_at = self.text_field(text, at, end, last, column)
            else:
                if self.plain:
                    stop = read_number(text + at, text + end, &value)
                if stop is not NULL and (stop[0] == self.delimiter or stop[0] == 10) and (
                    -limit <= value <= limit
                ):
                    put_real(self.values.at, self.float32, first + self.places[column], value)
                    next_at = stop - text
                    if may_lose_digits(text, at, value):
                        self.look_at_digits(column, text, at, next_at)
                else:
                    next_at = self.number_field(text, at, end, last, column)
            if next_at < 0:
                return -1 if self.found is not NULL else row_at
            at = next_at
            if text[at] == self.delimiter:
                at = next_field(text, at + 1, self.delimiter)
                if self.delimiter == 32 and ends_line(text, at):
                    if column < self.n_columns - 1:
                        return self.fail("short row", at, at)
                elif column == self.n_columns - 1:
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
        """Return the end of the field; -1 after `fail`, or if it is not complete."""
        cdef Field field
        cdef const unsigned char *stop
        cdef int64_t after = at
        cdef int64_t number_at
        cdef double value = 0.0
        while self.blank(text[after]):
            after += 1
        number_at = after
        stop = read_number(text + after, text + end, &value)
        if stop is not NULL and not self.marks_are_numbers:
            after = stop - text
            # With a decimal comma a point stands between thousands, or nowhere.
            if self.decimal != 46 and memchr(text + at, 46, after - at) is not NULL:
                after = at
            while self.blank(text[after]):
                after += 1
            if after > at and self.ends_field(text, after) and -self.limit <= value <= self.limit:
                self.put_number(column, value)
                self.look_at_digits(column, text, number_at, stop - text)
                return after
        # Not a plain number: quoted, missing, or wrong.
        if self.find_field(text, at, end, last, &field) < 0:
            return -1
        self.strip(text, &field)
        if (
            self.styled
            and self.missing.find(text + field.begin, field.stop - field.begin, False) < 0
        ):
            if self.plain_form(text, field.begin, field.stop) < 0:
                # A number with the other decimal mark is no stray: it would be lost as a gap.
                if self.decimal != 46 and is_misspelt(text, field.begin, field.stop):
                    return self.fail("not a number", field.begin, field.stop)
                if self.put_stray(
                    column, text, field.begin, field.stop, field.begin, field.stop
                ) < 0:
                    return -1
                return field.after
            if self.read_value(
                column, <Text>self.scratch.at, 0, self.n_plain, field.begin, field.stop
            ) < 0:
                return -1
            self.look_at_digits(column, <Text>self.scratch.at, 0, self.n_plain)
        elif self.read_value(column, text, field.begin, field.stop, field.begin, field.stop) < 0:
            return -1
        else:
            self.look_at_digits(column, text, field.begin, field.stop)
        return field.after

    cdef int look_at_digits(
        self, int64_t column, Text text, int64_t at, int64_t end
    ) except -1 nogil:
        """Note a whole number with zeros in front, or with more digits than a number holds."""
        cdef int64_t i
        if at < end and (text[at] == 43 or text[at] == 45):
            at += 1
        if not (end - at > 1 and text[at] == 48) and end - at < 16:
            return 0
        for i in range(at, end):
            if not 48 <= text[i] <= 57:
                return 0
        return self.note_digits(column, text, at, end)

    cdef int note_digits(self, int64_t column, Text text, int64_t at, int64_t end) except -1 with gil:
        digits = PyBytes_FromStringAndSize(<char *>text + at, end - at)
        if column not in self.lost_digits and (
            text[at] == 48 or int(float(digits)) != int(digits)
        ):
            self.lost_digits[column] = digits
        return 0

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
        """Copy a field so that a doubled quote is one; it is `n_plain` bytes long."""
        cdef int64_t i = field.begin
        cdef unsigned char *plain
        self.scratch.reserve(field.stop - field.begin)
        plain = <unsigned char *>self.scratch.at
        self.n_plain = 0
        while i < field.stop:
            plain[self.n_plain] = text[i]
            self.n_plain += 1
            i += 2 if text[i] == self.quote else 1
        return plain

    cdef int find_field(
        self, Text text, int64_t at, int64_t end, bint last, Field *field
    ) noexcept nogil:
        """Return where a field is, without its quotes; -1 after `fail`, or if it is not complete."""
        cdef int64_t i
        if self.trim:
            at = past_blanks(text, at, end, self.delimiter, self.quote)
        field.begin = at
        field.doubled = False
        if text[at] != self.quote:
            while not self.ends_field(text, at):
                if text[at] == 13:
                    return self.fail_form("bare return", at)
                at += 1
            field.stop = field.after = at
            return 0
        field.stop = closing_quote(text, at, end, &field.doubled)
        if field.stop < 0:
            return self.fail_form("open quote", at) if last else -1
        field.begin = at + 1
        field.after = field.stop + 1
        if not self.ends_field(text, field.after):
            return self.fail_form("after quote", field.after)
        for i in range(field.begin, field.stop):
            self.inner_lines += text[i] == 10
        return 0

    cdef int fail_form(self, const char *found, int64_t at) noexcept nogil:
        """Fail by the form of the row, so that its fields cannot be counted."""
        self.in_value = False
        return <int>self.fail(found, at, at + 1)

    cdef void strip(self, Text text, Field *field) noexcept nogil:
        while field.begin < field.stop and self.blank(text[field.begin]):
            field.begin += 1
        while field.stop > field.begin and self.blank(text[field.stop - 1]):
            field.stop -= 1
