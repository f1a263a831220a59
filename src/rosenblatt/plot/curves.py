"""What curves share: line styles, whole-number axes, numbers in words, a bound within sight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import MARKERS, Theme
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.plot.display import Pen

# Told apart without colour; one beside each place of the palette.
STYLES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.4)), (0, (7, 2, 1.5, 2)), (0, (3, 1)))
# A bound further away would press all that happened flat against the axis.
FURTHEST_BOUND = 4.0


def as_bound(bound: Any) -> float | None:
    """``R²/γ²``, from the result of `theory.mistake_bound`, a `theory.proof`, or a number."""
    if getattr(bound, "epochs", None) is not None:
        raise ParameterError(
            f"bound is about {count(bound.epochs, 'epoch')} over rows that are not separable; "
            "plot.mistakes shows how it grows."
        )
    for name in ("bound", "mistake_bound"):
        if hasattr(bound, name):
            bound = getattr(bound, name)
    if bound is None:
        return None
    try:
        number = float(bound)
    except (TypeError, ValueError):
        number = math.nan
    if not number >= 0:
        raise ParameterError(
            f"bound={bound!r} is not allowed: give a number of at least 0 or what "
            "theory.mistake_bound found."
        )
    return None if math.isinf(number) else number


def curve_look(theme: Theme, place: int) -> dict[str, Any]:
    """Colour, line style and marker of the curve at this place among several."""
    line, marker = STYLES[place % len(STYLES)], MARKERS[place % len(MARKERS)]
    return {"color": theme.colour(place), "ls": line, "marker": marker}


def is_within_sight(bound: float, most: float) -> bool:
    """Whether a bound can be drawn on the axis of counts up to ``most``."""
    return bound <= FURTHEST_BOUND * max(most, 1.0)


def bound_exceeded(bound: float, formula: str = "R²/γ²") -> str:
    """What is to be said of a bound that mistakes went beyond: it was about others."""
    return (
        f"more than {formula} = {short_number(bound)}, which bounds a plain perceptron on the rows "
        "it was computed from"
    )


def short_number(value: float) -> str:
    """A number as it is read aloud: whole ones as such, others with three digits.

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


def fitted(pen: Pen, words: str, longest: int) -> str:
    """Words of at most so many letters; one that no font has is drawn as six."""
    shown = pen.text(words)
    while len(shown) > longest + 1 and len(words) > 1:
        words = words[:-1]
        shown = f"{pen.text(words)}…"
    return shown


def panel_grid(n: int, most_columns: int = 5) -> tuple[int, int]:
    """Rows and columns of n panels, with few places left empty.

    >>> panel_grid(3), panel_grid(10), panel_grid(7), panel_grid(12)
    ((1, 3), (2, 5), (2, 4), (3, 4))
    """
    rows = -(-n // most_columns)
    return rows, -(-n // rows)


def panels(axes: Any, contents: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Each panel with what it shows; those that are left over are not seen."""
    for ax in axes.flat[len(contents) :]:
        ax.set_axis_off()
    return zip(axes.flat, contents, strict=False)


def readable_on(colour: str) -> str:
    """Black or white, whichever has the larger contrast (by the luminance of WCAG 2)."""
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def rule_lines(ax: Any, theme: Theme) -> None:
    """Faint lines across, behind what is drawn; also on axes that had others."""
    ax.set_axisbelow(True)
    ax.grid(axis="y", color=theme.rule, linewidth=0.8)


def whole_numbers(*axes: Any) -> None:
    """Only whole numbers on each axis, with commas in the thousands."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    steps: Any = {"nbins": 7, "integer": True, "min_n_ticks": 1, "steps": [1, 2, 5, 10]}
    for axis in axes:
        axis.set_major_locator(MaxNLocator(**steps))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
