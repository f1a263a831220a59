"""Types of arrays, and sparse rows that need nothing but NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.array_types import AnyArray as AnyArray
from rosenblatt._kernels.array_types import BoolArray as BoolArray
from rosenblatt._kernels.array_types import FloatArray as FloatArray
from rosenblatt._kernels.array_types import Int32Array as Int32Array
from rosenblatt._kernels.array_types import IntArray as IntArray
from rosenblatt._kernels.rows import sparse_rows as loops
from rosenblatt.errors import InputError, MissingExtra

# float32 or float64, as the rows came; the type of a sum of two of these cannot be written down.
AnyFloatArray = npt.NDArray[Any]
# A function of a slice: the scores of those rows of a table.
Scorer = Callable[[slice], AnyFloatArray]
# Places, as NumPy finds them.
IndexArray = npt.NDArray[np.intp]
# The number of the class of each row.
Labels = npt.NDArray[np.int32]
# Arrays by name, as a model file has them.
Arrays = dict[str, npt.NDArray[Any]]

Origin = Literal["csr", "csr_array", "csr_matrix"]
LARGEST_INT32 = 2**31 - 1


def is_sparse(X: Any) -> bool:
    """Whether a table is sparse: rows of ours, or a matrix or array of SciPy."""
    return hasattr(X, "tocsr")


def canonical(X: Any) -> Any:
    """Sparse rows as CSR with sorted columns, none twice; a copy only if they are not."""
    if X.format != "csr" or not X.has_canonical_format:
        X = X.tocsr(copy=True)
        X.sum_duplicates()
    return X


def readable(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """What a loop can read: contiguous, at an aligned address; a copy only if it is not."""
    found = np.ascontiguousarray(values, dtype)
    return found if found.flags.aligned else found.copy()


def for_caller(table: Any) -> Any:
    """A table of ours as the caller's were: rows made of SciPy's become SciPy's again."""
    return table.to_origin() if isinstance(table, SparseRows) else table


