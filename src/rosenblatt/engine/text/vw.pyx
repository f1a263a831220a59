"""`label importance 'tag|namespace:weight name:value ...` into the arrays of a CSR matrix."""

cimport numpy as cnp
from libc.math cimport fabs, isfinite
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy
from rosenblatt.engine.text.names cimport Names, Text, murmur
from rosenblatt.engine.text.numbers cimport read_number
from rosenblatt.engine.text.parsing cimport (
    Growing, SparseParser, after_blanks, ends_line, ends_token, line_end, put_real,
)

cnp.import_array()

cdef extern from "text/sort_columns.h" nogil:
    uint64_t *rb_sorted_keys(uint64_t *keys, int64_t n)


cdef inline bint ends_name(unsigned char c) noexcept nogil:
    return c <= 58 and (c == 58 or ends_token(c)) or c == 124


cdef inline uint64_t hashed_name(Text text, int64_t *at, uint64_t seed) noexcept nogil:
    """Return the hash of the name that begins at `at`, which moves to its end.

    Digits stand for their number, so that numbered columns do not collide.
    """
    cdef int64_t begin = at[0]
    cdef int64_t i = begin
    cdef uint64_t number = 0
    cdef unsigned char digit = text[i] - 48
    while digit < 10:
        number = number * 10 + digit
        i += 1
        digit = text[i] - 48
    if ends_name(text[i]):
        at[0] = i
        return number + seed
    while not ends_name(text[i]):
        i += 1
    at[0] = i
    return murmur(text + begin, i - begin, <uint32_t>seed)


