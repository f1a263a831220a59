"""Convex polygons in whole numbers, cut without rounding.

Every float is a whole number over a power of two. A line ``a x + b y + c = 0`` is therefore three
whole numbers ``(a, b, c)``, up to a common factor, and so is a point ``(x / z, y / z)``, as
``(x, y, z)`` with ``z > 0``. On which side a point lies, and where two lines meet, are then sums
of products that Python computes exactly: no cell is lost or invented by rounding, and corners
that polygons share come out as the same floats.
"""

from __future__ import annotations

from collections.abc import Iterable

from rosenblatt.geometry._inputs import Box

Line = tuple[int, int, int]
Point = tuple[int, int, int]
# Counter-clockwise: each corner with the line that leads on to the next. Inside is where every
# line is positive.
Polygon = list[tuple[Point, Line]]


def whole(values: Iterable[float]) -> tuple[list[int], int]:
    """The values over their smallest common denominator, a power of two."""
    ratios = [value.as_integer_ratio() for value in values]
    common = max((q for _, q in ratios), default=1)
    return [p * (common // q) for p, q in ratios], common


def rectangle(box: Box) -> Polygon:
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
    ends = []
    heights = [height(line, corner) for corner, _ in polygon]
    for i, (corner, edge) in enumerate(polygon):
        here, there = heights[i], heights[(i + 1) % len(polygon)]
        if here == 0:
            ends.append(corner)
        elif here < 0 < there or there < 0 < here:
            ends.append(meeting(edge, line))
    return ends


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
