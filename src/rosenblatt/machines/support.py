"""The rows a kernel machine is made of, kept as they come: dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.tables import canonical, is_sparse

__all__ = ["DenseSupport", "SparseSupport", "narrow_as_dense", "support_for"]

LEAST_ROOM = 64
# Sparse rows of fewer features are multiplied faster as dense ones, and take little room.
NARROW = 1024


def narrow_as_dense(table: Any) -> Any:
    """The table, whose rows come out dense if there are few features."""
    if not is_sparse(table):
        return table
    return _Narrow(table) if table.shape[1] <= NARROW else canonical(table)


class _Narrow:
    """A sparse table whose rows are dense when they are taken out of it."""

    def __init__(self, table: Any) -> None:
        self._table, self.shape, self.dtype = table, table.shape, table.dtype

    def __getitem__(self, rows: Any) -> npt.NDArray[Any]:
        return np.asarray(self._table[rows].toarray())


def support_for(rows: Any) -> DenseSupport | SparseSupport:
    """A place for rows like these."""
    return SparseSupport(rows) if is_sparse(rows) else DenseSupport(rows)


class DenseSupport:
    """Rows in one array that doubles when it is full."""

    def __init__(self, like: npt.NDArray[Any]) -> None:
        self._rows = np.empty((0, like.shape[1]), like.dtype)
        self.n = 0

    @property
    def rows(self) -> npt.NDArray[Any]:
        return self._rows[: self.n]

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
        twin._rows, twin.n = self.rows.copy(), self.n
        return twin


class SparseSupport:
    """Rows in one CSR matrix; those that came last are joined to it when it is asked for."""

    def __init__(self, like: Any) -> None:
        self._joined = like[:0].tocsr()
        self._new: list[Any] = []
        self.n = 0

    @property
    def rows(self) -> Any:
        if self._new:
            from scipy.sparse import vstack

            self._joined, self._new = vstack([self._joined, *self._new], format="csr"), []
        return self._joined

    def append(self, rows: Any) -> None:
        from scipy.sparse import csr_array

        self._new.append(rows.tocsr() if is_sparse(rows) else csr_array(rows))
        self.n += rows.shape[0]

    def put(self, slot: int, row: Any) -> None:
        """Another row in the place of one."""
        before, after = self.rows[:slot], self.rows[slot + 1 :]
        self._joined, self.n = before, slot
        self.append(row)
        self.append(after)

    def take(self, slots: slice | npt.NDArray[np.int64]) -> Any:
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Forget all but the first rows."""
        self._joined, self.n = self.rows[:n], n

    def copy(self) -> SparseSupport:
        twin = SparseSupport(self._joined)
        twin._joined, twin._new, twin.n = self._joined, list(self._new), self.n
        return twin
