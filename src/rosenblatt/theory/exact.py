"""Exact linear algebra in integers, to prove or reject solutions that were found in floats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import gcd, lcm
from typing import Any, Protocol

# Elimination in Python solves for this many points; with more, the numbers grow too long.
MAX_POINTS = 80
# python-flint solves for this many in seconds.
MAX_POINTS_WITH_FLINT = 1000
# Limits on the total work of one search, in units of `effort`: about half a minute in Python, and a
# minute with python-flint. Beyond them the result is undecided.
MAX_EFFORT = 2e12
MAX_EFFORT_WITH_FLINT = 1e12
# Shares that only decide which points to drop are rounded to at most this many bits.
MAX_SHARE_BITS = 20_000
# The rank is computed modulo this prime (2^61 - 1), and every conclusion from it is checked.
PRIME = 2305843009213693951


class Number(Protocol):
    """An exact number: an int, a float or a Fraction."""

    def as_integer_ratio(self) -> tuple[int, int]: ...


@cache
def flint() -> Any:
    """Return python-flint, a library for integer matrices; None if it is not installed."""
    try:
        return import_module("flint")
    except ImportError:
        return None


def max_points() -> int:
    """Return the largest number of points for which equations are solved exactly."""
    return MAX_POINTS_WITH_FLINT if flint() else MAX_POINTS


def max_effort() -> float:
    """Return the limit on the total work of one search, in units of `effort`."""
    return MAX_EFFORT_WITH_FLINT if flint() else MAX_EFFORT


def effort(n: int, bits: int) -> float:
    """Estimate the work of solving n equations with coefficients of ``bits`` bits.

    The powers were fitted to measured times of 10 to 200 equations of 100 to 3,000 bits. One unit
    is about 0.015 ns by elimination in Python, and 0.065 ns with python-flint. Intermediate numbers
    grow to ``n · bits``, so columns of very different sizes are slow even with few points.
    """
    n_power, bits_power = (3.0, 1.55) if flint() else (4.3, 1.7)
    return float(n**n_power * max(bits, 1) ** bits_power)


def max_bits(table: Iterable[Iterable[int]]) -> int:
    """Return the bit length of the longest integer in a table; 0 if it is empty."""
    return max((abs(value).bit_length() for row in table for value in row), default=0)


def install_hint() -> str:
    """Return advice to install python-flint, or an empty string if it is installed."""
    return "" if flint() else "; pip install 'rosenblatt[exact]' solves for up to 1,000 rows"


def solve(equations: Sequence[Sequence[Number]], right: Sequence[Number]) -> list[Fraction] | None:
    """Solve n equations with n unknowns exactly.

    Return None if the solution is not unique, or if the equations are too many or too long.
    Coefficients are floats, integers or fractions.
    """
    rows = zip(equations, right, strict=True)
    solution = solve_integers([to_integers([*row, value]) for row, value in rows])
    if solution is None:
        return None
    *numerators, denominator = solution
    return [Fraction(numerator, denominator) for numerator in numerators]


def solve_integers(table: Sequence[Sequence[int]]) -> list[int] | None:
    """Solve integer equations exactly; the last column of the table is the right-hand side.

    Return the numerators of the unknowns followed by their common denominator. Return None in the
    same cases as `solve`.
    """
    n = len(table)
    if n > max_points() or effort(n, max_bits(table)) > max_effort():
        return None

    if not flint():
        # A x = r has one solution if (A, r) has one null vector (x, -1), up to a factor.
        basis = null_space(table, n + 1)
        if len(basis) != 1 or not basis[0][n]:
            return None
        *unknowns, last = basis[0]
        return to_integers([*(-value for value in unknowns), last])

    matrix = [row[:n] for row in table]
    right = [[row[n]] for row in table]
    try:
        solution = flint().fmpz_mat(matrix).solve(flint().fmpz_mat(right))
    except ZeroDivisionError:
        return None
    numerators, denominator = solution.numer_denom()
    return [*map(int, numerators.entries()), int(denominator)]


def solve_approximately(
    equations: Sequence[Sequence[int]], right: Sequence[int], bits: int
) -> list[Fraction] | None:
    """Solve equations with a precision of ``bits`` bits, or exactly if that is too inaccurate.

    The approximate solution needs python-flint.
    """
    library = flint()
    if library and len(equations) <= MAX_POINTS_WITH_FLINT:
        column = [[value] for value in right]
        with library.ctx.workprec(bits), suppress(ZeroDivisionError):
            matrix = library.arb_mat(library.fmpz_mat(equations))
            found = matrix.solve(library.arb_mat(library.fmpz_mat(column))).entries()
            accuracies = [value.rel_accuracy_bits() for value in found if value != 0]
            if min(accuracies, default=0) > bits // 4:
                parts = [value.mid().man_exp() for value in found]
                return [Fraction(int(m)) * Fraction(2) ** int(e) for m, e in parts]
    return solve(equations, right)


def gram(points: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the Gram matrix of the points: the dot products of all pairs."""
    if flint():
        matrix = flint().fmpz_mat(points)
        products = (matrix * matrix.transpose()).tolist()
        return [[int(value) for value in row] for row in products]
    return [[sum(map(int.__mul__, a, b)) for b in points] for a in points]


