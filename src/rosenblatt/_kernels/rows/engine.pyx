"""A linear model that is ready for single examples: a mapping, a record or a 1-D array a call.

This is the fast path. Whatever is unusual (values of odd types, features and classes that are new, a
rule written in Python) is left to the fallback in Python, with the same result, and nothing has changed
by then. The lock of the interpreter is held. What runs code of others, such as a comparison of odd
features, comes first; after it, it is asked whose turn it is.
"""

cimport numpy as cnp
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsSsize_t, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from rosenblatt._kernels.rows.learning cimport learn_row, Log, MOST_CLASSES
from rosenblatt._kernels.rows.mappings cimport (
    MappingRow, MOST_UNORDERED, MOST_VALUES, sort_by_column, squared_norm_of, whole_as_double)
from rosenblatt._kernels.rows.readouts cimport rb_place, rb_readout, ReadoutArrays
from rosenblatt._kernels.rows.records cimport RecordPlan, RecordRow
from rosenblatt._kernels.rows.rows cimport rb_ops, rb_rows, Rows
from rosenblatt._kernels.rows.rules cimport Rule
from rosenblatt._kernels.rows.turns cimport Turns
from rosenblatt._kernels.rows.weights cimport rb_weights, WeightArrays

import numpy as np

from rosenblatt._kernels.rows.rows import dense
from rosenblatt._kernels.rows.weights import FLOAT32_LIMIT, FLOAT64_LIMIT

cnp.import_array()

cdef extern from "threads.h":
    const bint RB_ALONE  # else another thread may change a mapping while it is read

cdef extern from "rows/weights.h" nogil:
    double rb_share_of_table(const rb_weights *, int64_t seen) noexcept

cdef extern from "rows/texts.h":
    bint rb_is_same_text(PyObject *known, PyObject *key)

cdef double LIMIT32 = FLOAT32_LIMIT, LIMIT64 = FLOAT64_LIMIT
cdef const rb_ops *SPARSE = (<Rows>MappingRow({}).rows).ops
cdef const rb_ops *DENSE32 = (<Rows>dense(np.zeros((1, 1), np.float32))).ops
cdef const rb_ops *DENSE64 = (<Rows>dense(np.zeros((1, 1)))).ops
cdef frozenset TEXTS = frozenset([str, np.str_])
cdef frozenset WHOLE = frozenset([int, bool, *(np.dtype(code).type for code in "?bhilqBHILQ")])


cdef enum:
    UNSEEN = -1
    UNUSUAL = -2


cdef struct Example:
    rb_rows row
    const rb_ops *ops
    int64_t n_stored
    double squared_norm
    bint is_sparse
    int64_t starts[2]
    RecordRow of


cdef void set_sparse(Example *example, int64_t n, int64_t n_features) noexcept:
    """Let the row be the first values that were read."""
    example.starts[0], example.starts[1] = 0, n
    example.n_stored = n
    example.row = rb_rows(&example.of.values[0], &example.of.columns[0], &example.starts[0], 1,
                          n_features, n, NULL)
    example.ops = SPARSE


cdef bint read_record(Example *example, RecordPlan plan, dict x, WeightArrays weights,
                      bint learning) except -1:
    """Fill a row as the schema does; False if anything is unusual."""
    cdef int64_t row, column
    if not plan.read(&example.of, x, learning):
        return False
    example.is_sparse = not example.of.is_dense
    if example.is_sparse:
        set_sparse(example, example.of.n_values, example.of.n_features)
    else:
        example.row = rb_rows(&example.of.values[0], NULL, NULL, 1, example.of.n_features, 0, NULL)
        example.n_stored = example.of.n_features
        example.ops = DENSE64
    return example.of.n_features == weights.c.n_features and not example.ops.inspect(
        &example.row, LIMIT64, &row, &column, &example.squared_norm)


cdef bint read_array(Example *example, cnp.ndarray x, int ndim, WeightArrays weights) noexcept:
    """Let a row be the memory of an array of the type of the weights; False if it is unusual."""
    cdef bint single = weights.c.is_float32
    cdef int64_t d = weights.c.n_features, row, column
    if (cnp.PyArray_NDIM(x) != ndim or cnp.PyArray_SIZE(x) != d or d == 0
            or cnp.PyArray_DIM(x, ndim - 1) != d
            or cnp.PyArray_TYPE(x) != <int>(cnp.NPY_FLOAT32 if single else cnp.NPY_FLOAT64)
            or not cnp.PyArray_ISCARRAY_RO(x)):
        return False
    example.row = rb_rows(cnp.PyArray_DATA(x), NULL, NULL, 1, d, 0, NULL)
    example.n_stored = d
    example.ops = DENSE32 if single else DENSE64
    return not example.ops.inspect(&example.row, LIMIT32 if single else LIMIT64, &row, &column,
                                   &example.squared_norm)


