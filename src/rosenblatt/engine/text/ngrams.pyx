"""Texts as counts of word and character n-grams, by hash or by an exact vocabulary.

Words are runs of letters, digits and underscores, as `\\w` has them; other visible characters can be
words of their own. The words of a text stand in one scratch string with a blank between them, so
an n-gram is a piece of it. A byte that no text holds goes before them: it tells characters from
words in an exact vocabulary. Counting leaves the interpreter's lock, so that threads can share it,
each with a counter of its own; only one of them may be learning then.
"""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport frexp, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from rosenblatt.engine.text.names cimport Names, murmur
from rosenblatt.engine.text.parsing cimport Growing, rb_put_utf8

import numpy as np

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    # Of the memory of a text and of constant tables: none of them needs the lock.
    uint32_t PyUnicode_READ(int kind, void *data, Py_ssize_t index) nogil
    bint Py_UNICODE_ISALNUM(uint32_t c) nogil
    uint32_t Py_UNICODE_TOLOWER(uint32_t c) nogil
    bint Py_UNICODE_ISSPACE(uint32_t c) nogil

cdef extern from "text/sort_columns.h" nogil:
    uint64_t *rb_sorted_keys(uint64_t *keys, int64_t n)

cnp.import_array()

COUNT = 0
LOG = 1
ONCE = 2

cdef enum:
    C_COUNT = 0
    C_LOG = 1
    C_ONCE = 2
    MOST_COUNT = 1000
    # Character n-grams must not fall together with words of the same letters.
    CHARACTERS = 0x9E3779B9
    MARK = 1
    # So that Ctrl-C is heard while many are counted.
    TEXTS_AT_A_TIME = 1024

cdef struct Characters:
    int kind
    void *data
    Py_ssize_t n

# What to do with each ASCII character: 0 divides words, else the letter in lower case.
cdef unsigned char[128] LETTERS
cdef int _c
for _c in range(128):
    LETTERS[_c] = ord(chr(_c).lower()) if (chr(_c).isalnum() or chr(_c) == "_") else 0


cdef double ln(double x) noexcept nogil:
    """Return the natural logarithm, with the same bits on every machine; those of libraries differ.

    Of x = m 2^e with m near 1: e ln 2 + 2 artanh f with f = (m - 1) / (m + 1), as a series.
    """
    cdef int e = 0
    cdef int k
    cdef double m = frexp(x, &e)
    cdef double series = 0.0
    cdef double f, s
    if m < 0.7071067811865476:
        m = 2.0 * m
        e = e - 1
    f = (m - 1.0) / (m + 1.0)
    s = f * f
    for k in range(23, 0, -2):
        series = series * s + 1.0 / k
    return e * 0.6931471805599453 + 2.0 * f * series


cdef double[MOST_COUNT + 1] LOG_OF_COUNT
for _c in range(1, MOST_COUNT + 1):
    LOG_OF_COUNT[_c] = ln(_c)


