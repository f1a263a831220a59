"""How well scores rank rows, and how far probabilities can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.classes import best_classes
from rosenblatt.errors import InputError
from rosenblatt.evaluate.score_curves import ScoreCurve

Floats = npt.NDArray[np.float64]
# Scores of all rows are kept, so that of more classes than this there are none.
MOST_RANKED = 100
BINS = 10


@dataclass(frozen=True)
class Reliability:
    """Probabilities in bins of equal width, beside how often they came true; no bin is empty.

    Attributes
    ----------
    predicted : ndarray of shape (n_bins,)
        Mean probability: of two classes that of the second, else that of the most probable class.
    observed : ndarray of shape (n_bins,)
        Share of the rows that are of this class.
    counts : ndarray of shape (n_bins,)
        Rows in the bin.
    """

    predicted: Floats
    observed: Floats
    counts: npt.NDArray[np.int64]

    @property
    def error(self) -> float:
        """The expected calibration error: how far the two differ, by rows."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.counts))


def reliability(labels: npt.NDArray[np.int64], probabilities: Floats) -> Reliability:
    """Of numbers of classes, and a probability for each class."""
    if probabilities.shape[1] == 2:
        given, came_true = probabilities[:, 1], labels == 1
    else:
        given, came_true = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    bins = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], given)
    counts, predicted, observed = (np.bincount(bins, w, BINS) for w in (None, given, came_true))
    full = counts > 0
    n = counts[full]
    return Reliability(predicted[full] / n, observed[full] / n, n)


def log_loss(labels: npt.NDArray[np.int64], probabilities: Floats) -> float:
    """Mean of -log of the probability of the right class, which counts as 2.2e-16 at least."""
    right, least = probabilities[np.arange(len(labels)), labels], np.finfo(np.float64).eps
    return float(-np.log(np.clip(right, least, 1 - least)).mean())


def curves(classes: list[Any], labels: npt.NDArray[np.int64], scores: Floats) -> list[ScoreCurve]:
    """Of two classes that of the second; of more one for each that occurs, against the rest.

    None at all if one class alone occurs.
    """
    occur = np.flatnonzero(np.bincount(labels))
    if len(occur) < 2:
        return []
    if scores.ndim == 1 or scores.shape[1] == 2:
        second = scores if scores.ndim == 1 else scores[:, 1]
        return [ScoreCurve.of(classes[1], labels == 1, second)]
    # All points of many classes would be more than the scores themselves.
    return [ScoreCurve.of(classes[k], labels == k, scores[:, k]).thinned() for k in occur]


def leads(scores: Floats) -> Floats:
    """What each of several classes is ahead of the best other by, which rows can be compared by."""
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T[:, :, None]
    return np.asarray(scores - np.where(scores == best, second, best))


def outputs(learner: Any, X: Any, threshold: float | None = None) -> tuple[Any, Any, Any]:
    """Predictions, scores and probabilities of rows; None where the learner has no such.

    With two classes and a ``threshold`` the second is predicted where its probability is above it,
    or its score if there are no probabilities.
    """
    classes = learner.classes_
    if not 2 <= len(classes) <= MOST_RANKED:
        return learner.predict(X), None, None
    scores, probabilities = learner.decision_function(X), None
    if hasattr(learner, "calibration_"):
        probabilities = learner.calibration_.probabilities(scores)
    if threshold is None:
        return classes[best_classes(scores, learner.ties)], scores, probabilities
    second = scores if probabilities is None else probabilities[:, 1]
    return classes[(second > threshold).astype(np.intp)], scores, probabilities


def checked(name: str, values: Any, n: int, k: int) -> Floats:
    """Scores or probabilities of n rows and k classes, which have to be numbers."""
    found = np.asarray(values, np.float64)
    allowed = [(n, k), *([(n,)] if k == 2 and name == "scores" else [])]
    if found.shape not in allowed or not np.isfinite(found).all():
        shape = " or ".join(map(str, allowed))
        raise InputError(f"{name} has shape {found.shape}; give finite numbers of shape {shape}.")
    return found
