"""Several pictures side by side, each with a title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ParameterError
from rosenblatt.plot.curves import panel_grid, panels
from rosenblatt.plot.display import Pen, PlaneDisplay, SmallPanels

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.plot.plane import Box


class SideBySideDisplay(SmallPanels):
    """Several pictures as panels of one figure, made by `side_by_side`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    displays : tuple of PlaneDisplay
        The pictures.
    titles : tuple of str
        One per picture.
    """

    displays: tuple[PlaneDisplay, ...]
    titles: tuple[str, ...]
    caption: str

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.displays), 3)

    def _boxes(self) -> list[Box]:
        return [display.box for display in self.displays]

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        for ax, (display, title) in panels(axes, [*zip(self.displays, self.titles, strict=True)]):
            display._draw(ax, pen)
            ax.set_title(pen.text(title), fontsize=9, loc="left", pad=4)

        # Axes are named only if all panels have the same; a line has no vertical axis.
        names = {display.plane.names for display in self.displays if not display.plane.is_line}
        if len(names) == 1:
            self._name_axes(axes, pen, names.pop())
            for ax, display in zip(axes.flat, self.displays, strict=False):
                if display.plane.is_line:
                    ax.set_ylabel("")
        if pen.own:
            pen.legend(*axes.flat)


def side_by_side(
    displays: Sequence[PlaneDisplay], *, titles: Sequence[str], caption: str = ""
) -> SideBySideDisplay:
    """Show several pictures side by side for comparison.

    Parameters
    ----------
    displays : sequence of displays
        At least two results of `boundary`, `regions` or `kernel_boundary`.
    titles : sequence of str
        One per picture.
    caption : str, default=""
        A description of all pictures.

    Returns
    -------
    display : SideBySideDisplay

    See Also
    --------
    updates : Show one picture per update of a run.

    Examples
    --------
    >>> from rosenblatt import Hyperplane, plot
    >>> two = [plot.boundary(Hyperplane(w), box=(-1, 1, -1, 1)) for w in ([1, 2], [2, 1])]
    >>> plot.side_by_side(two, titles=["flat", "steep"], caption="Two lines.")
    <SideBySideDisplay: Two lines.>
    """
    shown = tuple(displays)
    words = tuple(map(str, titles))
    if len(shown) < 2 or len(words) != len(shown):
        raise ParameterError(
            f"{len(shown)} displays and {len(words)} titles; give at least two, with a title each."
        )
    for one in shown:
        if not isinstance(one, PlaneDisplay):
            raise ParameterError(f"{one!r} is no picture of rows in a plane.")
    return SideBySideDisplay(shown, words, caption)
