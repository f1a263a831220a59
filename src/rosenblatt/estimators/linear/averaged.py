"""The perceptron that predicts with its mean."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_classifier import averaging, learning_rate
from rosenblatt.estimators.linear.linear_learner import LinearLearner


class AveragedPerceptron(LinearLearner):
    """Trains as the perceptron does and predicts with the mean of all its weight vectors.

    ``w̄ = (1/T) Σ w_t``, the mean of the weights after each of the ``T`` examples seen, so that a
    vector counts for as long as it survived. Kept as a running sum that only mistakes touch:
    ``u += c · y · x`` with ``c`` the examples seen before, and ``w̄ = w - u/T``.

    It is ``Perceptron(average=True)`` under the name of the papers.

    Cost: as the perceptron, plus a second vector; sparse rows cost only their stored values.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Mean weights.

    See Also
    --------
    Perceptron : Predicts with the last weights.
    VotedPerceptron : Lets every weight vector vote.

    References
    ----------
    Y. Freund and R. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.

    Examples
    --------
    After one pass over the digits the mean errs less than half as often as the last weights.

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from rosenblatt import AveragedPerceptron, Perceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> A, B, a, b = train_test_split(X, y, random_state=0)
    >>> for learner in (Perceptron(), AveragedPerceptron()):
    ...     print(f"{1 - learner.partial_fit(A, a).score(B, b):.3f}")
    0.169
    0.067
    """

    eta0: float = learning_rate()

    average: bool | str = averaging(default=True, choices=(True, "tail"))

    def rule(self) -> Rule:
        return Rule("perceptron", eta=self.eta0, ties=self.ties)
