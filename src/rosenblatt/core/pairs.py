"""All pairs of rows of two tables, dense or sparse: their products and their distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._kernels.rows import sparse_rows as loops
from rosenblatt.arrays import AnyFloatArray, FloatArray, SparseRows, is_sparse

__all__ = ["distances", "products"]


def products(A: Any, B: Any) -> AnyFloatArray:
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
    loops.distances(np.ascontiguousarray(A, np.float64), panels, out)
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
