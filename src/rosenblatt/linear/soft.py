"""Logistic regression, online."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.result import FitResult
from rosenblatt.learner.inputs import one_row
from rosenblatt.learner.options import option
from rosenblatt.linear.linear_learner import LinearLearner


class SoftPerceptron(LinearLearner):
    """Learns from every row, by the probability it gave to the wrong label.

    The perceptron with a soft step: ``w += eta0 · σ(-y (w·x + b)) · y · x``, which is online
    logistic regression. More than two classes: each wrong class loses ``eta0 · p · x`` with ``p``
    its probability (softmax of the scores), and the right class gains all of it.

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
    sure of 55%: 99.6% right; the others: 83.3%
    """

    eta0: float = option(
        default=0.1,
        above=0.0,
        cure="It is the length of the longest step.",
        label="Learning rate η",
        help="Length of a step for a row that was surely wrong.",
    )

    def rule(self) -> Rule:
        return Rule("soft", eta=self.eta0, ties=self.ties)

    def _what_to_try(self, result: FitResult) -> str:
        return (
            ". It learns from every row, so where classes overlap it ends no other way. A larger "
            "max_iter, another eta0 or scaled features may still help; early_stopping=True ends in "
            "time."
        )

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The probability of each class for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each class for one example; empty before any was learned.

        Parameters
        ----------
        x : mapping {feature: value} or array-like of shape (n_features,)

        Returns
        -------
        probabilities : dict
            By class, in the order of ``classes_``.
        """
        if "_model" not in vars(self) or not self._model.classes:
            return {}
        found = self.predict_proba(one_row(x))[0]
        return dict(zip(self.classes_.tolist(), found.tolist(), strict=True))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The logarithm of the probability of each class for each row."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.zeros((len(scores), 1))
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
