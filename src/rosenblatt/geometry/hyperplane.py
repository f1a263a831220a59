"""The hyperplane of a weight vector and a bias, and exact polygons of the plane."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.errors import InputError
from rosenblatt.geometry import vectors

MAX_WEIGHTS_SHOWN = 8
# (u, v, c) is the line u x + v y + c = 0.
Line = tuple[int, int, int]
# (x, y, z) with z > 0 is the point (x / z, y / z).
Point = tuple[int, int, int]
# The corners counter-clockwise, each with the line that leads to the next corner. Every line is
# positive inside the polygon.
Polygon = list[tuple[Point, Line]]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Hyperplane:
    """The points at which a linear score is zero, and the two half-spaces that they separate.

    ``w.x + b = 0``, with ``S+ = {x : w.x + b > 0}`` and ``S- = {x : w.x + b < 0}``

    The vector w is orthogonal to the plane and points into S+. The methods take one row of shape
    (d,) and return one result, or n rows of shape (n, d) and return n results; rows may be dense or
    sparse. Each call takes one pass over the rows.

    Two hyperplanes are equal if their w and b are equal. The same plane has many equations; `unit`
    returns a standard one.

    Parameters
    ----------
    w : array of shape (d,)
        The weights, stored as a read-only copy in float64. The zero vector raises an error, because
        ``0.x + b = 0`` is not a plane.
    b : float, default=0.0
        The bias.

    Examples
    --------
    The plane with w = (2, 3) and b = 6 has the origin on its positive side and crosses the axes at
    -3 and -2:

    >>> plane = Hyperplane([2, 3], 6)
    >>> plane.side([[0, 0], [-3, 0], [0, -2], [-3, -2]])
    array([ 1,  0,  0, -1])
    >>> plane.distance([0, 0]).round(3)
    np.float64(1.664)
    >>> plane.project([0, 0]) * 13
    array([-12., -18.])
    >>> plane.segment_in_box((-4, 4, -4, 4))
    array([[-4.        ,  0.66666667],
           [ 3.        , -4.        ]])
    """

    w: FloatArray
    b: float

    def __init__(self, w: ArrayLike, b: float = 0.0) -> None:
        weights = vectors.read_vector("w", w)
        bias = vectors.read_number("b", b)
        if not weights.any():
            raise InputError(
                "w is the zero vector, so w.x + b = 0 is no plane; a learner that has made no "
                "mistake yet has no boundary"
            )
        weights.flags.writeable = False
        object.__setattr__(self, "w", weights)
        object.__setattr__(self, "b", bias)
        if not math.isfinite(self.offset):
            raise InputError(
                f"b is {bias:g} and the largest entry of w {np.abs(weights).max():g}: the plane is "
                "farther from the origin than the largest float (about 1.8e308)"
            )

    @property
    def offset(self) -> float:
        """The signed distance of the origin, ``b / ||w||``."""
        w, b = self._scaled()
        return b / math.sqrt(w @ w)

    def unit(self) -> Hyperplane:
        """Return the same plane, with the same sides, scaled to ``||w|| = 1``.

        >>> Hyperplane([3, 4], 10).unit()
        Hyperplane(w=[0.6, 0.8], b=2.0)
        """
        w, _ = self._scaled()
        return Hyperplane(w / math.sqrt(w @ w), self.offset)

    def side(self, X: Any) -> IntArray:
        """Return the half-space of each row: +1 in S+, -1 in S-, 0 on the plane.

        It is the sign of the computed score, so rounding may move a row off the plane. If all
        products are integers below 2**53, the score is exact.
        """
        return np.sign(self._scores(X)).astype(np.int64)[()]

    def signed_distance(self, X: Any) -> FloatArray:
        """Return the distance of each row from the plane, positive in S+ and negative in S-.

        ``(w.x + b) / ||w||``

        >>> Hyperplane([3, 4], -5).signed_distance([[3, 4], [0, 0]])
        array([ 4., -1.])
        """
        w, _ = self._scaled()
        return self._scores(X, over=math.sqrt(w @ w))

    def distance(self, X: Any) -> FloatArray:
        """Return the distance of each row from the plane.

        ``|w.x + b| / ||w||``
        """
        return np.abs(self.signed_distance(X))

    def project(self, X: Any) -> FloatArray:
        """Return the nearest point on the plane for each row, as a dense array.

        ``x - (w.x + b) / ||w||^2 w``
        """
        return vectors.to_dense(vectors.read_rows("X", X, len(self.w))) - self._step(X)

    def reflect(self, X: Any) -> FloatArray:
        """Return the mirror image of each row in the plane, as a dense array.

        ``x - 2 (w.x + b) / ||w||^2 w``

        >>> Hyperplane([1, 1], -1).reflect([[0, 0], [3, 2]])
        array([[ 1.,  1.],
               [-1., -2.]])
        """
        step = self._step(X)
        return vectors.to_dense(vectors.read_rows("X", X, len(self.w))) - step - step

    def segment_in_box(self, box: vectors.Box) -> FloatArray | None:
        """Return the segment of the line (d = 2) that lies in a box.

        The intersection is computed without rounding; only its end points are rounded, each to the
        nearest floats.

        Parameters
        ----------
        box : (xmin, xmax, ymin, ymax)
            The edges belong to the box.

        Returns
        -------
        array of shape (2, 2), or None
            The two end points, ordered so that S+ lies to the left of the way from the first to
            the second. If the line only touches a corner, both are that corner. None if the line
            misses the box.

        Examples
        --------
        >>> Hyperplane([0, 1], -1).segment_in_box((0, 2, 0, 1))
        array([[0., 1.],
               [2., 1.]])
        >>> print(Hyperplane([0, 1], -2).segment_in_box((0, 2, 0, 1)))
        None
        """
        if len(self.w) != 2:
            raise InputError(f"w has {len(self.w)} entries; a line in a box needs exactly 2")
        (u, v, c), _ = to_integers([*self.w.tolist(), self.b])
        ends = intersect_line(rectangle(vectors.box_sides(box)), (u, v, c))
        if not ends:
            return None
        # (v, -u) is the direction that has S+ on its left.
        ends.sort(key=lambda end: Fraction(v * end[0] - u * end[1], end[2]))
        return np.array([to_floats(ends[0]), to_floats(ends[-1])])

    def _scaled(self) -> tuple[FloatArray, float]:
        """Return w and b with the largest weight between 1/2 and 1, so that no square overflows.

        The factor is a power of two, so a score that is exactly zero stays zero.
        """
        w, exponent = vectors.scaled_to_one(self.w)
        try:
            return w, math.ldexp(self.b, -exponent)
        except OverflowError:
            return w, math.copysign(math.inf, self.b)

    def _scores(self, X: Any, over: float = 1.0) -> FloatArray:
        """Return the scaled scores divided by ``over``."""
        w, b = self._scaled()
        products = vectors.products(vectors.read_rows("X", X, len(w)), w)
        with np.errstate(over="ignore", invalid="ignore"):
            return vectors.check_finite("X", (products + b) / over)

    def _step(self, X: Any) -> FloatArray:
        """Return the vector from the plane to each row, ``(w.x + b) / ||w||^2 w``."""
        w, _ = self._scaled()
        return np.multiply.outer(self._scores(X, over=float(w @ w)), w)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hyperplane):
            return NotImplemented
        return self.b == other.b and np.array_equal(self.w, other.w)

    def __hash__(self) -> int:
        return hash((*self.w.tolist(), self.b))

    def __repr__(self) -> str:
        w = [str(value) for value in self.w.tolist()]
        if len(w) > MAX_WEIGHTS_SHOWN:
            w = [*w[:3], f"... {len(w) - 4} more ...", w[-1]]
        return f"Hyperplane(w=[{', '.join(w)}], b={self.b})"

    def __reduce__(self) -> tuple[type[Hyperplane], tuple[FloatArray, float]]:
        # A copy of the attributes would have a writable w.
        return Hyperplane, (self.w, self.b)


# ---------------------------------------------------------------------- polygons in exact integers


def to_integers(values: Iterable[float]) -> tuple[list[int], int]:
    """Return the values times their smallest common denominator, and that power of two."""
    ratios = [value.as_integer_ratio() for value in values]
    common = max((denominator for _, denominator in ratios), default=1)
    integers = [numerator * (common // denominator) for numerator, denominator in ratios]
    return integers, common


def rectangle(box: vectors.Box) -> Polygon:
    """Return a box as a polygon."""
    (left, right, bottom, top), one = to_integers(box)
    corners = [(left, bottom, one), (right, bottom, one), (right, top, one), (left, top, one)]
    lines = [(0, one, -bottom), (-one, 0, right), (0, -one, top), (one, 0, -left)]
    return list(zip(corners, lines, strict=True))


def signed_height(line: Line, point: Point) -> int:
    """Return a number whose sign is the side of the line on which a point lies; 0 on the line."""
    return line[0] * point[0] + line[1] * point[1] + line[2] * point[2]


def intersection(one: Line, other: Line) -> Point:
    """Return the intersection of two lines that are not parallel."""
    x = one[1] * other[2] - other[1] * one[2]
    y = one[2] * other[0] - other[2] * one[0]
    z = one[0] * other[1] - other[0] * one[1]
    return (x, y, z) if z > 0 else (-x, -y, -z)


def clip(polygon: Polygon, line: Line) -> Polygon:
    """Return the part of a polygon on the positive side of a line; empty if it has no area."""
    heights = [signed_height(line, corner) for corner, _ in polygon]
    if min(heights) >= 0:
        return polygon
    if max(heights) <= 0:
        return []
    result: Polygon = []
    for i, (corner, edge) in enumerate(polygon):
        here = heights[i]
        there = heights[(i + 1) % len(polygon)]
        if here > 0:
            result.append((corner, edge))
            if there < 0:
                result.append((intersection(edge, line), line))
        elif here == 0:
            result.append((corner, line if there < 0 else edge))
        elif there > 0:
            result.append((intersection(edge, line), edge))
    return result


def intersect_line(polygon: Polygon, line: Line) -> list[Point]:
    """Intersect a line with a convex polygon; return two end points, one touched corner or none."""
    u, v, c = line
    # The end points are corners of the part on either side of the line.
    part = clip(polygon, line) or clip(polygon, (-u, -v, -c))
    return [corner for corner, _ in part if signed_height(line, corner) == 0]


def to_floats(point: Point) -> tuple[float, float]:
    """Return the coordinates of a point as the nearest floats.

    The quotient of two integers is rounded once.
    """
    x, y, z = point
    return x / z, y / z


def double_area(corners: list[tuple[float, float]]) -> tuple[int, int]:
    """Return twice the signed area of a polygon, as numerator and denominator.

    It is positive if the corners are listed counter-clockwise.

    ``sum_i (x_i-1 y_i - x_i y_i-1)``
    """
    flat, one = to_integers(coordinate for corner in corners for coordinate in corner)
    xs = flat[::2]
    ys = flat[1::2]
    total = sum(xs[i - 1] * ys[i] - xs[i] * ys[i - 1] for i in range(len(xs)))
    return total, one * one
