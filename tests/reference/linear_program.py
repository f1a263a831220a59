"""A linear program in fractions: the simplex method with Bland's rule, small, slow and exact."""

from fractions import Fraction


def maximum(c, A, b):
    """The largest ``c·x`` with ``A x <= b`` and ``x >= 0``; b must be at least 0."""
    n, m = len(c), len(A)
    table = [
        [Fraction(a) for a in row] + [Fraction(int(i == j)) for j in range(m)] + [Fraction(right)]
        for i, (row, right) in enumerate(zip(A, b, strict=True))
    ]
    goal = [-Fraction(value) for value in c] + [Fraction(0)] * (m + 1)
    basis = list(range(n, n + m))
    while any(value < 0 for value in goal[:-1]):
        column = next(j for j, value in enumerate(goal[:-1]) if value < 0)
        ratios = [
            (row[-1] / row[column], basis[i], i) for i, row in enumerate(table) if row[column] > 0
        ]
        assert ratios, "without bound"
        pivot = min(ratios)[2]
        basis[pivot] = column
        table[pivot] = [value / table[pivot][column] for value in table[pivot]]
        for row in [*table[:pivot], *table[pivot + 1 :], goal]:
            if factor := row[column]:
                row[:] = [a - factor * b for a, b in zip(row, table[pivot], strict=True)]
    return goal[-1]


def separation(Z):
    """Complete, quasi-complete or no separation of points z: how many can have ``z·v > 0`` at once
    while none has ``z·v < 0``? The largest ``Σ s`` with ``s <= z·v`` and ``0 <= s <= 1``."""
    n, d = len(Z), len(Z[0])
    one = [[int(i == j) for j in range(n)] for i in range(n)]
    A = [[*(-z for z in row), *row, *unit] for row, unit in zip(Z, one, strict=True)]
    A += [[0] * (2 * d) + unit for unit in one]
    most = maximum([0] * (2 * d) + [1] * n, A, [0] * n + [1] * n)
    return "complete" if most == n else "quasi-complete" if most else "none"
