"""Drawing helpers shared by all pictures, so that the same thing always looks the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import MissingExtra
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot import style
from rosenblatt.plot.plane import Box, Plane, has_one_scale
from rosenblatt.plot.style import Mark, Theme

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Keyword arguments of a drawing function of Matplotlib.
Look = dict[str, Any]

# Average number of letters of a legend per inch, and the width of a marker in letters.
LEGEND_LETTERS = 11.0
MARK_LETTERS = 6
# Height of a line of a legend in inches, and lines for which the figure need not grow.
LINE_HEIGHT = 0.2
FREE_LINES = 3
# Most lines of a legend; in a figure of fixed size, its largest share of the height.
MAX_LINES = 16
MAX_SHARE = 0.35
# Most entries of a legend inside existing axes, where it covers the picture.
MAX_INSIDE = 10
# Most rows that are drawn as vector shapes; more are rasterized to keep files small.
MAX_SHAPES = 1000
# Most rows that are drawn at full size; more are drawn as small, faint dots.
CROWD = 1000
# More crosses are drawn small. More rings, or rings around a third of the rows, are left out,
# because they would hide the other rows.
MAX_CROSSES = 40
MAX_RINGS = 30
# Factors on marker sizes: triangles and crosses are smaller than a disc of the same width.
AREA = {"^": 1.25, "v": 1.25, "<": 1.25, ">": 1.25, "D": 0.8, "P": 1.25, "X": 1.25, "p": 1.2}


def load_matplotlib() -> ModuleType:
    """Import Matplotlib on first use and return it; raise `MissingExtra` if it is missing."""
    try:
        return import_module("matplotlib")
    except ImportError:
        raise MissingExtra("drawing needs Matplotlib", extra="plot") from None


def legend_name(mark: Mark) -> str:
    """Return the name of a class for a legend, with its letter if it is not the initial."""
    if mark.letter in (mark.name, mark.name[0]):
        return mark.name
    return f"{mark.letter}  {mark.name}"


def _n_columns(names: list[str], room: float) -> int:
    """Return the largest number of columns for which a legend fits into ``room`` letters."""
    for n_columns in range(len(names), 1, -1):
        # A legend is filled column by column.
        n_lines = -(-len(names) // n_columns)
        widths = [max(map(len, names[i : i + n_lines])) for i in range(0, len(names), n_lines)]
        if sum(widths) + MARK_LETTERS * len(widths) <= room:
            return n_columns
    return 1


def has_rings(n_ringed: int, n_rows: int) -> bool:
    """Return whether few enough rows are to be ringed for the rings to be drawn."""
    return 0 < n_ringed <= min(MAX_RINGS, n_rows / 3)


def wrong_rows(n_wrong: int, n_rows: int, words: str) -> str:
    """Return a sentence with the number of misclassified rows, and how they are drawn."""
    faint = ", in full colour; the others are faint" if n_rows > CROWD and n_wrong else ""
    return f"{n_wrong:,} of {n_rows:,} rows {words}{faint}."


@dataclass(eq=False)
class Pen:
    """Drawing operations in a given theme, shared by all pictures."""

    theme: Theme
    small: bool = False  # the axes are one of many, so words must be few
    own: bool = True  # the figure is ours, so there is room around the axes
    grows: bool = True  # a figure of ours may become higher for a long legend

    def __post_init__(self) -> None:
        # Names in the legend that are never left out.
        self._signs: set[str] = set()
        self._families = tuple(load_matplotlib().rcParams["font.family"])

    def text(self, words: str) -> str:
        """Escape text from the user, so that Matplotlib draws it literally."""
        return style.drawable(words, self._families)

    def colour(self, mark: Mark) -> str:
        """Return the colour of a class."""
        return self.theme.colour(mark.place)

    # ------------------------------------------------------------------ rows

    def points(self, ax: Axes, XY: FloatArray, mark: Mark, **changes: Any) -> None:
        """Draw rows in the colour and shape of their class, with an edge that separates them."""
        size = (30 if self.small else 46) * AREA.get(mark.marker, 1.0)
        look: Look = {"s": size, "color": self.colour(mark), "marker": mark.marker, "zorder": 4}
        look |= {"edgecolors": self.theme.paper, "linewidths": 0.7}
        self._scatter(ax, XY, label=self.text(legend_name(mark)), **(look | changes))

    def dots(
        self, ax: Axes, XY: FloatArray, mark: Mark, n_rows: int, *, faint: bool = True
    ) -> None:
        """Draw rows of a class as small dots, sized for ``n_rows`` rows in all."""
        if faint:
            # No points, but an entry of the usual size in the legend.
            self.points(ax, XY[:0], mark)
        look = self._dot(n_rows, faint)
        self._scatter(ax, XY, color=self.colour(mark), marker=mark.marker, **look)

    def _dot(self, n_rows: int, faint: bool) -> Look:
        """Return the size and transparency of a dot: smaller and fainter for more rows."""
        size = float(np.clip(9000 / n_rows, 3, 9)) / (2 if self.small else 1)
        alpha = float(np.clip(1500 / n_rows, 0.15, 0.5)) if faint else 0.9
        return {"s": size, "alpha": alpha, "linewidths": 0, "zorder": 4 if faint else 5}

    def plain_points(self, ax: Axes, XY: FloatArray) -> None:
        """Draw rows whose classes are not known."""
        look: Look = {"s": 36, "zorder": 4}
        if len(XY) > CROWD:
            look = self._dot(len(XY), faint=True)
        self._scatter(ax, XY, color=self.theme.ink, **look)

    def rings(self, ax: Axes, XY: FloatArray, name: str) -> None:
        """Draw a ring around each row."""
        look: Look = {"s": 72 if self.small else 120, "facecolors": "none", "linewidths": 1.1}
        self._scatter(ax, XY, edgecolors=self.theme.ink, label=self._sign(name), zorder=5, **look)

    def crosses(self, ax: Axes, XY: FloatArray, name: str) -> None:
        """Draw a cross through each misclassified row."""
        is_large = len(XY) <= MAX_CROSSES and not self.small
        size = 60 if is_large else 26
        width = 1.7 if is_large else 1.2
        look: Look = {"s": size, "marker": "x", "zorder": 5}
        # A wider cross below it, in the colour of the paper, makes it visible on any colour.
        self._scatter(ax, XY, color=self.theme.paper, linewidths=2.1 * width, **look)
        look["label"] = self._sign(name)
        self._scatter(ax, XY, color=self.theme.alarm, linewidths=width, **look)

    def _scatter(self, ax: Axes, XY: FloatArray, **look: Any) -> None:
        ax.scatter(XY[:, 0], XY[:, 1], rasterized=len(XY) > MAX_SHAPES, **look)

    def _sign(self, name: str) -> str:
        """Register a legend entry that is never omitted, and return its escaped name."""
        text = self.text(name)
        self._signs.add(text)
        return text

    # ------------------------------------------------------------------ areas and lines

    def sides(
        self,
        ax: Axes,
        polygons: Mapping[Any, FloatArray],
        line: Hyperplane,
        known: Sequence[Mark],
        names: Sequence[str] = (),
    ) -> None:
        """Fill the half-plane of each class, with its letter or name in the farthest corner."""
        for place, corners in polygons.items():
            mark = known[place]
            ax.fill(*corners.T, facecolor=self.theme.tint(self.colour(mark)), lw=0, zorder=0)
            if not self.small:
                far = corners[np.argmax(line.distance(corners))]
                inward = np.sign(np.vstack([*polygons.values()]).mean(axis=0) - far)
                words = names[place] if names else self.text(mark.letter)
                self.letter(ax, far, mark, words, size=15, offset=(9 + 2 * len(words)) * inward)

    def letter(
        self, ax: Axes, at: Any, mark: Mark, words: str = "", *, size: float, offset: Any = (0, 0)
    ) -> None:
        """Write the letter of a class in its colour."""
        look: Look = {"color": self.colour(mark), "fontsize": size, "fontweight": "bold"}
        self.note(ax, words or self.text(mark.letter), at, offset, halo=False, zorder=2, **look)

    def note(
        self, ax: Axes, words: str, at: Any, offset: Any = (0, 0), *, halo: bool = True, **look: Any
    ) -> None:
        """Write text at an offset in points from a point; a halo separates it from lines."""
        look = {"textcoords": "offset points", "ha": "center", "va": "center", **look}
        if halo:
            effects = import_module("matplotlib.patheffects")
            look["path_effects"] = [effects.withStroke(linewidth=3, foreground=self.theme.paper)]
        ax.annotate(words, at, offset, **look)

    def arrow(self, ax: Axes, ends: FloatArray, name: str = "", *, colour: str = "") -> None:
        """Draw a vector from one point to another, with its name next to the tip."""
        colour = colour or self.theme.ink
        start, tip = ends
        width = 1.6 if self.small else 2.2
        head = 10 if self.small else 15
        arrow: Look = {"arrowstyle": "-|>", "color": colour, "lw": width, "mutation_scale": head}
        arrow |= {"shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, start, zorder=6, annotation_clip=False, arrowprops=arrow)
        if name:
            direction = (tip - start) / (np.linalg.norm(tip - start) or 1.0)
            # A long name next to a horizontal arrow needs more room.
            offset = direction * (9 + 3.6 * (len(name) - 1) * abs(direction[0]), 9)
            look: Look = {"fontsize": 10 if self.small else 12, "fontweight": "bold", "zorder": 6}
            self.note(ax, self.text(name), tip, offset, color=colour, **look)

    def right_angle(self, ax: Axes, ends: FloatArray, box: Box) -> None:
        """Draw the small square that marks a right angle."""
        start, tip = ends
        side = 0.028 * max(box[1] - box[0], box[3] - box[2])
        direction = (tip - start) / (np.linalg.norm(tip - start) or 1.0)
        along = side * direction
        across = side * np.array([-direction[1], direction[0]])
        corner = np.array([start + along, start + along + across, start + across])
        ax.plot(*corner.T, color=self.theme.ink, lw=0.9, zorder=3)

    # ------------------------------------------------------------------ around

    def frame(self, ax: Axes, box: Box, plane: Plane) -> None:
        """Set the limits and labels of the axes, with an equal aspect ratio if possible."""
        ax.set(xlim=box[:2], ylim=box[2:])
        if has_one_scale(box) and not plane.note:
            ax.set_aspect("equal", adjustable="box")
        if self.small:
            ax.locator_params(nbins=6, steps=[1, 2, 5, 10])
            ax.tick_params(labelsize=7, length=2, pad=2)
        else:
            across, up = map(self.text, plane.names)
            ax.set(xlabel=across, ylabel=up)
        if plane.is_line:
            ax.set_yticks([])
            ax.spines["left"].set_visible(False)

    def legend(self, ax: Axes, *others: Axes) -> None:
        """Draw a legend: above the axes in our own figure, inside existing axes."""
        # The same name may occur in several panels.
        entries: dict[str, Artist] = {}
        for panel in (ax, *others):
            for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
                entries[name] = handle
        if not entries:
            return
        if not self.own:
            entries = self._shortened(entries, MAX_INSIDE)
            ax.legend(list(entries.values()), list(entries), frameon=True, framealpha=0.8)
            return

        figure: Any = ax.figure
        height = float(figure.get_figheight())
        n_columns = _n_columns(list(entries), LEGEND_LETTERS * figure.get_figwidth())
        most_lines = MAX_LINES
        if not self.grows:
            most_lines = max(int(MAX_SHARE * height / LINE_HEIGHT), 1)
        entries = self._shortened(entries, most_lines * n_columns)
        n_lines = -(-len(entries) // n_columns)
        if self.grows and n_lines > FREE_LINES:
            figure.set_figheight(height + LINE_HEIGHT * (n_lines - FREE_LINES))
        look: Look = {"ncols": n_columns, "handletextpad": 0.3, "columnspacing": 1.2}
        figure.legend(list(entries.values()), list(entries), loc="outside upper left", **look)

    def _shortened(self, entries: dict[str, Artist], most: int) -> dict[str, Artist]:
        """Shorten a legend to ``most`` entries: first classes, a count of the rest, all signs."""
        if len(entries) <= most:
            return entries
        signs = {name: handle for name, handle in entries.items() if name in self._signs}
        classes = [name for name in entries if name not in signs]
        room = max(most - len(signs) - 1, 1)
        shown = {name: entries[name] for name in classes[:room]}
        no_marker = import_module("matplotlib.lines").Line2D([], [], ls="")
        shown[f"… {len(classes) - room:,} more"] = no_marker
        return shown | signs
