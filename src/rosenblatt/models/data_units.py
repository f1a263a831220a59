"""How long the rows are that a model learns from, as a unit for its parameters."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.models.rows import Rows


class DataUnits(NamedTuple):
    """Of the rows that were measured: the mean of ``‖x‖²`` and of the values stored in a row.

    With a bias both are those of the rows with a 1 appended.
    """

    squared_norm: float
    n_values: float

    @classmethod
    def of(cls, rows: Rows, fit_intercept: bool) -> DataUnits:
        """Measured on one way through the rows; rows of zeros alone count as of length 1."""
        n, bias = max(rows.n_rows, 1), float(fit_intercept)
        norm, values = float(rows.squared_norms().sum()) / n + bias, rows.n_values / n + bias
        return cls(norm or 1.0, values or 1.0)

    def step_length(self, *, adagrad: bool) -> float:
        """A step of length 1 in these units; AdaGrad divides by the root of the squares itself."""
        return math.sqrt(self.n_values / self.squared_norm) if adagrad else 1 / self.squared_norm
