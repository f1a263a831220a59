"""Picture of the boundary of two classes: the line, w, the margin, both sides, the mistakes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry import regions as divide
from rosenblatt.plot import arguments
from rosenblatt.plot.bound_marks import draw_margin, draw_radius
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.display import Pen, PlaneDisplay
from rosenblatt.plot.pen import Look, has_rings, wrong_rows
from rosenblatt.plot.plane import (
    Box,
    Plane,
    along,
    arrow_inside,
    arrow_of,
    box_around,
    checked_box,
    distance_to_rows,
    equation,
    has_one_scale,
    plane_of,
    segment,
)
from rosenblatt.plot.style import marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Most rows whose distances are written; more cannot be read.
MAX_DISTANCES = 12
HALF_SPACES = ("S₋", "S₊")
NO_ROWS = np.empty(0, np.intp)
NO_POINTS = np.empty((0, 2))


class NamedLine(NamedTuple):
    """One of several boundaries: its name, end points in the box, and misclassified rows."""

    name: str
    segment: FloatArray | None
    n_wrong: int | None

    @property
    def legend(self) -> str:
        """The name, and the number of misclassified rows if it is known."""
        if self.n_wrong is None:
            return self.name
        return f"{self.name}: {self.n_wrong:,} misclassified"


class BoundaryDisplay(PlaneDisplay):
    """Picture of the boundary between two classes, made by `boundary`.

    All coordinates are those of the picture: the two features, or the two directions that the
    caption names.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    box : (xmin, xmax, ymin, ymax)
        The part of the plane that is shown.
    plane : Plane
        The two directions shown: the features themselves if there are at most two.
    marks : tuple of Mark
        Colour, shape and letter of each class.
    points : array of shape (n, 2)
        The rows as points of the plane.
    classes_of_points : array of shape (n,) or None
        Index of the class of each row; None without labels.
    wrong : array of int
        Indices of the misclassified rows: on the side, or in the region, of another class.
    line : Hyperplane
        The boundary in the plane of the picture.
    segment : array of shape (2, 2) or None
        Ends of the line in the box; None if it lies outside.
    arrow : array of shape (2, 2) or None
        Start and tip of w, drawn from the line.
    arrow_scale : float
        Length of the arrow divided by that of w.
    sides : mapping of class to array of shape (m, 2)
        Corners of the two half-spaces, cut to the box.
    margin : float or None
        Distance of the nearest row to the line if all rows are on their side, otherwise None.
    band : array of shape (m, 2) or None
        Corners of the strip around the line that contains no row.
    mistaken : array of int
        Rows with at least one mistake in training; empty if it cannot be shown that these are the
        rows of training, from weights of 0 to the last weights.
    feet : array of shape (n, 2) or None
        The nearest point of the line to each row, with ``distances``.
    equation : str
        The line as a formula; empty without ``details``.
    intercepts : array of shape (m, 2)
        Points where the line crosses the axes, with ``details``.
    radius : float or None
        R, the length of the longest row, with ``bound``.
    named : tuple of NamedLine
        The boundaries of several models by name, this one first; empty for a single model.
    """

    line: Hyperplane
    segment: FloatArray | None
    arrow: FloatArray | None
    arrow_scale: float
    sides: Mapping[Hashable, FloatArray]
    margin: float | None
    band: FloatArray | None
    mistaken: IndexArray
    feet: FloatArray | None
    equation: str
    intercepts: FloatArray
    radius: float | None = None
    named: tuple[NamedLine, ...] = ()

    def _size(self) -> tuple[float, float]:
        return (5.6, 2.6) if self.plane.is_line else self.size

    def _draw(self, ax: Axes, pen: Pen) -> None:
        pen.sides(ax, self.sides, self.line, self.marks, HALF_SPACES if self.equation else ())
        if self.band is not None:
            self._draw_band(ax, pen)
        self._draw_lines(ax, pen)
        if self.feet is not None:
            self._draw_distances(ax, pen)
        self._draw_rows(ax, pen, "on the wrong side", self.mistaken, "mistaken in training")

        if self.arrow is not None:
            # With more than two features the axes differ in scale, so right angles are not drawn.
            if not self.plane.note:
                pen.right_angle(ax, self.arrow, self.box)
            name = f"w = {self._written(self.line.w)}" if self.equation else "w"
            pen.arrow(ax, self.arrow, name)
        if self.equation:
            self._draw_details(ax, pen)
        if self.radius is not None:
            self._draw_bound(ax, pen, self.radius)
        self._draw_frame(ax, pen)

    def _draw_band(self, ax: Axes, pen: Pen) -> None:
        """Draw the margin band, which contains no rows: ``|w·x + b| <= margin ‖w‖``."""
        assert self.band is not None
        assert self.margin is not None
        ax.fill(*self.band.T, facecolor=pen.theme.paper, alpha=0.75, lw=0, zorder=1)
        score = self.margin * float(np.linalg.norm(self.line.w))
        for edge_score in (-score, score):
            edge = Hyperplane(self.line.w, self.line.b + edge_score)
            ends = edge.segment_in_box(self.box)
            if ends is not None:
                ax.plot(*ends.T, color=pen.theme.faint, lw=1.0, ls=(0, (4, 3)), zorder=2)

    def _draw_lines(self, ax: Axes, pen: Pen) -> None:
        """Draw the boundary, or those of several models in different line styles."""
        solid: Look = {"color": pen.theme.ink, "lw": 2.0, "zorder": 3}
        if self.segment is not None and not self.named:
            ax.plot(*self.segment.T, solid_capstyle="butt", **solid)
        for place, one in enumerate(self.named):
            if one.segment is not None:
                ax.plot(*one.segment.T, ls=STYLES[place % len(STYLES)], label=one.legend, **solid)

    def _draw_bound(self, ax: Axes, pen: Pen, radius: float) -> None:
        """Draw R and γ where they overlap neither rows nor each other."""
        if self.segment is None or self.margin is None:
            return
        arrow = NO_POINTS if self.arrow is None else along(self.arrow, 9)
        avoid = np.vstack([self.points, arrow])
        gamma = draw_margin(ax, pen, self.line, self.margin, self.segment, avoid)
        band = NO_POINTS if self.band is None else self.band
        edges = [along(band[[i - 1, i]], 40) for i in range(len(band))]
        lines = [along(self.segment, 80), *edges, gamma[None, :]]
        draw_radius(ax, pen, radius, np.vstack([avoid, *lines]))

    def _written(self, vector: FloatArray) -> str:
        """Format a point or vector, such as "(2, 3)", or "2" for one feature."""
        numbers = [short_number(part) for part in vector.tolist()[: self.plane.n_features]]
        return numbers[0] if self.plane.is_line else f"({', '.join(numbers)})"

    def _draw_details(self, ax: Axes, pen: Pen) -> None:
        """Draw the axes, the points where the line crosses them, and its equation."""
        ax.axhline(0, color=pen.theme.faint, lw=0.8, zorder=1)
        ax.axvline(0, color=pen.theme.faint, lw=0.8, zorder=1)
        look: Look = {"ha": "left", "va": "bottom", "fontsize": 10, "zorder": 6}
        for at in self.intercepts:
            ax.plot(*at, "o", ms=6, mfc=pen.theme.paper, mec=pen.theme.ink, zorder=5)
            pen.note(ax, self._written(at), at, (6, 6), **look)
        if self.segment is None or self.plane.is_line:
            return

        # The equation is written along the line, far from rows.
        start, end = self.segment
        places = start + np.linspace(0.25, 0.75, 25)[:, None] * (end - start)
        feet = NO_POINTS if self.feet is None else self.feet
        avoid = np.vstack([self.points, self.intercepts, feet])
        at = places[np.argmax(distance_to_rows(places, avoid))]

        # It goes on the other side of the line than the arrow.
        direction = self.line.w / np.linalg.norm(self.line.w)
        degrees = 90.0
        if direction[1]:
            degrees = float(np.degrees(np.arctan(-direction[0] / direction[1])))
        look = {"rotation": degrees, "fontsize": 11, "zorder": 6}
        words = pen.text(self.equation)
        pen.note(ax, words, at, -11 * direction, halo=self.feet is not None, **look)

    def _draw_distances(self, ax: Axes, pen: Pen) -> None:
        """Draw the perpendicular from each row to the line, with its length."""
        assert self.feet is not None
        for point, foot in zip(self.points, self.feet, strict=True):
            ax.plot(*np.array([point, foot]).T, color=pen.theme.faint, lw=1.2, zorder=3)
            length = float(np.linalg.norm(point - foot))
            x, y = (point - foot) / (length or 1.0)
            # Next to the middle, on the side where the number does not touch the line.
            offset = (18 * abs(y), -11 * abs(x) * np.sign(x * y or 1.0))
            pen.note(ax, f"{length:.3g}", (point + foot) / 2, offset, fontsize=9, zorder=6)


def boundary(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    box: Box | None = None,
    distances: bool = False,
    details: bool = False,
    bound: bool = False,
) -> BoundaryDisplay:
    """Show the line between two classes, with w, the margin, both sides and the mistakes.

    The line is ``w·x + b = 0``; w is at a right angle to it and points to the positive side.

    With more than two features the picture shows two directions: w itself, and the direction at a
    right angle to w in which the rows spread most. The boundary is a line in that plane as well,
    and every row appears at its true distance from it. The caption names both directions.

    Parameters
    ----------
    model : estimator, Hyperplane, result of `theory` with a hyperplane, or mapping of them
        A fitted linear learner of two classes, or another object with w and b. A mapping names
        several models of at most two features: each gets a line, the first also its sides.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        Rows to show.
    y : array-like of shape (n_samples,), default=None
        The labels of the rows.
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows all rows.
    distances : bool, default=False
        Draw the distance of each row to the line, with its length (at most 12 rows).
    details : bool, default=False
        Also show the equation of the line, the half-spaces S₊ and S₋, the points where the line
        crosses the axes, and, without a given box, w at its true length; for one or two features.
    bound : bool, default=False
        Also draw R, the length of the longest row, and γ, the margin: a perceptron without a bias
        makes at most R²/γ² mistakes on these rows. This needs a line through the origin and all
        rows, of two features, on their side.

    Returns
    -------
    display : BoundaryDisplay

    See Also
    --------
    regions : Show the regions of more than two classes.
    kernel_boundary : Show boundaries that are not lines.

    Examples
    --------
    The plane of the first lecture, w = (2, 3) and b = 6; the origin is on the positive side:

    >>> from rosenblatt import Hyperplane, plot
    >>> shown = plot.boundary(Hyperplane([2, 3], 6), [[0, 0]], box=(-4, 4, -4, 4), distances=True)
    >>> shown.segment
    array([[-4.        ,  0.66666667],
           [ 3.        , -4.        ]])
    >>> shown.feet.round(3).tolist()
    [[-0.923, -1.385]]
    >>> shown = plot.boundary(Hyperplane([2, 3], 6), details=True)
    >>> shown.equation, shown.intercepts.tolist(), shown.arrow_scale
    ('2 x₁ + 3 x₂ + 6 = 0', [[-3.0, 0.0], [0.0, -2.0]], 1.0)
    """
    # Of several models the first one is drawn in full, the others as lines.
    models = dict(model) if isinstance(model, Mapping) else {}
    model = next(iter(models.values()), model)
    weights = _weights(model, y)
    if models and weights.W.shape[1] > 2:
        raise ParameterError(
            f"several boundaries of {weights.W.shape[1]} features are no lines in one picture; "
            "show one, or learn from two features."
        )
    if len(weights.W) != 1:
        raise InputError(
            f"this model has {len(weights.W)} classes, and a line divides two; plot.regions shows "
            "the region of each class."
        )
    w = weights.W[0]
    b = float(weights.b[0])
    if not w.any():
        raise InputError(
            "all weights are 0, so there is no boundary: nothing was learned yet, or what was "
            "learned has been taken back."
        )
    if y is not None and X is None:
        raise ParameterError("y is given without X; give the rows too.")

    # Everything below is in the coordinates of the plane of the picture.
    table = None if X is None else arguments.rows(X, len(w))
    plane = plane_of(w, table, weights.names)
    points = NO_POINTS if table is None else plane.project(table)
    line = Hyperplane(plane.project(w), b)
    sides_of = None if y is None else arguments.labels(y, len(points), weights.classes)
    if distances and not 0 < len(points) <= MAX_DISTANCES:
        raise ParameterError(
            f"distances=True with {len(points)} rows; between 1 and {MAX_DISTANCES} can be read."
        )
    feet = line.project(points) if distances else None
    if details and len(w) > 2:
        raise ParameterError(f"details=True with {len(w)} features; of one or two it can be shown.")
    crossings = _intercepts(line) if details else NO_POINTS
    radius = float(np.linalg.norm(points, axis=1).max(initial=0.0))

    if box is not None:
        shown_box = checked_box(box)
    else:
        shown = [points] if feet is None else [points, feet]
        shown += _corners_of_interest(line, crossings, len(points) > 0, details)
        if bound:
            shown.append(np.array([[-radius, -radius], [radius, radius]]))
        shown_box = box_around(np.vstack(shown), is_line=plane.is_line, one_scale=not plane.note)

    wrong = NO_ROWS
    mistaken = NO_ROWS
    if sides_of is not None:
        by_line = line.side(points) > 0
        wrong = arguments.misclassified(model, X, sides_of, weights.classes, by_line)
        if arguments.are_rows_of_training(model, table):
            mistaken = np.flatnonzero(np.asarray(model.mistakes_per_row_))
    margin = _margin(line, points, sides_of)
    if bound and (margin is None or b or len(w) != 2):
        raise ParameterError(
            "bound=True needs a line through the origin (fit_intercept=False) with all rows of two "
            "features on their side."
        )

    scale = 1.0
    if details and box is None:
        arrow = arrow_of(line.w, b, shown_box, scale, feet)
    else:
        arrow, scale = arrow_inside(line.w, b, shown_box, feet)
    display = BoundaryDisplay(
        caption="",
        box=shown_box,
        plane=plane,
        line=line,
        segment=segment(line.w, b, shown_box),
        arrow=arrow if has_one_scale(shown_box) or plane.note else None,
        arrow_scale=scale,
        sides=divide(line.w[None, :], [b], shown_box, range(2)).polygons,
        margin=margin,
        band=None if margin is None else _band(line, margin, shown_box),
        marks=marks(weights.classes),
        points=points,
        classes_of_points=sides_of,
        wrong=wrong,
        mistaken=mistaken,
        feet=feet,
        equation=equation(w, b, plane.names[: len(w)]) if details else "",
        intercepts=crossings,
        radius=radius if bound else None,
        named=tuple(
            _named_line(name, one, X, y, sides_of, plane, points, shown_box)
            for name, one in models.items()
        ),
    )
    display.caption = _caption(display)
    return display


def _corners_of_interest(
    line: Hyperplane, crossings: FloatArray, has_rows: bool, details: bool
) -> list[FloatArray]:
    """Return the points that the box must contain in addition to the rows."""
    foot = line.project(np.zeros(2))
    if details:
        # The origin, w at its true length with some room, and as much of the line next to it.
        arrow = np.array([np.zeros(2), foot - 0.5 * line.w, foot + 1.5 * line.w])
        beside = 0.7 * np.array([[-1.0, 1.0], [1.0, -1.0]]) * line.w[::-1]
        return [crossings, arrow, foot + beside]
    if has_rows:
        return []
    # Without rows: the origin, and the point of the line nearest to it.
    half = max(1.0, 2.0 * float(np.abs(foot).max()))
    return [np.array([foot - half, foot + half])]


def _weights(model: Any, y: Any) -> arguments.LinearWeights:
    """Return the weights of a model; if two classes have a vector each, their difference."""
    weights = arguments.linear(model, y)
    if len(weights.W) == 2:
        weights = weights._replace(W=np.diff(weights.W, axis=0), b=np.diff(weights.b))
    return weights


def _named_line(
    name: str,
    model: Any,
    X: Any,
    y: Any,
    sides: IndexArray | None,
    plane: Plane,
    points: FloatArray,
    box: Box,
) -> NamedLine:
    """Return the line of one of several models, with the number of rows it misclassifies."""
    weights = _weights(model, y)
    line = Hyperplane(plane.project(weights.W[0]), float(weights.b[0]))
    n_wrong = None
    if sides is not None:
        by_line = line.side(points) > 0
        n_wrong = len(arguments.misclassified(model, X, sides, weights.classes, by_line))
    return NamedLine(str(name), segment(line.w, line.b, box), n_wrong)


def _intercepts(line: Hyperplane) -> FloatArray:
    """Return the points where a line crosses the axes; only the origin if it passes through it."""
    if not line.b:
        return np.zeros((1, 2))
    # Adding 0.0 turns -0.0 into 0.0, which would be printed with a sign.
    return np.array([np.eye(2)[j] * (-line.b / line.w[j]) + 0.0 for j in (0, 1) if line.w[j]])


def _margin(line: Hyperplane, points: FloatArray, sides: IndexArray | None) -> float | None:
    """Return the margin: the distance of the nearest row; None if the line does not separate."""
    if sides is None or not len(points):
        return None
    nearest = float(((2 * sides - 1) * line.signed_distance(points)).min())
    return nearest if nearest > 0 else None


def _band(line: Hyperplane, margin: float, box: Box) -> FloatArray | None:
    """Return the corners of the margin band, ``|w·x + b| <= margin ‖w‖``, in the box."""
    # It is the region of a "class" of constant score m = margin ‖w‖: there, and only there, m is
    # the largest of w·x + b, m and -(w·x + b).
    m = margin * float(np.linalg.norm(line.w))
    W = np.array([line.w, np.zeros(2), -line.w])
    return divide(W, [line.b, m, -line.b], box, ("over", "in", "under")).polygons.get("in")


def _caption(shown: BoundaryDisplay) -> str:
    """Return the caption of the picture."""
    negative, positive = (mark.name for mark in shown.marks)
    sentences = [f"w points to the side of {positive}; {negative} is on the other."]
    if shown.segment is None:
        sentences.append("The line lies outside the picture.")
    if shown.arrow is not None and shown.arrow_scale != 1:
        sentences.append(f"w is drawn at {shown.arrow_scale:g} times its length.")
    if shown.equation:
        sentences.append(
            f"{shown.equation}. S₊:\xa0w·x\xa0+\xa0b\xa0>\xa00; S₋:\xa0w·x\xa0+\xa0b\xa0<\xa00."
        )
    if not (has_one_scale(shown.box) or shown.plane.note):
        sentences.append("The axes differ in scale, so that right angles are not seen as such.")
    if shown.named:
        sentences = [f"Lines: {', '.join(one.legend for one in shown.named)}.", *sentences]
    if shown.margin is not None:
        sentences.append(f"All rows are on their side; the nearest is {shown.margin:.3g} away.")
    if shown.radius is not None and shown.margin is not None:
        # The margin is written in the picture; the bound takes the place of its sentence.
        most = short_number((shown.radius / shown.margin) ** 2)
        sentences[-1] = f"No run without a bias makes more than R²/γ² = {most} mistakes."
    if shown.margin is None and shown.classes_of_points is not None:
        sentences.append(wrong_rows(len(shown.wrong), len(shown.points), "on the wrong side"))
    if has_rings(len(shown.mistaken), len(shown.points)):
        sentences.append(f"Rings: the {len(shown.mistaken):,} rows mistaken in training.")
    elif len(shown.mistaken):
        sentences.append(f"{len(shown.mistaken):,} rows were mistaken in training.")
    if shown.plane.note:
        sentences.append(shown.plane.note)
    return " ".join(sentences)
