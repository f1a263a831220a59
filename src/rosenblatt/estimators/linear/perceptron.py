"""Rosenblatt's perceptron."""

from __future__ import annotations

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.estimators.inputs import FitArguments, TrainingData
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.shared_options import (
    learning_rate,
    relative_to_data,
    step_lengths,
)
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.result import Pocket


class Perceptron(LinearLearner):
    """Rosenblatt's perceptron, which changes its weights only on mistakes.

    An example with ``y (w·x + b) <= 0`` is misclassified and changes the model by
    ``w += eta0 · y · x`` and ``b += eta0 · y``; all others leave it unchanged. With more than two
    classes there is one weight vector each, and the class with the highest score is the prediction;
    on a mistake the right class gains ``eta0 · x`` and the predicted class loses it. At a tie the
    right class gains and no other loses. Training ends at the first epoch without a mistake, after
    at most ``R²/γ²`` mistakes if the classes are linearly separable with margin ``γ`` (``R``: the
    length of the longest example; with a bias both are those of the examples with a 1 appended).
    With ``steps="adagrad"`` each weight has its own step, and with ``margin=1`` as well it is the
    hinge loss that falls.

    Cost: an epoch reads each stored value once; memory is one weight per feature and class. With
    ``pocket`` training errors are counted up to 21 times in an epoch, which reads them each time.

    Parameters
    ----------
    eta0 : float, default=1.0
        Length of each step. If the weights start at 0, it only scales the model.
    margin : float, default=0.0
        Also learn from rows that are right by no more than this (the margin perceptron).
    steps : {"constant", "adagrad"}, default="constant"
        Length of the steps: "constant" is the same for every weight; "adagrad" divides the step of
        each weight by the root of the sum of its squared gradients, the current one included.
        Frequent features then move less and less, and columns of large numbers do less harm; there
        is no dual form and no bound on the mistakes.
    relative_to_data : bool, default=False
        Measure eta0 relative to the mean of ``‖x‖²`` over the rows of ``fit`` (with a bias, of
        the rows with a 1 appended), so that one value means the same on few and on many columns.
        The rows are not changed, and the mean is kept for later calls. Without ``fit`` the rows of
        the first ``partial_fit`` count.
    pocket : bool, default=False
        Predict with the weights that had the fewest training errors during ``fit``, not with the
        last ones (the pocket algorithm). Each error counts by the weight of its row. Training
        continues from the last weights, and only ``fit`` fills the pocket.
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
    AveragedPerceptron : Predicts with the mean weights; steadier.
    PassiveAggressive : Steps exactly as far as needed.
    SoftPerceptron : Learns from every row, gives probabilities.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron", Psychological Review 65.
    A. Novikoff (1962), "On convergence proofs on perceptrons".
    S. Gallant (1990), "Perceptron-based learning algorithms", IEEE Transactions on Neural
    Networks 1.
    J. Duchi, E. Hazan and Y. Singer (2011), "Adaptive subgradient methods for online learning and
    stochastic optimization", Journal of Machine Learning Research 12.

    Examples
    --------
    Six points of a lecture: mistakes on the first, third and fifth, then none.

    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False)
    >>> p = p.fit(X, [-1, 1, 1, -1, -1, 1])
    >>> p.mistakes_per_epoch_, p.stop_reason_, p.coef_.tolist()
    ([3, 0], 'separated', [[3.0, 1.0]])

    Numbers that are not linearly separable, since one label is wrong; the pocket holds weights that
    misclassify that one alone, and not the last ones:

    >>> X, y = [[-3], [-2], [-1], [1], [2], [3]], [0, 0, 0, 1, 0, 1]
    >>> p = Perceptron(pocket=True, shuffle=False).fit(X, y)
    >>> p.stop_reason_, p.n_training_errors_, (p.predict(X) != y).tolist()
    ('cycle', 1, [False, False, False, False, True, False])

    Columns from 0.001 to 1,000, as they are: AdaGrad suffers less from the large ones.

    >>> from rosenblatt import datasets
    >>> X, y = datasets.breast_cancer()
    >>> for steps in ("constant", "adagrad"):
    ...     p = Perceptron(steps=steps, average=True).partial_fit(X[:400], y[:400])
    ...     print(f"{steps}: {p.score(X[400:], y[400:]):.3f} right")
    constant: 0.237 right
    adagrad: 0.822 right
    """

    eta0: float = learning_rate()
    margin: float = option(
        default=0.0,
        at_least=0.0,
        label="Margin",
        help="Also learn from rows that are right by no more than this (the margin perceptron).",
    )

    steps: str = step_lengths()
    relative_to_data: bool = relative_to_data("eta0")
    pocket: bool = option(
        default=False,
        label="Pocket",
        in_studio=False,
        help="""
        Predict with the weights that had the fewest training errors during ``fit``, not with the
        last ones (the pocket algorithm). Each error counts by the weight of its row. Training
        continues from the last weights, and only ``fit`` fills the pocket.""",
    )

    def rule(self) -> Rule:
        adagrad = self.steps == "adagrad"
        return Rule(
            "perceptron", eta=self.eta0, threshold=self.margin, ties=self.ties, adagrad=adagrad
        )

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"eta0": self.eta0 * units.step_length(adagrad=self.steps == "adagrad")}

    def _trainer(
        self, model: LinearModel, data: TrainingData, given: FitArguments
    ) -> LinearTrainer:
        trainer = super()._trainer(model, data, given)
        if self.pocket:
            if data.validation is not None:
                why = " keeps the weights with the fewest training errors, held-out rows those with"
                why += " the fewest errors on them. Choose one."
                raise ParameterError(Message(Setting("pocket", True), why))
            if self.average:
                why = " keeps the last weights at their best, an average predicts with their mean."
                raise ParameterError(Message(Setting("pocket", True), why + " Choose one."))
            keep = model.noting_when(model.state)
            trainer.pocket = Pocket(trainer.share_predicted, keep, patience=0)
            trainer.pocket.look()  # the first weights may be the best
            data.validation = trainer.pocket
        return trainer
