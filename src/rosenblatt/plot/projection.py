"""The projection of a vector onto another, and the signed distance that it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry import projection as project
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.plane import Box, around, checked_box, segment


class ProjectionDisplay(Display):
    """x, w, and what of x lies along w; `projection` makes it.

    Attributes
    ----------
    box : (xmin, xmax, ymin, ymax)
    x, w, foot : array of shape (2,)
        The two vectors, and the projection ``(x·w / ‖w‖²) w``.
    distance : float
        ``x·w / ‖w‖``: from the line ``w·x = 0``, below 0 on the side that w does not point to.
    line : array of shape (2, 2) or None
        The ends of that line in the box.
    names : (str, str)
        What the vectors are called.
    """

    box: Box
    x: FloatArray
    w: FloatArray
    foot: FloatArray
    distance: float
    line: FloatArray | None
    names: tuple[str, str]

    size = (5.4, 4.6)

    def __post_init__(self) -> None:
        x, w = self.names
        self.caption = (
            f"The projection of {x} onto {w}, ({x}·{w} / ‖{w}‖²) {w} = {_written(self.foot)}; the "
            f"rest of {x} is at a right angle to {w}. Its signed length {x}·{w} / ‖{w}‖ = "
            f"{short_number(self.distance)} is the distance of {x} from the dashed line through "
            f"the origin: above 0 on the side that {w} points to, below 0 on the other."
        )

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme, (x, w) = pen.theme, self.names
        blue, orange = theme.colour(0), theme.colour(1)
        if self.line is not None:
            ax.plot(*self.line.T, color=theme.faint, lw=1.3, ls=STYLES[1], zorder=2)
        ax.plot(*np.array([self.x, self.foot]).T, color=theme.faint, lw=1.3, ls=":", zorder=3)
        if self.foot.any() and not np.allclose(self.foot, self.x):
            pen.right_angle(ax, np.array([self.foot, self.x]), self.box)
        origin = np.zeros(2)
        pen.arrow(ax, np.array([origin, self.w]), f"{w} = {_written(self.w)}")
        pen.arrow(ax, np.array([origin, self.x]), f"{x} = {_written(self.x)}", colour=blue)
        if self.foot.any():
            pen.arrow(ax, np.array([origin, self.foot]), colour=orange)
        # Beside the projection, on the other side than x, away from the dashed line.
        rest = self.foot - self.x
        way = rest / (np.linalg.norm(rest) or 1.0)
        words = f"{x}·{w} / ‖{w}‖ = {short_number(self.distance)}"
        turn = float(np.degrees(np.arctan2(*self.w[::-1])))
        turn = (turn + 90) % 180 - 90
        look: Any = {"rotation": turn, "fontsize": 11, "color": orange, "zorder": 7}
        pen.note(ax, words, (0.55 if self.distance > 0 else 0.9) * self.foot, 14 * way, **look)
        ax.plot(0, 0, "o", ms=5, color=theme.ink, zorder=7)
        for draw in (ax.axhline, ax.axvline):
            draw(0, color=theme.rule, lw=0.8, zorder=1)
        ax.set(xlim=self.box[:2], ylim=self.box[2:], aspect="equal", xlabel="x₁", ylabel="x₂")


def projection(
    x: Any, onto: Any, *, names: tuple[str, str] = ("x", "w"), box: Box | None = None
) -> ProjectionDisplay:
    """Show the projection of a vector onto another, and the signed distance that its length is.

    ``(x·w / ‖w‖²) w``, of signed length ``x·w / ‖w‖`` (L1.1, L3.1)

    Parameters
    ----------
    x : array-like of shape (2,)
        What is projected.
    onto : array-like of shape (2,)
        The vector w, not 0.
    names : (str, str), default=("x", "w")
        What to call the two.

    See Also
    --------
    boundary : With ``distances=True``, of many rows from a line anywhere.

    Examples
    --------
    >>> from rosenblatt import plot
    >>> shown = plot.projection([1, 3], onto=[4, 2])
    >>> shown.foot.tolist(), round(shown.distance, 3)
    ([2.0, 1.0], 2.236)
    >>> round(plot.projection([-3, 1], onto=[4, 2]).distance, 3)
    -2.236
    """
    vector, other = (np.asarray(one, np.float64) for one in (x, onto))
    if vector.shape != (2,) or other.shape != (2,):
        raise InputError(
            f"vectors of shape {vector.shape} and {other.shape}; a picture has two numbers each."
        )
    foot = np.asarray(project(vector, onto=other), np.float64)
    corners = np.vstack([-0.2 * other, vector, other, foot])
    # The names stand beyond the tips.
    room = 0.25 * np.ptp(corners[:, 0]) * np.sign([[vector[0], 0], [other[0], 0]])
    corners = np.vstack([corners, corners[1:3] + room])
    shown = around(corners) if box is None else checked_box(box)
    distance = float(Hyperplane(other).signed_distance(vector[None, :])[0])
    return ProjectionDisplay(
        box=shown,
        x=vector,
        w=other,
        foot=foot,
        distance=distance,
        line=segment(other, 0.0, shown),
        names=names,
    )


def _written(vector: FloatArray) -> str:
    return f"({', '.join(short_number(value) for value in vector.tolist())})"
