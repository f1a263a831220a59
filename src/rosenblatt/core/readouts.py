"""Four ways to read the weights of a stream: the last, their mean, and their means of late.

How a mean follows the weights is written in ``readout.h``; this file names the read-outs, and gives
their weights and scores.

A mix of read-outs keeps a second learner beside the first: a passive-aggressive one whose steps
move a margin by no more than `GENTLE`, and the means are those of its weights. Eager weights follow
labels that come in runs, gentle ones and their means do well where labels are noisy. Each counts in
the sum of their scores by ``exp(-SHARPNESS · faded mistakes)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.readouts import ReadoutArrays
from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.rules import Rule, exp
from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.core.rows import Rows
from rosenblatt.core.weights import Weights, widened

NAMES = ("last", "average", "slow", "fast")
# Each mean is over about the last 1/rate examples, or over all of them.
RATES = np.array([0.0, 1 / 1000, 1 / 100])
# What an error counts less with each example: half of it after 50.
FADING = 0.5 ** (1 / 50)

# Those of a mix, where all of them are heard and a slower judgement costs less.
MIXED_NAMES = ("last", "gentle", *NAMES[1:])
MIXED_RATES = np.array([0.0, 1 / 1000, 1 / 300])
MIXED_FADING = 0.5 ** (1 / 150)
# The most by which the gentle learner moves the margin of a row.
GENTLE = 0.4
# How much a mistake lowers the share of a read-out in a mix.
SHARPNESS = 0.5

# Below it a scale becomes 1 again, so that the lags stay of the size of the weights.
SMALLEST_SCALE = 1e-6


class Readouts(ReadoutArrays):
    """The means beside the weights of a model, and how each has fared.

    ``errors`` has for each of ``names`` the mistakes so far, those of long ago counting less. With
    ``name="auto"`` the one with the fewest predicts. With "mix" all of them do, and the means are
    those of ``gentle``, which is None otherwise.
    """

    lags: tuple[Weights, ...]
    gentle: Weights | None

    def __init__(self, weights: Weights, name: str) -> None:
        is_mix = name == "mix"
        self.names = MIXED_NAMES if is_mix else NAMES
        shape = weights.n_vectors, weights.n_features
        layout = weights.by_feature
        gentle = None
        if is_mix:
            bias = weights.fit_intercept
            gentle = Weights(*shape, by_feature=layout, fit_intercept=bias)
            gentle.set(weights.matrix, weights.bias)
        self.bind(
            [Weights(*shape, by_feature=layout) for _ in RATES],
            gentle,
            Rule("gentle PA", C=GENTLE),
            scales=np.ones(len(RATES)),
            errors=np.zeros(len(self.names)),
            rates=MIXED_RATES if is_mix else RATES,
        )
        self.set_up(
            fading=MIXED_FADING if is_mix else FADING,
            sharpness=SHARPNESS,
            smallest_scale=SMALLEST_SCALE,
        )
        self.name = name

    @property
    def name(self) -> str:
        """Which of them predicts; one of ``names``, "auto" or "mix"."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        self.serve(None if name in ("auto", "mix") else self.names.index(name))

    def copy(self) -> Readouts:
        """Return independent read-outs in the same state."""
        tables = [one.copy() for one in self.tables]
        return _restored(self.name, tables, self.scales.copy(), self.errors.copy(), self.t)

    def __reduce__(self) -> tuple[Any, ...]:
        numbers = self.tables, self.scales, self.errors, self.t
        return _restored, (self.name, *numbers)

    @property
    def tables(self) -> list[Weights]:
        """All that has the shape of the weights."""
        return [*self.lags, *([] if self.gentle is None else [self.gentle])]

    def _take(self, tables: list[Weights], scales: FloatArray, errors: FloatArray) -> None:
        """Replace the tables, in the order of `tables`, and the numbers beside them."""
        gentle = None if self.gentle is None else tables[-1]
        self.bind(tables[: len(RATES)], gentle, self.rule, scales, errors, self.rates)

    @property
    def shares(self) -> list[float]:
        """How much each counts in a mix."""
        errors: list[float] = self.errors.tolist()
        found = [exp(SHARPNESS * (min(errors) - one)) for one in errors]
        total = 0.0
        for one in found:  # one by one, as the compiled walk does: `sum` rounds otherwise
            total += one
        return [one / total for one in found]

    @property
    def place(self) -> int:
        """Of the one that predicts, among its `names`; of those mixed, the one that counts most."""
        chosen = self.name in ("auto", "mix")
        return int(self.errors.argmin()) if chosen else self.names.index(self.name)

    @property
    def chosen(self) -> str:
        """The one that predicts, or that counts most."""
        return self.names[self.place]

    def served(self, weights: Weights) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The weights and biases that predict."""
        place = self.place - 1
        if self.gentle is None and place < 0:
            return weights.matrix, weights.bias
        self.match(weights)
        if self.gentle is None:
            lag, scale = self.lags[place], self.scales[place]
            return weights.matrix - scale * lag.matrix, weights.bias - scale * lag.bias
        last, *others = self.shares
        matrix = last * weights.matrix + sum(others) * self.gentle.matrix
        bias = last * weights.bias + sum(others) * self.gentle.bias
        for share, scale, lag in zip(others[1:], self.scales.tolist(), self.lags, strict=True):
            matrix -= share * scale * lag.matrix
            bias -= share * scale * lag.bias
        return matrix, bias

    def scores(self, weights: Weights, rows: Rows) -> list[FloatArray]:
        """Scores of rows, which the weights are arranged for, by each of its `names`."""
        self.match(weights)
        learners = [weights] if self.gentle is None else [weights, self.gentle]
        found = [score(rows, one.table, one.bias) for one in learners]
        newest = found[-1]
        for scale, lag in zip(self.scales.tolist(), self.lags, strict=True):
            found.append(newest - scale * score(rows, lag.table, lag.bias))
        return found

    def score(self, weights: Weights, rows: Rows) -> FloatArray:
        """Scores of rows by what predicts."""
        return self.served_score(self.scores(weights, rows))

    def served_score(self, found: list[FloatArray]) -> FloatArray:
        """What predicts, of the scores by each of its `names`."""
        if self.gentle is None:
            return found[self.place]
        total = np.zeros_like(found[0])
        for share, one in zip(self.shares, found, strict=True):
            total += share * one
        return total

    def may_rescale(self, n_rows: int) -> bool:
        """Whether a scale may become 1 again while so many rows are learned."""
        scales = self.scales.copy()
        for t in range(self.t + 1, self.t + n_rows + 1):
            scales *= 1.0 - np.maximum(self.rates, 1.0 / max(t, 2))
        return bool((scales < 2 * SMALLEST_SCALE).any())

    def to_arrays(self, weights: Weights) -> dict[str, npt.NDArray[Any]]:
        """The means' lags behind the weights, one after the other, and their numbers."""
        self.match(weights)
        return {
            "readout.coef": np.concatenate([one.matrix for one in self.tables]),
            "readout.intercept": np.concatenate([one.bias for one in self.tables]),
            "readout.scale": self.scales.copy(),
            "readout.error": self.errors.copy(),
        }

    @classmethod
    def from_arrays(
        cls, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]], name: str, t: int
    ) -> Readouts:
        tables = cls(weights, name).tables
        matrices = np.split(arrays["readout.coef"], len(tables))
        biases = np.split(arrays["readout.intercept"], len(tables))
        for one, matrix, bias in zip(tables, matrices, biases, strict=True):
            one.set(matrix, bias)
        numbers = arrays["readout.scale"].copy(), arrays["readout.error"].copy()
        return _restored(name, tables, *numbers, t)

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features of which nothing was learned before these places."""
        tables = [widened(one, [min(at, one.n_features) for at in places]) for one in self.tables]
        self._take(tables, self.scales, self.errors)

    def match(self, weights: Weights) -> None:
        """Take the shape of the weights: classes and features that joined, or have left again."""
        for lag in self.tables:
            if lag.n_vectors == 1 < weights.n_vectors:
                lag.split()
            while lag.n_vectors < weights.n_vectors:
                lag.add_vector()
            while lag.n_vectors > weights.n_vectors:
                lag.drop_vector()
            if lag.n_features != weights.n_features:
                lag.grow(weights.n_features)
            lag.arrange(by_feature=weights.by_feature)


def _restored(
    name: str, tables: list[Weights], scales: FloatArray, errors: FloatArray, t: int
) -> Readouts:
    """Rebuild read-outs from their saved state."""
    found = Readouts(tables[0], name)
    found._take(tables, scales, errors)
    found.t = t
    return found
