"""The updates of a run with the rows they came from, so that every weight vector can vote."""

from __future__ import annotations

import hashlib
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.recording import Entries, Recorder
from rosenblatt.core.weights import Weights

__all__ = ["Voters"]


class Voters:
    """Each mistaken row once; every update of all calls, its row numbered among those kept."""

    def __init__(self, start: Weights) -> None:
        self._start = start.copy()
        self._recorder = Recorder()
        self._parts: list[Any] = []
        self._n_rows = 0
        # The table the updates come from, that as rows to take, and the places of those taken.
        self._source: Any = None
        self._rows: Any = None
        self._place_in_source: npt.NDArray[np.int64] | None = None
        # A fit that goes on: what records its updates, and how many of them were taken.
        self._followed: tuple[Recorder, Any] | None = None
        self._n_taken = 0

    def follow(self, recorder: Recorder, table: Any) -> None:
        """Take the updates of a fit from its recorder, when they are asked for or it ends."""
        self._followed, self._n_taken = (recorder, table), 0

    def _catch_up(self) -> None:
        if self._followed is not None:
            recorder, table = self._followed
            entries = recorder.entries
            self.take(entries.since(self._n_taken), table)
            self._n_taken = len(entries.row)

    def take(self, entries: Entries, table: Any) -> None:
        """Keep further updates and the rows of ``table`` that they came from."""
        if table is not self._source:
            self._source, self._rows = table, SparseRows.of(table) if is_sparse(table) else table
            self._place_in_source = np.full(table.shape[0], -1, np.int64)
        assert self._place_in_source is not None
        places = self._place_in_source
        unseen = np.unique(entries.row[places[entries.row] < 0])
        if len(unseen):
            places[unseen] = self._n_rows + np.arange(len(unseen))
            self._n_rows += len(unseen)
            self._parts.append(self._rows[unseen])
        self._recorder.add(entries._replace(row=places[entries.row]))

    def release(self) -> None:
        """Let go of the caller's table."""
        self._catch_up()
        self._followed = self._source = self._rows = self._place_in_source = None

    def copy(self) -> Voters:
        twin = copy(self)
        twin._start, twin._parts = self._start.copy(), list(self._parts)
        twin._recorder = self._recorder.copy()
        twin.release()
        return twin

    def split(self) -> None:
        """One vector for two classes became one each, as in `LinearModel`."""
        self._start.split()
        self._recorder = self._recorder.halved()

    def add_vector(self) -> None:
        self._start.add_vector()

    def digest(self) -> str:
        """SHA-256 over the updates; how the rows are numbered does not matter."""
        entries = self._recorder.entries
        columns = (entries.y_true, entries.y_pred, entries.step, entries.t)
        return hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()

    def to_arrays(self, classes: list[Any], n_features: int, n_examples: int) -> dict[str, Any]:
        """Everything there is to know: the ledger and, under "rows", the mistaken rows."""
        ledger = self.ledger(classes, n_features, n_examples).to_arrays()
        return {**ledger, "rows": self.vectors(n_features) if self._n_rows else None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Voters:
        ledger = Ledger.from_arrays(arrays)
        voters = cls(ledger._start)
        voters._recorder.add(ledger.entries)
        if arrays["rows"] is not None:
            voters._parts, voters._n_rows = [arrays["rows"]], arrays["rows"].shape[0]
        return voters

    @property
    def n_updates(self) -> int:
        self._catch_up()
        return len(self._recorder.entries.row)

    def vectors(self, n_features: int) -> Any:
        """The mistaken rows as one table of ``n_features`` columns."""
        self._catch_up()
        if len(self._parts) > 1 or (self._parts and self._parts[0].shape[1] != n_features):
            if any(is_sparse(part) for part in self._parts):
                sparse = [p if is_sparse(p) else SparseRows.from_dense(p) for p in self._parts]
                self._parts = [SparseRows.concat(sparse, n_features)]
            else:
                widened = [
                    np.pad(part, ((0, 0), (0, n_features - part.shape[1]))) for part in self._parts
                ]
                self._parts = [np.vstack(widened)]
        return self._parts[0] if self._parts else np.zeros((0, n_features))

    def ledger(self, classes: list[Any], n_features: int, n_examples: int) -> Ledger:
        """All updates, with rows numbered as in `vectors`."""
        self._catch_up()
        if self._start.n_features < n_features:
            self._start.grow(n_features)
        return Ledger(self._start, tuple(classes), self._recorder.entries, n_examples)
