"""The perceptron that lets all its weight vectors vote."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, Scorer, for_caller
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.linear.linear_classifier import learning_rate
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.streaming import as_table
from rosenblatt.estimators.outcome import of_whole_state
from rosenblatt.estimators.params import combine_option
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.rows import scores
from rosenblatt.models.voters import Voters

if TYPE_CHECKING:
    from rosenblatt.estimators.explain_rows import Question, UpdateHistory
    from rosenblatt.models.result import FitResult, Validation


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
        assert model.voters is not None
        model.voters.finish(model.weights.n_features)
        super()._take_over(model, result, validation)

    def _best_state(self, model: LinearModel) -> Any:
        return ()  # all follows from the updates up to then

    def _voting(self, model: LinearModel) -> tuple[Ledger, Any]:
        """All updates that count, their rows numbered as in the table of the mistaken rows."""
        ledger = copy(model.ledger().best)
        assert model.voters is not None
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
        from rosenblatt.estimators.explain_rows import UpdateHistory, similarities

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
