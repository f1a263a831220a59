"""Updates as a learner makes them: one by one, as columns, and collected while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning
from rosenblatt.errors import InputError
from rosenblatt.plurals import count

# What the columns of a ledger are called among its arrays.
COLUMNS = ("row", "right", "wrong", "step", "t", "change")


class Update(NamedTuple):
    """One update: which example, what was right, what was predicted, how far, and when.

    ``row`` is the number of the example in what was given to ``fit``, then to the calls after it.
    ``y_pred`` is None when the right class was raised and no other lowered (a multiclass tie).
    ``t`` counts the examples seen, this one included.
    """

    row: int
    y_true: Any
    y_pred: Any
    step: float
    t: int


class Entries(NamedTuple):
    """Updates as columns; ``y_true`` and ``y_pred`` are numbers of classes, -1 for none.

    ``change`` says by how much the rates of the weights fell; it is empty where they have none.
    """

    row: npt.NDArray[np.int64]
    y_true: npt.NDArray[np.int32]
    y_pred: npt.NDArray[np.int32]
    step: npt.NDArray[np.float64]
    t: npt.NDArray[np.int64]
    change: npt.NDArray[np.float64] = np.zeros(0)

    @classmethod
    def of(cls, log: learning.Log) -> Entries:
        """A copy of what a log holds."""
        return cls(*(getattr(log, name)[: log.size].copy() for name in COLUMNS))

    @classmethod
    def empty(cls) -> Entries:
        return cls.of(learning.Log(0))

    def first(self, k: int) -> Entries:
        return self.part(0, k)

    def since(self, k: int) -> Entries:
        return self.part(k, len(self.row))

    def part(self, start: int, stop: int) -> Entries:
        columns: Any = (column[start:stop] for column in self)
        return Entries(*columns)

    @classmethod
    def joined(cls, parts: list[Entries]) -> Entries:
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


# What is called with updates as they are made.
Note = Callable[[Entries], None]


def refuse_missing(last: int, n: int, noun: str = "row") -> None:
    """Refuse ``n`` examples where the largest number that a ledger names is not among them."""
    if last >= n:
        raise InputError(
            f"{count(n, noun)} for a ledger that names {noun} {last}. Give all {noun}s of "
            "training: those of fit, then those of the calls after it, in order."
        )


class Recorder:
    """Collects entries while a learner runs, a block at a time."""

    def __init__(self) -> None:
        self._parts: list[Entries] = []

    def add(self, entries: Entries) -> None:
        if len(entries.row):
            self._parts.append(entries)

    def copy(self) -> Recorder:
        """A recorder of its own; what was noted so far never changes, and is shared."""
        twin = Recorder()
        twin._parts = self._parts.copy()
        return twin

    def halved(self) -> Recorder:
        """The same updates when one vector for two classes became two halves.

        Halving is exact, so replay stays exact.
        """
        twin = Recorder()
        twin.add(self.entries._replace(step=self.entries.step * 0.5))
        return twin

    @property
    def entries(self) -> Entries:
        self._parts = [Entries.joined(self._parts)] if self._parts else [Entries.empty()]
        return self._parts[0]
