"""Scores become probabilities: Platt's sigmoid for two classes, a temperature for more.

Both are fitted on out-of-fold scores: each row is scored by a model that has not learned from it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IntArray
from rosenblatt.core.classes import decision_scores, stratified_folds
from rosenblatt.core.result import stop_asked
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.learner.base import Learner
from rosenblatt.learner.inputs import TrainingData, one_row
from rosenblatt.learner.options import option
from rosenblatt.learner.routing import available_if
from rosenblatt.learner.sklearn_classes import not_fitted_error
from rosenblatt.learner.targets import read_weights
from rosenblatt.plurals import count

# The value of a loss, its gradient and its second derivatives.
Loss = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]
MOST_FOLDS, MOST_STEPS = 5, 100
SCORED_AT_ONCE = 1 << 14
LARGEST_EXPONENT = 1e300
RIDGE = 1e-12


class Calibration(NamedTuple):
    """``P = softmax(slope · scores)``; of two classes ``1 / (1 + exp(-slope · score - offset))``.

    ``combine`` is how the learner predicted when this was fitted, if it has such a parameter.
    """

    slope: float
    offset: float
    combine: str | None = None

    def log_probabilities(self, scores: AnyArray) -> FloatArray:
        """One column for each class, of scores as ``decision_function`` has them."""
        with np.errstate(over="ignore"):
            scores = np.clip(self.slope * scores, -LARGEST_EXPONENT, LARGEST_EXPONENT)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores + self.offset])
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def calibrate(scores: AnyArray, labels: AnyArray, weights: Any = None) -> Calibration:
    """The slope and offset of the least log loss on rows that the model has not learned from.

    ``scores`` are as ``decision_function`` has them: one for each row (Platt's sigmoid), or one for
    each class (a temperature, 1 / slope). ``labels`` are numbers of classes. Also scores without a
    mistake have a finite slope, since targets are Platt's: ``(n + 1) / (n + 2)`` for the right one
    of two classes, which has ``n`` rows; of more classes ``n`` are all rows, for one number needs
    less smoothing than two. Scores that would need a negative slope say nothing: it is then 0, and
    all rows have the shares of the classes.

    References
    ----------
    J. Platt (1999), "Probabilistic outputs for support vector machines".
    H.-T. Lin, C.-J. Lin and R. Weng (2007), "A note on Platt's probabilistic outputs for support
    vector machines", Machine Learning 68.
    """
    labels, two, n = np.asarray(labels, np.intp), scores.ndim == 1, len(labels)
    weights = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    k = 2 if two else scores.shape[1]
    totals = np.bincount(labels, weights, k)[labels] if two else np.full(n, weights.sum())
    others = 1.0 / (totals + 2)
    targets = np.repeat(others[:, None] / (k - 1), k, axis=1)
    targets[np.arange(n), labels] = 1.0 - others
    shares = weights @ targets
    prior = float(np.log(shares[1] / shares[0])) if two else 0.0
    scores = scores.astype(np.float64)
    centre = float(weights @ scores / weights.sum()) if two else 0.0
    scores = scores - (centre if two else scores.max(axis=1, keepdims=True))
    scale = float(np.abs(scores).max())
    if not scale > np.finfo(np.float64).tiny:
        return Calibration(0.0, prior)
    # z = features @ (slope, offset), as large for each class as the softmax takes it.
    features = (scores / scale).reshape(n, -1, 1)
    if two:
        features = np.stack([np.zeros((n, 2)), np.column_stack([scores / scale, np.ones(n)])], 1)

    def loss(found: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        z = features @ found
        z -= z.max(axis=1, keepdims=True)
        log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        p, flat = np.exp(log_p), features.reshape(n * k, -1)
        means = np.einsum("nk,nkd->nd", p, features)
        p *= weights[:, None]
        curvature = (flat * p.reshape(-1, 1)).T @ flat - (means * weights[:, None]).T @ means
        gradient = flat.T @ (p - weights[:, None] * targets).ravel()
        return -float(weights @ (targets * log_p).sum(axis=1)), gradient, curvature

    found = _lowest(loss, np.array([0.0, prior][: features.shape[2]]))
    slope = float(found[0]) / scale
    if slope <= 0:
        return Calibration(0.0, prior)
    return Calibration(slope, float(found[1]) - slope * centre if two else 0.0)


def _lowest(loss: Loss, found: FloatArray) -> FloatArray:
    """Where a convex loss is least: Newton's method, whose steps are halved until they gain."""
    value, gradient, curvature = loss(found)
    for _ in range(MOST_STEPS):
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(found)), -gradient)
        slope = float(gradient @ step)
        if -slope <= 1e-15 * max(value, 1.0):
            break
        tried = loss(found + step)
        while tried[0] > value + 1e-4 * slope and np.abs(step).max() > RIDGE:
            step, slope = step / 2, slope / 2
            tried = loss(found + step)
        if tried[0] > value:
            break
        found, (value, gradient, curvature) = found + step, tried
    return found


# ---------------------------------------------------------------------- folds


