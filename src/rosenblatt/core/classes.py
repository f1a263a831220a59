"""The classes of a model, in the order of their arrival."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError

__all__ = ["answers", "in_order", "with_class"]


def with_class(classes: list[Any], label: Hashable) -> list[Any]:
    """The classes and one more; of two, of which nothing is learned yet, in their natural order."""
    joined = [*classes, label]
    try:
        in_order = sorted(joined)
    except TypeError:
        raise InputError(
            f"the label {label!r} ({type(label).__name__}) cannot be compared with the labels "
            f"seen so far, such as {classes[0]!r} ({type(classes[0]).__name__}). "
            "Use labels of one type."
        ) from None
    return in_order if len(joined) == 2 else joined


def in_order(classes: Sequence[Any]) -> list[int]:
    """The places of the classes, which stand as they arrived, in their natural order."""
    return sorted(range(len(classes)), key=classes.__getitem__)


def answers(scores: npt.NDArray[Any], ties: str) -> npt.NDArray[np.intp]:
    """Numbers of the classes with the best score; ties as the learner has them."""
    if scores.ndim == 1:
        return ((scores >= 0) if ties == "positive" else (scores > 0)).astype(np.intp)
    if ties == "positive":
        return np.asarray(scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1))
    return np.asarray(scores.argmax(axis=1))
