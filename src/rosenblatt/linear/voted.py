"""The perceptron that lets all its weight vectors vote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import AnyFloatArray, for_caller
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.core.scoring import scores
from rosenblatt.learner.options import option
from rosenblatt.linear.linear_classifier import learning_rate
from rosenblatt.linear.linear_learner import LinearLearner
from rosenblatt.linear.streaming import as_table
from rosenblatt.linear.voters import Voters

if TYPE_CHECKING:
    from rosenblatt.learner.explain_rows import Past, Question

__all__ = ["VotedPerceptron"]


class VotedPerceptron(LinearLearner):
    """Trains as the perceptron does; every weight vector it went through votes.

    ``ŷ = sign Σ c_k sign(w_k·x + b_k)`` with ``c_k`` the number of examples the k-th vector
    survived. With more than two classes each vector votes for the class it would answer. The
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

    def _past(self, row: Any, X: Any) -> Past:
        """The rows are kept, so that ``X`` is not needed.

        They are called by their numbers in ``support_vectors_`` if they come from several calls.
        """
        from rosenblatt.learner.explain_rows import Past, similarities

        model = self._model
        ledger, vectors = self._voting(model)
        entries, numbers = ledger.entries, None
        found = similarities(self, row, vectors, entries) + float(model.weights.fit_intercept)
        recorded = model.ledger().entries.row
        if len(recorded) == model.voters.n_updates:
            numbers = np.zeros(len(found), np.int64)
            numbers[entries.row] = recorded[: len(entries.row)]
        return Past(entries, ledger.classes, found, ledger.n_examples, numbers)

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