cdef class VWParser(SparseParser):
    """Columns are hashes of `bits` bits, or with `bits` 0 the numbers of exact names.

    With `closed`, the names known at the beginning are all there are, and others are passed over.
    """

    cdef bint labelled, closed
    cdef uint64_t mask
    cdef Growing weights, key, order, spare
    cdef readonly Names names
    cdef int64_t prefix

    def __init__(
        self, float32, limit, max_features, bint labelled, int bits, Names names, bint closed
    ):
        self.labelled = labelled
        self.mask = (<uint64_t>1 << bits) - 1
        self.names = names
        self.closed = closed
        self.weights = Growing(8)
        self.key = Growing(1)
        self.order = Growing(8)
        self.spare = Growing(8)

    cdef int make_room(self, int64_t n_bytes) except -1 nogil:
        # No feature is shorter than a blank and one letter.
        self.values.reserve(self.n_stored + n_bytes // 2 + 1)
        self.columns.reserve(self.n_stored + n_bytes // 2 + 1)
        return 0

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t known = self.names.count
        cdef int64_t next_at
        at = after_blanks(text, at)
        if ends_line(text, at):
            self.line += 1
            return line_end(text, at, end) + 1
        next_at = self.read_example(text, at, end)
        if next_at < 0:
            self.names.forget(known)
        return next_at

    cdef int64_t read_example(self, Text text, int64_t at, int64_t end) except -2 nogil:
        cdef int64_t label_at = at
        cdef int64_t label_end = at
        cdef int64_t bar, n
        cdef double weight = 1.0
        cdef const void *found
        cdef int32_t code = 0
        if self.labelled:
            bar = self.read_head(text, at, end, &label_end, &weight)
            if bar < 0:
                return -1
        else:
            n = line_end(text, at, end)
            found = memchr(text + at, 124, n - at)
            if found is NULL:
                return self.fail("no bar", at, n)
            bar = <const unsigned char *>found - text
        n = self.n_stored
        at = self.read_features(text, bar, end, &n)
        if at < 0:
            return -1
        n = self.in_order(self.n_stored, n)
        if n < 0:
            return self.fail("large sum", bar, at)
        if self.labelled:
            code = self.label_code(text, label_at, label_end)
            if code < 0:
                return -1
        self.weights.reserve(self.n_rows + 1)
        (<double *>self.weights.at)[self.n_rows] = weight
        self.end_row(code, n)
        self.line += 1
        return at + (2 if text[at] == 13 else 1)

    cdef int64_t read_head(
        self, Text text, int64_t at, int64_t end, int64_t *label_end, double *weight
    ) noexcept nogil:
        """Read what comes before the first bar, which is returned: label, importance, tag."""
        cdef int64_t row_at = at
        cdef int64_t begin = at
        cdef int64_t stop = at
        cdef int64_t n = 0
        cdef int64_t second_at = 0
        cdef int64_t second_end = 0
        cdef int64_t third_at = 0
        cdef int64_t third_end = 0
        cdef int64_t costs = -1
        cdef const unsigned char *after
        cdef unsigned char c
        while text[at] != 124:
            begin = at
            while not ends_token(text[at]) and text[at] != 124:
                if text[at] == 58 and costs < 0:
                    costs = begin
                at += 1
            stop = at
            c = text[at]
            if c == 9:
                return self.fail("tab", at, at + 1)
            if c == 10 or c == 13:
                return self.fail("no bar", row_at, stop)
            while text[at] == 32:
                at += 1
            n += 1
            if n == 1:
                label_end[0] = stop
            elif n == 2:
                second_at = begin
                second_end = stop
            elif n == 3:
                third_at = begin
                third_end = stop
            if ends_line(text, at):
                return self.fail("no bar", row_at, stop)
        if n > 0 and (stop == at or text[begin] == 39):
            n -= 1  # what touches the bar, or begins with a quote, is a tag
            if costs == begin:
                costs = -1
        if costs >= 0:
            stop = costs
            while not ends_token(text[stop]) and text[stop] != 124:
                stop += 1
            return self.fail("costs", costs, stop)
        if n == 0:
            return self.fail("no label", row_at, stop)
        if n > 2:
            return self.fail("initial" if n == 3 else "many words", third_at, third_end)
        if n == 2:
            after = read_number(text + second_at, text + end, weight)
            if after is NULL or after != text + second_end or not isfinite(weight[0]):
                return self.fail("importance", second_at, second_end)
            if weight[0] < 0.0:
                return self.fail("negative importance", second_at, second_end)
        return at

    cdef int64_t read_features(
        self, Text text, int64_t at, int64_t end, int64_t *count
    ) except -2 nogil:
        """Namespaces and their features from the first bar on, to the end of the line."""
        cdef int64_t n = count[0]
        cdef int64_t most = count[0] + self.max_features
        cdef int64_t begin, value_at, column
        cdef uint64_t seed
        cdef double scale, value, product
        cdef const unsigned char *after
        cdef bint exact = self.mask == 0
        cdef bint float32 = self.float32
        cdef void *values = self.values.at
        cdef int32_t *columns = <int32_t *>self.columns.at
        while text[at] == 124:
            at += 1
            begin = at
            seed = 0
            scale = 1.0
            if not ends_token(text[at]) and text[at] != 124:
                seed = hashed_name(text, &at, 0)
                if at == begin:
                    return self.fail("no namespace", at, self.word_end(text, at))
            if exact and self.begin_namespace(text, begin, at) < 0:
                return -1
            if text[at] == 58:
                at = self.read_scale(text, at + 1, end, &scale)
                if at < 0:
                    return -1
            while True:
                while text[at] == 32 or text[at] == 9:
                    at += 1
                if ends_name(text[at]) and text[at] != 58:
                    break
                begin = at
                value = 1.0
                value_at = at
                if text[at] == 58:
                    return self.fail("no name", at, self.word_end(text, at))
                if exact:
                    while not ends_name(text[at]):
                        at += 1
                    column = self.number_of(text, begin, at)
                    if column < -1:
                        return -1
                else:
                    column = hashed_name(text, &at, seed) & self.mask
                if text[at] == 58:
                    value_at = at + 1
                    after = read_number(text + value_at, text + end, &value)
                    if after is NULL or not (ends_token(after[0]) or after[0] == 124):
                        return self.fail("not a number", value_at, self.word_end(text, value_at))
                    at = after - text
                product = value * scale
                if not -self.limit <= product <= self.limit:
                    return self.fail(
                        "too large" if fabs(value) > self.limit else "large product", value_at, at
                    )
                if column < 0:
                    continue
                if n == most:
                    return self.fail("many features", begin, at)
                columns[n] = <int32_t>column
                put_real(values, float32, n, product)
                n += 1
        if not ends_line(text, at):
            return self.fail("bare return", at, at + 1)
        count[0] = n
        return at

    cdef int64_t read_scale(self, Text text, int64_t at, int64_t end, double *value) noexcept nogil:
        cdef const unsigned char *after = read_number(text + at, text + end, value)
        cdef int64_t stop = at if after is NULL else after - text
        if after is NULL or not (ends_token(text[stop]) or text[stop] == 124):
            return self.fail("not a number", at, self.word_end(text, at))
        if not -self.limit <= value[0] <= self.limit:
            return self.fail("too large", at, stop)
        return stop

    cdef int64_t word_end(self, Text text, int64_t at) noexcept nogil:
        while not ends_token(text[at]) and text[at] != 124:
            at += 1
        return at

    cdef int begin_namespace(self, Text text, int64_t at, int64_t end) except -2 nogil:
        """Exact names begin with the namespace and "^", which therefore has no place in it."""
        if not self.is_text(text, at, end):
            return -1
        self.prefix = end - at
        if memchr(text + at, 94, end - at) is not NULL:
            return <int>self.fail("caret", at, end)
        self.key.reserve(self.prefix + 1)
        memcpy(self.key.at, text + at, self.prefix)
        (<unsigned char *>self.key.at)[self.prefix] = 94
        return 0

    cdef int64_t number_of(self, Text text, int64_t at, int64_t end) except -3 nogil:
        """Return the column of an exact name; -1 if it is to be passed over, -2 after `fail`."""
        cdef int64_t n = self.prefix + 1
        cdef int64_t length = end - at
        cdef const unsigned char *key
        cdef int32_t code
        self.key.reserve(n + length)
        key = <const unsigned char *>self.key.at
        memcpy(<unsigned char *>self.key.at + n, text + at, length)
        # Without a namespace the name is the feature alone, if no "^" makes it look otherwise.
        if n == 1 and memchr(text + at, 94, length) is NULL:
            key = key + 1
            n = 0
        code = self.names.find(key, n + length, False)
        if code >= 0 or self.closed:
            return code
        if not self.is_text(text, at, end):
            return -2
        return self.names.find(key, n + length, True)

    cdef int64_t in_order(self, int64_t first, int64_t stop) except -2 nogil:
        """Sort a row by column and add up what falls together; its new end, -1 beyond the limit."""
        cdef int32_t *columns = <int32_t *>self.columns.at
        cdef float *narrow = <float *>self.values.at
        cdef double *wide = <double *>self.values.at
        cdef double *values
        cdef double total = 0.0
        cdef double value
        cdef uint64_t *keys
        cdef int64_t i = first + 1
        cdef int64_t n = stop - first
        cdef int64_t to = first
        cdef int32_t column
        cdef bint float32 = self.float32
        while i < stop and columns[i - 1] < columns[i]:
            i += 1
        if i >= stop:
            return stop
        self.order.reserve(2 * n)
        self.spare.reserve(n)
        keys = <uint64_t *>self.order.at
        values = <double *>self.spare.at
        for i in range(n):
            keys[i] = <uint64_t>columns[first + i] << 32 | <uint64_t>i
            values[i] = narrow[first + i] if float32 else wide[first + i]
        keys = rb_sorted_keys(keys, n)
        for i in range(n):
            column = <int32_t>(keys[i] >> 32)
            value = values[<uint32_t>keys[i]]
            if i > 0 and column == columns[to - 1]:
                value = value + total
                to = to - 1
                if not -self.limit <= value <= self.limit:
                    return -1
            columns[to] = column
            total = value
            put_real(wide, float32, to, value)
            to += 1
        return to

    def expect(self, double times):
        super().expect(times)
        self.weights.expect(times * self.n_rows)

    cdef int append(self, SparseParser other, const int32_t *code) except -1:
        self.weights.append(self.n_rows, (<VWParser>other).weights, other.n_rows)
        return SparseParser.append(self, other, code)

    def take(self):
        """Values, columns, where each row ends, importance weights; starts anew."""
        return (*super().take(), self.weights.take(self.n_rows, cnp.NPY_FLOAT64))
