"""A run of a kernel learner: no weights, but a coefficient for every mistaken point."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.kernel.functions import Kernel
from rosenblatt.studio.runs import Run

__all__ = ["KernelRun"]


class KernelRun(Run):
    """``f_c(x) = Σ a_cs K(x_s, x)`` over the mistaken points s."""

    @property
    def vectors(self) -> int:
        return 0

    @cached_property
    def kernel(self) -> Kernel:
        return Kernel.of(self.fitted.get_params(), self.examples.X.shape[1])

    @cached_property
    def moves(self) -> FloatArray:
        """What each update added to the coefficients of its point: a row an update."""
        right, wrong, step = self.entries.right, self.entries.wrong, self.entries.step
        if self.examples.n_vectors == 1:
            return np.asarray(((2 * right - 1) * step)[:, None])
        added = np.zeros((self.n_updates, self.examples.n_vectors))
        index, lowered = np.arange(self.n_updates), wrong >= 0
        added[index, right] += step
        added[index[lowered], wrong[lowered]] -= step[lowered]
        return added

    def coefficients(self, at: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Points that count after ``at`` updates, and how much: a row a point."""
        support, place = np.unique(self.entries.row[:at], return_inverse=True)
        found = np.zeros((len(support), self.examples.n_vectors))
        np.add.at(found, place, self.moves[:at])
        return support, found

    @cached_property
    def scores(self) -> FloatArray:
        support, place = np.unique(self.entries.row, return_inverse=True)
        rows = self.examples.X[support]
        alike = np.asarray(self.kernel.between(rows, rows), np.float64)
        coefficients = np.zeros((len(support), self.examples.n_vectors))
        found = np.zeros((self.n_updates, self.examples.n_vectors))
        for k, (here, added) in enumerate(zip(place, self.moves, strict=True)):
            found[k] = alike[here] @ coefficients
            coefficients[here] += added
        return found[:, 0] if self.examples.n_vectors == 1 else found

    def values(self, at: int, X: FloatArray) -> FloatArray:
        support, coefficients = self.coefficients(at)
        alike = np.asarray(self.kernel.between(self.examples.X[support], X), np.float64)
        found = alike.T @ coefficients
        return found[:, 0] if found.shape[1] == 1 else found

    def cost(self, at: int) -> int:
        return len(np.unique(self.entries.row[:at])) * self.examples.n_vectors
