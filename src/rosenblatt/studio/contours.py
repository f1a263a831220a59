"""The plane divided among the classes, as lines and areas to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import MissingExtra
from rosenblatt.geometry.regions import regions
from rosenblatt.geometry.vectors import Box
from rosenblatt.studio import fields
from rosenblatt.studio.mapped_rows import mapped
from rosenblatt.studio.page_runs import PageRun

# The work for one picture, and the cells each way that it may have.
WORK = 5_000_000
CELLS = (40, 120)
LARGEST = 1e17
# How far off a straight line a point may lie, as a share of the box.
STRAIGHT = 2e-5

Point = Sequence[float]


def areas_and_lines(
    values: FloatArray, across: FloatArray, up: FloatArray
) -> tuple[list[FloatArray], list[FloatArray]]:
    """The parts above 0, and where they end within the grid.

    ``values[i, j]`` is the value at ``(across[j], up[i])``. A part that ends at the edge of the
    grid is closed along it. Holes are rings of their own, so that the even-odd rule fills the
    parts.
    """
    try:
        import contourpy
    except ImportError:
        raise MissingExtra("curves in the studio need contourpy", extra="studio") from None
    found: Any = contourpy.contour_generator(across, up, values, fill_type="OuterOffset")
    rings = [
        points[first : last - 1]  # the last point is the first
        for points, offsets in zip(*found.filled(0.0, np.inf), strict=True)
        for first, last in pairwise(offsets.tolist())
    ]
    return rings, found.lines(0.0)


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
        rings, ends = areas_and_lines(lead.reshape(len(up), len(across)), across, up)
        if not rings:
            continue
        areas.append({"class": place, "rings": [rounded.line(ring.tolist()) for ring in rings]})
        # Of two classes the boundary of the one is that of the other.
        if scores.ndim > 1 or place == 1:
            lines += [rounded.line(end.tolist()) for end in ends]
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
            along_edge = (a[i // 2] == b[i // 2] == side for i, side in enumerate(box))
            if not any(along_edge):
                lines[frozenset((a, b))] = rounded.line([a, b])
    return {"lines": list(lines.values()), "regions": areas}


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
    sides = fields.coordinates("box", given, least=4, most=4, largest=LARGEST)
    x0, x1, y0, y1 = map(float, sides)
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
