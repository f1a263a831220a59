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
# What the solutions of one question may cost, as `effort` counts it: about half a minute in Python,
# and a minute with python-flint. Beyond it nothing is claimed.
MOST_EFFORT = 2e12
MOST_EFFORT_OF_FLINT = 1e12
# Shares of a mean that only say which points to drop are rounded to no more bits than these.
MOST_SHARE_BITS = 20_000
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


def most_effort() -> float:
    """What all solutions of one question may cost, in units of `effort`."""
    return MOST_EFFORT_OF_FLINT if flint() else MOST_EFFORT


def effort(n: int, bits: int) -> float:
    """Estimate the work of solving n equations whose coefficients have so many bits.

    The powers were fitted to measured times of 10 to 200 equations of 100 to 3,000 bits; a unit is
    about 0.015 ns by elimination in Python, and 0.065 ns with python-flint. Numbers grow to
    ``n · bits`` on the way, so columns of very different sizes are slow before points are many.
    """
    n_power, bits_power = (3.0, 1.55) if flint() else (4.3, 1.7)
    return float(n**n_power * max(bits, 1) ** bits_power)


def longest_of(table: Iterable[Iterable[int]]) -> int:
    """The bits of the longest number of a table."""
    return max((abs(value).bit_length() for row in table for value in row), default=0)


def how_to_get_more() -> str:
    """What to install where points are too many to be solved for."""
    return "" if flint() else "; pip install 'rosenblatt[exact]' solves for up to 1,000 rows"


def solve(equations: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Fraction] | None:
    """The unknowns of as many equations, exactly; None if they are not unique, or too long.

    Coefficients are floats, whole numbers or fractions.
    """
    rows = zip(equations, right, strict=True)
    found = solve_whole([integers([*row, value]) for row, value in rows])
    return None if found is None else [Fraction(value, found[-1]) for value in found[:-1]]


def solve_whole(table: Sequence[Sequence[int]]) -> list[int] | None:
    """As `solve`, right sides last in the table: numerators, and their denominator last."""
    n = len(table)
    if n > most_points() or effort(n, longest_of(table)) > most_effort():
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
            accuracies = [value.rel_accuracy_bits() for value in found if value != 0]
            if min(accuracies, default=0) > bits // 4:
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


def settled(points: Sequence[Sequence[int]], weights: Sequence[Any]) -> dict[int, int] | None:
    """From a point of a hull to one nearer to 0: Wolfe's inner steps, in whole numbers.

    The places of the points that it is a mean of, and their shares in it: these points are
    affinely independent, and no combination of them is nearer. None if they are too many, or their
    numbers too long. The weights, floats or fractions, only say which points to drop on the way.
    """
    products = gram(points)
    if effort(len(points) + 1, longest_of(products)) > most_effort():
        return None
    walk = Walk(points, weights)
    # Every round but the last drops a point.
    for _ in points:
        places = list(walk.shares)
        table = [[*(products[i][j] for j in places), -1, 0] for i in places]
        solution = solve_whole([*table, [1] * len(places) + [0, 1]])
        if solution is None:
            walk.drop_a_dependent_point()
        else:
            total = solution.pop()
            target = solution[: len(places)]
            if min(target) > 0:
                return dict(zip(places, target, strict=True))
            walk.go_towards([(share, total) for share in target])
        if not walk.shares:
            return None
    return None


class Walk:
    """A mean of points on its way to another one; points whose share is used up are left behind.

    ``shares`` are whole numbers by the places of the points, in units of a power of 2. They only
    say which points to drop, so they may be rounded, to as many bits as points need whose lengths
    differ much.
    """

    def __init__(self, points: Sequence[Sequence[int]], weights: Sequence[Any]) -> None:
        self._points = points
        self._bits = min(2 * len(points) * longest_of(points) + 200, MOST_SHARE_BITS)
        self.shares: dict[int, int] = {}
        for place, weight in enumerate(weights):
            self.shares[place] = self._units(*weight.as_integer_ratio())

    def _units(self, numerator: int, denominator: int) -> int:
        return (numerator << self._bits) // denominator

    def go_towards(self, target: Iterable[tuple[int, int]]) -> None:
        """Walk towards shares, numerators and denominators, some of them 0 or less.

        The first point to fall to 0 is dropped, and those that fall with it: whatever rounding did,
        there are fewer points after every walk.
        """
        goal = {}
        for place, ratio in zip(self.shares, target, strict=True):
            goal[place] = self._units(*ratio)
        # A share falls to 0 after this part of the way.
        first = -1
        part = Fraction(1)
        for place, aim in goal.items():
            share = self.shares[place]
            if aim <= 0:
                reached = Fraction(share, share - aim) if aim < share else Fraction(0)
                if first < 0 or reached < part:
                    first = place
                    part = reached
        left = {}
        for place, share in self.shares.items():
            moved = share + (goal[place] - share) * part.numerator // part.denominator
            if place != first and moved > 0:
                left[place] = moved
        self.shares = left

    def drop_a_dependent_point(self) -> None:
        """Go on with the same mean of fewer points, where some depend on others affinely.

        There are none left if no such way is known.
        """
        way = _some_way([[*self._points[place], 1] for place in self.shares])
        if way is None:
            self.shares = {}
            return
        # All of the largest, and as much again: its share falls below 0, and the mean stays.
        largest = max(way)
        unit = 1 << self._bits
        target = []
        for share, weight in zip(self.shares.values(), way, strict=True):
            target.append((share * largest - 2 * unit * weight, unit * largest))
        self.go_towards(target)


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
    if effort(n, longest_of(equations)) > most_effort():
        return None
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


def _some_way(points: Sequence[Sequence[Any]]) -> list[int] | None:
    """Weights, not all 0, with which points add up to 0; None if they are independent."""
    columns = [integers(column) for column in zip(*points, strict=True) if any(column)]
    n = len(points)
    if n > most_points() or effort(n, longest_of(columns)) > most_effort():
        return None
    if not flint():
        ways = null_space(columns, n)
        return integers(ways[0]) if ways else None
    # The first point that those before it, independent of each other, can be combined to.
    pivots = _pivots(columns, n)
    if len(pivots) == n:
        return None
    free = next(j for j in range(n) if j not in pivots)
    places = [*(j for j in pivots if j < free), free]
    found = _only_way([points[place] for place in places])
    if found is None:
        return None
    way = [0] * n
    for place, weight in zip(places, found, strict=True):
        way[place] = weight
    return way


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