cdef double *doubles_of(cnp.ndarray array, int64_t n) noexcept:
    """The numbers of an array; NULL if these are not so many, one after the other."""
    if (cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT64 or cnp.PyArray_SIZE(array) != n
            or not cnp.PyArray_ISCARRAY(array)):
        return NULL
    return <double *>cnp.PyArray_DATA(array)


cdef class Engine:
    """The parts of a linear model that single examples need, all of them typed.

    Whatever changes the learner otherwise throws its engine away, and the next example makes a new one.
    `rule` is None if only predictions take the fast path; `columns` are those of mappings, `plan` reads
    records, and without either rows are arrays. `log` takes the updates if they are recorded, `best`
    the weights that predict in the place of the last ones.
    """

    cdef readonly object model
    cdef WeightArrays weights
    cdef Rule rule
    cdef ReadoutArrays readouts
    cdef Log log
    cdef dict slots, columns
    cdef list classes, sorted_slots
    cdef readonly RecordPlan plan
    cdef tuple best
    cdef bint takes_arrays, last_wins, labels_fit_arrays
    cdef int64_t version, row_offset
    # The features of the latest mapping in their order, each with its column: those of the next one are
    # often the same.
    cdef PyObject *latest_features[MOST_VALUES]
    cdef int64_t latest_columns[MOST_VALUES]

    def __dealloc__(self):
        cdef int i
        for i in range(MOST_VALUES):
            Py_XDECREF(self.latest_features[i])

    def __init__(self, model, Rule rule, *, Log log=None, dict columns=None, RecordPlan plan=None,
                 bint takes_arrays=False, bint last_wins=False):
        self.model, self.rule, self.log = model, rule, log
        self.weights, self.readouts, self.best = model.weights, model.readouts, model.best
        self.classes, self.slots, self.sorted_slots = model.classes, model.slots, model.sorted_slots
        self.columns, self.plan = columns, plan
        self.takes_arrays, self.last_wins = takes_arrays, last_wins
        self.labels_fit_arrays = is_array_of(self.classes)
        self.version, self.row_offset = self.weights.version, model.row_offset

    def __reduce__(self):
        """A copy of a learner makes an engine of its own."""
        return _no_engine, ()

    def close(self):
        """Leave all examples to the fallback from here on, whoever still holds this engine."""
        self.version = -1

    cdef bint read(self, Example *example, x, int ndim, bint learning) except -1:
        """Read an example that the weights are arranged for; False if it is unusual.

        An array has so many dimensions, and one row.
        """
        cdef WeightArrays weights = self.weights
        cdef int64_t k = weights.c.n_vectors, d = weights.c.n_features, t = weights.t
        cdef bint usual
        example.of.is_running = False
        example.is_sparse = type(x) is dict
        if type(x) is not dict:
            usual = (self.takes_arrays and cnp.PyArray_CheckExact(x)
                     and read_array(example, x, ndim, weights))
        elif weights.c.is_float32:
            return False
        elif self.plan is not None:
            usual = read_record(example, self.plan, x, weights, learning)
        elif self.columns is not None:
            usual = self.read_mapping(example, x, not learning)
        else:
            return False
        # Reading may have run code of others, which may have learned something.
        return (usual and k <= MOST_CLASSES and (k == 1 or weights.by_feature == example.is_sparse)
                and len(self.classes) == (k if k > 1 else 2) and self.version == weights.version
                and weights.c.n_vectors == k and weights.c.n_features == d and weights.t == t)

    cdef bint read_mapping(self, Example *example, dict x, bint unseen_allowed) except -1:
        """Fill a row as a `MappingRow` does; False if anything is unusual."""
        cdef Py_ssize_t place = 0, size = PyDict_Size(x)
        cdef PyObject *key
        cdef PyObject *given
        cdef int64_t n = 0, column, last = -1
        cdef bint in_order = True
        cdef double value
        while PyDict_Next(x, &place, &key, &given):
            if PyFloat_Check(<object>given):
                value = PyFloat_AS_DOUBLE(<object>given)
            elif PyLong_CheckExact(<object>given) or PyBool_Check(<object>given):
                value = whole_as_double(<object>given)
            else:
                return False
            if not (-LIMIT64 <= value <= LIMIT64 and n < MOST_VALUES):
                return False
            if self.latest_features[n] != NULL and rb_is_same_text(self.latest_features[n], key):
                column = self.latest_columns[n]
            else:
                feature = <object>key  # held, whatever happens to the dict
                column = self.column_of(feature, n)
                if column == UNSEEN and unseen_allowed:
                    continue
                if column < 0:
                    return False
            in_order = in_order and last < column
            example.of.values[n], example.of.columns[n] = value, column
            last = column
            n += 1
        if PyDict_Size(x) != size or not (in_order or n <= MOST_UNORDERED):
            return False
        if not in_order:
            sort_by_column(example.of.columns, example.of.values, n)
        set_sparse(example, n, self.weights.c.n_features)
        example.squared_norm = squared_norm_of(example.of.values, n)
        return True

    cdef int64_t column_of(self, feature, int64_t n) except -3:
        """The column of a feature, the n-th of its mapping; `UNSEEN`, or `UNUSUAL`.

        The caller's dict may change meanwhile: a comparison with features of odd types runs any code.
        """
        cdef PyObject *known
        cdef int64_t column
        if not (PyUnicode_CheckExact(feature) or PyLong_CheckExact(feature)):
            return UNUSUAL
        known = PyDict_GetItemWithError(self.columns, feature)
        if known == NULL:
            return UNSEEN
        column = PyLong_AsSsize_t(<object>known)
        if not 0 <= column < self.weights.c.n_features:
            return UNUSUAL
        if PyUnicode_CheckExact(feature):
            Py_INCREF(feature)
            known = self.latest_features[n]
            self.latest_features[n] = <PyObject *>feature
            self.latest_columns[n] = column
            Py_XDECREF(known)
        return column

    def learn_one(self, x, y, Turns turns=None):
        """Learn from an example if all is usual; whether it was.

        `turns` are those of a learner that other threads may know.
        """
        return self.learn_usual(x, y, 1, turns)

    def learn_table(self, X, y, Turns turns=None):
        """The same of a table of one row, and an array of its label."""
        if not (cnp.PyArray_CheckExact(X) and cnp.PyArray_CheckExact(y)
                and cnp.PyArray_NDIM(y) == 1 and cnp.PyArray_SIZE(y) == 1):
            return False
        return self.learn_usual(X, y.item(), 2, turns)

    cdef bint learn_usual(self, x, y, int ndim, Turns turns) except -1:
        cdef Example example
        cdef PyObject *found
        cdef int64_t slot
        cdef long long n_changes = 0 if turns is None else turns.n_changes
        if not RB_ALONE or self.rule is None:
            return False
        try:
            found = PyDict_GetItemWithError(self.slots, y)
        except TypeError:  # it cannot be a label
            return False
        if found == NULL:
            return False
        slot = PyLong_AsSsize_t(<object>found)
        if ((self.columns is None or type(x) is not dict) and not is_plain_label(y)
                or not self.read(&example, x, ndim, True) or self.weights.busy
                or slot >= len(self.classes)):
            return False
        if turns is None:
            return self.learn_read(&example, slot)
        # Another thread may have changed the model while x was read, or may read it now.
        if turns.n_changes != n_changes or not turns.take():
            return False
        try:
            return self.learn_read(&example, slot)
        finally:
            turns.give_back()

    cdef bint learn_read(self, Example *example, int64_t slot) except -1:
        """Learn from an example that was read; False if it is unusual after all."""
        cdef rb_readout *readout = NULL
        cdef int64_t mistakes = 0, i, first = 0
        if self.readouts is not None:
            readout = self.readouts.beside(self.weights)
            if readout == NULL:
                return False
        if self.log is not None:
            first = self.log.c.size
        if not learn_row(self.weights, self.rule, readout, self.log, &example.row, example.ops,
                         example.n_stored, example.squared_norm, <int32_t>slot, &mistakes):
            return False
        if self.log is not None:
            for i in range(first, self.log.c.size):
                self.log.c.row[i] = self.weights.t - 1 + self.row_offset
        if example.of.is_running:
            self.plan.keep(&example.of)
        if mistakes:
            self.model.n_mistakes += mistakes
        return True

    def predict_one(self, x, Turns turns=None):
        """The class of an example if all is usual, else None.

        `turns` are those of a learner that other threads may know: of what they change nothing is said.
        """
        cdef long long n_changes = 0 if turns is None else turns.n_changes
        cdef Example example
        cdef double scores[MOST_CLASSES]
        cdef int64_t c, winner = -1
        if (not RB_ALONE or not self.read(&example, x, 1, False)
                or not (example.is_sparse or self.labels_fit_arrays)
                or not self.score(&example, scores)):
            return None
        if turns is not None and (turns.changing or turns.n_changes != n_changes):
            return None
        if self.weights.c.n_vectors == 1:
            return self.classes[scores[0] > 0.0 or (self.last_wins and scores[0] == 0.0)]
        for c in self.sorted_slots:
            if c < self.weights.c.n_vectors and (
                    winner < 0 or scores[c] > scores[winner]
                    or (self.last_wins and scores[c] == scores[winner])):
                winner = c
        return self.classes[winner]

    cdef bint score(self, Example *example, double *out) except -1:
        """The scores of an example by the weights that predict; False if it is unusual."""
        cdef WeightArrays weights = self.weights
        if self.best is not None:
            return score_best(example, self.best, weights, out)
        if self.readouts is not None:
            return score_readout(example, self.readouts, weights, out)
        if weights.c.u != NULL:
            return score_average(example, weights, out)
        score(example, &weights.c, weights.c.w, weights.c.b, out)
        return True


