"""Exact arithmetic: every float is a fraction, so what holds of them can be proven."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from rosenblatt.arrays import FloatArray

__all__ = ["MOST_POINTS", "exact_weights"]


# Above this many points the numbers of the elimination grow too long to be worth it.
MOST_POINTS = 80


def exact_weights(points: FloatArray) -> list[Fraction] | None:
    """Positive weights, of sum 1, with which the points add up to 0 exactly; else None.

    The points (one a row) are to depend on each other in one way only, as those of a nearest
    point of length 0 do.
    """
    if len(points) > MOST_POINTS:
        return None
    columns = _independent_equations(points)
    m = len(points)
    if len(columns) != m - 1:
        return None
    # Each equation is in echelon form with its pivot at column k: solve from the last weight up.
    weights = [Fraction(0)] * m
    free = next(j for j in range(m) if j not in columns)
    weights[free] = Fraction(1)
    for pivot, equation in reversed(columns.items()):
        rest = sum(
            (coefficient * weights[j] for j, coefficient in enumerate(equation) if j != pivot),
            start=Fraction(0),
        )
        weights[pivot] = -rest / equation[pivot]
    if min(weights) < 0 < max(weights) or not any(weights):
        return None
    total = sum(weights, start=Fraction(0))
    shares = [weight / total for weight in weights]
    return shares if all(share > 0 for share in shares) else None


def _independent_equations(points: FloatArray) -> dict[int, list[int]]:
    """The equations ``Σ weight · point = 0``, one a coordinate, in echelon form over the integers.

    Keys are pivot columns in the order of elimination (Bareiss: no fractions on the way).
    """
    equations = [_integers(coordinate) for coordinate in points.T]
    equations = [list(e) for e in dict.fromkeys(tuple(e) for e in equations) if any(e)]
    done: dict[int, list[int]] = {}
    previous = 1
    for column in range(len(points)):
        found = next((e for e in equations if e[column]), None)
        if found is None:
            continue
        equations.remove(found)
        pivot = found[column]
        equations = [
            [(pivot * a - e[column] * b) // previous for a, b in zip(e, found, strict=True)]
            for e in equations
        ]
        equations = [e for e in equations if any(e)]
        previous = pivot
        done[column] = found
    return done


def _integers(values: FloatArray) -> list[int]:
    """The same proportions in whole numbers."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    common = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (common // denominator) for numerator, denominator in ratios]
