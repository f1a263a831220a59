"""A recorded run, replayed: what a learner was, scored and did at each of its updates.

Pictures, the studio and the theory ask the same things of a ledger and the rows it names, and ask
them here. A linear run has weights, a kernel run coefficients of the mistaken rows; both have
scores, margins and survival times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, SparseRows, is_sparse
from rosenblatt.core.classes import best_classes, has_tie, tie_is_positive
from rosenblatt.core.ledger import BaseLedger, Ledger
from rosenblatt.core.recording import Entries, refuse_missing
from rosenblatt.core.rows import as_rows, inspect, scores
from rosenblatt.errors import InputError, NoLedgerError


class Visit(NamedTuple):
    """One example: its number, its row, the updates made before it, whether it led to one."""

    t: int
    row: int
    n_before: int
    is_update: bool


class Move(NamedTuple):
    """What one update did: how right the row was before, what it added to u·w and to ‖w‖²."""

    margin: float
    forward: float
    growth: float


def ledger_of(model: Any) -> Any:
    """The ledger of a recorded fit, or the ledger itself."""
    if isinstance(model, BaseLedger):
        return model
    try:
        return model.ledger_
    except NoLedgerError:
        raise
    except AttributeError as error:
        raise InputError(f"a {type(model).__name__} has no ledger: {error}.") from None


def prediction(classes: Sequence[Any], scores: Any, ties: str) -> Any:
    """The class of the highest score; None at a tie that no class is known to win."""
    scores = np.array([0.0, scores[0]]) if len(scores) == 1 else np.asarray(scores)
    if has_tie(scores) and not tie_is_positive(ties):
        return None
    return classes[best_classes(scores[None], ties)[0]]


def run_of(model: Any, X: Any, upto: int | None = None) -> Run:
    """The first ``upto`` updates of a fitted learner, all by default; ``X`` is that of fit."""
    ledger = ledger_of(model)
    if isinstance(ledger, Ledger):
        return LinearRun(ledger, X, upto)
    from rosenblatt.kernel.functions import Kernel

    settings = ledger.settings
    kernel = Kernel.of(settings)
    return KernelRun(ledger, X, upto, kernel=kernel, one_by_one=settings["multiclass"] == "ovr")


def finite_rows(X: Any) -> Any:
    """X as a 2-D array of floats or as sparse rows, all values finite."""
    table: Any
    if is_sparse(X):
        table = SparseRows.of(X)
    else:
        kept = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        try:
            table = np.ascontiguousarray(X, kept)
        except (TypeError, ValueError):
            raise InputError("X must be a table of numbers.") from None
    if table.ndim != 2:
        raise InputError(f"X has {table.ndim} dimensions; a table of rows has 2.")
    inspect(as_rows(table))
    return table


class Run(ABC):
    """The updates of a ledger beside the rows it names; what every family has.

    ``at`` always counts updates: 0 is the start, ``len(run)`` the end.
    """

    def __init__(self, ledger: Any, X: Any, upto: int | None = None) -> None:
        self.ledger = ledger if upto is None else ledger.upto(upto)
        self.entries: Entries = self.ledger.entries
        self.X = X

    def __len__(self) -> int:
        return len(self.entries.row)

    @property
    def n_vectors(self) -> int:
        """How many scores an example has: one for two classes, else one for each class."""
        return 1 if len(self.ledger.classes) <= 2 else len(self.ledger.classes)

    @property
    def n_examples(self) -> int:
        """Examples seen, up to the first update that is left out."""
        return int(self.ledger.n_examples)

    @property
    def first_example(self) -> int:
        """Examples that were seen before the run began."""
        return self.n_examples - int(self.survival.sum())

    @property
    def survival(self) -> npt.NDArray[np.int64]:
        """How many examples the start and each later state lived."""
        return np.asarray(self.ledger.survival)

    @property
    def _first_of_example(self) -> npt.NDArray[np.intp]:
        """For each update the first one of its example, whose score decided all of them."""
        return np.searchsorted(self.entries.t, self.entries.t)

    @property
    @abstractmethod
    def scores(self) -> FloatArray:
        """What each example scored before its update: one number, or one for each class."""

    @abstractmethod
    def values(self, at: int, queries: Any) -> FloatArray:
        """What rows score after ``at`` updates: one number each, or one for each class."""

    @property
    def margins(self) -> FloatArray:
        """How far the right class was ahead before each update: y·score of two classes, else over
        the class that was lowered; its own score where it was raised alone."""
        right, wrong = self.entries.y_true, self.entries.y_pred
        if self.n_vectors == 1:
            return np.asarray((2 * right - 1) * self.scores)
        index = np.arange(len(self))
        rival = np.where(wrong < 0, 0.0, self.scores[index, wrong])
        return np.asarray(self.scores[index, right] - rival)

    def visits(self, each: str) -> list[Visit]:
        """Every update, or every example; of those the ledger must tell the order."""
        n_rows = self.X.shape[0]
        rows, times = self.entries.row.tolist(), self.entries.t.tolist()
        refuse_missing(max(rows, default=-1), n_rows)
        if checks.choice("each", each, "update", "example") == "update":
            paired = enumerate(zip(times, rows, strict=True))
            return [Visit(t, row, k, True) for k, (t, row) in paired]
        first = self.first_example
        seen = self.n_examples - first
        in_order = all((t - 1 - first) % n_rows == row for t, row in zip(times, rows, strict=True))
        # With rows held back an epoch has fewer examples than there are rows.
        if not in_order or (seen > n_rows and seen % n_rows):
            raise InputError(
                "the ledger keeps the order of the updates, not of all examples, and these rows "
                "were not all taken one after the other; fit with shuffle=False and without rows "
                "held back (early_stopping), or show each='update'."
            )
        updates = set(times)
        visits, done = [], 0
        for t in range(first + 1, self.n_examples + 1):
            visits.append(Visit(t, (t - 1 - first) % n_rows, done, t in updates))
            done += t in updates
        return visits


class LinearRun(Run):
    """A run of weight vectors, replayed to the last bit.

    The weights of `Pegasos` also shrink between two updates; here they are those right after each
    update, and at the end those of then.
    """

    ledger: Ledger

    @property
    def n_vectors(self) -> int:
        return self.ledger.n_vectors

    @cached_property
    def start(self) -> npt.NDArray[Any]:
        """The weights at the start: a row for each vector, its bias at the end if it has one."""
        coef, bias = self.ledger.replay(self.X, upto=0)
        has_bias = self.ledger.to_arrays()["start"]["fit_intercept"]
        return np.column_stack([coef, bias]) if has_bias else coef

    def states(self, places: Iterable[int]) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Weights and biases after some numbers of updates, found on one way through the run."""
        wanted = set(places)
        found: dict[int, tuple[FloatArray, FloatArray]] = {}
        if wanted:
            for at, (W, b) in enumerate(self.ledger.trace(self.X)):
                if at in wanted:
                    found[at] = np.asarray(W, np.float64), np.asarray(b, np.float64)
                if at >= max(wanted):
                    break
        return found

    @cached_property
    def weights(self) -> FloatArray:
        """The vectors before the first and after every update, the bias last in each."""
        found = self.states(range(len(self) + 1))
        return np.array([np.column_stack(found[at]) for at in range(len(self) + 1)])

    @cached_property
    def averages(self) -> FloatArray:
        """As `weights`: the mean over all examples before the next update.

        Before the first example that is averaged the weights stand for it.
        """
        ends = np.cumsum(self.survival) + self.first_example
        starts = np.append(self.first_example, ends[:-1])
        lived = np.maximum(ends, (began := self.ledger.average_from)) - np.maximum(starts, began)
        lived, counted = (n.reshape(-1, 1, 1) for n in (lived, np.cumsum(lived)))
        total = np.cumsum(lived * self.weights, axis=0)
        mean = np.where(counted == 0, self.weights, total / np.maximum(counted, 1))
        mean[-1] = np.column_stack(self.ledger.average(self.X))
        return mean

    @cached_property
    def scores(self) -> FloatArray:
        before = self._first_of_example
        found = [
            scores(self.X[row : row + 1], weights[:, :-1], weights[:, -1])[0]
            for row, weights in zip(self.entries.row.tolist(), self.weights[before], strict=True)
        ]
        return np.array(found, np.float64)

    def values(self, at: int, queries: Any) -> FloatArray:
        weights = self.weights[at]
        return scores(queries, weights[:, :-1], weights[:, -1])

    def votes(self, at: int, queries: Any, *, ties: str = "mistake") -> FloatArray:
        """Votes of the states up to then, each counted as long as it survived."""
        return np.asarray(self.ledger.upto(at).votes(self.X, queries, ties=ties))

    def moves(self, u: FloatArray | None = None) -> Iterator[Move]:
        """Walk along the weights, touching what each update touches and no more."""
        if self.ledger.start.rates or self.ledger.start.is_scaled:
            yield from self._moves_by_weights(u)
            return
        w = self.start.copy()
        number = w.dtype.type
        stored = _stored_values(self.X, w)
        entries = self.entries
        columns = (entries.row, entries.y_true, entries.y_pred, entries.step)
        for row, right, wrong, step in zip(*(column.tolist() for column in columns), strict=True):
            at, x = stored(row)
            if len(w) == 1:
                parts: tuple[tuple[int, int], ...] = ((0, 2 * right - 1),)
            else:
                parts = ((right, 1),) if wrong < 0 else ((wrong, -1), (right, 1))
            margin = forward = growth = 0.0
            for c, sign in parts:
                before = w[c, at].astype(np.float64)
                w[c, at] += number(sign * step) * x
                after = w[c, at].astype(np.float64)
                margin += sign * float(before @ x)
                growth += float((after - before) @ (after + before))
                if u is not None:
                    forward += float(u[c, at] @ (after - before))
            yield Move(margin, forward, growth)

    def _moves_by_weights(self, u: FloatArray | None) -> Iterator[Move]:
        """The same where a step is no multiple of the row, or changes all weights."""
        pairs = zip(self.margins, self.weights, self.weights[1:], strict=False)
        for margin, before, after in pairs:
            forward = 0.0 if u is None else float(np.sum(u * (after - before)[:, : u.shape[1]]))
            yield Move(float(margin), forward, float(np.sum((after - before) * (after + before))))


