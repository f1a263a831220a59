"""Base classes of pictures: numbers first, drawing as a separate step."""

from __future__ import annotations

import io
import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import ParameterError
from rosenblatt.html_tables import html_picture
from rosenblatt.plot import style
from rosenblatt.plot.pen import CROWD, has_rings, load_matplotlib
from rosenblatt.plot.pen import Pen as Pen
from rosenblatt.plot.plane import Box, Plane
from rosenblatt.plot.style import Theme

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rosenblatt.arrays import AnyArray

# Width and height in inches.
Size = tuple[float, float]
# Font size of a caption in points.
CAPTION_SIZE = 9
POINTS_PER_INCH = 72
NOTEBOOK_DPI = 110
# Average number of letters of a caption per inch.
LETTERS_AN_INCH = 13.0
# Panels inside given axes, in shares of the axes: left, bottom, right and top of all panels, and
# the gaps between them, which hold the numbers below one panel and the title above the next.
RIM = (0.05, 0.06, 0.96, 0.94)
COLUMN_GAP = 0.06
ROW_GAP = 0.18
# Widths of a panel of the plane in inches: of three or more panels, of two, and of a single one.
PANEL = 2.5
WIDE_PANEL = 3.2
SINGLE_PANEL = 4.2
NO_ROWS = np.empty(0, np.intp)


