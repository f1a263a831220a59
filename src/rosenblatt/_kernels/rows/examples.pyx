"""One example, a mapping, a record or a 1-D array, learned from or predicted in a single call.

Only what is usual is done here, with the same result as by the longer ways in Python. Whatever is
unusual (values of odd types, features and classes that are new, a ledger to keep, a parameter that
was set) is left to them, and nothing has changed by then. The attributes of learner and model are
read from their dicts, and the lock of the interpreter is held. What runs code of others, such as a
comparison of odd features, comes first; after it, it is asked whose turn it is.
"""

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Size
from cpython.long cimport PyLong_AsSsize_t
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from rosenblatt._kernels.rows.learning cimport learn_row, MOST_CLASSES
from rosenblatt._kernels.rows.mappings cimport MappingRow, read_usual, squared_norm_of
from rosenblatt._kernels.rows.readouts cimport rb_readout, ReadoutArrays
from rosenblatt._kernels.rows.records cimport plan_for, RecordPlan, RecordRow
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

cdef extern from "Python.h":
    dict PyObject_GenericGetDict(object, void *)

cdef double LIMIT32 = FLOAT32_LIMIT, LIMIT64 = FLOAT64_LIMIT
cdef const rb_ops *SPARSE = (<Rows>MappingRow({}).rows).ops
cdef const rb_ops *DENSE32 = (<Rows>dense(np.zeros((1, 1), np.float32))).ops
cdef const rb_ops *DENSE64 = (<Rows>dense(np.zeros((1, 1)))).ops
cdef frozenset TEXTS = frozenset([str, np.str_])
cdef frozenset WHOLE = frozenset([int, bool, *(np.dtype(code).type for code in "?bhilqBHILQ")])


cdef struct Example:
    rb_rows row
    const rb_ops *ops
    int64_t n_stored
    double squared_norm
    bint is_sparse
    PyObject *plan  # by which a record was read, else NULL
    int64_t starts[2]
    RecordRow of


cdef inline object item(dict known, name):
    """What a dict has under a name, or None."""
    cdef PyObject *found = PyDict_GetItemWithError(known, name)
    return None if found == NULL else <object>found


cdef bint read_mapping(Example *example, dict x, dict columns, int64_t n_features,
                       bint unseen_allowed) except -1:
    """Fill a row as a `MappingRow` does; False if anything is unusual."""
    cdef int64_t n = read_usual(x, columns, n_features, unseen_allowed, example.of.values,
                                example.of.columns)
    if n < 0:
        return False
    set_sparse(example, n, n_features)
    example.squared_norm = squared_norm_of(example.of.values, n)
    return True


cdef void set_sparse(Example *example, int64_t n, int64_t n_features) noexcept:
    """Let the row be the first values that were read."""
    example.starts[0], example.starts[1] = 0, n
    example.n_stored = n
    example.row = rb_rows(&example.of.values[0], &example.of.columns[0], &example.starts[0], 1,
                          n_features, n)
    example.ops = SPARSE


cdef bint read_record(Example *example, dict learner, described, dict x, WeightArrays weights,
                      bint learning) except -1:
    """Fill a row as the schema does; False if anything is unusual."""
    cdef RecordPlan plan = plan_for(learner, described)
    cdef int64_t row, column
    if plan is None or not plan.read(&example.of, x, learning):
        return False
    example.is_sparse, example.plan = not example.of.is_dense, <PyObject *>plan
    if example.is_sparse:
        set_sparse(example, example.of.n_values, example.of.n_features)
    else:
        example.row = rb_rows(&example.of.values[0], NULL, NULL, 1, example.of.n_features, 0)
        example.n_stored = example.of.n_features
        example.ops = DENSE64
    return example.of.n_features == weights.c.n_features and not example.ops.inspect(
        &example.row, LIMIT64, &row, &column, &example.squared_norm)


cdef bint read_array(Example *example, cnp.ndarray x, WeightArrays weights) noexcept:
    """Let a row be the memory of a 1-D array of the type of the weights; False if it is unusual."""
    cdef bint single = weights.c.is_float32
    cdef int64_t d = weights.c.n_features, row, column
    if (cnp.PyArray_NDIM(x) != 1 or cnp.PyArray_DIM(x, 0) != d or d == 0
            or cnp.PyArray_TYPE(x) != <int>(cnp.NPY_FLOAT32 if single else cnp.NPY_FLOAT64)
            or not cnp.PyArray_ISCARRAY_RO(x)):
        return False
    example.row = rb_rows(cnp.PyArray_DATA(x), NULL, NULL, 1, d, 0)
    example.n_stored = d
    example.ops = DENSE32 if single else DENSE64
    return not example.ops.inspect(&example.row, LIMIT32 if single else LIMIT64, &row, &column,
                                   &example.squared_norm)