def exact_weights(points: Sequence[Sequence[Number]]) -> list[Fraction] | None:
    """Return positive weights with sum 1 for which the weighted sum of the points is exactly 0.

    Return None if there are none, or if the points depend on each other in more than one way. The
    points of a nearest point of length 0 depend on each other in one way.
    """
    weights = _unique_dependency(points) or []
    total = sum(weights)
    # All weights must have the same sign, and none may be 0.
    if not total or any(weight * total <= 0 for weight in weights):
        return None
    return [Fraction(weight, total) for weight in weights]


def nearest_shares(
    points: Sequence[Sequence[int]], weights: Sequence[Number]
) -> dict[int, int] | None:
    """Find the point nearest to 0 in the hull of a subset of the points by Wolfe's minor cycles.

    Return the shares, as integers, of the points in that subset, by their index. These points are
    affinely independent, and no affine combination of them is nearer. Return None if there are too
    many points, or if their numbers are too long. The weights only decide which points to drop.
    """
    products = gram(points)
    if effort(len(points) + 1, max_bits(products)) > max_effort():
        return None

    walk = Walk(points, weights)
    # Every round but the last drops a point.
    for _ in points:
        kept = list(walk.shares)

        # The nearest affine combination has Gram · shares = constant, and its shares have sum 1.
        table = [[*(products[i][j] for j in kept), -1, 0] for i in kept]
        table.append([1] * len(kept) + [0, 1])
        solution = solve_integers(table)

        if solution is None:
            walk.drop_dependent_point()
        else:
            total = solution.pop()
            target = solution[: len(kept)]
            if min(target) > 0:
                return dict(zip(kept, target, strict=True))
            walk.move_towards([(share, total) for share in target])
        if not walk.shares:
            return None
    return None


class Walk:
    """A weighted mean that moves towards another and drops points whose share reaches 0.

    ``shares`` maps the index of a point to an integer, in units of a power of 2. Shares only decide
    which points to drop, so they may be rounded. They keep enough bits for points whose lengths
    differ greatly.
    """

    def __init__(self, points: Sequence[Sequence[int]], weights: Sequence[Number]) -> None:
        self._points = points
        self._bits = min(2 * len(points) * max_bits(points) + 200, MAX_SHARE_BITS)
        self.shares: dict[int, int] = {}
        for index, weight in enumerate(weights):
            self.shares[index] = self._to_units(*weight.as_integer_ratio())

    def _to_units(self, numerator: int, denominator: int) -> int:
        return (numerator << self._bits) // denominator

    def move_towards(self, target: Iterable[tuple[int, int]]) -> None:
        """Move towards target shares (numerator, denominator) until the first share reaches 0.

        At least one target must be 0 or less. The point that reaches 0 first is dropped, together
        with those that reach it at the same time. So there are fewer points after every call,
        whatever the rounding.
        """
        goal = {}
        for index, ratio in zip(self.shares, target, strict=True):
            goal[index] = self._to_units(*ratio)

        # Find the share that reaches 0 after the smallest part of the way.
        first = -1
        part = Fraction(1)
        for index, aim in goal.items():
            share = self.shares[index]
            if aim <= 0:
                reached = Fraction(share, share - aim) if aim < share else Fraction(0)
                if first < 0 or reached < part:
                    first = index
                    part = reached

        kept = {}
        for index, share in self.shares.items():
            moved = share + (goal[index] - share) * part.numerator // part.denominator
            if index != first and moved > 0:
                kept[index] = moved
        self.shares = kept

    def drop_dependent_point(self) -> None:
        """Drop points that depend affinely on others, without changing the mean.

        If no dependency is found, all points are dropped.
        """
        weights = _any_dependency([[*self._points[index], 1] for index in self.shares])
        if weights is None:
            self.shares = {}
            return

        # Subtracting a multiple of the dependency does not change the mean. With twice the share of
        # its largest weight, that share falls below 0.
        largest = max(weights)
        unit = 1 << self._bits
        target = []
        for share, weight in zip(self.shares.values(), weights, strict=True):
            target.append((share * largest - 2 * unit * weight, unit * largest))
        self.move_towards(target)


