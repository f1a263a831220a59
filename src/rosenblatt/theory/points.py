"""Labelled rows as points to have on one side of a plane through the origin, and their hulls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, SparseRows, is_sparse
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError

# Φ: a function of a table, or anything with a method ``transform``.
FeatureMap = Callable[[Any], Any] | Any | None


class Points:
    """The points ``z = y (x, 1)`` (without a bias: ``y x``), never written out.

    A vector v separates the rows if and only if ``z·v > 0`` for every point; if there is none,
    some points have non-negative weights, not all 0, that add up to nothing (Gordan). Features may
    be shifted (with a bias) and scaled for the sake of arithmetic, which leaves both as they are.
    """

    def __init__(
        self,
        X: Any,
        signs: FloatArray,
        fit_intercept: bool,
        *,
        shift: FloatArray | None = None,
        scale: FloatArray | None = None,
    ) -> None:
        self.X, self.signs, self.fit_intercept = X, signs, fit_intercept
        self._shift = np.zeros(X.shape[1]) if shift is None else shift
        self._scale = np.ones(X.shape[1]) if scale is None else scale

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def n_dimensions(self) -> int:
        return int(self.X.shape[1]) + int(self.fit_intercept)

    def products(self, v: FloatArray) -> FloatArray:
        """``z·v`` for every point."""
        plain = self.unscaled(v)
        d = self.X.shape[1]
        scores = self.X @ plain[:d]
        if self.fit_intercept:
            scores = scores + plain[d]
        return np.asarray(self.signs * scores)

    def sizes(self, v: FloatArray) -> FloatArray:
        """The sum of the sizes of all terms of `products`, which its rounding is a share of."""
        plain = np.abs(self.unscaled(v))
        sizes = abs(self.X) @ plain[: self.X.shape[1]]
        return np.asarray(sizes + plain[self.X.shape[1] :].sum())

    def take(self, rows: Any) -> FloatArray:
        """Some points written out, one a row."""
        chosen = self.X[rows]
        if is_sparse(chosen):
            chosen = chosen.toarray()
        chosen = (np.asarray(chosen, np.float64) - self._shift) / self._scale
        if self.fit_intercept:
            chosen = np.column_stack([chosen, np.ones(len(chosen))])
        return np.asarray(self.signs[rows][:, None] * chosen)

    def squared_norms(self) -> FloatArray:
        """The squared length of every point, features as they are."""
        return as_rows(self.X, np.float64).squared_norms() + float(self.fit_intercept)

    def balanced(self) -> Points:
        """The same points with every feature between -1 and 1; sparse rows keep their zeros."""
        if is_sparse(self.X):
            low, high = self.X.column_range()
            scale = np.maximum(-low, high)
            shift = np.zeros(len(scale))
        else:
            low, high = self.X.min(axis=0), self.X.max(axis=0)
            shift = low / 2 + high / 2 if self.fit_intercept else np.zeros(len(low))
            scale = np.maximum(high - shift, shift - low)
        scale = np.where(scale > 0, scale, 1.0)
        return Points(self.X, self.signs, self.fit_intercept, shift=shift, scale=scale)

    def only(self, rows: npt.NDArray[np.intp]) -> Points:
        """Some of the points."""
        if len(rows) == len(self):
            return self
        return Points(
            self.X[rows],
            self.signs[rows],
            self.fit_intercept,
            shift=self._shift,
            scale=self._scale,
        )

    def unscaled(self, v: FloatArray) -> FloatArray:
        """A vector for balanced points as the one for the points as they are."""
        d = self.X.shape[1]
        w = v[:d] / self._scale
        return np.concatenate([w, v[d:] - self._shift @ w])


def mapped(X: Any, feature_map: FeatureMap) -> Any:
    """Φ(x) for every row of X, or X itself without a map."""
    if feature_map is None:
        return X
    apply = getattr(feature_map, "transform", feature_map)
    if not callable(apply):
        raise ParameterError(
            f"feature_map={feature_map!r} is not allowed: give a function that takes X and returns "
            "the mapped rows, or an object with a method transform."
        )
    rows = X if hasattr(X, "shape") else np.asarray(X)
    table = apply(rows)
    if np.shape(table)[:1] != rows.shape[:1]:
        raise InputError(
            f"feature_map made a table of shape {np.shape(table)} of {rows.shape[0]} rows; it must "
            "return one row for each."
        )
    return table


def read_points(
    X: Any, y: Any, fit_intercept: bool, feature_map: FeatureMap = None
) -> tuple[Points, npt.NDArray[Any]]:
    """Rows and labels of two classes, mapped and checked; the second class is the positive one."""
    X = mapped(X, feature_map)
    table = SparseRows.of(X).astype(np.float64) if is_sparse(X) else _dense(X)
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != table.shape[0]:
        raise InputError(
            f"X has {table.shape[0]} rows but y has shape {labels.shape}. Pass one label for each "
            "row."
        )
    if not len(labels):
        raise InputError("X has no rows: there is nothing to separate.")
    inspect(as_rows(table))
    classes = np.unique(labels)
    return Points(table, np.where(labels == classes[-1], 1.0, -1.0), fit_intercept), classes


def _dense(X: Any) -> FloatArray:
    try:
        table = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("X must be a table of numbers.") from None
    if table.ndim != 2:
        raise InputError(f"X has {table.ndim} dimensions; a table of rows has 2.")
    return table


# ---------------------------------------------------------------------- hulls


class PointHull:
    """The hull of the points themselves: separation by a plane through the origin."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self.points.products(p)
        key = int(np.argmin(products))
        return key, float(products[key])

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.points.take(np.array([key]))[0])


