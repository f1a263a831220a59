"""The voted perceptron."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, Scorer, for_caller
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.base import of_whole_state
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.shared_options import learning_rate
from rosenblatt.estimators.linear.streaming import as_table
from rosenblatt.estimators.params import combine_option
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.rows import scores
from rosenblatt.models.voters import JoinedRows, Voters

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.engine.rows.mappings import MappingRow
    from rosenblatt.estimators.explain_rows import Question, UpdateHistory
    from rosenblatt.models.result import FitResult


class VotedPerceptron(LinearLearner):
    """Voted perceptron: predicts by a vote of all weight vectors of training.

    ``ŷ = sign Σ c_k sign(w_k·x + b_k)`` with ``c_k`` the number of examples the k-th vector
    survived. With more than two classes each vector votes for the class it would predict. The
    vectors are not stored: each is the one before plus a mistaken row, so the mistakes are enough,
    and a prediction is one matrix product with the mistaken rows and a cumulative sum.

    Cost: training as the perceptron; memory one row per mistaken row; a prediction one product
    with all of them.

    Parameters
    ----------
    combine : {"vote", "average", "last"}, default="vote"
        How all vectors of training predict: by "vote" (each counts as many votes as examples it
        survived), by their "average", or only the "last" one. It can be changed after ``fit``: the
        training is the same.
    eta0 : float, default=1.0
        Length of each step. If the weights start at 0, it only scales the model.
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
        Mean weights for ``combine="average"``, otherwise the last ones.
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
    support_vectors_ : array or sparse matrix of shape (n_rows, n_features)
        The mistaken rows.
    survival_ : ndarray of shape (n_updates + 1,)
        Number of examples that each weight vector survived, which is the weight of its vote.

    See Also
    --------
    AveragedPerceptron : One mean vector; nearly as good, much cheaper.
    Perceptron : Predicts with the last weights.

    References
    ----------
    Y. Freund and R. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.

    Examples
    --------
    One pass over the digits, three ways to predict.

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from rosenblatt import VotedPerceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> A, B, a, b = train_test_split(X, y, random_state=0)
    >>> voted = VotedPerceptron().partial_fit(A, a)
    >>> for combine in ("vote", "average", "last"):
    ...     print(combine, f"{1 - voted.set_params(combine=combine).score(B, b):.3f}")
    vote 0.064
    average 0.067
    last 0.169
    """

    combine: str = combine_option("vote", "vectors")
    eta0: float = learning_rate()

    # The mean is always kept, because ``combine`` can be changed after ``fit``.
    average: ClassVar[bool] = True  # type: ignore[misc]
    keeps_rows = True
    predicts_by = ("combine", "ties")

    def rule(self) -> Rule:
        return Rule("perceptron", eta=self.eta0, ties=self.ties)

    def _keep_record(self, model: LinearModel, *, streamed: bool = False) -> None:
        if model.recorder is None:
            model.voters = Voters()
        super()._keep_record(model, streamed=streamed)

    def _note_fit(self, model: LinearModel, result: FitResult) -> None:
        super()._note_fit(model, result)
        assert model.voters is not None
        model.voters.finish(model.weights.n_features)

    def _best_state(self, model: LinearModel) -> tuple[()]:
        return ()  # all follows from the updates up to then

    def _mistaken_rows(self, model: LinearModel) -> JoinedRows:
        """Return the misclassified rows, without duplicates."""
        assert model.voters is not None
        return model.voters.joined(model.weights.n_features)

    def _voting(self, model: LinearModel) -> tuple[Ledger, Table]:
        """Return the ledger up to the weights that predict, and the rows that its entries index."""
        ledger = copy(model.ledger().best)
        kept = self._mistaken_rows(model)
        ledger.entries = ledger.entries._replace(row=kept.places(ledger.entries.row))
        return ledger, kept.vectors

    def _served(self, model: LinearModel) -> tuple[AnyFloatArray, AnyFloatArray]:
        if model.best is not None:
            ledger, vectors = self._voting(model)
            return ledger.average(vectors) if self.combine == "average" else ledger.replay(vectors)
        if self.combine == "average":
            return model.weights.average()
        return model.weights.matrix, model.weights.bias

    def _scorer(self, model: LinearModel, table: Table) -> Scorer:
        self._options["combine"].check(self.combine)
        if self.combine != "vote":
            return super()._scorer(model, table)
        ledger, vectors = self._voting(model)

        def share_of_votes(some: slice) -> AnyFloatArray:
            votes = ledger.votes_of(vectors, ledger.entries.row, table[some], ties=self.ties)
            return np.asarray(votes / max(ledger.n_examples, 1))

        return share_of_votes

    def _row_scores(self, model: LinearModel, row: MappingRow | Table) -> AnyFloatArray:
        return self._scores(model, as_table(row))

    def _explain(self, question: Question, X: Any) -> Question:
        # The mistaken rows are kept, so that ``X`` is not needed.
        history = self._history(question.row)
        if self.combine != "vote":
            question = question.by_feature(*self._served(self._model))
            return question.by_mistake(history, mean=self._predicts_by_mean)

        start = self.ledger_.start
        first = np.atleast_1d(scores(question.row, start.matrix, start.bias).squeeze())
        return question.by_vote(history, first, start.t + 1, alone=False)

    @property
    def _predicts_by_mean(self) -> bool:
        return self.combine == "average"

    @property
    def _how_combined(self) -> str:
        return self.combine

    @property
    def last_predicts(self) -> bool:
        return self.combine == "last"

    def _history(self, row: Table) -> UpdateHistory:
        """Return the updates behind a prediction, with dot products of their rows and ``row``."""
        from rosenblatt.estimators.explain_rows import UpdateHistory, similarities

        ledger, vectors = self._voting(self._model)
        found = similarities(self, row, vectors, ledger.entries)
        found += float(ledger.start.fit_intercept)
        numbers = self._mistaken_rows(self._fitted()).numbers
        return UpdateHistory(ledger.entries, ledger.classes, found, ledger.n_examples, numbers)

    @property
    @of_whole_state
    def survival_(self) -> npt.NDArray[np.int64]:
        """The survival time of each weight vector in examples, which is the weight of its vote."""
        return self.ledger_.best.survival

    @property
    @of_whole_state
    def support_vectors_(self) -> Any:
        """The misclassified rows, without duplicates."""
        return for_caller(self._mistaken_rows(self._fitted()).vectors)
