"""Margins: of a hyperplane, and the largest there can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.geometry import Hyperplane
from rosenblatt.html_tables import ResultCard
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.exact import integers
from rosenblatt.theory.margin_interval import CLOSED, largest_margin
from rosenblatt.theory.points import DifferenceHull, FeatureMap, PointHull, read_points
from rosenblatt.theory.separability import decide

# So many rows of a conflict are named in an error.
CONFLICT_SHOWN = 12


def margin(X: Any, y: Any, w: Any, b: float = 0.0, *, feature_map: FeatureMap = None) -> float:
    """The smallest ``y (w·x + b)`` over the rows; -inf if w and b do not separate them.

    For w of length 1 it is the distance of the nearest row to the hyperplane.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes; the second in order is the positive one.
    w : array-like of shape (n_features,)
    b : float, default=0.0

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
    _, smallest = PointHull(points).lowest_exactly(integers(values))
    return float(smallest / _unit(values)) if smallest > 0 else -np.inf


@dataclass(frozen=True)
class MaxMargin(ResultCard):
    """The hyperplane with the largest margin, and how large that is.

    Attributes
    ----------
    hyperplane : Hyperplane
        With a normal of length 1, rounded to floats.
    lower, upper : float
        The largest margin lies between them, rounding included.
    closed : bool
        Whether they are one number, but for a millionth of it: only then ``margin`` is the largest.
    support : tuple of int
        Rows that hold the hyperplane in its place.
    """

    hyperplane: Hyperplane
    lower: float
    upper: float
    support: tuple[int, ...]

    @property
    def margin(self) -> float:
        """``lower``: no more is proven to be possible."""
        return self.lower

    @property
    def gap(self) -> float:
        """How far the two bounds are apart, relative to the upper one."""
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
    """Find the hyperplane that lies farthest from the nearest row.

    The largest ``min y (w·x + b)`` over w of length 1. With a bias it is half the distance of the
    convex hulls of the two classes, without one the distance of the hull of all ``y x`` from the
    origin; both are the length of a nearest point, found by Wolfe's method with a bound from
    either side in every round.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes.

    Returns
    -------
    MaxMargin
        Rows that cannot be separated are refused with an `InputError`.

    Examples
    --------
    >>> from rosenblatt.theory import max_margin
    >>> best = max_margin([[0, 0], [1, 0], [3, 0], [4, 1]], [0, 0, 1, 1])
    >>> round(best.margin, 6), best.support
    (1.0, (1, 2))
    """
    points, classes = _two_classes(X, y, fit_intercept, feature_map)
    hull: DifferenceHull | PointHull = PointHull(points)
    start, b = int(np.argmin(points.squared_norms())), 0.0
    if fit_intercept:
        hull = DifferenceHull(points.X, points.signs)
        start = hull.first
    scale = float(np.sqrt(points.squared_norms().max()))
    found = largest_margin(hull, start, scale, lambda: decide(points, tuple(classes.tolist())))
    if found.conflict:
        rows = ", ".join(map(str, found.conflict[:CONFLICT_SHOWN]))
        more = ", …" if len(found.conflict) > CONFLICT_SHOWN else ""
        raise InputError(
            f"the rows cannot be separated, so they have no margin: rows {rows}{more} are in "
            "conflict. theory.separability shows with which weights."
        )
    if isinstance(hull, DifferenceHull):
        normal = found.direction.tolist()
        (_, above), (_, below) = hull.lowest_of_each(integers(normal))
        b = float((below - above) / (2 * _unit(normal)))
    support = {row for key in found.keys for row in hull.rows_of(key)}
    return MaxMargin(
        Hyperplane(found.direction, b), found.lower, found.upper, tuple(sorted(support))
    )


def _unit(values: Sequence[float]) -> int:
    """By what `integers` multiplies floats."""
    return max(value.as_integer_ratio()[1] for value in values)


def _two_classes(X: Any, y: Any, fit_intercept: bool, feature_map: FeatureMap) -> Any:
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
