"""Picture of the predictions of any model in the plane, sampled on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.estimators.inputs import rows_without_names
from rosenblatt.plot import arguments
from rosenblatt.plot.display import Pen, PlaneDisplay
from rosenblatt.plot.pen import Look, has_rings, wrong_rows
from rosenblatt.plot.plane import Box, box_around, checked_box, distance_to_rows, plane_of
from rosenblatt.plot.style import marks
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows per call of decision_function.
BLOCK = 10_000
# Candidate positions for the letter of a class.
CANDIDATES = 1500


class KernelBoundaryDisplay(PlaneDisplay):
    """Picture of nonlinear boundaries, sampled on a grid; made by `kernel_boundary`.

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
    across, up : array of shape (cells + 1,)
        Coordinates of the grid.
    scores : array of shape (k, cells + 1, cells + 1)
        ``scores[c, i, j]`` at ``(across[j], up[i])``: one layer for two classes, positive for the
        second one; otherwise one layer per class.
    support : array of int
        Rows that the score is a sum over; empty if it cannot be shown that these are the rows of
        training.
    """

    across: FloatArray
    up: FloatArray
    scores: FloatArray
    support: IndexArray

    def lead(self, place: int) -> FloatArray:
        """Return the lead of a class on the grid: its score minus the best other score."""
        if len(self.scores) == 1:
            return np.asarray(self.scores[0] if place else -self.scores[0])
        others = np.delete(self.scores, place, axis=0).max(axis=0)
        return np.asarray(self.scores[place] - others)

    def roomiest(self, place: int) -> FloatArray | None:
        """Return a grid point deep in the area of a class, far from rows; None if there is none."""
        inside = self.lead(place) > 0
        if not inside.any():
            return None

        # Erode the area cell by cell: the depth of a point is the number of rounds it survives.
        depth = np.zeros(inside.shape)
        while inside.any():
            depth += inside
            padded = np.pad(inside, 1)
            has_all_neighbours = (
                padded[2:, 1:-1] & padded[:-2, 1:-1] & padded[1:-1, 2:] & padded[1:-1, :-2]
            )
            inside = inside & has_all_neighbours

        step = min(self.across[1] - self.across[0], self.up[1] - self.up[0])
        rows, columns = np.nonzero(depth)
        some = slice(None, None, -(-len(rows) // CANDIDATES))
        places = np.column_stack([self.across[columns], self.up[rows]])[some]
        to_edge = step * depth[rows, columns][some]
        free = np.minimum(to_edge, distance_to_rows(places, self.points))
        return np.asarray(places[np.argmax(free)])

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        for mark in self.marks:
            lead = self.lead(mark.place)
            if not (lead > 0).any():
                continue

            # The area where the class leads, in its colour and with its letter.
            tint = theme.tint(pen.colour(mark), 0.2)
            levels = [0.0, max(float(lead.max()), 0.0) * 2 + 1.0]
            ax.contourf(self.across, self.up, lead, levels=levels, colors=[tint], zorder=0)
            at = self.roomiest(mark.place)
            if at is not None:
                pen.letter(ax, at, mark, size=11 if pen.small else 18)

            # The boundary of the area.
            if (lead < 0).any():
                width = 1.8 if len(self.marks) == 2 else 1.2
                line: Look = {"colors": theme.ink, "linewidths": width, "zorder": 2}
                ax.contour(self.across, self.up, lead, levels=[0.0], **line)
        self._draw_rows(ax, pen, "misclassified", self.support, "support row")
        self._draw_frame(ax, pen)


def kernel_boundary(
    model: Any, X: Any, y: Any = None, *, box: Box | None = None, cells: int = 200
) -> KernelBoundaryDisplay:
    """Show the boundaries of a model with a nonlinear decision function.

    The curve ``f(x) = Σ a_s K(x_s, x) = 0`` is interpolated from the scores at the corners of a
    grid. Parts finer than the grid are missed, as the caption notes. For linear learners use
    `boundary` and `regions`, which are exact.

    Cost: one call of ``decision_function`` on ``(cells + 1)²`` rows.

    Parameters
    ----------
    model : estimator
        Any model with ``decision_function`` and ``classes_``, fitted on one or two features.
    X : array-like of shape (n_samples, n_features)
        Rows to show.
    y : array-like of shape (n_samples,), default=None
        The labels of the rows.
    box : (xmin, xmax, ymin, ymax), default=None
        The part of the plane to show. None shows all rows.
    cells : int, default=200
        Number of cells of the grid in each direction.

    Returns
    -------
    display : KernelBoundaryDisplay

    See Also
    --------
    boundary, regions : Show exact boundaries of linear learners.

    Examples
    --------
    Exclusive or by products of the features: the score is a multiple of x₁x₂.

    >>> from rosenblatt import KernelPerceptron, plot
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> model = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, shuffle=False).fit(X, y)
    >>> shown = plot.kernel_boundary(model, X, y, box=(-2, 2, -2, 2), cells=4)
    >>> bool((shown.scores[0] > 0)[shown.up > 0][:, shown.across > 0].all())
    True
    """
    if not (hasattr(model, "decision_function") and hasattr(model, "classes_")):
        raise InputError(
            f"a {type(model).__name__} has no decision_function and classes_; give a fitted model."
        )
    checks.whole("cells", cells, at_least=2, at_most=2000)
    if getattr(model, "kernel", None) == "precomputed":
        raise InputError("a precomputed kernel has no plane to look at: the features are unknown.")
    d = int(model.n_features_in_)
    if d > 2:
        raise InputError(
            f"this model has {d} features, and a picture shows two; values for the others would be "
            "made up. Fit it on two columns, or on two principal components "
            "(sklearn.decomposition.PCA(2))."
        )

    table = arguments.rows(X, d)
    plane = plane_of(np.ones(d), None, arguments.feature_names(model))
    points = plane.project(table)
    shown_box = box_around(points, is_line=plane.is_line) if box is None else checked_box(box)
    across = np.linspace(shown_box[0], shown_box[1], cells + 1)
    up = np.linspace(shown_box[2], shown_box[3], cells + 1)
    classes = tuple(np.asarray(model.classes_).tolist())
    places = None if y is None else arguments.labels(y, len(points), classes)
    wrong = np.empty(0, np.intp)
    support = np.empty(0, np.intp)
    if places is not None:
        wrong = arguments.misclassified(model, X, places, classes)
        if arguments.are_rows_of_training(model, table):
            support = np.asarray(model.support_, np.intp)

    cell_width = (shown_box[1] - shown_box[0]) / cells
    cell_height = (shown_box[3] - shown_box[2]) / cells
    sentences = [
        f"Scores taken on a grid of {cells} × {cells} cells of {cell_width:.2g} × "
        f"{cell_height:.2g}; finer parts are not seen."
    ]
    if places is not None:
        sentences.append(wrong_rows(len(wrong), len(points), "are misclassified"))
    if len(support):
        rings = "Rings: the " if has_rings(len(support), len(points)) else ""
        sentences.append(f"{rings}{count(len(support), 'support row')}.")
    return KernelBoundaryDisplay(
        caption=" ".join(sentences),
        box=shown_box,
        plane=plane,
        across=across,
        up=up,
        scores=_sampled(model, across, up, d),
        marks=marks(classes),
        points=points,
        classes_of_points=places,
        wrong=wrong,
        support=support,
    )


def _sampled(model: Any, across: FloatArray, up: FloatArray, d: int) -> FloatArray:
    """Return the scores at all grid points, with the classes along the first axis."""
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)[:, :d]
    grid = np.ascontiguousarray(grid)
    with rows_without_names():
        parts = [
            np.asarray(model.decision_function(grid[start : start + BLOCK]), np.float64)
            for start in range(0, len(grid), BLOCK)
        ]
    scores = np.concatenate(parts)

    shape = (len(up), len(across))
    if scores.ndim == 1:
        return scores.reshape(1, *shape)
    return scores.T.reshape(-1, *shape)
