"""Types of arrays, and a sparse matrix that needs only NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.array_types import AnyArray as AnyArray
from rosenblatt.engine.array_types import BoolArray as BoolArray
from rosenblatt.engine.array_types import FloatArray as FloatArray
from rosenblatt.engine.array_types import Int32Array as Int32Array
from rosenblatt.engine.array_types import IntArray as IntArray
from rosenblatt.engine.rows import sparse_rows as loops
from rosenblatt.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from typing_extensions import TypeIs

# float32 or float64; Any, because the type of a sum of two such arrays cannot be expressed.
AnyFloatArray = npt.NDArray[Any]
# Rows of features, dense or sparse.
Table: TypeAlias = "AnyFloatArray | SparseRows"
# A function that returns the scores of a slice of rows.
Scorer = Callable[[slice], AnyFloatArray]
# Indices as NumPy returns them.
IndexArray = npt.NDArray[np.intp]
# The class index of each row.
Labels = npt.NDArray[np.int32]
# Arrays by name, as stored in a model file.
Arrays = dict[str, npt.NDArray[Any]]

Origin = Literal["csr", "csr_array", "csr_matrix"]
LARGEST_INT32 = 2**31 - 1


def is_sparse(X: Any) -> TypeIs[SparseRows]:
    """Return whether a table is sparse: `SparseRows`, or a matrix or array of SciPy."""
    return hasattr(X, "tocsr")


def used_columns(X: npt.NDArray[Any] | SparseRows) -> npt.NDArray[Any]:
    """Return the indices of the columns with a stored value; for a dense table, of all columns.

    Hashed features have many more columns than are in use.
    """
    if not isinstance(X, SparseRows):
        return np.arange(X.shape[1])
    # A table without any value keeps one column, so that there is something to learn from.
    return np.unique(X.indices) if X.nnz else np.zeros(1, np.int64)


def dense_columns(X: npt.NDArray[Any] | SparseRows, most_cells: int) -> npt.NDArray[Any] | None:
    """Return the columns in use as a dense array; None if it would exceed ``most_cells`` cells."""
    used = used_columns(X)
    if X.shape[0] * len(used) > most_cells:
        return None
    return X.toarray(used) if isinstance(X, SparseRows) else X


def canonical(X: Any) -> Any:
    """Return a sparse table as CSR with sorted, unique columns; it is copied only if necessary."""
    if X.format != "csr" or not X.has_canonical_format:
        X = X.tocsr(copy=True)
        X.sum_duplicates()
    return X


def readable(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Return a contiguous, aligned array for the compiled loops; it is copied only if necessary."""
    array = np.ascontiguousarray(values, dtype)
    if array.flags.aligned:
        return array
    return array.copy()


def for_caller(table: Any) -> Any:
    """Return a table in the caller's type: rows that came from SciPy are converted back."""
    if isinstance(table, SparseRows):
        return table.to_origin()
    return table


