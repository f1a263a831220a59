"""The point of a convex hull that is nearest to the origin (Wolfe 1976).

It decides everything: its length is the largest margin; if it is not 0 it separates; if it is 0,
the weights that make it are the conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray

# Weights below this share of the largest are rounding, and their points leave the corral.
NEGLIGIBLE = 1e-14
# Above so many points the normal equations are solved, which is faster and less exact, until they
# lead nowhere.
LARGE_CORRAL = 60
# Relative distance between the two bounds at which a search for the largest margin ends.
GAP = 1e-7


class Hull(Protocol):
    """Points that can be asked for the one that lies farthest against a direction."""

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        """The point with the smallest product with p, and that product."""

    def point(self, key: int) -> FloatArray:
        """One point, written out."""


@dataclass
class Nearest:
    """A point of the hull, the weights that make it, and what every point has in its direction."""

    point: FloatArray
    keys: list[int]
    weights: FloatArray
    lowest: float

    @property
    def upper(self) -> float:
        """No unit vector has a larger product with every point of the hull."""
        return float(np.linalg.norm(self.point))

    @property
    def lower(self) -> float:
        """The unit vector along the point has at least this product with every point."""
        return self.lowest / self.upper if self.upper > 0 else -np.inf


def is_closed(scale: float) -> Callable[[Nearest], bool]:
    """When the two bounds meet, or the point is the origin beside points of this size."""
    return lambda now: now.upper <= 1e-12 * scale or now.lower >= (1 - GAP) * now.upper


def nearest_point(
    hull: Hull,
    start: Sequence[int],
    enough: Callable[[Nearest], bool],
    *,
    most_rounds: int = 20_000,
) -> Nearest:
    """Walk towards the nearest point until ``enough`` says so or no point lies lower.

    A corral of points is kept whose nearest affine point lies inside their own hull; each round
    takes in the lowest point of all and drops those that get in the way.
    """
    corral = _Corral(hull, start)
    now = corral.nearest()
    for _ in range(most_rounds):
        key, now.lowest = hull.lowest(now.point)
        if enough(now):
            break
        # Below this the sum cannot be told from rounding: the corral has to be looked at closely.
        rounding = 1e-10 * float(np.linalg.norm(corral.points, axis=1).max())
        stuck = key in corral.keys or now.lowest >= now.upper**2 or now.upper < rounding
        if not stuck:
            corral.take_in(key)
            stuck = key not in corral.keys  # it changed nothing that the digits can hold
        if stuck:
            was_careful, corral.careful = corral.careful, True
            now = corral.polished()
            now.lowest = hull.lowest(now.point)[1]
            if was_careful or now.upper < rounding or enough(now):
                break
        else:
            now = corral.nearest()
    return now


class _Corral:
    """A few points, and weights of sum 1 that make the point of their hull nearest to 0."""

    def __init__(self, hull: Hull, start: Sequence[int]) -> None:
        self._hull = hull
        self.careful = False
        self.keys: list[int] = []
        self.points: FloatArray = np.zeros((0, len(hull.point(start[0]))))
        # In more digits than the points: where features differ much in size, the nearest point
        # is a small difference of large numbers.
        self.weights: npt.NDArray[np.longdouble] = np.zeros(0, np.longdouble)
        for key in start:
            self.take_in(key)

    def nearest(self) -> Nearest:
        point = (self.weights @ self.points.astype(np.longdouble)).astype(np.float64)
        return Nearest(point, list(self.keys), self.weights.astype(np.float64), -np.inf)

    def take_in(self, key: int) -> None:
        self.keys = [*self.keys, key]
        self.points = np.vstack([self.points, self._hull.point(key)])
        self.weights = np.append(self.weights, 1.0 if len(self.keys) == 1 else 0.0)
        while True:
            quick = len(self.points) > LARGE_CORRAL and not self.careful
            target = (_by_normal_equations if quick else _by_least_squares)(self.points)
            falling = target <= NEGLIGIBLE
            if not falling.any():
                self.weights = target
                return
            drop = np.maximum(self.weights[falling] - target[falling], 1e-300)
            share = min(float(np.min(self.weights[falling] / drop)), 1.0)
            weights = self.weights + share * (target - self.weights)
            stay = weights > NEGLIGIBLE * weights.max()
            if stay.all():  # rounding: the one that fell farthest has to go
                stay[np.argmin(np.where(falling, weights, np.inf))] = False
            self._keep(stay, weights)

    def _keep(self, stay: npt.NDArray[np.bool_], weights: npt.NDArray[np.longdouble]) -> None:
        self.keys = [key for key, stays in zip(self.keys, stay, strict=True) if stays]
        self.points = self.points[stay]
        self.weights = weights[stay] / weights[stay].sum()

    def polished(self) -> Nearest:
        """The nearest point with the last digits in place, if the weights stay positive."""
        weights = _by_least_squares(self.points)
        if (weights > 0).all():
            self.weights = weights
        return self.nearest()


def _by_normal_equations(points: FloatArray) -> npt.NDArray[np.longdouble]:
    """As `_by_least_squares`, faster and with half the digits."""
    gram = points @ points.T
    gram += np.trace(gram) / len(gram)  # the same minimum on the plane of sum 1, and solvable
    try:
        found = np.linalg.solve(gram, np.ones(len(gram)))
    except np.linalg.LinAlgError:
        return _by_least_squares(points)
    return np.asarray(found / found.sum(), np.longdouble)


def _by_least_squares(points: FloatArray) -> npt.NDArray[np.longdouble]:
    """Weights, of sum 1 but of any sign, of the combination nearest to the origin."""
    if len(points) == 1:
        return np.ones(1, np.longdouble)
    # From the shortest point, whose differences to the others lose the fewest digits; then two
    # rounds of refinement with the rest computed in more digits.
    first = int(np.argmin(np.einsum("ij,ij->i", points, points)))
    base = points[first].astype(np.longdouble)
    others = np.delete(points, first, axis=0).astype(np.longdouble) - base
    q, r = np.linalg.qr(others.T.astype(np.float64))
    diagonal = np.abs(np.diag(r))
    regular = r.shape[0] == r.shape[1] and diagonal.min() > 1e-13 * diagonal.max()
    found = np.zeros(len(others), np.longdouble)
    for _ in range(3):
        projected = q.T @ (-base - found @ others).astype(np.float64)
        if regular:
            found = found + np.linalg.solve(r, projected)
        else:
            found = found + np.linalg.lstsq(r, projected, rcond=None)[0]
    return np.insert(found, first, 1.0 - found.sum())
