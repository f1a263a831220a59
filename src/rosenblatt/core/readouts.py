"""Four ways to read the weights of a stream: the last, their mean, and their means of late.

A mean ``m_t = (1 - a_t) m_{t-1} + a_t w_t`` lags ``e = w - m`` behind the weights. If example t
moves these by δ_t, then ``e_t = (1 - a_t) (e_{t-1} + δ_t)``: one factor for all features, and a
jump where the example has values. So with ``e = s·E`` a number s shrinks, and E changes where δ is
not 0:

    E += δ_t / s_{t-1},    s_t = (1 - a_t) s_{t-1}

``a_t = max(a, 1/t)`` makes it the mean over all examples (a = 0) or over about the last 1/a.

A mix of read-outs keeps a second learner beside the first: a passive-aggressive one whose steps
move a margin by no more than `GENTLE`, and the means are those of its weights. Eager weights follow
labels that come in runs, gentle ones and their means do well where labels are noisy. Each counts in
the sum of their scores by ``exp(-SHARPNESS · faded mistakes)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.learning import Tally, learn
from rosenblatt._kernels.rows.readout_spans import Span, learn_span
from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.rules import Rule, exp
from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.core.rows import Rows, rows_between
from rosenblatt.core.weights import Weights, widened

RATES = np.array([0.0, 1 / 1000, 1 / 100])
NAMES = ("last", "average", "slow", "fast")
# What an error counts less with each example: half of it after 50.
FADING = 0.5 ** (1 / 50)
# Those of a mix, where all of them are heard and a slower judgement costs less.
MIXED_RATES, MIXED_FADING = np.array([0.0, 1 / 1000, 1 / 300]), 0.5 ** (1 / 150)
MIXED_NAMES = ("last", "gentle", *NAMES[1:])
GENTLE, SHARPNESS = 0.4, 0.5
# Below it s becomes 1 again, so that E stays of the size of the weights.
SMALLEST_SCALE = 1e-6


class Readouts:
    """The means beside the weights of a model, and how each has fared.

    ``errors`` has for each of ``names`` the mistakes so far, those of long ago counting less. With
    ``name="auto"`` the one with the fewest predicts. With "mix" all of them do, and the means are
    those of ``gentle``, which is None otherwise.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        self.name, self.t, mixed = name, 0, name == "mix"
        self.names = MIXED_NAMES if mixed else NAMES
        self.errors, self.scales = np.zeros(len(self.names)), np.ones(len(RATES))
        self.rates, self.smallest_scale = MIXED_RATES if mixed else RATES, SMALLEST_SCALE
        self.fading: float = MIXED_FADING if mixed else FADING
        shape, by_feature = (weights.n_vectors, weights.n_features), weights.by_feature
        self.lags = [Weights(*shape, by_feature=by_feature) for _ in RATES]
        self.rule, self.gentle = Rule("gentle PA", C=GENTLE), None
        if mixed:
            bias = weights.fit_intercept
            self.gentle = Weights(*shape, by_feature=by_feature, fit_intercept=bias)
            self.gentle.set(weights.matrix, weights.bias)

    def copy(self) -> Readouts:
        twin = copy(self)
        twin.errors, twin.scales = self.errors.copy(), self.scales.copy()
        twin.lags = [lag.copy() for lag in self.lags]
        twin.gentle = None if self.gentle is None else self.gentle.copy()
        return twin

    @property
    def tables(self) -> list[Weights]:
        """All that has the shape of the weights."""
        return [*self.lags, *([] if self.gentle is None else [self.gentle])]

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
    def fixed_place(self) -> int:
        """Of the one that always predicts; -1 where mistakes decide."""
        return -1 if self.name in ("auto", "mix") else self.place

    @property
    def chosen(self) -> str:
        """The one that predicts, or that counts most."""
        return self.names[self.place]

    def served(self, weights: Weights) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The weights and biases that predict."""
        place = self.place - 1
        if self.gentle is None and place < 0:
            return weights.matrix, weights.bias
        self._follow(weights)
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
        self._follow(weights)
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

    def learn(
        self,
        weights: Weights,
        rows: Rows,
        columns: npt.NDArray[Any] | slice,
        slot: int,
        step: Callable[[], object],
        row_weight: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Take a step that learns from one row, which has values in these columns, and follow it.

        A step that is refused changes nothing.
        """
        found = [scores[0] for scores in self.scores(weights, rows)]
        newest = weights if self.gentle is None else self.gentle
        before, bias = newest.matrix[:, columns].copy(), newest.bias.copy()
        step()
        if self.gentle is not None:
            label = np.array([slot], np.int32)
            learn(self.gentle, self.rule, rows, label, None, 0, 1, row_weight, Tally(), None)
        change, moved = newest.matrix[:, columns] - before, newest.bias - bias
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
        row_weights: npt.NDArray[np.float64] | None = None,
        rule: Rule | None = None,
    ) -> int:
        """Learn from a span of rows, one after the other; `arrays` are those of `row_arrays`.

        With the `rule` of the steps a compiled call takes them as far as all is usual; the mistakes
        that it counted are returned.
        """
        (row, stop), mistakes = span, 0
        whole, wrong = Span(arrays, weights.n_features), np.empty(len(labels), np.int32)
        while row < stop:
            if rule is not None:
                how = self.fixed_place, SHARPNESS, True, wrong, None
                row, more = learn_span(weights, rule, self, whole, labels, row, stop, *how)
                mistakes += more
                if row == stop:
                    break
            seen = weights.t
            columns: Any = slice(None)
            if len(arrays) > 1:
                columns = arrays[1][arrays[2][row] : arrays[2][row + 1]]
            rows = rows_between(arrays, weights.n_features, row, row + 1)
            once = partial(step, row, row + 1)
            row_weight = None if row_weights is None else row_weights[row : row + 1]
            self.learn(weights, rows, columns, int(labels[row]), once, row_weight)
            if weights.t == seen:  # somebody asked to stop
                break
            row += 1
        return mistakes

    def to_arrays(self, weights: Weights) -> dict[str, npt.NDArray[Any]]:
        """The means' lags behind the weights, one after the other, and their numbers."""
        self._follow(weights)
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
        found = cls(weights, name)
        found.t, found.scales = t, arrays["readout.scale"].copy()
        found.errors = arrays["readout.error"].copy()
        n, parts = len(found.tables), ("coef", "intercept")
        coef, bias = (np.split(arrays[f"readout.{part}"], n) for part in parts)
        for one, matrix, biases in zip(found.tables, coef, bias, strict=True):
            one.set(matrix, biases)
        return found

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features of which nothing was learned before these places."""
        tables = [widened(one, [min(at, one.n_features) for at in places]) for one in self.tables]
        self.lags = tables[: len(self.lags)]
        self.gentle = None if self.gentle is None else tables[-1]

    def _follow(self, weights: Weights) -> None:
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


def is_wrong(scores: Any, slot: int) -> bool:
    """Whether a class does not have the highest score alone."""
    if np.ndim(scores) == 0:
        return bool(scores <= 0 if slot else scores >= 0)
    return int(np.count_nonzero(scores >= scores[slot])) > 1
