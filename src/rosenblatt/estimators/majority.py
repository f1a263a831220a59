"""What was learned beside the simplest of all predictions: always the most frequent class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt.estimators.targets import class_factors
from rosenblatt.models.classes import row_blocks
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.estimators.inputs import TrainingData
    from rosenblatt.models.result import FitResult


class MajorityBaseline(NamedTuple):
    """The errors of what predicts, and those of always predicting the most frequent class.

    They are counted by the weights of the rows, if these have some; on held-out rows if there are
    any, else on the rows learned from. ``errors`` is None where they are taken to be fewer.
    """

    label: Any
    of_majority: float
    errors: float | None
    held_out: bool

    @classmethod
    def of(cls, learner: Any, data: TrainingData, result: FitResult) -> Self | None:
        """What a fit came to; None if it was interrupted, or all rows are of one class.

        Learners whose predictions are dear count their errors only if the last epoch made as many
        mistakes.
        """
        if result.stop_reason == "interrupted":
            return None
        subset: Any = slice(None) if data.subset is None else data.subset
        model, labels, weights = learner._model, data.labels, data.weights
        # In blocks: NumPy counts copies of 64 bits.
        counted, heavy = labels[subset], None if weights is None else weights[subset]
        totals = sum(
            np.bincount(counted[some], None if heavy is None else heavy[some], len(model.classes))
            for some in row_blocks(len(counted), 1)
        )
        top, table = int(np.argmax(totals)), data.table
        if data.held_out is not None:
            (table, labels), weights = data.held_out, None
            if learner.class_weight is not None:
                given = learner.class_weight, model.classes, data.labels
                weights = class_factors(*given, all_known=True)[labels]
        others = labels != top
        lost = int(others.sum()) if weights is None else float(weights[others].sum())
        if not lost:
            return None
        errors: float | None = None
        if data.held_out is not None and weights is None:
            errors = round(len(labels) * (1 - max(learner.validation_scores_)))
        elif data.held_out is not None:
            errors = learner._misclassified(model, table, labels, weights)
        elif not learner.keeps_rows or result.mistakes_per_epoch[-1] >= others.sum():
            errors = learner.n_training_errors_
            if errors and weights is not None:
                errors = learner._misclassified(model, table, labels, weights)
        return cls(model.classes[top], lost, errors, data.held_out is not None)

    @property
    def is_beaten(self) -> bool:
        # Weights of the same rows may have been summed in another order.
        return not self.errors or self.errors < self.of_majority * (1 - 1e-9)

    def __str__(self) -> str:
        rows = "held-out rows" if self.held_out else "rows learned from"
        lost, errors = self.of_majority, self.errors or 0
        words = f"errors of weight {errors:,.4g} on the {rows}, where that has {lost:,.4g}"
        if isinstance(lost, int):
            words = f"{count(int(errors), 'error')} on the {rows}, where that makes {lost:,}"
        return f"no better than always predicting {self.label}: {words}"
