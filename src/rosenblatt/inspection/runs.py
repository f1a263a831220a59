"""Replay of a recorded run: weights, scores and margins at each update.

Pictures, the studio and the theory compute these from a ledger and its rows with the classes in
this file. A linear run has weights, a kernel run has coefficients of the mistaken rows; both have
scores, margins and survival times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray, SparseRows, is_sparse
from rosenblatt.errors import InputError, NoLedgerError
from rosenblatt.models.classes import best_classes, has_tie, tie_is_positive
from rosenblatt.models.ledger import BaseLedger, Ledger
from rosenblatt.models.recording import Entries, refuse_missing
from rosenblatt.models.rows import as_rows, inspect, scores

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray, Table
    from rosenblatt.models.kernel_functions import Kernel


class Visit(NamedTuple):
    """One example of a run.

    ``t`` counts the examples from 1, ``n_before`` is the number of updates before this one, and
    ``is_update`` is True if the example led to an update.
    """

    t: int
    row: int
    n_before: int
    is_update: bool


class Move(NamedTuple):
    """Effect of one update on the quantities of the convergence proof.

    ``margin`` is that of the row before the update, ``forward`` the growth of u·w, and ``growth``
    the growth of ‖w‖².
    """

    margin: float
    forward: float
    growth: float


def ledger_of(model: Any) -> Any:
    """Return the ledger of a fitted learner; a ledger is returned unchanged."""
    if isinstance(model, BaseLedger):
        return model
    try:
        return model.ledger_
    except NoLedgerError:
        raise
    except AttributeError as error:
        raise InputError(f"a {type(model).__name__} has no ledger: {error}.") from None


def prediction(
    classes: Sequence[Hashable], scores: Sequence[float] | AnyFloatArray, ties: str
) -> Any:
    """Return the class with the highest score; None for a tie, unless ``ties="positive"``."""
    # With two classes there is one score, that of the second class against 0.
    per_class = np.asarray([0.0, scores[0]] if len(scores) == 1 else scores)
    if has_tie(per_class) and not tie_is_positive(ties):
        return None
    return classes[best_classes(per_class[None], ties)[0]]


def run_of(model: Any, X: Any, upto: int | None = None) -> Run:
    """Return the run of a fitted learner or ledger, with all updates or the first ``upto``.

    ``X`` holds the rows that the learner was fitted on.
    """
    ledger = ledger_of(model)
    if isinstance(ledger, Ledger):
        return LinearRun(ledger, X, upto)
    from rosenblatt.models.kernel_functions import Kernel

    settings = ledger.settings
    kernel = Kernel.of(settings)
    is_one_vs_rest = settings["multiclass"] == "ovr"
    return KernelRun(ledger, X, upto, kernel=kernel, one_vs_rest=is_one_vs_rest)


def finite_rows(X: Any) -> Table:
    """Return X as a 2-D float array or as sparse rows; raise if a value is not finite."""
    table: Table
    if is_sparse(X):
        table = SparseRows.of(X)
    else:
        # Lists have no dtype; float32 stays float32, everything else becomes float64.
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        try:
            table = np.ascontiguousarray(X, dtype)
        except (TypeError, ValueError):
            raise InputError("X must be a table of numbers.") from None
    if table.ndim != 2:
        raise InputError(f"X has {table.ndim} dimensions; a table of rows has 2.")
    inspect(as_rows(table))
    return table


class Run(ABC):
    """The updates of a ledger together with their rows; base of linear and kernel runs.

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
        """Number of scores per example: one with two classes, otherwise one per class."""
        n_classes = len(self.ledger.classes)
        return 1 if n_classes <= 2 else n_classes

    @property
    def n_examples(self) -> int:
        """Number of examples seen, up to the first update that is left out."""
        return int(self.ledger.n_examples)

    @property
    def first_example(self) -> int:
        """Number of examples seen before the run began."""
        return self.n_examples - int(self.survival.sum())

    @property
    def survival(self) -> npt.NDArray[np.int64]:
        """Number of examples that the start and the state after each update survived."""
        return np.asarray(self.ledger.survival)

    @property
    def _first_of_example(self) -> npt.NDArray[np.intp]:
        """Index of the first update of the same example, for each update.

        All updates of an example are decided by its score before the first of them.
        """
        return np.searchsorted(self.entries.t, self.entries.t)

    @property
    @abstractmethod
    def scores(self) -> FloatArray:
        """Score of each example before its update: one number, or one per class."""

    @abstractmethod
    def values(self, at: int, queries: Table) -> FloatArray:
        """Return the scores of rows after ``at`` updates: one number per row, or one per class."""

    @property
    def margins(self) -> FloatArray:
        """Margin of each example before its update.

        With two classes it is y·score, otherwise the score of the right class minus that of the
        class that the update lowered, or minus 0 if it lowered none.
        """
        right = self.entries.y_true
        wrong = self.entries.y_pred
        if self.n_vectors == 1:
            return np.asarray((2 * right - 1) * self.scores)
        index = np.arange(len(self))
        rival = np.where(wrong < 0, 0.0, self.scores[index, wrong])
        return np.asarray(self.scores[index, right] - rival)

    def visits(self, each: str) -> list[Visit]:
        """Return the visits of all updates, or of all examples if ``each`` is "example".

        A ledger records updates only. The examples between them are known if the rows were taken
        in order, without shuffling and without held-out rows; otherwise an error is raised.
        """
        n_rows = self.X.shape[0]
        rows = self.entries.row.tolist()
        times = self.entries.t.tolist()
        refuse_missing(max(rows, default=-1), n_rows)
        if checks.choice("each", each, "update", "example") == "update":
            paired = enumerate(zip(times, rows, strict=True))
            return [Visit(t, row, k, True) for k, (t, row) in paired]

        first = self.first_example
        n_seen = self.n_examples - first
        is_in_order = all(
            (t - 1 - first) % n_rows == row for t, row in zip(times, rows, strict=True)
        )
        # With held-out rows an epoch has fewer examples than there are rows.
        has_broken_epoch = n_seen > n_rows and n_seen % n_rows != 0
        if not is_in_order or has_broken_epoch:
            raise InputError(
                "the ledger keeps the order of the updates, not of all examples, and these rows "
                "were not all taken one after the other; fit with shuffle=False and without rows "
                "held back (early_stopping), or show each='update'."
            )
        update_times = set(times)
        visits = []
        n_updates = 0
        for t in range(first + 1, self.n_examples + 1):
            is_update = t in update_times
            visits.append(Visit(t, (t - 1 - first) % n_rows, n_updates, is_update))
            if is_update:
                n_updates += 1
        return visits


