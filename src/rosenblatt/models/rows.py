"""Conversion of arrays to rows for the compiled loops, without a copy if the type allows it.

Scores of rows are summed in the same fixed order as in training. The module also has the products
and distances of all pairs of rows of two tables, dense or sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import (
    AnyArray,
    FloatArray,
    Scorer,
    SparseRows,
    Table,
    canonical,
    is_sparse,
    readable,
)
from rosenblatt.engine.rows import rows as _rows
from rosenblatt.engine.rows import sparse_rows as loops
from rosenblatt.engine.rows.rows import Rows as Rows
from rosenblatt.engine.rows.weights import FLOAT32_LIMIT, FLOAT64_LIMIT
from rosenblatt.errors import InputError

_rows.refuse_changed_with(InputError)


def as_rows(X: Table, dtype: npt.DTypeLike | None = None) -> Rows:
    """Wrap an array or sparse rows as `Rows`; copy only to convert to `dtype`.

    By default float32 stays float32, and everything else becomes float64.
    """
    if dtype is None:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
    if not is_sparse(X):
        return _rows.dense(*row_arrays(X, dtype))
    data, indices, indptr = row_arrays(X, dtype)
    return _rows.sparse(data, indices, indptr, X.shape[1])


def row_arrays(X: Table, dtype: npt.DTypeLike) -> tuple[AnyArray, ...]:
    """Return the arrays of a table in types that the loops read: one if dense, three if sparse."""
    if not is_sparse(X):
        return (readable(X, dtype),)
    rows: SparseRows = canonical(X)
    is_int32 = rows.indices.dtype == rows.indptr.dtype == np.int32
    index = np.int32 if is_int32 else np.int64
    return (
        readable(rows.data, dtype),
        readable(rows.indices, index),
        readable(rows.indptr, index),
    )


def rows_between(arrays: Sequence[AnyArray], n_features: int, start: int, stop: int) -> Rows:
    """Return rows ``start`` to ``stop - 1`` of `row_arrays`, without copying."""
    if len(arrays) == 1:
        return _rows.dense(arrays[0][start:stop])
    data, indices, indptr = arrays
    return _rows.sparse(data, indices, indptr[start : stop + 1], n_features)


def largest_allowed(dtype: npt.DTypeLike) -> float:
    """Return the largest value that rows of this type may hold."""
    return FLOAT32_LIMIT if np.dtype(dtype) == np.float32 else FLOAT64_LIMIT


def inspect(rows: Rows, *, names: Callable[[], Any] | None = None, argument: str = "X") -> None:
    """Raise InputError for a value that is not finite or too large to square.

    The error names row and column.
    """
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
    place = f"column {column}"
    if known is not None:
        place += f" ({known[column]!r})"
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


def checksum(table: Table) -> int:
    """Return the CRC-32 of the values of a table, to detect changes."""
    from rosenblatt.engine.text.checksums import crc32

    found = 0
    for array in row_arrays(table, table.dtype):
        found = crc32(array.data, found)
    return found


def contradictory(
    table: Table,
    labels: AnyArray,
    subset: npt.NDArray[np.int64] | None = None,
    weights: AnyArray | None = None,
) -> bool:
    """Return whether two equal rows have different labels, leaving out rows of weight 0.

    Equal rows have equal scores by any weights, other rows almost never. Rows with equal scores are
    compared value by value.
    """
    some = np.arange(len(labels)) if subset is None else subset
    if weights is not None:
        some = some[weights[some] > 0]

    # Two random projections: equal rows are neighbours when these are sorted.
    coef = np.random.default_rng(0).random((table.shape[1], 2)).T
    found = scores(table, coef, np.zeros(2))[some]
    labels = labels[some]
    order = np.lexsort((labels, *found.T))
    first = order[:-1]
    second = order[1:]
    is_candidate = (found[first] == found[second]).all(axis=1) & (labels[first] != labels[second])

    pairs = zip(
        some[first[is_candidate]].tolist(), some[second[is_candidate]].tolist(), strict=True
    )
    return any(np.array_equal(_row_values(table, a), _row_values(table, b)) for a, b in pairs)


def _row_values(table: Table, row: int) -> AnyArray:
    """Return the values of a row for comparison; sparse rows must store no zeros."""
    if not is_sparse(table):
        return np.asarray(table[row])
    part = slice(table.indptr[row], table.indptr[row + 1])
    return np.stack([table.indices[part].astype(np.float64), table.data[part]])


def refuse_tiny(table: Table, rows: Rows, least: float) -> None:
    """Raise InputError if all values are below ``least`` but not all are 0.

    The rows must have been inspected.
    """
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


# Stored values converted at once, if rows have another type than the weights.
BLOCK = 1 << 20


def scores(X: Table, coef: AnyArray, bias: AnyArray) -> npt.NDArray[np.float64]:
    """Return ``X @ coef.T + bias`` in float64: (n,) for one weight vector, else (n, n_vectors).

    float32 rows with float32 weights are summed in float32, all others in float64.
    """
    return scorer(X, coef, bias)(slice(0, X.shape[0]))


def scorer(X: Table, coef: AnyArray, bias: AnyArray) -> Scorer:
    """Return a function that scores a slice of the rows of ``X``, as `scores` does."""
    is_float32 = X.dtype == np.float32 and coef.dtype == np.float32
    dtype = np.float32 if is_float32 else np.float64
    by_feature = is_sparse(X) and len(bias) > 1
    table = coef.T if by_feature else coef
    # By feature, the table may have room between the features, so that it need not be copied.
    if not by_feature or table.dtype != dtype or table.strides[1] != table.itemsize:
        table = np.ascontiguousarray(table, dtype)
    bias = np.ascontiguousarray(bias, dtype=dtype)
    if X.dtype == dtype:
        rows = as_rows(X, dtype)
        return lambda some: _rows.score(rows, table, bias, some.start, some.stop)

    if is_sparse(X):
        X = canonical(X)
    n_values = X.data.size if is_sparse(X) else X.size
    step = max(1, BLOCK * X.shape[0] // max(1, n_values))

    def convert_and_score(some: slice) -> npt.NDArray[np.float64]:
        starts = range(some.start, max(some.stop, 1), step)
        blocks = (X[first : min(first + step, some.stop)] for first in starts)
        return np.concatenate([_rows.score(as_rows(rows, dtype), table, bias) for rows in blocks])

    return convert_and_score


def margins(scores: AnyArray, right: AnyArray) -> npt.NDArray[np.float64]:
    """Return the margin of each row: score of the right class minus the best other score.

    ``scores`` are those of `scores`, and ``right`` is the index of the right class of each row.
    """
    if scores.ndim == 1:
        return np.where(right == 1, scores, -scores)
    index = np.arange(len(right))
    others = scores.copy()
    others[index, right] = -np.inf
    return np.asarray(scores[index, right] - others.max(axis=1))


# ---------------------------------------------------------------------- all pairs of rows


def products(A: Table, B: Table) -> AnyArray:
    """Return ``A @ B.T`` as a dense array, in float32 if both tables are float32."""
    if is_sparse(A):
        return SparseRows.of(A).products(B)
    if is_sparse(B):
        return SparseRows.of(B).products(A).T
    return np.asarray(A @ B.T)


def distances(A: Table, B: Table) -> FloatArray:
    """Return the L1 distance of every row of A to every row of B, in float64.

    The work is n·m·d for dense tables; in addition to the result, it needs a copy of B.
    """
    if is_sparse(A) or is_sparse(B):
        return _sparse_distances(
            _sparse(A).astype(np.float64),
            _sparse(B).astype(np.float64),
        )
    # Panels of LANES rows of B, whose values of a column are neighbours: one vector register.
    m, d = B.shape
    panels = np.zeros((-(-m // loops.LANES), d, loops.LANES))
    for lane in range(loops.LANES):
        some = B[lane :: loops.LANES]
        panels[: len(some), :, lane] = some
    out = np.empty((len(A), len(panels) * loops.LANES))
    loops.distances(readable(A, np.float64), panels, out)
    return out[:, :m]


def _sparse_distances(A: SparseRows, B: SparseRows) -> FloatArray:
    """Return the L1 distances of the rows of two sparse tables.

    Computed as Σ |a| + Σ |b| - 2 Σ min(|a|, |b|), the last sum over columns where the signs agree.
    These columns are few. All sums are taken in one order, so that equal rows have a distance of 0.
    """
    found = A.products(B, in_common=True)
    found *= -2.0
    found += _sizes(A)[:, None] + _sizes(B)
    return np.asarray(np.maximum(found, 0.0, out=found))


def _sizes(rows: SparseRows) -> FloatArray:
    """Return the L1 norm of each row."""
    found = np.bincount(rows.row_numbers(), np.abs(rows.data), minlength=len(rows))
    return found.astype(np.float64, copy=False)


def _sparse(table: Table) -> SparseRows:
    return SparseRows.of(table) if is_sparse(table) else SparseRows.from_dense(table)
