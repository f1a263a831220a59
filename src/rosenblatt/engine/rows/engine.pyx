"""The engine: whatever learns from rows, or scores them by weights that still learn, goes through here.

`Engine.learn` takes a table of rows, `learn_one` a mapping, a record or a 1-D array, `replay` recorded
updates. All of them fill a walk and call `rb_learn` of loop.h, which is the only way into the weights.
`serve` gives the weights that predict, `score` the scores of some rows by them.

Single examples have a fast path in `Engine`, one compiled call. An example that is unusual (values of odd
types, features and classes that are new, a rule written in Python) is left to the fallback in Python, with
the same result, and nothing has changed by then. The lock of the interpreter is held meanwhile. Whatever may
run code of others, such as a comparison of odd features, comes first; after it, the engine checks whose turn
it is.
"""

cimport numpy as cnp
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsSsize_t, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from rosenblatt.engine.rows.mappings cimport (
    MappingRow, MOST_UNORDERED, MOST_VALUES, sort_by_column, squared_norm_of, whole_as_double)
from rosenblatt.engine.rows.records cimport RecordPlan, RecordRow
from rosenblatt.engine.rows.rows cimport (
    RB_BLOCK, rb_block, rb_ops, rb_rows, rb_search, Rows, same_type)
from rosenblatt.engine.rows.rules cimport rb_rule, Rule
from rosenblatt.engine.turns cimport Turns
from rosenblatt.engine.rows.weights cimport rb_weights, WeightArrays

import numpy as np

from rosenblatt.engine.rows.rows import dense
from rosenblatt.engine.rows.weights import FLOAT32_LIMIT, FLOAT64_LIMIT

cnp.import_array()

cdef extern from "threads.h":
    const bint RB_ALONE  # else another thread may change a mapping while it is read

cdef extern from "ties.h":
    bint rb_beats(double score, double best, bint wins_tie) noexcept nogil

cdef extern from "rows/texts.h":
    bint rb_is_same_text(PyObject *known, PyObject *key)

cdef extern from "rows/readout.h" nogil:
    enum: RB_MEANS, RB_MOST_READ, RB_BY_MISTAKES, RB_MIXED

    ctypedef struct rb_readout:
        double *lags[3]
        double *bias_lags[3]
        bint has_gentle
        rb_weights gentle
        const rb_rule *gentle_rule
        double *scales
        double *errors
        const double *rates
        double fading
        double sharpness
        double smallest_scale
        int place
        int64_t t

    int rb_place(const rb_readout *) noexcept
    void rb_shares(const rb_readout *, double *shares) noexcept
    void rb_score_by(const rb_rows *, const rb_ops *, int64_t row, const rb_weights *, const void *w,
                     const void *b, void *room, double *out) noexcept
    void rb_score_served(const rb_rows *, const rb_ops *, int64_t row, const rb_weights *,
                         const rb_readout *, int64_t seen, void *room, double *by_each,
                         double *out) noexcept
    void rb_serve(const rb_weights *, const rb_readout *, int64_t seen, double *coef,
                  double *bias) noexcept

cdef extern from "rows/loop.h" nogil:
    ctypedef struct rb_log:
        int64_t *row
        int32_t *right
        int32_t *wrong
        double *step
        int64_t *t
        double *change
        double *scale
        int64_t *folds
        double *clock
        int64_t size
        int64_t capacity

    ctypedef struct rb_tally:
        int64_t mistakes
        int64_t updates
        double step_sum
        double raised_sum
        double loss
        int64_t refused
        int32_t *counts
        double *alpha

    ctypedef struct rb_tested:
        int32_t *wrong
        double *scores
        bint latest

    ctypedef struct rb_walk:
        rb_search search
        const rb_rows *rows
        const rb_ops *ops
        const rb_rule *rule
        rb_weights *weights
        rb_tally *tally
        rb_log *log
        const double *row_weights
        double longest_row
        int64_t seen_at_zero
        rb_readout *readout
        int64_t most_stored
        int index_bytes
        const rb_log *recorded

    int64_t rb_room(const rb_walk *, const rb_tested *) noexcept
    int64_t rb_learn(rb_walk *, const rb_tested *, double *) noexcept

cdef double LIMIT32 = FLOAT32_LIMIT
cdef double LIMIT64 = FLOAT64_LIMIT

# The functions of rows.h for the rows of single examples.
cdef const rb_ops *SPARSE = (<Rows>MappingRow({}).rows).ops
cdef const rb_ops *DENSE32 = (<Rows>dense(np.zeros((1, 1), np.float32))).ops
cdef const rb_ops *DENSE64 = (<Rows>dense(np.zeros((1, 1)))).ops

