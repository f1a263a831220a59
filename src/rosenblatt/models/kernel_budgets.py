"""Training of kernel models within a budget of support rows, by forgetting or by projection."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rosenblatt.arrays import BoolArray, FloatArray, Int32Array, IntArray, Table
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.errors import ParameterError
from rosenblatt.models.classes import are_mistakes, best_classes
from rosenblatt.models.kernel import (
    FORGETRON_SHARE,
    KernelModel,
    Memory,
    refuse_large,
    refuse_overflow,
)
from rosenblatt.models.kernel_functions import KernelTable
from rosenblatt.models.kernel_training import Block, KernelTrainer
from rosenblatt.models.means import added_to_sum


class BudgetedTrainer(KernelTrainer):
    """Trainer of a kernel model with a budget of support rows."""

    # What is forgotten has to be learned again, so that there need be no last mistake.
    converges = False

    def __init__(
        self,
        model: KernelModel,
        X: KernelTable,
        labels: Int32Array,
        *,
        ties: str,
        projection_tol: float,
        weights: FloatArray | None = None,
        first_number: int = 0,
        subset: IntArray | None = None,
    ) -> None:
        super().__init__(
            model,
            X,
            labels,
            ties=ties,
            weights=weights,
            first_number=first_number,
            subset=subset,
        )
        self.budget = int(self.model.settings["budget"])
        self.projection_tol = projection_tol
        forget = self.model.settings["forget"]
        self._learn_rows = POLICIES[forget]
        is_weighted = (self.weights != 0.0) & (self.weights != 1.0)
        if forget == "oldest" and is_weighted.any():
            raise ParameterError(
                "forget='oldest' counts every mistake as one, so weights of rows and classes can "
                "only be 0 or 1. Use another rule, such as forget='projection'."
            )
        model = self.model
        if model.forgetting is None:
            model.forgetting = Memory(model.seed)
        self.memory: Memory = model.forgetting
        # The row of this table that is in each slot, or -1.
        self._row_of = np.full(model.n_support, -1, np.int64)

    def _learn_block(self, block: Block) -> int:
        """Learn from the rows of a block; return the number of mistakes."""
        model = self.model
        # The kernel of the support rows with the block; a row adds one support row at most.
        room = min(self.budget, model.n_support + len(block))
        products = np.empty((room, len(block)))
        if model.support is not None:
            found = model.kernel.between(model.support.rows, block.rows)
            products[: model.n_support] = found
        with np.errstate(over="ignore", invalid="ignore"):
            scores = model.coef @ products[: model.n_support]
        refuse_overflow(scores, block.numbers)
        mistakes = self._learn_rows(self, block, products, scores)
        refuse_large(model.coef, block.numbers)
        return mistakes

    def count_mistake(self, block: Block, i: int) -> None:
        """Count a mistake on row i of a block."""
        self.mistakes_per_row[block.numbers[i]] += 1

    def join(self, block: Block, i: int) -> int:
        """Append row i of a block to the support rows, which must have room; return its slot."""
        model = self.model
        number = block.numbers[i : i + 1]
        row = model.kernel.support_rows(self.X, number)
        slot = int(model.append(row, number + self.first_number)[0])
        self.memory.age = np.append(self.memory.age, 0)
        self.memory.own = np.append(self.memory.own, 0.0)
        self._row_of = np.append(self._row_of, -1)
        self._settle(block, i, slot)
        return slot

    def replace(self, block: Block, i: int, slot: int) -> None:
        """Replace the support row in a slot, which is forgotten, by row i of a block."""
        model = self.model
        number = block.numbers[i : i + 1]
        assert model.support is not None
        model.support.put(slot, model.kernel.support_rows(self.X, number))
        model.numbers[slot] = number[0] + self.first_number
        model.coef[:, slot] = 0.0
        model.running_sum[:, slot] = 0.0
        if self._row_of[slot] >= 0:
            self.slot_of[self._row_of[slot]] = -1
        self._settle(block, i, slot)

    def _settle(self, block: Block, i: int, slot: int) -> None:
        """Record that row i of a block is now the support row in ``slot``."""
        self.memory.age[slot] = self.model.t + i
        self.memory.own[slot] = block.row(i)[i]
        self._row_of[slot] = block.numbers[i]
        self.slot_of[block.numbers[i]] = slot

    def move(self, slots: int | slice, steps: FloatArray, t: int) -> None:
        """Add steps to coefficients, and to their running sums, at example ``t``."""
        self.model.coef[:, slots] += steps
        self.model.running_sum[:, slots] += added_to_sum(steps, t)


# Learns from a block of rows, given their kernel with the support rows and their scores; returns
# the number of mistakes.
Policy = Callable[[BudgetedTrainer, Block, FloatArray, FloatArray], int]
# Chooses the slot to be forgotten, given the kernel of the support rows with the block, the scores,
# the index of the mistaken row in the block, and its step.
Victim = Callable[[BudgetedTrainer, FloatArray, FloatArray, int, FloatArray], int]


def _forgetting(victim: Victim) -> Policy:
    """Return a policy that forgets the row chosen by ``victim`` when the budget is used up.

    It learns as the perceptron does: at a mistake the row is added to the functions.
    """

    def learn(
        trainer: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray
    ) -> int:
        model = trainer.model
        mistakes = 0
        step = np.empty(model.n_vectors)
        i = -1
        while True:
            # The next mistake, and its step for each function.
            i = blocks.seek(
                scores,
                block.labels,
                block.weights,
                i + 1,
                model.shape,
                trainer.tie_is_mistake,
                step,
            )
            if i == len(block):
                return mistakes
            mistakes += 1
            trainer.count_mistake(block, i)
            trainer.memory.mistakes += int(np.count_nonzero(step))

            slot = int(trainer.slot_of[block.numbers[i]])
            t = model.t + i + 1
            row = block.row(i) if slot < 0 else products[slot]
            scores += step[:, None] * row
            if slot < 0 and model.n_support < trainer.budget:
                slot = trainer.join(block, i)
            elif slot < 0:
                slot = victim(trainer, products, scores, i, step)
                scores -= model.coef[:, slot, None] * products[slot]
                trainer.replace(block, i, slot)
            products[slot] = row
            trainer.move(slot, step, t)

    return learn


def _oldest(
    trainer: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """Choose the oldest row, after shrinking all coefficients as the Forgetron does.

    The damage of forgetting row r after shrinking by φ is Σ (φσ)² + 2φσ - 2φσ·φμ over the
    functions, with σ = |a_r| and μ = y_r f(x_r), for kernels with K(x,x) <= 1; φ is the largest
    that keeps the total damage below a share of the mistakes. The new row shrinks as well.
    """
    model = trainer.model
    memory = trainer.memory
    slot = int(memory.age.argmin())
    assert model.support is not None
    largest = max(float(memory.own.max()), np.finfo(float).tiny)
    kernel = model.kernel.between(model.support.rows, _as_query(trainer, slot))[:, 0]
    sigma = np.abs(model.coef[:, slot])
    function = model.coef @ kernel + step * products[slot, i]
    mu = np.sign(model.coef[:, slot]) * function / largest

    # The damage is square·φ² + linear·φ.
    square = float(sigma @ (sigma - 2.0 * mu))
    linear = float(2.0 * sigma.sum())
    room = max(FORGETRON_SHARE * memory.mistakes - memory.damage, 0.0)
    shrink = 1.0
    if square + linear > room:
        # The smaller positive root, in the form that does not cancel.
        root = math.sqrt(max(linear**2 + 4.0 * square * room, 0.0))
        shrink = min(2.0 * room / (linear + root), 1.0)
        trainer.move(slice(None), (shrink - 1.0) * model.coef, model.t + i + 1)
        scores *= shrink
        step *= shrink
    memory.damage += square * shrink**2 + linear * shrink
    return slot


def _as_query(trainer: BudgetedTrainer, slot: int) -> Table:
    """Return a support row as a table that can be scored."""
    model = trainer.model
    assert model.support is not None
    if model.kernel.is_precomputed:
        # The support rows are only numbers here.
        return trainer.X[model.numbers[slot : slot + 1]]
    return model.support.take(slice(slot, slot + 1))


def _smallest(
    trainer: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """Choose the row with the smallest contribution ‖a_s‖ √K(x_s,x_s); of equals the oldest."""
    with np.errstate(over="ignore"):  # infinity is not the smallest
        sizes = (trainer.model.coef**2).sum(axis=0) * trainer.memory.own
    # Equal sizes may differ by the rounding of the kernel; K(x, x) of some kernels is below 0.
    least = sizes.min()
    rounding = 1e-6 if least > 0 else -1e-6
    smallest = np.flatnonzero(sizes <= least * (1.0 + rounding))
    return int(smallest[trainer.memory.age[smallest].argmin()])


def _random(
    trainer: BudgetedTrainer, products: FloatArray, scores: FloatArray, i: int, step: FloatArray
) -> int:
    """Choose a row uniformly at random."""
    return int(trainer.memory.random.integers(trainer.model.n_support))


# ---------------------------------------------------------------------- projection


class Projection:
    """A block of rows, each split into its projection onto the support rows and a rest.

    With k the kernel of a row with the support rows and K that among them, the row's projection
    has the coefficients d = K⁻¹k, and what is left of it the squared length δ² = K(x,x) - k·d.
    ``rest`` holds the products of the rests of all rows of the block, δ² in its diagonal.

    A mistaken row whose rest is longer than ``projection_tol`` times itself joins the support rows
    if there is room; else its projection is added to the functions instead. A row that is right by
    less than 1 adds its projection, times a factor that makes up for the loss ℓ = 1 - margin as
    far as the rest allows (Orabona, Keshet and Caputo). The weight of a row is a
    factor for both, but one above 1 does not make up for more than the loss.
    """

    def __init__(
        self, trainer: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray
    ) -> None:
        self._trainer = trainer
        self._block = block
        self._products = products
        self._scores = scores
        block.add_products(np.arange(len(block)))
        # K among the rows of the block.
        self._among = block.products[block.place]
        # d of every row: the rows as combinations of the support rows, of which there may be more.
        n = trainer.model.n_support
        self._parts = np.empty(products.shape)
        self._parts[:n] = trainer.memory.inverse @ products[:n]
        self._rest = self._among - products[:n].T @ self._parts[:n]

    def learn(self) -> int:
        """Learn from the rows in order; return the number of mistakes."""
        trainer = self._trainer
        model = trainer.model
        mistakes = 0
        for i, label in enumerate(self._block.labels.tolist()):
            weight = float(self._block.weights[i])
            if weight == 0.0:
                continue
            own = float(self._among[i, i])
            rest = max(float(self._rest[i, i]), 0.0)
            step, losses = _step(self._scores[:, i], label, model.shape, trainer.ties)
            is_wrong = losses >= 1.0
            if is_wrong.any():
                mistakes += 1
                trainer.count_mistake(self._block, i)
                is_support = int(trainer.slot_of[self._block.numbers[i]]) >= 0
                # A kernel that is no inner product may find K(x,x) below 0.
                is_far = rest > trainer.projection_tol**2 * max(own, 0.0)
                if not is_support and is_far and model.n_support < trainer.budget:
                    self._join(i, rest)
            factors = self._factors(step, losses, is_wrong, own, rest)
            if factors.any():
                # A weight above 1 does not make up for more than the loss.
                weights = np.where(is_wrong, weight, min(weight, 1.0))
                self._move(i, step * factors * weights, model.t + i + 1)
        return mistakes

    def _factors(
        self, step: FloatArray, losses: FloatArray, is_wrong: BoolArray, own: float, rest: float
    ) -> FloatArray:
        """Return the step factor of each function: 1 at a mistake, at most 1 for a small margin."""
        factors = is_wrong.astype(np.float64)
        is_close = (losses > 0.0) & ~is_wrong
        projected = own - rest
        if not is_close.any() or projected <= 0.0:
            return factors
        n_moved = 1.0
        if self._trainer.model.shape == blocks.AGAINST:
            # One loss moves two functions.
            n_moved = float(np.count_nonzero(step))
        tolerance = self._trainer.projection_tol * np.sqrt(own)
        allowed = losses - np.sqrt(n_moved * rest) / tolerance
        most = np.minimum(losses, 2.0 * allowed) / (n_moved * projected)
        factors[is_close] = np.clip(most[is_close], 0.0, 1.0)
        return factors

    def _join(self, i: int, rest: float) -> None:
        """Make row i a support row, and update the projections of all rows of the block."""
        trainer = self._trainer
        n = trainer.model.n_support
        slot = trainer.join(self._block, i)
        assert slot == n
        d = self._parts[:n, i].copy()
        r = self._rest[i].copy()

        # The inverse of K with one more row and column, by the Schur complement δ² = rest.
        inverse = np.empty((n + 1, n + 1))
        inverse[:n, :n] = trainer.memory.inverse + np.outer(d, d) / rest
        inverse[:n, n] = -d / rest
        inverse[n, :n] = -d / rest
        inverse[n, n] = 1.0 / rest
        trainer.memory.inverse = inverse

        # The rests lose what they have in common with that of the new support row.
        self._products[n] = self._block.row(i)
        self._parts[:n] -= np.outer(d, r / rest)
        self._parts[n] = r / rest
        self._rest -= np.outer(r, r / rest)

    def _move(self, i: int, steps: FloatArray, t: int) -> None:
        """Add a multiple of the projection of row i to each function."""
        model = self._trainer.model
        n = model.n_support
        moved = np.flatnonzero(steps)
        change = steps[moved, None] * self._parts[:n, i]
        model.coef[moved] += change
        model.running_sum[moved] += added_to_sum(change, t)
        self._scores[moved] += steps[moved, None] * (self._among[i] - self._rest[i])


def _step(scores: FloatArray, label: int, shape: int, ties: str) -> tuple[FloatArray, FloatArray]:
    """Return the update direction and the loss of each function; at least 1 means a mistake.

    If the highest score wins, one loss moves two functions.
    """
    k = len(scores)
    if shape == blocks.ONE:
        step = np.full(k, 1.0 if label else -1.0)
        return step, _losses(step * scores, step > 0, ties)
    if shape == blocks.EACH:
        step = np.full(k, -1.0)
        step[label] = 1.0
        return step, _losses(step * scores, step > 0, ties)

    others = scores.copy()
    others[label] = -np.inf
    rival = int(best_classes(others[None], ties)[0])
    margin = np.asarray(scores[label] - scores[rival])
    step = np.zeros(k)
    step[label] = 1.0
    step[rival] = -1.0
    return step, np.where(step != 0.0, _losses(margin, rival < label, ties), 0.0)


def _losses(margins: FloatArray, is_positive: bool | BoolArray, ties: str) -> FloatArray:
    """Return the hinge loss max(0, 1 - margin); just below 1 for a tie that is not a mistake."""
    losses = np.maximum(1.0 - margins, 0.0)
    is_won = (margins == 0.0) & ~are_mistakes(margins, is_positive, ties)
    return np.where(is_won, np.nextafter(1.0, 0.0), losses)


def _project(
    trainer: BudgetedTrainer, block: Block, products: FloatArray, scores: FloatArray
) -> int:
    """Learn by projections from the rows of a block; return the number of mistakes."""
    return Projection(trainer, block, products, scores).learn()


# The values of the parameter ``forget``.
POLICIES: dict[str, Policy] = {
    "oldest": _forgetting(_oldest),
    "random": _forgetting(_random),
    "smallest": _forgetting(_smallest),
    "projection": _project,
}
