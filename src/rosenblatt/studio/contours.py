"""The plane divided among the classes, as lines and areas to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.geometry.regions import regions
from rosenblatt.studio import fields
from rosenblatt.studio.mapped_rows import mapped
from rosenblatt.studio.page_runs import PageRun

Box = tuple[float, float, float, float]

# The work for one picture, and the cells each way that it may have.
WORK = 5_000_000
CELLS = (40, 120)
LARGEST = 1e17
# How far off a straight line a point may lie, as a share of the box.
STRAIGHT = 2e-5

Point = tuple[float, float]
Edge = tuple[int, int, int]  # 0 along a row of the grid or 1 up a column, and where it begins
# A ring of points; beside each whether the piece from it to the next lies inside of the box.
Ring = list[tuple[Point, bool]]

# The corners of a cell count 1, 2, 4 and 8 against the clock from the lower left, its edges 0 to 3
# from the lower one. A piece runs from edge to edge with what is above 0 on its left.
PIECES: dict[int, tuple[tuple[int, int], ...]] = {
    0b0001: ((0, 3),),
    0b0010: ((1, 0),),
    0b0011: ((1, 3),),
    0b0100: ((2, 1),),
    0b0110: ((2, 0),),
    0b0111: ((2, 3),),
    0b1000: ((3, 2),),
    0b1001: ((0, 2),),
    0b1011: ((1, 2),),
    0b1100: ((3, 1),),
    0b1101: ((0, 1),),
    0b1110: ((3, 0),),
}
# Two opposite corners above 0: joined, or apart, as the middle of the cell is.
JOINED = {0b0101: ((0, 1), (2, 3)), 0b1010: ((1, 2), (3, 0))}
APART = {0b0101: ((0, 3), (2, 1)), 0b1010: ((1, 0), (3, 2))}


def rings_above_zero(values: FloatArray, across: FloatArray, up: FloatArray) -> list[Ring]:
    """The outlines of the parts above 0; ``values[i, j]`` is that at ``(across[j], up[i])``.

    A part that ends at the edge of the grid is closed along it. Holes are rings of their own, so
    that the even-odd rule fills the parts.
    """
    # A frame of negative values in the same places as the outermost ones closes all rings.
    padded = np.pad(values, 1, mode="edge")
    frame = np.ones(padded.shape, bool)
    frame[1:-1, 1:-1] = False
    padded[frame] = -np.abs(padded[frame]) - 1.0
    xs, ys = np.pad(across, 1, mode="edge").tolist(), np.pad(up, 1, mode="edge").tolist()
    above = padded > 0
    cases = above[:-1, :-1] + 2 * above[:-1, 1:] + 4 * above[1:, 1:] + 8 * above[1:, :-1]
    last = (cases.shape[0] - 1, cases.shape[1] - 1)
    following: dict[Edge, tuple[Edge, bool]] = {}
    for i, j in np.argwhere((cases > 0) & (cases < 15)).tolist():
        case = int(cases[i, j])
        pieces = PIECES.get(case)
        if pieces is None:
            middle = padded[i : i + 2, j : j + 2].sum()
            pieces = (JOINED if middle > 0 else APART)[case]
        inside = 0 < i < last[0] and 0 < j < last[1]
        edges: tuple[Edge, ...] = ((0, i, j), (1, i, j + 1), (0, i + 1, j), (1, i, j))
        for begin, end in pieces:
            following[edges[begin]] = edges[end], inside
    return [_ring(following, padded, xs, ys) for _ in iter(lambda: bool(following), False)]


def _ring(
    following: dict[Edge, tuple[Edge, bool]], values: Any, xs: list[float], ys: list[float]
) -> Ring:
    """Follow the pieces from any edge back to it, taking them out."""
    ring: Ring = []
    edge = next(iter(following))
    while edge in following:
        there, inside = following.pop(edge)
        ring.append((_crossing(edge, values, xs, ys), inside))
        edge = there
    return ring


def _crossing(edge: Edge, values: Any, xs: list[float], ys: list[float]) -> Point:
    """Where the line between the two ends of an edge meets 0."""
    upwards, i, j = edge
    i_end, j_end = (i + 1, j) if upwards else (i, j + 1)
    low, high = float(values[i, j]), float(values[i_end, j_end])
    share = low / (low - high)
    return xs[j] + share * (xs[j_end] - xs[j]), ys[i] + share * (ys[i_end] - ys[i])


def contour(run: PageRun, map: str, at: int, box: Box, work: int = WORK) -> dict[str, Any]:
    """Boundaries and areas after ``at`` updates.

    The areas of several linear classes are exact; all others come from scores on a grid that is
    as fine as ``work`` products allow.
    """
    rounded = _Rounded(box)
    if run.has_weights and run.vectors > 1 and map == "none" and not run.is_voted:
        return _exact(run, at, box, rounded)
    cells = int(np.clip(math.sqrt(work / max(1, run.cost(at))), *CELLS))
    across, up = np.linspace(*box[:2], cells + 1), np.linspace(*box[2:], cells + 1)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    _, X = mapped(map, grid, run.examples.columns)
    scores = run.values(at, np.ascontiguousarray(X))
    lines: list[Any] = []
    areas = []
    for place, lead in enumerate(_leads(scores)):
        found = rings_above_zero(lead.reshape(len(up), len(across)), across, up)
        if not found:
            continue
        rings = [rounded.line(point for point, _ in ring) for ring in found]
        areas.append({"class": place, "rings": rings})
        # Of two classes the boundary of the one is that of the other.
        if scores.ndim > 1 or place == 1:
            lines += [rounded.line(line) for ring in found for line in _within(ring)]
    return {"lines": lines, "regions": areas}


def _leads(scores: FloatArray) -> Iterable[FloatArray]:
    """By how much each class is ahead of the best other."""
    if scores.ndim == 1:
        yield -scores
        yield scores
        return
    ranked = np.partition(scores, -2, axis=1)
    best, second = ranked[:, -1], ranked[:, -2]
    for own in scores.T:
        yield own - np.where(own == best, second, best)


def _within(ring: Ring) -> list[list[Point]]:
    """The parts of a ring that do not run along the edge of the box."""
    if all(inside for _, inside in ring):
        return [[*(point for point, _ in ring), ring[0][0]]]
    # Begin where a part begins, so that none is cut in two.
    first = next((i for i, (_, inside) in enumerate(ring) if inside and not ring[i - 1][1]), None)
    if first is None:
        return []
    parts: list[list[Point]] = []
    turned = ring[first:] + ring[:first]
    for i, (point, inside) in enumerate(turned):
        if not inside:
            continue
        if not turned[i - 1][1] or not parts:
            parts.append([point])
        parts[-1].append(turned[(i + 1) % len(turned)][0])
    return parts


def _exact(run: PageRun, at: int, box: Box, rounded: _Rounded) -> dict[str, Any]:
    weights = (run.weights if run.answers is None else run.answers)[at]
    if (weights == weights[0]).all():  # equal everywhere, as at the start
        return {"lines": [], "regions": []}
    found = regions(weights[:, :-1], weights[:, -1], box)
    areas, lines = [], {}
    for place, polygon in found.polygons.items():
        corners = [(x, y) for x, y in polygon.tolist()]
        areas.append({"class": place, "rings": [rounded.line(corners)]})
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if not _along_edge(a, b, box):
                lines[frozenset((a, b))] = rounded.line([a, b])
    return {"lines": list(lines.values()), "regions": areas}


def _along_edge(a: Point, b: Point, box: Box) -> bool:
    return any(a[i // 2] == b[i // 2] == side for i, side in enumerate(box))


class _Rounded:
    """Places to a hundred-thousandth of the box, without those on a straight way between others."""

    def __init__(self, box: Box) -> None:
        self._sides = box[1] - box[0], box[3] - box[2]
        self._digits = [5 - math.floor(math.log10(side)) for side in self._sides]

    def line(self, points: Iterable[Point]) -> list[list[float]]:
        kept: list[list[float]] = []
        for place in points:
            point = [round(v, digits) for v, digits in zip(place, self._digits, strict=True)]
            if kept and point == kept[-1]:
                continue
            if len(kept) > 1 and self._on_the_way(kept[-2], kept[-1], point):
                kept.pop()
            kept.append(point)
        return kept

    def _on_the_way(self, a: list[float], b: list[float], c: list[float]) -> bool:
        """Whether b lies on the straight line from a to c, as far as an eye can tell."""
        (ax, ay), (cx, cy) = (
            ((end[0] - b[0]) / self._sides[0], (end[1] - b[1]) / self._sides[1]) for end in (a, c)
        )
        length = math.hypot(cx - ax, cy - ay)
        return abs(ax * cy - ay * cx) <= STRAIGHT * length and ax * cx + ay * cy < 0


def read_box(given: Any) -> Box:
    sides = fields.sequence("box", given, of="numbers", least=4, most=4)
    x0, x1, y0, y1 = (
        float(fields.number(f"box[{i}]", side, at_least=-LARGEST, at_most=LARGEST))
        for i, side in enumerate(sides)
    )
    fields.number("box[1] - box[0]", x1 - x0, above=0.0)
    fields.number("box[3] - box[2]", y1 - y0, above=0.0)
    return x0, x1, y0, y1


def box_around(points: FloatArray) -> Box:
    """A box with much room around the points, equally wide and high where that suits them."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, span = (low + high) / 2, high - low
    span = np.where(span > 0, span, np.maximum(2.0, np.abs(high)))
    if span.max() < 8 * span.min():
        span[:] = span.max()
    (x0, y0), (x1, y1) = (middle - 1.1 * span).tolist(), (middle + 1.1 * span).tolist()
    return x0, x1, y0, y1