# Types of labels that can be usual.
cdef frozenset TEXTS = frozenset([str, np.str_])
cdef frozenset WHOLE = frozenset([int, bool, *(np.dtype(code).type for code in "?bhilqBHILQ")])

# The planes of the weights in which read-outs keep what they need for each weight.
LAG_PLANES = "lag of average", "lag of slow", "lag of fast"
GENTLE_PLANE = "gentle"


cdef enum:
    UNSEEN = -1
    UNUSUAL = -2
    MOST_CLASSES = 256  # that single examples have room for on the stack
    ROOM_ON_STACK = 2048


# ---------------------------------------------------------------------- what a run leaves behind

cdef class Log:
    """Updates in the order they were made; bounded, emptied by the caller.

    `change`, by how much the rates of the weights fell, is empty without rates; `scale`, `folds` and
    `clock` are empty unless weights are scaled.
    """

    cdef readonly cnp.ndarray row
    cdef readonly cnp.ndarray right
    cdef readonly cnp.ndarray wrong
    cdef readonly cnp.ndarray step
    cdef readonly cnp.ndarray t
    cdef readonly cnp.ndarray change
    cdef readonly cnp.ndarray scale
    cdef readonly cnp.ndarray folds
    cdef readonly cnp.ndarray clock
    cdef rb_log c

    def __init__(self, int64_t capacity, *, bint with_rates=False, bint with_scales=False):
        cdef int64_t for_rates = capacity if with_rates else 0
        cdef int64_t for_scales = capacity if with_scales else 0
        self.row = np.empty(capacity, np.int64)
        self.right = np.empty(capacity, np.int32)
        self.wrong = np.empty(capacity, np.int32)
        self.step = np.empty(capacity, np.float64)
        self.t = np.empty(capacity, np.int64)
        self.change = np.empty(for_rates, np.float64)
        self.scale = np.empty(for_scales, np.float64)
        self.folds = np.empty(for_scales, np.int64)
        self.clock = np.empty(for_scales, np.float64)
        self.c = log_of(self.row, self.right, self.wrong, self.step, self.t, self.change, self.scale,
                        self.folds, self.clock)
        self.c.capacity = capacity

    @property
    def size(self):
        """How many updates it holds."""
        return self.c.size

    @size.setter
    def size(self, int64_t size):
        self.c.size = size


cdef rb_log log_of(cnp.ndarray row, cnp.ndarray right, cnp.ndarray wrong, cnp.ndarray step,
                   cnp.ndarray t, cnp.ndarray change, cnp.ndarray scale, cnp.ndarray folds,
                   cnp.ndarray clock):
    """Point a log to columns; those that are empty are left out."""
    cdef rb_log log
    memset(&log, 0, sizeof(log))
    log.row = <int64_t *>cnp.PyArray_DATA(row)
    log.right = <int32_t *>cnp.PyArray_DATA(right)
    log.wrong = <int32_t *>cnp.PyArray_DATA(wrong)
    log.step = <double *>cnp.PyArray_DATA(step)
    log.t = <int64_t *>cnp.PyArray_DATA(t)
    if cnp.PyArray_SIZE(change):
        log.change = <double *>cnp.PyArray_DATA(change)
    if cnp.PyArray_SIZE(scale):
        log.scale = <double *>cnp.PyArray_DATA(scale)
        log.folds = <int64_t *>cnp.PyArray_DATA(folds)
        log.clock = <double *>cnp.PyArray_DATA(clock)
    return log


cdef class Tally:
    """What a run adds up: mistakes and updates in all, and for each row.

    `step_sum` adds the steps that moved two classes apart, `raised_sum` those that raised the right
    class without lowering another, `loss` the loss of a rule that minimizes one; `refused` is the row
    whose update would overflow, or -1.
    """

    cdef rb_tally c
    cdef readonly object mistakes_per_row
    cdef readonly object dual

    def __init__(self, mistakes_per_row=None, dual=None):
        self.c.refused = -1
        self.mistakes_per_row = mistakes_per_row
        self.dual = dual
        if mistakes_per_row is not None:
            self.c.counts = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>mistakes_per_row)
        if dual is not None:
            self.c.alpha = <double *>cnp.PyArray_DATA(<cnp.ndarray?>dual)

    @property
    def mistakes(self):
        return self.c.mistakes

    @property
    def updates(self):
        return self.c.updates

    @property
    def step_sum(self):
        return self.c.step_sum

    @property
    def raised_sum(self):
        return self.c.raised_sum

    @property
    def loss(self):
        return self.c.loss

    @property
    def refused(self):
        return self.c.refused


