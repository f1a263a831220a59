"""Two features lifted to three, where a plane divides what no line does."""

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
from rosenblatt.plot.pen import Pen, legend_name
from rosenblatt.plot.style import Mark, marks

FREE = 0.3
SAMPLES = 121
CONSTANT = "constant 1"


class LiftDisplay(Display):
    """Rows (x₁, x₂, x₁x₂) or (x₁, x₂, 1) and the plane between them; `lift` makes it.

    Attributes
    ----------
    box : array of shape (3, 2)
        The smallest and the largest of each coordinate.
    plane : Hyperplane
        With three weights.
    corners : array of shape (m, 3)
        The corners of what the box shows of it, in order.
    points : array of shape (n, 3)
        The lifted rows.
    heights : array of shape (n,)
        The plane above or below each row; NaN where it is outside the box.
    curves : list of arrays of shape (m, 2)
        The same boundary on the floor, that of the rows before the lift.
    marks : tuple of Mark
        How the two classes are shown.
    classes_of_points : array of shape (n,)
        0 or 1 for each row.
    wrong : array of int
        Rows on the wrong side of the plane.
    height_name : str
        What the third axis is called.
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
        theme, floor = pen.theme, float(self.box[2, 0])
        for mark in self.marks:
            of_class = self.points[self.classes_of_points == mark.place]
            look = {"color": pen.colour(mark), "marker": mark.marker, "depthshade": False}
            name = pen.text(legend_name(mark))
            ax.scatter(*of_class.T, s=90, edgecolors=theme.paper, label=name, **look)
            flat = of_class.copy()
            flat[:, 2] = floor
            hollow: Any = {"facecolors": "none", "edgecolors": pen.colour(mark)}
            ax.scatter(*flat.T, s=40, marker=mark.marker, **hollow)
        for row, (point, height) in enumerate(zip(self.points, self.heights, strict=True)):
            x, up, z = point.tolist()
            ax.plot([x, x], [up, up], [floor, z], color=theme.faint, lw=0.9, ls=":")
            if np.isfinite(height) and not self.is_augmented:
                colour = pen.colour(self.marks[self.classes_of_points[row]])
                ax.plot([x, x], [up, up], [height, z], color=colour, lw=2.6)
        if len(self.corners):
            solid = import_module("mpl_toolkits.mplot3d.art3d")
            sheet: Any = {"facecolors": theme.faint, "edgecolors": theme.ink, "linewidths": 1.2}
            ax.add_collection3d(solid.Poly3DCollection([self.corners], alpha=0.3, **sheet))
        for curve in self.curves:
            for height in (floor, 1.0) if self.is_augmented else (floor,):
                ax.plot(*curve.T, height, color=theme.ink, lw=2.2)
        if self.is_augmented:
            self._draw_augmented(ax, pen)
        if len(self.wrong):
            ax.scatter(*self.points[self.wrong].T, s=120, marker="x", color=theme.alarm)
        self._draw_frame(ax, pen)
        pen.legend(ax)

    @property
    def is_augmented(self) -> bool:
        """Whether the rows were lifted by a constant."""
        return self.height_name == CONSTANT

    def _draw_augmented(self, ax: Any, pen: Pen) -> None:
        """The height that all rows are at, and the origin."""
        solid = import_module("mpl_toolkits.mplot3d.art3d")
        (left, right), (front, back) = self.box[:2].tolist()
        sheet = [(left, front, 1), (right, front, 1), (right, back, 1), (left, back, 1)]
        look: Any = {"facecolors": pen.theme.colour(0), "edgecolors": pen.theme.faint}
        ax.add_collection3d(solid.Poly3DCollection([sheet], alpha=0.1, **look))
        ax.scatter(0, 0, 0, s=40, color=pen.theme.ink, depthshade=False)
        ax.text(0.0, 0.0, 0.0, "  0", color=pen.theme.ink, fontsize=11, va="top")

    def _draw_frame(self, ax: Any, pen: Pen) -> None:
        ax.set(**dict(zip(("xlim", "ylim", "zlim"), self.box, strict=True)))
        ax.set(xlabel="x₁", ylabel="x₂", zlabel=self.height_name)
        ax.view_init(elev=17, azim=-65)
        ax.set_box_aspect(None, zoom=1.1)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_major_locator(import_module("matplotlib.ticker").MaxNLocator(4))
            axis.set_pane_color(pen.theme.paper)
            axis.line.set_color(pen.theme.ink)
            axis._axinfo["grid"].update(color=pen.theme.rule)


def lift(model: Any, X: Any, y: Any, *, by: str = "product") -> LiftDisplay:
    """Show two features lifted to three, and the plane that divides them there.

    ``Φ(x) = (x₁, x₂, x₁x₂)``; the plane ``w·Φ(x) + b = 0`` is, seen from above, the curve
    ``w₁x₁ + w₂x₂ + w₃x₁x₂ + b = 0``: linear in 3-D, not linear in 2-D. Or by a constant, to
    ``(x₁, x₂, 1)``: the augmented space, where the plane ``w₁x₁ + w₂x₂ + b·1 = 0`` goes through
    the origin (L3.2).

    Parameters
    ----------
    model : estimator, Hyperplane, or result of `theory.simplest_separating_map`
        Of two classes; of three features, learned from the lifted rows, or of two with
        ``by="constant"``.
    X : array-like of shape (n_samples, 2)
        The rows before the lift.
    by : {"product", "constant"}, default="product"
        What the third feature is.

    See Also
    --------
    kernel_boundary : The boundary in 2-D, for any kernel.

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
    w, b = weights.W[0], float(weights.b[0])
    plane = Hyperplane(fold(w, b)) if is_constant else Hyperplane(w, b)
    wrong = np.flatnonzero((plane.side(lifted) > 0) != (places == 1))
    # In the augmented space the origin is what the plane goes through.
    corner = np.vstack([lifted, np.zeros(3)]) if is_constant else lifted
    low, high = corner.min(axis=0), corner.max(axis=0)
    sides = np.where(high > low, high - low, np.abs(lifted).max(axis=0))
    free = FREE * np.where(sides > 0, sides, 1.0)
    box = np.column_stack([low - free, high + free])
    if is_constant:
        box[2] = 0.0, 1.3
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
    if not plane.w[2]:
        return np.full(len(lifted), np.nan)
    heights = -(lifted[:, :2] @ plane.w[:2] + plane.b) / plane.w[2]
    return np.where((heights >= box[2, 0]) & (heights <= box[2, 1]), heights, np.nan)


