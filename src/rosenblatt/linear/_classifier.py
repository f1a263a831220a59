"""What the linear learners share: fitting, answering, and what they tell afterwards."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt import checks as check
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rules import Rule
from rosenblatt.core.scoring import scores
from rosenblatt.core.tables import Rows, as_rows, inspect, largest_allowed
from rosenblatt.core.training import Training, Watch, train
from rosenblatt.errors import ParameterError
from rosenblatt.estimator import outcome, parameters
from rosenblatt.estimator.classes import answers, refuse_one_class
from rosenblatt.estimator.display import ModelDisplay
from rosenblatt.estimator.held_out import watched_rows
from rosenblatt.estimator.inputs import read_rows, read_table
from rosenblatt.estimator.progress import progress
from rosenblatt.estimator.seeds import seed_from
from rosenblatt.estimator.targets import encoded, read_labels, read_weights
from rosenblatt.estimator.undo import unchanged_on_error
from rosenblatt.linear._learned import FloatArray
from rosenblatt.linear._online import OnlineLearning
from rosenblatt.linear._saved import Saved

__all__ = ["FloatArray", "LinearClassifier"]


class LinearClassifier(ModelDisplay, OnlineLearning, Saved, ClassifierMixin, BaseEstimator):
    """Base of the linear learners; a subclass names its rule and its own parameters."""

    _averaged: ClassVar[bool] = False

    # The parameters of the subclasses that are used here.
    fit_intercept: bool
    max_iter: int
    tol: float | None
    shuffle: bool
    random_state: Any
    ties: str
    class_weight: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
    record: bool
    verbose: int

    def _rule(self) -> Rule:
        """The rule with the parameters as they are now, checked."""
        raise NotImplementedError

    def _check_parameters(self) -> Rule:
        check.flag("fit_intercept", self.fit_intercept)
        check.flag("record", self.record)
        parameters.training(self)
        return self._rule()

    # ------------------------------------------------------------------ fitting

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        validation_set: tuple[Any, Any] | None = None,
    ) -> Self:
        """Train on all rows, epoch by epoch, until there is a reason to stop.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. C-contiguous float32 or float64 arrays and CSR matrices are read
            where they lie; nothing is copied.
        y : array-like of shape (n_samples,)
            A label for each row: whole numbers, text, booleans or anything that can be ordered.
        coef_init, intercept_init : array-like, default=None
            Weights and biases to start from instead of 0, shaped like ``coef_`` and
            ``intercept_``.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves the row out.
        validation_set : tuple (X_dev, y_dev), default=None
            Rows to watch instead of a held-out part of ``X``; turns early stopping on.

        Returns
        -------
        self : estimator
            Fitted; ``stop_reason_`` says why training ended.
        """
        with unchanged_on_error(self):
            training = self._fit(X, y, coef_init, intercept_init, sample_weight, validation_set)
        if training.stop_reason == "max_iter" and training.mistakes_per_epoch[-1]:
            warnings.warn(self._what_to_try(training), ConvergenceWarning, stacklevel=2)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any,
        intercept_init: Any,
        sample_weight: Any,
        validation_set: tuple[Any, Any] | None,
    ) -> Training:
        rule = self._check_parameters()
        table, rows = read_rows(self, X, reset=not self._continues())
        labels_given = read_labels(y, rows.n_rows)
        model, labels = self._model_for(labels_given, rows, fresh=coef_init is not None)
        rows = model.weights.agree(table, rows)
        row_weights = read_weights(sample_weight, self.class_weight, model.classes, labels)
        self._set_start(model, coef_init, intercept_init)
        self._start_recording(model)
        subset, watch = self._watch(model, table, labels, validation_set)
        with progress(self.verbose, self.max_iter, type(self).__name__) as told:
            training = train(
                model.weights,
                rule,
                rows,
                labels,
                max_iter=self.max_iter,
                tol=self.tol,
                shuffle=self.shuffle,
                random=model.random,
                subset=subset,
                row_weights=row_weights,
                recorder=model.recorder,
                watch=watch,
                after_epoch=told,
            )
        model.random = training.random
        model.n_mistakes += sum(training.mistakes_per_epoch)
        self._adopt(model, training, table, watch)
        return training

    def _continues(self) -> bool:
        return bool(self.warm_start and self.__sklearn_is_fitted__())

    def _model_for(
        self, labels_given: npt.NDArray[Any], rows: Rows, *, fresh: bool
    ) -> tuple[LinearModel, npt.NDArray[np.int32]]:
        """A new model for these labels, or a copy of the one there is when training goes on."""
        classes, labels = encoded(labels_given)
        if self._continues() and not fresh:
            if bool(self.fit_intercept) != self._model.weights.fit_intercept:
                raise ParameterError(
                    f"fit_intercept={self.fit_intercept!r}, but the model to go on with was "
                    "trained the other way. Set it back, or warm_start=False."
                )
            model = self._model.copy()
            model.best = None
            for label in classes.tolist():
                if label not in model.slots:
                    model.admit(label)
            refuse_one_class(model.classes)
            slots = np.array([model.slots[label] for label in classes.tolist()], np.int32)
            return model, slots[labels]
        refuse_one_class(classes.tolist())
        model = LinearModel(
            classes.tolist(),
            rows.n_features,
            dtype=rows.dtype,
            fit_intercept=bool(self.fit_intercept),
            averaged=self._averaged,
            random=seed_from(self.random_state),
        )
        model.label_dtype = classes.dtype
        return model, labels

    def _set_start(self, model: LinearModel, coef_init: Any, intercept_init: Any) -> None:
        if coef_init is None and intercept_init is None:
            return
        weights = model.weights
        coef = weights.matrix if coef_init is None else np.asarray(coef_init, np.float64)
        bias = weights.bias if intercept_init is None else np.asarray(intercept_init, np.float64)
        shapes = (weights.n_vectors, weights.n_features), (weights.n_vectors,)
        for name, values, shape in (
            ("coef_init", coef, shapes[0]),
            ("intercept_init", bias, shapes[1]),
        ):
            if values.size != np.prod(shape) or (values.ndim > 1 and values.shape != shape):
                raise ParameterError(
                    f"{name} has shape {values.shape}, but these data need {shape}: one row for "
                    "two classes, one for each class when there are more."
                )
            limit = largest_allowed(weights.table.dtype)
            if not (np.abs(values) <= limit).all():
                raise ParameterError(
                    f"{name} holds values that are not finite or beyond {limit:g}, where the sums "
                    "of training would overflow."
                )
        if intercept_init is not None and not self.fit_intercept and np.any(bias):
            raise ParameterError("intercept_init needs fit_intercept=True.")
        coef, bias = coef.reshape(shapes[0]), bias.reshape(shapes[1])
        if weights.n_vectors > 1:  # given in the order of classes_, kept in that of arrival
            place = np.argsort(self._slots_in_order(model))
            coef = coef[place] if coef_init is not None else coef
            bias = bias[place] if intercept_init is not None else bias
        weights.set(coef, bias)

    def _watch(
        self,
        model: LinearModel,
        table: Any,
        labels: npt.NDArray[np.int32],
        validation_set: tuple[Any, Any] | None,
    ) -> tuple[npt.NDArray[np.int64] | None, Watch | None]:
        """The rows to train on and the watch over those held out, if any."""
        subset, dev, dev_labels = watched_rows(self, table, labels, model.slots, validation_set)
        if dev is None:
            return None, None

        def score() -> float:
            self._note_rows(model, table)
            return float(np.mean(self._answers(self._scores(model, dev)) == dev_labels))

        return subset, Watch(score, lambda: self._kept(model), self.n_iter_no_change)

    def _kept(self, model: LinearModel) -> Any:
        """What to go back to when this epoch turns out to be the best."""
        coef, bias = model.served()
        return coef.copy(), bias.copy()

    def _note_rows(self, model: LinearModel, table: Any) -> None:
        """Keep what of the rows is needed to answer; most learners need nothing."""

    def _adopt(
        self, model: LinearModel, training: Training, table: Any, watch: Watch | None
    ) -> None:
        """Take over the outcome of a run; nothing of the estimator changed before."""
        self._note_rows(model, table)
        model.best = None if watch is None else watch.best
        self._model, self._training = model, training
        outcome.adopt(self, training, watch)

    def _what_to_try(self, training: Training) -> str:
        left, ceiling = training.mistakes_per_epoch[-1], training.margin_ceiling
        return (
            f"{type(self).__name__} stopped at max_iter={self.max_iter} with {left} mistakes in "
            f"the last epoch: the rows are not separated, and by a margin above {ceiling:.2g} they "
            "cannot be. Try a larger max_iter, scaled features "
            "(sklearn.preprocessing.StandardScaler), or early_stopping=True; if the classes "
            "overlap, AveragedPerceptron copes best."
        )

    # ------------------------------------------------------------------ answering

    def _scores(self, model: LinearModel, table: Any) -> FloatArray:
        return scores(table, *self._served(model))

    def _answers(self, found: FloatArray) -> npt.NDArray[np.intp]:
        return answers(found, self.ties)

    def decision_function(self, X: Any) -> FloatArray:
        """Scores: one a row for two classes (positive: ``classes_[1]``), else one per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        table = read_table(self, X, reset=False, ignore_unseen=True)
        inspect(as_rows(table), names=getattr(self, "feature_names_in_", None))
        found = self._scores(self._model, table)
        return found if found.ndim == 1 else found[:, self._slots_in_order(self._model)]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        answers = self._answers(self.decision_function(X))
        classes = self.classes_
        return classes[answers if len(classes) > 1 else np.zeros_like(answers)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
