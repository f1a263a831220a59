"""Picture of two features lifted to three, where a plane separates the classes."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane, fold
from rosenblatt.plot import arguments
from rosenblatt.plot.display import Display
from rosenblatt.plot.pen import Look, Pen, legend_name
from rosenblatt.plot.style import Mark, marks

# Padding around the rows, as a share of their extent.
FREE = 0.3
# Points per branch of a hyperbola.
SAMPLES = 121
CONSTANT = "constant 1"


class LiftDisplay(Display):
    """Picture of rows lifted to (x₁, x₂, x₁x₂) or (x₁, x₂, 1) and their plane, made by `lift`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    box : array of shape (3, 2)
        The smallest and the largest value of each coordinate.
    plane : Hyperplane
        The separating plane, with three weights.
    corners : array of shape (m, 3)
        Corners of the part of the plane in the box, in order.
    points : array of shape (n, 3)
        The lifted rows.
    heights : array of shape (n,)
        Height of the plane at each row; NaN if that is outside the box.
    curves : list of arrays of shape (m, 2)
        The boundary in the plane of the two features, drawn on the floor.
    marks : tuple of Mark
        Colour, shape and letter of the two classes.
    classes_of_points : array of shape (n,)
        0 or 1 for each row.
    wrong : array of int
        Rows on the wrong side of the plane.
    height_name : str
        Name of the third axis.
    """

    caption: str
    box: FloatArray
    plane: Hyperplane
    corners: FloatArray
    points: FloatArray
    heights: FloatArray
    curves: list[FloatArray]
    marks: tuple[Mark, ...]
    classes_of_points: IndexArray
    wrong: IndexArray
    height_name: str

    size = (5.8, 5.4)
    projection = "3d"

    def _draw(self, ax: Any, pen: Pen) -> None:
        if not hasattr(ax, "plot_surface"):
            raise ParameterError(
                "ax is flat; a lift needs one with depth: figure.add_subplot(projection='3d')."
            )
        theme = pen.theme
        floor = float(self.box[2, 0])

        # The rows at their height, and hollow on the floor.
        for mark in self.marks:
            of_class = self.points[self.classes_of_points == mark.place]
            look: Look = {"color": pen.colour(mark), "marker": mark.marker, "depthshade": False}
            name = pen.text(legend_name(mark))
            ax.scatter(*of_class.T, s=90, edgecolors=theme.paper, label=name, **look)
            flat = of_class.copy()
            flat[:, 2] = floor
            hollow: Look = {"facecolors": "none", "edgecolors": pen.colour(mark)}
            ax.scatter(*flat.T, s=40, marker=mark.marker, **hollow)

        # A dotted stalk from the floor to each row, a thick one from the plane to it.
        for row, (point, height) in enumerate(zip(self.points, self.heights, strict=True)):
            x, y, z = point.tolist()
            ax.plot([x, x], [y, y], [floor, z], color=theme.faint, lw=0.9, ls=":")
            if np.isfinite(height) and not self.is_augmented:
                colour = pen.colour(self.marks[self.classes_of_points[row]])
                ax.plot([x, x], [y, y], [height, z], color=colour, lw=2.6)

        # The plane, and the boundary on the floor (in the augmented space also at height 1).
        if len(self.corners):
            solid = import_module("mpl_toolkits.mplot3d.art3d")
            sheet: Look = {"facecolors": theme.faint, "edgecolors": theme.ink, "linewidths": 1.2}
            ax.add_collection3d(solid.Poly3DCollection([self.corners], alpha=0.3, **sheet))
        heights = (floor, 1.0) if self.is_augmented else (floor,)
        for curve in self.curves:
            for height in heights:
                ax.plot(*curve.T, height, color=theme.ink, lw=2.2)

        if self.is_augmented:
            self._draw_augmented(ax, pen)
        if len(self.wrong):
            ax.scatter(*self.points[self.wrong].T, s=120, marker="x", color=theme.alarm)
        self._draw_frame(ax, pen)
        pen.legend(ax)

    @property
    def is_augmented(self) -> bool:
        """Whether the third coordinate is a constant."""
        return self.height_name == CONSTANT

    def _draw_augmented(self, ax: Any, pen: Pen) -> None:
        """Draw the origin, and the plane at height 1 that contains all rows."""
        solid = import_module("mpl_toolkits.mplot3d.art3d")
        (left, right), (front, back) = self.box[:2].tolist()
        sheet = [(left, front, 1), (right, front, 1), (right, back, 1), (left, back, 1)]
        look: Look = {"facecolors": pen.theme.colour(0), "edgecolors": pen.theme.faint}
        ax.add_collection3d(solid.Poly3DCollection([sheet], alpha=0.1, **look))
        ax.scatter(0, 0, 0, s=40, color=pen.theme.ink, depthshade=False)
        ax.text(0.0, 0.0, 0.0, "  0", color=pen.theme.ink, fontsize=11, va="top")

    def _draw_frame(self, ax: Any, pen: Pen) -> None:
        """Set the limits, labels, viewing angle and colours of the axes."""
        xlim, ylim, zlim = self.box
        ax.set(xlim=xlim, ylim=ylim, zlim=zlim)
        ax.set(xlabel="x₁", ylabel="x₂", zlabel=self.height_name)
        ax.view_init(elev=17, azim=-65)
        ax.set_box_aspect(None, zoom=1.1)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_major_locator(import_module("matplotlib.ticker").MaxNLocator(4))
            axis.set_pane_color(pen.theme.paper)
            axis.line.set_color(pen.theme.ink)
            axis._axinfo["grid"].update(color=pen.theme.rule)


def lift(model: Any, X: Any, y: Any, *, by: str = "product") -> LiftDisplay:
    """Show two features lifted to three, and the plane that separates them there.

    The lift is ``Φ(x) = (x₁, x₂, x₁x₂)``. Seen from above, the plane ``w·Φ(x) + b = 0`` is the
    curve ``w₁x₁ + w₂x₂ + w₃x₁x₂ + b = 0``: linear in 3-D, not linear in 2-D. The lift by a constant
    is ``(x₁, x₂, 1)``, the augmented space, where the plane ``w₁x₁ + w₂x₂ + b·1 = 0`` goes through
    the origin (L3.2).

    Parameters
    ----------
    model : estimator, Hyperplane, or result of `theory.simplest_separating_map`
        A model of two classes and three features, learned from the lifted rows, or of two features
        with ``by="constant"``.
    X : array-like of shape (n_samples, 2)
        The rows before the lift.
    y : array-like of shape (n_samples,)
        The labels of the rows.
    by : {"product", "constant"}, default="product"
        The third feature: the product of the other two, or the constant 1.

    Returns
    -------
    display : LiftDisplay

    See Also
    --------
    kernel_boundary : Show the boundary of any kernel in 2-D.

    Examples
    --------
    Exclusive or:

    >>> from rosenblatt import Perceptron, plot
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = Perceptron().fit([[a, b, a * b] for a, b in X], y)
    >>> shown = plot.lift(model, X, y)
    >>> shown.wrong.tolist(), [shown.plane.side(point).tolist() for point in shown.points]
    ([], [-1, 1, 1, -1])
    """
    table = arguments.rows(X)
    if table.shape[1] != 2:
        raise InputError(f"X has {table.shape[1]} columns; two features are lifted to three.")
    verdict = getattr(model, "verdict", None)
    weights = arguments.linear(verdict if hasattr(verdict, "hyperplane") else model, y)
    is_constant = checks.choice("by", by, "product", "constant") == "constant"
    if weights.W.shape != (1, 2 if is_constant else 3):
        learned = "the columns x1 and x2" if is_constant else "the three columns x1, x2 and x1*x2"
        raise InputError(
            f"this model has {weights.W.shape[1]} features and {len(weights.classes)} classes; a "
            f"lift by {by} shows one of two classes, learned from {learned}."
        )

    third = np.ones(len(table)) if is_constant else table[:, 0] * table[:, 1]
    lifted = np.column_stack([table, third])
    places = arguments.labels(y, len(lifted), weights.classes)
    w = weights.W[0]
    b = float(weights.b[0])
    plane = Hyperplane(fold(w, b)) if is_constant else Hyperplane(w, b)
    wrong = np.flatnonzero((plane.side(lifted) > 0) != (places == 1))

    # The box contains all rows; in the augmented space also the origin, where the plane passes.
    contained = np.vstack([lifted, np.zeros(3)]) if is_constant else lifted
    low = contained.min(axis=0)
    high = contained.max(axis=0)
    sides = np.where(high > low, high - low, np.abs(lifted).max(axis=0))
    free = FREE * np.where(sides > 0, sides, 1.0)
    box = np.column_stack([low - free, high + free])
    if is_constant:
        box[2] = (0.0, 1.3)

    lifted_how = (
        "Each row stands at height 1 (tinted), and the plane goes through the origin\xa00. Where "
        "it cuts that height is the line of w and b, which the floor shows again with the rows as "
        "they were."
        if is_constant
        else "Each row is lifted by x₁x₂; thick stalks run from the plane to the rows. On the "
        "floor: the rows as they were, and the same boundary."
    )
    sentences = [lifted_how, f"{len(wrong):,} of {len(lifted):,} rows on the wrong side."]
    corners = _section(plane, box)
    if not len(corners):
        sentences.append("The plane lies outside the picture.")
    return LiftDisplay(
        caption=" ".join(sentences),
        box=box,
        plane=plane,
        corners=corners,
        points=lifted,
        heights=_heights(plane, lifted, box),
        curves=_curves(Hyperplane([*w, 0.0], b) if is_constant else plane, box),
        marks=marks(weights.classes),
        classes_of_points=places,
        wrong=wrong,
        height_name=CONSTANT if is_constant else "x₁x₂",
    )


def _heights(plane: Hyperplane, lifted: FloatArray, box: FloatArray) -> FloatArray:
    """Return the height of the plane at each row; NaN if it lies outside the box."""
    if not plane.w[2]:
        return np.full(len(lifted), np.nan)
    heights = -(lifted[:, :2] @ plane.w[:2] + plane.b) / plane.w[2]
    return np.where((heights >= box[2, 0]) & (heights <= box[2, 1]), heights, np.nan)


def _section(plane: Hyperplane, box: FloatArray) -> FloatArray:
    """Return the corners of the intersection of a plane and a box, in order around its centre."""
    # Intersect the plane with each edge of the box.
    found = []
    for axis in np.flatnonzero(plane.w):
        for corner in product(*box):
            at = np.array(corner)
            at[axis] = 0.0
            at[axis] = -(plane.w @ at + plane.b) / plane.w[axis]
            if box[axis, 0] <= at[axis] <= box[axis, 1]:
                found.append(at)
    if not found:
        return np.empty((0, 3))

    # The same corner may be found on several edges, with different rounding errors.
    sides = box[:, 1] - box[:, 0]
    places = np.round((np.array(found) - box[:, 0]) / sides, 9)
    first_of_each = np.unique(places, axis=0, return_index=True)[1]
    corners = np.array(found)[first_of_each]

    # Sort by angle, in two directions within the plane.
    basis = np.linalg.svd(plane.w[None, :])[2][1:]
    flat = (corners - corners.mean(axis=0)) @ basis.T
    angles = np.arctan2(flat[:, 1], flat[:, 0])
    return np.asarray(corners[np.argsort(angles)])


def _curves(plane: Hyperplane, box: FloatArray) -> list[FloatArray]:
    """Return the boundary in the plane of x₁ and x₂, clipped to the box.

    With ``w₃ ≠ 0`` it is ``(x₁ - p)(x₂ - q) = c``: the two branches of a hyperbola, or two crossing
    lines if c is 0. Otherwise it is the line ``w₁x₁ + w₂x₂ + b = 0``.
    """
    w1, w2, w3 = plane.w.tolist()
    b = plane.b
    left, right, bottom, top = box[:2].ravel().tolist()
    if not w3:
        if not (w1 or w2):
            return []
        ends = Hyperplane([w1, w2], b).segment_in_box((left, right, bottom, top))
        return [] if ends is None else [ends]

    p = -w2 / w3
    q = -w1 / w3
    c = p * q - b / w3
    if abs(c) <= 1e-12 * max(abs(p * q), abs(b / w3)):
        lines = []
        if left <= p <= right:
            lines.append(np.array([[p, bottom], [p, top]]))
        if bottom <= q <= top:
            lines.append(np.array([[left, q], [right, q]]))
        return lines

    curves = []
    for sign in (-1.0, 1.0):
        # On a branch x₁ = p + s and x₂ = q + c/s, and s keeps its sign. The box limits |s| by x₁,
        # and 1/|s| by x₂.
        low, high = sorted((sign * (left - p), sign * (right - p)))
        near, far = sorted((sign * (bottom - q) / c, sign * (top - q) / c))
        start = max(low, 1 / far if far > 0 else np.inf)
        end = min(high, 1 / near if near > 0 else np.inf)
        if 0 < start < end:
            s = sign * np.geomspace(start, end, SAMPLES)
            curves.append(np.column_stack([p + s, q + c / s]))
    return curves
