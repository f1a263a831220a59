"""Sentences in columns, a word a line and a blank line after each, into lists of strings."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr, memcmp
from rosenblatt.engine.text.names cimport Names, Text
from rosenblatt.engine.text.parsing cimport Growing, Parser, after_blanks, ends_line, line_end, token_end

cdef enum:
    MOST_STRINGS = 1 << 18  # kept for use again; beyond it the collection begins anew
    MARK_LENGTH = 10

cdef const char *DOCUMENT = "-DOCSTART-"


cdef inline bint is_digit(unsigned char c) noexcept nogil:
    return 48 <= c <= 57


cdef class ConllParser(Parser):
    """Sentences are the rows: one with a fault in it is left out as a whole.

    `kept` are the columns to keep, the tag last if `tagged`; `numbered` says that this is CoNLL-U,
    with comments and a number before each word; with `blank` the tag "_" is no tag; words of one
    column are strings if `plain`, else tuples.
    """

    cdef bint tabs, numbered, tagged, blank, plain, in_bad_sentence
    cdef readonly int64_t n_columns
    cdef readonly int64_t n_found
    cdef readonly int64_t expected_id
    cdef int64_t n_kept, max_tokens, line_known
    cdef int64_t[:] kept
    cdef Growing spans, codes_kept
    cdef Names known, known_tuples
    cdef list strings, tuples, sentences, tags

    def __init__(self, int64_t max_tokens):
        self.max_tokens = max_tokens
        self.spans = Growing(8)
        self.codes_kept = Growing(4)
        self.sentences = []
        self.tags = []
        self.forget_strings()

    def set_columns(
        self, int64_t n_columns, kept, bint tabs, bint numbered, bint tagged, bint blank, bint plain
    ):
        """Set what the lines look like; `kept` are column numbers from 0 as an array of int64."""
        self.n_columns = n_columns
        self.kept = kept
        self.n_kept = len(kept)
        self.tabs = tabs
        self.numbered = numbered
        self.tagged = tagged
        self.blank = blank
        self.plain = plain
        for column in kept:
            if not 0 <= column < n_columns:
                raise ValueError("a column to keep is not there")

    def begin(self):
        """Begin a new file: nothing is left over from the last."""
        self.in_bad_sentence = False
        self.line_known = 0

    cdef int64_t read_row(self, Text text, int64_t at, int64_t end, bint last) except -2 nogil:
        cdef int64_t next_at = at
        cdef int64_t n = 0
        cdef int64_t n_lines = 0
        cdef bint between
        # The walk gave up a line that is too long: what is left of its sentence is passed over.
        if self.line != self.line_known:
            self.in_bad_sentence = True
        if ends_line(text, after_blanks(text, at)):
            self.in_bad_sentence = False
            between = True
        elif self.numbered:
            between = text[at] == 35  # "#": a comment
        else:
            between = starts_document(text, at)
        if between or self.in_bad_sentence:
            self.line += 1
            self.line_known = self.line
            return line_end(text, at, end) + 1
        while next_at < end and not ends_line(text, after_blanks(text, next_at)):
            if n == self.max_tokens:
                return self.fail("many tokens", next_at, line_end(text, next_at, end))
            next_at = self.read_line(text, next_at, end, &n)
            if next_at < 0:
                if last or sentence_end(text, at, end) < end:
                    return -1
                # A bad sentence is put aside as a whole, so its end must be there.
                self.found = NULL
                return at
            n_lines += 1
        if next_at == end and not last:
            return at
        if n > 0:
            with gil:
                self.add_sentence(n)
            self.finish_row(0)
        self.line += n_lines
        self.line_known = self.line
        return next_at

    cdef int64_t row_stop(self, Text text, int64_t at, int64_t end) noexcept nogil:
        """Return the line feed before the blank line that ends the sentence."""
        cdef int64_t stop = sentence_end(text, at, end)
        cdef int64_t i
        # If its end is not there yet, the rest is passed over when it comes.
        self.in_bad_sentence = stop == end
        self.line_known = self.line
        for i in range(at, stop):
            self.line_known += text[i] == 10
        return stop - 1

    cdef int64_t read_line(
        self, Text text, int64_t at, int64_t end, int64_t *count
    ) except -2 nogil:
        """Find the columns of one word and number what is kept; where the next line begins."""
        cdef int64_t line_feed = line_end(text, at, end)
        cdef int64_t stop = line_feed
        cdef int64_t n = 0
        cdef int64_t column = 0
        cdef int64_t begin, i
        cdef int64_t *spans
        cdef int32_t *codes
        cdef int32_t code
        if text[stop - 1] == 13:
            stop -= 1
        if self.numbered and text[at] == 35:
            return line_feed + 1
        if memchr(text + at, 13, stop - at) is not NULL:
            begin = <const unsigned char *>memchr(text + at, 13, stop - at) - text
            return self.fail("bare return", begin, begin + 1)
        self.spans.reserve(2 * self.n_columns)
        spans = <int64_t *>self.spans.at
        begin = at
        while True:
            if self.tabs:
                i = begin
                while i < stop and text[i] != 9:
                    i += 1
                if i == begin and begin < stop:
                    return self.fail("empty column", begin, begin + 1)
            else:
                begin = after_blanks(text, begin)
                i = token_end(text, begin)
            if i == begin:
                break
            if n < self.n_columns:
                spans[2 * n] = begin
                spans[2 * n + 1] = i
            n += 1
            begin = i + 1 if self.tabs else i
            if begin > stop:
                break
        if self.tabs and text[stop - 1] == 9:
            return self.fail("empty column", stop - 1, stop)
        if n != self.n_columns:
            self.n_found = n
            return self.fail("columns", at, stop)
        if self.numbered:
            i = self.read_id(text, spans[0], spans[1], count[0] + 1)
            if i <= 0:
                return -1 if i < 0 else line_feed + 1
        n = count[0] * self.n_kept
        self.codes_kept.reserve(n + self.n_kept)
        codes = <int32_t *>self.codes_kept.at
        for i in range(self.n_kept):
            column = self.kept[i]
            code = self.code_of(self.known, text, spans[2 * column], spans[2 * column + 1])
            if code < 0:
                return -1
            codes[n + i] = code
        begin = spans[2 * column]
        i = spans[2 * column + 1]
        if self.blank and text[begin] == 95 and i == begin + 1:
            return self.fail("no tag", begin, i)
        count[0] += 1
        return line_feed + 1

    cdef int read_id(self, Text text, int64_t at, int64_t end, int64_t expected) noexcept nogil:
        """1 for the next word, 0 for a range or an empty node, -1 after `fail`."""
        cdef int64_t i = at
        cdef int64_t number = 0
        while is_digit(text[i]) and i - at < 15:
            number = number * 10 + (text[i] - 48)
            i += 1
        if i == end and i > at:
            if number == expected:
                return 1
            self.expected_id = expected
            return <int>self.fail("wrong id", at, end)
        if i > at and (text[i] == 45 or text[i] == 46) and is_digit(text[i + 1]):
            i += 1
            while is_digit(text[i]):
                i += 1
            if i == end:
                return 0
        return <int>self.fail("bad id", at, end)

    cdef int add_sentence(self, int64_t n) except -1:
        cdef int32_t *codes = <int32_t *>self.codes_kept.at
        cdef int64_t n_inputs = self.n_kept - self.tagged
        cdef int64_t k = len(self.strings)
        cdef int64_t i, j, begin
        begin = self.known.stops[k - 1] if k else 0
        for i in range(k, self.known.count):
            j = self.known.stops[i]
            self.strings.append(
                PyUnicode_DecodeUTF8(<const char *>self.known.text + begin, j - begin, NULL)
            )
            begin = j
        words = []
        tags = []
        for i in range(n):
            if self.plain:
                words.append(self.strings[codes[0]])
            else:
                k = self.known_tuples.find(<unsigned char *>codes, n_inputs * sizeof(int32_t), True)
                if k == len(self.tuples):
                    self.tuples.append(tuple([self.strings[codes[j]] for j in range(n_inputs)]))
                words.append(self.tuples[k])
            if self.tagged:
                tags.append(self.strings[codes[n_inputs]])
            codes += self.n_kept
        self.sentences.append(words)
        self.tags.append(tags)
        if self.known.count > MOST_STRINGS or self.known_tuples.count > MOST_STRINGS:
            self.forget_strings()
        return 0

    cdef int forget_strings(self) except -1:
        self.known = Names()
        self.known_tuples = Names()
        self.strings = []
        self.tuples = []
        return 0

    def take(self):
        """Sentences and their tags; starts anew."""
        taken = self.sentences, self.tags
        self.sentences = []
        self.tags = []
        return taken


cdef int64_t sentence_end(Text text, int64_t at, int64_t end) noexcept nogil:
    """Return where the blank line after a sentence begins, or `end`."""
    while at < end and not ends_line(text, after_blanks(text, at)):
        at = line_end(text, at, end) + 1
    return at


cdef bint starts_document(Text text, int64_t at) noexcept nogil:
    """Return whether the line is the mark that CoNLL-2003 puts before each document."""
    cdef int64_t stop = token_end(text, at)
    return stop - at == MARK_LENGTH and memcmp(text + at, DOCUMENT, MARK_LENGTH) == 0
