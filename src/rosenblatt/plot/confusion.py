"""Picture of a confusion matrix: how often each class is predicted for each class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.inspection.report import Report, report
from rosenblatt.plot import style
from rosenblatt.plot.curves import cut_to_fit, readable_on
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Most classes for which counts are written; with more, the cells are too small.
MAX_NUMBERED = 32
# Most classes that are all named on the axes; of more, only some.
MAX_NAMED = 45
# Longest name of a class on an axis, in characters.
LONGEST_NAME = 14


class ConfusionDisplay(Display):
    """Confusion matrix: true classes as rows, predicted classes as columns.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    classes : list
        The classes, in order.
    counts : ndarray of shape (n_classes, n_classes)
        ``counts[i, j]``: rows of class i predicted as class j.
    share : ndarray of shape (n_classes, n_classes)
        The same as a share of the rows of class i, 0 if there are none; it sets the colour.
    """

    classes: list[Hashable]
    counts: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        total = int(self.counts.sum())
        right = int(np.trace(self.counts))
        caption = f"{count(total - right, 'mistake')} in {count(total, 'row')}"
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        if wrong.any():
            i, j = divmod(int(wrong.argmax()), len(self.classes))
            caption += (
                f"; most often {style.named(self.classes[i])} is taken for "
                f"{style.named(self.classes[j])}, {count(int(wrong[i, j]), 'time')}"
            )
        self.caption = (
            f"{caption}. Framed: right predictions; "
            "the deeper the colour, the larger the share of the true class."
        )

    def _size(self) -> tuple[float, float]:
        side = min(3.2 + 0.26 * len(self.classes), 11.5)
        return side + 0.6, side + 0.5

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        n = len(self.classes)
        is_diagonal = np.eye(n, dtype=bool)

        # Mistakes have their own scale: a rare one would be invisible on that of the diagonal.
        largest_mistake = float(self.share[~is_diagonal].max(initial=0.0)) or 1.0
        depth = np.where(is_diagonal, self.share, self.share / largest_mistake)
        strength = np.where(self.counts > 0, 0.12 + 0.78 * depth, 0.0)
        right = theme.tints(theme.colour(0), strength)
        wrong = theme.tints(theme.colour(1), strength)
        colours = np.where(is_diagonal[..., None], right, wrong)
        self._draw_cells(ax, pen, colours)
        if n <= MAX_NUMBERED:
            self._draw_numbers(ax, pen, colours)

        # Names of the classes at both axes.
        names = [cut_to_fit(pen, name, LONGEST_NAME + 3) for name in _short_names(self.classes)]
        every = -(-n // MAX_NAMED)
        places = list(range(0, n, every))
        shown = names[::every]
        is_crowded = max(map(len, shown)) * len(shown) > 48
        size = float(np.clip(0.6 * self._cell_points(ax), 4.0, 9.0))
        ax.set_xticks(places, shown, fontsize=size, rotation=90 if is_crowded else 0)
        ax.set_yticks(places, shown, fontsize=size)

        ax.tick_params(length=0)
        ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
        ax.set(xlabel="predicted class", ylabel="true class")
        ax.spines[:].set_visible(False)

    def _cell_points(self, ax: Axes) -> float:
        """Return the side length of a cell in points."""
        box = ax.get_window_extent()
        side = float(min(box.width, box.height))
        return side * 72 / float(ax.figure.dpi) / len(self.classes)

    def _draw_cells(self, ax: Axes, pen: Pen, colours: npt.NDArray[np.uint8]) -> None:
        n = len(self.classes)
        line = 1.2 if n <= 12 else 0.5
        edges = np.arange(n + 1) - 0.5
        look: Look = {"edgecolors": pen.theme.rule, "linewidths": line / 2}
        if n > MAX_NUMBERED:
            # As single shapes so many cells make a file of megabytes.
            look = {"rasterized": True}
        ax.pcolormesh(edges, edges, colours, zorder=1, **look)

        # A frame around each cell of the diagonal.
        corners = np.array([[0, 1, 1, 0, 0], [0, 0, 1, 1, 0]])
        for i in range(n):
            ax.plot(*(corners + i - 0.5), color=pen.theme.ink, lw=line, zorder=3)

    def _draw_numbers(self, ax: Axes, pen: Pen, colours: npt.NDArray[np.uint8]) -> None:
        longest = max(len(f"{n:,}") for n in self.counts.flat)
        size = float(np.clip(1.2 * self._cell_points(ax) / max(longest, 2), 3.5, 11.0))
        look: Look = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
        for (i, j), n in np.ndenumerate(self.counts):
            if n:
                ink = readable_on("#" + bytes(colours[i, j]).hex())
                ax.text(j, i, f"{n:,}", color=ink, **look)


def confusion(source: Any, X: Any = None, y: Any = None) -> ConfusionDisplay:
    """Show a confusion matrix: how often each class is predicted for each class.

    Parameters
    ----------
    source : Report or fitted learner
        The result of `rosenblatt.evaluate.report`, or a learner, which then predicts X.
    X : array-like or sparse matrix, or list of sentences for a tagger, default=None
        Rows to predict.
    y : array-like, or list of lists of tags for a tagger, default=None
        The true classes of the rows.

    Returns
    -------
    display : ConfusionDisplay

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets, plot
    >>> digits = datasets.digits()
    >>> model = AveragedPerceptron().partial_fit(digits.X, digits.labels)
    >>> shown = plot.confusion(model, digits.X, digits.labels)
    >>> shown
    <ConfusionDisplay: 105 mistakes in 1,797 rows; most often 1 is taken for 9, 8 times. ...>
    >>> shown.counts[1].tolist()
    [0, 160, 3, 1, 1, 1, 2, 0, 6, 8]
    """
    found = report_of(source, X, y, "predict")
    counts = found.confusion
    rows_per_class = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(rows_per_class, 1)
    return ConfusionDisplay(list(found.classes), counts, share)


def report_of(source: Any, X: Any, y: Any, method: str) -> Report:
    """Return ``source`` if it is a report; otherwise evaluate a learner on X and y.

    ``method`` is the method that the learner must have: "predict", "decision_function" or
    "predict_proba".
    """
    if isinstance(source, Report):
        if X is not None or y is not None:
            raise InputError("a report is about predictions that were made; leave X and y out.")
        return source
    if not hasattr(source, method):
        lacks = {"predict": "confusions", "predict_proba": "probabilities"}.get(method, "scores")
        raise InputError(
            f"a {type(source).__name__} has no {lacks}: give an evaluate.Report, or a fitted "
            f"learner with {method}, X and y."
        )
    if X is None or y is None:
        raise InputError("a learner needs rows to predict: give X and y.")
    if hasattr(source, "tags_"):  # a tagger predicts a list of tags per sentence
        truth = [tag for tags in y for tag in tags]
        predicted = [tag for tags in source.predict(X) for tag in tags]
        return report(truth, predicted, source.tags_)

    scores = source.decision_function(X) if method == "decision_function" else None
    probabilities = source.predict_proba(X) if method == "predict_proba" else None
    predictions = source.predict(X)
    return report(y, predictions, source.classes_, scores=scores, probabilities=probabilities)


def _short_names(classes: Iterable[object]) -> list[str]:
    """Return unique short names of the classes, numbered if some would be equal."""
    names = [style.named(label, LONGEST_NAME) for label in classes]
    if len(set(names)) == len(names):
        return names
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]
