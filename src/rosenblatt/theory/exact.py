"""Linear algebra in whole numbers: what floats suggest is proven here, or not claimed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

# Above this many points the numbers of the elimination grow too long to be worth it.
MOST_POINTS = 80


def exact_weights(points: Any) -> list[Fraction] | None:
    """Positive weights, of sum 1, with which the points add up to 0 exactly; else None.

    The points (one a row) are to depend on each other in one way only, as those of a nearest
    point of length 0 do.
    """
    if len(points) > MOST_POINTS:
        return None
    ways = null_space(zip(*points, strict=True), len(points))
    if len(ways) != 1:
        return None
    total = sum(ways[0], start=Fraction(0))
    if not total:
        return None
    shares = [weight / total for weight in ways[0]]
    return shares if all(share > 0 for share in shares) else None


def null_space(equations: Iterable[Iterable[Any]], n_unknowns: int) -> list[list[Fraction]]:
    """A basis of the solutions of ``Σ coefficient · unknown = 0``, for all equations at once.

    Each free unknown is 1 in one vector of the basis and 0 in the others.
    """
    pivots = _echelon([_integers(equation) for equation in equations], n_unknowns)
    basis = []
    for free in (j for j in range(n_unknowns) if j not in pivots):
        unknowns = [Fraction(int(j == free)) for j in range(n_unknowns)]
        for pivot, equation in reversed(pivots.items()):
            unknowns[pivot] = -inner(equation, unknowns) / equation[pivot]
        basis.append(unknowns)
    return basis


def inner(a: Iterable[Any], b: Sequence[Fraction]) -> Fraction:
    """``a·b``, exactly."""
    pairs = zip(a, b, strict=True)
    return sum((Fraction(x) * y for x, y in pairs if x and y), start=Fraction(0))


def _echelon(equations: list[list[int]], n_unknowns: int) -> dict[int, list[int]]:
    """The same equations in echelon form by their pivots (Bareiss: no fractions on the way)."""
    equations = [list(e) for e in dict.fromkeys(tuple(e) for e in equations) if any(e)]
    done: dict[int, list[int]] = {}
    previous = 1
    for column in range(n_unknowns):
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


def _integers(values: Iterable[Any]) -> list[int]:
    """The same proportions in whole numbers."""
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (common // denominator) for numerator, denominator in ratios]
