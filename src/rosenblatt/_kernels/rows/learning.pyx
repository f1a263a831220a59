"""The training loop of loop.h as Python calls it, arrays in and counters out; and its replay."""

cimport numpy as cnp
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from rosenblatt._kernels.rows.readouts cimport rb_readout, ReadoutArrays
from rosenblatt._kernels.rows.rows cimport (
    rb_block, rb_ops, rb_rows, rb_search, Rows, same_type)
from rosenblatt._kernels.rows.rules cimport rb_rule, Rule
from rosenblatt._kernels.rows.weights cimport (
    rb_fold, rb_move, rb_move_counted, rb_weights, WeightArrays)

import numpy as np

cnp.import_array()

cdef extern from "rows/loop.h" nogil:
    enum: RB_NO_RIVAL

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

    int64_t rb_room(const rb_walk *, const rb_tested *) noexcept
    int64_t rb_learn(rb_walk *, const rb_tested *, double *) noexcept


cdef class Log:
    """Updates in the order they were made; bounded, emptied by the caller.

    `change`, by how much the rates of the weights fell, is empty without rates; `scale`, `folds` and
    `clock` are so unless weights are scaled.
    """

    def __init__(self, int64_t capacity, *, bint with_rates=False, bint with_scales=False):
        self.c.capacity, self.c.size = capacity, 0
        self.row = np.empty(capacity, np.int64)
        self.right = np.empty(capacity, np.int32)
        self.wrong = np.empty(capacity, np.int32)
        self.step = np.empty(capacity, np.float64)
        self.t = np.empty(capacity, np.int64)
        self.change = np.empty(capacity if with_rates else 0, np.float64)
        self.c.row = <int64_t *>cnp.PyArray_DATA(self.row)
        self.c.right = <int32_t *>cnp.PyArray_DATA(self.right)
        self.c.wrong = <int32_t *>cnp.PyArray_DATA(self.wrong)
        self.c.step = <double *>cnp.PyArray_DATA(self.step)
        self.c.t = <int64_t *>cnp.PyArray_DATA(self.t)
        self.c.change = <double *>cnp.PyArray_DATA(self.change) if with_rates else NULL
        self.scale = np.empty(capacity if with_scales else 0, np.float64)
        self.folds = np.empty(capacity if with_scales else 0, np.int64)
        self.clock = np.empty(capacity if with_scales else 0, np.float64)
        self.c.scale = <double *>cnp.PyArray_DATA(self.scale) if with_scales else NULL
        self.c.folds = <int64_t *>cnp.PyArray_DATA(self.folds) if with_scales else NULL
        self.c.clock = <double *>cnp.PyArray_DATA(self.clock) if with_scales else NULL

    @property
    def size(self):
        return self.c.size

    @size.setter
    def size(self, int64_t size):
        self.c.size = size


cdef class Tally:
    """What a run adds up: mistakes and updates in all, and for each row.

    `step_sum` adds the steps that moved two classes apart, `raised_sum` those that raised the right
    class alone, `loss` the log loss of a rule that has probabilities; `refused` is the row whose
    update would overflow, or -1.
    """

    cdef rb_tally c
    cdef readonly object mistakes_per_row, dual
    cdef public int64_t mistakes
    cdef readonly int64_t updates, refused
    cdef readonly double step_sum, raised_sum, loss

    def __init__(self, mistakes_per_row=None, dual=None):
        self.refused = -1
        self.mistakes_per_row, self.dual = mistakes_per_row, dual
        if mistakes_per_row is not None:
            self.c.counts = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>mistakes_per_row)
        if dual is not None:
            self.c.alpha = <double *>cnp.PyArray_DATA(<cnp.ndarray?>dual)

    cdef void read(self) noexcept:
        """Make what the loop has counted known to Python."""
        self.mistakes, self.updates, self.refused = self.c.mistakes, self.c.updates, self.c.refused
        self.step_sum, self.raised_sum = self.c.step_sum, self.c.raised_sum
        self.loss = self.c.loss


cdef class Watch:
    """What is predicted for each row just before it is learned from.

    An averaged model predicts by its average so far, one with read-outs by these; with `latest` it is
    the mistakes of the last weights that count all the same. `wrong` gets 1 for every row whose class
    did not have the highest score alone, `scores`, if given, those that predict: (n_rows,) for one
    vector, else (n_rows, n_vectors). Numbers are float64.
    """

    cdef rb_tested c
    cdef readonly object wrong, scores
    cdef readonly bint latest

    def __init__(self, cnp.ndarray wrong, scores=None, *, bint latest=False):
        self.wrong, self.scores, self.latest, self.c.latest = wrong, scores, latest, latest
        self.c.wrong = <int32_t *>cnp.PyArray_DATA(wrong)
        if scores is not None:
            self.c.scores = <double *>cnp.PyArray_DATA(<cnp.ndarray?>scores)


