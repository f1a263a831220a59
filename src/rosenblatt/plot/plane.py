"""The plane of a picture: two directions, a box, and the lines and arrows inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import BoolArray, FloatArray, is_sparse
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry.vectors import Box as Box
from rosenblatt.geometry.vectors import box_sides
from rosenblatt.plot.curves import short_number

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

# Padding around the rows, as a share of their extent.
FREE = 0.12
# Largest ratio of the sides of a box with one scale for both axes.
LONGEST = 1.8
# Largest ratio of the extents of the rows for one scale; above it, each axis has its own scale.
SQUEEZED = 12.0
# Shortest and longest arrow that is drawn at its true length, as shares of the box.
SHORTEST_ARROW = 0.12
LONGEST_ARROW = 0.45
# How often an arrow may be shortened to fit into the box.
MAX_TIMES_SHORTER = 5
# Margin that arrows avoid if possible, as a share of the sides of the box.
INSIDE = 0.06
# Most features that the note on a direction names.
NAMED_FEATURES = 3
# Most rows that labels avoid; of more, a sample.
MAX_AVOIDED = 1000
# Shortest side of a box, relative to its coordinates; less is lost in rounding.
MIN_SIDE = 1e-13
# Subspace iteration for the direction of largest spread: vectors, and most iterations.
BLOCK = 4
ROUNDS = 300


@dataclass(frozen=True)
class Plane:
    """The plane of a picture: two orthonormal directions in feature space."""

    directions: FloatArray  # (2, d), orthonormal; the second is 0 if there is one feature
    names: tuple[str, str]  # of the axes
    note: str = ""  # a sentence about directions that are not features

    @property
    def n_features(self) -> int:
        return int(self.directions.shape[1])

    @property
    def is_line(self) -> bool:
        """Whether there is only one feature."""
        return self.n_features == 1

    def project(self, X: Table) -> FloatArray:
        """Project rows or weights onto the plane."""
        return np.asarray(X @ self.directions.T)


def plane_of(w: FloatArray, X: Any, names: tuple[str, ...] | None) -> Plane:
    """Return the plane of the features if there are at most two, otherwise one that contains w.

    Its second direction is the one orthogonal to w in which the rows spread most. The score
    does not change along that direction, nor along those that are left out, so the boundary is a
    line in this plane and every row appears on its own side of it.
    """
    d = len(w)
    if d == 1:
        name = "x₁" if names is None else names[0]
        return Plane(np.array([[1.0], [0.0]]), (name, ""))
    if d == 2:
        first, second = ("x₁", "x₂") if names is None else names
        return Plane(np.eye(2), (first, second))

    length = float(np.linalg.norm(w))
    if not length:
        raise InputError("all weights are 0: there is no boundary, and so nothing to look along.")
    along = w / length
    across = _widest(X, along) if X is not None else _second_axis(along)
    features = [f"x{j + 1}" for j in range(d)] if names is None else list(names)
    spread = "the rows spread most" if X is not None else "the next largest weight lies"
    note = (
        f"Of {d:,} features two directions are shown, at a right angle: across, w "
        f"({_parts(along, features)}); up, the one in which {spread} ({_parts(across, features)})."
    )
    return Plane(np.array([along, across]), ("along w", "at a right angle to w"), note)


def _widest(X: Table, along: FloatArray) -> FloatArray:
    """Return the first principal component of the rows orthogonal to ``along``.

    It is found by subspace iteration. This only needs products with
    the rows, so sparse rows stay sparse.
    """
    mean = np.full(X.shape[0], 1.0 / X.shape[0]) @ X if is_sparse(X) else X.mean(axis=0)
    d = len(along)
    V = np.random.default_rng(0).normal(size=(d, min(BLOCK, d - 1)))
    spread = -1.0
    for _ in range(ROUNDS):
        # An orthonormal basis at a right angle to ``along``, and the centred rows in it.
        V = np.linalg.qr(V - np.multiply.outer(along, along @ V))[0]
        P = X @ V - mean @ V
        eigenvalues, eigenvectors = np.linalg.eigh(P.T @ P)
        largest = eigenvalues[-1]
        if not largest > 0.0:  # the rows do not spread at all
            return _second_axis(along)
        found = V @ eigenvectors[:, -1]
        if abs(largest - spread) <= 1e-14 * largest:
            break
        spread = float(largest)
        # Multiply the basis by the scatter matrix of the rows.
        V = (P.T @ X).T - np.multiply.outer(mean, P.sum(axis=0))
    return _normalized(found - (found @ along) * along)


def _second_axis(along: FloatArray) -> FloatArray:
    """Return the axis of the second largest weight, made orthogonal to ``along``."""
    axis = np.zeros(len(along))
    axis[np.argsort(-np.abs(along), kind="stable")[1]] = 1.0
    return _normalized(axis - (axis @ along) * along)


def _normalized(direction: FloatArray) -> FloatArray:
    """Scale a direction to length 1, with its largest component positive."""
    direction = direction / np.linalg.norm(direction)
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))


def _parts(direction: FloatArray, names: list[str]) -> str:
    """Format the largest components of a direction: "+0.80 x1, −0.60 x3, …"."""
    order = np.argsort(-np.abs(direction), kind="stable")
    order = order[np.abs(direction[order]) > 0.005]
    parts = [f"{direction[j]:+.2f} {names[j]}" for j in order[:NAMED_FEATURES]]
    shown = ", ".join(part.replace("-", "−", 1) for part in parts)
    return f"{shown}, …" if len(order) > NAMED_FEATURES else shown


def box_around(points: FloatArray, *, is_line: bool = False, one_scale: bool = True) -> Box:
    """Return a bounding box of all points, with padding and a positive area.

    With ``one_scale`` its sides do not differ much, unless the rows would be squeezed to a line.
    """
    low = points.min(axis=0)
    high = points.max(axis=0)
    extent = high - low
    widest = float(extent.max())
    if not widest:
        widest = 2.0 * float(np.abs(points).max()) or 2.0

    # Half the sides of the box.
    if is_line:
        half = np.array([widest * (0.5 + FREE), widest * 0.2])
    else:
        largest_ratio = SQUEEZED if one_scale else 1.0
        has_two_scales = widest > largest_ratio * float(extent.min()) > 0.0
        if has_two_scales:
            sides = np.maximum(extent, extent * FREE)
            half = sides / 2 + FREE * sides
        else:
            sides = np.maximum(extent, widest / LONGEST)
            half = sides / 2 + FREE * max(sides)
    middle = (low + high) / 2
    left, bottom = (middle - half).tolist()
    right, top = (middle + half).tolist()
    return left, right, bottom, top


def checked_box(box: Any) -> Box:
    """Validate a box and return its four sides; raise an error if it is too narrow."""
    left, right, bottom, top = box_sides(box)
    for low, high in ((left, right), (bottom, top)):
        if high - low <= MIN_SIDE * max(abs(low), abs(high), MIN_SIDE):
            raise ParameterError(f"box={box!r} is too narrow to be drawn: {low!r} to {high!r}.")
    return left, right, bottom, top


def has_one_scale(box: Box) -> bool:
    """Return whether both axes of a box can have the same scale."""
    width = box[1] - box[0]
    height = box[3] - box[2]
    return max(width, height) <= SQUEEZED * min(width, height)


def equation(w: FloatArray, b: float, names: tuple[str, ...]) -> str:
    """Format the equation of a line, such as ``2 x₁ − x₂ + 6 = 0``."""
    terms: list[str] = []
    for value, name in zip([*w.tolist(), b], [*names, ""], strict=True):
        if not value:
            continue
        # "x₁", not "1 x₁"
        number = "" if name and abs(value) == 1 else short_number(abs(value))
        sign = "−" if value < 0 else "+"
        terms += [sign, f"{number} {name}".strip()]
    # The first term has its sign attached, and only if it is a minus.
    sign, first, *others = terms
    if sign == "−":
        first = f"−{first}"
    return " ".join([first, *others, "= 0"])


def is_outside(point: FloatArray, box: Box) -> bool:
    """Return whether a point lies outside a box."""
    x, y = point.tolist()
    return not (box[0] <= x <= box[1] and box[2] <= y <= box[3])


def segment(w: FloatArray, b: float, box: Box) -> FloatArray | None:
    """Clip the line ``w·x + b = 0`` to a box; return None if w is 0 or the line is outside."""
    if not w.any():
        return None
    return Hyperplane(w, b).segment_in_box(box)


def scale_of(lengths: FloatArray, box: Box) -> float:
    """Return the scale factor for arrows of the given lengths; 1 if they fit.

    Otherwise it is a round number: 1, 2 or 5 times a power of ten.
    """
    lengths = lengths[lengths > 0]
    if not len(lengths):
        return 1.0
    side = min(box[1] - box[0], box[3] - box[2])
    longest = float(lengths.max())
    middle = float(np.median(lengths))
    if longest <= LONGEST_ARROW * side and middle >= SHORTEST_ARROW * side:
        return 1.0
    wanted = LONGEST_ARROW * side / longest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step * power for step in (1, 2, 5) if step * power <= wanted * (1 + 1e-12)))


def arrow_of(
    w: FloatArray, b: float, box: Box, scale: float = 1.0, avoid: FloatArray | None = None
) -> FloatArray | None:
    """Return the start and tip of the arrow of w; None if its line is outside the box.

    The arrow starts at the first of these points from which it stays inside the box: the point of
    the line nearest to the origin, the one nearest to the middle of the box, and points of the
    visible part from its middle outwards. With points to avoid, it starts as far from them as
    possible.
    """
    ends = segment(w, b, box)
    if ends is None:
        return None

    # 33 points of the visible part, without its ends.
    places = ends[0] + np.linspace(0.1, 0.9, 33)[:, None] * (ends[1] - ends[0])
    if avoid is not None:
        starts = places[np.argsort(-distance_to_rows(places, avoid), kind="stable")]
    else:
        line = Hyperplane(w, b)
        middle = np.array([box[0] + box[1], box[2] + box[3]]) / 2
        from_middle = np.argsort(np.abs(np.arange(33) - 16), kind="stable")
        near = [line.project(np.zeros(2)), line.project(middle)]
        starts = np.array([*near, *places[from_middle]])

    arrows = np.stack([starts, starts + scale * w], axis=1)
    is_inside = _are_inside(arrows, box)
    if is_inside.any():
        return np.asarray(arrows[np.argmax(is_inside)])
    return np.asarray(arrows[-33])  # the first of the visible part


def arrow_inside(
    w: FloatArray, b: float, box: Box, avoid: FloatArray | None = None
) -> tuple[FloatArray | None, float]:
    """Return the arrow of w and its scale, reduced if the arrow would leave the box."""
    usual = scale_of(np.array([np.linalg.norm(w)]), box)
    scale = usual
    for _ in range(MAX_TIMES_SHORTER):
        arrow = arrow_of(w, b, box, scale, avoid)
        if arrow is None or _are_inside(arrow[None], box)[0]:
            return arrow, scale
        # The next smaller of 1, 2 and 5 times a power of ten.
        power = 10.0 ** np.floor(np.log10(scale) + 1e-9)
        scale = {5: 2.0, 2: 1.0}.get(round(scale / power), 0.5) * power
    return arrow_of(w, b, box, usual, avoid), usual


def along(ends: FloatArray, n: int) -> FloatArray:
    """Return n evenly spaced points on a segment, ends included."""
    return np.asarray(np.linspace(ends[0], ends[1], n))


def distance_to_rows(places: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the distance from each place to the nearest row (of a sample, if there are many)."""
    some = rows[:: max(1, -(-len(rows) // MAX_AVOIDED))]
    distances = np.linalg.norm(places[:, None, :] - some[None, :, :], axis=2)
    return np.asarray(distances.min(axis=1))


def _are_inside(arrows: FloatArray, box: Box) -> BoolArray:
    """Return whether each arrow lies inside a box with its margin removed."""
    low = np.array([box[0], box[2]])
    high = np.array([box[1], box[3]])
    free = INSIDE * (high - low)
    return np.asarray(((arrows >= low + free) & (arrows <= high - free)).all(axis=(1, 2)))