cdef class NGrams:
    """Counts n-grams of texts; `names` says what a column stood for when it was first met.

    With `bits` a column is a hash of so many bits, and `owners` has for each column the number of
    its name plus 1. With `bits` 0 it is the number of the n-gram in the vocabulary `names`, which
    grows while `learning`; n-grams of characters have a byte of 1 before them there.
    """

    cdef int bits, how
    cdef int64_t words_least, words_most, chars_least, chars_most, shortest
    cdef bint lower, symbols
    cdef readonly Names names
    cdef cnp.ndarray _owners
    cdef int32_t *owners
    cdef Growing scratch, begins, ends, letters, keys
    cdef Growing values, columns
    cdef int64_t n_bytes, n_words, n_keys, n_stored

    def __init__(
        self, int bits, tuple words, tuple chars, int64_t shortest, bint symbols, bint lower,
        int how, Names names, owners,
    ):
        self.bits = bits
        self.how = how
        self.words_least, self.words_most = words
        self.chars_least, self.chars_most = chars
        self.shortest = shortest
        self.symbols = symbols
        self.lower = lower
        self.names = names
        if bits:
            self._owners = np.require(owners, np.int32, "CW")
            if self._owners.shape[0] != 1 << bits:
                raise ValueError("every column needs an owner")
            self.owners = <int32_t *>cnp.PyArray_DATA(self._owners)
        self.scratch = Growing(1)
        self.begins = Growing(8)
        self.ends = Growing(8)
        self.letters = Growing(8)
        self.keys = Growing(8)
        self.values = Growing(8)
        self.columns = Growing(4)

    def count(self, list texts, bint learning, int64_t start, int64_t stop):
        """Values, columns and where each row ends, in canonical order, of some of the texts."""
        cdef int64_t n = stop - start
        cdef int64_t i, first
        cdef int64_t[::1] starts = np.zeros(n + 1, np.int64)
        cdef Growing given = Growing(sizeof(Characters))
        cdef Characters *characters
        given.reserve(n + 1)
        characters = <Characters *>given.at
        for i in range(n):
            text = texts[start + i]
            if type(text) is not str:
                raise TypeError(f"text {start + i} is {type(text).__name__}, not str")
            characters[i].kind = PyUnicode_KIND(text)
            characters[i].data = PyUnicode_DATA(text)
            characters[i].n = PyUnicode_GET_LENGTH(text)
        self.n_stored = 0
        for first in range(0, n, TEXTS_AT_A_TIME):
            with nogil:
                for i in range(first, min(n, first + TEXTS_AT_A_TIME)):
                    self.split(characters[i])
                    self.gather(learning)
                    self.store()
                    starts[i + 1] = self.n_stored
            PyErr_CheckSignals()
        return (
            self.values.take(self.n_stored, cnp.NPY_FLOAT64),
            self.columns.take(self.n_stored, cnp.NPY_INT32),
            np.asarray(starts),
        )

    cdef int split(self, Characters text) except -1 nogil:
        """Write the words of a text to the scratch string, with a blank before and after each."""
        cdef Py_ssize_t n = text.n
        cdef Py_ssize_t i
        cdef uint32_t c
        cdef unsigned char *out
        cdef int64_t at = 2
        cdef int64_t begin = 2
        cdef int64_t length = 0
        cdef bint in_word
        self.scratch.reserve(6 * n + 8)
        self.begins.reserve(n + 1)
        self.ends.reserve(n + 1)
        out = <unsigned char *>self.scratch.at
        out[0] = MARK
        out[1] = 32
        self.n_words = 0
        for i in range(n):
            c = PyUnicode_READ(text.kind, text.data, i)
            if c < 128:
                in_word = LETTERS[c] != 0
                if in_word and self.lower:
                    c = LETTERS[c]
            else:
                in_word = Py_UNICODE_ISALNUM(c)
                if in_word and self.lower:
                    c = Py_UNICODE_TOLOWER(c)
            if in_word:
                at += rb_put_utf8(out + at, c)
                length += 1
                continue
            if length:
                at = begin = self.end_word(out, begin, at, length)
                length = 0
            if self.symbols and not Py_UNICODE_ISSPACE(c) and c >= 32:
                at += rb_put_utf8(out + at, c)
                at = begin = self.end_word(out, begin, at, self.shortest)
        if length:
            at = self.end_word(out, begin, at, length)
        self.n_bytes = at
        return 0

    cdef int64_t end_word(
        self, unsigned char *out, int64_t begin, int64_t at, int64_t length
    ) noexcept nogil:
        """Note the word between `begin` and `at`, unless it is too short; where the next begins."""
        if length < self.shortest:
            return begin
        (<int64_t *>self.begins.at)[self.n_words] = begin
        (<int64_t *>self.ends.at)[self.n_words] = at
        self.n_words += 1
        out[at] = 32
        return at + 1

    cdef int gather(self, bint learning) except -1 nogil:
        """Return the column of every n-gram, with repetitions."""
        cdef unsigned char *text = <unsigned char *>self.scratch.at
        cdef int64_t *begins = <int64_t *>self.begins.at
        cdef int64_t *ends = <int64_t *>self.ends.at
        cdef int64_t words = self.n_words
        cdef int64_t n, i
        self.n_keys = 0
        self.keys.reserve(2 * (words * (self.words_most + 1) + self.n_bytes * (self.chars_most + 1)))
        for n in range(max(self.words_least, 1), self.words_most + 1):
            for i in range(words - n + 1):
                self.meet(text + begins[i], ends[i + n - 1] - begins[i], 0, learning)
        if self.chars_most:
            for i in range(words):
                self.characters(text, begins[i] - 1, ends[i] + 1, learning)
        return 0

    cdef int characters(
        self, unsigned char *text, int64_t begin, int64_t end, bint learning
    ) except -1 nogil:
        """Pieces of a word with the blanks around it."""
        cdef int64_t *letters
        cdef int64_t count = 0
        cdef int64_t i, n
        self.letters.reserve(end - begin + 1)
        letters = <int64_t *>self.letters.at
        for i in range(begin, end):
            if text[i] & 0xC0 != 0x80:
                letters[count] = i
                count += 1
        letters[count] = end
        for n in range(self.chars_least, self.chars_most + 1):
            for i in range(count - n + 1):
                self.meet(
                    text + letters[i], letters[i + n] - letters[i], <uint32_t>CHARACTERS, learning
                )
        return 0

    cdef int meet(
        self, unsigned char *gram, int64_t n, uint32_t seed, bint learning
    ) except -1 nogil:
        cdef int64_t column
        cdef unsigned char before
        if self.bits:
            column = murmur(gram, n, seed) & ((<uint32_t>1 << self.bits) - 1)
            if learning and self.owners[column] == 0:
                self.owners[column] = self.names.find(gram, n, True) + 1
        else:
            if seed:
                before = gram[-1]
                gram[-1] = MARK
                column = self.names.find(gram - 1, n + 1, learning)
                gram[-1] = before
            else:
                column = self.names.find(gram, n, learning)
            if column < 0:
                return 0
        (<uint64_t *>self.keys.at)[self.n_keys] = <uint64_t>column << 32 | <uint64_t>self.n_keys
        self.n_keys += 1
        return 0

    cdef int store(self) except -1 nogil:
        """Turn the columns of one text into counts, in order."""
        cdef uint64_t *keys
        cdef int64_t i = 0
        cdef int64_t first = self.n_stored
        cdef int64_t n = self.n_keys
        cdef int64_t j
        cdef double value
        cdef double *values
        cdef int32_t *columns
        if n == 0:
            return 0
        self.values.reserve(first + n)
        self.columns.reserve(first + n)
        values = <double *>self.values.at
        columns = <int32_t *>self.columns.at
        keys = rb_sorted_keys(<uint64_t *>self.keys.at, n)
        while i < n:
            j = i + 1
            while j < n and keys[j] >> 32 == keys[i] >> 32:
                j += 1
            value = j - i
            if self.how == C_ONCE:
                value = 1.0
            elif self.how == C_LOG and j - i > 1:
                value = 1.0 + (LOG_OF_COUNT[j - i] if j - i <= MOST_COUNT else ln(value))
            columns[self.n_stored] = <int32_t>(keys[i] >> 32)
            values[self.n_stored] = value
            self.n_stored += 1
            i = j
        return 0