cdef class Watch:
    """What is predicted for each row just before it is learned from.

    An averaged model predicts by its average so far, one with read-outs by these; with `latest` it is
    the mistakes of the last weights that count all the same. `wrong` gets 1 for every row whose class
    did not have the highest score by itself, `scores`, if given, those that predict: (n_rows,) for one
    vector, else (n_rows, n_vectors). Numbers are float64.
    """

    cdef rb_tested c
    cdef readonly object wrong
    cdef readonly object scores
    cdef readonly bint latest

    def __init__(self, cnp.ndarray wrong, scores=None, *, bint latest=False):
        self.wrong = wrong
        self.scores = scores
        self.latest = latest
        self.c.latest = latest
        self.c.wrong = <int32_t *>cnp.PyArray_DATA(wrong)
        if scores is not None:
            self.c.scores = <double *>cnp.PyArray_DATA(<cnp.ndarray?>scores)


# ---------------------------------------------------------------------- what predicts

cdef class ReadoutArrays:
    """How the means of a stream follow its weights: numbers beside the planes that hold their lags.

    Each mean lags behind the weights by its plane (`LAG_PLANES`) times its number in `scales`; `errors`
    are the mistakes of each read-out. A mix learns a second, gentle learner by `rule`, in a plane of its
    own (`GENTLE_PLANE`), and the means are those of its weights.
    """

    cdef rb_readout c
    cdef readonly cnp.ndarray scales
    cdef readonly cnp.ndarray errors
    cdef readonly cnp.ndarray rates
    cdef readonly Rule rule
    # The weights that the pointers were taken from, and their version.
    cdef WeightArrays followed
    cdef int64_t followed_version

    def bind(self, Rule rule, cnp.ndarray scales, cnp.ndarray errors, cnp.ndarray rates, *,
             bint is_mix, double fading, double sharpness, double smallest_scale):
        """Use these numbers from here on."""
        self.rule = rule
        self.scales = scales
        self.errors = errors
        self.rates = rates
        for array, n in (scales, RB_MEANS), (rates, RB_MEANS), (errors, RB_MEANS + 1 + is_mix):
            if cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT64 or array.shape != (n,):
                raise ValueError(f"not an array of {n} numbers: {array!r}")

        self.c.scales = <double *>cnp.PyArray_DATA(scales)
        self.c.errors = <double *>cnp.PyArray_DATA(errors)
        self.c.rates = <const double *>cnp.PyArray_DATA(rates)
        self.c.has_gentle = is_mix
        self.c.gentle_rule = &rule.c
        self.c.fading = fading
        self.c.sharpness = sharpness
        self.c.smallest_scale = smallest_scale
        self.followed = None

    @property
    def t(self):
        """Examples that the means have followed."""
        return self.c.t

    @t.setter
    def t(self, t):
        self.c.t = t

    @property
    def gentle_reach(self):
        """A bound on the absolute value of every weight of the gentle learner."""
        return self.c.gentle.reach

    @gentle_reach.setter
    def gentle_reach(self, double reach):
        self.c.gentle.reach = reach

    def choose(self, place):
        """Let the read-out at a place predict; None: the one with the fewest mistakes, or the mix."""
        if place is not None:
            self.c.place = place
        else:
            self.c.place = RB_MIXED if self.c.has_gentle else RB_BY_MISTAKES

    @property
    def place(self):
        """The place of the read-out that predicts; of a mix, of the one that counts most."""
        return rb_place(&self.c)

    @property
    def shares(self):
        """How much each read-out counts in a mix."""
        cdef double shares[RB_MOST_READ]
        rb_shares(&self.c, shares)
        return [shares[i] for i in range(cnp.PyArray_DIM(self.errors, 0))]

    cdef rb_readout *of(self, WeightArrays weights) except NULL:
        """Return the read-outs of these weights, as they lie in memory now."""
        cdef cnp.ndarray table, bias
        cdef int i
        if self.followed is weights and self.followed_version == weights.version:
            return &self.c
        if weights.c.is_float32:
            raise TypeError("only float64 weights have read-outs")

        for i in range(RB_MEANS):
            table, bias = weights.planes[LAG_PLANES[i]]
            self.c.lags[i] = <double *>cnp.PyArray_DATA(table)
            self.c.bias_lags[i] = <double *>cnp.PyArray_DATA(bias)
        if self.c.has_gentle:
            self.point_to_gentle(weights)
        self.followed = weights
        self.followed_version = weights.version
        return &self.c

    cdef int point_to_gentle(self, WeightArrays weights) except -1:
        """Make the gentle learner's weights: of the same shape, without running sums and rates."""
        cdef cnp.ndarray table, bias
        cdef double reach = self.c.gentle.reach
        table, bias = weights.planes[GENTLE_PLANE]
        self.c.gentle = weights.c
        self.c.gentle.w = <char *>cnp.PyArray_DATA(table)
        self.c.gentle.b = <char *>cnp.PyArray_DATA(bias)
        self.c.gentle.u = NULL
        self.c.gentle.ub = NULL
        self.c.gentle.rate = NULL
        self.c.gentle.bias_rate = NULL
        self.c.gentle.rates = 0
        self.c.gentle.reach = reach
        return 0


