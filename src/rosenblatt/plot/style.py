"""How pictures look: colours that everyone tells apart, a shape and a letter beside each colour."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import checks

LONGEST_NAME, KEPT_AT_END = 24, 7
# Filled shapes that stay apart at the size of a full stop.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">")


@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    The palettes keep their colours apart for normal sight and in protanopia, deuteranopia and
    tritanopia, and each colour apart from the paper; the tests measure both.
    """

    name: str
    paper: str
    ink: str  # lines and words
    faint: str  # what stays behind: old lines, bands
    rule: str  # grid lines
    palette: tuple[str, ...]  # one a class, from the first again when there are more classes
    alarm: str  # mistakes

    def colour(self, place: int) -> str:
        """The colour of the class at this place."""
        return self.palette[place % len(self.palette)]

    def tint(self, colour: str, share: float = 0.16) -> str:
        """A colour thinned with the paper, for areas; unlike transparency it does not add up."""
        return "#" + bytes(self.tints(colour, np.array(share))).hex()

    def tints(self, colour: str, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """The same for an array of shares: red, green and blue from 0 to 255 along a new axis."""
        share = shares[..., None]
        mixed = share * _channels(colour) + (1 - share) * _channels(self.paper)
        return np.asarray(np.rint(mixed), np.uint8)

    def settings(self) -> dict[str, Any]:
        """Matplotlib's settings while something is drawn with this theme."""
        return {
            **{f"axes.{name}color": self.ink for name in ("edge", "label", "title")},
            **{f"{name}.color": self.ink for name in ("text", "xtick", "ytick")},
            **{f"{name}.facecolor": self.paper for name in ("figure", "axes")},
            **{f"savefig.{name}color": "auto" for name in ("face", "edge")},
            **{f"axes.{name}": False for name in ("spines.top", "spines.right", "grid")},
            **{f"axes.{name}": True for name in ("axisbelow", "unicode_minus")},
            **{f"{name}.linewidth": 0.8 for name in ("axes", "grid")},
            **{f"{name}.labelsize": 9 for name in ("xtick", "ytick")},
            **{f"legend.{name}fontsize": 9 for name in ("", "title_")},
            "axes.titlesize": 11,
            "axes.labelsize": 10,
            "font.size": 10,
            "text.usetex": False,
            "legend.frameon": False,
            "grid.color": self.rule,
            "lines.linewidth": 1.8,
            "image.cmap": "gray",
        }


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1b1e23",
    faint="#6c737d",
    rule="#e2e5e9",
    palette=("#0072b2", "#d55e00", "#186149", "#6d0079", "#995ffd", "#313d00"),
    alarm="#b00020",
)
DARK = Theme(
    name="dark",
    paper="#16181d",
    ink="#e8eaed",
    faint="#969da8",
    rule="#33373f",
    palette=("#56b4e9", "#e69f00", "#79ffdb", "#ce3d61", "#7e5bec", "#ffff3d"),
    alarm="#ff8a80",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_named(theme: str | Theme) -> Theme:
    """A theme by its name; a theme of one's own is taken as it is."""
    if isinstance(theme, Theme):
        return theme
    return THEMES[checks.choice("theme", theme, *THEMES)]


def theme_of_paper(colour: Any) -> Theme:
    """The theme whose lines are seen on this ground (red, green and blue from 0 to 1)."""
    red, green, blue = colour[:3]
    return DARK if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else LIGHT


@dataclass(frozen=True)
class Mark:
    """How a class is shown."""

    label: Any  # the class itself
    name: str  # what the legend calls it
    letter: str  # a short name, at most two characters, different for every class
    place: int  # among the classes; `Theme.colour` gives the colour for it
    marker: str  # its shape, by Matplotlib's name


def marks(classes: Iterable[Any]) -> tuple[Mark, ...]:
    """A mark for each class, in order.

    >>> [mark.letter for mark in marks([-1, 1])], [mark.letter for mark in marks(["no", "yes"])]
    (['−', '+'], ['n', 'y'])
    """
    listed = list(classes)
    names = [named(label) for label in listed]
    if _are_signs(listed):
        names = ["−1", "+1"]
    return tuple(
        Mark(label, name, letter, place, MARKERS[place % len(MARKERS)])
        for place, (label, name, letter) in enumerate(
            zip(listed, names, _letters(listed, names), strict=True)
        )
    )


def named(label: Any, longest: int = LONGEST_NAME) -> str:
    """A label as one short line of text that can be printed.

    Of a long one both ends are kept, since labels often differ in the last letters.

    >>> named(-1), named("two\\nlines"), named("ward of the hospital, bed 12")
    ('−1', 'two lines', 'ward of the hosp… bed 12')
    """
    if isinstance(label, bytes):
        label = label.decode("utf-8", "replace")
    text = " ".join(str(label).split())
    text = "".join(c if c.isprintable() else "�" for c in text) or "(empty)"
    if not isinstance(label, str) and text.startswith("-"):
        text = "−" + text[1:]
    if len(text) <= longest:
        return text
    kept = min(KEPT_AT_END, longest // 3)
    return f"{text[: longest - kept - 1]}…{text[-kept:]}"


def _letters(labels: list[Any], names: list[str]) -> list[str]:
    if _are_signs(labels):
        return ["−", "+"]
    firsts = [name[0] for name in names]
    for candidate in (names, firsts):
        if all(len(name) <= 2 for name in candidate) and len(set(candidate)) == len(candidate):
            return candidate
    return [_counted(place) for place in range(len(names))]


def _are_signs(labels: list[Any]) -> bool:
    return all(isinstance(label, int | float) for label in labels) and labels == [-1, 1]


def _counted(place: int) -> str:
    """A to Z, then AA, AB and so on."""
    more, last = divmod(place, 26)
    return (_counted(more - 1) if more else "") + string.ascii_uppercase[last]


def drawable(text: str, families: Sequence[str]) -> str:
    """Text that Matplotlib draws as it stands, letter for letter.

    A dollar sign would start a formula; a letter that no font has would come out as an empty box,
    so its number is shown instead.
    """
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in families]
    shown = "".join(
        c if c == "\n" or any(font.get_char_index(ord(c)) for font in fonts) else f"\\u{ord(c):04x}"
        for c in text
    )
    return shown.replace("$", r"\$")


def _channels(colour: str) -> Any:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.float64)