@dataclass_transform(eq_default=False)
class Display:
    """Base of all pictures. The numbers are plain attributes; drawing is a separate step.

    Every subclass is a dataclass. It sets ``caption`` and draws in ``_draw``. A subclass with
    several panels returns their number in ``_grid`` and draws them in ``_draw_panels``.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    """

    size: ClassVar[Size] = (5.6, 4.6)
    projection: ClassVar[str | None] = None
    kind: ClassVar[str] = "picture"
    formats: ClassVar[tuple[str, ...]] = ("svg", "pdf", "png")
    # By extension, what to use instead if the picture is not saved as that.
    instead: ClassVar[Mapping[str, str]] = {}
    dpi: ClassVar[float] = 150

    caption: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False, repr=False)(cls)

    def plot(self, ax: Axes | None = None, *, theme: str | Theme | None = None) -> Self:
        """Draw on given axes or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new pyplot figure, which ``plt.show()`` shows and a
            notebook displays.
        theme : {"light", "dark"}, default=None
            The colours. None takes the theme that is readable on the present background.

        Returns
        -------
        self : Display
            The display itself, with ``ax_`` and ``figure_``.
        """
        mpl = load_matplotlib()
        given = None if theme is None else style.theme_named(theme)
        if ax is not None:
            return self._plot_on(ax, given)

        grounds = [mpl.rcParams["axes.facecolor"], mpl.rcParams["figure.facecolor"]]
        chosen = given or style.theme_of_paper(_first_opaque(grounds))
        with self._settings(chosen):
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=self._size(), layout="constrained")
            try:
                return self._remember_axes(figure, self._fill(figure, chosen))
            except BaseException:
                # An unfinished figure would be shown by the next plt.show().
                pyplot.close(figure)
                raise

    def _plot_on(self, ax: Any, given: Theme | None) -> Self:
        if not hasattr(ax, "inset_axes"):
            raise ParameterError(
                f"ax is a {type(ax).__name__}; give one Axes of Matplotlib, or leave it out."
            )
        if given is not None:
            ax.set_facecolor(given.paper)
        ground = _first_opaque([ax.get_facecolor(), ax.get_figure().figure.get_facecolor()])
        axes = self._draw_inside(ax, given or style.theme_of_paper(ground))
        return self._remember_axes(ax.get_figure(), axes)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        theme: str | Theme = "light",
        size: Size | None = None,
        dpi: float | None = None,
    ) -> None:
        """Save the picture to a file; the same picture gives the same bytes.

        The file is written under a temporary name and then renamed.

        Parameters
        ----------
        path : str or path-like
            The extension sets the format: ``.svg`` and ``.pdf`` are vector graphics, which stay
            sharp at any size; ``.png`` has pixels. An animation becomes ``.gif``, or ``.mp4`` if
            the program ffmpeg is installed.
        theme : {"light", "dark"}, default="light"
            The colours.
        size : (width, height) in inches, default=None
            None takes a size that suits the picture.
        dpi : float, default=None
            Pixels per inch; None takes 150, or 100 for an animation.
        """
        name = os.fspath(path)
        ending = os.path.splitext(name)[1].lower().lstrip(".")
        if ending not in self.formats:
            allowed = ", ".join(f".{one}" for one in self.formats)
            instead = self.instead.get(ending)
            raise ParameterError(
                f"{name}: a {self.kind} is saved as {allowed}; end the name in one."
                + ("" if instead is None else f" For a page: {instead}.")
            )
        if dpi is not None:
            checks.number("dpi", dpi, at_least=10, at_most=2400, cure="It is dots an inch.")
        from rosenblatt.persistence import disk

        disk.replace(name, [self._rendered(ending, theme, size, dpi or self.dpi)])

    def _rendered(
        self, ending: str, theme: str | Theme = "light", size: Size | None = None, dpi: float = 150
    ) -> bytes:
        """Return the picture as bytes in the file format ``ending``."""
        load_matplotlib()
        chosen = style.theme_named(theme)
        # With dates or random names, two files of the same picture would differ.
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
        # A notebook shows the figure of `plot` anyway; this one would be a second copy.
        if "ax_" in self.__dict__:
            return None
        return self._quantized_png("light")

    def _repr_html_(self) -> str | None:
        light = self._repr_png_()
        if light is None:
            return None
        return html_picture(light, self._quantized_png("dark"), self.caption)

    def _quantized_png(self, theme: str) -> bytes:
        """Return a PNG with 256 colours, a third of the size: notebooks store several copies."""
        image = import_module("PIL.Image")
        out = io.BytesIO()
        png = image.open(io.BytesIO(self._rendered("png", theme, dpi=NOTEBOOK_DPI)))
        quantized = png.convert("RGB").quantize(256, dither=image.Dither.NONE)
        quantized.save(out, "png", optimize=True)
        return out.getvalue()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.caption}>"

    # ------------------------------------------------------------------ for subclasses

    def _draw(self, ax: Axes, pen: Pen) -> None:
        """Draw the picture on one axes."""
        raise NotImplementedError

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        """Draw the picture on an array of axes with the shape of ``_grid``."""
        self._draw(axes[0, 0], pen)

    def _grid(self) -> tuple[int, int]:
        """Return the numbers of rows and columns of panels."""
        return 1, 1

    def _size(self) -> Size:
        """Return the default width and height of the picture in inches."""
        return self.size

    # ------------------------------------------------------------------ figures

    def _checked_size(self, size: Size | None) -> Size:
        """Validate a size in inches; return the default size if it is None."""
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
        """Return a context manager that sets Matplotlib's parameters and restores them."""
        return load_matplotlib().rc_context({**theme.settings(), "svg.hashsalt": "rosenblatt"})

    def _fill(self, figure: Any, theme: Theme, *, grows: bool = True) -> Any:
        """Draw on a new figure and return its axes; ``grows`` allows a taller figure."""
        rows, columns = self._grid()
        options = {"projection": self.projection}
        axes = figure.subplots(rows, columns, squeeze=False, subplot_kw=options)
        pen = Pen(theme, small=rows * columns > 1, grows=grows)
        self._draw_panels(axes, pen)
        self._draw_caption(figure, pen)
        return axes

    def _draw_caption(self, figure: Any, pen: Pen) -> None:
        """Write the caption below all panels; the figure grows for each line after the second."""
        width = max(20, int(figure.get_figwidth() * LETTERS_AN_INCH))
        below = pen.text(textwrap.fill(self.caption, width))
        if pen.grows:
            n_extra_lines = max(below.count("\n") - 1, 0)
            extra_height = n_extra_lines * CAPTION_SIZE * 1.25 / POINTS_PER_INCH
            figure.set_figheight(figure.get_figheight() + extra_height)
        # Without this padding the caption touches the name of the axis above it.
        figure.get_layout_engine().set(h_pad=0.07, w_pad=0.05)
        figure.supxlabel(below, fontsize=CAPTION_SIZE, color=pen.theme.faint, x=0.02, ha="left")

    def _draw_inside(self, ax: Axes, theme: Theme) -> AnyArray:
        """Draw inside existing axes and return the axes of the panels."""
        rows, columns = self._grid()
        pen = Pen(theme, small=rows * columns > 1, own=False)
        with self._settings(theme):
            is_single = (rows, columns) == (1, 1)
            axes = np.array([[ax]]) if is_single else self._panels_inside(ax, rows, columns)
            self._draw_panels(axes, pen)
        return axes

    def _panels_inside(self, ax: Axes, rows: int, columns: int) -> AnyArray:
        """Add axes for the panels inside ``ax``, which only shows its background; return them."""
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[])
        left, bottom, right, top = RIM
        width = (right - left - COLUMN_GAP * (columns - 1)) / columns
        height = (top - bottom - ROW_GAP * (rows - 1)) / rows
        axes = np.empty((rows, columns), dtype=object)
        for i, j in np.ndindex(rows, columns):
            x = left + j * (width + COLUMN_GAP)
            y = top - height - i * (height + ROW_GAP)
            axes[i, j] = ax.inset_axes((x, y, width, height), projection=self.projection)
        return axes

    def _remember_axes(self, figure: Any, axes: AnyArray) -> Self:
        """Store figure and axes as attributes; return the display itself."""
        self.figure_ = figure
        self.ax_ = axes[0, 0] if axes.size == 1 else axes
        return self


