"""Kernel models that keep no more support rows than they may: others are forgotten or projected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.errors import ParameterError
from rosenblatt.models.classes import are_mistakes, best_classes
from rosenblatt.models.kernel import FORGETRON_SHARE, Memory, overflow, refuse_large
from rosenblatt.models.kernel_training import Block, KernelTrainer
from rosenblatt.models.means import added_to_sum


class BudgetedTrainer(KernelTrainer):
    """Learning from rows of one table in a given order, within a budget of support rows."""

    converges = False  # what is forgotten has to be learned again

    def __init__(self, *arguments: Any, projection_tol: float, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.budget, self.projection_tol = int(self.model.settings["budget"]), projection_tol
        forget = self.model.settings["forget"]
        self._learn_rows = POLICIES[forget]
        if forget == "oldest" and ((self.weights != 0.0) & (self.weights != 1.0)).any():
            raise ParameterError(
                "forget='oldest' counts every mistake as one, so weights of rows and classes can "
                "only be 0 or 1. Use another rule, such as forget='projection'."
            )
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
        with np.errstate(over="ignore", invalid="ignore"):
            scores = model.coef @ products[: model.n_support]
        if not np.isfinite(scores).all():
            raise overflow(int(block.numbers[np.nonzero(~np.isfinite(scores))[1][0]]))
        mistakes = self._learn_rows(self, block, products, scores)
        refuse_large(model.coef, block.numbers)
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
        model.coef[:, slot] = model.running_sum[:, slot] = 0.0
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
        self.model.running_sum[:, slots] += added_to_sum(steps, t)


Policy = Callable[[BudgetedTrainer, Block, FloatArray, FloatArray], int]
Victim = Callable[[BudgetedTrainer, FloatArray, FloatArray, int, FloatArray], int]


def _forgetting(victim: Victim) -> Policy:
    """Learn as the perceptron does; when the budget is used up a row makes room for the new one."""

    def learn(this: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray) -> int:
        model, mistakes, i = this.model, 0, -1
        step = np.empty(model.n_vectors)
        while True:
            given = block.labels, block.weights, i + 1, model.shape, this.tie_is_mistake
            i = blocks.seek(scores, *given, step)
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


# ---------------------------------------------------------------------- projection


class Projection:
    """A block of rows, each as a combination of the support rows and a rest.

    With k the kernel of a row with the support rows and K that among them, the row's projection
    has the coefficients d = K⁻¹k, and what is left of it the squared length δ² = K(x,x) - k·d.
    ``rest`` holds the products of the rests of all rows of the block, δ² in its diagonal.

    A mistaken row whose rest is longer than ``projection_tol`` times itself joins the support rows
    if there is room; else its projection is added to the functions instead. A row that is right by
    less than 1 adds its projection, times a factor that makes up for the loss ℓ = 1 - margin as
    far as the rest allows (Orabona, Keshet and Caputo). The weight of a row is a
    factor for both, but one above 1 does not make up for more than the loss.
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
            if (weight := float(self._block.weights[i])) == 0.0:
                continue
            own, rest = float(self._among[i, i]), max(float(self._rest[i, i]), 0.0)
            step, losses = _step(self._scores[:, i], label, model.shape, this.ties)
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
            factors = self._factors(step, losses, wrong, own, rest)
            if factors.any():
                self._move(i, step * factors * np.where(wrong, weight, min(weight, 1.0)), t)
        return mistakes

    def _factors(
        self, step: FloatArray, losses: FloatArray, wrong: AnyArray, own: float, rest: float
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
        this.model.running_sum[moved] += added_to_sum(change, t)
        self._scores[moved] += steps[moved, None] * (self._among[i] - self._rest[i])


def _step(scores: FloatArray, label: int, shape: int, ties: str) -> tuple[FloatArray, FloatArray]:
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
        return step, _losses(margins, step > 0, ties)

    others = scores.copy()
    others[label] = -np.inf
    rival = int(best_classes(others[None], ties)[0])
    margin = np.asarray(scores[label] - scores[rival])
    step = np.zeros(k)
    step[label], step[rival] = 1.0, -1.0
    return step, np.where(step != 0.0, _losses(margin, rival < label, ties), 0.0)


def _losses(margins: FloatArray, is_positive: Any, ties: str) -> FloatArray:
    """1 - margin, at least 0; less than 1 where a margin of 0 is no mistake."""
    losses = np.maximum(1.0 - margins, 0.0)
    is_won = (margins == 0.0) & ~are_mistakes(margins, is_positive, ties)
    return np.where(is_won, np.nextafter(1.0, 0.0), losses)


POLICIES: dict[str, Policy] = {
    "oldest": _forgetting(_oldest),
    "random": _forgetting(lambda this, *_: int(this.memory.random.integers(this.model.n_support))),
    "smallest": _forgetting(_smallest),
    "projection": lambda *asked: Projection(*asked).learn(),
}
