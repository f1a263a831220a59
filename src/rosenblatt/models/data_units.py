"""The mean length of the training rows, as a unit for scale-dependent parameters."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.models.rows import Rows


class DataUnits(NamedTuple):
    """Means of ``‖x‖²`` and of the number of stored values over the measured rows.

    With a bias, a 1 is appended to each row.
    """

    squared_norm: float
    n_values: float

    @classmethod
    def of(cls, rows: Rows, fit_intercept: bool) -> DataUnits:
        """Measure rows in one pass; a mean of 0 is replaced by 1."""
        n = max(rows.n_rows, 1)
        bias = float(fit_intercept)
        squared_norm = float(rows.squared_norms().sum()) / n + bias
        n_values = rows.n_values / n + bias
        return cls(squared_norm or 1.0, n_values or 1.0)

    def step_length(self, *, adagrad: bool) -> float:
        """Return the step length that equals one unit for these rows.

        AdaGrad needs another length, because it divides by the root of the squared gradients
        itself.
        """
        if adagrad:
            return math.sqrt(self.n_values / self.squared_norm)
        return 1 / self.squared_norm
