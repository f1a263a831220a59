"""Points, vectors and boxes handed to the geometry, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arrays import FloatArray, SparseRows, is_sparse
from rosenblatt.checks import numbers
from rosenblatt.errors import InputError, ParameterError

Box = tuple[float, float, float, float]

# The area of a box with sides of this size is still a number.
FARTHEST = 1e150


def number(name: str, value: Any) -> float:
    """One finite number."""
    array = numbers(name, value)
    if array.ndim:
        raise InputError(f"{name} has shape {array.shape}; it must be one number")
    if not np.isfinite(array):
        raise InputError(f"{name} is {array}; it must be a finite number")
    return float(array)


def vector(name: str, values: Any) -> FloatArray:
    """One finite vector, as float64."""
    array = numbers(name, values).astype(np.float64)
    if array.ndim != 1:
        raise InputError(
            f"{name} has shape {array.shape}; it must be one vector "
            f"({name}[0] is the first row of a table)"
        )
    if not np.isfinite(array).all():
        i = int(np.isfinite(array).argmin())
        raise InputError(f"{name}[{i}] is {array[i]}; every entry must be a finite number")
    return array


def points(name: str, X: Any, d: int | None = None) -> Any:
    """Rows as they are, dense (d,) or (n, d), or as CSR (n, d), with d columns if given."""
    if is_sparse(X) and len(X.shape) == 1:
        X = X.toarray()
    rows: Any
    if is_sparse(X):
        if X.dtype.kind not in "biuf":
            raise InputError(f"{name} holds {X.dtype}; it must hold real numbers")
        rows = X if isinstance(X, SparseRows) else X.tocsr()
    else:
        rows = numbers(name, X)
        if rows.ndim not in (1, 2):
            raise InputError(
                f"{name} has shape {rows.shape}; it must be one row (d,) or many rows (n, d)"
            )
    if d is not None and rows.shape[-1] != d:
        raise InputError(
            f"{name} has {rows.shape[-1]} columns; the vector it meets here has {d} entries"
        )
    return rows


def dense(rows: Any) -> FloatArray:
    """Rows as a dense float64 array that shares no memory with them."""
    array: NDArray[Any] = rows.toarray() if is_sparse(rows) else rows
    return array.astype(np.float64)


def times(rows: Any, v: FloatArray) -> FloatArray:
    """``rows @ v``; what is not finite is left for `finite` to find."""
    if not is_sparse(rows):
        rows = rows.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(rows @ v)


def finite(name: str, result: FloatArray) -> FloatArray:
    """A result with one number a row, refused where it is not a number.

    NaN and infinity reach the result of every sum they are part of, so looking here finds them in
    the rows without another pass over these.
    """
    bad = ~np.isfinite(result)
    if bad.any():
        where = f"row {int(bad.argmax())} of {name}" if result.ndim else name
        raise InputError(
            f"{where} holds NaN, an infinity, or numbers so large that the result is beyond the "
            "largest float (about 1.8e308); leave such rows out, or scale the features"
        )
    return result[()]


def scaled(v: FloatArray) -> tuple[FloatArray, int]:
    """``v = u * 2**e`` with the largest entry of u between 1/2 and 1; exact but for underflow."""
    _, exponent = np.frexp(np.abs(v).max(initial=0.0))
    return np.ldexp(v, -exponent), int(exponent)


def box_sides(box: Any) -> Box:
    """``(xmin, xmax, ymin, ymax)`` as floats."""
    try:
        xmin, xmax, ymin, ymax = (float(side) for side in box)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"box is {box!r}; it must be four numbers, (xmin, xmax, ymin, ymax)"
        ) from error
    sides = (xmin, xmax, ymin, ymax)
    if not all(math.isfinite(side) and abs(side) <= FARTHEST for side in sides):
        raise ParameterError(f"box is {sides}; its numbers must lie in ±{FARTHEST:g}")
    if not (xmin < xmax and ymin < ymax):
        raise ParameterError(
            f"box is {sides}; it must be (xmin, xmax, ymin, ymax) with xmin < xmax and ymin < ymax"
        )
    return sides
