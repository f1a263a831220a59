"""Scaling of numbers: by statistics of all rows, or by running statistics of a stream.

A few bad cells, a thousand times too large, move a mean and a standard deviation far, a median and
quartiles hardly; and clipped at 3 units they cannot outweigh the rest of their row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.checks import choice
from rosenblatt.engine.rows.records import LARGEST_SQUARE
from rosenblatt.models.parallel import slices

# Clipping limit, in units of the scale; 99.7 % of a normal distribution lies within.
CLIP = 3.0
# The interquartile range of a normal distribution, in standard deviations.
IQR = 1.349
# A deviation below this share of the mean is rounding, so the column is constant.
SMALLEST_DEVIATION = 1e-12

# Numbers in a block whose moments are computed at once, and the least number of its rows.
NUMBERS_AT_ONCE = 1 << 22
MIN_ROWS = 1 << 10
# Numbers copied into contiguous memory at once, and rows read at once, which stay in the
# processor's cache.
NUMBERS_COPIED = 1 << 18
ROWS_COPIED = 1 << 12
# Least number of columns copied together: as many as one cache line of memory holds.
MIN_COLUMNS_PER_COPY = 8
# Most numbers in the sample for quartiles: up to this size they are exact, above they are those
# of a sample of half as many or more.
NUMBERS_SAMPLED = 1 << 20
# 2^64 divided by the golden ratio: its multiples are spread evenly over the whole range.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
EVERY_ROW = 2**64 - 1


class NumberStatistics:
    """Center and scale of each column of numbers, over blocks of rows.

    Parameters
    ----------
    scale : {"robust", "standard", "running"} or None
        "robust": median and IQR/1.349, clipped at 3; "standard": mean and standard deviation;
        "running": those of the earlier rows of a stream, clipped at 3; None: not scaled.
    """

    def __init__(self, scale: str | None) -> None:
        if scale is not None:
            choice("scale", scale, "robust", "standard", "running")
        self._scale = scale
        self._moments = Moments(scale in ("robust", "standard"))
        self._sample = RowSample() if scale == "robust" else None

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Update the statistics with a block of rows."""
        self._moments.add(numbers)
        if self._sample is not None:
            self._sample.add(numbers)

    def columns(self) -> tuple[list[bool], list[dict[str, Any]]]:
        """Return for each column whether values are missing, and the fields of its `Number`."""
        has_gaps, mean, deviation = self._moments.columns()
        if self._scale is None:
            return has_gaps, [{} for _ in has_gaps]
        if self._scale == "running":
            return has_gaps, [{"clip": CLIP, "sums": [0.0] * 4} for _ in has_gaps]

        if self._sample is None:
            center = mean
            clip = None
            scale = _unless_constant(deviation, center, otherwise=np.ones_like(center))
        else:
            low, center, high = self._sample.quartiles()
            clip = CLIP
            scale = _unless_constant(deviation, center, otherwise=np.ones_like(center))
            # If half of the values are the same, the deviation is left.
            scale = _unless_constant((high - low) / IQR, center, otherwise=scale)
        pairs = zip(center.tolist(), scale.tolist(), strict=True)
        return has_gaps, [{"center": c, "scale": s, "clip": clip} for c, s in pairs]


def _unless_constant(
    deviation: FloatArray, center: FloatArray, *, otherwise: FloatArray | float
) -> FloatArray:
    """Return the deviations, in which those of constant columns are replaced by ``otherwise``."""
    return np.where(deviation > np.abs(center) * SMALLEST_DEVIATION, deviation, otherwise)


