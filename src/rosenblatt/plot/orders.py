"""Does the order of the rows matter? Mistakes over many orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import curves
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.theory.order_study import OrderStudy

MOST_BINS = 24


class OrdersDisplay(Display):
    """How many orders led to how many mistakes.

    Attributes
    ----------
    learner : str
    mistakes : ndarray of shape (n_orders,)
        Mistakes with each order.
    edges : ndarray of shape (n_bins + 1,)
        Bounds of the bars; every bar spans as many whole numbers as the next.
    counts : ndarray of shape (n_bins,)
        Orders in each bar.
    median : float
    bound : float or None
        ``R²/γ²``: no order makes more mistakes.
    file_order : int or None
        Mistakes with the rows as they stand in the file.
    """

    learner: str
    mistakes: npt.NDArray[np.int64]
    edges: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    median: float
    bound: float | None
    file_order: int | None

    size = (5.6, 3.9)

    def __post_init__(self) -> None:
        low, high = int(self.mistakes.min()), int(self.mistakes.max())
        caption = (
            f"{self.learner} on {count(len(self.mistakes), 'order')} of the same rows: "
            f"{low:,} to {count(high, 'mistake')}, median {curves.short_number(self.median)}"
        )
        if self.file_order is not None:
            caption += f"; in the order of the file {self.file_order:,}"
        if self.bound is not None:
            held = f"never more than the bound R²/γ² = {curves.short_number(self.bound)}"
            caption += f"; {held if high <= self.bound else curves.bound_exceeded(self.bound)}"
        self.caption = caption + "."

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme = pen.theme
        tint = theme.tint(theme.colour(0), 0.75)
        bar = {"align": "edge", "color": tint, "edgecolor": theme.paper, "linewidth": 0.8}
        ax.bar(self.edges[:-1], self.counts, np.diff(self.edges), **bar)
        top = 1.38 * float(self.counts.max())
        left, right = float(self.edges[0]), float(self.edges[-1])
        # Words stand on the side away from the next line.
        late = self.file_order is None or self.file_order >= self.median
        lines = [(self.median, "median", curves.STYLES[0], theme.ink, 0.96, "o", late)]
        if self.file_order is not None:
            look = (curves.STYLES[1], theme.colour(1), 0.86, "v", not late)
            lines.append((self.file_order, "file order", *look))
        if self.bound is not None:
            if curves.is_within_sight(self.bound, float(self.mistakes.max())):
                look = (curves.STYLES[3], theme.alarm, 0.76, "X", True)
                lines.append((self.bound, "bound R²/γ²", *look))
            else:
                words = f"bound R²/γ² = {curves.short_number(self.bound)}, far to the right  →"
                ax.set_title(words, loc="right", fontsize=10)
        shown = [value for value, *_ in lines]
        left, right = min([left, *shown]), max([right, *shown])
        room = 0.03 * max(right - left, 1.0)
        for value, name, line, colour, height, marker, to_the_left in lines:
            ax.plot([value, value], [0, height * top], color=colour, ls=line, lw=1.8)
            ax.plot([value], [height * top], marker=marker, ms=6, color=colour)
            side, away = ("right", -8) if to_the_left else ("left", 8)
            words = f"{name} {curves.short_number(value)}"
            pen.note(ax, words, (value, height * top), (away, 0), ha=side)
        ax.set(xlim=(left - room, right + room), ylim=(0, top))
        ax.set(xlabel="mistakes in training", ylabel="orders")
        curves.whole_numbers(ax.xaxis, ax.yaxis)


def orders(study: OrderStudy, *, bound: Any = None, file_order: Any = None) -> OrdersDisplay:
    """Show how many mistakes a learner makes on many orders of the same rows (L5.6).

    Parameters
    ----------
    study : OrderStudy
        What `rosenblatt.theory.order_study` found.
    bound : MistakeBound or float, default=None
        ``R²/γ²``, the same for every order (L3.14).
    file_order : fitted learner or int, default=None
        A learner that took the rows as they stand (``shuffle=False``), or its mistakes.

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets, plot, theory
    >>> iris = datasets.iris()
    >>> study = theory.order_study(Perceptron(), iris.X, iris.y == 0, n_orders=20)
    >>> as_it_stands = Perceptron(shuffle=False).fit(iris.X, iris.y == 0)
    >>> shown = plot.orders(study, file_order=as_it_stands)
    >>> shown
    <OrdersDisplay: Perceptron on 20 orders of the same rows: 2 to 10 mistakes, median 7; in the
    order of the file 5.>
    >>> int(shown.counts.sum())
    20
    """
    if not hasattr(study, "stop_reasons"):
        raise InputError(
            f"a {type(study).__name__} is no study of orders: give what "
            "theory.order_study returned."
        )
    made = np.asarray(study.mistakes, np.int64)
    low, high = int(made.min()), int(made.max())
    # Bars of equally many whole numbers: others would rise and fall by rounding alone.
    width = -(-(high - low + 1) // MOST_BINS)
    edges = np.arange(low, high + width + 1, width, dtype=np.float64) - 0.5
    if edges[-2] > high:
        edges = edges[:-1]
    return OrdersDisplay(
        learner=study.learner,
        mistakes=made,
        edges=edges,
        counts=np.histogram(made, edges)[0].astype(np.int64),
        median=float(np.median(made)),
        bound=curves.as_bound(bound),
        file_order=_file_order(file_order),
    )


def _file_order(given: Any) -> int | None:
    if given is None:
        return None
    made = getattr(given, "n_mistakes_", given)
    if isinstance(made, bool) or not isinstance(made, int | np.integer):
        raise InputError(
            f"file_order={given!r} is not allowed: give a fitted learner or a number of mistakes."
        )
    return int(made)
