"""Features of tokens as numbers, in bulk: words once, then every template at every token.

A word is looked at once: what templates ask of it (its end, its shape …) becomes 64-bit hashes. A
feature is the hash of its template and of what stands at the places it names, and its number is
found in one table. No text is made for a feature.
"""

cimport numpy as cnp
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cnp.import_array()

cdef extern from "text/hash64.h" nogil:
    uint64_t rb_hash_bytes(const char *, int64_t)

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef extern from "tags/word_shapes.h" nogil:
    enum:
        RB_LOWER, RB_SHAPE, RB_SHORT_SHAPE, RB_IS_TITLE, RB_IS_UPPER, RB_HAS_DIGIT, RB_HAS_HYPHEN
        RB_HAS_UPPER, RB_SUFFIX, RB_PREFIX
        LONGEST_FLAG "RB_LONGEST_FLAG"
    int64_t rb_answer(int, int64_t, const char *, int64_t, char *)

cdef extern from "tags/word_rows.h" nogil:
    enum:
        FURTHEST "RB_FURTHEST"  # as in templates.py
    uint64_t rb_slot(const uint64_t *, uint64_t, uint64_t)

QUESTIONS = {
    "lower": RB_LOWER,
    "shape": RB_SHAPE,
    "short_shape": RB_SHORT_SHAPE,
    "is_title": RB_IS_TITLE,
    "is_upper": RB_IS_UPPER,
    "has_digit": RB_HAS_DIGIT,
    "has_hyphen": RB_HAS_HYPHEN,
    "has_upper": RB_HAS_UPPER,
    "suffix": RB_SUFFIX,
    "prefix": RB_PREFIX,
}


def hash_of(str text):
    """Return the hash of a text, by its UTF-8."""
    cdef Py_ssize_t n
    cdef const char *bytes_ = PyUnicode_AsUTF8AndSize(text, &n)
    return rb_hash_bytes(bytes_, n)


cdef class Ask:

    def __init__(self, int64_t column, uint64_t kind, cnp.ndarray questions, answer):
        self.column = column
        self.kind = kind
        self.answer = answer
        self.questions = questions
        self.n_questions = cnp.PyArray_DIM(questions, 0)

    def __reduce__(self):
        return Ask, (self.column, self.kind, self.questions, self.answer)

    cdef uint64_t hash(self, str word, Scratch scratch) except? 0:
        """Return the hash of what is asked of a word."""
        cdef const int64_t *asked = <const int64_t *>cnp.PyArray_DATA(self.questions)
        cdef const char *text
        cdef char *target
        cdef Py_ssize_t n
        cdef int64_t n_questions = self.n_questions
        cdef int64_t k
        if n_questions and not PyUnicode_IS_ASCII(word):
            word = self.answer(word)
            n_questions = 0
        text = PyUnicode_AsUTF8AndSize(word, &n)
        if n_questions and n + LONGEST_FLAG > scratch.room:
            scratch.room = 2 * n + LONGEST_FLAG
            scratch.first = bytearray(scratch.room)
            scratch.second = bytearray(scratch.room)
        for k in range(n_questions):
            target = scratch.second if k & 1 else scratch.first
            n = rb_answer(<int>asked[2 * k], asked[2 * k + 1], text, n, target)
            text = target
        return rb_mix(self.kind, rb_hash_bytes(text, n))


def hashes_of(list asks, list words):
    """For each ask the hashes of what it asks of the words of its column."""
    cdef Scratch scratch = Scratch()
    cdef Ask ask
    cdef list column
    cdef cnp.npy_intp n_words
    cdef cnp.ndarray hashes
    cdef int64_t i
    found = []
    for ask in asks:
        column = words[ask.column]
        n_words = len(column)
        hashes = cnp.PyArray_SimpleNew(1, &n_words, cnp.NPY_UINT64)
        for i in range(n_words):
            (<uint64_t *>cnp.PyArray_DATA(hashes))[i] = ask.hash(column[i], scratch)
        found.append(hashes)
    return found


