"""Soft confidence-weighted learning."""

from __future__ import annotations

import math

from rosenblatt.arrays import AnyFloatArray
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.base import of_whole_state
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.shared_options import relative_to_data
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits


class SCW(LinearLearner):
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

    Parameters
    ----------
    variant : {"CW", "I", "II"}, default="I"
        How the step is limited.
    C : float, default=1.0
        How far a step may go; smaller is more cautious. CW does not use it.
    eta : float, default=0.75
        The probability of being right that is wanted of every row, between 0.5 and 1.
    relative_to_data : bool, default=False
        Let C count relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows stay as they are, and the mean is kept for what is learned later. Without ``fit``
        the rows of the first ``partial_fit`` count.
    readout : {"mix", "auto", "last", "average", "slow", "fast"} or None, default=None
        Of a stream (``partial_fit``, ``learn_one``): which weights predict, whatever ``average``
        says. "last": as they are now, "average": their mean over all examples, "slow" and "fast":
        over about the last 1,000 and 100. "auto": whichever made the fewest mistakes of late, where
        one counts half after 50 examples. It takes three numbers beside every weight. "mix": the
        last weights, and last, average, slow and fast of a gentle passive-aggressive learner beside
        them, summed by how few mistakes each made of late. ``fit`` ignores it.
    average : {False, True, "tail"}, default=False
        Predict with the mean of the weights after each example, not with the last ones. It takes a
        running sum beside every weight, also in the file. "tail" leaves out the first epochs of
        ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most half of
        all. What is learned after ``fit`` joins the mean.
    fit_intercept : bool, default=True
        Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.
    binary_as_multiclass : bool, default=False
        Learn two classes as more are learned: a weight vector for each, and the one with the best
        score is predicted. By default one vector, their difference, tells them apart.
    record : bool, default=False
        Keep the ledger of all updates in ``ledger_``.
    n_jobs : int or None, default=None
        Threads that predict and score rows; None is 1, -1 all processors. The results are the same.
    tol : float or None, default=1e-4
        Give up once the run itself has proven that nothing separates the rows by a margin above
        ``tol`` times the length of the longest row. Rows that can be separated by more are never
        given up on. None never gives up.
    ties : {"mistake", "positive"}, default="mistake"
        A score of exactly 0 counts as a mistake, or as the positive class; with more than two
        classes as the one listed last among the equals (while learning, the one that joined last).
    class_weight : dict, "balanced" or None, default=None
        A factor for the steps of each class; "balanced" makes rare classes count as much.
    early_stopping : bool, default=False
        Hold out some rows, stop when they are no longer predicted better, keep the best weights.
    validation_fraction : float, default=0.1
        The share of rows to hold out, of every class alike.
    calibrate : bool, default=False
        Fit probabilities, too, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid, with more than two classes a
        temperature, to their scores of the rows they did not see. Weights and predictions stay as
        they are; ``sample_weight`` counts and ``class_weight`` does not. Calls of ``partial_fit``
        and ``learn_one`` keep what was fitted, until a class joins.
    max_iter : int, default=1000
        Most epochs of a ``fit``. Ending there with mistakes left is a `ConvergenceWarning`.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_iter_no_change : int, default=5
        Epochs to wait for a better score on the held-out rows; without these for fewer mistakes,
        where nothing promises that they end or a proof says that they will not; and with none, for
        larger margins.
    warm_start : bool, default=False
        Let ``fit`` go on from the state of the last call, exactly as if it had not ended. Where
        a learner has ``average="tail"`` or ``calibrate``, these count the epochs of this call
        alone.
    verbose : int, default=0
        1 shows the progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Mistakes made, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples given to the last ``fit`` are predicted right: ``n_training_errors_``
        is 0.
    n_training_errors_ : int
        How many of the examples given to the last ``fit``, those held out included, the weights
        that predict misclassify. Unknown once learning goes on by other calls.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, in a model of the shell
        that a signal ended, "interrupted".
    validation_scores_ : list of float
        Accuracy on the examples held out after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    calibration_ : Calibration
        What makes probabilities of scores, with ``calibrate=True``: ``slope`` and ``offset``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two of them a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, when the rows came with names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How columns of a file become the features, if a loaded model knows it or it was set.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    raw_coef_, raw_intercept_ : ndarray
        The last weights and biases, from which training goes on, where the mean predicts.
    margin_ceiling_ : float
        Proven by the run: no unit vector separates the rows (with a bias: the rows with a 1
        appended) by a margin above this.
    support_ : ndarray of shape (n_support,)
        Rows that moved the weights in the last ``fit``; after `load` with ``record=True`` alone.
        Neither it nor ``dual_coef_`` is there where weights have rates of their own.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        How much each of them did: ``coef_`` is ``dual_coef_ @ X[support_]`` when training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, when ``record=True``.
    readout_ : str
        Which weights predict: "last", "average", "slow" or "fast", and "gentle" of a mix, where it
        is those that count most; if ``readout`` is set.
    variance_ : ndarray, shaped like ``coef_``
        How unsure each weight is: 1 at first, less with every update of its feature.

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

    @property
    @of_whole_state
    def variance_(self) -> AnyFloatArray:
        """How unsure each weight is, from 1 downwards."""
        return self._variances()