cdef bint read(Example *example, dict learner, dict model, WeightArrays weights, x,
               bint learning) except -1:
    """Read a mapping, record or array that the weights are arranged for; False if it is unusual."""
    cdef int64_t k = weights.c.n_vectors, d = weights.c.n_features, t = weights.t
    cdef dict notes = item(model, "notes")
    cdef bint usual
    described, columns = None, item(model, "columns")
    if PyDict_Size(notes) > 0:
        described = item(notes, "schema")
        if item(notes, "scaling") is not None:
            return False
    example.of.is_running, example.plan, example.is_sparse = False, NULL, type(x) is dict
    if type(x) is not dict:
        usual = (cnp.PyArray_CheckExact(x) and columns is None
                 and PyDict_GetItemWithError(learner, "_feature_names") == NULL
                 and read_array(example, x, weights))
    elif weights.c.is_float32 or (columns is None) is (described is None):
        return False
    elif described is not None:
        usual = read_record(example, learner, described, x, weights, learning)
    else:
        usual = read_mapping(example, x, columns, d, not learning)
    return (usual and k <= MOST_CLASSES and (k == 1 or weights.by_feature == example.is_sparse)
            and len(<list?>item(model, "classes")) == (k if k > 1 else 2)
            and weights.c.n_vectors == k and weights.c.n_features == d and weights.t == t)


cdef double *doubles_of(cnp.ndarray array, int64_t n) noexcept:
    """The numbers of an array; NULL if these are not so many, one after the other."""
    if (cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT64 or cnp.PyArray_SIZE(array) != n
            or not cnp.PyArray_ISCARRAY(array)):
        return NULL
    return <double *>cnp.PyArray_DATA(array)


cdef class PlainStream:
    """A model that learns as examples come, by a rule of these settings.

    `settings` are the values of the parameters called `names`, by which the rule was made. `row` is
    what mappings are read into; None as long as there was none.
    """

    cdef readonly object model
    cdef public object settings, row
    cdef public Rule rule
    cdef readonly tuple names
    cdef dict _of_model

    def __init__(self, model, Rule rule, settings, tuple names):
        self.model, self.rule, self.settings, self.names = model, rule, settings, names
        self._of_model = PyObject_GenericGetDict(model, NULL)

    def learn_plain(self, dict learner, x, y, Turns turns=None):
        """Learn from an example if all is usual; whether it was. `learner` is a dict of attributes.

        `turns` are those of a learner that other threads may know.
        """
        cdef Example example
        cdef WeightArrays weights
        cdef dict model = self._of_model
        cdef PyObject *found
        cdef int64_t slot
        cdef long long n_changes = 0 if turns is None else turns.n_changes
        cdef Py_ssize_t i
        if not RB_ALONE or type(self.settings) is not tuple:
            return False
        try:
            found = PyDict_GetItemWithError(<dict?>item(model, "slots"), y)
        except TypeError:  # it cannot be a label
            return False
        if found == NULL:
            return False
        slot = PyLong_AsSsize_t(<object>found)
        for i in range(len(self.names)):
            found = PyDict_GetItemWithError(learner, <object>self.names[i])
            if found != <PyObject *>(<tuple>self.settings)[i]:
                return False
        weights = item(model, "weights")
        if (item(learner, "_model") is not self.model or item(learner, "class_weight") is not None
                or item(model, "recorder") is not None or self.rule._python is not None
                or self.rule.c.rates != weights.c.rates
                or not (is_plain_label(y) if type(x) is not dict or item(model, "columns") is None
                        else self.row is not None
                        and (<MappingRow?>self.row).columns is item(model, "columns"))
                or not read(&example, learner, model, weights, x, True)
                or weights.busy or slot >= len(<list>item(model, "classes"))):
            return False
        if turns is None:
            return self._learn_read(&example, learner, weights, slot)
        # Another thread may have changed the model while x was read, or may read it now.
        if turns.n_changes != n_changes or not turns.take():
            return False
        try:
            return self._learn_read(&example, learner, weights, slot)
        finally:
            turns.give_back()

    cdef bint _learn_read(self, Example *example, dict learner, WeightArrays weights,
                          int64_t slot) except -1:
        """Learn from an example that was read; False if it is unusual after all."""
        cdef dict model = self._of_model
        cdef RecordPlan plan = None
        cdef ReadoutArrays readouts = item(model, "readouts")
        cdef rb_readout *readout = NULL
        cdef int64_t mistakes = 0
        if example.of.is_running:
            plan = plan_for(learner, item(item(model, "notes"), "schema"))
            if <PyObject *>plan != example.plan or not plan.is_own(
                    &example.of, <PyObject *>model, <PyObject *>learner):
                return False
        if readouts is not None:
            readout = readouts.beside(weights)
            if readout == NULL:
                return False
        if not learn_row(weights, self.rule, readout, &example.row, example.ops, example.n_stored,
                         example.squared_norm, <int32_t>slot, &mistakes):
            return False
        if plan is not None:
            plan.keep(&example.of)
        if mistakes:
            self.model.n_mistakes += mistakes
        return True


