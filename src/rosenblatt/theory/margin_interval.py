"""Bounds on the largest margin, found in floats and proven in exact integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import Protocol

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.theory.certificates import Conflict
from rosenblatt.theory.exact import (
    Walk,
    effort,
    gram,
    max_bits,
    max_effort,
    max_points,
    solve,
    solve_approximately,
)
from rosenblatt.theory.nearest import is_closed, nearest_point
from rosenblatt.theory.points import EPS, MAX_EXACT_PRODUCTS, ExactHull, Points, to_floats

# Relative gap up to which two bounds count as equal.
CLOSED = 1e-6
# If at most this many points support the margin, it is computed to the last digit of a float.
FEW_POINTS = 12
# The weights of more points are rounded to this many bits. Any weights prove a bound, but long
# weights make it slow.
MAX_BITS = 1000
NEGLIGIBLE_SHARE = Fraction(1, 1 << MAX_BITS // 2)


@dataclass(frozen=True)
class MarginInterval:
    """Bounds on the largest margin, which is the distance of a hull from the origin.

    ``direction`` has the margin ``lower``, except that it is rounded to floats. ``upper`` follows
    from the points of the ``keys``. The rows of a ``conflict`` prove that there is no margin.
    """

    lower: float
    upper: float
    direction: FloatArray
    keys: list[int]
    conflict: tuple[int, ...] = ()


class ConflictVerdict(Protocol):
    """The part of a verdict on separability that a margin depends on."""

    @property
    def separable(self) -> bool | None: ...

    @property
    def conflict(self) -> Conflict | None: ...


def largest_margin(
    hull: ExactHull,
    start: int,
    scale: float,
    decide: Callable[[], ConflictVerdict],
    max_work: float = math.inf,
) -> MarginInterval:
    """Return bounds on the distance of a hull from the origin.

    ``start`` is the key of a point and ``scale`` the length of the longest point. ``decide`` is
    called for the verdict on the rows if floats find no separator. If ``max_work`` is reached, as
    `nearest_point` counts it, there is a direction, but the bounds are 0 and infinity.
    """
    near = nearest_point(hull, start, is_closed(scale), max_work)
    if near.cut_short:
        return MarginInterval(0.0, math.inf, near.point / near.upper, [])

    weights = [Fraction(weight) for weight in near.weights.tolist()]
    verdict = None if near.lower > 0 else decide()
    if verdict is not None and verdict.separable is False and verdict.conflict is not None:
        return MarginInterval(0.0, 0.0, np.zeros(len(near.point)), [], verdict.conflict.rows)
    found = _enclose(hull, near.keys, weights)
    return replace(found, lower=max(found.lower, 0.0))


def _enclose(hull: ExactHull, keys: list[int], weights: list[Fraction]) -> MarginInterval:
    """Continue Wolfe's method in exact integers from the result in floats."""
    best, lowest = _bounds(hull, keys, weights)
    effort_left = max_effort()
    seen = set[frozenset[int]]()
    while lowest is not None:
        if len(keys) > FEW_POINTS and best.lower >= (1 - CLOSED) * best.upper:
            break
        if len(keys) > max_points():
            break
        points, _ = hull.to_integers(keys)
        # Products of two points have twice as many bits as the points.
        effort_left -= effort(len(keys) + 1, 2 * max_bits(points))
        if effort_left <= 0:
            break
        found = _nearest_of(keys, weights, points)
        # Rounded weights can return to points that were there before.
        if found is None or frozenset(found[0]) in seen:
            break
        keys, weights = found
        seen.add(frozenset(keys))

        now, lowest = _bounds(hull, keys, weights)
        if now.conflict or now.lower > best.lower:
            best = replace(now, upper=min(now.upper, best.upper))
        elif now.upper < best.upper:
            best = replace(best, upper=now.upper, keys=now.keys)
        if lowest is not None and lowest not in keys:
            keys = [*keys, lowest]
            weights = [*weights, Fraction(0)]
    return best