def _no_engine():
    return None


cdef bint is_plain_label(y) except -1:
    """Whether an array of this label holds it as it is: zeros at the end of a text are dropped."""
    if type(y) in TEXTS:
        return len(<str>y) == 0 or (<str>y)[len(<str>y) - 1] != 0
    return type(y) in WHOLE


cdef bint is_array_of(list labels) except -1:
    """Whether an array of these labels gives each of them back as it is."""
    if not labels:
        return False
    kind = type(labels[0])
    for label in labels:
        if type(label) is not kind or not is_plain_label(label):
            return False
    return kind is int or kind is str or kind is bool


cdef void score(Example *example, const rb_weights *weights, const char *w, const char *b,
                double *out) noexcept:
    """The scores of an example by w and b, which lie as `weights` do."""
    cdef int64_t k = weights.n_vectors
    cdef double room[MOST_CLASSES]
    cdef double bias
    if k == 1:
        bias = (<const float *>b)[0] if weights.is_float32 else (<const double *>b)[0]
        example.ops.score(&example.row, 0, 1, w, bias, out)
    else:
        example.ops.score_classes(&example.row, 0, 1, w, b, k, weights.feature_stride, room, out)


cdef bint score_best(Example *example, tuple best, WeightArrays weights, double *out) except -1:
    """The same by weights and biases that were kept; False if these are not arranged for it."""
    cdef int64_t k = weights.c.n_vectors
    cdef double *w = doubles_of(<cnp.ndarray?>best[0], k * weights.c.n_features)
    cdef double *b = doubles_of(<cnp.ndarray?>best[1], k)
    if w == NULL or b == NULL or weights.c.is_float32 or (k > 1 and example.is_sparse):
        return False
    score(example, &weights.c, <char *>w, <char *>b, out)
    return True


