"""Weights of features with arbitrary names, and their average over all examples.

    after example t:  w_t = w_(t-1) + step·Δ      (Δ = 0 if nothing is learned)

Sums are exact and rounded once (`math.fsum`), so that no result depends on the order in which a
mapping lists its features.
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
# Earlier weight and running sum of each changed feature; both None for a new feature.
Replaced = dict[Any, tuple[float | None, float | None]]


class FeatureWeights(dict[Any, float]):
    """Weights by feature; a missing feature has weight 0.

    ``length`` is None before any features, 0 if they are mappings, else the length of the vectors.
    """

    length: int | None = None
    _vector: npt.NDArray[np.float64] | None = None

    def like(self, weights: Iterable[tuple[Any, float]]) -> FeatureWeights:
        """Return new weights for the same kind of features."""
        twin = FeatureWeights(weights)
        twin.length = self.length
        return twin

    def put(self, feature: Any, weight: float) -> None:
        """Set the weight of a feature."""
        self[feature] = weight
        if self._vector is not None:
            self._vector[feature] = weight

    def drop(self, feature: Any) -> None:
        """Remove a feature."""
        del self[feature]
        if self._vector is not None:
            self._vector[feature] = 0.0

    @property
    def vector(self) -> npt.NDArray[np.float64]:
        """Return the weights as an array, kept up to date from then on; raise for mappings."""
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
        """Return the squared length of the weights, |w|²."""
        return math.fsum([weight * weight for weight in self.values()])


def weighted(weights: Mapping[Any, float], features: Features) -> list[float]:
    """Return the terms weight · value of a score, for the features that have a weight."""
    return [weights[name] * value for name, value in features.items() if name in weights]


def exact_sum(terms: Iterable[float]) -> float:
    """Return the exactly rounded sum; infinity or NaN if it is beyond the range of floats."""
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):
        return math.nan


class LearnedWeights:
    """The learned weights, and the running sums for their average.

    ``raw`` are the last weights. While a snapshot exists, ``replaced`` holds the earlier values of
    all that has changed since.
    """

    def __init__(self) -> None:
        self.raw = FeatureWeights()
        self._running_sum: Features = {}
        self.t = 0
        self.replaced: Replaced | None = None

    def copy(self, *, with_running_sum: bool = True) -> LearnedWeights:
        """Return a copy; ``with_running_sum=False`` resets the sums, so averaging restarts."""
        twin = LearnedWeights()
        twin.raw = self.raw.like(self.raw.items())
        twin.t = self.t
        twin._running_sum = dict(self._running_sum)
        if not with_running_sum:
            twin._running_sum = dict.fromkeys(self._running_sum, 0.0)
        return twin

    def add(self, change: Features, step: float, t: int) -> None:
        """Set w ← w + step·Δ at example t; on overflow, raise and change nothing."""
        raw = self.raw
        sums = self._running_sum
        moved = []
        for name, value in change.items():
            weight = raw[name] + step * value
            sum_ = sums.get(name, 0.0) + added_to_sum(step * value, t)
            moved.append((name, weight, sum_))

        # Checked before the first of them is changed.
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
        """Return the mean of the weights after every example, without features of weight 0."""
        found = []
        for name, last in self.raw.items():
            weight = mean_of(last, self._running_sum[name], self.t)
            if weight:
                found.append((name, weight))
        return self.raw.like(found)

    def nonzero(self) -> FeatureWeights:
        """Return the last weights, without features of weight 0."""
        return self.raw.like((name, weight) for name, weight in self.raw.items() if weight)

    # ------------------------------------------------------------------ snapshots

    def restore(self, replaced: Replaced) -> None:
        """Restore the earlier weights in ``replaced``, and remove the features that were new."""
        for name, (weight, sum_) in replaced.items():
            if weight is None or sum_ is None:
                self.raw.drop(name)
                del self._running_sum[name]
            else:
                self.raw.put(name, weight)
                self._running_sum[name] = sum_
