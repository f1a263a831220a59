"""Kernel machines that never keep more support rows than they may."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt._kernels.rows import kernel_blocks as blocks
from rosenblatt.arrays import FloatArray
from rosenblatt.kernel.kernel_model import overflow
from rosenblatt.kernel.memory import FORGETRON_SHARE, Memory
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
        machine = self.machine
        if machine.forgetting is None:
            machine.forgetting = Memory(machine.seed)
        self.memory: Memory = machine.forgetting
        self._row_of = np.full(machine.n_support, -1, np.int64)

    def _learn_block(self, block: Block) -> int:
        machine = self.machine
        # A row of the block adds one support row at most.
        room = min(self.budget, machine.n_support + len(block))
        products = np.empty((room, len(block)))
        if machine.support is not None:
            found = machine.kernel.between(machine.support.rows, block.rows)
            products[: machine.n_support] = found
        scores = machine.coef @ products[: machine.n_support]
        if not np.isfinite(scores).all():
            raise overflow(int(block.numbers[np.nonzero(~np.isfinite(scores))[1][0]]))
        mistakes = self._learn_rows(self, block, products, scores)
        if not np.isfinite(machine.coef).all():
            raise overflow(int(block.numbers[-1]))
        return mistakes

    def mistaken(self, block: Block, i: int) -> None:
        self.mistakes_per_row[block.numbers[i]] += 1

    def join(self, block: Block, i: int) -> int:
        """A slot for a new support row; there must be room."""
        machine, number = self.machine, block.numbers[i : i + 1]
        row = machine.kernel.support_rows(self.X, number)
        slot = int(machine.append(row, number + self.first_number)[0])
        self.memory.age = np.append(self.memory.age, 0)
        self.memory.own = np.append(self.memory.own, 0.0)
        self._row_of = np.append(self._row_of, -1)
        self._settle(block, i, slot)
        return slot

    def replace(self, block: Block, i: int, slot: int) -> None:
        """A new support row in the place of a forgotten one."""
        machine, number = self.machine, block.numbers[i : i + 1]
        assert machine.support is not None
        machine.support.put(slot, machine.kernel.support_rows(self.X, number))
        machine.numbers[slot] = number[0] + self.first_number
        machine.coef[:, slot] = machine.late[:, slot] = 0.0
        if self._row_of[slot] >= 0:
            self.slot_of[self._row_of[slot]] = -1
        self._settle(block, i, slot)

    def _settle(self, block: Block, i: int, slot: int) -> None:
        self.memory.age[slot] = self.machine.t + i
        self.memory.own[slot] = block.row(i)[i]
        self._row_of[slot] = block.numbers[i]
        self.slot_of[block.numbers[i]] = slot

    def move(self, slots: Any, steps: FloatArray, t: int) -> None:
        """Change coefficients at example number ``t``; the average hears of it."""
        self.machine.coef[:, slots] += steps
        self.machine.late[:, slots] += (t - 1) * steps


Victim = Callable[[BudgetedTrainer, FloatArray, FloatArray, int, FloatArray], int]


def _forgetting(
    victim: Victim,
) -> Callable[[BudgetedTrainer, Block, FloatArray, FloatArray], int]:
    """Learn as the perceptron does; when the budget is used up a row makes room for the new one."""

    def learn(this: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray) -> int:
        machine, mistakes, i = this.machine, 0, -1
        step = np.empty(machine.n_vectors)
        while True:
            i = blocks.seek(scores, block.labels, i + 1, machine.shape, this.tie_is_mistake, step)
            if i == len(block):
                return mistakes
            mistakes += 1
            this.mistaken(block, i)
            this.memory.mistakes += int(np.count_nonzero(step))
            slot = int(this.slot_of[block.numbers[i]])
            t = machine.t + i + 1
            row = block.row(i) if slot < 0 else products[slot]
            scores += step[:, None] * row
            if slot < 0 and machine.n_support < this.budget:
                slot = this.join(block, i)
            elif slot < 0:
                slot = victim(this, products, scores, i, step)
                scores -= machine.coef[:, slot, None] * products[slot]
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
    machine, memory = this.machine, this.memory
    slot = int(memory.age.argmin())
    assert machine.support is not None
    largest = max(float(memory.own.max()), np.finfo(float).tiny)
    kernel = machine.kernel.between(machine.support.rows, _asked(this, slot))[:, 0]
    sigma = np.abs(machine.coef[:, slot])
    function = machine.coef @ kernel + step * products[slot, i]
    mu = np.sign(machine.coef[:, slot]) * function / largest
    square, linear = float(sigma @ (sigma - 2.0 * mu)), float(2.0 * sigma.sum())
    room = max(FORGETRON_SHARE * memory.mistakes - memory.damage, 0.0)
    shrink = 1.0
    if square + linear > room:
        # The smaller positive root, in the form that does not cancel.
        root = math.sqrt(max(linear**2 + 4.0 * square * room, 0.0))
        shrink = min(2.0 * room / (linear + root), 1.0)
        this.move(slice(None), (shrink - 1.0) * machine.coef, machine.t + i + 1)
        scores *= shrink
        step *= shrink
    memory.damage += square * shrink**2 + linear * shrink
    return slot


def _asked(this: BudgetedTrainer, slot: int) -> Any:
    """A support row in the place of a query."""
    machine = this.machine
    assert machine.support is not None
    if machine.kernel.is_precomputed:
        return this.X[machine.numbers[slot : slot + 1]]
    return machine.support.take(slice(slot, slot + 1))


def _random(
    this: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    return int(this.memory.random.integers(this.machine.n_support))


def _smallest(
    this: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """The row whose part ‖a_s‖ √K(x_s,x_s) of the functions is smallest, the oldest of equals."""
    with np.errstate(over="ignore"):  # infinity is not the smallest
        sizes = (this.machine.coef**2).sum(axis=0) * this.memory.own
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
