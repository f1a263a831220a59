"""Test, then train: blocks of rows through a linear model, in one pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning, scoring
from rosenblatt._kernels.rows import rows as layouts
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import canonical, is_sparse
from rosenblatt.core.classes import answers, in_order
from rosenblatt.core.ledger import Entries
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import READABLE, Rows, inspect
from rosenblatt.core.training import LOG_CAPACITY, refusal

__all__ = ["OnlinePass", "Tested"]


class Tested(NamedTuple):
    """How a block of rows was predicted, each row before it was learned.

    ``wrong`` is 1 for every row whose class did not have the highest score alone. ``predictions``,
    if they were wanted, have None where there was no class yet. ``labels`` counts the classes,
    ``mistakes`` are those of the latest weights, as the learner itself counts them.
    """

    wrong: npt.NDArray[np.int32]
    predictions: list[Any]
    labels: dict[Any, int]
    mistakes: int


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
    latest : bool, default=False
        Whether to count the mistakes of the latest weights, also of an averaged model, as the
        learner itself does. That costs nothing beside learning.
    """

    def __init__(self, model: LinearModel, rule: Rule, *, latest: bool = False) -> None:
        self.model, self._rule, self._latest = model, rule, latest

    def learn(
        self,
        X: Any,
        labels: npt.NDArray[Any],
        weights: npt.NDArray[np.float64] | None = None,
        *,
        answers: bool = False,
        first_row: int = 0,
    ) -> Tested:
        """Predict the rows of a block and learn from them, one after the other.

        An error counts rows from `first_row` on.
        """
        model = self.model
        mistakes_before = model.n_mistakes
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
        ties = "mistake" if self._rule.tie_is_mistake else "positive"
        block = _Block(X, names, numbers, weights, answers, first_row, ties)
        start = 0
        for place, name in sorted(met, key=lambda joining: joining[0]):
            self._walk(block, start, place)
            if answers:
                block.answer(place, self._scores(block, place), model)
            model.admit(name)
            self._learn(block, place, place + 1)
            start = place + 1
        self._walk(block, start, block.rows.n_rows)
        return Tested(
            block.wrong,
            block.answers,
            dict(zip(names, counts.tolist(), strict=True)),
            model.n_mistakes - mistakes_before,
        )

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
            scores = None
            if block.answers:
                k = model.weights.n_vectors
                scores = np.empty(block.rows.n_rows if k == 1 else (block.rows.n_rows, k))
            watch = learning.Watch(block.wrong, scores, latest=self._latest)
            self._learn(block, start, stop, watch=watch)
            if scores is not None:
                block.answer(start, scores[start:stop], model)
        else:
            block.wrong[start:stop] = 0
            self._learn(block, start, stop, learning.Tally(block.wrong))

    def _scores(self, block: _Block, row: int) -> npt.NDArray[np.float64]:
        """Scores of a row by the weights that answer."""
        weights = self.model.weights
        weights.arrange(by_feature=block.rows.is_sparse)
        rows = block.part(row, row + 1)
        latest = scoring.score(rows, weights.table, weights.bias)
        if not weights.averaged:
            return latest
        sums = scoring.score(rows, weights.table_sum, weights.bias_sum)
        return latest - sums / max(weights.t, 1)

    def _learn(
        self,
        block: _Block,
        start: int,
        stop: int,
        tally: learning.Tally | None = None,
        watch: learning.Watch | None = None,
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
                watch,
            )
            if log is not None:
                model.record(Entries.of(log), seen)
                log.size = 0
            if tally.refused >= 0:
                break
        # What was learned before a row that is refused stays learned, and counted.
        model.n_mistakes += tally.mistakes
        if tally.refused >= 0:
            raise refusal(block.first_row + tally.refused, model.weights)


class _Block:
    """Some rows, whether each was answered wrong and, if wanted, the answers."""

    def __init__(
        self,
        X: Any,
        names: list[Any],
        numbers: npt.NDArray[Any],
        weights: npt.NDArray[np.float64] | None,
        answers: bool,
        first_row: int,
        ties: str,
    ) -> None:
        self.first_row, self._ties = first_row, ties
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
        """Note answers to the rows from `start` on."""
        classes = model.classes
        if len(classes) < 2:
            self.answers[start : start + len(scores)] = (classes or [None]) * len(scores)
            return
        order = in_order(classes)
        best = answers(scores[:, order] if scores.ndim == 2 else scores, self._ties)
        self.answers[start : start + len(best)] = [classes[order[i]] for i in best.tolist()]


def _arrays(X: Any) -> tuple[npt.NDArray[Any], ...]:
    """A table or sparse rows as arrays of the types that the loops read."""
    if not is_sparse(X):
        return (np.require(X, np.float64, READABLE),)
    X = canonical(X)
    index = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
    return (
        np.require(X.data, np.float64, READABLE),
        np.require(X.indices, index, READABLE),
        np.require(X.indptr, index, READABLE),
    )