cdef const rb_readout *readout_of(ReadoutArrays readouts, WeightArrays weights) except? NULL:
    """Return the read-outs of these weights, or NULL if there are none."""
    if readouts is None:
        return NULL
    return readouts.of(weights)


def serve(WeightArrays weights, ReadoutArrays readouts=None):
    """Return the weights and biases that predict: by the read-outs if there are any, else the mean."""
    cdef const rb_readout *readout = readout_of(readouts, weights)
    cdef cnp.ndarray coef = np.empty((weights.c.n_vectors, weights.c.n_features))
    cdef cnp.ndarray bias = np.empty(weights.c.n_vectors)
    if readout == NULL and weights.c.u == NULL:
        raise TypeError("weights without running sums and read-outs predict as they are")

    # The interpreter's lock is held: nobody else may give the weights another memory meanwhile.
    rb_serve(&weights.c, readout, weights.t, <double *>cnp.PyArray_DATA(coef),
             <double *>cnp.PyArray_DATA(bias))
    return coef, bias


def score(WeightArrays weights, Rows rows, ReadoutArrays readouts=None):
    """Score a few rows, which the weights are arranged for, by what predicts.

    Return (n,) for one vector, else (n, n_vectors). The weights that predict are not made for it, so that the
    cost is that of the values which the rows store. Weights that are averaged are float64.
    """
    cdef const rb_readout *readout = readout_of(readouts, weights)
    cdef int64_t k = weights.c.n_vectors
    cdef int64_t n = rows.c.n_rows
    cdef int64_t row
    cdef cnp.ndarray out = np.empty((n, k))
    cdef double *to = <double *>cnp.PyArray_DATA(out)
    cdef double *room
    same_type(rows, weights.c.is_float32)
    if weights.c.is_float32 and weights.c.u != NULL:
        raise TypeError("only float64 weights are scored by their mean")

    # First RB_MOST_READ scores a vector, then what the functions of rows.h need.
    room = <double *>malloc((RB_BLOCK + RB_MOST_READ) * k * sizeof(double))
    if room == NULL:
        raise MemoryError
    for row in range(n):
        rb_score_served(&rows.c, rows.ops, row, &weights.c, readout, weights.t,
                        room + RB_MOST_READ * k, room, to + row * k)
    free(room)

    rows.refuse_changed()
    return out.ravel() if k == 1 else out


def replay(WeightArrays weights, Rows rows, cnp.ndarray row, cnp.ndarray right, cnp.ndarray wrong,
           cnp.ndarray step, cnp.ndarray t, cnp.ndarray change, cnp.ndarray scale,
           cnp.ndarray folds, cnp.ndarray clock, int64_t start, int64_t stop):
    """Repeat the recorded updates start .. stop - 1 on `weights`, in the order of training.

    Folds of scaled weights are repeated, and running sums count by the clock that was recorded. What
    scaled the weights after the last update is left to the caller.
    """
    cdef rb_log log = log_of(row, right, wrong, step, t, change, scale, folds, clock)
    cdef rb_walk walk
    same_type(rows, weights.c.is_float32)

    memset(&walk, 0, sizeof(walk))
    walk.search.at = start
    walk.search.stop = stop
    walk.rows = &rows.c
    walk.ops = rows.ops
    walk.weights = &weights.c
    walk.recorded = &log

    weights.claim()
    with nogil:
        rb_learn(&walk, NULL, NULL)
    weights.release()
    rows.refuse_changed()


# ---------------------------------------------------------------------- single examples

# One row on the stack: where its values lie, and what of them was measured.
cdef struct Example:
    rb_rows row
    const rb_ops *ops
    int64_t n_stored
    double squared_norm
    bint is_sparse
    int64_t starts[2]
    RecordRow of  # values and columns of mappings and records


cdef void set_sparse(Example *example, int64_t n, int64_t n_features) noexcept:
    """Let the row be the first values that were read."""
    example.starts[0] = 0
    example.starts[1] = n
    example.n_stored = n
    example.row = rb_rows(&example.of.values[0], &example.of.columns[0], &example.starts[0], 1,
                          n_features, n, NULL)
    example.ops = SPARSE


