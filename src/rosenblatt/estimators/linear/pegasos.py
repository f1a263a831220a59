"""The support vector machine, one example at a time."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.params import option


class Pegasos(LinearLearner):
    """Minimizes the loss of a support vector machine by a step for each example.

    ``λ/2 ‖w‖² + mean of max(0, 1 - y (w·x + b))`` falls by steps of length ``η = 1/(λt)`` against
    its gradient on one example, where t counts the examples:

    - ``w *= 1 - 1/t``, at every example,
    - ``w += η y x`` where the margin was below 1.

    The bias is the weight of a feature of value 1 and shrinks with the others. More than two
    classes: the right class moves away from the best wrong one, and the margin is the difference of
    their scores. The weight of a row multiplies its loss, so the step and not the shrinking; a row
    of weight 0 is left out, and t does not count it. The projection that the first version
    of the algorithm makes after each step is left out, as its authors do.

    The first example would multiply by 0. Zeros stay zeros, and ``coef_init`` is kept at t = 1;
    from then on it counts for as little as one example. With ``warm_start`` and ``partial_fit`` t
    goes on, so that late examples move the weights a little. ``fit`` ends once the mean loss of an
    epoch, each row's before it is learned, no longer falls by ``tol``. ``average=True`` or "tail"
    predicts with less noise than the last weights do.

    Cost: every example is asked, and one that changes the weights costs as much as for the
    perceptron; shrinking them costs nothing more.

    See Also
    --------
    ALMA : Asks for a share of the largest margin.
    PassiveAggressive : Steps as far as a row needs.
    sklearn.linear_model.SGDClassifier : Its hinge loss with an "optimal" learning rate is similar.

    References
    ----------
    S. Shalev-Shwartz, Y. Singer, N. Srebro and A. Cotter (2011), "Pegasos: primal estimated
    sub-gradient solver for SVM", Mathematical Programming 127.

    Examples
    --------
    The second example is right by more than 1 and only halves the weights.

    >>> from rosenblatt import Pegasos
    >>> svm = Pegasos(lambda_=0.5, fit_intercept=False)
    >>> svm.partial_fit([[1.0, 1.0]], [1], classes=[0, 1]).coef_.tolist()
    [[2.0, 2.0]]
    >>> svm.partial_fit([[-2.0, -1.0]], [0]).coef_.tolist()
    [[1.0, 1.0]]
    """

    lambda_: float = option(
        default=1e-4,
        above=0.0,
        label="Regularization λ",
        help="How much ``‖w‖²/2`` counts beside the mean loss; larger keeps weights shorter.",
    )

    def rule(self) -> Rule:
        return Rule("Pegasos", lambda_=self.lambda_, ties=self.ties)
