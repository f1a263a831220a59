"""The epochs of every fit: visit all examples in some order until there is a reason to stop."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.rows import ordering
from rosenblatt.models.result import EpochCallback, FitResult, Validation, stop_asked

Order = npt.NDArray[np.int64]
# Stored values, never bytes or the size of a cache: one order for float32, float64, any machine.
# A buffer and the next one are in the caches of most; examples of no more than AT_ONCE need none.
PIECE, BUFFER, AT_ONCE = 1 << 11, 1 << 18, 1 << 20


class Trainer(ABC):
    """How one family learns from its examples: all that the epochs ask of it.

    A family overrides `learn`, and of the rest what it can tell. ``subset`` are the numbers of the
    examples to learn from, in their order; None: all of them. ``piece`` is how many neighbours are
    worth reading together; where there are many pieces, `learn` is called for a buffer of examples
    at a time, ``n_learned`` were learned from in this epoch before, and ``upcoming`` are those of
    the next buffer, as they lie in memory. ``converges``: of
    separable examples there is a last mistake; where it is False, epochs without a gain end a fit.
    ``separates``: an epoch without a mistake, or a proof that there will be none, ends it.
    ``last_predicts``: what was learned last predicts, and not a mean or a vote, which are as good
    by the time of the proof as they get.
    """

    converges = separates = last_predicts = True

    def __init__(self, n_examples: int, subset: Order | None = None) -> None:
        self.n_all = n_examples
        self.n_examples = n_examples if subset is None else len(subset)
        self.subset = subset
        self.piece = 1
        self.n_learned = 0
        self.upcoming: Order | None = None
        self.n_updates = 0
        self.cut_short = False
        self.table: Any = None  # of rows, if these are learned from
        self.result = FitResult(n_rows=n_examples)

    @abstractmethod
    def learn(self, order: Order | None) -> int:
        """Learn once from each example in this order (None: as they stand); count the mistakes.

        Between two blocks of them, and at the end, it asks whether it `stops_at` this place.
        """

    def stops_at(self, place: int) -> bool:
        """Whether to leave out the rest of the epoch, since somebody asked to stop."""
        self.cut_short = self.n_learned + place < self.n_examples and stop_asked()
        return self.cut_short

    def end_epoch(self, epoch: int) -> None:  # noqa: B027  (most have nothing to do)
        """What is due after a whole epoch, before the model is scored on held-out examples."""

    def is_right(self, *, changed: bool) -> bool:
        """Whether all examples are right as things are, after an epoch without a mistake.

        That epoch may have ``changed`` something all the same: some rules also move on examples
        that are right.
        """
        return True

    @cached_property
    def contradicted(self) -> bool:
        """Whether equal examples have different labels, so that nothing separates them."""
        return False

    def margin_ceiling(self) -> float:
        """A bound, proven by the run, on the margin that any separator has."""
        return math.inf

    def step_sums(self) -> tuple[float, float]:
        """The sum of all steps, and of those that raised the right class alone."""
        return 0.0, 0.0

    @property
    def longest(self) -> float:
        """The length of the longest example, which margins are compared with."""
        return 0.0

    def state(self) -> Sequence[npt.NDArray[Any]]:
        """What decides how learning goes on, to be compared at the ends of epochs; () if nothing.

        When all of it was there before and the order is the same, the run goes round in a cycle.
        """
        return ()


class Cycle:
    """The first epoch after which all is as it was after an earlier one, or at the start.

    A state is kept as its numbers where they are few, else as a fingerprint of 128 bits; that two
    of 100,000 states have the same one though they differ has a chance of 1 in 10^28. After
    ``EVERY`` epochs only those whose number is a power of two are kept (Brent's method), which
    bounds the memory: any cycle is still met, if not at its first repeat.
    """

    FEW = 128  # bytes
    EVERY = 1 << 17

    def __init__(self, state: Callable[[], Sequence[npt.NDArray[Any]]]) -> None:
        self._state = state
        self._first_epoch = {self._key(): 0}
        self.length = 0

    def closed(self, epoch: int) -> bool:
        key = self._key()
        if key in self._first_epoch:
            self.length = epoch - self._first_epoch[key]
            return True
        if epoch <= self.EVERY or epoch & (epoch - 1) == 0:
            self._first_epoch[key] = epoch
        return False

    def _key(self) -> Hashable:
        """What equal states have in common, and no others; 0.0 and -0.0 are equal."""
        state = self._state()
        if sum(array.nbytes for array in state) <= self.FEW:
            return b"".join([(array + 0.0).tobytes() for array in state])
        key: tuple[int, ...] = ()
        for array in state:
            key = ordering.fingerprint(array, *key)
        return key


def one_pass(trainer: Trainer, order: Order | None) -> int:
    """Learn once from each example in this order, outside of a fit; count the mistakes."""
    return trainer.learn(order)


class Shuffle:
    """A new random order for every epoch; the state of 64 bits before the epoch alone decides it.

    Examples are cut into pieces of neighbours. The pieces are shuffled; some at a time, from as
    many places, fill a buffer, whose examples are shuffled in turn. So memory is read in runs of a
    few kilobytes, and no list of all examples is needed. ``few`` examples, or those that one buffer
    holds, or of which each is a piece, are shuffled at once. ``upcoming`` are the examples of the
    next buffer, if any.
    """

    def __init__(self, n: int, subset: Order | None, piece: int, pieces: int, few: int = 0) -> None:
        self._n, self._subset, self._piece, self._pieces = n, subset, piece, pieces
        self.upcoming: Order | None = None
        self._at_once = piece == 1 or n <= max(few, piece * pieces)
        self._buffer = np.empty(n if self._at_once else piece * pieces, np.int64)
        self._order = np.empty(0 if self._at_once else -(-n // piece), np.int64)

    def epoch(self, random: int) -> tuple[Iterable[Order], int]:
        """The order of an epoch, a buffer at a time, and the next state."""
        if not self._at_once:
            return self._buffers(random), ordering.after_draws(random, self._n + len(self._order))
        random = ordering.shuffled(self._buffer, random)
        order = self._buffer if self._subset is None else self._subset[self._buffer]
        return [order], random

    def _buffers(self, random: int) -> Iterator[Order]:
        random, room = ordering.shuffled(self._order, random), np.empty_like(self._buffer)
        upcoming = self._gathered(0, room)
        for first in range(0, len(self._order), self._pieces):
            order = self._buffer[: len(upcoming)]
            random = ordering.shuffled(order, random, upcoming)
            upcoming = self.upcoming = self._gathered(first + self._pieces, room)
            yield order

    def _gathered(self, first: int, room: Order) -> Order:
        """The examples of a buffer, in the room for them: its pieces one after the other."""
        pieces = self._order[first : first + self._pieces]
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
    """Epochs until there is a reason to stop; ``random`` is the state of the shuffling.

    The reasons, the strongest first: "separated" (an epoch without a mistake, after which all
    examples are right; if it changed something all the same, ``patience`` epochs more are learned,
    since margins grow), "cycle" (what was learned is that of an earlier epoch, or an epoch with
    mistakes changed nothing), "early_stopping", "tolerance" (no margin above ``tol`` times the
    longest example is possible), "no_gain" (``patience`` epochs made no fewer mistakes than one
    before, and the mistakes need not end: the trainer need not converge, or equal examples have
    different labels), "interrupted" (see `stopping_when`; the last epoch may then be a part of
    one); else "max_iter". Where the last weights predict, "tolerance" ends no fit whose mistakes
    became fewer within ``patience`` epochs. Held-out examples decide before ``tol`` does: neither
    "tolerance" nor "no_gain" end a fit with some, nor one whose ``tol`` is None.
    """
    result, n, updates_before_fit = trainer.result, trainer.n_examples, trainer.n_updates
    result.random = random
    buffers: Iterable[Order | None] = [trainer.subset]
    orders, piece = None, trainer.piece
    if shuffle:
        few = piece * (AT_ONCE // PIECE)
        orders = Shuffle(n, trainer.subset, piece, BUFFER // PIECE, few)
    cycle = None if shuffle or not trainer.state() else Cycle(trainer.state)
    for epoch in range(1, max_iter + 1):
        if orders is not None:
            buffers, result.random = orders.epoch(result.random)
        updates_before = trainer.n_updates
        mistakes = trainer.n_learned = 0
        for order in buffers:
            trainer.upcoming = None if orders is None else orders.upcoming
            mistakes += trainer.learn(order)
            if trainer.cut_short:
                break
            trainer.n_learned += n if order is None else len(order)
        if not trainer.cut_short:
            trainer.end_epoch(epoch)
        changed = trainer.n_updates > updates_before
        result.mistakes_per_epoch.append(mistakes)
        result.margin_ceiling = min(result.margin_ceiling, trainer.margin_ceiling())
        score = None if validation is None else validation.after_epoch()
        if after_epoch is not None:
            after_epoch(epoch, mistakes, score)
        if trainer.cut_short:
            result.stop_reason = "interrupted"
            break
        without_gain = result.epochs_without_gain(tol or 0.0)
        settled = not changed or without_gain >= patience or epoch == max_iter
        all_right = mistakes == 0 and trainer.separates and settled
        if all_right and trainer.is_right(changed=changed):
            result.stop_reason = "separated"
            if validation is not None:
                validation.prefer_last()
            break
        if mistakes and not changed:
            result.stop_reason, result.cycle_length = "cycle", 1
            break
        if cycle is not None and cycle.closed(epoch):
            result.stop_reason, result.cycle_length = "cycle", cycle.length
            break
        if validation is not None and validation.patience_ended:
            result.stop_reason = "early_stopping"
            break
        if tol is not None and (validation is None or not validation.held_out):
            proven = trainer.separates and result.margin_ceiling <= tol * trainer.longest
            if mistakes and proven and (without_gain >= patience or not trainer.last_predicts):
                result.stop_reason = "tolerance"
                break
            gives_up = validation is None and without_gain >= patience  # a pocket may still gain
            if gives_up and (not trainer.converges or trainer.contradicted):
                result.stop_reason = "no_gain"
                break
        if epoch < max_iter and stop_asked():
            result.stop_reason = "interrupted"
            break
    result.n_updates = trainer.n_updates - updates_before_fit
    return result
