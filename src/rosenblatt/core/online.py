"""Test, then train: blocks of rows through a linear model, in one pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.classes import class_segments, predicted_labels
from rosenblatt.core.model import LinearModel
from rosenblatt.core.recording import Entries, log_for
from rosenblatt.core.rows import Rows, inspect, row_arrays, rows_between
from rosenblatt.core.training import LOG_CAPACITY, overflow_error


class OnlineResult(NamedTuple):
    """How a block of rows was predicted, each row before it was learned.

    ``wrong`` is 1 for every row whose class did not have the highest score alone, or was not
    predicted where a tie is a prediction. ``predictions``,
    if they were wanted, have None where there was no class yet. ``names[numbers[i]]`` is the label
    of row i, ``mistakes`` are those of the latest weights, as the learner itself counts them.
    """

    wrong: npt.NDArray[np.int32]
    predictions: list[Any]
    names: list[Any]
    numbers: npt.NDArray[np.intp]
    mistakes: int


class OnlinePass:
    """A linear model that predicts every row before it learns from it, in blocks of any size.

    Predictions come from the weights that the model serves, which is the average for an averaged
    model. A row is a mistake unless its class has the highest score alone: a tie predicts nothing,
    unless the rule says so, and neither can a class be predicted that was never met. Predictions,
    mistakes and model do not depend on how the rows are cut into blocks.

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
        predictions: bool = False,
        first_row: int = 0,
    ) -> OnlineResult:
        """Predict the rows of a block and learn from them, one after the other.

        An error counts rows from `first_row` on.
        """
        model = self.model
        mistakes_before = model.n_mistakes
        if X.shape[1] > model.weights.n_features:
            model.weights.grow(X.shape[1])
        classes, numbers = np.unique(labels, return_inverse=True)
        names: list[Any] = classes.tolist()
        # Where a tie is a prediction, only this says whether it was right.
        by_prediction = not (self._rule.tie_is_mistake or self._latest)
        block = _Block(X, weights, predictions or by_prediction, first_row)
        new = self._predict_new_class(block, names, numbers, 0)
        for start, stop, slots in class_segments(model, names, numbers):
            if new:
                self._learn(block, start, start + 1, slots)
            self._walk(block, start + new, stop, slots)
            new = self._predict_new_class(block, names, numbers, stop)
        mistakes = model.n_mistakes - mistakes_before
        if by_prediction:
            right = [names[k] for k in numbers.tolist()]
            pairs = zip(block.predictions, right, strict=True)
            block.wrong[:] = [found is None or found != label for found, label in pairs]
        told = block.predictions if predictions else []
        return OnlineResult(block.wrong, told, names, numbers, mistakes)

    def _predict_new_class(
        self, block: _Block, names: list[Any], numbers: npt.NDArray[Any], row: int
    ) -> bool:
        """Whether the class of a row is not known yet; if so, predict it before the class joins."""
        if row == len(numbers) or names[numbers[row]] in self.model.slots:
            return False
        if block.predictions:
            self._predict(block, row, self._scores(block, row))
        return True

    def _walk(
        self, block: _Block, start: int, stop: int, slots: npt.NDArray[np.int32] | None
    ) -> None:
        """Predict and learn rows of known classes."""
        if start == stop:
            return
        model = self.model
        if slots is None:
            # The only class there is was predicted, and there is nothing to learn.
            block.wrong[start:stop] = 0
            if block.predictions:
                block.predictions[start:stop] = model.classes * (stop - start)
        elif self._needs_scores(block):
            scores = self._room_for_scores(block)
            watch = learning.Watch(block.wrong, scores, latest=self._latest)
            self._learn(block, start, stop, slots, watch=watch)
            if scores is not None:
                self._predict(block, start, scores[start:stop])
        else:
            block.wrong[start:stop] = 0
            self._learn(block, start, stop, slots, learning.Tally(block.wrong))

    def _needs_scores(self, block: _Block) -> bool:
        """Whether learning does not tell by itself which rows were wrong, or more is wanted.

        Rows of weight 0 are not learned from, but predicted as all others.
        """
        has_weight_zero = block.weights is not None and not block.weights.all()
        other_predicts = self.model.weights.averaged or self.model.readouts is not None
        is_judged_by_other = other_predicts and not self._latest
        return bool(block.predictions) or has_weight_zero or is_judged_by_other

    def _room_for_scores(self, block: _Block) -> npt.NDArray[np.float64] | None:
        """For the rows of a block, if they are to be predicted."""
        k, n = self.model.weights.n_vectors, block.rows.n_rows
        return np.empty(n if k == 1 else (n, k)) if block.predictions else None

    def _predict(self, block: _Block, start: int, scores: npt.NDArray[np.float64]) -> None:
        """Note what is predicted for the rows from `start` on."""
        ties = "mistake" if self._rule.tie_is_mistake else "positive"
        labels = predicted_labels(self.model.classes, self.model.sorted_slots, scores, ties)
        block.predictions[start : start + len(labels)] = labels

    def _scores(self, block: _Block, row: int) -> npt.NDArray[np.float64]:
        """Scores of a row by the weights that predict."""
        self.model.weights.arrange(by_feature=block.rows.is_sparse)
        return self.model.score(block.part(row, row + 1))

    def _learn(
        self,
        block: _Block,
        start: int,
        stop: int,
        slots: npt.NDArray[np.int32] | None,
        tally: learning.Tally | None = None,
        watch: learning.Watch | None = None,
    ) -> None:
        """Learn from some rows, of classes that are known."""
        if slots is None:
            return
        model = self.model
        tally = tally or learning.Tally()
        model.weights.arrange(by_feature=block.rows.is_sparse)
        if model.readouts is not None:
            model.readouts.match(model.weights)
        note, log = model.recording(model.next_row - start), None
        if note is not None:
            room = max(LOG_CAPACITY, 2 * model.weights.n_vectors)
            log = log_for(self._rule, room)
        while start < stop:
            start = learning.learn(
                model.weights,
                self._rule,
                block.rows,
                slots,
                None,
                start,
                stop,
                block.weights,
                tally,
                log,
                watch,
                readouts=model.readouts,
            )
            if note is not None and log is not None:
                note(Entries.of(log))
                log.size = 0
            if tally.refused >= 0:
                break
        # What was learned before a row that is refused stays learned, and counted.
        model.n_mistakes += tally.mistakes
        if tally.refused >= 0:
            raise overflow_error(block.first_row + tally.refused, model.weights)


class _Block:
    """Some rows, whether each was predicted wrong and, if wanted, the predictions."""

    def __init__(
        self,
        X: Any,
        weights: npt.NDArray[np.float64] | None,
        predictions: bool,
        first_row: int,
    ) -> None:
        self.first_row, self.weights = first_row, weights
        self.arrays = row_arrays(X, np.float64)
        self.n_features = X.shape[1]
        self.rows: Rows = self.part(0, X.shape[0])
        inspect(self.rows)
        self.wrong = np.ones(self.rows.n_rows, np.int32)
        self.predictions: list[Any] = [None] * self.rows.n_rows if predictions else []

    def part(self, start: int, stop: int) -> Rows:
        """Some of the rows; nothing is copied."""
        return rows_between(self.arrays, self.n_features, start, stop)
