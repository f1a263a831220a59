"""The most mistakes a perceptron can make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import PairHull, PointHull, Points, read_points

__all__ = ["MistakeBound", "mistake_bound"]

GAP = 1e-7


@dataclass(frozen=True)
class MistakeBound:
    """The constants of the convergence theorem for some rows.

    Attributes
    ----------
    radius : float
        R, the length of the longest row; with a bias of the rows with a 1 appended; with several
        classes √2 times that, since a mistake moves two vectors.
    margin : float
        γ, the largest margin by a vector of length 1 through the origin of that same space, from
        below; 0 if the rows cannot be separated.
    margin_upper : float
        The largest margin is not above this.
    bound : float
        ``R² / γ²``: no order of the rows makes a perceptron err more often; inf without a margin.
    unit_margin : float
        ``γ / R``, the margin after all rows are brought into the unit sphere; ``bound`` is
        ``1 / unit_margin²`` as well.
    """

    radius: float
    margin: float
    margin_upper: float

    @property
    def bound(self) -> float:
        return (self.radius / self.margin) ** 2 if self.margin > 0 else np.inf

    @property
    def unit_margin(self) -> float:
        return self.margin / self.radius if self.radius > 0 else 0.0


def mistake_bound(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    feature_map: Callable[[Any], Any] | None = None,
) -> MistakeBound:
    """Compute R, γ and the bound ``R²/γ²`` on the mistakes of a perceptron (Novikoff 1962).

    It holds for any order of the rows, any number of them, any dimension and any constant learning
    rate, starting from zero weights. With a bias the theorem lives in the space of the rows with a
    1 appended: R and γ are those of ``(x, 1)``. With several classes it lives in that of Kesler's
    construction, where the vectors of the classes are stacked and γ is the smallest difference
    between the right score and another one; ties must then be broken, not raised (see
    `rosenblatt.Perceptron`).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    fit_intercept : bool, default=True
        Whether the learner has a bias.
    feature_map : callable, default=None
        Applied to X first; R and γ are then those of the mapped rows.

    Returns
    -------
    MistakeBound

    Examples
    --------
    >>> from rosenblatt.theory import mistake_bound
    >>> found = mistake_bound([[3.0, 4.0], [-3.0, 4.0]], [1, -1], fit_intercept=False)
    >>> round(found.radius, 6), round(found.margin, 6), round(found.bound, 4)
    (5.0, 3.0, 2.7778)
    """
    table = X if feature_map is None else feature_map(X)
    points, classes = read_points(table, y, fit_intercept)
    if len(classes) < 2:
        raise InputError(
            f"y holds only one class, {classes.tolist()[0]!r}: there is nothing to be mistaken for."
        )
    longest = float(np.sqrt(points.squared_norms().max()))
    k = len(classes)
    hull: PointHull | PairHull
    if k <= 2:
        hull, radius = PointHull(points), longest
        start = int(np.argmin(points.squared_norms()))
    else:
        rows = Points(points.X, np.ones(len(points)), fit_intercept)
        labels = np.searchsorted(classes, np.asarray(y))
        hull, radius = PairHull(rows, labels, k), float(np.sqrt(2.0)) * longest
        row = int(np.argmin(points.squared_norms()))
        start = row * k + (0 if labels[row] else 1)

    def enough(now: Nearest) -> bool:
        return now.upper <= 1e-12 * radius or now.lower >= (1 - GAP) * now.upper

    nearest = nearest_point(hull, [start], enough)
    return MistakeBound(radius, max(nearest.lower, 0.0), nearest.upper)
