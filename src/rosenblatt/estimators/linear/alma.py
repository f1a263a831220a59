"""The approximate large margin algorithm."""

from __future__ import annotations

import math

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.params import option


class ALMA(LinearLearner):
    """Comes as close to the largest margin as is asked for, without solving a quadratic program.

    Every row counts as if its length were 1, ``x̂ = x / ‖x‖`` (with a bias: ``‖(x, 1)‖``). Update
    number k is made at a margin ``y (w·x̂) <= (1 - alpha) · B/√k``:

    - ``w += C/√k · y · x̂``,
    - ``w /= max(1, ‖w‖)``.

    So the margin that is asked for and the steps become smaller with every update, and the weights
    stay in the ball of radius 1. More than two classes: the right class moves away from the best
    wrong one, the margin is the difference of their scores and ``‖x‖²`` counts twice; ``‖w‖`` is
    that of all vectors together. A weight of a row below 1 shortens its step; a larger one does not
    lengthen it, since nothing would be left of the rows before. Weights to start from may be longer
    than 1; the first update brings them back.

    Let γ* be the largest margin that a w of length 1 has on all x̂, and above 0. With
    ``B = √8/alpha`` and ``C = √2`` there are at most ``2/γ*² · (2/alpha - 1)² + 8/alpha - 4``
    updates, however long it runs, and once a whole epoch makes none every row has a margin of at
    least ``(1 - alpha) γ*`` (`theory.alma_bound`). ``fit`` ends ``n_iter_no_change`` epochs after
    the last gain; a large one lets it run until there is nothing to update.

    Cost: every row is asked for its length, and an update costs what one of the perceptron does.

    See Also
    --------
    Pegasos : Finds the margin of a support vector machine.
    Perceptron : ``margin`` asks every row for the same margin.

    References
    ----------
    C. Gentile (2001), "A new approximate maximal margin classification algorithm", Journal of
    Machine Learning Research 2. This is ALMA with p = 2.

    Examples
    --------
    >>> from rosenblatt import ALMA
    >>> alma = ALMA(alpha=0.5, fit_intercept=False)
    >>> alma.partial_fit([[3.0, 4.0]], [1], classes=[0, 1]).coef_.round(2).tolist()
    [[0.6, 0.8]]
    >>> alma.partial_fit([[4.0, -3.0]], [1]).coef_.round(2).tolist()
    [[0.99, 0.14]]
    """

    alpha: float = option(
        default=0.9,
        above=0.0,
        at_most=1.0,
        label="Margin given up α",
        help="The share of the largest margin that may be missed; small ones take more updates.",
    )
    B: float | None = option(
        default=None,
        above=0.0,
        in_studio=False,
        help="The margin asked for is ``(1 - alpha) · B/√k``; None is ``1/alpha``.",
    )
    C: float | None = option(
        default=None,
        above=0.0,
        in_studio=False,
        help="The step of update k is ``C/√k`` long; None is ``√2``.",
    )

    def rule(self) -> Rule:
        B = 1.0 / self.alpha if self.B is None else self.B
        C = math.sqrt(2.0) if self.C is None else self.C
        return Rule("ALMA", alpha=self.alpha, B=B, C=C, ties=self.ties)
