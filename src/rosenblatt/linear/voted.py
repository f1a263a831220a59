"""The perceptron that lets all its weight vectors vote."""

from __future__ import annotations

import hashlib
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import AnyFloatArray, SparseRows, for_caller, is_sparse
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.core.recording import Entries, Recorder
from rosenblatt.core.rows import scores
from rosenblatt.core.weights import Weights
from rosenblatt.learner.options import option
from rosenblatt.linear.linear_classifier import learning_rate
from rosenblatt.linear.linear_learner import LinearLearner
from rosenblatt.linear.streaming import as_table

if TYPE_CHECKING:
    from rosenblatt.learner.explain_rows import Question, UpdateHistory


class VotedPerceptron(LinearLearner):
    """Trains as the perceptron does; every weight vector it went through votes.

    ``ŷ = sign Σ c_k sign(w_k·x + b_k)`` with ``c_k`` the number of examples the k-th vector
    survived. With more than two classes each vector votes for the class it would predict. The
    vectors are not stored: each is the one before plus a mistaken row, so the mistakes are enough,
    and a prediction is one matrix product with the mistaken rows and a cumulative sum.

    Cost: training as the perceptron; memory one row per mistaken row; a prediction one product
    with all of them.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Mean weights for ``combine="average"``, else the last ones.
    converged_ : bool
        Whether the last ``fit`` separated the rows with its last weights; the vote may still err
        on some.
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

    combine: str = option(
        default="vote",
        choices=("vote", "average", "last"),
        in_studio=False,
        help="""
        How the vectors predict together. It can be changed after ``fit``: the training is the same.
        """,
    )
    eta0: float = learning_rate()

    averages = True
    keeps_rows = True

    def rule(self) -> Rule:
        return Rule("perceptron", eta=self.eta0, ties=self.ties)

    def _start_recording(self, model: LinearModel, table: Any = None) -> None:
        if table is None:
            model.weights.promote()
        model.start_recording()
        if model.voters is None:  # else the vectors of earlier calls go on voting
            model.voters = Voters(model.weights)
        if table is not None:
            assert model.recorder is not None
            model.voters.follow(model.recorder, table)

    def _best_state(self, model: LinearModel) -> Any:
        return model.voters.n_updates, model.weights.t

    def _voting(self, model: LinearModel) -> tuple[Ledger, Any]:
        """All updates that count, and the rows they came from."""
        voters: Voters = model.voters
        n_features = model.weights.n_features
        ledger = voters.ledger(model.classes, n_features, model.weights.t)
        if model.best is not None:
            ledger = ledger.upto(*model.best)
        return ledger, voters.vectors(n_features)

    def _served(self, model: LinearModel) -> tuple[AnyFloatArray, AnyFloatArray]:
        if model.best is not None:
            ledger, vectors = self._voting(model)
            return ledger.average(vectors) if self.combine == "average" else ledger.replay(vectors)
        if self.combine == "average":
            return model.weights.average()
        return model.weights.matrix, model.weights.bias

    def _scores(self, model: LinearModel, table: Any) -> AnyFloatArray:
        self._options["combine"].check(self.combine)
        if self.combine != "vote":
            return super()._scores(model, table)
        ledger, vectors = self._voting(model)
        votes = ledger.votes_of(vectors, ledger.entries.row, table, ties=self.ties)
        return votes / max(ledger.n_examples, 1)

    def _row_scores(self, model: LinearModel, row: Any) -> AnyFloatArray:
        return self._scores(model, as_table(row))

    def _explain(self, question: Question, X: Any) -> Question:
        if self.combine != "vote":
            return super()._explain(question, X)
        start = self._voting(self._model)[0]._start
        first = np.atleast_1d(scores(question.row, start.matrix, start.bias).squeeze())
        past = self._past(question.row, X)
        return question.by_vote(past, first, start.t + 1, alone=False)

    @property
    def _predicts_by_mean(self) -> bool:
        return self.combine == "average"

    def _past(self, row: Any, X: Any) -> UpdateHistory:
        """The rows are kept, so that ``X`` is not needed.

        They are called by their numbers in ``support_vectors_`` if they come from several calls.
        """
        from rosenblatt.learner.explain_rows import UpdateHistory, similarities

        model = self._model
        ledger, vectors = self._voting(model)
        entries, numbers = ledger.entries, None
        found = similarities(self, row, vectors, entries) + float(model.weights.fit_intercept)
        recorded = model.ledger().entries.row
        if len(recorded) == model.voters.n_updates:
            numbers = np.zeros(len(found), np.int64)
            numbers[entries.row] = recorded[: len(entries.row)]
        return UpdateHistory(entries, ledger.classes, found, ledger.n_examples, numbers)

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


class Voters:
    """Each mistaken row once; every update of all calls, its row numbered among those kept."""

    def __init__(self, start: Weights) -> None:
        self._start = start.copy()
        self._recorder = Recorder()
        self._parts: list[Any] = []
        self._n_rows = 0
        # The table the updates come from, that as rows to take, and the places of those taken.
        self._source: Any = None
        self._rows: Any = None
        self._place_in_source: npt.NDArray[np.int64] | None = None
        # A fit that goes on: what records its updates, and how many of them were taken.
        self._followed: tuple[Recorder, Any] | None = None
        self._n_taken = 0

    def follow(self, recorder: Recorder, table: Any) -> None:
        """Take the updates of a fit from its recorder, when they are asked for or it ends."""
        self._followed, self._n_taken = (recorder, table), 0

    def _catch_up(self) -> None:
        if self._followed is not None:
            recorder, table = self._followed
            entries = recorder.entries
            self.take(entries.since(self._n_taken), table)
            self._n_taken = len(entries.row)

    def take(self, entries: Entries, table: Any) -> None:
        """Keep further updates and the rows of ``table`` that they came from."""
        if table is not self._source:
            self._source, self._rows = table, SparseRows.of(table) if is_sparse(table) else table
            self._place_in_source = np.full(table.shape[0], -1, np.int64)
        assert self._place_in_source is not None
        places = self._place_in_source
        unseen = np.unique(entries.row[places[entries.row] < 0])
        if len(unseen):
            places[unseen] = self._n_rows + np.arange(len(unseen))
            self._n_rows += len(unseen)
            self._parts.append(self._rows[unseen])
        self._recorder.add(entries._replace(row=places[entries.row]))

    def release(self) -> None:
        """Let go of the caller's table."""
        self._catch_up()
        self._followed = self._source = self._rows = self._place_in_source = None

    def copy(self) -> Voters:
        twin = copy(self)
        twin._start, twin._parts = self._start.copy(), list(self._parts)
        twin._recorder = self._recorder.copy()
        twin.release()
        return twin

    def split(self) -> None:
        """One vector for two classes became one each, as in `LinearModel`."""
        self._start.split()
        self._recorder = self._recorder.halved()

    def add_vector(self) -> None:
        self._start.add_vector()

    def digest(self) -> str:
        """SHA-256 over the updates; how the rows are numbered does not matter."""
        entries = self._recorder.entries
        columns = (entries.y_true, entries.y_pred, entries.step, entries.t)
        return hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()

    def to_arrays(self, classes: list[Any], n_features: int, n_examples: int) -> dict[str, Any]:
        """Everything there is to know: the ledger and, under "rows", the mistaken rows."""
        ledger = self.ledger(classes, n_features, n_examples).to_arrays()
        return {**ledger, "rows": self.vectors(n_features) if self._n_rows else None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Voters:
        ledger = Ledger.from_arrays(arrays)
        voters = cls(ledger._start)
        voters._recorder.add(ledger.entries)
        if arrays["rows"] is not None:
            voters._parts, voters._n_rows = [arrays["rows"]], arrays["rows"].shape[0]
        return voters

    @property
    def n_updates(self) -> int:
        self._catch_up()
        return len(self._recorder.entries.row)

    def vectors(self, n_features: int) -> Any:
        """The mistaken rows as one table of ``n_features`` columns."""
        self._catch_up()
        if len(self._parts) > 1 or (self._parts and self._parts[0].shape[1] != n_features):
            if any(is_sparse(part) for part in self._parts):
                sparse = [p if is_sparse(p) else SparseRows.from_dense(p) for p in self._parts]
                self._parts = [SparseRows.concat(sparse, n_features)]
            else:
                widened = [
                    np.pad(part, ((0, 0), (0, n_features - part.shape[1]))) for part in self._parts
                ]
                self._parts = [np.vstack(widened)]
        return self._parts[0] if self._parts else np.zeros((0, n_features))

    def ledger(self, classes: list[Any], n_features: int, n_examples: int) -> Ledger:
        """All updates, with rows numbered as in `vectors`."""
        self._catch_up()
        if self._start.n_features < n_features:
            self._start.grow(n_features)
        return Ledger(self._start, tuple(classes), self._recorder.entries, n_examples)
