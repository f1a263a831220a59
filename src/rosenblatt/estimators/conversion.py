"""Conversion of rows of numbers to arrays or sparse rows, without importing their library.

Rows can be arrays, sparse matrices, lists, and frames of pandas, polars and Arrow. These libraries
are optional, so objects are recognized by the attributes of their class.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, FloatArray, SparseRows, is_sparse, readable
from rosenblatt.errors import InputError, InputTypeError, MissingExtra
from rosenblatt.tables.readers.block import Block

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

# Rows of a frame whose columns are joined at once, few enough for the processor's cache.
BLOCK_ROWS = 4096
# The dtypes that the compiled loops read.
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
TIMES = (np.datetime64, np.timedelta64)
# Kinds of NumPy dtypes: numbers and booleans; and these with objects, texts and bytes as well.
NUMBERS = "biuf"
CONVERTIBLE = "biufOUST"
RESHAPE = (
    "Reshape your data: X.reshape(-1, 1) if it is one feature of many rows, X.reshape(1, -1) if it "
    "is one row."
)
TEXTS = "Make numbers of texts first: rosenblatt.features.TextFeatures().fit_transform(X)."


def as_table(X: Any, columns: Sequence[Hashable] | None = None) -> Table:
    """Convert ``X`` to a C-contiguous array or canonical CSR rows of floats; copy only if needed.

    ``columns`` are the names of the columns of a frame; None if X is no frame.
    """
    # The fast path, because a prediction of one row takes it.
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and X.flags.c_contiguous:
        return readable(X)
    if columns is not None:
        X = frame_values(X, columns)
    elif isinstance(X, Block):
        raise InputError(
            f"X is a {type(X).__name__}, which holds labels too: give the X of `X, y = block`, or "
            "the rows that a schema encodes (rosenblatt.features.Schema)."
        )
    if is_sparse(X):
        return _sparse_table(X)
    return _dense_table(_as_array(X), columns)


def _sparse_table(X: Any) -> SparseRows:
    if len(X.shape) != 2:
        raise InputError(f"Expected 2D input, but the sparse X has shape {X.shape}. {RESHAPE}")
    _refuse_other_kinds(X.dtype)
    if isinstance(X, SparseRows) or X.format == "csr":
        _refuse_damaged(X)
    table = SparseRows.of(X)
    if table.dtype in FLOATS:
        return table
    return table.astype(np.float64)


def _refuse_damaged(X: Any) -> None:
    """Raise InputError for a CSR matrix whose row pointers lead outside of its arrays.

    Our own sparse rows are checked by the loops that read them.
    """
    starts = X.indptr
    is_ascending = isinstance(X, SparseRows) or (starts[1:] >= starts[:-1]).all()
    if starts[0] != 0 or not is_ascending or starts[-1] > len(X.indices):
        raise InputError(
            "X is a damaged sparse matrix: its indptr must start at 0, ascend and end within what "
            "is stored. Build it again."
        )


def _dense_table(array: AnyArray, columns: Sequence[Hashable] | None) -> AnyArray:
    if array.ndim != 2:
        _refuse_shape(array)
    _refuse_other_kinds(array.dtype)
    if array.dtype.kind not in NUMBERS:
        array = floats(array, columns)
    is_single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    # Numbers beyond float64 become infinite, and are refused later.
    with np.errstate(over="ignore"):
        return readable(array, np.float32 if is_single else np.float64)


def _as_array(X: Any) -> AnyArray:
    if type(X) is np.ndarray:
        return X
    if isinstance(X, np.matrix):
        raise InputTypeError("X is an np.matrix, which is not supported: give np.asarray(X).")
    try:
        return np.asarray(unmasked(X, np.float64, np.nan))
    except (TypeError, ValueError) as error:
        # Most often rows are of different lengths.
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                raise InputError(
                    f"X is no table: row 0 has {lengths[0]} entries, row {row} has {length}. Give "
                    "every row as many as there are features."
                ) from None
        raise InputError(f"X is no table of numbers ({error}).") from None


def _refuse_shape(array: AnyArray) -> None:
    """Raise the InputError for an array that does not have two dimensions."""
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
    """Raise InputError for a dtype that cannot be converted to numbers."""
    if dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: X holds {dtype}. Give real and imaginary parts as "
            "columns of their own (np.hstack([X.real, X.imag]))."
        )
    if dtype.kind not in CONVERTIBLE:
        raise InputError(f"X holds {dtype}, which is not a number. Make numbers of it first.")


# ---------------------------------------------------------------------- frames


def as_frame(X: Any) -> Any:
    """Convert a frame that only offers an Arrow stream to a pyarrow table; keep others as is."""
    kind = type(X)
    if hasattr(kind, "__array__") or not hasattr(kind, "__arrow_c_stream__"):
        return X
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(f"reading a {kind.__name__} needs pyarrow", extra="table") from None
    return pyarrow.table(X)


def column_names(X: Any) -> list[Hashable] | None:
    """Return the column names of a data frame; None if ``X`` is not a data frame."""
    # Attributes of the class are looked up, because columns of pandas are attributes of the frame.
    kind = type(X)
    # Tables and batches of Arrow.
    if hasattr(kind, "column_names"):
        return list(X.column_names)
    if hasattr(kind, "columns") and (hasattr(kind, "iloc") or hasattr(kind, "get_columns")):
        return list(X.columns)
    return None


def feature_names(columns: Sequence[Hashable] | None) -> AnyArray | None:
    """Return the column names if all are text, None if none is; raise InputTypeError otherwise."""
    if columns is None:
        return None
    n_texts = sum(isinstance(name, str) for name in columns)
    if not n_texts:
        return None
    if n_texts < len(columns):
        kinds = sorted({type(name).__qualname__ for name in columns})
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but the "
            f"columns of X have names of the types {kinds}. Make all of them text "
            "(X.columns = X.columns.astype(str)), or none."
        )
    names = np.empty(len(columns), dtype=object)
    names[:] = columns
    return names


def frame_values(X: Any, names: Sequence[Hashable]) -> Any:
    """Return a data frame as a 2-D array of numbers; as sparse rows if all columns are sparse."""
    kind = type(X)
    columns: Iterable[npt.ArrayLike]
    if hasattr(kind, "iloc"):
        # A frame of pandas.
        dtypes = set(X.dtypes)
        if dtypes and all(map(_is_number_type, dtypes)):
            return X.to_numpy(dtype=np.result_type(*dtypes))
        if dtypes and all(map(_is_sparse_of_zeros, dtypes)):
            return _sparse_rows(X)
        columns = (X.iloc[:, j] for j in range(len(names)))
    elif hasattr(kind, "get_columns"):
        # A frame of polars.
        columns = X.get_columns()
    else:
        columns = X.columns
    numbers = [_numbers_of_column(column, j, names) for j, column in enumerate(columns)]
    return _stack(numbers, len(X))


def _is_number_type(dtype: object) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in NUMBERS


def _numbers_of_column(column: npt.ArrayLike, j: int, names: Sequence[Hashable]) -> AnyArray:
    """Return a column of a frame as an array of numbers."""
    values = np.asarray(column)
    if values.ndim != 1 or values.dtype.kind not in CONVERTIBLE:
        raise InputTypeError(
            f"column {j} ({names[j]!r}) of X holds {getattr(column, 'dtype', values.dtype)}, which "
            "is not one number a row. Leave it out, or make numbers of it."
        )
    if values.dtype.kind in NUMBERS:
        return values
    return floats(values, names, column=j)


def _stack(columns: list[AnyArray], n_rows: int) -> AnyArray:
    """Join columns into a 2-D array, block by block to stay in the cache."""
    is_single = bool(columns) and np.result_type(*columns) == np.float32
    table = np.empty((n_rows, len(columns)), np.float32 if is_single else np.float64)
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        for j, values in enumerate(columns):
            table[rows, j] = values[rows]
    return table


def _is_sparse_of_zeros(dtype: object) -> bool:
    """Return whether a dtype is a sparse one of pandas with fill value 0."""
    return hasattr(dtype, "subtype") and hasattr(dtype, "fill_value") and dtype.fill_value == 0


def _sparse_rows(X: Any) -> SparseRows:
    """Convert a data frame of sparse columns of pandas to sparse rows."""
    arrays: list[_SparseColumn] = [X.iloc[:, j].array for j in range(X.shape[1])]
    rows = np.concatenate([array.sp_index.indices for array in arrays])
    values = np.concatenate([np.asarray(array.sp_values) for array in arrays])
    n_stored = [array.npoints for array in arrays]
    columns = np.repeat(np.arange(len(arrays), dtype=np.int32), n_stored)

    # Stable, so that the columns of a row stay in order.
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return SparseRows(values[order], columns[order], starts, len(arrays))


class _SparseColumn(Protocol):
    """The attributes of pandas' SparseArray that are read."""

    sp_index: Any
    sp_values: npt.ArrayLike
    npoints: int


