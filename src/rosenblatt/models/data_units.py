"""The length of the rows that a model learns from, as a unit for its parameters."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.models.rows import Rows


class DataUnits(NamedTuple):
    """The means of ``‖x‖²`` and of the number of stored values, over the rows that were measured.

    With a bias both are those of the rows with a 1 appended.
    """

    squared_norm: float
    n_values: float

    @classmethod
    def of(cls, rows: Rows, fit_intercept: bool) -> DataUnits:
        """Measure rows in one pass; if all of them are zeros, both means are 1."""
        n = max(rows.n_rows, 1)
        bias = float(fit_intercept)
        squared_norm = float(rows.squared_norms().sum()) / n + bias
        n_values = rows.n_values / n + bias
        return cls(squared_norm or 1.0, n_values or 1.0)

    def step_length(self, *, adagrad: bool) -> float:
        """Return the length of a unit step; AdaGrad divides by the root of the squares itself."""
        if adagrad:
            return math.sqrt(self.n_values / self.squared_norm)
        return 1 / self.squared_norm
