"""Labelled rows as points to be separated from the origin, and convex hulls of these points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import add, mul
from typing import Any, Protocol

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IndexArray, SparseRows, is_sparse
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.models.rows import as_rows, inspect, refuse_tiny
from rosenblatt.theory.nearest import Hull

EPS = float(np.finfo(np.float64).eps)
# Largest loss by underflow in the product of a value and a number of at most 1.
UNDERFLOW = FLOAT64_LIMIT * 2.0**-1073
# If all values of the rows are smaller, the weights of a separator overflow.
SMALLEST_VALUE = 1e-300
# Limit on exact multiplications in a search for the lowest point.
MAX_EXACT_PRODUCTS = 1_000_000

# A feature map Φ: a function of a table, or an object with a method ``transform``.
FeatureMap = Callable[[Any], Any] | Any | None
Table = FloatArray | SparseRows
# Row indices or keys of points.
Indices = Sequence[int] | IndexArray


class Points:
    """The points ``z = y (x, 1)`` (without a bias: ``y x``), which are never stored as a table.

    A vector v separates the rows if and only if ``z·v > 0`` for every point. If there is no such
    vector, some points have non-negative weights, not all 0, whose weighted sum is 0 (Gordan's
    alternative). Features may be shifted (with a bias) and scaled to improve the arithmetic, which
    changes neither statement.
    """

    def __init__(
        self,
        X: Table,
        signs: FloatArray,
        fit_intercept: bool,
        *,
        shift: FloatArray | None = None,
        scale: FloatArray | None = None,
    ) -> None:
        self.X = X
        self.signs = signs
        self.fit_intercept = fit_intercept
        self._shift = np.zeros(X.shape[1]) if shift is None else shift
        self._scale = np.ones(X.shape[1]) if scale is None else scale

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def n_dimensions(self) -> int:
        return int(self.X.shape[1]) + int(self.fit_intercept)

    @property
    def n_stored(self) -> int:
        """The number of stored values in the table."""
        return int(self.X.nnz if isinstance(self.X, SparseRows) else self.X.size)

    def products(self, v: FloatArray) -> FloatArray:
        """Return ``z·v`` for every point, with one column per vector if v has several rows."""
        plain = self.unscaled(v)
        d = self.X.shape[1]
        scores = self.X @ plain[..., :d].T
        if self.fit_intercept:
            scores = scores + plain[..., d]
        return np.asarray((self.signs * scores.T).T)

    def term_sizes(self, v: FloatArray) -> FloatArray:
        """Return the sum of the absolute values of all terms of `products`.

        The rounding error of a product is at most a small multiple of it.
        """
        plain = np.abs(self.unscaled(v))
        d = self.X.shape[1]
        sizes = self._magnitudes() @ plain[..., :d].T
        return np.asarray(sizes + plain[..., d:].sum(axis=-1))

    def _magnitudes(self) -> Table:
        return abs(self.X) if isinstance(self.X, SparseRows) else np.abs(self.X)

    def rounding(self, v: FloatArray) -> FloatArray:
        """Return an upper bound on the rounding errors of `products`, including those of v."""
        return (self.n_dimensions + 6) * (EPS * self.term_sizes(v) + UNDERFLOW)

    def to_integers(self, rows: Indices) -> tuple[list[list[int]], int]:
        """Return the given points as integers, and the power of 2 that they were multiplied by."""
        ratios = []
        for point in self.take(rows).tolist():
            ratios.append([value.as_integer_ratio() for value in point])
        unit = max(denominator for point in ratios for _, denominator in point)
        points = [[numerator * (unit // d) for numerator, d in point] for point in ratios]
        return points, unit

    def take(self, rows: Indices) -> FloatArray:
        """Return the points with the given keys as a dense array, one row per point."""
        chosen = self.X[rows]
        dense = chosen.toarray() if isinstance(chosen, SparseRows) else chosen
        scaled = (np.asarray(dense, np.float64) - self._shift) / self._scale
        if self.fit_intercept:
            scaled = np.column_stack([scaled, np.ones(len(scaled))])
        return np.asarray(self.signs[rows][:, None] * scaled)

    def squared_norms(self) -> FloatArray:
        """Return the squared length of every point, with the features in their original units."""
        return as_rows(self.X, np.float64).squared_norms() + float(self.fit_intercept)

    def balanced(self) -> Points:
        """Return the points with every feature scaled to [-1, 1]; sparse rows stay sparse.

        Without a bias, points of very different lengths are also brought to similar lengths, by
        changing their signs to other positive or negative factors.
        """
        if isinstance(self.X, SparseRows):
            low, high = self.X.column_range()
            scale = np.maximum(-low, high)
            shift = np.zeros(len(scale))
        else:
            low = self.X.min(axis=0)
            high = self.X.max(axis=0)
            shift = low / 2 + high / 2 if self.fit_intercept else np.zeros(len(low))
            scale = np.maximum(high - shift, shift - low)
        # The inverse of a smaller scale would be infinite.
        scale = np.where(scale > 1e-307, scale, 1.0)

        signs = self.signs
        if not self.fit_intercept:
            sizes = np.asarray(self._magnitudes() @ (1 / scale))
            signs = signs / np.where(sizes > 1e-150, sizes, 1.0)
        return Points(self.X, signs, self.fit_intercept, shift=shift, scale=scale)

    def subset(self, rows: IndexArray) -> Points:
        """Return the points of the given rows."""
        if len(rows) == len(self):
            return self
        return Points(
            self.X[rows],
            self.signs[rows],
            self.fit_intercept,
            shift=self._shift,
            scale=self._scale,
        )

    def split_bias(self, v: Any) -> tuple[Any, Any]:
        """Split a vector into the weights and the bias, which is 0 without an intercept."""
        d = self.X.shape[1]
        return v[:d], v[d] if self.fit_intercept else 0

    def unscaled(self, v: FloatArray) -> FloatArray:
        """Convert one vector or several from balanced features to the original features."""
        d = self.X.shape[1]
        w = v[..., :d] / self._scale
        moved = np.expand_dims(w @ self._shift, -1)
        return np.concatenate([w, v[..., d:] - moved], axis=-1)


def apply_feature_map(X: Any, feature_map: FeatureMap) -> Any:
    """Apply a feature map to every row of X; return X itself if ``feature_map`` is None."""
    if feature_map is None:
        return X
    # Callers may give a function or a transformer, so the method is looked up by name.
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
    """Validate rows and labels; return the points and the classes in order.

    Rows of the last class have the sign +1, all others -1.
    """
    X = apply_feature_map(X, feature_map)
    table: Table = SparseRows.of(X).astype(np.float64) if is_sparse(X) else _dense_table(X)
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
    refuse_tiny(table, rows, SMALLEST_VALUE)

    classes = np.unique(labels)
    signs = np.where(labels == classes[-1], 1.0, -1.0)
    return Points(table, signs, fit_intercept), classes


def _dense_table(X: Any) -> FloatArray:
    try:
        table = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("X must be a table of numbers.") from None
    if table.ndim != 2:
        raise InputError(f"X has {table.ndim} dimensions; a table of rows has 2.")
    return table


# ---------------------------------------------------------------------- hulls


class ExactHull(Hull, Protocol):
    """Interface of a hull whose points are also available in exact integers."""

    def to_integers(self, keys: Indices) -> tuple[list[list[int]], int]:
        """Return the given points as integers, and the factor that they were multiplied by."""

    def lowest_exactly(self, q: Sequence[int]) -> tuple[int, Fraction]:
        """Return the key of the point with the smallest product with q, and that product."""

    def rows_of(self, key: int) -> tuple[int, ...]:
        """Return the indices of the rows that a point is made of."""


class _Enclosed(Protocol):
    """Interface of a hull that bounds the rounding errors of its products."""

    def products_with_errors(self, p: FloatArray) -> tuple[FloatArray, FloatArray]: ...

    def to_integers(self, keys: Indices) -> tuple[list[list[int]], int]: ...


def _lowest_exactly(hull: _Enclosed, q: Sequence[int]) -> tuple[int, Fraction]:
    """Return the key of the point with the smallest product with q, and that product.

    If too many points are too close to each other, return a lower bound on the product.
    """
    p, factor = to_floats(q)
    values, errors = hull.products_with_errors(p)
    near = np.flatnonzero(values - errors <= (values + errors).min())
    if len(near) * len(q) > MAX_EXACT_PRODUCTS:
        key = int(np.argmin(values - errors))
        return key, Fraction(float(values[key] - errors[key])) * factor

    points, unit = hull.to_integers(near)
    products = [sum(map(mul, point, q)) for point in points]
    lowest = min(products)
    return int(near[products.index(lowest)]), Fraction(lowest, unit)


class PointHull:
    """The hull of all points, or of the points with one sign, for planes through the origin.

    A key is the index of a row.
    """

    lowest_exactly = _lowest_exactly

    def __init__(self, points: Points, sign: float | None = None) -> None:
        self.points = points
        self._sign = sign
        self.work_per_scan = points.n_stored

    def products(self, p: FloatArray) -> FloatArray:
        return self.points.products(p)

    def take(self, keys: Indices) -> FloatArray:
        return self.points.take(keys)

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self.products(p)
        key = int(np.argmin(products))
        return key, float(products[key])

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.points.take(np.array([key]))[0])

    def products_with_errors(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the product of every point with p, and an upper bound on its rounding error."""
        products = self.points.products(p)
        if self._sign is not None:
            products[self.points.signs != self._sign] = np.inf
        return products, self.points.rounding(p)

    def to_integers(self, keys: Indices) -> tuple[list[list[int]], int]:
        return self.points.to_integers(keys)

    def rows_of(self, key: int) -> tuple[int, ...]:
        return (key,)


