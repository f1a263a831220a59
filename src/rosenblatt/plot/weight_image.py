"""Weights of pixels as an image: light where a pixel says nothing, deep where it says much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.plot import style
from rosenblatt.plot.curves import panel_grid, readable_on, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plurals import count

__all__ = ["WeightImageDisplay"]

# Signs are written into the pixels of images up to this side, where the weight is at least this
# share of the largest.
LARGEST_SIGNED = 16
SIGNED_FROM = 0.3
# Drawn one by one more pixels than these make a file of megabytes.
MOST_VECTOR_PIXELS = 4000


@dataclass(eq=False, repr=False)
class WeightImageDisplay(Display):
    """One image of weights for each class, all on one scale that is symmetric around 0.

    Attributes
    ----------
    labels : list
        The class of each image.
    against : object
        The class that negative weights speak for, where there are two; else None.
    images : ndarray of shape (n_images, height, width)
    left_out : int
        Classes that are not shown.
    limit : float
        The largest absolute weight: the end of the scale on both sides.
    """

    labels: list[Any]
    against: Any
    images: npt.NDArray[np.float64]
    left_out: int

    def __post_init__(self) -> None:
        self.limit = float(np.abs(self.images).max()) or 1.0
        rivals = "against it" if self.against is None else f"for {style.named(self.against)}"
        who = "the class" if self.against is None else style.named(self.labels[0])
        told = (
            f"Weights of the pixels: + speaks for {who}, − {rivals}; the deepest is "
            f"{short_number(self.limit)}."
        )
        if self.left_out:
            told += f" {count(self.left_out, 'more class', 'more classes')} not shown."
        self.caption = told

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.labels))

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        height, width = self.images.shape[1:]
        if rows * columns == 1:
            return 4.6, float(np.clip(4.4 * height / width, 2.0, 7.0)) + 0.4
        tall = float(np.clip(1.7 * height / width, 0.8, 3.5))
        return 1.75 * columns + 0.5, (tall + 0.3) * rows + 0.5

    def _draw_panels(self, axes: Any, pen: Pen) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        theme = pen.theme
        scale = LinearSegmentedColormap.from_list(
            "against and for", [theme.colour(1), theme.paper, theme.colour(0)]
        )
        for ax, label, image in zip(axes.flat, self.labels, self.images, strict=False):
            look = {"cmap": scale, "vmin": -self.limit, "vmax": self.limit}
            if self.images.size <= MOST_VECTOR_PIXELS:
                mesh: Any = ax.pcolormesh(image, **look)
                ax.invert_yaxis()
                ax.set_aspect("equal")
            else:
                mesh = ax.imshow(image, interpolation="none", **look)
            ax.set_xticks([])
            ax.set_yticks([])
            for spine in ax.spines.values():
                spine.set(visible=True, color=theme.rule)
            if self.against is None:
                ax.set_title(pen.text(style.named(label)), pad=3)
            if max(image.shape) <= LARGEST_SIGNED:
                self._draw_signs(ax, mesh, image, 7.0 if pen.small else 12.0)
        for ax in axes.flat[len(self.labels) :]:
            ax.set_axis_off()
        self._draw_scale(axes.flat[len(self.labels) - 1], pen, mesh)

    def _draw_signs(self, ax: Any, mesh: Any, image: npt.NDArray[np.float64], size: float) -> None:
        """A + or − in each pixel that matters, for those who do not see the hue."""
        from matplotlib.colors import to_hex

        for (i, j), value in np.ndenumerate(image):
            if abs(value) >= SIGNED_FROM * self.limit:
                ax.text(
                    j + 0.5,
                    i + 0.5,
                    "+" if value > 0 else "−",
                    ha="center",
                    va="center",
                    fontsize=size,
                    color=readable_on(to_hex(mesh.to_rgba(value))),
                )

    def _draw_scale(self, ax: Any, pen: Pen, mesh: Any) -> None:
        beside = ax.inset_axes((1.06, 0.0, 0.06, 1.0))
        bar = ax.get_figure().colorbar(mesh, cax=beside)
        bar.outline.set_visible(False)
        bar.set_ticks(
            [-self.limit, 0, self.limit],
            labels=[short_number(-self.limit), "0", "+" + short_number(self.limit)],
            fontsize=7 if pen.small else 9,
        )
        beside.tick_params(length=0, pad=2)
