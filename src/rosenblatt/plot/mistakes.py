"""Pictures of mistakes: per epoch of a run, or as a rate on a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import curves, style
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.inspection.stream_scores import Progress

# Most epochs that are drawn as bars, and most bars that have a number.
MAX_BARS = 40
MAX_NUMBERS = 14
# Most learners that the caption describes; with more the picture is higher, for the legend.
MAX_DESCRIBED = 6


class StreamDisplay(Display):
    """Mistake rate of a learner on a stream of examples.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    examples : ndarray
        Numbers of examples at the points of the curve.
    mistakes : ndarray
        Mistakes so far.
    rate, recent : ndarray
        Mistakes per example: over all so far, and over the last ``window``.
    baseline : float or None
        Mistakes per example of always predicting the most frequent label; None without labels.
    window : int
        Number of examples for ``recent``.
    """

    examples: npt.NDArray[np.int64]
    mistakes: npt.NDArray[np.int64]
    rate: npt.NDArray[np.float64]
    recent: npt.NDArray[np.float64]
    baseline: float | None
    window: int
    caption: str

    size = (5.6, 3.9)

    def _draw(self, ax: Axes, pen: Pen) -> None:
        from matplotlib.ticker import FuncFormatter, PercentFormatter

        every = max(1, len(self.examples) // 25)
        look: Look = {"ms": 4, "markevery": every}
        look_of_rate = curves.curve_look(pen.theme, 0) | look
        ax.plot(self.examples, self.rate, label="of all so far", **look_of_rate)
        # As long as the window holds all examples, both curves are the same.
        n_same = int((self.examples <= self.window).sum())
        if n_same < len(self.examples):
            first = max(n_same - 1, 0)
            name = f"of the last {self.window:,}"
            look_of_recent = curves.curve_look(pen.theme, 1) | look
            ax.plot(self.examples[first:], self.recent[first:], label=name, **look_of_recent)

        if self.baseline is not None:
            ax.axhline(self.baseline, color=pen.theme.ink, ls=curves.STYLES[3], lw=1.3)
            words = f"always the most frequent: {self.baseline:.1%}"
            where: Look = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
            pen.note(ax, words, (0.99, self.baseline), (0, 3), **where)

        ax.set_xscale("log", base=10)
        ax.set_xlim(self.examples[0] * 0.9, self.examples[-1] * 1.1)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))
        ax.set_ylim(0, 1.1 * max(self.rate.max(), self.recent.max(), self.baseline or 0.01))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set(xlabel="examples", ylabel="mistakes per example")
        curves.draw_grid_lines(ax, pen.theme)
        ax.legend(loc="best")


def stream(progress: Progress) -> StreamDisplay:
    """Show the mistake rate of a result of `evaluate.progressive`."""
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
    """Mistakes of one fit, by epoch.

    ``stop_reason`` is that of the learner; ``kept_epoch`` is the epoch whose weights predict, after
    early stopping.
    """

    name: str
    mistakes: npt.NDArray[np.int64]
    stop_reason: str
    kept_epoch: int | None = None

    @property
    def epochs(self) -> npt.NDArray[np.int64]:
        """Numbers of the epochs, from 1."""
        return np.arange(1, len(self.mistakes) + 1)

    @property
    def total(self) -> npt.NDArray[np.int64]:
        """Cumulative mistakes after each epoch."""
        return np.cumsum(self.mistakes)

    @property
    def ending(self) -> str:
        """A short description of how the fit ended."""
        n = len(self.mistakes)
        endings = {
            "separated": f"epoch {n} without a mistake",
            "cycle": f"weights repeat after epoch {n}: not separable",
            "early_stopping": "no more gain on held-out rows",
            "tolerance": f"given up after epoch {n}: not separable, or by a margin below tol",
            "max_iter": f"stopped at {count(n, 'epoch')}, mistakes left",
        }
        ending = endings.get(self.stop_reason, f"{self.stop_reason} after epoch {n}")

        # That the last epoch was kept is worth a word only after early stopping.
        is_last = self.stop_reason != "early_stopping" and self.kept_epoch == n
        if self.kept_epoch is None or is_last:
            return ending
        return f"{ending}, epoch {self.kept_epoch} kept"


class MistakesDisplay(Display):
    """Mistakes per epoch, of one run or several.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    runs : list of EpochCounts
        The mistakes of each run.
    bound : float or None
        ``R²/γ²``, the most mistakes of a plain perceptron on these rows.
    bound_after : ndarray or None
        For rows that are not separable, the bound ``((R + D)/γ)²`` after each epoch; ``bound`` is
        the last of them.
    """

    runs: list[EpochCounts]
    bound: float | None = None
    bound_after: npt.NDArray[np.float64] | None = None

    @property
    def formula(self) -> str:
        """Formula of the bound."""
        return "R²/γ²" if self.bound_after is None else "((R + D)/γ)²"

    def _size(self) -> tuple[float, float]:
        n_more = float(np.clip(len(self.runs) - MAX_DESCRIBED, 0, 30))
        return 5.6, 3.9 + 0.25 * n_more

    def __post_init__(self) -> None:
        sentences = [
            f"{style.named(run.name)}: {count(int(run.mistakes.sum()), 'mistake')}, {run.ending}"
            for run in self.runs[:MAX_DESCRIBED]
        ]
        if len(self.runs) > MAX_DESCRIBED:
            sentences.append(f"{len(self.runs) - MAX_DESCRIBED:,} more")
        if self.bound is not None:
            most = max(int(run.mistakes.sum()) for run in self.runs)
            if most <= self.bound:
                number = curves.short_number(self.bound)
                sentences.append(f"the bound {self.formula} is {number}")
            else:
                sentences.append(curves.bound_exceeded(self.bound, self.formula))
        self.caption = "; ".join(sentences) + "."

    def _draw(self, ax: Axes, pen: Pen) -> None:
        if len(self.runs) == 1:
            self._draw_one(ax, pen, self.runs[0])
        else:
            self._draw_several(ax, pen)
        longest = max(len(run.mistakes) for run in self.runs)
        ax.set(xlim=(0.4, longest + 0.6), ylim=(0, None), xlabel="epoch")
        curves.whole_numbers(ax.xaxis, ax.yaxis)
        curves.draw_grid_lines(ax, pen.theme)

    def _draw_one(self, ax: Axes, pen: Pen, run: EpochCounts) -> None:
        """Draw the mistakes of one run as bars, and the running total if there is a bound."""
        blue = pen.theme.colour(0)
        orange = pen.theme.colour(1)
        n = len(run.mistakes)
        if n <= MAX_BARS:
            ax.bar(run.epochs, run.mistakes, min(0.72, 0.17 * n), color=blue, label="in the epoch")
        else:
            area: Look = {"step": "mid", "color": blue, "lw": 0}
            ax.fill_between(run.epochs, run.mistakes, label="in the epoch", **area)
        if n <= MAX_NUMBERS:
            offset = (0, 2 if self.bound is None else 5)
            look: Look = {"va": "baseline", "fontsize": 8, "zorder": 4}
            for epoch, made in zip(run.epochs.tolist(), run.mistakes.tolist(), strict=True):
                pen.note(ax, f"{made:,}", (epoch, made), offset, **look)

        ax.set_ylabel("mistakes")
        ax.set_title(pen.text(f"{style.named(run.name)}: {run.ending}"), loc="left")
        if self.bound is not None:
            marker = "o" if n <= MAX_BARS else ""
            so_far: Look = {"color": orange, "ls": curves.STYLES[1], "marker": marker, "ms": 4}
            ax.plot(run.epochs, run.total, zorder=3, label="so far", **so_far)
            self._draw_bound(ax, pen, int(run.mistakes.sum()))
            ax.legend(loc="best")

    def _draw_several(self, ax: Axes, pen: Pen) -> None:
        """Draw each run as a line: mistakes per epoch, or the running total if there is a bound."""
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

    def _draw_bound(self, ax: Axes, pen: Pen, most: int) -> None:
        """Draw the bound as a line, or a note if it is far above the mistakes."""
        assert self.bound is not None
        words = f"bound {self.formula} = {curves.short_number(self.bound)}"
        after = self.bound_after
        if after is None and not curves.is_within_sight(self.bound, most):
            ax.set_ylim(top=1.25 * most)
            look: Look = {"xycoords": "axes fraction", "ha": "right", "va": "top", "halo": False}
            pen.note(ax, f"{words}, far above  ↑", (0.99, 0.97), **look)
            return

        line: Look = {"color": pen.theme.ink, "ls": curves.STYLES[3], "lw": 1.4}
        if after is None or len(after) == 1:
            ax.axhline(self.bound, **line)
        else:
            ax.plot(np.arange(1, len(after) + 1), after, **line)
        ax.set_ylim(top=1.12 * max(self.bound, most))
        look = {"ha": "right", "va": "bottom", "halo": False}
        look["xycoords"] = ("axes fraction", "data")
        pen.note(ax, words, (0.99, self.bound), (0, 3), **look)


def mistakes(source: Any, *, bound: Any = None) -> MistakesDisplay | StreamDisplay:
    """Show the mistakes per epoch of one learner or several, and how each fit ended.

    Parameters
    ----------
    source : fitted learner, list or mapping of them, or evaluate.Progress
        Several learners are drawn as lines; a mapping names them. Any learner with
        ``mistakes_per_epoch_`` works: linear, kernel or structured, also loaded from a file. The
        progress of a stream is drawn as mistakes per example against the number of examples.
    bound : MistakeBound, ProofTrace or float, default=None
        ``R²/γ²`` (L3.12), drawn as a line above the total of mistakes. For rows that are not
        linearly separable the bound grows from epoch to epoch.

    Returns
    -------
    display : MistakesDisplay, or StreamDisplay for a stream

    See Also
    --------
    rosenblatt.plot.proof : Show the total and its bound after each mistake.
    rosenblatt.plot.orders : Show the totals over many orders.

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

    # A bound for rows that are not separable, as a function of the number of epochs.
    epochs = range(1, 1 + max(len(run.mistakes) for run in runs))
    after = np.array([bound.after(epoch) for epoch in epochs])
    return MistakesDisplay(runs, float(after[-1]), after)


def _named(models: Sequence[object]) -> dict[str, object]:
    """Name models by their Python classes; models of the same class are numbered from 1."""
    names = [type(model).__name__ for model in models]
    named = {}
    for i, (name, model) in enumerate(zip(names, models, strict=True)):
        if names.count(name) == 1:
            named[name] = model
        else:
            number = names[: i + 1].count(name)
            named[f"{name} {number}"] = model
    return named


def _counts_of(name: str, model: Any) -> EpochCounts:
    """Return the mistakes per epoch of a fitted learner, and how its fit ended."""
    counts = getattr(model, "mistakes_per_epoch_", None)
    if counts is None:
        raise InputError(
            f"{name} has no mistakes_per_epoch_: give a learner after fit, not one that was given "
            "its rows one by one."
        )
    # Only learners with early stopping or a pocket keep the weights of an earlier epoch.
    kept_epoch = getattr(model, "best_iter_", None)
    return EpochCounts(name, np.asarray(counts, np.int64), str(model.stop_reason_), kept_epoch)
