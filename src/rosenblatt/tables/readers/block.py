"""Blocks of rows with their labels; SciPy is loaded only if its matrices are requested."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows


class Block:
    """Block of rows from a file; ``X, y = block`` unpacks features and labels.

    Attributes
    ----------
    X : csr_array or ndarray
        The features; sparse ones as an array of SciPy, which must be installed (extra ``sklearn``).
    rows : SparseRows or ndarray
        The features without SciPy, in the form that learners take. Texts and sentences are lists.
    labels : ndarray or None
        The label of every row.
    lines : ndarray of int64
        The line of the file on which every row begins.
    weights : ndarray or None
        The importance of every row, of formats that have one.
    """

    weights: npt.NDArray[Any] | None = None

    # Blocks of tables hold arrays, of texts and sentences lists, of packed rows memory maps.
    def __init__(self, rows: Any, labels: Any, lines: npt.NDArray[np.int64]) -> None:
        self.rows = rows
        self.labels = labels
        self.lines = lines

    @property
    def X(self) -> Any:
        if isinstance(self.rows, SparseRows):
            return self.rows.tocsr()
        return self.rows

    @property
    def y(self) -> Any:
        return self.labels

    @property
    def sample_weight(self) -> npt.NDArray[Any] | None:
        """Return the sample weights for a learner; None if there are none or all are 1."""
        if self.weights is None or (self.weights == 1.0).all():
            return None
        return self.weights

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.labels))

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, rows: slice) -> Self:
        """Return a slice of the rows as a block."""
        return self._part(self.rows[rows], rows)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """Return the rows with the given indices as a block."""
        if isinstance(self.rows, list):
            return self._part([self.rows[row] for row in rows.tolist()], rows)
        return self._part(self.rows[rows], rows)

    def _part(self, some: Any, rows: slice | npt.NDArray[np.integer[Any]]) -> Self:
        part = copy(self)
        part.rows = some
        part.lines = self.lines[rows]
        part.labels = None if self.labels is None else self.labels[rows]
        return part