cdef bint read_record(Example *example, RecordPlan plan, dict x, WeightArrays weights,
                      bint learning) except -1:
    """Fill a row as the schema does; return False if anything is unusual."""
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

    if example.of.n_features != weights.c.n_features:
        return False
    return not example.ops.inspect(&example.row, LIMIT64, &row, &column, &example.squared_norm)


cdef bint read_array(Example *example, cnp.ndarray x, int ndim, WeightArrays weights) noexcept:
    """Let a row be the memory of an array of the type of the weights; return False if it is unusual."""
    cdef bint single = weights.c.is_float32
    cdef int wanted_type = cnp.NPY_FLOAT32 if single else cnp.NPY_FLOAT64
    cdef double limit = LIMIT32 if single else LIMIT64
    cdef int64_t d = weights.c.n_features
    cdef int64_t row, column
    if cnp.PyArray_NDIM(x) != ndim or cnp.PyArray_SIZE(x) != d or d == 0:
        return False
    if cnp.PyArray_DIM(x, ndim - 1) != d or cnp.PyArray_TYPE(x) != wanted_type:
        return False
    if not cnp.PyArray_ISCARRAY_RO(x):
        return False

    example.row = rb_rows(cnp.PyArray_DATA(x), NULL, NULL, 1, d, 0, NULL)
    example.n_stored = d
    example.ops = DENSE32 if single else DENSE64
    return not example.ops.inspect(&example.row, limit, &row, &column, &example.squared_norm)


cdef double *doubles_of(cnp.ndarray array, int64_t n) noexcept:
    """Return the numbers of an array; NULL if these are not so many, one after the other."""
    if cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT64 or cnp.PyArray_SIZE(array) != n:
        return NULL
    if not cnp.PyArray_ISCARRAY(array):
        return NULL
    return <double *>cnp.PyArray_DATA(array)


# ---------------------------------------------------------------------- the engine

