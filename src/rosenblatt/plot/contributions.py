"""Why a prediction: the parts of its score, by feature and by past mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.explain import Explanation
from rosenblatt.plot.display import Pen
from rosenblatt.plot.style import named
from rosenblatt.plot.weights import Voice, WeightsDisplay


class ContributionsDisplay(WeightsDisplay):
    """The largest contributions to a score, a panel by feature and one by past mistake.

    Attributes
    ----------
    voices : list of Voice
        The names and sizes of the parts, of each panel.
    titles : list of str
        What the panels show.
    """

    titles: list[str]
    caption: str = ""

    def __post_init__(self) -> None:
        """The caption is that of the explanation."""

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        # Past mistakes speak for and against in sums far larger than what is left of them.
        for ax, voice in zip(axes.flat, self.voices, strict=True):
            self._draw_voice(ax, pen, voice, float(np.abs(voice.values).max()) or 1.0)

    def _name_axes(self, ax: Any, pen: Pen, voice: Voice) -> None:
        name = pen.text(named(voice.label))
        other = f"against {name}" if voice.against is None else pen.text(named(voice.against))
        ax.set_title(self.titles[self.voices.index(voice)], loc="left", fontsize=10)
        ax.set_xlabel(f"←  {other}        {name}  →", fontsize=9)

    def _size(self) -> tuple[float, float]:
        width, height = super()._size()
        return max(width, 3.4 * len(self.voices)), height


def contributions(explanation: Explanation, *, top: int = 10) -> ContributionsDisplay:
    """Show the parts of a score as bars: what spoke for a class, and what against it.

    Parameters
    ----------
    explanation : Explanation
        What ``explain`` of a learner gave.
    top : int, default=10
        How many parts by feature and how many by past mistake; the others are joined into one.

    See Also
    --------
    rosenblatt.plot.weights : All that a learner weighs, whatever the example.

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
    rows = [
        f"{one.n_joined:,} others"
        if one.row is None
        else f"row {one.row:,}" + f", {one.y_true}" * (one.y_true is not None)
        for one in shown.mistakes or ()
    ]
    voices, titles = [], []
    for title, names, parts in (
        ("By feature", [str(part.name) for part in shown.contributions], shown.contributions),
        ("By past mistake", rows, shown.mistakes),
    ):
        if parts:
            values = np.array([part.contribution for part in parts])
            voices.append(Voice(shown.label, shown.against, names, values, 0.0))
            titles.append(title)
    if not voices:
        raise InputError("this explanation has no parts to show: nothing was learned yet.")
    return ContributionsDisplay(voices, 0, 0, titles, f"{shown.headline()}; {shown.summary()}.")
