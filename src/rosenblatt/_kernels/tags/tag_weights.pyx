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
        """Make room for features; none of them has a row yet."""
        if n_features > self.n_features:
            more = np.full(n_features - self.n_features, -1, np.int32)
            self.row_of = np.concatenate([self.row_of, more])
            self.bind()

    def reserve(self, int64_t n_rows):
        """Make room for so many rows more."""
        needed = self.n_rows + n_rows
        if needed <= self.capacity:
            return
        capacity = max(needed, 2 * self.capacity, 1024)
        for name, dtype in (("rows", np.float32), ("row_sums", np.float64)):
            wider = np.zeros((capacity, self.width), dtype)
            wider[:self.n_rows] = (self.rows if name == "rows" else self.row_sums)[:self.n_rows]
            if name == "rows":
                self.rows = wider
            else:
                self.row_sums = wider
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
        n = self.n_rows
        arrays = {
            "row_of": self.row_of, "rows": self.rows[:n], "row_sums": self.row_sums[:n],
            "steps": self.steps, "step_sums": self.step_sums, "pairs": self.pairs,
            "pair_sums": self.pair_sums,
        }
        return _rebuilt, (self.n_tags, self.order, self.t, arrays)

    cdef int64_t row(self, int64_t feature) noexcept nogil:
        """The row of a feature, a new one if it had none; there is room."""
        if self.at[feature] < 0:
            self.at[feature] = <int32_t>self.n_rows
            self.n_rows += 1
        return self.at[feature]

    def averaged(self):
        """Weights that do not learn: the mean of those after every example."""
        cdef TagWeights found = TagWeights(self.n_tags, self.order)
        seen = max(self.t, 1)
        n = self.n_rows
        found.set(
            row_of=self.row_of.copy(),  # these go on to get rows that the mean has not
            rows=(self.rows[:n] - self.row_sums[:n] / seen).astype(np.float32),
            row_sums=np.zeros((0, self.width)),
            steps=(self.steps - self.step_sums / seen).astype(np.float32),
            step_sums=np.zeros((0, self.width)),
            pairs=(self.pairs - self.pair_sums / seen).astype(np.float32),
            pair_sums=np.zeros((0, self.width)),
        )
        found.t = self.t
        return found

    def copy(self):
        """Weights of their own that learn on without touching these."""
        cdef TagWeights twin = TagWeights(self.n_tags, self.order)
        n = self.n_rows
        twin.set(
            row_of=self.row_of.copy(), rows=self.rows[:n].copy(), row_sums=self.row_sums[:n].copy(),
            steps=self.steps.copy(), step_sums=self.step_sums.copy(), pairs=self.pairs.copy(),
            pair_sums=self.pair_sums.copy(),
        )
        twin.t = self.t
        return twin


def _rebuilt(n_tags, order, t, arrays):
    weights = TagWeights(n_tags, order)
    weights.set(**{name: np.ascontiguousarray(array) for name, array in arrays.items()})
    weights.t = t
    return weights


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
