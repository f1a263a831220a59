"""The dual form: how much each row contributed to each weight vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.recording import Entries

__all__ = ["Pairs", "Shares"]


class Pairs:
    """Steps summed by row and pair of classes; memory follows the pairs, not the updates."""

    MOST_WAITING = 1 << 18

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes
        self._key: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._step: npt.NDArray[np.float64] = np.zeros(0)
        self._waiting: list[tuple[Any, Any]] = []
        self._n_waiting = 0

    def add(self, entries: Entries) -> None:
        k = self._n_classes
        key = (entries.row * k + entries.y_true) * (k + 1) + (entries.y_pred + 1)
        self._waiting.append((key, entries.step))
        self._n_waiting += len(key)
        if self._n_waiting > max(self.MOST_WAITING, len(self._key)):
            self._merge()

    def _merge(self) -> None:
        keys = np.concatenate([self._key, *(key for key, _ in self._waiting)])
        steps = np.concatenate([self._step, *(step for _, step in self._waiting)])
        self._key, place = np.unique(keys, return_inverse=True)
        summed = np.bincount(place, weights=steps, minlength=len(self._key))
        self._step = summed.astype(np.float64)
        self._waiting, self._n_waiting = [], 0

    def coefficients(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Rows with a coefficient other than 0, and the coefficients (n_classes, rows)."""
        self._merge()
        k = self._n_classes
        rest, wrong = np.divmod(self._key, k + 1)
        row, right = np.divmod(rest, k)
        support, place = np.unique(row, return_inverse=True)
        dual = np.zeros((k, len(support)))
        np.add.at(dual, (right, place), self._step)
        lowered = wrong > 0
        np.add.at(dual, (wrong[lowered] - 1, place[lowered]), -self._step[lowered])
        return support, dual

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The pairs in ascending order, each as one number, and their steps."""
        self._merge()
        return {"key": self._key, "step": self._step}

    @classmethod
    def from_arrays(cls, n_classes: int, arrays: dict[str, npt.NDArray[Any]]) -> Pairs:
        pairs = cls(n_classes)
        pairs._key, pairs._step = arrays["key"], arrays["step"]
        return pairs


class Shares:
    """Steps summed by row and class, for a rule in which every row moves every class."""

    MOST_NUMBERS = 1 << 24

    def __init__(self, n_rows: int, n_classes: int) -> None:
        self._table = np.zeros((n_rows, n_classes))

    @classmethod
    def fit_into_memory(cls, n_rows: int, n_classes: int) -> bool:
        return n_rows * n_classes <= cls.MOST_NUMBERS

    def add(self, entries: Entries) -> None:
        np.add.at(self._table, (entries.row, entries.y_true), entries.step)
        np.add.at(self._table, (entries.row, entries.y_pred), -entries.step)

    def coefficients(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Rows with a coefficient other than 0, and the coefficients (n_classes, rows)."""
        support = np.flatnonzero(self._table.any(axis=1))
        return support, np.ascontiguousarray(self._table[support].T)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The sums of every row and class."""
        return {"table": self._table}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Shares:
        shares = cls(0, 0)
        shares._table = arrays["table"]
        return shares