def _nearest_of(
    keys: list[int], weights: list[Fraction], points: list[list[int]]
) -> tuple[list[int], list[Fraction]] | None:
    """Return the keys and weights of the point nearest to 0 in the hull of some points.

    Return None if no solution is found.
    """
    products = gram(points)
    walk = Walk(points, weights)
    # Every round but the last drops a point.
    for _ in points:
        kept = list(walk.shares)

        # The nearest affine combination has Gram · shares = constant, and its shares have sum 1.
        equations = [[*(products[i][j] for j in kept), -1] for i in kept]
        equations.append([1] * len(kept) + [0])
        right = [0] * len(kept) + [1]
        if len(kept) <= FEW_POINTS:
            solution = solve(equations, right)
            smallest_share = Fraction(0)
        else:
            # These shares have a limited number of bits, so very small ones may be rounding.
            solution = solve_approximately(equations, right, MAX_BITS)
            smallest_share = NEGLIGIBLE_SHARE

        if solution is None:
            walk.drop_dependent_point()
        else:
            target = []
            for share in solution[:-1]:
                target.append(share if share > smallest_share else min(share, Fraction(0)))
            if min(target) > 0:
                return [keys[index] for index in kept], target
            walk.move_towards([share.as_integer_ratio() for share in target])
        if not walk.shares:
            return None
    return None


def _bounds(
    hull: ExactHull, keys: list[int], weights: Sequence[Fraction]
) -> tuple[MarginInterval, int | None]:
    """Return the bounds proven by a weighted mean p of points, and the key of a lower point.

    The upper bound is ‖p‖, the lower bound the smallest product of p/‖p‖ with a point. The key is
    None if no point is lower than p.
    """
    common = math.lcm(*(weight.denominator for weight in weights))
    if len(keys) > FEW_POINTS:
        common = min(common, 1 << MAX_BITS)
    shares = [round(weight * common) for weight in weights]
    points, unit = hull.to_integers(keys)
    mean = [sum(map(mul, shares, column)) for column in zip(*points, strict=True)]
    squared = sum(map(mul, mean, mean))
    if not squared:
        rows = tuple(sorted({row for key in keys for row in hull.rows_of(key)}))
        return MarginInterval(0.0, 0.0, np.zeros(len(mean)), keys, rows), None

    lowest, product = hull.lowest_exactly(mean)
    # Rounding away from 0 makes a negative bound smaller.
    size = rounded_root(product * product / squared, up=product < 0)
    lower = -size if product < 0 else size
    length = sum(shares) * unit
    upper = rounded_root(Fraction(squared, length * length), up=True)
    direction, _ = to_floats(mean)
    direction /= np.linalg.norm(direction)
    has_lower_point = product * length < squared
    return MarginInterval(lower, upper, direction, keys), lowest if has_lower_point else None


def longest(points: Points, *, in_two_places: bool = False) -> float:
    """Return an upper bound on the largest length of a point, tight to the last digit if possible.

    With ``in_two_places``, as in Kesler's construction, the bound is √2 times as large.
    """
    squared = points.squared_norms()
    slack = (points.n_dimensions + 4) * EPS
    underflow = points.n_dimensions * 2.0**-1070
    near = np.flatnonzero(squared >= (1 - 2 * slack) * squared.max() - underflow)
    times = 2 if in_two_places else 1

    # If too many points are about equally long for exact arithmetic, add the rounding error.
    if len(near) * points.n_dimensions > MAX_EXACT_PRODUCTS // 20:
        bound = float((squared.max() + underflow) * (1 + 2 * slack))
        return rounded_root(Fraction(bound) * times, up=True)
    rows, unit = points.to_integers(near)
    largest = max(sum(map(mul, row, row)) for row in rows)
    return rounded_root(Fraction(times * largest, unit**2), up=True)


def rounded_root(square: Fraction, *, up: bool) -> float:
    """Return the square root, rounded up or down to a float."""
    numerator, denominator = square.as_integer_ratio()
    # Shift by an even number of bits, so that the integer root has at least 64 bits.
    half_shift = max(0, 64 - (numerator.bit_length() - denominator.bit_length()) // 2)
    shifted = numerator << 2 * half_shift
    root = math.isqrt(shifted // denominator)
    if up and root * root * denominator != shifted:
        root += 1
    exact = Fraction(root, 1 << half_shift)

    nearest = float(exact)
    if up and nearest < exact:
        return math.nextafter(nearest, math.inf)
    if not up and nearest > exact:
        return math.nextafter(nearest, 0.0)
    return nearest