class DifferenceHull:
    """All differences of a positive and a negative row: twice the margin, wherever the plane is.

    A key is ``positive row * n + negative row``.
    """

    def __init__(self, X: Any, signs: FloatArray) -> None:
        self._points = Points(X, np.ones(len(signs)), fit_intercept=False)
        self._positive, self._negative = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self._points.products(p)
        high = self._positive[np.argmin(products[self._positive])]
        low = self._negative[np.argmax(products[self._negative])]
        return int(high) * len(self._points) + int(low), float(products[high] - products[low])

    def point(self, key: int) -> FloatArray:
        high, low = self._points.take(np.array(self.rows(key)))
        return np.asarray(high - low)

    def first(self) -> int:
        """A pair to start from."""
        return int(self._positive[0]) * len(self._points) + int(self._negative[0])

    def rows(self, key: int) -> tuple[int, int]:
        high, low = divmod(key, len(self._points))
        return high, low


class PairHull:
    """Several classes in the construction of Kesler: a point for each row and wrong class.

    The vectors of all classes are stacked; the point of a row x of class y against class r has x
    in the place of y and -x in the place of r. A key is ``row * k + wrong class``.
    """

    def __init__(self, rows: Points, labels: npt.NDArray[np.intp], n_classes: int) -> None:
        self.rows, self.labels, self.k = rows, labels, n_classes
        self.n_points = len(labels) * (n_classes - 1)

    def written_out(self) -> FloatArray:
        """All points, the wrong classes of a row one after the other."""
        pairs = ((row, wrong) for row in range(len(self.labels)) for wrong in range(self.k))
        return np.array([self.point(r * self.k + w) for r, w in pairs if w != self.labels[r]])

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        vectors = p.reshape(self.k, -1)
        scores = np.column_stack([self.rows.products(vector) for vector in vectors])
        index = np.arange(len(scores))
        margins = scores[index, self.labels][:, None] - scores
        margins[index, self.labels] = np.inf
        key = int(np.argmin(margins))
        return key, float(margins.flat[key])

    def point(self, key: int) -> FloatArray:
        row, wrong = divmod(key, self.k)
        x = self.rows.take(np.array([row]))[0]
        point = np.zeros((self.k, len(x)))
        point[self.labels[row]], point[wrong] = x, -x
        return point.ravel()
