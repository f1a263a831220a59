"""Logistic regression, online."""

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
    """Learns from every row, by the probability it gave to the wrong label.

    The perceptron with a soft step: ``w += η · σ(-y (w·x + b)) · y · x``, which is online logistic
    regression. ``η`` is ``eta0 / √(1 + epoch)``, and on long rows no more than ``max_move / ‖x‖²``.
    More than two classes: each wrong class loses ``η · p · x`` with ``p`` its probability (softmax
    of the scores), and the right class gains all of it. With ``steps="adagrad"`` they do so one
    after the other, and each weight has its own step, which no schedule shortens. Training ends by
    the log loss: rows that are all right still teach how sure to be.

    Cost: every row changes the weights and takes an exponential, so an epoch costs two (784 dense
    columns) to seven times (20) that of the perceptron; with many classes all of them move.

    Parameters
    ----------
    eta0 : float, default=0.5
        Length of a step for a row that was surely wrong.
    steps : {"constant", "adagrad"}, default="constant"
        "adagrad" divides the step of each weight by the root of the sum of its squared gradients so
        far, this one included: frequent features move less and less, and large columns do less
        harm. There is then no dual form and no bound on mistakes.
    schedule : {"inverse_sqrt", "constant"}, default="inverse_sqrt"
        How steps shorten from epoch to epoch of ``fit``: "inverse_sqrt" is ``eta0 / √(1 + epoch)``,
        the first being 0. What is learned later goes on with the length of the next epoch.
    max_move : float or None, default=1.0
        The most by which a row may move its own score: steps on longer rows are cut to
        ``max_move / ‖x‖²``. None has no limit.
    tol : float or None, default=0.001
        End ``fit`` once ``n_iter_no_change`` epochs have not lowered the mean log loss by more than
        this. It is that of each row before it is learned. None never gives up.
    average : {False, True, "tail"}, default="tail"
        Predict with the mean of the weights after each example, not with the last ones. It takes a
        running sum beside every weight, also in the file. "tail" leaves out the first epochs of
        ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most half of
        all. What is learned after ``fit`` joins the mean.
    relative_to_data : bool, default=False
        Let eta0 count relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
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
    fit_intercept : bool, default=True
        Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.
    binary_as_multiclass : bool, default=False
        Learn two classes as more are learned: a weight vector for each, and the one with the best
        score is predicted. By default one vector, their difference, tells them apart.
    record : bool, default=False
        Keep the ledger of all updates in ``ledger_``.
    n_jobs : int or None, default=None
        Threads that predict and score rows; None is 1, -1 all processors. The results are the same.
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
        help="Length of a step for a row that was surely wrong.",
    )

    steps: str = step_lengths()
    schedule: str = option(
        default="inverse_sqrt",
        choices=("inverse_sqrt", "constant"),
        label="Steps",
        help="""
        How steps shorten from epoch to epoch of ``fit``: "inverse_sqrt" is ``eta0 / √(1 + epoch)``,
        the first being 0. What is learned later goes on with the length of the next epoch.""",
    )
    max_move: float | None = option(
        default=1.0,
        above=0.0,
        label="Own score moves by at most",
        help="""
        The most by which a row may move its own score: steps on longer rows are cut to
        ``max_move / ‖x‖²``. None has no limit.""",
    )
    tol: float | None = option(
        default=1e-3,
        at_least=0.0,
        in_studio=False,
        help="""
        End ``fit`` once ``n_iter_no_change`` epochs have not lowered the mean log loss by more than
        this. It is that of each row before it is learned. None never gives up.""",
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
        """Return the length of a step after so many more epochs, if it changes from ``eta``."""
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
