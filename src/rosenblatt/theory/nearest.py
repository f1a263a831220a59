"""The point of a convex hull that is nearest to the origin (Wolfe 1976).

The length of this point is the largest margin. If it is not 0, the point is the normal of a
separating plane. If it is 0, the weights of the points that it is a mean of are the conflict.

Separability
------------
`theory/nearest.py` finds the point of a convex hull that is nearest to the origin by Wolfe's
method. This one algorithm answers three questions. In the hull of all `y (x, 1)`, the nearest point
is a separator, or it is the origin and its weights are a conflict. For two classes, the distance of
the hull of all half-differences is the largest margin. For several classes, the points are the
stacked rows of Kesler's construction. `theory/margin_interval.py` continues in exact integers from
the result in floats, until both bounds on the margin are proven. `theory/separability.py` makes the
weights of a conflict exact. `theory/certificates.py` checks certificates in exact arithmetic and
shares no code with the solver. Of very many points, most rounds look only at a shortlist.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rosenblatt.arrays import FloatArray

# Weights below this share of the largest are rounding errors, and their points leave the corral.
NEGLIGIBLE = 1e-14
# A nearest point shorter than this share of the longest point in the corral may be rounding only.
ROUNDING = 1e-14
# How often the corral is recomputed before rounding errors end the search.
MAX_RENEWALS = 50
MAX_ROUNDS = 20_000
# Cost of one term in the matrix product of a scan, relative to the cost of one value of the corral
# in a round.
SCAN_TERM_COST = 1 / 32
# Every scan puts at most this many points, with at most this many numbers, on the shortlist. The
# shortlist is used until none of its points is as far below the nearest point as this share of the
# depth of the lowest point at the scan.
MAX_LISTED = 1024
MAX_LISTED_NUMBERS = 4_000_000
LISTED_DEPTH = 0.25
# Relative distance between the two bounds at which a search for the largest margin ends.
GAP = 1e-7


class Hull(Protocol):
    """Interface of a convex hull whose points are addressed by integer keys."""

    # Number of multiplications to find the lowest point.
    work_per_scan: int

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        """Return the key of the point with the smallest product with p, and that product."""

    def point(self, key: int) -> FloatArray:
        """Return the point with the given key."""

    def products(self, p: FloatArray) -> FloatArray | None:
        """Return the product of every point with p, by key; None if there are too many points."""

    def take(self, keys: Sequence[int]) -> FloatArray:
        """Return the points with the given keys, one row per point."""


@dataclass
class Nearest:
    """A point of the hull as a weighted mean, with bounds on the distance of the hull from 0."""

    point: FloatArray
    keys: list[int]
    weights: FloatArray
    # The smallest product of the point with any point of the hull.
    lowest: float = -np.inf
    # Whether the search ended because it reached its limit on work.
    cut_short: bool = False

    @property
    def upper(self) -> float:
        """Upper bound on the distance of the hull from the origin: the length of the point."""
        return float(np.linalg.norm(self.point))

    @property
    def lower(self) -> float:
        """Lower bound on the distance: the smallest product of a point with the unit direction."""
        return self.lowest / self.upper if self.upper > 0 else -np.inf


def is_closed(scale: float) -> Callable[[Nearest], bool]:
    """Return a stopping test: the bounds agree, or the point is 0 relative to ``scale``."""
    return lambda now: now.upper <= 1e-12 * scale or now.lower >= (1 - GAP) * now.upper


def nearest_point(
    hull: Hull, start: int, is_enough: Callable[[Nearest], bool], max_work: float = math.inf
) -> Nearest:
    """Search for the point of a hull nearest to the origin by Wolfe's method.

    The search ends when ``is_enough`` returns True, or when no point has a smaller product with the
    nearest point. It maintains a corral of points whose nearest affine combination lies inside
    their own hull. Each round adds a low point and drops the points that get in the way. The
    work of a round is the number of values in the corral, plus a share of the work of a scan; after
    ``max_work`` the search is cut short.
    """
    with np.errstate(all="ignore"):
        now = _search(hull, start, is_enough, max_work)

        # If rounding spoiled the weights, fall back to the starting point.
        is_valid = np.isfinite(now.weights).all() and (now.weights > 0).all()
        if not is_valid:
            now = Nearest(hull.point(start), [start], np.ones(1), cut_short=now.cut_short)
        if now.lowest == -np.inf:
            now.lowest = hull.lowest(now.point)[1]
    return now


def _search(
    hull: Hull, start: int, is_enough: Callable[[Nearest], bool], max_work: float
) -> Nearest:
    corral = _Corral(hull, start)
    shortlist = _Shortlist(hull)
    now = corral.nearest()
    n_renewals = 0
    was_renewed = False
    work = 0.0
    for _ in range(MAX_ROUNDS):
        key, product, is_scan = shortlist.lowest(now)
        now.lowest = product if is_scan else -np.inf
        if is_enough(now) or not now.upper > ROUNDING * corral.longest:
            break

        work += len(corral.keys) * len(now.point)
        if is_scan:
            work += SCAN_TERM_COST * hull.work_per_scan
        if work > max_work:
            now.cut_short = True
            break

        # All points of the corral have the product ‖p‖² with the nearest point p, up to rounding.
        # Without a lower point there is no progress. Recompute the corral once without the rounding
        # errors, and end the search if that does not help.
        is_stuck = key in corral.keys or product >= now.upper**2 or not corral.add(key)
        if is_stuck and (was_renewed or n_renewals == MAX_RENEWALS):
            break
        was_renewed = is_stuck
        if is_stuck:
            n_renewals += 1
            corral.renew()
        now = corral.nearest()
    return now


class _Shortlist:
    """Cache of the lowest points of the last scan, which are enough for most rounds."""

    def __init__(self, hull: Hull) -> None:
        self._hull = hull
        self._keys: list[int] = []
        self._points: FloatArray = np.zeros((0, 0))
        # How far below the nearest point the lowest point was at the last scan.
        self._depth = 0.0

    def lowest(self, now: Nearest) -> tuple[int, float, bool]:
        """Return a low point, its product, and whether all points were scanned to find it."""
        if self._keys:
            listed = self._points @ now.point
            index = int(np.argmin(listed))
            if now.upper - listed[index] / now.upper >= LISTED_DEPTH * self._depth:
                return self._keys[index], float(listed[index]), False

        products = self._hull.products(now.point)
        if products is None:
            return *self._hull.lowest(now.point), True
        key = int(np.argmin(products))

        # A shortlist saves nothing if it would hold most of the points.
        n_listed = min(MAX_LISTED, MAX_LISTED_NUMBERS // len(now.point))
        if len(products) > 2 * n_listed:
            self._keys = np.argpartition(products, n_listed)[:n_listed].tolist()
            self._points = self._hull.take(self._keys)
            # NaN if the nearest point is the origin, which sends the next round to a scan.
            self._depth = float(now.upper - products[key] / now.upper)
        return key, float(products[key]), True


class _Corral:
    """Wolfe's corral: a few points P, and the weights of the point of their hull nearest to 0.

    A square root S of an inverse, ``S Sᵀ = (P Pᵀ + c)⁻¹``, is updated as points come and go. The
    constant c makes the matrix regular and changes nothing on the plane of weights with sum 1. If a
    point is deleted, the last point takes its position.
    """

    def __init__(self, hull: Hull, start: int) -> None:
        self._hull = hull
        self.keys: list[int] = []
        self.weights: FloatArray = np.zeros(0)
        first = hull.point(start)
        self.longest = 0.0
        self._constant = float(first @ first) or 1.0
        # Buffers that grow with the corral.
        self._rows: FloatArray = np.zeros((64, len(first)))
        self._roots: FloatArray = np.zeros((64, 64))
        # How much the products of the points with the nearest point may differ, relative to them.
        self._tolerance = 1e-3
        self.add(start)

    @property
    def _points(self) -> FloatArray:
        return self._rows[: len(self.keys)]

    @property
    def _root(self) -> FloatArray:
        return self._roots[: len(self.keys), : len(self.keys)]

    def nearest(self) -> Nearest:
        """Return the nearest point of the hull of the corral."""
        return Nearest(self.weights @ self._points, list(self.keys), self.weights)

    def add(self, key: int) -> bool:
        """Add a point and move to the new nearest point; return False if nothing changes.

        Nothing changes if the improvement is below the precision of floats.
        """
        if not self._append(key):
            return False
        self._move_to_minimum()
        return key in self.keys

    def _move_to_minimum(self) -> None:
        """Move to the nearest point of the affine hull; drop points whose weight reaches 0."""
        # Every round but the last drops a point, and one always stays.
        for _ in range(len(self.keys)):
            target = self._affine_minimum()
            falling = target <= NEGLIGIBLE
            if not falling.any():
                self.weights = target
                return

            # Go as far towards the target as the hull reaches.
            drop = np.maximum(self.weights[falling] - target[falling], 1e-300)
            share = min(float(np.min(self.weights[falling] / drop)), 1.0)
            weights = self.weights + share * (target - self.weights)

            # At least one point leaves, even if rounding hides it, and at least one stays.
            leaving = weights <= NEGLIGIBLE * weights.max()
            if not leaving.any():
                leaving[np.argmin(np.where(falling, weights, np.inf))] = True
            if leaving.all():
                leaving[np.argmax(weights)] = False
            self.weights = weights
            for index in np.flatnonzero(leaving)[::-1]:
                self._delete(int(index))
            self.weights = self.weights / self.weights.sum()

    def _append(self, key: int) -> bool:
        """Add a point with weight 0; return False if it lies in the span of the others."""
        point = self._hull.point(key)
        k = len(self.keys)
        if k == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._roots = np.pad(self._roots, (0, k))
        root = self._root
        points = self._points
        constant = self._constant

        # Project the point, with its 1, off the span of the others (Gram-Schmidt). A second round
        # removes the rounding errors that matter if little is left.
        rest = point
        rest_one = 1.0
        shares = np.zeros(k)
        squared = float(point @ point) + constant
        for _ in range(2):
            more = root @ ((points @ rest + constant * rest_one) @ root)
            rest = rest - more @ points
            rest_one = rest_one - float(more.sum())
            shares = shares + more
            height = float(np.sqrt(rest @ rest + constant * rest_one * rest_one))
            if height**2 > 0.01 * squared:
                break
        if height <= ROUNDING * self.longest:
            return False

        self._rows[k] = point
        self.keys.append(key)
        self.weights = np.append(self.weights, 0.0 if k else 1.0)
        self.longest = max(self.longest, float(np.linalg.norm(point)))
        # The new row and column of S.
        self._root[:k, k] = -shares / height
        self._root[k, :k] = 0.0
        self._root[k, k] = 1 / height
        return True

    def _delete(self, index: int) -> None:
        """Drop a point; the last one takes its position."""
        root = self._root
        last = len(self.keys) - 1
        # A reflection leaves the row of the point with only its last entry, so that its row and the
        # last column can go.
        normal = root[index].copy()
        normal[last] += np.copysign(np.linalg.norm(normal), normal[last])
        root -= np.multiply.outer(root @ normal, normal * (2 / (normal @ normal)))
        root[index] = root[last]
        self._rows[index] = self._rows[last]
        self.keys[index] = self.keys[last]
        self.weights[index] = self.weights[last]
        self.keys.pop()
        self.weights = self.weights[:last]

    def renew(self) -> None:
        """Recompute the root without the accumulated rounding errors, and refine the weights."""
        self._tolerance = 1e-9
        ones = np.full(len(self.keys), np.sqrt(self._constant))
        triangle = np.linalg.qr(np.vstack([self._points.T, ones]), mode="r")
        if len(triangle) == len(ones) and np.abs(np.diag(triangle)).min() > 0:
            # The inverse fails if intermediate numbers underflow; then the old root stays.
            with suppress(np.linalg.LinAlgError):
                self._root[:] = np.linalg.inv(triangle)
        self._move_to_minimum()

    def _affine_minimum(self) -> FloatArray:
        """Return the weights of the affine combination that is nearest to the origin."""
        points = self._points
        root = self._root
        ones = root @ root.sum(axis=0)
        weights = ones / ones.sum()
        for _ in range(3):
            # At the minimum all points have the same product with it, up to rounding.
            point = weights @ points
            products = points @ point
            length = float(np.linalg.norm(point))
            if np.ptp(products) <= length * max(self._tolerance * length, ROUNDING * self.longest):
                break
            correction = root @ (products @ root)
            weights = weights - correction + ones * (correction.sum() / ones.sum())
        return np.asarray(weights)
