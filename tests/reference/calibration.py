"""Platt's sigmoid and a temperature with smoothed targets, by bisection instead of Newton."""

import numpy as np


def targets(labels, k, weights):
    """(n + 1) / (n + 2) for the right class, the rest for the others alike.

    Of two classes n counts the rows of the right one, of more all rows.
    """
    sizes = [(weights[labels == c] if k == 2 else weights).sum() for c in range(k)]
    right = [(sizes[y] + 1) / (sizes[y] + 2) for y in labels]
    return np.array(
        [
            [share if c == y else (1 - share) / (k - 1) for c in range(k)]
            for y, share in zip(labels, right, strict=True)
        ]
    )


def sigmoid_loss(slope, offset, scores, labels, weights):
    z = slope * scores + offset
    t = targets(labels, 2, weights)[:, 1]
    return weights @ (t * np.logaddexp(0, -z) + (1 - t) * np.logaddexp(0, z))


def softmax_loss(slope, scores, labels, weights):
    z = slope * scores
    z = z - z.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -weights @ (targets(labels, scores.shape[1], weights) * log_p).sum(axis=1)


def root(rising, low, high, steps=60):
    """Where a function that rises is 0, by bisection; ``low`` if it is above 0 everywhere."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return low


def platt(scores, labels, weights):
    """Slope and offset: for each slope the best offset, and of these the best slope from 0 on."""
    t = targets(labels, 2, weights)[:, 1]

    def excess(slope, offset):
        return weights * (1 / (1 + np.exp(-slope * scores - offset)) - t)

    def best_offset(slope):
        return root(lambda b: excess(slope, b).sum(), -200.0, 200.0)

    slope = root(lambda a: excess(a, best_offset(a)) @ scores, 0.0, 60.0)
    return slope, best_offset(slope)


def temperature(scores, labels, weights):
    t = targets(labels, scores.shape[1], weights)

    def derivative(slope):
        p = np.exp(slope * (scores - scores.max(axis=1, keepdims=True)))
        p = p / p.sum(axis=1, keepdims=True)
        return weights @ ((p - t) * scores).sum(axis=1)

    return root(derivative, 0.0, 1e4)
