"""Picture of an explanation: contributions to a score, by feature and by past mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.inspection.explanation import Explanation, PastMistake
from rosenblatt.plot.display import Pen
from rosenblatt.plot.style import named
from rosenblatt.plot.weights import Voice, WeightsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.arrays import AnyArray


class ContributionsDisplay(WeightsDisplay):
    """Bar charts of the largest contributions to a score: by feature and by past mistake.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    voices : list of Voice
        Names and sizes of the contributions, one voice per panel.
    n_features : int
        0; not used by this picture.
    left_out : int
        0; not used by this picture.
    titles : list of str
        Titles of the panels.
    """

    titles: list[str]
    caption: str = ""

    def __post_init__(self) -> None:
        """Leave the caption of the explanation unchanged."""

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        # Each panel has its own scale: contributions of past mistakes, of either sign, are often
        # far larger than their sum.
        for ax, voice in zip(axes.flat, self.voices, strict=True):
            self._draw_voice(ax, pen, voice, float(np.abs(voice.values).max()) or 1.0)

    def _name_axes(self, ax: Axes, pen: Pen, voice: Voice) -> None:
        name = pen.text(named(voice.label))
        other = f"against {name}" if voice.against is None else pen.text(named(voice.against))
        ax.set_title(self.titles[self.voices.index(voice)], loc="left", fontsize=10)
        ax.set_xlabel(f"←  {other}        {name}  →", fontsize=9)

    def _size(self) -> tuple[float, float]:
        width, height = super()._size()
        return max(width, 3.4 * len(self.voices)), height


def contributions(explanation: Explanation, *, top: int = 10) -> ContributionsDisplay:
    """Show the contributions to a score as bars, for a class and against it.

    Parameters
    ----------
    explanation : Explanation
        The result of ``explain`` of a learner.
    top : int, default=10
        Number of contributions by feature, and by past mistake; the others are summed up in one.

    Returns
    -------
    display : ContributionsDisplay

    See Also
    --------
    rosenblatt.plot.weights : Show the weights of a learner, independent of an example.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets, plot
    >>> iris = datasets.iris()
    >>> model = AveragedPerceptron().fit(iris.X, iris.labels == "setosa")
    >>> plot.contributions(model.explain(iris.X[0])).voices[0].names
    ['x[1]', 'x[2]', 'x[0]', 'x[3]', 'bias']
    """
    if not isinstance(explanation, Explanation):
        raise InputError(
            f"a {type(explanation).__name__} has no contributions: give what explain of a learner "
            "gave."
        )
    shown = explanation.cut(top)
    voices = []
    titles = []
    if shown.contributions:
        names = [str(part.name) for part in shown.contributions]
        values = np.array([part.contribution for part in shown.contributions])
        voices.append(Voice(shown.label, shown.against, names, values, 0.0))
        titles.append("By feature")
    if shown.mistakes:
        names = [_row_name(one) for one in shown.mistakes]
        values = np.array([one.contribution for one in shown.mistakes])
        voices.append(Voice(shown.label, shown.against, names, values, 0.0))
        titles.append("By past mistake")
    if not voices:
        raise InputError("this explanation has no parts to show: nothing was learned yet.")
    caption = f"{shown.headline()}; {shown.summary()}."
    return ContributionsDisplay(voices, 0, 0, titles, caption)


def _row_name(mistake: PastMistake) -> str:
    """Return "row 3, yes" for a past example, or the number of rows that were summed up."""
    if mistake.row is None:
        return f"{mistake.n_joined:,} others"
    if mistake.y_true is None:
        return f"row {mistake.row:,}"
    return f"row {mistake.row:,}, {mistake.y_true}"