class RowSample:
    """Sample of rows, chosen by their indices only; all rows if there are few.

    Row i is in the sample if i · GOLDEN mod 2^64 is below a limit, which is halved whenever the
    sample grows too large. So the sample does not depend on how the rows arrive, and is spread
    evenly over any period in the data.
    """

    def __init__(self) -> None:
        self._n_rows = 0
        self._size = 0
        self._limit = EVERY_ROW
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._rows: list[npt.NDArray[Any]] = []

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Add the rows that are in the sample, and thin the sample out if it is too large."""
        most_rows = max(MIN_ROWS, NUMBERS_SAMPLED // max(1, numbers.shape[1]))
        row_numbers = np.arange(self._n_rows, self._n_rows + len(numbers), dtype=np.uint64)
        keys = row_numbers * GOLDEN
        self._n_rows += len(numbers)

        while self._size + np.count_nonzero(keys <= self._limit) > most_rows:
            self._limit >>= 1
            earlier = list(zip(self._keys, self._rows, strict=True))
            self._keys = []
            self._rows = []
            self._size = 0
            for some_keys, rows in earlier:
                self._hold(some_keys, rows)
        self._hold(keys, numbers)

    def _hold(self, keys: npt.NDArray[np.uint64], rows: npt.NDArray[Any]) -> None:
        """Store the rows whose keys are within the limit."""
        is_within = keys <= self._limit
        if not is_within.all():
            keys = keys[is_within]
            rows = rows[is_within]
        # An empty block is kept as well if it is the only one: it has the number of columns.
        if len(keys) or not self._rows:
            self._keys.append(keys)
            self._rows.append(rows)
            self._size += len(keys)

    def quartiles(self) -> FloatArray:
        """Return the first, second and third quartile of each column, ignoring missing values."""
        rows = np.concatenate(self._rows)
        found = np.zeros((3, rows.shape[1]))
        if not len(rows):
            return found
        for columns, values in contiguous_columns(rows):
            found[:, columns] = np.percentile(values, [25, 50, 75], axis=1)
            # Columns with missing values gave NaN.
            for place in np.flatnonzero(np.isnan(found[1, columns])).tolist():
                known = values[place][~np.isnan(values[place])]
                quartiles = np.percentile(known, [25, 50, 75]) if len(known) else 0.0
                found[:, columns.start + place] = quartiles
        return found


def contiguous_columns(numbers: npt.NDArray[Any]) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
    """Yield contiguous copies of a few columns at a time, since a full copy would double memory."""
    n_rows, n_columns = numbers.shape
    step = max(MIN_COLUMNS_PER_COPY, NUMBERS_COPIED // max(1, n_rows))
    for start in range(0, n_columns, step):
        some = slice(start, min(start + step, n_columns))
        columns = np.empty((some.stop - start, n_rows), numbers.dtype)
        for rows in slices(n_rows, None, ROWS_COPIED):
            columns[:, rows] = numbers[rows, some].T
        yield some, columns


class ColumnMoments(NamedTuple):
    """Number of values, mean and standard deviation of each column."""

    n: FloatArray
    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, numbers: npt.NDArray[Any], *, scale: bool) -> ColumnMoments:
        """Compute the moments of a block; without ``scale``, only the numbers of values."""
        n_rows, n_columns = numbers.shape
        n = np.full(n_columns, float(n_rows))
        mean = np.zeros(n_columns)
        deviation = np.zeros(n_columns)
        for some, values in contiguous_columns(numbers):
            if scale and n_rows:
                mean[some] = values.mean(axis=1)
                deviation[some] = values.std(axis=1)
            has_gaps = np.isnan(values.min(axis=1, initial=np.inf))
            for place in np.flatnonzero(has_gaps).tolist():
                known = values[place][~np.isnan(values[place])]
                column = some.start + place
                n[column] = len(known)
                is_measured = scale and len(known) > 0
                mean[column] = known.mean() if is_measured else 0.0
                deviation[column] = known.std() if is_measured else 0.0
        return cls(n, mean, deviation)

    def joined(self, later: ColumnMoments) -> ColumnMoments:
        """Return the moments of this block and a later one together.

        With the share s of the later rows and the means m, m': the mean is m + s · (m' - m), the
        variance (1 - s) · σ² + s · σ'² + (1 - s) · s · (m' - m)².
        """
        n = self.n + later.n
        share = later.n / np.maximum(n, 1.0)
        move = later.mean - self.mean
        mean = self.mean + share * move
        variance = (1 - share) * self.deviation**2 + share * later.deviation**2
        variance = variance + (1 - share) * share * move**2
        return ColumnMoments(n, mean, np.sqrt(variance))


class Moments:
    """Mean and standard deviation of each column over blocks of rows, ignoring missing values.

    The blocks are cut at fixed rows, so that the digits do not depend on how the rows arrive.
    """

    def __init__(self, scale: bool) -> None:
        self._scale = scale
        self._n_rows = 0
        # Rows that wait until a block is full.
        self._waiting: list[npt.NDArray[Any]] = []
        self._moments: ColumnMoments | None = None

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Update the statistics with a block of rows."""
        self._waiting.append(numbers)
        step = max(MIN_ROWS, NUMBERS_AT_ONCE // max(1, numbers.shape[1]))
        if sum(map(len, self._waiting)) < step:
            return
        rows = self._joined_rows()
        stop = len(rows) // step * step
        for start in range(0, stop, step):
            self._join(rows[start : start + step])
        self._waiting = [rows[stop:]]

    def _joined_rows(self) -> npt.NDArray[Any]:
        if len(self._waiting) == 1:
            return self._waiting[0]
        return np.concatenate(self._waiting)

    def _join(self, numbers: npt.NDArray[Any]) -> None:
        moments = ColumnMoments.of(numbers, scale=self._scale)
        self._n_rows += len(numbers)
        self._moments = moments if self._moments is None else self._moments.joined(moments)

    def columns(self) -> tuple[list[bool], FloatArray, FloatArray]:
        """Return for each column whether values are missing, its mean and standard deviation."""
        rest = self._joined_rows()
        if len(rest) or self._moments is None:
            self._join(rest)
        self._waiting = [rest[:0]]
        assert self._moments is not None
        has_gaps = self._moments.n < self._n_rows
        return has_gaps.tolist(), self._moments.mean, self._moments.deviation


def running_moments(
    sums: FloatArray, numbers: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return running means and deviations before each row and after the last, and the new sums.

    ``sums`` has a row for each column: how many values there were, the first of them, and with
    v = value - first, Σ v and Σ v². Sums are taken row after row, so it does not matter how the
    rows are cut into blocks.
    """
    n_before, first, total_before, squares_before = sums.T
    is_known = ~np.isnan(numbers)

    # Columns without a value until now begin with their first one.
    is_new = (n_before == 0) & is_known.any(axis=0)
    if is_new.any():
        first_row = is_known.argmax(axis=0)
        first = np.where(is_new, numbers[first_row, np.arange(len(first))], first)
    values = np.where(is_known, numbers - first, 0.0)

    n = np.cumsum(np.vstack([n_before, is_known]), axis=0)
    total = np.cumsum(np.vstack([total_before, values]), axis=0)
    squares = np.cumsum(np.vstack([squares_before, np.minimum(values**2, LARGEST_SQUARE)]), axis=0)

    mean = total / np.maximum(n, 1.0)
    variance = np.maximum(squares / np.maximum(n, 1.0) - mean**2, 0.0)
    center = first + mean
    scale = _unless_constant(np.sqrt(variance), center, otherwise=1.0)
    return center, scale, np.stack([n[-1], first, total[-1], squares[-1]], axis=1)
