"""Whatever holds rows of numbers, as an array or as sparse rows; nothing is imported for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.io.block import Block
from rosenblatt.learner.entries import floats, unmasked
from rosenblatt.learner.frames import frame_values

__all__ = ["as_table"]

FLOATS = np.dtype(np.float32), np.dtype(np.float64)
RESHAPE = (
    "Reshape your data: X.reshape(-1, 1) if it is one feature of many rows, X.reshape(1, -1) if it "
    "is one row."
)


def as_table(X: Any, columns: list[Any] | None = None) -> Any:
    """A C-contiguous array or canonical CSR, float32 or float64, not copied if it is that already.

    ``columns``: what the columns of a frame are called; None of anything but a frame.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and X.flags.c_contiguous:
        return X  # at once, because a prediction of one row goes through here
    if columns is not None:
        X = frame_values(X, columns)
    elif isinstance(X, Block):
        raise InputError(
            f"X is a {type(X).__name__}, which holds labels too: give the X of `X, y = block`, or "
            "the rows that a schema encodes (rosenblatt.features.Schema)."
        )
    return _sparse(X) if is_sparse(X) else _dense(_array(X), columns)


def _sparse(X: Any) -> SparseRows:
    if len(X.shape) != 2:
        raise InputError(f"Expected 2D input, but the sparse X has shape {X.shape}. {RESHAPE}")
    _refuse_other_kinds(X.dtype)
    if not isinstance(X, SparseRows) and X.format == "csr":
        _refuse_damaged(X)
    table = SparseRows.of(X)
    return table if table.dtype in FLOATS else table.astype(np.float64)


def _refuse_damaged(X: Any) -> None:
    """SciPy would read and write outside of the arrays of such a matrix."""
    starts = X.indptr
    ascending = starts[0] == 0 and (starts[1:] >= starts[:-1]).all()
    if not ascending or starts[-1] > len(X.indices):
        raise InputError(
            "X is a damaged sparse matrix: its indptr points outside of what is stored. Build it "
            "again."
        )


def _dense(array: npt.NDArray[Any], columns: list[Any] | None) -> npt.NDArray[Any]:
    if array.ndim != 2:
        _refuse_shape(array)
    _refuse_other_kinds(array.dtype)
    if array.dtype.kind not in "biuf":
        array = floats(array, columns)
    is_single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    with np.errstate(over="ignore"):  # what is beyond float64 is infinite, and found later
        return np.ascontiguousarray(array, np.float32 if is_single else np.float64)


def _array(X: Any) -> npt.NDArray[Any]:
    if type(X) is np.ndarray:
        return X
    if isinstance(X, np.matrix):
        raise InputTypeError("X is an np.matrix, which is not supported: give np.asarray(X).")
    try:
        return np.asarray(unmasked(X, np.float64, np.nan))
    except (TypeError, ValueError) as error:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                raise InputError(
                    f"X is no table: row 0 has {lengths[0]} entries, row {row} has {length}. Give "
                    "every row as many as there are features."
                ) from None
        raise InputError(f"X is no table of numbers ({error}).") from None


def _refuse_shape(array: npt.NDArray[Any]) -> None:
    if array.ndim > 2:
        raise InputError(
            f"X has shape {array.shape}: Found array with dim {array.ndim}, while dim <= 2 is "
            "required. Give each example as one row of numbers."
        )
    if array.ndim == 1:
        raise InputError(
            f"X has shape {array.shape}: Expected 2D array, got 1D array instead. {RESHAPE}"
        )
    raise InputError(
        f"X is {array.item()!r:.60}: Expected 2D array, got scalar array instead. {RESHAPE}"
    )


def _refuse_other_kinds(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: X holds {dtype}. Give real and imaginary parts as "
            "columns of their own (np.hstack([X.real, X.imag]))."
        )
    if dtype.kind not in "biufOUST":
        raise InputError(f"X holds {dtype}, which is not a number. Make numbers of it first.")
