"""All pairs of rows of two tables, dense or sparse: their products and their distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._kernels import sparse_rows as loops
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
        return _sparse(A).distances(_sparse(B))
    # So many rows of B lie side by side, that the processor takes them all at once.
    m, d = B.shape
    panels = np.zeros((-(-m // loops.LANES), d, loops.LANES))
    for lane in range(loops.LANES):
        some = B[lane :: loops.LANES]
        panels[: len(some), :, lane] = some
    out = np.empty((len(A), len(panels) * loops.LANES))
    loops.distances(np.ascontiguousarray(A, np.float64), panels, out)
    return out[:, :m]


def _sparse(table: Any) -> SparseRows:
    return SparseRows.of(table) if is_sparse(table) else SparseRows.from_dense(table)