def count_columns(const int32_t[::1] columns, int64_t[::1] counts):
    """Add to the count of each column how many rows have it."""
    cdef int64_t i
    with nogil:
        for i in range(columns.shape[0]):
            counts[columns[i]] += 1


def log_of(const int64_t[::1] counts):
    """ln(1 + n) of each count; 0 stays 0, and is not written."""
    cdef double[::1] found = np.zeros(counts.shape[0])
    cdef int64_t i
    with nogil:
        for i in range(counts.shape[0]):
            if counts[i]:
                found[i] = ln(1.0 + counts[i])
    return np.asarray(found)


def scale(double[::1] values, int32_t[::1] columns, int64_t[::1] starts, double base,
          const double[::1] logs, bint unit):
    """Multiply values by base - logs[column] and leave out those whose log is 0, if there are logs;
    then bring rows to length 1. All in place; how many values are left.
    """
    cdef int64_t begin = 0
    cdef int64_t n = 0
    cdef int64_t i, row, first
    cdef double value, squares
    cdef bint weighs = logs is not None
    with nogil:
        for row in range(starts.shape[0] - 1):
            squares = 0.0
            first = n
            for i in range(begin, starts[row + 1]):
                value = values[i]
                if weighs:
                    if logs[columns[i]] == 0.0:
                        continue
                    value *= base - logs[columns[i]]
                squares += value * value
                values[n] = value
                columns[n] = columns[i]
                n += 1
            begin = starts[row + 1]
            starts[row + 1] = n
            if unit and squares > 0.0:
                squares = 1.0 / sqrt(squares)
                for i in range(first, n):
                    values[i] *= squares
    return n
