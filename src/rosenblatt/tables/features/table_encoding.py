"""Encode the columns of a table as rows of features: numbers are scaled, columns are joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, SparseRows
from rosenblatt.models.parallel import slices
from rosenblatt.tables.features.column_kinds import Number, Part
from rosenblatt.tables.features.number_scaling import running_moments
from rosenblatt.tables.readers.table import Table

# Rows are scaled so many numbers at a time, so that no second matrix is needed.
NUMBERS_AT_ONCE = 1 << 18


# ---------------------------------------------------------------------- scaling numbers


def scale_numbers(
    columns: Sequence[Number],
    table: Table,
    *,
    clip: bool = True,
    learning: bool = False,
    in_place: bool = False,
) -> FloatArray:
    """Return the numbers of each row, scaled: (value - center) / scale, clipped.

    While `learning`, the numbers of a stream are scaled by the rows before them. ``in_place``
    reuses the memory of the numbers of the table, which the table loses.
    """
    found = table.numbers
    names = [column.name for column in columns]
    places: Any = slice(None)
    if table.number_names != names:
        places = [table.places[name] for name in names]

    center = np.array([column.center for column in columns])
    scale = np.array([column.scale for column in columns])
    streamed = [place for place, column in enumerate(columns) if column.sums is not None]
    if learning and streamed:
        center, scale = _running_scales(columns, streamed, found[:, places], center, scale)
    is_by_row = center.ndim == 2

    limit = np.array([np.inf if column.clip is None else column.clip for column in columns])
    is_clipped = clip and bool((limit < np.inf).any())
    # A gap that training did not have counts as the median: it has no feature of its own.
    fills_gaps = np.array([not column.gaps for column in columns])

    shape = len(found), len(names)
    if in_place and found.dtype == np.float64 and found.flags.carray:
        # If columns are left out, rows become shorter: none is written on before it is read.
        values = found.reshape(-1)[: shape[0] * shape[1]].reshape(shape)
        table.numbers = found[:0]
        table.rows = table.numbers
    else:
        values = np.empty(shape)

    for rows in row_blocks(values):
        block = found[rows][:, places]
        block = block - (center[rows] if is_by_row else center)
        block /= scale[rows] if is_by_row else scale
        if is_clipped:
            np.clip(block, -limit, limit, out=block)
        # One NaN makes the minimum NaN, so that blocks without gaps need no second look.
        if np.isnan(block.min(initial=0.0)):
            block[np.isnan(block) & fills_gaps] = 0.0
        values[rows] = block
    return values


def _running_scales(
    columns: Sequence[Number],
    streamed: list[int],
    found: npt.NDArray[Any],
    center: FloatArray,
    scale: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return center and scale for each row, and move the running means past the last row."""
    sums = np.array([columns[place].sums for place in streamed])
    centers, scales, sums = running_moments(sums, found[:, streamed])

    center = np.tile(center, (len(found), 1))
    center[:, streamed] = centers[:-1]
    scale = np.tile(scale, (len(found), 1))
    scale[:, streamed] = scales[:-1]

    for i, place in enumerate(streamed):
        column = columns[place]
        column.center = float(centers[-1, i])
        column.scale = float(scales[-1, i])
        column.sums = sums[i].tolist()
    return center, scale


def row_blocks(table: npt.NDArray[Any]) -> list[slice]:
    """Cut rows into blocks of at most `NUMBERS_AT_ONCE` numbers."""
    return slices(len(table), None, NUMBERS_AT_ONCE // max(1, table.shape[1]))


# ---------------------------------------------------------------------- sparse rows


def numbers_with_gaps(values: FloatArray, starts: list[int], n_features: int) -> SparseRows:
    """Return numbers as sparse rows in the same memory.

    ``starts`` holds the first feature of each column. A gap is a 1 in the feature after that of
    its number.
    """
    features = np.empty(values.shape, np.int32)
    first_features = np.array(starts, np.int32)
    for rows in row_blocks(values):
        is_missing = np.isnan(values[rows])
        np.add(first_features, is_missing, out=features[rows])
        values[rows][is_missing] = 1.0

    ends = np.arange(len(values) + 1, dtype=np.int64) * values.shape[1]
    return SparseRows(values.reshape(-1), features.reshape(-1), ends, n_features)


def join_columns(
    numbers: FloatArray, parts: list[Part | None], starts: list[int], n_features: int
) -> SparseRows:
    """Join columns as sparse rows, in which each has its own range of features.

    ``starts`` holds the first feature of each column. A part that is None is the next column of
    the ``numbers``, of which each row has one value.
    """
    # Where each row begins: rows have one value for each number, and what the parts have.
    indptr = np.zeros(len(numbers) + 1, np.int64)
    indptr[1:] = numbers.shape[1]
    for part in parts:
        if part is not None:
            indptr[1:] += part.counts
    np.cumsum(indptr, out=indptr)

    data = np.empty(int(indptr[-1]))
    indices = np.empty(int(indptr[-1]), np.int32)
    # The place where each row is written next.
    free = indptr[:-1].copy()
    columns = iter(numbers.T)
    for part, start in zip(parts, starts, strict=True):
        if part is None:
            column = next(columns)
            is_missing = np.isnan(column)
            data[free] = np.where(is_missing, 1.0, column)
            indices[free] = is_missing + np.int32(start)
            free += 1
        else:
            # Value i of a row stands i places after the first free one.
            ends = np.cumsum(part.counts, dtype=np.int64)
            first_values = ends - part.counts
            at = np.arange(len(part.values)) + np.repeat(free - first_values, part.counts)
            data[at] = part.values
            indices[at] = part.features + start
            free += part.counts
    return SparseRows(data, indices, indptr, n_features)
