"""Learning: which output to learn from, and how far to go.

Δ    = φ(x, gold) - φ(x, predicted)
gain = score(predicted) - score(gold)            at least 0 where the search is right
w    ← w + step·Δ
step = 1                                         "perceptron"
step = min(C, (cost + gain) / |Δ|²)              "mira"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.models import epochs
from rosenblatt.models.feature_weights import (
    FeatureWeights,
    LearnedWeights,
    Replaced,
    exact_sum,
    weighted,
)
from rosenblatt.models.model import ModelSnapshot, WeightModel
from rosenblatt.models.recording import Update
from rosenblatt.models.structured_ledger import difference
from rosenblatt.models.structured_problem import Judge, Problem, same

# A search sums in an order of its own, so that its best output may be below by rounding.
ROUNDING = 1e-9


class StructuredModel(WeightModel[FeatureWeights]):
    """The weights and what is counted beside; there are no classes, ``recorder`` lists updates."""

    weights: LearnedWeights
    start: LearnedWeights | None
    recorder: list[Update] | None

    def __init__(self, seed: int = 0) -> None:
        super().__init__((), seed)
        self.weights = LearnedWeights()
        self.recorder = None
        self.start = None
        self.n_invalid = self.n_updates = 0
        self.step_sum = self.largest_norm = 0.0

    def served(self, *, averaged: bool) -> FeatureWeights:
        """The weights that predict: the best kept, the average, or the last."""
        if self.best is not None:
            return self.best
        return self.weights.average() if averaged else self.weights.nonzero()

    def _new_recorder(self) -> list[Update]:
        return []

    def snapshot(self) -> StructuredSnapshot:
        return StructuredSnapshot(self)

    def margin_ceiling(self) -> float:
        """No unit vector u has u·Δ >= γ on all updates with γ above this.

        |w| >= u·w >= γ Σ steps; what rounding can have hidden is added.
        """
        if not self.step_sum:
            return math.inf
        norm = math.sqrt(self.weights.raw.squared_norm())
        self.largest_norm = max(self.largest_norm, norm)
        hidden = 2.0 * self.n_updates * float(np.finfo(float).eps) * self.largest_norm
        return (norm + hidden) / self.step_sum


class StructuredSnapshot(ModelSnapshot[StructuredModel]):
    """A structured model as it was.

    What changes is noted on the way, so that it costs no more than what is learned.
    """

    def __init__(self, model: StructuredModel) -> None:
        super().__init__(model, copy(model))
        self._n_recorded = 0 if model.recorder is None else len(model.recorder)
        self._t = model.weights.t
        self._length = model.weights.raw.length
        self._replaced: Replaced = {}
        model.weights.replaced = self._replaced

    def restore(self) -> None:
        """Put back what has changed; updates are taken off the end of the record."""
        super().restore()
        weights = self._model.weights
        weights.restore(self._replaced)
        weights.t = self._t
        weights.raw.length = self._length
        if self._model.recorder is not None:
            del self._model.recorder[self._n_recorded :]

    def release(self) -> None:
        """Note nothing more."""
        self._model.weights.replaced = None


class StructuredTrainer(epochs.Trainer):
    """One rule of learning on one problem, changing what is learned in place."""

    def __init__(
        self,
        problem: Problem,
        learned: StructuredModel,
        xs: Sequence[Any],
        ys: Sequence[Any],
        *,
        mira: bool,
        C: float,
    ) -> None:
        super().__init__(len(xs))
        self.problem, self.learned, self._xs, self._ys = problem, learned, xs, ys
        self._mira, self._C = mira, C
        self._with_cost = mira and problem.searches_with_cost and not problem.chooses_parts
        self.first_invalid: str | None = None
        self._first_row = learned.next_row
        self._mistakes_per_row = np.zeros(len(xs), np.int32)
        self.result.mistakes_per_row = self._mistakes_per_row

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        mistakes, updates_before = 0, self.learned.n_updates
        for place, i in enumerate(range(self.n_examples) if order is None else order, 1):
            mistaken = self.learn_example(int(i))
            self._mistakes_per_row[i] += mistaken
            mistakes += mistaken
            if self.stops_at(place):
                break
        self.n_updates += self.learned.n_updates - updates_before
        return mistakes

    def margin_ceiling(self) -> float:
        return math.inf if self.problem.chooses_parts else self.learned.margin_ceiling()

    def learn_example(self, place: int) -> bool:
        """Learn from one example; whether its output was wrong. An error changes nothing."""
        learned, weights = self.learned, self.learned.weights
        x, gold, name = self._xs[place], self._ys[place], str(place)
        if weights.raw.length is None:
            weights.raw.length = self.problem.features_of(x, gold, f"ys[{name}]")[1]
        t = weights.t + 1
        pair = self._pair(x, gold, name)
        mistaken = False
        if pair is not None:
            mistaken, step, change, invalid = self._judged(x, gold, *pair, name)
            if step:
                weights.add(change, step, t)
                learned.n_updates += 1
                learned.step_sum += step
                if learned.recorder is not None:
                    (good, bad), row = pair, self._first_row + place
                    learned.recorder.append(Update(row, good, deepcopy(bad), step, t))
            learned.n_invalid += invalid
        weights.t = t
        learned.n_mistakes += mistaken
        return mistaken

    def _pair(self, x: Any, gold: Any, name: str) -> tuple[Any, Any] | None:
        """The right output and the one to tell it from; None when there is nothing to learn."""
        where, problem = f"xs[{name}]", self.problem
        judge = Judge(problem, self.learned.weights.raw, x, where, gold)
        if problem.chooses_parts:
            return problem.violation(x, gold, judge, where)
        found = problem.argmax(x, judge, where, gold=gold if self._with_cost else None)
        return None if same(found, gold) else (gold, found)

    def _judged(
        self, x: Any, gold: Any, good: Any, bad: Any, name: str
    ) -> tuple[bool, float, dict[Any, float], bool]:
        """Whether the output is a mistake, the step, Δ, and whether the search went wrong."""
        problem, raw = self.problem, self.learned.weights.raw
        right, length = problem.features_of(x, good, f"ys[{name}]")
        wrong, other = problem.features_of(x, bad, f"the output of argmax for xs[{name}]")
        for found in (length, other):
            if found != raw.length:
                raise InputError(
                    f"features(x, y) for xs[{name}] returned {_kind(found)}, but before it "
                    f"returned {_kind(raw.length)}. It must always return the same kind."
                )
        terms = [*weighted(raw, wrong), *(-term for term in weighted(raw, right))]
        gain, slack = exact_sum(terms), ROUNDING * exact_sum(map(abs, terms))
        if not math.isfinite(slack):
            raise InputError(f"the scores for xs[{name}] overflow. Scale the features.")
        cost = problem.cost(good, bad) if self._mira else 0.0
        mistaken = True
        if self._with_cost and gain <= slack:
            # Only the margin may be too small: what would the plain search find?
            where = f"xs[{name}]"
            mistaken = not same(problem.argmax(x, Judge(problem, raw, x, where), where), gold)
        sought = gain + cost if self._with_cost else gain
        if sought < -slack:
            if self.first_invalid is None:
                self.first_invalid = f"xs[{name}], where it scores {-sought:.3g} less"
            return mistaken, 0.0, {}, True
        change = difference(right, wrong)
        return mistaken, self._step(gain, cost, change), change, False

    def _step(self, gain: float, cost: float, change: dict[Any, float]) -> float:
        if not change:
            return 0.0  # the same features: no weights tell these outputs apart
        if not self._mira:
            return 1.0
        squared_norm = exact_sum([value * value for value in change.values()])
        if not squared_norm:  # so small that the squares vanish
            return self._C
        return min(self._C, max(cost + gain, 0.0) / squared_norm)

    def is_right(self, *, changed: bool) -> bool:
        raw = self.learned.weights.raw
        for number, (x, gold) in enumerate(zip(self._xs, self._ys, strict=True) if changed else ()):
            where = f"xs[{number}]"
            found = self.problem.argmax(x, Judge(self.problem, raw, x, where), where)
            if not same(found, gold):
                return False
        return True


def _kind(length: int | None) -> str:
    return f"a vector of length {length}" if length else "a mapping"
