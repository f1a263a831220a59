"""Learning: which answer to learn from, how far to go, and when to stop.

Δ    = φ(x, gold) - φ(x, predicted)
gain = score(predicted) - score(gold)            at least 0 where the search is right
w    ← w + step·Δ
step = 1                                         "perceptron"
step = min(C, (cost + gain) / |Δ|²)              "mira"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt._kernels.rows import ordering
from rosenblatt.core.training import Told, Training, Watch
from rosenblatt.errors import InputError
from rosenblatt.structured.feature_weights import LearnedWeights, exact_sum, weighted
from rosenblatt.structured.ledger import StructuredUpdate, difference
from rosenblatt.structured.problem import Judge, Problem, same

__all__ = ["Learned", "UpdateLoop"]

# A search sums in an order of its own, so that its best answer may be below by rounding.
ROUNDING = 1e-9


@dataclass
class Learned:
    """Everything that learning goes on from."""

    weights: LearnedWeights = field(default_factory=LearnedWeights)
    random: int = 0
    n_mistakes: int = 0
    n_invalid: int = 0
    n_updates: int = 0
    step_sum: float = 0.0
    largest_norm: float = 0.0
    updates: list[StructuredUpdate] | None = None
    # The weights that did best on the examples held out; they answer until learning goes on.
    best: Any = None

    def copy(self) -> Learned:
        updates = None if self.updates is None else list(self.updates)
        return replace(self, weights=self.weights.copy(), updates=updates, best=None)

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


class UpdateLoop:
    """One rule of learning on one problem, changing what is learned in place."""

    def __init__(self, problem: Problem, learned: Learned, *, mira: bool, C: float) -> None:
        self.problem, self.learned = problem, learned
        self._mira, self._C = mira, C
        self._with_cost = mira and problem.searches_with_cost and not problem.chooses_parts
        self.first_invalid: str | None = None

    def learn(self, number: int, x: Any, gold: Any, name: str) -> bool:
        """Learn from one example; whether its answer was wrong. An error changes nothing."""
        learned, weights = self.learned, self.learned.weights
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
                if learned.updates is not None:
                    good, bad = pair
                    learned.updates.append(StructuredUpdate(number, good, deepcopy(bad), step, t))
            learned.n_invalid += invalid
        weights.t = t
        learned.n_mistakes += mistaken
        return mistaken

    def _pair(self, x: Any, gold: Any, name: str) -> tuple[Any, Any] | None:
        """The right answer and the one to tell it from; None when there is nothing to learn."""
        where, problem = f"xs[{name}]", self.problem
        judge = Judge(problem, self.learned.weights.raw, x, where, gold)
        if problem.chooses_parts:
            return problem.violation(x, gold, judge, where)
        found = problem.argmax(x, judge, where, gold=gold if self._with_cost else None)
        return None if same(found, gold) else (gold, found)

    def _judged(
        self, x: Any, gold: Any, good: Any, bad: Any, name: str
    ) -> tuple[bool, float, dict[Any, float], bool]:
        """Whether the answer is a mistake, the step, Δ, and whether the search went wrong."""
        problem, raw = self.problem, self.learned.weights.raw
        right, length = problem.features_of(x, good, f"ys[{name}]")
        wrong, other = problem.features_of(x, bad, f"the answer of argmax to xs[{name}]")
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
            # Only the margin may be too small: what would the plain search answer?
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
            return 0.0  # the same features: no weights tell these answers apart
        if not self._mira:
            return 1.0
        squared_norm = exact_sum([value * value for value in change.values()])
        if not squared_norm:  # so small that the squares vanish
            return self._C
        return min(self._C, max(cost + gain, 0.0) / squared_norm)

    def answers_all(self, xs: Sequence[Any], ys: Sequence[Any]) -> bool:
        """Whether the weights as they are now find every right answer."""
        raw = self.learned.weights.raw
        for number, (x, gold) in enumerate(zip(xs, ys, strict=True)):
            where = f"xs[{number}]"
            found = self.problem.argmax(x, Judge(self.problem, raw, x, where), where)
            if not same(found, gold):
                return False
        return True

    def train(
        self,
        xs: Sequence[Any],
        ys: Sequence[Any],
        *,
        max_iter: int,
        shuffle: bool,
        watch: Watch | None,
        after_epoch: Told | None,
    ) -> Training:
        """Epochs until there is a reason to stop."""
        learned, n = self.learned, len(xs)
        per_row = np.zeros(n, np.int32)
        training = Training(mistakes_per_row=per_row, random=learned.random)
        order = np.arange(n, dtype=np.int64)
        for epoch in range(1, max_iter + 1):
            if shuffle:
                learned.random = ordering.shuffled(order, learned.random)
            mistakes, updates_before = 0, learned.n_updates
            for i in order.tolist():
                mistaken = self.learn(i, xs[i], ys[i], str(i))
                per_row[i] += mistaken
                mistakes += mistaken
            training.mistakes_per_epoch.append(mistakes)
            if not self.problem.chooses_parts:
                ceiling = min(training.margin_ceiling, learned.margin_ceiling())
                training.margin_ceiling = ceiling
            patience_ended = watch is not None and watch.after_epoch()
            if after_epoch is not None:
                after_epoch(epoch, mistakes, None if watch is None else watch.scores[-1])
            unchanged = learned.n_updates == updates_before
            if mistakes == 0 and (unchanged or self.answers_all(xs, ys)):
                training.stop_reason = "separated"
                if watch is not None:
                    watch.prefer_last()
                break
            if patience_ended:
                training.stop_reason = "early_stopping"
                break
            if unchanged:
                training.stop_reason, training.cycle_length = "cycle", 1
                break
        training.random = learned.random
        return training


def _kind(length: int | None) -> str:
    return f"a vector of length {length}" if length else "a mapping"
