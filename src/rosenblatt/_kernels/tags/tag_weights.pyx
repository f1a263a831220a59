"""Weights of a tagger: a row of tag scores for every feature that ever mattered, and the steps.

A feature gets a row when it is changed for the first time, so that memory follows what was learned,
not what was seen. Weights are float32: those of the perceptron are whole numbers and exact. Running
sums are float64.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.string cimport memset

import numpy as np

cnp.import_array()

cdef enum:
    LANES = 8


cdef class TagWeights:
    """`rows` (n_rows, width) of the features, `steps` from one tag to the next (the last row: from
    the beginning), and with order 2 `pairs` from two tags to the next, at (second * (n + 1) + first).
    """

    def __init__(self, int64_t n_tags, int64_t order):
        self.n_tags, self.order = n_tags, order
        self.width = (n_tags + LANES - 1) // LANES * LANES
        self.row_of = np.zeros(0, np.int32)
        self.rows = np.zeros((0, self.width), np.float32)
        self.row_sums = np.zeros((0, self.width))
        self.steps = np.zeros((n_tags + 1, self.width), np.float32)
        self.step_sums = np.zeros((n_tags + 1, self.width))
        n_pairs = (n_tags + 1) ** 2 if order == 2 else 0
        self.pairs = np.zeros((n_pairs, self.width), np.float32)
        self.pair_sums = np.zeros((n_pairs, self.width))
        self.bind()

    def set(self, **arrays):
        """Take arrays as they are: row_of, rows, row_sums, steps, step_sums, pairs, pair_sums."""
        self.row_of, self.rows = arrays["row_of"], arrays["rows"]
        self.row_sums, self.steps = arrays["row_sums"], arrays["steps"]
        self.step_sums, self.pairs = arrays["step_sums"], arrays["pairs"]
        self.pair_sums = arrays["pair_sums"]
        self.row_of_buffer = None  # the array may be a part of somebody else's buffer
        self.n_rows = len(self.rows)
        self.bind()

    cdef void bind(self):
        self.n_features, self.capacity = len(self.row_of), len(self.rows)
        self.at = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self.row_of)
        self.w = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.rows)
        self.s = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.steps)
        self.p = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.pairs)
        self.uw = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.row_sums)
        self.us = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.step_sums)
        self.up = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.pair_sums)

    def know(self, int64_t n_features):
        """Make room for features; none of them has a row yet.

        The buffer behind `row_of` doubles, so that a stream of sentences pays for each feature once.
        """
        if n_features <= self.n_features:
            return
        if self.row_of_buffer is None or n_features > len(self.row_of_buffer):
            buffer = np.full(max(n_features, 2 * self.n_features), -1, np.int32)
            buffer[:self.n_features] = self.row_of
            self.row_of_buffer = buffer
        self.row_of = self.row_of_buffer[:n_features]
        self.bind()

    def reserve(self, int64_t n_rows):
        """Make room for so many rows more."""
        needed = self.n_rows + n_rows
        if needed <= self.capacity:
            return
        capacity = max(needed, 2 * self.capacity, 1024)
        rows = np.zeros((capacity, self.width), np.float32)
        rows[:self.n_rows] = self.rows[:self.n_rows]
        self.rows = rows
        sums = np.zeros((capacity, self.width))
        sums[:self.n_rows] = self.row_sums[:self.n_rows]
        self.row_sums = sums
        self.bind()

    def take(self, TagWeights old):
        """The weights of a tagger with fewer tags; the new ones stand behind the old."""
        k = old.n_tags
        self.know(old.n_features)
        self.row_of[:] = old.row_of
        self.reserve(old.n_rows)
        self.n_rows = old.n_rows
        self.rows[:self.n_rows, :k] = old.rows[:self.n_rows, :k]
        self.row_sums[:self.n_rows, :k] = old.row_sums[:self.n_rows, :k]
        before = [*range(k), self.n_tags]
        for mine, its in ((self.steps, old.steps), (self.step_sums, old.step_sums)):
            mine[before, :k] = its[:, :k]
        pairs = [(b * (self.n_tags + 1) + a) for b in before for a in before]
        for mine, its in ((self.pairs, old.pairs), (self.pair_sums, old.pair_sums)):
            if len(its):
                mine[pairs, :k] = its[:, :k]
        self.t = old.t
        self.bind()

    def __reduce__(self):
        return _rebuilt, (self.n_tags, self.order, self.t, self.arrays())

    def arrays(self):
        """All arrays by name, as `set` takes them, without room for more rows."""
        n = self.n_rows
        return {
            "row_of": self.row_of, "rows": self.rows[:n], "row_sums": self.row_sums[:n],
            "steps": self.steps, "step_sums": self.step_sums, "pairs": self.pairs,
            "pair_sums": self.pair_sums,
        }

    cdef int64_t row(self, int64_t feature) noexcept nogil:
        """The row of a feature, a new one if it had none; there is room."""
        if self.at[feature] < 0:
            self.at[feature] = <int32_t>self.n_rows
            self.n_rows += 1
        return self.at[feature]

    def averaged(self):
        """Weights that do not learn: the mean of those after every example."""
        mean = self.arrays()
        mean["row_of"] = self.row_of.copy()  # these go on to get rows that the mean has not
        for name in ("row", "step", "pair"):
            sums = mean[f"{name}_sums"] / max(self.t, 1)
            mean[f"{name}s"] = (mean[f"{name}s"] - sums).astype(np.float32)
            mean[f"{name}_sums"] = np.zeros((0, self.width))
        return _rebuilt(self.n_tags, self.order, self.t, mean)

    def copy(self):
        """Weights of their own that learn on without touching these."""
        copies = {name: array.copy() for name, array in self.arrays().items()}
        return _rebuilt(self.n_tags, self.order, self.t, copies)


def _rebuilt(n_tags, order, t, arrays):
    weights = TagWeights(n_tags, order)
    weights.set(**{name: np.ascontiguousarray(array) for name, array in arrays.items()})
    weights.t = t
    return weights


cdef class Encoded:
    """The features of all tokens of some sentences, one after the other.

    `starts` are the first tokens of the sentences, `feature_starts` the first features of the
    tokens, each with the end behind it. `values` are None if every feature has the value 1, `words`
    the numbers of the words, or None.
    """

    def __init__(self, starts, feature_starts, features, values=None, words=None):
        self.starts, self.feature_starts, self.features = starts, feature_starts, features
        self.values, self.words = values, words

    def __len__(self):
        return len(self.starts) - 1

    cdef Sentence tokens(self, only):
        """All tokens as one sentence; `only` is None or has the one tag each can have, or -1."""
        cdef Sentence found
        found.feature_starts = <const int64_t *>cnp.PyArray_DATA(self.feature_starts)
        found.features = <const int32_t *>cnp.PyArray_DATA(self.features)
        found.length = cnp.PyArray_DIM(self.feature_starts, 0) - 1
        found.values, found.only = NULL, NULL
        if self.values is not None:
            found.values = <const float *>cnp.PyArray_DATA(<cnp.ndarray?>self.values)
        if only is not None:
            found.only = <const int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>only)
        return found


cdef void emissions(TagWeights weights, const Sentence *sentence, float *out) noexcept nogil:
    """The score of every tag at every token, from its features alone."""
    cdef int64_t i, j, width = weights.width
    cdef int32_t only
    if sentence.values == NULL:
        rb_emit(out, weights.w, weights.at, weights.n_features, sentence.features,
                sentence.feature_starts, sentence.length, width)
    else:
        _weighted_emissions(weights, sentence, out)
    if sentence.only != NULL:
        for i in range(sentence.length):
            only = sentence.only[i]
            if only >= 0:
                for j in range(weights.n_tags):
                    if j != only:
                        out[i * width + j] = -INFINITY


cdef void _weighted_emissions(TagWeights weights, const Sentence *sentence,
                              float *out) noexcept nogil:
    cdef int64_t i, f, row, width = weights.width
    cdef int32_t feature
    memset(out, 0, sentence.length * width * sizeof(float))
    for i in range(sentence.length):
        for f in range(sentence.feature_starts[i], sentence.feature_starts[i + 1]):
            feature = sentence.features[f]
            row = weights.at[feature] if 0 <= feature < weights.n_features else -1
            if row >= 0:
                rb_add_row(out + i * width, weights.w + row * width, sentence.values[f], width)
