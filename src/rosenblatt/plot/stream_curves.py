"""The share of mistakes on a stream, by the number of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import style
from rosenblatt.plot.curves import STYLES, rule_lines
from rosenblatt.plot.display import Display, Pen

if TYPE_CHECKING:
    from rosenblatt.evaluate.stream_scores import Progress

__all__ = ["StreamDisplay", "stream"]


@dataclass(eq=False, repr=False)
class StreamDisplay(Display):
    """How a learner fared on a stream.

    Attributes
    ----------
    examples : ndarray
        Where the stream was looked at: after so many examples.
    mistakes : ndarray
        Mistakes so far.
    rate, recent : ndarray
        Mistakes per example: of all so far, and of the last ``window``.
    baseline : float or None
        The same of always answering the most frequent label; None if no label is known.
    window : int
    """

    examples: npt.NDArray[np.int64]
    mistakes: npt.NDArray[np.int64]
    rate: npt.NDArray[np.float64]
    recent: npt.NDArray[np.float64]
    baseline: float | None
    window: int
    caption: str

    size = (5.6, 3.9)

    def _draw(self, ax: Any, pen: Pen) -> None:
        from matplotlib.ticker import FuncFormatter, PercentFormatter

        # As long as the window holds all examples the two are the same.
        apart = int((self.examples <= self.window).sum())
        parts = [("of all so far", self.rate, 0)]
        if apart < len(self.examples):
            parts.append((f"of the last {self.window:,}", self.recent, max(apart - 1, 0)))
        for place, (name, values, first) in enumerate(parts):
            ax.plot(
                self.examples[first:],
                values[first:],
                color=pen.theme.colour(place),
                ls=STYLES[place],
                marker=style.MARKERS[place],
                markevery=max(1, len(self.examples) // 25),
                ms=4,
                label=name,
            )
        if self.baseline is not None:
            ax.axhline(self.baseline, color=pen.theme.ink, ls=STYLES[3], lw=1.3)
            words = f"always the most frequent: {self.baseline:.1%}"
            look: Any = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
            pen.note(ax, words, (0.99, self.baseline), (0, 3), **look)
        ax.set_xscale("log", base=10)
        ax.set_xlim(self.examples[0] * 0.9, self.examples[-1] * 1.1)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))
        ax.set_ylim(0, 1.1 * max(self.rate.max(), self.recent.max(), self.baseline or 0.01))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set_xlabel("examples")
        ax.set_ylabel("mistakes per example")
        rule_lines(ax, pen.theme)
        ax.legend(loc="best")


def stream(progress: Progress) -> StreamDisplay:
    """The display of what `evaluate.progressive` found."""
    curve = progress.curve
    if not curve:
        raise InputError("this stream has 0 examples so far; there is nothing to show.")
    return StreamDisplay(
        examples=np.array([point.n for point in curve], np.int64),
        mistakes=np.array([point.mistakes for point in curve], np.int64),
        rate=np.array([point.rate for point in curve]),
        recent=np.array([point.recent for point in curve]),
        baseline=progress.baseline if progress.labels else None,
        window=progress.window,
        caption=progress.summary() + ".",
    )
