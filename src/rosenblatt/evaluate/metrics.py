"""How well scores rank rows, and how far probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.classes import best_classes
from rosenblatt.errors import InputError

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


def roc_area(positive: npt.NDArray[np.bool_], scores: Floats) -> float:
    """The share of pairs, one positive row and one other, that scores rank right; ties are half."""
    _, number, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[number]
    n = int(positive.sum())
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n)))


def pr_area(positive: npt.NDArray[np.bool_], scores: Floats) -> float:
    """The mean precision over all positive rows, each taken with all that score as high."""
    _, number = np.unique(-scores, return_inverse=True)
    gained, taken = np.bincount(number, positive), np.cumsum(np.bincount(number))
    return float(gained @ (np.cumsum(gained) / taken) / gained.sum())


def area(
    of: Callable[[npt.NDArray[np.bool_], Floats], float],
    labels: npt.NDArray[np.int64],
    scores: Floats,
) -> float | None:
    """Of two classes that of the second; of more the mean over those that occur, against the rest.

    None if one class alone occurs.
    """
    occur = np.flatnonzero(np.bincount(labels))
    if len(occur) < 2:
        return None
    if scores.ndim == 1 or scores.shape[1] == 2:
        return of(labels == 1, scores if scores.ndim == 1 else scores[:, 1])
    return float(np.mean([of(labels == label, scores[:, label]) for label in occur]))


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
        probabilities = np.exp(learner.calibration_.log_probabilities(scores))
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
