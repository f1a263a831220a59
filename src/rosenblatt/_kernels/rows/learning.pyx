"""The training loop: walk the rows in order, act where the rule says so.

`seek` passes over the rows that need nothing; this file decides what the others get. It is the
only place where weights change, but for `replaying`, which repeats recorded changes.
"""

cimport numpy as cnp
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from rosenblatt._kernels.rows.rows cimport rb_search, Rows
from rosenblatt._kernels.rows.scoring cimport same_type
from rosenblatt._kernels.rows.rules cimport exponential, Rule
from rosenblatt._kernels.rows.weights cimport move, WeightArrays, within_reach

import numpy as np

cnp.import_array()

NO_RIVAL = -1  # recorded as the wrong answer when the right class was raised and no other lowered


cdef class Log:
    """Updates in the order they were made; bounded, emptied by the caller."""

    cdef readonly cnp.ndarray row, right, wrong, step, t
    cdef public int64_t size
    cdef readonly int64_t capacity

    def __init__(self, int64_t capacity):
        self.capacity, self.size = capacity, 0
        self.row = np.empty(capacity, np.int64)
        self.right = np.empty(capacity, np.int32)
        self.wrong = np.empty(capacity, np.int32)
        self.step = np.empty(capacity, np.float64)
        self.t = np.empty(capacity, np.int64)

    cdef void write(self, int64_t row, int32_t right, int32_t wrong, double step,
                    int64_t t) noexcept nogil:
        cdef int64_t at = self.size
        (<int64_t *>cnp.PyArray_DATA(self.row))[at] = row
        (<int32_t *>cnp.PyArray_DATA(self.right))[at] = right
        (<int32_t *>cnp.PyArray_DATA(self.wrong))[at] = wrong
        (<double *>cnp.PyArray_DATA(self.step))[at] = step
        (<int64_t *>cnp.PyArray_DATA(self.t))[at] = t
        self.size = at + 1


cdef class Tally:
    """What a run adds up: mistakes and updates in all, and for each row."""

    cdef public int64_t mistakes, updates
    cdef public double step_sum             # steps that moved two answers apart
    cdef public double raised_sum           # steps that raised the right answer alone
    cdef readonly int64_t refused           # the row whose update would overflow, or -1
    cdef readonly object mistakes_per_row, dual
    cdef int32_t *counts
    cdef double *alpha

    def __init__(self, mistakes_per_row=None, dual=None):
        self.refused = -1
        self.mistakes_per_row, self.dual = mistakes_per_row, dual
        self.counts = NULL
        self.alpha = NULL
        if mistakes_per_row is not None:
            self.counts = <int32_t *>cnp.PyArray_DATA(<cnp.ndarray?>mistakes_per_row)
        if dual is not None:
            self.alpha = <double *>cnp.PyArray_DATA(<cnp.ndarray?>dual)


cdef class Watch:
    """What the weights would have answered to each row just before they learned from it.

    An averaged model answers by its average so far, unless it is the `latest` weights whose
    mistakes count. `wrong` gets 1 for every row whose class did not have the highest score alone,
    `scores`, if given, those that answer: (n_rows,) for one vector, else (n_rows, n_vectors).
    Numbers are float64.
    """

    cdef readonly object wrong, scores
    cdef readonly bint latest
    cdef int32_t *wrong_at
    cdef double *scores_at

    def __init__(self, cnp.ndarray wrong, scores=None, *, bint latest=False):
        self.wrong, self.scores, self.latest = wrong, scores, latest
        self.wrong_at = <int32_t *>cnp.PyArray_DATA(wrong)
        self.scores_at = NULL
        if scores is not None:
            self.scores_at = <double *>cnp.PyArray_DATA(<cnp.ndarray?>scores)


cdef struct Plan:
    rb_search search
    const double *row_weights
    double largest_norm
    int64_t seen_at_zero  # examples seen before position 0
    bint has_log


