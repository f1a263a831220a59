"""Linear algebra in whole numbers: what floats suggest is proven here, or not claimed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import gcd, lcm
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
    rows = zip(equations, right, strict=True)
    found = solve_whole([integers([*row, value]) for row, value in rows])
    return None if found is None else [Fraction(value, found[-1]) for value in found[:-1]]


def solve_whole(table: Sequence[Sequence[int]]) -> list[int] | None:
    """As `solve`, right sides last in the table: numerators, and their denominator last."""
    n = len(table)
    if n > most_points():
        return None
    if not flint():
        basis = null_space(table, n + 1)
        if len(basis) != 1 or not basis[0][n]:
            return None
        return integers([-v for v in basis[0][:n]] + [basis[0][n]])
    matrix, vector = [row[:n] for row in table], [[row[n]] for row in table]
    try:
        found = flint().fmpz_mat(matrix).solve(flint().fmpz_mat(vector))
    except ZeroDivisionError:
        return None
    numerators, denominator = found.numer_denom()
    return [*map(int, numerators.entries()), int(denominator)]


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
    way = _only_way(points) or []
    total = sum(way)
    if not total or any(weight * total <= 0 for weight in way):
        return None
    return [Fraction(weight, total) for weight in way]


def settled(points: Sequence[Sequence[int]], weights: Sequence[float]) -> dict[int, int] | None:
    """From a point of a hull to one nearer to 0: Wolfe's inner steps, in whole numbers.

    The places of the points that it is a mean of, and their shares in it: these points are
    affinely independent, and no combination of them is nearer. None if they are too many. The
    weights on the way only say which points to drop, and may be rounded.
    """
    shares, products = dict(enumerate(weights)), gram(points)
    while True:
        places = list(shares)
        table = [[*(products[i][j] for j in places), -1, 0] for i in places]
        solution = solve_whole([*table, [1] * len(places) + [0, 1]])
        if solution is not None:
            target = dict(zip(places, solution, strict=False))
            if min(target.values()) > 0:
                return target
            goal = {i: share / solution[-1] for i, share in target.items()}
        elif len(places) >= most_points():
            return None
        elif (way := _only_way([[*points[i], 1] for i in places])) is not None:
            # The same mean of fewer points.
            largest = max(way)
            goal = {i: shares[i] - share / largest for i, share in zip(places, way, strict=True)}
        else:  # they depend on each other in many ways: begin again with one
            shares = {max(shares, key=lambda i: shares[i]): 1.0}
            continue
        ratios = {i: shares[i] / (shares[i] - goal[i]) for i in places if goal[i] < shares[i]}
        first = min(ratios, key=lambda i: ratios[i])
        part = max(0.0, ratios[first])
        shares = {i: shares[i] + part * (goal[i] - shares[i]) for i in places if i != first}
        shares = {i: share for i, share in shares.items() if share > 0}


def _only_way(points: Sequence[Sequence[Any]]) -> list[int] | None:
    """The weights, up to a factor, with which points add up to 0, if there is one way only.

    A regular part as large as the rank modulo a prime is solved; all equations are then checked,
    since the rank itself may be larger.
    """
    n = len(points)
    if n > most_points():
        return None
    columns = [integers(column) for column in zip(*points, strict=True) if any(column)]
    shares = (gcd(*column) for column in columns)
    columns = [[v // share for v in column] for column, share in zip(columns, shares, strict=True)]
    equations = [list(column) for column in dict.fromkeys(map(tuple, columns))]
    if not flint():
        ways = null_space(equations, n)
        return integers(ways[0]) if len(ways) == 1 else None
    pivots = _pivots(equations, n)
    if len(pivots) != n - 1:
        return None
    free = next(j for j in range(n) if j not in pivots)
    chosen = _pivots(list(zip(*equations, strict=True)), len(equations))
    table = [[*(equations[i][j] for j in pivots), -equations[i][free]] for i in chosen]
    way = solve_whole(table) if table else [1]
    if way is None:
        return None
    way.insert(free, way.pop())
    matrix, column = flint().fmpz_mat(equations), flint().fmpz_mat([[weight] for weight in way])
    return None if equations and any((matrix * column).entries()) else way


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


def shortened(vector: Sequence[Any]) -> list[Fraction]:
    """The same direction with 1 as its largest entry, so that it is a float as well."""
    largest = max(map(abs, vector))
    return [Fraction(entry) / largest for entry in vector]


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
