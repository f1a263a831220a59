"""Which class is taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.evaluate.report import Report, report
from rosenblatt.plot import style
from rosenblatt.plot.curves import fitted, readable_on
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

# With more classes than this the cells are too small for numbers.
MOST_NUMBERED = 32
LONGEST_NAME = 14


class ConfusionDisplay(Display):
    """A matrix of counts, true classes down, predictions across.

    Attributes
    ----------
    classes : list
    counts : ndarray of shape (n_classes, n_classes)
        ``counts[i, j]``: rows of class i predicted as class j.
    share : ndarray of shape (n_classes, n_classes)
        The same as a share of the rows of class i, 0 where it has none; it decides the colour.
    """

    classes: list[Any]
    counts: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        total, right = int(self.counts.sum()), int(np.trace(self.counts))
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

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme, n = pen.theme, len(self.classes)
        diagonal = np.eye(n, dtype=bool)
        # A rare mistake would not be seen on the scale of the right predictions.
        strongest = float(self.share[~diagonal].max(initial=0.0)) or 1.0
        depth = np.where(diagonal, self.share, self.share / strongest)
        strength = np.where(self.counts > 0, 0.12 + 0.78 * depth, 0.0)
        right, wrong = (theme.tints(theme.colour(place), strength) for place in (0, 1))
        colours = np.where(diagonal[..., None], right, wrong)
        self._draw_cells(ax, pen, colours)
        if n <= MOST_NUMBERED:
            self._draw_numbers(ax, pen, colours)
        names = [fitted(pen, name, LONGEST_NAME + 3) for name in _short_names(self.classes)]
        every = -(-n // 45)
        size = float(np.clip(0.6 * self._cell(ax), 4.0, 9.0))
        places, shown = list(range(0, n, every)), names[::every]
        crowded = max(map(len, shown)) * len(shown) > 48
        ax.set_xticks(places, shown, fontsize=size, rotation=90 if crowded else 0)
        ax.set_yticks(places, shown, fontsize=size)
        ax.tick_params(length=0)
        ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
        ax.set(xlabel="predicted class", ylabel="true class")
        ax.spines[:].set_visible(False)

    def _cell(self, ax: Any) -> float:
        """The side of a cell in points."""
        box = ax.get_window_extent()
        side = float(min(box.width, box.height))
        return side * 72 / float(ax.get_figure().dpi) / len(self.classes)

    def _draw_cells(self, ax: Any, pen: Pen, colours: Any) -> None:
        n = len(self.classes)
        line, edges = 1.2 if n <= 12 else 0.5, np.arange(n + 1) - 0.5
        look: dict[str, Any] = {"edgecolors": pen.theme.rule, "linewidths": line / 2}
        if n > MOST_NUMBERED:
            # One by one so many cells make a file of megabytes.
            look = {"rasterized": True}
        ax.pcolormesh(edges, edges, colours, zorder=1, **look)
        corners = np.array([[0, 1, 1, 0, 0], [0, 0, 1, 1, 0]])
        for i in range(n):
            ax.plot(*(corners + i - 0.5), color=pen.theme.ink, lw=line, zorder=3)

    def _draw_numbers(self, ax: Any, pen: Pen, colours: Any) -> None:
        longest = max(len(f"{n:,}") for n in self.counts.flat)
        size = float(np.clip(1.2 * self._cell(ax) / max(longest, 2), 3.5, 11.0))
        look = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
        for (i, j), n in np.ndenumerate(self.counts):
            if n:
                ink = readable_on("#" + bytes(colours[i, j]).hex())
                ax.text(j, i, f"{n:,}", color=ink, **look)


def confusion(source: Any, X: Any = None, y: Any = None) -> ConfusionDisplay:
    """Show which class is taken for which, counts in the cells.

    Parameters
    ----------
    source : Report or fitted learner
        What `rosenblatt.evaluate.report` found; or a learner, which then predicts X.
    X : array-like or sparse matrix, or list of sentences for a tagger, default=None
        Rows to predict.
    y : array-like, or list of lists of tags for a tagger, default=None
        Their true classes.

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
    rows = found.confusion.sum(axis=1, keepdims=True)
    share = found.confusion / np.maximum(rows, 1)
    return ConfusionDisplay(list(found.classes), found.confusion, share)


def report_of(source: Any, X: Any, y: Any, method: str) -> Report:
    """A report as it is, or of a learner that has this method on rows."""
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
    if hasattr(source, "tags_"):
        truth = [tag for tags in y for tag in tags]
        predicted = [tag for tags in source.predict(X) for tag in tags]
        return report(truth, predicted, source.tags_)
    asked = {} if method == "predict" else {method: getattr(source, method)(X)}
    scores, shares = asked.get("decision_function"), asked.get("predict_proba")
    return report(y, source.predict(X), source.classes_, scores=scores, probabilities=shares)


def _short_names(classes: list[Any]) -> list[str]:
    """Short names that are all different."""
    names = [style.named(label, LONGEST_NAME) for label in classes]
    if len(set(names)) == len(names):
        return names
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]
