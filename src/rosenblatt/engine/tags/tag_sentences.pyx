"""The tags of usual sentences in one call, from their words to the names of the tags.

This is the fast path. What comes out is what `features_of` and `best_tags` find, by the same sums in the
same order. Only what is usual is done here: sentences that are lists or tuples, not too long, of words
that are str. Whatever is unusual is left to the fallback in Python, and nothing has changed by then.
"""

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Size
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE, PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_AsLong
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy
from rosenblatt.engine.tags.tag_features cimport Ask, FeatureTable, rb_mix, Scratch
from rosenblatt.engine.tags.tag_search cimport Search
from rosenblatt.engine.tags.tag_weights cimport TagWeights
from rosenblatt.engine.turns cimport Reading, Turns

import numpy as np

cnp.import_array()

cdef extern from "threads.h":
    const bint RB_ALONE  # else another thread may change a sentence while it is read

cdef extern from "tags/tagging.h" nogil:
    void rb_emit_found(float *, const float *const *, const int64_t *, int64_t, int64_t, int64_t)

cdef extern from "tags/word_rows.h" nogil:
    enum:
        RB_FURTHEST, RB_OUTSIDE, RB_NOT_YET

    ctypedef struct rb_column:
        int64_t n_known, n_alone, n_joint, n_asks
        int32_t *alone
        const uint64_t *joint
        int32_t *new_alone
        uint64_t *new_asked

    ctypedef struct rb_part:
        int64_t column, offset, ask
        const uint64_t *known

    ctypedef struct rb_template:
        uint64_t seed
        int64_t first, last, alone

    ctypedef struct rb_features:
        const rb_part *parts
        const rb_template *templates
        int64_t n_columns, n_templates, n_joined
        const uint64_t *slots
        const int32_t *numbers
        uint64_t mask
        const int32_t *row_of
        int64_t n_features, width
        const float *w

    ctypedef struct rb_found:
        const int32_t **alone
        const uint64_t **joint
        uint64_t *keys
        const float **rows
        int64_t *counts

    void rb_look_up(const rb_features *, int64_t, int32_t *, int64_t, const uint64_t *, uint64_t)
    void rb_find_rows(const rb_features *, const rb_column *, const int32_t *, int64_t, rb_found *)

cdef enum:
    BLOCK = 1 << 15        # tokens read before the search begins
    WORTH_UNLOCKING = 256  # tokens; for fewer, other threads are not let in
    MOST_ROOM = 1 << 20    # numbers of any kind for a sentence

# What a desk has room for.
cdef enum:
    LENGTHS, WORDS, PATH, COLUMNS, NEW_ALONE, NEW_ASKED, ALONE, JOINT, KEYS, ROWS, COUNTS, N_ROOMS


cdef class Desk:
    """What a block of sentences needs, used again and again, by one thread at a time."""

    cdef Search search
    cdef Scratch scratch
    cdef list new  # for each column a dict of the words that are not known
    cdef int64_t n_sentences, n_tokens, longest
    cdef rb_found found
    cdef void *rooms[N_ROOMS]
    cdef size_t sizes[N_ROOMS]

    def __init__(self, Search search):
        self.search = search
        self.scratch = Scratch()
        self.new = []

    cdef void *room(self, int which, size_t size) except NULL:
        """Return memory of at least so many bytes; its content stays."""
        cdef void *wider
        if size > self.sizes[which] or self.rooms[which] == NULL:
            size += self.sizes[which] + 64
            wider = realloc(self.rooms[which], size)
            if wider == NULL:
                raise MemoryError
            self.rooms[which] = wider
            self.sizes[which] = size
        return self.rooms[which]

    def __dealloc__(self):
        cdef int which
        for which in range(N_ROOMS):
            free(self.rooms[which])


