"""Adaptive regularization of weights."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.data_units import relative_to_data
from rosenblatt.estimators.linear.second_order import SecondOrderLearner
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits


class AROW(SecondOrderLearner):
    """Moves weights far that few examples have moved, and makes them a little surer each time.

    Every weight has a variance ``σ``, 1 at first. An example with a margin ``m = y (w·x + b)``
    below 1 has the variance ``v = Σ σ x²`` and changes the model by

    - ``w += y · (1 - m) / (v + r) · σ x``,
    - ``1/σ += x² / r``.

    So a rare feature moves more than one that is in every row, and later examples move less than
    the first ones. More than two classes: the right class moves away from the best wrong one, and
    ``v`` is the sum over both. A row that counts ``c`` times has ``r / c`` for ``r``.

    Cost: up to twice the perceptron's, and a second number for each weight.

    See Also
    --------
    SCW : Demands a margin that grows with the variance.
    PassiveAggressive : All weights are equally sure.

    References
    ----------
    K. Crammer, A. Kulesza and M. Dredze (2009), "Adaptive regularization of weight vectors",
    Advances in Neural Information Processing Systems 22. The matrix is diagonal here.

    Examples
    --------
    The first feature is in every row, the second in one of them: its weight stays unsure, and moves
    farther.

    >>> from rosenblatt import AROW
    >>> X, y = [[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [1, 1, 0]
    >>> arow = AROW(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    >>> arow.coef_.round(2).tolist(), arow.variance_.tolist()
    ([[0.43, -0.71]], [[0.25, 0.5]])
    """

    r: float = option(
        default=1.0,
        above=0.0,
        label="Regularization r",
        help="How much steps are damped, and how slowly weights become sure.",
    )

    relative_to_data: bool = relative_to_data("r")

    def rule(self) -> Rule:
        return Rule("AROW", r=self.r, ties=self.ties)

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"r": self.r * units.squared_norm}