class SparseRows:
    """A CSR matrix with sorted, unique columns in three NumPy arrays, independent of SciPy.

    ``X[5:9]``, ``X[[3, 1]]`` and ``X[mask]`` select rows; ``X @ W`` is a dense array. Rows made
    from a SciPy matrix remember its type, so that results can be returned in the type that the
    caller uses. The arrays are shared, not copied, so they must not be modified.

    Attributes
    ----------
    data, indices, indptr : ndarray
        The stored values row by row, their columns, and the start of each row.
    shape : tuple of int
        Number of rows and of features.
    origin : {"csr", "csr_array", "csr_matrix"}
        The type that the rows were made from; "csr" is this class itself.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.arrays import SparseRows
    >>> X = SparseRows.from_dense(np.array([[0.0, 3.0, 0.0], [4.0, 0.0, 5.0]]))
    >>> X
    <SparseRows of shape (2, 3), float64, 3 stored>
    >>> X[[1]].toarray()
    array([[4., 0., 5.]])
    >>> X @ [1.0, 1.0, 2.0]
    array([ 3., 14.])
    """

    format = "csr"
    ndim = 2
    has_canonical_format = True
    # Makes NumPy call __rmatmul__ for ``array @ rows`` instead of multiplying element by element.
    __array_ufunc__ = None

    def __init__(
        self,
        data: npt.NDArray[Any],
        indices: npt.NDArray[Any],
        indptr: npt.NDArray[Any],
        n_features: int,
        *,
        origin: Origin = "csr",
    ) -> None:
        # The compiled loops need one integer type for both.
        if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
            index_type = _index_type(len(data), n_features)
            indices = indices.astype(index_type, copy=False)
            indptr = indptr.astype(index_type, copy=False)

        n_stored = int(indptr[-1])
        self.data = readable(data[:n_stored])
        self.indices = readable(indices[:n_stored])
        self.indptr = readable(indptr)
        self.shape = (len(indptr) - 1, int(n_features))
        self.origin: Origin = origin

    @classmethod
    def of(cls, table: Any) -> SparseRows:
        """Wrap a SciPy sparse matrix or array; canonical CSR is not copied."""
        if isinstance(table, SparseRows):
            return table
        if len(table.shape) != 2:
            raise InputError(f"X has shape {table.shape}; sparse rows have 2 dimensions.")
        origin: Origin = "csr_matrix" if type(table).__name__.endswith("_matrix") else "csr_array"
        table = canonical(table)
        return cls(table.data, table.indices, table.indptr, table.shape[1], origin=origin)

    @classmethod
    def from_dense(cls, table: npt.ArrayLike, *, origin: Origin = "csr") -> Self:
        """Make sparse rows from a 2-D array, storing its nonzero values."""
        dense = np.asarray(table)
        if dense.ndim != 2:
            raise InputError(f"X has shape {dense.shape}; a table of rows has 2 dimensions.")
        row, column = np.nonzero(dense)
        starts = _starts(np.bincount(row, minlength=len(dense)))
        column = column.astype(_index_type(len(row), dense.shape[1]))
        return cls(dense[row, column], column, starts, dense.shape[1], origin=origin)

    @classmethod
    def from_entries(
        cls,
        data: npt.NDArray[Any],
        indices: npt.NDArray[Any],
        indptr: npt.NDArray[Any],
        n_features: int,
        *,
        origin: Origin = "csr",
    ) -> SparseRows:
        """Make sparse rows from CSR arrays with unsorted columns; duplicate entries are summed."""
        rows = cls(data, indices, indptr, n_features, origin=origin)
        row = rows.row_numbers()
        column = rows.indices
        is_same_row = row[1:] == row[:-1]
        is_out_of_order = is_same_row & (column[1:] <= column[:-1])
        if not is_out_of_order.any():
            return rows

        # lexsort is stable: values at the same place keep their order, so their sum is exact.
        order = np.lexsort((column, row))
        row = row[order]
        column = column[order]
        values = rows.data[order]

        # Sum each run of values at the same place.
        is_new = np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1]))
        values = np.add.reduceat(values, np.flatnonzero(is_new), dtype=values.dtype)
        starts = _starts(np.bincount(row[is_new], minlength=rows.shape[0]))
        return cls(values, column[is_new], starts, n_features, origin=origin)

    @classmethod
    def concat(cls, parts: Sequence[SparseRows], n_features: int | None = None) -> SparseRows:
        """Stack the rows of several tables, widened to the widest, or to n_features if larger."""
        width = max(n_features or 0, *(part.shape[1] for part in parts))
        if len(parts) == 1:
            return parts[0].widen(width)

        starts = _starts(np.concatenate([np.diff(part.indptr) for part in parts]))
        data = np.concatenate([part.data for part in parts])
        index_type = _index_type(len(data), width)
        indices = np.concatenate(
            [part.indices for part in parts], dtype=index_type, casting="same_kind"
        )
        return cls(data, indices, starts, width, origin=parts[0].origin)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """Return the number of stored values."""
        return len(self.data)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<SparseRows of shape {self.shape}, {self.dtype}, {self.nnz:,} stored>"

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        # NumPy calls this for np.asarray(rows), which would silently make an array of objects.
        raise InputError(
            "sparse rows are no array: X.toarray() writes their zeros out, X.tocsr() makes a "
            "csr_array of SciPy, which scikit-learn takes. TextFeatures gives these once SciPy is "
            "loaded, or with output='csr_array'."
        )

    def row_numbers(self) -> npt.NDArray[np.intp]:
        """Return the row index of each stored value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def squared_norms(self) -> FloatArray:
        """Return the squared Euclidean norm of each row."""
        sums = np.zeros(self.shape[0])
        # reduceat cannot sum empty rows.
        not_empty = np.flatnonzero(np.diff(self.indptr))
        if len(not_empty):
            squares = np.square(self.data, dtype=np.float64)
            sums[not_empty] = np.add.reduceat(squares, self.indptr[not_empty])
        return sums

    def column_range(self) -> tuple[FloatArray, FloatArray]:
        """Return the minimum and the maximum of each column, including implicit zeros."""
        n, d = self.shape
        low = np.full(d, np.inf)
        high = np.full(d, -np.inf)
        np.minimum.at(low, self.indices, self.data)
        np.maximum.at(high, self.indices, self.data)

        # A column with fewer stored values than rows also contains zeros.
        has_zero = np.bincount(self.indices, minlength=d) < max(n, 1)
        low[has_zero] = np.minimum(low[has_zero], 0)
        high[has_zero] = np.maximum(high[has_zero], 0)
        return low, high

    def _with(self, data: Any, indices: Any, indptr: Any, n_features: int | None = None) -> Self:
        """Return sparse rows of the same class and origin, made of other arrays."""
        width = self.shape[1] if n_features is None else n_features
        return type(self)(data, indices, indptr, width, origin=self.origin)

    def __getitem__(self, rows: slice | npt.ArrayLike) -> Self:
        if not isinstance(rows, slice):
            return self.take(rows)
        first, last, step = rows.indices(self.shape[0])
        if step != 1:
            return self.take(np.arange(first, last, step))

        # Rows that follow each other share their values with the table.
        starts = self.indptr[first : max(first, last) + 1]
        part = slice(starts[0], starts[-1])
        return self._with(self.data[part], self.indices[part], starts - starts[0])

    def take(self, rows: npt.ArrayLike) -> Self:
        """Return the rows with the given indices, in that order, or those selected by a mask."""
        numbers = np.asarray(rows)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iub"):
            raise IndexError(
                "rows are taken by a slice, a list of their numbers or a mask, as X[3:4] for one."
            )
        if not numbers.size:  # an empty list is float64, which cannot index
            numbers = numbers.astype(np.intp)

        starts = self.indptr[:-1][numbers].astype(np.int64)
        counts = self.indptr[1:][numbers] - starts
        total = int(counts.sum())
        data = np.empty(total, self.dtype)
        indices = np.empty(total, self.indices.dtype)
        _require(loops.gather(self.data, starts, counts, data))
        _require(loops.gather(self.indices, starts, counts, indices))
        return self._with(data, indices, _starts(counts))

    def keep(self, mask: npt.NDArray[np.bool_]) -> Self:
        """Return the same rows with only the stored values that the mask selects."""
        return self._with(self.data[mask], self.indices[mask], _starts(mask)[self.indptr])

    def narrow(self, n_features: int) -> Self:
        """Return the same rows with only the first ``n_features`` columns."""
        if n_features >= self.shape[1]:
            return self
        kept = self.keep(self.indices < n_features)
        return kept._with(kept.data, kept.indices, kept.indptr, n_features)

    def widen(self, n_features: int) -> Self:
        """Return the same rows with empty columns added, ``n_features`` in total."""
        if n_features < self.shape[1]:
            raise InputError(
                f"n_features={n_features:,} is below {self.shape[1]:,}: narrow() drops columns."
            )
        return self._with(self.data, self.indices, self.indptr, n_features)

    def astype(self, dtype: npt.DTypeLike, copy: bool = False) -> Self:
        """Return the same rows with another dtype, copied only if it differs or ``copy`` is set."""
        data = self.data.astype(dtype, copy=copy)
        if data is self.data:
            return self
        return self._with(data, self.indices, self.indptr)

    def copy(self) -> Self:
        """Return a copy with its own arrays."""
        return self._with(self.data.copy(), self.indices.copy(), self.indptr.copy())

    def __abs__(self) -> Self:
        return self._with(np.abs(self.data), self.indices, self.indptr)

    def toarray(self, columns: npt.NDArray[np.integer[Any]] | None = None) -> npt.NDArray[Any]:
        """Return a dense 2-D array of all columns, or of the given columns in any order."""
        if columns is not None:
            return self._dense_columns(columns)
        out = np.zeros(self.shape, self.dtype)
        if self.dtype in (np.float64, np.float32, np.int8):
            _require(loops.write(self._parts(self.dtype), out))
        else:
            out[self.row_numbers(), self.indices] = self.data
        return out

    def _dense_columns(self, columns: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        # The same column may be wanted several times; each is looked up once.
        wanted, place = np.unique(columns, return_inverse=True)
        if len(wanted) and not -1 < wanted[0] <= wanted[-1] < self.shape[1]:
            raise IndexError(f"columns must lie between 0 and {self.shape[1] - 1}.")

        # The new column of each stored value, -1 if its column is not wanted.
        if self.shape[1] <= 8 * self.nnz + 65_536:
            new_column_of = np.full(self.shape[1], -1, self.indices.dtype)
            new_column_of[wanted] = np.arange(len(wanted))
            new_column = new_column_of[self.indices]
        else:
            # A lookup table of all columns would be larger than the rows themselves.
            new_column = np.searchsorted(wanted, self.indices).astype(self.indices.dtype)
            new_column[np.append(wanted, -1)[new_column] != self.indices] = -1

        is_wanted = new_column >= 0
        kept = self.keep(is_wanted)
        some = kept._with(kept.data, new_column[is_wanted], kept.indptr, len(wanted))
        dense = some.toarray()
        if np.array_equal(place, np.arange(len(wanted))):
            return dense
        return dense[:, place]

    def tocsr(self, copy: bool = False) -> Any:
        """Return the same rows as SciPy's csr_array; the arrays are shared unless ``copy``."""
        return self._to_scipy("csr_array", copy)

    def to_origin(self) -> Any:
        """Return the rows in their original type: a SciPy array, a SciPy matrix, or self."""
        if self.origin == "csr":
            return self
        return self._to_scipy(self.origin)

    def _to_scipy(self, kind: str, copy: bool = False) -> Any:
        try:
            import scipy.sparse
        except ImportError:
            raise MissingExtra(
                "a sparse matrix of SciPy needs SciPy",
                extra="sklearn",
                cures=["take the rows as they are (block.rows, as of iter_svmlight(path).whole())"],
            ) from None
        parts = (self.data, self.indices, self.indptr)
        matrix = getattr(scipy.sparse, kind)(parts, shape=self.shape, copy=copy)
        # Without the flag SciPy would check the order of the columns again.
        matrix.has_canonical_format = True
        return matrix

    def __matmul__(self, dense: Any) -> npt.NDArray[Any]:
        if is_sparse(dense):
            return NotImplemented
        table = np.asarray(dense)
        if table.ndim not in (1, 2) or len(table) != self.shape[1]:
            raise _mismatch(self, table)

        is_vector = table.ndim == 1
        by_column = table[:, None] if is_vector else table
        if self.dtype == table.dtype == np.int8:
            kind = self.dtype
        else:
            kind = _float_type(self.dtype, table.dtype)
        out = np.zeros((self.shape[0], by_column.shape[1]), kind)
        _require(loops.times(self._parts(kind), readable(by_column, kind), out))
        return out[:, 0] if is_vector else out

    def __rmatmul__(self, dense: Any) -> npt.NDArray[Any]:
        table = np.asarray(dense)
        if table.ndim not in (1, 2) or table.shape[-1] != self.shape[0]:
            raise _mismatch(table, self)

        kind = _float_type(self.dtype, table.dtype)
        by_row = readable(np.atleast_2d(table).T, kind)
        out = np.zeros((self.shape[1], by_row.shape[1]), kind)
        _require(loops.from_left(self._parts(kind), by_row, out))
        return out[:, 0] if table.ndim == 1 else out.T

    def products(self, other: Any, *, in_common: bool = False) -> npt.NDArray[Any]:
        """Return the dot product of each row with each row of another table, as a 2-D array.

        With ``in_common``, for two sparse tables, the product of two rows is Σ min(|a|, |b|) over
        the columns where the signs agree. For sparse tables the cost is the number of columns that
        pairs of rows share.
        """
        if not is_sparse(other):
            return self @ np.asarray(other).T
        other = SparseRows.of(other)
        if other.shape[1] != self.shape[1]:
            raise _mismatch(self, other)
        kind = _float_type(self.dtype, other.dtype)
        index_type = np.promote_types(self.indices.dtype, other.indices.dtype)
        out = np.zeros((self.shape[0], other.shape[0]), kind)
        A = self._parts(kind, index_type)
        B = other._parts(kind, index_type)
        _require(loops.pairs(A, B, self.shape[1], in_common, out))
        return out

    def _parts(self, dtype: np.dtype[Any], index_type: np.dtype[Any] | None = None) -> loops.Parts:
        """Return data, indices and indptr in the dtypes that the compiled loops need."""
        starts = self.indptr
        columns = self.indices
        if index_type is not None:
            starts = starts.astype(index_type, copy=False)
            columns = columns.astype(index_type, copy=False)
        return self.data.astype(dtype, copy=False), columns, starts


def _starts(counts: npt.NDArray[Any]) -> IntArray:
    """Return the CSR row pointers (``indptr``) of rows with the given lengths."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _index_type(n_stored: int, n_features: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller of int32 and int64 that holds every column index and row pointer."""
    return np.int64 if max(n_stored, n_features) > LARGEST_INT32 else np.int32


def _float_type(*kinds: np.dtype[Any]) -> np.dtype[Any]:
    """Return float32 if all types are float32, otherwise float64."""
    are_narrow = all(kind == np.float32 for kind in kinds)
    return np.dtype(np.float32 if are_narrow else np.float64)


def _mismatch(left: Any, right: Any) -> InputError:
    return InputError(f"tables of shape {left.shape} and {right.shape} do not go together.")


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise InputError(
            "these sparse rows are damaged: they point outside of their columns or of what is "
            "stored. Build them again."
        )
