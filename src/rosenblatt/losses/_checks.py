"""Numbers handed to a loss, checked."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import checks
from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError

Slope = TypeVar("Slope")


def chosen(loss: str, slopes: dict[str, Slope]) -> Slope:
    return slopes[checks.choice("loss", loss, *slopes)]


def numbers(name: str, values: ArrayLike) -> FloatArray:
    return checks.numbers(name, values).astype(np.float64, copy=False)


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
