"""Learning to tag: search for the best tags, compare them with the right ones, move the weights.

    weights += step (features of the right tags - features of the tags found)

over a whole sentence, or with a beam over the beginning of it up to the token where the right tags
fell off the beam ("early") or were furthest behind ("violation").
"""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from rosenblatt.engine.tags.tag_search cimport Search
from rosenblatt.engine.tags.tag_weights cimport (
    Encoded, rb_change, rb_squared_length, Sentence, TagWeights)

import numpy as np

cnp.import_array()

cdef enum:
    WHOLE_ = 0
    EARLY_ = 1
    VIOLATION_ = 2

WHOLE = WHOLE_
EARLY = EARLY_
VIOLATION = VIOLATION_


cdef class TagTally:
    """How many sentences were mistakes, and the mistakes themselves if they are wanted.

    A mistake is a sentence, the step, t, and the tags found for the tokens the update looked at.
    """

    cdef readonly int64_t sentences
    cdef readonly list log
    cdef readonly bint is_full     # no room for the rows of the next sentence

    def __init__(self, bint logged=False):
        self.log = [] if logged else None


cdef struct Rule:
    int64_t update
    bint aims          # MIRA: far enough that the loss is made up for, at most C
    double C


def learn(TagWeights weights, Search search, Encoded encoded, only, cnp.ndarray gold,
          cnp.ndarray order, int64_t first, int64_t last, int64_t update, double C, TagTally tally):
    """Learn from sentences order[first .. last - 1]; return the place reached.

    C = 0 takes steps of 1 (the perceptron); else the smallest step that makes up for the loss,
    which is the number of wrong tags, but at most C. It stops early when rows have to be made room
    for.
    """
    cdef const int64_t *start = <const int64_t *>cnp.PyArray_DATA(encoded.starts)
    cdef const int64_t *visit = <const int64_t *>cnp.PyArray_DATA(order)
    cdef const int32_t *right = <const int32_t *>cnp.PyArray_DATA(gold)
    cdef int64_t longest = int(np.diff(encoded.starts).max(initial=1))
    cdef Sentence every = encoded.tokens(only)
    cdef Sentence sentence = every
    cdef int64_t at = first
    cdef int64_t s, token, m, n_features
    cdef bint is_logged = tally.log is not None
    cdef double step = 1.0
    cdef Rule rule
    cdef int32_t *path
    cdef rb_change *changes = NULL
    cdef int64_t room = 0
    search.reserve(longest)
    if C > 0.0:
        most = np.diff(encoded.feature_starts[encoded.starts]).max(initial=1)
        room = 4 * (int(most) + longest) + 8
    path = <int32_t *>malloc(longest * sizeof(int32_t))
    if path == NULL:
        raise MemoryError
    rule.update = update
    rule.aims = C > 0.0
    rule.C = C
    if rule.aims:
        changes = <rb_change *>malloc(room * sizeof(rb_change))
        if changes == NULL:
            free(path)
            raise MemoryError
    tally.is_full = False
    m = 0
    s = 0
    with nogil:
        search.prepare(weights)
        while at < last:
            s = visit[at]
            token = start[s]
            sentence.length = start[s + 1] - token
            sentence.feature_starts = every.feature_starts + token
            sentence.only = every.only + token if every.only != NULL else NULL
            n_features = sentence.feature_starts[sentence.length] - sentence.feature_starts[0]
            if weights.n_rows + n_features > weights.capacity:
                tally.is_full = True
                break
            m = 0
            if sentence.length:
                m = _find(weights, search, &sentence, right + token, &rule, path)
            if m and rule.aims:
                step = _step(weights, search, &sentence, right + token, path, m, &rule, changes)
                if step == 0.0:  # as far ahead as asked for
                    m = 0
            if m:
                tally.sentences += 1
                _move(weights, &sentence, right + token, path, m, step)
                search.prepare(weights)
            weights.t += 1
            at += 1
            if m and is_logged:
                with gil:
                    _log(tally, s, step, weights.t, path, m)
    free(path)
    free(changes)
    return at


