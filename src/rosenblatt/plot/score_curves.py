"""Picture of ROC and precision-recall curves, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.inspection.score_curves import ScoreCurve
from rosenblatt.plot import style
from rosenblatt.plot.confusion import report_of
from rosenblatt.plot.curves import STYLES, cut_to_fit, draw_grid_lines
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray

MAX_CURVES = len(STYLES)
# Longest name of a class, in characters.
LONGEST_NAME = 18


class ScoreCurvesDisplay(Display):
    """ROC and precision-recall curves of one class, or of the worst of several classes.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    curves : list of ScoreCurve
        The curves that are drawn.
    n_classes : int
        Number of all classes.
    """

    curves: list[ScoreCurve]
    n_classes: int

    size = (8.2, 4.3)

    def __post_init__(self) -> None:
        n = int(self.curves[0].taken[-1])
        areas = [f"{c.roc_area:.3f} and {c.pr_area:.3f}" for c in self.curves]
        if len(self.curves) == 1:
            own = int(self.curves[0].found[-1])
            whose = f"class {style.named(self.curves[0].label)}, {own:,} of {count(n, 'row')}"
        else:
            some = f"the {len(self.curves)} worst of " if len(self.curves) < self.n_classes else ""
            whose = f"{some}{self.n_classes} classes, each against the rest of {count(n, 'row')}"
            names = [style.named(curve.label) for curve in self.curves]
            areas = [f"{one} {area}" for one, area in zip(names, areas, strict=True)]
        self.caption = (
            f"What every threshold comes to for {whose}. Areas under the ROC and the "
            f"precision-recall curve: {', '.join(areas)}."
        )

    def _grid(self) -> tuple[int, int]:
        return 1, 2

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        roc, pr = axes[0]
        theme = pen.theme
        roc.plot([0, 1], [0, 1], color=theme.faint, lw=1.2, zorder=1)
        for place, full in enumerate(self.curves):
            curve = full.thinned()
            look = {"color": theme.colour(place), "ls": STYLES[place], "zorder": 3}
            name = cut_to_fit(pen, style.named(curve.label), LONGEST_NAME)
            # The ROC curve starts at the origin, where no row is taken.
            roc.plot(np.r_[0, curve.false_positive_rate], np.r_[0, curve.recall], **look)
            # Precision is drawn in steps: there are no values between two thresholds.
            pr.plot(curve.recall, curve.precision, drawstyle="steps-pre", label=name, **look)
            if len(self.curves) == 1:
                share = full.found[-1] / full.taken[-1]
                pr.axhline(share, color=theme.faint, lw=1.2, zorder=1)
        if len(self.curves) > 1:
            pr.legend(loc="lower left")
        roc.set(xlabel="false positive rate", ylabel="recall")
        pr.set(xlabel="recall", ylabel="precision")
        for ax in (roc, pr):
            ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            draw_grid_lines(ax, theme)


def score_curves(source: Any, X: Any = None, y: Any = None) -> ScoreCurvesDisplay:
    """Show the ROC curve and the precision-recall curve over all thresholds on the score.

    With two classes they are those of the second. With more, each class is compared with the rest,
    by probability or by the lead of its score over the best other one; the five classes with the
    smallest area under the precision-recall curve are drawn. The grey lines show random guessing.

    Parameters
    ----------
    source : Report or fitted learner
        A `rosenblatt.evaluate.report` with scores, or a learner with ``decision_function``.
    X : array-like or sparse matrix, default=None
        Rows to predict.
    y : array-like of shape (n_samples,), default=None
        The labels of the rows.

    Returns
    -------
    display : ScoreCurvesDisplay

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets, plot
    >>> cancer = datasets.breast_cancer()
    >>> A, a, B, b = cancer.X[::2], cancer.labels[::2], cancer.X[1::2], cancer.labels[1::2]
    >>> model = AveragedPerceptron(early_stopping=True).fit(A, a)
    >>> (curve,) = plot.score_curves(model, B, b).curves
    >>> print(f"{curve.roc_area:.3f}")
    0.951
    """
    found = report_of(source, X, y, "decision_function")
    if not found.curves:
        raise InputError(
            "a curve needs scores, and rows of two classes or more; of predictions alone there is "
            "none."
        )
    # The worst curves, in the order of their classes.
    worst = sorted(found.curves, key=lambda curve: curve.pr_area)[:MAX_CURVES]
    shown = [curve for curve in found.curves if any(curve is one for one in worst)]
    return ScoreCurvesDisplay(shown, len(found.classes))
