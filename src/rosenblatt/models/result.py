"""The result of a fit: stop reason, held-out scores, counts, and contributions of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.engine.rows.weights import FOLD_BITS
from rosenblatt.models.recording import Entries

STOP_REASONS = {
    "separated": "an epoch without a mistake: the last weights separate the training rows",
    "cycle": "the weights repeat: training would cycle forever",
    "early_stopping": "no gain on the held-out rows",
    "tolerance": "the rows are not linearly separable, or by a margin below tol (proven)",
    "no_gain": "n_iter_no_change epochs in a row brought no gain on the rows learned from",
    "max_iter": "the limit of epochs was reached while mistakes remained",
    "interrupted": "interrupted; what was learned until then is kept",
}


def stop_text(reason: str, examples: str = "rows") -> str:
    """Return the text of a stop reason; ``examples`` is the learner's word for its rows."""
    return STOP_REASONS[reason].replace("rows", examples)


_stop_asked: ContextVar[Callable[[], bool]] = ContextVar("_stop_asked", default=lambda: False)


@contextmanager
def stopping_when(asked: Callable[[], bool]) -> Iterator[None]:
    """End learning inside this context early once ``asked()`` is true; keep the result so far."""
    token = _stop_asked.set(asked)
    try:
        yield
    finally:
        _stop_asked.reset(token)


def stop_asked() -> bool:
    """Return whether learning should end; trainers ask between two blocks of examples."""
    return _stop_asked.get()()


# Rows with a coefficient other than 0, and the coefficients (n_vectors, rows).
DualForm = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
# Called after every epoch: its number, its mistakes and the score on held-out examples, if any.
EpochCallback = Callable[[int, int, float | None], None]


class OnlineResult(NamedTuple):
    """The predictions for a block of rows, each made before the row was learned.

    ``wrong`` is 1 for every row whose class did not have the highest score by itself, or, if a tie
    is a prediction, was not predicted. ``predictions``, if they were wanted, are None for rows
    before the first class. ``names[numbers[i]]`` is the label of row i. ``mistakes`` counts those
    of the latest weights, as the learner itself counts them.
    """

    wrong: npt.NDArray[np.int32]
    predictions: list[Any]
    names: list[Any]
    numbers: npt.NDArray[np.intp]
    mistakes: int


@dataclass(eq=False, repr=False)
class Validation:
    """Early stopping: the score on held-out examples after every epoch, and the best state.

    ``keep`` is called at each new best and returns the state that is kept.
    """

    score: Callable[[], float]
    keep: Callable[[], Any]
    patience: int
    scores: list[float] = field(default_factory=list)
    best: Any = None
    best_epoch: int = 0
    # Whether these examples were held out, so that they decide when to stop.
    held_out: ClassVar[bool] = True

    def after_epoch(self) -> float | None:
        """Compute and return the score; if it is the best so far, keep the state."""
        score = self.score()
        if score > max(self.scores, default=-math.inf):
            self._keep_best(len(self.scores) + 1)
        self.scores.append(score)
        return score

    def _keep_best(self, epoch: int) -> None:
        self.best = self.keep()
        self.best_epoch = epoch

    @property
    def patience_ended(self) -> bool:
        """Return whether the score has not improved for ``patience`` epochs."""
        return len(self.scores) - self.best_epoch >= self.patience

    def prefer_last(self) -> None:
        """Keep the last state, which separates the rows, if no earlier one has a better score."""
        if self.scores[-1] == max(self.scores):
            self._keep_best(len(self.scores))


@dataclass(eq=False, repr=False)
class Pocket(Validation):
    """Pocket algorithm, which keeps the weights with the fewest training errors (Gallant 1990).

    ``score`` is the share of training rows that are right, computed several times in an epoch;
    ``scores`` are the best of each epoch, and ``peak`` is the best of the present one.
    """

    peak: float = -math.inf
    held_out: ClassVar[bool] = False

    def look(self) -> None:
        """Compute the score; if it is the best so far, keep the state."""
        score = self.score()
        if score > max([self.peak, *self.scores]):
            self._keep_best(len(self.scores) + 1)
        self.peak = max(self.peak, score)

    def after_epoch(self) -> None:
        """Compute the score once more, and record the best score of the epoch."""
        self.look()
        self.scores.append(self.peak)
        self.peak = -math.inf

    @property
    def patience_ended(self) -> bool:
        """Return False, since a pocket never ends a fit."""
        return False


class Pairs:
    """Steps summed by row and pair of classes; memory grows with the pairs, not the updates."""

    # Updates that are buffered before they are summed.
    MAX_WAITING = 1 << 18

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes
        self._key: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._step: npt.NDArray[np.float64] = np.zeros(0)
        self._waiting: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        self._n_waiting = 0
        # The folds of scaled weights after the last update.
        self._folds = 0

    def add(self, entries: Entries) -> None:
        """Add the steps of updates."""
        if len(entries.folds):
            entries = self._rescale_to_last_fold(entries)
        # One number for row, right and wrong class, of which the last may be -1.
        k = self._n_classes
        key = (entries.row * k + entries.y_true) * (k + 1) + (entries.y_pred + 1)
        self._waiting.append((key, entries.step))
        self._n_waiting += len(key)
        if self._n_waiting > max(self.MAX_WAITING, len(self._key)):
            self._merge()

    def _rescale_to_last_fold(self, entries: Entries) -> Entries:
        """Rescale the sums so far to the folds of the last entry; return the rescaled entries.

        A fold multiplies what is stored by a power of two.
        """
        folds = int(entries.folds[-1])
        shrunk = 2.0 ** (FOLD_BITS * (self._folds - folds))
        if shrunk != 1.0:
            self._merge()
            self._step = self._step * shrunk
        self._folds = folds
        return entries._replace(step=entries.stored_after(folds))

    def _merge(self) -> None:
        """Add the waiting steps to the sums."""
        keys = np.concatenate([self._key, *(key for key, _ in self._waiting)])
        steps = np.concatenate([self._step, *(step for _, step in self._waiting)])
        self._key, place = np.unique(keys, return_inverse=True)
        summed = np.bincount(place, weights=steps, minlength=len(self._key))
        self._step = summed.astype(np.float64)
        self._waiting = []
        self._n_waiting = 0

    def coefficients(self) -> DualForm:
        """Return the dual form: row indices, and coefficients of shape (classes, rows)."""
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


