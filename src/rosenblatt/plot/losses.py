"""Picture of the loss functions of perceptrons against the margin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import ParameterError
from rosenblatt.losses import hinge, logistic, perceptron, zero_one_of_margin
from rosenblatt.plot.curves import curve_look, draw_grid_lines
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOSSES: dict[str, tuple[Callable[[FloatArray], FloatArray], str]] = {
    "zero_one": (zero_one_of_margin, "zero-one: 1 if m ≤ 0"),
    "perceptron": (perceptron, "perceptron (hard): max(0, −m)"),
    "hinge": (hinge, "hinge: max(0, 1 − m)"),
    "logistic": (logistic, "logistic (soft): ln(1 + exp(−m))"),
}
POINTS_PER_UNIT = 32


class LossesDisplay(Display):
    """Losses as functions of the margin ``m = y (w·x + b)``.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    margin : ndarray of shape (n,)
        Values of m, including 0 and 1, where the kinks are.
    values : dict of str to ndarray of shape (n,)
        Values of each loss, by name.
    """

    margin: FloatArray
    values: dict[str, FloatArray]

    size = (5.8, 4.0)

    def __post_init__(self) -> None:
        names = ", ".join(name.replace("_", "-") for name in self.values)
        self.caption = f"Losses of the margin m = y (w·x + b): {names}. A tie, m = 0, is a mistake."

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        low = float(self.margin[0])
        high = float(self.margin[-1])
        top = max(float(values.max()) for values in self.values.values()) or 1.0

        # The side of wrong predictions is tinted.
        ax.axvspan(low, 0, color=theme.tint(theme.faint, 0.1), lw=0, zorder=0)
        for place, (name, values) in enumerate(self.values.items()):
            label = LOSSES[name][1]
            if name == "zero_one":
                self._draw_jump(ax, pen, values, {"color": theme.colour(place), "label": label})
                continue
            look = {**curve_look(theme, place), "ms": 4.5, "label": label}
            # One marker per unit, at another place for each curve.
            every = (POINTS_PER_UNIT // 4 * (place + 1), POINTS_PER_UNIT)
            ax.plot(self.margin, values, markevery=every, **look)

        ax.set(xlim=(low, high), ylim=(-0.15 * top, 1.05 * top))
        ax.set(xlabel="margin m = y (w·x + b)", ylabel="loss")
        draw_grid_lines(ax, pen.theme)
        foot: Look = {"transform": ax.get_xaxis_transform(), "color": theme.faint}
        if low < 0:
            ax.text(min(0, high), 0.02, "wrong  ", ha="right", **foot)
        if high > 0:
            ax.text(max(0, low), 0.02, "  right", **foot)
        ax.legend(loc="upper right")

    def _draw_jump(self, ax: Axes, pen: Pen, values: FloatArray, look: Look) -> None:
        """Draw the step of the zero-one loss; a filled circle marks the value at 0."""
        label = look.pop("label")
        is_wrong = values == 1.0
        ax.plot(self.margin[is_wrong], values[is_wrong], lw=2.6, label=label, **look)
        is_right = self.margin >= 0.0
        ax.plot(self.margin[is_right], np.zeros(int(is_right.sum())), lw=2.6, **look)
        if is_wrong.any() and is_right.any():
            ax.plot([0], [1], "o", ms=7, **look)
            ax.plot([0], [0], "o", ms=7, markerfacecolor=pen.theme.paper, zorder=5, **look)


def losses(
    names: Sequence[str] = ("zero_one", "perceptron", "hinge", "logistic"),
    *,
    low: float = -3.0,
    high: float = 3.0,
) -> LossesDisplay:
    """Show loss functions against the margin of a prediction (L1.11, L3.5).

    The zero-one loss counts mistakes; it has no slope to descend. The perceptron descends
    ``max(0, -m)``. The hinge loss also requires a margin of 1. The logistic loss, that of the soft
    perceptron, is positive for every prediction and close to the perceptron loss far from 0.

    Parameters
    ----------
    names : sequence of {"zero_one", "perceptron", "hinge", "logistic"}
        The losses to show.
    low, high : float
        The smallest and the largest margin.

    Returns
    -------
    display : LossesDisplay

    See Also
    --------
    rosenblatt.losses : Compute the losses and their slopes.

    Examples
    --------
    >>> from rosenblatt import plot
    >>> shown = plot.losses()
    >>> at_zero = shown.margin.tolist().index(0.0)
    >>> {name: round(float(values[at_zero]), 3) for name, values in shown.values.items()}
    {'zero_one': 1.0, 'perceptron': 0.0, 'hinge': 1.0, 'logistic': 0.693}
    """
    listed: list[Any] = list(names) if isinstance(names, list | tuple) else [names]
    for name in listed:
        if name not in LOSSES:
            allowed = ", ".join(map(repr, LOSSES))
            raise ParameterError(f"names: {name!r} is not known; give some of {allowed}.")
    if not listed:
        raise ParameterError("names is empty; give at least one loss.")
    are_numbers = isinstance(low, int | float) and isinstance(high, int | float)
    if not (are_numbers and -1e6 <= low < high <= 1e6):
        raise ParameterError(f"low={low!r} and high={high!r}: give two numbers, the lower first.")

    n_points = int(min(max((high - low) * POINTS_PER_UNIT, 64), 4096)) + 1
    kinks = [kink for kink in (0.0, 1.0) if low <= kink <= high]
    margin = np.union1d(np.linspace(low, high, n_points), kinks)
    values = {}
    for name in listed:
        loss, _ = LOSSES[name]
        values[name] = loss(margin)
    return LossesDisplay(margin, values)
