"""Test, then train, with the core alone: blocks of rows through a linear model, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels import learning
from rosenblatt._kernels import rows as layouts
from rosenblatt.core.ledger import Entries
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rules import Rule
from rosenblatt.core.tables import READABLE, Rows, inspect, is_sparse
from rosenblatt.core.training import LOG_CAPACITY, refusal
from rosenblatt.evaluate.progress import Point, Progress

__all__ = ["OnlinePass"]

# How many rows are scored ahead of the next mistake.
LEAST, MOST = 4, 4096


class OnlinePass:
    """A linear model that answers every row before it learns from it, in blocks of any size.

    Answers come from the weights that the model serves, which is the average for an averaged
    model. A row is a mistake unless its class has the highest score alone: a tie is no answer, and
    neither can a class be answered that was never met. Answers, mistakes and model do not depend
    on how the rows are cut into blocks.

    Parameters
    ----------
    model : LinearModel
        Learned on in place; new classes and features are admitted.
    rule : Rule
        How it learns.
    progress : Progress
        Counts the mistakes.
    latest : bool, default=False
        Whether to count the mistakes of the latest weights, also of an averaged model, as the
        learner itself does. That costs nothing beside learning.
    """

    def __init__(
        self, model: LinearModel, rule: Rule, progress: Progress, *, latest: bool = False
    ) -> None:
        self.model, self.progress, self._latest = model, progress, latest
        self._rule, self._ahead = rule, float(LEAST)
        progress.online_mistakes = 0

    def learn(
        self,
        X: Any,
        labels: npt.NDArray[Any],
        weights: npt.NDArray[np.float64] | None = None,
        *,
        answers: bool = False,
    ) -> tuple[list[Point], list[Any]]:
        """Answer the rows of a block and learn from them, one after the other.

        Returns the points of the curve that were passed and, if `answers` are wanted, the answer
        to each row, None where there was none yet.
        """
        model = self.model
        if X.shape[1] > model.weights.n_features:
            model.weights.grow(X.shape[1])
        classes, first, numbers, counts = np.unique(
            labels, return_index=True, return_inverse=True, return_counts=True
        )
        names = classes.tolist()
        met = [
            (place, name)
            for place, name in zip(first.tolist(), names, strict=True)
            if name not in model.slots
        ]
        block = _Block(X, names, numbers, weights, answers)
        start = 0
        for place, name in sorted(met, key=lambda joining: joining[0]):
            self._walk(block, start, place)
            if answers:
                block.answer(place, self._scores(block, place, place + 1)[1], model)
            model.admit(name)
            self._learn(block, place, place + 1)
            start = place + 1
        self._walk(block, start, block.rows.n_rows)
        self.progress.add_labels(dict(zip(names, counts.tolist(), strict=True)))
        return self.progress.add(block.wrong), block.answers

    def _walk(self, block: _Block, start: int, stop: int) -> None:
        """Answer and learn rows of known classes."""
        if start == stop:
            return
        model = self.model
        if len(model.classes) < 2:
            # The only class there is has been answered, and there is nothing to learn.
            block.wrong[start:stop] = 0
            block.answers[start:stop] = model.classes * (stop - start) if block.answers else []
            model.weights.t += stop - start
        elif block.answers or (model.weights.averaged and not self._latest):
            self._answer_and_learn(block, start, stop)
        else:
            block.wrong[start:stop] = 0
            self._learn(block, start, stop, learning.Tally(block.wrong))

    def _answer_and_learn(self, block: _Block, start: int, stop: int) -> None:
        """Score some rows ahead; the scores hold up to the first row that changes the weights.

        The averaged perceptron changes them at mistakes only, the others may at any row.
        """
        labels = block.labels(self.model)
        conservative = self.model.weights.averaged
        while start < stop:
            end = min(stop, start + (int(self._ahead) if conservative else 1))
            latest, served = self._scores(block, start, end)
            if conservative:
                moves = _margins(latest, labels[start:end]) <= 0
                first = int(moves.argmax())
                run = first + 1 if moves[first] else end - start
                # Twice the usual distance between mistakes, so that little is scored in vain.
                aim = 2 * run if moves[first] else 4 * self._ahead
                self._ahead = min(max(0.9 * self._ahead + 0.1 * aim, LEAST), MOST)
                end, served = start + run, served[:run]
            counted = latest[: end - start] if self._latest else served
            block.wrong[start:end] = _margins(counted, labels[start:end]) <= 0
            if block.answers:
                block.answer(start, served, self.model)
            self._learn(block, start, end)
            start = end

    def _scores(
        self, block: _Block, start: int, stop: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Scores of rows by the latest weights and by those that answer."""
        weights = self.model.weights
        weights.arrange(by_feature=block.rows.is_sparse)
        rows = block.part(start, stop)
        latest = learning.score(rows, weights.table, weights.bias)
        if not weights.averaged:
            return latest, latest
        sums = learning.score(rows, weights.table_sum, weights.bias_sum)
        seen = np.maximum(np.arange(weights.t, weights.t + stop - start), 1)
        return latest, latest - sums / (seen if sums.ndim == 1 else seen[:, None])

    def _learn(
        self, block: _Block, start: int, stop: int, tally: learning.Tally | None = None
    ) -> None:
        model, labels = self.model, block.labels(self.model)
        if len(model.classes) < 2:
            model.weights.t += stop - start
            return
        tally = tally or learning.Tally()
        model.weights.arrange(by_feature=block.rows.is_sparse)
        log = None
        if model.recorder is not None:
            log = learning.Log(max(LOG_CAPACITY, 2 * model.weights.n_vectors))
        seen = model.seen_while_recording - start
        while start < stop:
            start = learning.learn(
                model.weights,
                self._rule,
                block.rows,
                labels,
                None,
                start,
                stop,
                block.weights,
                tally,
                log,
            )
            if log is not None:
                model.record(Entries.of(log), seen)
                log.size = 0
            if tally.refused >= 0:
                raise refusal(tally.refused, model.weights)
        model.n_mistakes += tally.mistakes
        assert self.progress.online_mistakes is not None
        self.progress.online_mistakes += tally.mistakes


