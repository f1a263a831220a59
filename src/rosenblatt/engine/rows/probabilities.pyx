"""Probabilities of scores, and the log loss by which a slope and an offset are fitted to rows.

NumPy and the C library choose exp and log by processor, and BLAS the order of its sums. Here exp and
log are those of rules.h, and sums have a fixed order: the classes of a row from the first to the last,
then the rows of a block, then the blocks. So the same scores give the same bytes on every machine.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "rows/rules.h" nogil:
    double rb_logarithm(double x) noexcept nogil
    void rb_exponentials(double *x, int64_t n) noexcept nogil

cdef enum:
    # So many exponentials are taken at once, or those of one row. Sums of sums lose fewer digits than
    # one sum of all rows.
    BLOCK = 1024


def log(double x):
    """Return the natural logarithm of a positive number."""
    return rb_logarithm(x)


def log_softmax(double[:, ::1] z):
    """Put ``z - log(Σ exp(z))`` of each row in its place, the logarithms of probabilities."""
    over_rows(z, True)


def softmax(double[:, ::1] z):
    """Put ``exp(z) / Σ exp(z)`` of each row in its place, probabilities."""
    over_rows(z, False)


cdef void over_rows(double[:, ::1] z, bint logarithms):
    cdef int64_t n = z.shape[0]
    cdef int64_t k = z.shape[1]
    cdef int64_t start = 0
    cdef int64_t size, i, c
    cdef double total
    if n == 0 or k == 0:
        return
    cdef int64_t at_once = max(1, BLOCK // k)
    cdef double[::1] exponentials = np.empty(at_once * k)
    with nogil:
        while start < n:
            size = min(at_once, n - start)
            exponentiate(&z[start, 0], &exponentials[0], size, k)
            for i in range(size):
                total = 0.0
                for c in range(k):
                    total += exponentials[i * k + c]
                if logarithms:
                    total = rb_logarithm(total)
                    for c in range(k):
                        z[start + i, c] -= total
                else:
                    for c in range(k):
                        z[start + i, c] = exponentials[i * k + c] / total
            start += size


cdef void exponentiate(double *z, double *out, int64_t n, int64_t k) noexcept nogil:
    """Lower each row so that its largest number is 0, and take the exponentials."""
    cdef int64_t i, c
    cdef double largest
    for i in range(n):
        largest = largest_of(z + i * k, k)
        for c in range(k):
            z[i * k + c] -= largest
    if k == 2:
        # One of the two is 0, and its exponential 1: only that of the other is taken.
        for i in range(n):
            out[i] = min(z[2 * i], z[2 * i + 1])
        rb_exponentials(out, n)
        for i in range(n - 1, -1, -1):  # from the end, so that none is lost
            out[2 * i + 1] = out[i] if z[2 * i + 1] < 0.0 else 1.0
            out[2 * i] = out[i] if z[2 * i] < 0.0 else 1.0
        return
    for i in range(n * k):
        out[i] = z[i]
    rb_exponentials(out, n * k)


cdef inline double largest_of(const double *row, int64_t k) noexcept nogil:
    cdef double largest = row[0]
    cdef int64_t c
    for c in range(1, k):
        if row[c] > largest:
            largest = row[c]
    return largest


cdef struct Sums:
    # Of a loss of two parameters, slope and offset: its value, gradient and second derivatives.
    double value
    double by_slope
    double by_offset
    double slope_slope
    double slope_offset
    double offset_offset


cdef void add(Sums *total, const Sums *more) noexcept nogil:
    total.value += more.value
    total.by_slope += more.by_slope
    total.by_offset += more.by_offset
    total.slope_slope += more.slope_slope
    total.slope_offset += more.slope_offset
    total.offset_offset += more.offset_offset


cdef tuple parts_of(const Sums *total):
    gradient = (total.by_slope, total.by_offset)
    curvature = (total.slope_slope, total.slope_offset, total.offset_offset)
    return total.value, gradient, curvature


def sigmoid_loss(const double[::1] scores, const double[::1] targets, const double[::1] weights,
                 double slope, double offset):
    """Return the log loss of ``p = 1 / (1 + exp(-z))`` with ``z = slope · score + offset``.

    ``Σ weight (log(1 + exp(z)) - target · z)``, where the target is the share of the second class.
    Returns the value, its gradient by slope and offset, and its second derivatives by slope twice, by
    both, by offset twice.
    """
    cdef int64_t n = scores.shape[0]
    cdef int64_t start = 0
    cdef int64_t size, i
    cdef double[::1] z = np.empty(BLOCK)
    cdef double[::1] exponentials = np.empty(BLOCK)
    cdef double e, p, share, excess
    cdef Sums total, block
    total = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    with nogil:
        while start < n:
            size = min(<int64_t>BLOCK, n - start)
            for i in range(size):
                z[i] = slope * scores[start + i] + offset
                exponentials[i] = -fabs(z[i])
            rb_exponentials(&exponentials[0], size)
            block = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for i in range(size):
                # Of the larger of 0 and z only exp(-|z|) is taken, which cannot overflow.
                e = exponentials[i]
                p = (1.0 if z[i] > 0.0 else e) / (1.0 + e)
                excess = weights[start + i] * (p - targets[start + i])
                share = weights[start + i] * (e / ((1.0 + e) * (1.0 + e)))
                block.value += weights[start + i] * (
                    (z[i] if z[i] > 0.0 else 0.0) + rb_logarithm(1.0 + e) - targets[start + i] * z[i]
                )
                block.by_slope += excess * scores[start + i]
                block.by_offset += excess
                block.slope_slope += share * scores[start + i] * scores[start + i]
                block.slope_offset += share * scores[start + i]
                block.offset_offset += share
            add(&total, &block)
            start += size
    return parts_of(&total)


def softmax_loss(const double[:, ::1] scores, const double[::1] wanted, const double[::1] weights,
                 double slope):
    """Return the log loss of ``p = softmax(slope · scores)``.

    ``Σ weight (log(Σ exp(slope · score)) - slope · wanted)``, where ``wanted`` is the mean of the
    scores of a row by the targets of its classes. Returns what `sigmoid_loss` does; there is no offset,
    so that its derivatives are 0.
    """
    cdef int64_t n = scores.shape[0]
    cdef int64_t k = scores.shape[1]
    cdef int64_t at_once = max(1, BLOCK // max(1, k))
    cdef int64_t start = 0
    cdef int64_t size, i, c
    cdef double[::1] largest = np.empty(at_once)
    cdef double[::1] exponentials = np.empty(at_once * k)
    cdef double e, score, total_e, mean, square
    cdef Sums total, block
    total = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    with nogil:
        while start < n:
            size = min(at_once, n - start)
            for i in range(size):
                for c in range(k):
                    exponentials[i * k + c] = slope * scores[start + i, c]
                largest[i] = largest_of(&exponentials[i * k], k)
                for c in range(k):
                    exponentials[i * k + c] -= largest[i]
            rb_exponentials(&exponentials[0], size * k)
            block = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for i in range(size):
                total_e = 0.0
                mean = 0.0
                square = 0.0
                for c in range(k):
                    e = exponentials[i * k + c]
                    score = scores[start + i, c]
                    total_e += e
                    mean += e * score
                    square += e * score * score
                mean /= total_e
                square /= total_e
                block.value += weights[start + i] * (
                    largest[i] + rb_logarithm(total_e) - slope * wanted[start + i]
                )
                block.by_slope += weights[start + i] * (mean - wanted[start + i])
                block.slope_slope += weights[start + i] * (square - mean * mean)
            add(&total, &block)
            start += size
    return parts_of(&total)
