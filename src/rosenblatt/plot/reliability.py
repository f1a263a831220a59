"""Picture of calibration: a reliability diagram of predicted probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.errors import InputError
from rosenblatt.inspection.metrics import Reliability
from rosenblatt.plot import style
from rosenblatt.plot.confusion import report_of
from rosenblatt.plot.curves import curve_look, draw_grid_lines
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ReliabilityDisplay(Display):
    """Reliability diagram: observed frequencies against predicted probabilities, in bins.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    curve : Reliability
        ``predicted``, ``observed`` and ``counts`` of each bin, and the ``error`` over all rows.
    event : str
        The event that the probabilities are about.
    """

    curve: Reliability
    event: str

    size = (4.8, 4.6)

    def __post_init__(self) -> None:
        curve = self.curve
        n = int(curve.counts.sum())
        excess = float((curve.predicted - curve.observed) @ curve.counts) / n
        average = "right on average"
        if abs(excess) >= 0.0005:
            average = f"{abs(excess):.3f} too {'high' if excess > 0 else 'low'} on average"
        self.caption = (
            f"Probability of {self.event} on {count(n, 'row')}: calibration error "
            f"{curve.error:.3f}, {average}. On the "
            "diagonal they came true as often as predicted; bars are shares of the rows."
        )

    def _draw(self, ax: Axes, pen: Pen) -> None:
        curve = self.curve
        theme = pen.theme
        ax.plot([0, 1], [0, 1], color=theme.faint, lw=1.2, zorder=1)

        # Bars: the share of the rows in each bin.
        share = curve.counts / curve.counts.sum()
        tint = theme.tint(theme.colour(0), 0.25)
        ax.bar(curve.predicted, share, 0.035, color=tint, lw=0, zorder=0)
        look = {**curve_look(theme, 0), "ms": 6, "lw": 1.6, "zorder": 3}
        ax.plot(curve.predicted, curve.observed, **look)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        event = pen.text(self.event)
        ax.set(xlabel=f"predicted probability of {event}", ylabel="share that came true")
        draw_grid_lines(ax, theme)


def reliability(source: Any, X: Any = None, y: Any = None) -> ReliabilityDisplay:
    """Show the calibration of predicted probabilities as a reliability diagram.

    With two classes it is the probability of the second, with more that of the most probable class.

    Parameters
    ----------
    source : Report or fitted learner
        A `rosenblatt.evaluate.report` with probabilities, or a learner with ``predict_proba``.
    X : array-like or sparse matrix, default=None
        Rows to predict.
    y : array-like of shape (n_samples,), default=None
        The labels of the rows.

    Returns
    -------
    display : ReliabilityDisplay

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets, plot
    >>> digits = datasets.digits()
    >>> A, a, B, b = digits.X[::2], digits.labels[::2], digits.X[1::2], digits.labels[1::2]
    >>> model = AveragedPerceptron(early_stopping=True, calibrate=True).fit(A, a)
    >>> print(f"{plot.reliability(model, B, b).curve.error:.2f}")
    0.01
    """
    found = report_of(source, X, y, "predict_proba")
    if found.reliability is None:
        raise InputError("this report is about no probabilities; give report(…, probabilities=…).")
    event = "the most probable class"
    if len(found.classes) == 2:
        event = style.named(found.classes[1])
    return ReliabilityDisplay(found.reliability, event)
