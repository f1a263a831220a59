"""The training loop of every fit: epochs over the examples until there is a reason to stop.

Why training stops
------------------
- `separated`: an epoch without a mistake. Rules that also act on right predictions go on for
  `n_iter_no_change` epochs, or until nothing moves, and are checked once more with the final
  weights.
- `cycle`: without shuffling, the weights at the end of an epoch are for the first time those of an
  earlier one, or those at the start; or an epoch with mistakes changed nothing. Few numbers are
  compared as they are, more of them by a fingerprint of 128 bits.
- `tolerance`: if a unit vector u had margin γ on all rows, then ‖w - w0‖ ≥ u·(w - w0) ≥ γ Σ steps.
  So ‖w - w0‖ / Σ steps bounds every margin from above (`margin_ceiling_`); below `tol` times the
  longest row it is not worth going on, unless the last weights predict (`Trainer.last_predicts`)
  and their mistakes still become fewer.
- `no_gain`: `n_iter_no_change` epochs made no fewer mistakes than one before, where no theorem
  promises a last mistake (`Trainer.converges`), as with the budget of a kernel learner, or where
  equal rows have different labels (`contradictory` in `models/rows.py`: one product with random
  weights finds candidates).
- `early_stopping`, `max_iter`: as they say. `interrupted`: somebody asked to stop (`stopping_when`
  in `models/result.py`, which trainers ask between two blocks of examples), as the shell does when
  it hears a signal (`cli/frame/interrupts.py`). In Python Ctrl-C leaves a learner as it was before
  `fit`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, Table
from rosenblatt.engine.rows import ordering
from rosenblatt.models.result import EpochCallback, FitResult, Validation, stop_asked

Order = npt.NDArray[np.int64]
# Sizes of pieces and buffers in shuffling, in stored values, not in bytes or by the cache of
# the machine, so that one seed gives one order for float32 and float64 and on every machine.
PIECE = 1 << 11
# Two buffers fit into the caches of most machines.
BUFFER = 1 << 18
# Up to this size all examples are shuffled at once, without a buffer.
AT_ONCE = 1 << 20


class Trainer(ABC):
    """Base class of the trainers: all that the training loop asks of a family of models.

    A family overrides `learn`, and those of the other methods that it can answer.

    Attributes
    ----------
    n_all, n_examples : int
        The number of examples, and of those that are learned from.
    subset : ndarray or None
        The indices of the examples to learn from, in their order; None for all of them.
    piece : int
        How many neighbours are worth reading together. If there are many pieces, `learn` is called
        for a buffer of examples at a time.
    n_learned : int
        Examples of this epoch that were learned in the buffers before.
    upcoming : ndarray or None
        The examples of the next buffer, as they lie in memory.
    n_updates : int
    cut_short : bool
        Whether the rest of the epoch was left out, because somebody asked to stop.
    table : array or None
        The rows, if rows are learned from.
    converges : bool
        Whether separable examples have a last mistake. If not, epochs without a gain end a fit.
    separates : bool
        Whether an epoch without a mistake, or a proof that there will be none, ends a fit.
    last_predicts : bool
        Whether the last state predicts. A mean or a vote is as good as it gets by the time of the
        proof that nothing separates the examples.
    """

    converges = True
    separates = True
    last_predicts = True

    def __init__(self, n_examples: int, subset: Order | None = None) -> None:
        self.n_all = n_examples
        self.n_examples = n_examples if subset is None else len(subset)
        self.subset = subset
        self.piece = 1
        self.n_learned = 0
        self.upcoming: Order | None = None
        self.n_updates = 0
        self.cut_short = False
        self.table: Table | None = None
        self.result = FitResult(n_rows=n_examples)

    @abstractmethod
    def learn(self, order: Order | None) -> int:
        """Learn once from each example in ``order`` (None: as stored); return the mistake count.

        After each block of examples it calls `stops_at` with the number learned from so far.
        """

    def stops_at(self, place: int) -> bool:
        """Set and return ``cut_short``: whether a requested stop skips the rest of the epoch."""
        self.cut_short = self.n_learned + place < self.n_examples and stop_asked()
        return self.cut_short

    def end_epoch(self, epoch: int) -> None:  # noqa: B027  (most have nothing to do)
        """Finish a complete epoch, before the model is scored on held-out examples."""

    def is_right(self, *, changed: bool) -> bool:
        """Return whether all examples are right under the present weights.

        It is called after an epoch without a mistake. That epoch may still have ``changed``
        something: some rules also update on examples that are right.
        """
        return True

    @cached_property
    def contradicted(self) -> bool:
        """Return whether equal examples have different labels, so that nothing separates them."""
        return False

    def margin_ceiling(self) -> float:
        """Return an upper bound on the margin of any separator, proven by the run."""
        return math.inf

    def step_sums(self) -> tuple[float, float]:
        """Return the sum of all steps, and the sum of those that only raised the right class."""
        return 0.0, 0.0

    @property
    def longest(self) -> float:
        """Return the length of the longest example, the scale of the margins."""
        return 0.0

    def state(self) -> Sequence[AnyArray]:
        """Return the arrays that decide how learning continues; () if they cannot repeat.

        They are compared at the ends of epochs. If all of them were there before and the order is
        the same, the run has entered a cycle.
        """
        return ()


class Cycle:
    """Detector of cycles, which finds the first epoch that ends in an earlier or the initial state.

    A small state is kept as its numbers, a larger one as a fingerprint of 128 bits; the chance that
    two of 100,000 different states share one is 1 in 10^28. After ``EVERY`` epochs only those whose
    number is a power of two are kept (Brent's method), which bounds the memory: any cycle is still
    found, if not at its first repeat.
    """

    FEW_BYTES = 128
    EVERY = 1 << 17

    def __init__(self, state: Callable[[], Sequence[AnyArray]]) -> None:
        self._state = state
        self._first_epoch = {self._key(): 0}
        self.length = 0

    def closes(self, epoch: int) -> bool:
        """Return whether an epoch ends in an earlier state, ``length`` epochs before it."""
        key = self._key()
        if key in self._first_epoch:
            self.length = epoch - self._first_epoch[key]
            return True
        if epoch <= self.EVERY or epoch & (epoch - 1) == 0:
            self._first_epoch[key] = epoch
        return False

    def _key(self) -> Hashable:
        """Return a hashable key of the state; equal states have equal keys, and 0.0 equals -0.0."""
        state = self._state()
        if sum(array.nbytes for array in state) <= self.FEW_BYTES:
            # Adding 0.0 makes 0.0 of -0.0.
            return b"".join([(array + 0.0).tobytes() for array in state])
        key: tuple[int, ...] = ()
        for array in state:
            key = ordering.fingerprint(array, *key)
        return key


def one_pass(trainer: Trainer, order: Order | None) -> int:
    """Learn once from each example in ``order``, outside of a fit; return the mistake count."""
    return trainer.learn(order)


class Shuffle:
    """Shuffler of examples: a new random order for every epoch, decided by a 64-bit state.

    Examples are cut into pieces of ``piece`` neighbours. The pieces are shuffled; ``pieces`` at a
    time fill a buffer, whose examples are shuffled in turn. So memory is read in runs of a few
    kilobytes, and no list of all examples is needed. Up to ``few`` examples, or what fits into one
    buffer, are shuffled at once, as are examples of which each is a piece.

    ``upcoming`` holds the examples of the next buffer, if there are several buffers.
    """

    def __init__(self, n: int, subset: Order | None, piece: int, pieces: int, few: int = 0) -> None:
        self._n = n
        self._subset = subset
        self._piece = piece
        self._pieces = pieces
        self.upcoming: Order | None = None
        self._at_once = piece == 1 or n <= max(few, piece * pieces)
        if self._at_once:
            self._buffer = np.empty(n, np.int64)
            self._piece_order = np.empty(0, np.int64)
        else:
            n_pieces = -(-n // piece)
            self._buffer = np.empty(piece * pieces, np.int64)
            self._piece_order = np.empty(n_pieces, np.int64)

    def epoch(self, random: int) -> tuple[Iterable[Order], int]:
        """Return the order of an epoch as an iterable of buffers, and the next random state."""
        if not self._at_once:
            # One number is drawn for each piece and each example.
            n_draws = self._n + len(self._piece_order)
            return self._buffers(random), ordering.after_draws(random, n_draws)
        random = ordering.shuffled(self._buffer, random)
        order = self._buffer if self._subset is None else self._subset[self._buffer]
        return [order], random

    def _buffers(self, random: int) -> Iterator[Order]:
        """Yield the order of an epoch, one buffer at a time."""
        random = ordering.shuffled(self._piece_order, random)
        room = np.empty_like(self._buffer)
        upcoming = self._gathered(0, room)
        for first in range(0, len(self._piece_order), self._pieces):
            order = self._buffer[: len(upcoming)]
            random = ordering.shuffled(order, random, upcoming)
            # Gathered before the buffer is learned, which can read its examples ahead.
            upcoming = self._gathered(first + self._pieces, room)
            self.upcoming = upcoming
            yield order

    def _gathered(self, first: int, room: Order) -> Order:
        """Write the examples of a buffer into ``room``, piece after piece; return those written."""
        pieces = self._piece_order[first : first + self._pieces]
        return room[: ordering.gather(pieces, self._piece, self._n, self._subset, room)]


def run(
    trainer: Trainer,
    *,
    max_iter: int,
    shuffle: bool,
    random: int,
    tol: float | None = None,
    validation: Validation | None = None,
    after_epoch: EpochCallback | None = None,
    patience: int = 5,
) -> FitResult:
    """Run epochs until there is a reason to stop; return the result of the fit.

    ``random`` is the state of the shuffling. The reasons, from the strongest:

    - "separated": an epoch without a mistake, after which all examples are right. If the epoch
      changed something all the same, ``patience`` more epochs are learned, since margins grow.
    - "cycle": the state is that of an earlier epoch, or an epoch with mistakes changed nothing.
    - "early_stopping": the held-out examples have not gained for as long as they wait.
    - "tolerance": no margin above ``tol`` times the longest example is possible. If the last
      weights predict, this ends no fit whose mistakes became fewer within ``patience`` epochs.
    - "no_gain": ``patience`` epochs made no fewer mistakes than one before, and the mistakes need
      not end: the trainer need not converge, or equal examples have different labels.
    - "interrupted": see `stopping_when`. The last epoch may then be incomplete.
    - "max_iter" otherwise.

    Held-out examples decide before ``tol`` does: with them, or if ``tol`` is None, neither
    "tolerance" nor "no_gain" ends a fit.
    """
    result = trainer.result
    result.random = random
    updates_before_fit = trainer.n_updates

    orders = None
    buffers: Iterable[Order | None] = [trainer.subset]
    cycle = None
    if shuffle:
        few = trainer.piece * (AT_ONCE // PIECE)
        orders = Shuffle(trainer.n_examples, trainer.subset, trainer.piece, BUFFER // PIECE, few)
    elif trainer.state():
        cycle = Cycle(trainer.state)

    for epoch in range(1, max_iter + 1):
        if orders is not None:
            buffers, result.random = orders.epoch(result.random)
        updates_before = trainer.n_updates
        mistakes = 0
        trainer.n_learned = 0
        for order in buffers:
            trainer.upcoming = None if orders is None else orders.upcoming
            mistakes += trainer.learn(order)
            if trainer.cut_short:
                break
            trainer.n_learned += trainer.n_examples if order is None else len(order)
        if not trainer.cut_short:
            trainer.end_epoch(epoch)

        has_changed = trainer.n_updates > updates_before
        result.mistakes_per_epoch.append(mistakes)
        result.margin_ceiling = min(result.margin_ceiling, trainer.margin_ceiling())
        score = None if validation is None else validation.after_epoch()
        if after_epoch is not None:
            after_epoch(epoch, mistakes, score)

        if trainer.cut_short:
            result.stop_reason = "interrupted"
            break

        without_gain = result.epochs_without_gain(tol or 0.0)
        has_waited = without_gain >= patience

        is_settled = not has_changed or has_waited or epoch == max_iter
        may_be_separated = mistakes == 0 and trainer.separates and is_settled
        if may_be_separated and trainer.is_right(changed=has_changed):
            result.stop_reason = "separated"
            if validation is not None:
                validation.prefer_last()
            break

        if mistakes and not has_changed:
            result.stop_reason = "cycle"
            result.cycle_length = 1
            break
        if cycle is not None and cycle.closes(epoch):
            result.stop_reason = "cycle"
            result.cycle_length = cycle.length
            break

        if validation is not None and validation.patience_ended:
            result.stop_reason = "early_stopping"
            break

        if tol is not None and (validation is None or not validation.held_out):
            is_proven = trainer.separates and result.margin_ceiling <= tol * trainer.longest
            if mistakes and is_proven and (has_waited or not trainer.last_predicts):
                result.stop_reason = "tolerance"
                break
            # A pocket, which is a validation without held-out examples, may still gain.
            gives_up = validation is None and has_waited
            if gives_up and (not trainer.converges or trainer.contradicted):
                result.stop_reason = "no_gain"
                break

        if epoch < max_iter and stop_asked():
            result.stop_reason = "interrupted"
            break

    result.n_updates = trainer.n_updates - updates_before_fit
    return result
