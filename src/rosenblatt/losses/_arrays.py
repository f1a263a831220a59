"""Numbers handed to a loss, checked."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import InputError, ParameterError

FloatArray = NDArray[np.float64]
Slope = TypeVar("Slope")


def chosen(loss: str, slopes: dict[str, Slope]) -> Slope:
    if loss not in slopes:
        raise ParameterError(f"loss is {loss!r}; it must be one of {', '.join(map(repr, slopes))}")
    return slopes[loss]


def numbers(name: str, values: ArrayLike) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a dense array of numbers ({error})") from error


def matrix(name: str, values: ArrayLike) -> FloatArray:
    matrix = numbers(name, values)
    if matrix.ndim != 2:
        raise InputError(
            f"{name} has shape {matrix.shape}; it must have two dimensions "
            "(a single row x is given as [x])"
        )
    return matrix


def same_shape(name: str, array: NDArray[Any], shape: tuple[int, ...], meaning: str) -> None:
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}, not {shape}: it holds {meaning}")
