"""Training of kernel models in blocks: the same mistakes as row by row, but by matrix products.

The rows of a block are scored by one product with the support rows. Then the block is walked in
order, and what a mistaken row changes is added to the scores of the rows after it by the kernel
among the rows of the block, so that each row is judged after all mistakes before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, Int32Array, IntArray, Table
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.errors import InputError
from rosenblatt.models import epochs
from rosenblatt.models.classes import tie_is_positive
from rosenblatt.models.kernel import QUERIES, KernelModel, refuse_large, refuse_overflow
from rosenblatt.models.kernel_functions import KernelTable
from rosenblatt.models.recording import Entries
from rosenblatt.models.rows import contradictory

# Rows per block.
BLOCK = QUERIES
# Largest relative difference of K(a, b) and K(b, a), whose sums may be rounded differently.
ASYMMETRY = 1e-4


class Block:
    """A block of rows in the order of learning, with the part of its kernel matrix computed so far.

    ``products[place[i]]`` is the kernel of row i with all rows of the block, if ``place[i]`` is at
    least 0.
    """

    def __init__(
        self,
        model: KernelModel,
        X: KernelTable,
        numbers: IntArray,
        labels: Int32Array,
        weights: FloatArray,
    ) -> None:
        self.X = X
        self.numbers = numbers
        self.rows = X[numbers]
        self.labels = np.ascontiguousarray(labels[numbers])
        self.weights = weights[numbers]
        self._kernel = model.kernel
        self.place = np.full(len(numbers), -1, np.int32)
        self.products = np.empty((0, len(numbers)))

    def __len__(self) -> int:
        return len(self.numbers)

    def add_products(self, places: IntArray) -> None:
        """Compute the kernel of the rows at ``places`` with all rows of the block."""
        own = self._kernel.support_rows(self.X, self.numbers[places])
        found = np.asarray(self._kernel.between(own, self.rows), np.float64)
        refuse_overflow(found.T, self.numbers[places])
        self._refuse_if_not_symmetric(found[:, places], places)
        n = len(self.products)
        self.place[places] = np.arange(n, n + len(places))
        self.products = np.concatenate([self.products, found])

    def _refuse_if_not_symmetric(self, square: FloatArray, places: IntArray) -> None:
        gap = np.abs(square - square.T)
        is_bad = gap > ASYMMETRY * np.abs(square).max(initial=0.0)
        if is_bad.any():
            i, j = (int(self.numbers[places[place[0]]]) for place in np.nonzero(is_bad))
            one_way = float(square[is_bad][0])
            other_way = float(square.T[is_bad][0])
            raise InputError(
                f"kernel: it is not symmetric: {one_way:.6g} for rows {i} and {j}, but "
                f"{other_way:.6g} for rows {j} and {i}. A kernel must say the same both ways."
            )

    def row(self, i: int) -> FloatArray:
        """Return the kernel of row i with all rows of the block."""
        if self.place[i] < 0:
            self.add_products(np.array([i]))
        return np.asarray(self.products[self.place[i]])


class KernelMarginCeiling:
    """Upper bound on the margin of any separator in the kernel's feature space, from the run.

    If y f(x) >= γ for a function of norm 1, then ‖f‖ >= γ Σ steps for the function learned from 0.
    The norms are updated as the rows are learned: ‖f + yK(x,·)‖² = ‖f‖² + 2y f(x) + K(x,x).
    ``magnitudes`` are the sums of the sizes of these terms, which bound the rounding.
    """

    def __init__(self, model: KernelModel, dtype: npt.DTypeLike) -> None:
        k = model.n_vectors
        self._from_zero = model.n_support == 0
        self._is_joint = model.shape == blocks.AGAINST
        self._eps = float(np.finfo(dtype).eps)
        # Updated by the compiled walk.
        self.squared_norms = np.zeros(k)
        self.magnitudes = np.zeros(k)
        self._steps = np.zeros(k)
        # Steps that raised the right class and lowered no other.
        self._raised = 0.0
        self._longest_row = 0.0

    def note(self, block: Block, entries: Entries, model: KernelModel) -> None:
        """Add the updates of a block to the sums behind the bound."""
        if self._is_joint:
            raises_only = entries.y_pred < 0
            self._steps[0] += float(entries.step[~raises_only].sum())
            self._raised += float(entries.step[raises_only].sum())
        else:
            for function, _, step in model.moves(entries):
                np.add.at(self._steps, function, np.abs(step))
        known = np.flatnonzero(block.place >= 0)
        own = block.products[block.place[known], known]
        longest_row = math.sqrt(max(float(own.max(initial=0.0)), 0.0))
        self._longest_row = max(self._longest_row, longest_row)

    def bound(self) -> float:
        """Return the bound proven at the end of an epoch; infinity if nothing is proven."""
        hidden = 16.0 * self._eps * self.magnitudes
        has_moved = self._steps > 0
        # The theorem does not hold for a kernel that is no inner product.
        is_indefinite = (self.squared_norms < -hidden).any()
        if not self._from_zero or is_indefinite or not has_moved.any():
            return math.inf
        longest = np.sqrt(np.maximum(self.squared_norms, 0.0) + hidden)
        if self._is_joint:
            # A step that only raised a class may have lowered u·f by its length times the row.
            bound = math.sqrt(float(longest @ longest)) + self._raised * self._longest_row
            return bound / float(self._steps[0])
        return float((longest[has_moved] / self._steps[has_moved]).min())

    @property
    def longest(self) -> float:
        """Return the length of the longest update by a mistaken row, for a step of 1."""
        return self._longest_row * (math.sqrt(2.0) if self._is_joint else 1.0)


class ScoreCache:
    """Cache of the scores of all rows at the end of the last epoch, with the changes since then.

    An epoch visits a row once, so that a support row changes once in it. The scores of a block
    contain what changed up to its end; the rest is added when the epoch is over. A row is therefore
    multiplied only with support rows that changed since it was scored.
    """

    def __init__(self, model: KernelModel, X: KernelTable) -> None:
        self._model = model
        self._X = X
        self.values = np.zeros((model.n_vectors, X.shape[0]))
        if model.n_support:
            self.renew()
        self._begin()

    def _begin(self) -> None:
        # The slots that changed in this epoch, in order, and by how much.
        self._slots: list[IntArray] = []
        self._steps: list[FloatArray] = []
        # The rows of each block, and how many slots had changed when they were scored.
        self._visits: list[tuple[IntArray, int]] = []

    def renew(self) -> FloatArray:
        """Recompute all scores from the support rows, free of accumulated rounding; return them."""
        for first in range(0, self._X.shape[0], BLOCK):
            part = slice(first, first + BLOCK)
            self.values[:, part] = self._model.weigh(self._X[part], self._model.coef)
        self._begin()
        return self.values

    def of(self, block: Block) -> FloatArray:
        """Return the scores of the rows of a block by the present model."""
        slots, steps = self._changed()
        found = self.values[:, block.numbers]
        return found + self._model.weigh(block.rows, steps, slots)

    def note(self, block: Block, scores: FloatArray, slots: IntArray, steps: FloatArray) -> None:
        """Store the scores of a block after learning it, and the coefficient changes it made."""
        self.values[:, block.numbers] = scores
        self._slots.append(slots)
        self._steps.append(steps)
        # A copy, because the epochs write the next order into the same array.
        self._visits.append((block.numbers.copy(), sum(map(len, self._slots))))

    def finish(self) -> None:
        """Update all scores to the end of the epoch."""
        slots, steps = self._changed()
        for numbers, n_seen in self._visits:
            if n_seen < len(slots):
                rows = self._X[numbers]
                changed = self._model.weigh(rows, steps[:, n_seen:], slots[n_seen:])
                self.values[:, numbers] += changed
        self._begin()

    def _changed(self) -> tuple[IntArray, FloatArray]:
        """Return the slots that changed in this epoch, and the changes of their coefficients."""
        if not self._slots:
            return np.zeros(0, np.int64), np.zeros((self._model.n_vectors, 0))
        if len(self._slots) > 1:
            self._slots = [np.concatenate(self._slots)]
            self._steps = [np.concatenate(self._steps, axis=1)]
        return self._slots[0], self._steps[0]


class KernelTrainer(epochs.Trainer):
    """Trainer of a kernel model, which learns the rows of a table a block at a time.

    ``scored`` is the cache of scores, which pays if there are several epochs.
    """

    def __init__(
        self,
        model: KernelModel,
        X: KernelTable,
        labels: Int32Array,
        *,
        ties: str,
        weights: FloatArray | None = None,
        first_number: int = 0,
        subset: IntArray | None = None,
    ) -> None:
        super().__init__(X.shape[0], subset)
        self.model = model
        self.X = X
        self.labels = labels
        self.weights = np.ones(X.shape[0]) if weights is None else weights
        self.ties = ties
        self.tie_is_mistake = not tie_is_positive(ties)
        self.first_number = first_number
        self.scored: ScoreCache | None = None
        # The slot of each row among the support rows, or -1.
        self.slot_of = np.full(X.shape[0], -1, np.int64)
        self.ceiling = KernelMarginCeiling(model, X.dtype)
        self.mistakes_per_row = np.zeros(X.shape[0], np.int32)
        self.result.mistakes_per_row = self.mistakes_per_row
        self._updates = blocks.Updates(BLOCK * model.n_vectors)

    def learn(self, order: IntArray | None) -> int:
        """Learn once from each row in ``order`` (None: as stored); return the mistake count."""
        model = self.model
        mistakes = 0
        if order is None:
            order = np.arange(self.n_examples)
        if self.scored is not None:
            self.scored.finish()
        for first in range(0, len(order), BLOCK):
            numbers = order[first : first + BLOCK]
            block = Block(model, self.X, numbers, self.labels, self.weights)
            mistakes += self._learn_block(block)
            model.t += len(block)
            if self.stops_at(first + len(block)):
                break
        model.n_mistakes += mistakes
        self.n_updates += mistakes
        return mistakes

    def is_right(self, *, changed: bool) -> bool:
        """Return whether the model predicts all rows right, computed from its support rows."""
        if self.scored is None:
            return True  # each row of the last epoch was scored by the same model
        rows = slice(None) if self.subset is None else self.subset
        scores = np.ascontiguousarray(self.scored.renew()[:, rows])
        is_mistaken = blocks.mistaken(
            scores, self.labels[rows], self.weights[rows], self.model.shape, self.tie_is_mistake
        )
        return not is_mistaken.any()

    @cached_property
    def contradicted(self) -> bool:
        """Return whether equal rows, which have the same score, have different labels."""
        if self.table is None:
            return False
        return contradictory(self.table, self.labels, self.subset, self.weights)

    def margin_ceiling(self) -> float:
        """Return an upper bound on the margin of any separator, proven by the run."""
        return self.ceiling.bound()

    @property
    def longest(self) -> float:
        """Return the length of the longest row, the scale of the margins."""
        return self.ceiling.longest

    def state(self) -> Sequence[FloatArray]:
        """Return the scores of all rows, by which states are compared; () without a cache."""
        if self.scored is None:
            return ()
        self.scored.finish()
        return (self.scored.values,)

    def _learn_block(self, block: Block) -> int:
        """Learn from the rows of a block; return the number of mistakes."""
        model = self.model
        updates = self._updates
        shape = model.shape
        if self.scored is None:
            scores = model.weigh(block.rows, model.coef)
        else:
            scores = self.scored.of(block)
        refuse_overflow(scores, block.numbers)

        # The kernel of rows that are wrong already will be needed; one product for all of them.
        suspects = blocks.mistaken(scores, block.labels, block.weights, shape, self.tie_is_mistake)
        if suspects.any():
            block.add_products(np.flatnonzero(suspects))

        updates.clear()
        reached = 0
        while True:
            # Ends at a mistake whose kernel with the block is not there yet.
            reached = blocks.walk(
                scores,
                block.labels,
                block.weights,
                reached,
                block.products,
                block.place,
                shape,
                self.tie_is_mistake,
                self.ceiling.squared_norms,
                self.ceiling.magnitudes,
                updates,
            )
            if reached == len(block):
                break
            # Rows that are wrong by now will most likely be asked for as well.
            wrong = blocks.mistaken(scores, block.labels, block.weights, shape, self.tie_is_mistake)
            wrong &= block.place < 0
            wrong[:reached] = False
            block.add_products(np.flatnonzero(wrong))
        self._take(block, scores)
        return updates.mistakes

    def _take(self, block: Block, scores: FloatArray) -> None:
        """Apply the updates of a block to the model."""
        model = self.model
        updates = self._updates
        size = updates.size
        places = updates.row[:size].copy()

        # Rows that were mistaken for the first time become support rows.
        mistaken = np.unique(places)
        numbers = block.numbers[mistaken]
        self.mistakes_per_row[numbers] += 1
        new = numbers[self.slot_of[numbers] < 0]
        if len(new):
            rows = model.kernel.support_rows(self.X, new)
            self.slot_of[new] = model.append(rows, new + self.first_number)

        slots = self.slot_of[numbers]
        before = model.coef[:, slots]
        entries = Entries(
            row=self.slot_of[block.numbers[places]],
            y_true=updates.right[:size].copy(),
            y_pred=updates.wrong[:size].copy(),
            step=updates.step[:size].copy(),
            t=model.t + 1 + places,
        )
        model.add(entries)
        refuse_large(model.coef[:, slots], numbers)
        self.ceiling.note(block, entries, model)
        if self.scored is not None:
            self.scored.note(block, scores, slots, model.coef[:, slots] - before)
