"""Online logistic regression."""

from __future__ import annotations

import math
from collections.abc import Callable

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.inputs import FitArguments, TrainingData
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.shared_options import averaging, relative_to_data, step_lengths
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.result import FitResult


class SoftPerceptron(LinearLearner):
    """Online logistic regression: a perceptron that learns from every row, with a soft step.

    The step ``w += η · σ(-y (w·x + b)) · y · x`` is proportional to the probability of the wrong
    label. ``η`` is ``eta0 / √(1 + epoch)``, and on long rows no more than ``max_move / ‖x‖²``. More
    than two classes: each wrong class loses ``η · p · x`` with ``p`` its probability (softmax of
    the scores), and the right class gains all of it. With ``steps="adagrad"`` they do so one after
    the other, and each weight has its own step, which no schedule shortens. Training ends by the
    log loss: rows that are all right still teach how sure to be.

    Cost: every row changes the weights and takes an exponential, so an epoch costs two (784 dense
    columns) to seven times (20) that of the perceptron; with many classes all of them move.

    Parameters
    ----------
    eta0 : float, default=0.5
        Length of the step for a row that is wrong with certainty.
    steps : {"constant", "adagrad"}, default="constant"
        Length of the steps: "constant" is the same for every weight; "adagrad" divides the step of
        each weight by the root of the sum of its squared gradients, the current one included.
        Frequent features then move less and less, and columns of large numbers do less harm; there
        is no dual form and no bound on the mistakes.
    schedule : {"inverse_sqrt", "constant"}, default="inverse_sqrt"
        How steps shrink from epoch to epoch of ``fit``: "inverse_sqrt" is ``eta0 / √(1 + epoch)``,
        counting from 0; "constant" is ``eta0``. Examples learned after ``fit`` take the step of the
        next epoch.
    max_move : float or None, default=1.0
        Maximum change of a row's own score by one step: longer rows take the step
        ``max_move / ‖x‖²``. None has no limit.
    tol : float or None, default=0.001
        Stop ``fit`` once ``n_iter_no_change`` epochs have not lowered the mean log loss by more
        than this. The loss of each row is measured before it is learned. None never stops for this
        reason.
    average : {False, True, "tail"}, default="tail"
        Predict with the mean of the weights after each example, not with the last weights. This
        takes a running sum for every weight, also in the model file. "tail" leaves out the first
        epochs of ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most
        half of all. Examples learned after ``fit`` join the mean.
    relative_to_data : bool, default=False
        Measure eta0 relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows are not changed, and the mean is kept for later calls. Without ``fit`` the rows of
        the first ``partial_fit`` count.
    readout : {"mix", "auto", "last", "average", "slow", "fast"} or None, default=None
        Weights that predict in a stream (``partial_fit``, ``learn_one``), whatever ``average`` is.
        "last": the current weights. "average": their mean over all examples. "slow" and "fast":
        their mean over about the last 1,000 and 100 examples. "auto": whichever of these made the
        fewest recent mistakes; a mistake counts half after 50 examples. "mix": the sum of the last
        weights and of the last, average, slow and fast weights of a cautious passive-aggressive
        learner, each weighted by how few recent mistakes it made. All of this takes three more
        numbers for each weight, a mix four. ``fit`` ignores it.
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
    >>> soft = SoftPerceptron().fit(A, a)
    >>> sure, right = soft.predict_proba(B).max(axis=1) > 0.9, soft.predict(B) == b
    >>> print(f"sure of {sure.mean():.0%}: {right[sure].mean():.1%} right; "
    ...       f"the others: {right[~sure].mean():.1%}")
    sure of 88%: 99.5% right; the others: 72.2%
    """

    eta0: float = option(
        default=0.5,
        above=0.0,
        cure="It is the length of the longest step.",
        label="Learning rate η",
        help="Length of the step for a row that is wrong with certainty.",
    )

    steps: str = step_lengths()
    schedule: str = option(
        default="inverse_sqrt",
        choices=("inverse_sqrt", "constant"),
        label="Steps",
        help="""
        How steps shrink from epoch to epoch of ``fit``: "inverse_sqrt" is ``eta0 / √(1 + epoch)``,
        counting from 0; "constant" is ``eta0``. Examples learned after ``fit`` take the step of the
        next epoch.""",
    )
    max_move: float | None = option(
        default=1.0,
        above=0.0,
        label="Own score moves by at most",
        help="""
        Maximum change of a row's own score by one step: longer rows take the step
        ``max_move / ‖x‖²``. None has no limit.""",
    )
    tol: float | None = option(
        default=1e-3,
        at_least=0.0,
        in_studio=False,
        help="""
        Stop ``fit`` once ``n_iter_no_change`` epochs have not lowered the mean log loss by more
        than this. The loss of each row is measured before it is learned. None never stops for this
        reason.""",
    )
    average: bool | str = averaging(default="tail")
    relative_to_data: bool = relative_to_data("eta0")
    scores_are_log_odds = True

    def rule(self) -> Rule:
        adagrad = self.steps == "adagrad"
        most = math.inf if self.max_move is None or adagrad else self.max_move
        return Rule("soft", eta=self.eta0, C=most, ties=self.ties, adagrad=adagrad)

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"eta0": self.eta0 * units.step_length(adagrad=self.steps == "adagrad")}

    def _eta_after(self, model: LinearModel, eta: float) -> Callable[[int], float] | None:
        """Return a function from further epochs to the length of a step; None if it is constant."""
        before = 1 + model.n_epochs
        if self.schedule == "constant" or self.steps == "adagrad":
            return None
        return lambda n: eta / math.sqrt(before + n)

    def _rule_for(self, model: LinearModel) -> Rule:
        rule = super()._rule_for(model)
        eta_after = self._eta_after(model, rule.eta)
        if eta_after is not None:
            rule.set_eta(eta_after(0))
        return rule

    def _trainer(
        self, model: LinearModel, data: TrainingData, given: FitArguments
    ) -> LinearTrainer:
        trainer = super()._trainer(model, data, given)
        trainer.eta_after = self._eta_after(model, super()._rule_for(model).eta)
        return trainer

    def _what_to_try(self, result: FitResult) -> str:
        return (
            ". Its log loss was still falling: a larger max_iter, a larger eta0 or scaled features "
            "may help; a larger tol or early_stopping=True ends in time."
        )
