"""Arrays of the caller as rows the loops can read, without a copy where the type allows it.

Scores of rows are taken in the same fixed order of sums as in training. Beside them the products
and distances of all pairs of rows of two tables, dense or sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, Scorer, SparseRows, canonical, is_sparse, readable
from rosenblatt.engine.rows import rows as _rows
from rosenblatt.engine.rows import sparse_rows as loops
from rosenblatt.engine.rows.rows import Rows as Rows
from rosenblatt.engine.rows.weights import FLOAT32_LIMIT, FLOAT64_LIMIT
from rosenblatt.errors import InputError

_rows.refuse_changed_with(InputError)


def as_rows(X: Any, dtype: npt.DTypeLike | None = None) -> Rows:
    """Rows of a 2-D array or sparse rows; of `dtype` if given, else float32 or float64 as it is."""
    if dtype is None:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
    if not is_sparse(X):
        return _rows.dense(*row_arrays(X, dtype))
    data, indices, indptr = row_arrays(X, dtype)
    return _rows.sparse(data, indices, indptr, X.shape[1])


def row_arrays(X: Any, dtype: npt.DTypeLike) -> tuple[npt.NDArray[Any], ...]:
    """A table as one array, sparse rows as three, of the types that the loops read."""
    if not is_sparse(X):
        return (readable(X, dtype),)
    X = canonical(X)
    index = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
    parts = (X.data, dtype), (X.indices, index), (X.indptr, index)
    return tuple(readable(values, kind) for values, kind in parts)


def rows_between(
    arrays: Sequence[npt.NDArray[Any]], n_features: int, start: int, stop: int
) -> Rows:
    """Some of the rows of `row_arrays`; nothing is copied."""
    if len(arrays) == 1:
        return _rows.dense(arrays[0][start:stop])
    data, indices, indptr = arrays
    return _rows.sparse(data, indices, indptr[start : stop + 1], n_features)


def largest_allowed(dtype: npt.DTypeLike) -> float:
    return FLOAT32_LIMIT if np.dtype(dtype) == np.float32 else FLOAT64_LIMIT


def inspect(rows: Rows, *, names: Callable[[], Any] | None = None, argument: str = "X") -> None:
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
    known = None if names is None else names()
    place = f"column {column}" if known is None else f"column {column} ({known[column]!r})"
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


def checksum(table: Any) -> int:
    """A number that changes with the values of a table."""
    from rosenblatt.engine.text.checksums import crc32

    return reduce(lambda found, array: crc32(array.data, found), row_arrays(table, table.dtype), 0)


def contradictory(
    table: Any,
    labels: npt.NDArray[Any],
    subset: npt.NDArray[np.int64] | None = None,
    weights: npt.NDArray[Any] | None = None,
) -> bool:
    """Whether two rows are equal, and their labels are not; rows of weight 0 do not count.

    Equal rows have equal scores by any weights, others almost never; those that do are compared.
    """
    some = np.arange(len(labels)) if subset is None else subset
    some = some if weights is None else some[weights[some] > 0]
    coef = np.random.default_rng(0).random((table.shape[1], 2)).T
    found, labels = scores(table, coef, np.zeros(2))[some], labels[some]
    order = np.lexsort((labels, *found.T))
    first, second = order[:-1], order[1:]
    near = (found[first] == found[second]).all(axis=1) & (labels[first] != labels[second])
    pairs = zip(some[first[near]].tolist(), some[second[near]].tolist(), strict=True)
    return any(np.array_equal(_row_values(table, a), _row_values(table, b)) for a, b in pairs)


def _row_values(table: Any, row: int) -> npt.NDArray[Any]:
    """What equal rows have in common, and no others; of sparse rows with no zeros stored."""
    if not is_sparse(table):
        return np.asarray(table[row])
    part = slice(table.indptr[row], table.indptr[row + 1])
    return np.stack([table.indices[part].astype(np.float64), table.data[part]])


def refuse_tiny(table: Any, rows: Rows, least: float) -> None:
    """Refuse rows of a table, inspected before, of which no value is as large as that, but some."""
    if rows.largest_squared_norm >= np.finfo(rows.dtype).tiny:
        return
    sizes = np.abs(table.data if is_sparse(table) else table)
    if 0.0 < sizes.max(initial=0.0) < least:
        place = int(sizes.argmax())
        row = table.row_numbers()[place] if is_sparse(table) else place // table.shape[1]
        raise InputError(
            f"X holds nothing larger than {sizes.max():g}, which is at row {row}: products of such "
            f"rows underflow {rows.dtype}. Scale all rows up."
        )


# ---------------------------------------------------------------------- scores


# Rows of another type than the weights are converted so many numbers at a time.
BLOCK = 1 << 20


def scores(X: Any, coef: npt.NDArray[Any], bias: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``X @ coef.T + bias`` in float64: (n,) for one weight vector, else (n, n_vectors).

    float32 rows with float32 weights are summed in float32, all others in float64.
    """
    return scorer(X, coef, bias)(slice(0, X.shape[0]))