def _section(plane: Hyperplane, box: FloatArray) -> FloatArray:
    """The corners of the plane in the box, in order around their middle."""
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
    # A corner is found once on each edge that meets there, with different rounding.
    sides = box[:, 1] - box[:, 0]
    places = np.round((np.array(found) - box[:, 0]) / sides, 9)
    corners = np.array(found)[np.unique(places, axis=0, return_index=True)[1]]
    across = np.linalg.svd(plane.w[None, :])[2][1:]
    flat = (corners - corners.mean(axis=0)) @ across.T
    return np.asarray(corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))])


def _curves(plane: Hyperplane, box: FloatArray) -> list[FloatArray]:
    """The boundary on the floor, cut to the box.

    With ``w₃ ≠ 0`` it is ``(x₁ - p)(x₂ - q) = c``: the two branches of a hyperbola, or two lines
    that cross if c is 0. Else it is the line ``w₁x₁ + w₂x₂ + b = 0``.
    """
    (w1, w2, w3), b = plane.w.tolist(), plane.b
    left, right, bottom, top = box[:2].ravel().tolist()
    if not w3:
        lines = [Hyperplane([w1, w2], b)] if w1 or w2 else []
        ends = [line.segment_in_box((left, right, bottom, top)) for line in lines]
        return [end for end in ends if end is not None]
    p, q = -w2 / w3, -w1 / w3
    c = p * q - b / w3
    if abs(c) <= 1e-12 * max(abs(p * q), abs(b / w3)):
        upright = [np.array([[p, bottom], [p, top]])] if left <= p <= right else []
        level = [np.array([[left, q], [right, q]])] if bottom <= q <= top else []
        return upright + level
    curves = []
    for sign in (-1.0, 1.0):
        # On a branch x₁ = p + s and x₂ = q + c/s, where s keeps its sign.
        low, high = sorted((sign * (left - p), sign * (right - p)))
        near, far = sorted((sign * (bottom - q) / c, sign * (top - q) / c))
        start, end = (1 / value if value > 0 else np.inf for value in (far, near))
        start, end = max(low, start), min(high, end)
        if 0 < start < end:
            s = sign * np.geomspace(start, end, SAMPLES)
            curves.append(np.column_stack([p + s, q + c / s]))
    return curves
