"""A classifier of rows: all of it that does not depend on the family.

A family brings a model and says how it is made (`_new_model`), how it learns in epochs (`_trainer`)
and from rows as they come (`_learn`), and how it scores (`_scorer`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, Scorer
from rosenblatt.errors import Message, Value
from rosenblatt.estimators.calibration import CalibratedClassifier, folds_of
from rosenblatt.estimators.inputs import Batch, TrainingData, one_row, read_rows, read_table
from rosenblatt.estimators.majority import MajorityBaseline
from rosenblatt.estimators.mapping_rows import SchemaOwner
from rosenblatt.estimators.outcome import of_whole_state, unchanged_on_error
from rosenblatt.estimators.params import option
from rosenblatt.estimators.sklearn_classes import not_fitted_error
from rosenblatt.estimators.targets import (
    check_class_weight,
    class_weight_from_text,
    encode_labels,
    read_labels,
    streamed_weights,
    validation_rows,
)
from rosenblatt.models.classes import (
    decision_scores,
    declared_classes,
    label_array,
    one_label,
    predicted_blocks,
    refuse_one_class,
    with_opposite,
)
from rosenblatt.models.epochs import Trainer
from rosenblatt.models.parallel import each_part, slices
from rosenblatt.models.result import Validation
from rosenblatt.models.rows import as_rows, checksum, inspect
from rosenblatt.models.snapshots import Snapshot

if TYPE_CHECKING:
    from rosenblatt.estimators.explain_rows import Question
    from rosenblatt.inspection.explanation import Explanation


class RowClassifier(SchemaOwner, CalibratedClassifier, ABC):
    """A classifier of rows of numbers, as scikit-learn's classifiers are.

    Attributes
    ----------
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
    """

    tol: float | None = option(
        default=1e-4,
        at_least=0.0,
        cure=Message("to never give up, give ", Value(None)),
        in_studio=False,
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
        classes as the one listed last among the equals (while learning, the one that joined last).
        """,
    )
    class_weight: Any = option(
        default=None,
        type='dict, "balanced" or None',
        check=check_class_weight,
        accepts=lambda value: value is None,
        from_text=class_weight_from_text,
        in_studio=False,
        help="""
        A factor for the steps of each class; "balanced" makes rare classes count as much.""",
    )
    early_stopping: bool = option(
        default=False,
        in_studio=False,
        help="""
        Hold out some rows, stop when they are no longer predicted better, keep the best weights.
        """,
    )
    validation_fraction: float = option(
        default=0.1,
        above=0.0,
        below=1.0,
        in_studio=False,
        help="The share of rows to hold out, of every class alike.",
    )

    # ------------------------------------------------------------------ what a family adds

    @abstractmethod
    def _new_model(self, classes: list[Any], table: Any) -> Any:
        """A model of these classes that has learned nothing yet, for rows like those of a table."""

    @abstractmethod
    def _refuse_other_settings(self) -> None:
        """Refuse to go on with a model under parameters that it was not made with."""

    @abstractmethod
    def _trainer(self, model: Any, data: TrainingData, **start: Any) -> Trainer:
        """What learns from the data in epochs, in place."""

    @abstractmethod
    def _learn(self, model: Any, batch: Batch) -> None:
        """Learn once from each row of a batch, in place; classes may join on the way."""

    def _snapshot(self, model: Any, batch: Batch) -> Snapshot:
        """Return a way back to the model as it is before this batch."""
        found: Snapshot = model.snapshot()
        return found

    @abstractmethod
    def _scorer(self, model: Any, table: Any) -> Scorer:
        """A function that scores some rows of a table, the classes as the model has them."""

    def _scores(self, model: Any, table: Any) -> AnyFloatArray:
        """Scores of all rows of a table."""
        score, jobs = self._scorer(model, table), getattr(self, "n_jobs", None)
        found = list(each_part(score, slices(table.shape[0], jobs), jobs))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _best_state(self, model: Any) -> Any:
        """What to go back to when this epoch turns out to be the best."""
        return model.state()

    # ------------------------------------------------------------------ learning

    def _fit(
        self, X: Any, y: Any, validation_set: Any, *, fresh: bool = False, **start: Any
    ) -> Self:
        """What ``fit`` does in every family; ``fresh``: with a new model also after a warm start.

        ``start`` is handed on to `_trainer`.
        """
        with unchanged_on_error(self):
            self.check_parameters()
            goes_on = bool(self.warm_start and self.__sklearn_is_fitted__())
            table, rows = read_rows(self, X, reset=not goes_on, all_rows=True)
            classes, labels = encode_labels(read_labels(y, rows.n_rows))
            if goes_on and not fresh:
                self._refuse_other_settings()
                model = self._model.copy()
                model.best = None
                model.admit_all(classes.tolist())
                labels = np.array([model.slots[c] for c in classes.tolist()], np.int32)[labels]
            else:
                classes, labels = with_opposite(classes, labels)
                model = self._new_model(classes.tolist(), table)
                model.label_dtype = classes.dtype
            refuse_one_class(model.classes)
            data, model.calibration = TrainingData(table, rows, labels), None
            folds = folds_of(model, data, **start) if self.calibrate else None
            self._hold_out(model, data, validation_set)
            trainer, count = self._trainer(model, data, **start), partial(self._errors_on, data)
            data.checksum = checksum(table) if self.keeps_rows else None
            result = self._run(model, trainer, data.validation, count)
            self._majority = MajorityBaseline.of(self, data, result)
            if folds is not None:
                self._calibrate(model, data, folds, **start)
            self._keep_guessed_schema()
        self._warn_of_mistakes(result, stacklevel=4)
        self._warn_of_majority(stacklevel=4)
        return self

    def _hold_out(self, model: Any, data: TrainingData, validation_set: Any) -> None:
        """Choose what the model is scored on after each epoch, if anything."""
        data.subset, dev, dev_labels = validation_rows(
            self, data.table, data.labels, model.slots, validation_set
        )

        if dev_labels is None:
            return
        data.held_out = dev, dev_labels
        n, keep = len(dev_labels), partial(self._best_state, model)

        def score() -> float:
            return (n - self._misclassified(model, dev, dev_labels)) / n

        data.validation = Validation(score, keep, self.n_iter_no_change)

    def _misclassified(self, model: Any, table: Any, labels: Any, weights: Any = None) -> float:
        """How many rows of a table the model misclassifies, or how much these weigh."""
        score = self._scorer(model, table)
        k, n_rows, jobs = len(model.classes), len(labels), getattr(self, "n_jobs", None)
        found = predicted_blocks(k, model.sorted_slots, score, n_rows, self.ties, jobs)
        wrong = ((some, numbers != labels[some]) for some, numbers in found)
        if weights is None:
            return sum(int(np.count_nonzero(these)) for _, these in wrong)
        return float(sum(weights[some][these].sum() for some, these in wrong))

    def _errors_on(self, data: TrainingData) -> int:
        if data.checksum is not None and checksum(data.table) != data.checksum:
            raise AttributeError("training errors are not known: X was changed after fit")
        return int(self._misclassified(self._model, data.table, data.labels))

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any = None) -> Self:
        """What ``partial_fit`` does in every family; a refused batch changes nothing."""
        with unchanged_on_error(self) as turn:
            table, rows = read_rows(self, X, reset=not self.__sklearn_is_fitted__())
            names, numbers = encode_labels(read_labels(y, rows.n_rows))
            batch = Batch(table, rows, names.tolist(), numbers, declared_classes(classes))
            given = sample_weight, self.class_weight, batch.names, numbers
            batch.weights = streamed_weights(*given)
            turn.change_in_place()
            model = self._model_to_learn_on(table)
            before = self._snapshot(model, batch)
            model.best = None
            try:
                self._learn(model, batch)
            except BaseException:
                before.restore()
                raise
            self._forget_fit()
            self._model = model
            self._keep_guessed_schema()
        return self

    def _model_to_learn_on(self, table: Any) -> Any:
        """The model that rows like those of the table are learned into, if parameters allow."""
        self.check_parameters()
        if not self.__sklearn_is_fitted__():
            return self._new_model([], table)
        self._refuse_other_settings()
        return self._model

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one example.

        Parameters
        ----------
        x : array-like of shape (n_features,) or mapping {feature: value}
            A mapping may leave out features that are 0, and bring new ones.
        y : hashable
            The label. One not seen before becomes a new class.
        classes : array-like, default=None
            Classes to know of from the first example on; needed in the first call only.

        Returns
        -------
        self : learner
        """
        self.partial_fit(one_row(x), one_label(y), classes)  # type: ignore[attr-defined]
        return self

    # ------------------------------------------------------------------ predicting

    @of_whole_state
    def decision_function(self, X: Any) -> AnyFloatArray:
        """Scores: one a row for two classes (positive: ``classes_[1]``), else one per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        classes, table = self._rows_to_score(X)
        scores = self._scores(self._model, table)
        if scores.ndim > 1:
            scores = scores[:, [i for i in self._model.sorted_slots if i < len(classes)]]
        return decision_scores(scores)

    def _rows_to_score(self, X: Any) -> tuple[list[Any], Any]:
        """The classes there are now, as more may join in another thread, and ``X`` as a table."""
        self._refuse_unfitted()
        if not (classes := self._model.classes.copy()):
            raise not_fitted_error()(f"this {type(self).__name__} has met no class yet.")
        table = read_table(self, X, reset=False, ignore_unseen=True)
        inspect(as_rows(table), names=lambda: getattr(self, "feature_names_in_", None))
        return classes, table

    @of_whole_state
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row.

        Scores are taken of some rows at a time, so that memory does not grow with the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        classes, table = self._rows_to_score(X)
        model, n_rows = self._model, table.shape[0]
        labels = label_array(classes, model.label_dtype)
        score, k, jobs = self._scorer(model, table), len(classes), getattr(self, "n_jobs", None)
        blocks = predicted_blocks(k, model.sorted_slots, score, n_rows, self.ties, jobs)
        some, numbers = next(blocks)
        if some.stop == n_rows:  # most tables are small
            return labels[numbers]
        found = np.empty(n_rows, labels.dtype)
        found[some] = labels[numbers]
        for some, numbers in blocks:
            found[some] = labels[numbers]
        return found

    @of_whole_state
    def predict_one(self, x: Any) -> Any:
        """The class of one example, a mapping or a 1-D array; None before any was learned."""
        return self.predict(one_row(x)).tolist()[0] if self.__sklearn_is_fitted__() else None

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
        predicted = self.predict(X)
        labels = np.asarray(read_labels(y, len(predicted)))
        return float(np.average(predicted == labels, weights=sample_weight))

    @of_whole_state
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
        from rosenblatt.estimators.explain_rows import Question

        return self._explain(Question.of(self, x, label, against), X).explanation.cut(top)

    @abstractmethod
    def _explain(self, question: Question, X: Any) -> Question:
        """The question with all that this family knows of the answer."""

    # ------------------------------------------------------------------ what was learned

    @property
    @of_whole_state
    def classes_(self) -> npt.NDArray[Any]:
        """The classes in order."""
        model = self._fitted()
        return label_array([model.classes[i] for i in model.sorted_slots], model.label_dtype)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.input_tags.sparse = True
        return tags
