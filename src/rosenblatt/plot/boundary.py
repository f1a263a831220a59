"""The boundary of two classes: the line, w on it, the margin, the sides and the mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry import regions as divide
from rosenblatt.plot import arguments
from rosenblatt.plot.bound_marks import draw_margin, draw_radius
from rosenblatt.plot.curves import STYLES, short_number
from rosenblatt.plot.display import Pen, PlaneDisplay
from rosenblatt.plot.pen import has_rings, wrong_rows
from rosenblatt.plot.plane import (
    Box,
    along,
    around,
    arrow_inside,
    arrow_of,
    checked_box,
    equation,
    has_one_scale,
    plane_of,
    segment,
    way_to_rows,
)
from rosenblatt.plot.style import marks

MOST_DISTANCES = 12
HALF_SPACES = ("S₋", "S₊")


class NamedLine(NamedTuple):
    """One of several boundaries: its ends in the box, and how many rows it misclassifies."""

    name: str
    segment: FloatArray | None
    n_wrong: int | None

    @property
    def legend(self) -> str:
        """Its name, and what is wrong with it."""
        return self.name + ("" if self.n_wrong is None else f": {self.n_wrong:,} misclassified")


class BoundaryDisplay(PlaneDisplay):
    """A line between two classes; `boundary` makes it.

    All places are those of the picture: of the two features, or of the two directions that the
    caption names.

    Attributes
    ----------
    line : Hyperplane
        The boundary as it is seen.
    segment : array of shape (2, 2) or None
        Its ends in the box; None if it lies outside.
    arrow : array of shape (2, 2) or None
        From the line to the tip of w.
    arrow_scale : float
        The length of the arrow over that of w.
    sides : mapping of class to array of shape (m, 2)
        Corners of the two half-spaces, cut to the box.
    margin : float or None
        Distance of the nearest row to the line if all rows are on their side, else None.
    band : array of shape (m, 2) or None
        Corners of the strip that no row is in.
    mistaken : array of int
        Rows that were mistaken in training at least once; none if these rows cannot be shown to
        be those of training (others, or a start or an end at other weights than the usual ones).
    feet : array of shape (n, 2) or None
        Where the distances end on the line, if asked for.
    equation : str
        The line as a formula; empty without ``details``.
    intercepts : array of shape (m, 2)
        Where the line crosses the axes, with ``details``.
    radius : float or None
        R, the length of the longest row, with ``bound``.
    named : tuple of NamedLine
        The boundaries of several models by name, this one first; none of a single model.
    """

    line: Hyperplane
    segment: FloatArray | None
    arrow: FloatArray | None
    arrow_scale: float
    sides: Mapping[Any, FloatArray]
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

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme = pen.theme
        pen.sides(ax, self.sides, self.line, self.marks, HALF_SPACES if self.equation else ())
        if self.band is not None:
            ax.fill(*self.band.T, facecolor=theme.paper, alpha=0.75, lw=0, zorder=1)
            assert self.margin is not None
            score = self.margin * float(np.linalg.norm(self.line.w))
            for edge_score in (-score, score):
                edge = Hyperplane(self.line.w, self.line.b + edge_score)
                ends = edge.segment_in_box(self.box)
                if ends is not None:
                    ax.plot(*ends.T, color=theme.faint, lw=1.0, ls=(0, (4, 3)), zorder=2)
        solid: Any = {"color": theme.ink, "lw": 2.0, "zorder": 3}
        if self.segment is not None and not self.named:
            ax.plot(*self.segment.T, solid_capstyle="butt", **solid)
        for place, one in enumerate(self.named):
            if one.segment is not None:
                ax.plot(*one.segment.T, ls=STYLES[place % len(STYLES)], label=one.legend, **solid)
        if self.feet is not None:
            self._draw_distances(ax, pen)
        self._draw_rows(ax, pen, "on the wrong side", self.mistaken, "mistaken in training")
        if self.arrow is not None:
            if not self.plane.note:
                pen.right_angle(ax, self.arrow, self.box)
            pen.arrow(ax, self.arrow, f"w = {self._written(self.line.w)}" if self.equation else "w")
        if self.equation:
            self._draw_details(ax, pen)
        if self.radius is not None and self.segment is not None and self.margin is not None:
            arrow = np.empty((0, 2)) if self.arrow is None else along(self.arrow, 9)
            avoid = np.vstack([self.points, arrow])
            gamma = draw_margin(ax, pen, self.line, self.margin, self.segment, avoid)
            band = np.empty((0, 2)) if self.band is None else self.band
            edges = [along(band[[i - 1, i]], 40) for i in range(len(band))]
            lines = [along(self.segment, 80), *edges, gamma[None, :]]
            draw_radius(ax, pen, self.radius, np.vstack([avoid, *lines]))
        self._draw_frame(ax, pen)

    def _written(self, vector: FloatArray) -> str:
        numbers = [short_number(part) for part in vector.tolist()[: self.plane.n_features]]
        return numbers[0] if self.plane.is_line else f"({', '.join(numbers)})"

    def _draw_details(self, ax: Any, pen: Pen) -> None:
        for draw in (ax.axhline, ax.axvline):
            draw(0, color=pen.theme.faint, lw=0.8, zorder=1)
        for at in self.intercepts:
            ax.plot(*at, "o", ms=6, mfc=pen.theme.paper, mec=pen.theme.ink, zorder=5)
            look: Any = {"ha": "left", "va": "bottom", "fontsize": 10, "zorder": 6}
            pen.note(ax, self._written(at), at, (6, 6), **look)
        if self.segment is None or self.plane.is_line:
            return
        start, end = self.segment
        places = start + np.linspace(0.25, 0.75, 25)[:, None] * (end - start)
        # The words stand on the other side of the line than the arrow.
        avoid = np.vstack(
            [self.points, self.intercepts, *([] if self.feet is None else [self.feet])]
        )
        at = places[np.argmax(way_to_rows(places, avoid))]
        way = self.line.w / np.linalg.norm(self.line.w)
        turned = float(np.degrees(np.arctan(-way[0] / way[1]))) if way[1] else 90.0
        look = {"rotation": turned, "fontsize": 11, "zorder": 6}
        pen.note(ax, pen.text(self.equation), at, -11 * way, halo=self.feet is not None, **look)

    def _draw_distances(self, ax: Any, pen: Pen) -> None:
        assert self.feet is not None
        for point, foot in zip(self.points, self.feet, strict=True):
            ax.plot(*np.array([point, foot]).T, color=pen.theme.faint, lw=1.2, zorder=3)
            way = (point - foot) / (np.linalg.norm(point - foot) or 1.0)
            length = f"{float(np.linalg.norm(point - foot)):.3g}"
            beside = (18 * abs(way[1]), -11 * abs(way[0]) * np.sign(way[0] * way[1] or 1.0))
            pen.note(ax, length, (point + foot) / 2, beside, fontsize=9, zorder=6)


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

    ``w·x + b = 0``; w stands on it at a right angle and points to the positive side

    With more than two features two directions are looked along: w itself, and the direction at a
    right angle to it in which the rows spread most. The boundary is a line in that plane too, and
    every row is seen at its true distance from it. The caption names both directions.

    Parameters
    ----------
    model : estimator, Hyperplane, result of `theory` with a hyperplane, or mapping of them
        A fitted linear learner of two classes, or what else has a w and a b. Of a mapping of names
        to several, for rows of at most two features, the first has the sides and all have a line.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        Rows to show.
    distances : bool, default=False
        Draw and measure the way from each row to the line (at most 12 rows).
    details : bool, default=False
        Also show the equation of the line, the half-spaces S₊ and S₋, where the line crosses the
        axes, and, in a box that is not given, w at its true length; for one or two features.
    bound : bool, default=False
        Also draw R, the length of the longest row, and γ, the margin: a perceptron without a bias
        makes at most R²/γ² mistakes on these rows. For a line through the origin with all rows of
        two features on their side.

    See Also
    --------
    regions : For more than two classes.
    kernel_boundary : Where predictions change that no line divides.

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
    w, b = weights.W[0], float(weights.b[0])
    if not w.any():
        raise InputError(
            "all weights are 0, so there is no boundary: nothing was learned yet, or what was "
            "learned has been taken back."
        )
    if y is not None and X is None:
        raise ParameterError("y is given without X; give the rows too.")
    table = None if X is None else arguments.rows(X, len(w))
    plane = plane_of(w, table, weights.names)
    points = np.empty((0, 2)) if table is None else plane.seen(table)
    line = Hyperplane(plane.seen(w), b)
    sides_of = None if y is None else arguments.labels(y, len(points), weights.classes)
    if distances and not 0 < len(points) <= MOST_DISTANCES:
        raise ParameterError(
            f"distances=True with {len(points)} rows; between 1 and {MOST_DISTANCES} can be read."
        )
    feet = line.project(points) if distances else None
    if details and len(w) > 2:
        raise ParameterError(f"details=True with {len(w)} features; of one or two it can be shown.")
    crossings = _intercepts(line) if details else np.empty((0, 2))
    foot = line.project(np.zeros(2))
    shown: list[Any] = [points, *([feet] if distances else [])]
    if details:
        beside = 0.7 * np.array([[-1.0, 1.0], [1.0, -1.0]]) * line.w[::-1]
        shown += [crossings, [np.zeros(2), foot - 0.5 * line.w, foot + 1.5 * line.w], foot + beside]
    elif not len(points):
        # Nothing but the line: the origin and the nearest point of the line are of interest.
        half = max(1.0, 2.0 * float(np.abs(foot).max()))
        shown.append([foot - half, foot + half])
    radius = float(np.linalg.norm(points, axis=1).max(initial=0.0))
    if bound:
        shown.append([[-radius, -radius], [radius, radius]])
    look = {"is_line": plane.is_line, "one_scale": not plane.note}
    shown_box = around(np.vstack(shown), **look) if box is None else checked_box(box)
    if sides_of is None:
        wrong = mistaken = np.empty(0, np.intp)
    else:
        by_line = line.side(points) > 0
        wrong = arguments.misclassified(model, X, sides_of, weights.classes, by_line)
        mistaken = np.empty(0, np.intp)
        if arguments.are_rows_of_training(model, table):
            mistaken = np.flatnonzero(np.asarray(model.mistakes_per_row_))
    margin = _margin(line, points, sides_of)
    if bound and (margin is None or b or len(w) != 2):
        raise ParameterError(
            "bound=True needs a line through the origin (fit_intercept=False) with all rows of two "
            "features on their side."
        )
    if details and box is None:
        arrow, scale = arrow_of(line.w, b, shown_box, 1.0, feet), 1.0
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


def _weights(model: Any, y: Any) -> arguments.LinearWeights:
    """The weights of a model; two vectors for two classes are the one that they differ by."""
    weights = arguments.linear(model, y)
    if len(weights.W) == 2:
        weights = weights._replace(W=np.diff(weights.W, axis=0), b=np.diff(weights.b))
    return weights


def _named_line(
    name: str, model: Any, X: Any, y: Any, sides: Any, plane: Any, points: FloatArray, box: Box
) -> NamedLine:
    weights = _weights(model, y)
    line, n_wrong = Hyperplane(plane.seen(weights.W[0]), float(weights.b[0])), None
    if sides is not None:
        by_line = line.side(points) > 0
        n_wrong = len(arguments.misclassified(model, X, sides, weights.classes, by_line))
    return NamedLine(str(name), segment(line.w, line.b, box), n_wrong)


def _intercepts(line: Hyperplane) -> FloatArray:
    """Where the line crosses the axes; once if that is the origin."""
    found = [np.eye(2)[j] * (-line.b / line.w[j]) + 0.0 for j in (0, 1) if line.w[j]]
    return np.array(found if line.b else [np.zeros(2)])


def _margin(line: Hyperplane, points: FloatArray, sides: IndexArray | None) -> float | None:
    if sides is None or not len(points):
        return None
    nearest = float(((2 * sides - 1) * line.signed_distance(points)).min())
    return nearest if nearest > 0 else None


def _band(line: Hyperplane, margin: float, box: Box) -> FloatArray | None:
    """The corners of |w·x + b| <= margin ‖w‖ in the box."""
    # There, and only there, the constant m is the largest of w·x + b, m and -(w·x + b).
    m = margin * float(np.linalg.norm(line.w))
    W = np.array([line.w, np.zeros(2), -line.w])
    return divide(W, [line.b, m, -line.b], box, ("over", "in", "under")).polygons.get("in")


def _caption(shown: BoundaryDisplay) -> str:
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
        most = short_number((shown.radius / shown.margin) ** 2)
        sentences[-1:] = [f"No run without a bias makes more than R²/γ² = {most} mistakes."]
    if shown.margin is None and shown.classes_of_points is not None:
        sentences.append(wrong_rows(len(shown.wrong), len(shown.points), "on the wrong side"))
    if has_rings(len(shown.mistaken), len(shown.points)):
        sentences.append(f"Rings: the {len(shown.mistaken):,} rows mistaken in training.")
    elif len(shown.mistaken):
        sentences.append(f"{len(shown.mistaken):,} rows were mistaken in training.")
    if shown.plane.note:
        sentences.append(shown.plane.note)
    return " ".join(sentences)
