"""ROC and precision-recall curves: counts of right and wrong rows at every threshold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
# Recalls for which a threshold is suggested.
RECALLS = (0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
MAX_POINTS = 1_000


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """Score curve of one class against the rest: counts at every threshold, strictest first.

    Attributes
    ----------
    label : object
        The class.
    scores : ndarray of shape (n_steps,)
        The distinct scores, or probabilities, of this class, highest first.
    taken : ndarray of shape (n_steps,)
        Number of rows with this score or a higher one.
    found : ndarray of shape (n_steps,)
        Number of rows among them that belong to this class.
    roc_area : float
        Share of pairs, one row of the class and one of the rest, that are ranked right; ties count
        half.
    pr_area : float
        Average precision: the mean over the rows of the class of the precision at their score.
    """

    label: Hashable
    scores: Floats
    taken: Counts
    found: Counts
    roc_area: float
    pr_area: float

    @classmethod
    def of(cls, label: Hashable, positive: npt.NDArray[np.bool_], scores: Floats) -> ScoreCurve:
        """Return the curve of rows; at least one must be of the class, and one of the rest."""
        negated, step = np.unique(-scores, return_inverse=True)
        rows = np.bincount(step).astype(np.int64)
        gained = np.bincount(step, positive).astype(np.int64)
        taken = np.cumsum(rows)
        found = np.cumsum(gained)
        n_positive = int(found[-1])
        n_negative = int(taken[-1] - found[-1])

        # Each negative row is ranked below all positive rows of higher scores, and ties with those
        # of its own: found - gained + gained / 2, here doubled to stay in whole numbers.
        doubled_pairs = int((2 * found - gained) @ (rows - gained))
        roc_area = doubled_pairs / (2 * n_positive * n_negative)
        pr_area = float(gained @ (found / taken) / n_positive)
        return cls(label, -negated, taken, found, roc_area, pr_area)

    @property
    def precision(self) -> Floats:
        """Share of the taken rows that belong to the class."""
        return self.found / self.taken

    @property
    def recall(self) -> Floats:
        """Share of the rows of the class that are taken."""
        return np.asarray(self.found / self.found[-1])

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall."""
        return np.asarray(2 * self.found / (self.taken + self.found[-1]))

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the other rows that are taken for this class."""
        wrong = self.taken - self.found
        return np.asarray(wrong / wrong[-1])

    def at(self, threshold: float) -> dict[str, float]:
        """Return precision, recall, F1 and the number of rows with a score above a threshold."""
        step = int(np.searchsorted(-self.scores, -threshold)) - 1
        is_above_all = step < 0
        taken = 0 if is_above_all else int(self.taken[step])
        found = 0 if is_above_all else int(self.found[step])
        n_positive = int(self.found[-1])
        return {
            "threshold": threshold,
            "precision": found / (taken or 1),
            "recall": found / n_positive,
            "f1": 2 * found / (taken + n_positive),
            "rows": taken,
        }

    def thresholds(self) -> list[float]:
        """Return a few useful thresholds, loosest first: for the best F1 and for some recalls."""
        steps = {int(self.f1.argmax())}
        for recall in RECALLS:
            steps.add(int(np.searchsorted(self.recall, recall)))
        return sorted({self._threshold_below(step) for step in steps})

    def _threshold_below(self, step: int) -> float:
        """Return the shortest decimal number below a score, but not below the next lower score."""
        upper = float(self.scores[step])
        is_last = step + 1 == len(self.scores)
        lower = upper - max(abs(upper), 1.0) if is_last else float(self.scores[step + 1])
        for digits in range(2, 17):
            middle = float(f"{lower + (upper - lower) / 2:.{digits}g}")
            if lower <= middle < upper:
                return middle
        return lower

    def thinned(self, most: int = MAX_POINTS) -> ScoreCurve:
        """Return the curve with only the corners of the ROC curve, at most ``most`` of them."""
        wrong = self.taken - self.found
        goes_up = np.diff(self.found) > 0
        goes_right = np.diff(wrong) > 0
        # A point between two steps that both go up, or both go right, lies on a straight line.
        is_same_way = (goes_up[1:] == goes_up[:-1]) & (goes_right[1:] == goes_right[:-1])
        is_straight = is_same_way & (goes_up[1:] != goes_right[1:])
        is_kept = np.concatenate([[True], ~is_straight, [True]])[: len(self.scores)]

        kept = np.flatnonzero(is_kept)
        kept = kept[np.unique(np.linspace(0, len(kept) - 1, most).astype(np.int64))]
        return replace(
            self, scores=self.scores[kept], taken=self.taken[kept], found=self.found[kept]
        )

    def to_json(self) -> dict[str, Any]:
        """Return areas and points of the thinned curve as JSON-compatible data."""
        few = self.thinned()
        return {
            "roc_area": self.roc_area,
            "pr_area": self.pr_area,
            "scores": few.scores.tolist(),
            "precision": few.precision.tolist(),
            "recall": few.recall.tolist(),
            "false_positive_rate": few.false_positive_rate.tolist(),
        }
