"""What the learners share whose weights have a rate each: variances, and steps of AdaGrad."""

from __future__ import annotations

from typing import Any

from rosenblatt.arrays import AnyFloatArray
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.outcome import of_whole_state
from rosenblatt.estimators.params import option
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.weights import RATE


def step_lengths() -> Any:
    """The option ``steps`` of the learners with a learning rate."""
    return option(
        default="constant",
        choices=("constant", "adagrad"),
        label="Steps",
        help="""
        "adagrad" divides the step of each weight by the root of the sum of its squared gradients so
        far, this one included: frequent features move less and less, and large columns do less
        harm. There is then no dual form and no bound on mistakes.""",
    )


class SecondOrderLearner(LinearLearner):
    """Base of the learners of the second order, whose weights have a variance each.

    Attributes
    ----------
    variance_ : ndarray, shaped like ``coef_``
        How unsure each weight is: 1 at first, less with every update of its feature.
    """

    @property
    @of_whole_state
    def variance_(self) -> AnyFloatArray:
        """How unsure each weight is, from 1 downwards."""
        model: LinearModel = self._fitted()
        model.refuse_slim()
        return self._in_class_order(model.weights.plane(RATE).table)
