"""Updates of a learner: as single records, as columns, and collected during training."""

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

# Updates by single examples that are buffered before they become a block.
SINGLE_EXAMPLES = 1024
# The names of the columns of a ledger among its arrays.
COLUMNS = ("row", "right", "wrong", "step", "t", "change", "scale", "folds", "clock")


def columns_of(*, with_rates: bool, with_scales: bool) -> tuple[str, ...]:
    """Return the names of the columns that a ledger fills, with or without rates and scales."""
    return COLUMNS[: 6 if with_rates else 5] + (COLUMNS[6:] if with_scales else ())


class Update(NamedTuple):
    """One update of a learner: the example, the right and the predicted label, step and time.

    ``row`` is the index of the example among those of ``fit`` and of the calls after it. ``y_pred``
    is None when the right class was raised and no other lowered (a multiclass tie). ``t`` counts
    the examples seen, including this one. If the rule also scales all weights, the step is what was
    added after that.
    """

    row: int
    y_true: Any
    y_pred: Any
    step: float
    t: int


class PastMistake(NamedTuple):
    """Contribution of one past example to a score: ``contribution = step · similarity``.

    ``row`` is its index in the ``X`` of ``fit`` or in the stream; None stands for ``n_joined`` rows
    that were summed up. ``step`` is the sum of the steps of its ``updates``, negative if they
    lowered the class. ``y_true`` and ``y_pred`` are the classes that its last update raised and
    lowered; a kernel with a budget does not keep them, nor the number of updates (None and 0). With
    votes, ``step`` is the share of all examples that the weights made by its updates survived, and
    ``similarity`` is their mean vote, from -1 to 1.
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
    """Updates as columns; ``y_true`` and ``y_pred`` are class indices, -1 for none.

    ``change`` is by how much the rates of the weights fell; it is empty if they have none. If
    weights are scaled, ``step`` is what was added to the stored weights, ``scale`` and ``folds``
    are those after the update, and ``clock`` is the sum of the scales after each example before it,
    since the last fold before it; otherwise these three are empty.
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
        """Return the steps of the actual weights, not of the stored ones."""
        if len(self.scale):
            return self.step * self.scale
        return self.step

    def stored_after(self, folds: int) -> FloatArray:
        """Return the steps in units of the stored weights after a number of folds."""
        # A fold multiplies by 2^-10; beyond 200 of them nothing is left.
        powers = FOLD_BITS * np.maximum(np.minimum(self.folds - folds, 0), -200)
        return np.asarray(np.ldexp(self.step, powers))

    @classmethod
    def of(cls, log: Log) -> Entries:
        """Return a copy of the updates in a log."""
        n = log.size
        return cls(
            row=log.row[:n].copy(),
            y_true=log.right[:n].copy(),
            y_pred=log.wrong[:n].copy(),
            step=log.step[:n].copy(),
            t=log.t[:n].copy(),
            change=log.change[:n].copy(),
            scale=log.scale[:n].copy(),
            folds=log.folds[:n].copy(),
            clock=log.clock[:n].copy(),
        )

    @classmethod
    def empty(cls) -> Entries:
        """Return empty columns of the right types."""
        return cls.of(Log(0))

    def first(self, k: int) -> Entries:
        """Return the first k updates."""
        return self.part(0, k)

    def since(self, k: int) -> Entries:
        """Return all updates but the first k."""
        return self.part(k, len(self.row))

    def part(self, start: int, stop: int) -> Entries:
        """Return the updates from ``start`` to ``stop - 1``."""
        # Columns that these weights do not need are empty, and so is every part of them.
        return Entries(
            row=self.row[start:stop],
            y_true=self.y_true[start:stop],
            y_pred=self.y_pred[start:stop],
            step=self.step[start:stop],
            t=self.t[start:stop],
            change=self.change[start:stop],
            scale=self.scale[start:stop],
            folds=self.folds[start:stop],
            clock=self.clock[start:stop],
        )

    def at(self, places: npt.NDArray[np.int64]) -> Entries:
        """Return the updates at the given indices; only for weights without rates and scales."""
        return Entries(
            row=self.row[places],
            y_true=self.y_true[places],
            y_pred=self.y_pred[places],
            step=self.step[places],
            t=self.t[places],
        )

    @classmethod
    def joined(cls, parts: list[Entries]) -> Entries:
        """Return the concatenation of several parts."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def log_for(rule: Rule, capacity: int) -> Log:
    """Return an empty log with the columns that the updates of a rule need."""
    return Log(capacity, with_rates=rule.rates is not None, with_scales=rule.scales)


# Callback for new updates.
Note = Callable[[Entries], None]


def survival_times(
    times: npt.NDArray[np.int64], n_examples: int, start_t: int = 0
) -> npt.NDArray[np.int64]:
    """Return the survival time of each state in examples: the first state, then one per update.

    ``times`` are the ``t`` of the updates, of ``n_examples`` in all. The first state began after
    ``start_t`` examples. A state predicts from the example after its update to that of the next.
    """
    return np.diff(np.concatenate([[start_t + 1], times, [n_examples + 1]]))


def refuse_missing(last: int, n: int, noun: str = "row") -> None:
    """Raise InputError if ``last``, the largest index in a ledger, is not among n examples."""
    if last >= n:
        raise InputError(
            f"{count(n, noun)} for a ledger that names {noun} {last}. Give all {noun}s of "
            "training: those of fit, then those of the calls after it, in order."
        )


class Recorder:
    """Collector of updates during training: blocks of them, and a buffer for single examples."""

    def __init__(self) -> None:
        self._parts: list[Entries] = []
        # The latest updates, by single examples. Only the thread that learns empties it: several
        # may read at a time.
        self._log: Log | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_parts": self._all_parts(), "_log": None}

    def add(self, entries: Entries) -> None:
        """Append updates."""
        self.flush()
        if len(entries.row):
            self._parts.append(entries)

    def log(self, rule: Rule) -> Log:
        """Return the log of updates by single examples."""
        if self._log is None:
            self._log = log_for(rule, SINGLE_EXAMPLES)
        return self._log

    def flush(self) -> None:
        """Move the updates in the log to a block, which empties the log."""
        if self._log is not None and self._log.size:
            self._parts.append(Entries.of(self._log))
            self._log.size = 0

    def copy(self) -> Recorder:
        """Return a recorder that shares the updates so far, which never change."""
        twin = Recorder()
        twin._parts = self._all_parts()
        return twin

    def halved(self) -> Recorder:
        """Return a recorder with half the steps, for a vector that was split into two halves.

        Halving is exact, so that replay stays exact.
        """
        twin = Recorder()
        twin.add(self.entries._replace(step=self.entries.step * 0.5))
        return twin

    def _all_parts(self) -> list[Entries]:
        """Return all parts so far, including the updates still in the log."""
        if self._log is None or self._log.size == 0:
            return self._parts.copy()
        return [*self._parts, Entries.of(self._log)]

    @property
    def entries(self) -> Entries:
        """Return all updates so far."""
        if len(self._parts) > 1:
            self._parts = [Entries.joined(self._parts)]
        parts = self._all_parts()
        return Entries.joined(parts) if parts else Entries.empty()
