"""Where rows and weights are seen: two directions, a box, and what of a line lies in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import BoolArray, FloatArray, is_sparse
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry.vectors import Box as Box
from rosenblatt.geometry.vectors import box_sides
from rosenblatt.plot.curves import short_number

# Share of the extent of the rows that is left free around them.
FREE = 0.12
# A picture is at most so much wider than high, or higher than wide, to keep one scale.
LONGEST = 1.8
# Rows this much longer one way than the other would be squeezed to a line by one scale.
SQUEEZED = 12.0
# An arrow is drawn at its own length if that is between these shares of the box.
SHORTEST_ARROW, LONGEST_ARROW = 0.12, 0.45
MOST_TIMES_SHORTER = 5
# Share of the box at its rim that arrows keep out of, where they can.
INSIDE = 0.06
TOLD_PARTS = 3
# Rows that a letter keeps away from.
MOST_AVOIDED = 1000
# Sides shorter than this share of their own numbers cannot be told from none.
LEAST_SIDE = 1e-13
# Vectors that seek the widest direction together, and how often they may step.
BLOCK, ROUNDS = 4, 300


@dataclass(frozen=True)
class Plane:
    """Two directions in which rows are looked at."""

    directions: FloatArray  # (2, d), of length 1, at right angles; the second is 0 for one feature
    names: tuple[str, str]  # of the axes
    note: str = ""  # a sentence about directions that are no features

    @property
    def n_features(self) -> int:
        return int(self.directions.shape[1])

    @property
    def is_line(self) -> bool:
        """Whether there is one feature only."""
        return self.n_features == 1

    def seen(self, X: Any) -> FloatArray:
        """Rows or weights as points of the plane."""
        return np.asarray(X @ self.directions.T)


def plane_of(w: FloatArray, X: Any, names: tuple[str, ...] | None) -> Plane:
    """The features themselves if there are at most two, else the two most telling directions.

    Those are w, along which the score changes, and the direction at a right angle to it in which
    the rows spread most. The score does not change along the second one, nor along any that is
    left out, so the boundary is a line in this plane and no row is seen on the wrong side of it.
    """
    d = len(w)
    if d <= 2:
        first, second, *_ = (*(("x₁", "x₂")[:d] if names is None else names), "")
        return Plane(np.eye(d) if d == 2 else np.array([[1.0], [0.0]]), (first, second))
    length = float(np.linalg.norm(w))
    if not length:
        raise InputError("all weights are 0: there is no boundary, and so nothing to look along.")
    along = w / length
    across = _widest(X, along) if X is not None else _second(along)
    features = [f"x{j + 1}" for j in range(d)] if names is None else list(names)
    spread = "the rows spread most" if X is not None else "the next largest weight lies"
    note = (
        f"Of {d:,} features two directions are shown, at a right angle: across, w "
        f"({_parts(along, features)}); up, the one in which {spread} ({_parts(across, features)})."
    )
    return Plane(np.array([along, across]), ("along w", "at a right angle to w"), note)


def _widest(X: Any, along: FloatArray) -> FloatArray:
    """The direction at a right angle to ``along`` in which the rows spread most.

    It is found by products with the rows alone, so that sparse ones stay sparse.
    """
    mean = np.full(X.shape[0], 1.0 / X.shape[0]) @ X if is_sparse(X) else X.mean(axis=0)
    d = len(along)
    V = np.random.default_rng(0).normal(size=(d, min(BLOCK, d - 1)))
    spread = -1.0
    for _ in range(ROUNDS):
        V = np.linalg.qr(V - np.multiply.outer(along, along @ V))[0]
        P = X @ V - mean @ V
        sizes, mixes = np.linalg.eigh(P.T @ P)
        if not sizes[-1] > 0.0:
            return _second(along)
        found = V @ mixes[:, -1]
        if abs(sizes[-1] - spread) <= 1e-14 * sizes[-1]:
            break
        spread = float(sizes[-1])
        V = (P.T @ X).T - np.multiply.outer(mean, P.sum(axis=0))
    return _turned(found - (found @ along) * along)


def _second(along: FloatArray) -> FloatArray:
    """The axis of the second largest weight, turned to a right angle."""
    axis = np.zeros(len(along))
    axis[np.argsort(-np.abs(along), kind="stable")[1]] = 1.0
    return _turned(axis - (axis @ along) * along)


def _turned(direction: FloatArray) -> FloatArray:
    """Of length 1, its largest part positive."""
    direction = direction / np.linalg.norm(direction)
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))


def _parts(direction: FloatArray, names: list[str]) -> str:
    order = np.argsort(-np.abs(direction), kind="stable")
    order = order[np.abs(direction[order]) > 0.005]
    shown = ", ".join(
        f"{direction[j]:+.2f} {names[j]}".replace("-", "−", 1) for j in order[:TOLD_PARTS]
    )
    return shown + (", …" if len(order) > TOLD_PARTS else "")


def around(points: FloatArray, *, is_line: bool = False, one_scale: bool = True) -> Box:
    """A box with all points inside, never without area; for one scale not much longer than wide."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    widest = float(extent.max())
    if not widest:
        widest = 2.0 * float(np.abs(points).max()) or 2.0
    if is_line:
        half = np.array([widest * (0.5 + FREE), widest * 0.2])
    else:
        squeezed = widest > (SQUEEZED if one_scale else 1.0) * float(extent.min()) > 0.0
        sides = np.maximum(extent, extent * FREE if squeezed else widest / LONGEST)
        half = sides / 2 + FREE * (sides if squeezed else max(sides))
    middle = (low + high) / 2
    left, bottom = (middle - half).tolist()
    right, top = (middle + half).tolist()
    return left, right, bottom, top