cdef bint is_plain_label(y) except -1:
    """Whether an array of this label holds it as it is: zeros at the end of a text are dropped."""
    if type(y) in TEXTS:
        return len(<str>y) == 0 or (<str>y)[len(<str>y) - 1] != 0
    return type(y) in WHOLE


cdef bint is_array_of(list labels) except -1:
    """Whether an array of these labels gives each of them back as it is."""
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
    cdef double sums[MOST_CLASSES]
    cdef int64_t i
    if not example.is_sparse:
        return score_lagging(example, weights, weights.c.u, weights.c.ub, 1.0, seen, out)
    score(example, &weights.c, weights.c.w, weights.c.b, out)
    score(example, &weights.c, <char *>weights.c.u, <char *>weights.c.ub, sums)
    for i in range(weights.c.n_vectors):
        out[i] -= sums[i] / seen
    return True


cdef bint score_readout(Example *example, ReadoutArrays readouts, int64_t place, WeightArrays weights,
                        double *out) except -1:
    """The same by the read-out at a place; False if it is unusual."""
    cdef rb_readout *readout = readouts.beside(weights)
    cdef double sums[MOST_CLASSES]
    cdef int64_t i
    if readout == NULL or readout.gentle != NULL:  # a mix
        return False
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


def predict_plain(dict learner, x, Turns turns=None):
    """The class of an example if all is usual, else None. `learner` is a dict of attributes.

    `turns` are those of a learner that other threads may know: of what they change nothing is said.
    """
    cdef long long n_changes = 0 if turns is None else turns.n_changes
    cdef Example example
    cdef WeightArrays weights
    cdef dict model
    cdef ReadoutArrays readouts = None
    cdef list classes, order
    cdef double scores[MOST_CLASSES]
    cdef int64_t c, place = 0, winner = -1
    cdef bint last_wins
    owner, ties = item(learner, "_model"), item(learner, "ties")
    if not RB_ALONE or owner is None or type(ties) is not str:
        return None
    model, last_wins = PyObject_GenericGetDict(owner, NULL), ties == "positive"
    readouts = item(model, "readouts")
    if readouts is not None:
        place = readouts.place  # before anything is read, since other threads may run
    weights, classes = item(model, "weights"), item(model, "classes")
    if (not classes or not read(&example, learner, model, weights, x, False)
            or not (example.is_sparse or is_array_of(classes))):
        return None
    if item(model, "best") is not None:
        if not score_best(&example, item(model, "best"), weights, scores):
            return None
    elif readouts is not None:
        if not score_readout(&example, readouts, place, weights, scores):
            return None
    elif weights.c.u == NULL:
        score(&example, &weights.c, weights.c.w, weights.c.b, scores)
    elif not score_average(&example, weights, scores):
        return None
    if turns is not None and (turns.changing or turns.n_changes != n_changes):
        return None
    if weights.c.n_vectors == 1:
        return classes[scores[0] > 0.0 or (last_wins and scores[0] == 0.0)]
    order = item(model, "sorted_slots")
    for c in order:
        if c < weights.c.n_vectors and (winner < 0 or scores[c] > scores[winner]
                                        or (last_wins and scores[c] == scores[winner])):
            winner = c
    return classes[winner]
