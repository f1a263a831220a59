"""How long each weight vector lived, which is what its vote counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import style
from rosenblatt.plot.curves import panel_grid, panels, rule_lines, whole_numbers
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

MOST_BARS = 60
MOST_PANELS = 12
# Of more vectors than can be told apart, the longest life of each stretch is drawn.
MOST_LINES = 600
# From so many times longer than the median on, a logarithmic axis shows both.
LOG_FROM = 40


class Lives(NamedTuple):
    """The weight vectors of a run, or the states of one function of a kernel machine.

    ``survival[k]`` is c_k: how many examples the vector after k mistakes lived. ``name`` is the
    class it speaks for, None if there is only one run. ``moved_by`` is "update" where the weights
    were not only moved by mistakes, or where that is not known.
    """

    name: str | None
    survival: npt.NDArray[np.int64]
    moved_by: str = "mistake"

    @property
    def longest(self) -> int:
        """The k of the vector that lived longest."""
        return int(self.survival.argmax())

    @property
    def share(self) -> float:
        """The share of all votes that it has."""
        return float(self.survival.max()) / max(int(self.survival.sum()), 1)


class VoteDisplay(Display):
    """Survival times.

    Attributes
    ----------
    lives : list of Lives
        One, or one for each class of a kernel machine that trains its classes apart.
    left_out : int
        Classes that are not shown.
    log_axis : bool
        Whether the survival times are on a logarithmic axis.
    """

    lives: list[Lives]
    left_out: int
    log_axis: bool

    def __post_init__(self) -> None:
        one, counts = self.lives[0], [len(one.survival) for one in self.lives]
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
        longest = max(_stretch(one) for one in self.lives)
        if longest > 1:
            self.caption += f" Drawn is the longest life of every {longest:,}."
        if self.left_out:
            self.caption += f" {count(self.left_out, 'more class', 'more classes')} not shown."

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.lives))

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        return (5.8, 3.9) if rows * columns == 1 else (2.2 * columns + 0.4, 2.1 * rows + 0.7)

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        most = max(int(one.survival.max()) for one in self.lives)
        for ax, one in panels(axes, self.lives):
            self._draw_lives(ax, pen, one, most)
        for ax in axes[:, 1:].flat:  # all panels have the same scale
            ax.tick_params(labelleft=False)
        axes[len(axes) // 2, 0].set_ylabel("examples survived")
        below = f", {self.lives[0].moved_by}s before this weight vector" * (axes.size == 1)
        for ax in axes[-1]:
            ax.set_xlabel(f"k{below}")

    def _draw_lives(self, ax: Any, pen: Pen, one: Lives, most: int) -> None:
        theme = pen.theme
        k = np.arange(len(one.survival))
        longest, colour = one.longest, theme.colour(0)
        if len(k) <= MOST_BARS:
            ax.bar(k, one.survival, 0.8, color=colour, lw=0)
        else:
            first = np.arange(0, len(k), _stretch(one))
            heights = np.maximum.reduceat(one.survival, first)
            thick = float(np.clip((100 if pen.small else 280) / len(first), 0.3, 2.5))
            ax.vlines(first, 0, heights, color=colour, lw=thick)
        star: Any = {"ms": 11, "color": theme.colour(1), "zorder": 5, "clip_on": False}
        ax.plot([longest], [one.survival[longest]], "*", **star)
        if self.log_axis:
            # Linear below 1, so that a vector that saw no example has a place.
            ax.set_yscale("symlog", linthresh=1, linscale=0.5)
            ax.set_ylim(0, 4.0 * most)
            ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        else:
            ax.set_ylim(0, 1.25 * most)
            whole_numbers(ax.yaxis)
        ax.set_xlim(-0.8 - 0.01 * len(k), len(k) - 0.2)
        whole_numbers(ax.xaxis)
        rule_lines(ax, pen.theme)
        if pen.small:
            ax.xaxis.get_major_locator().set_params(nbins=4)
            ax.set_title(pen.text(f"{one.name}"), loc="left")
        right = longest > len(k) / 2
        lived = int(one.survival[longest])
        words = f"k = {longest:,}: {count(lived, 'example')} ({_percent(one.share)})"
        words, size = (_percent(one.share), 8) if pen.small else (words, 9)
        side, away = ("right", -7) if right else ("left", 7)
        look: Any = {"ha": side, "va": "bottom", "fontsize": size, "halo": False}
        pen.note(ax, words, (longest, lived), (away, 4), **look)


def vote(source: Any) -> VoteDisplay:
    """Show how long each weight vector lived: what it counts for in the vote and the average.

    The vector after the k-th mistake survives c_k examples until the next one (L4.2); with it the
    voted perceptron predicts ``sign Σ c_k sign(w_k·x + b_k)``. All c_k add up to the examples seen.

    Parameters
    ----------
    source : VotedPerceptron, KernelPerceptron, learner with record=True, or Ledger
        A kernel perceptron that trains each class against the rest (``multiclass="ovr"``) has
        survival times for each; they are drawn side by side, at most 12.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron, datasets, plot
    >>> digits = datasets.digits()
    >>> shown = plot.vote(VotedPerceptron().partial_fit(digits.X, digits.y))
    >>> survival = shown.lives[0].survival
    >>> len(survival), int(survival.sum())
    (339, 1797)
    """
    lives = _lives(source)
    kept = lives[:MOST_PANELS]
    longest = max(int(one.survival.max()) for one in kept)
    usual = max(min(float(np.median(one.survival)) for one in kept), 1.0)
    return VoteDisplay(kept, len(lives) - len(kept), log_axis=longest > LOG_FROM * usual)


def _stretch(lives: Lives) -> int:
    """How many neighbouring vectors share a line."""
    return -(-len(lives.survival) // MOST_LINES)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0095 else f"{share:.2%}"


def _lives(source: Any) -> list[Lives]:
    if hasattr(source, "survival") and hasattr(source, "entries"):
        return [Lives(None, source.survival, "update")]
    try:
        if hasattr(source, "multiclass"):
            if source.multiclass == "ovr" and len(source.classes_) > 2:
                pairs = zip(source.classes_.tolist(), source.survival_, strict=True)
                return [Lives(style.named(label), times) for label, times in pairs]
            return [Lives(None, source.ledger_.best.survival)]
        times = source.survival_ if hasattr(source, "survival_") else source.ledger_.survival
        only_mistakes = len(times) == source.n_mistakes_ + 1
        return [Lives(None, times, "mistake" if only_mistakes else "update")]
    except AttributeError:
        raise InputError(
            f"this {type(source).__name__} does not know how long its weight vectors lived: give a "
            "VotedPerceptron, a KernelPerceptron without a budget, or a learner with record=True "
            "after fit."
        ) from None