class SparseRows:
    """A CSR matrix with sorted columns, none twice, in three arrays; SciPy is not needed.

    ``X[5:9]``, ``X[[3, 1]]`` and ``X[mask]`` are rows of the table, ``X @ W`` is dense. Rows that
    were made of a SciPy matrix remember its kind, so that what is learned from them can be handed
    out in the kind the caller has. The arrays are not copied, so they must not be changed.

    Attributes
    ----------
    data, indices, indptr : ndarray
        The values of all rows one after the other, their columns, and where each row begins.
    shape : tuple of int
        Number of rows and of features.
    origin : {"csr", "csr_array", "csr_matrix"}
        What the rows were made of: "csr" is a table of this kind.

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
    # An array times sparse rows asks these, and not each of its numbers.
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
        if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
            index = _index(len(data), n_features)
            indices, indptr = indices.astype(index, copy=False), indptr.astype(index, copy=False)
        stored = int(indptr[-1])
        self.data, self.indices = readable(data[:stored]), readable(indices[:stored])
        self.indptr = readable(indptr)
        self.shape = len(indptr) - 1, int(n_features)
        self.origin: Origin = origin

    @classmethod
    def of(cls, table: Any) -> SparseRows:
        """Rows of a sparse matrix or array of SciPy; nothing is copied if it is canonical CSR."""
        if isinstance(table, SparseRows):
            return table
        if len(table.shape) != 2:
            raise InputError(f"X has shape {table.shape}; sparse rows have 2 dimensions.")
        origin: Origin = "csr_matrix" if type(table).__name__.endswith("_matrix") else "csr_array"
        table = canonical(table)
        return cls(table.data, table.indices, table.indptr, table.shape[1], origin=origin)

    @classmethod
    def from_dense(cls, table: npt.ArrayLike, *, origin: Origin = "csr") -> Self:
        """The values of a 2-D array that are not 0."""
        dense = np.asarray(table)
        if dense.ndim != 2:
            raise InputError(f"X has shape {dense.shape}; a table of rows has 2 dimensions.")
        row, column = np.nonzero(dense)
        starts = _starts(np.bincount(row, minlength=len(dense)))
        column = column.astype(_index(len(row), dense.shape[1]))
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
        """Rows whose columns may come in any order; values of one place are added up."""
        found = cls(data, indices, indptr, n_features, origin=origin)
        row, column = found.row_numbers(), found.indices
        is_next = row[1:] == row[:-1]
        if not (is_next & (column[1:] <= column[:-1])).any():
            return found
        order = np.lexsort((column, row))
        row, column, values = row[order], column[order], found.data[order]
        is_new = np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1]))
        values = np.add.reduceat(values, np.flatnonzero(is_new), dtype=values.dtype)
        starts = _starts(np.bincount(row[is_new], minlength=found.shape[0]))
        return cls(values, column[is_new], starts, n_features, origin=origin)

    @classmethod
    def concat(cls, parts: Sequence[SparseRows], n_features: int | None = None) -> SparseRows:
        """The rows of several tables, one after the other, as wide as the widest, or wider."""
        width = max(n_features or 0, *(part.shape[1] for part in parts))
        if len(parts) == 1:
            return parts[0].widen(width)
        starts = _starts(np.concatenate([np.diff(part.indptr) for part in parts]))
        data = np.concatenate([part.data for part in parts])
        index = _index(len(data), width)
        indices = np.concatenate([part.indices for part in parts], dtype=index, casting="same_kind")
        return cls(data, indices, starts, width, origin=parts[0].origin)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many values are stored."""
        return len(self.data)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<SparseRows of shape {self.shape}, {self.dtype}, {self.nnz:,} stored>"

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        raise InputError(
            "sparse rows are no array: X.toarray() writes their zeros out, X.tocsr() makes a "
            "csr_array of SciPy, which scikit-learn takes. TextFeatures gives these once SciPy is "
            "loaded, or with output='csr_array'."
        )

    def row_numbers(self) -> npt.NDArray[np.intp]:
        """The row of each value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def squared_norms(self) -> FloatArray:
        """The squared length of each row."""
        sums, stored = np.zeros(self.shape[0]), np.flatnonzero(np.diff(self.indptr))
        squares = np.square(self.data, dtype=np.float64)
        sums[stored] = np.add.reduceat(squares, self.indptr[stored]) if len(stored) else 0.0
        return sums

    def column_range(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest value of each column, where nothing is stored 0."""
        n, d = self.shape
        low, high = np.full(d, np.inf), np.full(d, -np.inf)
        np.minimum.at(low, self.indices, self.data)
        np.maximum.at(high, self.indices, self.data)
        has_zero = np.bincount(self.indices, minlength=d) < max(n, 1)
        low[has_zero], high[has_zero] = np.minimum(low, 0)[has_zero], np.maximum(high, 0)[has_zero]
        return low, high

    def _with(self, data: Any, indices: Any, indptr: Any, n_features: int | None = None) -> Self:
        width = self.shape[1] if n_features is None else n_features
        return type(self)(data, indices, indptr, width, origin=self.origin)

    def __getitem__(self, rows: slice | npt.ArrayLike) -> Self:
        if not isinstance(rows, slice):
            return self.take(rows)
        first, last, step = rows.indices(self.shape[0])
        if step != 1:
            return self.take(np.arange(first, last, step))
        starts = self.indptr[first : max(first, last) + 1]
        part = slice(starts[0], starts[-1])
        return self._with(self.data[part], self.indices[part], starts - starts[0])

    def take(self, rows: npt.ArrayLike) -> Self:
        """Some rows by their numbers, in that order, or by a mask."""
        numbers = np.asarray(rows)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iub"):
            raise IndexError(
                "rows are taken by a slice, a list of their numbers or a mask, as X[3:4] for one."
            )
        if not numbers.size:
            numbers = numbers.astype(np.intp)
        starts = self.indptr[:-1][numbers].astype(np.int64)
        counts = self.indptr[1:][numbers] - starts
        total = int(counts.sum())
        data, indices = np.empty(total, self.dtype), np.empty(total, self.indices.dtype)
        for given, out in ((self.data, data), (self.indices, indices)):
            _require(loops.gather(given, starts, counts, out))
        return self._with(data, indices, _starts(counts))

    def keep(self, mask: npt.NDArray[np.bool_]) -> Self:
        """The same rows with only those of their values for which the mask holds."""
        return self._with(self.data[mask], self.indices[mask], _starts(mask)[self.indptr])

    def narrow(self, n_features: int) -> Self:
        """The same rows without the columns from ``n_features`` on."""
        if n_features >= self.shape[1]:
            return self
        kept = self.keep(self.indices < n_features)
        return kept._with(kept.data, kept.indices, kept.indptr, n_features)

    def widen(self, n_features: int) -> Self:
        """The same rows with more columns, in which nothing is stored."""
        if n_features < self.shape[1]:
            raise InputError(
                f"n_features={n_features:,} is below {self.shape[1]:,}: narrow() drops columns."
            )
        return self._with(self.data, self.indices, self.indptr, n_features)

    def astype(self, dtype: npt.DTypeLike, copy: bool = False) -> Self:
        """The same rows with values of another type; if they have it, they are not copied."""
        data = self.data.astype(dtype, copy=copy)
        return self if data is self.data else self._with(data, self.indices, self.indptr)

    def copy(self) -> Self:
        return self._with(self.data.copy(), self.indices.copy(), self.indptr.copy())

    def __abs__(self) -> Self:
        return self._with(np.abs(self.data), self.indices, self.indptr)

    def toarray(self, columns: npt.NDArray[np.integer[Any]] | None = None) -> npt.NDArray[Any]:
        """The rows as a 2-D array, of all columns or of some in any order."""
        if columns is not None:
            return self._some_columns(columns)
        out = np.zeros(self.shape, self.dtype)
        if self.dtype in (np.float64, np.float32, np.int8):
            _require(loops.write(self._parts(self.dtype), out))
        else:
            out[self.row_numbers(), self.indices] = self.data
        return out

    def _some_columns(self, columns: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        known, place = np.unique(columns, return_inverse=True)
        if len(known) and not -1 < known[0] <= known[-1] < self.shape[1]:
            raise IndexError(f"columns must lie between 0 and {self.shape[1] - 1}.")
        if self.shape[1] <= 8 * self.nnz + 65_536:
            place_of = np.full(self.shape[1], -1, self.indices.dtype)
            place_of[known] = np.arange(len(known))
            at = place_of[self.indices]
        else:  # a table of all columns would be larger than the rows
            at = np.searchsorted(known, self.indices).astype(self.indices.dtype)
            at[np.append(known, -1)[at] != self.indices] = -1
        kept = self.keep(at >= 0)
        some = kept._with(kept.data, at[at >= 0], kept.indptr, len(known))
        found = some.toarray()
        return found if np.array_equal(place, np.arange(len(known))) else found[:, place]

    def tocsr(self, copy: bool = False) -> Any:
        """The same rows as SciPy's csr_array; the arrays are shared, unless a copy is asked for."""
        return self._scipy("csr_array", copy)

    def to_origin(self) -> Any:
        """The rows as what they were made of: SciPy's array or matrix, or as they are."""
        return self if self.origin == "csr" else self._scipy(self.origin)

    def _scipy(self, kind: str, copy: bool = False) -> Any:
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
        matrix.has_canonical_format = True
        return matrix

    def __matmul__(self, dense: Any) -> npt.NDArray[Any]:
        if is_sparse(dense):
            return NotImplemented
        table = np.asarray(dense)
        if table.ndim not in (1, 2) or len(table) != self.shape[1]:
            raise _mismatch(self, table)
        by_column = table[:, None] if table.ndim == 1 else table
        kind = np.int8 if self.dtype == table.dtype == np.int8 else _float(self.dtype, table.dtype)
        out = np.zeros((self.shape[0], by_column.shape[1]), kind)
        _require(loops.times(self._parts(kind), readable(by_column, kind), out))
        return out[:, 0] if table.ndim == 1 else out

    def __rmatmul__(self, dense: Any) -> npt.NDArray[Any]:
        table = np.asarray(dense)
        if table.ndim not in (1, 2) or table.shape[-1] != self.shape[0]:
            raise _mismatch(table, self)
        kind = _float(self.dtype, table.dtype)
        by_row = readable(np.atleast_2d(table).T, kind)
        out = np.zeros((self.shape[1], by_row.shape[1]), kind)
        _require(loops.from_left(self._parts(kind), by_row, out))
        return out[:, 0] if table.ndim == 1 else out.T

    def products(self, other: Any, *, in_common: bool = False) -> npt.NDArray[Any]:
        """The product of each row with each row of another table, as a 2-D array.

        With ``in_common``, for two sparse tables, it is Σ min(|a|, |b|) over the columns where the
        signs agree. The work for these is the number of columns that pairs of rows share.
        """
        if not is_sparse(other):
            return self @ np.asarray(other).T
        other = SparseRows.of(other)
        if other.shape[1] != self.shape[1]:
            raise _mismatch(self, other)
        kind = _float(self.dtype, other.dtype)
        index = np.promote_types(self.indices.dtype, other.indices.dtype)
        out = np.zeros((self.shape[0], other.shape[0]), kind)
        A, B = self._parts(kind, index), other._parts(kind, index)
        _require(loops.pairs(A, B, self.shape[1], in_common, out))
        return out

    def _parts(self, dtype: Any, index: Any = None) -> loops.Parts:
        """The arrays as the loops read them."""
        starts, columns = self.indptr, self.indices
        if index is not None:
            starts, columns = starts.astype(index, copy=False), columns.astype(index, copy=False)
        return self.data.astype(dtype, copy=False), columns, starts


def _starts(counts: npt.NDArray[Any]) -> IntArray:
    """Where runs of so many begin that lie one after the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _index(n_stored: int, n_features: int) -> Any:
    """The type of columns and starts."""
    return np.int64 if max(n_stored, n_features) > LARGEST_INT32 else np.int32


def _float(*kinds: np.dtype[Any]) -> np.dtype[Any]:
    """float32 if all are, else float64."""
    return np.dtype(np.float32 if all(kind == np.float32 for kind in kinds) else np.float64)


def _mismatch(left: Any, right: Any) -> InputError:
    return InputError(f"tables of shape {left.shape} and {right.shape} do not go together.")


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise InputError(
            "these sparse rows are damaged: they point outside of their columns or of what is "
            "stored. Build them again."
        )
