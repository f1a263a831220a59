"""How numbers are scaled: by median and quartiles of all rows, or by the rows of a stream so far.

A few bad cells, a thousand times too large, move a mean and a standard deviation far, a median and
quartiles hardly; and clipped at 3 units they cannot outweigh the rest of their row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.checks import choice
from rosenblatt.engine.rows.records import LARGEST_SQUARE
from rosenblatt.models.parallel import slices

# In units of the scale; 99.7 % of what is bell-shaped lies within.
CLIP = 3.0
# The interquartile range of what is bell-shaped, in standard deviations.
IQR = 1.349
NUMBERS_AT_ONCE, LEAST_ROWS = 1 << 22, 1 << 10
# Columns of rows are copied into one piece each, so many numbers at a time, and of those so many
# rows, which stay near the processor.
NUMBERS_COPIED, ROWS_COPIED = 1 << 18, 1 << 12
# Quartiles are exact up to so many numbers, and above it those of a sample of half as many or more.
NUMBERS_SAMPLED = 1 << 20
GOLDEN, EVERY_ROW = np.uint64(0x9E3779B97F4A7C15), 2**64 - 1


class NumberStatistics:
    """Center and scale of each column of numbers, after the blocks of rows so far.

    Parameters
    ----------
    scale : {"robust", "standard", "running"} or None
        "robust": median and IQR/1.349, clipped at 3; "standard": mean and standard deviation;
        "running": those of the earlier rows of a stream, clipped at 3; None: numbers as they are.
    """

    def __init__(self, scale: str | None) -> None:
        if scale is not None:
            choice("scale", scale, "robust", "standard", "running")
        self._scale, self._moments = scale, Moments(scale in ("robust", "standard"))
        self._sample = RowSample() if scale == "robust" else None

    def add(self, numbers: npt.NDArray[Any]) -> None:
        self._moments.add(numbers)
        if self._sample is not None:
            self._sample.add(numbers)

    def columns(self) -> tuple[list[bool], list[dict[str, Any]]]:
        """Whether each column has gaps, and the fields of its `Number`."""
        lacks, center, deviation = self._moments.columns()
        if self._scale is None:
            return lacks, [{} for _ in lacks]
        if self._scale == "running":
            return lacks, [{"clip": CLIP, "sums": [0.0] * 4} for _ in lacks]
        sizes, clip = [deviation], None
        if self._sample is not None:
            low, center, high = self._sample.quartiles()
            sizes, clip = [(high - low) / IQR, deviation], CLIP
        # A constant column says nothing; without a deviation it would be divided by zero.
        scale = np.ones_like(center)
        for size in reversed(sizes):
            scale = np.where(size > np.abs(center) * 1e-12, size, scale)
        pairs = zip(center.tolist(), scale.tolist(), strict=True)
        return lacks, [{"center": c, "scale": s, "clip": clip} for c, s in pairs]


class RowSample:
    """All rows or, of many, a share that is chosen by the numbers of the rows alone.

    Row i belongs to it if i · GOLDEN mod 2^64 is below a limit, which is halved whenever the sample
    grows too large. So it does not depend on how the rows arrive, and any period in the data falls
    evenly on rows within and without.
    """

    def __init__(self) -> None:
        self._n, self._size, self._limit = 0, 0, EVERY_ROW
        self._keys, self._rows = list[npt.NDArray[np.uint64]](), list[npt.NDArray[Any]]()

    def add(self, numbers: npt.NDArray[Any]) -> None:
        most = max(LEAST_ROWS, NUMBERS_SAMPLED // max(1, numbers.shape[1]))
        keys = np.arange(self._n, self._n + len(numbers), dtype=np.uint64) * GOLDEN
        self._n += len(numbers)
        while self._size + np.count_nonzero(keys <= self._limit) > most:
            self._limit >>= 1
            held = list(zip(self._keys, self._rows, strict=True))
            self._keys, self._rows, self._size = [], [], 0
            for some, rows in held:
                self._hold(some, rows)
        self._hold(keys, numbers)

    def _hold(self, keys: npt.NDArray[np.uint64], rows: npt.NDArray[Any]) -> None:
        within = keys <= self._limit
        if not within.all():
            keys, rows = keys[within], rows[within]
        if len(keys) or not self._rows:
            self._keys.append(keys)
            self._rows.append(rows)
            self._size += len(keys)

    def quartiles(self) -> FloatArray:
        """The first quartile, the median and the third of each column, gaps left out."""
        rows = np.concatenate(self._rows)
        found = np.zeros((3, rows.shape[1]))
        for some, values in contiguous_columns(rows) if len(rows) else ():
            found[:, some] = np.percentile(values, [25, 50, 75], axis=1)
            for place in np.flatnonzero(np.isnan(found[1, some])).tolist():
                known = values[place][~np.isnan(values[place])]
                quartiles = np.percentile(known, [25, 50, 75]) if len(known) else 0.0
                found[:, some.start + place] = quartiles
        return found


def contiguous_columns(numbers: npt.NDArray[Any]) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
    """A few columns at a time, each in one piece; all at once were the whole table once more."""
    n_rows, n_columns = numbers.shape
    # As many as memory is read at once, at least.
    step = max(8, NUMBERS_COPIED // max(1, n_rows))
    for start in range(0, n_columns, step):
        some = slice(start, min(start + step, n_columns))
        columns = np.empty((some.stop - start, n_rows), numbers.dtype)
        for rows in slices(n_rows, None, ROWS_COPIED):
            columns[:, rows] = numbers[rows, some].T
        yield some, columns


class Moments:
    """Mean and standard deviation of each column, gaps left out, joined over blocks of rows.

    The blocks are cut at fixed rows, so that the digits do not depend on how the rows arrive.
    """

    def __init__(self, scale: bool) -> None:
        self._scale, self._rows = scale, 0
        self._held: list[npt.NDArray[Any]] = []
        # By column how many numbers there are, their mean and their standard deviation.
        self._found: npt.NDArray[np.float64] | None = None

    def add(self, numbers: npt.NDArray[Any]) -> None:
        self._held.append(numbers)
        step = max(LEAST_ROWS, NUMBERS_AT_ONCE // max(1, numbers.shape[1]))
        if sum(map(len, self._held)) >= step:
            held = self._waiting()
            whole = len(held) // step * step
            for start in range(0, whole, step):
                self._join(held[start : start + step])
            self._held = [held[whole:]]

    def _waiting(self) -> npt.NDArray[Any]:
        return self._held[0] if len(self._held) == 1 else np.concatenate(self._held)

    def _join(self, numbers: npt.NDArray[Any]) -> None:
        n = np.full(numbers.shape[1], float(len(numbers)))
        mean, size = np.zeros((2, len(n)))
        for some, values in contiguous_columns(numbers):
            if self._scale and len(numbers):
                mean[some], size[some] = values.mean(axis=1), values.std(axis=1)
            gaps = np.isnan(values.min(axis=1, initial=np.inf))
            for place in np.flatnonzero(gaps).tolist():
                known = values[place][~np.isnan(values[place])]
                place += some.start
                n[place], mean[place], size[place] = len(known), 0.0, 0.0
                if self._scale and len(known):
                    mean[place], size[place] = known.mean(), known.std()
        self._rows += len(numbers)
        if self._found is not None:
            m, center, deviation = self._found
            share = n / np.maximum(m + n, 1.0)
            move = mean - center
            mean = center + share * move
            size = (1 - share) * deviation**2 + share * size**2 + (1 - share) * share * move**2
            n, size = m + n, np.sqrt(size)
        self._found = np.array([n, mean, size])

    def columns(self) -> tuple[list[bool], FloatArray, FloatArray]:
        """Of each column whether it has gaps, its mean and its standard deviation."""
        rest = self._waiting()
        if len(rest) or self._found is None:
            self._join(rest)
        self._held = [rest[:0]]
        assert self._found is not None
        n, mean, size = self._found
        return (n < self._rows).tolist(), mean, size


def running_moments(
    sums: FloatArray, numbers: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean and standard deviation of each column before each row and after the last, and new sums.

    ``sums`` has a row for each column: of its values so far how many there are, the first of them,
    and with v = value - first, Σ v and Σ v². Sums are taken row after row, so it does not matter
    how the rows are cut into blocks.
    """
    known = ~np.isnan(numbers)
    first = sums[:, 1]
    new = (sums[:, 0] == 0) & known.any(axis=0)
    if new.any():
        first = np.where(new, numbers[known.argmax(axis=0), np.arange(len(first))], first)
    values = np.where(known, numbers - first, 0.0)
    n, total, squares = (
        np.cumsum(np.vstack([before, more]), axis=0)
        for before, more in (
            (sums[:, 0], known),
            (sums[:, 2], values),
            (sums[:, 3], np.minimum(values**2, LARGEST_SQUARE)),
        )
    )
    mean = total / np.maximum(n, 1.0)
    deviation = np.sqrt(np.maximum(squares / np.maximum(n, 1.0) - mean**2, 0.0))
    center = first + mean
    scale = np.where(deviation > np.abs(center) * 1e-12, deviation, 1.0)
    return center, scale, np.stack([n[-1], first, total[-1], squares[-1]], axis=1)