class DifferenceHull:
    """The hull of all half-differences between a positive and a negative row.

    Its distance from 0 is the largest margin of a plane with a bias. A key is
    ``positive row * n + negative row``.
    """

    def __init__(self, X: Table, signs: FloatArray) -> None:
        self._points = Points(X, signs, fit_intercept=False)
        self._positive = np.flatnonzero(signs > 0)
        self._negative = np.flatnonzero(signs < 0)
        self.work_per_scan = self._points.n_stored
        self.first = self._key(int(self._positive[0]), int(self._negative[0]))

    def _key(self, positive: int, negative: int) -> int:
        return positive * len(self._points) + negative

    def products(self, p: FloatArray) -> None:
        """Return None: there are too many pairs to list their products."""

    def take(self, keys: Indices) -> FloatArray:
        """Return the points with the given keys as a dense array, one row per point."""
        rows = np.array([self.rows_of(int(key)) for key in keys])
        halves = self._points.take(rows.ravel()).reshape(*rows.shape, -1)
        return np.asarray(halves.sum(axis=1) / 2)

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        products = self._points.products(p)
        positive = int(self._positive[np.argmin(products[self._positive])])
        negative = int(self._negative[np.argmin(products[self._negative])])
        return self._key(positive, negative), float(products[positive] + products[negative]) / 2

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.take([key])[0])

    def rows_of(self, key: int) -> tuple[int, int]:
        return divmod(key, len(self._points))

    def to_integers(self, keys: Indices) -> tuple[list[list[int]], int]:
        rows = [row for key in keys for row in self.rows_of(int(key))]
        points, unit = self._points.to_integers(rows)
        pairs = zip(points[::2], points[1::2], strict=True)
        return [list(map(add, *pair)) for pair in pairs], 2 * unit

    def lowest_exactly(self, q: Sequence[int]) -> tuple[int, Fraction]:
        (positive, above), (negative, below) = self.lowest_of_each_class(q)
        return self._key(positive, negative), (above + below) / 2

    def lowest_of_each_class(self, q: Sequence[int]) -> list[tuple[int, Fraction]]:
        """Return the row of each sign with the smallest ``y q·x``, and that value."""
        return [PointHull(self._points, sign).lowest_exactly(q) for sign in (1.0, -1.0)]


