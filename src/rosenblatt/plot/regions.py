"""Picture of the regions of several classes, as exact polygons."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Regions
from rosenblatt.geometry import regions as divide
from rosenblatt.plot import arguments
from rosenblatt.plot.display import Pen, PlaneDisplay
from rosenblatt.plot.pen import wrong_rows
from rosenblatt.plot.plane import Box, box_around, checked_box, distance_to_rows, plane_of
from rosenblatt.plot.style import marks
from rosenblatt.plurals import first_few

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Smallest font size of a letter in points.
SMALLEST_LETTER = 5.0
# Most classes without a region that the caption names.
MAX_NAMED = 8


class RegionsDisplay(PlaneDisplay):
    """Picture of the region in which each class is predicted, made by `regions`.

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
    regions : Regions
        The exact division of the box; ``regions.polygons`` holds the corners.
    letters : mapping of class to array of shape (2,)
        Position of the letter of each class, far from edges and rows.
    """

    regions: Regions
    letters: Mapping[Hashable, FloatArray]

    def _draw(self, ax: Axes, pen: Pen) -> None:
        for mark in self.marks:
            corners = self.regions.polygons.get(mark.label)
            if corners is None:
                continue
            tint = pen.theme.tint(pen.colour(mark), 0.2)
            ax.fill(*corners.T, facecolor=tint, edgecolor=pen.theme.ink, lw=1.0, zorder=0)
            at = self.letters[mark.label]
            pen.letter(ax, at, mark, size=self._letter_size(ax, pen, corners, at))
        self._draw_rows(ax, pen, "misclassified")
        self._draw_frame(ax, pen)

    def _letter_size(self, ax: Axes, pen: Pen, corners: FloatArray, at: FloatArray) -> float:
        """Return the font size of a letter in points, which is smaller in a small region."""
        height = ax.get_window_extent().height * 72 / ax.figure.dpi
        points_per_unit = height / (self.box[3] - self.box[2])
        room = float(_depth(corners, at[None, :])[0]) * points_per_unit
        return float(np.clip(1.5 * room, SMALLEST_LETTER, 11 if pen.small else 20))


def regions(model: Any, X: Any = None, y: Any = None, *, box: Box | None = None) -> RegionsDisplay:
    """Show the region of each class, as exact polygons.

    ``region_k = {x : w_k·x + b_k >= w_l·x + b_l for all l}``

    The regions are convex, have straight edges, cover the box and do not overlap. They are
    computed, not sampled. The regions of nearest prototypes ("Voronoi regions") are of the same
    kind, with ``w_k = p_k`` and ``b_k = -‖p_k‖²/2``.

    Parameters
    ----------
    model : estimator or geometry.Regions
        A fitted linear learner of one or two features, or the result of `geometry.regions`.
    X : array-like of shape (n_samples, n_features), default=None
        Rows to show. Needed if no box is given.
    y : array-like of shape (n_samples,), default=None
        The labels of the rows.
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows all rows.

    Returns
    -------
    display : RegionsDisplay

    See Also
    --------
    boundary : Show one line, with w and the margin.
    kernel_boundary : Show boundaries that are not lines, sampled on a grid.
    rosenblatt.geometry.regions : Compute the polygons.

    Examples
    --------
    >>> from rosenblatt import Perceptron, plot
    >>> X, y = [[0, 2], [-2, -1], [2, -1], [0, 3]], ["up", "left", "right", "up"]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> shown = plot.regions(model, X, y, box=(-4, 4, -4, 4))
    >>> sum(shown.regions.area(label) for label in model.classes_)
    64.0
    """
    if isinstance(model, Regions):
        if box is not None and tuple(box) != model.box:
            raise ParameterError(
                f"box={box!r}, but these regions were made for {model.box}; leave box out."
            )
        cells = model
        plane = plane_of(np.ones(2), None, None)
        points = np.empty((0, 2)) if X is None else arguments.rows(X, 2)
        classes = cells.classes
        names = None
    else:
        weights = arguments.linear(model)
        classes = weights.classes
        names = weights.names
        d = int(weights.W.shape[1])
        if d > 2:
            raise InputError(
                f"this model has {d} features; regions are polygons in the plane of two. Fit it "
                "on two columns, or on two principal components "
                "(sklearn.decomposition.PCA(2)), to see them."
            )
        plane = plane_of(np.ones(d), None, names)
        if X is None and box is None:
            raise ParameterError("give X, the rows to show, or box, the part of the plane.")
        points = np.empty((0, 2)) if X is None else plane.project(arguments.rows(X, d))
        shown_box = box_around(points, is_line=plane.is_line) if box is None else checked_box(box)
        cells = divide(plane.project(weights.W), weights.b, shown_box, classes)

    places = None if y is None else arguments.labels(y, len(points), classes)
    wrong = np.empty(0, np.intp)
    if places is not None:
        best = np.argmax(points @ cells.W.T + cells.b, axis=1)
        wrong = arguments.misclassified(model, X, places, cells.classes, best)
    return RegionsDisplay(
        caption=_caption(cells, len(points), places is not None, len(wrong)),
        box=cells.box,
        plane=plane,
        regions=cells,
        letters={label: _roomy(at, points) for label, at in cells.polygons.items()},
        marks=marks(classes),
        points=points,
        classes_of_points=places,
        wrong=wrong,
    )


def _roomy(corners: FloatArray, points: FloatArray) -> FloatArray:
    """Return a point of a convex polygon that is far from its edges and from rows."""
    # Candidates: a grid over the bounding box.
    low = corners.min(axis=0)
    high = corners.max(axis=0)
    steps = (np.arange(24) + 0.5) / 24
    grid = low + (high - low) * np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    free = _depth(corners, grid)
    # Rows outside the polygon are farther away than the edge in between.
    near = points[((points >= low) & (points <= high)).all(axis=1)]
    if len(near):
        free = np.where(free > 0, np.minimum(free, distance_to_rows(grid, near)), free)
    best = int(np.argmax(free))
    return np.asarray(grid[best] if free[best] > 0 else corners.mean(axis=0))


def _depth(corners: FloatArray, places: FloatArray) -> FloatArray:
    """Return the distance of each point to the edges of a convex polygon; negative outside."""
    edges = np.roll(corners, -1, axis=0) - corners
    offset = places[:, None, :] - corners[None, :, :]
    across = edges[:, 0] * offset[..., 1] - edges[:, 1] * offset[..., 0]
    return np.asarray((across / np.linalg.norm(edges, axis=1)).min(axis=1))


def _caption(cells: Regions, n: int, labelled: bool, n_wrong: int) -> str:
    """Return the caption of the picture."""
    n_classes = len(cells.classes)
    sentences = [f"Where each of {n_classes} classes has the highest score; exact polygons."]
    if cells.empty:
        names = first_few([mark.name for mark in marks(cells.empty)], MAX_NAMED)
        sentences.append(f"Nowhere in this box the highest: {names}.")
    if labelled:
        sentences.append(wrong_rows(n_wrong, n, "are misclassified"))
    return " ".join(sentences)
