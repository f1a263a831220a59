"""Kernel models: support rows, their coefficients, and the updates behind them.

    f_c(x) = Σ_s a_cs K(x_s, x)        one function for two classes, otherwise one for each class

Every mistake adds 1 or -1 to a coefficient, times the weight of its row. The updates in their order
are therefore the model: the average and the votes of all its earlier states follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, FloatArray, Int32Array, IntArray, Scorer, Table
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.engine.rows import voting
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError
from rosenblatt.models.kernel_functions import (
    DenseSupport,
    Kernel,
    KernelTable,
    SparseSupport,
    support_for,
    widened,
)
from rosenblatt.models.means import added_to_sum, mean_of
from rosenblatt.models.model import Model, ModelSnapshot, Snapshot
from rosenblatt.models.recording import Entries, Recorder, survival_times

# Settings that cannot change while a model learns.
SETTINGS = ("kernel", "degree", "gamma", "coef0", "multiclass", "budget", "forget")
SHAPES = {"ovr": blocks.EACH, "argmax": blocks.AGAINST}
# Support rows and queries are multiplied in tiles that stay in the processor's cache.
TILE = 2048
QUERIES = 256
# The share of the mistakes so far that forgetting may undo (Dekel, Shalev-Shwartz and Singer).
FORGETRON_SHARE = 15.0 / 32.0


class Memory:
    """State of the forgetting policies between rows.

    Attributes
    ----------
    age : ndarray
        The index of the example at which each support row was added.
    own : ndarray
        The kernel K(x, x) of each support row with itself.
    mistakes, damage : int, float
        For the Forgetron: mistakes made by all functions, and damage done by forgetting.
    inverse : ndarray
        For projections: the inverse of the kernel among the support rows. It is replaced and never
        changed, so that copies may share it.
    """

    def __init__(self, seed: int) -> None:
        self.age = np.zeros(0, np.int64)
        self.own = np.zeros(0)
        self.random = np.random.default_rng(seed)
        self.mistakes = 0
        self.damage = 0.0
        self.inverse = np.zeros((0, 0))

    def copy(self) -> Memory:
        """Return an independent copy."""
        twin = copy(self)
        twin.age = self.age.copy()
        twin.own = self.own.copy()
        twin.random = np.random.default_rng()
        twin.random.bit_generator.state = self.random.bit_generator.state
        return twin


class KernelModel(Model["tuple[int, int] | KernelModel"]):
    """State of a kernel learner: classes, support rows, and a row of coefficients per function.

    After early stopping, ``best`` holds the numbers of updates and examples of the best state or,
    without a ledger, a copy of the model in that state.
    """

    recorder: Recorder | None

    def __init__(
        self, settings: Mapping[str, Any], n_features: int, classes: list[Any], seed: int
    ) -> None:
        super().__init__(classes, seed)
        self.t = 0
        self.settings = dict(settings)
        self.n_features = n_features
        self.kernel = Kernel.of(settings)
        self.multiclass: str = settings["multiclass"]
        self.support: DenseSupport | SparseSupport | None = None
        n_functions = 1 if len(self.classes) <= 2 else len(self.classes)
        self.coef = np.zeros((n_functions, 0))
        self.running_sum = np.zeros((n_functions, 0))
        # The number of the example that each support row was.
        self.numbers = np.zeros(0, np.int64)
        # With a budget, support rows are replaced, so that updates could not be replayed.
        self.recorder = Recorder() if settings["budget"] is None else None
        self.forgetting: Memory | None = None

    @property
    def n_vectors(self) -> int:
        """Return the number of functions: one for two classes, or one for each class."""
        return len(self.coef)

    @property
    def n_support(self) -> int:
        """Return the number of support rows."""
        return 0 if self.support is None else self.support.n

    @property
    def shape(self) -> int:
        """Return the multiclass scheme: ONE (two classes), EACH (one-vs-rest), AGAINST (argmax)."""
        return blocks.ONE if self.n_vectors == 1 else SHAPES[self.multiclass]

    @property
    def served(self) -> KernelModel:
        """Return the model that predicts: the copy kept as the best, or this model."""
        return self.best if isinstance(self.best, KernelModel) else self

    # ------------------------------------------------------------------ copies

    def copy(self) -> Self:
        """Return an independent copy that can learn."""
        twin = super().copy()
        if self.support is not None:
            twin.support = self.support.copy()
        twin.coef = self.coef.copy()
        twin.running_sum = self.running_sum.copy()
        twin.numbers = self.numbers.copy()
        if self.forgetting is not None:
            twin.forgetting = self.forgetting.copy()
        return twin

    def without_updates(self) -> KernelModel:
        """Return a model with the same support rows, coefficients of 0 and no recorder."""
        twin = copy(self)
        twin.recorder = None
        twin.best = None
        twin.coef = np.zeros_like(self.coef)
        twin.running_sum = np.zeros_like(self.running_sum)
        return twin

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the present state; raise SlimModelError for a slim model."""
        self.refuse_slim()
        if self.recorder is None:
            # Without a ledger there is a budget, and support rows may be replaced.
            return super().snapshot()
        return GrowthSnapshot(self)

    def state(self) -> tuple[int, int] | KernelModel:
        """Return the present state in the form of ``best``."""
        if self.recorder is None:
            return self.copy()
        return len(self.recorder.entries.row), self.t

    # ------------------------------------------------------------------ learning

    def widen(self, n_features: int) -> None:
        """Add new features, which are 0 in all support rows so far."""
        if n_features > self.n_features and self.support is not None:
            self.support = widened(self.support, n_features)
        self.n_features = n_features

    def settle_gamma(
        self,
        X: Table,
        weights: FloatArray | None,
        subset: IntArray | None = None,
        *,
        streamed: bool = False,
    ) -> None:
        """Measure gamma on the first training rows if the settings leave it open."""
        if self.settings["gamma"] is not None or not self.kernel.has_gamma:
            return
        if subset is None:
            is_counted = np.ones(X.shape[0], bool)
        else:
            is_counted = np.zeros(X.shape[0], bool)
            is_counted[subset] = True
        if weights is not None:
            is_counted &= weights > 0.0
        gamma = self.kernel.measured_gamma(X, is_counted, streamed=streamed)
        self.settings = {**self.settings, "gamma": gamma}
        self.kernel = Kernel.of(self.settings)

    def append(self, rows: Table, numbers: IntArray) -> IntArray:
        """Append support rows with coefficients of 0; return their slots."""
        if self.support is None:
            self.support = support_for(rows)
        first = self.support.n
        self.support.append(rows)
        zeros = np.zeros((self.n_vectors, len(numbers)))
        self.coef = np.concatenate([self.coef, zeros], axis=1)
        self.running_sum = np.concatenate([self.running_sum, zeros], axis=1)
        self.numbers = np.concatenate([self.numbers, numbers])
        return np.arange(first, self.support.n)

    def moves(
        self, entries: Entries
    ) -> Iterator[tuple[Int32Array, slice | npt.NDArray[np.bool_], FloatArray]]:
        """Yield the updates by function: function indices, the updates concerned, signed steps."""
        all_updates = slice(None)
        if self.shape == blocks.ONE:
            # The one function rises for the second class and falls for the first.
            function = np.zeros(len(entries.row), np.int32)
            yield function, all_updates, (2 * entries.y_true - 1) * entries.step
        elif self.shape == blocks.EACH:
            # An update moves one function: that of the wrong class down, or the right one up.
            lowers = entries.y_pred >= 0
            function = np.where(lowers, entries.y_pred, entries.y_true)
            yield function, all_updates, np.where(lowers, -1.0, 1.0) * entries.step
        else:
            yield entries.y_true, all_updates, entries.step
            lowers = entries.y_pred >= 0
            yield entries.y_pred[lowers], lowers, -entries.step[lowers]

    def add(self, entries: Entries) -> None:
        """Apply and record updates, whose ``row`` is the slot of a support row."""
        for function, updates, step in self.moves(entries):
            places = (function, entries.row[updates])
            np.add.at(self.coef, places, step)
            np.add.at(self.running_sum, places, added_to_sum(step, entries.t[updates]))
        if self.recorder is not None:
            self.recorder.add(entries)

    # ------------------------------------------------------------------ classes

    def _add_class(self) -> None:
        zeros = np.zeros((1, self.coef.shape[1]))
        self.coef = np.vstack([self.coef, zeros])
        self.running_sum = np.vstack([self.running_sum, zeros])

    def _split(self) -> None:
        by_class = self.multiclass == "ovr"
        # One against the rest, both functions keep the whole margin; against each other, half each.
        share = 1.0 if by_class else 0.5
        self.coef = _mirrored(self.coef, share)
        self.running_sum = _mirrored(self.running_sum, share)
        if self.recorder is None:
            return

        old = self.recorder.entries
        self.recorder = Recorder()
        if not by_class:
            self.recorder.add(old._replace(step=share * old.step))
            return
        # An update of one function becomes one of each: the right class up, the wrong one down.
        none = np.full(len(old.row), -1, np.int32)
        up_and_down = Entries(
            row=np.repeat(old.row, 2),
            y_true=np.repeat(old.y_true, 2),
            y_pred=np.stack([none, old.y_pred], axis=1).ravel(),
            step=np.repeat(old.step, 2),
            t=np.repeat(old.t, 2),
        )
        self.recorder.add(up_and_down)

    # ------------------------------------------------------------------ what counts

    def entries(self) -> Entries:
        """Return the updates behind the predicting state, in order; ``row`` is a support slot."""
        assert self.recorder is not None
        entries = self.recorder.entries
        if self.best is None:
            return entries
        n_updates, _ = self._counted()
        return entries.first(n_updates)

    @property
    def n_examples(self) -> int:
        """Return the number of examples that the state that predicts has seen."""
        if self.best is None:
            return self.t
        _, n_examples = self._counted()
        return n_examples

    def _counted(self) -> tuple[int, int]:
        assert isinstance(self.best, tuple)
        return self.best

    def average(self, n_examples: int) -> FloatArray:
        """Return the mean of the coefficients over ``n_examples`` examples."""
        return mean_of(self.coef, self.running_sum, n_examples)

    def coefficients(self, combine: str) -> FloatArray:
        """Return the predicting coefficients: the mean if ``combine`` is "average", or the last."""
        state = self
        if self.best is not None:
            state = self.without_updates()
            state.add(self.entries())
        if combine != "average":
            return state.coef
        return state.average(self.n_examples)

    def survival(self, function: int) -> tuple[Entries, FloatArray, FloatArray]:
        """Return the updates of one function, their steps, and the survival time of each state."""
        entries = self.entries()
        found_places = []
        found_steps = []
        for functions, updates, step in self.moves(entries):
            mine = np.flatnonzero(functions == function)
            found_places.append(np.arange(len(entries.row))[updates][mine])
            found_steps.append(step[mine])
        places = np.concatenate(found_places)
        steps = np.concatenate(found_steps)
        order = np.argsort(places, kind="stable")

        own = entries.at(places[order])
        survived = survival_times(own.t, self.n_examples).astype(np.float64)
        return own, steps[order], survived

    # ------------------------------------------------------------------ scoring

    def weigh(self, queries: Table, coef: FloatArray, slots: IntArray | None = None) -> FloatArray:
        """Return the scores Σ_s coef_cs K(x_s, q), of shape (functions, queries).

        The columns of ``coef`` belong to ``slots``, by default to all support rows.
        """
        out = np.zeros((len(coef), queries.shape[0]))
        n = self.n_support if slots is None else len(slots)
        for first in range(0, n, TILE):
            part = slice(first, first + TILE)
            assert self.support is not None
            rows = self.support.take(part if slots is None else slots[part])
            products = self.kernel.between(rows, queries)
            # An overflow is found in the scores, with the row that it happened for.
            with np.errstate(over="ignore", invalid="ignore"):
                out += coef[:, part].astype(products.dtype) @ products
        return out

    def scorer(self, X: KernelTable, combine: str, *, tie_is_positive: bool = False) -> Scorer:
        """Return a function from a slice of ``X`` to scores, (n,) or (n, classes).

        The scores have one dimension for two classes.
        """
        if combine == "vote":
            voter = self.voter(X, tie_is_positive=tie_is_positive)
            n = max(self.n_examples, 1)
            return lambda some: np.asarray(voter(some) / n)
        coef = self.coefficients(combine)
        return self._in_tiles(X, QUERIES, lambda queries: self.weigh(queries, coef))

    def voter(self, X: KernelTable, *, tie_is_positive: bool = False) -> Scorer:
        """Return a function from a slice of ``X`` to the votes of all states on these rows.

        A state votes once for each example that it survived.
        """
        # The products of all support rows with a tile of queries are kept, unlike those of a score.
        step = max(1, min(QUERIES, 4 * TILE * QUERIES // max(self.n_support, 1)))
        if self.shape == blocks.AGAINST:
            return self._in_tiles(X, step, self._votes_against())
        return self._in_tiles(X, step, self._votes_of_each(tie_is_positive))

    def _in_tiles(self, X: KernelTable, step: int, ask: Callable[[Table], FloatArray]) -> Scorer:
        """Return a function that calls ``ask`` on a few rows at a time, and raises on overflow."""

        def score(some: slice) -> FloatArray:
            out = np.empty((self.n_vectors, some.stop - some.start))
            for first in range(some.start, some.stop, step):
                place = first - some.start
                queries = X[first : min(first + step, some.stop)]
                out[:, place : place + step] = ask(queries)
            refuse_overflow(out, np.arange(some.start, some.stop))
            if len(out) == 1:
                return np.asarray(out[0])
            return np.ascontiguousarray(out.T)

        return score

    def _votes_of_each(self, tie_is_positive: bool) -> Callable[[Table], FloatArray]:
        """Return a function from queries to votes; the states of each function vote separately."""
        lives = [self.survival(function) for function in range(self.n_vectors)]

        def votes(queries: Table) -> FloatArray:
            products = self._products(queries)
            found = [
                voting.votes_of_one(products, own.row, steps, survived, tie_is_positive)
                for own, steps, survived in lives
            ]
            return np.stack(found)

        return votes

    def _votes_against(self) -> Callable[[Table], FloatArray]:
        """Return a function from queries to votes; each state votes for its best class."""
        entries = self.entries()
        survived = survival_times(entries.t, self.n_examples).astype(np.float64)

        def votes(queries: Table) -> FloatArray:
            products = np.ascontiguousarray(self._products(queries).T, np.float64)
            start = np.zeros((queries.shape[0], self.n_vectors))
            found = voting.vote_classes(products, *entries[:4], survived, start, 0.0)
            return np.asarray(found.T)

        return votes

    def _products(self, queries: Table) -> AnyArray:
        """Return the kernel matrix of the support rows and the queries."""
        if self.support is None:
            return np.zeros((0, queries.shape[0]))
        return np.ascontiguousarray(self.kernel.between(self.support.rows, queries))


def _mirrored(values: FloatArray, share: float) -> FloatArray:
    """Split one function into two, with ``-share`` and ``share`` times its values."""
    # Subtracted from 0, so that a 0 does not become a negative zero.
    return np.vstack([0.0 - share * values, share * values])


def overflow_error(row: int) -> InputError:
    """Return the error for a row whose kernel overflows."""
    return InputError(
        f"the kernel of row {row} with the support rows is too large for its type. Scale the "
        "features (sklearn.preprocessing.StandardScaler), lower gamma, degree or sample_weight, or "
        "pass float64."
    )


def refuse_overflow(scores: FloatArray, numbers: IntArray) -> None:
    """Raise InputError if a score is not finite; the columns belong to the rows in ``numbers``."""
    is_finite = np.isfinite(scores)
    if not is_finite.all():
        first = int(np.flatnonzero(~is_finite.all(axis=0))[0])
        raise overflow_error(int(numbers[first]))


def refuse_large(coef: FloatArray, numbers: IntArray) -> None:
    """Raise InputError if a coefficient is too large for a file; the error names the last row."""
    if not (np.abs(coef) <= FLOAT64_LIMIT).all():
        raise overflow_error(int(numbers[-1]))


class GrowthSnapshot(ModelSnapshot[KernelModel]):
    """Snapshot of a kernel model whose support rows are only ever appended.

    Learning only appends rows, so that restoring cuts them off and nothing large is copied.
    """

    def __init__(self, model: KernelModel) -> None:
        kept = copy(model)
        kept._name_classes(model.classes)
        if model.recorder is not None:
            kept.recorder = model.recorder.copy()
        super().__init__(model, kept)
        self._n_rows = model.n_support

    def restore(self) -> None:
        """Remove the support rows appended since, and restore everything else."""
        super().restore()
        if self._model.support is not None:
            self._model.support.truncate(self._n_rows)
