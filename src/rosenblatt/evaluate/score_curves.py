"""ROC and precision-recall curves: what every threshold on a score comes to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
RECALLS = (0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
MOST_POINTS = 1_000


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """One class against the rest, for every threshold from the strictest to the loosest.

    Attributes
    ----------
    label : object
        The class.
    scores : ndarray of shape (n_steps,)
        The different scores, or probabilities, of this class; the highest first.
    taken : ndarray of shape (n_steps,)
        Rows that score this or more.
    found : ndarray of shape (n_steps,)
        How many of them are of this class.
    roc_area : float
        The share of pairs, a row of the class and one of the rest, ranked right; ties are half.
    pr_area : float
        The mean precision over all rows of the class, each taken with all that score as high.
    """

    label: Any
    scores: Floats
    taken: Counts
    found: Counts
    roc_area: float
    pr_area: float

    @classmethod
    def of(cls, label: Any, positive: npt.NDArray[np.bool_], scores: Floats) -> ScoreCurve:
        """Of rows that are of this class or not; there is at least one of each."""
        negated, number = np.unique(-scores, return_inverse=True)
        rows, gained = (np.bincount(number, kind).astype(np.int64) for kind in (None, positive))
        taken, found = np.cumsum(rows), np.cumsum(gained)
        n, others = int(found[-1]), int(taken[-1] - found[-1])
        roc_area = int((2 * found - gained) @ (rows - gained)) / (2 * n * others)
        return cls(label, -negated, taken, found, roc_area, float(gained @ (found / taken) / n))

    @property
    def precision(self) -> Floats:
        return self.found / self.taken

    @property
    def recall(self) -> Floats:
        return np.asarray(self.found / self.found[-1])

    @property
    def f1(self) -> Floats:
        return np.asarray(2 * self.found / (self.taken + self.found[-1]))

    @property
    def false_positive_rate(self) -> Floats:
        """The share of the other rows that are taken for this class."""
        wrong = self.taken - self.found
        return np.asarray(wrong / wrong[-1])

    def at(self, threshold: float) -> dict[str, float]:
        """What predicting this class above a threshold comes to."""
        place = int(np.searchsorted(-self.scores, -threshold)) - 1
        taken, found = (0, 0) if place < 0 else (int(self.taken[place]), int(self.found[place]))
        n = int(self.found[-1])
        shares = {"precision": found / (taken or 1), "recall": found / n}
        return {"threshold": threshold, **shares, "f1": 2 * found / (taken + n), "rows": taken}

    def thresholds(self) -> list[float]:
        """A few worth knowing: the best F1, and some recalls, in few digits, loosest first."""
        places = {int(self.f1.argmax())}
        places |= {int(np.searchsorted(self.recall, share)) for share in RECALLS}
        return sorted({self._between(place) for place in places})

    def _between(self, place: int) -> float:
        """The shortest number that is below this score and not below the next one."""
        upper = float(self.scores[place])
        last = place + 1 == len(self.scores)
        lower = upper - max(abs(upper), 1.0) if last else float(self.scores[place + 1])
        for digits in range(2, 17):
            tried = float(f"{lower + (upper - lower) / 2:.{digits}g}")
            if lower <= tried < upper:
                return tried
        return lower

    def thinned(self, most: int = MOST_POINTS) -> ScoreCurve:
        """The corners of the ROC curve, and of these at most so many."""
        wrong = self.taken - self.found
        rises, runs = np.diff(self.found) > 0, np.diff(wrong) > 0
        straight = (rises[1:] == rises[:-1]) & (runs[1:] == runs[:-1]) & (rises[1:] != runs[1:])
        kept = np.flatnonzero(np.concatenate([[True], ~straight, [True]])[: len(self.scores)])
        kept = kept[np.unique(np.linspace(0, len(kept) - 1, most).astype(np.int64))]
        return replace(
            self, scores=self.scores[kept], taken=self.taken[kept], found=self.found[kept]
        )

    def to_json(self) -> dict[str, Any]:
        """The curve as plain data, thinned."""
        few = self.thinned()
        curves = ("scores", "precision", "recall", "false_positive_rate")
        areas = {"roc_area": self.roc_area, "pr_area": self.pr_area}
        return areas | {name: getattr(few, name).tolist() for name in curves}
