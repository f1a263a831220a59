"""The hyperplane of a weight vector and a bias."""

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

SHOWN = 8
Line = tuple[int, int, int]
Point = tuple[int, int, int]
# Counter-clockwise: each corner with the line that leads on to the next. Inside is where every
# line is positive.
Polygon = list[tuple[Point, Line]]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Hyperplane:
    """All points at which a linear score is zero, and the two half-spaces beside them.

    ``w.x + b = 0``, with ``S+ = {x : w.x + b > 0}`` and ``S- = {x : w.x + b < 0}``

    The vector w is orthogonal to the plane and points into S+. Each method costs one pass over the
    rows given to it. They may be one row of shape (d,), with one result, or n rows of shape
    (n, d), with n results, dense or sparse.

    Two hyperplanes are equal when their w and b are. The same plane has many equations; `unit`
    gives one of them.

    Parameters
    ----------
    w : array of shape (d,)
        Kept as a copy in float64 that cannot be written to. Zero is refused: ``0.x + b = 0`` is
        no plane.
    b : float, default=0.0

    Examples
    --------
    The plane with w = (2, 3) and b = 6 has the origin on its positive side, and crosses the axes
    at -3 and -2:

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
        weights = vectors.vector("w", w)
        bias = vectors.number("b", b)
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
        """Scale the equation so that ``||w|| = 1``: the same plane, with the same sides.

        >>> Hyperplane([3, 4], 10).unit()
        Hyperplane(w=[0.6, 0.8], b=2.0)
        """
        w, _ = self._scaled()
        return Hyperplane(w / math.sqrt(w @ w), self.offset)

    def side(self, X: Any) -> IntArray:
        """Tell the half-space of each row: +1 in S+, -1 in S-, 0 on the plane.

        It is the sign of the computed score, so that rounding may take a row off the plane; not,
        though, where the products are integers below 2**53.
        """
        return np.sign(self._scores(X)).astype(np.int64)[()]

    def signed_distance(self, X: Any) -> FloatArray:
        """Measure how far each row is from the plane, positive in S+ and negative in S-.

        ``(w.x + b) / ||w||``

        >>> Hyperplane([3, 4], -5).signed_distance([[3, 4], [0, 0]])
        array([ 4., -1.])
        """
        w, _ = self._scaled()
        return self._scores(X, over=math.sqrt(w @ w))

    def distance(self, X: Any) -> FloatArray:
        """Measure how far each row is from the plane.

        ``|w.x + b| / ||w||``
        """
        return np.abs(self.signed_distance(X))

    def project(self, X: Any) -> FloatArray:
        """Drop each row onto the plane: the nearest point there, dense.

        ``x - (w.x + b) / ||w||^2 w``
        """
        return vectors.dense(vectors.points("X", X, len(self.w))) - self._step(X)

    def reflect(self, X: Any) -> FloatArray:
        """Mirror each row in the plane; the result is dense.

        ``x - 2 (w.x + b) / ||w||^2 w``

        >>> Hyperplane([1, 1], -1).reflect([[0, 0], [3, 2]])
        array([[ 1.,  1.],
               [-1., -2.]])
        """
        step = self._step(X)
        return vectors.dense(vectors.points("X", X, len(self.w))) - step - step

    def segment_in_box(self, box: vectors.Box) -> FloatArray | None:
        """Cut the line of a plane with d = 2 to what a box shows of it.

        Whether and where the line meets the box is decided without rounding; only the end points
        themselves are rounded, each to the nearest floats.

        Parameters
        ----------
        box : (xmin, xmax, ymin, ymax)
            Its edges belong to it.

        Returns
        -------
        array of shape (2, 2), or None
            The two end points, in the order in which S+ lies to the left of the way from the first
            to the second. A line that only touches a corner has this corner as both. None if the
            line misses the box.

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
        (u, v, c), _ = whole([*self.w.tolist(), self.b])
        ends = chord(rectangle(vectors.box_sides(box)), (u, v, c))
        if not ends:
            return None
        ends.sort(key=lambda end: Fraction(v * end[0] - u * end[1], end[2]))
        return np.array([rounded(ends[0]), rounded(ends[-1])])

    def _scaled(self) -> tuple[FloatArray, float]:
        """The same plane with the largest weight between 1/2 and 1, so that no square overflows.

        The factor is a power of two: a score that is exactly zero stays so.
        """
        w, exponent = vectors.scaled(self.w)
        try:
            return w, math.ldexp(self.b, -exponent)
        except OverflowError:
            return w, math.copysign(math.inf, self.b)

    def _scores(self, X: Any, over: float = 1.0) -> FloatArray:
        w, b = self._scaled()
        products = vectors.times(vectors.points("X", X, len(w)), w)
        with np.errstate(over="ignore", invalid="ignore"):
            return vectors.finite("X", (products + b) / over)

    def _step(self, X: Any) -> FloatArray:
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
        if len(w) > SHOWN:
            w = [*w[:3], f"... {len(w) - 4} more ...", w[-1]]
        return f"Hyperplane(w=[{', '.join(w)}], b={self.b})"

    def __reduce__(self) -> tuple[type[Hyperplane], tuple[FloatArray, float]]:
        # A copy made from the attributes alone would have a w that can be written to.
        return Hyperplane, (self.w, self.b)


