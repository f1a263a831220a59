"""Training on rows: what the rule of a linear learner does in an epoch, and in a single pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, Labels
from rosenblatt.engine.rows.engine import Engine, Tally, Watch
from rosenblatt.engine.rows.rows import score
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.engine.rows.weights import WeightArrays
from rosenblatt.errors import OverflowRefused
from rosenblatt.models import epochs
from rosenblatt.models.classes import are_mistakes, best_classes, row_blocks
from rosenblatt.models.recording import Entries, Note, log_for
from rosenblatt.models.result import FitResult, Pocket, new_sums, stop_asked
from rosenblatt.models.rows import Rows, contradictory, margins
from rosenblatt.models.weights import RATE, Scaling, Weights

Mask = npt.NDArray[np.bool_]
LOG_CAPACITY = 1 << 14
# So that a request to stop is heard soon in an epoch over many rows, or over large ones.
ROWS_AT_A_TIME = 1 << 18
PRODUCTS_AT_A_TIME = 1 << 28
# Evaluations of the pocket per epoch; of fewer rows one after each of them.
POCKET_LOOKS = 20
# Sums of squares below this may have lost digits to underflow.
SAFE_SQUARE = 1e-260


class RowPass:
    """Learn from the rows of one table by one engine, in place.

    The compiled loop ends when its log is full, at a row that it refuses and after a block of rows.
    This class hands the updates of the log to ``record``, raises the refusal, and ends early when
    somebody asks to stop. ``watch`` is given what is predicted for each row before it is learned.
    Errors count rows from ``first_row`` on.
    """

    def __init__(
        self,
        engine: Engine,
        rows: Rows,
        labels: Labels,
        *,
        row_weights: npt.NDArray[np.float64] | None = None,
        tally: Tally | None = None,
        record: Note | None = None,
        watch: Watch | None = None,
        first_row: int = 0,
    ) -> None:
        weights = engine.weights
        assert isinstance(weights, Weights)
        assert engine.rule is not None
        weights.arrange(by_feature=rows.is_sparse)
        self.tally = Tally() if tally is None else tally
        self._engine = engine
        self._rows = rows
        self._labels = labels
        self._row_weights = row_weights
        self._record = record
        self._watch = watch
        self._first_row = first_row
        # Room for at least one example: a soft step may write one entry a class.
        room = max(min(LOG_CAPACITY, rows.n_rows), 2 * weights.n_vectors)
        self._log = None if record is None else log_for(engine.rule, room)
        products = weights.n_vectors * (1 << 10 if rows.is_sparse else max(1, rows.n_features))
        self._block = min(ROWS_AT_A_TIME, max(1, PRODUCTS_AT_A_TIME // products))

    def learn(
        self,
        start: int,
        stop: int,
        *,
        order: epochs.Order | None = None,
        upcoming: epochs.Order | None = None,
    ) -> int:
        """Learn from places ``start`` to ``stop`` of an order, once each; return the place reached.

        It is before ``stop`` if somebody asked to stop. Rows that are upcoming are read from memory
        meanwhile.
        """
        while start < stop:
            start = self._engine.learn(
                self._rows,
                self._labels,
                start,
                min(stop, start + self._block),
                self.tally,
                order=order,
                row_weights=self._row_weights,
                log=self._log,
                watch=self._watch,
                upcoming=upcoming,
            )
            if self._log is not None and self._record is not None:
                entries = Entries.of(self._log)
                self._log.size = 0
                self._record(entries)
            if self.tally.refused >= 0:
                raise overflow_error(self._first_row + self.tally.refused, self._engine.weights)
            if stop_asked():
                break
        return start


class LinearTrainer(epochs.Trainer):
    """Learns from rows, in place; the result holds what the rows contributed."""

    def __init__(
        self,
        weights: Weights,
        rule: Rule,
        rows: Rows,
        labels: Labels,
        subset: npt.NDArray[np.int64] | None = None,
        row_weights: npt.NDArray[np.float64] | None = None,
        record: Note | None = None,
    ) -> None:
        super().__init__(rows.n_rows, subset)
        self.piece = max(1, epochs.PIECE * rows.n_rows // max(1, rows.n_values))
        self._weights = weights
        self._rule = rule
        self._rows = rows
        self._labels = labels
        self._row_weights = row_weights
        result = self.result
        result.mistakes_per_row = np.zeros(rows.n_rows, np.int32)
        binary = weights.n_vectors == 1
        if record is not None or rule.rates is not None:
            pass  # the updates say what each row did, or there is no dual form
        elif binary and rule.counts_tell_all and row_weights is None:
            result.signs, result.eta = 2 * labels.astype(np.int8) - 1, rule.eta
        elif binary:
            result.dual = np.zeros(rows.n_rows)
        else:
            result.pairs = new_sums(rule, rows.n_rows, weights.n_vectors)
        self._tally = Tally(result.mistakes_per_row, result.dual)
        self._pass = RowPass(
            Engine(weights, rule),
            rows,
            labels,
            row_weights=row_weights,
            tally=self._tally,
            record=record if result.pairs is None else result.pairs.add,
        )
        self._ceiling = MarginCeiling(weights, rows, self._tally)
        # The length of a step after so many epochs, if it changes.
        self.eta_after: Callable[[int], float] | None = None
        self.separates = not rule.blames_all_rivals
        # As a theorem promises, and a bound on the margin tells when it promises nothing.
        self.converges = self.separates and rule.rates is None and not rule.scales
        counted = np.ones(rows.n_rows) if row_weights is None else row_weights
        self._total_weight = float((counted if subset is None else counted[subset]).sum())
        # Whether the average is to leave out the first epochs, and where it may begin next.
        self.tail = False
        self._next_start: tuple[int, AnyFloatArray, AnyFloatArray, Scaling] | None = None
        self.pocket: Pocket | None = None
        self._updates_seen = 0  # by the last look into the pocket

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        mistakes_before = self._tally.mistakes
        n, place = self.n_examples if order is None else len(order), 0
        step = max(1, self.n_examples // (POCKET_LOOKS if self.pocket else 1))
        while place < n:
            left = step - (self.n_learned + place) % step
            stop = min(place + left, n)
            place = self._pass.learn(place, stop, order=order, upcoming=self.upcoming)
            if self.pocket and (self.n_learned + place) % step == 0:
                if self._tally.updates > self._updates_seen:
                    self.pocket.look()
                self._updates_seen = self._tally.updates
            if self.stops_at(place):
                break
        self.n_updates = self._tally.updates
        self.result.scale = self._weights.scale
        return self._tally.mistakes - mistakes_before

    def end_epoch(self, epoch: int) -> None:
        """The tail begins after the last epoch 1, 2, 4, 8 … that is at most half of all.

        The loss is that of each row before it was learned, so that it costs no other pass.
        """
        if self.eta_after is not None:
            self._rule.set_eta(self.eta_after(epoch))
        if self._rule.ends_by_loss:
            before = sum(self.result.losses)
            self.result.losses.append(self._tally.loss / (self._total_weight or 1.0) - before)
        if self.tail and epoch & (epoch - 1) == 0:
            if self._next_start is not None:
                self._weights.begin_average(*self._next_start)
            self._next_start = *self._weights.total(), Scaling(*self._weights.scaling)

    def is_right(self, *, changed: bool) -> bool:
        if not changed:
            return True
        right = self._where(partial(_right, self._rule))
        if self._row_weights is not None:
            right |= self._row_weights <= 0  # these rows are not learned from
        return bool((right if self.subset is None else right[self.subset]).all())

    def share_predicted(self) -> float:
        """How much of the rows, by their weights, is predicted right as things are."""
        ties = "mistake" if self._rule.tie_is_mistake else "positive"
        right = self._where(lambda scores, labels: best_classes(scores, ties) == labels)
        some = slice(None) if self.subset is None else self.subset
        weights = None if self._row_weights is None else self._row_weights[some]
        return float(np.average(right[some], weights=weights))

    def _where(self, holds: Callable[[AnyFloatArray, Labels], Mask]) -> Mask:
        """For which rows something holds of their scores and labels as things are."""
        weights, found = self._weights, np.empty(self._rows.n_rows, bool)
        for some in row_blocks(len(found), weights.n_vectors):
            # What is stored answers as the weights do, whose scale is above 0.
            scores = score(self._rows, weights.table, weights.stored_bias, some.start, some.stop)
            found[some] = holds(scores, self._labels[some])
        return found

    @cached_property
    def contradicted(self) -> bool:
        given = self._labels, self.subset, self._row_weights
        return self.table is not None and contradictory(self.table, *given)

    def margin_ceiling(self) -> float:
        return self._ceiling.bound()

    def step_sums(self) -> tuple[float, float]:
        return self._tally.step_sum, self._tally.raised_sum

    @property
    def longest(self) -> float:
        return self._ceiling.longest

    def state(self) -> Sequence[npt.NDArray[np.floating]]:
        weights = self._weights
        if weights.is_scaled:
            return ()  # the next step depends on how many there were, which never repeats
        found = [weights.stored_bias, weights.table]
        if weights.rates:
            rates = weights.planes[RATE]
            found += [rates[1], rates[0]]
        return found


class MarginCeiling:
    """No unit vector u has a margin above this on the rows: it follows from the run itself.

    If y(u·x) >= γ on every row, then ‖w - w0‖ >= u·(w - w0) >= γ Σ steps, hence
    γ <= ‖w - w0‖ / Σ steps. With a bias the rows are those with a 1 appended. With several
    classes u has a part for each, the margin is that of the right class over every other, and a
    step that raised the right class alone may have lowered u·w by its length times the longest
    row. What the rounding of the updates can have hidden is added. Weights with rates do not move
    by multiples of rows, and those that are scaled lose what they gained, so that their length
    proves nothing.
    """

    def __init__(self, weights: Weights, rows: Rows, tally: Tally) -> None:
        self._weights, self._tally = weights, tally
        started_at_zero = not (weights.t or weights.matrix.any() or weights.bias.any())
        self._origin = None if started_at_zero else weights.copy()
        self._rounding = float(np.finfo(weights.table.dtype).eps)
        # Each square of a sum may have lost so much to underflow; a bound has to allow for it.
        lost = float(np.finfo(rows.dtype).smallest_subnormal) * rows.n_features
        longest = rows.largest_squared_norm + weights.fit_intercept
        self._longest_row = math.sqrt(longest + lost)
        self._largest_norm = self._norm(None)
        # Of the difference that a row makes: with several classes it moves a pair of them.
        self.longest = math.sqrt(longest * (1.0 if weights.n_vectors == 1 else 2.0))

    def _norm(self, origin: Weights | None) -> float:
        start = () if origin is None else (origin.table, origin.bias)
        squared = self._weights.squared_distance(*start)
        if squared > SAFE_SQUARE:
            return math.sqrt(squared)
        moves = np.append(self._weights.matrix, self._weights.bias).astype(np.float64)
        moves -= 0.0 if origin is None else np.append(origin.matrix, origin.bias)
        largest = float(np.abs(moves).max())
        # Not np.linalg.norm, a product of BLAS, whose sums depend on the processor.
        return largest * math.sqrt(((moves / largest) ** 2).sum()) if largest else 0.0

    def bound(self) -> float:
        """What the weights at the end of an epoch prove."""
        tally = self._tally
        if tally.step_sum <= 0.0 or self._weights.rates or self._weights.is_scaled:
            return math.inf
        self._largest_norm = max(self._largest_norm, self._norm(None))
        hidden = 2.0 * tally.updates * self._rounding * self._largest_norm
        slack = tally.raised_sum * self._longest_row
        return (self._norm(self._origin) + slack + hidden) / tally.step_sum


def train(
    weights: Weights,
    rule: Rule,
    rows: Rows,
    labels: Labels,
    *,
    max_iter: int = 1000,
    tol: float | None = 1e-4,
    shuffle: bool = True,
) -> FitResult:
    """Train in place: epochs over ``rows`` until a reason to stop; labels are class numbers."""
    trainer = LinearTrainer(weights, rule, rows, labels)
    return epochs.run(trainer, max_iter=max_iter, tol=tol, shuffle=shuffle, random=0)


def overflow_error(row: int, weights: WeightArrays) -> OverflowRefused:
    """The error for a row whose update would overflow."""
    kind = "float32" if weights.is_float32 else "float64"
    return OverflowRefused(
        f"the update for row {row} would leave the range of {kind}; the model was not changed by "
        "it. Scale the features (sklearn.preprocessing.StandardScaler), or "
        "lower eta0 where the learner has it"
        + (", or pass float64." if weights.is_float32 else ".")
    )


def _right(rule: Rule, scores: AnyFloatArray, labels: Labels) -> Mask:
    """Which rows are right for training, for which a tie of several classes is a mistake."""
    ties = "mistake" if rule.tie_is_mistake else "positive"
    is_positive = labels == 1 if scores.ndim == 1 else False
    wrong: Mask = are_mistakes(margins(scores, labels), is_positive, ties)
    return ~wrong
