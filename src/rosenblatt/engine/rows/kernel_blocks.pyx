"""A block of rows whose scores are known, walked in order: who is mistaken, and what that changes.

Scores are (vectors, rows). With `ONE` vector two classes share it, with `EACH` every class has one
that tells it from the rest, with `AGAINST` the classes have one each and the highest score wins.
`weights` are factors for the steps of the rows; one of 0 leaves a row out.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "ties.h" nogil:
    bint rb_is_mistake(double margin, bint is_positive, bint tie_is_mistake)
    bint rb_beats(double score, double best, bint wins_tie)

cdef enum:
    ONE_ = 0
    EACH_ = 1
    AGAINST_ = 2
    NO_ONE = -1

ONE = ONE_
EACH = EACH_
AGAINST = AGAINST_


cdef class Updates:
    """What a walk did, in order: one entry for every change of one vector, or of two (AGAINST).

    `wrong` is -1 where the right class was raised alone. Under EACH an entry with a wrong class
    lowers that one alone.
    """

    cdef readonly object row
    cdef readonly object right
    cdef readonly object wrong
    cdef readonly object step
    cdef int64_t[::1] rows
    cdef int32_t[::1] rights, wrongs
    cdef double[::1] steps
    cdef readonly int64_t size
    cdef readonly int64_t mistakes

    def __init__(self, int64_t capacity):
        self.row = np.empty(capacity, np.int64)
        self.right = np.empty(capacity, np.int32)
        self.wrong = np.empty(capacity, np.int32)
        self.step = np.empty(capacity)
        self.rows = self.row
        self.rights = self.right
        self.wrongs = self.wrong
        self.steps = self.step

    def clear(self):
        self.size = 0
        self.mistakes = 0

    cdef void write(self, int64_t row, int64_t right, int64_t wrong, double step) noexcept nogil:
        self.rows[self.size] = row
        self.steps[self.size] = step
        self.rights[self.size] = <int32_t>right
        self.wrongs[self.size] = <int32_t>wrong
        self.size += 1


cdef bint decide(const double[:, ::1] scores, int64_t i, int64_t label, double weight, int shape,
                 bint tie_is_mistake, double[::1] step) noexcept nogil:
    """Fill in what row i adds to each vector, times itself; return whether it adds anything."""
    cdef int64_t k = scores.shape[0]
    cdef int64_t c, rival
    cdef double sign, margin
    cdef bint found = False
    if weight == 0.0:
        return False
    if shape != AGAINST_:
        for c in range(k):
            sign = 1.0 if (label == 1 if shape == ONE_ else label == c) else -1.0
            step[c] = 0.0
            if rb_is_mistake(sign * scores[c, i], sign > 0.0, tie_is_mistake):
                step[c] = sign * weight
                found = True
        return found
    rival = 1 if label == 0 else 0
    step[0] = 0.0
    for c in range(1, k):
        step[c] = 0.0
        if c != label and rb_beats(scores[c, i], scores[rival, i], False):
            rival = c
    margin = scores[label, i] - scores[rival, i]
    if margin == 0.0 and not tie_is_mistake:
        for c in range(rival + 1, k):  # the last of the equals would win
            if c != label and rb_beats(scores[c, i], scores[rival, i], True):
                rival = c
    if not rb_is_mistake(margin, rival < label, tie_is_mistake):
        return False
    step[label] = weight
    if margin != 0.0 or not tie_is_mistake:
        step[rival] = -weight
    return True


def mistaken(const double[:, ::1] scores, const int32_t[::1] labels, const double[::1] weights,
             int shape, bint tie_is_mistake):
    """Return which rows are wrong by the scores as they are, True or False for each."""
    cdef int64_t n = labels.shape[0]
    cdef int64_t i
    out = np.empty(n, np.bool_)
    cdef unsigned char[::1] wrong = out.view(np.uint8)
    cdef double[::1] step = np.empty(scores.shape[0])
    with nogil:
        for i in range(n):
            wrong[i] = decide(scores, i, labels[i], weights[i], shape, tie_is_mistake, step)
    return out


def seek(const double[:, ::1] scores, const int32_t[::1] labels, const double[::1] weights,
         int64_t start, int shape, bint tie_is_mistake, double[::1] step):
    """Return the next row from `start` on that is wrong, or the number of rows; its step is filled in."""
    cdef int64_t found = labels.shape[0]
    cdef int64_t i
    with nogil:
        for i in range(start, labels.shape[0]):
            if decide(scores, i, labels[i], weights[i], shape, tie_is_mistake, step):
                found = i
                break
    return found


def walk(double[:, ::1] scores, const int32_t[::1] labels, const double[::1] weights,
         int64_t start, const double[:, ::1] kernel, const int32_t[::1] place, int shape,
         bint tie_is_mistake, double[::1] squared_norms, double[::1] magnitudes, Updates updates):
    """Learn from the rows in order; return the row reached.

    `kernel[place[i]]` is the kernel of row i with all rows of the block; where `place[i]` is -1 it
    is not known yet, and the walk stops at row i if it has to be known. An update changes the
    scores of all rows of the block. `squared_norms` of the vectors are kept up, and `magnitudes`
    are the sums of the absolute values of what was added to them.
    """
    cdef int64_t k = scores.shape[0]
    cdef int64_t n = labels.shape[0]
    cdef int64_t reached = n
    cdef int64_t i, j, c
    cdef double[::1] step = np.empty(k)
    cdef double change, own
    with nogil:
        for i in range(start, n):
            if not decide(scores, i, labels[i], weights[i], shape, tie_is_mistake, step):
                continue
            if place[i] < 0:
                reached = i
                break
            write(updates, i, labels[i], weights[i], shape, step)
            own = kernel[place[i], i] * weights[i] * weights[i]
            for c in range(k):
                if step[c] == 0.0:
                    continue
                change = 2.0 * step[c] * scores[c, i]
                squared_norms[c] += change + own
                magnitudes[c] += fabs(change) + fabs(own)
                for j in range(n):
                    scores[c, j] += step[c] * kernel[place[i], j]
    return reached


cdef void write(Updates updates, int64_t i, int32_t label, double weight, int shape,
                double[::1] step) noexcept nogil:
    cdef int64_t wrong = NO_ONE
    cdef int64_t c
    updates.mistakes += 1
    if shape == ONE_:
        updates.write(i, label, 1 - label, weight)
    elif shape == EACH_:
        for c in range(step.shape[0]):
            if step[c] > 0.0:
                updates.write(i, label, NO_ONE, weight)
            elif step[c] < 0.0:
                updates.write(i, label, c, weight)
    else:
        for c in range(step.shape[0]):
            if step[c] < 0.0:
                wrong = c
        updates.write(i, label, wrong, weight)
