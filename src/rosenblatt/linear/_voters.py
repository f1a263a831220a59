"""The mistaken rows of a run, kept so that every weight vector of it can still vote."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.core.ledger import Ledger
from rosenblatt.core.tables import is_sparse

__all__ = ["Voters"]


class Voters:
    """Each mistaken row once, and for every update the row it came from."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._n_rows = 0
        self._place: list[npt.NDArray[np.int64]] = []
        self._source: Any = None
        self._place_in_source: npt.NDArray[np.int64] | None = None
        self.n_updates = 0

    def catch_up(self, rows: npt.NDArray[np.int64], table: Any) -> None:
        """Keep the rows of the updates not noted yet; ``rows`` are those of all updates so far."""
        new = rows[self.n_updates :]
        self.n_updates = len(rows)
        if table is not self._source:
            self._source = table
            self._place_in_source = np.full(table.shape[0], -1, np.int64)
        assert self._place_in_source is not None
        unseen = np.unique(new[self._place_in_source[new] < 0])
        if len(unseen):
            self._place_in_source[unseen] = self._n_rows + np.arange(len(unseen))
            self._n_rows += len(unseen)
            self._parts.append(table[unseen])
        self._place.append(self._place_in_source[new])

    def release(self) -> None:
        """Let go of the caller's table."""
        self._source = self._place_in_source = None

    def vectors(self, n_features: int) -> Any:
        """The mistaken rows as one table of ``n_features`` columns."""
        if len(self._parts) > 1 or (self._parts and self._parts[0].shape[1] != n_features):
            if any(is_sparse(part) for part in self._parts):
                self._parts = [_stacked(self._parts, n_features)]
            else:
                self._parts = [np.vstack(self._parts)]
        return self._parts[0] if self._parts else np.zeros((0, n_features))

    @property
    def place(self) -> npt.NDArray[np.int64]:
        """For every update the row of `vectors` it came from."""
        self._place = [np.concatenate([np.zeros(0, np.int64), *self._place])]
        return self._place[0]

    def ledger(self, ledger: Ledger, n_features: int) -> tuple[Ledger, Any]:
        """The same updates with rows numbered as in `vectors`, and the vectors."""
        entries = ledger.entries._replace(row=self.place[: len(ledger)])
        return ledger.with_entries(entries), self.vectors(n_features)


def _stacked(parts: list[Any], n_features: int) -> Any:
    widened = []
    for part in parts:
        part = sp.csr_array(part)
        part.resize((part.shape[0], n_features))
        widened.append(part)
    return sp.vstack(widened, format="csr")