class KernelRun(Run):
    """A run of ``f_c(x) = Σ a_cs K(x_s, x)`` over the mistaken rows s.

    With ``one_by_one`` each class is separated from all others: an update moves one function.
    """

    def __init__(
        self, ledger: Any, X: Any, upto: int | None = None, *, kernel: Any, one_by_one: bool = False
    ) -> None:
        super().__init__(ledger, X, upto)
        self.kernel = kernel
        self._one_by_one = one_by_one

    @cached_property
    def steps(self) -> FloatArray:
        """What each update added to the coefficients of its row: a row an update."""
        right, wrong, step = self.entries.y_true, self.entries.y_pred, self.entries.step
        if self.n_vectors == 1:
            return np.asarray(((2 * right - 1) * step)[:, None])
        added = np.zeros((len(self), self.n_vectors))
        index, lowered = np.arange(len(self)), wrong >= 0
        raised = ~lowered if self._one_by_one else np.ones(len(self), bool)
        added[index[raised], right[raised]] += step[raised]
        added[index[lowered], wrong[lowered]] -= step[lowered]
        return added

    def coefficients(self, at: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Rows that count after ``at`` updates, and how much: a row for each."""
        support, place = np.unique(self.entries.row[:at], return_inverse=True)
        found = np.zeros((len(support), self.n_vectors))
        np.add.at(found, place, self.steps[:at])
        return support, found

    @cached_property
    def scores(self) -> FloatArray:
        support, place = np.unique(self.entries.row, return_inverse=True)
        rows = self.X[support]
        alike = np.asarray(self.kernel.between(rows, rows), np.float64)
        coefficients = np.zeros((len(support), self.n_vectors))
        found = np.zeros((len(self), self.n_vectors))
        first = self._first_of_example
        for k, (here, added) in enumerate(zip(place, self.steps, strict=True)):
            found[k] = alike[here] @ coefficients if first[k] == k else found[first[k]]
            coefficients[here] += added
        return found[:, 0] if self.n_vectors == 1 else found

    def values(self, at: int, queries: Any) -> FloatArray:
        support, coefficients = self.coefficients(at)
        alike = np.asarray(self.kernel.between(self.X[support], queries), np.float64)
        found = alike.T @ coefficients
        return found[:, 0] if self.n_vectors == 1 else found


def _stored_values(table: Any, w: npt.NDArray[Any]) -> Callable[[int], tuple[Any, Any]]:
    """A function from a row to the places and values of what it adds to w, the bias included."""
    one = np.ones(w.shape[1] - table.shape[1], w.dtype)
    if not is_sparse(table):
        everywhere, dense = slice(None), np.asarray(table, w.dtype)
        return lambda row: (everywhere, np.concatenate([dense[row], one]))
    last = np.full(len(one), table.shape[1])
    starts, places, values = table.indptr, table.indices, table.data.astype(w.dtype, copy=False)

    def stored(row: int) -> tuple[Any, Any]:
        part = slice(starts[row], starts[row + 1])
        return np.concatenate([places[part], last]), np.concatenate([values[part], one])

    return stored
