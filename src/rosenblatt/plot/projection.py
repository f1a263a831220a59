"""Picture of the projection of one vector onto another, and of its signed length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry import projection as project
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plot.plane import Box, box_around, checked_box, segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ProjectionDisplay(Display):
    """Picture of x, w and the projection of x onto w, made by `projection`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    box : (xmin, xmax, ymin, ymax)
        The part of the plane that is shown.
    x, w, foot : array of shape (2,)
        The two vectors, and the projection ``(x·w / ‖w‖²) w``.
    distance : float
        ``x·w / ‖w‖``: the signed distance of x from the line ``w·x = 0``, positive on the side that
        w points to.
    line : array of shape (2, 2) or None
        Ends of that line in the box.
    names : (str, str)
        Names of the two vectors.
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

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        x, w = self.names
        blue = theme.colour(0)
        orange = theme.colour(1)
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

        # Its length is written along the projection, on the other side than x.
        rest = self.foot - self.x
        direction = rest / (np.linalg.norm(rest) or 1.0)
        words = f"{x}·{w} / ‖{w}‖ = {short_number(self.distance)}"
        degrees = float(np.degrees(np.arctan2(*self.w[::-1])))
        degrees = (degrees + 90) % 180 - 90  # never upside down
        look: Look = {"rotation": degrees, "fontsize": 11, "color": orange, "zorder": 7}
        share = 0.55 if self.distance > 0 else 0.9
        pen.note(ax, words, share * self.foot, 14 * direction, **look)

        ax.plot(0, 0, "o", ms=5, color=theme.ink, zorder=7)
        ax.axhline(0, color=theme.rule, lw=0.8, zorder=1)
        ax.axvline(0, color=theme.rule, lw=0.8, zorder=1)
        ax.set(xlim=self.box[:2], ylim=self.box[2:], aspect="equal", xlabel="x₁", ylabel="x₂")


def projection(
    x: Any, onto: Any, *, names: tuple[str, str] = ("x", "w"), box: Box | None = None
) -> ProjectionDisplay:
    """Show the projection of one vector onto another, and its signed length.

    The projection is ``(x·w / ‖w‖²) w``; its signed length ``x·w / ‖w‖`` is the distance of x from
    the line ``w·x = 0`` (L1.1, L3.1).

    Parameters
    ----------
    x : array-like of shape (2,)
        The vector to project.
    onto : array-like of shape (2,)
        The vector w, not 0.
    names : (str, str), default=("x", "w")
        Names of the two vectors.
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows both vectors.

    Returns
    -------
    display : ProjectionDisplay

    See Also
    --------
    boundary : With ``distances=True``, show the distances of rows from any line.

    Examples
    --------
    >>> from rosenblatt import plot
    >>> shown = plot.projection([1, 3], onto=[4, 2])
    >>> shown.foot.tolist(), round(shown.distance, 3)
    ([2.0, 1.0], 2.236)
    >>> round(plot.projection([-3, 1], onto=[4, 2]).distance, 3)
    -2.236
    """
    vector = np.asarray(x, np.float64)
    other = np.asarray(onto, np.float64)
    if vector.shape != (2,) or other.shape != (2,):
        raise InputError(
            f"vectors of shape {vector.shape} and {other.shape}; a picture has two numbers each."
        )
    foot = np.asarray(project(vector, onto=other), np.float64)
    corners = np.vstack([-0.2 * other, vector, other, foot])
    # Room for the names beyond the tips.
    room = 0.25 * np.ptp(corners[:, 0]) * np.sign([[vector[0], 0], [other[0], 0]])
    corners = np.vstack([corners, corners[1:3] + room])
    shown = box_around(corners) if box is None else checked_box(box)
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