class PairHull:
    """The hull of several classes in Kesler's construction: a point for each row and wrong class.

    The weight vectors of all classes are stacked into one. The point of a row x of class y against
    class r has x in the position of y and -x in the position of r. A key is
    ``row * k + wrong class``.
    """

    lowest_exactly = _lowest_exactly

    def __init__(self, rows: Points, labels: IndexArray, n_classes: int) -> None:
        self.rows = rows
        self.labels = labels
        self.k = n_classes
        self.n_points = len(labels) * (n_classes - 1)
        self.n_dimensions = n_classes * rows.n_dimensions
        self.work_per_scan = rows.n_stored * n_classes

    @property
    def least_work(self) -> int:
        """The least work that a search for a separator can take, as `nearest_point` counts it.

        Two classes whose vectors are both 0 tie, so every class needs a point, and every point a
        round.
        """
        return self.k * self.k // 2 * self.n_dimensions

    def to_array(self) -> FloatArray:
        """Return all points, ordered by row and then by wrong class."""
        keys = []
        for row, label in enumerate(self.labels):
            keys += [row * self.k + wrong for wrong in range(self.k) if wrong != label]
        return self.take(keys)

    def lowest(self, p: FloatArray) -> tuple[int, float]:
        margins = self.products(p)
        key = int(np.argmin(margins))
        return key, float(margins[key])

    def products(self, p: FloatArray) -> FloatArray:
        """Return the product of every point with p, by key; infinite for a row's own class."""
        scores = self.rows.products(p.reshape(self.k, -1))
        index = np.arange(len(scores))
        margins = scores[index, self.labels][:, None] - scores
        margins[index, self.labels] = np.inf
        return np.asarray(margins.ravel())

    def products_with_errors(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the product of every point with p, and an upper bound on its rounding error."""
        errors = self.rows.rounding(p.reshape(self.k, -1))
        errors += errors[np.arange(len(errors)), self.labels][:, None]
        return self.products(p), 2 * errors.ravel()

    def point(self, key: int) -> FloatArray:
        return np.asarray(self.take([key])[0])

    def take(self, keys: Indices) -> FloatArray:
        """Return the points with the given keys as a dense array, one row per point."""
        rows, wrong = np.divmod(keys, self.k)
        x = self.rows.take(rows)
        index = np.arange(len(rows))
        points = np.zeros((len(x), self.k, x.shape[1]))
        points[index, self.labels[rows]] = x
        points[index, wrong] = -x
        return points.reshape(len(x), -1)

    def rows_of(self, key: int) -> tuple[int, ...]:
        return (key // self.k,)

    def to_integers(self, keys: Indices) -> tuple[list[list[int]], int]:
        rows, unit = self.rows.to_integers([key // self.k for key in keys])
        points = []
        for key, row in zip(keys, rows, strict=True):
            vectors = [[0] * len(row) for _ in range(self.k)]
            vectors[self.labels[key // self.k]] = row
            vectors[key % self.k] = [-value for value in row]
            points.append([value for vector in vectors for value in vector])
        return points, unit


def to_floats(q: Sequence[int]) -> tuple[FloatArray, int]:
    """Scale an integer vector to floats of at most 1; return the floats and the scale factor."""
    factor = 1 << max(map(abs, q)).bit_length()
    return np.array([value / factor for value in q]), factor
