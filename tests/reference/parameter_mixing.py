"""Iterative parameter mixing (McDonald, Hall and Mann 2010) in plain NumPy, for one weight vector.

Each epoch every shard learns on from the mixed weights; the new ones are the weighted mean of what
the shards came to. The average is the weighted mean, over shards, of the mean of the weights after
each example of the last epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Mixed(NamedTuple):
    weights: Array
    average: Array
    mistakes: list[list[int]]
    weighted_mistakes: float


def one_epoch(w: Array, X: Array, y: Array, order: Sequence[int]) -> tuple[Array, Array, int]:
    """Rosenblatt's rule, labels -1 and 1: last weights, mean weights, mistakes."""
    w, total, mistakes = w.copy(), np.zeros_like(w), 0
    for i in order:
        if y[i] * (w @ X[i]) <= 0:
            w += y[i] * X[i]
            mistakes += 1
        total += w
    return w, total / max(len(order), 1), mistakes


def mixed(
    shards: Sequence[tuple[Array, Array]],
    orders: Sequence[Sequence[Sequence[int]]],
    *,
    by_mistakes: bool,
) -> Mixed:
    """``orders[epoch][shard]`` is how the shard is visited in the epoch."""
    w = np.zeros(shards[0][0].shape[1])
    average, history, weighted = w.copy(), [], 0.0
    for visits in orders:
        learned = [one_epoch(w, X, y, o) for (X, y), o in zip(shards, visits, strict=True)]
        counts = [mistakes for *_, mistakes in learned]
        history.append(counts)
        if not (by_mistakes and any(counts)):
            counts = [1] * len(learned)
        share = np.array(counts) / sum(counts)
        w = sum(c * last for c, (last, *_) in zip(share, learned, strict=True))
        average = sum(c * own for c, (_, own, _) in zip(share, learned, strict=True))
        weighted += float(share @ np.array(history[-1]))
    return Mixed(w, average, history, weighted)
