"""Picture of the mistakes of a learner over many orders of the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.plot import curves
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.theory.order_study import OrderStudy

MAX_BINS = 24


class _Line(NamedTuple):
    """A vertical line at a number of mistakes."""

    value: float
    name: str
    style: Any
    colour: str
    height: float  # as a share of the height of the axes
    marker: str
    is_named_left: bool


class OrdersDisplay(Display):
    """Histogram of the mistakes over many orders.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    learner : str
        Name of the learner.
    mistakes : ndarray of shape (n_orders,)
        Mistakes with each order.
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bars; all bars span equally many whole numbers.
    counts : ndarray of shape (n_bins,)
        Number of orders in each bar.
    median : float
        Median of the mistakes.
    bound : float or None
        ``R²/γ²``: no order makes more mistakes.
    file_order : int or None
        Mistakes with the rows in the order of the file.
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
        low = int(self.mistakes.min())
        high = int(self.mistakes.max())
        caption = (
            f"{self.learner} on {count(len(self.mistakes), 'order')} of the same rows: "
            f"{low:,} to {count(high, 'mistake')}, median {curves.short_number(self.median)}"
        )
        if self.file_order is not None:
            caption += f"; in the order of the file {self.file_order:,}"
        if self.bound is not None:
            if high <= self.bound:
                number = curves.short_number(self.bound)
                caption += f"; never more than the bound R²/γ² = {number}"
            else:
                caption += f"; {curves.bound_exceeded(self.bound)}"
        self.caption = caption + "."

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        tint = theme.tint(theme.colour(0), 0.75)
        bar: Look = {"align": "edge", "color": tint, "edgecolor": theme.paper, "linewidth": 0.8}
        ax.bar(self.edges[:-1], self.counts, np.diff(self.edges), **bar)
        top = 1.38 * float(self.counts.max())

        # Each name is written on the side away from the other line.
        is_late = self.file_order is None or self.file_order >= self.median
        lines = [_Line(self.median, "median", curves.STYLES[0], theme.ink, 0.96, "o", is_late)]
        if self.file_order is not None:
            colour = theme.colour(1)
            made = float(self.file_order)
            line = _Line(made, "file order", curves.STYLES[1], colour, 0.86, "v", not is_late)
            lines.append(line)
        if self.bound is not None:
            if curves.is_within_sight(self.bound, float(self.mistakes.max())):
                style = curves.STYLES[3]
                lines.append(_Line(self.bound, "bound R²/γ²", style, theme.alarm, 0.76, "X", True))
            else:
                words = f"bound R²/γ² = {curves.short_number(self.bound)}, far to the right  →"
                ax.set_title(words, loc="right", fontsize=10)

        values = [line.value for line in lines]
        left = min([float(self.edges[0]), *values])
        right = max([float(self.edges[-1]), *values])
        room = 0.03 * max(right - left, 1.0)
        for line in lines:
            height = line.height * top
            ax.plot([line.value, line.value], [0, height], color=line.colour, ls=line.style, lw=1.8)
            ax.plot([line.value], [height], marker=line.marker, ms=6, color=line.colour)
            words = f"{line.name} {curves.short_number(line.value)}"
            side, offset = ("right", -8) if line.is_named_left else ("left", 8)
            pen.note(ax, words, (line.value, height), (offset, 0), ha=side)
        ax.set(xlim=(left - room, right + room), ylim=(0, top))
        ax.set(xlabel="mistakes in training", ylabel="orders")
        curves.whole_numbers(ax.xaxis, ax.yaxis)


def orders(study: OrderStudy, *, bound: Any = None, file_order: Any = None) -> OrdersDisplay:
    """Show how many mistakes a learner makes on many orders of the same rows (L5.6).

    Parameters
    ----------
    study : OrderStudy
        The result of `rosenblatt.theory.order_study`.
    bound : MistakeBound or float, default=None
        ``R²/γ²``, the same for every order (L3.14).
    file_order : fitted learner or int, default=None
        A learner that took the rows in their own order (``shuffle=False``), or its mistakes.

    Returns
    -------
    display : OrdersDisplay

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
    low = int(made.min())
    high = int(made.max())
    # All bars span equally many whole numbers; otherwise their heights would vary by rounding.
    width = -(-(high - low + 1) // MAX_BINS)
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


def _file_order(given: object) -> int | None:
    """Return the number of mistakes of a fitted learner; a number or None is returned unchanged."""
    if given is None:
        return None
    made = getattr(given, "n_mistakes_", given)
    if isinstance(made, bool) or not isinstance(made, int | np.integer):
        raise InputError(
            f"file_order={given!r} is not allowed: give a fitted learner or a number of mistakes."
        )
    return int(made)
