"""Arrays of the caller as rows the loops can read, without a copy where the type allows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import rows as _rows
from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.weights import FLOAT32_LIMIT, FLOAT64_LIMIT
from rosenblatt.arrays import canonical, is_sparse
from rosenblatt.errors import InputError

__all__ = ["Rows", "as_rows", "inspect", "largest_allowed"]

READABLE: tuple[Any, ...] = ("C", "A")


def as_rows(X: Any, dtype: npt.DTypeLike | None = None) -> Rows:
    """Rows of a 2-D array or sparse rows; of `dtype` if given, else float32 or float64 as it is."""
    if dtype is None:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
    if not is_sparse(X):
        return _rows.dense(np.require(X, dtype, READABLE))
    X = canonical(X)
    index = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
    return _rows.sparse(
        np.require(X.data, dtype, READABLE),
        np.require(X.indices, index, READABLE),
        np.require(X.indptr, index, READABLE),
        X.shape[1],
    )


def largest_allowed(dtype: npt.DTypeLike) -> float:
    return FLOAT32_LIMIT if np.dtype(dtype) == np.float32 else FLOAT64_LIMIT


def inspect(rows: Rows, *, names: Any = None, argument: str = "X") -> None:
    """Refuse values that are not finite or too large to square, naming row and column."""
    limit = largest_allowed(rows.dtype)
    found = rows.inspect(limit)
    if found is None:
        return
    row, column, value = found
    if not 0 <= column < rows.n_features:
        raise InputError(
            f"{argument} is a damaged sparse matrix: row {row} points outside of its "
            f"{rows.n_features} columns or of what is stored. Build it again."
        )
    place = f"column {column}" if names is None else f"column {column} ({names[column]!r})"
    if np.isfinite(value):
        raise InputError(
            f"{argument} holds {value:g} at row {row}, {place}: beyond {limit:g} its square "
            f"would overflow {rows.dtype}. Scale the column"
            + (", or pass float64." if rows.is_float32 else ".")
        )
    what = "NaN" if np.isnan(value) else "infinity"
    raise InputError(
        f"{argument} holds {what} at row {row}, {place}; only finite numbers can be learned from. "
        "Drop the row, or fill the gap (sklearn.impute.SimpleImputer)."
    )
