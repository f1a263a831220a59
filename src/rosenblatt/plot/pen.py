"""What pictures are drawn with, so that the same thing looks the same in all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import MissingExtra
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot import style
from rosenblatt.plot.plane import Box, Plane, has_one_scale
from rosenblatt.plot.style import Mark, Theme

# So many letters of a legend fit beside each other on an inch; its marks take the room of so many.
LEGEND_LETTERS, MARK_LETTERS = 11.0, 6
# The height of a line of a legend in inches; so many lines need no room of their own; no more than
# so many are drawn, or than fill this share of a figure whose size was given.
LINE_HEIGHT, FREE_LINES, MOST_LINES, MOST_SHARE = 0.2, 3, 16, 0.35
# In axes that were given a legend lies on the picture, so it is short.
MOST_INSIDE = 10
# More rows than these as single shapes make a file large and slow; they become dots in it.
MOST_SHAPES = 1000
# More rows than these are small dots without a rim, the fainter the more there are.
CROWD = 1000
# More crosses than these are small; more rings than these, or around more than a third of the rows,
# would hide the others.
MOST_CROSSES, MOST_RINGS = 40, 30
# The triangle and the cross have less area than the disc of the same width.
AREA = {"^": 1.25, "v": 1.25, "<": 1.25, ">": 1.25, "D": 0.8, "P": 1.25, "X": 1.25, "p": 1.2}


def load_matplotlib() -> Any:
    """Matplotlib, loaded when the first picture is drawn."""
    try:
        return import_module("matplotlib")
    except ImportError:
        raise MissingExtra("drawing needs Matplotlib", extra="plot") from None


def legend_name(mark: Mark) -> str:
    """The name of a class, with its letter in front where that is another."""
    return mark.name if mark.letter in (mark.name, mark.name[0]) else f"{mark.letter}  {mark.name}"


def _columns(names: list[str], room: float) -> int:
    """The most columns of a legend, filled one after the other, that are no wider than a figure."""
    for columns in range(len(names), 1, -1):
        high = -(-len(names) // columns)
        widths = [max(map(len, names[i : i + high])) for i in range(0, len(names), high)]
        if sum(widths) + MARK_LETTERS * len(widths) <= room:
            return columns
    return 1


def has_rings(n_ringed: int, n_rows: int) -> bool:
    """Whether so few rows are of interest that rings around them hide no others."""
    return 0 < n_ringed <= min(MOST_RINGS, n_rows / 3)


def wrong_rows(n_wrong: int, n_rows: int, words: str) -> str:
    """How many rows are wrong, in a sentence; of a crowd also how these are seen."""
    faint = ", in full colour; the others are faint" if n_rows > CROWD and n_wrong else ""
    return f"{n_wrong:,} of {n_rows:,} rows {words}{faint}."


@dataclass(eq=False)
class Pen:
    """The theme, and what is drawn in it."""

    theme: Theme
    small: bool = False  # the axes are one of many, so that words must be few
    own: bool = True  # the figure is ours, so that there is room around the axes
    grows: bool = True  # a figure of ours may become higher for a long legend

    def __post_init__(self) -> None:
        self._signs: set[str] = set()
        self._families = tuple(load_matplotlib().rcParams["font.family"])

    def text(self, words: str) -> str:
        """Words of a user, to be drawn letter for letter."""
        return style.drawable(words, self._families)

    def colour(self, mark: Mark) -> str:
        return self.theme.colour(mark.place)

    # ------------------------------------------------------------------ rows

    def points(self, ax: Any, XY: FloatArray, mark: Mark, **changes: Any) -> None:
        """Rows of a class in its colour and shape, with a rim that keeps neighbours apart."""
        size = (30 if self.small else 46) * AREA.get(mark.marker, 1.0)
        look = {"s": size, "color": self.colour(mark), "marker": mark.marker, "zorder": 4}
        look |= {"edgecolors": self.theme.paper, "linewidths": 0.7}
        self._scatter(ax, XY, label=self.text(legend_name(mark)), **(look | changes))

    def dots(self, ax: Any, XY: FloatArray, mark: Mark, n_rows: int, *, faint: bool = True) -> None:
        """Rows of a class that are some of a crowd; the legend has the mark at its usual size."""
        if faint:
            self.points(ax, XY[:0], mark)
        self._scatter(
            ax, XY, color=self.colour(mark), marker=mark.marker, **self._dot(n_rows, faint)
        )

    def _dot(self, n_rows: int, faint: bool) -> dict[str, Any]:
        size = float(np.clip(9000 / n_rows, 3, 9)) / (2 if self.small else 1)
        alpha = float(np.clip(1500 / n_rows, 0.15, 0.5)) if faint else 0.9
        return {"s": size, "alpha": alpha, "linewidths": 0, "zorder": 4 if faint else 5}

    def plain_points(self, ax: Any, XY: FloatArray) -> None:
        """Rows without a label."""
        look = {"s": 36, "zorder": 4} if len(XY) <= CROWD else self._dot(len(XY), faint=True)
        self._scatter(ax, XY, color=self.theme.ink, **look)

    def rings(self, ax: Any, XY: FloatArray, name: str) -> None:
        """A ring around rows of interest."""
        look = {"s": 72 if self.small else 120, "facecolors": "none", "linewidths": 1.1}
        self._scatter(ax, XY, edgecolors=self.theme.ink, label=self._sign(name), zorder=5, **look)

    def crosses(self, ax: Any, XY: FloatArray, name: str) -> None:
        """A cross through rows that are misclassified."""
        size, wide = (60, 1.7) if len(XY) <= MOST_CROSSES and not self.small else (26, 1.2)
        look = {"s": size, "marker": "x", "zorder": 5}
        self._scatter(ax, XY, color=self.theme.paper, linewidths=2.1 * wide, **look)
        look |= {"label": self._sign(name)}
        self._scatter(ax, XY, color=self.theme.alarm, linewidths=wide, **look)

    def _scatter(self, ax: Any, XY: FloatArray, **look: Any) -> None:
        ax.scatter(XY[:, 0], XY[:, 1], rasterized=len(XY) > MOST_SHAPES, **look)

    def _sign(self, name: str) -> str:
        """What a sign of ours means, which a legend never leaves out."""
        self._signs.add(self.text(name))
        return self.text(name)

    # ------------------------------------------------------------------ areas and lines

    def sides(
        self,
        ax: Any,
        polygons: Mapping[Any, FloatArray],
        line: Hyperplane,
        known: Sequence[Mark],
        names: Sequence[str] = (),
    ) -> None:
        """The half-space of each class, with its letter or name in the farthest corner."""
        for place, corners in polygons.items():
            mark = known[place]
            ax.fill(*corners.T, facecolor=self.theme.tint(self.colour(mark)), lw=0, zorder=0)
            if not self.small:
                far = corners[np.argmax(line.distance(corners))]
                inward = np.sign(np.vstack([*polygons.values()]).mean(axis=0) - far)
                words = names[place] if names else self.text(mark.letter)
                self.letter(ax, far, mark, words, size=15, offset=(9 + 2 * len(words)) * inward)

    def letter(
        self, ax: Any, at: Any, mark: Mark, words: str = "", *, size: float, offset: Any = (0, 0)
    ) -> None:
        """The letter of a class, in its colour."""
        look: Any = {"color": self.colour(mark), "fontsize": size, "fontweight": "bold"}
        self.note(ax, words or self.text(mark.letter), at, offset, halo=False, zorder=2, **look)

    def note(
        self, ax: Any, words: str, at: Any, offset: Any = (0, 0), *, halo: bool = True, **look: Any
    ) -> None:
        """Words so many points from a place; a rim of paper keeps them apart from lines."""
        look = {"textcoords": "offset points", "ha": "center", "va": "center", **look}
        if halo:
            effects = import_module("matplotlib.patheffects")
            look["path_effects"] = [effects.withStroke(linewidth=3, foreground=self.theme.paper)]
        ax.annotate(words, at, offset, **look)

    def arrow(self, ax: Any, ends: FloatArray, name: str = "", *, colour: str = "") -> None:
        """A vector from one point to another, with its name beside the tip."""
        colour = colour or self.theme.ink
        start, tip = ends
        width, head = (1.6, 10) if self.small else (2.2, 15)
        look: Any = {"arrowstyle": "-|>", "color": colour, "lw": width, "mutation_scale": head}
        look |= {"shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, start, zorder=6, annotation_clip=False, arrowprops=look)
        if name:
            way = (tip - start) / (np.linalg.norm(tip - start) or 1.0)
            look = {"fontsize": 10 if self.small else 12, "fontweight": "bold", "zorder": 6}
            away = way * (9 + 3.6 * (len(name) - 1) * abs(way[0]), 9)
            self.note(ax, self.text(name), tip, away, color=colour, **look)

    def right_angle(self, ax: Any, ends: FloatArray, box: Box) -> None:
        """The small square that says: at a right angle."""
        start, tip = ends
        way = (tip - start) / (np.linalg.norm(tip - start) or 1.0)
        side = 0.028 * max(box[1] - box[0], box[3] - box[2])
        aside = side * np.array([-way[1], way[0]])
        corner = np.array([start + side * way, start + side * way + aside, start + aside])
        ax.plot(*corner.T, color=self.theme.ink, lw=0.9, zorder=3)

    # ------------------------------------------------------------------ around

    def frame(self, ax: Any, box: Box, plane: Plane) -> None:
        """Limits, one scale for both axes where that can be, and the names of the axes."""
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

    def legend(self, ax: Any, *others: Any) -> None:
        """Above the axes where the figure is ours, else where there is room."""
        every = [one.get_legend_handles_labels() for one in (ax, *others)]
        known = {name: sign for pair in every for sign, name in zip(*pair, strict=True)}
        if not known:
            return
        if not self.own:
            known = self._shortened(known, MOST_INSIDE)
            ax.legend([*known.values()], [*known], frameon=True, framealpha=0.8)
            return
        figure = ax.get_figure()
        high = float(figure.get_figheight())
        columns = _columns([*known], LEGEND_LETTERS * figure.get_figwidth())
        most = MOST_LINES if self.grows else max(int(MOST_SHARE * high / LINE_HEIGHT), 1)
        known = self._shortened(known, most * columns)
        lines = -(-len(known) // columns)
        if self.grows and lines > FREE_LINES:
            figure.set_figheight(high + LINE_HEIGHT * (lines - FREE_LINES))
        room = {"ncols": columns, "handletextpad": 0.3, "columnspacing": 1.2}
        figure.legend([*known.values()], [*known], loc="outside upper left", **room)

    def _shortened(self, known: dict[str, Any], most: int) -> dict[str, Any]:
        """At most so many entries: the first classes, how many more there are, and all signs."""
        if len(known) <= most:
            return known
        signs = {name: sign for name, sign in known.items() if name in self._signs}
        classes = [name for name in known if name not in signs]
        room = max(most - len(signs) - 1, 1)
        nothing = import_module("matplotlib.lines").Line2D([], [], ls="")
        more = {f"… {len(classes) - room:,} more": nothing}
        return {name: known[name] for name in classes[:room]} | more | signs