def learn(WeightArrays weights, Rule rule, Rows rows, cnp.ndarray labels, order, int64_t start,
          int64_t stop, row_weights, Tally tally, Log log, Watch watch=None):
    """Learn from positions start .. stop - 1 of the order; return the position reached.

    It stops early when the log is full or `tally.refused` names a row. What a rule written in
    Python raises is raised here; the caller takes back what was learned before that row.
    """
    cdef Plan plan
    cdef int64_t reached, mistakes_before = tally.mistakes
    cdef void *scores
    same_type(rows, weights.is_float32)
    if watch is not None and weights.is_float32:
        raise TypeError("only float64 weights can be watched")
    plan.search.order = NULL
    if order is not None:
        plan.search.order = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray?>order)
    plan.search.labels = <const int32_t *>cnp.PyArray_DATA(labels)
    plan.search.at, plan.search.stop = start, stop
    plan.search.quiet_above = rule.quiet_above
    plan.row_weights = NULL
    if row_weights is not None:
        plan.row_weights = <const double *>cnp.PyArray_DATA(<cnp.ndarray?>row_weights)
    plan.seen_at_zero = weights.t - start
    plan.largest_norm = sqrt(rows.largest_squared_norm + weights.fit_intercept)
    plan.has_log = log is not None
    tally.refused = -1
    scores = NULL
    if weights.n_vectors > 1:
        scores = malloc((1 if watch is None else 3) * weights.n_vectors * sizeof(double))
        if scores == NULL:
            raise MemoryError
    weights.claim()
    with nogil:
        if watch is not None:
            reached = learn_watched(weights, rule, rows, &plan, tally, log, watch, <double *>scores)
        elif scores == NULL:
            reached = learn_binary(weights, rule, rows, &plan, tally, log)
        else:
            reached = learn_classes(weights, rule, rows, &plan, tally, log, scores)
    weights.busy = False
    free(scores)
    if rule.error is not None:
        error, rule.error = rule.error, None
        tally.mistakes = mistakes_before
        raise error
    weights.t = plan.seen_at_zero + reached
    return reached


cdef inline double as_stored(WeightArrays weights, double step) noexcept nogil:
    """The step as it is applied, so that what is recorded is what was done."""
    return <double>(<float>step) if weights.is_float32 else step


cdef inline double step_of(Rule rule, WeightArrays weights, double margin, double squared_norm,
                           bint mistaken, double weight) noexcept nogil:
    """The step of the rule, times the weight of the row; a step that aims never overshoots."""
    cdef double step = rule.step(&rule.parameters, margin, squared_norm, mistaken)
    if weight != 1.0 and step != 0.0:
        step *= weight
        if rule.aims_at_one and weight > 1.0 and squared_norm > 0.0:
            step = min(step, (1.0 - margin) / squared_norm)
    return as_stored(weights, step)


cdef int64_t learn_binary(WeightArrays weights, Rule rule, Rows rows, Plan *plan, Tally tally,
                          Log log) noexcept nogil:
    cdef int64_t at = plan.search.at, stop = plan.search.stop, row
    cdef int32_t label
    cdef double margin, squared_norm = 0.0, step, weight = 1.0
    cdef bint mistaken
    while at < stop:
        if plan.has_log and log.size == log.capacity:
            return at
        plan.search.at = at
        at = rows.ops.seek(
            &rows.c, &plan.search, weights.w,
            (<float *>weights.b)[0] if weights.is_float32 else (<double *>weights.b)[0], &margin)
        if at == stop:
            break
        row = plan.search.order[at] if plan.search.order != NULL else at
        if plan.row_weights != NULL:
            weight = plan.row_weights[row]
            if weight == 0.0:
                at += 1
                continue
        label = plan.search.labels[row]
        mistaken = margin < 0.0 or (margin == 0.0 and (rule.tie_is_mistake or label == 0))
        if rule.needs_norm:
            squared_norm = rows.ops.squared_norm(&rows.c, row, weights.fit_intercept)
        step = step_of(rule, weights, margin, squared_norm, mistaken, weight)
        if step != 0.0:
            if not within_reach(
                    weights, step * (sqrt(squared_norm) if rule.needs_norm else plan.largest_norm)):
                tally.refused = row
                return at
            tally.updates += 1
            tally.step_sum += step
            move(weights, rows, row, 0, (2 * label - 1) * step,
                         plan.seen_at_zero + at)
            if tally.alpha != NULL:
                tally.alpha[row] += (2 * label - 1) * step
            if plan.has_log:
                log.write(row, label, 1 - label, step, plan.seen_at_zero + at + 1)
        if mistaken:
            count_mistake(tally, row)
        at += 1
    return stop


