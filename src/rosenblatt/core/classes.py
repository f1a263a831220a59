"""The classes of a model, in the order of their arrival."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rosenblatt.errors import InputError

__all__ = ["with_class"]


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
