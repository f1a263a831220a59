"""The base class of classifiers of rows: everything that does not depend on the family.

A family brings a model. It implements six methods: how a model is made (`_new_model`), when one can
be learned on (`_refuse_other_settings`), how it learns in epochs (`_trainer`) and from rows as they
come (`_learn`), how it scores rows (`_scorer`), and why it predicts a class (`_explain`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rosenblatt.arrays import AnyArray, AnyFloatArray, FloatArray, Scorer
from rosenblatt.errors import Message, Value
from rosenblatt.estimators.base import of_whole_state, unchanged_on_error
from rosenblatt.estimators.calibration import Calibration, calibrate_model, folds_of
from rosenblatt.estimators.inputs import (
    Batch,
    FitArguments,
    TrainingData,
    one_row,
    read_rows,
    read_table,
)
from rosenblatt.estimators.learner import Learner
from rosenblatt.estimators.majority import MajorityBaseline
from rosenblatt.estimators.mapping_rows import keep_guessed_schema, schema_copy, set_schema
from rosenblatt.estimators.params import option
from rosenblatt.estimators.routing import available_if
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
    from rosenblatt.arrays import Table
    from rosenblatt.estimators.explain_rows import Question
    from rosenblatt.inspection.explanation import Explanation
    from rosenblatt.models.column_scaling import ColumnScaling
    from rosenblatt.models.model import Model
    from rosenblatt.tables.features.schemas import AnySchema


def _has_probabilities(learner: RowClassifier) -> bool:
    """Return True if the learner has probabilities; otherwise raise AttributeError."""
    if not (learner.calibrate or learner.scores_are_log_odds):
        raise AttributeError(
            f"{type(learner).__name__} has scores and no probabilities: set calibrate=True and fit."
        )
    return True


class RowClassifier(Learner):
    """Base of the classifiers of numeric rows, with the interface of scikit-learn's classifiers.

    Attributes
    ----------
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
    """

    tol: float | None = option(
        default=1e-4,
        at_least=0.0,
        cure=Message("to never give up, give ", Value(None)),
        in_studio=False,
        help="""
        Stop once the run itself has proved that no margin above ``tol`` times the length of the
        longest row separates the rows. Rows that can be separated by a larger margin are never
        given up on. None never stops for this reason.""",
    )
    ties: str = option(
        default="mistake",
        choices=("mistake", "positive"),
        label="A tie is",
        help="""
        How a score of exactly 0 counts: as a mistake or as the positive class. If several of more
        than two classes share the highest score, "positive" predicts the last of them in
        ``classes_`` (while learning, the one that joined last).""",
    )
    class_weight: Any = option(
        default=None,
        type='dict, "balanced" or None',
        check=check_class_weight,
        accepts=lambda value: value is None,
        from_text=class_weight_from_text,
        in_studio=False,
        help="""
        Factor for the steps of each class, by label; "balanced" makes rare classes count as much as
        frequent ones.""",
    )
    early_stopping: bool = option(
        default=False,
        in_studio=False,
        help="""
        Hold out some rows, stop when accuracy on them no longer improves, and keep the best
        weights.""",
    )
    validation_fraction: float = option(
        default=0.1,
        above=0.0,
        below=1.0,
        in_studio=False,
        help="Share of the rows to hold out, the same of every class.",
    )
    calibrate: bool = option(
        default=False,
        in_studio=False,
        help="""
        Also fit probabilities, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid (with more than two classes a
        temperature) to their scores of the rows they have not seen. Weights and predictions stay
        the same; ``sample_weight`` counts and ``class_weight`` does not. ``partial_fit`` and
        ``learn_one`` keep what was fitted until a new class joins.""",
    )

    # Whether scores are log odds without calibration.
    scores_are_log_odds: ClassVar[bool] = False
    # Whether mappings may bring new features to ``partial_fit``.
    takes_new_features: ClassVar[bool] = False
    # Whether a schema may be guessed from records and kept with the model.
    keeps_schema: ClassVar[bool] = True

    # ------------------------------------------------------------------ what a family implements

    def _new_model(self, classes: list[Hashable], table: Table) -> Model[Any]:
        """Return an untrained model with these classes, for rows like those of a table."""
        raise NotImplementedError

    def _refuse_other_settings(self) -> None:
        """Raise a ParameterError if the model cannot continue with the current parameters."""
        raise NotImplementedError

    def _trainer(self, model: Any, data: TrainingData, given: FitArguments) -> Trainer:
        """Return a trainer that learns from the data in epochs and changes the model in place."""
        raise NotImplementedError

    def _learn(self, model: Any, batch: Batch) -> None:
        """Learn once from each row of a batch, in place; new classes may join on the way."""
        raise NotImplementedError

    def _scorer(self, model: Any, table: Table) -> Scorer:
        """Return a function that scores a slice of rows; classes are in the order of the model."""
        raise NotImplementedError

    def _explain(self, question: Question, X: Any) -> Question:
        """Return the question with the parts of the explanation that this family provides.

        ``X`` are the rows of training, or None.
        """
        raise NotImplementedError

    # ------------------------------------------------------------------ what a family may change

    def _snapshot(self, model: Any, batch: Batch) -> Snapshot:
        """Return a snapshot that restores the model to its state before the batch."""
        found: Snapshot = model.snapshot()
        return found

    def _best_state(self, model: Any) -> object:
        """Return the state to restore if this epoch turns out to be the best."""
        return model.state()

    def _schema_weights(self) -> AnyArray | None:
        """Return weights that choose hashed features whose names are stored; None stores all."""
        return None

    @property
    def _how_combined(self) -> str | None:
        """The value of ``combine``; None for learners without that parameter."""
        return None

    @property
    def _n_threads(self) -> int | None:
        """Number of threads for prediction, as in ``n_jobs``; None is one."""
        return None

    # ------------------------------------------------------------------ learning

    def _fit(
        self,
        X: Any,
        y: Any,
        validation_set: tuple[Any, Any] | None,
        given: FitArguments,
        *,
        is_new: bool = False,
    ) -> Self:
        """Fit a model of any family in epochs; with ``is_new`` a new one even with ``warm_start``.

        Only ``fit`` itself may call it, because warnings name the caller of ``fit``.
        """
        with unchanged_on_error(self):
            self.check_parameters()
            resumes = bool(self.warm_start and self.__sklearn_is_fitted__())
            table, rows = read_rows(self, X, reset=not resumes, all_rows=True)
            classes, labels = encode_labels(read_labels(y, rows.n_rows))

            if resumes and not is_new:
                self._refuse_other_settings()
                model = self._model.copy()
                model.best = None
                model.admit_all(classes.tolist())
                slots = [model.slots[label] for label in classes.tolist()]
                labels = np.array(slots, np.int32)[labels]
            else:
                classes, labels = with_opposite(classes, labels)
                model = self._new_model(classes.tolist(), table)
                model.label_dtype = classes.dtype
            refuse_one_class(model.classes)

            data = TrainingData(table, rows, labels)
            model.calibration = None
            folds = None
            if self.calibrate:
                # An error is raised before the training, which may take long.
                folds = folds_of(model, data, given.sample_weight)
            self._hold_out(model, data, validation_set)
            trainer = self._trainer(model, data, given)
            if self.keeps_rows:
                data.checksum = checksum(table)

            count_errors = partial(self._errors_on, data)
            result = self._run(model, trainer, data.validation, count_errors, tol=self.tol)
            self._fit_outcome().majority = MajorityBaseline.of(self, data, result)
            if folds is not None:
                calibrate_model(self, model, data, folds, given)
            keep_guessed_schema(self)
        self._warn_of_mistakes(result, stacklevel=4)
        self._warn_of_majority(stacklevel=4)
        return self

    def _hold_out(
        self, model: Model[Any], data: TrainingData, validation_set: tuple[Any, Any] | None
    ) -> None:
        """Hold out rows of the data and set up validation after each epoch, if requested."""
        data.subset, dev, dev_labels = validation_rows(
            self, data.table, data.labels, model.slots, validation_set
        )
        if dev_labels is None:
            return
        data.held_out = dev, dev_labels
        n = len(dev_labels)

        def score() -> float:
            return (n - self._misclassified(model, dev, dev_labels)) / n

        keep = partial(self._best_state, model)
        data.validation = Validation(score, keep, self.n_iter_no_change)

    def _misclassified(
        self, model: Model[Any], table: Table, labels: AnyArray, weights: AnyArray | None = None
    ) -> float:
        """Return the number of misclassified rows of a table, or their total weight."""
        blocks = predicted_blocks(
            len(model.classes),
            model.sorted_slots,
            self._scorer(model, table),
            len(labels),
            self.ties,
            self._n_threads,
        )
        n_wrong = 0
        weight = 0.0
        for some, numbers in blocks:
            wrong = numbers != labels[some]
            if weights is None:
                n_wrong += int(np.count_nonzero(wrong))
            else:
                weight += weights[some][wrong].sum()
        return n_wrong if weights is None else float(weight)

    def _errors_on(self, data: TrainingData) -> int:
        """Return the number of training rows that the current model misclassifies."""
        if data.checksum is not None and checksum(data.table) != data.checksum:
            raise AttributeError("training errors are not known: X was changed after fit")
        return int(self._misclassified(self._model, data.table, data.labels))

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any = None) -> Self:
        """Learn from a batch with a model of any family; a rejected batch changes nothing."""
        with unchanged_on_error(self) as turn:
            table, rows = read_rows(self, X, reset=not self.__sklearn_is_fitted__())
            names, numbers = encode_labels(read_labels(y, rows.n_rows))
            batch = Batch(table, rows, names.tolist(), numbers, declared_classes(classes))
            batch.weights = streamed_weights(sample_weight, self.class_weight, batch.names, numbers)

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
            keep_guessed_schema(self)
        return self

    def _model_to_learn_on(self, table: Table) -> Any:
        """Return the model to continue with, or a new one for rows like those of a table."""
        self.check_parameters()
        if not self.__sklearn_is_fitted__():
            return self._new_model([], table)
        self._refuse_other_settings()
        return self._model

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from each row once, in the given order, continuing from the current model."""
        raise NotImplementedError

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
        self.partial_fit(one_row(x), one_label(y), classes)
        return self

    # ------------------------------------------------------------------ predicting

    def _scores(self, model: Model[Any], table: Table) -> AnyFloatArray:
        """Return the scores of all rows of a table."""
        score = self._scorer(model, table)
        parts = slices(table.shape[0], self._n_threads)
        found = list(each_part(score, parts, self._n_threads))
        return found[0] if len(found) == 1 else np.concatenate(found)

    @of_whole_state
    def decision_function(self, X: Any) -> AnyFloatArray:
        """Return one score per row for two classes (positive: ``classes_[1]``), else one per class.

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

    def _rows_to_score(self, X: Any) -> tuple[list[Hashable], Table]:
        """Return a copy of the classes, since other threads may add some, and ``X`` as a table."""
        self._refuse_unfitted()
        classes: list[Hashable] = self._model.classes.copy()
        if not classes:
            raise not_fitted_error()(f"this {type(self).__name__} has met no class yet.")
        table = read_table(self, X, reset=False, ignore_unseen=True)
        inspect(as_rows(table), names=lambda: getattr(self, "feature_names_in_", None))
        return classes, table

    @of_whole_state
    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row.

        Scores are taken of some rows at a time, so that memory does not grow with the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        classes, table = self._rows_to_score(X)
        model = self._model
        n_rows = table.shape[0]
        labels = label_array(classes, model.label_dtype)
        score = self._scorer(model, table)
        blocks = predicted_blocks(
            len(classes), model.sorted_slots, score, n_rows, self.ties, self._n_threads
        )
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
        """Predict the class of one example, a mapping or a 1-D array; None if no class is known."""
        return self.predict(one_row(x)).tolist()[0] if self.__sklearn_is_fitted__() else None

    @available_if(_has_probabilities)
    @of_whole_state
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; each row sums to 1. ``predict`` goes by the scores, so
            that of two classes with nearly the same probability it may choose the other.
        """
        return self._probabilities(X, Calibration.probabilities, certain=1.0)

    @available_if(_has_probabilities)
    @of_whole_state
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of each class for each row."""
        return self._probabilities(X, Calibration.log_probabilities, certain=0.0)

    def _probabilities(
        self, X: Any, of_scores: Callable[[Calibration, AnyArray], FloatArray], certain: float
    ) -> FloatArray:
        """Return probabilities or their logarithms; for a single class all are ``certain``."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.full((len(scores), 1), certain)
        return of_scores(self.calibration_, scores)

    @available_if(_has_probabilities)
    @of_whole_state
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Return the probability of each class for one example; empty if no class is known.

        Parameters
        ----------
        x : mapping {feature: value} or array-like of shape (n_features,)

        Returns
        -------
        probabilities : dict
            By class, in the order of ``classes_``.
        """
        if not self.__sklearn_is_fitted__() or not self._model.classes:
            return {}
        found = self.predict_proba(one_row(x))[0]
        return dict(zip(self.classes_.tolist(), found.tolist(), strict=True))

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
        """Explain the prediction for one example, by feature and by past mistake.

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

        question = self._explain(Question.of(self, x, label, against), X)
        return question.explanation.cut(top)

    # ------------------------------------------------------------------ what was learned

    @property
    @of_whole_state
    def classes_(self) -> AnyArray:
        """The classes in order."""
        model = self._fitted()
        return label_array([model.classes[i] for i in model.sorted_slots], model.label_dtype)

    @property
    @of_whole_state
    def calibration_(self) -> Calibration:
        """The parameters that turn scores into probabilities."""
        model = self._fitted()
        if _has_probabilities(self) and not self.calibrate:
            return Calibration(1.0, 0.0)
        if model.calibration is None:
            raise not_fitted_error()(
                f"this {type(self).__name__} is not calibrated: fit does that with calibrate=True, "
                "and partial_fit does not; a class that joins ends it",
                cures="call fit on all rows",
            )
        found = Calibration(*model.calibration)
        if found.combine != self._how_combined:
            raise not_fitted_error()(
                f"this {type(self).__name__} is calibrated for combine={found.combine!r}",
                cures="set it back, or call fit again",
            )
        return found

    @property
    @of_whole_state
    def schema_(self) -> AnySchema | None:
        """The schema that encodes columns of a file as features; None if there is none.

        A model that was trained in the shell or on records brings it along. It can be set after
        training, and is then saved with the model, so that the shell can use it too. What is read
        here is a copy: to change the schema of a model, set it.
        """
        return schema_copy(self)

    @schema_.setter
    def schema_(self, schema: AnySchema | None) -> None:
        set_schema(self, schema)

    @property
    def _scaling(self) -> ColumnScaling | None:
        """The column scaling of training, which applies to all rows; None without scaling."""
        model = self.__dict__.get("_model")
        return None if model is None else model.column_scaling

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.input_tags.sparse = True
        return tags
