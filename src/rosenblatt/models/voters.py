"""The mistaken rows of a voted perceptron, kept while it learns."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows, Table, is_sparse
from rosenblatt.models.recording import Entries, Note


class Voters:
    """Store of the mistaken rows, each kept once, with its index in the ledger."""

    def __init__(
        self, rows: Table | None = None, numbers: npt.NDArray[np.int64] | None = None
    ) -> None:
        # Batches of rows with their indices in the ledger, in order of arrival.
        self._parts: list[tuple[Table, npt.NDArray[np.int64]]] = []
        if rows is not None and numbers is not None:
            self._parts.append((rows, numbers))
        # The last answer of `joined`. A reader replaces it as a whole and changes nothing else:
        # what a learner appends can therefore not be lost.
        self._joined: JoinedRows | None = None

    def taking(self, table: Table, first_row: int) -> Note:
        """Return a callback that stores the rows of ``table`` that caused updates."""
        rows = SparseRows.of(table) if is_sparse(table) else table
        known = np.zeros(table.shape[0], bool)

        def take(entries: Entries) -> None:
            unseen = np.unique(entries.row[~known[entries.row]])
            if len(unseen):
                known[unseen] = True
                self._compact()
                self._parts.append((rows[unseen], unseen + first_row))

        return take

    def _compact(self) -> None:
        """Replace the parts that a reader has joined by their table; for the learning thread."""
        kept = self._joined
        if kept is not None and 1 < kept.n_parts <= len(self._parts):
            self._parts[: kept.n_parts] = [(kept.vectors, kept.numbers)]
            self._joined = JoinedRows(kept.vectors, kept.numbers, 1)

    def finish(self, n_features: int) -> None:
        """Join the rows into one table after learning; for the learning thread only."""
        self.joined(n_features)
        self._compact()

    def copy(self) -> Voters:
        """Return an independent copy."""
        twin = copy(self)
        twin._parts = list(self._parts)
        return twin

    def joined(self, n_features: int) -> JoinedRows:
        """Return the rows so far, as one table of ``n_features`` columns."""
        kept = self._joined
        n_parts = len(self._parts)
        if kept is None or kept.n_parts > n_parts or kept.vectors.shape[1] != n_features:
            kept = None
        # A table of no rows has no type of its own, and must not decide that of the rows to come.
        if kept is not None and kept.n_parts == 0 < n_parts:
            kept = None
        if kept is not None and kept.n_parts == n_parts:
            return kept

        # What was joined before is joined with what came since.
        parts = self._parts[:n_parts]
        if kept is not None:
            parts = [(kept.vectors, kept.numbers), *parts[kept.n_parts :]]
        tables = [table for table, _ in parts]
        numbers = [np.zeros(0, np.int64), *(some for _, some in parts)]
        self._joined = kept = JoinedRows(
            stacked(tables, n_features), np.concatenate(numbers), n_parts
        )
        return kept


class JoinedRows:
    """The mistaken rows of the first ``n_parts`` batches, with their indices in the ledger."""

    def __init__(self, vectors: Table, numbers: npt.NDArray[np.int64], n_parts: int) -> None:
        self.vectors = vectors
        self.numbers = numbers
        self.n_parts = n_parts
        self._order = np.argsort(numbers)

    def places(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the indices in ``vectors`` of the rows of updates."""
        found = np.searchsorted(self.numbers, rows, sorter=self._order)
        return np.asarray(self._order[found])


def stacked(tables: list[Table], n_features: int) -> Table:
    """Stack tables, each widened to ``n_features`` columns."""
    if not tables:
        return np.zeros((0, n_features))
    if len(tables) == 1 and tables[0].shape[1] == n_features:
        return tables[0]
    if any(is_sparse(table) for table in tables):
        sparse = [table if is_sparse(table) else SparseRows.from_dense(table) for table in tables]
        return SparseRows.concat(sparse, n_features)
    return np.vstack(
        [np.pad(table, ((0, 0), (0, n_features - table.shape[1]))) for table in tables]
    )