cdef int64_t learn_classes(WeightArrays weights, Rule rule, Rows rows, Plan *plan, Tally tally,
                           Log log, void *scores) noexcept nogil:
    cdef int64_t at = plan.search.at, stop = plan.search.stop, row, right, rival = 0, winner
    cdef int64_t most_entries = weights.n_vectors if rule.blames_all_rivals else 1
    cdef double margin, squared_norm = 0.0, weight = 1.0
    cdef bint mistaken, alone
    while at < stop:
        if plan.has_log and log.size + most_entries > log.capacity:
            return at
        plan.search.at = at
        at = rows.ops.seek_class(&rows.c, &plan.search, weights.w, weights.b, weights.n_vectors,
                                 scores, &rival, &margin)
        if at == stop:
            break
        row = plan.search.order[at] if plan.search.order != NULL else at
        if plan.row_weights != NULL:
            weight = plan.row_weights[row]
            if weight == 0.0:
                at += 1
                continue
        right = plan.search.labels[row]
        mistaken, alone = margin <= 0.0, False
        if margin == 0.0:
            if rule.tie_is_mistake:
                alone = rule.raise_only_on_tie
            else:
                winner = last_tied(weights, scores, right, rival)
                mistaken = winner > right
                if mistaken:
                    rival = winner
        if rule.needs_norm:
            squared_norm = 2.0 * rows.ops.squared_norm(&rows.c, row, weights.fit_intercept)
        if rule.blames_all_rivals:
            if not blame_all(weights, rule, rows, plan, tally, log, scores, at, row, right,
                             weight):
                return at
        elif not blame_one(weights, rule, rows, plan, tally, log, at, row, right,
                           NO_ONE if alone else rival, margin, squared_norm, mistaken, weight):
            return at
        if mistaken:
            count_mistake(tally, row)
        at += 1
    return stop


cdef int64_t learn_watched(WeightArrays weights, Rule rule, Rows rows, Plan *plan, Tally tally,
                           Log log, Watch watch, double *scores) noexcept nogil:
    """Answer a row, then learn from it, one after the other."""
    cdef int64_t at, stop = plan.search.stop, row, k = weights.n_vectors
    cdef double alone[2]
    cdef double *latest = &alone[0] if k == 1 else scores + k
    cdef double *served = latest + k
    cdef double margin
    for at in range(plan.search.at, stop):
        row = plan.search.order[at] if plan.search.order != NULL else at
        score_one(rows, row, weights.w, weights.b, k, scores, latest)
        margin = margin_of(latest, k, plan.search.labels[row])
        served_scores(weights, rows, row, plan.seen_at_zero + at, scores, latest, served)
        watch.wrong_at[row] = (
            margin if watch.latest else margin_of(served, k, plan.search.labels[row])) <= 0.0
        if watch.scores_at != NULL:
            memcpy(watch.scores_at + row * k, served, k * sizeof(double))
        if margin <= plan.search.quiet_above:
            plan.search.at, plan.search.stop = at, at + 1
            if k == 1:
                if learn_binary(weights, rule, rows, plan, tally, log) == at:
                    return at
            elif learn_classes(weights, rule, rows, plan, tally, log, scores) == at:
                return at
    return stop


cdef inline void score_one(Rows rows, int64_t row, void *w, void *b, int64_t k, double *scores,
                           double *out) noexcept nogil:
    if k == 1:
        rows.ops.score(&rows.c, row, 1, w, (<double *>b)[0], out)
    else:
        rows.ops.score_classes(&rows.c, row, 1, w, b, k, scores, out)


