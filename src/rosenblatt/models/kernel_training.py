"""Training a kernel model: the mistakes of the plain algorithm, at the speed of products.

The rows of a block are scored by one product with the support rows. Then the block is walked in
order, and what a mistaken row changes is carried to the scores of the rows after it by the kernel
among the rows of the block, so that each row is judged by all mistakes before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, Int32Array, IntArray
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.errors import InputError
from rosenblatt.models import epochs
from rosenblatt.models.classes import tie_is_positive
from rosenblatt.models.kernel import QUERIES, KernelModel, overflow, refuse_large
from rosenblatt.models.recording import Entries
from rosenblatt.models.rows import contradictory

BLOCK = QUERIES


class Block:
    """Some rows of a table, in the order they are visited, and the kernel among them."""

    def __init__(
        self, model: KernelModel, X: Any, numbers: IntArray, labels: Any, weights: FloatArray
    ) -> None:
        self.X, self.numbers, self.rows = X, numbers, X[numbers]
        self.labels, self.weights = np.ascontiguousarray(labels[numbers]), weights[numbers]
        self._kernel = model.kernel
        self.place = np.full(len(numbers), -1, np.int32)
        self.products = np.empty((0, len(numbers)))

    def __len__(self) -> int:
        return len(self.numbers)

    def know(self, places: IntArray) -> None:
        """Work out the kernel of some rows of the block with all of them."""
        kept = self._kernel.support_rows(self.X, self.numbers[places])
        found = np.asarray(self._kernel.between(kept, self.rows), np.float64)
        if not np.isfinite(found).all():
            raise overflow(int(self.numbers[places[np.nonzero(~np.isfinite(found))[0][0]]]))
        self._refuse_if_not_symmetric(found[:, places], places)
        self.place[places] = np.arange(len(self.products), len(self.products) + len(places))
        self.products = np.concatenate([self.products, found])

    def _refuse_if_not_symmetric(self, square: FloatArray, places: IntArray) -> None:
        gap = np.abs(square - square.T)
        # Sums taken in another order differ by rounding, float32 ones by that of float32.
        bad = gap > 1e-4 * np.abs(square).max(initial=0.0)
        if bad.any():
            i, j = (int(self.numbers[places[place[0]]]) for place in np.nonzero(bad))
            values = [float(v[bad][0]) for v in (square, square.T)]
            raise InputError(
                f"kernel: it is not symmetric: {values[0]:.6g} for rows {i} and {j}, but "
                f"{values[1]:.6g} for rows {j} and {i}. A kernel must say the same both ways."
            )

    def row(self, i: int) -> FloatArray:
        """The kernel of one row of the block with all of them."""
        if self.place[i] < 0:
            self.know(np.array([i]))
        return np.asarray(self.products[self.place[i]])


class KernelMarginCeiling:
    """A bound on the margin of any separator in the space of the kernel, from the run alone.

    If y f(x) >= γ for a function of norm 1, then ‖f‖ >= γ Σ steps for the function learned from 0.
    The norms are kept up as the rows are learned: ‖f + yK(x,·)‖² = ‖f‖² + 2y f(x) + K(x,x).
    """

    def __init__(self, model: KernelModel, dtype: npt.DTypeLike) -> None:
        k = model.n_vectors
        self._from_zero = model.n_support == 0
        self._together = model.shape == blocks.AGAINST
        self._eps = float(np.finfo(dtype).eps)
        self.squared_norms, self.magnitudes = np.zeros(k), np.zeros(k)
        self._steps, self._alone = np.zeros(k), 0.0
        self._longest_row = 0.0

    def note(self, block: Block, entries: Entries, model: KernelModel) -> None:
        if self._together:
            alone = entries.y_pred < 0
            self._steps[0] += float(entries.step[~alone].sum())
            self._alone += float(entries.step[alone].sum())
        else:
            for vector, _, step in model.moves(entries):
                np.add.at(self._steps, vector, np.abs(step))
        known = np.flatnonzero(block.place >= 0)
        own = block.products[block.place[known], known]
        longest_row = math.sqrt(max(float(own.max(initial=0.0)), 0.0))
        self._longest_row = max(self._longest_row, longest_row)

    def bound(self) -> float:
        """What the state at the end of an epoch proves."""
        norms, hidden = self.squared_norms, 16.0 * self._eps * self.magnitudes
        moved = self._steps > 0
        # The theorem says nothing of a kernel that is no inner product.
        if not self._from_zero or (norms < -hidden).any() or not moved.any():
            return math.inf
        longest = np.sqrt(np.maximum(norms, 0.0) + hidden)
        if self._together:
            bound = math.sqrt(float(longest @ longest)) + self._alone * self._longest_row
            return bound / float(self._steps[0])
        return float((longest[moved] / self._steps[moved]).min())

    @property
    def longest(self) -> float:
        """Of the difference that a row makes, among those that were mistaken."""
        return self._longest_row * (math.sqrt(2.0) if self._together else 1.0)


class ScoreCache:
    """Scores of all rows by the state at the end of the last epoch, and what changed since.

    An epoch visits a row once, so that a support row changes once in it. Scores of a block count
    what changed up to its end; the rest is added when the epoch is over. So a row is multiplied
    only with support rows that changed since it was scored.
    """

    def __init__(self, model: KernelModel, X: Any) -> None:
        self._model, self._X = model, X
        self.values = np.zeros((model.n_vectors, X.shape[0]))
        if model.n_support:
            self.renew()
        self._begin()

    def _begin(self) -> None:
        self._slots: list[IntArray] = []
        self._steps: list[FloatArray] = []
        self._visits: list[tuple[IntArray, int]] = []

    def renew(self) -> FloatArray:
        """Scores from the support rows alone, without what rounding has gathered on the way."""
        for first in range(0, self._X.shape[0], BLOCK):
            part = slice(first, first + BLOCK)
            self.values[:, part] = self._model.weigh(self._X[part], self._model.coef)
        self._begin()
        return self.values

    def of(self, block: Block) -> FloatArray:
        slots, steps = self._changed()
        found = self.values[:, block.numbers]
        return found + self._model.weigh(block.rows, steps, slots)

    def note(self, block: Block, scores: FloatArray, slots: IntArray, steps: FloatArray) -> None:
        """The scores of a block after it was learned from, and the slots that it changed."""
        self.values[:, block.numbers] = scores
        self._slots.append(slots)
        self._steps.append(steps)
        # A copy, because the epochs write the next order into the same array.
        self._visits.append((block.numbers.copy(), sum(map(len, self._slots))))

    def finish(self) -> None:
        """Bring all scores to the end of the epoch."""
        slots, steps = self._changed()
        for numbers, seen in self._visits:
            if seen < len(slots):
                rows = self._X[numbers]
                self.values[:, numbers] += self._model.weigh(rows, steps[:, seen:], slots[seen:])
        self._begin()

    def _changed(self) -> tuple[IntArray, FloatArray]:
        if not self._slots:
            return np.zeros(0, np.int64), np.zeros((self._model.n_vectors, 0))
        if len(self._slots) > 1:
            self._slots = [np.concatenate(self._slots)]
            self._steps = [np.concatenate(self._steps, axis=1)]
        return self._slots[0], self._steps[0]


class KernelTrainer(epochs.Trainer):
    """Learning from rows of one table in a given order, a block at a time."""

    def __init__(
        self,
        model: KernelModel,
        X: Any,
        labels: Int32Array,
        *,
        ties: str,
        weights: FloatArray | None = None,
        first_number: int = 0,
        subset: IntArray | None = None,
    ) -> None:
        super().__init__(X.shape[0], subset)
        self.model, self.X, self.labels = model, X, labels
        self.weights = np.ones(X.shape[0]) if weights is None else weights
        self.ties, self.first_number = ties, first_number
        self.tie_is_mistake = not tie_is_positive(ties)
        self.scored: ScoreCache | None = None
        self.slot_of = np.full(X.shape[0], -1, np.int64)
        self.ceiling = KernelMarginCeiling(model, X.dtype)
        self.mistakes_per_row = np.zeros(X.shape[0], np.int32)
        self.result.mistakes_per_row = self.mistakes_per_row
        self._updates = blocks.Updates(BLOCK * model.n_vectors)

    def learn(self, order: IntArray | None) -> int:
        """Learn from the rows in this order; how many were mistaken."""
        mistakes, model = 0, self.model
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
        """Whether the model as it is predicts all rows right, worked out from its support rows."""
        if self.scored is None:
            return True  # each row of the last epoch was scored by the same model
        rows = slice(None) if self.subset is None else self.subset
        scores = np.ascontiguousarray(self.scored.renew()[:, rows])
        given = self.labels[rows], self.weights[rows], self.model.shape, self.tie_is_mistake
        return not blocks.mistaken(scores, *given).any()

    @cached_property
    def contradicted(self) -> bool:
        """Equal rows have the same score by any function."""
        given = self.labels, self.subset, self.weights
        return self.table is not None and contradictory(self.table, *given)

    def margin_ceiling(self) -> float:
        return self.ceiling.bound()

    @property
    def longest(self) -> float:
        return self.ceiling.longest

    def state(self) -> Sequence[FloatArray]:
        """The scores of the rows: other coefficients may be the same function."""
        if self.scored is None:
            return ()
        self.scored.finish()
        return (self.scored.values,)

    def _learn_block(self, block: Block) -> int:
        model, updates = self.model, self._updates
        if self.scored is None:
            scores = model.weigh(block.rows, model.coef)
        else:
            scores = self.scored.of(block)
        if not np.isfinite(scores).all():
            raise overflow(int(block.numbers[np.nonzero(~np.isfinite(scores))[1][0]]))
        shape, on_tie = model.shape, self.tie_is_mistake
        given = block.labels, block.weights
        suspects = np.flatnonzero(blocks.mistaken(scores, *given, shape, on_tie))
        if len(suspects):
            block.know(suspects)
        updates.clear()
        reached = 0
        while True:
            known: Any = block.products, block.place, shape, on_tie
            known += (self.ceiling.squared_norms, self.ceiling.magnitudes, updates)
            reached = blocks.walk(scores, *given, reached, *known)
            if reached == len(block):
                break
            # Whoever is wrong by now will most likely be asked about as well.
            wrong = blocks.mistaken(scores, *given, shape, on_tie) & (block.place < 0)
            wrong[:reached] = False
            block.know(np.flatnonzero(wrong))
        self._take(block, scores)
        return updates.mistakes

    def _take(self, block: Block, scores: FloatArray) -> None:
        """Write what a block changed into the model."""
        model, size = self.model, self._updates.size
        places = self._updates.row[:size].copy()
        who = np.unique(places)
        numbers = block.numbers[who]
        self.mistakes_per_row[numbers] += 1
        new = numbers[self.slot_of[numbers] < 0]
        if len(new):
            rows = model.kernel.support_rows(self.X, new)
            self.slot_of[new] = model.append(rows, new + self.first_number)
        slots = self.slot_of[numbers]
        before = model.coef[:, slots]
        of: Any = self._updates
        right, wrong, step = (column[:size].copy() for column in (of.right, of.wrong, of.step))
        rows, t = self.slot_of[block.numbers[places]], model.t + 1 + places
        entries = Entries(rows, right, wrong, step, t)
        model.add(entries)
        refuse_large(model.coef[:, slots], numbers)
        self.ceiling.note(block, entries, model)
        if self.scored is not None:
            self.scored.note(block, scores, slots, model.coef[:, slots] - before)
