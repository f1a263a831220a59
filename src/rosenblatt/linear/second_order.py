"""What the learners share that keep a variance for each weight."""

from __future__ import annotations

from rosenblatt.arrays import AnyFloatArray
from rosenblatt.core.model import LinearModel
from rosenblatt.linear.linear_learner import LinearLearner


class SecondOrderLearner(LinearLearner):
    """Base of the learners of the second order, whose weights have a variance each.

    Attributes
    ----------
    variance_ : ndarray, shaped like ``coef_``
        How unsure each weight is: 1 at first, less with every update of its feature.
    """

    @property
    def variance_(self) -> AnyFloatArray:
        """How unsure each weight is, from 1 downwards."""
        model: LinearModel = self._fitted()
        model.refuse_slim()
        return self._in_class_order(model.weights.matrix_rate)
