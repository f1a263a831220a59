"""Whatever holds rows of numbers, as an array or as sparse rows; nothing is imported for it.

That is arrays, sparse matrices, lists, and frames of pandas, polars and Arrow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, FloatArray, SparseRows, is_sparse, readable
from rosenblatt.errors import InputError, InputTypeError, MissingExtra
from rosenblatt.tables.readers.block import Block

BLOCK_ROWS = 4096
FLOATS = np.dtype(np.float32), np.dtype(np.float64)
TIMES = np.datetime64, np.timedelta64
RESHAPE = (
    "Reshape your data: X.reshape(-1, 1) if it is one feature of many rows, X.reshape(1, -1) if it "
    "is one row."
)
TEXTS = "Make numbers of texts first: rosenblatt.features.TextFeatures().fit_transform(X)."


def as_table(X: Any, columns: list[Any] | None = None) -> Any:
    """An array or canonical CSR of floats that a loop can read, not copied if it is that already.

    ``columns``: what the columns of a frame are called; None of anything but a frame.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and X.flags.c_contiguous:
        return readable(X)  # at once, because a prediction of one row goes through here
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
    if isinstance(X, SparseRows) or X.format == "csr":
        _refuse_damaged(X)
    table = SparseRows.of(X)
    return table if table.dtype in FLOATS else table.astype(np.float64)


def _refuse_damaged(X: Any) -> None:
    """SciPy would read and write outside of the arrays of such a matrix; of ours loops look."""
    starts = X.indptr
    ascending = isinstance(X, SparseRows) or (starts[1:] >= starts[:-1]).all()
    if starts[0] != 0 or not ascending or starts[-1] > len(X.indices):
        raise InputError(
            "X is a damaged sparse matrix: its indptr must start at 0, ascend and end within what "
            "is stored. Build it again."
        )


def _dense(array: AnyArray, columns: list[Any] | None) -> AnyArray:
    if array.ndim != 2:
        _refuse_shape(array)
    _refuse_other_kinds(array.dtype)
    if array.dtype.kind not in "biuf":
        array = floats(array, columns)
    is_single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    with np.errstate(over="ignore"):  # what is beyond float64 is infinite, and found later
        return readable(array, np.float32 if is_single else np.float64)


def _array(X: Any) -> AnyArray:
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


def _refuse_shape(array: AnyArray) -> None:
    if array.ndim > 2:
        raise InputError(
            f"X has shape {array.shape}: Found array with dim {array.ndim}, while dim <= 2 is "
            "required. Give each example as one row of numbers."
        )
    if array.ndim == 1:
        cure = TEXTS if array.size and isinstance(array[0], str) else RESHAPE
        raise InputError(
            f"X has shape {array.shape}: Expected 2D array, got 1D array instead. {cure}"
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


# ---------------------------------------------------------------------- frames


def as_frame(X: Any) -> Any:
    """What only streams Arrow's columns, as a table of Arrow; anything else as it is."""
    kind = type(X)
    if hasattr(kind, "__array__") or not hasattr(kind, "__arrow_c_stream__"):
        return X
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(f"reading a {kind.__name__} needs pyarrow", extra="table") from None
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


def feature_names(columns: list[Any] | None) -> AnyArray | None:
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


def _numbers(column: Any, j: int, names: list[Any]) -> AnyArray:
    values = np.asarray(column)
    if values.ndim != 1 or values.dtype.kind not in "biufOUST":
        raise InputTypeError(
            f"column {j} ({names[j]!r}) of X holds {getattr(column, 'dtype', values.dtype)}, which "
            "is not one number a row. Leave it out, or make numbers of it."
        )
    return values if values.dtype.kind in "biuf" else floats(values, names, column=j)


def _stacked(columns: list[AnyArray], n_rows: int) -> AnyArray:
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


# ---------------------------------------------------------------------- single entries


def unmasked(values: Any, dtype: npt.DTypeLike, missing: Any) -> Any:
    """A masked array of NumPy as an array that shows which values are missing."""
    # Not asked by its class, because NumPy loads masked arrays only if someone uses them.
    if not isinstance(values, np.ndarray) or not hasattr(values, "mask"):
        return values
    shown = np.asarray(values)
    if np.any(values.mask):
        shown = shown.astype(dtype)
        shown[values.mask] = missing
    return shown


def is_missing(value: Any) -> bool:
    """None, and whatever is not equal to itself: NaN, NaT, NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # whether NA differs from NA is not known
        return True
    except ValueError:  # an array
        return False


def floats(
    values: AnyArray, names: list[Any] | None = None, column: int | None = None
) -> FloatArray:
    """Objects or texts as float64, missing ones as NaN; what is not a number is named.

    ``values`` is a table of two dimensions, or one column of it.
    """
    try:
        if values.dtype != object or not any(isinstance(value, TIMES) for value in values.flat):
            return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    values = values.astype(object)
    found = np.empty(values.shape)
    for place in np.ndindex(*values.shape):
        try:
            if isinstance(values[place], TIMES):
                raise TypeError("it is a time")
            found[place] = float(values[place])
        except OverflowError:
            found[place] = math.inf if values[place] > 0 else -math.inf
        except (TypeError, ValueError) as error:
            if not is_missing(values[place]):
                row, j = place if column is None else (place[0], column)
                raise _not_a_number(values[place], row, j, names, error) from None
            found[place] = math.nan
    return found


def _not_a_number(
    value: Any, row: int, column: int, names: list[Any] | None, error: Exception
) -> InputError:
    name = f" ({names[column]!r})" if names else ""
    place = f"X holds {value!r} at row {row}, column {column}{name}, which is not a number"
    if not isinstance(value, str | bytes):
        return InputTypeError(f"{place} ({error}).")
    return InputError(
        f"{place} (could not convert string to float). Turn text columns into numbers first, for "
        "example with sklearn.preprocessing.OneHotEncoder."
    )
