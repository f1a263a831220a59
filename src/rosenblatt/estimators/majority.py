"""The baseline of every fit: always predicting the most frequent class."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from rosenblatt.estimators.targets import class_factors
from rosenblatt.models.classes import row_blocks
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.estimators.inputs import TrainingData
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.models.result import FitResult


class MajorityBaseline(NamedTuple):
    """Errors of a learner, compared with those of always predicting the most frequent class.

    They are weighted if the rows have weights, and counted on held-out rows if there are any,
    otherwise on the training rows. ``errors`` is None if they are assumed to be fewer.
    """

    label: Hashable
    of_majority: float
    errors: float | None
    held_out: bool

    @classmethod
    def of(cls, learner: RowClassifier, data: TrainingData, result: FitResult) -> Self | None:
        """Compare a fit with the baseline; None if it was interrupted or all rows have one class.

        Learners whose predictions cost much count their errors only if the last epoch made as many
        mistakes.
        """
        if result.stop_reason == "interrupted":
            return None
        model = learner._fitted()
        most_frequent = _most_frequent(data, len(model.classes))

        table = data.table
        labels = data.labels
        weights = data.weights
        if data.held_out is not None:
            table, labels = data.held_out
            weights = None
            if learner.class_weight is not None:
                factors = class_factors(
                    learner.class_weight, model.classes, data.labels, all_known=True
                )
                weights = factors[labels]

        others = labels != most_frequent
        of_majority = int(others.sum()) if weights is None else float(weights[others].sum())
        if not of_majority:
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
        return cls(model.classes[most_frequent], of_majority, errors, data.held_out is not None)

    @property
    def is_beaten(self) -> bool:
        """Whether the learner makes fewer errors than the baseline."""
        # Weights of the same rows may have been summed in another order.
        return not self.errors or self.errors < self.of_majority * (1 - 1e-9)

    def __str__(self) -> str:
        rows = "held-out rows" if self.held_out else "rows learned from"
        errors = self.errors or 0
        if isinstance(self.of_majority, int):
            found = count(int(errors), "error")
            words = f"{found} on the {rows}, where that makes {self.of_majority:,}"
        else:
            found = f"errors of weight {errors:,.4g}"
            words = f"{found} on the {rows}, where that has {self.of_majority:,.4g}"
        return f"no better than always predicting {self.label}: {words}"


def _most_frequent(data: TrainingData, n_classes: int) -> int:
    """Return the index of the class with the largest total weight of training rows."""
    labels = data.labels
    weights = data.weights
    if data.subset is not None:
        labels = labels[data.subset]
        if weights is not None:
            weights = weights[data.subset]

    totals: AnyArray | int = 0
    # In blocks: NumPy counts copies of 64 bits.
    for some in row_blocks(len(labels), 1):
        own = None if weights is None else weights[some]
        totals = totals + np.bincount(labels[some], own, n_classes)
    return int(np.argmax(totals))