# ---------------------------------------------------------------------- polygons in whole numbers


def whole(values: Iterable[float]) -> tuple[list[int], int]:
    """The values over their smallest common denominator, a power of two."""
    ratios = [value.as_integer_ratio() for value in values]
    common = max((q for _, q in ratios), default=1)
    return [p * (common // q) for p, q in ratios], common


def rectangle(box: vectors.Box) -> Polygon:
    (left, right, bottom, top), one = whole(box)
    corners = [(left, bottom, one), (right, bottom, one), (right, top, one), (left, top, one)]
    lines = [(0, one, -bottom), (-one, 0, right), (0, -one, top), (one, 0, -left)]
    return list(zip(corners, lines, strict=True))


def height(line: Line, point: Point) -> int:
    """Positive, zero or negative as the point lies on the positive side, on the line, or beyond."""
    return line[0] * point[0] + line[1] * point[1] + line[2] * point[2]


def meeting(one: Line, other: Line) -> Point:
    """Where two lines that are not parallel meet."""
    x = one[1] * other[2] - other[1] * one[2]
    y = one[2] * other[0] - other[2] * one[0]
    z = one[0] * other[1] - other[0] * one[1]
    return (x, y, z) if z > 0 else (-x, -y, -z)


def clip(polygon: Polygon, line: Line) -> Polygon:
    """What lies on the positive side of a line; nothing, if that has no area."""
    heights = [height(line, corner) for corner, _ in polygon]
    if min(heights) >= 0:
        return polygon
    if max(heights) <= 0:
        return []
    result: Polygon = []
    for i, (corner, edge) in enumerate(polygon):
        here, there = heights[i], heights[(i + 1) % len(polygon)]
        if here > 0:
            result.append((corner, edge))
            if there < 0:
                result.append((meeting(edge, line), line))
        elif here == 0:
            result.append((corner, line if there < 0 else edge))
        elif there > 0:
            result.append((meeting(edge, line), edge))
    return result


def chord(polygon: Polygon, line: Line) -> list[Point]:
    """The ends of the part of a line inside a polygon; one point, or none, if it is no more."""
    u, v, c = line
    beside = clip(polygon, line) or clip(polygon, (-u, -v, -c))
    return [corner for corner, _ in beside if height(line, corner) == 0]


def rounded(point: Point) -> tuple[float, float]:
    """The nearest floats; the quotient of two ints is rounded once."""
    x, y, z = point
    return x / z, y / z


def double_area(corners: list[tuple[float, float]]) -> tuple[int, int]:
    """Twice the area within these corners, positive if counter-clockwise, as p / q."""
    flat, one = whole(coordinate for corner in corners for coordinate in corner)
    xs, ys = flat[::2], flat[1::2]
    total = sum(xs[i - 1] * ys[i] - xs[i] * ys[i - 1] for i in range(len(xs)))
    return total, one * one