class SmallPanels(Display):
    """Base of pictures with several panels of the plane, whose height follows their boxes.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    """

    def _boxes(self) -> list[Box]:
        """Return the part of the plane that each panel shows."""
        raise NotImplementedError

    def _name_axes(self, axes: Any, pen: Pen, names: tuple[str, str]) -> None:
        """Label the axes of the outer panels only; all panels have tick labels."""
        across, up = map(pen.text, names)
        rows, columns = axes.shape
        for i, j in np.ndindex(rows, columns):
            is_lowest = i == rows - 1 or not axes[i + 1, j].axison
            axes[i, j].set_xlabel(across if is_lowest else "", fontsize=8, labelpad=1)
            axes[i, j].set_ylabel(up if j == 0 else "", fontsize=8, labelpad=1)

    def _size(self) -> Size:
        rows, columns = self._grid()
        panel_width = {1: SINGLE_PANEL, 2: WIDE_PANEL}.get(rows * columns, PANEL)
        ratios = [(top - bottom) / (right - left) for left, right, bottom, top in self._boxes()]
        panel_height = panel_width * min(max(*ratios, 0.4), 1.4)
        caption_height = 0.9 if self.caption else 0.5
        width = max(columns * (panel_width + 0.15), 5.0)
        return width, rows * (panel_height + 0.4) + caption_height


class PlaneDisplay(Display):
    """Base of pictures of rows in a plane that is divided into regions of classes.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    box : (xmin, xmax, ymin, ymax)
        The part of the plane that is shown.
    plane : Plane
        The two directions shown: the features themselves if there are at most two.
    marks : tuple of Mark
        Colour, shape and letter of each class.
    points : array of shape (n, 2)
        The rows as points of the plane.
    classes_of_points : array of shape (n,) or None
        Index of the class of each row; None without labels.
    wrong : array of int
        Indices of the misclassified rows: on the side, or in the region, of another class.
    """

    caption: str
    box: Box
    plane: Plane
    marks: tuple[style.Mark, ...]
    points: FloatArray
    classes_of_points: IndexArray | None
    wrong: IndexArray

    def _draw_rows(
        self,
        ax: Axes,
        pen: Pen,
        wrong: str,
        ringed: IndexArray = NO_ROWS,
        ring: str = "",
    ) -> None:
        """Draw the rows in the colours of their classes.

        Misclassified rows get a cross, named ``wrong`` in the legend, or full colour if there are
        many rows. The ``ringed`` rows get a ring, named ``ring``.
        """
        if self.classes_of_points is None:
            if len(self.points):
                pen.plain_points(ax, self.points)
            return

        n = len(self.points)
        for mark in self.marks:
            is_of_class = self.classes_of_points == mark.place
            if not is_of_class.any():
                continue
            if n <= CROWD:
                pen.points(ax, self.points[is_of_class], mark)
                continue
            pen.dots(ax, self.points[is_of_class], mark, n)
            wrong_of_class = self.wrong[is_of_class[self.wrong]]
            pen.dots(ax, self.points[wrong_of_class], mark, n, faint=False)

        if has_rings(len(ringed), n):
            pen.rings(ax, self.points[ringed], ring)
        if len(self.wrong) and n <= CROWD:
            pen.crosses(ax, self.points[self.wrong], wrong)

    def _draw_frame(self, ax: Axes, pen: Pen) -> None:
        """Set limits and names of the axes, and draw the legend."""
        pen.frame(ax, self.box, self.plane)
        if not pen.small:
            pen.legend(ax)


def _first_opaque(grounds: list[Any]) -> tuple[float, float, float]:
    """Return the first colour that is not transparent as RGB, or white if all are."""
    to_rgba = load_matplotlib().colors.to_rgba
    for ground in grounds:
        red, green, blue, alpha = to_rgba(ground)
        if alpha > 0.5:
            return red, green, blue
    return 1.0, 1.0, 1.0
