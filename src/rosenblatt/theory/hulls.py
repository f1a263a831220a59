"""The convex hulls whose nearest point to the origin the theory asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.theory.points import Points

__all__ = ["DifferenceHull", "PairHull", "PointHull"]


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
