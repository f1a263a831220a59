"""What the linear learners share: fitting, predicting, and what they tell afterwards."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import AnyFloatArray
from rosenblatt.core.classes import answers
from rosenblatt.core.model import LinearModel
from rosenblatt.core.result import FitResult, Validation
from rosenblatt.core.rows import Rows, as_rows, inspect, largest_allowed
from rosenblatt.core.scoring import scores
from rosenblatt.core.training import train
from rosenblatt.errors import ParameterError
from rosenblatt.learner import outcome
from rosenblatt.learner.classes import refuse_one_class
from rosenblatt.learner.display import ModelDisplay
from rosenblatt.learner.held_out import watched_rows
from rosenblatt.learner.inputs import read_rows, read_table
from rosenblatt.learner.options import option
from rosenblatt.learner.progress import progress
from rosenblatt.learner.rows import RowLearner
from rosenblatt.learner.seeds import seed_from
from rosenblatt.learner.sklearn_classes import convergence_warning, not_fitted_error
from rosenblatt.learner.targets import encoded, read_labels, read_weights
from rosenblatt.learner.undo import unchanged_on_error
from rosenblatt.linear._online import OnlineLearning
from rosenblatt.linear._saved import Saved

__all__ = ["LinearLearner"]


def check_class_weight(name: str, value: Any) -> None:
    """A factor for each class by its label, or "balanced"."""
    if isinstance(value, Mapping):
        factors = value.values()
        sound = all(isinstance(f, numbers.Real) and 0 <= float(f) < math.inf for f in factors)
    else:
        sound = isinstance(value, str) and value == "balanced"
    if not sound:
        raise ParameterError(
            f"{name}={value!r} is not known: give 'balanced', None or a dict of class to weight, "
            "none of them negative."
        )


def weights_from_text(text: str) -> Any:
    """As the shell has them: balanced, none, or spam=2,ham=1; labels stay text."""
    if text in ("balanced", "none"):
        return None if text == "none" else text
    weights = {}
    for part in text.split(","):
        label, equals, factor = part.rpartition("=")
        try:
            weights[label] = float(factor)
        except ValueError:
            equals = ""
        if not equals:
            raise ParameterError(
                f"class_weight={text} is not known: write balanced, or a factor for each class "
                "as spam=2,ham=1."
            )
    return weights


class LinearLearner(ModelDisplay, OnlineLearning, Saved, RowLearner):
    """Base of the linear learners; each declares its own parameters and names its rule.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
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
        Whether the last ``fit`` separated the rows.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "cycle", "early_stopping", "tolerance",
        "max_iter" or "interrupted".
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
    """

    fit_intercept: bool = option(
        default=True,
        label="Bias b",
        help="Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.",
    )
    class_weight: Any = option(
        default=None,
        type='dict, "balanced" or None',
        check=check_class_weight,
        also=lambda value: value is None,
        from_text=weights_from_text,
        on_page=False,
        help="""
        A factor for the steps of each class; "balanced" makes rare classes count as much.""",
    )
    record: bool = option(
        default=False, on_page=False, help="Keep the ledger of all updates in ``ledger_``."
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared = LinearLearner._options if cls is not LinearLearner else {}
        own = (name for name in cls._options if name not in shared)
        cls._rule_settings = attrgetter(*own, "ties", "fit_intercept")

    def rule(self) -> Rule:
        """How far a row moves the weights, with the parameters as they are now.

        Returns
        -------
        rule : Rule
        """
        raise NotImplementedError(f"{type(self).__name__} does not say its rule")

    def _checked_rule(self) -> Rule:
        self.check_parameters()
        return self.rule()

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
            self._take_guessed_schema()
        if training.stop_reason == "max_iter" and training.mistakes_per_epoch[-1]:
            warnings.warn(self._what_to_try(training), convergence_warning(), stacklevel=2)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any,
        intercept_init: Any,
        sample_weight: Any,
        validation_set: tuple[Any, Any] | None,
    ) -> FitResult:
        rule = self._checked_rule()
        table, rows = read_rows(self, X, reset=not self._continues())
        labels_given = read_labels(y, rows.n_rows)
        model, labels = self._model_for(labels_given, rows, fresh=coef_init is not None)
        rows = model.weights.agree(table, rows)
        row_weights = read_weights(sample_weight, self.class_weight, model.classes, labels)
        self._set_start(model, coef_init, intercept_init)
        self._start_recording(model)
        subset, watch = self._watch(model, table, labels, validation_set)
        with progress(self.verbose, self.max_iter, type(self).__name__) as after_epoch:
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
                validation=watch,
                after_epoch=after_epoch,
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
            self._refuse_other_bias()
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
            averaged=self.averages,
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
    ) -> tuple[npt.NDArray[np.int64] | None, Validation | None]:
        """The rows to train on and the watch over those held out, if any."""
        subset, dev, dev_labels = watched_rows(self, table, labels, model.slots, validation_set)
        if dev is None:
            return None, None

        def score() -> float:
            self._note_rows(model, table)
            return float(np.mean(self._answers(self._scores(model, dev)) == dev_labels))

        return subset, Validation(score, lambda: self._kept(model), self.n_iter_no_change)

    def _kept(self, model: LinearModel) -> Any:
        """What to go back to when this epoch turns out to be the best."""
        coef, bias = model.served()
        return coef.copy(), bias.copy()

    def _note_rows(self, model: LinearModel, table: Any) -> None:
        """Keep what of the rows is needed to answer; most learners need nothing."""

    def _adopt(
        self, model: LinearModel, training: FitResult, table: Any, watch: Validation | None
    ) -> None:
        """Take over the outcome of a run; nothing of the estimator changed before."""
        self._note_rows(model, table)
        model.best = None if watch is None else watch.best
        self._model, self._training = model, training
        outcome.adopt(self, training, watch)

    def _what_to_try(self, training: FitResult) -> str:
        left, ceiling = training.mistakes_per_epoch[-1], training.margin_ceiling
        return (
            f"{type(self).__name__} stopped at max_iter={self.max_iter} with {left} mistakes in "
            f"the last epoch: the rows are not separated, and by a margin above {ceiling:.2g} they "
            "cannot be. Try a larger max_iter, scaled features "
            "(sklearn.preprocessing.StandardScaler), or early_stopping=True"
            + ("." if self.averages else "; if the classes overlap, AveragedPerceptron copes best.")
        )

    # ------------------------------------------------------------------ answering

    def _scores(self, model: LinearModel, table: Any) -> AnyFloatArray:
        return scores(table, *self._served(model))

    def _answers(self, found: AnyFloatArray) -> npt.NDArray[np.intp]:
        return answers(found, self.ties)

    def decision_function(self, X: Any) -> AnyFloatArray:
        """Scores: one a row for two classes (positive: ``classes_[1]``), else one per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        self._refuse_unfitted()
        if not self._model.classes:
            raise not_fitted_error()(f"this {type(self).__name__} has met no class yet.")
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
