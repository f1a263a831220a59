"""R and γ of the convergence theorem, drawn on rows and the line between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.pen import Pen
from rosenblatt.plot.plane import way_to_rows

ANGLES = np.linspace(0, 2 * np.pi, 181)
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def draw_radius(ax: Any, pen: Pen, radius: float, avoid: FloatArray) -> None:
    """The circle that all rows are in, and R from the origin to a place with no row near."""
    ax.plot(*(radius * CIRCLE).T, color=pen.theme.faint, lw=1.1, ls=STYLES[2], zorder=2)
    # Its name stands outside, where no row is; at the sides of the picture there is little room.
    ways = CIRCLE[np.abs(CIRCLE[:, 1]) > 0.6]
    free = [way_to_rows(share * radius * ways, avoid) for share in (0.5, 0.75, 1.12)]
    way = ways[np.argmax(np.min(free, axis=0))]
    ends = np.array([np.zeros(2), radius * way])
    ax.plot(*ends.T, color=pen.theme.faint, lw=1.1, zorder=3)
    _name(ax, pen, f"R = {short_number(radius)}", ends[1], way)


def draw_margin(
    ax: Any, pen: Pen, line: Hyperplane, margin: float, ends: FloatArray, avoid: FloatArray
) -> FloatArray:
    """γ from the line to the edge of its band, where there is room; gives that place."""
    way = line.w / np.linalg.norm(line.w)
    places = ends[0] + np.linspace(0.12, 0.88, 39)[:, None] * (ends[1] - ends[0])
    start = places[np.argmax(way_to_rows(places + margin * way, avoid))]
    look: Any = {"arrowstyle": "<->", "color": pen.theme.ink, "lw": 1.3, "mutation_scale": 9}
    look |= {"shrinkA": 0, "shrinkB": 0}
    ax.annotate("", start + margin * way, start, zorder=6, arrowprops=look)
    _name(ax, pen, f"γ = {short_number(margin)}", start + margin * way, way)
    return np.asarray(start + margin * way)


def _name(ax: Any, pen: Pen, words: str, at: FloatArray, way: FloatArray) -> None:
    """Words that begin a little beside a place, this way."""
    size = 9 if pen.small else 11
    away = way * (0.3 * size * len(words) + 6, size / 2 + 5)
    pen.note(ax, words, at, away, fontsize=size, zorder=7)
