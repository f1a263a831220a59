"""Linear algebra in whole numbers: what floats suggest is proven here, or not claimed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import lcm
from typing import Any

# So many points are solved for by elimination in Python; the numbers grow too long for more.
MOST_POINTS = 80
# So many with python-flint, in seconds.
MOST_POINTS_OF_FLINT = 1000
# Rank is found modulo this prime (2^61 - 1), and what follows from it is checked.
PRIME = 2305843009213693951


@cache
def flint() -> Any:
    """The library for matrices of whole numbers, or None where it is not installed."""
    try:
        return import_module("flint")
    except ImportError:
        return None


def most_points() -> int:
    """Of so many points the weights can be solved for exactly."""
    return MOST_POINTS_OF_FLINT if flint() else MOST_POINTS


def how_to_get_more() -> str:
    """What to install where points are too many to be solved for."""
    return "" if flint() else "; pip install 'rosenblatt[exact]' solves for up to 1,000 rows"


def solve(equations: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Fraction] | None:
    """The unknowns of as many equations, exactly; None if they are not unique, or too many.

    Coefficients are floats, whole numbers or fractions.
    """
    n = len(equations)
    if n > most_points():
        return None
    table = [integers([*row, value]) for row, value in zip(equations, right, strict=True)]
    if not flint():
        basis = null_space(table, n + 1)
        return [-value for value in basis[0][:n]] if len(basis) == 1 and basis[0][n] else None
    matrix, vector = [row[:n] for row in table], [[row[n]] for row in table]
    try:
        found = flint().fmpz_mat(matrix).solve(flint().fmpz_mat(vector))
    except ZeroDivisionError:
        return None
    return _fractions(found)


def solve_closely(
    equations: Sequence[Sequence[int]], right: Sequence[int], bits: int
) -> list[Fraction] | None:
    """As `solve`, to about so many bits where that is faster and they are enough for it."""
    if flint() and len(equations) <= MOST_POINTS_OF_FLINT:
        library, column = flint(), [[value] for value in right]
        with library.ctx.workprec(bits), suppress(ZeroDivisionError):
            matrix = library.arb_mat(library.fmpz_mat(equations))
            found = matrix.solve(library.arb_mat(library.fmpz_mat(column))).entries()
            if min(value.rel_accuracy_bits() for value in found if value != 0) > bits // 4:
                parts = [value.mid().man_exp() for value in found]
                return [Fraction(int(m)) * Fraction(2) ** int(e) for m, e in parts]
    return solve(equations, right)


def gram(points: Sequence[Sequence[int]]) -> list[list[int]]:
    """The products of all points with each other."""
    if flint():
        matrix = flint().fmpz_mat(points)
        return [[int(v) for v in row] for row in (matrix * matrix.transpose()).tolist()]
    return [[sum(map(int.__mul__, a, b)) for b in points] for a in points]


def exact_weights(points: Any) -> list[Fraction] | None:
    """Positive weights, of sum 1, with which the points add up to 0 exactly; else None.

    The points (one a row) are to depend on each other in one way only, as those of a nearest
    point of length 0 do.
    """
    if len(points) > most_points():
        return None
    if flint():
        way = _only_way(points)
    else:
        ways = null_space(zip(*points, strict=True), len(points))
        way = ways[0] if len(ways) == 1 else None
    total = sum(way or [], start=Fraction(0))
    if not way or not total:
        return None
    shares = [weight / total for weight in way]
    return shares if all(share > 0 for share in shares) else None


def _only_way(points: Sequence[Sequence[Any]]) -> list[Fraction] | None:
    """The weights, up to a factor, with which points add up to 0, if there is one way only.

    A regular part as large as the rank modulo a prime is solved; all equations are then checked,
    since the rank itself may be larger.
    """
    equations = [integers(column) for column in zip(*points, strict=True)]
    equations = [list(e) for e in dict.fromkeys(map(tuple, equations)) if any(e)]
    n = len(points)
    pivots = _pivots(equations, n)
    if len(pivots) != n - 1:
        return None
    free = next(j for j in range(n) if j not in pivots)
    chosen = _pivots(list(zip(*equations, strict=True)), len(equations))
    part = [[equations[i][j] for j in pivots] for i in chosen]
    found = solve(part, [-equations[i][free] for i in chosen]) if part else []
    if found is None:
        return None
    common = lcm(*(share.denominator for share in found))
    way = [share.numerator * (common // share.denominator) for share in found]
    way.insert(free, common)
    if any(sum(map(int.__mul__, equation, way)) for equation in equations):
        return None
    return [Fraction(weight) for weight in way]


def _pivots(equations: Sequence[Sequence[int]], n_unknowns: int) -> dict[int, None]:
    """Unknowns that the equations, modulo a prime, can be solved for together."""
    if not equations:
        return {}
    rows, rank = flint().nmod_mat(flint().fmpz_mat(equations), PRIME).rref()
    places: dict[int, None] = {}
    j = 0
    for i in range(rank):
        while rows[i, j] == 0:
            j += 1
        places[j] = None
    return places


def _fractions(column: Any) -> list[Fraction]:
    return [Fraction(int(value.p), int(value.q)) for value in column.entries()]


def null_space(equations: Iterable[Iterable[Any]], n_unknowns: int) -> list[list[Fraction]]:
    """A basis of the solutions of ``Σ coefficient · unknown = 0``, for all equations at once.

    Each free unknown is 1 in one vector of the basis and 0 in the others.
    """
    pivots = _echelon([integers(equation) for equation in equations], n_unknowns)
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


def integers(values: Iterable[Any]) -> list[int]:
    """The same proportions in whole numbers."""
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (common // denominator) for numerator, denominator in ratios]
