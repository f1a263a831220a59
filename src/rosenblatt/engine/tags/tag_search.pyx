"""Search for the best sequence of tags: over all of them (Viterbi), or along a few (beam).

The score of a sequence is the sum of what the features of each token say for its tag, and of the
steps from tag to tag. Of equal scores Viterbi takes the one with the lower tag at the last
difference, a beam the one it met first.

In a long sentence sums would grow beyond what float32 tells apart, so every STRETCH tokens the best
score so far is taken off all of them.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from rosenblatt.engine.tags.tag_weights cimport (
    Encoded, emissions, rb_best_scores, rb_best_step, Sentence, TagWeights,
)

import numpy as np

cnp.import_array()

cdef enum:
    STRETCH = 32


cdef class Search:

    def __init__(self, TagWeights weights, *, int64_t beam=0, allowed=None):
        self.n_tags = weights.n_tags
        self.width = weights.width
        self.order = weights.order
        self.beam = beam
        self.allowed = allowed
        self.room = 0
        self._steps = np.zeros((self.n_tags + 1, self.width), np.float32)
        self.steps = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._steps)
        self.mask = NULL
        if allowed is not None:
            # What may follow each tag, the beginning, and which may be the last.
            self._mask = np.zeros((self.n_tags + 2, self.width), np.float32)
            self._mask[:, :self.n_tags][~np.asarray(allowed, bool)] = -np.inf
            self.mask = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._mask)

    cdef void reserve(self, int64_t length):
        """Make room for a sentence of so many tokens."""
        cdef int64_t states
        if length <= self.room:
            return
        self.room = max(length, 2 * self.room, 64)
        states = self.n_tags if self.order == 2 else 1
        self._emit = np.empty((self.room, self.width), np.float32)
        self.emit = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._emit)
        # Two rows of scores for every state, and one to gather in.
        self._score = np.empty((2 * states + 2, self.width), np.float32)
        self.work = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._score)
        if self.beam:
            self._kept = (
                np.empty((self.room, self.beam), np.float32),
                np.empty((self.room, self.beam), np.int32),
                np.empty((self.room, self.beam), np.int32),
                np.empty(self.room, np.int32),
                np.empty(self.room, np.float32),
            )
            self.kept.scores = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._kept[0])
            self.kept.tags = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self._kept[1])
            self.kept.parents = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self._kept[2])
            self.kept.sizes = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self._kept[3])
            self.kept.taken_off = <float *>cnp.PyArray_DATA(<cnp.ndarray>self._kept[4])
        else:
            self._from = np.empty((self.room * states, self.width), np.int32)
            self.back = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self._from)

    cdef void prepare(self, TagWeights weights) noexcept nogil:
        """Take the steps as they are now; those not allowed can never be on a best path."""
        cdef int64_t size = (self.n_tags + 1) * self.width
        cdef int64_t i
        if self.mask == NULL:
            memcpy(self.steps, weights.s, size * sizeof(float))
        else:
            for i in range(size):
                self.steps[i] = weights.s[i] + self.mask[i]

    cdef void emissions(self, TagWeights weights, const Sentence *sentence) noexcept nogil:
        emissions(weights, sentence, self.emit)
        self.close_last(sentence.length)

    cdef void close_last(self, int64_t length) noexcept nogil:
        """Let no tag win at the end of a sentence that may not be its last one."""
        cdef int64_t last = (length - 1) * self.width
        cdef int64_t end = (self.n_tags + 1) * self.width
        cdef int64_t j
        if self.mask != NULL:
            for j in range(self.n_tags):
                self.emit[last + j] += self.mask[end + j]

    cdef void close_dead_ends(self, int64_t length) noexcept nogil:
        """Let no tag win from which the sentence cannot be tagged to its end."""
        cdef int64_t width = self.width
        cdef int64_t i, j, k
        cdef bint goes_on
        for i in range(length - 2, -1, -1):
            for j in range(self.n_tags):
                goes_on = False
                for k in range(self.n_tags):
                    if (self.steps[j * width + k] != -INFINITY
                            and self.emit[(i + 1) * width + k] != -INFINITY):
                        goes_on = True
                        break
                if not goes_on:
                    self.emit[i * width + j] = -INFINITY

    cdef float best_path(self, TagWeights weights, int64_t length, int32_t *path) noexcept nogil:
        """Find the best sequence by the emissions in `emit`; return its score."""
        cdef int64_t i
        cdef double total = 0.0
        if self.beam:
            self.fill_beam(weights, length)
            self.trace(length - 1, 0, path)
            for i in range(length):
                total += self.kept.taken_off[i]
            return <float>(total + self.kept.scores[(length - 1) * self.beam])
        if self.order == 2:
            return _viterbi_of_pairs(self, weights, length, path)
        return _viterbi(self, length, path)

    cdef void fill_beam(self, TagWeights weights, int64_t length) noexcept nogil:
        """Find the best partial answers at every token, among those that extend the ones before."""
        cdef int64_t n = self.n_tags
        cdef int64_t size = self.beam
        cdef int64_t i, k, at, n_before, n_kept
        cdef int32_t tag, last, before
        cdef float score
        cdef float *scores
        cdef int32_t *tags
        cdef int32_t *parents
        cdef bint is_closed = False
        i = 0
        while i < length:
            scores = self.kept.scores + i * size
            tags = self.kept.tags + i * size
            parents = self.kept.parents + i * size
            n_before = self.kept.sizes[i - 1] if i else 1
            n_kept = 0
            for k in range(n_before):
                last = before = <int32_t>n
                if i:
                    last = self.kept.tags[(i - 1) * size + k]
                if i > 1:
                    before = self.kept.tags[
                        (i - 2) * size + self.kept.parents[(i - 1) * size + k]]
                for tag in range(<int32_t>n):
                    score = self.step_score(weights, i, before, last, tag)
                    if i:
                        score += self.kept.scores[(i - 1) * size + k]
                    if n_kept == size and not score > scores[size - 1]:
                        continue
                    # Put in its place; among equals the one that came first stays in front.
                    at = n_kept if n_kept < size else size - 1
                    while at > 0 and score > scores[at - 1]:
                        scores[at] = scores[at - 1]
                        tags[at] = tags[at - 1]
                        parents[at] = parents[at - 1]
                        at -= 1
                    scores[at] = score
                    tags[at] = tag
                    parents[at] = <int32_t>k
                    if n_kept < size:
                        n_kept += 1
            self.kept.sizes[i] = <int32_t>n_kept
            self.kept.taken_off[i] = 0.0
            if (i + 1) % STRETCH == 0:
                self.kept.taken_off[i] = _taken_off(scores, 1, n_kept, size)
            i += 1
            if scores[0] == -INFINITY and not is_closed:
                self.close_dead_ends(length)
                is_closed = True
                i = 0

    cdef float step_score(self, TagWeights weights, int64_t i, int32_t before, int32_t last,
                          int32_t tag) noexcept nogil:
        cdef int64_t n = self.n_tags
        cdef float score = self.emit[i * self.width + tag] + self.steps[last * self.width + tag]
        if self.order == 2:
            score += weights.p[(last * (n + 1) + before) * self.width + tag]
        return score

    cdef void trace(self, int64_t at, int64_t which, int32_t *path) noexcept nogil:
        """Fill in the tags of a partial answer that ends at token `at`."""
        cdef int64_t k = which
        while at >= 0:
            path[at] = self.kept.tags[at * self.beam + k]
            k = self.kept.parents[at * self.beam + k]
            at -= 1


cdef float _taken_off(float *scores, int64_t n_rows, int64_t n, int64_t width) noexcept nogil:
    """Take the best of the first n scores of all rows off each of them, if there is one."""
    cdef int64_t i, j
    cdef float best = -INFINITY
    for i in range(n_rows):
        for j in range(n):
            best = max(best, scores[i * width + j])
    if best == -INFINITY:
        return 0.0
    for i in range(n_rows):
        for j in range(n):
            scores[i * width + j] -= best
    return best


cdef int64_t _first_best(const float *scores, int64_t n) noexcept nogil:
    cdef int64_t best = 0
    cdef int64_t j
    for j in range(1, n):
        if scores[j] > scores[best]:
            best = j
    return best


cdef float _viterbi(Search search, int64_t length, int32_t *path) noexcept nogil:
    """Find the best path by scores forwards; where these came from is looked up along that path only."""
    cdef int64_t n = search.n_tags
    cdef int64_t width = search.width
    cdef int64_t i, j, k, before
    cdef float *scores = <float *>search.back  # one row a token
    cdef float *row
    cdef float score, best
    cdef double total = 0.0
    for j in range(width):
        scores[j] = search.emit[j] + search.steps[n * width + j]
    for i in range(1, length):
        row = scores + i * width
        rb_best_scores(row - width, search.steps, n, width, search.emit + i * width, row)
        if (i + 1) % STRETCH == 0:
            total += _taken_off(row, 1, n, width)
    row = scores + (length - 1) * width
    j = _first_best(row, n)
    total += row[j]
    path[length - 1] = <int32_t>j
    for i in range(length - 1, 0, -1):
        row = scores + (i - 1) * width
        before = 0
        best = row[0] + search.steps[j]
        for k in range(1, n):
            score = row[k] + search.steps[k * width + j]
            if score > best:
                before = k
                best = score
        j = before
        path[i - 1] = <int32_t>j
    return <float>total


cdef float _viterbi_of_pairs(Search search, TagWeights weights, int64_t length,
                             int32_t *path) noexcept nogil:
    """Find the best path over pairs of tags; `now` has a row for every last tag but one."""
    cdef int64_t n = search.n_tags
    cdef int64_t width = search.width
    cdef int64_t i, j, a, b, place
    cdef float *now = search.work
    cdef float *then = search.work + n * width
    cdef float *gathered = search.work + 2 * n * width
    cdef float *first = search.work + (2 * n + 1) * width
    cdef float *swap
    cdef float *row
    cdef float best = -INFINITY
    cdef double total = 0.0
    for j in range(width):
        first[j] = (search.emit[j] + search.steps[n * width + j]
                    + weights.p[(n * (n + 1) + n) * width + j])
    if length == 1:
        j = _first_best(first, n)
        path[0] = <int32_t>j
        return first[j]
    for b in range(n):
        row = now + b * width
        for j in range(width):
            row[j] = (first[b] + search.steps[b * width + j]
                      + weights.p[(b * (n + 1) + n) * width + j] + search.emit[width + j])
    for i in range(2, length):
        for b in range(n):
            for a in range(n):
                gathered[a] = now[a * width + b]
            row = then + b * width
            rb_best_step(gathered, weights.p + b * (n + 1) * width, n, width, row,
                         search.back + (i * n + b) * width)
            for j in range(width):
                row[j] += search.steps[b * width + j] + search.emit[i * width + j]
        swap, now, then = now, then, now
        if (i + 1) % STRETCH == 0:
            total += _taken_off(now, n, n, width)
    place = 0
    for j in range(n):
        for b in range(n):
            if now[b * width + j] > best:
                best = now[b * width + j]
                place = j * n + b
    path[length - 1] = <int32_t>(place // n)
    path[length - 2] = <int32_t>(place % n)
    for i in range(length - 1, 1, -1):
        path[i - 2] = search.back[(i * n + path[i - 1]) * width + path[i]]
    return <float>(total + best)


def best_tags(TagWeights weights, Search search, Encoded encoded, only=None):
    """Return the best tags of all sentences, one after the other, and the score of each sentence.

    `only` says what words can be. It gives way where the steps allow no sequence of such tags; where
    they allow none at all the score is minus infinity.
    """
    cdef int64_t n = len(encoded)
    cdef int64_t longest = 1
    cdef int64_t s, first
    cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(encoded.starts)
    cdef cnp.ndarray tags = np.empty(start[n], np.int32)
    cdef cnp.ndarray scores = np.empty(n, np.float32)
    cdef int32_t *out = <int32_t *>cnp.PyArray_DATA(tags)
    cdef float *score = <float *>cnp.PyArray_DATA(scores)
    cdef Sentence every = encoded.tokens(only)
    cdef Sentence sentence = every
    for s in range(n):
        longest = max(longest, start[s + 1] - start[s])
    search.reserve(longest)
    with nogil:
        search.prepare(weights)
        for s in range(n):
            first = start[s]
            sentence.length = start[s + 1] - first
            if sentence.length == 0:
                score[s] = 0.0
                continue
            sentence.feature_starts = every.feature_starts + first
            sentence.only = every.only + first if every.only != NULL else NULL
            search.emissions(weights, &sentence)
            score[s] = search.best_path(weights, sentence.length, out + first)
            if score[s] == -INFINITY and sentence.only != NULL:
                sentence.only = NULL
                search.emissions(weights, &sentence)
                score[s] = search.best_path(weights, sentence.length, out + first)
    return tags, scores


def emission_table(TagWeights weights, Encoded encoded):
    """Score every tag at every token by its features: (tokens, n_tags)."""
    cdef Sentence sentence = encoded.tokens(None)
    cdef cnp.ndarray out = np.empty((sentence.length, weights.width), np.float32)
    emissions(weights, &sentence, <float *>cnp.PyArray_DATA(out))
    return out[:, :weights.n_tags]