def learn(WeightArrays weights, Rule rule, Rows rows, cnp.ndarray labels, order, int64_t start,
          int64_t stop, row_weights, Tally tally, Log log, Watch watch=None,
          cnp.ndarray upcoming=None, ReadoutArrays readouts=None):
    """Learn from positions start .. stop - 1 of the order; return the position reached.

    `upcoming` rows, needed by the next call, are read from memory meanwhile; `readouts` follow.
    It stops early when the log is full or `tally.refused` names a row. What a rule written in
    Python raises is raised here; the caller takes back what was learned before that row.
    """
    cdef rb_walk walk
    cdef rb_block block
    cdef rb_tested *tested = NULL
    cdef int64_t reached
    cdef double *room
    same_type(rows, weights.c.is_float32)
    if watch is not None:
        if weights.c.is_float32:
            raise TypeError("only float64 weights can be watched")
        tested = &watch.c
    if rule.c.rates != weights.c.rates:
        raise TypeError(f"a rule with rates {rule.rates}, but weights with {weights.rates}")
    if rule.scales != weights.c.is_scaled:
        raise TypeError("a rule that scales learns on weights that are scaled, and no other does")
    memset(&walk, 0, sizeof(walk))
    if upcoming is not None and len(upcoming):
        walk.search.upcoming = <const int64_t *>cnp.PyArray_DATA(upcoming)
        walk.search.n_upcoming = cnp.PyArray_DIM(upcoming, 0)
    if order is not None:
        walk.search.order = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray?>order)
    walk.search.labels = <const int32_t *>cnp.PyArray_DATA(labels)
    walk.search.counts = tally.c.counts
    walk.search.at, walk.search.stop = start, stop
    walk.search.quiet_above = rule.c.quiet_above
    walk.rows, walk.ops, walk.rule = &rows.c, rows.ops, &rule.c
    walk.weights, walk.tally = &weights.c, &tally.c
    walk.log = NULL if log is None else &log.c
    if row_weights is not None:
        walk.row_weights = <const double *>cnp.PyArray_DATA(<cnp.ndarray?>row_weights)
    walk.seen_at_zero = weights.t - start
    walk.longest_row = sqrt(rows.largest_squared_norm + weights.c.fit_intercept)
    if readouts is not None:
        walk.readout = readouts.beside(weights)
        if walk.readout == NULL:
            raise TypeError("the read-outs and their weights differ in shape, layout or type")
        walk.most_stored, walk.index_bytes = rows.most_stored(), rows.index_bytes
    tally.c.mistakes, tally.c.refused = tally.mistakes, -1
    room = <double *>malloc(rb_room(&walk, tested) * sizeof(double))
    if room == NULL:
        raise MemoryError
    # With three classes, or where all of them move, as at a fold, there is nothing to gain.
    if (tested == NULL and readouts is None and rows.ops.in_blocks and weights.c.n_vectors > 3
            and not rule.blames_all_rivals and not rule.scales):
        block.scores, walk.search.block = room + weights.c.n_vectors, &block
    try:
        weights.claim()
        with nogil:
            reached = rb_learn(&walk, tested, room)
        weights.busy = False
    finally:
        free(room)
    if rule.error is not None:
        error, rule.error = rule.error, None
        raise error
    tally.read()
    weights.t = walk.seen_at_zero + reached
    rows.refuse_changed()
    return reached


cdef enum:
    ROOM_ON_STACK = 2048


cdef bint learn_row(WeightArrays weights, Rule rule, rb_readout *readout, Log log, const rb_rows *row,
                    const rb_ops *ops, int64_t n_stored, double squared_norm, int32_t label,
                    int64_t *mistakes) noexcept:
    """As `learn` of one row of this length, whose weights nobody uses.

    False if it is refused, or the log is full; nothing has changed then.
    """
    cdef rb_walk walk
    cdef rb_tally tally
    cdef double small_room[ROOM_ON_STACK]
    cdef double *room = small_room
    cdef int64_t reached
    memset(&walk, 0, sizeof(walk))
    memset(&tally, 0, sizeof(tally))
    tally.refused = -1
    walk.search.labels, walk.search.stop = &label, 1
    walk.search.quiet_above = rule.c.quiet_above
    walk.rows, walk.ops, walk.rule = row, ops, &rule.c
    walk.weights, walk.tally = &weights.c, &tally
    walk.seen_at_zero = weights.t
    walk.longest_row = sqrt(squared_norm + weights.c.fit_intercept)
    walk.log = NULL if log is None else &log.c
    walk.readout, walk.most_stored, walk.index_bytes = readout, n_stored, sizeof(int64_t)
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
    mistakes[0] = tally.mistakes
    return True


