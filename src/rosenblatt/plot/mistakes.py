"""The mistakes of a run, epoch by epoch, and how it ended; or their share on a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import curves, style
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.evaluate.stream_scores import Progress

# Up to so many epochs have a bar each, and up to so many a number on it.
MOST_BARS = 40
MOST_NUMBERS = 14
# Of so many learners the caption tells; with more the picture is higher, for their names.
MOST_TOLD = 6


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
        The same of always predicting the most frequent label; None if no label is known.
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
        every = max(1, len(self.examples) // 25)
        for place, (name, values, first) in enumerate(parts):
            look = {**curves.curve_look(pen.theme, place), "ms": 4, "markevery": every}
            ax.plot(self.examples[first:], values[first:], label=name, **look)
        if self.baseline is not None:
            ax.axhline(self.baseline, color=pen.theme.ink, ls=curves.STYLES[3], lw=1.3)
            words = f"always the most frequent: {self.baseline:.1%}"
            where: Any = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
            pen.note(ax, words, (0.99, self.baseline), (0, 3), **where)
        ax.set_xscale("log", base=10)
        ax.set_xlim(self.examples[0] * 0.9, self.examples[-1] * 1.1)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))
        ax.set_ylim(0, 1.1 * max(self.rate.max(), self.recent.max(), self.baseline or 0.01))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set(xlabel="examples", ylabel="mistakes per example")
        curves.rule_lines(ax, pen.theme)
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


class EpochCounts(NamedTuple):
    """The mistakes of one fit, epoch by epoch.

    ``mistakes`` in each epoch; ``stop_reason`` as the learner has it; ``kept_epoch`` is the one
    whose weights predict, after early stopping.
    """

    name: str
    mistakes: npt.NDArray[np.int64]
    stop_reason: str
    kept_epoch: int | None = None

    @property
    def epochs(self) -> npt.NDArray[np.int64]:
        """1, 2, …"""
        return np.arange(1, len(self.mistakes) + 1)

    @property
    def total(self) -> npt.NDArray[np.int64]:
        """Mistakes so far, after each epoch."""
        return np.cumsum(self.mistakes)

    @property
    def ending(self) -> str:
        """How it ended, in a few words."""
        n = len(self.mistakes)
        is_last = self.stop_reason != "early_stopping" and self.kept_epoch == n
        kept = "" if self.kept_epoch is None or is_last else f", epoch {self.kept_epoch} kept"
        endings = {
            "separated": f"epoch {n} without a mistake",
            "cycle": f"weights repeat after epoch {n}: not separable",
            "early_stopping": "no more gain on held-out rows",
            "tolerance": f"given up after epoch {n}: not separable, or by a margin below tol",
            "max_iter": f"stopped at {count(n, 'epoch')}, mistakes left",
        }
        return endings.get(self.stop_reason, f"{self.stop_reason} after epoch {n}") + kept


class MistakesDisplay(Display):
    """Mistakes by epoch of one run or several.

    Attributes
    ----------
    runs : list of EpochCounts
    bound : float or None
        ``R²/γ²``, which no total of a plain perceptron on these rows exceeds.
    bound_after : ndarray or None
        Without a separator the bound grows: ``((R + D)/γ)²`` after each epoch, of which ``bound``
        is the last.
    """

    runs: list[EpochCounts]
    bound: float | None = None
    bound_after: npt.NDArray[np.float64] | None = None

    @property
    def formula(self) -> str:
        """What the bound is."""
        return "R²/γ²" if self.bound_after is None else "((R + D)/γ)²"

    def _size(self) -> tuple[float, float]:
        return 5.6, 3.9 + 0.25 * float(np.clip(len(self.runs) - MOST_TOLD, 0, 30))

    def __post_init__(self) -> None:
        sentences = [
            f"{style.named(run.name)}: {count(int(run.mistakes.sum()), 'mistake')}, {run.ending}"
            for run in self.runs[:MOST_TOLD]
        ]
        if len(self.runs) > MOST_TOLD:
            sentences.append(f"{len(self.runs) - MOST_TOLD:,} more")
        if self.bound is not None:
            most = max(int(run.mistakes.sum()) for run in self.runs)
            held = f"the bound {self.formula} is {curves.short_number(self.bound)}"
            over = curves.bound_exceeded(self.bound, self.formula)
            sentences.append(held if most <= self.bound else over)
        self.caption = "; ".join(sentences) + "."

    def _draw(self, ax: Any, pen: Pen) -> None:
        if len(self.runs) == 1:
            self._draw_one(ax, pen, self.runs[0])
        else:
            self._draw_several(ax, pen)
        longest = max(len(run.mistakes) for run in self.runs)
        ax.set(xlim=(0.4, longest + 0.6), ylim=(0, None), xlabel="epoch")
        curves.whole_numbers(ax.xaxis, ax.yaxis)
        curves.rule_lines(ax, pen.theme)

    def _draw_one(self, ax: Any, pen: Pen, run: EpochCounts) -> None:
        blue, orange = pen.theme.colour(0), pen.theme.colour(1)
        n = len(run.mistakes)
        if n <= MOST_BARS:
            ax.bar(run.epochs, run.mistakes, min(0.72, 0.17 * n), color=blue, label="in the epoch")
        else:
            area: Any = {"step": "mid", "color": blue, "lw": 0}
            ax.fill_between(run.epochs, run.mistakes, label="in the epoch", **area)
        if n <= MOST_NUMBERS:
            for epoch, count in zip(run.epochs.tolist(), run.mistakes.tolist(), strict=True):
                above = (0, 2 if self.bound is None else 5)
                look: Any = {"va": "baseline", "fontsize": 8, "zorder": 4}
                pen.note(ax, f"{count:,}", (epoch, count), above, **look)
        ax.set_ylabel("mistakes")
        ax.set_title(pen.text(f"{style.named(run.name)}: {run.ending}"), loc="left")
        if self.bound is not None:
            marker = "o" if n <= MOST_BARS else ""
            so_far: Any = {"color": orange, "ls": curves.STYLES[1], "marker": marker, "ms": 4}
            ax.plot(run.epochs, run.total, zorder=3, label="so far", **so_far)
            self._draw_bound(ax, pen, int(run.mistakes.sum()))
            ax.legend(loc="best")

    def _draw_several(self, ax: Any, pen: Pen) -> None:
        for place, run in enumerate(self.runs):
            values = run.mistakes if self.bound is None else run.total
            name = pen.text(f"{style.named(run.name)}: {run.ending}")
            look = {**curves.curve_look(pen.theme, place), "ms": 5, "clip_on": False}
            every = max(1, len(run.mistakes) // 12)
            ax.plot(run.epochs, values, markevery=every, label=name, **look)
        ax.set_ylabel("mistakes" if self.bound is None else "mistakes so far")
        if self.bound is not None:
            self._draw_bound(ax, pen, max(int(run.mistakes.sum()) for run in self.runs))
        ax.legend(loc="best")

    def _draw_bound(self, ax: Any, pen: Pen, most: int) -> None:
        assert self.bound is not None
        words = f"bound {self.formula} = {curves.short_number(self.bound)}"
        after, line = self.bound_after, {"color": pen.theme.ink, "ls": curves.STYLES[3], "lw": 1.4}
        if after is not None or curves.is_within_sight(self.bound, most):
            if after is None or len(after) == 1:
                ax.axhline(self.bound, **line)
            else:
                ax.plot(np.arange(1, len(after) + 1), after, **line)
            ax.set_ylim(top=1.12 * max(self.bound, most))
            where: Any = ("axes fraction", "data")
            look = {"xycoords": where, "ha": "right", "va": "bottom", "halo": False}
            pen.note(ax, words, (0.99, self.bound), (0, 3), **look)
        else:
            ax.set_ylim(top=1.25 * most)
            look = {"xycoords": "axes fraction", "ha": "right", "va": "top", "halo": False}
            pen.note(ax, f"{words}, far above  ↑", (0.99, 0.97), **look)


def mistakes(source: Any, *, bound: Any = None) -> MistakesDisplay | StreamDisplay:
    """Show the mistakes of one learner or several, epoch by epoch, and how each ended.

    Parameters
    ----------
    source : fitted learner, list or mapping of them, or evaluate.Progress
        Several learners are drawn as lines; a mapping names them. Any learner with
        ``mistakes_per_epoch_`` will do: linear, kernel, structured, saved and loaded. The progress
        of a stream is drawn as the share of mistakes by the number of examples.
    bound : MistakeBound, ProofTrace or float, default=None
        ``R²/γ²`` (L3.12): the total of mistakes is drawn as well, below this line. That of rows
        that are not linearly separable is drawn as it grows from epoch to epoch.

    Returns
    -------
    display : MistakesDisplay, or StreamDisplay of a stream

    See Also
    --------
    rosenblatt.plot.proof : The total and its bound, mistake by mistake.
    rosenblatt.plot.orders : The total over many orders.

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets, plot
    >>> iris = datasets.iris()
    >>> shown = plot.mistakes(Perceptron(shuffle=False).fit(iris.X, iris.labels == "setosa"))
    >>> shown
    <MistakesDisplay: Perceptron: 5 mistakes, epoch 4 without a mistake.>
    >>> shown.runs[0].mistakes.tolist()
    [2, 2, 1, 0]
    """
    if hasattr(source, "curve") and hasattr(source, "recent"):
        if bound is not None:
            raise InputError("bound is about epochs over fixed rows; a stream has none.")
        return stream(source)
    if isinstance(source, Mapping):
        named = {str(name): model for name, model in source.items()}
    elif isinstance(source, list | tuple):
        named = _named(list(source))
    else:
        named = {type(source).__name__: source}
    if not named:
        raise InputError("there are 0 learners; give at least one.")
    runs = [_counts_of(name, model) for name, model in named.items()]
    if getattr(bound, "epochs", None) is None:
        return MistakesDisplay(runs, curves.as_bound(bound))
    epochs = range(1, 1 + max(len(run.mistakes) for run in runs))
    after = np.array([bound.after(epoch) for epoch in epochs])
    return MistakesDisplay(runs, float(after[-1]), after)


def _named(models: list[Any]) -> dict[str, Any]:
    names = [type(model).__name__ for model in models]
    return {
        f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 else name: model
        for i, (name, model) in enumerate(zip(names, models, strict=True))
    }


def _counts_of(name: str, model: Any) -> EpochCounts:
    counts = getattr(model, "mistakes_per_epoch_", None)
    if counts is None:
        raise InputError(
            f"{name} has no mistakes_per_epoch_: give a learner after fit, not one that was given "
            "its rows one by one."
        )
    ending = str(model.stop_reason_), getattr(model, "best_iter_", None)
    return EpochCounts(name, np.asarray(counts, np.int64), *ending)
