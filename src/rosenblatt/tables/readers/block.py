"""Rows of a file with their labels; SciPy is loaded when its matrices are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows


class Block:
    """Some rows of a file; ``X, y = block`` gives them as arrays.

    Attributes
    ----------
    X : csr_array or ndarray
        The features; sparse ones as an array of SciPy, which must be installed (extra ``sklearn``).
    rows : SparseRows or ndarray
        The features without SciPy; learners take them as they are.
    labels : ndarray or None
        The label of every row.
    lines : ndarray of int64
        The line of the file every row begins on.
    weights : ndarray or None
        The importance of every row, of formats that have one.
    """

    weights: npt.NDArray[Any] | None = None

    def __init__(self, rows: Any, labels: Any, lines: npt.NDArray[np.int64]) -> None:
        self.rows, self.labels, self.lines = rows, labels, lines

    @property
    def X(self) -> Any:
        return self.rows.tocsr() if isinstance(self.rows, SparseRows) else self.rows

    @property
    def y(self) -> Any:
        return self.labels

    @property
    def sample_weight(self) -> npt.NDArray[Any] | None:
        """Return `weights` for a learner; None if all rows count the same."""
        if self.weights is None or (self.weights == 1.0).all():
            return None
        return self.weights

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.labels))

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, rows: slice) -> Self:
        """Some of the rows, as a block of its own."""
        return self._part(self.rows[rows], rows)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """Rows by their numbers, as a block of its own."""
        listed = isinstance(self.rows, list)
        some = [self.rows[row] for row in rows.tolist()] if listed else self.rows[rows]
        return self._part(some, rows)

    def _part(self, some: Any, rows: Any) -> Self:
        part = copy(self)
        part.rows, part.lines = some, self.lines[rows]
        part.labels = None if self.labels is None else self.labels[rows]
        return part
