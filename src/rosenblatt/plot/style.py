"""Themes and marks of pictures: a colour, a shape and a letter for each class."""

from __future__ import annotations

import string
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import checks

# Longest name of a class, in characters.
LONGEST_NAME = 24
KEPT_AT_END = 7
# Filled markers that can be distinguished even at a very small size.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">")


@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    The colours of a palette can be distinguished from each other and from the paper, with normal
    sight and with protanopia, deuteranopia and tritanopia; tests measure this.
    """

    name: str
    paper: str
    ink: str  # lines and words
    faint: str  # background: old lines, bands
    rule: str  # grid lines
    palette: tuple[str, ...]  # one per class, repeated if there are more classes
    alarm: str  # mistakes

    def colour(self, place: int) -> str:
        """Return the colour of the class with the given index."""
        return self.palette[place % len(self.palette)]

    def tint(self, colour: str, share: float = 0.16) -> str:
        """Mix a colour with the paper; unlike with transparency, overlaps do not add up."""
        return "#" + bytes(self.tints(colour, np.array(share))).hex()

    def tints(self, colour: str, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """Mix a colour with the paper in each of the shares; RGB is the last axis of the result."""
        share = shares[..., None]
        mixed = share * _channels(colour) + (1 - share) * _channels(self.paper)
        return np.asarray(np.rint(mixed), np.uint8)

    def settings(self) -> dict[str, object]:
        """Return the Matplotlib parameters of the theme."""
        return {
            "figure.facecolor": self.paper,
            "axes.facecolor": self.paper,
            "savefig.facecolor": "auto",
            "savefig.edgecolor": "auto",
            "axes.edgecolor": self.ink,
            "axes.labelcolor": self.ink,
            "axes.titlecolor": self.ink,
            "text.color": self.ink,
            "xtick.color": self.ink,
            "ytick.color": self.ink,
            "grid.color": self.rule,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": False,
            "axes.axisbelow": True,
            "axes.unicode_minus": True,
            "axes.linewidth": 0.8,
            "grid.linewidth": 0.8,
            "lines.linewidth": 1.8,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.labelsize": 10,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
            "legend.title_fontsize": 9,
            "legend.frameon": False,
            "text.usetex": False,
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
    """Return a theme by its name; a `Theme` is returned unchanged."""
    if isinstance(theme, Theme):
        return theme
    return THEMES[checks.choice("theme", theme, *THEMES)]


def theme_of_paper(colour: Sequence[float]) -> Theme:
    """Return the theme that is readable on a background colour (RGB from 0 to 1)."""
    red, green, blue = colour[:3]
    return DARK if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else LIGHT


@dataclass(frozen=True)
class Mark:
    """The name, letter, colour and shape of a class in pictures."""

    label: Hashable  # the class itself
    name: str  # in the legend
    letter: str  # a short name, at most two characters, different for every class
    place: int  # index of the class, and of its colour in the palette
    marker: str  # Matplotlib's name of its shape


def marks(classes: Iterable[Hashable]) -> tuple[Mark, ...]:
    """Return a mark for each class, in order.

    >>> [mark.letter for mark in marks([-1, 1])], [mark.letter for mark in marks(["no", "yes"])]
    (['−', '+'], ['n', 'y'])
    """
    listed = list(classes)
    names = [named(label) for label in listed]
    if _are_signs(listed):
        names = ["−1", "+1"]
    letters = _letters(listed, names)
    found = []
    for place, (label, name, letter) in enumerate(zip(listed, names, letters, strict=True)):
        marker = MARKERS[place % len(MARKERS)]
        found.append(Mark(label, name, letter, place, marker))
    return tuple(found)


def named(label: object, longest: int = LONGEST_NAME) -> str:
    """Return a label as one short, printable line of text.

    A long label keeps both ends, because labels often differ in the last letters.

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


def _letters(labels: list[Hashable], names: list[str]) -> list[str]:
    """Return a unique short name for each class: its name, its initial, or A, B, C …"""
    if _are_signs(labels):
        return ["−", "+"]
    firsts = [name[0] for name in names]
    for candidates in (names, firsts):
        are_short = all(len(name) <= 2 for name in candidates)
        are_different = len(set(candidates)) == len(candidates)
        if are_short and are_different:
            return candidates
    return [_column_letters(place) for place in range(len(names))]


def _are_signs(labels: list[Hashable]) -> bool:
    """Return whether the classes are the numbers -1 and 1."""
    return all(isinstance(label, int | float) for label in labels) and labels == [-1, 1]


def _column_letters(place: int) -> str:
    """Return the spreadsheet column name of an index: A to Z, then AA, AB and so on."""
    more, last = divmod(place, 26)
    prefix = _column_letters(more - 1) if more else ""
    return prefix + string.ascii_uppercase[last]


def drawable(text: str, families: Sequence[str]) -> str:
    """Escape text so that Matplotlib draws it literally.

    A dollar sign would start a formula. A letter that no font has would be drawn as an empty box,
    so its code is shown instead.
    """
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in families]
    shown = []
    for c in text:
        has_glyph = c == "\n" or any(font.get_char_index(ord(c)) for font in fonts)
        shown.append(c if has_glyph else f"\\u{ord(c):04x}")
    return "".join(shown).replace("$", r"\$")


def _channels(colour: str) -> npt.NDArray[np.float64]:
    """Return the RGB values from 0 to 255 of a colour such as "#0072b2"."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.float64)
