"""Separability of several classes by the best of several scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.theory.certificates import CertificateError, check_best_score, check_rivals
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import PairHull, Points
from rosenblatt.theory.separability import (
    ORIGIN,
    WITHIN,
    Separability,
    Verdict,
    decide,
)
from rosenblatt.theory.separation import Separation, separation_of


@dataclass(frozen=True)
class RivalConflict:
    """Rows, each against a wrong class, whose weights show that no scores can be right for all.

    The weighted sum of ``(x, 1)`` in the place of the right class and ``-(x, 1)`` in that of the
    wrong one is at most ``residual`` long, so that no stacked vector of length 1 has a margin
    above it.
    """

    rows: tuple[int, ...]
    wrong: tuple[Any, ...]
    weights: tuple[float, ...]
    residual: float

    def __repr__(self) -> str:
        return f"<RivalConflict of {len(self.rows)} rows, within {self.residual:.2g}>"


# So many numbers the points of all pairs may have when they are written out.
MOST_NUMBERS = 2_000_000


@dataclass(frozen=True)
class ArgmaxSeparability(Verdict):
    """A verdict on several classes and what proves it.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        Whether some weights give every row its best score for the right class.
    separation : {"complete", "quasi-complete", "none", "undecided"}
        As of two classes, for the differences of the right score and every other one: those of
        Kesler's construction, and of multinomial logistic regression. Small tables only.
    classes : tuple
        The classes, in the order of the rows of ``coef``.
    coef, intercept : ndarray or None
        Such weights, if there are any.
    conflict : RivalConflict or None
        What rules them out, if there are none.
    pairs : dict
        The verdict on every two classes by themselves; worked out when asked for. All pairs may be
        separable although no set of scores is right for all classes at once.
    """

    coef: FloatArray | None = None
    intercept: FloatArray | None = None
    _rows: Points | None = field(default=None, repr=False)
    _labels: npt.NDArray[np.intp] | None = field(default=None, repr=False)

    def _closer_look(self) -> Separation:
        assert self._rows is not None
        assert self._labels is not None
        hull = PairHull(self._rows, self._labels, len(self.classes))
        if hull.n_points * hull.k * self._rows.n_dimensions > MOST_NUMBERS:
            return Separation("undecided")
        points = Points(hull.written_out(), np.ones(hull.n_points), fit_intercept=False)
        return separation_of(points, decide(points, ()).conflict)

    @cached_property
    def pairs(self) -> dict[tuple[Any, Any], Separability]:
        assert self._rows is not None
        assert self._labels is not None
        found = {}
        for a, b in combinations(range(len(self.classes)), 2):
            chosen = np.flatnonzero((self._labels == a) | (self._labels == b))
            signs = np.where(self._labels[chosen] == b, 1.0, -1.0)
            points = Points(self._rows.X[chosen], signs, self._rows.fit_intercept)
            found[self.classes[a], self.classes[b]] = decide(
                points, (self.classes[a], self.classes[b])
            )
        return found

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; True, or an error that names the row."""
        assert self._rows is not None
        assert self._labels is not None
        if self.coef is not None and self.intercept is not None:
            check_best_score(self._rows.X, self._labels, self.coef, self.intercept)
        elif self.conflict is not None:
            wrong = [self.classes.index(label) for label in self.conflict.wrong]
            rows = self._rows
            check_rivals(rows.X, self._labels, rows.fit_intercept, wrong, self.conflict)
        else:
            raise CertificateError(f"there is nothing to check: {self.detail}")
        return True


def decide_argmax(
    points: Points, labels: npt.NDArray[np.intp], classes: tuple[Any, ...]
) -> ArgmaxSeparability:
    """The verdict on rows of several classes, in the construction of Kesler."""
    rows = Points(points.X, np.ones(len(points)), points.fit_intercept)
    scaled, k = rows.balanced(), len(classes)
    longest = float(np.sqrt(2 * rows.n_dimensions))

    def enough(now: Nearest) -> bool:
        return now.upper <= ORIGIN * longest or now.lower > ORIGIN

    start = 0 * k + (0 if labels[0] else 1)
    nearest = nearest_point(PairHull(scaled, labels, k), [start], enough)
    known: dict[str, Any] = {"_rows": rows, "_labels": labels}
    if nearest.lower > ORIGIN:
        vectors = np.array([scaled.unscaled(v) for v in nearest.point.reshape(k, -1)])
        d = rows.X.shape[1]
        coef = np.ascontiguousarray(vectors[:, :d])
        bias = np.ascontiguousarray(vectors[:, d]) if rows.fit_intercept else np.zeros(k)
        try:
            check_best_score(rows.X, labels, coef, bias)
        except CertificateError as error:
            return ArgmaxSeparability("undecided", classes, detail=str(error), **known)
        return ArgmaxSeparability("separable", classes, coef=coef, intercept=bias, **known)
    hull = PairHull(rows, labels, k)
    weights = nearest.weights / nearest.weights.sum()
    members = np.array([hull.point(key) for key in nearest.keys])
    size = float(np.linalg.norm(members, axis=1).max())
    residual = float(np.linalg.norm(weights @ members))
    residual += 4 * len(weights) * np.finfo(np.float64).eps * size
    if residual > WITHIN * size:
        detail = f"no margin above {residual:.3g} is possible, and none was found"
        return ArgmaxSeparability("undecided", classes, detail=detail, **known)
    pairs = [divmod(key, k) for key in nearest.keys]
    conflict = RivalConflict(
        tuple(row for row, _ in pairs),
        tuple(classes[wrong] for _, wrong in pairs),
        tuple(weights.tolist()),
        residual,
    )
    return ArgmaxSeparability("not separable", classes, conflict=conflict, **known)
