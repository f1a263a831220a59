"""The point of a convex hull that is nearest to the origin (Wolfe 1976).

It decides everything: its length is the largest margin; if it is not 0 it separates; if it is 0,
the weights that make it are the conflict.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rosenblatt.arrays import FloatArray

# Weights below this share of the largest are rounding, and their points leave the corral.
NEGLIGIBLE = 1e-14
# Shorter beside the longest point of its corral, the nearest one cannot be told from rounding.
ROUNDING = 1e-14
# So often the corral is computed anew before rounding has the last word; a walk has so many rounds.
MOST_RENEWALS, MOST_ROUNDS = 50, 20_000
# A look at all points is one product of matrices: a term of it takes about such a part of the time
# that a number of the corral takes in a round.
PART_OF_A_LOOK = 1 / 32
# So many points, and numbers in them, are listed whenever all are looked at; they are enough until
# none is so far below the nearest one as this share of the lowest then.
MOST_LISTED, MOST_NUMBERS, LISTED_DEPTH = 1024, 4_000_000, 0.25
# Relative distance between the two bounds at which a search for the largest margin ends.
GAP = 1e-7


class Hull(Protocol):
    """Points that can be asked for the one that lies farthest against a direction.

    Where they are not too many, ``products(p)`` is the product of each with p, by its key, and
    ``take(keys)`` writes some of them out.
    """

    # How many numbers are multiplied to find the lowest.
    work_of_a_look: int

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
    lowest: float = -np.inf
    # Whether the walk ended for the sake of its limit on work.
    cut_short: bool = False

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
    hull: Hull, start: int, enough: Callable[[Nearest], bool], most_work: float = math.inf
) -> Nearest:
    """Walk from a point towards the nearest until ``enough`` says so or no point lies lower.

    A corral of points is kept whose nearest affine point lies inside their own hull; each round
    takes in a point that lies low and drops those that get in the way. A round counts as the
    numbers of the corral, and a look at all points as a part of what it multiplies; after
    ``most_work`` the walk is cut short.
    """
    with np.errstate(all="ignore"):
        now = _walk(hull, start, enough, most_work)
        if not (np.isfinite(now.weights).all() and (now.weights > 0).all()):
            cut_short = now.cut_short
            now = Nearest(hull.point(start), [start], np.ones(1), cut_short=cut_short)
        if now.lowest == -np.inf:
            now.lowest = hull.lowest(now.point)[1]
    return now


def _walk(hull: Hull, start: int, enough: Callable[[Nearest], bool], most_work: float) -> Nearest:
    corral, listed = _Corral(hull, start), _Shortlist(hull)
    now, renewals, renewed = corral.nearest(), 0, False
    work = 0.0
    for _ in range(MOST_ROUNDS):
        key, product, of_all = listed.lowest(now)
        now.lowest = product if of_all else -np.inf
        if enough(now) or not now.upper > ROUNDING * corral.longest:
            break
        work += len(corral.keys) * len(now.point)
        if of_all:
            work += PART_OF_A_LOOK * hull.work_of_a_look
        if work > most_work:
            now.cut_short = True
            break
        # Points in the corral have that product, up to rounding, and no other has less.
        stuck = key in corral.keys or product >= now.upper**2 or not corral.take_in(key)
        if stuck and (renewed or renewals == MOST_RENEWALS):
            break
        renewed = stuck
        if stuck:
            renewals += 1
            corral.renew()
        now = corral.nearest()
    return now


class _Shortlist:
    """The points that lay lowest when all were last looked at: most rounds need no others."""

    def __init__(self, hull: Any) -> None:
        self._hull = hull
        self._keys: list[int] = []
        self._points: FloatArray = np.zeros((0, 0))
        self._depth = 0.0

    def lowest(self, now: Nearest) -> tuple[int, float, bool]:
        """A point that lies low, its product, and whether that is the lowest of all."""
        if self._keys:
            products = self._points @ now.point
            place = int(np.argmin(products))
            if now.upper - products[place] / now.upper >= LISTED_DEPTH * self._depth:
                return self._keys[place], float(products[place]), False
        most = min(MOST_LISTED, MOST_NUMBERS // len(now.point))
        products = self._hull.products(now.point) if hasattr(self._hull, "products") else []
        if len(products) <= 2 * most:
            return *self._hull.lowest(now.point), True
        self._keys = np.argpartition(products, most)[:most].tolist()
        self._points = self._hull.take(self._keys)
        key = int(np.argmin(products))
        self._depth = float(now.upper - products[key] / now.upper)  # of the origin, no number
        return key, float(products[key]), True


class _Corral:
    """A few points P, and weights of sum 1 that make the point of their hull nearest to 0.

    A square root S of an inverse, ``S Sᵀ = (P Pᵀ + c)⁻¹``, is kept while points come and go; on the
    plane of sum 1 the constant c changes nothing. The last point takes the place of one that goes.
    """

    def __init__(self, hull: Hull, start: int) -> None:
        self._hull = hull
        self.keys: list[int] = []
        self.weights: FloatArray = np.zeros(0)
        first = hull.point(start)
        self.longest = 0.0
        self._constant = float(first @ first) or 1.0
        self._rows: FloatArray = np.zeros((64, len(first)))
        self._roots: FloatArray = np.zeros((64, 64))
        # How much the products of the points with the nearest one may differ, beside them.
        self._uneven = 1e-3
        self.take_in(start)

    @property
    def _points(self) -> FloatArray:
        return self._rows[: len(self.keys)]

    @property
    def _root(self) -> FloatArray:
        return self._roots[: len(self.keys), : len(self.keys)]

    def nearest(self) -> Nearest:
        return Nearest(self.weights @ self._points, list(self.keys), self.weights)

    def take_in(self, key: int) -> bool:
        """Walk on with one more point; False if it changes nothing that the digits can hold."""
        if not self._append(key):
            return False
        self._settle()
        return key in self.keys

    def _settle(self) -> None:
        """Walk to the nearest point of the plane through all, and drop those it leaves behind."""
        # Every round but the last drops a point, and one always stays.
        for _ in range(len(self.keys)):
            target = self._affine_minimum()
            falling = target <= NEGLIGIBLE
            if not falling.any():
                self.weights = target
                return
            drop = np.maximum(self.weights[falling] - target[falling], 1e-300)
            share = min(float(np.min(self.weights[falling] / drop)), 1.0)
            weights = self.weights + share * (target - self.weights)
            leaving = weights <= NEGLIGIBLE * weights.max()
            if not leaving.any():  # rounding: the one that fell farthest has to go
                leaving[np.argmin(np.where(falling, weights, np.inf))] = True
            if leaving.all():
                leaving[np.argmax(weights)] = False
            self.weights = weights
            for place in np.flatnonzero(leaving)[::-1]:
                self._delete(int(place))
            self.weights = self.weights / self.weights.sum()

    def _append(self, key: int) -> bool:
        point, k = self._hull.point(key), len(self.keys)
        if k == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._roots = np.pad(self._roots, (0, k))
        root, points, constant = self._root, self._points, self._constant
        # What is left of the point, with its 1, outside the span of the others.
        left, one, shares, squared = point, 1.0, np.zeros(k), float(point @ point) + constant
        for _ in range(2):  # the second time for what rounding hid where little is left
            more = root @ ((points @ left + constant * one) @ root)
            left, one, shares = left - more @ points, one - float(more.sum()), shares + more
            height = float(np.sqrt(left @ left + constant * one * one))
            if height**2 > 0.01 * squared:
                break
        if height <= ROUNDING * self.longest:
            return False
        self._rows[k] = point
        self.keys.append(key)
        self.weights = np.append(self.weights, 0.0 if k else 1.0)
        self.longest = max(self.longest, float(np.linalg.norm(point)))
        self._root[:k, k], self._root[k, :k], self._root[k, k] = -shares / height, 0.0, 1 / height
        return True

    def _delete(self, place: int) -> None:
        root, last = self._root, len(self.keys) - 1
        # A reflection leaves the row of the point nothing but its last entry: both can go.
        normal = root[place].copy()
        normal[last] += np.copysign(np.linalg.norm(normal), normal[last])
        root -= np.multiply.outer(root @ normal, normal * (2 / (normal @ normal)))
        root[place], self._rows[place] = root[last], self._rows[last]
        self.keys[place], self.weights[place] = self.keys[last], self.weights[last]
        self.keys.pop()
        self.weights = self.weights[:last]

    def renew(self) -> None:
        """Compute the root anew, without what rounding added up to, and the last digits with it."""
        self._uneven = 1e-9
        ones = np.full(len(self.keys), np.sqrt(self._constant))
        triangle = np.linalg.qr(np.vstack([self._points.T, ones]), mode="r")
        if len(triangle) == len(ones) and np.abs(np.diag(triangle)).min() > 0:
            with suppress(np.linalg.LinAlgError):  # numbers that underflow on the way
                self._root[:] = np.linalg.inv(triangle)
        self._settle()

    def _affine_minimum(self) -> FloatArray:
        """Weights, of sum 1 but of any sign, of the combination nearest to the origin."""
        points, root = self._points, self._root
        ones = root @ root.sum(axis=0)
        found = ones / ones.sum()
        for _ in range(3):
            # All points have the same product with it, up to rounding.
            point = found @ points
            products = points @ point
            length = float(np.linalg.norm(point))
            if np.ptp(products) <= length * max(self._uneven * length, ROUNDING * self.longest):
                break
            rest = root @ (products @ root)
            found = found - rest + ones * (rest.sum() / ones.sum())
        return np.asarray(found)
