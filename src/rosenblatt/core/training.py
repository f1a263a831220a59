"""Training: epochs over the rows until there is a reason to stop, and which one it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning, ordering, scoring
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.duals import Pairs, Shares
from rosenblatt.core.ledger import Entries, Recorder
from rosenblatt.core.rows import Rows
from rosenblatt.core.stopping import Cycle, MarginCeiling
from rosenblatt.core.weights import Weights
from rosenblatt.errors import OverflowRefused

__all__ = ["STOP_REASONS", "Told", "Training", "Watch", "one_pass", "refusal", "train"]

STOP_REASONS = {
    "separated": "an epoch without a mistake: the rows are separated",
    "cycle": "the weights repeat themselves: the rows cannot be separated",
    "early_stopping": "no gain on the rows held out",
    "tolerance": "proven by the run: no hyperplane separates the rows by a margin worth having",
    "max_iter": "the limit of epochs was reached while mistakes remained",
}

# Told after every epoch: its number, its mistakes and the score on the rows held out, if any.
Told = Callable[[int, int, float | None], None]

LOG_CAPACITY = 1 << 14
# So that Ctrl-C is heard and progress is seen while an epoch over many rows is under way.
ROWS_AT_A_TIME = 1 << 18


@dataclass
class Watch:
    """A score on rows held out, taken after every epoch; patience counts epochs without a gain.

    ``keep`` is called at each new best and returns what is needed to go back to it.
    """

    score: Callable[[], float]
    keep: Callable[[], Any]
    patience: int
    scores: list[float] = field(default_factory=list)
    best: Any = None
    best_epoch: int = 0

    def after_epoch(self) -> bool:
        """Take the score; True when patience has run out."""
        score = self.score()
        if score > max(self.scores, default=-math.inf):
            self.best, self.best_epoch = self.keep(), len(self.scores) + 1
        self.scores.append(score)
        return len(self.scores) - self.best_epoch >= self.patience

    def prefer_last(self) -> None:
        """The rows are separated now: of equals on the rows held out, keep what separates."""
        if self.scores[-1] == max(self.scores):
            self.best, self.best_epoch = self.keep(), len(self.scores)


@dataclass
class Training:
    """What a run did and why it ended.

    ``stop_reason``: "separated" (an epoch without a mistake), "cycle" (the weights at the end of
    an epoch were seen before, so they will be again), "early_stopping", "tolerance" (proven: no
    hyperplane separates the rows by more than ``tol`` times their radius) or "max_iter".
    """

    mistakes_per_epoch: list[int] = field(default_factory=list)
    stop_reason: str = "max_iter"
    n_updates: int = 0
    cycle_length: int | None = None
    margin_ceiling: float = math.inf
    mistakes_per_row: npt.NDArray[np.int32] | None = None
    dual: npt.NDArray[np.float64] | None = None
    pairs: Pairs | Shares | None = None
    signs: npt.NDArray[np.int8] | None = None
    eta: float = 1.0
    random: int = 0

    @property
    def converged(self) -> bool:
        return self.stop_reason == "separated"

    @property
    def n_iter(self) -> int:
        return len(self.mistakes_per_epoch)

    def dual_of_rows(self) -> npt.NDArray[np.float64]:
        """For two classes: the signed sum of the steps of every row."""
        if self.dual is not None:
            return self.dual
        assert self.mistakes_per_row is not None
        assert self.signs is not None
        return np.asarray(self.eta * self.mistakes_per_row * self.signs, np.float64)


def train(
    weights: Weights,
    rule: Rule,
    rows: Rows,
    labels: npt.NDArray[np.int32],
    *,
    max_iter: int = 1000,
    tol: float | None = 1e-4,
    shuffle: bool = True,
    random: int = 0,
    subset: npt.NDArray[np.int64] | None = None,
    row_weights: npt.NDArray[np.float64] | None = None,
    recorder: Recorder | None = None,
    watch: Watch | None = None,
    after_epoch: Told | None = None,
) -> Training:
    """Train in place: epochs over ``rows`` (or the ``subset`` of them) until a reason to stop.

    ``labels`` are numbers of classes; ``random`` is the state of the generator that shuffles.
    ``recorder`` receives every update. ``after_epoch`` is told the progress.
    """
    n = rows.n_rows if subset is None else len(subset)
    training = Training(mistakes_per_row=np.zeros(rows.n_rows, np.int32), random=random)
    binary = weights.n_vectors == 1
    if binary and rule.counts_tell_all and row_weights is None:
        training.signs, training.eta = (2 * labels - 1).astype(np.int8), rule.eta
    elif binary:
        training.dual = np.zeros(rows.n_rows)
    elif not rule.blames_all_rivals:
        training.pairs = Pairs(weights.n_vectors)
    elif Shares.fit_into_memory(rows.n_rows, weights.n_vectors):
        training.pairs = Shares(rows.n_rows, weights.n_vectors)
    tally = learning.Tally(training.mistakes_per_row, training.dual)
    receivers = [receiver for receiver in (recorder, training.pairs) if receiver is not None]
    walk = _walk(weights, rule, rows, labels, row_weights, tally, receivers)
    ceiling = MarginCeiling(weights, rows)
    visited = _visited(rows.n_rows, subset, row_weights)
    order = None if shuffle else subset
    cycle = None if shuffle else Cycle(lambda: (weights.bias, weights.table))
    for epoch in range(1, max_iter + 1):
        if shuffle:
            order = np.empty(n, np.int64) if order is None else order
            training.random = ordering.shuffled(order, training.random)
            if subset is not None:
                order = subset[order]
        mistakes_before, updates_before = tally.mistakes, tally.updates
        walk(order, 0, n)
        mistakes = tally.mistakes - mistakes_before
        training.mistakes_per_epoch.append(mistakes)
        ceiling.lower(tally)
        patience_ended = watch is not None and watch.after_epoch()
        if after_epoch is not None:
            after_epoch(epoch, mistakes, None if watch is None else watch.scores[-1])
        if mistakes == 0 and (
            tally.updates == updates_before or _all_right(weights, rule, rows, labels, visited)
        ):
            training.stop_reason = "separated"
            if watch is not None:
                watch.prefer_last()
            break
        if cycle is not None and cycle.closed(epoch):
            training.stop_reason, training.cycle_length = "cycle", cycle.length
            break
        if patience_ended:
            training.stop_reason = "early_stopping"
            break
        if tol is not None and ceiling.is_below(tol):
            training.stop_reason = "tolerance"
            break
    training.n_updates, training.margin_ceiling = tally.updates, ceiling.value
    return training


def one_pass(
    weights: Weights,
    rule: Rule,
    rows: Rows,
    labels: npt.NDArray[np.int32],
    *,
    start: int = 0,
    stop: int | None = None,
    row_weights: npt.NDArray[np.float64] | None = None,
    recorder: Recorder | None = None,
) -> learning.Tally:
    """Learn from each row once, in the order given, in place."""
    tally = learning.Tally()
    receivers = [] if recorder is None else [recorder]
    walk = _walk(weights, rule, rows, labels, row_weights, tally, receivers)
    walk(None, start, rows.n_rows if stop is None else stop)
    return tally


def _walk(
    weights: Weights,
    rule: Rule,
    rows: Rows,
    labels: npt.NDArray[np.int32],
    row_weights: npt.NDArray[np.float64] | None,
    tally: learning.Tally,
    receivers: Sequence[Recorder | Pairs | Shares],
) -> Callable[[npt.NDArray[np.int64] | None, int, int], None]:
    """A function that learns from places ``start`` to ``stop`` of an order, once each.

    The receivers are handed the updates as they come.
    """
    weights.arrange(by_feature=rows.is_sparse)
    # Room for at least one example: a soft step may write one entry a class.
    room = max(min(LOG_CAPACITY, rows.n_rows), 2 * weights.n_vectors)
    log = learning.Log(room) if receivers else None

    def walk(order: npt.NDArray[np.int64] | None, start: int, stop: int) -> None:
        while start < stop:
            end = min(stop, start + ROWS_AT_A_TIME)
            start = learning.learn(
                weights, rule, rows, labels, order, start, end, row_weights, tally, log
            )
            if log is not None:
                entries = Entries.of(log)
                log.size = 0
                for receiver in receivers:
                    receiver.add(entries)
            if tally.refused >= 0:
                raise refusal(tally.refused, weights)

    return walk


def refusal(row: int, weights: Weights) -> OverflowRefused:
    """The error for a row whose update would overflow."""
    kind = "float32" if weights.is_float32 else "float64"
    return OverflowRefused(
        f"the update for row {row} would leave the range of {kind}; the model was not changed by "
        "it. Scale the features (sklearn.preprocessing.StandardScaler) or lower eta0"
        + (", or pass float64." if weights.is_float32 else ".")
    )


def _visited(
    n_rows: int,
    subset: npt.NDArray[np.int64] | None,
    row_weights: npt.NDArray[np.float64] | None,
) -> npt.NDArray[np.bool_] | None:
    """Which rows are learned from; None for all of them."""
    if subset is None and row_weights is None:
        return None
    visited = np.ones(n_rows, bool) if row_weights is None else row_weights > 0
    if subset is not None:
        chosen = np.zeros(n_rows, bool)
        chosen[subset] = True
        visited &= chosen
    return visited


def _all_right(
    weights: Weights,
    rule: Rule,
    rows: Rows,
    labels: npt.NDArray[np.int32],
    visited: npt.NDArray[np.bool_] | None,
) -> bool:
    """Whether the weights as they are now answer every row right that is visited.

    A rule that also acts on right answers changed the weights during an epoch without a mistake,
    so what was right then may be wrong now.
    """
    scores = scoring.score(rows, weights.table, weights.bias)
    if weights.n_vectors == 1:
        margins = np.where(labels == 1, scores, -scores)
        tie_is_right = np.zeros(len(labels), bool) if rule.tie_is_mistake else labels == 1
    else:
        index = np.arange(len(labels))
        own = scores[index, labels]
        scores[index, labels] = -np.inf
        margins = own - scores.max(axis=1)
        tie_is_right = np.zeros(len(labels), bool)
    right = (margins > 0) | ((margins == 0) & tie_is_right)
    return bool((right if visited is None else right[visited]).all())
