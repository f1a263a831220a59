"""Structured perceptrons: the model and its trainer.

Δ    = φ(x, gold) - φ(x, predicted)
gain = score(predicted) - score(gold)            at least 0 if the search is exact
w    ← w + step·Δ
step = 1                                         "perceptron"
step = min(C, (cost + gain) / |Δ|²)              "mira"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.models import epochs
from rosenblatt.models.feature_weights import (
    Features,
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

# Relative tolerance: a search may sum in another order, so that scores differ by rounding.
ROUNDING = 1e-9


class StructuredModel(WeightModel[FeatureWeights]):
    """State of a structured perceptron: weights by feature, and counters. It has no classes.

    Attributes
    ----------
    n_updates : int
    n_invalid : int
        Outputs of the search that scored less than the right one, so that nothing was learned.
    step_sum : float
        Σ steps.
    largest_norm : float
        The largest length of the weights so far, which bounds the rounding of the updates.
    """

    weights: LearnedWeights
    start: LearnedWeights | None
    recorder: list[Update] | None

    def __init__(self, seed: int = 0) -> None:
        super().__init__((), seed)
        self.weights = LearnedWeights()
        self.recorder = None
        self.start = None
        self.n_updates = 0
        self.n_invalid = 0
        self.step_sum = 0.0
        self.largest_norm = 0.0

    def served(self, *, averaged: bool) -> FeatureWeights:
        """Return the weights that predict.

        They are those of the best epoch if these were kept, otherwise the average or the last.
        """
        if self.best is not None:
            return self.best
        return self.weights.average() if averaged else self.weights.nonzero()

    def _new_recorder(self) -> list[Update]:
        return []

    def snapshot(self) -> StructuredSnapshot:
        """Return a snapshot of the present state, to be released when no longer needed."""
        return StructuredSnapshot(self)

    def margin_ceiling(self) -> float:
        """Return an upper bound γ: no unit vector u has u·Δ > γ on all updates.

        |w| >= u·w >= γ Σ steps, hence γ <= |w| / Σ steps; what rounding can have hidden is added.
        """
        if not self.step_sum:
            return math.inf
        norm = math.sqrt(self.weights.raw.squared_norm())
        self.largest_norm = max(self.largest_norm, norm)
        hidden = 2.0 * self.n_updates * float(np.finfo(float).eps) * self.largest_norm
        return (norm + hidden) / self.step_sum


class StructuredSnapshot(ModelSnapshot[StructuredModel]):
    """Snapshot of a structured model, at a cost proportional to what is learned after it.

    Earlier weights are recorded when they change, instead of being copied beforehand.
    """

    def __init__(self, model: StructuredModel) -> None:
        super().__init__(model, copy(model))
        self._n_recorded = 0 if model.recorder is None else len(model.recorder)
        self._t = model.weights.t
        self._length = model.weights.raw.length
        self._replaced: Replaced = {}
        model.weights.replaced = self._replaced

    def restore(self) -> None:
        """Restore the changed weights, and remove the updates recorded since."""
        super().restore()
        weights = self._model.weights
        weights.restore(self._replaced)
        weights.t = self._t
        weights.raw.length = self._length
        if self._model.recorder is not None:
            del self._model.recorder[self._n_recorded :]

    def release(self) -> None:
        """Stop recording changes."""
        self._model.weights.replaced = None


class Judgement(NamedTuple):
    """Result of comparing an output with the right one: whether it is a mistake, step and Δ.

    ``is_invalid``: the search went wrong, since the right output scores higher.
    """

    is_mistake: bool
    step: float
    change: Features
    is_invalid: bool


class StructuredTrainer(epochs.Trainer):
    """Trainer of a structured perceptron, which changes the model in place."""

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
        self.problem = problem
        self.learned = learned
        self._xs = xs
        self._ys = ys
        self._mira = mira
        self._C = C
        # The search maximizes score plus cost, unless the space itself chooses what to compare.
        self._with_cost = mira and problem.searches_with_cost and not problem.chooses_parts
        # Describes the first output of the search that scored less than the right one.
        self.first_invalid: str | None = None
        self._first_row = learned.next_row
        self._mistakes_per_row = np.zeros(len(xs), np.int32)
        self.result.mistakes_per_row = self._mistakes_per_row

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        """Learn once from each example in ``order`` (None: as given); return the mistake count."""
        mistakes = 0
        updates_before = self.learned.n_updates
        examples = range(self.n_examples) if order is None else order
        for place, i in enumerate(examples, 1):
            is_mistake = self.learn_example(int(i))
            self._mistakes_per_row[i] += is_mistake
            mistakes += is_mistake
            if self.stops_at(place):
                break
        self.n_updates += self.learned.n_updates - updates_before
        return mistakes

    def margin_ceiling(self) -> float:
        """Return an upper bound on the margin of any separator, proven by the run."""
        # Updates by parts of outputs prove nothing of whole outputs.
        return math.inf if self.problem.chooses_parts else self.learned.margin_ceiling()

    def learn_example(self, place: int) -> bool:
        """Learn from one example; return whether its output was wrong. An error changes nothing."""
        learned = self.learned
        weights = learned.weights
        x = self._xs[place]
        gold = self._ys[place]
        name = str(place)
        if weights.raw.length is None:
            _, weights.raw.length = self.problem.features_of(x, gold, f"ys[{name}]")

        t = weights.t + 1
        is_mistake = False
        pair = self._pair(x, gold, name)
        if pair is not None:
            good, bad = pair
            found = self._judged(x, gold, good, bad, name)
            is_mistake = found.is_mistake
            if found.step:
                weights.add(found.change, found.step, t)
                learned.n_updates += 1
                learned.step_sum += found.step
                if learned.recorder is not None:
                    row = self._first_row + place
                    # A copy, since a search may change the output that it returned.
                    learned.recorder.append(Update(row, good, deepcopy(bad), found.step, t))
            learned.n_invalid += found.is_invalid
        weights.t = t
        learned.n_mistakes += is_mistake
        return is_mistake

    def _pair(self, x: Any, gold: Any, name: str) -> tuple[Any, Any] | None:
        """Return the right output and its rival; None if the search finds the right output."""
        where = f"xs[{name}]"
        judge = Judge(self.problem, self.learned.weights.raw, x, where, gold)
        if self.problem.chooses_parts:
            return self.problem.violation(x, gold, judge, where)
        sought = gold if self._with_cost else None
        found = self.problem.argmax(x, judge, where, gold=sought)
        return None if same(found, gold) else (gold, found)

    def _judged(self, x: Any, gold: Any, good: Any, bad: Any, name: str) -> Judgement:
        """Compare the right output with its rival; return the judgement."""
        problem = self.problem
        raw = self.learned.weights.raw
        right, right_length = problem.features_of(x, good, f"ys[{name}]")
        wrong, wrong_length = problem.features_of(x, bad, f"the output of argmax for xs[{name}]")
        for length in (right_length, wrong_length):
            if length != raw.length:
                raise InputError(
                    f"features(x, y) for xs[{name}] returned {_kind(length)}, but before it "
                    f"returned {_kind(raw.length)}. It must always return the same kind."
                )

        # gain = score(bad) - score(good), as one exact sum.
        terms = [*weighted(raw, wrong), *(-term for term in weighted(raw, right))]
        gain = exact_sum(terms)
        slack = ROUNDING * exact_sum(map(abs, terms))
        if not math.isfinite(slack):
            raise InputError(f"the scores for xs[{name}] overflow. Scale the features.")

        cost = problem.cost(good, bad) if self._mira else 0.0
        is_mistake = True
        if self._with_cost and gain <= slack:
            # Perhaps only the margin is too small: what would the plain search find?
            where = f"xs[{name}]"
            plain = problem.argmax(x, Judge(problem, raw, x, where), where)
            is_mistake = not same(plain, gold)

        # An exact search finds nothing that is worse than the right output.
        sought = gain + cost if self._with_cost else gain
        if sought < -slack:
            if self.first_invalid is None:
                self.first_invalid = f"xs[{name}], where it scores {-sought:.3g} less"
            return Judgement(is_mistake, 0.0, {}, is_invalid=True)
        change = difference(right, wrong)
        return Judgement(is_mistake, self._step(gain, cost, change), change, is_invalid=False)

    def _step(self, gain: float, cost: float, change: Features) -> float:
        """Return the step length along Δ."""
        if not change:
            return 0.0  # the same features: no weights tell these outputs apart
        if not self._mira:
            return 1.0
        squared_norm = exact_sum([value * value for value in change.values()])
        if not squared_norm:  # so small that the squares underflow
            return self._C
        return min(self._C, max(cost + gain, 0.0) / squared_norm)

    def is_right(self, *, changed: bool) -> bool:
        """Return whether the present weights predict all outputs right."""
        if not changed:
            return True
        raw = self.learned.weights.raw
        for number, (x, gold) in enumerate(zip(self._xs, self._ys, strict=True)):
            where = f"xs[{number}]"
            found = self.problem.argmax(x, Judge(self.problem, raw, x, where), where)
            if not same(found, gold):
                return False
        return True


def _kind(length: int | None) -> str:
    return f"a vector of length {length}" if length else "a mapping"
