"""Projectron++: what the support rows can say of a mistaken row is said by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import kernel_blocks as blocks
from rosenblatt.arrays import FloatArray
from rosenblatt.kernel.training import Block

__all__ = ["Projection"]


class Projection:
    """A block of rows, each as a combination of the support rows and a rest.

    With k the kernel of a row with the support rows and K that among them, the row's projection
    has the coefficients d = K⁻¹k, and what is left of it the squared length δ² = K(x,x) - k·d.
    ``rest`` holds the products of the rests of all rows of the block, δ² in its diagonal.

    A mistaken row whose rest is longer than ``projection_tol`` times itself joins the support rows
    if there is room; else its projection is added to the functions instead. A row that is right by
    less than 1 adds its projection, times a factor that makes up for the loss ℓ = 1 - margin as
    far as the rest allows (Orabona, Keshet and Caputo).
    """

    def __init__(self, this: Any, block: Block, products: FloatArray, scores: FloatArray) -> None:
        self._this, self._block = this, block
        self._products, self._scores = products, scores
        block.know(np.arange(len(block)))
        among = block.products[block.place]
        n = this.model.n_support
        self._parts = np.empty(products.shape)
        self._parts[:n] = this.memory.inverse @ products[:n]
        self._among = among
        self._rest = among - products[:n].T @ self._parts[:n]

    def learn(self) -> int:
        """Learn from the rows in order; how many were mistaken."""
        this, mistakes = self._this, 0
        model = this.model
        for i, label in enumerate(self._block.labels.tolist()):
            own, rest = float(self._among[i, i]), max(float(self._rest[i, i]), 0.0)
            step, losses = _step(self._scores[:, i], label, model.shape, this.tie_is_mistake)
            wrong = losses >= 1.0
            t = model.t + i + 1
            if wrong.any():
                mistakes += 1
                this.mistaken(self._block, i)
                held = int(this.slot_of[self._block.numbers[i]]) >= 0
                # A kernel that is no inner product may find K(x,x) below 0.
                is_far = rest > this.projection_tol**2 * max(own, 0.0)
                if not held and is_far and model.n_support < this.budget:
                    self._join(i, rest)
            factors = self._factors(i, step, losses, wrong, own, rest)
            if factors.any():
                self._move(i, step * factors, t)
        return mistakes

    def _factors(
        self,
        i: int,
        step: FloatArray,
        losses: FloatArray,
        wrong: npt.NDArray[np.bool_],
        own: float,
        rest: float,
    ) -> FloatArray:
        """How far each function goes: 1 at a mistake, at most that where it was right by a bit."""
        factors = wrong.astype(np.float64)
        close = (losses > 0.0) & ~wrong
        projected = own - rest
        if not close.any() or projected <= 0.0:
            return factors
        n_moved = float(np.count_nonzero(step)) if self._this.model.shape == blocks.AGAINST else 1
        allowed = losses - np.sqrt(n_moved * rest) / (self._this.projection_tol * np.sqrt(own))
        most = np.minimum(losses, 2.0 * allowed) / (n_moved * projected)
        factors[close] = np.clip(most[close], 0.0, 1.0)
        return factors

    def _join(self, i: int, rest: float) -> None:
        """Row i becomes a support row; every row of the block is a combination with it as well."""
        this = self._this
        n = this.model.n_support
        slot = this.join(self._block, i)
        assert slot == n
        d, r = self._parts[:n, i].copy(), self._rest[i].copy()
        inverse = np.empty((n + 1, n + 1))
        inverse[:n, :n] = this.memory.inverse + np.outer(d, d) / rest
        inverse[:n, n] = inverse[n, :n] = -d / rest
        inverse[n, n] = 1.0 / rest
        this.memory.inverse = inverse
        self._products[n] = self._block.row(i)
        self._parts[:n] -= np.outer(d, r / rest)
        self._parts[n] = r / rest
        self._rest -= np.outer(r, r / rest)

    def _move(self, i: int, steps: FloatArray, t: int) -> None:
        """Add a multiple of the projection of row i to each function."""
        this = self._this
        n = this.model.n_support
        moved = np.flatnonzero(steps)
        change = steps[moved, None] * self._parts[:n, i]
        this.model.coef[moved] += change
        this.model.late[moved] += (t - 1) * change
        self._scores[moved] += steps[moved, None] * (self._among[i] - self._rest[i])


def _step(
    scores: FloatArray, label: int, shape: int, tie_is_mistake: bool
) -> tuple[FloatArray, FloatArray]:
    """The direction of each function and its loss, at least 1 where it is mistaken.

    Where the highest score wins, one loss moves two functions.
    """
    k = len(scores)
    if shape != blocks.AGAINST:
        step = np.full(k, -1.0)
        step[label if shape == blocks.EACH else slice(None)] = 1.0
        if shape == blocks.ONE and label == 0:
            step[:] = -1.0
        margins = step * scores
        losses = np.maximum(1.0 - margins, 0.0)
        if not tie_is_mistake:  # a score of 0 is an answer: the positive one
            losses[(margins == 0.0) & (step > 0)] = np.nextafter(1.0, 0.0)
        return step, losses
    others = scores.copy()
    others[label] = -np.inf
    rival = k - 1 - int(others[::-1].argmax()) if not tie_is_mistake else int(others.argmax())
    margin = scores[label] - scores[rival]
    step = np.zeros(k)
    step[label], step[rival] = 1.0, -1.0
    loss = max(1.0 - margin, 0.0)
    if margin == 0.0 and not tie_is_mistake and rival < label:
        loss = float(np.nextafter(1.0, 0.0))
    return step, np.where(step != 0.0, loss, 0.0)
