"""Classes as estimators meet them: all at once, or one after the other in a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError

__all__ = ["as_array", "declared", "first_places", "refuse_one_class"]


def declared(classes: Any) -> list[Any]:
    """Classes that a caller of ``partial_fit`` knows of from the start."""
    if classes is None:
        return []
    listed = np.asarray(classes)
    if listed.ndim != 1:
        raise InputError(f"classes={classes!r} is not a list of classes.")
    found: list[Any] = np.unique(listed).tolist()
    return found


def first_places(
    names: list[Any], numbers: npt.NDArray[np.int32], known: Mapping[Any, int]
) -> list[tuple[int, Any]]:
    """Where each label that is not known yet appears first, in the order of the rows."""
    unknown = [number for number, name in enumerate(names) if name not in known]
    return sorted(
        ((int(np.argmax(numbers == number)), names[number]) for number in unknown),
        key=lambda place: place[0],
    )


def refuse_one_class(classes: list[Any]) -> None:
    if len(classes) < 2:
        raise InputError(
            f"y holds only one class, {classes[0]!r}: there is nothing to tell apart. Give rows of "
            "at least two classes, or use partial_fit, which waits for the second."
        )


def as_array(classes: list[Any], dtype: np.dtype[Any] | None = None) -> npt.NDArray[Any]:
    """Labels as a 1-D array, of the type they had if they came all at once."""
    if dtype is not None and dtype.kind in "iub":
        return np.array(classes, dtype)
    if all(type(label) is int for label in classes):
        for whole in (np.int64, np.uint64):
            try:
                return np.array(classes, whole)
            except OverflowError:
                continue
    elif not any(isinstance(label, tuple) for label in classes):
        return np.array(classes)
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array
