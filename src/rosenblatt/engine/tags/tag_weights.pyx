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

cdef extern from "mean.h" nogil:
    double rb_mean(double last, double running_sum, double share, double n)

cdef enum:
    LANES = 8


cdef class TagWeights:
    """`rows` (n_rows, width) of the features, `steps` from one tag to the next (the last row: from
    the beginning), and with order 2 `pairs` from two tags to the next, at (second * (n + 1) + first).
    """

    def __init__(self, int64_t n_tags, int64_t order):
        self.n_tags = n_tags
        self.order = order
        self.width = (n_tags + LANES - 1) // LANES * LANES
        self.row_of = np.zeros(0, np.int32)
        self.rows = np.zeros((0, self.width), np.float32)
        self.row_running_sum = np.zeros((0, self.width))
        self.steps = np.zeros((n_tags + 1, self.width), np.float32)
        self.step_running_sum = np.zeros((n_tags + 1, self.width))
        n_pairs = (n_tags + 1) ** 2 if order == 2 else 0
        self.pairs = np.zeros((n_pairs, self.width), np.float32)
        self.pair_running_sum = np.zeros((n_pairs, self.width))
        self.bind()

    def set(self, **arrays):
        """Take arrays as they are, all those that `arrays` gives."""
        self.row_of = arrays["row_of"]
        self.rows = arrays["rows"]
        self.row_running_sum = arrays["row_running_sum"]
        self.steps = arrays["steps"]
        self.step_running_sum = arrays["step_running_sum"]
        self.pairs = arrays["pairs"]
        self.pair_running_sum = arrays["pair_running_sum"]
        self.row_of_buffer = None  # the array may be a part of somebody else's buffer
        self.n_rows = len(self.rows)
        self.bind()

    cdef void bind(self):
        self.n_features = len(self.row_of)
        self.capacity = len(self.rows)
        self.at = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray>self.row_of)
        self.w = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.rows)
        self.s = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.steps)
        self.p = <float *>cnp.PyArray_DATA(<cnp.ndarray>self.pairs)
        self.w_running_sum = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.row_running_sum)
        self.s_running_sum = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.step_running_sum)
        self.p_running_sum = <double *>cnp.PyArray_DATA(<cnp.ndarray>self.pair_running_sum)

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
        sums[:self.n_rows] = self.row_running_sum[:self.n_rows]
        self.row_running_sum = sums
        self.bind()

    def take(self, TagWeights old):
        """Take over the weights of a tagger with fewer tags; the new ones come after the old."""
        k = old.n_tags
        self.know(old.n_features)
        self.row_of[:] = old.row_of
        self.reserve(old.n_rows)
        self.n_rows = old.n_rows
        self.rows[:self.n_rows, :k] = old.rows[:self.n_rows, :k]
        self.row_running_sum[:self.n_rows, :k] = old.row_running_sum[:self.n_rows, :k]
        before = [*range(k), self.n_tags]
        of_steps = (self.steps, old.steps), (self.step_running_sum, old.step_running_sum)
        for mine, its in of_steps:
            mine[before, :k] = its[:, :k]
        pairs = [(b * (self.n_tags + 1) + a) for b in before for a in before]
        of_pairs = (self.pairs, old.pairs), (self.pair_running_sum, old.pair_running_sum)
        for mine, its in of_pairs:
            if len(its):
                mine[pairs, :k] = its[:, :k]
        self.t = old.t
        self.bind()

    def __reduce__(self):
        return _rebuilt, (self.n_tags, self.order, self.t, self.arrays())

    def arrays(self):
        """Return all arrays by name, as `set` takes them, without room for more rows."""
        n = self.n_rows
        return {
            "row_of": self.row_of, "rows": self.rows[:n], "row_running_sum": self.row_running_sum[:n],
            "steps": self.steps, "step_running_sum": self.step_running_sum, "pairs": self.pairs,
            "pair_running_sum": self.pair_running_sum,
        }

    cdef int64_t row(self, int64_t feature) noexcept nogil:
        """Return the row of a feature, a new one if it had none; there is room."""
        if self.at[feature] < 0:
            self.at[feature] = <int32_t>self.n_rows
            self.n_rows += 1
        return self.at[feature]

    def averaged(self):
        """Return weights that do not learn: the mean of those after every example."""
        mean = self.arrays()
        mean["row_of"] = self.row_of.copy()  # these go on to get rows that the mean has not
        for name in ("row", "step", "pair"):
            mean[f"{name}s"] = _mean_of(mean[f"{name}s"], mean[f"{name}_running_sum"], max(self.t, 1))
            mean[f"{name}_running_sum"] = np.zeros((0, self.width))
        return _rebuilt(self.n_tags, self.order, self.t, mean)

    def copy(self):
        """Return weights of their own, which learn without changing these."""
        copies = {name: array.copy() for name, array in self.arrays().items()}
        return _rebuilt(self.n_tags, self.order, self.t, copies)


cdef cnp.ndarray _mean_of(cnp.ndarray last, cnp.ndarray running_sum, double n):
    """Return the mean of a table of weights over n examples."""
    cdef cnp.ndarray mean = np.empty_like(last)
    cdef const float *w = <const float *>cnp.PyArray_DATA(last)
    cdef const double *sums = <const double *>cnp.PyArray_DATA(running_sum)
    cdef float *out = <float *>cnp.PyArray_DATA(mean)
    cdef int64_t size = cnp.PyArray_SIZE(last)
    cdef int64_t i
    if cnp.PyArray_SIZE(running_sum) != size:
        raise ValueError("these weights do not learn, so that they have no running sum")
    with nogil:
        for i in range(size):
            out[i] = <float>rb_mean(w[i], sums[i], 1.0, n)
    return mean


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
        self.starts = starts
        self.feature_starts = feature_starts
        self.features = features
        self.values = values
        self.words = words

    def __len__(self):
        return len(self.starts) - 1

    cdef Sentence tokens(self, only):
        """Return all tokens as one sentence; `only` is None or has the one tag each can have, or -1."""
        cdef Sentence found
        found.feature_starts = <const int64_t *>cnp.PyArray_DATA(self.feature_starts)
        found.features = <const int32_t *>cnp.PyArray_DATA(self.features)
        found.length = cnp.PyArray_DIM(self.feature_starts, 0) - 1
        found.values = NULL
        found.only = NULL
        if self.values is not None:
            found.values = <const float *>cnp.PyArray_DATA(<cnp.ndarray?>self.values)
        if only is not None:
            found.only = <const int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>only)
        return found


cdef void emissions(TagWeights weights, const Sentence *sentence, float *out) noexcept nogil:
    """Fill in the score of every tag at every token, from its features alone."""
    cdef int64_t width = weights.width
    cdef int64_t i, j
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
    cdef int64_t width = weights.width
    cdef int64_t i, f, row
    cdef int32_t feature
    memset(out, 0, sentence.length * width * sizeof(float))
    for i in range(sentence.length):
        for f in range(sentence.feature_starts[i], sentence.feature_starts[i + 1]):
            feature = sentence.features[f]
            row = weights.at[feature] if 0 <= feature < weights.n_features else -1
            if row >= 0:
                rb_add_row(out + i * width, weights.w + row * width, sentence.values[f], width)
