"""Standardisation of the columns of an array before a linear learner reads them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.arrays import AnyArray, AnyFloatArray, FloatArray, Table, is_sparse

# Values converted at once.
BLOCK = 1 << 20
# A column is constant if its standard deviation is at most this share of its largest value.
CONSTANT = 1e-12


class ColumnScaling(NamedTuple):
    """Standardisation of columns, which scales ``x`` to ``(x - mean) / deviation``."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, table: AnyArray, *, center: bool = True) -> Self:
        """Measure mean and standard deviation of each column; a constant one gets deviation 1."""
        n, d = table.shape
        step = max(1, BLOCK // d)
        blocks = [slice(first, first + step) for first in range(0, n, step)]

        # Measured in units of the largest value, so that no square overflows.
        largest = np.max([np.abs(table[some]).max(axis=0) for some in blocks], axis=0)
        unit = np.where(largest > 0, largest, 1).astype(np.float64)
        mean = sum((table[some] / unit).sum(axis=0) for some in blocks) / n
        variance = sum(((table[some] / unit - mean) ** 2).sum(axis=0) for some in blocks) / n
        deviation = np.sqrt(variance)
        varies = deviation > CONSTANT
        return cls(mean * unit * center, np.where(varies, deviation * unit, 1.0))

    def __call__(self, table: Table) -> AnyArray:
        """Return the rows, centred and scaled, with their own dtype."""
        table = table.toarray() if is_sparse(table) else table
        found = np.empty(table.shape, table.dtype)
        step = max(1, BLOCK // table.shape[1])
        for first in range(0, len(table), step):
            some = slice(first, first + step)
            found[some] = (table[some] - self.mean) / self.deviation
        return found

    def fold(
        self, coef: AnyFloatArray, intercept: AnyFloatArray
    ) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return weights and biases for the unscaled columns, from those for the scaled ones."""
        own = coef / self.deviation
        # Not a product of BLAS, whose sums depend on the processor.
        return own, intercept - np.ascontiguousarray(own * self.mean).sum(axis=-1)
