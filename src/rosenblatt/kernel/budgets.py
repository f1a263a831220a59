"""Kernel models that never keep more support rows than they may."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt._kernels.rows import kernel_blocks as blocks
from rosenblatt.arrays import FloatArray
from rosenblatt.kernel.kernel_model import FORGETRON_SHARE, Memory, overflow
from rosenblatt.kernel.projection import Projection
from rosenblatt.kernel.training import Block, KernelTrainer

__all__ = ["POLICIES", "BudgetedTrainer"]


class BudgetedTrainer(KernelTrainer):
    """Learning from rows of one table in a given order, within a budget of support rows."""

    def __init__(
        self,
        *arguments: Any,
        budget: int,
        forget: str,
        projection_tol: float,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.budget, self.projection_tol = budget, projection_tol
        self._learn_rows = POLICIES[forget]
        model = self.model
        if model.forgetting is None:
            model.forgetting = Memory(model.seed)
        self.memory: Memory = model.forgetting
        self._row_of = np.full(model.n_support, -1, np.int64)

    def _learn_block(self, block: Block) -> int:
        model = self.model
        # A row of the block adds one support row at most.
        room = min(self.budget, model.n_support + len(block))
        products = np.empty((room, len(block)))
        if model.support is not None:
            found = model.kernel.between(model.support.rows, block.rows)
            products[: model.n_support] = found
        scores = model.coef @ products[: model.n_support]
        if not np.isfinite(scores).all():
            raise overflow(int(block.numbers[np.nonzero(~np.isfinite(scores))[1][0]]))
        mistakes = self._learn_rows(self, block, products, scores)
        if not np.isfinite(model.coef).all():
            raise overflow(int(block.numbers[-1]))
        return mistakes

    def mistaken(self, block: Block, i: int) -> None:
        self.mistakes_per_row[block.numbers[i]] += 1

    def join(self, block: Block, i: int) -> int:
        """A slot for a new support row; there must be room."""
        model, number = self.model, block.numbers[i : i + 1]
        row = model.kernel.support_rows(self.X, number)
        slot = int(model.append(row, number + self.first_number)[0])
        self.memory.age = np.append(self.memory.age, 0)
        self.memory.own = np.append(self.memory.own, 0.0)
        self._row_of = np.append(self._row_of, -1)
        self._settle(block, i, slot)
        return slot

    def replace(self, block: Block, i: int, slot: int) -> None:
        """A new support row in the place of a forgotten one."""
        model, number = self.model, block.numbers[i : i + 1]
        assert model.support is not None
        model.support.put(slot, model.kernel.support_rows(self.X, number))
        model.numbers[slot] = number[0] + self.first_number
        model.coef[:, slot] = model.late[:, slot] = 0.0
        if self._row_of[slot] >= 0:
            self.slot_of[self._row_of[slot]] = -1
        self._settle(block, i, slot)

    def _settle(self, block: Block, i: int, slot: int) -> None:
        self.memory.age[slot] = self.model.t + i
        self.memory.own[slot] = block.row(i)[i]
        self._row_of[slot] = block.numbers[i]
        self.slot_of[block.numbers[i]] = slot

    def move(self, slots: Any, steps: FloatArray, t: int) -> None:
        """Change coefficients at example number ``t``; the average hears of it."""
        self.model.coef[:, slots] += steps
        self.model.late[:, slots] += (t - 1) * steps


Victim = Callable[[BudgetedTrainer, FloatArray, FloatArray, int, FloatArray], int]


def _forgetting(
    victim: Victim,
) -> Callable[[BudgetedTrainer, Block, FloatArray, FloatArray], int]:
    """Learn as the perceptron does; when the budget is used up a row makes room for the new one."""

    def learn(this: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray) -> int:
        model, mistakes, i = this.model, 0, -1
        step = np.empty(model.n_vectors)
        while True:
            i = blocks.seek(scores, block.labels, i + 1, model.shape, this.tie_is_mistake, step)
            if i == len(block):
                return mistakes
            mistakes += 1
            this.mistaken(block, i)
            this.memory.mistakes += int(np.count_nonzero(step))
            slot = int(this.slot_of[block.numbers[i]])
            t = model.t + i + 1
            row = block.row(i) if slot < 0 else products[slot]
            scores += step[:, None] * row
            if slot < 0 and model.n_support < this.budget:
                slot = this.join(block, i)
            elif slot < 0:
                slot = victim(this, products, scores, i, step)
                scores -= model.coef[:, slot, None] * products[slot]
                this.replace(block, i, slot)
            products[slot] = row
            this.move(slot, step, t)

    return learn


def _oldest(
    this: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """The Forgetron: all coefficients shrink before the oldest row goes, so that little is lost.

    The damage of forgetting row r after shrinking by φ is Σ (φσ)² + 2φσ - 2φσ·φμ over the
    functions, with σ = |a_r| and μ = y_r f(x_r), for kernels with K(x,x) <= 1; φ is the largest
    that keeps the damage of all times below a share of the mistakes. The new row shrinks as well.
    """
    model, memory = this.model, this.memory
    slot = int(memory.age.argmin())
    assert model.support is not None
    largest = max(float(memory.own.max()), np.finfo(float).tiny)
    kernel = model.kernel.between(model.support.rows, _asked(this, slot))[:, 0]
    sigma = np.abs(model.coef[:, slot])
    function = model.coef @ kernel + step * products[slot, i]
    mu = np.sign(model.coef[:, slot]) * function / largest
    square, linear = float(sigma @ (sigma - 2.0 * mu)), float(2.0 * sigma.sum())
    room = max(FORGETRON_SHARE * memory.mistakes - memory.damage, 0.0)
    shrink = 1.0
    if square + linear > room:
        # The smaller positive root, in the form that does not cancel.
        root = math.sqrt(max(linear**2 + 4.0 * square * room, 0.0))
        shrink = min(2.0 * room / (linear + root), 1.0)
        this.move(slice(None), (shrink - 1.0) * model.coef, model.t + i + 1)
        scores *= shrink
        step *= shrink
    memory.damage += square * shrink**2 + linear * shrink
    return slot


def _asked(this: BudgetedTrainer, slot: int) -> Any:
    """A support row in the place of a query."""
    model = this.model
    assert model.support is not None
    if model.kernel.is_precomputed:
        return this.X[model.numbers[slot : slot + 1]]
    return model.support.take(slice(slot, slot + 1))


def _random(
    this: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    return int(this.memory.random.integers(this.model.n_support))


def _smallest(
    this: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """The row whose part ‖a_s‖ √K(x_s,x_s) of the functions is smallest, the oldest of equals."""
    with np.errstate(over="ignore"):  # infinity is not the smallest
        sizes = (this.model.coef**2).sum(axis=0) * this.memory.own
    # Equal sizes may differ by the rounding of the kernel; K(x, x) of some kernels is below 0.
    least = sizes.min()
    smallest = np.flatnonzero(sizes <= least * (1.0 + (1e-6 if least > 0 else -1e-6)))
    return int(smallest[this.memory.age[smallest].argmin()])


def _projection(
    this: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray
) -> int:
    return Projection(this, block, products, scores).learn()


POLICIES: dict[str, Callable[[BudgetedTrainer, Block, FloatArray, FloatArray], int]] = {
    "oldest": _forgetting(_oldest),
    "random": _forgetting(_random),
    "smallest": _forgetting(_smallest),
    "projection": _projection,
}
