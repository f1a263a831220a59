"""Drawing of R and γ of the convergence theorem in a picture of a boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.pen import Look, Pen
from rosenblatt.plot.plane import distance_to_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ANGLES = np.linspace(0, 2 * np.pi, 181)
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def draw_radius(ax: Axes, pen: Pen, radius: float, avoid: FloatArray) -> None:
    """Draw the circle of radius R around all rows, and R as a line to a free spot on it."""
    ax.plot(*(radius * CIRCLE).T, color=pen.theme.faint, lw=1.1, ls=STYLES[2], zorder=2)

    # Choose the direction that stays farthest from rows, at three places along the radius. Its name
    # is written outside the circle; on the left and right of the picture there is little room.
    directions = CIRCLE[np.abs(CIRCLE[:, 1]) > 0.6]
    free = [distance_to_rows(share * radius * directions, avoid) for share in (0.5, 0.75, 1.12)]
    direction = directions[np.argmax(np.min(free, axis=0))]

    ends = np.array([np.zeros(2), radius * direction])
    ax.plot(*ends.T, color=pen.theme.faint, lw=1.1, zorder=3)
    _write_name(ax, pen, f"R = {short_number(radius)}", ends[1], direction)


def draw_margin(
    ax: Axes, pen: Pen, line: Hyperplane, margin: float, ends: FloatArray, avoid: FloatArray
) -> FloatArray:
    """Draw γ from the line to the edge of its band, at a free spot; return its end point."""
    direction = line.w / np.linalg.norm(line.w)
    places = ends[0] + np.linspace(0.12, 0.88, 39)[:, None] * (ends[1] - ends[0])
    start = places[np.argmax(distance_to_rows(places + margin * direction, avoid))]
    end = np.asarray(start + margin * direction)

    arrow: Look = {"arrowstyle": "<->", "color": pen.theme.ink, "lw": 1.3, "mutation_scale": 9}
    arrow |= {"shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end[0], end[1]), (start[0], start[1]), zorder=6, arrowprops=arrow)
    _write_name(ax, pen, f"γ = {short_number(margin)}", end, direction)
    return end


def _write_name(ax: Axes, pen: Pen, words: str, at: FloatArray, direction: FloatArray) -> None:
    """Write words next to a point, in the given direction from it."""
    size = 9 if pen.small else 11
    offset = direction * (0.3 * size * len(words) + 6, size / 2 + 5)
    pen.note(ax, words, at, offset, fontsize=size, zorder=7)