cdef class Engine:
    """Weights, the rule that they learn by, and what predicts.

    `rule` is None if it only predicts, `readouts` are None if the last weights predict, or their mean.
    `open` makes it ready for single examples. It stays so until the model changes in another way than by
    these: then `close` leaves them to the fallback.
    """

    cdef readonly WeightArrays weights
    cdef readonly Rule rule
    cdef readonly ReadoutArrays readouts

    # Single examples: the model, its classes, what reads them, and who takes the updates.
    cdef readonly object model
    cdef Log log
    cdef dict slots  # the number of each class
    cdef dict columns  # those of features of mappings
    cdef list classes
    cdef list sorted_slots
    cdef readonly RecordPlan plan
    cdef tuple best
    cdef bint learns_one
    cdef bint takes_arrays
    cdef bint last_wins
    cdef bint labels_fit_arrays
    cdef int64_t version  # of the weights when this was opened; -1 once it is closed
    cdef int64_t row_offset
    # The features of the latest mapping in their order, each with its column: those of the next one are
    # often the same.
    cdef PyObject *latest_features[MOST_VALUES]
    cdef int64_t latest_columns[MOST_VALUES]

    def __cinit__(self):
        self.version = -1

    def __init__(self, WeightArrays weights, Rule rule=None, ReadoutArrays readouts=None):
        self.weights = weights
        self.rule = rule
        self.readouts = readouts

    def __dealloc__(self):
        self.forget_features()

    cdef void forget_features(self) noexcept:
        cdef int i
        for i in range(MOST_VALUES):
            Py_XDECREF(self.latest_features[i])
            self.latest_features[i] = NULL

    def __reduce__(self):
        """Leave the engine out of a copy of a learner, which makes one of its own."""
        return _no_engine, ()

    # ------------------------------------------------------------------ tables

    def learn(self, Rows rows, cnp.ndarray labels, int64_t start, int64_t stop, Tally tally, *,
              cnp.ndarray order=None, cnp.ndarray row_weights=None, Log log=None, Watch watch=None,
              cnp.ndarray upcoming=None):
        """Learn from positions start .. stop - 1 of the order; return the position reached.

        `upcoming` rows, needed by the next call, are read from memory meanwhile. It stops early when the
        log is full or `tally.refused` names a row. What a rule written in Python raises is raised here;
        the caller restores what was learned before that row.
        """
        cdef WeightArrays weights = self.weights
        cdef rb_walk walk
        cdef rb_block block
        cdef rb_tested *tested = NULL if watch is None else &watch.c
        cdef int64_t reached
        cdef double *room
        self.check_fit(rows, watch)
        self.fill_walk(&walk, rows, labels, start, stop, tally)
        if order is not None:
            walk.search.order = <const int64_t *>cnp.PyArray_DATA(order)
        if upcoming is not None and cnp.PyArray_DIM(upcoming, 0):
            walk.search.upcoming = <const int64_t *>cnp.PyArray_DATA(upcoming)
            walk.search.n_upcoming = cnp.PyArray_DIM(upcoming, 0)
        if row_weights is not None:
            walk.row_weights = <const double *>cnp.PyArray_DATA(row_weights)
        if log is not None:
            walk.log = &log.c

        room = <double *>malloc(rb_room(&walk, tested) * sizeof(double))
        if room == NULL:
            raise MemoryError
        if tested == NULL and self.scores_in_blocks(&walk):
            block.scores = room + weights.c.n_vectors
            walk.search.block = &block
        try:
            weights.claim()
            with nogil:
                reached = rb_learn(&walk, tested, room)
            weights.release()
        finally:
            free(room)

        self.raise_error_of_rule()
        weights.t = walk.seen_at_zero + reached
        rows.refuse_changed()
        return reached

    cdef int check_fit(self, Rows rows, Watch watch) except -1:
        """Refuse rows, rules and weights that do not belong together."""
        cdef WeightArrays weights = self.weights
        cdef Rule rule = self.rule
        same_type(rows, weights.c.is_float32)
        if watch is not None and weights.c.is_float32:
            raise TypeError("only float64 weights can be watched")
        if rule.c.rates != weights.c.rates:
            raise TypeError(f"a rule with rates {rule.rates}, but weights with {weights.rates}")
        if rule.scales != weights.c.is_scaled:
            raise TypeError("a rule that scales learns on weights that are scaled, and no other does")
        return 0

    cdef int fill_walk(self, rb_walk *walk, Rows rows, cnp.ndarray labels, int64_t start, int64_t stop,
                       Tally tally) except -1:
        """Describe a walk over rows as they stand."""
        cdef WeightArrays weights = self.weights
        memset(walk, 0, sizeof(walk[0]))
        walk.search.labels = <const int32_t *>cnp.PyArray_DATA(labels)
        walk.search.counts = tally.c.counts
        walk.search.at = start
        walk.search.stop = stop
        walk.search.quiet_above = self.rule.c.quiet_above
        walk.rows = &rows.c
        walk.ops = rows.ops
        walk.rule = &self.rule.c
        walk.weights = &weights.c
        walk.tally = &tally.c
        walk.seen_at_zero = weights.t - start
        walk.longest_row = sqrt(rows.largest_squared_norm + weights.c.fit_intercept)
        if self.readouts is not None:
            walk.readout = self.readouts.of(weights)
            walk.most_stored = rows.most_stored()
            walk.index_bytes = rows.index_bytes
        tally.c.refused = -1
        return 0

    cdef bint scores_in_blocks(self, const rb_walk *walk) noexcept:
        """Return whether several rows are scored together: never if all classes may move, as at a fold."""
        if walk.readout != NULL or not walk.ops.in_blocks:
            return False
        if self.rule.blames_all_rivals or self.rule.scales:
            return False
        return self.weights.c.n_vectors > 3  # with three there is nothing to gain

    cdef int raise_error_of_rule(self) except -1:
        """Raise what a rule written in Python has raised."""
        error = self.rule.error
        if error is not None:
            self.rule.error = None
            raise error
        return 0

    # ------------------------------------------------------------------ single examples

    def open(self, model, *, bint learns, Log log=None, dict columns=None, RecordPlan plan=None,
             bint takes_arrays=False, bint last_wins=False):
        """Get ready for single examples of this model, whose weights these are.

        `columns` are those of mappings, `plan` reads records, and without either rows are arrays. `log`
        takes the updates if they are recorded. `last_wins`: of equal scores the last class is predicted.
        """
        self.forget_features()
        self.model = model
        self.learns_one = learns
        self.log = log
        self.columns = columns
        self.plan = plan
        self.takes_arrays = takes_arrays
        self.last_wins = last_wins
        self.best = model.best
        self.classes = model.classes
        self.slots = model.slots
        self.sorted_slots = model.sorted_slots
        self.labels_fit_arrays = is_array_of(self.classes)
        self.row_offset = model.row_offset
        self.version = self.weights.version

    def close(self):
        """Leave single examples to the fallback from here on, whoever still holds this engine."""
        self.version = -1

    cdef bint read(self, Example *example, x, int ndim, bint learning) except -1:
        """Read an example that the weights are arranged for; return False if it is unusual.

        An array has so many dimensions, and one row.
        """
        cdef WeightArrays weights = self.weights
        cdef int64_t k = weights.c.n_vectors
        cdef int64_t d = weights.c.n_features
        cdef int64_t t = weights.t
        cdef bint usual
        example.of.is_running = False
        example.is_sparse = type(x) is dict
        if not example.is_sparse:
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
        if not usual or k > MOST_CLASSES or len(self.classes) != (k if k > 1 else 2):
            return False
        if k > 1 and weights.by_feature != example.is_sparse:
            return False

        # Reading may have run code of others, which may have learned something.
        return (self.version == weights.version and weights.c.n_vectors == k
                and weights.c.n_features == d and weights.t == t)

    cdef bint read_mapping(self, Example *example, dict x, bint unseen_allowed) except -1:
        """Fill a row as a `MappingRow` does; return False if anything is unusual."""
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t size = PyDict_Size(x)
        cdef PyObject *key
        cdef PyObject *given
        cdef int64_t n = 0
        cdef int64_t column
        cdef int64_t last = -1
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
            last = column
            example.of.values[n] = value
            example.of.columns[n] = column
            n += 1

        if PyDict_Size(x) != size:  # it changed while it was read
            return False
        if not in_order and n > MOST_UNORDERED:
            return False
        if not in_order:
            sort_by_column(example.of.columns, example.of.values, n)
        set_sparse(example, n, self.weights.c.n_features)
        example.squared_norm = squared_norm_of(example.of.values, n)
        return True

    cdef int64_t column_of(self, feature, int64_t n) except -3:
        """Return the column of a feature, the n-th of its mapping; `UNSEEN`, or `UNUSUAL`.

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
            # The old one is let go of last: that may run code of others.
            Py_INCREF(feature)
            known = self.latest_features[n]
            self.latest_features[n] = <PyObject *>feature
            self.latest_columns[n] = column
            Py_XDECREF(known)
        return column

    def learn_one(self, x, y, Turns turns=None):
        """Learn from an example; return False if it is unusual, and then nothing has changed.

        `turns` are those of a learner that other threads may know.
        """
        return self.learn_usual(x, y, 1, turns)

    def learn_table(self, X, y, Turns turns=None):
        """Learn from a table of one row and an array of its label, as `learn_one` does."""
        if not (cnp.PyArray_CheckExact(X) and cnp.PyArray_CheckExact(y)
                and cnp.PyArray_NDIM(y) == 1 and cnp.PyArray_SIZE(y) == 1):
            return False
        return self.learn_usual(X, y.item(), 2, turns)

    cdef bint learn_usual(self, x, y, int ndim, Turns turns) except -1:
        """Learn from an example, whose array has so many dimensions; return False if it is unusual."""
        cdef Example example
        cdef PyObject *found
        cdef int64_t slot
        cdef long long n_changes = 0 if turns is None else turns.n_changes
        if not RB_ALONE or self.version < 0 or not self.learns_one:
            return False
        try:
            found = PyDict_GetItemWithError(self.slots, y)
        except TypeError:  # it cannot be a label
            return False
        if found == NULL:
            return False
        slot = PyLong_AsSsize_t(<object>found)

        if (self.columns is None or type(x) is not dict) and not is_plain_label(y):
            return False
        if not self.read(&example, x, ndim, True):
            return False
        if self.weights.is_busy() or slot >= len(self.classes):
            return False

        if turns is None:
            return self.learn_read(&example, <int32_t>slot)
        # Another thread may have changed the model while x was read, or may read it now.
        if turns.n_changes != n_changes or not turns.take():
            return False
        try:
            return self.learn_read(&example, <int32_t>slot)
        finally:
            turns.give_back()

    cdef bint learn_read(self, Example *example, int32_t slot) except -1:
        """Learn from an example that was read; False if it is refused, or the log is full."""
        cdef WeightArrays weights = self.weights
        cdef rb_walk walk
        cdef rb_tally tally
        cdef double small_room[ROOM_ON_STACK]
        cdef double *room = small_room
        cdef int64_t reached
        cdef int64_t first = 0  # of its entries in the log
        cdef int64_t i
        memset(&walk, 0, sizeof(walk))
        memset(&tally, 0, sizeof(tally))
        tally.refused = -1
        walk.search.labels = &slot
        walk.search.stop = 1
        walk.search.quiet_above = self.rule.c.quiet_above
        walk.rows = &example.row
        walk.ops = example.ops
        walk.rule = &self.rule.c
        walk.weights = &weights.c
        walk.tally = &tally
        walk.seen_at_zero = weights.t
        walk.longest_row = sqrt(example.squared_norm + weights.c.fit_intercept)
        if self.log is not None:
            walk.log = &self.log.c
            first = self.log.c.size
        if self.readouts is not None:
            walk.readout = self.readouts.of(weights)
            walk.most_stored = example.n_stored
            walk.index_bytes = sizeof(int64_t)

        if rb_room(&walk, NULL) > ROOM_ON_STACK:
            room = <double *>malloc(rb_room(&walk, NULL) * sizeof(double))
            if room == NULL:
                return False

        reached = rb_learn(&walk, NULL, room)
        if room != small_room:
            free(room)
        if reached == 0:
            return False

        weights.t += 1
        if self.log is not None:
            for i in range(first, self.log.c.size):
                self.log.c.row[i] = weights.t - 1 + self.row_offset
        if example.of.is_running:
            self.plan.keep(&example.of)
        if tally.mistakes:
            self.model.n_mistakes += tally.mistakes
        return True

    def predict_one(self, x, Turns turns=None):
        """Return the class of an example, or None if it is unusual.

        `turns` are those of a learner that other threads may know: a state that they are changing is
        left to the fallback.
        """
        cdef long long n_changes = 0 if turns is None else turns.n_changes
        cdef Example example
        cdef double scores[MOST_CLASSES]
        if not RB_ALONE or self.version < 0:
            return None
        if not self.read(&example, x, 1, False):
            return None
        if not (example.is_sparse or self.labels_fit_arrays):
            return None
        if not self.score_example(&example, scores):
            return None
        if turns is not None and (turns.changing or turns.n_changes != n_changes):
            return None
        if self.weights.c.n_vectors == 1:
            return self.classes[rb_beats(scores[0], 0.0, self.last_wins)]
        return self.winner_of(scores)

    cdef winner_of(self, const double *scores):
        """Return the class of several with the best score, in the order of the classes."""
        cdef int64_t c
        cdef int64_t winner = -1
        for c in self.sorted_slots:
            if c >= self.weights.c.n_vectors:
                continue
            if winner < 0 or rb_beats(scores[c], scores[winner], self.last_wins):
                winner = c
        return self.classes[winner]

    cdef bint score_example(self, Example *example, double *out) except -1:
        """Score an example by the weights that predict; return False if it is unusual.

        For a dense row these weights are made as a table, as they are for all rows of a table: the last
        bits are the same then. For a sparse row that would cost more than the row.
        """
        cdef WeightArrays weights = self.weights
        cdef const rb_readout *readout = NULL
        cdef double room[MOST_CLASSES]
        cdef double by_each[RB_MOST_READ * MOST_CLASSES]
        cdef int64_t k = weights.c.n_vectors
        cdef int64_t size = k * weights.c.n_features
        cdef bint last_predicts
        cdef double *table
        if self.best is not None:
            return score_best(example, self.best, weights, out)

        if self.readouts is not None:
            readout = self.readouts.of(weights)
            last_predicts = readout.place != RB_MIXED and rb_place(readout) == 0
        else:
            last_predicts = weights.c.u == NULL
        if weights.c.is_float32 and not last_predicts:
            return False

        if example.is_sparse or last_predicts:
            rb_score_served(&example.row, example.ops, 0, &weights.c, readout, weights.t, room,
                            by_each, out)
            return True

        table = <double *>malloc((size + k) * sizeof(double))
        if table == NULL:
            return False
        rb_serve(&weights.c, readout, weights.t, table, table + size)
        rb_score_by(&example.row, example.ops, 0, &weights.c, table, table + size, room, out)
        free(table)
        return True


def _no_engine():
    return None


cdef bint score_best(Example *example, tuple best, WeightArrays weights, double *out) except -1:
    """Score by weights and biases that were kept; return False if these are not arranged for it."""
    cdef int64_t k = weights.c.n_vectors
    cdef double *w = doubles_of(<cnp.ndarray?>best[0], k * weights.c.n_features)
    cdef double *b = doubles_of(<cnp.ndarray?>best[1], k)
    cdef double room[MOST_CLASSES]
    if w == NULL or b == NULL or weights.c.is_float32:
        return False
    if k > 1 and example.is_sparse:
        return False
    rb_score_by(&example.row, example.ops, 0, &weights.c, w, b, room, out)
    return True


cdef bint is_plain_label(y) except -1:
    """Return whether an array of this label holds it as it is: zeros at the end of a text are dropped."""
    cdef Py_ssize_t n
    if type(y) in TEXTS:
        n = len(<str>y)
        return n == 0 or (<str>y)[n - 1] != 0
    return type(y) in WHOLE


cdef bint is_array_of(list labels) except -1:
    """Return whether an array of these labels gives each of them back as it is."""
    if not labels:
        return False
    kind = type(labels[0])
    for label in labels:
        if type(label) is not kind or not is_plain_label(label):
            return False
    return kind is int or kind is str or kind is bool