class Shares:
    """Steps summed by row and class, for a rule in which every row moves every class."""

    # Maximum number of values in the table.
    MAX_NUMBERS = 1 << 24

    def __init__(self, n_rows: int, n_classes: int) -> None:
        self._table = np.zeros((n_rows, n_classes))

    @classmethod
    def fit_into_memory(cls, n_rows: int, n_classes: int) -> bool:
        """Return whether a table of this size is small enough."""
        return n_rows * n_classes <= cls.MAX_NUMBERS

    def add(self, entries: Entries) -> None:
        """Add the steps of updates."""
        np.add.at(self._table, (entries.row, entries.y_true), entries.step)
        np.add.at(self._table, (entries.row, entries.y_pred), -entries.step)

    def coefficients(self) -> DualForm:
        """Return the dual form: row indices, and coefficients of shape (classes, rows)."""
        support = np.flatnonzero(self._table.any(axis=1))
        return support, np.ascontiguousarray(self._table[support].T)


def new_sums(rule: Rule, n_rows: int, n_vectors: int) -> Pairs | Shares | None:
    """Return an empty accumulator of steps for several vectors; None if it would be too large."""
    if not rule.blames_all_rivals:
        return Pairs(n_vectors)
    return Shares(n_rows, n_vectors) if Shares.fit_into_memory(n_rows, n_vectors) else None


def dual_form(entries: Entries, rule: Rule, n_rows: int, n_vectors: int) -> DualForm:
    """Return the dual form, computed from recorded updates."""
    if n_vectors > 1:
        sums = new_sums(rule, n_rows, n_vectors) or Pairs(n_vectors)
        sums.add(entries)
        return sums.coefficients()
    support, place = np.unique(entries.row, return_inverse=True)
    steps = np.where(entries.y_true == 1, entries.step, -entries.step)
    dual = np.bincount(place, steps, minlength=len(support))
    return support[dual != 0], dual[dual != 0][None, :]


@dataclass(eq=False, repr=False)
class FitResult:
    """The outcome of a fit; ``stop_reason`` is one of `STOP_REASONS`.

    The contribution of each of the ``n_rows`` rows (``dual``, ``pairs`` or ``signs``) is known
    until the model is loaded from a file, and not if updates were recorded, from which it follows.

    ``losses`` has the mean loss of each epoch for a rule that ends by it, and ``scale`` the factor
    of the coefficients if the rule scales the weights.
    """

    mistakes_per_epoch: list[int] = field(default_factory=list)
    stop_reason: str = "max_iter"
    losses: list[float] = field(default_factory=list)
    n_updates: int = 0
    cycle_length: int | None = None
    margin_ceiling: float = math.inf
    n_rows: int | None = None
    mistakes_per_row: npt.NDArray[np.int32] | None = None
    dual: npt.NDArray[np.float64] | None = None
    pairs: Pairs | Shares | None = None
    signs: npt.NDArray[np.int8] | None = None
    eta: float = 1.0
    scale: float = 1.0
    random: int = 0
    # The least loss, or fewest mistakes, of the epochs that were looked at, and its epoch.
    _least: float = math.inf
    _least_at: int = 0
    _looked_at: int = 0

    @property
    def converged(self) -> bool:
        """Return whether the last weights separate the training rows."""
        return self.stop_reason == "separated"

    @property
    def n_iter(self) -> int:
        """Return the number of epochs."""
        return len(self.mistakes_per_epoch)

    def epochs_without_gain(self, tol: float = 0.0) -> int:
        """Return the number of epochs since the one with the least loss, or the fewest mistakes.

        A loss must fall by more than ``tol`` to count as less. Each epoch is looked at once, since
        this is called after each of them.
        """
        found: Sequence[float] = self.mistakes_per_epoch
        needed = 0.0
        if self.losses:
            found = self.losses
            needed = tol
        for epoch in range(self._looked_at, len(found)):
            if found[epoch] < self._least - needed:
                self._least = found[epoch]
                self._least_at = epoch
        self._looked_at = len(found)
        return self.n_iter - 1 - self._least_at

    def dual_form(self) -> DualForm | None:
        """Return the dual form: row indices and coefficients; None if it is not known."""
        if self.pairs is not None:
            rows, found = self.pairs.coefficients()
            return rows, found * self.scale
        dual = self.dual
        if dual is None and self.signs is not None and self.mistakes_per_row is not None:
            dual = np.asarray(self.eta * self.mistakes_per_row * self.signs, np.float64)
        if dual is None:
            return None
        support = np.flatnonzero(dual)
        return support, dual[support][None, :] * self.scale
