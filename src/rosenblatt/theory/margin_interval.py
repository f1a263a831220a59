"""The largest margin between two bounds that hold: floats suggest it, whole numbers prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.theory.exact import (
    Walk,
    effort,
    gram,
    longest_of,
    most_effort,
    most_points,
    solve,
    solve_closely,
)
from rosenblatt.theory.nearest import is_closed, nearest_point
from rosenblatt.theory.points import EPS, MOST_EXACT, Points, floats

# Bounds this close, relative to the upper one, are called one number.
CLOSED = 1e-6
# If no more points than these hold the margin, it is found to the last digit of a float. Weights of
# more points are rounded to so many bits: any weights give a bound, long ones a slow one.
FEW_POINTS = 12
MOST_BITS = 1000
NOTHING = Fraction(1, 1 << MOST_BITS // 2)


@dataclass(frozen=True)
class MarginInterval:
    """Bounds on the largest product that a vector of length 1 has with every point of a hull.

    ``direction`` has ``lower``, but is rounded to floats; ``upper`` follows from the points of the
    ``keys``. From the rows of a ``conflict`` it follows that there is no margin.
    """

    lower: float
    upper: float
    direction: FloatArray
    keys: list[int]
    conflict: tuple[int, ...] = ()


def largest_margin(
    hull: Any,
    start: int,
    scale: float,
    decide: Callable[[], Any],
    most_work: float = math.inf,
) -> MarginInterval:
    """Bound the distance of a hull from the origin.

    ``start`` is the key of a point, ``scale`` the length of the longest; ``decide`` is asked for
    the verdict on the rows where floats find no separator. After ``most_work``, as `nearest_point`
    counts it, there is a direction, but nothing is proven of it: the bounds are 0 and infinity.
    """
    near = nearest_point(hull, start, is_closed(scale), most_work)
    if near.cut_short:
        return MarginInterval(0.0, math.inf, near.point / near.upper, [])
    keys, weights = near.keys, near.weights.tolist()
    verdict = None if near.lower > 0 else decide()
    if verdict is not None and verdict.separable is False:
        return MarginInterval(0.0, 0.0, np.zeros(len(near.point)), [], verdict.conflict.rows)
    found = _enclose(hull, keys, [Fraction(weight) for weight in weights])
    return replace(found, lower=max(found.lower, 0.0))


def _enclose(hull: Any, keys: list[int], weights: list[Fraction]) -> MarginInterval:
    """Wolfe's method in whole numbers, from where it ended in floats."""
    best, lowest = _bounds(hull, keys, weights)
    left = most_effort()
    seen = set[frozenset[int]]()
    while lowest is not None:
        if len(keys) > FEW_POINTS and best.lower >= (1 - CLOSED) * best.upper:
            break
        if len(keys) > most_points():
            break
        points = hull.whole(keys)[0]
        # Products of two points are twice as long as the points.
        left -= effort(len(keys) + 1, 2 * longest_of(points))
        found = _settled(keys, weights, points) if left > 0 else None
        if found is None or frozenset(found[0]) in seen:  # rounded weights can lead in a circle
            break
        keys, weights = found
        seen.add(frozenset(keys))
        now, lowest = _bounds(hull, keys, weights)
        if now.conflict or now.lower > best.lower:
            best = replace(now, upper=min(now.upper, best.upper))
        elif now.upper < best.upper:
            best = replace(best, upper=now.upper, keys=now.keys)
        if lowest is not None and lowest not in keys:
            keys, weights = [*keys, lowest], [*weights, Fraction(0)]
    return best


def _settled(
    keys: list[int], weights: list[Fraction], points: list[list[int]]
) -> tuple[list[int], list[Fraction]] | None:
    """The nearest point of the hull of some points, and of those that it needs."""
    products = gram(points)
    walk = Walk(points, weights)
    # Every round but the last drops a point.
    for _ in points:
        places = list(walk.shares)
        equations = [[*(products[i][j] for j in places), -1] for i in places]
        equations.append([1] * len(places) + [0])
        right = [0] * len(places) + [1]
        few = len(places) <= FEW_POINTS
        solution = solve(equations, right) if few else solve_closely(equations, right, MOST_BITS)
        if solution is None:
            walk.drop_a_dependent_point()
        else:
            # Shares of many points are known to some bits, so what is left of them may be rounding.
            least = Fraction(0) if few else NOTHING
            target = [
                share if share > least else min(share, Fraction(0)) for share in solution[:-1]
            ]
            if min(target) > 0:
                return [keys[place] for place in places], target
            walk.go_towards([share.as_integer_ratio() for share in target])
        if not walk.shares:
            return None
    return None


def _bounds(
    hull: Any, keys: list[int], weights: Sequence[Fraction]
) -> tuple[MarginInterval, int | None]:
    """What the weighted mean of some points proves, and the lowest point if that lies lower."""
    common = math.lcm(*(weight.denominator for weight in weights))
    if len(keys) > FEW_POINTS:
        common = min(common, 1 << MOST_BITS)
    shares = [round(weight * common) for weight in weights]
    points, unit = hull.whole(keys)
    mean = [sum(map(mul, shares, column)) for column in zip(*points, strict=True)]
    squared = sum(map(mul, mean, mean))
    if not squared:
        rows = tuple(sorted({row for key in keys for row in hull.rows_of(key)}))
        return MarginInterval(0.0, 0.0, np.zeros(len(mean)), keys, rows), None
    lowest, product = hull.lowest_exactly(mean)
    lower = root(product * product / squared, up=product < 0)
    length = sum(shares) * unit
    upper = root(Fraction(squared, length * length), up=True)
    direction, _ = floats(mean)
    direction /= np.linalg.norm(direction)
    found = MarginInterval(-lower if product < 0 else lower, upper, direction, keys)
    return found, None if product * length >= squared else lowest


def longest(points: Points, *, in_two_places: bool = False) -> float:
    """The length of the longest point, from above; of one that is written down twice √2 of it."""
    norms = points.squared_norms()
    slack, lost = (points.n_dimensions + 4) * EPS, points.n_dimensions * 2.0**-1070
    near = np.flatnonzero(norms >= (1 - 2 * slack) * norms.max() - lost)
    times = 2 if in_two_places else 1
    if len(near) * points.n_dimensions > MOST_EXACT // 20:
        return root(Fraction(float((norms.max() + lost) * (1 + 2 * slack))) * times, up=True)
    rows, unit = points.whole(near)
    return root(Fraction(times * max(sum(map(mul, row, row)) for row in rows), unit**2), up=True)


def root(square: Fraction, *, up: bool) -> float:
    """The largest float that is not above the root, or the smallest that is not below."""
    n, d = square.as_integer_ratio()
    half = max(0, 64 - (n.bit_length() - d.bit_length()) // 2)
    whole = math.isqrt((n << 2 * half) // d)
    if up and whole * whole * d != n << 2 * half:
        whole += 1
    exact = Fraction(whole, 1 << half)
    near = float(exact)
    if (near < exact) if up else (near > exact):
        return math.nextafter(near, math.inf if up else 0.0)
    return near