# ---------------------------------------------------------------------- single entries


def unmasked(values: Any, dtype: npt.DTypeLike, missing: object) -> Any:
    """Return a masked array of NumPy as an array in which masked entries are ``missing``.

    Anything else is returned unchanged.
    """
    # Recognized without its class, because NumPy loads masked arrays only when they are used.
    if not isinstance(values, np.ndarray) or not hasattr(values, "mask"):
        return values
    found = np.asarray(values)
    if np.any(values.mask):
        found = found.astype(dtype)
        found[values.mask] = missing
    return found


def is_missing(value: object) -> bool:
    """Return whether a value is a missing value: None, NaN, NaT or NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        # NA differs from NA by NA, which is neither true nor false.
        return True
    except ValueError:
        # An array.
        return False


def floats(
    values: AnyArray, names: Sequence[Hashable] | None = None, column: int | None = None
) -> FloatArray:
    """Convert objects or texts to float64, and missing values to NaN.

    Raise an InputError with row and column for a value that is not numeric. ``values`` is a table
    of two dimensions, or one ``column`` of it.
    """
    # NumPy would convert times to numbers.
    has_times = values.dtype == object and any(isinstance(value, TIMES) for value in values.flat)
    if not has_times:
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            # One by one, to find the value that is at fault.
            pass

    values = values.astype(object)
    found = np.empty(values.shape)
    for place in np.ndindex(*values.shape):
        try:
            found[place] = _float(values[place])
        except (TypeError, ValueError) as error:
            if not is_missing(values[place]):
                row = place[0]
                number_of_column = place[1] if column is None else column
                raise _not_a_number(values[place], row, number_of_column, names, error) from None
            found[place] = math.nan
    return found


def _float(value: Any) -> float:
    """Convert a value to a float; raise TypeError or ValueError if it is not numeric."""
    if isinstance(value, TIMES):
        raise TypeError("it is a time")
    try:
        return float(value)
    except OverflowError:
        # A whole number with too many digits, which is refused later like infinity.
        return math.inf if value > 0 else -math.inf


def _not_a_number(
    value: object, row: int, column: int, names: Sequence[Hashable] | None, error: Exception
) -> InputError:
    """Return the error for a value that is not numeric, with its row and column."""
    name = f" ({names[column]!r})" if names else ""
    place = f"X holds {value!r} at row {row}, column {column}{name}, which is not a number"
    if not isinstance(value, str | bytes):
        return InputTypeError(f"{place} ({error}).")
    return InputError(
        f"{place} (could not convert string to float). Turn text columns into numbers first, for "
        "example with sklearn.preprocessing.OneHotEncoder."
    )
