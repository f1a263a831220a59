"""Four ways to read the weights of a stream: the last, their mean, and their means of late.

A mean ``m_t = (1 - a_t) m_{t-1} + a_t w_t`` lags ``e = w - m`` behind the weights. If example t
moves these by δ_t, then ``e_t = (1 - a_t) (e_{t-1} + δ_t)``: one factor for all features, and a
jump where the example has values. So with ``e = s·E`` a number s shrinks, and E changes where δ is
not 0:

    E += δ_t / s_{t-1},    s_t = (1 - a_t) s_{t-1}

``a_t = max(a, 1/t)`` makes it the mean over all examples (a = 0) or over about the last 1/a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import score
from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.core.rows import Rows, rows_between
from rosenblatt.core.weights import Weights, widened

RATES = np.array([0.0, 1 / 1000, 1 / 100])
NAMES = ("last", "average", "slow", "fast")
# What an error counts less with each example: half of it after 50.
FADING = 0.5 ** (1 / 50)
# Below it s becomes 1 again, so that E stays of the size of the weights.
SMALLEST_SCALE = 1e-6


class Readouts:
    """The means beside the weights of a model, and how each has fared.

    ``errors`` has for each of `NAMES` the mistakes so far, those of long ago counting less; with
    ``name="auto"`` the one with the fewest predicts.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        self.name, self.t = name, 0
        self.errors, self.scales = np.zeros(len(NAMES)), np.ones(len(RATES))
        self.rates, self.fading, self.smallest_scale = RATES, FADING, SMALLEST_SCALE
        shape = weights.n_vectors, weights.n_features
        self.lags = [Weights(*shape, by_feature=weights.by_feature) for _ in RATES]

    def copy(self) -> Readouts:
        twin = copy(self)
        twin.errors, twin.scales = self.errors.copy(), self.scales.copy()
        twin.lags = [lag.copy() for lag in self.lags]
        return twin

    @property
    def place(self) -> int:
        """Of the one that predicts, among `NAMES`."""
        return int(self.errors.argmin()) if self.name == "auto" else NAMES.index(self.name)

    @property
    def chosen(self) -> str:
        """The one that predicts."""
        return NAMES[self.place]

    def served(self, weights: Weights) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The weights and biases that predict."""
        place = self.place - 1
        if place < 0:
            return weights.matrix, weights.bias
        self._follow(weights)
        lag, scale = self.lags[place], self.scales[place]
        return weights.matrix - scale * lag.matrix, weights.bias - scale * lag.bias

    def scores(self, weights: Weights, rows: Rows) -> list[FloatArray]:
        """Scores of rows, which the weights are arranged for, by each of `NAMES`."""
        self._follow(weights)
        last = score(rows, weights.table, weights.bias)
        pairs = zip(self.scales.tolist(), self.lags, strict=True)
        return [last, *(last - scale * score(rows, lag.table, lag.bias) for scale, lag in pairs)]

    def score(self, weights: Weights, rows: Rows) -> FloatArray:
        """Scores of rows by the one that predicts."""
        return self.scores(weights, rows)[self.place]

    def learn(
        self,
        weights: Weights,
        rows: Rows,
        columns: npt.NDArray[Any] | slice,
        slot: int,
        step: Callable[[], object],
    ) -> None:
        """Take a step that learns from one row, which has values in these columns, and follow it.

        A step that is refused changes nothing.
        """
        found = [scores[0] for scores in self.scores(weights, rows)]
        before, bias = weights.matrix[:, columns].copy(), weights.bias.copy()
        step()
        change, moved = weights.matrix[:, columns] - before, weights.bias - bias
        if self.t and (change.any() or moved.any()):  # before the first all means are the weights
            for scale, lag in zip(self.scales.tolist(), self.lags, strict=True):
                lag.matrix[:, columns] += change / scale
                lag.bias[...] += moved / scale
        self.t += 1
        if self.t > 1:
            self.scales *= 1.0 - np.maximum(self.rates, 1.0 / self.t)
        for place in np.flatnonzero(self.scales < self.smallest_scale).tolist():
            self.lags[place].matrix[...] *= self.scales[place]
            self.lags[place].bias[...] *= self.scales[place]
            self.scales[place] = 1.0
        self.errors *= self.fading
        self.errors += [is_wrong(scores, slot) for scores in found]

    def walk(
        self,
        weights: Weights,
        arrays: Sequence[npt.NDArray[Any]],
        labels: npt.NDArray[np.int32],
        span: tuple[int, int],
        step: Callable[[int, int], object],
    ) -> None:
        """Learn from a span of rows, one after the other; `arrays` are those of `row_arrays`."""
        for row in range(*span):
            seen = weights.t
            columns: Any = slice(None)
            if len(arrays) > 1:
                columns = arrays[1][arrays[2][row] : arrays[2][row + 1]]
            rows = rows_between(arrays, weights.n_features, row, row + 1)
            self.learn(weights, rows, columns, int(labels[row]), partial(step, row, row + 1))
            if weights.t == seen:  # somebody asked to stop
                break

    def to_arrays(self, weights: Weights) -> dict[str, npt.NDArray[Any]]:
        """The means' lags behind the weights, one after the other, and their numbers."""
        self._follow(weights)
        return {
            "readout.coef": np.concatenate([lag.matrix for lag in self.lags]),
            "readout.intercept": np.concatenate([lag.bias for lag in self.lags]),
            "readout.scale": self.scales.copy(),
            "readout.error": self.errors.copy(),
        }

    @classmethod
    def from_arrays(
        cls, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]], name: str, t: int
    ) -> Readouts:
        found = cls(weights, name)
        found.t, found.scales = t, arrays["readout.scale"].copy()
        found.errors = arrays["readout.error"].copy()
        coef, bias = (np.split(arrays[f"readout.{one}"], 3) for one in ("coef", "intercept"))
        for lag, matrix, biases in zip(found.lags, coef, bias, strict=True):
            lag.set(matrix, biases)
        return found

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features of which nothing was learned before these places."""
        self.lags = [widened(lag, [min(at, lag.n_features) for at in places]) for lag in self.lags]

    def _follow(self, weights: Weights) -> None:
        """Take the shape of the weights: classes and features that joined, or have left again."""
        for lag in self.lags:
            if lag.n_vectors == 1 < weights.n_vectors:
                lag.split()
            while lag.n_vectors < weights.n_vectors:
                lag.add_vector()
            while lag.n_vectors > weights.n_vectors:
                lag.drop_vector()
            if lag.n_features != weights.n_features:
                lag.grow(weights.n_features)
            lag.arrange(by_feature=weights.by_feature)


def is_wrong(scores: Any, slot: int) -> bool:
    """Whether a class does not have the highest score alone."""
    if np.ndim(scores) == 0:
        return bool(scores <= 0 if slot else scores >= 0)
    return int(np.count_nonzero(scores >= scores[slot])) > 1