def mixed(uint64_t a, uint64_t b):
    """Mix two hashes into one, in this order."""
    return rb_mix(a, b)


cdef class FeatureTable:

    def __init__(self, keys=None):
        self.count = 0
        self._keys = np.empty(0, np.uint64)
        self.room = 0
        self._resize(1 << 12)
        if keys is not None:
            self.numbers_of(keys)

    @property
    def hashes(self):
        """Of all features, by their numbers."""
        return self._keys[:self.count].copy()

    def __reduce__(self):
        return FeatureTable, (self.hashes,)

    def copy(self):
        """Return a table of its own, in which new features do not change this one."""
        cdef FeatureTable twin = FeatureTable.__new__(FeatureTable)
        twin.count = self.count
        twin.room = self.count
        twin.mask = self.mask
        twin._keys = self.hashes
        twin.keys = <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>twin._keys)
        twin._slots = self._slots.copy()
        twin._numbers = self._numbers.copy()
        twin.slots = <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>twin._slots)
        twin.numbers = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>twin._numbers)
        return twin

    cdef void _resize(self, int64_t size):
        cdef int64_t k
        cdef uint64_t at
        self._slots = np.zeros(size, np.uint64)
        self._numbers = np.empty(size, np.int32)
        self.slots = <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>self._slots)
        self.numbers = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self._numbers)
        self.mask = <uint64_t>(size - 1)
        for k in range(self.count):
            at = rb_slot(self.slots, self.mask, self.keys[k])
            self.slots[at] = self.keys[k]
            self.numbers[at] = <int32_t>k

    cpdef reserve(self, int64_t more):
        """Make room for so many features more."""
        cdef int64_t needed = self.count + more
        cdef int64_t size = <int64_t>self.mask + 1
        if needed > self.room:
            self.room = max(needed, 2 * self.room)
            wider = np.empty(self.room, np.uint64)
            wider[:self.count] = self._keys[:self.count]
            self._keys = wider
            self.keys = <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>self._keys)
        while 2 * needed > size:
            size *= 2
        if size > <int64_t>self.mask + 1:
            self._resize(size)

    def numbers_of(self, const uint64_t[:] keys):
        """Return the numbers of features with these hashes; those not met before get new ones."""
        cdef int64_t n = keys.shape[0]
        cdef int64_t k
        found = np.empty(n, np.int32)
        cdef int32_t[::1] numbers = found
        self.reserve(n)
        for k in range(n):
            numbers[k] = self.number(keys[k], True)
        return found

    cdef int32_t number(self, uint64_t key, bint learning) noexcept nogil:
        """Return the number of a feature, a new one if there is room for it in a vocabulary that learns."""
        cdef uint64_t at
        key += key == 0
        at = rb_slot(self.slots, self.mask, key)
        if self.slots[at]:
            return self.numbers[at]
        if not learning:
            return -1
        self.slots[at] = key
        self.numbers[at] = <int32_t>self.count
        self.keys[self.count] = key
        self.count += 1
        return self.numbers[at]


def words_of(list sentences, int64_t column, dict known, dict new):
    """Number each token's word: as in `known`, else behind those, kept in `new`.

    Tokens are words if `column` is -1; else they are tuples, of which this part is meant.
    """
    cdef int64_t n = 0
    cdef int64_t i = 0
    cdef int64_t n_known = len(known)
    cdef int64_t s
    for s in range(len(sentences)):
        n += len(sentences[s])
    cdef cnp.ndarray numbers = np.empty(n, np.int32)
    cdef int32_t *out = <int32_t *>cnp.PyArray_DATA(numbers)
    cdef object word, number
    for s in range(len(sentences)):
        for token in sentences[s]:
            word = token if column < 0 else token[column]
            if type(word) is not str:
                if not isinstance(word, str):
                    raise TypeError((s, word))
                word = str(word)
            number = known.get(word)
            if number is None:
                number = new.get(word)
                if number is None:
                    number = n_known + len(new)
                    new[word] = number
            if i == n:
                raise RuntimeError("sentences were changed while they were read")
            out[i] = <int32_t>number
            i += 1
    if i < n:
        raise RuntimeError("sentences were changed while they were read")
    return numbers