class LinearRun(Run):
    """A run of weight vectors, replayed to the last bit.

    The weights of `Pegasos` also shrink between two updates. Here each state holds the weights
    right after its update, and the last state those at the end of the run.
    """

    ledger: Ledger

    @property
    def n_vectors(self) -> int:
        return self.ledger.n_vectors

    @cached_property
    def start(self) -> AnyFloatArray:
        """Weights at the start: one row per vector, the bias last if there is one."""
        coef, bias = self.ledger.replay(self.X, upto=0)
        has_bias = self.ledger.to_arrays()["start"]["fit_intercept"]
        return np.column_stack([coef, bias]) if has_bias else coef

    def states(self, places: Iterable[int]) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Return weights and biases after the given numbers of updates, in one replay."""
        wanted = set(places)
        found: dict[int, tuple[FloatArray, FloatArray]] = {}
        if not wanted:
            return found

        last = max(wanted)
        for at, (W, b) in enumerate(self.ledger.trace(self.X)):
            if at in wanted:
                found[at] = (np.asarray(W, np.float64), np.asarray(b, np.float64))
            if at >= last:
                break
        return found

    @cached_property
    def weights(self) -> FloatArray:
        """Weight vectors before the first and after every update, the bias last in each."""
        found = self.states(range(len(self) + 1))
        return np.array([np.column_stack(found[at]) for at in range(len(self) + 1)])

    @cached_property
    def averages(self) -> FloatArray:
        """Averaged weights before the first and after every update, shaped like `weights`.

        Each is the mean over all examples before the next update. As long as averaging has not
        begun, the weights themselves take the place of their mean.
        """
        ends = np.cumsum(self.survival) + self.first_example
        starts = np.append(self.first_example, ends[:-1])

        # Number of averaged examples that each state survived.
        begin = self.ledger.average_from
        counts = np.maximum(ends, begin) - np.maximum(starts, begin)
        weight = counts.reshape(-1, 1, 1)
        n_averaged = np.cumsum(counts).reshape(-1, 1, 1)

        total = np.cumsum(weight * self.weights, axis=0)
        mean = np.where(n_averaged == 0, self.weights, total / np.maximum(n_averaged, 1))
        # The last mean is the one that predicts: taken from the replay, to its last bit.
        mean[-1] = np.column_stack(self.ledger.average(self.X))
        return mean

    @cached_property
    def scores(self) -> FloatArray:
        weights_before = self.weights[self._first_of_example]
        found = [
            scores(self.X[row : row + 1], weights[:, :-1], weights[:, -1])[0]
            for row, weights in zip(self.entries.row.tolist(), weights_before, strict=True)
        ]
        return np.array(found, np.float64)

    def values(self, at: int, queries: Table) -> FloatArray:
        weights = self.weights[at]
        return scores(queries, weights[:, :-1], weights[:, -1])

    def votes(self, at: int, queries: Table, *, ties: str = "mistake") -> FloatArray:
        """Return the votes of the states up to ``at`` updates, weighted by survival time."""
        return np.asarray(self.ledger.upto(at).votes(self.X, queries, ties=ties))

    def moves(self, u: FloatArray | None = None) -> Iterator[Move]:
        """Yield the effect of each update, at a cost proportional to the values it changes."""
        if self.ledger.start.rates or self.ledger.start.is_scaled:
            yield from self._moves_of_all_weights(u)
            return

        w = self.start.copy()
        number = w.dtype.type
        stored = _stored_values(self.X, w)
        entries = self.entries
        columns = (entries.row, entries.y_true, entries.y_pred, entries.step)
        for row, right, wrong, step in zip(*(column.tolist() for column in columns), strict=True):
            at, x = stored(row)

            # Which vectors move, and with which sign.
            parts: tuple[tuple[int, int], ...]
            if len(w) == 1:
                parts = ((0, 2 * right - 1),)
            elif wrong < 0:
                parts = ((right, 1),)
            else:
                parts = ((wrong, -1), (right, 1))

            margin = 0.0
            forward = 0.0
            growth = 0.0
            for c, sign in parts:
                before = w[c, at].astype(np.float64)
                w[c, at] += number(sign * step) * x
                after = w[c, at].astype(np.float64)
                margin += sign * float(before @ x)
                # ‖after‖² - ‖before‖² = (after - before)·(after + before)
                growth += float((after - before) @ (after + before))
                if u is not None:
                    forward += float(u[c, at] @ (after - before))
            yield Move(margin, forward, growth)

    def _moves_of_all_weights(self, u: FloatArray | None) -> Iterator[Move]:
        """Yield the effect of each update of a rule that scales w or has a rate for each weight."""
        pairs = zip(self.margins, self.weights, self.weights[1:], strict=False)
        for margin, before, after in pairs:
            change = after - before
            forward = 0.0 if u is None else float(np.sum(u * change[:, : u.shape[1]]))
            growth = float(np.sum(change * (after + before)))
            yield Move(float(margin), forward, growth)


class KernelRun(Run):
    """A run of ``f_c(x) = Σ a_cs K(x_s, x)`` over the mistaken rows s.

    With ``one_vs_rest`` each class is separated from all others: an update moves one function.
    """

    def __init__(
        self,
        ledger: Any,
        X: Any,
        upto: int | None = None,
        *,
        kernel: Kernel,
        one_vs_rest: bool = False,
    ) -> None:
        super().__init__(ledger, X, upto)
        self.kernel = kernel
        self._one_vs_rest = one_vs_rest

    @cached_property
    def steps(self) -> FloatArray:
        """Change of the mistaken row's coefficients by each update: one row per update."""
        right = self.entries.y_true
        wrong = self.entries.y_pred
        step = self.entries.step
        if self.n_vectors == 1:
            return np.asarray(((2 * right - 1) * step)[:, None])
        added = np.zeros((len(self), self.n_vectors))
        index = np.arange(len(self))
        is_lowered = wrong >= 0
        is_raised = ~is_lowered if self._one_vs_rest else np.ones(len(self), bool)
        added[index[is_raised], right[is_raised]] += step[is_raised]
        added[index[is_lowered], wrong[is_lowered]] -= step[is_lowered]
        return added

    def coefficients(self, at: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return the support rows after ``at`` updates and their coefficients, one row each."""
        support, place = np.unique(self.entries.row[:at], return_inverse=True)
        coefficients = np.zeros((len(support), self.n_vectors))
        np.add.at(coefficients, place, self.steps[:at])
        return support, coefficients

    @cached_property
    def scores(self) -> FloatArray:
        support, place = np.unique(self.entries.row, return_inverse=True)
        rows = self.X[support]
        gram = np.asarray(self.kernel.between(rows, rows), np.float64)

        coefficients = np.zeros((len(support), self.n_vectors))
        found = np.zeros((len(self), self.n_vectors))
        first = self._first_of_example
        for k, (here, change) in enumerate(zip(place, self.steps, strict=True)):
            if first[k] == k:
                found[k] = gram[here] @ coefficients
            else:
                # Later updates of the same example were decided by the same score.
                found[k] = found[first[k]]
            coefficients[here] += change
        return found[:, 0] if self.n_vectors == 1 else found

    def values(self, at: int, queries: Table) -> FloatArray:
        support, coefficients = self.coefficients(at)
        gram = np.asarray(self.kernel.between(self.X[support], queries), np.float64)
        found = gram.T @ coefficients
        return found[:, 0] if self.n_vectors == 1 else found


def _stored_values(
    table: Table, w: AnyFloatArray
) -> Callable[[int], tuple[AnyArray | slice, AnyArray]]:
    """Return a function from a row index to the row's columns and values, the bias included."""
    # A column of ones for the bias, or none.
    one = np.ones(w.shape[1] - table.shape[1], w.dtype)

    if not is_sparse(table):
        all_columns = slice(None)
        dense = np.asarray(table, w.dtype)
        return lambda row: (all_columns, np.concatenate([dense[row], one]))

    bias_column = np.full(len(one), table.shape[1])
    starts = table.indptr
    columns = table.indices
    values = table.data.astype(w.dtype, copy=False)

    def stored(row: int) -> tuple[AnyArray, AnyArray]:
        part = slice(starts[row], starts[row + 1])
        return np.concatenate([columns[part], bias_column]), np.concatenate([values[part], one])

    return stored
