"""A kernel model while it learns: support rows, what each counts for, and how it came to that.

    f_c(x) = Σ_s a_cs K(x_s, x)        one function for two classes, else one for each class

Every mistake adds 1 or -1 to a coefficient, times the weight of its row, so the updates in their
order are the model; the average and the votes of all its earlier states follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any, Self

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, Int32Array, IntArray, Scorer
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.engine.rows import voting
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError
from rosenblatt.models.kernel_functions import (
    DenseSupport,
    Kernel,
    SparseSupport,
    support_for,
    widened,
)
from rosenblatt.models.means import added_to_sum, mean_of
from rosenblatt.models.model import Model, ModelSnapshot, Snapshot
from rosenblatt.models.recording import Entries, Recorder

# What cannot change while a model learns on.
SETTINGS = ("kernel", "degree", "gamma", "coef0", "multiclass", "budget", "forget")
SHAPES = {"ovr": blocks.EACH, "argmax": blocks.AGAINST}
# Support rows and queries are multiplied in tiles that stay in the processor's cache.
TILE, QUERIES = 2048, 256
# A share of the mistakes so far that forgetting may undo (Dekel, Shalev-Shwartz and Singer).
FORGETRON_SHARE = 15.0 / 32.0


class Memory:
    """What the rules of forgetting have to remember between rows."""

    def __init__(self, seed: int) -> None:
        self.age = np.zeros(0, np.int64)  # when each support row came
        self.own = np.zeros(0)  # the kernel of each support row with itself
        self.random = np.random.default_rng(seed)
        # Of the Forgetron: mistakes made by all functions, and damage done by forgetting.
        self.mistakes, self.damage = 0, 0.0
        # Of the kernel among the support rows, for projections; replaced, never changed.
        self.inverse = np.zeros((0, 0))

    def copy(self) -> Memory:
        twin = copy(self)
        twin.age = self.age.copy()
        twin.own = self.own.copy()
        twin.random = np.random.default_rng()
        twin.random.bit_generator.state = self.random.bit_generator.state
        return twin


class KernelModel(Model["tuple[int, int] | KernelModel"]):
    """Classes, support rows and coefficients; a row of coefficients for each function."""

    recorder: Recorder | None

    def __init__(
        self, settings: Mapping[str, Any], n_features: int, classes: list[Any], seed: int
    ) -> None:
        super().__init__(classes, seed)
        self.t = 0
        self.settings, self.n_features = dict(settings), n_features
        self.kernel = Kernel.of(settings)
        self.multiclass: str = settings["multiclass"]
        self.support: DenseSupport | SparseSupport | None = None
        k = 1 if len(self.classes) <= 2 else len(self.classes)
        self.coef = np.zeros((k, 0))
        self.running_sum = np.zeros((k, 0))
        # Which example each support row was among all that were given.
        self.numbers = np.zeros(0, np.int64)
        self.recorder = Recorder() if settings["budget"] is None else None
        # What a rule of forgetting has to remember.
        self.forgetting: Memory | None = None

    @property
    def n_vectors(self) -> int:
        return len(self.coef)

    @property
    def n_support(self) -> int:
        return 0 if self.support is None else self.support.n

    @property
    def shape(self) -> int:
        """How the functions divide the classes among them."""
        return blocks.ONE if self.n_vectors == 1 else SHAPES[self.multiclass]

    def copy(self) -> Self:
        """Return a model that learns without changing this one."""
        twin = super().copy()
        if self.support is not None:
            twin.support = self.support.copy()
        twin.coef = self.coef.copy()
        twin.running_sum = self.running_sum.copy()
        twin.numbers = self.numbers.copy()
        if self.forgetting is not None:
            twin.forgetting = self.forgetting.copy()
        return twin

    def snapshot(self) -> Snapshot:
        """Return a way back to now, whatever is learned."""
        self.refuse_slim()
        # Without a ledger rows may be replaced.
        return super().snapshot() if self.recorder is None else GrowthSnapshot(self)

    def state(self) -> tuple[int, int] | KernelModel:
        """What is needed to go back to the present state later."""
        if self.recorder is None:
            return self.copy()
        return len(self.recorder.entries.row), self.t

    @property
    def served(self) -> KernelModel:
        """The model that predicts."""
        return self.best if isinstance(self.best, KernelModel) else self

    # ------------------------------------------------------------------ learning

    def widen(self, n_features: int) -> None:
        """Make room for features that are new, and 0 in all rows so far."""
        if n_features > self.n_features and self.support is not None:
            self.support = widened(self.support, n_features)
        self.n_features = n_features

    def settle_gamma(
        self, X: Any, weights: FloatArray | None, subset: Any = None, *, streamed: bool = False
    ) -> None:
        """Measure the gamma that was left open by the first rows that are learned from."""
        if self.settings["gamma"] is None and self.kernel.has_gamma:
            counted = np.full(X.shape[0], subset is None)
            counted[() if subset is None else subset] = True
            counted &= True if weights is None else weights > 0.0
            gamma = self.kernel.measured_gamma(X, counted, streamed=streamed)
            self.settings = {**self.settings, "gamma": gamma}
            self.kernel = Kernel.of(self.settings)

    def append(self, rows: Any, numbers: IntArray) -> IntArray:
        """Keep rows that were mistaken; their slots. Nothing is said yet of what they count."""
        if self.support is None:
            self.support = support_for(rows)
        first = self.support.n
        self.support.append(rows)
        more = np.zeros((self.n_vectors, len(numbers)))
        self.coef = np.concatenate([self.coef, more], axis=1)
        self.running_sum = np.concatenate([self.running_sum, more], axis=1)
        self.numbers = np.concatenate([self.numbers, numbers])
        return np.arange(first, self.support.n)

    def moves(self, entries: Entries) -> Iterator[tuple[Int32Array, Any, FloatArray]]:
        """Updates as changes of single functions: which one, which of the updates, and by what."""
        every = slice(None)
        if self.shape == blocks.ONE:
            vector = np.zeros(len(entries.row), np.int32)
            yield vector, every, (2 * entries.y_true - 1) * entries.step
        elif self.shape == blocks.EACH:
            lowered = entries.y_pred >= 0
            vector = np.where(lowered, entries.y_pred, entries.y_true)
            yield vector, every, np.where(lowered, -1.0, 1.0) * entries.step
        else:
            yield entries.y_true, every, entries.step
            lowered = entries.y_pred >= 0
            yield entries.y_pred[lowered], lowered, -entries.step[lowered]

    def add(self, entries: Entries) -> None:
        """Take updates into account; ``row`` is the slot of a support row."""
        for vector, of, step in self.moves(entries):
            np.add.at(self.coef, (vector, entries.row[of]), step)
            added = added_to_sum(step, entries.t[of])
            np.add.at(self.running_sum, (vector, entries.row[of]), added)
        if self.recorder is not None:
            self.recorder.add(entries)

    def _add_class(self) -> None:
        none = np.zeros((1, self.coef.shape[1]))
        self.coef = np.vstack([self.coef, none])
        self.running_sum = np.vstack([self.running_sum, none])

    def _split(self) -> None:
        each = self.multiclass == "ovr"
        share = 1.0 if each else 0.5
        # Taken from 0, so that 0 stays what it is and does not become a negative zero.
        self.coef, self.running_sum = (
            np.vstack([0.0 - share * values, share * values])
            for values in (self.coef, self.running_sum)
        )
        if self.recorder is None:
            return
        old, self.recorder = self.recorder.entries, Recorder()
        if each:  # an update of one function now is one of each
            raised = old._replace(y_pred=np.full(len(old.row), -1, np.int32))
            pairs: Any = zip(raised, old, strict=True)
            self.recorder.add(Entries(*(np.stack(pair, axis=1).ravel() for pair in pairs)))
        else:
            self.recorder.add(old._replace(step=share * old.step))

    # ------------------------------------------------------------------ answering

    def entries(self) -> Entries:
        """The updates that count, in order; ``row`` is the slot of a support row."""
        assert self.recorder is not None
        entries = self.recorder.entries
        return entries if self.best is None else entries.first(self._counted()[0])

    @property
    def n_examples(self) -> int:
        """Examples seen by the state that predicts."""
        return self.t if self.best is None else self._counted()[1]

    def _counted(self) -> tuple[int, int]:
        assert isinstance(self.best, tuple)
        return self.best

    def coefficients(self, combine: str) -> FloatArray:
        """Of the average of all states, or of the last one."""
        if self.best is None:
            state = self
        else:
            state = self.without_updates()
            state.add(self.entries())
        if combine != "average":
            return state.coef
        mean: FloatArray = mean_of(state.coef, state.running_sum, self.n_examples)
        return mean

    def without_updates(self) -> KernelModel:
        """The same support rows, of which nothing is said yet."""
        twin = copy(self)
        twin.recorder, twin.best = None, None
        twin.coef = np.zeros_like(self.coef)
        twin.running_sum = np.zeros_like(self.running_sum)
        return twin

    def survival(self, vector: int) -> tuple[Entries, FloatArray, FloatArray]:
        """The updates of one function, their steps, and how long each of its states lived."""
        entries = self.entries()
        parts = []
        for vectors, of, step in self.moves(entries):
            mine = np.flatnonzero(vectors == vector)
            parts.append((np.arange(len(entries.row))[of][mine], step[mine]))
        order = np.argsort(np.concatenate([at for at, _ in parts]), kind="stable")
        at = np.concatenate([at for at, _ in parts])[order]
        steps = np.concatenate([step for _, step in parts])[order]
        own = Entries(*(column[at] for column in entries[:5]))
        born = np.concatenate([[1], own.t, [self.n_examples + 1]])
        return own, steps, np.diff(born).astype(np.float64)

    def weigh(self, queries: Any, coef: FloatArray, slots: IntArray | None = None) -> FloatArray:
        """Σ_s coef_cs K(x_s, q) over all support rows, or over some: (functions, queries)."""
        out = np.zeros((len(coef), queries.shape[0]))
        n = self.n_support if slots is None else len(slots)
        for first in range(0, n, TILE):
            part = slice(first, first + TILE)
            assert self.support is not None
            rows = self.support.take(part if slots is None else slots[part])
            products = self.kernel.between(rows, queries)
            with np.errstate(over="ignore", invalid="ignore"):
                out += coef[:, part].astype(products.dtype) @ products
        return out

    def scorer(self, X: Any, combine: str, *, tie_is_positive: bool = False) -> Scorer:
        """A function that scores some rows of ``X``: (n,) for two classes, else (n, classes)."""
        if combine == "vote":
            voter, n = self.voter(X, tie_is_positive=tie_is_positive), max(self.n_examples, 1)
            return lambda some: np.asarray(voter(some) / n)
        coef = self.coefficients(combine)
        return self._in_tiles(X, QUERIES, lambda queries: self.weigh(queries, coef))

    def voter(self, X: Any, *, tie_is_positive: bool = False) -> Scorer:
        """As `scorer`, of the votes of all states, each counted as long as it lived."""
        step = max(1, min(QUERIES, 4 * TILE * QUERIES // max(self.n_support, 1)))
        return self._in_tiles(X, step, self._voting(tie_is_positive))

    def _in_tiles(self, X: Any, step: int, ask: Callable[[Any], FloatArray]) -> Scorer:
        def score(some: slice) -> FloatArray:
            out = np.empty((self.n_vectors, some.stop - some.start))
            for first in range(some.start, some.stop, step):
                place = first - some.start
                out[:, place : place + step] = ask(X[first : min(first + step, some.stop)])
            if not np.isfinite(out).all():
                raise overflow(some.start + int(np.nonzero(~np.isfinite(out))[1][0]))
            return out[0] if len(out) == 1 else np.ascontiguousarray(out.T)

        return score

    def _voting(self, tie_is_positive: bool) -> Callable[[Any], FloatArray]:
        """A function that gives the votes of all states on some queries."""
        if self.shape != blocks.AGAINST:
            lives = [self.survival(vector) for vector in range(self.n_vectors)]

            def each(queries: Any) -> FloatArray:
                products = self._products(queries)
                found = [
                    voting.votes_of_one(products, own.row, steps, lived, tie_is_positive)
                    for own, steps, lived in lives
                ]
                return np.stack(found)

            return each
        entries = self.entries()
        born = np.concatenate([[1], entries.t, [self.n_examples + 1]])
        survival = np.diff(born).astype(np.float64)

        def against(queries: Any) -> FloatArray:
            products = np.ascontiguousarray(self._products(queries).T, np.float64)
            start = np.zeros((queries.shape[0], self.n_vectors))
            votes = voting.vote_classes(products, *entries[:4], survival, start, 0.0)
            return np.asarray(votes.T)

        return against

    def _products(self, queries: Any) -> AnyArray:
        """The kernel of every support row with every query."""
        if self.support is None:
            return np.zeros((0, queries.shape[0]))
        return np.ascontiguousarray(self.kernel.between(self.support.rows, queries))


def overflow(row: int) -> InputError:
    return InputError(
        f"the kernel of row {row} with the support rows is too large for its type. Scale the "
        "features (sklearn.preprocessing.StandardScaler), lower gamma, degree or sample_weight, or "
        "pass float64."
    )


def refuse_large(coef: FloatArray, numbers: IntArray) -> None:
    """Refuse coefficients that no file could hold; the rows of these numbers changed them."""
    if not (np.abs(coef) <= FLOAT64_LIMIT).all():
        raise overflow(int(numbers[-1]))


class GrowthSnapshot(ModelSnapshot[KernelModel]):
    """A kernel model that keeps all its rows: what is learned only adds some after the last."""

    def __init__(self, model: KernelModel) -> None:
        kept = copy(model)
        kept._name_classes(model.classes)
        kept.recorder = None if model.recorder is None else model.recorder.copy()
        super().__init__(model, kept)
        self._n_rows = 0 if model.support is None else model.support.n

    def restore(self) -> None:
        """Let the rows end where they did."""
        super().restore()
        if self._model.support is not None:
            self._model.support.truncate(self._n_rows)
