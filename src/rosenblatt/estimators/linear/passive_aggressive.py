"""The passive-aggressive family."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.data_units import relative_to_data
from rosenblatt.estimators.linear.linear_classifier import averaging
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits


class PassiveAggressive(LinearLearner):
    """Steps exactly as far as a row needs to be right by 1, and no farther.

    With the loss ``l = max(0, 1 - y (w·x + b))`` the step ``w += τ y x`` has the length

    - PA: ``τ = l / ‖x‖²``,
    - PA-I: ``τ = min(C, l / ‖x‖²)``, so that one odd row cannot do much harm,
    - PA-II: ``τ = l / (‖x‖² + 1/2C)``, softer still.

    More than two classes: the right class moves away from the best wrong one, the loss is
    ``1 - (score - best wrong score)`` and ``‖x‖²`` counts twice.

    Cost: as the perceptron.

    See Also
    --------
    MIRA : Acts on mistakes only.
    Perceptron : Takes steps of equal length.

    References
    ----------
    K. Crammer et al. (2006), "Online passive-aggressive algorithms", Journal of Machine Learning
    Research 7.

    Examples
    --------
    The same row pulls less and less hard the more it is damped.

    >>> from rosenblatt import PassiveAggressive
    >>> for variant in ("PA", "PA-I", "PA-II"):
    ...     pa = PassiveAggressive(variant=variant, C=0.25, fit_intercept=False)
    ...     pa = pa.partial_fit([[1.0, 1.0]], [1], classes=[0, 1])
    ...     print(variant, pa.coef_.tolist())
    PA [[0.5, 0.5]]
    PA-I [[0.25, 0.25]]
    PA-II [[0.25, 0.25]]
    """

    variant: str = option(
        default="PA-I",
        choices=("PA", "PA-I", "PA-II"),
        label="Variant",
        help="How the step is limited.",
    )
    C: float = option(
        default=1.0,
        above=0.0,
        label="Aggressiveness C",
        help="How far a step may go; smaller is more cautious. PA does not use it.",
    )

    average: bool | str = averaging(default=True)
    relative_to_data: bool = relative_to_data("C")

    def rule(self) -> Rule:
        return Rule(self.variant, C=self.C, ties=self.ties)

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"C": self.C / units.squared_norm}
