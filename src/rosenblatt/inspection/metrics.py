"""Measures of scores and probabilities: ranking curves, log loss, calibration."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.inspection.score_curves import ScoreCurve
from rosenblatt.models.classes import best_classes

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray

Floats = npt.NDArray[np.float64]
# The scores of all rows are kept in memory, so with more classes than this none are computed.
MAX_RANKED = 100
BINS = 10


@dataclass(frozen=True)
class Reliability:
    """Reliability diagram: predicted probabilities in bins of equal width, and observed shares.

    Empty bins are left out.

    Attributes
    ----------
    predicted : ndarray of shape (n_bins,)
        Mean probability: with two classes that of the second, otherwise that of the most probable
        class.
    observed : ndarray of shape (n_bins,)
        Share of the rows that belong to this class.
    counts : ndarray of shape (n_bins,)
        Number of rows in the bin.
    """

    predicted: Floats
    observed: Floats
    counts: npt.NDArray[np.int64]

    @property
    def error(self) -> float:
        """Expected calibration error: the mean of ``|predicted - observed|`` over all rows."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.counts))


def reliability(labels: npt.NDArray[np.int64], probabilities: Floats) -> Reliability:
    """Return the reliability diagram of probabilities; ``labels`` holds class indices."""
    if probabilities.shape[1] == 2:
        given = probabilities[:, 1]
        came_true = labels == 1
    else:
        given = probabilities.max(axis=1)
        came_true = probabilities.argmax(axis=1) == labels

    inner_edges = np.linspace(0, 1, BINS + 1)[1:-1]
    bins = np.searchsorted(inner_edges, given)
    counts = np.bincount(bins, minlength=BINS)
    predicted = np.bincount(bins, given, BINS)
    observed = np.bincount(bins, came_true, BINS)

    is_filled = counts > 0
    n = counts[is_filled]
    return Reliability(predicted[is_filled] / n, observed[is_filled] / n, n)


def log_loss(labels: npt.NDArray[np.int64], probabilities: Floats) -> float:
    """Return the mean of -log p of the right class; p is clipped to at least 2.2e-16."""
    right = probabilities[np.arange(len(labels)), labels]
    least = np.finfo(np.float64).eps
    return float(-np.log(np.clip(right, least, 1 - least)).mean())


def curves(
    classes: list[Hashable], labels: npt.NDArray[np.int64], scores: Floats
) -> list[ScoreCurve]:
    """Return the score curve of the second of two classes, or one per class against the rest.

    Classes that do not occur have no curve. If only one class occurs, there is none at all.
    """
    occurring = np.flatnonzero(np.bincount(labels))
    if len(occurring) < 2:
        return []
    if scores.ndim == 1 or scores.shape[1] == 2:
        second = scores if scores.ndim == 1 else scores[:, 1]
        return [ScoreCurve.of(classes[1], labels == 1, second)]
    # All points of many curves would take more memory than the scores themselves.
    return [ScoreCurve.of(classes[k], labels == k, scores[:, k]).thinned() for k in occurring]


def leads(scores: Floats) -> Floats:
    """Return each score minus the best other score of its row, which makes rows comparable."""
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T[:, :, None]
    return np.asarray(scores - np.where(scores == best, second, best))


def outputs(
    learner: Any, X: Any, threshold: float | None = None
) -> tuple[AnyArray, AnyArray | None, AnyArray | None]:
    """Return predictions, scores and probabilities of rows; the last two are None if missing.

    Scores are missing with one class or very many, probabilities if the learner is not calibrated.
    With two classes and a ``threshold``, the second class is predicted if its probability (its
    score, without probabilities) is above the threshold.
    """
    classes = learner.classes_
    if not 2 <= len(classes) <= MAX_RANKED:
        return learner.predict(X), None, None

    scores = learner.decision_function(X)
    probabilities = None
    if hasattr(learner, "calibration_"):
        probabilities = learner.calibration_.probabilities(scores)

    if threshold is None:
        return classes[best_classes(scores, learner.ties)], scores, probabilities
    second = scores if probabilities is None else probabilities[:, 1]
    return classes[(second > threshold).astype(np.intp)], scores, probabilities


def checked(name: str, values: npt.ArrayLike, n: int, k: int) -> Floats:
    """Return scores or probabilities as an array; raise unless finite and of the right shape.

    There are n rows and k classes. With two classes, scores may have one dimension.
    """
    array = np.asarray(values, np.float64)
    allowed: list[tuple[int, ...]] = [(n, k)]
    if k == 2 and name == "scores":
        allowed.append((n,))
    if array.shape not in allowed or not np.isfinite(array).all():
        shape = " or ".join(map(str, allowed))
        raise InputError(f"{name} has shape {array.shape}; give finite numbers of shape {shape}.")
    return array