def folds_of(model: Any, data: TrainingData, *, sample_weight: Any = None, **_: Any) -> IntArray:
    """The fold of each row, -1 of those that count nothing; refused if a class is too small."""
    weights = read_weights(sample_weight, None, [], data.labels)
    counted = np.flatnonzero(np.ones(len(data.labels)) if weights is None else weights)
    labels = data.labels[counted]
    sizes = np.bincount(labels, minlength=len(model.classes))
    least = int(sizes.argmin())
    if sizes[least] < 2:
        of_all = f"{sizes[least]} of {count(len(labels), 'sample')}"
        has = f"class {model.classes[least]!r} has {of_all}"
        raise InputError(
            Message(Setting("calibrate", True), f" needs two of each class, but {has}"),
            cures=["give more of them", Message("leave out ", Setting("calibrate"))],
        )
    folds = np.full(len(data.labels), -1)
    folds[counted] = stratified_folds(labels, min(MOST_FOLDS, int(sizes[least])), model.seed)
    return folds


def out_of_fold_scores(
    learner: Any, model: Any, data: TrainingData, folds: IntArray, **start: Any
) -> AnyArray | None:
    """Scores of rows by models that learned from the other folds; None if asked to stop.

    The learner was just fitted on the data: the others have its parameters, and as many epochs at
    most. ``start`` is as ``fit`` has it. Rows are not copied, but some at a time to be scored.
    Rows of fold -1 have the score 0.
    """
    epochs = getattr(learner, "best_iter_", learner.n_iter_)
    twin = copy(learner).set_params(
        max_iter=epochs, early_stopping=False, verbose=0, random_state=model.seed
    )
    if hasattr(twin, "record"):
        twin.record = False
    scores: Any = None
    for fold in range(int(folds.max()) + 1):
        part = twin._new_model(model.classes, data.table)
        others = TrainingData(data.table, data.rows, data.labels, np.flatnonzero(folds != fold))
        trainer = twin._trainer(part, others, **start)
        twin._run(part, trainer, others.validation, lambda: 0)
        if stop_asked():
            return None
        held = np.flatnonzero(folds == fold)
        for begin in range(0, len(held), SCORED_AT_ONCE):
            some = held[begin : begin + SCORED_AT_ONCE]
            found = decision_scores(twin._scores(part, data.table[some]))
            if scores is None:
                scores = np.zeros((len(folds), *found.shape[1:]))
            scores[some] = found
    return np.asarray(scores)


# ---------------------------------------------------------------------- learners


def _has_probabilities(learner: Any) -> bool:
    if not (learner.calibrate or learner.scores_are_log_odds):
        raise AttributeError(
            f"{type(learner).__name__} has scores and no probabilities: set calibrate=True and fit."
        )
    return True


class CalibratedClassifier(Learner):
    """A classifier whose scores can be made probabilities.

    Attributes
    ----------
    calibration_ : Calibration
        What makes probabilities of scores, with ``calibrate=True``: ``slope`` and ``offset``.
    """

    calibrate: bool = option(
        default=False,
        in_studio=False,
        help="""
        Fit probabilities, too, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid, with more than two classes a
        temperature, to their scores of the rows they did not see. Weights and predictions stay as
        they are; ``sample_weight`` counts and ``class_weight`` does not. Calls of ``partial_fit``
        and ``learn_one`` keep what was fitted, until a class joins.""",
    )

    # Whether scores are log odds as they are.
    scores_are_log_odds: ClassVar[bool] = False

    def _calibrate(self, model: Any, data: TrainingData, folds: IntArray, **start: Any) -> None:
        """Calibrate the model that was just trained, unless somebody asked to stop."""
        scores = None if stop_asked() else out_of_fold_scores(self, model, data, folds, **start)
        if scores is not None:
            counted = folds >= 0
            weights = read_weights(start.get("sample_weight"), None, [], data.labels)
            weights = None if weights is None else weights[counted]
            found = calibrate(scores[counted], data.labels[counted], weights)
            model.calibration = tuple(found._replace(combine=getattr(self, "combine", None)))

    @property
    def calibration_(self) -> Calibration:
        """What makes probabilities of scores."""
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
        if found.combine != getattr(self, "combine", None):
            raise not_fitted_error()(
                f"this {type(self).__name__} is calibrated for combine={found.combine!r}",
                cures="set it back, or call fit again",
            )
        return found

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; each row sums to 1. ``predict`` goes by the scores, so
            that of two classes with nearly the same probability it may choose the other.
        """
        return np.exp(self.predict_log_proba(X))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of the probability of each class for each row."""
        learner: Any = self
        scores = learner.decision_function(X)
        if len(learner.classes_) == 1:
            return np.zeros((len(scores), 1))
        return self.calibration_.log_probabilities(scores)

    @available_if(_has_probabilities)
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each class for one example; empty before any was learned.

        Parameters
        ----------
        x : mapping {feature: value} or array-like of shape (n_features,)

        Returns
        -------
        probabilities : dict
            By class, in the order of ``classes_``.
        """
        if "_model" not in vars(self) or not self._model.classes:
            return {}
        learner: Any = self
        found = self.predict_proba(one_row(x))[0]
        return dict(zip(learner.classes_.tolist(), found.tolist(), strict=True))
