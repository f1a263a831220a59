"""The margin of a hyperplane, and the largest margin of any hyperplane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray
from rosenblatt.errors import InputError
from rosenblatt.geometry import Hyperplane
from rosenblatt.html_tables import ResultCard
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.exact import to_integers
from rosenblatt.theory.margin_interval import CLOSED, largest_margin
from rosenblatt.theory.points import DifferenceHull, FeatureMap, PointHull, Points, read_points
from rosenblatt.theory.separability import decide

# An error names at most this many rows of a conflict.
MAX_ROWS_SHOWN = 12


def margin(X: Any, y: Any, w: Any, b: float = 0.0, *, feature_map: FeatureMap = None) -> float:
    """Return the margin: the smallest ``y (w·x + b)``, or -inf if w and b do not separate the rows.

    If w has length 1, it is the distance of the nearest row from the hyperplane.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two classes; the second in order is the positive one.
    w : array-like of shape (n_features,)
        The weights.
    b : float, default=0.0
        The bias.
    feature_map : callable or transformer, default=None
        Applied to X first; w are then weights of the mapped rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from rosenblatt.theory import margin
    >>> margin([[0.0, 3.0], [0.0, -1.0]], [1, -1], w=[0.0, 1.0])
    1.0
    >>> margin([[0.0, 3.0], [0.0, -1.0]], [1, -1], w=[1.0, 0.0])
    -inf
    """
    points, _ = _two_classes(X, y, True, feature_map)
    weights = np.asarray(w, np.float64).ravel()
    if len(weights) != points.X.shape[1]:
        raise InputError(f"w has {len(weights)} weights, but X has {points.X.shape[1]} columns.")
    values = [*weights.tolist(), float(b)]
    if not np.isfinite(values).all():
        raise InputError("w and b must be finite numbers.")

    # Exact, because the sign decides whether there is a margin at all.
    _, smallest = PointHull(points).lowest_exactly(to_integers(values))
    return float(smallest / _common_denominator(values)) if smallest > 0 else -np.inf


@dataclass(frozen=True)
class MaxMargin(ResultCard):
    """The hyperplane with the largest margin, and bounds on that margin.

    Attributes
    ----------
    hyperplane : Hyperplane
        The hyperplane; its normal has length 1, rounded to floats.
    lower, upper : float
        Proven bounds on the largest margin, rounding errors included.
    closed : bool
        Whether the bounds agree to one millionth; only then ``margin`` is the largest.
    support : tuple of int
        The rows that determine the hyperplane.
    """

    hyperplane: Hyperplane
    lower: float
    upper: float
    support: tuple[int, ...]

    @property
    def margin(self) -> float:
        """The proven lower bound on the largest margin: ``lower``."""
        return self.lower

    @property
    def gap(self) -> float:
        """The distance between the two bounds, relative to the upper one."""
        return (self.upper - self.lower) / self.upper

    @property
    def closed(self) -> bool:
        return self.gap <= CLOSED

    def _headline(self) -> str:
        if self.closed:
            return f"largest margin {ordinary(self.margin)}"
        return f"largest margin between {ordinary(self.lower)} and {ordinary(self.upper)}"


def max_margin(
    X: Any, y: Any, fit_intercept: bool = True, *, feature_map: FeatureMap = None
) -> MaxMargin:
    """Find the maximum-margin hyperplane: the separator farthest from the nearest row.

    It maximises ``min y (w·x + b)`` over all w of length 1. With a bias the largest margin is half
    the distance between the convex hulls of the two classes; without one it is the distance of the
    hull of all ``y x`` from the origin. Both are the length of a nearest point, which Wolfe's
    method finds, with a lower and an upper bound in every round.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    feature_map : callable or transformer, default=None
        Applied to X first; the margin is then that of the mapped rows.

    Returns
    -------
    MaxMargin

    Raises
    ------
    InputError
        If the rows cannot be separated.

    Examples
    --------
    >>> from rosenblatt.theory import max_margin
    >>> best = max_margin([[0, 0], [1, 0], [3, 0], [4, 1]], [0, 0, 1, 1])
    >>> round(best.margin, 6), best.support
    (1.0, (1, 2))
    """
    points, classes = _two_classes(X, y, fit_intercept, feature_map)
    hull: DifferenceHull | PointHull
    if fit_intercept:
        hull = DifferenceHull(points.X, points.signs)
        start = hull.first
    else:
        hull = PointHull(points)
        start = int(np.argmin(points.squared_norms()))
    scale = float(np.sqrt(points.squared_norms().max()))
    found = largest_margin(hull, start, scale, lambda: decide(points, tuple(classes.tolist())))
    if found.conflict:
        rows = ", ".join(map(str, found.conflict[:MAX_ROWS_SHOWN]))
        more = ", …" if len(found.conflict) > MAX_ROWS_SHOWN else ""
        raise InputError(
            f"the rows cannot be separated, so they have no margin: rows {rows}{more} are in "
            "conflict. theory.separability shows with which weights."
        )

    # The plane lies half-way between the nearest rows of the two classes.
    b = 0.0
    if isinstance(hull, DifferenceHull):
        normal = found.direction.tolist()
        (_, above), (_, below) = hull.lowest_of_each_class(to_integers(normal))
        b = float((below - above) / (2 * _common_denominator(normal)))
    support = {row for key in found.keys for row in hull.rows_of(key)}
    hyperplane = Hyperplane(found.direction, b)
    return MaxMargin(hyperplane, found.lower, found.upper, tuple(sorted(support)))


def _common_denominator(values: Sequence[float]) -> int:
    """Return the common denominator of floats, by which `to_integers` multiplies them."""
    return max(value.as_integer_ratio()[1] for value in values)


def _two_classes(
    X: Any, y: Any, fit_intercept: bool, feature_map: FeatureMap
) -> tuple[Points, AnyArray]:
    """Read rows of exactly two classes; return the points and the classes."""
    points, classes = read_points(X, y, fit_intercept, feature_map)
    if len(classes) == 1:
        raise InputError(
            f"y holds only one class, {classes.tolist()[0]!r}: there is no other to keep a margin "
            "from."
        )
    if len(classes) != 2:
        raise InputError(
            f"y holds {len(classes)} classes; a margin lies between two. Choose a pair, or ask "
            "theory.mistake_bound, which takes several classes."
        )
    return points, classes
