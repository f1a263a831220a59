"""The perceptron that lets all its weight vectors vote."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import for_caller
from rosenblatt.core import rules
from rosenblatt.core.ledger import Entries, Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.estimator import parameters as check
from rosenblatt.linear._classifier import FloatArray, LinearClassifier
from rosenblatt.linear._stream import as_table
from rosenblatt.linear._voters import Voters

__all__ = ["VotedPerceptron"]


class VotedPerceptron(LinearClassifier):
    """Trains as the perceptron does; every weight vector it went through votes.

    ``ŷ = sign Σ c_k sign(w_k·x + b_k)`` with ``c_k`` the number of examples the k-th vector
    survived. With more than two classes each vector votes for the class it would answer. The
    vectors are not stored: each is the one before plus a mistaken row, so the mistakes are enough,
    and a prediction is one matrix product with the mistaken rows and a cumulative sum.

    Cost: training as the perceptron; memory one row per mistaken row; a prediction one product
    with all of them.

    Parameters
    ----------
    combine : {"vote", "average", "last"}, default="vote"
        How the vectors answer together. It can be changed after ``fit``: the training is the same.
    eta0 : float, default=1.0
        Length of a step. From zero weights it only scales the model.
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
        Mean weights for ``combine="average"``, else the last ones.
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
        Whether the last ``fit`` separated the rows with its last weights; the vote may still err
        on some.
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
    support_vectors_ : array or sparse matrix of shape (n_rows, n_features)
        The mistaken rows.
    survival_ : ndarray of shape (n_updates + 1,)
        How many examples each weight vector lived, which is what its vote counts.

    See Also
    --------
    AveragedPerceptron : One mean vector; nearly as good, much cheaper.
    Perceptron : Answers with the last weights.

    References
    ----------
    Y. Freund and R. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.

    Examples
    --------
    One pass over the digits, three ways to answer.

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

    _averaged = True
    _rule_settings = attrgetter("eta0", "ties")

    def __init__(
        self,
        *,
        combine: str = "vote",
        eta0: float = 1.0,
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
        self.combine = combine
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
        check.choice("combine", self.combine, "vote", "average", "last")
        check.number("eta0", self.eta0, above=0.0, cure="It is the length of a step.")
        return rules.perceptron(eta0=self.eta0, ties=self.ties)

    # ------------------------------------------------------------------ the voters

    def _start_recording(self, model: LinearModel, *, stream: bool = False) -> None:
        if stream:
            model.weights.promote()
        model.start_recording()
        if model.voters is None:  # else the vectors of earlier calls go on voting
            model.voters = Voters(model.weights)
        self._n_noted = 0

    def _note_rows(self, model: LinearModel, table: Any) -> None:
        assert model.recorder is not None
        entries = model.recorder.entries
        model.voters.take(entries.since(self._n_noted), table)
        self._n_noted = len(entries.row)

    def _adopt(self, model: LinearModel, *rest: Any) -> None:
        super()._adopt(model, *rest)
        model.voters.release()

    def _keep(self, model: LinearModel, entries: Entries, table: Any, first_row: int) -> None:
        super()._keep(model, entries, table, first_row)
        model.voters.take(entries, as_table(table))
        model.voters.release()

    def _kept(self, model: LinearModel) -> Any:
        return model.voters.n_updates, model.weights.t

    # ------------------------------------------------------------------ answering

    def _voting(self, model: LinearModel) -> tuple[Ledger, Any]:
        """All updates that count, and the rows they came from."""
        voters: Voters = model.voters
        n_features = model.weights.n_features
        ledger = voters.ledger(model.classes, n_features, model.weights.t)
        if model.best is not None:
            ledger = ledger.upto(*model.best)
        return ledger, voters.vectors(n_features)

    def _served(self, model: LinearModel) -> tuple[FloatArray, FloatArray]:
        if model.best is not None:
            ledger, vectors = self._voting(model)
            return ledger.average(vectors) if self.combine == "average" else ledger.replay(vectors)
        if self.combine == "average":
            return model.weights.average()
        return model.weights.matrix, model.weights.bias

    def _scores(self, model: LinearModel, table: Any) -> FloatArray:
        check.choice("combine", self.combine, "vote", "average", "last")
        if self.combine != "vote":
            return super()._scores(model, table)
        ledger, vectors = self._voting(model)
        votes = ledger.votes_of(vectors, ledger.entries.row, table, ties=self.ties)
        return votes / max(ledger.n_examples, 1)

    def _row_scores(self, model: LinearModel, row: Any) -> FloatArray:
        return self._scores(model, as_table(row))

    @property
    def survival_(self) -> npt.NDArray[np.int64]:
        """How many examples each weight vector lived, which is what its vote counts."""
        survival: npt.NDArray[np.int64] = self._voting(self._fitted())[0].survival
        return survival

    @property
    def support_vectors_(self) -> Any:
        """The mistaken rows, each once."""
        model = self._fitted()
        return for_caller(model.voters.vectors(model.weights.n_features))
