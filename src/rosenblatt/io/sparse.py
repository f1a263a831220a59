"""Sparse rows as they come from a file: three arrays, until SciPy is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ParameterError

__all__ = ["Block", "SparseRows", "float_type"]


def float_type(dtype: Any) -> np.dtype[Any]:
    """float32 or float64, whatever it was called."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind not in (np.float32, np.float64):
        raise ParameterError(f"dtype={dtype!r} must be float32 or float64.")
    return np.dtype(np.float32 if kind == np.float32 else np.float64)


class SparseRows:
    """A CSR matrix in canonical form: what the loops need of one, without loading SciPy."""

    format = "csr"
    ndim = 2
    has_canonical_format = True

    def __init__(
        self,
        data: npt.NDArray[Any],
        indices: npt.NDArray[Any],
        indptr: npt.NDArray[np.int64],
        n_features: int,
    ) -> None:
        fits = len(data) <= np.iinfo(np.int32).max
        self.data = data
        self.indices = indices if fits else indices.astype(np.int64)
        self.indptr = indptr.astype(np.int32) if fits else indptr
        self.shape = len(indptr) - 1, n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    def tocsr(self) -> Any:
        """The same arrays as a SciPy matrix; nothing is copied."""
        from scipy.sparse import csr_array

        matrix = csr_array((self.data, self.indices, self.indptr), shape=self.shape)
        matrix.has_canonical_format = True
        return matrix


class Block:
    """Some rows of a file; ``X, y = block`` gives them as arrays.

    Attributes
    ----------
    rows : SparseRows or ndarray
        The features, without SciPy.
    labels : ndarray or None
        The label of every row.
    lines : ndarray of int64
        The line of the file every row begins on.
    """

    def __init__(self, rows: Any, labels: Any, lines: npt.NDArray[np.int64]) -> None:
        self.rows, self.labels, self.lines = rows, labels, lines

    @property
    def X(self) -> Any:
        return self.rows.tocsr() if isinstance(self.rows, SparseRows) else self.rows

    @property
    def y(self) -> Any:
        return self.labels

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.labels))

    def __len__(self) -> int:
        return len(self.lines)