def replay(WeightArrays weights, Rows rows, cnp.ndarray row, cnp.ndarray right, cnp.ndarray wrong,
           cnp.ndarray step, cnp.ndarray t, cnp.ndarray change, cnp.ndarray scale,
           cnp.ndarray folds, cnp.ndarray clock, int64_t start, int64_t stop):
    """Repeat the recorded updates start .. stop - 1 on `weights`, in the order of training."""
    if weights.c.is_scaled:
        return _replay_scaled(weights, rows, row, right, wrong, step, scale, folds, clock, start,
                              stop)
    cdef const double *change_at = <const double *>cnp.PyArray_DATA(change)
    cdef double fall = 0.0
    cdef const int64_t *rows_at = <const int64_t *>cnp.PyArray_DATA(row)
    cdef const int32_t *right_at = <const int32_t *>cnp.PyArray_DATA(right)
    cdef const int32_t *wrong_at = <const int32_t *>cnp.PyArray_DATA(wrong)
    cdef const double *step_at = <const double *>cnp.PyArray_DATA(step)
    cdef const int64_t *t_at = <const int64_t *>cnp.PyArray_DATA(t)
    cdef int64_t i
    cdef bint binary = weights.c.n_vectors == 1
    same_type(rows, weights.c.is_float32)
    weights.claim()
    with nogil:
        for i in range(start, stop):
            if weights.c.rates:
                fall = change_at[i]
            if binary:
                rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], 0,
                        (2 * right_at[i] - 1) * step_at[i], fall, t_at[i] - 1)
                continue
            if wrong_at[i] != RB_NO_RIVAL:
                rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], wrong_at[i], -step_at[i],
                        fall, t_at[i] - 1)
            rb_move(&weights.c, &rows.c, rows.ops, rows_at[i], right_at[i], step_at[i],
                    fall, t_at[i] - 1)
    weights.busy = False
    rows.refuse_changed()


cdef int _replay_scaled(WeightArrays weights, Rows rows, cnp.ndarray row, cnp.ndarray right,
                        cnp.ndarray wrong, cnp.ndarray step, cnp.ndarray scale, cnp.ndarray folds,
                        cnp.ndarray clock, int64_t start, int64_t stop) except -1:
    """The same of weights that are scaled: the folds are repeated as well.

    The running sums count by the clock that was recorded. What scaled the weights after the last
    update is left to the caller.
    """
    cdef const int64_t *rows_at = <const int64_t *>cnp.PyArray_DATA(row)
    cdef const int32_t *right_at = <const int32_t *>cnp.PyArray_DATA(right)
    cdef const int32_t *wrong_at = <const int32_t *>cnp.PyArray_DATA(wrong)
    cdef const double *step_at = <const double *>cnp.PyArray_DATA(step)
    cdef const double *scale_at = <const double *>cnp.PyArray_DATA(scale)
    cdef const int64_t *folds_at = <const int64_t *>cnp.PyArray_DATA(folds)
    cdef const double *clock_at = <const double *>cnp.PyArray_DATA(clock)
    cdef int64_t i
    cdef double counted
    cdef bint binary = weights.c.n_vectors == 1
    same_type(rows, weights.c.is_float32)
    weights.claim()
    with nogil:
        for i in range(start, stop):
            counted = clock_at[i]
            if folds_at[i] > weights.c.folds:
                rb_fold(&weights.c, folds_at[i] - weights.c.folds, counted)
                counted = 0.0
            weights.c.scale = scale_at[i]
            if binary:
                rb_move_counted(&weights.c, &rows.c, rows.ops, rows_at[i], 0,
                                (2 * right_at[i] - 1) * step_at[i], 0.0, counted)
                continue
            if wrong_at[i] != RB_NO_RIVAL:
                rb_move_counted(&weights.c, &rows.c, rows.ops, rows_at[i], wrong_at[i],
                                -step_at[i], 0.0, counted)
            rb_move_counted(&weights.c, &rows.c, rows.ops, rows_at[i], right_at[i], step_at[i],
                            0.0, counted)
    weights.busy = False
    rows.refuse_changed()
    return 0
