"""Soft confidence-weighted learning."""

from __future__ import annotations

import math

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.data_units import relative_to_data
from rosenblatt.estimators.linear.second_order import SecondOrderLearner
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits


class SCW(SecondOrderLearner):
    """Wants each row right by a margin that grows with its variance.

    Every weight has a variance ``σ``, 1 at first; a row has the margin ``m = y (w·x + b)`` and the
    variance ``v = Σ σ x²``. If the weights were drawn from such a normal distribution, the row
    would be right with probability ``eta`` where ``m = φ √v``, with ``φ`` the quantile of ``eta``.
    A row that falls short of it changes the model by ``w += y · τ · σ x`` and
    ``1/σ += τ φ x² / √u``, where ``√u = (√(τ²v²φ² + 4v) - τvφ) / 2`` and

    - CW: ``τ`` is the smallest step after which it holds,
    - SCW-I: as CW, but not above ``C``, so that one odd row cannot do much harm,
    - SCW-II: ``v + 1/2C`` stands for ``v`` where the step is damped.

    More than two classes: the right class moves away from the best wrong one, and ``v`` is the sum
    over both. A row that counts ``c`` times has ``c · C`` for ``C``.

    Cost: up to twice the perceptron's, and a second number for each weight.

    See Also
    --------
    AROW : Acts on margins below 1.
    PassiveAggressive : All weights are equally sure.

    References
    ----------
    J. Wang, P. Zhao and S. Hoi (2012), "Exact soft confidence-weighted learning", International
    Conference on Machine Learning 29. K. Crammer, M. Dredze and F. Pereira (2008), "Exact convex
    confidence-weighted learning", Advances in Neural Information Processing Systems 21. The matrix
    is diagonal here.

    Examples
    --------
    After one step of CW the row is right by ``φ √v``, which is 0.67 standard deviations.

    >>> from rosenblatt import SCW
    >>> scw = SCW(variant="CW", fit_intercept=False)
    >>> scw = scw.partial_fit([[2.0, 0.0]], ["yes"], classes=["no", "yes"])
    >>> margin, variance = scw.decision_function([[2.0, 0.0]])[0], 4 * scw.variance_[0, 0]
    >>> print(f"{margin:.2f} = {margin / variance**0.5:.2f} standard deviations")
    1.12 = 0.67 standard deviations
    """

    variant: str = option(
        default="I",
        choices=("CW", "I", "II"),
        label="Variant",
        help="How the step is limited.",
    )
    C: float = option(
        default=1.0,
        above=0.0,
        label="Aggressiveness C",
        help="How far a step may go; smaller is more cautious. CW does not use it.",
    )
    eta: float = option(
        default=0.75,
        above=0.5,
        below=1.0,
        label="Confidence η",
        help="The probability of being right that is wanted of every row, between 0.5 and 1.",
    )

    relative_to_data: bool = relative_to_data("C")

    def rule(self) -> Rule:
        from statistics import NormalDist

        # Rounded, because the logarithm in it may differ between machines in the last bit.
        phi = round(NormalDist().inv_cdf(self.eta), 12)
        name = "CW" if self.variant == "CW" else f"SCW-{self.variant}"
        return Rule(name, C=self.C, phi=phi, ties=self.ties)

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        # Of rows k times as long the margin and √v are, so τ is 1/k of what it was, and v is k².
        norm = units.squared_norm
        return {"C": self.C / (norm if self.variant == "II" else math.sqrt(norm))}
