"""Data frames of pandas, polars and Arrow as arrays; none of the three is imported here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputTypeError, MissingExtra
from rosenblatt.learner.entries import floats

__all__ = ["as_frame", "column_names", "feature_names", "frame_values"]

BLOCK_ROWS = 4096


def as_frame(X: Any) -> Any:
    """What only streams Arrow's columns, as a table of Arrow; anything else as it is."""
    kind = type(X)
    if hasattr(kind, "__array__") or not hasattr(kind, "__arrow_c_stream__"):
        return X
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(
            f"reading a {kind.__name__} needs pyarrow: pip install 'rosenblatt[table]'."
        ) from None
    return pyarrow.table(X)


def column_names(X: Any) -> list[Any] | None:
    """What the columns of a frame are called; None of anything but a frame."""
    # Asked of the class, because columns of pandas are attributes of the frame.
    kind = type(X)
    if hasattr(kind, "column_names"):  # a table or batch of Arrow
        return list(X.column_names)
    if hasattr(kind, "columns") and (hasattr(kind, "iloc") or hasattr(kind, "get_columns")):
        return list(X.columns)
    return None


def feature_names(columns: list[Any] | None) -> npt.NDArray[Any] | None:
    """The names if all are text; None if none is."""
    texts = sum(isinstance(name, str) for name in columns or ())
    if columns is None or not texts:
        return None
    if texts < len(columns):
        kinds = sorted({type(name).__qualname__ for name in columns})
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but the "
            f"columns of X have names of the types {kinds}. Make all of them text "
            "(X.columns = X.columns.astype(str)), or none."
        )
    names = np.empty(len(columns), dtype=object)
    names[:] = columns
    return names


def frame_values(X: Any, names: list[Any]) -> Any:
    """The numbers of a frame as a 2-D array; sparse rows if all columns are sparse."""
    kind = type(X)
    columns: Iterable[Any]
    if hasattr(kind, "iloc"):
        dtypes = set(X.dtypes)
        if dtypes and all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
            return X.to_numpy(dtype=np.result_type(*dtypes))
        if dtypes and all(_is_sparse_of_zeros(dtype) for dtype in dtypes):
            return _sparse_rows(X)
        columns = (X.iloc[:, j] for j in range(len(names)))
    else:
        columns = X.get_columns() if hasattr(kind, "get_columns") else X.columns
    return _stacked([_numbers(column, j, names) for j, column in enumerate(columns)], len(X))


def _numbers(column: Any, j: int, names: list[Any]) -> npt.NDArray[Any]:
    values = np.asarray(column)
    if values.ndim != 1 or values.dtype.kind not in "biufOUST":
        raise InputTypeError(
            f"column {j} ({names[j]!r}) of X holds {getattr(column, 'dtype', values.dtype)}, which "
            "is not one number a row. Leave it out, or make numbers of it."
        )
    return values if values.dtype.kind in "biuf" else floats(values, names, column=j)


def _stacked(columns: list[npt.NDArray[Any]], n_rows: int) -> npt.NDArray[Any]:
    """Columns side by side, some rows at a time, so that what is written stays in the cache."""
    dtype = np.result_type(*columns) if columns else np.dtype(np.float64)
    table = np.empty((n_rows, len(columns)), np.float32 if dtype == np.float32 else np.float64)
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        for j, values in enumerate(columns):
            table[rows, j] = values[rows]
    return table


def _is_sparse_of_zeros(dtype: Any) -> bool:
    return hasattr(dtype, "subtype") and hasattr(dtype, "fill_value") and dtype.fill_value == 0


def _sparse_rows(X: Any) -> SparseRows:
    """The stored values of pandas' sparse columns, row by row."""
    parts = [X.iloc[:, j].array for j in range(X.shape[1])]
    rows = np.concatenate([part.sp_index.indices for part in parts])
    order = np.argsort(rows, kind="stable")  # the columns of a row stay in order
    columns = np.repeat(np.arange(len(parts), dtype=np.int32), [part.npoints for part in parts])
    values = np.concatenate([np.asarray(part.sp_values) for part in parts])
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return SparseRows(values[order], columns[order], starts, len(parts))
