"""Labelled rows as points to have on one side of a plane through the origin, and their hulls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import add, mul
from typing import Any

import numpy as np

from rosenblatt._kernels.rows.weights import FLOAT64_LIMIT
from rosenblatt.arrays import AnyArray, FloatArray, IndexArray, SparseRows, is_sparse
from rosenblatt.core.rows import as_rows, inspect, refuse_tiny
from rosenblatt.errors import InputError, ParameterError

EPS = float(np.finfo(np.float64).eps)
# As much a product of a value and a number of at most 1 can lose below the smallest float.
UNDERFLOW = FLOAT64_LIMIT * 2.0**-1073
# Rows without a larger value have separators that are too long for floats.
LEAST = 1e-300
# So many numbers are multiplied exactly to tell which of some points lies lowest.
MOST_EXACT = 1_000_000
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

    @property
    def n_stored(self) -> int:
        """How many numbers a look at all rows reads."""
        return int(self.X.nnz if is_sparse(self.X) else self.X.size)

    def products(self, v: FloatArray) -> FloatArray:
        """``z·v`` for every point; for several vectors, one a row, with a column for each."""
        plain = self.unscaled(v)
        d = self.X.shape[1]
        scores = self.X @ plain[..., :d].T
        if self.fit_intercept:
            scores = scores + plain[..., d]
        return np.asarray((self.signs * scores.T).T)

    def sizes(self, v: FloatArray) -> FloatArray:
        """The sum of the sizes of all terms of `products`, which its rounding is a share of."""
        plain = np.abs(self.unscaled(v))
        d = self.X.shape[1]
        sizes = abs(self.X) @ plain[..., :d].T
        return np.asarray(sizes + plain[..., d:].sum(axis=-1))

    def rounding(self, v: FloatArray) -> FloatArray:
        """How far `products` can be off, also where v was rounded to floats before."""
        return (self.n_dimensions + 6) * (EPS * self.sizes(v) + UNDERFLOW)

    def whole(self, rows: Any) -> tuple[list[list[int]], int]:
        """Some points in whole numbers, and the power of 2 that they were multiplied by."""
        ratios = [[v.as_integer_ratio() for v in row] for row in self.take(rows).tolist()]
        unit = max(d for row in ratios for _, d in row)
        return [[n * (unit // d) for n, d in row] for row in ratios], unit

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
        """The same points with every feature between -1 and 1; sparse rows keep their zeros.

        Without a bias points of very different lengths are made longer or shorter, by their signs.
        """
        if is_sparse(self.X):
            low, high = self.X.column_range()
            scale = np.maximum(-low, high)
            shift = np.zeros(len(scale))
        else:
            low, high = self.X.min(axis=0), self.X.max(axis=0)
            shift = low / 2 + high / 2 if self.fit_intercept else np.zeros(len(low))
            scale = np.maximum(high - shift, shift - low)
        scale = np.where(scale > 1e-307, scale, 1.0)  # below it, the inverse is no number
        signs = self.signs
        if not self.fit_intercept:
            sizes = np.asarray(abs(self.X) @ (1 / scale))
            signs = signs / np.where(sizes > 1e-150, sizes, 1.0)
        return Points(self.X, signs, self.fit_intercept, shift=shift, scale=scale)

    def only(self, rows: IndexArray) -> Points:
        """Some of the points."""
        if len(rows) == len(self):
            return self
        scales = {"shift": self._shift, "scale": self._scale}
        return Points(self.X[rows], self.signs[rows], self.fit_intercept, **scales)

    def parts(self, v: Any) -> tuple[Any, Any]:
        """The weights and the bias of a vector."""
        d = self.X.shape[1]
        return v[:d], v[d] if self.fit_intercept else 0

    def unscaled(self, v: FloatArray) -> FloatArray:
        """A vector for balanced points, or several, as for the points as they are."""
        d = self.X.shape[1]
        w = v[..., :d] / self._scale
        moved = np.expand_dims(w @ self._shift, -1)
        return np.concatenate([w, v[..., d:] - moved], axis=-1)


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
) -> tuple[Points, AnyArray]:
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
    rows = as_rows(table)
    inspect(rows)
    refuse_tiny(table, rows, LEAST)
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


def _lowest_exactly(hull: Any, q: Sequence[int]) -> tuple[int, Fraction]:
    """The point with the smallest product with q, and that product, or what is surely below."""
    p, factor = floats(q)
    values, errors = hull.enclosed(p)
    near = np.flatnonzero(values - errors <= (values + errors).min())
    if len(near) * len(q) > MOST_EXACT:
        key = int(np.argmin(values - errors))
        return key, Fraction(float(values[key] - errors[key])) * factor
    points, unit = hull.whole(near)
    products = [sum(map(mul, point, q)) for point in points]
    lowest = min(products)
    return int(near[products.index(lowest)]), Fraction(lowest, unit)


class PointHull:
    """The hull of the points, or of those with a sign: separation by a plane through the origin."""

    lowest_exactly = _lowest_exactly

    def __init__(self, points: Points, sign: float | None = None) -> None:
        self.points, self._sign = points, sign
        self.products, self.take = points.products, points.take
        self.work_of_a_look = points.n_stored

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self.products(p)
        key = int(np.argmin(products))
        return key, float(products[key])

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.points.take(np.array([key]))[0])

    def enclosed(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The product of every point with p, and how far rounding can have moved it."""
        products = self.points.products(p)
        if self._sign is not None:
            products[self.points.signs != self._sign] = np.inf
        return products, self.points.rounding(p)

    def whole(self, keys: Any) -> tuple[list[list[int]], int]:
        """Some points in whole numbers, and by what they were multiplied."""
        return self.points.whole(keys)

    def rows_of(self, key: int) -> tuple[int, ...]:
        return (key,)


