"""Where the predictions of a kernel machine change, sampled on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.learner.inputs import rows_without_names
from rosenblatt.plot import arguments
from rosenblatt.plot.display import Pen, PlaneDisplay
from rosenblatt.plot.pen import has_rings, wrong_rows
from rosenblatt.plot.plane import Box, around, checked_box, plane_of, way_to_rows
from rosenblatt.plot.style import marks
from rosenblatt.plurals import count

BLOCK = 10_000
# Places that are looked at for a letter.
CANDIDATES = 1500


class KernelBoundaryDisplay(PlaneDisplay):
    """The sign of a score over the plane; `kernel_boundary` makes it.

    Attributes
    ----------
    across, up : array of shape (cells + 1,)
        The grid on which the scores were taken.
    scores : array of shape (k, cells + 1, cells + 1)
        ``scores[c, i, j]`` at ``(across[j], up[i])``: for two classes one layer, positive for the
        second class; else one a class.
    support : array of int
        Rows that the score is a sum over; none if these rows cannot be shown to be those of
        training.
    """

    across: FloatArray
    up: FloatArray
    scores: FloatArray
    support: IndexArray

    def lead(self, place: int) -> FloatArray:
        """By how much the class at this place is ahead of the best other, over the grid."""
        if len(self.scores) == 1:
            return np.asarray(self.scores[0] if place else -self.scores[0])
        others = np.delete(self.scores, place, axis=0).max(axis=0)
        return np.asarray(self.scores[place] - others)

    def roomiest(self, place: int) -> FloatArray | None:
        """A place of the grid deep in the area of a class and far from rows; None without area."""
        left = self.lead(place) > 0
        if not left.any():
            return None
        depth = np.zeros(left.shape)
        while left.any():
            depth += left
            walled = np.pad(left, 1)
            sides = walled[2:, 1:-1] & walled[:-2, 1:-1] & walled[1:-1, 2:] & walled[1:-1, :-2]
            left = left & sides
        step = min(self.across[1] - self.across[0], self.up[1] - self.up[0])
        rows, columns = np.nonzero(depth)
        fewer = slice(None, None, -(-len(rows) // CANDIDATES))
        places = np.column_stack([self.across[columns], self.up[rows]])[fewer]
        free = step * depth[rows, columns][fewer]
        free = np.minimum(free, way_to_rows(places, self.points))
        return np.asarray(places[np.argmax(free)])

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme = pen.theme
        for mark in self.marks:
            lead = self.lead(mark.place)
            if not (lead > 0).any():
                continue
            tint = theme.tint(pen.colour(mark), 0.2)
            levels = [0.0, max(float(lead.max()), 0.0) * 2 + 1.0]
            ax.contourf(self.across, self.up, lead, levels=levels, colors=[tint], zorder=0)
            at = self.roomiest(mark.place)
            if at is not None:
                pen.letter(ax, at, mark, size=11 if pen.small else 18)
            if (lead < 0).any():
                wide = 1.8 if len(self.marks) == 2 else 1.2
                line: Any = {"colors": theme.ink, "linewidths": wide, "zorder": 2}
                ax.contour(self.across, self.up, lead, levels=[0.0], **line)
        self._draw_rows(ax, pen, "misclassified", self.support, "support row")
        self._draw_frame(ax, pen)


def kernel_boundary(
    model: Any, X: Any, y: Any = None, *, box: Box | None = None, cells: int = 200
) -> KernelBoundaryDisplay:
    """Show where the predictions change of a model that no line describes.

    ``f(x) = Σ a_s K(x_s, x) = 0``, taken from the scores at the corners of a grid

    Parts finer than the grid are not seen, which the caption says. For linear learners `boundary`
    and `regions` are exact.

    Cost: one call of ``decision_function`` on ``(cells + 1)²`` rows.

    Parameters
    ----------
    model : estimator
        Fitted on one or two features; any with ``decision_function`` and ``classes_``.
    X : array-like of shape (n_samples, n_features)
        Rows to show.
    cells : int, default=200
        The grid has so many cells each way.

    See Also
    --------
    boundary, regions : Exact, for linear learners.

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
    points = plane.seen(table)
    shown_box = around(points, is_line=plane.is_line) if box is None else checked_box(box)
    across = np.linspace(shown_box[0], shown_box[1], cells + 1)
    up = np.linspace(shown_box[2], shown_box[3], cells + 1)
    classes = tuple(np.asarray(model.classes_).tolist())
    places = None if y is None else arguments.labels(y, len(points), classes)
    wrong = support = np.empty(0, np.intp)
    if places is not None:
        wrong = arguments.misclassified(model, X, places, classes)
        if arguments.are_rows_of_training(model, table):
            support = np.asarray(model.support_, np.intp)
    sentences = [
        f"Scores taken on a grid of {cells} × {cells} cells of "
        f"{(shown_box[1] - shown_box[0]) / cells:.2g} × {(shown_box[3] - shown_box[2]) / cells:.2g}"
        "; finer parts are not seen."
    ]
    if places is not None:
        sentences.append(wrong_rows(len(wrong), len(points), "are misclassified"))
    if len(support):
        rings = "Rings: the " * has_rings(len(support), len(points))
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
    """The scores over the grid, the classes first."""
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)[:, :d]
    grid = np.ascontiguousarray(grid)
    with rows_without_names():
        parts = [
            np.asarray(model.decision_function(grid[start : start + BLOCK]), np.float64)
            for start in range(0, len(grid), BLOCK)
        ]
    scores = np.concatenate(parts)
    shape = (len(up), len(across))
    return scores.reshape(1, *shape) if scores.ndim == 1 else scores.T.reshape(-1, *shape)