def replay(TagWeights weights, Encoded encoded, int64_t first, cnp.ndarray right,
           cnp.ndarray found, double step, int64_t t):
    """Make one update again, that of example number t; `first` is the first token of its sentence."""
    cdef Sentence sentence = encoded.tokens(None)
    cdef int64_t m = len(found)
    sentence.feature_starts += first
    sentence.length = m
    weights.reserve(sentence.feature_starts[m] - sentence.feature_starts[0])
    weights.t = t - 1
    _move(weights, &sentence, <const int32_t *>cnp.PyArray_DATA(right),
          <const int32_t *>cnp.PyArray_DATA(found), m, step)
    weights.t = t


cdef void _log(TagTally tally, int64_t s, double step, int64_t t, const int32_t *path, int64_t m):
    cdef cnp.ndarray found = np.empty(m, np.int32)
    memcpy(cnp.PyArray_DATA(found), path, m * sizeof(int32_t))
    tally.log.append((s, step, t, found))


cdef int64_t _find(TagWeights weights, Search search, Sentence *sentence, const int32_t *right,
                   Rule *rule, int32_t *path) noexcept nogil:
    """Find tags; return how many tokens the update is about, 0 if all are right."""
    cdef int64_t n = sentence.length
    cdef int64_t i, j
    search.emissions(weights, sentence)
    if rule.aims:  # wrong tags are made more tempting, so that right ones win by a margin
        for i in range(n):
            for j in range(weights.n_tags):
                if j != right[i]:
                    search.emit[i * weights.width + j] += 1.0
    if rule.update != WHOLE_:
        return _find_in_beam(weights, search, n, right, rule, path)
    search.best_path(weights, n, path)
    for i in range(n):
        if path[i] != right[i]:
            return n
    return 0


cdef int64_t _find_in_beam(TagWeights weights, Search search, int64_t n, const int32_t *right,
                           Rule *rule, int32_t *path) noexcept nogil:
    """Find tags up to where the right ones fell off the beam, or were furthest behind the best."""
    cdef int64_t held = 0
    cdef int64_t found = 0
    cdef int64_t i, k
    cdef float own = 0.0
    cdef float most = 0.0
    cdef float behind
    cdef int32_t last, before
    cdef bint is_right = True
    search.fill_beam(weights, n)
    for i in range(n):
        last = right[i - 1] if i else <int32_t>weights.n_tags
        before = right[i - 2] if i > 1 else <int32_t>weights.n_tags
        own += search.step_score(weights, i, before, last, right[i])
        own -= search.kept.taken_off[i]
        if held >= 0:
            k = 0
            while k < search.kept.sizes[i] and not (
                    search.kept.tags[i * search.beam + k] == right[i]
                    and (i == 0 or search.kept.parents[i * search.beam + k] == held)):
                k += 1
            held = k if k < search.kept.sizes[i] else -1
        is_right = held == 0
        if rule.update == EARLY_ and held < 0:
            search.trace(i, 0, path)
            return i + 1
        behind = search.kept.scores[i * search.beam] - own
        if rule.update == VIOLATION_ and not is_right and behind >= most:
            most = behind
            found = i + 1
    if is_right:
        return 0
    if rule.update == EARLY_ or found == 0:
        found = n
    search.trace(found - 1, 0, path)
    return found


