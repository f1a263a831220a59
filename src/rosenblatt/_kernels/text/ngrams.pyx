"""Texts as counts of word and character n-grams, by hash or by an exact vocabulary.

Words are runs of letters, digits and underscores, as `\\w` has them; other visible characters can be
words of their own. The words of a text stand in one scratch string with a blank between them, so
an n-gram is a piece of it. A byte that no text holds goes before them: it tells characters from
words in an exact vocabulary.
"""

cimport numpy as cnp
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from rosenblatt._kernels.text.names cimport Names, murmur
from rosenblatt._kernels.text.parsing cimport Growing, rb_put_utf8

import math

import numpy as np

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    uint32_t PyUnicode_READ(int kind, void *data, Py_ssize_t index)
    bint Py_UNICODE_ISALNUM(uint32_t c)
    uint32_t Py_UNICODE_TOLOWER(uint32_t c)
    bint Py_UNICODE_ISSPACE(uint32_t c)

cdef extern from "text/sort_columns.h" nogil:
    uint64_t *rb_sorted_keys(uint64_t *keys, int64_t n)

cnp.import_array()

COUNT, LOG, ONCE = 0, 1, 2

cdef enum:
    C_COUNT = 0
    C_LOG = 1
    C_ONCE = 2
    MOST_COUNT = 1000
    # Character n-grams must not fall together with words of the same letters.
    CHARACTERS = 0x9E3779B9
    MARK = 1

# What to do with each ASCII character: 0 divides words, else the letter in lower case.
cdef unsigned char[128] LETTERS
cdef int _c
for _c in range(128):
    LETTERS[_c] = ord(chr(_c).lower()) if (chr(_c).isalnum() or chr(_c) == "_") else 0


# Logarithms of counts in fractions of 2^-20, so that every machine has the same bits.
cdef double[MOST_COUNT + 1] LOG_OF_COUNT
LOG_OF_COUNT[0] = 0.0
for _c in range(1, MOST_COUNT + 1):
    LOG_OF_COUNT[_c] = round(math.log(_c) * 1048576) / 1048576.0


cdef class NGrams:
    """Counts n-grams of texts; `names` says what a column stood for when it was first met.

    With `bits` a column is a hash of so many bits, and `owners` has for each column the number of
    its name plus 1. With `bits` 0 it is the number of the n-gram in the vocabulary `names`, which
    grows while `learning`; n-grams of characters have a byte of 1 before them there.
    """

    cdef int bits, weigh
    cdef int64_t words_least, words_most, chars_least, chars_most, shortest
    cdef bint lower, symbols, unit
    cdef readonly Names names
    cdef cnp.ndarray _owners
    cdef int32_t *owners
    cdef Growing scratch, begins, ends, letters, keys
    cdef Growing values, columns
    cdef int64_t n_bytes, n_words, n_keys, n_stored

    def __init__(
        self, int bits, tuple words, tuple chars, int64_t shortest, bint symbols, bint lower,
        int weigh, bint unit, Names names, owners,
    ):
        self.bits, self.weigh, self.unit = bits, weigh, unit
        self.words_least, self.words_most = words
        self.chars_least, self.chars_most = chars
        self.shortest, self.symbols, self.lower = shortest, symbols, lower
        self.names = names
        if bits:
            self._owners = np.require(owners, np.int32, "CW")
            if self._owners.shape[0] != 1 << bits:
                raise ValueError("every column needs an owner")
            self.owners = <int32_t *>cnp.PyArray_DATA(self._owners)
        self.scratch, self.begins, self.ends = Growing(1), Growing(8), Growing(8)
        self.letters, self.keys = Growing(8), Growing(8)
        self.values, self.columns = Growing(8), Growing(4)

    def count(self, list texts, bint learning):
        """Values, columns and where each row ends, in canonical order."""
        cdef int64_t i, n = len(texts)
        cdef int64_t[::1] starts = np.zeros(n + 1, np.int64)
        self.n_stored = 0
        for i in range(n):
            text = texts[i]
            if type(text) is not str:
                raise TypeError(f"text {i} is {type(text).__name__}, not str")
            self.split(text)
            self.gather(learning)
            self.store()
            starts[i + 1] = self.n_stored
        return (
            self.values.take(self.n_stored, cnp.NPY_FLOAT64),
            self.columns.take(self.n_stored, cnp.NPY_INT32),
            np.asarray(starts),
        )

    cdef int split(self, object text) except -1:
        """Write the words of a text to the scratch string, with a blank before and after each."""
        cdef int kind = PyUnicode_KIND(text)
        cdef void *data = PyUnicode_DATA(text)
        cdef Py_ssize_t i, n = PyUnicode_GET_LENGTH(text)
        cdef uint32_t c
        cdef unsigned char *out
        cdef int64_t at = 2, begin = 2, length = 0
        cdef bint in_word
        self.scratch.reserve(6 * n + 8)
        self.begins.reserve(n + 1)
        self.ends.reserve(n + 1)
        out = <unsigned char *>self.scratch.at
        out[0], out[1] = MARK, 32
        self.n_words = 0
        for i in range(n):
            c = PyUnicode_READ(kind, data, i)
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

    cdef int gather(self, bint learning) except -1:
        """The column of every n-gram, with repetitions."""
        cdef unsigned char *text = <unsigned char *>self.scratch.at
        cdef int64_t *begins = <int64_t *>self.begins.at
        cdef int64_t *ends = <int64_t *>self.ends.at
        cdef int64_t n, i, words = self.n_words
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
    ) except -1:
        """Pieces of a word with the blanks around it."""
        cdef int64_t *letters
        cdef int64_t i, n, count = 0
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

    cdef int meet(self, unsigned char *gram, int64_t n, uint32_t seed, bint learning) except -1:
        cdef int64_t column
        cdef unsigned char before
        if self.bits:
            column = murmur(gram, n, seed) & ((<uint32_t>1 << self.bits) - 1)
            if learning and self.owners[column] == 0:
                self.owners[column] = self.names.find(gram, n, True) + 1
        else:
            if seed:
                before, gram[-1] = gram[-1], MARK
                column = self.names.find(gram - 1, n + 1, learning)
                gram[-1] = before
            else:
                column = self.names.find(gram, n, learning)
            if column < 0:
                return 0
        (<uint64_t *>self.keys.at)[self.n_keys] = <uint64_t>column << 32 | <uint64_t>self.n_keys
        self.n_keys += 1
        return 0

    cdef int store(self) except -1:
        """Turn the columns of one text into counts, in order."""
        cdef uint64_t *keys
        cdef int64_t i = 0, j, first = self.n_stored, n = self.n_keys
        cdef double value, squares = 0.0
        cdef double *values
        cdef int32_t *columns
        if n == 0:
            return 0
        self.values.reserve(first + n)
        self.columns.reserve(first + n)
        values, columns = <double *>self.values.at, <int32_t *>self.columns.at
        keys = rb_sorted_keys(<uint64_t *>self.keys.at, n)
        while i < n:
            j = i + 1
            while j < n and keys[j] >> 32 == keys[i] >> 32:
                j += 1
            value = j - i
            if self.weigh == C_ONCE:
                value = 1.0
            elif self.weigh == C_LOG and j - i > 1:
                value = 1.0 + LOG_OF_COUNT[min(j - i, MOST_COUNT)]
            columns[self.n_stored], values[self.n_stored] = <int32_t>(keys[i] >> 32), value
            squares += value * value
            self.n_stored += 1
            i = j
        if self.unit:
            squares = 1.0 / sqrt(squares)
            for i in range(first, self.n_stored):
                values[i] *= squares
        return 0
