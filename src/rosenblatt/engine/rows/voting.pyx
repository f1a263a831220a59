"""Votes of every weight vector a run went through, from its updates alone."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "ties.h" nogil:
    double rb_vote(double score, double at_tie)
    bint rb_beats(double score, double best, bint wins_tie)
    int64_t rb_best_class(const double *scores, int64_t n_classes, bint last_wins)

ctypedef fused real:
    float
    double


cdef int check(int64_t n_support, const int64_t[::1] place, int64_t n_states,
               int64_t n_steps) except -1:
    """Refuse updates of rows that are not among the support rows, or that do not belong together."""
    cdef int64_t m = place.shape[0]
    cdef int64_t i
    if n_states != m + 1 or n_steps != m:
        raise ValueError(f"{m} updates, {n_steps} steps and {n_states} times of survival")
    for i in range(m):
        if not 0 <= place[i] < n_support:
            raise IndexError(f"update {i} is of support row {place[i]} of {n_support}")
    return 0


def vote_binary(const double[:, ::1] products, const int64_t[::1] support,
                const double[::1] signed_step, const double[::1] survival,
                const double[::1] start, double bias_step, bint tie_is_positive):
    """Sum survival times signed by the score of each vector, one sum per query.

    `products` (queries, support rows) holds x.z; `support` and `signed_step` name the row and step
    of each update; `survival` has one entry more: that of the first vector. `start` is the score
    of the first vector; `bias_step` is 1 with a bias and 0 without.
    """
    cdef int64_t n = products.shape[0]
    cdef int64_t m = support.shape[0]
    cdef int64_t q, i
    check(products.shape[1], support, survival.shape[0], signed_step.shape[0])
    if start.shape[0] != n:
        raise ValueError(f"{start.shape[0]} first scores of {n} queries")
    out = np.zeros(n)
    cdef double[::1] votes = out
    cdef double at_tie = tie_is_positive
    cdef double score, total
    with nogil:
        for q in range(n):
            score = start[q]
            total = survival[0] * rb_vote(score, at_tie)
            for i in range(m):
                score += signed_step[i] * (products[q, support[i]] + bias_step)
                total += survival[i + 1] * rb_vote(score, at_tie)
            votes[q] = total
    return out


def votes_of_one(const real[:, ::1] kernel, const int64_t[::1] place, const double[::1] step,
                 const double[::1] survival, bint tie_is_positive):
    """Let one vector's states vote on the queries: each counts as long as it survived.

    `kernel` is (support rows, queries), `place` and `step` name the row and step of each update,
    `survival` has one number more, that of the first state, which scores 0 everywhere.
    """
    cdef int64_t n = kernel.shape[1]
    cdef int64_t m = place.shape[0]
    cdef int64_t i
    check(kernel.shape[0], place, survival.shape[0], step.shape[0])
    cdef double at_tie = tie_is_positive
    out = np.full(n, survival[0] * rb_vote(0.0, at_tie))
    cdef double[::1] total = out, score = np.zeros(n)
    if n == 0:
        return out
    with nogil:
        for i in range(m):
            add_and_vote(&score[0], &total[0], &kernel[place[i], 0], n, step[i], survival[i + 1],
                         at_tie)
    return out


cdef inline void add_and_vote(double *score, double *total, const real *row, int64_t n,
                              double step, double lived, double at_tie) noexcept nogil:
    cdef int64_t j
    cdef double s
    for j in range(n):
        s = score[j] + step * row[j]
        score[j] = s
        total[j] += lived * rb_vote(s, at_tie)


def vote_classes(const double[:, ::1] products, const int64_t[::1] support,
                 const int32_t[::1] right, const int32_t[::1] wrong, const double[::1] step,
                 const double[::1] survival, start, double bias_step):
    """Survival times given to the class each vector chose, (queries, classes); of equals the first."""
    cdef int64_t n = products.shape[0]
    cdef int64_t m = support.shape[0]
    cdef int64_t k = start.shape[1]
    cdef int64_t q, i, best
    check(products.shape[1], support, survival.shape[0], step.shape[0])
    if k == 0 or start.shape[0] != n or right.shape[0] != m or wrong.shape[0] != m:
        raise ValueError(f"{start.shape[0]} first scores of {k} classes for {n} queries")
    for i in range(m):
        if not (0 <= right[i] < k and wrong[i] < k):
            raise IndexError(f"update {i} moves class {right[i]} and {wrong[i]} of {k}")
    out = np.zeros((n, k))
    cdef double[:, ::1] votes = out, scores = np.array(start, np.float64)
    cdef double *score
    cdef double change
    with nogil:
        for q in range(n):
            score = &scores[q, 0]
            best = rb_best_class(score, k, False)
            votes[q, best] += survival[0]
            for i in range(m):
                change = step[i] * (products[q, support[i]] + bias_step)
                score[right[i]] += change
                if wrong[i] >= 0:
                    score[wrong[i]] -= change
                # Two classes moved: look at all of them only if the best may have lost.
                if (right[i] == best and change < 0.0) or (wrong[i] == best and change > 0.0):
                    best = rb_best_class(score, k, False)
                else:
                    best = better(score, best, right[i])
                    if wrong[i] >= 0:
                        best = better(score, best, wrong[i])
                votes[q, best] += survival[i + 1]
    return out


cdef inline int64_t better(const double *score, int64_t best, int64_t c) noexcept nogil:
    """Return the one with the higher score; the first of two equals."""
    return c if rb_beats(score[c], score[best], c < best) else best