cdef double _step(TagWeights weights, Search search, Sentence *sentence, const int32_t *right,
                  const int32_t *path, int64_t m, Rule *rule, rb_change *changes) noexcept nogil:
    """loss / |difference of the features|^2, at most C; the loss counts the wrong tags."""
    cdef int64_t n = 0
    cdef int64_t width = weights.width
    cdef int64_t t = weights.n_tags
    cdef int64_t i, f
    cdef double loss = 0.0
    cdef double length, value
    cdef int32_t g1, g2, p1, p2
    for i in range(m):
        g1 = right[i - 1] if i else <int32_t>t
        p1 = path[i - 1] if i else <int32_t>t
        g2 = right[i - 2] if i > 1 else <int32_t>t
        p2 = path[i - 2] if i > 1 else <int32_t>t
        # Emissions hold the cost of wrong tags already.
        loss += (search.step_score(weights, i, p2, p1, path[i])
                 - search.step_score(weights, i, g2, g1, right[i]))
        if right[i] != path[i]:
            for f in range(sentence.feature_starts[i], sentence.feature_starts[i + 1]):
                if sentence.features[f] < 0:
                    continue
                value = 1.0 if sentence.values == NULL else sentence.values[f]
                n = _apart(changes, n, sentence.features[f] * width + right[i],
                           sentence.features[f] * width + path[i], value)
        if right[i] != path[i] or g1 != p1:
            n = _apart(changes, n, -1 - (g1 * width + right[i]), -1 - (p1 * width + path[i]), 1.0)
    length = rb_squared_length(changes, n)
    if weights.order == 2:
        length += _squared_length_of_pairs(weights, right, path, m, changes)
    # Less than this is rounding, which would keep the last steps coming for ever.
    if length <= 0.0 or loss <= 1e-5:
        return 0.0
    return <double>(<float>min(rule.C, loss / length))


cdef inline int64_t _apart(rb_change *changes, int64_t n, int64_t up, int64_t down,
                           double by) noexcept nogil:
    """Note that one weight rises and another falls; how many changes there are then."""
    changes[n].key = up
    changes[n].change = by
    changes[n + 1].key = down
    changes[n + 1].change = -by
    return n + 2


cdef double _squared_length_of_pairs(TagWeights weights, const int32_t *right, const int32_t *path,
                                     int64_t m, rb_change *changes) noexcept nogil:
    cdef int64_t n = 0
    cdef int64_t t = weights.n_tags
    cdef int64_t width = weights.width
    cdef int64_t i
    for i in range(m):
        n = _apart(changes, n, _pair(right, i, t) * width + right[i],
                   _pair(path, i, t) * width + path[i], 1.0)
    return rb_squared_length(changes, n)


cdef inline int64_t _pair(const int32_t *tags, int64_t i, int64_t n_tags) noexcept nogil:
    cdef int64_t last = tags[i - 1] if i else n_tags
    cdef int64_t before = tags[i - 2] if i > 1 else n_tags
    return last * (n_tags + 1) + before


cdef void _move(TagWeights weights, Sentence *sentence, const int32_t *right, const int32_t *path,
                int64_t m, double step) noexcept nogil:
    """Move towards the right tags and away from those found, over the first m tokens."""
    cdef int64_t width = weights.width
    cdef int64_t n = weights.n_tags
    cdef int64_t i, f, row, g, p
    cdef double seen = weights.t
    cdef float small
    for i in range(m):
        if right[i] != path[i]:
            for f in range(sentence.feature_starts[i], sentence.feature_starts[i + 1]):
                if sentence.features[f] < 0:
                    continue
                small = <float>step
                if sentence.values != NULL:
                    small = <float>(step * sentence.values[f])
                row = weights.row(sentence.features[f]) * width
                _shift(weights.w, weights.w_running_sum, row + right[i], row + path[i], small, small, seen)
        g = (right[i - 1] if i else n) * width + right[i]
        p = (path[i - 1] if i else n) * width + path[i]
        _shift(weights.s, weights.s_running_sum, g, p, <float>step, step, seen)
        if weights.order == 2:
            g = _pair(right, i, n) * width + right[i]
            p = _pair(path, i, n) * width + path[i]
            _shift(weights.p, weights.p_running_sum, g, p, <float>step, step, seen)


cdef inline void _shift(float *weights, double *sums, int64_t up, int64_t down, float small,
                        double step, double seen) noexcept nogil:
    """Raise one weight and lower another, and their sums by as much for every example before."""
    if up != down:
        weights[up] += small
        weights[down] -= small
        sums[up] += seen * step
        sums[down] -= seen * step
