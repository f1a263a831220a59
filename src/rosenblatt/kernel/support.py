"""The rows a kernel machine is made of: dense, or sparse if they came so and are wide."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows, is_sparse

__all__ = ["DenseSupport", "SparseSupport", "is_narrow", "narrow_as_dense", "support_for"]

LEAST_ROOM = 64
# Sparse rows of fewer features are multiplied faster as dense ones, and take little room.
NARROW = 1024


def is_narrow(table: Any) -> bool:
    """Whether a table is sparse although it need not be."""
    return is_sparse(table) and table.shape[1] <= NARROW


def narrow_as_dense(table: Any) -> Any:
    """The table, whose rows come out dense if there are few features, else as `SparseRows`."""
    if not is_sparse(table):
        return table
    rows = SparseRows.of(table)
    return Narrow(rows) if is_narrow(rows) else rows


class Narrow:
    """A sparse table whose rows are dense when they are taken out of it."""

    def __init__(self, rows: SparseRows) -> None:
        self.sparse, self.shape, self.dtype = rows, rows.shape, rows.dtype

    def __getitem__(self, rows: Any) -> npt.NDArray[Any]:
        return self.sparse[rows].toarray()


def support_for(rows: Any) -> DenseSupport | SparseSupport:
    """A place for rows like these."""
    return SparseSupport(rows) if is_sparse(rows) and not is_narrow(rows) else DenseSupport(rows)


class DenseSupport:
    """Rows in one array that doubles when it is full; they are handed out as they came."""

    def __init__(self, like: Any) -> None:
        self._rows = np.empty((0, like.shape[1]), like.dtype)
        self._origin = SparseRows.of(like).origin if is_sparse(like) else None
        self.n = 0

    @property
    def rows(self) -> npt.NDArray[Any]:
        return self._rows[: self.n]

    def vectors(self) -> npt.NDArray[Any] | SparseRows:
        """The rows as an array, or as sparse rows if the first of them were sparse."""
        if self._origin is None:
            return self.rows.copy()
        return SparseRows.from_dense(self.rows, origin=self._origin)

    def append(self, rows: Any) -> None:
        rows = rows.toarray() if is_sparse(rows) else rows
        self._agree(rows)
        end = self.n + len(rows)
        if end > len(self._rows):
            wider = np.empty((max(LEAST_ROOM, end, 2 * self.n), rows.shape[1]), self._rows.dtype)
            wider[: self.n] = self.rows
            self._rows = wider
        self._rows[self.n : end] = rows
        self.n = end

    def put(self, slot: int, row: Any) -> None:
        """Another row in the place of one."""
        row = row.toarray() if is_sparse(row) else row
        self._agree(row)
        self._rows[slot] = row[0]

    def _agree(self, rows: npt.NDArray[Any]) -> None:
        if rows.dtype == np.float64 and self._rows.dtype == np.float32:
            self._rows = self._rows.astype(np.float64)

    def take(self, slots: slice | npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Forget all but the first rows."""
        self.n = n

    def copy(self) -> DenseSupport:
        twin = DenseSupport(self._rows)
        twin._rows, twin._origin, twin.n = self.rows.copy(), self._origin, self.n
        return twin


class SparseSupport:
    """Rows in one sparse table; those that came last are joined to it when it is asked for."""

    def __init__(self, like: Any) -> None:
        self._joined = SparseRows.of(like)[:0]
        self._new: list[SparseRows] = []
        self.n = 0

    @property
    def rows(self) -> SparseRows:
        if self._new:
            self._joined, self._new = SparseRows.concat([self._joined, *self._new]), []
        return self._joined

    def vectors(self) -> SparseRows:
        """The rows, which share no memory with these."""
        return self.rows.copy()

    def append(self, rows: Any) -> None:
        self._new.append(SparseRows.of(rows) if is_sparse(rows) else SparseRows.from_dense(rows))
        self.n += rows.shape[0]

    def put(self, slot: int, row: Any) -> None:
        """Another row in the place of one."""
        before, after = self.rows[:slot], self.rows[slot + 1 :]
        self._joined, self.n = before, slot
        self.append(row)
        self.append(after)

    def take(self, slots: slice | npt.NDArray[np.int64]) -> SparseRows:
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Forget all but the first rows."""
        self._joined, self.n = self.rows[:n], n

    def copy(self) -> SparseSupport:
        twin = SparseSupport(self._joined)
        twin._joined, twin._new, twin.n = self._joined, list(self._new), self.n
        return twin
