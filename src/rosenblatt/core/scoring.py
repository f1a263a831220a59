"""Scores of rows under given weights, in the same fixed order of sums as in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import scoring
from rosenblatt.arrays import is_sparse
from rosenblatt.core.rows import as_rows

__all__ = ["margins", "scores"]

# Rows of another type than the weights are converted so many numbers at a time.
BLOCK = 1 << 20


def scores(X: Any, coef: npt.NDArray[Any], bias: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """``X @ coef.T + bias`` in float64: (n,) for one weight vector, else (n, n_vectors).

    float32 rows with float32 weights are summed in float32, all others in float64.
    """
    single = X.dtype == np.float32 and coef.dtype == np.float32
    dtype = np.float32 if single else np.float64
    by_feature = is_sparse(X) and len(bias) > 1
    table = np.ascontiguousarray(coef.T if by_feature else coef, dtype=dtype)
    bias = np.ascontiguousarray(bias, dtype=dtype)
    if X.dtype == dtype or is_sparse(X):
        return scoring.score(as_rows(X, dtype), table, bias)
    step = max(1, BLOCK // max(1, X.shape[1]))
    parts = [
        scoring.score(as_rows(X[first : first + step], dtype), table, bias)
        for first in range(0, max(1, X.shape[0]), step)
    ]
    return np.concatenate(parts)


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
