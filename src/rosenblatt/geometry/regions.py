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
    to_floats,
    to_integers,
)
from rosenblatt.geometry.vectors import Box, box_sides, read_vector


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """A box of the plane, divided among the classes; the result of `regions`.

    Attributes
    ----------
    polygons : mapping of class to array of shape (m, 2)
        The corners of each region that has an area, counter-clockwise, without repeating the first
        one at the end. The regions are convex, do not overlap and fill the box.
    empty : tuple of classes
        The classes that have no area in the box.
    classes : tuple
        All classes, in the order of the rows of W.
    W : array of shape (k, 2)
        The weights.
    b : array of shape (k,)
        The biases.
    box : (xmin, xmax, ymin, ymax)
        The box.

    Examples
    --------
    A class whose score lies half-way between two others is best only on their boundary:

    >>> cells = regions([[2, 0], [1, 0], [0, 0]], 0, (-1, 1, 0, 1))
    >>> cells
    Regions({0: 4 corners, 2: 4 corners}, empty=(1,), box=(-1.0, 1.0, 0.0, 1.0))
    >>> cells.area(0), cells.area(1)
    (1.0, 0.0)
    """

    polygons: Mapping[Hashable, FloatArray]
    empty: tuple[Hashable, ...]
    classes: tuple[Hashable, ...]
    W: FloatArray
    b: FloatArray
    box: Box

    def area(self, label: Hashable) -> float:
        """Return the area of the region of a class; 0 if it is empty.

        ``1/2 sum_i (x_i y_i+1 - x_i+1 y_i)``
        """
        self._row(label)
        if label not in self.polygons:
            return 0.0
        total, unit = double_area([(x, y) for x, y in self.polygons[label].tolist()])
        return total / (2 * unit)

    def boundary(self, k: Hashable, rival: Hashable) -> Hyperplane:
        """Return the line on which two classes score the same, with class k on its positive side.

        ``(w_k - w_l).x + (b_k - b_l) = 0``, with l the rival

        It is the whole line, even if the two regions are not neighbours.
        """
        one = self._row(k)
        other = self._row(rival)
        with np.errstate(over="ignore"):
            w = self.W[one] - self.W[other]
            b = self.b[one] - self.b[other]
        if not w.any():
            raise InputError(
                f"the classes {k!r} and {rival!r} have the same weights "
                f"{self.W[one].tolist()}, so there is no line between them"
            )
        return Hyperplane(w, b)

    def _row(self, label: Hashable) -> int:
        """Return the row of W that belongs to a class."""
        if label not in self.classes:
            raise ParameterError(f"{label!r} is not a class; the classes are {self.classes}")
        return self.classes.index(label)

    def __reduce__(self) -> tuple[object, ...]:
        # The read-only mapping cannot be pickled; the same arguments give the same regions.
        return regions, (self.W, self.b, self.box, self.classes)

    def __repr__(self) -> str:
        shown = ", ".join(f"{label!r}: {len(at)} corners" for label, at in self.polygons.items())
        return f"Regions({{{shown}}}, empty={self.empty}, box={self.box})"


def regions(
    W: ArrayLike, b: ArrayLike, box: Box, classes: Iterable[Hashable] | None = None
) -> Regions:
    """Return the polygons in which each class scores highest, in a box of the plane.

    ``region_k = {x in box : w_k.x + b_k >= w_l.x + b_l for all l}``

    Each region is the box cut by one line for every rival, so it is convex with straight edges
    ("Voronoi regions"). The cuts are exact; only the corners are rounded at the end, each to the
    nearest floats, so neighbours share their corners to the last bit.

    Cost: O(k^2) cuts, about a millisecond for 10 classes.

    Parameters
    ----------
    W : array of shape (k, 2)
        One row of weights for each class. A single row with two classes is the plane of a binary
        learner; the second class is on its positive side.
    b : array of k biases, or one number for all
        The biases.
    box : (xmin, xmax, ymin, ymax)
        The part of the plane to divide.
    classes : k labels, default=None
        By default 0 to k - 1. Labels in an array are converted to Python objects (`tolist`).

    Returns
    -------
    Regions
        If several classes have the same weights and bias, the first has the region and the others
        are empty. A class that is best only on a line or at a point is also empty.

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
    rows, biases, labels = _validate(W, b, classes)
    sides = box_sides(box)

    # The scores as lines with integer coefficients.
    flat, _ = to_integers(np.column_stack([rows, biases]).ravel().tolist())
    lines: list[Line] = [(flat[i], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3)]

    polygons: dict[Hashable, FloatArray] = {}
    for k, label in enumerate(labels):
        corners = _visible_corners(_cell(lines, k, rectangle(sides)))
        if corners:
            polygons[label] = np.array(corners)
            polygons[label].flags.writeable = False
    empty = tuple(label for label in labels if label not in polygons)
    return Regions(MappingProxyType(polygons), empty, labels, rows, biases, sides)


def _cell(lines: list[Line], k: int, polygon: Polygon) -> Polygon:
    """Return the part of a polygon in which class k scores highest."""
    u, v, c = lines[k]
    for i, (rival_u, rival_v, rival_c) in enumerate(lines):
        lead = (u - rival_u, v - rival_v, c - rival_c)
        if any(lead):
            polygon = clip(polygon, lead)
        elif i < k:
            # An earlier class with the same scores has the region.
            polygon = []
        if not polygon:
            break
    return polygon


def _visible_corners(polygon: Polygon) -> list[tuple[float, float]]:
    """Return the corners as floats, without repetitions; none if they enclose no area."""
    # A region can be narrower than the distance between two floats.
    corners = list(dict.fromkeys(to_floats(corner) for corner, _ in polygon))
    return corners if double_area(corners)[0] > 0 else []


def _validate(
    W: ArrayLike, b: ArrayLike, classes: Iterable[Hashable] | None
) -> tuple[FloatArray, FloatArray, tuple[Hashable, ...]]:
    """Validate the arguments of `regions`; return weights, biases and labels, one per class."""
    rows = numbers("W", W).astype(np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise InputError(
            f"W has shape {rows.shape}; it must be (k, 2): regions are drawn for two features, "
            "with a row of weights for each class"
        )
    is_finite = np.isfinite(rows).all(axis=1)
    if not is_finite.all():
        i = int(is_finite.argmin())
        raise InputError(f"W[{i}] is {rows[i].tolist()}; every weight must be a finite number")
    given = np.broadcast_to(b, len(rows)) if np.ndim(b) == 0 else b
    biases = read_vector("b", given)
    if len(biases) != len(rows):
        raise InputError(f"b has {len(biases)} entries; W has {len(rows)} rows, one for each class")

    labels: tuple[Hashable, ...]
    if classes is None:
        labels = tuple(range(len(rows)))
    elif hasattr(classes, "tolist"):
        # An array or a series of any library.
        labels = tuple(classes.tolist())
    else:
        labels = tuple(classes)

    # A binary learner is a class with score 0 and a class with its score.
    if len(rows) == 1 and len(labels) == 2:
        rows = np.vstack([np.zeros(2), rows])
        biases = np.append(0.0, biases)
    if len(labels) != len(rows):
        raise ParameterError(
            f"classes has {len(labels)} labels; W has {len(rows)} rows, one for each class"
        )
    if len(set(labels)) != len(labels):
        raise ParameterError(f"classes is {labels}; every label must be there once")
    rows.flags.writeable = False
    biases.flags.writeable = False
    return rows, biases, labels
