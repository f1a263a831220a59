"""Rosenblatt's rule."""

from __future__ import annotations

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.learner.options import option
from rosenblatt.linear.linear_classifier import learning_rate
from rosenblatt.linear.linear_learner import LinearLearner

__all__ = ["Perceptron"]


class Perceptron(LinearLearner):
    """Learns from its mistakes, and from nothing else.

    An example with ``y (w·x + b) <= 0`` is misclassified and changes the model by
    ``w += eta0 · y · x`` and ``b += eta0 · y``; all others leave it alone. With more than two
    classes there is one weight vector each, and the class with the highest score is the prediction;
    on a mistake the right class gains ``eta0 · x`` and the predicted class loses it. At a tie the
    right class gains and no other loses. Training ends at the first epoch without a mistake, after
    at most ``R²/γ²`` mistakes if the classes are linearly separable with margin ``γ`` (``R``: the
    length of the longest example; with a bias both are those of the examples with a 1 appended).

    Cost: an epoch reads each stored value once; memory is one weight per feature and class.

    See Also
    --------
    AveragedPerceptron : Predicts with the mean weights; steadier.
    PassiveAggressive : Steps exactly as far as needed.
    SoftPerceptron : Learns from every row, gives probabilities.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron", Psychological Review 65.
    A. Novikoff (1962), "On convergence proofs on perceptrons".

    Examples
    --------
    Six points of a lecture: mistakes on the first, third and fifth, then none.

    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False)
    >>> p = p.fit(X, [-1, 1, 1, -1, -1, 1])
    >>> p.mistakes_per_epoch_, p.stop_reason_, p.coef_.tolist()
    ([3, 0], 'separated', [[3.0, 1.0]])
    """

    eta0: float = learning_rate()
    margin: float = option(
        default=0.0,
        at_least=0.0,
        label="Margin",
        help="Learn also from rows that are right by no more than this (the margin perceptron).",
    )

    def rule(self) -> Rule:
        return Rule("perceptron", eta=self.eta0, threshold=self.margin, ties=self.ties)
