"""Picture of survival times: how many examples each weight vector survived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import style
from rosenblatt.plot.curves import draw_grid_lines, panel_grid, panels, whole_numbers
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.arrays import AnyArray

# Most vectors that are drawn as bars; more are drawn as lines.
MAX_BARS = 60
MAX_PANELS = 12
# Most lines; more vectors are grouped, and the longest survival time of each group is drawn.
MAX_LINES = 600
# Ratio of the longest to the median time above which the axis is logarithmic.
LOG_FROM = 40


class SurvivalTimes(NamedTuple):
    """Survival times of the weight vectors of a run, or of one class of a kernel machine.

    ``survival[k]`` is c_k: the number of examples that the vector after k mistakes survived.
    ``name`` is the class, None if there is only one run. ``moved_by`` is "update" if not only
    mistakes moved the weights, or if that is not known.
    """

    name: str | None
    survival: npt.NDArray[np.int64]
    moved_by: str = "mistake"

    @property
    def longest(self) -> int:
        """The index k of the vector that survived longest."""
        return int(self.survival.argmax())

    @property
    def share(self) -> float:
        """The share of the longest survivor in all votes."""
        return float(self.survival.max()) / max(int(self.survival.sum()), 1)


class VoteDisplay(Display):
    """Picture of the survival times of weight vectors, made by `vote`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    lives : list of SurvivalTimes
        One, or one for each class of a kernel machine that trains each class against the rest.
    left_out : int
        Number of classes that are not shown.
    log_axis : bool
        True if the axis of the survival times is logarithmic.
    """

    lives: list[SurvivalTimes]
    left_out: int
    log_axis: bool

    def __post_init__(self) -> None:
        one = self.lives[0]
        counts = [len(times.survival) for times in self.lives]
        self.caption = (
            f"{count(counts[0], 'weight vector')}; the one after "
            f"{count(one.longest, one.moved_by)} lived longest, "
            f"{count(int(one.survival.max()), 'example')}, and has {_percent(one.share)} of the "
            "votes."
        )
        if len(counts) > 1:
            self.caption = (
                f"{len(counts)} classes, each with votes of its own, of {min(counts):,} to "
                f"{max(counts):,} weight vectors. A star marks the longest life of each, with its "
                "share of the votes."
            )
        group_size = max(_group_size(times) for times in self.lives)
        if group_size > 1:
            self.caption += f" Drawn is the longest life of every {group_size:,}."
        if self.left_out:
            self.caption += f" {count(self.left_out, 'more class', 'more classes')} not shown."

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.lives))

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        return (5.8, 3.9) if rows * columns == 1 else (2.2 * columns + 0.4, 2.1 * rows + 0.7)

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        most = max(int(one.survival.max()) for one in self.lives)
        for ax, one in panels(axes, self.lives):
            self._draw_lives(ax, pen, one, most)
        # All panels have the same scale, so the numbers at the left are enough.
        for ax in axes[:, 1:].flat:
            ax.tick_params(labelleft=False)
        axes[len(axes) // 2, 0].set_ylabel("examples survived")
        name = "k"
        if axes.size == 1:
            name = f"k, {self.lives[0].moved_by}s before this weight vector"
        for ax in axes[-1]:
            ax.set_xlabel(name)

    def _draw_lives(self, ax: Axes, pen: Pen, one: SurvivalTimes, most: int) -> None:
        """Draw the survival times of one run, with a star at the longest."""
        theme = pen.theme
        k = np.arange(len(one.survival))
        longest = one.longest
        colour = theme.colour(0)
        if len(k) <= MAX_BARS:
            ax.bar(k, one.survival, 0.8, color=colour, lw=0)
        else:
            first = np.arange(0, len(k), _group_size(one))
            heights = np.maximum.reduceat(one.survival, first)
            line_width = float(np.clip((100 if pen.small else 280) / len(first), 0.3, 2.5))
            ax.vlines(first, 0, heights, color=colour, lw=line_width)
        star: Look = {"ms": 11, "color": theme.colour(1), "zorder": 5, "clip_on": False}
        ax.plot([longest], [one.survival[longest]], "*", **star)

        if self.log_axis:
            # Linear below 1, so that a vector that survived no example can be shown.
            ax.set_yscale("symlog", linthresh=1, linscale=0.5)
            ax.set_ylim(0, 4.0 * most)
            ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        else:
            ax.set_ylim(0, 1.25 * most)
            whole_numbers(ax.yaxis)
        ax.set_xlim(-0.8 - 0.01 * len(k), len(k) - 0.2)
        whole_numbers(ax.xaxis)
        draw_grid_lines(ax, pen.theme)
        if pen.small:
            ax.locator_params(axis="x", nbins=4)
            ax.set_title(pen.text(f"{one.name}"), loc="left")

        # The words go to the side of the star with more room.
        n_survived = int(one.survival[longest])
        words = _percent(one.share)
        if not pen.small:
            words = f"k = {longest:,}: {count(n_survived, 'example')} ({words})"
        is_late = longest > len(k) / 2
        offset = -7 if is_late else 7
        look: Look = {"ha": "right" if is_late else "left", "va": "bottom", "halo": False}
        look["fontsize"] = 8 if pen.small else 9
        pen.note(ax, words, (longest, n_survived), (offset, 4), **look)


def vote(source: Any) -> VoteDisplay:
    """Show the survival time of each weight vector: its weight in the vote and in the average.

    The vector after the k-th mistake survives c_k examples until the next mistake (L4.2). The voted
    perceptron predicts ``sign Σ c_k sign(w_k·x + b_k)``. The c_k add up to the examples seen.

    Parameters
    ----------
    source : VotedPerceptron, KernelPerceptron, learner with record=True, or Ledger
        A kernel perceptron that trains each class against the rest (``multiclass="ovr"``) has
        survival times for each class; at most 12 are drawn, side by side.

    Returns
    -------
    display : VoteDisplay

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron, datasets, plot
    >>> digits = datasets.digits()
    >>> shown = plot.vote(VotedPerceptron().partial_fit(digits.X, digits.y))
    >>> survival = shown.lives[0].survival
    >>> len(survival), int(survival.sum())
    (339, 1797)
    """
    lives = _survival_times(source)
    kept = lives[:MAX_PANELS]
    longest = max(int(one.survival.max()) for one in kept)
    usual = max(min(float(np.median(one.survival)) for one in kept), 1.0)
    return VoteDisplay(kept, len(lives) - len(kept), log_axis=longest > LOG_FROM * usual)


def _group_size(times: SurvivalTimes) -> int:
    """Return the number of consecutive vectors that share a line."""
    return -(-len(times.survival) // MAX_LINES)


def _percent(share: float) -> str:
    """Format a share as a percentage, with two decimals if it is below 1 %."""
    return f"{share:.0%}" if share >= 0.0095 else f"{share:.2%}"


def _survival_times(source: Any) -> list[SurvivalTimes]:
    """Return the survival times of a ledger or a learner: one run, or one per class."""
    if hasattr(source, "survival") and hasattr(source, "entries"):
        return [SurvivalTimes(None, source.survival, "update")]
    try:
        if hasattr(source, "multiclass"):
            if source.multiclass == "ovr" and len(source.classes_) > 2:
                pairs = zip(source.classes_.tolist(), source.survival_, strict=True)
                return [SurvivalTimes(style.named(label), times) for label, times in pairs]
            return [SurvivalTimes(None, source.ledger_.best.survival)]
        times = source.survival_ if hasattr(source, "survival_") else source.ledger_.survival
        only_mistakes = len(times) == source.n_mistakes_ + 1
        return [SurvivalTimes(None, times, "mistake" if only_mistakes else "update")]
    except AttributeError:
        raise InputError(
            f"this {type(source).__name__} does not know how long its weight vectors lived: give a "
            "VotedPerceptron, a KernelPerceptron without a budget, or a learner with record=True "
            "after fit."
        ) from None
