"""Proofs that a run gives while it goes on: of a cycle, and of how large a margin can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.learning import Tally
from rosenblatt.core.rows import Rows
from rosenblatt.core.weights import Weights

__all__ = ["Cycle", "MarginCeiling"]


class Cycle:
    """Proof of a cycle (Brent's method): what is learned equals that of an earlier epoch.

    The earlier epoch moves on in powers of two, so that any cycle is met once it is entered.
    """

    def __init__(self, state: Callable[[], Sequence[npt.NDArray[Any]]]) -> None:
        self._state = state
        self._kept = [array.copy() for array in state()]
        self._kept_at = 0
        self.length = 0

    def closed(self, epoch: int) -> bool:
        if all(map(np.array_equal, self._kept, self._state())):
            self.length = epoch - self._kept_at
            return True
        if epoch >= 2 * self._kept_at:
            self._kept = [array.copy() for array in self._state()]
            self._kept_at = epoch
        return False


class MarginCeiling:
    """No unit vector u has a margin above this on the rows: it follows from the run itself.

    If y(u·x) >= γ on every row, then ‖w - w0‖ >= u·(w - w0) >= γ Σ steps, hence
    γ <= ‖w - w0‖ / Σ steps. With a bias the rows are those with a 1 appended. With several
    classes u has a part for each, the margin is that of the right class over every other, and a
    step that raised the right class alone may have lowered u·w by its length times the longest
    row. What the rounding of the updates can have hidden is added.
    """

    def __init__(self, weights: Weights, rows: Rows, tally: Tally) -> None:
        self._weights, self._tally = weights, tally
        started_at_zero = not (weights.t or weights.matrix.any() or weights.bias.any())
        self._origin = None if started_at_zero else weights.copy()
        self._rounding = float(np.finfo(weights.table.dtype).eps)
        self._longest_row = math.sqrt(rows.largest_squared_norm + weights.fit_intercept)
        self._largest_norm = self._norm(None)
        # Of the difference that a row makes: with several classes it moves a pair of them.
        self.longest = self._longest_row * (1.0 if weights.n_vectors == 1 else math.sqrt(2.0))

    def _norm(self, origin: Weights | None) -> float:
        if origin is None:
            return math.sqrt(self._weights.squared_distance())
        return math.sqrt(self._weights.squared_distance(origin.table, origin.bias))

    def bound(self) -> float:
        """What the weights at the end of an epoch prove."""
        tally = self._tally
        if tally.step_sum <= 0.0:
            return math.inf
        self._largest_norm = max(self._largest_norm, self._norm(None))
        hidden = 2.0 * tally.updates * self._rounding * self._largest_norm
        slack = tally.raised_sum * self._longest_row
        return (self._norm(self._origin) + slack + hidden) / tally.step_sum
