"""`label index:value index:value ...` into the arrays of a CSR matrix."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from rosenblatt.engine.text.names cimport Text
from rosenblatt.engine.text.numbers cimport read_number
from rosenblatt.engine.text.parsing cimport (
    SparseParser, after_blanks, ends_line, ends_token, line_end, put_real,
)

cdef extern from "text/plain_pairs.h" nogil:
    ctypedef struct rb_pairs:
        int32_t *columns
        void *values
        bint float32, pointed
        int64_t n, most, base, previous, max_index, index
        const unsigned char *colon
    const unsigned char *rb_plain_pairs(Text p, Text end, rb_pairs *pairs)


cdef class SvmlightParser(SparseParser):
    cdef bint zero_based, pointed
    cdef int64_t max_index
    cdef readonly int64_t widest

    def __init__(self, float32, limit, max_features, bint zero_based, int64_t n_features):
        self.zero_based = zero_based
        self.max_index = n_features - zero_based

    cdef int make_room(self, int64_t n_bytes) except -1 nogil:
        # No pair is shorter than "1:1 ".
        self.values.reserve(self.n_stored + n_bytes // 4 + 1)
        self.columns.reserve(self.n_stored + n_bytes // 4 + 1)
        return 0

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t begin, stop, label_at, label_end, index, digits
        cdef unsigned char digit
        cdef uint64_t number
        cdef int32_t code
        cdef const unsigned char *after
        cdef double value = 0.0
        cdef double limit = self.limit
        cdef rb_pairs pairs
        at = after_blanks(text, at)
        if text[at] == 35 or ends_line(text, at):  # "#": the rest is a comment
            self.line += 1
            return line_end(text, at, end) + 1
        label_at = at
        label_end = self.pair_end(text, at)
        at = after_blanks(text, label_end)
        if text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == 58:
            at = after_blanks(text, self.pair_end(text, at))  # qid:N groups rows for ranking
        pairs.columns = <int32_t *>self.columns.at
        pairs.values = self.values.at
        pairs.float32 = self.float32
        pairs.n = self.n_stored
        pairs.most = self.n_stored + self.max_features
        pairs.base = not self.zero_based
        pairs.max_index = self.max_index
        pairs.previous = pairs.base - 1
        pairs.pointed = self.pointed
        while True:
            at = after_blanks(text, rb_plain_pairs(text + at, text + end, &pairs) - text)
            begin = at
            number = 0
            if pairs.colon is not NULL:
                at = pairs.colon - text
                number = <uint64_t>pairs.index
            else:
                while text[at] == 48:
                    at += 1
                digits = at
                digit = text[at] - 48
                while digit < 10:
                    number = number * 10 + digit
                    at += 1
                    digit = text[at] - 48
                if text[at] != 58 or at == begin or at - digits > 10:
                    break
            index = <int64_t>number
            if index <= pairs.previous or index > pairs.max_index:
                return self.bad_index(text, begin, at, index, pairs.previous)
            after = read_number(text + at + 1, text + end, &value)
            if after is NULL:
                return self.fail("not a number", at + 1, self.pair_end(text, at + 1))
            stop = at + 1
            at = after - text
            if not ends_token(text[at]) and text[at] != 35:
                return self.fail("not a number", stop, self.pair_end(text, stop))
            if not -limit <= value <= limit:
                return self.fail("too large", stop, at)
            if pairs.n == pairs.most:
                return self.fail("many features", begin, at)
            pairs.columns[pairs.n] = <int32_t>(index - pairs.base)
            put_real(pairs.values, pairs.float32, pairs.n, value)
            pairs.n += 1
            pairs.previous = index
            while text[at] == 32 or text[at] == 9:
                at += 1
        if text[begin] == 35:
            at = line_end(text, begin, end)
        elif not ends_line(text, begin):
            return self.bad_pair(text, begin)
        elif text[begin] == 13:
            at = begin + 1
        for index in range(label_at, label_end):
            if text[index] == 58:
                return self.fail("no label", label_at, label_end)
            if text[index] == 44 or text[index] == 59:
                return self.fail("several labels", label_at, label_end)
        code = self.label_code(text, label_at, label_end)
        if code < 0:
            return -1
        self.end_row(code, pairs.n)
        self.pointed = pairs.pointed
        self.widest = max(self.widest, pairs.previous + self.zero_based)
        self.line += 1
        return at + 1

    cdef int append(self, SparseParser other, const int32_t *code) except -1:
        self.widest = max(self.widest, (<SvmlightParser>other).widest)
        return SparseParser.append(self, other, code)

    cdef int64_t pair_end(self, Text text, int64_t at) noexcept nogil:
        while not ends_token(text[at]) and text[at] != 35:
            at += 1
        return at

    cdef int64_t bad_index(
        self, Text text, int64_t begin, int64_t at, int64_t index, int64_t previous
    ) noexcept nogil:
        if index > self.max_index:
            return self.fail("large index", begin, at)
        if index == previous and (index > 0 or self.zero_based):
            return self.fail("repeated index", begin, at)
        if index == 0 and previous == 0:
            return self.fail("zero index", begin, at)
        return self.fail("unsorted index", begin, at)

    cdef int64_t bad_pair(self, Text text, int64_t begin) noexcept nogil:
        cdef int64_t at = begin
        cdef int64_t end = self.pair_end(text, begin)
        while at < end and 48 <= text[at] <= 57:
            at += 1
        if text[begin] == 13:
            return self.fail("bare return", begin, begin + 1)
        if text[at] == 58 and at > begin:
            return self.fail("large index", begin, at)
        while at < end and text[at] != 58:
            at += 1
        if at == end:
            return self.fail("no colon", begin, end)
        return self.fail("bad index", begin, max(at, begin + 1))
