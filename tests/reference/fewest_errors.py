"""The fewest errors by trying every cell of the arrangement, in fractions."""

from fractions import Fraction
from itertools import combinations


def solutions(rows, d):
    """A basis of all v with ``row·v = 0`` for every row."""
    rows, pivots = [list(map(Fraction, row)) for row in rows], []
    for column in range(d):
        pivot = next((row for row in rows[len(pivots) :] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [value / pivot[column] for value in pivot]
        rows = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(len(pivots), pivot)
        pivots.append(column)
    basis = []
    for free in set(range(d)) - set(pivots):
        v = [Fraction(int(j == free)) for j in range(d)]
        for row, column in zip(rows, pivots, strict=False):
            v[column] = -row[free]
        basis.append(v)
    return basis


def fewest(points):
    """How few points z can have ``z·v <= 0``, over all v.

    Every cell of the arrangement of the planes ``z·v = 0`` has an edge: a v on which as many planes
    meet as can, without being 0 on all points. In the cells around it the points that are not 0
    there keep their sign, and those that are 0 make an arrangement of their own, of a lower rank.
    """
    points = [tuple(map(Fraction, point)) for point in points if any(point)]
    if not points:
        return 0
    d = len(points[0])
    rank = d - len(solutions(points, d))
    best = len(points)
    seen = set()
    for chosen in combinations(dict.fromkeys(points), rank - 1):
        basis = solutions(chosen, d)
        if d - len(basis) < rank - 1:
            continue
        products = next(
            values
            for v in basis
            if any(values := [sum(a * b for a, b in zip(z, v, strict=True)) for z in points])
        )
        for sign in (1, -1):
            signs = tuple((sign * value > 0) - (sign * value < 0) for value in products)
            if signs not in seen:
                seen.add(signs)
                wrong = signs.count(-1)
                if wrong < best:
                    on = [z for z, side in zip(points, signs, strict=True) if not side]
                    best = min(best, wrong + fewest(on))
    return best


def fewest_errors(Z):
    """As `fewest`, where a point of zeros is always an error."""
    return fewest(Z) + sum(not any(z) for z in Z)