def _unique_dependency(points: Sequence[Sequence[Number]]) -> list[int] | None:
    """Return the linear dependency of the points as integer weights of a sum that is 0.

    Return None if it is not unique up to a factor, or if the points are too many or too long.

    With python-flint, a regular part as large as the rank modulo a prime is solved. The true rank
    may be larger, so all equations are checked afterwards.
    """
    n = len(points)
    if n > max_points():
        return None

    # One equation for each coordinate, divided by the common factor of its coefficients. Zero and
    # repeated equations are left out.
    columns = [to_integers(column) for column in zip(*points, strict=True) if any(column)]
    reduced = []
    for column in columns:
        factor = gcd(*column)
        reduced.append(tuple(value // factor for value in column))
    equations = [list(column) for column in dict.fromkeys(reduced)]
    if effort(n, max_bits(equations)) > max_effort():
        return None

    if not flint():
        basis = null_space(equations, n)
        return to_integers(basis[0]) if len(basis) == 1 else None

    pivots = _pivots(equations)
    if len(pivots) != n - 1:
        return None
    free = next(j for j in range(n) if j not in pivots)
    chosen = _pivots(list(zip(*equations, strict=True)))
    table = [[*(equations[i][j] for j in pivots), -equations[i][free]] for i in chosen]
    weights = solve_integers(table) if table else [1]
    if weights is None:
        return None
    weights.insert(free, weights.pop())

    if equations:
        matrix = flint().fmpz_mat(equations)
        column_vector = flint().fmpz_mat([[weight] for weight in weights])
        if any((matrix * column_vector).entries()):
            return None
    return weights


def _any_dependency(points: Sequence[Sequence[Number]]) -> list[int] | None:
    """Return a linear dependency of the points as integer weights; None if they are independent.

    Also return None if the points are too many or too long.
    """
    columns = [to_integers(column) for column in zip(*points, strict=True) if any(column)]
    n = len(points)
    if n > max_points() or effort(n, max_bits(columns)) > max_effort():
        return None

    if not flint():
        basis = null_space(columns, n)
        return to_integers(basis[0]) if basis else None

    # The first point that is a combination of the points before it, which are independent.
    pivots = _pivots(columns)
    if len(pivots) == n:
        return None
    free = next(j for j in range(n) if j not in pivots)
    chosen = [*(j for j in pivots if j < free), free]
    found = _unique_dependency([points[index] for index in chosen])
    if found is None:
        return None
    weights = [0] * n
    for index, weight in zip(chosen, found, strict=True):
        weights[index] = weight
    return weights


def _pivots(equations: Sequence[Sequence[int]]) -> dict[int, None]:
    """Return the pivot columns of the equations modulo `PRIME`, in order, with python-flint."""
    if not equations:
        return {}
    rows, rank = flint().nmod_mat(flint().fmpz_mat(equations), PRIME).rref()
    pivots: dict[int, None] = {}
    j = 0
    for i in range(rank):
        while rows[i, j] == 0:
            j += 1
        pivots[j] = None
    return pivots


def null_space(equations: Iterable[Iterable[Number]], n_unknowns: int) -> list[list[Fraction]]:
    """Return a basis of the null space: all solutions of ``Σ coefficient · unknown = 0``.

    Each free unknown is 1 in one vector of the basis and 0 in the others.
    """
    pivots = _echelon([to_integers(equation) for equation in equations], n_unknowns)
    basis = []
    for free in range(n_unknowns):
        if free in pivots:
            continue
        unknowns = [Fraction(int(j == free)) for j in range(n_unknowns)]
        for pivot, equation in reversed(pivots.items()):
            unknowns[pivot] = -inner(equation, unknowns) / equation[pivot]
        basis.append(unknowns)
    return basis


def inner(a: Iterable[float | Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return the dot product ``a·b``, exactly."""
    pairs = zip(a, b, strict=True)
    return sum((Fraction(x) * y for x, y in pairs if x and y), start=Fraction(0))


def scaled_to_one(vector: Sequence[Any]) -> list[Fraction]:
    """Scale a vector so that its largest absolute entry is 1, which fits into a float."""
    largest = max(map(abs, vector))
    return [Fraction(entry) / largest for entry in vector]


def _echelon(equations: list[list[int]], n_unknowns: int) -> dict[int, list[int]]:
    """Return the echelon form of the equations by pivot column (Bareiss, all in integers)."""
    unique = dict.fromkeys(tuple(equation) for equation in equations)
    rest = [list(equation) for equation in unique if any(equation)]
    done: dict[int, list[int]] = {}
    previous_pivot = 1
    for column in range(n_unknowns):
        chosen = next((equation for equation in rest if equation[column]), None)
        if chosen is None:
            continue
        rest.remove(chosen)
        pivot = chosen[column]

        # Bareiss: the division by the previous pivot has no remainder.
        reduced = []
        for equation in rest:
            factor = equation[column]
            pairs = zip(equation, chosen, strict=True)
            row = [(pivot * a - factor * b) // previous_pivot for a, b in pairs]
            if any(row):
                reduced.append(row)
        rest = reduced
        previous_pivot = pivot
        done[column] = chosen
    return done


def to_integers(values: Iterable[Number]) -> list[int]:
    """Multiply values by a positive common factor that makes all of them integers."""
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (common // denominator) for numerator, denominator in ratios]