def starts_of(list sentences):
    """Return the first token of each sentence, and the end."""
    cdef int64_t n = len(sentences)
    cdef int64_t s
    cdef cnp.ndarray starts = np.zeros(n + 1, np.int64)
    cdef int64_t *out = <int64_t *>cnp.PyArray_DATA(starts)
    for s in range(n):
        out[s + 1] = out[s] + len(sentences[s])
    return starts


def features_of(FeatureTable table, cnp.ndarray starts, list words, cnp.ndarray template_starts,
                cnp.ndarray part_columns, cnp.ndarray part_offsets, list known, list new,
                list caches, cnp.ndarray outside, bint learning):
    """Number the features of all tokens: (tokens, templates), -1 where one is not known.

    `words[c]` are the words of column c as numbers. Template k has the parts template_starts[k] ..
    template_starts[k + 1] - 1; part p looks at column part_columns[p], part_offsets[p] tokens away.
    `known[p]` and `new[p]` are the hashes of what it asks of the words known before and of those
    behind them. `caches[k]`, for templates of a single part, holds the numbers of the features of
    the known words, -2 where they were not looked up yet, else it is None. `outside` holds the
    hashes of the places before and behind a sentence.
    """
    cdef int64_t n_templates = cnp.PyArray_DIM(template_starts, 0) - 1
    cdef int64_t n_sentences = cnp.PyArray_DIM(starts, 0) - 1
    cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(starts)
    cdef int64_t n_tokens = start[n_sentences]
    cdef int64_t n_parts = cnp.PyArray_DIM(part_columns, 0)
    cdef const int64_t *of_template = <const int64_t *>cnp.PyArray_DATA(template_starts)
    cdef const int64_t *offsets = <const int64_t *>cnp.PyArray_DATA(part_offsets)
    cdef const uint64_t *beyond = <const uint64_t *>cnp.PyArray_DATA(outside)
    cdef const int64_t *columns = <const int64_t *>cnp.PyArray_DATA(part_columns)
    cdef int64_t s, i, k, p, place, first, last
    cdef uint64_t key
    cdef cnp.npy_intp shape[2]
    shape[0] = n_tokens
    shape[1] = n_templates
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT32)
    cdef int32_t *at = <int32_t *>cnp.PyArray_DATA(out)
    cdef int64_t most_new = 0
    for hashes in new:
        most_new = max(most_new, cnp.PyArray_DIM(<cnp.ndarray?>hashes, 0))
    shape[0] = n_templates
    shape[1] = most_new
    cdef cnp.ndarray fresh = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT32)
    for k in range(n_templates * most_new):
        (<int32_t *>cnp.PyArray_DATA(fresh))[k] = -2
    cdef cnp.npy_intp n_bytes = n_parts * sizeof(Part)
    cdef cnp.ndarray places = cnp.PyArray_SimpleNew(1, &n_bytes, cnp.NPY_UINT8)
    cdef Part *part = <Part *>cnp.PyArray_DATA(places)
    for numbers in words:
        if cnp.PyArray_DIM(<cnp.ndarray?>numbers, 0) != n_tokens:
            raise RuntimeError("sentences were changed while they were read")
    for p in range(n_parts):
        part[p].words = <const int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>words[columns[p]])
        part[p].known = <const uint64_t *>cnp.PyArray_DATA(<cnp.ndarray?>known[p])
        part[p].new = <const uint64_t *>cnp.PyArray_DATA(<cnp.ndarray?>new[p])
        part[p].n_known = cnp.PyArray_DIM(<cnp.ndarray>known[p], 0)
        part[p].cache = NULL
        part[p].fresh = NULL
    for k in range(n_templates):
        if caches[k] is not None:
            p = of_template[k]
            part[p].cache = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>caches[k])
            part[p].fresh = <int32_t *>cnp.PyArray_DATA(fresh) + k * most_new
    if learning:
        # Every token may bring a feature for every template, but a word brings only one for each
        # template of a single part.
        table.reserve(min(
            n_tokens * n_templates,
            sum(len(known[p]) + len(new[p]) for p in range(n_parts)) + 16 * n_templates
            + n_tokens * sum(cache is None for cache in caches)))
    with nogil:
        for s in range(n_sentences):
            first = start[s]
            last = start[s + 1]
            for i in range(first, last):
                for k in range(n_templates):
                    p = of_template[k]
                    place = i + offsets[p]
                    if part[p].cache != NULL and first <= place < last:
                        at[k] = _cached(table, k, &part[p], part[p].words[place], learning)
                        continue
                    key = rb_mix(<uint64_t>k, 0)
                    for p in range(of_template[k], of_template[k + 1]):
                        place = i + offsets[p]
                        if place < first:
                            key = rb_mix(key, beyond[place - first + FURTHEST])
                        elif place >= last:
                            key = rb_mix(key, beyond[place - last + FURTHEST + 1])
                        else:
                            key = rb_mix(key, _hash(&part[p], part[p].words[place]))
                    at[k] = table.number(key, learning)
                at += n_templates
    return out