class _Block:
    """Some rows, whether each was answered wrong and, if wanted, the answers."""

    def __init__(
        self,
        X: Any,
        names: list[Any],
        numbers: npt.NDArray[Any],
        weights: npt.NDArray[np.float64] | None,
        answers: bool,
    ) -> None:
        self._names, self._numbers, self.weights = names, numbers, weights
        self._arrays = _arrays(X)
        self.n_features = X.shape[1]
        self.rows: Rows = self.part(0, X.shape[0])
        inspect(self.rows)
        self.wrong = np.ones(self.rows.n_rows, np.int32)
        self.answers: list[Any] = [None] * self.rows.n_rows if answers else []
        self._slots: tuple[dict[Any, int], npt.NDArray[np.int32]] | None = None

    def labels(self, model: LinearModel) -> npt.NDArray[np.int32]:
        """The numbers of the classes; those not yet admitted have any."""
        if self._slots is None or self._slots[0] is not model.slots:
            slots = np.array([model.slots.get(name, 0) for name in self._names], np.int32)
            self._slots = model.slots, slots[self._numbers]
        return self._slots[1]

    def part(self, start: int, stop: int) -> Rows:
        """Some of the rows; nothing is copied."""
        if len(self._arrays) == 1:
            return layouts.dense(self._arrays[0][start:stop])
        data, indices, indptr = self._arrays
        return layouts.sparse(data, indices, indptr[start : stop + 1], self.n_features)

    def answer(self, start: int, scores: npt.NDArray[np.float64], model: LinearModel) -> None:
        """Note answers to the rows from `start` on; of equal scores the first class wins."""
        classes = model.classes
        if len(classes) < 2:
            self.answers[start : start + len(scores)] = (classes or [None]) * len(scores)
            return
        order = sorted(range(len(classes)), key=classes.__getitem__)
        best = scores[:, order].argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        self.answers[start : start + len(best)] = [classes[order[i]] for i in best.tolist()]


def _arrays(X: Any) -> tuple[npt.NDArray[Any], ...]:
    """A table or canonical CSR rows as arrays of the types that the loops read."""
    if not is_sparse(X):
        return (np.require(X, np.float64, READABLE),)
    index = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
    return (
        np.require(X.data, np.float64, READABLE),
        np.require(X.indices, index, READABLE),
        np.require(X.indptr, index, READABLE),
    )


def _margins(
    scores: npt.NDArray[np.float64], labels: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """By how much the score of the right class is above the highest of the others."""
    if scores.ndim == 1:
        return np.where(labels == 1, scores, -scores)
    at = np.arange(len(labels))
    own = scores[at, labels]
    others = scores.copy()
    others[at, labels] = -np.inf
    found: npt.NDArray[np.float64] = own - others.max(axis=1)
    return found