cdef bint score_average(Example *example, WeightArrays weights, double *out) except -1:
    """The same by the mean of the weights, in the order of operations that each kind of row has."""
    cdef double seen = max(weights.t - weights.c.average_from, 1)
    cdef double share = rb_share_of_table(&weights.c, weights.t)
    cdef double sums[MOST_CLASSES]
    cdef int64_t i
    if weights.c.is_float32:
        return False
    if not (example.is_sparse or weights.c.is_scaled):
        return score_lagging(example, weights, weights.c.u, weights.c.ub, 1.0, seen, out)
    score(example, &weights.c, weights.c.w, weights.c.b, out)
    score(example, &weights.c, <char *>weights.c.u, <char *>weights.c.ub, sums)
    for i in range(weights.c.n_vectors):
        out[i] = out[i] * share - sums[i] / seen
    return True


cdef bint score_readout(Example *example, ReadoutArrays readouts, WeightArrays weights,
                        double *out) except -1:
    """The same by the read-out that predicts; False if it is unusual."""
    cdef rb_readout *readout = readouts.beside(weights)
    cdef double sums[MOST_CLASSES]
    cdef int64_t i, place
    if readout == NULL or readout.gentle != NULL:  # a mix
        return False
    place = rb_place(readout)
    if place > 0 and not example.is_sparse:
        return score_lagging(example, weights, <double *>readout.lags[place - 1].w,
                             <double *>readout.lags[place - 1].b, readout.scales[place - 1], 1.0, out)
    score(example, &weights.c, weights.c.w, weights.c.b, out)
    if place > 0:
        score(example, readout.lags[place - 1], readout.lags[place - 1].w,
              readout.lags[place - 1].b, sums)
        for i in range(weights.c.n_vectors):
            out[i] -= readout.scales[place - 1] * sums[i]
    return True


cdef bint score_lagging(Example *example, WeightArrays weights, const double *lag,
                        const double *bias_lag, double scale, double parts, double *out) except -1:
    """The scores of a dense row by weights less what they are ahead, ``scale · lag / parts``."""
    cdef int64_t i, k = weights.c.n_vectors, size = k * weights.c.n_features
    cdef double *mean = <double *>malloc((size + k) * sizeof(double))
    if weights.c.is_float32 or mean == NULL:
        free(mean)
        return False
    for i in range(size):
        mean[i] = (<double *>weights.c.w)[i] - scale * lag[i] / parts
    for i in range(k):
        mean[size + i] = (<double *>weights.c.b)[i] - scale * bias_lag[i] / parts
    score(example, &weights.c, <char *>mean, <char *>(mean + size), out)
    free(mean)
    return True
