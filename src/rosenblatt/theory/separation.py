"""Complete, quasi-complete or no separation (Albert and Anderson 1984), each with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IndexArray
from rosenblatt.theory.certificates import CertificateError, Conflict, check_separator
from rosenblatt.theory.exact import (
    MOST_EFFORT,
    MOST_POINTS,
    effort,
    inner,
    integers,
    longest_of,
    null_space,
    shortened,
)
from rosenblatt.theory.points import Points
from rosenblatt.theory.separability import decide


@dataclass(frozen=True)
class Separation:
    """The kind of separation, and what proves it where rows are not separable."""

    kind: str
    direction: tuple[Fraction, ...] | None = None
    overlap: Conflict | None = None


def separation_of(points: Points, conflict: Conflict | None) -> Separation:
    """Tell "quasi-complete" from "none" for points that have a conflict.

    If ``z·v >= 0`` for every point, then ``z·v = 0`` for those of a conflict, whose weighted sum is
    0. So v is looked for at right angles to them, among the other points, where it either has all
    of them on one side or meets another conflict, which joins the first. Each round leaves fewer
    dimensions; when none is left, the conflict spans all points, and v is 0 on all of them.
    """
    if conflict is None or points.n_dimensions > MOST_POINTS:
        return Separation("undecided")
    rows, weights = list(conflict.rows), [Fraction(weight) for weight in conflict.weights]
    # Every round leaves fewer dimensions.
    for _ in range(points.n_dimensions + 1):
        members = points.take(np.array(rows)).tolist()
        if effort(points.n_dimensions, longest_of(map(integers, members))) > MOST_EFFORT:
            return Separation("undecided")
        basis = [shortened(v) for v in null_space(members, points.n_dimensions)]
        outside, seen = _outside(points, basis)
        if not len(outside):
            return Separation("none", overlap=Conflict(tuple(rows), tuple(weights)))

        def exact(places: Any, chosen: Any = outside, basis: Any = basis) -> AnyArray:
            written = points.take(chosen[places]).tolist()
            return np.array([[inner(z, v) for v in basis] for z in written], object)

        found = decide(Points(seen, np.ones(len(seen)), fit_intercept=False), (), exact)
        if found.hyperplane is not None:
            shares = [Fraction(share) for share in found.hyperplane.w.tolist()]
            direction = shortened([inner(entries, shares) for entries in zip(*basis, strict=True)])
            try:
                check_separator(points.X, points.signs, *points.parts(direction), strict=False)
            except CertificateError:
                return Separation("undecided")
            return Separation("quasi-complete", direction=tuple(direction))
        if found.conflict is None:
            return Separation("undecided")
        more = outside[list(found.conflict.rows)]
        rest = [
            inner(column, found.conflict.weights)
            for column in zip(*points.take(more).tolist(), strict=True)
        ]
        weights = _balanced(members, weights, rest) + list(found.conflict.weights)
        rows += more.tolist()
        total = sum(weights, start=Fraction(0))
        weights = [weight / total for weight in weights]
    return Separation("undecided")


def _outside(points: Points, basis: list[list[Fraction]]) -> tuple[IndexArray, FloatArray]:
    """The points with a product other than 0 with some vector of the basis, and all products."""
    if not basis:
        return np.empty(0, np.intp), np.empty((0, 0))
    vectors = np.array(basis, np.float64)
    seen = np.column_stack([points.products(v) for v in vectors])
    rounding = np.column_stack([points.rounding(v) for v in vectors])
    sure = np.asarray((np.abs(seen) > rounding).any(axis=1))
    for row in np.flatnonzero(~sure):
        z = points.take(np.array([row]))[0].tolist()
        sure[row] = any(inner(z, v) for v in basis)
    outside = np.flatnonzero(sure)
    return outside, seen[outside]


def _balanced(
    members: list[list[float]], weights: list[Fraction], rest: list[Fraction]
) -> list[Fraction]:
    """Positive weights of the members with which they add up to minus the rest, in their span."""
    columns = zip(*members, rest, strict=True)
    some = null_space(columns, len(members) + 1)[-1][:-1]
    enough = max(-a / b for a, b in zip(some, weights, strict=True)) + 1
    return [a + max(enough, Fraction(0)) * b for a, b in zip(some, weights, strict=True)]
