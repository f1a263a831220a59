"""Weights of features with any names, and their average over all examples.

    after example t:  w_t = w_(t-1) + step·Δ      (Δ = 0 where nothing is learned)

Sums are taken exactly and rounded once (`math.fsum`), so that no result depends on the order in
which a mapping lists its features.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError, OverflowRefused
from rosenblatt.models.means import added_to_sum, mean_of

Features = dict[Any, float]
# The weight and the running sum of each feature; None of one that has none.
Replaced = dict[Any, tuple[float | None, float | None]]


class FeatureWeights(dict[Any, float]):
    """The weight of each feature; one that is not there weighs 0."""

    # None: no features seen yet; 0: mappings; else the length of the vectors.
    length: int | None = None
    _vector: npt.NDArray[np.float64] | None = None

    def like(self, weights: Iterable[tuple[Any, float]]) -> FeatureWeights:
        """Other weights of the same kind of features."""
        twin = FeatureWeights(weights)
        twin.length = self.length
        return twin

    def put(self, feature: Any, weight: float) -> None:
        self[feature] = weight
        if self._vector is not None:
            self._vector[feature] = weight

    def drop(self, feature: Any) -> None:
        del self[feature]
        if self._vector is not None:
            self._vector[feature] = 0.0

    @property
    def vector(self) -> npt.NDArray[np.float64]:
        """The weights as an array, kept up to date once it was asked for."""
        if not self.length:
            raise InputError(
                "score.vector needs features that are arrays or sparse rows. For mappings use "
                "score.weights, which gives the weight of each feature by name."
            )
        if self._vector is None:
            self._vector = np.zeros(self.length)
            self._vector[list(self.keys())] = list(self.values())
        return self._vector

    def __missing__(self, feature: Any) -> float:
        return 0.0

    def squared_norm(self) -> float:
        return math.fsum([weight * weight for weight in self.values()])


def weighted(weights: Mapping[Any, float], features: Features) -> list[float]:
    """What each feature that has a weight puts into the score."""
    return [weights[name] * value for name, value in features.items() if name in weights]


def exact_sum(terms: Iterable[float]) -> float:
    """Rounded once; inf or NaN when it is beyond the range of the numbers."""
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):
        return math.nan


class LearnedWeights:
    """The weights that learning goes on from, and what is needed for their average."""

    def __init__(self) -> None:
        self.raw = FeatureWeights()
        self._running_sum: Features = {}
        self.t = 0
        # While a snapshot is kept: what has changed since, as it was before.
        self.replaced: Replaced | None = None

    def copy(self, *, with_running_sum: bool = True) -> LearnedWeights:
        """Weights of their own; without the running sum a mean begins here."""
        twin = LearnedWeights()
        twin.raw = self.raw.like(self.raw.items())
        twin.t = self.t
        twin._running_sum = dict(self._running_sum)
        if not with_running_sum:
            twin._running_sum = dict.fromkeys(self._running_sum, 0.0)
        return twin

    def add(self, change: Features, step: float, t: int) -> None:
        """w ← w + step·Δ at example t, all or nothing."""
        raw = self.raw
        sums = self._running_sum
        moved = [
            (name, raw[name] + step * value, sums.get(name, 0.0) + added_to_sum(step * value, t))
            for name, value in change.items()
        ]
        for name, weight, sum_ in moved:
            if not (math.isfinite(weight) and math.isfinite(sum_)):
                raise OverflowRefused(
                    f"the weight of the feature {name!r} would leave the range of float64; nothing "
                    "was changed. Scale the features."
                )
        for name, weight, sum_ in moved:
            if self.replaced is not None:
                self.replaced.setdefault(name, (raw.get(name), sums.get(name)))
            raw.put(name, weight)
            sums[name] = sum_

    def average(self) -> FeatureWeights:
        """The mean of the weights after every example; features of weight 0 are left out."""
        sums = self._running_sum
        mean = ((name, mean_of(last, sums[name], self.t)) for name, last in self.raw.items())
        return self.raw.like((name, weight) for name, weight in mean if weight)

    def nonzero(self) -> FeatureWeights:
        return self.raw.like((name, weight) for name, weight in self.raw.items() if weight)

    # ------------------------------------------------------------------ snapshots

    def restore(self, replaced: Replaced) -> None:
        """Put the weights of these features back, and drop those that were not there."""
        for name, (weight, sum_) in replaced.items():
            if weight is None or sum_ is None:
                self.raw.drop(name)
                del self._running_sum[name]
            else:
                self.raw.put(name, weight)
                self._running_sum[name] = sum_