class DifferenceHull:
    """Half of all differences of a positive and a negative row: the margin, wherever the plane is.

    A key is ``positive row * n + negative row``.
    """

    def __init__(self, X: Any, signs: FloatArray) -> None:
        self._points = Points(X, signs, fit_intercept=False)
        self._rows = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        self.work_of_a_look = self._points.n_stored
        self.first = int(self._rows[0][0]) * len(signs) + int(self._rows[1][0])

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self._points.products(p)
        high, low = (int(rows[np.argmin(products[rows])]) for rows in self._rows)
        return high * len(self._points) + low, float(products[high] + products[low]) / 2

    def point(self, key: int) -> FloatArray:
        return np.asarray(self._points.take(np.array(self.rows_of(key))).sum(axis=0) / 2)

    def rows_of(self, key: int) -> tuple[int, int]:
        return divmod(key, len(self._points))

    def whole(self, keys: Any) -> tuple[list[list[int]], int]:
        rows, unit = self._points.whole([row for key in keys for row in self.rows_of(key)])
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return [list(map(add, *pair)) for pair in pairs], 2 * unit

    def lowest_exactly(self, q: Sequence[int]) -> tuple[int, Fraction]:
        (high, above), (low, below) = self.lowest_of_each(q)
        return high * len(self._points) + low, (above + below) / 2

    def lowest_of_each(self, q: Sequence[int]) -> list[tuple[int, Fraction]]:
        """The positive and the negative row with the smallest ``y q·x``, and that."""
        return [PointHull(self._points, sign).lowest_exactly(q) for sign in (1.0, -1.0)]


class PairHull:
    """Several classes in the construction of Kesler: a point for each row and wrong class.

    The vectors of all classes are stacked; the point of a row x of class y against class r has x
    in the place of y and -x in the place of r. A key is ``row * k + wrong class``.
    """

    lowest_exactly = _lowest_exactly

    def __init__(self, rows: Points, labels: IndexArray, n_classes: int) -> None:
        self.rows, self.labels, self.k = rows, labels, n_classes
        self.n_points = len(labels) * (n_classes - 1)
        self.n_dimensions = n_classes * rows.n_dimensions
        self.work_of_a_look = rows.n_stored * n_classes

    @property
    def likely_work(self) -> int:
        """As little work as a walk to a separator can be hoped to take, as `nearest_point` counts.

        Vectors of classes that are both 0 tie, so every class needs a point, and each a round.
        """
        return self.k * self.k // 2 * self.n_dimensions

    def written_out(self) -> FloatArray:
        """All points, the wrong classes of a row one after the other."""
        pairs = ((row, wrong) for row in range(len(self.labels)) for wrong in range(self.k))
        return self.take([r * self.k + w for r, w in pairs if w != self.labels[r]])

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        margins = self.products(p)
        key = int(np.argmin(margins))
        return key, float(margins[key])

    def products(self, p: FloatArray) -> FloatArray:
        """The product of every point with p, by its key; infinite for a row and its own class."""
        scores = self.rows.products(p.reshape(self.k, -1))
        index = np.arange(len(scores))
        margins = scores[index, self.labels][:, None] - scores
        margins[index, self.labels] = np.inf
        return np.asarray(margins.ravel())

    def enclosed(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        errors = self.rows.rounding(p.reshape(self.k, -1))
        errors += errors[np.arange(len(errors)), self.labels][:, None]
        return self.products(p), 2 * errors.ravel()

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.take([key])[0])

    def take(self, keys: Sequence[int]) -> FloatArray:
        """Some points written out, one a row."""
        rows, wrong = np.divmod(keys, self.k)
        x, index = self.rows.take(rows), np.arange(len(rows))
        points = np.zeros((len(x), self.k, x.shape[1]))
        points[index, self.labels[rows]], points[index, wrong] = x, -x
        return points.reshape(len(x), -1)

    def rows_of(self, key: int) -> tuple[int, ...]:
        return (key // self.k,)

    def whole(self, keys: Any) -> tuple[list[list[int]], int]:
        rows, unit = self.rows.whole([key // self.k for key in keys])
        points = []
        for key, row in zip(keys, rows, strict=True):
            point = [[0] * len(row) for _ in range(self.k)]
            point[self.labels[key // self.k]], point[key % self.k] = row, [-v for v in row]
            points.append([value for part in point for value in part])
        return points, unit


def floats(q: Sequence[int]) -> tuple[FloatArray, int]:
    """A direction in floats, none of them above 1, and by what to multiply them."""
    factor = 1 << max(map(abs, q)).bit_length()
    return np.array([value / factor for value in q]), factor
