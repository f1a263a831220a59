"""The perceptron that lets all its weight vectors vote."""

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
    from rosenblatt.estimators.explain_rows import Question, UpdateHistory
    from rosenblatt.models.result import FitResult


class VotedPerceptron(LinearLearner):
    """Trains as the perceptron does; every weight vector it went through votes.

    ``ŷ = sign Σ c_k sign(w_k·x + b_k)`` with ``c_k`` the number of examples the k-th vector
    survived. With more than two classes each vector votes for the class it would predict. The
    vectors are not stored: each is the one before plus a mistaken row, so the mistakes are enough,
    and a prediction is one matrix product with the mistaken rows and a cumulative sum.

    Cost: training as the perceptron; memory one row per mistaken row; a prediction one product
    with all of them.

    Parameters
    ----------
    combine : {"vote", "average", "last"}, default="vote"
        How the vectors that training went through predict together: by their votes (each counts as
        long as it survived), by their mean, or the last one alone. It can be changed after ``fit``:
        the training is the same.
    eta0 : float, default=1.0
        Length of a step. From zero weights it only scales the model.
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
        Mean weights for ``combine="average"``, else the last ones.
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
    support_vectors_ : array or sparse matrix of shape (n_rows, n_features)
        The mistaken rows.
    survival_ : ndarray of shape (n_updates + 1,)
        How many examples each weight vector lived, which is what its vote counts.

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

    # It has the mean whatever predicts: ``combine`` can be changed after ``fit``.
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

    def _best_state(self, model: LinearModel) -> Any:
        return ()  # all follows from the updates up to then

    def _mistaken_rows(self, model: LinearModel) -> JoinedRows:
        """Return the mistaken rows, each once."""
        assert model.voters is not None
        return model.voters.joined(model.weights.n_features)

    def _voting(self, model: LinearModel) -> tuple[Ledger, Any]:
        """Return the updates that count, and the mistaken rows that they number."""
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

    def _scorer(self, model: LinearModel, table: Any) -> Scorer:
        self._options["combine"].check(self.combine)
        if self.combine != "vote":
            return super()._scorer(model, table)
        ledger, vectors = self._voting(model)

        def share_of_votes(some: slice) -> AnyFloatArray:
            votes = ledger.votes_of(vectors, ledger.entries.row, table[some], ties=self.ties)
            return np.asarray(votes / max(ledger.n_examples, 1))

        return share_of_votes

    def _row_scores(self, model: LinearModel, row: Any) -> AnyFloatArray:
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

    def _history(self, row: Any) -> UpdateHistory:
        """Return the updates that count, with the products of their rows and this row."""
        from rosenblatt.estimators.explain_rows import UpdateHistory, similarities

        ledger, vectors = self._voting(self._model)
        found = similarities(self, row, vectors, ledger.entries)
        found += float(ledger.start.fit_intercept)
        numbers = self._mistaken_rows(self._fitted()).numbers
        return UpdateHistory(ledger.entries, ledger.classes, found, ledger.n_examples, numbers)

    @property
    @of_whole_state
    def survival_(self) -> npt.NDArray[np.int64]:
        """How many examples each weight vector lived, which is what its vote counts."""
        return self.ledger_.best.survival

    @property
    @of_whole_state
    def support_vectors_(self) -> Any:
        """The mistaken rows, each once."""
        return for_caller(self._mistaken_rows(self._fitted()).vectors)