def scorer(X: Any, coef: npt.NDArray[Any], bias: npt.NDArray[Any]) -> Scorer:
    """A function that scores some rows of ``X``, from ``start`` to ``stop``, as `scores` does."""
    single = X.dtype == np.float32 and coef.dtype == np.float32
    dtype = np.float32 if single else np.float64
    by_feature = is_sparse(X) and len(bias) > 1
    table = coef.T if by_feature else coef
    if not by_feature or table.dtype != dtype or table.strides[1] != table.itemsize:
        table = np.ascontiguousarray(table, dtype)  # else there may be room between the features
    bias = np.ascontiguousarray(bias, dtype=dtype)
    if X.dtype == dtype:
        rows = as_rows(X, dtype)
        return lambda some: _rows.score(rows, table, bias, some.start, some.stop)
    X = canonical(X) if is_sparse(X) else X
    step = max(1, BLOCK * X.shape[0] // max(1, X.data.size if is_sparse(X) else X.size))

    def convert_and_score(some: slice) -> npt.NDArray[np.float64]:
        starts = range(some.start, max(some.stop, 1), step)
        blocks = (X[first : min(first + step, some.stop)] for first in starts)
        return np.concatenate([_rows.score(as_rows(rows, dtype), table, bias) for rows in blocks])

    return convert_and_score


def margins(scores: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """By how much the right class is ahead of the best other one, below 0 where it is not.

    ``scores`` are those of `scores`, ``right`` the number of the right class of each row.
    """
    if scores.ndim == 1:
        return np.where(right == 1, scores, -scores)
    index = np.arange(len(right))
    others = scores.copy()
    others[index, right] = -np.inf
    return np.asarray(scores[index, right] - others.max(axis=1))


# ---------------------------------------------------------------------- all pairs of rows


def products(A: Any, B: Any) -> npt.NDArray[Any]:
    """``A @ B.T``, in float32 if both tables are; that of two sparse tables is dense as well."""
    if is_sparse(A):
        return SparseRows.of(A).products(B)
    if is_sparse(B):
        return SparseRows.of(B).products(A).T
    return np.asarray(A @ B.T)


def distances(A: Any, B: Any) -> FloatArray:
    """Σ |a - b| of every row of A and every row of B, in float64.

    The work is n·m·d for dense tables; beside the result it takes a copy of B and no more.
    """
    if is_sparse(A) or is_sparse(B):
        return _sparse_distances(*(_sparse(table).astype(np.float64) for table in (A, B)))
    # So many rows of B lie side by side, that the processor takes them all at once.
    m, d = B.shape
    panels = np.zeros((-(-m // loops.LANES), d, loops.LANES))
    for lane in range(loops.LANES):
        some = B[lane :: loops.LANES]
        panels[: len(some), :, lane] = some
    out = np.empty((len(A), len(panels) * loops.LANES))
    loops.distances(readable(A, np.float64), panels, out)
    return out[:, :m]


def _sparse_distances(A: SparseRows, B: SparseRows) -> FloatArray:
    """Σ |a| + Σ |b| - 2 Σ min(|a|, |b|), the last over the columns where the signs agree.

    These are few. All sums are taken in one order, so that equal rows have a distance of 0.
    """
    sizes, others = (
        np.bincount(rows.row_numbers(), np.abs(rows.data), minlength=len(rows)) for rows in (A, B)
    )
    found = A.products(B, in_common=True)
    found *= -2.0
    found += sizes[:, None] + others
    return np.asarray(np.maximum(found, 0.0, out=found))


def _sparse(table: Any) -> SparseRows:
    return SparseRows.of(table) if is_sparse(table) else SparseRows.from_dense(table)
