"""A picture: what it shows, as numbers, and how these are drawn."""

from __future__ import annotations

import io
import os
import textwrap
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from rosenblatt import checks, numpydoc
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import ParameterError
from rosenblatt.html_tables import html_picture
from rosenblatt.plot import style
from rosenblatt.plot.pen import CROWD, has_rings, load_matplotlib
from rosenblatt.plot.pen import Pen as Pen
from rosenblatt.plot.plane import Box, Plane
from rosenblatt.plot.style import Theme

Size = tuple[float, float]
CAPTION_SIZE = 9
NOTEBOOK_DPI = 110
# About so many letters of a caption fit on an inch.
LETTERS_AN_INCH = 13.0
# Panels in a given axes, in shares of it: left, bottom, right and top of all; between two of them
# there is room for the numbers below one and the title above the other.
RIM = (0.05, 0.06, 0.96, 0.94)
COLUMN_GAP, ROW_GAP = 0.06, 0.18
# The width in inches of a small panel of the plane, of one of two, and of a single one.
PANEL, WIDE_PANEL, SINGLE_PANEL = 2.5, 3.2, 4.2


@dataclass_transform(eq_default=False)
class Display:
    """Base of all pictures. The numbers are plain attributes; drawing is a separate step.

    A subclass is a dataclass. It sets ``caption`` and draws in ``_draw``. One with several panels
    says how many in ``_grid`` and draws them in ``_draw_panels``. Its docstring gets the attributes
    of its base.

    Attributes
    ----------
    caption : str
        What is seen, in words; drawn below a picture with a figure of its own.
    ax_, figure_ : object
        Where `plot` has drawn; ``ax_`` is an array if there are several panels.
    """

    size: ClassVar[Size] = (5.6, 4.6)
    projection: ClassVar[str | None] = None
    kind: ClassVar[str] = "picture"
    formats: ClassVar[tuple[str, ...]] = ("svg", "pdf", "png")
    dpi: ClassVar[float] = 150

    caption: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = numpydoc.with_attributes(cls.__doc__, cls.__mro__[1].__doc__)
        dataclass(eq=False, repr=False)(cls)

    def plot(self, ax: Any = None, *, theme: str | Theme | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a figure of pyplot's, which ``plt.show()`` shows and a
            notebook displays.
        theme : {"light", "dark"}, default=None
            None takes the one that can be seen on the ground that is there.

        Returns
        -------
        self : Display
            With ``ax_`` and ``figure_``.
        """
        mpl = load_matplotlib()
        given = None if theme is None else style.theme_named(theme)
        if ax is not None:
            if not hasattr(ax, "inset_axes"):
                raise ParameterError(
                    f"ax is a {type(ax).__name__}; give one Axes of Matplotlib, or leave it out."
                )
            if given is not None:
                ax.set_facecolor(given.paper)
            ground = _seen([ax.get_facecolor(), ax.get_figure().figure.get_facecolor()])
            axes = self._draw_inside(ax, given or style.theme_of_paper(ground))
            return self._note(ax.get_figure(), axes)
        grounds = [mpl.rcParams[name] for name in ("axes.facecolor", "figure.facecolor")]
        chosen = given or style.theme_of_paper(_seen(grounds))
        with self._settings(chosen):
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=self._size(), layout="constrained")
            try:
                return self._note(figure, self._fill(figure, chosen))
            except BaseException:
                pyplot.close(figure)
                raise

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        theme: str | Theme = "light",
        size: Size | None = None,
        dpi: float | None = None,
    ) -> None:
        """Draw into a file. The same picture gives the same bytes.

        The file is written under a temporary name and renamed.

        Parameters
        ----------
        path : str or path-like
            The ending says what it becomes: ``.svg`` and ``.pdf`` are drawn in lines, which stay
            sharp at any size; ``.png`` in dots. A film becomes ``.html`` (one file that needs
            nothing else, small, to be stepped through), ``.gif``, or ``.mp4`` where the program
            ffmpeg is installed.
        theme : {"light", "dark"}, default="light"
            The page of a film follows the reader's own setting.
        size : (width, height) in inches, default=None
            None is the size that suits the picture.
        dpi : float, default=None
            Dots an inch of what is drawn in dots; None is 150, of a film 100.
        """
        name = os.fspath(path)
        ending = os.path.splitext(name)[1].lower().lstrip(".")
        if ending not in self.formats:
            allowed = ", ".join(f".{one}" for one in self.formats)
            raise ParameterError(
                f"{name}: a {self.kind} is saved as {allowed}; end the name in one."
            )
        if dpi is not None:
            checks.number("dpi", dpi, at_least=10, at_most=2400, cure="It is dots an inch.")
        from rosenblatt.model import disk

        disk.replace(name, [self._rendered(ending, theme, size, dpi or self.dpi)])

    def _rendered(
        self, ending: str, theme: str | Theme = "light", size: Size | None = None, dpi: float = 150
    ) -> bytes:
        load_matplotlib()
        chosen = style.theme_named(theme)
        # Dates and random names would make two files of one picture differ.
        metadata = {
            "svg": {"Date": None, "Title": self.caption},
            "pdf": {"CreationDate": None, "Title": self.caption},
            "png": {"Title": type(self).__name__, "Description": self.caption},
        }[ending]
        with self._settings(chosen):
            from matplotlib.figure import Figure

            figure = Figure(figsize=self._checked_size(size), layout="constrained")
            self._fill(figure, chosen, grows=size is None)
            out = io.BytesIO()
            figure.savefig(out, format=ending, dpi=dpi, metadata=metadata)
        return out.getvalue()

    def _repr_png_(self) -> bytes | None:
        # A notebook shows the figure of `plot` by itself, and would show this one beside it.
        return None if "ax_" in self.__dict__ else self._in_few_colours("light")

    def _repr_html_(self) -> str | None:
        light = self._repr_png_()
        if light is None:
            return None
        return html_picture(light, self._in_few_colours("dark"), self.caption)

    def _in_few_colours(self, theme: str) -> bytes:
        """A PNG of a third of the bytes, since a notebook keeps three of them."""
        image, out = import_module("PIL.Image"), io.BytesIO()
        dots = image.open(io.BytesIO(self._rendered("png", theme, dpi=NOTEBOOK_DPI)))
        few = dots.convert("RGB").quantize(256, dither=image.Dither.NONE)
        few.save(out, "png", optimize=True)
        return out.getvalue()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.caption}>"

    # ------------------------------------------------------------------ for subclasses

    def _draw(self, ax: Any, pen: Pen) -> None:
        """Draw on one axes."""
        raise NotImplementedError

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        """Draw on all axes, an array of the shape of ``_grid``."""
        self._draw(axes[0, 0], pen)

    def _grid(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        return 1, 1

    def _size(self) -> Size:
        """Width and height in inches that suit the picture."""
        return self.size

    # ------------------------------------------------------------------ figures

    def _checked_size(self, size: Size | None) -> Size:
        if size is None:
            return self._size()
        try:
            width, height = (float(side) for side in size)
        except (TypeError, ValueError):
            width = height = np.nan
        if not (0.5 <= width <= 100 and 0.5 <= height <= 100):
            raise ParameterError(
                f"size={size!r} is not allowed: give width and height in inches, 0.5 to 100 each."
            )
        return width, height

    def _settings(self, theme: Theme) -> Any:
        """Matplotlib's settings for as long as something is drawn; the user's come back after."""
        return load_matplotlib().rc_context({**theme.settings(), "svg.hashsalt": "rosenblatt"})

    def _fill(self, figure: Any, theme: Theme, *, grows: bool = True) -> Any:
        """Draw on a figure of ours, and give its axes."""
        rows, columns = self._grid()
        kind = {"projection": self.projection}
        axes = figure.subplots(rows, columns, squeeze=False, subplot_kw=kind)
        pen = Pen(theme, small=rows * columns > 1, grows=grows)
        self._draw_panels(axes, pen)
        self._draw_caption(figure, pen)
        return axes

    def _draw_caption(self, figure: Any, pen: Pen) -> None:
        width = max(20, int(figure.get_figwidth() * LETTERS_AN_INCH))
        below = pen.text(textwrap.fill(self.caption, width))
        if pen.grows:
            more = max(below.count("\n") - 1, 0) * CAPTION_SIZE * 1.25 / 72
            figure.set_figheight(figure.get_figheight() + more)
        # Without more room the caption touches the name of the axis above it.
        figure.get_layout_engine().set(h_pad=0.07, w_pad=0.05)
        figure.supxlabel(below, fontsize=CAPTION_SIZE, color=pen.theme.faint, x=0.02, ha="left")

    def _draw_inside(self, ax: Any, theme: Theme) -> Any:
        """Draw on axes that were given, and give those of the panels."""
        rows, columns = self._grid()
        pen = Pen(theme, small=rows * columns > 1, own=False)
        with self._settings(theme):
            one = (rows, columns) == (1, 1)
            axes = np.array([[ax]]) if one else self._panels_inside(ax, rows, columns)
            self._draw_panels(axes, pen)
        return axes

    def _panels_inside(self, ax: Any, rows: int, columns: int) -> Any:
        """Axes for the panels in the place of a given one, whose ground is seen around them."""
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[])
        left, bottom, right, top = RIM
        wide = (right - left - COLUMN_GAP * (columns - 1)) / columns
        high = (top - bottom - ROW_GAP * (rows - 1)) / rows
        axes = np.empty((rows, columns), dtype=object)
        for i, j in np.ndindex(rows, columns):
            place = (left + j * (wide + COLUMN_GAP), top - high - i * (high + ROW_GAP), wide, high)
            axes[i, j] = ax.inset_axes(place, projection=self.projection)
        return axes

    def _note(self, figure: Any, axes: Any) -> Self:
        self.figure_ = figure
        self.ax_ = axes[0, 0] if axes.size == 1 else axes
        return self


class SmallPanels(Display):
    """Base of several panels with boxes of the plane: as high as those are."""

    def _boxes(self) -> list[Box]:
        """The part of the plane that each panel shows."""
        raise NotImplementedError

    def _name_axes(self, axes: Any, pen: Pen, names: tuple[str, str]) -> None:
        """The names of both axes, at the panels of the rim alone; the numbers are on all."""
        across, up = map(pen.text, names)
        rows, columns = axes.shape
        for i, j in np.ndindex(rows, columns):
            is_lowest = i == rows - 1 or not axes[i + 1, j].axison
            axes[i, j].set_xlabel(across if is_lowest else "", fontsize=8, labelpad=1)
            axes[i, j].set_ylabel(up if j == 0 else "", fontsize=8, labelpad=1)

    def _size(self) -> Size:
        rows, columns = self._grid()
        wide = {1: SINGLE_PANEL, 2: WIDE_PANEL}.get(rows * columns, PANEL)
        shapes = [(top - bottom) / (right - left) for left, right, bottom, top in self._boxes()]
        high = wide * min(max(*shapes, 0.4), 1.4)
        below = 0.9 if self.caption else 0.5
        return max(columns * (wide + 0.15), 5.0), rows * (high + 0.4) + below


class PlaneDisplay(Display):
    """Base of the pictures of rows in a plane, divided among classes.

    Attributes
    ----------
    box : (xmin, xmax, ymin, ymax)
    plane : Plane
        The directions that are seen: the features themselves where there are at most two.
    marks : tuple of Mark
        How the classes are shown.
    points : array of shape (n, 2)
    classes_of_points : array of shape (n,) or None
        The place of the class of each row; None without labels.
    wrong : array of int
        Rows that are misclassified now: on the side, or in the region, of another class.
    """

    caption: str
    box: Box
    plane: Plane
    marks: tuple[style.Mark, ...]
    points: FloatArray
    classes_of_points: IndexArray | None
    wrong: IndexArray

    def _draw_rows(self, ax: Any, pen: Pen, wrong: str, ringed: Any = (), ring: str = "") -> None:
        """The rows by class; some with a ring or, where they are wrong, a cross or full colour."""
        if self.classes_of_points is None:
            if len(self.points):
                pen.plain_points(ax, self.points)
            return
        n = len(self.points)
        for mark in self.marks:
            of_class = self.classes_of_points == mark.place
            if not of_class.any():
                continue
            if n <= CROWD:
                pen.points(ax, self.points[of_class], mark)
                continue
            pen.dots(ax, self.points[of_class], mark, n)
            wrong_ones = self.wrong[of_class[self.wrong]]
            pen.dots(ax, self.points[wrong_ones], mark, n, faint=False)
        if has_rings(len(ringed), n):
            pen.rings(ax, self.points[ringed], ring)
        if len(self.wrong) and n <= CROWD:
            pen.crosses(ax, self.points[self.wrong], wrong)

    def _draw_frame(self, ax: Any, pen: Pen) -> None:
        pen.frame(ax, self.box, self.plane)
        if not pen.small:
            pen.legend(ax)


def _seen(grounds: list[Any]) -> Any:
    """The first of these colours that cannot be seen through; else that of paper."""
    to_rgba = load_matplotlib().colors.to_rgba
    solid = [to_rgba(ground) for ground in grounds if to_rgba(ground)[3] > 0.5]
    return solid[0][:3] if solid else (1.0, 1.0, 1.0)
