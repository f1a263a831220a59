"""Columns side by side as sparse rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.tables.features.column_kinds import Part, row_blocks


def with_gaps(values: npt.NDArray[np.float64], starts: list[int], n_features: int) -> SparseRows:
    """Numbers as sparse rows in the same memory; a gap is a 1 in the feature after its number's."""
    places, firsts = np.empty(values.shape, np.int32), np.array(starts, np.int32)
    for some in row_blocks(values):
        missing = np.isnan(values[some])
        np.add(firsts, missing, out=places[some])
        values[some][missing] = 1.0
    ends = np.arange(len(values) + 1, dtype=np.int64) * values.shape[1]
    return SparseRows(values.reshape(-1), places.reshape(-1), ends, n_features)


def joined(
    numbers: npt.NDArray[np.float64],
    parts: list[Part | None],
    offsets: list[int],
    n_features: int,
) -> SparseRows:
    """Columns side by side, each with its own range of features; a part that is None is numbers."""
    starts = np.zeros(len(numbers) + 1, np.int64)
    starts[1:] = numbers.shape[1]
    for part in parts:
        if part is not None:
            starts[1:] += part[0]
    np.cumsum(starts, out=starts)
    data = np.empty(int(starts[-1]))
    indices = np.empty(int(starts[-1]), np.int32)
    base, columns = starts[:-1].copy(), iter(numbers.T)
    for part, offset in zip(parts, offsets, strict=True):
        if part is None:
            column = next(columns)
            missing = np.isnan(column)
            data[base], indices[base] = np.where(missing, 1.0, column), missing + np.int32(offset)
            base += 1
            continue
        counts, values, features = part
        ends = np.cumsum(counts, dtype=np.int64)
        at = np.arange(len(values)) + np.repeat(base - (ends - counts), counts)
        data[at], indices[at] = values, features + offset
        base += counts
    return SparseRows(data, indices, starts, n_features)
