"""The regions in which each of several classes scores highest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import FloatArray
from rosenblatt.checks import numbers
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry.hyperplane import (
    Hyperplane,
    Line,
    Polygon,
    clip,
    double_area,
    rectangle,
    rounded,
    whole,
)
from rosenblatt.geometry.vectors import Box, box_sides, vector


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """A box of the plane, divided among the classes; `regions` makes it.

    Attributes
    ----------
    polygons : mapping of class to array of shape (m, 2)
        The corners of the region of each class that has one, counter-clockwise, the first not
        repeated at the end. The regions are convex, do not overlap, and together fill the box.
    empty : tuple of classes
        Those with no area in the box.
    classes : tuple
        All classes, in the order of the rows of W.
    W : array of shape (k, 2)
    b : array of shape (k,)
    box : (xmin, xmax, ymin, ymax)

    Examples
    --------
    A class whose score lies half-way between two others is best nowhere but on their boundary:

    >>> cells = regions([[2, 0], [1, 0], [0, 0]], 0, (-1, 1, 0, 1))
    >>> cells
    Regions({0: 4 corners, 2: 4 corners}, empty=(1,), box=(-1.0, 1.0, 0.0, 1.0))
    >>> cells.area(0), cells.area(1)
    (1.0, 0.0)
    """

    polygons: Mapping[Any, FloatArray]
    empty: tuple[Any, ...]
    classes: tuple[Any, ...]
    W: FloatArray
    b: FloatArray
    box: Box

    def area(self, label: Hashable) -> float:
        """Measure the region of a class; 0 for one that is empty.

        ``1/2 sum_i (x_i y_i+1 - x_i+1 y_i)``
        """
        self._row(label)
        if label not in self.polygons:
            return 0.0
        total, unit = double_area([(x, y) for x, y in self.polygons[label].tolist()])
        return total / (2 * unit)

    def boundary(self, k: Hashable, rival: Hashable) -> Hyperplane:
        """The line on which two classes score the same, with class k on its positive side.

        ``(w_k - w_l).x + (b_k - b_l) = 0``, where l is the rival

        It is the whole line, whether or not the two regions are neighbours.
        """
        one, other = self._row(k), self._row(rival)
        with np.errstate(over="ignore"):
            w, b = self.W[one] - self.W[other], self.b[one] - self.b[other]
        if not w.any():
            raise InputError(
                f"the classes {k!r} and {rival!r} have the same weights "
                f"{self.W[one].tolist()}, so there is no line between them"
            )
        return Hyperplane(w, b)

    def _row(self, label: Hashable) -> int:
        if label not in self.classes:
            raise ParameterError(f"{label!r} is not a class; the classes are {self.classes}")
        return self.classes.index(label)

    def __reduce__(self) -> tuple[Any, ...]:
        # The read-only mapping cannot be pickled; the same arguments give the same regions.
        return regions, (self.W, self.b, self.box, self.classes)

    def __repr__(self) -> str:
        shown = ", ".join(f"{label!r}: {len(at)} corners" for label, at in self.polygons.items())
        return f"Regions({{{shown}}}, empty={self.empty}, box={self.box})"


def regions(
    W: ArrayLike, b: ArrayLike, box: Box, classes: Iterable[Hashable] | None = None
) -> Regions:
    """Find where in a box of the plane each class scores highest, as polygons.

    ``region_k = {x in box : w_k.x + b_k >= w_l.x + b_l for all l}``

    Each region is the box cut by one line for every rival, which makes it convex with straight
    edges ("Voronoi regions"). The cuts are made without rounding; only the corners are rounded in
    the end, each to the nearest floats, so that neighbours share theirs to the last bit. It costs
    O(k^2) cuts, about a millisecond for 10 classes.

    Parameters
    ----------
    W : array of shape (k, 2)
        One row of weights for each class. A single row together with two classes is the plane of
        a binary learner: the second class has its positive side.
    b : array of k biases, or one number for all
    box : (xmin, xmax, ymin, ymax)
    classes : k labels, default=None
        By default 0 to k - 1. Labels of an array become those of Python (`tolist`).

    Returns
    -------
    Regions
        Of classes with the same weights and bias the first listed has the region, the others are
        empty. So is a class that is best on no more than a line or a point.

    Examples
    --------
    >>> cells = regions([[1, 0], [0, 1], [-1, -1]], [0, 0, 0], (-1, 1, -1, 1), "abc")
    >>> cells.polygons["b"]
    array([[ 0. ,  0. ],
           [ 1. ,  1. ],
           [-1. ,  1. ],
           [-1. ,  0.5]])
    >>> [cells.area(label) for label in "abc"]
    [1.25, 1.25, 1.5]
    >>> cells.boundary("a", "b")
    Hyperplane(w=[1.0, -1.0], b=0.0)
    """
    rows, biases, labels = _checked(W, b, classes)
    sides = box_sides(box)
    flat, _ = whole(np.column_stack([rows, biases]).ravel().tolist())
    lines: list[Line] = [(flat[i], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3)]
    polygons: dict[Any, FloatArray] = {}
    for k, label in enumerate(labels):
        corners = _visible(_cell(lines, k, rectangle(sides)))
        if corners:
            polygons[label] = np.array(corners)
            polygons[label].flags.writeable = False
    empty = tuple(label for label in labels if label not in polygons)
    return Regions(MappingProxyType(polygons), empty, labels, rows, biases, sides)


def _cell(lines: list[Line], k: int, polygon: Polygon) -> Polygon:
    u, v, c = lines[k]
    for i, (ru, rv, rc) in enumerate(lines):
        ahead = (u - ru, v - rv, c - rc)
        if any(ahead):
            polygon = clip(polygon, ahead)
        elif i < k:
            polygon = []
        if not polygon:
            break
    return polygon


def _visible(polygon: Polygon) -> list[tuple[float, float]]:
    """The corners as floats, without repetitions; none, if these enclose nothing."""
    # A region can be narrower than the distance between two floats.
    corners = list(dict.fromkeys(rounded(corner) for corner, _ in polygon))
    return corners if double_area(corners)[0] > 0 else []


def _checked(
    W: ArrayLike, b: ArrayLike, classes: Iterable[Hashable] | None
) -> tuple[FloatArray, FloatArray, tuple[Any, ...]]:
    rows = numbers("W", W).astype(np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise InputError(
            f"W has shape {rows.shape}; it must be (k, 2): regions are drawn for two features, "
            "with a row of weights for each class"
        )
    sound = np.isfinite(rows).all(axis=1)
    if not sound.all():
        i = int(sound.argmin())
        raise InputError(f"W[{i}] is {rows[i].tolist()}; every weight must be a finite number")
    biases = vector("b", np.broadcast_to(b, len(rows)) if np.ndim(b) == 0 else b)
    if len(biases) != len(rows):
        raise InputError(f"b has {len(biases)} entries; W has {len(rows)} rows, one for each class")
    listed: Any = range(len(rows)) if classes is None else classes
    labels = tuple(getattr(listed, "tolist", lambda: listed)())
    if len(rows) == 1 and len(labels) == 2:
        rows, biases = np.vstack([np.zeros(2), rows]), np.append(0.0, biases)
    if len(labels) != len(rows):
        raise ParameterError(
            f"classes has {len(labels)} labels; W has {len(rows)} rows, one for each class"
        )
    if len(set(labels)) != len(labels):
        raise ParameterError(f"classes is {labels}; every label must be there once")
    rows.flags.writeable = biases.flags.writeable = False
    return rows, biases, labels
