"""What learners of rows share: when to give up, ties, rows held out, and how they are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.learner.base import Learner
from rosenblatt.learner.options import option
from rosenblatt.learner.outcome import FitOutcome
from rosenblatt.learner.schemas import WithSchema
from rosenblatt.learner.targets import read_labels

if TYPE_CHECKING:
    from rosenblatt.explain import Explanation
    from rosenblatt.learner.explain_rows import Question

__all__ = ["RowLearner"]


class RowLearner(FitOutcome, WithSchema, Learner):
    """A classifier of rows of numbers, as scikit-learn's classifiers are."""

    tol: float | None = option(
        default=1e-4,
        at_least=0.0,
        cure="None never gives up.",
        on_page=False,
        help="""
        Give up once the run itself has proven that nothing separates the rows by a margin above
        ``tol`` times the length of the longest row. Rows that can be separated by more are never
        given up on. None never gives up.""",
    )
    ties: str = option(
        default="mistake",
        choices=("mistake", "positive"),
        label="A tie is",
        help="""
        A score of exactly 0 counts as a mistake, or as the positive class; with more than two
        classes as the one listed last among the equals.""",
    )
    early_stopping: bool = option(
        default=False,
        on_page=False,
        help="""
        Hold out some rows, stop when they are no longer predicted better, keep the best weights.
        """,
    )
    validation_fraction: float = option(
        default=0.1,
        above=0.0,
        below=1.0,
        on_page=False,
        help="The share of rows to hold out, of every class alike.",
    )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.input_tags.sparse = True
        return tags

    def explain(
        self,
        x: Any,
        label: Any = None,
        against: Any = None,
        *,
        top: int | None = None,
        X: Any = None,
    ) -> Explanation:
        """Why one example is predicted as it is: by feature and by past mistake.

        Parameters
        ----------
        x : mapping, record, array-like of shape (n_features,) or sparse table of one row
        label : optional
            The class whose score is explained; by default the prediction.
        against : optional
            Explain the lead of ``label`` over this class instead of its score. Of two classes it
            is always the other one, whose score is the same with the other sign.
        top : int, default=None
            Keep so many of the largest parts and join the others into one. None keeps all.
        X : array-like or sparse matrix, default=None
            The rows of training, to weigh the mistakes of a linear learner with ``record=True``:
            its ledger knows them by number only. Learners that keep their mistaken rows, as those
            that vote and that have a kernel, do without.

        Returns
        -------
        explanation : Explanation
            Contributions that add up to the score; print it, show it in a notebook, ``plot`` it.
        """
        from rosenblatt.learner.explain_rows import Question

        return self._explain(Question.of(self, x, label, against), X).explanation.cut(top)

    def _explain(self, question: Question, X: Any) -> Question:
        """The question with all that this family knows of the answer."""
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows that are predicted right.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The right labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        accuracy : float
        """
        predicted = self.predict(X)  # type: ignore[attr-defined]
        labels = read_labels(y, len(predicted))
        return float(np.average(predicted == labels, weights=sample_weight))