def checked_box(box: Any) -> Box:
    """A box that was given, if it is one and has an area that can be drawn."""
    left, right, bottom, top = box_sides(box)
    for low, high in ((left, right), (bottom, top)):
        if high - low <= LEAST_SIDE * max(abs(low), abs(high), LEAST_SIDE):
            raise ParameterError(f"box={box!r} is too narrow to be drawn: {low!r} to {high!r}.")
    return left, right, bottom, top


def has_one_scale(box: Box) -> bool:
    """Whether both axes can share one scale, so that right angles are seen as such."""
    wide, high = box[1] - box[0], box[3] - box[2]
    return max(wide, high) <= SQUEEZED * min(wide, high)


def equation(w: FloatArray, b: float, names: tuple[str, ...]) -> str:
    """The line as it is written, ``2 x₁ − x₂ + 6 = 0``."""
    terms = []
    for value, name in zip([*w.tolist(), b], [*names, ""], strict=True):
        number = "" if name and abs(value) == 1 else short_number(abs(value))
        terms += ["−" if value < 0 else "+", f"{number} {name}".strip()] if value else []
    first = terms[1] if terms[0] == "+" else f"−{terms[1]}"
    return " ".join([first, *terms[2:], "= 0"])


def is_outside(point: FloatArray, box: Box) -> bool:
    across, up = point.tolist()
    return not (box[0] <= across <= box[1] and box[2] <= up <= box[3])


def segment(w: FloatArray, b: float, box: Box) -> FloatArray | None:
    """What the box shows of the line w·x + b = 0; None for no line or one outside."""
    return Hyperplane(w, b).segment_in_box(box) if w.any() else None


def scale_of(lengths: FloatArray, box: Box) -> float:
    """By how much arrows of these lengths are drawn longer or shorter than they are; 1 if they fit.

    Else a power of ten, halved or doubled where that fits better: numbers one can think with.
    """
    lengths = lengths[lengths > 0]
    if not len(lengths):
        return 1.0
    side = min(box[1] - box[0], box[3] - box[2])
    longest, middle = float(lengths.max()), float(np.median(lengths))
    if longest <= LONGEST_ARROW * side and middle >= SHORTEST_ARROW * side:
        return 1.0
    wanted = LONGEST_ARROW * side / longest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step * power for step in (1, 2, 5) if step * power <= wanted * (1 + 1e-12)))


def arrow_of(
    w: FloatArray, b: float, box: Box, scale: float = 1.0, avoid: FloatArray | None = None
) -> FloatArray | None:
    """Start and tip of w drawn from its line; None if the line is not seen.

    It starts at the point of the line nearest to the origin, or nearest to the middle of the box,
    or else as near to the middle of what is seen as can be: the first from which it stays inside.
    With points to avoid it starts as far from them as can be.
    """
    ends = segment(w, b, box)
    if ends is None:
        return None
    places = ends[0] + np.linspace(0.1, 0.9, 33)[:, None] * (ends[1] - ends[0])
    if avoid is not None:
        starts = places[np.argsort(-way_to_rows(places, avoid), kind="stable")]
    else:
        line, middle = Hyperplane(w, b), np.array([box[0] + box[1], box[2] + box[3]]) / 2
        from_middle = np.argsort(np.abs(np.arange(33) - 16), kind="stable")
        near = [line.project(np.zeros(2)), line.project(middle)]
        starts = np.array([*near, *places[from_middle]])
    arrows = np.stack([starts, starts + scale * w], axis=1)
    inside = _are_inside(arrows, box)
    return np.asarray(arrows[np.argmax(inside)] if inside.any() else arrows[-33])


def arrow_inside(
    w: FloatArray, b: float, box: Box, avoid: FloatArray | None = None
) -> tuple[FloatArray | None, float]:
    """The arrow of w and its scale, drawn shorter where it would leave the box otherwise."""
    usual = scale = scale_of(np.array([np.linalg.norm(w)]), box)
    for _ in range(MOST_TIMES_SHORTER):
        arrow = arrow_of(w, b, box, scale, avoid)
        if arrow is None or _are_inside(arrow[None], box)[0]:
            return arrow, scale
        power = 10.0 ** np.floor(np.log10(scale) + 1e-9)
        scale = {5: 2.0, 2: 1.0}.get(round(scale / power), 0.5) * power
    return arrow_of(w, b, box, usual, avoid), usual


def along(ends: FloatArray, n: int) -> FloatArray:
    """So many places on the way from one point to another."""
    return np.asarray(np.linspace(ends[0], ends[1], n))


def way_to_rows(places: FloatArray, rows: FloatArray) -> FloatArray:
    """From each place to the nearest of the rows, of many of them to that of every so many-th."""
    some = rows[:: max(1, -(-len(rows) // MOST_AVOIDED))]
    ways = np.linalg.norm(places[:, None, :] - some[None, :, :], axis=2)
    return np.asarray(ways.min(axis=1))


def _are_inside(arrows: FloatArray, box: Box) -> BoolArray:
    low, high = np.array([box[0], box[2]]), np.array([box[1], box[3]])
    free = INSIDE * (high - low)
    return np.asarray(((arrows >= low + free) & (arrows <= high - free)).all(axis=(1, 2)))
