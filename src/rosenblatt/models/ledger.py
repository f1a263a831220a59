"""The ledger: every update a learner made, in order. A model is its mistakes.

    w = w0 + Σ step · x      over the entries of the right class, minus those of the wrong one

The ledger of every family holds all updates since recording began, whatever calls made them: w0 is
what was learned before, and rows are numbered through all calls in order. From the entries and the
examples they name follow the weights after any update, the survival times, the average and the
votes. Replaying gives the weights of training to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from operator import index
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, FloatArray, is_sparse
from rosenblatt.engine.rows import voting
from rosenblatt.engine.rows.engine import replay
from rosenblatt.engine.rows.weights import FOLD_BITS
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.html_tables import first_and_last, html_card, html_headline, html_table, in_short
from rosenblatt.models.classes import tie_is_positive
from rosenblatt.models.recording import (
    COLUMNS,
    Entries,
    Update,
    columns_of,
    refuse_missing,
    survival_times,
)
from rosenblatt.models.rows import Rows, as_rows, inspect, products
from rosenblatt.models.weights import RATE, Scaling, Weights

# Products of queries and mistaken rows computed at once.
VOTE_BLOCK = 4_000_000

# The weights that a ledger returns, and the state in which it replays updates.
W = TypeVar("W")
S = TypeVar("S")


class BaseLedger(ABC, Generic[W, S]):
    """Base class of the ledgers; a family defines how an update changes the weights.

    Iterating gives `Update` records; ``len`` is the number of updates. The examples themselves are
    not kept: the methods that need them take as ``X`` the examples of ``fit`` and of the calls
    after it, in order. ``start_t`` examples had been seen before.
    """

    def __init__(self, n_examples: int, start_t: int = 0, best_t: int | None = None) -> None:
        self.n_examples = n_examples
        self._start_t = start_t
        self._best_t = best_t
        # Examples seen before the average began, now and for the weights of the best epoch.
        self.average_from = 0
        self._average_from_of_best = 0

    # ------------------------------------------------------------------ defined by a family

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def _times(self) -> npt.NDArray[np.int64]:
        """Return the time ``t`` of every update."""

    @abstractmethod
    def _update(self, k: int) -> Update:
        """Return update k."""

    @abstractmethod
    def _cut(self, k: int) -> None:
        """Remove all but the first ``k`` updates."""

    @abstractmethod
    def _begin(self, X: Any, *, averaged: bool = False) -> S:
        """Return the state of a replay before the first update: the weights and the examples."""

    @abstractmethod
    def _play(self, state: S, start: int, stop: int, t0: int = 0) -> None:
        """Replay updates ``start`` to ``stop - 1``, counting examples from ``t0`` on."""

    @abstractmethod
    def _weights(self, state: S) -> W:
        """Return the weights of a state."""

    @abstractmethod
    def _average(self, state: S) -> W:
        """Return the mean of the weights after each example since recording or averaging began."""

    # ------------------------------------------------------------------ shared by all families

    def __getitem__(self, k: int) -> Update:
        k = index(k)
        if not -len(self) <= k < len(self):
            raise IndexError(f"this ledger has {len(self)} updates, but no number {k}")
        return self._update(k % len(self))

    def __iter__(self) -> Iterator[Update]:
        return (self._update(k) for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} updates in {self.n_examples} examples>"

    def _repr_html_(self) -> str:
        places, left_out = first_and_last(len(self))
        rows = [(k + 1, *map(in_short, self[k])) for k in places]
        table = html_table(left_out, ("update", *Update._fields), rows)
        return html_card(html_headline(repr(self)[1:-1]), table)

    def upto(self, k: int, n_examples: int | None = None) -> Self:
        """Return the ledger as it was after ``k`` updates (and ``n_examples`` examples)."""
        k = self._checked(k)
        if n_examples is None:
            n_examples = int(self._times[k]) - 1 if k < len(self) else self.n_examples
        shorter = copy(self)
        shorter._cut(k)
        shorter.n_examples = n_examples
        shorter._best_t = None
        if shorter.average_from >= n_examples:
            shorter.average_from = 0
        return shorter

    @property
    def best(self) -> Self:
        """Return the ledger up to the weights that predict.

        After early stopping it ends at the best epoch, otherwise at the last update.
        """
        if self._best_t is None:
            return self
        k = int(np.searchsorted(self._times, self._best_t, "right"))
        best = self.upto(k, self._best_t)
        best.average_from = self._average_from_of_best
        return best

    def replay(self, X: Any, upto: int | None = None) -> W:
        """Return the weights after ``upto`` updates, by default after all.

        They are equal to those of training to the last bit.
        """
        upto = self._checked(upto)
        state = self._begin(X)
        self._play(state, 0, upto)
        return self._weights(state)

    def trace(self, X: Any) -> Iterator[W]:
        """Yield the weights before the first and after every update."""
        state = self._begin(X)
        yield self._weights(state)
        for k in range(len(self)):
            self._play(state, k, k + 1)
            yield self._weights(state)

    def average(self, X: Any) -> W:
        """Return the mean of the weights after every example since recording began.

        If recording began with the first example, averaged learners predict by it. For a learner
        that averages the tail of its epochs, it is the mean since the tail began.
        """
        state = self._begin(X, averaged=True)
        self._play(state, 0, len(self), max(self._start_t, self.average_from))
        return self._average(state)

    @property
    def survival(self) -> npt.NDArray[np.int64]:
        """Return the survival time of each weight vector, in examples, from the first one on."""
        return survival_times(self._times, self.n_examples, self._start_t)

    def _checked(self, upto: int | None) -> int:
        if upto is None:
            return len(self)
        upto = index(upto)
        if not 0 <= upto <= len(self):
            raise ParameterError(
                f"upto={upto}: this ledger has {len(self)} updates; give 0 to {len(self)}."
            )
        return upto


class ColumnLedger(BaseLedger[W, S]):
    """Ledger that stores its updates as columns, with indices of rows and classes."""

    def __init__(
        self,
        classes: tuple[Any, ...],
        entries: Entries,
        n_examples: int,
        start_t: int = 0,
        best_t: int | None = None,
    ) -> None:
        super().__init__(n_examples, start_t, best_t)
        self.classes = classes
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries.row)

    @property
    def _times(self) -> npt.NDArray[np.int64]:
        return self.entries.t

    def _cut(self, k: int) -> None:
        self.entries = self.entries.first(k)

    def _update(self, k: int) -> Update:
        entries = self.entries
        lowered = int(entries.y_pred[k])
        step = entries.step[k]
        if len(entries.scale):
            # The step is that of the stored weights.
            step = step * entries.scale[k]
        return Update(
            row=int(entries.row[k]),
            y_true=self.classes[entries.y_true[k]],
            y_pred=None if lowered < 0 else self.classes[lowered],
            step=float(step),
            t=int(entries.t[k]),
        )


@dataclass
class Replay:
    """State of a replay: the weights so far, and the rows that change them.

    ``float32_rows`` are the rows of the updates that were made in float32, if later ones were made
    in float64; None once these are replayed.
    """

    weights: Weights
    rows: Rows
    float32_rows: Rows | None


class Ledger(ColumnLedger[tuple[AnyFloatArray, AnyFloatArray], Replay]):
    """Every update since recording began, in order, and the weights before the first.

    Iterating gives `Update` records; ``len`` is the number of updates. The rows themselves are not
    kept: the methods that need them take as ``X`` the rows of ``fit``, and below them those of the
    calls after it. A ``fit`` begins a new ledger, unless it continues (``warm_start``).

    Attributes
    ----------
    start : Weights
        The weights before the first update.
    classes : tuple
        The classes; with two of them there is one weight vector and the second is the positive.
    entries : Entries
        The updates as columns.
    n_examples : int
        Examples seen when learning ended.
    best : Ledger
        Up to the weights that predict: up to the best epoch after early stopping, or all of it.

    Examples
    --------
    The worked example of the first lecture: mistakes on the first, third and fifth point.

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    >>> ledger = p.fit(X, [-1, 1, 1, -1, -1, 1]).ledger_
    >>> [int(row) + 1 for row in ledger.entries.row]
    [1, 3, 5]
    >>> [ledger.replay(X, upto=k)[0].ravel().tolist() for k in (1, 2, 3)]
    [[1.0, -2.0], [2.0, -1.0], [3.0, 1.0]]
    """

    def __init__(
        self,
        start: Weights,
        classes: tuple[Any, ...],
        entries: Entries,
        n_examples: int,
        *,
        n_float32: int | None = None,
        best_t: int | None = None,
        average_from: int = 0,
        average_from_of_best: int = 0,
        end: Scaling | None = None,
        end_of_best: Scaling | None = None,
    ) -> None:
        super().__init__(classes, entries, n_examples, start.t, best_t)
        self.start = start
        self._n_float32 = n_float32
        # Scaled weights also change after the last update, so their final state is kept as well.
        self.end = Scaling(*start.scaling) if end is None else end
        self._end_of_best = end_of_best
        self.average_from = average_from
        self._average_from_of_best = average_from_of_best

    def _cut(self, k: int) -> None:
        if self.start.is_scaled and k < len(self):
            self.end = self._scaling_after(k)
        super()._cut(k)

    def _scaling_after(self, k: int) -> Scaling:
        """Return the `Scaling` of the weights right after the first ``k`` updates."""
        if k == 0:
            return Scaling(*self.start.scaling)
        entries = self.entries
        last = k - 1
        folds = int(entries.folds[last])
        folds_before = int(entries.folds[last - 1]) if last else self.start.scaling[1]
        return self.end._replace(
            scale=float(entries.scale[last]),
            folds=folds,
            clock=float(entries.clock[last]) if folds == folds_before else 0.0,
            since=int(entries.t[last]) - 1,
        )

    @property
    def best(self) -> Ledger:
        """Return the ledger up to the weights that predict.

        After early stopping it ends at the best epoch, otherwise at the last update.
        """
        best = super().best
        if best is not self and self._end_of_best is not None:
            best.end = self._end_of_best
        return best

    @property
    def n_vectors(self) -> int:
        """Return the number of weight vectors: one for two classes, or one for each class."""
        return self.start.n_vectors

    def votes(self, X: Any, queries: Any, *, ties: str = "mistake") -> AnyFloatArray:
        """Return the vote on each query: every past weight vector counts with its survival time.

        For two classes, this is one number per query, positive for the second class. For more,
        there is one column per class. The cost is one product of the queries with the rows that the
        ledger names, then a walk along the updates.
        """
        support, place = np.unique(self.entries.row, return_inverse=True)
        return self.votes_of(X[support], place.astype(np.int64), queries, ties=ties)

    def votes_of(
        self,
        support_vectors: Any,
        place: npt.NDArray[np.int64],
        queries: Any,
        *,
        ties: str = "mistake",
    ) -> AnyFloatArray:
        """Return `votes` given only the mistaken rows; ``place[k]`` indexes the row of update k."""
        start = self.start
        if start.rates:
            raise ParameterError(
                "weights with rates of their own are no sum of rows and cannot vote."
            )
        survival = self.survival.astype(np.float64)
        bias_step = float(start.fit_intercept)
        entries = self.entries
        matrix = start.matrix
        bias = start.bias
        step = entries.step
        if start.is_scaled:
            # A positive scale changes no vote, so that the stored weights vote, brought to the
            # folds at the end.
            shrunk = np.ldexp(1.0, FOLD_BITS * (start.scaling[1] - self.end.folds))
            matrix = start.stored_matrix * shrunk
            bias = start.stored_bias * shrunk
            step = entries.stored_after(self.end.folds)

        is_binary = start.n_vectors == 1
        block = max(1, VOTE_BLOCK // max(1, support_vectors.shape[0]))
        out = []
        for first in range(0, queries.shape[0], block):
            part = queries[first : first + block]
            found = np.ascontiguousarray(products(part, support_vectors), np.float64)
            at_start = np.ascontiguousarray(products(part, matrix), np.float64) + bias
            if is_binary:
                votes = voting.vote_binary(
                    found,
                    place,
                    (2 * entries.y_true - 1) * step,
                    survival,
                    np.ascontiguousarray(at_start[:, 0]),
                    bias_step,
                    tie_is_positive(ties),
                )
            else:
                votes = voting.vote_classes(
                    found,
                    place,
                    entries.y_true,
                    entries.y_pred,
                    step,
                    survival,
                    at_start,
                    bias_step,
                )
            out.append(votes)
        if not out:
            return np.zeros(0 if is_binary else (0, start.n_vectors))
        return np.concatenate(out)

    def to_arrays(self) -> dict[str, Any]:
        """Return the ledger as arrays and plain numbers."""
        arrays: dict[str, Any] = {
            "start": self.start.snapshot(),
            "classes": self.classes,
            "n_examples": self.n_examples,
            "n_float32": self._n_float32,
            "average_from": self.average_from,
        }
        if self.start.is_scaled:
            arrays["end"] = self.end
        arrays.update(zip(COLUMNS, self.entries, strict=True))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Ledger:
        """Rebuild a ledger from `to_arrays`; raise InputError if no run can have made it."""
        start = Weights.from_arrays(arrays["start"])
        classes = tuple(arrays["classes"])
        entries = Entries(
            row=np.ascontiguousarray(arrays["row"], np.int64),
            y_true=np.ascontiguousarray(arrays["right"], np.int32),
            y_pred=np.ascontiguousarray(arrays["wrong"], np.int32),
            step=np.ascontiguousarray(arrays["step"], np.float64),
            t=np.ascontiguousarray(arrays["t"], np.int64),
            change=np.ascontiguousarray(arrays["change"], np.float64),
            scale=np.ascontiguousarray(arrays["scale"], np.float64),
            folds=np.ascontiguousarray(arrays["folds"], np.int64),
            clock=np.ascontiguousarray(arrays["clock"], np.float64),
        )
        if not _is_sound(entries, start, len(classes)):
            raise InputError(
                "these arrays are no ledger: their lengths differ, or they name rows or classes "
                "that cannot be."
            )
        return cls(
            start,
            classes,
            entries,
            int(arrays["n_examples"]),
            n_float32=arrays["n_float32"],
            average_from=arrays.get("average_from", 0),
            end=arrays.get("end"),
        )

    def _begin(self, X: Any, *, averaged: bool = False) -> Replay:
        start = self.start
        if not hasattr(X, "shape"):
            X = np.asarray(X, np.float64)
        weights = Weights(
            start.n_vectors,
            start.n_features,
            dtype=start.table.dtype,
            fit_intercept=start.fit_intercept,
            averaged=averaged,
            by_feature=is_sparse(X),
            rates=start.rates,
            is_scaled=start.is_scaled,
        )
        weights.set(start.stored_matrix, start.stored_bias)
        weights.scaling = start.scaling
        if start.rates:
            rates = weights.plane(RATE)
            rates.table[...] = start.plane(RATE).table
            rates.bias[...] = start.plane(RATE).bias

        # If the weights became float64, only the first updates were made in float32.
        is_mixed = self._n_float32 is not None
        rows = as_rows(X, np.float64 if is_mixed else start.table.dtype)
        if rows.n_features != start.n_features:
            raise InputError(
                f"X has shape {X.shape}, but this ledger was recorded on rows of "
                f"{start.n_features} features. Give the X that was given to fit."
            )
        refuse_missing(int(self.entries.row.max(initial=-1)), rows.n_rows)
        inspect(rows)
        float32_rows = None
        if is_mixed:
            n = int(self.entries.row[: self._n_float32].max(initial=-1)) + 1
            float32_rows = as_rows(X[:n], start.table.dtype)
            inspect(float32_rows)
        return Replay(weights, rows, float32_rows)

    def _play(self, state: Replay, start: int, stop: int, t0: int = 0) -> None:
        weights = state.weights
        entries = self.entries
        if weights.is_scaled:
            entries = entries._replace(clock=self._clocks_since(t0))
        elif t0:
            # Updates before t0 are part of the weights from the first counted example on.
            entries = entries._replace(t=np.maximum(entries.t - t0, 1))
        if state.float32_rows is not None and self._n_float32 is not None:
            end = min(stop, self._n_float32)
            replay(weights, state.float32_rows, *entries, start, end)
            if end < self._n_float32:
                return
            state.float32_rows = None
            weights.promote()
            start = end
        replay(weights, state.rows, *entries, start, stop)
        if weights.is_scaled and stop == len(self):
            weights.scaling = self.end

    def _clock_at(self, t0: int) -> tuple[float, int]:
        """Return the clock and the folds of scaled weights at the start of the average."""
        if t0 > self._start_t:
            return self.end.clock_from, self.end.folds_from
        start = Scaling(*self.start.scaling)
        return start.clock_at(self._start_t), start.folds

    def _clocks_since(self, t0: int) -> FloatArray:
        """Return the clock before each update, counted from the start of the average."""
        entries = self.entries
        clock_from, folds_from = self._clock_at(t0)
        folds_before = np.concatenate([self.start.scaling[1:2], entries.folds[:-1]])
        folds_before = folds_before[: len(entries.folds)]
        # At a fold the clock begins again, so that only what came before it has the offset.
        clock = np.where(folds_before == folds_from, entries.clock - clock_from, entries.clock)
        return np.where(entries.t <= t0, 0.0, clock)

    def _clock_at_end(self, t0: int) -> float:
        """Return the clock after all examples, counted from the start of the average."""
        clock_from, folds_from = self._clock_at(t0)
        clock = self.end.clock_at(self.n_examples)
        return clock - clock_from if self.end.folds == folds_from else clock

    def shares(self, *, mean: bool) -> FloatArray:
        """Return the coefficient of each update's row in the last scaled weights, or in their mean.

        A step is made smaller by every fold after it. In the sum of all weights it counts by the
        scales after each example from its own on.
        """
        entries = self.entries
        folds = self.end.folds
        if not mean:
            return entries.stored_after(folds) * self.end.scale
        t0 = max(self._start_t, self.average_from)
        clocks = self._clocks_since(t0)
        folds_before = np.concatenate([self.start.scaling[1:2], entries.folds[:-1]])
        found = np.empty(len(entries.folds))
        # Backwards: how much one stored unit adds to the sum from here to the end.
        to_come = 0.0
        clock_of_end = self._clock_at_end(t0)
        for k in range(len(found) - 1, -1, -1):
            folded = int(entries.folds[k] - folds_before[k])
            own = 0.0 if folded else float(clocks[k])
            found[k] = to_come + clock_of_end - own
            if folded:
                to_come = (to_come + clock_of_end) * 2.0 ** (-FOLD_BITS * folded)
                clock_of_end = float(clocks[k])
        return entries.step * found / max(self.n_examples - t0, 1)

    def _weights(self, state: Replay) -> tuple[AnyFloatArray, AnyFloatArray]:
        return state.weights.matrix.copy(), state.weights.bias.copy()

    def _average(self, state: Replay) -> tuple[AnyFloatArray, AnyFloatArray]:
        weights = state.weights
        t0 = max(self._start_t, self.average_from)
        weights.t = self.n_examples - t0
        if weights.is_scaled:
            clock = self._clock_at_end(t0)
            weights.scaling = self.end._replace(clock=clock, since=weights.t)
        return weights.average()


def _is_sound(entries: Entries, start: Weights, n_classes: int) -> bool:
    """Return whether entries are consistent with a run that began with the weights ``start``."""
    names = columns_of(with_rates=start.rates is not None, with_scales=start.is_scaled)
    lengths = {len(entries[COLUMNS.index(name)]) for name in names}
    n_vectors = (1, n_classes) if n_classes <= 2 else (n_classes,)
    conditions = (
        len(lengths) == 1,
        start.n_vectors in n_vectors,
        ((entries.y_true >= 0) & (entries.y_true < n_classes)).all(),
        ((entries.y_pred >= -1) & (entries.y_pred < n_classes)).all(),
        (entries.row >= 0).all(),
        np.isfinite(entries.step).all(),
        np.isfinite(entries.change).all(),
        ((entries.scale > 0.0) & (entries.scale <= 1.0)).all(),
        np.isfinite(entries.clock).all(),
        (np.diff(entries.folds, prepend=start.scaling[1]) >= 0).all(),
    )
    return all(conditions)
