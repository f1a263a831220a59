"""Where a function sampled on a grid is above 0: closed rings, by marching squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray

__all__ = ["Ring", "rings_above_zero"]

Point = tuple[float, float]
Edge = tuple[int, int, int]  # 0 along a row of the grid or 1 up a column, and where it begins
# A ring of points; beside each whether the piece from it to the next lies inside of the box.
Ring = list[tuple[Point, bool]]

# The corners of a cell count 1, 2, 4 and 8 against the clock from the lower left, its edges 0 to 3
# from the lower one. A piece runs from edge to edge with what is above 0 on its left.
PIECES: dict[int, tuple[tuple[int, int], ...]] = {
    0b0001: ((0, 3),),
    0b0010: ((1, 0),),
    0b0011: ((1, 3),),
    0b0100: ((2, 1),),
    0b0110: ((2, 0),),
    0b0111: ((2, 3),),
    0b1000: ((3, 2),),
    0b1001: ((0, 2),),
    0b1011: ((1, 2),),
    0b1100: ((3, 1),),
    0b1101: ((0, 1),),
    0b1110: ((3, 0),),
}
# Two opposite corners above 0: joined, or apart, as the middle of the cell is.
JOINED = {0b0101: ((0, 1), (2, 3)), 0b1010: ((1, 2), (3, 0))}
APART = {0b0101: ((0, 3), (2, 1)), 0b1010: ((1, 0), (3, 2))}


def rings_above_zero(values: FloatArray, across: FloatArray, up: FloatArray) -> list[Ring]:
    """The outlines of the parts above 0; ``values[i, j]`` is that at ``(across[j], up[i])``.

    A part that ends at the edge of the grid is closed along it. Holes are rings of their own, so
    that the even-odd rule fills the parts.
    """
    # A frame of negative values in the same places as the outermost ones closes all rings.
    padded = np.pad(values, 1, mode="edge")
    frame = np.ones(padded.shape, bool)
    frame[1:-1, 1:-1] = False
    padded[frame] = -np.abs(padded[frame]) - 1.0
    xs, ys = np.pad(across, 1, mode="edge").tolist(), np.pad(up, 1, mode="edge").tolist()
    above = padded > 0
    cases = above[:-1, :-1] + 2 * above[:-1, 1:] + 4 * above[1:, 1:] + 8 * above[1:, :-1]
    last = (cases.shape[0] - 1, cases.shape[1] - 1)
    following: dict[Edge, tuple[Edge, bool]] = {}
    for i, j in np.argwhere((cases > 0) & (cases < 15)).tolist():
        case = int(cases[i, j])
        pieces = PIECES.get(case)
        if pieces is None:
            middle = padded[i : i + 2, j : j + 2].sum()
            pieces = (JOINED if middle > 0 else APART)[case]
        inside = 0 < i < last[0] and 0 < j < last[1]
        edges: tuple[Edge, ...] = ((0, i, j), (1, i, j + 1), (0, i + 1, j), (1, i, j))
        for begin, end in pieces:
            following[edges[begin]] = edges[end], inside
    return [_ring(following, padded, xs, ys) for _ in iter(lambda: bool(following), False)]


def _ring(
    following: dict[Edge, tuple[Edge, bool]], values: Any, xs: list[float], ys: list[float]
) -> Ring:
    """Follow the pieces from any edge back to it, taking them out."""
    ring: Ring = []
    edge = next(iter(following))
    while edge in following:
        there, inside = following.pop(edge)
        ring.append((_crossing(edge, values, xs, ys), inside))
        edge = there
    return ring


def _crossing(edge: Edge, values: Any, xs: list[float], ys: list[float]) -> Point:
    """Where the line between the two ends of an edge meets 0."""
    upwards, i, j = edge
    i_end, j_end = (i + 1, j) if upwards else (i, j + 1)
    low, high = float(values[i, j]), float(values[i_end, j_end])
    share = low / (low - high)
    return xs[j] + share * (xs[j_end] - xs[j]), ys[i] + share * (ys[i_end] - ys[i])
