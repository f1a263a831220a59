"""Picture of the weights of a learner: the largest by name, or all of them as an image."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.explain_rows import feature_names_of
from rosenblatt.plot import style
from rosenblatt.plot.curves import panel_grid, panels, readable_on, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

    from rosenblatt.arrays import AnyArray

# Largest side, in pixels, of an image whose pixels have signs, and the smallest weight with a sign,
# as a share of the largest.
LARGEST_SIGNED = 16
SIGNED_FROM = 0.3
# Most pixels that are drawn as vector shapes; more are rasterized to keep files small.
MAX_VECTOR_PIXELS = 4000
MAX_PANELS = 12


class WeightImageDisplay(Display):
    """Images of the weights of each class, on a common colour scale symmetric around 0.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    labels : list
        The class of each image.
    against : object
        The class that negative weights count for, if there are two classes; otherwise None.
    images : ndarray of shape (n_images, height, width)
        The weights of each class.
    left_out : int
        Number of classes that are not shown.
    limit : float
        The largest absolute weight: the end of the scale on both sides.
    """

    labels: list[Hashable]
    against: Hashable
    images: FloatArray
    left_out: int

    def __post_init__(self) -> None:
        self.limit = float(np.abs(self.images).max()) or 1.0
        rivals = "against it" if self.against is None else f"for {style.named(self.against)}"
        who = "the class" if self.against is None else style.named(self.labels[0])
        caption = (
            f"Weights of the pixels: + speaks for {who}, − {rivals}; the deepest is "
            f"{short_number(self.limit)}."
        )
        if self.left_out:
            caption += f" {count(self.left_out, 'more class', 'more classes')} not shown."
        self.caption = caption

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.labels))

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        height, width = self.images.shape[1:]
        if rows * columns == 1:
            return 4.6, float(np.clip(4.4 * height / width, 2.0, 7.0)) + 0.4
        tall = float(np.clip(1.7 * height / width, 0.8, 3.5))
        return 1.75 * columns + 0.5, (tall + 0.3) * rows + 0.5

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        theme = pen.theme
        hues = [theme.colour(1), theme.paper, theme.colour(0)]
        scale = LinearSegmentedColormap.from_list("against and for", hues)
        pairs = list(zip(self.labels, self.images, strict=True))
        for ax, (label, image) in panels(axes, pairs):
            look: Look = {"cmap": scale, "vmin": -self.limit, "vmax": self.limit}
            is_large = self.images.size > MAX_VECTOR_PIXELS
            mesh = ax.pcolormesh(image, rasterized=is_large, **look)
            ax.invert_yaxis()
            ax.set(aspect="equal", xticks=[], yticks=[])
            ax.spines[:].set(visible=True, color=theme.rule)
            if self.against is None:
                ax.set_title(pen.text(style.named(label)), pad=3)
            if max(image.shape) <= LARGEST_SIGNED:
                self._draw_signs(ax, mesh, image, 7.0 if pen.small else 12.0)
        self._draw_scale(axes.flat[len(self.labels) - 1], pen, mesh)

    def _draw_signs(self, ax: Axes, mesh: Any, image: FloatArray, size: float) -> None:
        """Write + or − into each pixel with a large weight, for readers who cannot see the hue."""
        from matplotlib.colors import to_hex

        look: Look = {"ha": "center", "va": "center", "fontsize": size}
        for (i, j), value in np.ndenumerate(image):
            if abs(value) >= SIGNED_FROM * self.limit:
                ink = readable_on(to_hex(mesh.to_rgba(value)))
                ax.text(j + 0.5, i + 0.5, "+" if value > 0 else "−", color=ink, **look)

    def _draw_scale(self, ax: Axes, pen: Pen, mesh: QuadMesh) -> None:
        """Draw the colour bar to the right of an image."""
        beside = ax.inset_axes((1.06, 0.0, 0.06, 1.0))
        bar: Any = ax.figure.colorbar(mesh, cax=beside)
        bar.outline.set_visible(False)
        names = [short_number(-self.limit), "0", "+" + short_number(self.limit)]
        ends = [-self.limit, 0, self.limit]
        bar.set_ticks(ends, labels=names, fontsize=7 if pen.small else 9)
        beside.tick_params(length=0, pad=2)


class Voice(NamedTuple):
    """The largest weights of a class, from the most positive to the most negative.

    ``against`` is the class that negative weights count for, if there are two classes.
    """

    label: Hashable
    against: Hashable
    names: list[str]
    values: FloatArray
    bias: float


class WeightsDisplay(Display):
    """Bar charts of the largest weights of each class.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    voices : list of Voice
        One for two classes, otherwise one for each class shown.
    n_features : int
        Number of features.
    left_out : int
        Number of classes that are not shown.
    """

    voices: list[Voice]
    n_features: int
    left_out: int

    def __post_init__(self) -> None:
        most = max(len(voice.names) for voice in self.voices)
        caption = f"The largest weights, at most {most} a class, of {self.n_features:,}"
        if not most:
            caption = f"All {self.n_features:,} weights are 0"
        if self.left_out:
            caption += f"; {count(self.left_out, 'more class', 'more classes')} not shown"
        if len(self.voices) == 1:
            caption += f"; the bias is {short_number(self.voices[0].bias)}"
        self.caption = caption + "."

    def _grid(self) -> tuple[int, int]:
        return panel_grid(len(self.voices))

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        bars = max(len(voice.names) for voice in self.voices)
        if rows * columns == 1:
            return 5.6, 1.5 + 0.24 * bars
        longest = max(len(style.named(name)) for voice in self.voices for name in voice.names)
        wide = float(np.clip(1.2 + 0.11 * longest, 2.2, 3.6))
        return wide * columns + 0.2, (0.6 + 0.19 * bars) * rows + 0.5

    def _draw_panels(self, axes: AnyArray, pen: Pen) -> None:
        most = max(float(np.abs(voice.values).max(initial=0.0)) for voice in self.voices) or 1.0
        for ax, voice in panels(axes, self.voices):
            self._draw_voice(ax, pen, voice, most)

    def _draw_voice(self, ax: Axes, pen: Pen, voice: Voice, most: float) -> None:
        """Draw one bar per weight; ``most`` is the largest absolute weight of all panels."""
        theme = pen.theme
        places = np.arange(len(voice.values))
        size = 8 if pen.small else 9
        for sign, place, hatch in ((1, 0, ""), (-1, 1, "///")):
            has_sign = voice.values * sign > 0
            tint = theme.tint(theme.colour(place), 0.8)
            bar: Look = {"color": tint, "edgecolor": theme.paper, "linewidth": 0, "hatch": hatch}
            ax.barh(places[has_sign], voice.values[has_sign], 0.74, **bar)

        # The weight beyond the end of its bar; the name on the side without a bar, where it needs
        # no room next to the axes.
        look: Look = {"textcoords": "offset points", "va": "center"}
        pairs = zip(voice.names, voice.values.tolist(), strict=True)
        for place, (name, value) in enumerate(pairs):
            ahead = "left" if value > 0 else "right"
            behind = "right" if value > 0 else "left"
            offset = 3 if value > 0 else -3
            weight = f"{value:+.3g}".replace("-", "−")
            ax.annotate(weight, (value, place), (offset, 0), ha=ahead, fontsize=size - 1, **look)
            shown = pen.text(style.named(name))
            ax.annotate(shown, (0, place), (-offset, 0), ha=behind, fontsize=size, **look)

        ax.axvline(0, color=theme.ink, lw=0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set(xlim=(-1.35 * most, 1.35 * most), ylim=(max(len(places), 1) - 0.4, -0.6))
        ax.locator_params(axis="x", nbins=4)
        self._name_axes(ax, pen, voice)

    def _name_axes(self, ax: Axes, pen: Pen, voice: Voice) -> None:
        """Write the class as a title, or both classes below the axis."""
        name = pen.text(style.named(voice.label))
        if voice.against is None:
            ax.set_title(f"{name}, bias {short_number(voice.bias)}", loc="left", fontsize=10)
        else:
            against = pen.text(style.named(voice.against))
            ax.set_xlabel(f"←  speaks for {against}      weight      speaks for {name}  →")


def weights(
    model: Any,
    *,
    top: int = 6,
    labels: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    shape: tuple[int, int] | None = None,
) -> WeightsDisplay | WeightImageDisplay:
    """Show the weights of a linear learner: the largest by name, or all as an image.

    Parameters
    ----------
    model : fitted linear learner
        A learner with ``coef_`` and ``intercept_``. With two classes there is one weight per
        feature, and a positive one counts for the second class. With more, each class has its own.
    top : int, default=6
        Number of positive and of negative weights to show for each class.
    labels : sequence, default=None
        The classes to show, if there are more than two. None shows the first 12.
    names : sequence of str, default=None
        Names of the features. None takes those stored in the model, or ``x[0]``, ``x[1]`` …
    shape : (height, width), default=None
        Show all weights as an image of this shape, one pixel per feature.

    Returns
    -------
    display : WeightsDisplay, or WeightImageDisplay with ``shape``

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets, plot
    >>> iris = datasets.iris()
    >>> model = AveragedPerceptron().fit(iris.X, iris.labels == "setosa")
    >>> named = ["sepal length", "sepal width", "petal length", "petal width"]
    >>> voice = plot.weights(model, names=named).voices[0]
    >>> voice.names
    ['sepal width', 'sepal length', 'petal width', 'petal length']
    """
    coef = getattr(model, "coef_", None)
    if coef is None:
        raise InputError(
            f"this {type(model).__name__} has no weights by feature (coef_): give a fitted linear "
            "learner."
        )
    checks.whole("top", top, at_least=1)
    table = np.asarray(coef, np.float64)
    classes = model.classes_.tolist()
    rows, against = _chosen(classes, labels, len(table))
    shown = rows[:MAX_PANELS]
    left_out = len(rows) - len(shown)
    # With two classes the one vector is that of the second class.
    own = [classes[-1]] if len(table) == 1 else classes
    if shape is not None:
        images = table[shown].reshape(len(shown), *_checked(shape, table.shape[1]))
        return WeightImageDisplay([own[row] for row in shown], against, images, left_out)
    if names is not None and len(names) != table.shape[1]:
        raise InputError(f"names has {len(names):,} entries for {table.shape[1]:,} features.")
    voices = []
    for row in shown:
        places = _largest(table[row], top)
        if names is None:
            called = feature_names_of(model, places)
        else:
            called = [str(names[j]) for j in places]
        bias = float(model.intercept_[row])
        voices.append(Voice(own[row], against, called, table[row, places], bias))
    return WeightsDisplay(voices, table.shape[1], left_out)


def _chosen(
    classes: list[Hashable], labels: Sequence[Hashable] | None, n_vectors: int
) -> tuple[list[int], Hashable]:
    """Return the indices of the weight vectors to show, and the class of negative weights."""
    if n_vectors == 1:
        if labels is not None:
            raise ParameterError(
                "labels is for more than two classes; two share one weight vector."
            )
        return [0], classes[0] if len(classes) == 2 else None
    if labels is None:
        return list(range(n_vectors)), None
    unknown = [label for label in labels if label not in classes]
    if unknown or not len(labels):
        reason = f"{unknown[0]!r} is no class" if unknown else "there are none"
        raise ParameterError(
            f"labels: {reason}; give some of {', '.join(map(repr, classes[:20]))}."
        )
    return [classes.index(label) for label in labels], None


def _largest(values: FloatArray, top: int) -> list[int]:
    """Return the indices of the ``top`` largest weights of each sign, in descending order."""
    order = np.argsort(-values, kind="stable")
    n_positive = min(top, int((values > 0).sum()))
    n_negative = min(top, int((values < 0).sum()))
    ends = [order[:n_positive], order[len(order) - n_negative :]]
    return [int(place) for place in np.concatenate(ends)]


def _checked(shape: Any, n_features: int) -> tuple[int, int]:
    """Return height and width of an image; raise an error unless it has a pixel per feature."""
    try:
        height, width = (int(side) for side in shape)
    except (TypeError, ValueError):
        height = 0
        width = 0
    if height < 1 or width < 1 or height * width != n_features:
        raise ParameterError(
            f"shape={shape!r} is not allowed: give (height, width) with as many pixels as there "
            f"are features, {n_features:,}."
        )
    return height, width