cdef struct Part:
    const int32_t *words
    const uint64_t *known
    const uint64_t *new
    int64_t n_known
    int32_t *cache
    int32_t *fresh


cdef inline uint64_t _hash(const Part *part, int32_t word) noexcept nogil:
    return part.known[word] if word < part.n_known else part.new[word - part.n_known]


cdef inline int32_t _cached(FeatureTable table, int64_t k, Part *part, int32_t word,
                            bint learning) noexcept nogil:
    cdef int32_t *kept
    cdef int32_t number
    kept = part.cache + word if word < part.n_known else part.fresh + (word - part.n_known)
    if kept[0] != -2:
        return kept[0]
    number = table.number(rb_mix(rb_mix(<uint64_t>k, 0), _hash(part, word)), learning)
    if number >= 0:  # one that is unseen now may be learned later
        kept[0] = number
    return number


# Of a value: so that no score of a token leaves the range of float32.
MOST = 1e12


def named_features(FeatureTable table, list sentences, bint learning):
    """Encode tokens that are mappings: numbers of features, values, and where each token begins.

    A text says what is the case, {"word": "run"}; True and numbers how much, {"length": 3.0}. All
    are checked before the first gets a number, so that an error leaves the table as it was.
    """
    cdef list keys = []
    cdef list amounts = []
    cdef list ends = []
    cdef list numbers = []
    cdef list values = []
    cdef int64_t n_tokens = sum(map(len, sentences))
    cdef int64_t i, k, s
    cdef cnp.ndarray starts = np.zeros(n_tokens + 1, np.int64)
    cdef double amount
    cdef uint64_t key
    cdef int32_t number
    for s in range(len(sentences)):
        for token in sentences[s]:
            for name, value in token.items():
                if not isinstance(name, str):
                    raise TypeError((s, name))
                key = hash_of(str(name))
                amount = 1.0
                if isinstance(value, str):
                    key = rb_mix(key, hash_of(str(value)))
                elif isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
                    if not (-MOST < value < MOST):
                        raise TypeError((s, {name: value}))
                    amount = value
                else:
                    raise TypeError((s, {name: value}))
                keys.append(key)
                amounts.append(amount)
            ends.append(len(keys))
    if learning:
        table.reserve(len(keys))
    k = 0
    for i in range(n_tokens):
        while k < ends[i]:
            number = table.number(keys[k], learning)
            if amounts[k] != 0.0:
                numbers.append(number)
                values.append(amounts[k])
            k += 1
        starts[i + 1] = len(numbers)
    return starts, np.array(numbers, np.int32), np.array(values, np.float32)
