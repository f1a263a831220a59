"""Calibration of scores: Platt's sigmoid for two classes, a temperature for more.

Both are fitted on out-of-fold scores: each row is scored by a model that has not learned from it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, FloatArray, IntArray
from rosenblatt.engine.rows.probabilities import (
    log,
    log_softmax,
    sigmoid_loss,
    softmax,
    softmax_loss,
)
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.estimators.inputs import FitArguments, TrainingData
from rosenblatt.estimators.targets import read_weights
from rosenblatt.models.classes import decision_scores, stratified_folds
from rosenblatt.models.result import stop_asked
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.models.model import Model

# The value of a loss, its gradient by slope and offset, and its second derivatives: by slope twice,
# by slope and offset, by offset twice.
Parts = tuple[float, tuple[float, float], tuple[float, float, float]]
Loss = Callable[[float, float], Parts]
MAX_FOLDS, MAX_STEPS = 5, 100
SCORED_AT_ONCE = 1 << 14
LARGEST_EXPONENT = 1e300
RIDGE = 1e-12


class Calibration(NamedTuple):
    """Parameters that turn scores into probabilities: the slope and offset of a sigmoid or softmax.

    ``P = softmax(slope · scores)``; for two classes ``1 / (1 + exp(-slope · score - offset))``.
    ``combine`` is the value of that parameter of the learner when the calibration was fitted; None
    if the learner has no such parameter.
    """

    slope: float
    offset: float
    combine: str | None = None

    def log_probabilities(self, scores: AnyArray) -> FloatArray:
        """Return log probabilities, a column for each class, of scores of ``decision_function``."""
        found = self._exponents(scores)
        log_softmax(found)
        return found

    def probabilities(self, scores: AnyArray) -> FloatArray:
        """Return probabilities, a column for each class, of scores of ``decision_function``."""
        found = self._exponents(scores)
        softmax(found)
        return found

    def _exponents(self, scores: AnyArray) -> FloatArray:
        with np.errstate(over="ignore"):
            z = np.clip(self.slope * scores, -LARGEST_EXPONENT, LARGEST_EXPONENT)
        if z.ndim == 1:
            z = np.column_stack([np.zeros_like(z), z + self.offset])
        return np.ascontiguousarray(z, np.float64)


def calibrate(
    scores: AnyArray, labels: AnyArray, weights: npt.ArrayLike | None = None
) -> Calibration:
    """Fit the slope and offset that minimize the log loss on rows that were not trained on.

    ``scores`` are as ``decision_function`` has them: one for each row (Platt's sigmoid), or one for
    each class (a temperature, 1 / slope). ``labels`` are class indices. Also scores without a
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
    labels = np.asarray(labels, np.intp)
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    weights = np.ascontiguousarray(weights)
    fit = _platt if scores.ndim == 1 else _temperature
    return fit(scores.astype(np.float64, copy=False), labels, weights)


def _platt(scores: FloatArray, labels: IntArray, weights: FloatArray) -> Calibration:
    """Fit Platt's sigmoid, a slope and an offset, to one score for each row."""
    # The target of the second class: what is left of Platt's for rows of the first.
    rest = 1.0 / (np.bincount(labels, weights, 2)[labels] + 2.0)
    targets = np.where(labels == 1, 1.0 - rest, rest)
    second = float((weights * targets).sum())
    first = float((weights * (1.0 - targets)).sum())
    prior = log(second / first)

    # Centred and of size 1, so that slope and offset hardly depend on each other.
    centre = float((weights * scores).sum() / weights.sum())
    features = scores - centre
    scale = float(np.abs(features).max())
    if not scale > np.finfo(np.float64).tiny:
        return Calibration(0.0, prior)
    features = features / scale

    slope, offset = _lowest(partial(sigmoid_loss, features, targets, weights), 0.0, prior)
    slope /= scale
    if slope <= 0:
        return Calibration(0.0, prior)
    return Calibration(slope, offset - slope * centre)


def _temperature(scores: FloatArray, labels: IntArray, weights: FloatArray) -> Calibration:
    """Fit a slope, 1 / temperature, to scores with a column for each class."""
    n, k = scores.shape
    features = scores - scores.max(axis=1, keepdims=True)
    scale = -float(features.min())  # none is above 0
    if not scale > np.finfo(np.float64).tiny:
        return Calibration(0.0, 0.0)
    features /= scale
    features = np.ascontiguousarray(features)

    # The mean of the scores of a row by its targets, of which the wrong classes share the rest.
    rest = 1.0 / (float(weights.sum()) + 2.0)
    right = features[np.arange(n), labels]
    wrong = features.sum(axis=1) - right
    wanted = (1.0 - rest) * right + rest / (k - 1) * wrong

    def loss(slope: float, offset: float) -> Parts:
        return softmax_loss(features, wanted, weights, slope)

    slope, _ = _lowest(loss, 0.0, 0.0)
    slope /= scale
    return Calibration(max(slope, 0.0), 0.0)


def _lowest(loss: Loss, slope: float, offset: float) -> tuple[float, float]:
    """Minimize a convex loss by Newton's method with backtracking; return slope and offset."""
    value, gradient, curvature = loss(slope, offset)
    for _ in range(MAX_STEPS):
        by_slope, by_offset = _newton_step(gradient, curvature)
        gain = -(gradient[0] * by_slope + gradient[1] * by_offset)
        if not gain > 1e-15 * max(value, 1.0):
            break
        tried = loss(slope + by_slope, offset + by_offset)
        while tried[0] > value - 1e-4 * gain and max(abs(by_slope), abs(by_offset)) > RIDGE:
            by_slope /= 2
            by_offset /= 2
            gain /= 2
            tried = loss(slope + by_slope, offset + by_offset)
        if tried[0] > value:
            break
        slope += by_slope
        offset += by_offset
        value, gradient, curvature = tried
    return slope, offset


def _newton_step(
    gradient: tuple[float, float], curvature: tuple[float, float, float]
) -> tuple[float, float]:
    """Solve ``curvature · step = -gradient`` by eliminating the offset, which curves the most."""
    slope_slope, slope_offset, offset_offset = curvature
    offset_offset += RIDGE
    share = slope_offset / offset_offset
    alone = max(slope_slope + RIDGE - share * slope_offset, RIDGE)
    by_slope = (share * gradient[1] - gradient[0]) / alone
    by_offset = -(gradient[1] + slope_offset * by_slope) / offset_offset
    return by_slope, by_offset


# ---------------------------------------------------------------------- folds


def folds_of(model: Model[Any], data: TrainingData, sample_weight: Any) -> IntArray:
    """Return the stratified fold of each row; -1 for rows of weight 0.

    Raise InputError if a class has fewer than two rows of weight above 0.
    """
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
    n_folds = min(MAX_FOLDS, int(sizes[least]))
    folds[counted] = stratified_folds(labels, n_folds, model.seed)
    return folds


def calibrate_model(
    learner: RowClassifier, model: Any, data: TrainingData, folds: IntArray, given: FitArguments
) -> None:
    """Calibrate the model that was just trained, unless a stop was requested."""
    if stop_asked():
        return
    scores = out_of_fold_scores(learner, model, data, folds, given)
    if scores is None:
        return
    counted = folds >= 0
    weights = read_weights(given.sample_weight, None, [], data.labels)
    if weights is not None:
        weights = weights[counted]
    found = calibrate(scores[counted], data.labels[counted], weights)
    model.calibration = tuple(found._replace(combine=learner._how_combined))


def out_of_fold_scores(
    learner: RowClassifier,
    model: Model[Any],
    data: TrainingData,
    folds: IntArray,
    given: FitArguments,
) -> AnyArray | None:
    """Return the scores of all rows, each by a model that was trained on the other folds.

    Return None if a stop was requested. The learner was just fitted on the data: the others have
    its parameters, and as many epochs at most. Rows are copied only to be scored, some at a time.
    Rows of fold -1 have score 0.
    """
    outcome = learner._fit_outcome()
    n_epochs = outcome.best_iter if outcome.best_iter is not None else outcome.result.n_iter
    twin = copy(learner).set_params(
        max_iter=n_epochs, early_stopping=False, verbose=0, random_state=model.seed
    )
    if "record" in twin.options():
        twin.set_params(record=False)

    scores: AnyArray | None = None
    for fold in range(int(folds.max()) + 1):
        part = twin._new_model(model.classes, data.table)
        others = TrainingData(data.table, data.rows, data.labels, np.flatnonzero(folds != fold))
        trainer = twin._trainer(part, others, given)
        twin._run(part, trainer, others.validation, lambda: 0, tol=twin.tol)
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
