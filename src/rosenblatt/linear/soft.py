"""Logistic regression, online."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import checks as check
from rosenblatt.core import rules
from rosenblatt.core.training import Training
from rosenblatt.linear._classifier import LinearClassifier

__all__ = ["SoftPerceptron"]


class SoftPerceptron(LinearClassifier):
    """Learns from every row, by the probability it gave to the wrong answer.

    The perceptron with a soft step: ``w += eta0 · σ(-y (w·x + b)) · y · x``, which is online
    logistic regression. More than two classes: each wrong class loses ``eta0 · p · x`` with ``p``
    its probability (softmax of the scores), and the right class gains all of it.

    Cost: every row changes the weights, so an epoch costs about twice that of the perceptron;
    with many classes all of them move.

    Parameters
    ----------
    eta0 : float, default=0.1
        Length of a step for a row that was surely wrong.
    fit_intercept : bool, default=True
        Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.
    max_iter : int, default=1000
        Most epochs of a ``fit``. Ending there with mistakes left is a `ConvergenceWarning`.
    tol : float or None, default=1e-4
        Give up once the run itself has proven that no hyperplane separates the rows by a margin
        above ``tol`` times the length of the longest row. Rows that can be separated by more are
        never given up on. None never gives up.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; the same seed gives the same bytes on every machine.
    ties : {"mistake", "positive"}, default="mistake"
        A score of exactly 0 counts as a mistake, or as the positive class; with more than two
        classes as the one listed last among the equals.
    class_weight : dict, "balanced" or None, default=None
        A factor for the steps of each class; "balanced" makes rare classes count as much.
    early_stopping : bool, default=False
        Hold out some rows, stop when they are no longer answered better, keep the best weights.
    validation_fraction : float, default=0.1
        The share of rows to hold out, of every class alike.
    n_iter_no_change : int, default=5
        Epochs to wait for a better score on the rows held out.
    warm_start : bool, default=False
        Let ``fit`` go on from the state of the last call, exactly as if it had not ended.
    record : bool, default=False
        Keep the ledger of all updates in ``ledger_``.
    verbose : int, default=0
        1 shows the progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two of them a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, when the rows came with names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How columns of a file become the features, if a loaded model knows it or it was set.
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Mistakes made, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    converged_ : bool
        Whether the last ``fit`` separated the rows.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "cycle", "early_stopping", "tolerance" or
        "max_iter".
    margin_ceiling_ : float
        Proven by the run: no unit vector separates the rows (with a bias: the rows with a 1
        appended) by a margin above this.
    support_ : ndarray of shape (n_support,)
        Rows that moved the weights in the last ``fit``.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        How much each of them did: ``coef_`` is ``dual_coef_ @ X[support_]`` when training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, when ``record=True``.
    validation_scores_ : list of float
        Accuracy on the rows held out after each epoch, with early stopping.
    best_iter_ : int
        The epoch whose weights were kept, with early stopping.

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

    _rule_settings = attrgetter("eta0", "ties")

    def __init__(
        self,
        *,
        eta0: float = 0.1,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        ties: str = "mistake",
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        record: bool = False,
        verbose: int = 0,
    ) -> None:
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.ties = ties
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.record = record
        self.verbose = verbose

    def _rule(self) -> rules.Rule:
        check.number("eta0", self.eta0, above=0.0, cure="It is the length of the longest step.")
        return rules.soft(eta0=self.eta0, ties=self.ties)

    def _what_to_try(self, training: Training) -> str:
        return (
            f"{type(self).__name__} stopped at max_iter={self.max_iter} with "
            f"{training.mistakes_per_epoch[-1]} mistakes in the last epoch. It learns from every "
            "row, so where classes overlap it ends no other way. A larger max_iter, another eta0 "
            "or scaled features may still help; early_stopping=True ends in time."
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

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The logarithm of the probability of each class for each row."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.zeros((len(scores), 1))
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