cdef inline void served_scores(WeightArrays weights, Rows rows, int64_t row, int64_t seen,
                               double *scores, const double *latest,
                               double *served) noexcept nogil:
    """Of the average of the weights after each example seen so far, if there is one."""
    cdef int64_t c
    if weights.u == NULL:
        memcpy(served, latest, weights.n_vectors * sizeof(double))
        return
    score_one(rows, row, weights.u, weights.ub, weights.n_vectors, scores, served)
    for c in range(weights.n_vectors):
        served[c] = latest[c] - served[c] / max(seen, 1)


cdef inline double margin_of(const double *scores, int64_t k, int32_t right) noexcept nogil:
    """By how much the right class is above the highest of the others."""
    cdef int64_t c, best = 1 if right == 0 else 0
    if k == 1:
        return (2 * right - 1) * scores[0]
    for c in range(best + 1, k):
        if c != right and scores[c] > scores[best]:
            best = c
    return scores[right] - scores[best]


cdef enum:
    NO_ONE = -1


cdef bint blame_one(WeightArrays weights, Rule rule, Rows rows, Plan *plan, Tally tally, Log log,
                    int64_t at, int64_t row, int64_t right, int64_t rival, double margin,
                    double squared_norm, bint mistaken, double weight) noexcept nogil:
    """Raise the right class and lower the rival, if there is one; False when refused."""
    cdef double step = step_of(rule, weights, margin, squared_norm, mistaken, weight)
    if step == 0.0:
        return True
    if not within_reach(
            weights, step * (sqrt(squared_norm) if rule.needs_norm else plan.largest_norm)):
        tally.refused = row
        return False
    tally.updates += 1
    if rival == NO_ONE:
        tally.raised_sum += step
    else:
        tally.step_sum += step
        move(weights, rows, row, rival, -step, plan.seen_at_zero + at)
    move(weights, rows, row, right, step, plan.seen_at_zero + at)
    if plan.has_log:
        log.write(row, <int32_t>right, <int32_t>rival, step, plan.seen_at_zero + at + 1)
    return True


cdef bint blame_all(WeightArrays weights, Rule rule, Rows rows, Plan *plan, Tally tally, Log log,
                    void *scores, int64_t at, int64_t row, int64_t right,
                    double weight) noexcept nogil:
    """Lower each wrong class by its probability and raise the right one by as much."""
    cdef double total = 0.0, top, step
    cdef double eta = rule.parameters.eta * weight
    cdef int64_t c
    top = score_of(weights, scores, 0)
    for c in range(1, weights.n_vectors):
        top = max(top, score_of(weights, scores, c))
    for c in range(weights.n_vectors):
        total += exponential(score_of(weights, scores, c) - top)
    if not within_reach(weights, eta * plan.largest_norm):
        tally.refused = row
        return False
    for c in range(weights.n_vectors):
        if c == right:
            continue
        step = as_stored(weights, eta * (exponential(score_of(weights, scores, c) - top) / total))
        if step == 0.0:
            continue
        tally.updates += 1
        tally.step_sum += step
        move(weights, rows, row, c, -step, plan.seen_at_zero + at)
        move(weights, rows, row, right, step, plan.seen_at_zero + at)
        if plan.has_log:
            log.write(row, <int32_t>right, <int32_t>c, step, plan.seen_at_zero + at + 1)
    return True


cdef inline double score_of(WeightArrays weights, const void *scores, int64_t c) noexcept nogil:
    return (<const float *>scores)[c] if weights.is_float32 else (<const double *>scores)[c]


cdef int64_t last_tied(WeightArrays weights, const void *scores, int64_t right,
                       int64_t rival) noexcept nogil:
    """The last wrong class whose score equals that of the right class."""
    cdef int64_t c
    for c in range(rival + 1, weights.n_vectors):
        if c != right and score_of(weights, scores, c) == score_of(weights, scores, right):
            rival = c
    return rival


cdef inline void count_mistake(Tally tally, int64_t row) noexcept nogil:
    tally.mistakes += 1
    if tally.counts != NULL:
        tally.counts[row] += 1
