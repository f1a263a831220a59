"""The approximate large margin algorithm."""

from __future__ import annotations

import math

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.params import option


class ALMA(LinearLearner):
    """Approximate large margin algorithm: reaches a given share of the largest margin.

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

    Cost: every row needs its length, and an update costs what one of the perceptron does.

    Parameters
    ----------
    alpha : float, default=0.9
        Share of the largest margin that may be missed; smaller values take more updates.
    B : float or None, default=None
        Factor of the required margin: ``(1 - alpha) · B/√k`` at update k. None is ``1/alpha``.
    C : float or None, default=None
        Factor of the length of a step: ``C/√k`` at update k. None is ``√2``.
    readout : {"mix", "auto", "last", "average", "slow", "fast"} or None, default=None
        Weights that predict in a stream (``partial_fit``, ``learn_one``), whatever ``average`` is.
        "last": the current weights. "average": their mean over all examples. "slow" and "fast":
        their mean over about the last 1,000 and 100 examples. "auto": whichever of these made the
        fewest recent mistakes; a mistake counts half after 50 examples. "mix": the sum of the last
        weights and of the last, average, slow and fast weights of a cautious passive-aggressive
        learner, each weighted by how few recent mistakes it made. All of this takes three more
        numbers for each weight, a mix four. ``fit`` ignores it.
    average : {False, True, "tail"}, default=False
        Predict with the mean of the weights after each example, not with the last weights. This
        takes a running sum for every weight, also in the model file. "tail" leaves out the first
        epochs of ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most
        half of all. Examples learned after ``fit`` join the mean.
    fit_intercept : bool, default=True
        Learn an intercept (bias). It counts as one more feature of value 1, also in ``‖x‖²``.
    binary_as_multiclass : bool, default=False
        Train two classes as three or more are trained: with one weight vector for each class, and
        the highest score predicts. By default two classes share one vector, the difference of the
        two.
    record : bool, default=False
        Record every update in ``ledger_``.
    n_jobs : int or None, default=None
        Number of threads that predict and score rows: None is 1, -1 all processors. Results are the
        same.
    tol : float or None, default=1e-4
        Stop once the run itself has proved that no margin above ``tol`` times the length of the
        longest row separates the rows. Rows that can be separated by a larger margin are never
        given up on. None never stops for this reason.
    ties : {"mistake", "positive"}, default="mistake"
        How a score of exactly 0 counts: as a mistake or as the positive class. If several of more
        than two classes share the highest score, "positive" predicts the last of them in
        ``classes_`` (while learning, the one that joined last).
    class_weight : dict, "balanced" or None, default=None
        Factor for the steps of each class, by label; "balanced" makes rare classes count as much as
        frequent ones.
    early_stopping : bool, default=False
        Hold out some rows, stop when accuracy on them no longer improves, and keep the best
        weights.
    validation_fraction : float, default=0.1
        Share of the rows to hold out, the same of every class.
    calibrate : bool, default=False
        Also fit probabilities, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid (with more than two classes a
        temperature) to their scores of the rows they have not seen. Weights and predictions stay
        the same; ``sample_weight`` counts and ``class_weight`` does not. ``partial_fit`` and
        ``learn_one`` keep what was fitted until a new class joins.
    max_iter : int, default=1000
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_iter_no_change : int, default=5
        Epochs to wait for an improvement before stopping: of the score on held-out rows, if there
        are any; otherwise of the number of mistakes, unless it is known to reach 0. Rules that aim
        at a margin also train so many epochs after the first one without a mistake.
    warm_start : bool, default=False
        Continue ``fit`` from the state of the last call, exactly as if it had not ended. If a
        learner has ``average="tail"`` or ``calibrate``, they count only the epochs of this
        call.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, lines elsewhere.

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
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, if a signal ended training
        on the command line, "interrupted".
    validation_scores_ : list of float
        Accuracy on the held-out examples after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    calibration_ : Calibration
        Parameters that turn scores into probabilities, with ``calibrate=True``: ``slope`` and
        ``offset``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two classes, a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the rows had names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How the columns of a file become features, if a loaded model has a schema or one was set.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    raw_coef_, raw_intercept_ : ndarray
        The last weights and biases, from which training continues, if the mean predicts.
    margin_ceiling_ : float
        Upper bound that the run has proved: no unit vector separates the rows (with a bias: the
        rows with a 1 appended) by a larger margin.
    support_ : ndarray of shape (n_support,)
        Rows that changed the weights in the last ``fit``; after `load` only with ``record=True``.
        It and ``dual_coef_`` do not exist if each weight has a rate of its own.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Coefficient of each of these rows: ``coef_`` is ``dual_coef_ @ X[support_]`` if training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, with ``record=True``.
    readout_ : str
        Which weights predict, if ``readout`` is set: "last", "average", "slow" or "fast". In a mix,
        which may also have "gentle" ones, those that count most.

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
        help="Share of the largest margin that may be missed; smaller values take more updates.",
    )
    B: float | None = option(
        default=None,
        above=0.0,
        in_studio=False,
        help="""
        Factor of the required margin: ``(1 - alpha) · B/√k`` at update k. None is ``1/alpha``.""",
    )
    C: float | None = option(
        default=None,
        above=0.0,
        in_studio=False,
        help="Factor of the length of a step: ``C/√k`` at update k. None is ``√2``.",
    )

    def rule(self) -> Rule:
        B = 1.0 / self.alpha if self.B is None else self.B
        C = math.sqrt(2.0) if self.C is None else self.C
        return Rule("ALMA", alpha=self.alpha, B=B, C=C, ties=self.ties)
