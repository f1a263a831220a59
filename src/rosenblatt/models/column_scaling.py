"""Columns of an array, centred and scaled before a linear learner reads them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.arrays import AnyArray, AnyFloatArray, FloatArray, is_sparse

# Rows are converted so many numbers at a time.
BLOCK = 1 << 20
# A column that varies less than this share of its largest value counts as constant.
CONSTANT = 1e-12


class ColumnScaling(NamedTuple):
    """``(x - mean) / deviation`` of each column; a model of such rows is linear in ``x``, too."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, table: AnyArray, *, center: bool = True) -> Self:
        """Mean and standard deviation of each column; of one that is constant 1 instead."""
        n, d = table.shape
        blocks = [slice(i, i + max(1, BLOCK // d)) for i in range(0, n, max(1, BLOCK // d))]
        largest = np.max([np.abs(table[some]).max(axis=0) for some in blocks], axis=0)
        unit = np.where(largest > 0, largest, 1).astype(np.float64)  # so that no square overflows
        mean = sum((table[some] / unit).sum(axis=0) for some in blocks) / n
        squares = sum(((table[some] / unit - mean) ** 2).sum(axis=0) for some in blocks) / n
        deviation = np.sqrt(squares)
        varies = deviation > CONSTANT
        return cls(mean * unit * center, np.where(varies, deviation * unit, 1.0))

    def __call__(self, table: Any) -> AnyArray:
        """The rows, centred and scaled, of the type that they have."""
        table = table.toarray() if is_sparse(table) else table
        found, step = np.empty(table.shape, table.dtype), max(1, BLOCK // table.shape[1])
        for some in (slice(i, i + step) for i in range(0, len(table), step)):
            found[some] = (table[some] - self.mean) / self.deviation
        return found

    def fold(
        self, coef: AnyFloatArray, intercept: AnyFloatArray
    ) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Weights and biases for the columns as they were."""
        own = coef / self.deviation
        # Not a product of BLAS, whose sums depend on the processor.
        return own, intercept - np.ascontiguousarray(own * self.mean).sum(axis=-1)