cdef class TagEngine:
    """The parts of a tagger that usual sentences need, all of them typed.

    Whatever changes the model or a parameter closes the engine, and the next prediction makes a new one.
    `weights` are those that predict, `known` the numbers of the words of each column, `hashes` what each
    part of the templates asks of them. Template k consists of the parts from ``starts[k]`` on, and part
    p is ``asks[part_asks[p]]``, so many tokens away; `outside` stands for what lies before and behind a
    sentence. Tokens are words if `is_word`, else tuples of them.
    """

    cdef readonly bint is_open
    cdef TagWeights weights
    cdef bint is_word
    cdef list known, asks, tags, arrays, idle
    cdef object make_search
    cdef int64_t n_columns, most_tokens
    cdef rb_features features
    cdef rb_column *columns

    def __init__(self, TagWeights weights, FeatureTable table, list known, list hashes, list tags,
                 make_search, *, cnp.ndarray starts, list part_asks, cnp.ndarray part_offsets, list asks,
                 cnp.ndarray outside, bint is_word):
        cdef int64_t states = weights.n_tags if weights.order == 2 else 1
        cdef int64_t c, place
        cdef Search search = make_search()
        cdef rb_column *column
        cdef const uint64_t *beyond = <const uint64_t *>cnp.PyArray_DATA(outside)
        if len(tags) != weights.n_tags or len(outside) != RB_OUTSIDE:
            raise ValueError(f"{len(tags)} names of {weights.n_tags} tags, {len(outside)} places outside")
        self.weights = weights
        self.known = known
        self.make_search = make_search
        self.tags = tags[:]
        self.is_word = is_word
        self.n_columns = len(known)
        self.idle = [Desk(search)]
        self.asks = []
        self.arrays = [hashes, table]
        self.columns = <rb_column *>self._memory(self.n_columns * sizeof(rb_column))
        self._take_columns(part_asks, asks, hashes, outside, _joined_asks(starts, part_asks))
        self._take_templates(starts, part_asks, part_offsets, asks, hashes)
        self.features.n_columns = self.n_columns
        self.features.slots = table.slots
        self.features.numbers = table.numbers
        self.features.mask = table.mask
        self.features.row_of = weights.at
        self.features.n_features = weights.n_features
        self.features.w = weights.w
        self.features.width = weights.width
        self.most_tokens = MOST_ROOM // max(
            self.features.n_templates, weights.width * states, search.beam)
        for c in range(self.n_columns):
            column = &self.columns[c]
            for place in range(RB_OUTSIDE):
                rb_look_up(&self.features, c, column.alone + (column.n_known + place) * column.n_alone,
                           -1, NULL, beyond[place])
        self.is_open = True

    def close(self):
        """Leave all sentences to the fallback from here on, whoever still holds this engine."""
        self.is_open = False

    cdef void *_memory(self, int64_t size):
        """Return memory that lasts as long as this."""
        cdef cnp.ndarray room = np.empty(size // 8 + 1)
        self.arrays.append(room)
        return cnp.PyArray_DATA(room)

    cdef _take_columns(self, list part_asks, list asks, list hashes, cnp.ndarray outside, set joined):
        """Number what is asked in every column, the asks of joint templates first."""
        cdef int64_t c
        cdef rb_column *column
        cdef cnp.ndarray joint
        cdef Ask ask
        for c in range(self.n_columns):
            column = &self.columns[c]
            own = [a for a, ask in enumerate(asks) if ask.column == c]
            own.sort(key=lambda a: a not in joined)
            self.asks.append([asks[a] for a in own])
            column.n_known = len(self.known[c])
            column.n_asks = len(own)
            column.n_alone = 0
            column.n_joint = len(joined.intersection(own))
            of_asks = [hashes[part_asks.index(a)] for a in own[:column.n_joint]]
            joint = np.array([np.append(each, outside) for each in of_asks], np.uint64).T.copy()
            column.joint = <const uint64_t *>cnp.PyArray_DATA(joint)
            self.arrays.append(joint)

    cdef _take_templates(self, cnp.ndarray starts, list part_asks, cnp.ndarray part_offsets, list asks,
                         list hashes):
        """Take the parts of the templates, and make the tables of words of those of a single part."""
        cdef int64_t n_templates = len(starts) - 1
        cdef int64_t n_parts = len(hashes)
        cdef int64_t k, p, c, n_words
        cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(starts)
        cdef const int64_t *offset = <const int64_t *>cnp.PyArray_DATA(part_offsets)
        cdef rb_part *parts = <rb_part *>self._memory(n_parts * sizeof(rb_part))
        cdef rb_template *templates = <rb_template *>self._memory(n_templates * sizeof(rb_template))
        cdef rb_column *column
        cdef Ask ask
        for p in range(n_parts):
            ask = asks[part_asks[p]]
            parts[p].column = ask.column
            parts[p].offset = offset[p]
            parts[p].ask = (<list>self.asks[ask.column]).index(ask)
            parts[p].known = <const uint64_t *>cnp.PyArray_DATA(<cnp.ndarray?>hashes[p])
        for k in range(n_templates):
            templates[k] = rb_template(rb_mix(<uint64_t>k, 0), start[k], start[k + 1], -1)
            if start[k + 1] - start[k] == 1:
                column = &self.columns[parts[templates[k].first].column]
                templates[k].alone = column.n_alone
                column.n_alone += 1
            else:
                self.features.n_joined += 1
        for c in range(self.n_columns):
            column = &self.columns[c]
            n_words = column.n_known + RB_OUTSIDE
            column.alone = <int32_t *>self._memory(n_words * column.n_alone * sizeof(int32_t))
            for p in range(n_words * column.n_alone):
                column.alone[p] = RB_NOT_YET
        self.features.parts = parts
        self.features.templates = templates
        self.features.n_templates = n_templates

    def tag(self, sentences, Turns turns=None):
        """Return the tags of each sentence if all is usual, else None.

        `turns` are those of the learner, if whoever asks has not begun to read it yet.
        """
        cdef Reading reading
        if not RB_ALONE or type(sentences) is not list:
            return None
        if turns is None:
            return self.tag_usual(sentences)
        reading = turns.enter(None)
        try:
            return self.tag_usual(sentences)
        finally:
            turns.leave(reading)

    cdef list tag_usual(self, list sentences):
        cdef Desk desk
        cdef list out, listed
        cdef Py_ssize_t at = 0
        if not self.is_open:
            return None
        listed = sentences if PyList_GET_SIZE(sentences) == 1 else sentences[:]
        out = []
        desk = self.idle.pop() if self.idle else Desk(self.make_search())
        try:
            while at < PyList_GET_SIZE(listed):
                if not (self._read(desk, listed, at) and self._hash_new(desk)):
                    return None
                if not self._find(desk):
                    return None
                self._name(desk, out)
                at += desk.n_sentences
        except UnicodeEncodeError:  # half a character
            return None
        finally:
            desk.new = []
            self.idle.append(desk)
        return out

    cdef bint _read(self, Desk desk, list listed, Py_ssize_t first) except -1:
        """Read the words of some sentences as numbers; return False if any is unusual."""
        cdef Py_ssize_t n = 0
        cdef Py_ssize_t n_columns = self.n_columns
        cdef Py_ssize_t s, i, length
        cdef int64_t c
        cdef int64_t *lengths = <int64_t *>desk.room(
            LENGTHS, (PyList_GET_SIZE(listed) - first) * sizeof(int64_t))
        cdef int32_t *words
        cdef PyObject *token
        cdef bint is_tuple
        desk.new = [{} for _ in range(n_columns)] if n_columns > 1 else [{}]
        desk.longest = 0
        for s in range(first, PyList_GET_SIZE(listed)):
            sentence = <object>PyList_GET_ITEM(listed, s)
            is_tuple = PyTuple_CheckExact(sentence)
            if not is_tuple and type(sentence) is not list:
                return False
            length = PyTuple_GET_SIZE(sentence) if is_tuple else PyList_GET_SIZE(sentence)
            if length > self.most_tokens:
                return False
            lengths[s - first] = length
            desk.longest = max(desk.longest, length)
            words = <int32_t *>desk.room(WORDS, (n + length) * n_columns * sizeof(int32_t))
            words += n * n_columns
            for i in range(length):
                token = PyTuple_GET_ITEM(sentence, i) if is_tuple else PyList_GET_ITEM(sentence, i)
                if self.is_word:
                    words[i] = self._number(desk, 0, token)
                    if words[i] < 0:
                        return False
                    continue
                if not PyTuple_CheckExact(<object>token) or PyTuple_GET_SIZE(<object>token) != n_columns:
                    return False
                for c in range(n_columns):
                    words[i * n_columns + c] = self._number(
                        desk, c, PyTuple_GET_ITEM(<object>token, c))
                    if words[i * n_columns + c] < 0:
                        return False
            n += length
            desk.n_sentences = s + 1 - first
            desk.n_tokens = n
            if n >= BLOCK:
                break
        return True

    cdef inline int32_t _number(self, Desk desk, int64_t c, PyObject *word) except -2:
        """Return the number of a word, one behind the known ones if it is new; -1 if it is no str."""
        cdef PyObject *number
        cdef dict new
        cdef long found
        if not PyUnicode_CheckExact(<object>word):
            return -1
        number = PyDict_GetItemWithError(<dict>PyList_GET_ITEM(self.known, c), <object>word)
        if number != NULL:
            return <int32_t>PyLong_AsLong(<object>number)
        new = <dict>PyList_GET_ITEM(desk.new, c)
        number = PyDict_GetItemWithError(new, <object>word)
        if number != NULL:
            return <int32_t>PyLong_AsLong(<object>number)
        found = <long>(self.columns[c].n_known + PyDict_Size(new))
        new[<object>word] = found
        return <int32_t>found

    cdef bint _hash_new(self, Desk desk) except -1:
        """Hash what is asked of the words that are not known."""
        cdef int64_t c, a, i, n_new
        cdef size_t n_alone = 0
        cdef size_t n_asked = 0
        cdef rb_column *columns = <rb_column *>desk.room(COLUMNS, self.n_columns * sizeof(rb_column))
        cdef int32_t *alone
        cdef uint64_t *asked
        cdef list asks
        memcpy(columns, self.columns, self.n_columns * sizeof(rb_column))
        for c in range(self.n_columns):
            n_new = PyDict_Size(desk.new[c])
            n_alone += n_new * columns[c].n_alone
            n_asked += n_new * columns[c].n_asks
        alone = <int32_t *>desk.room(NEW_ALONE, n_alone * sizeof(int32_t))
        asked = <uint64_t *>desk.room(NEW_ASKED, n_asked * sizeof(uint64_t))
        for c in range(self.n_columns):
            columns[c].new_alone = alone
            columns[c].new_asked = asked
            asks = self.asks[c]
            for word in <dict>desk.new[c]:
                for a in range(columns[c].n_asks):
                    asked[a] = (<Ask>PyList_GET_ITEM(asks, a)).hash(<str>word, desk.scratch)
                for i in range(columns[c].n_alone):
                    alone[i] = RB_NOT_YET
                asked += columns[c].n_asks
                alone += columns[c].n_alone
        return True

    cdef bint _find(self, Desk desk) except -1:
        """Find the best tags of all sentences of the desk; return False if one has none."""
        cdef size_t longest = desk.longest
        cdef size_t around = longest + 2 * RB_FURTHEST
        cdef bint found
        desk.search.reserve(longest)
        desk.room(PATH, desk.n_tokens * sizeof(int32_t))
        desk.found.alone = <const int32_t **>desk.room(ALONE, self.n_columns * around * sizeof(void *))
        desk.found.joint = <const uint64_t **>desk.room(JOINT, self.n_columns * around * sizeof(void *))
        desk.found.keys = <uint64_t *>desk.room(KEYS, longest * self.features.n_joined * sizeof(uint64_t))
        desk.found.rows = <const float **>desk.room(
            ROWS, longest * self.features.n_templates * sizeof(void *))
        desk.found.counts = <int64_t *>desk.room(COUNTS, longest * sizeof(int64_t))
        if desk.n_tokens < WORTH_UNLOCKING:
            return self._search_all(desk)
        with nogil:
            found = self._search_all(desk)
        return found

    cdef bint _search_all(self, Desk desk) noexcept nogil:
        cdef const int64_t *lengths = <const int64_t *>desk.rooms[LENGTHS]
        cdef const int32_t *words = <const int32_t *>desk.rooms[WORDS]
        cdef const rb_column *columns = <const rb_column *>desk.rooms[COLUMNS]
        cdef int32_t *path = <int32_t *>desk.rooms[PATH]
        cdef int64_t s
        desk.search.prepare(self.weights)
        for s in range(desk.n_sentences):
            if lengths[s] == 0:
                continue
            rb_find_rows(&self.features, columns, words, lengths[s], &desk.found)
            rb_emit_found(desk.search.emit, desk.found.rows, desk.found.counts,
                          self.features.n_templates, lengths[s], self.features.width)
            desk.search.close_last(lengths[s])
            if desk.search.best_path(self.weights, lengths[s], path) == -INFINITY:
                return False
            words += lengths[s] * self.n_columns
            path += lengths[s]
        return True

    cdef _name(self, Desk desk, list out):
        """Append the tags of the sentences of the desk, by their names."""
        cdef const int64_t *lengths = <const int64_t *>desk.rooms[LENGTHS]
        cdef const int32_t *path = <const int32_t *>desk.rooms[PATH]
        cdef Py_ssize_t s, i
        cdef list own
        for s in range(desk.n_sentences):
            own = PyList_New(lengths[s])
            for i in range(lengths[s]):
                name = <object>PyList_GET_ITEM(self.tags, path[i])
                Py_INCREF(name)
                PyList_SET_ITEM(own, i, name)
            path += lengths[s]
            out.append(own)


cdef set _joined_asks(cnp.ndarray starts, list part_asks):
    """Return the asks of templates that take several things together."""
    cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(starts)
    cdef int64_t k
    cdef set found = set()
    for k in range(len(starts) - 1):
        if start[k + 1] - start[k] > 1:
            found.update(part_asks[start[k]:start[k + 1]])
    return found
