"""One-hot vectors of a prediction and a label, and the perceptron loss that they are part of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.losses import one_hot as encode
from rosenblatt.plot.curves import readable_on, short_number
from rosenblatt.plot.display import Display, Pen
from rosenblatt.plot.style import Mark, marks

MOST_CLASSES = 20
COLUMNS = ("scores\nWx + b", "prediction\nf", "label\ny", "gradient\nf − y")


class OneHotDisplay(Display):
    """Scores, one-hot vectors and their difference, a row for each class; `one_hot` makes it.

    Attributes
    ----------
    marks : tuple of Mark
        How the classes are shown.
    scores, predicted, label : ndarray of shape (n_classes,)
        The scores, and the one-hot vectors f and y.
    loss : float
        ``(f − y)·(Wx + b)``, the score of the prediction less that of the label.
    """

    marks: tuple[Mark, ...]
    scores: FloatArray
    predicted: FloatArray
    label: FloatArray
    loss: float

    def __post_init__(self) -> None:
        guess, right = (self.marks[int(one.argmax())].name for one in (self.predicted, self.label))
        wrong = f"x is added to the weights of {right} and taken from those of {guess}"
        self.caption = (
            f"The label is {right}, and {guess} has the highest score. The loss "
            f"(f\xa0−\xa0y)·(Wx\xa0+\xa0b) is {short_number(self.loss)}; its gradient for the "
            f"weights of a class is x times f\xa0−\xa0y: "
            f"{wrong if guess != right else 'nothing changes'}."
        )

    def _size(self) -> tuple[float, float]:
        return 5.6, 1.7 + 0.45 * len(self.marks)

    def _draw(self, ax: Any, pen: Pen) -> None:
        theme, n = pen.theme, len(self.marks)
        table = np.column_stack(
            [self.scores, self.predicted, self.label, self.predicted - self.label]
        )
        for (row, column), value in np.ndenumerate(table):
            is_set = column > 0 and value
            ground = pen.colour(self.marks[row]) if is_set else theme.tint(theme.faint, 0.1)
            # A column apart, since scores are no part of the encoding.
            left = column + (0.25 if column else 0.0)
            look: Any = {"facecolor": ground, "edgecolor": theme.paper, "lw": 2}
            ax.fill([left, left + 1, left + 1, left], [row, row, row + 1, row + 1], **look)
            words = short_number(float(value)) if column < 3 or value <= 0 else "+1"
            ink = readable_on(ground) if is_set else theme.ink
            look = {"ha": "center", "va": "center", "fontsize": 13, "color": ink}
            look |= {"fontweight": "bold" if is_set else "normal"}
            ax.text(left + 0.5, row + 0.5, words, **look)
        places = np.arange(4) + 0.5 + 0.25 * (np.arange(4) > 0)
        ax.set_xticks(places, COLUMNS, fontsize=10)
        ax.set_yticks(np.arange(n) + 0.5, [pen.text(mark.name) for mark in self.marks], fontsize=11)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlim=(0, 4.25), ylim=(n, 0))


def one_hot(scores: Any, label: Any, classes: Sequence[Any]) -> OneHotDisplay:
    """Show a prediction and a label as one-hot vectors, and the perceptron loss made of them.

    ``ℓ = (f − y)·(Wx + b) = score(ŷ) − score(y)``, with the gradient ``x (f − y)`` (L2.6)

    Parameters
    ----------
    scores : array-like of shape (n_classes,)
        The score of each class for one row.
    label : object
        The right class.
    classes : sequence
        The classes in order, at most 20.

    See Also
    --------
    losses : Losses by their margin.
    rosenblatt.losses.one_hot : The vectors without a picture.

    Examples
    --------
    >>> from rosenblatt import plot
    >>> shown = plot.one_hot([1, 3, -2], "rain", ["rain", "snow", "sun"])
    >>> shown.predicted.tolist(), shown.label.tolist(), shown.loss
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], 2.0)
    """
    known, found = list(classes), np.asarray(scores, np.float64)
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
