"""Logistic regression, online."""

from __future__ import annotations

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.result import FitResult
from rosenblatt.learner.options import option
from rosenblatt.linear.linear_classifier import averaging
from rosenblatt.linear.linear_learner import LinearLearner
from rosenblatt.linear.second_order import step_lengths


class SoftPerceptron(LinearLearner):
    """Learns from every row, by the probability it gave to the wrong label.

    The perceptron with a soft step: ``w += eta0 · σ(-y (w·x + b)) · y · x``, which is online
    logistic regression. More than two classes: each wrong class loses ``eta0 · p · x`` with ``p``
    its probability (softmax of the scores), and the right class gains all of it. With
    ``steps="adagrad"`` they do so one after the other, and each weight has its own step.

    Cost: every row changes the weights, so an epoch costs about twice that of the perceptron;
    with many classes all of them move.

    See Also
    --------
    Perceptron : The hard step: mistakes only.
    sklearn.linear_model.LogisticRegression : Batch solver with a penalty.

    Examples
    --------
    Its probabilities mean something: where it is sure of a digit, it is nearly always right.

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from rosenblatt import SoftPerceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> A, B, a, b = train_test_split(X / 16, y, random_state=0)
    >>> soft = SoftPerceptron().partial_fit(A, a)
    >>> sure, right = soft.predict_proba(B).max(axis=1) > 0.9, soft.predict(B) == b
    >>> print(f"sure of {sure.mean():.0%}: {right[sure].mean():.1%} right; "
    ...       f"the others: {right[~sure].mean():.1%}")
    sure of 20%: 100.0% right; the others: 90.5%
    """

    eta0: float = option(
        default=0.1,
        above=0.0,
        cure="It is the length of the longest step.",
        label="Learning rate η",
        help="Length of a step for a row that was surely wrong.",
    )

    steps: str = step_lengths()
    average: bool | str = averaging(default=True)
    scores_are_log_odds = True

    def rule(self) -> Rule:
        adagrad = self.steps == "adagrad"
        return Rule("soft", eta=self.eta0, ties=self.ties, adagrad=adagrad)

    def _what_to_try(self, result: FitResult) -> str:
        return (
            ". It learns from every row, so where classes overlap it ends no other way. A larger "
            "max_iter, another eta0 or scaled features may still help; early_stopping=True ends in "
            "time."
        )
