"""Helpers of pictures with curves: line styles, axes, grid lines, number formats, bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import MARKERS, Theme
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from rosenblatt.arrays import AnyArray
    from rosenblatt.plot.display import Pen

T = TypeVar("T")

# Line styles that can be distinguished without colour, one for each colour of the palette.
STYLES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.4)), (0, (7, 2, 1.5, 2)), (0, (3, 1)))
# Largest bound that is drawn, as a multiple of the mistakes; a larger one flattens the curve.
FURTHEST_BOUND = 4.0


def as_bound(bound: Any) -> float | None:
    """Return a mistake bound as a float; None if there is no bound or it is infinite.

    ``bound`` is a number, or a result of `theory.mistake_bound` or `theory.proof`.
    """
    if getattr(bound, "epochs", None) is not None:
        raise ParameterError(
            f"bound is about {count(bound.epochs, 'epoch')} over rows that are not separable; "
            "plot.mistakes shows how it grows."
        )
    # The results of theory.mistake_bound and of theory.proof name their number differently.
    for name in ("bound", "mistake_bound"):
        if hasattr(bound, name):
            bound = getattr(bound, name)
    if bound is None:
        return None

    try:
        number = float(bound)
    except (TypeError, ValueError):
        number = math.nan
    if not number >= 0:  # also true for NaN
        raise ParameterError(
            f"bound={bound!r} is not allowed: give a number of at least 0 or what "
            "theory.mistake_bound found."
        )
    return None if math.isinf(number) else number


def curve_look(theme: Theme, place: int) -> dict[str, Any]:
    """Return the colour, line style and marker of the curve with the given index."""
    style = STYLES[place % len(STYLES)]
    marker = MARKERS[place % len(MARKERS)]
    return {"color": theme.colour(place), "ls": style, "marker": marker}


def is_within_sight(bound: float, most: float) -> bool:
    """Return whether a bound can be drawn on an axis of counts up to ``most``."""
    return bound <= FURTHEST_BOUND * max(most, 1.0)


def bound_exceeded(bound: float, formula: str = "R²/γ²") -> str:
    """Return a note on a bound that was exceeded, because it does not apply to the run."""
    return (
        f"more than {formula} = {short_number(bound)}, which bounds a plain perceptron on the rows "
        "it was computed from"
    )


def short_number(value: float) -> str:
    """Format a number for display: whole numbers in full, others with about three digits.

    >>> short_number(50.0), short_number(492.1), short_number(0.03162), short_number(-1.5)
    ('50', '492.1', '0.0316', '−1.5')
    """
    if value == round(value) or abs(value) >= 1000:
        text = f"{value:,.0f}"
    elif abs(value) >= 100:
        text = f"{value:,.1f}"
    else:
        text = f"{value:.3g}"
    return text.replace("-", "−")


def cut_to_fit(pen: Pen, words: str, longest: int) -> str:
    """Truncate text to at most ``longest`` letters as drawn.

    A letter that is missing from all fonts is drawn as its code, which takes six letters.
    """
    shown = pen.text(words)
    while len(shown) > longest + 1 and len(words) > 1:
        words = words[:-1]
        shown = f"{pen.text(words)}…"
    return shown


def panel_grid(n: int, most_columns: int = 5) -> tuple[int, int]:
    """Return the numbers of rows and columns of a grid for n panels, with few empty cells.

    >>> panel_grid(3), panel_grid(10), panel_grid(7), panel_grid(12)
    ((1, 3), (2, 5), (2, 4), (3, 4))
    """
    rows = -(-n // most_columns)
    return rows, -(-n // rows)


def panels(axes: AnyArray, contents: Sequence[T]) -> Iterator[tuple[Axes, T]]:
    """Pair each panel with its content, and hide the panels that are left over."""
    for ax in axes.flat[len(contents) :]:
        ax.set_axis_off()
    return zip(axes.flat, contents, strict=False)


def readable_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast with a colour (WCAG 2)."""
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    # Contrast to black is (L + 0.05) / 0.05, to white 1.05 / (L + 0.05).
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def draw_grid_lines(ax: Axes, theme: Theme) -> None:
    """Draw faint horizontal grid lines behind the data."""
    ax.set_axisbelow(True)
    ax.grid(axis="y", color=theme.rule, linewidth=0.8)


def whole_numbers(*axes: Axis) -> None:
    """Label axes with whole numbers only, with commas as thousands separators."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for axis in axes:
        locator = MaxNLocator(nbins=7, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10])
        axis.set_major_locator(locator)
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
