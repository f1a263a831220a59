"""Rules that scale all weights: w <- scale w + step y x, with nothing kept but w itself.

With the margin m, q = x.x (+ 1 with a bias; of a pair of classes twice that), c the weight of the
row, k the number of this update if it becomes one, t the number of this example, both from 1:

    ALMA     m / sqrt(q) <= (1 - alpha) B / sqrt(k):     (Gentile 2001, p = 2)
             w <- w + min(1, c) C / sqrt(k) y x / sqrt(q),  then  w <- w / max(1, |w|)
    Pegasos  w <- (1 - 1/t) w, but for t = 1;            (Shalev-Shwartz et al. 2011)
             m < 1, by w as it was before:  w <- w + c / (lambda t) y x

With several classes w is all vectors one after the other, the right class has y = +1 and the best
wrong one -1. A row of weight 0 is passed over, and t does not count it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Scaled(NamedTuple):
    """A rule: ``move(W, moves, x, m, q, c, k, t)`` gives W and the step; ``edge`` its threshold."""

    move: Callable[..., tuple[Any, float]]
    edge: Callable[[float, int], float]


def alma(alpha: float, B: float, C: float) -> Scaled:
    def edge(q: float, k: int) -> float:
        return float((1 - alpha) * B / np.sqrt(k) * np.sqrt(q))

    def move(W, moves, x, m, q, c, k, t):
        if q == 0 or m > edge(q, k):
            return W, 0.0
        step = min(1.0, c) * C / np.sqrt(k) / np.sqrt(q)
        W = added(W, moves, step, x)
        length = max(1.0, np.linalg.norm(W))
        return W / length, step / length

    return Scaled(move, edge)


def pegasos(lam: float) -> Scaled:
    def move(W, moves, x, m, q, c, k, t):
        if t > 1:
            W = (1 - 1 / t) * W
        step = c / (lam * t) if m < 1 else 0.0
        return added(W, moves, step, x), step

    return Scaled(move, lambda q, k: 1.0)


def added(W, moves, step, x):
    W = W.copy()
    for vector, sign in moves:
        W[vector] += sign * step * x
    return W


class Plain:
    """Vectors in the rows of W; the last column is that of the bias."""

    def __init__(self, rule, n_vectors, n_features):
        self.rule = rule
        self.W = np.zeros((n_vectors, n_features))
        self.k = 0
        self.t = 0
        self.nearest_edge = np.inf  # how near a margin came to where the rule decides otherwise

    def learn(self, x, margin, weight, moves):
        self.t += 1
        q = float(x @ x) * len(moves)
        if self.W.any():  # a margin of 0 is exact where nothing was learned
            edge = self.rule.edge(q, self.k + 1)
            self.nearest_edge = min(self.nearest_edge, abs(margin - edge))
        self.W, step = self.rule.move(self.W, moves, x, margin, q, weight, self.k + 1, self.t)
        self.k += step != 0
        return float(step)
