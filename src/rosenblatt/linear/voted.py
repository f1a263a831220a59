"""The perceptron that lets all its weight vectors vote."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import AnyFloatArray, Scorer, SparseRows, for_caller, is_sparse
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.core.recording import Entries, Note
from rosenblatt.core.rows import scores
from rosenblatt.learner.options import combine_option
from rosenblatt.learner.outcome import of_whole_state
from rosenblatt.linear.linear_classifier import learning_rate
from rosenblatt.linear.linear_learner import LinearLearner
from rosenblatt.linear.streaming import as_table

if TYPE_CHECKING:
    from rosenblatt.core.result import FitResult, Validation
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

    def _take_over(
        self, model: LinearModel, result: FitResult, validation: Validation | None
    ) -> None:
        model.voters.finish(model.weights.n_features)
        super()._take_over(model, result, validation)

    def _best_state(self, model: LinearModel) -> Any:
        return ()  # all follows from the updates up to then

    def _voting(self, model: LinearModel) -> tuple[Ledger, Any]:
        """All updates that count, their rows numbered as in the table of the mistaken rows."""
        ledger = copy(model.ledger().best)
        kept = model.voters.joined(model.weights.n_features)
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
        if self.combine != "vote":
            return super()._explain(question, X)
        start = self.ledger_.start
        first = np.atleast_1d(scores(question.row, start.matrix, start.bias).squeeze())
        past = self._past(question.row, X)
        return question.by_vote(past, first, start.t + 1, alone=False)

    @property
    def _predicts_by_mean(self) -> bool:
        return self.combine == "average"

    def _past(self, row: Any, X: Any) -> UpdateHistory:
        """The rows are kept, so that ``X`` is not needed."""
        from rosenblatt.learner.explain_rows import UpdateHistory, similarities

        ledger, vectors = self._voting(self._model)
        found = similarities(self, row, vectors, ledger.entries)
        found += float(ledger.start.fit_intercept)
        numbers = self._model.voters.joined(self._model.weights.n_features).numbers
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
        model = self._fitted()
        return for_caller(model.voters.joined(model.weights.n_features).vectors)


class Voters:
    """Each mistaken row once, and the number that it has in the ledger."""

    def __init__(self, rows: Any = None, numbers: npt.NDArray[np.int64] | None = None) -> None:
        # A batch of rows with their numbers at a time, as they came.
        self._parts: list[tuple[Any, npt.NDArray[np.int64]]] = []
        if rows is not None and numbers is not None:
            self._parts.append((rows, numbers))
        # The last answer of `joined`. A reader replaces it as a whole and changes nothing else:
        # what a learner appends can therefore not be lost.
        self._joined: JoinedRows | None = None

    def taking(self, table: Any, first_row: int) -> Note:
        """A function that keeps the rows of a table that updates came from."""
        rows = SparseRows.of(table) if is_sparse(table) else table
        known = np.zeros(table.shape[0], bool)

        def take(entries: Entries) -> None:
            unseen = np.unique(entries.row[~known[entries.row]])
            if len(unseen):
                known[unseen] = True
                self._compact()
                self._parts.append((rows[unseen], unseen + first_row))

        return take

    def _compact(self) -> None:
        """Let go of the parts that a reader has joined; for whoever learns."""
        kept = self._joined
        if kept is not None and 1 < kept.n_parts <= len(self._parts):
            self._parts[: kept.n_parts] = [(kept.vectors, kept.numbers)]
            self._joined = JoinedRows(kept.vectors, kept.numbers, 1)

    def finish(self, n_features: int) -> None:
        """Keep the rows as one table, since no more are to come for now; for whoever learns."""
        self.joined(n_features)
        self._compact()

    def copy(self) -> Voters:
        twin = copy(self)
        twin._parts = list(self._parts)
        return twin

    def joined(self, n_features: int) -> JoinedRows:
        """The rows so far, as one table of ``n_features`` columns."""
        kept, n_parts = self._joined, len(self._parts)
        if kept is None or kept.n_parts > n_parts or kept.vectors.shape[1] != n_features:
            kept = None
        # A table of no rows has no type of its own, and must not decide that of the rows to come.
        if kept is not None and kept.n_parts == 0 < n_parts:
            kept = None
        if kept is not None and kept.n_parts == n_parts:
            return kept

        # What was joined before is joined with what came since.
        parts = self._parts[:n_parts]
        if kept is not None:
            parts = [(kept.vectors, kept.numbers), *parts[kept.n_parts :]]
        tables = [table for table, _ in parts]
        numbers = [np.zeros(0, np.int64), *(some for _, some in parts)]
        self._joined = kept = JoinedRows(
            stacked(tables, n_features), np.concatenate(numbers), n_parts
        )
        return kept


class JoinedRows:
    """The mistaken rows of the first ``n_parts`` batches, and their numbers in the ledger."""

    def __init__(self, vectors: Any, numbers: npt.NDArray[np.int64], n_parts: int) -> None:
        self.vectors = vectors
        self.numbers = numbers
        self.n_parts = n_parts
        self._order = np.argsort(numbers)

    def places(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the rows of updates stand in ``vectors``."""
        found = np.searchsorted(self.numbers, rows, sorter=self._order)
        return np.asarray(self._order[found])


def stacked(tables: list[Any], n_features: int) -> Any:
    """Tables one after the other, each widened to ``n_features`` columns."""
    if not tables:
        return np.zeros((0, n_features))
    if len(tables) == 1 and tables[0].shape[1] == n_features:
        return tables[0]
    if any(is_sparse(table) for table in tables):
        sparse = [table if is_sparse(table) else SparseRows.from_dense(table) for table in tables]
        return SparseRows.concat(sparse, n_features)
    return np.vstack(
        [np.pad(table, ((0, 0), (0, n_features - table.shape[1]))) for table in tables]
    )
