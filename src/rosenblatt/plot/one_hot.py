"""Picture of one-hot vectors of a prediction and a label, and of their perceptron loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.losses import one_hot as encode
from rosenblatt.plot.curves import readable_on, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.pen import Look
from rosenblatt.plot.style import Mark, marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CLASSES = 20
COLUMNS = ("scores\nWx + b", "prediction\nf", "label\ny", "gradient\nf − y")


class OneHotDisplay(Display):
    """Table of scores, one-hot vectors and their difference by class, made by `one_hot`.

    Attributes
    ----------
    caption : str
        A description of the picture, drawn below it if the figure is its own.
    ax_, figure_ : object
        The axes and the figure of `plot`; ``ax_`` is an array if there are several panels.
    marks : tuple of Mark
        Colour, shape and letter of each class.
    scores, predicted, label : ndarray of shape (n_classes,)
        The scores, and the one-hot vectors f and y.
    loss : float
        ``(f − y)·(Wx + b)``, the score of the prediction minus that of the label.
    """

    marks: tuple[Mark, ...]
    scores: FloatArray
    predicted: FloatArray
    label: FloatArray
    loss: float

    def __post_init__(self) -> None:
        guess = self.marks[int(self.predicted.argmax())].name
        right = self.marks[int(self.label.argmax())].name
        change = "nothing changes"
        if guess != right:
            change = f"x is added to the weights of {right} and taken from those of {guess}"
        self.caption = (
            f"The label is {right}, and {guess} has the highest score. The loss "
            f"(f\xa0−\xa0y)·(Wx\xa0+\xa0b) is {short_number(self.loss)}; its gradient for the "
            f"weights of a class is x times f\xa0−\xa0y: {change}."
        )

    def _size(self) -> tuple[float, float]:
        return 5.6, 1.7 + 0.45 * len(self.marks)

    def _draw(self, ax: Axes, pen: Pen) -> None:
        theme = pen.theme
        n = len(self.marks)
        table = np.column_stack(
            [self.scores, self.predicted, self.label, self.predicted - self.label]
        )
        for (row, column), value in np.ndenumerate(table):
            # Ones of the one-hot vectors are in the colour of their class.
            is_set = column > 0 and bool(value)
            ground = pen.colour(self.marks[row]) if is_set else theme.tint(theme.faint, 0.1)
            # The column of scores is set apart, because it is not part of the encoding.
            left = column + (0.25 if column else 0.0)
            cell: Look = {"facecolor": ground, "edgecolor": theme.paper, "lw": 2}
            ax.fill([left, left + 1, left + 1, left], [row, row, row + 1, row + 1], **cell)

            words = short_number(float(value)) if column < 3 or value <= 0 else "+1"
            look: Look = {"ha": "center", "va": "center", "fontsize": 13}
            look["color"] = readable_on(ground) if is_set else theme.ink
            look["fontweight"] = "bold" if is_set else "normal"
            ax.text(left + 0.5, row + 0.5, words, **look)

        places = np.arange(4) + 0.5 + 0.25 * (np.arange(4) > 0)
        ax.set_xticks(places, COLUMNS, fontsize=10)
        ax.set_yticks(np.arange(n) + 0.5, [pen.text(mark.name) for mark in self.marks], fontsize=11)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlim=(0, 4.25), ylim=(n, 0))


def one_hot(scores: Any, label: Any, classes: Sequence[Any]) -> OneHotDisplay:
    """Show a prediction and a label as one-hot vectors, and their perceptron loss.

    The loss is ``ℓ = (f − y)·(Wx + b) = score(ŷ) − score(y)``, its gradient ``x (f − y)`` (L2.6).

    Parameters
    ----------
    scores : array-like of shape (n_classes,)
        The score of each class for one row.
    label : object
        The right class.
    classes : sequence
        The classes in order, at most 20.

    Returns
    -------
    display : OneHotDisplay

    See Also
    --------
    losses : Show losses against the margin.
    rosenblatt.losses.one_hot : Compute the vectors.

    Examples
    --------
    >>> from rosenblatt import plot
    >>> shown = plot.one_hot([1, 3, -2], "rain", ["rain", "snow", "sun"])
    >>> shown.predicted.tolist(), shown.label.tolist(), shown.loss
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], 2.0)
    """
    known = list(classes)
    found = np.asarray(scores, np.float64)
    if not 2 <= len(known) <= MOST_CLASSES:
        raise ParameterError(f"{len(known)} classes; 2 to {MOST_CLASSES} can be shown.")
    if found.shape != (len(known),) or not np.isfinite(found).all():
        raise InputError(f"scores of shape {found.shape}; give a number for each class.")
    predicted, right = encode([known[int(found.argmax())], label], known)
    return OneHotDisplay(
        marks=marks(known),
        scores=found,
        predicted=predicted,
        label=right,
        loss=float((predicted - right) @ found),
    )
