"""Updates as a learner makes them: one by one, as columns, and collected while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.engine.rows.engine import Log
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.engine.rows.weights import FOLD_BITS
from rosenblatt.errors import InputError
from rosenblatt.plurals import count

# Updates by single examples that wait until they are put together.
SINGLE_EXAMPLES = 1024
# What the columns of a ledger are called among its arrays.
COLUMNS = ("row", "right", "wrong", "step", "t", "change", "scale", "folds", "clock")


def columns_of(*, with_rates: bool, with_scales: bool) -> tuple[str, ...]:
    """Return the names of the columns that a ledger of this kind fills."""
    return COLUMNS[: 6 if with_rates else 5] + (COLUMNS[6:] if with_scales else ())


class Update(NamedTuple):
    """One update: which example, what was right, what was predicted, how far, and when.

    ``row`` is the number of the example in what was given to ``fit``, then to the calls after it.
    ``y_pred`` is None when the right class was raised and no other lowered (a multiclass tie).
    ``t`` counts the examples seen, this one included. Where the rule also scales all weights, the
    step is what was added after that.
    """

    row: int
    y_true: Any
    y_pred: Any
    step: float
    t: int


class PastMistake(NamedTuple):
    """The part of a score that one past example adds: ``contribution = step · similarity``.

    ``row`` is its index in the ``X`` of ``fit`` or its place in the stream; None stands for
    ``n_joined`` rows that were summed up. ``step`` is the sum of the steps of its ``updates``,
    negative if they lowered the class. ``y_true`` and ``y_pred`` are the classes that its last
    update raised and lowered; a kernel with a budget does not keep them, nor the number of updates
    (None and 0). With votes, ``step`` is the share of all examples that the weights made by its
    updates survived, and ``similarity`` is their mean vote, from -1 to 1.
    """

    row: int | None
    y_true: Any
    y_pred: Any
    updates: int
    step: float | None
    similarity: float | None
    contribution: float
    n_joined: int = 1


class Entries(NamedTuple):
    """Updates as columns; ``y_true`` and ``y_pred`` are numbers of classes, -1 for none.

    ``change`` says by how much the rates of the weights fell; it is empty where they have none.
    Where weights are scaled, ``step`` is what was added to what is stored, ``scale`` and ``folds``
    are those after the update, and ``clock`` the sum of the scales after each example before it,
    since the last fold before it; else these three are empty.
    """

    row: npt.NDArray[np.int64]
    y_true: npt.NDArray[np.int32]
    y_pred: npt.NDArray[np.int32]
    step: npt.NDArray[np.float64]
    t: npt.NDArray[np.int64]
    change: npt.NDArray[np.float64] = np.zeros(0)
    scale: npt.NDArray[np.float64] = np.zeros(0)
    folds: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    clock: npt.NDArray[np.float64] = np.zeros(0)

    @property
    def steps(self) -> FloatArray:
        """How far the weights themselves went."""
        return self.step * self.scale if len(self.scale) else self.step

    def stored_after(self, folds: int) -> FloatArray:
        """Return what each step is in what is stored after so many folds."""
        powers = FOLD_BITS * np.maximum(np.minimum(self.folds - folds, 0), -200)
        return np.asarray(np.ldexp(self.step, powers))

    @classmethod
    def of(cls, log: Log) -> Entries:
        """A copy of what a log holds."""
        return cls(*(getattr(log, name)[: log.size].copy() for name in COLUMNS))

    @classmethod
    def empty(cls) -> Entries:
        return cls.of(Log(0))

    def first(self, k: int) -> Entries:
        return self.part(0, k)

    def since(self, k: int) -> Entries:
        return self.part(k, len(self.row))

    def part(self, start: int, stop: int) -> Entries:
        columns: Any = (column[start:stop] for column in self)
        return Entries(*columns)

    def at(self, places: npt.NDArray[np.int64]) -> Entries:
        """Return the updates at these places, of weights without rates and scales."""
        return Entries(
            row=self.row[places],
            y_true=self.y_true[places],
            y_pred=self.y_pred[places],
            step=self.step[places],
            t=self.t[places],
        )

    @classmethod
    def joined(cls, parts: list[Entries]) -> Entries:
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def log_for(rule: Rule, capacity: int) -> Log:
    """Return an empty log with the columns that the updates of a rule need."""
    return Log(capacity, with_rates=rule.rates is not None, with_scales=rule.scales)


# What is called with updates as they are made.
Note = Callable[[Entries], None]


def survival_times(
    times: npt.NDArray[np.int64], n_examples: int, start_t: int = 0
) -> npt.NDArray[np.int64]:
    """Return how many examples each state lived for: the first one, then after each update.

    ``times`` are the ``t`` of the updates, of ``n_examples`` in all. The first state began after
    ``start_t`` examples. A state predicts from the example after its update to that of the next.
    """
    return np.diff(np.concatenate([[start_t + 1], times, [n_examples + 1]]))


def refuse_missing(last: int, n: int, noun: str = "row") -> None:
    """Refuse ``n`` examples where the largest number that a ledger names is not among them."""
    if last >= n:
        raise InputError(
            f"{count(n, noun)} for a ledger that names {noun} {last}. Give all {noun}s of "
            "training: those of fit, then those of the calls after it, in order."
        )


class Recorder:
    """Collects updates while a learner runs: blocks of them, and a buffer for single examples."""

    def __init__(self) -> None:
        self._parts: list[Entries] = []
        # The latest updates, by single examples. Whoever learns empties it, readers never do: there
        # may be several of them at a time.
        self._log: Log | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_parts": self._all_parts(), "_log": None}

    def add(self, entries: Entries) -> None:
        """Append updates."""
        self.flush()
        if len(entries.row):
            self._parts.append(entries)

    def log(self, rule: Rule) -> Log:
        """Return the log into which single examples write."""
        if self._log is None:
            self._log = log_for(rule, SINGLE_EXAMPLES)
        return self._log

    def flush(self) -> None:
        """Make room in the log."""
        if self._log is not None and self._log.size:
            self._parts.append(Entries.of(self._log))
            self._log.size = 0

    def copy(self) -> Recorder:
        """A recorder of its own; what was noted so far never changes, and is shared."""
        twin = Recorder()
        twin._parts = self._all_parts()
        return twin

    def halved(self) -> Recorder:
        """The same updates when one vector for two classes became two halves.

        Halving is exact, so replay stays exact.
        """
        twin = Recorder()
        twin.add(self.entries._replace(step=self.entries.step * 0.5))
        return twin

    def _all_parts(self) -> list[Entries]:
        """What was collected, and what the log holds."""
        if self._log is None or self._log.size == 0:
            return self._parts.copy()
        return [*self._parts, Entries.of(self._log)]

    @property
    def entries(self) -> Entries:
        if len(self._parts) > 1:
            self._parts = [Entries.joined(self._parts)]
        parts = self._all_parts()
        return Entries.joined(parts) if parts else Entries.empty()
