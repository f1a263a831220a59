"""Votes of every weight vector a run went through, from its updates alone."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t

import numpy as np

cnp.import_array()


def vote_binary(cnp.ndarray products, cnp.ndarray support, cnp.ndarray signed_step,
                cnp.ndarray survival, cnp.ndarray start, double bias_step, bint tie_is_positive):
    """Sum of survival times signed by the score of each vector, one sum per query.

    `products` (queries, support rows) holds x.z; `support` and `signed_step` name the row and step
    of each update; `survival` has one entry more: that of the first vector. `start` is the score
    of the first vector; `bias_step` is 1 with a bias and 0 without.
    """
    cdef int64_t n = cnp.PyArray_DIM(products, 0), width = cnp.PyArray_DIM(products, 1)
    cdef int64_t m = cnp.PyArray_DIM(support, 0), q, i
    cdef cnp.ndarray out = np.zeros(n)
    cdef double *votes = <double *>cnp.PyArray_DATA(out)
    cdef const double *product = <const double *>cnp.PyArray_DATA(products)
    cdef const int64_t *row = <const int64_t *>cnp.PyArray_DATA(support)
    cdef const double *step = <const double *>cnp.PyArray_DATA(signed_step)
    cdef const double *lived = <const double *>cnp.PyArray_DATA(survival)
    cdef const double *first = <const double *>cnp.PyArray_DATA(start)
    cdef double score, total
    with nogil:
        for q in range(n):
            score = first[q]
            total = signed_vote(score, lived[0], tie_is_positive)
            for i in range(m):
                score += step[i] * (product[row[i]] + bias_step)
                total += signed_vote(score, lived[i + 1], tie_is_positive)
            votes[q] = total
            product += width
    return out


cdef inline double signed_vote(double score, double survival, bint tie_is_positive) noexcept nogil:
    if score > 0.0 or (score == 0.0 and tie_is_positive):
        return survival
    return -survival if score < 0.0 else 0.0


def vote_classes(cnp.ndarray products, cnp.ndarray support, cnp.ndarray right, cnp.ndarray wrong,
                 cnp.ndarray step, cnp.ndarray survival, cnp.ndarray start, double bias_step):
    """Survival times given to the class each vector chose, (queries, classes)."""
    cdef int64_t n = cnp.PyArray_DIM(products, 0), width = cnp.PyArray_DIM(products, 1)
    cdef int64_t m = cnp.PyArray_DIM(support, 0), k = cnp.PyArray_DIM(start, 1), q, i, best
    cdef cnp.ndarray out = np.zeros((n, k))
    cdef cnp.ndarray scores = np.array(start, np.float64)
    cdef double *votes = <double *>cnp.PyArray_DATA(out)
    cdef double *score = <double *>cnp.PyArray_DATA(scores)
    cdef const double *product = <const double *>cnp.PyArray_DATA(products)
    cdef const int64_t *row = <const int64_t *>cnp.PyArray_DATA(support)
    cdef const int32_t *up = <const int32_t *>cnp.PyArray_DATA(right)
    cdef const int32_t *down = <const int32_t *>cnp.PyArray_DATA(wrong)
    cdef const double *steps = <const double *>cnp.PyArray_DATA(step)
    cdef const double *lived = <const double *>cnp.PyArray_DATA(survival)
    cdef double change
    with nogil:
        for q in range(n):
            best = first_best(score, k)
            votes[best] += lived[0]
            for i in range(m):
                change = steps[i] * (product[row[i]] + bias_step)
                score[up[i]] += change
                if down[i] >= 0:
                    score[down[i]] -= change
                # Two classes moved: look at all of them only if the best may have lost.
                if (up[i] == best and change < 0.0) or (down[i] == best and change > 0.0):
                    best = first_best(score, k)
                else:
                    best = better(score, best, up[i])
                    if down[i] >= 0:
                        best = better(score, best, down[i])
                votes[best] += lived[i + 1]
            product += width
            score += k
            votes += k
    return out


cdef inline int64_t better(const double *score, int64_t best, int64_t c) noexcept nogil:
    """The one with the higher score; the first of two equals."""
    if score[c] > score[best] or (score[c] == score[best] and c < best):
        return c
    return best


cdef inline int64_t first_best(const double *score, int64_t k) noexcept nogil:
    cdef int64_t best = 0, c
    for c in range(1, k):
        if score[c] > score[best]:
            best = c
    return best
