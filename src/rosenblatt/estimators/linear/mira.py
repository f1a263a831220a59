"""The margin-infused relaxed algorithm."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.params import option


class MIRA(LinearLearner):
    """Makes, on a mistake, the smallest change after which the row is right by 1.

    ``w += τ y x`` with ``τ = (1 - y (w·x + b)) / ‖x‖²`` on every mistake; with ``aggressive=p``
    also on rows that are right by less than ``p``. More than two classes: the right class moves
    away from the best wrong one, ``τ = (1 - margin) / 2‖x‖²``, where the margin is the
    difference of their scores.

    Cost: as the perceptron.

    See Also
    --------
    PassiveAggressive : Acts on every margin below 1.
    Perceptron : Takes steps of equal length.

    References
    ----------
    K. Crammer and Y. Singer (2003), "Ultraconservative online algorithms for multiclass
    problems", Journal of Machine Learning Research 3.

    Examples
    --------
    After one step the row is right by exactly 1.

    >>> from rosenblatt import MIRA
    >>> m = MIRA(fit_intercept=False).partial_fit([[3.0, 4.0]], ["yes"], classes=["no", "yes"])
    >>> m.coef_.tolist(), m.decision_function([[3.0, 4.0]]).tolist()
    ([[0.12, 0.16]], [1.0])
    """

    aggressive: float | None = option(
        default=None,
        at_least=0.0,
        at_most=1.0,
        cure="A step aims at a margin of 1, so it cannot start from more.",
        label="Also when right by less than",
        help="Learn also from rows that are right by less than this, from 0 to 1. 1 is PA.",
    )

    def rule(self) -> Rule:
        return Rule("mira", threshold=self.aggressive or 0.0, ties=self.ties)
