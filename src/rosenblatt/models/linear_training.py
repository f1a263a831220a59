"""Training on rows: a linear learner's epochs, and passes over single batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

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
# Capacity of the update log, in updates.
LOG_CAPACITY = 1 << 14
# Rows learned, and products of weights and values, between two checks for a requested stop.
ROWS_AT_A_TIME = 1 << 18
PRODUCTS_AT_A_TIME = 1 << 28
# Evaluations of the pocket per epoch; one after each row if there are fewer rows.
POCKET_LOOKS = 20
# Sums of squares below this may have lost digits to underflow.
SAFE_SQUARE = 1e-260


class RowPass:
    """Pass of one engine over the rows of a table, which changes the weights in place.

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
        values_per_row = 1 << 10 if rows.is_sparse else max(1, rows.n_features)
        products_per_row = weights.n_vectors * values_per_row
        self._block = min(ROWS_AT_A_TIME, max(1, PRODUCTS_AT_A_TIME // products_per_row))

    def learn(
        self,
        start: int,
        stop: int,
        *,
        order: epochs.Order | None = None,
        upcoming: epochs.Order | None = None,
    ) -> int:
        """Learn once from positions ``start`` to ``stop - 1`` of an order; return where it ended.

        The end is before ``stop`` if somebody asked to stop. Rows that are upcoming are prefetched
        from memory meanwhile.
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
    """Trainer of a linear model, which changes the weights in place.

    Attributes
    ----------
    eta_after : callable or None
        The length of a step after a number of epochs, if it changes.
    tail : bool
        Whether the average is to leave out the first epochs.
    pocket : Pocket or None
        Keeps the weights with the fewest training errors.
    """

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
        # As many rows as have about PIECE stored values.
        self.piece = max(1, epochs.PIECE * rows.n_rows // max(1, rows.n_values))
        self._weights = weights
        self._rule = rule
        self._rows = rows
        self._labels = labels
        self._row_weights = row_weights
        result = self.result
        result.mistakes_per_row = np.zeros(rows.n_rows, np.int32)

        # How the dual form is found. A ledger has it already, and with rates there is none.
        is_binary = weights.n_vectors == 1
        has_dual_form = record is None and rule.rates is None
        if has_dual_form and is_binary and rule.counts_tell_all and row_weights is None:
            # Every step is eta long: a coefficient is eta times the mistakes of its row.
            result.signs = 2 * labels.astype(np.int8) - 1
            result.eta = rule.eta
        elif has_dual_form and is_binary:
            result.dual = np.zeros(rows.n_rows)
        elif has_dual_form:
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
        self.eta_after: Callable[[int], float] | None = None
        self.separates = not rule.blames_all_rivals
        # For these rules a theorem promises that separable rows have a last mistake, and the bound
        # on the margin shows when they are not separable.
        self.converges = self.separates and rule.rates is None and not rule.scales

        row_weight = np.ones(rows.n_rows) if row_weights is None else row_weights
        if subset is not None:
            row_weight = row_weight[subset]
        self._total_weight = float(row_weight.sum())

        self.tail = False
        # Where the average may begin next: examples seen, sums of weights and biases, scaling.
        self._next_start: tuple[int, AnyFloatArray, AnyFloatArray, Scaling] | None = None
        self.pocket: Pocket | None = None
        # Updates by the last look into the pocket.
        self._updates_seen = 0

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        """Learn once from each row in ``order`` (None: as stored); return the mistake count."""
        mistakes_before = self._tally.mistakes
        n = self.n_examples if order is None else len(order)
        # The pocket looks at equal distances in an epoch, whose buffers may end anywhere.
        step = self.n_examples
        if self.pocket is not None:
            step = self.n_examples // POCKET_LOOKS
        step = max(1, step)

        place = 0
        while place < n:
            left = step - (self.n_learned + place) % step
            stop = min(place + left, n)
            place = self._pass.learn(place, stop, order=order, upcoming=self.upcoming)
            if self.pocket is not None and (self.n_learned + place) % step == 0:
                if self._tally.updates > self._updates_seen:
                    self.pocket.look()
                self._updates_seen = self._tally.updates
            if self.stops_at(place):
                break
        self.n_updates = self._tally.updates
        self.result.scale = self._weights.scale
        return self._tally.mistakes - mistakes_before

    def end_epoch(self, epoch: int) -> None:
        """Set the next step length, record the mean loss, and start the tail average if it is due.

        The loss is that of each row before it was learned, so that it costs no other pass. The tail
        begins after the last epoch 1, 2, 4, 8 … that is at most half of all.
        """
        if self.eta_after is not None:
            self._rule.set_eta(self.eta_after(epoch))

        if self._rule.ends_by_loss:
            # The tally has the loss of all epochs.
            before = sum(self.result.losses)
            self.result.losses.append(self._tally.loss / (self._total_weight or 1.0) - before)

        is_power_of_two = epoch & (epoch - 1) == 0
        if self.tail and is_power_of_two:
            if self._next_start is not None:
                self._weights.begin_average(*self._next_start)
            self._next_start = *self._weights.total(), Scaling(*self._weights.scaling)

    @property
    def _ties(self) -> str:
        return "mistake" if self._rule.tie_is_mistake else "positive"

    def is_right(self, *, changed: bool) -> bool:
        """Return whether the current weights classify every row correctly.

        After an epoch that made no mistake and changed nothing, they do.
        """
        if not changed:
            return True
        right = self._where(self._are_right)
        if self._row_weights is not None:
            right |= self._row_weights <= 0  # these rows are not learned from
        if self.subset is not None:
            right = right[self.subset]
        return bool(right.all())

    def share_predicted(self) -> float:
        """Return the weighted training accuracy of the present weights."""
        ties = self._ties
        right = self._where(lambda scores, labels: best_classes(scores, ties) == labels)
        some = slice(None) if self.subset is None else self.subset
        weights = None if self._row_weights is None else self._row_weights[some]
        return float(np.average(right[some], weights=weights))

    def _are_right(self, scores: AnyFloatArray, labels: Labels) -> Mask:
        """Return which rows are right in training, where a tie of several classes is a mistake."""
        is_positive = labels == 1 if scores.ndim == 1 else False
        wrong: Mask = are_mistakes(margins(scores, labels), is_positive, self._ties)
        return ~wrong

    def _where(self, holds: Callable[[AnyFloatArray, Labels], Mask]) -> Mask:
        """Return which rows satisfy a condition on their present scores and labels."""
        weights = self._weights
        found = np.empty(self._rows.n_rows, bool)
        for some in row_blocks(len(found), weights.n_vectors):
            # The stored weights order the classes as the scaled ones do, whose scale is above 0.
            scores = score(self._rows, weights.table, weights.stored_bias, some.start, some.stop)
            found[some] = holds(scores, self._labels[some])
        return found

    @cached_property
    def contradicted(self) -> bool:
        """Return whether equal rows have different labels, so that nothing separates them."""
        if self.table is None:
            return False
        return contradictory(self.table, self._labels, self.subset, self._row_weights)

    def margin_ceiling(self) -> float:
        """Return an upper bound on the margin of any separator, proven by the run."""
        return self._ceiling.bound()

    def step_sums(self) -> tuple[float, float]:
        """Return the sum of all steps, and the sum of those that only raised the right class."""
        return self._tally.step_sum, self._tally.raised_sum

    @property
    def longest(self) -> float:
        """Return the length of the longest row, the scale of the margins."""
        return self._ceiling.longest

    def state(self) -> Sequence[npt.NDArray[np.floating]]:
        """Return the arrays that decide how learning continues; () if they cannot repeat."""
        weights = self._weights
        if weights.is_scaled:
            return ()  # the next step depends on how many there were, which never repeats
        found = [weights.stored_bias, weights.table]
        if weights.rates:
            rates = weights.planes[RATE]
            found += [rates[1], rates[0]]
        return found


class MarginCeiling:
    """Upper bound on the margin of any unit vector u on the rows, computed from the run.

    If y(u·x) >= γ on every row, then ‖w - w0‖ >= u·(w - w0) >= γ Σ steps, hence

        γ <= ‖w - w0‖ / Σ steps

    With a bias the rows are those with a 1 appended. With several classes u has a part for each,
    the margin is that of the right class over every other, and a step that only raised the right
    class may have lowered u·w by its length times the longest row. What the rounding of the updates
    can have hidden is added. Weights with rates do not move by multiples of rows, and scaled
    weights lose what they gained, so that their length proves nothing.
    """

    def __init__(self, weights: Weights, rows: Rows, tally: Tally) -> None:
        self._weights = weights
        self._tally = tally
        # Weights are zero if what is stored of them is.
        started_at_zero = not (weights.t or weights.table.any() or weights.stored_bias.any())
        self._origin = None if started_at_zero else weights.copy()
        self._rounding = float(np.finfo(weights.table.dtype).eps)
        # Each square of a sum may have lost so much to underflow; a bound has to allow for it.
        lost = float(np.finfo(rows.dtype).smallest_subnormal) * rows.n_features
        longest = rows.largest_squared_norm + weights.fit_intercept
        self._longest_row = math.sqrt(longest + lost)
        self._largest_norm = self._norm(None)
        # The length of the difference that a row makes: with several classes it moves two of them.
        self.longest = math.sqrt(longest * (1.0 if weights.n_vectors == 1 else 2.0))

    def _norm(self, origin: Weights | None) -> float:
        """Return ‖w - origin‖ of the stored weights, or ‖w‖ if ``origin`` is None."""
        if origin is None:
            squared = WeightArrays.squared_distance(self._weights)
        else:
            squared = WeightArrays.squared_distance(self._weights, origin.table, origin.bias)
        if squared > SAFE_SQUARE:
            return math.sqrt(squared)

        # In units of the largest number, so that no square underflows.
        moves = np.append(self._weights.matrix, self._weights.bias).astype(np.float64)
        if origin is not None:
            moves -= np.append(origin.matrix, origin.bias)
        largest = float(np.abs(moves).max())
        if not largest:
            return 0.0
        # Not np.linalg.norm, a product of BLAS, whose sums depend on the processor.
        return largest * math.sqrt(((moves / largest) ** 2).sum())

    def bound(self) -> float:
        """Return the bound proven at the end of an epoch; infinity if nothing is proven."""
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
    """Train weights in place, by epochs over ``rows``; ``labels`` are class indices."""
    trainer = LinearTrainer(weights, rule, rows, labels)
    return epochs.run(trainer, max_iter=max_iter, tol=tol, shuffle=shuffle, random=0)


def overflow_error(row: int, weights: WeightArrays) -> OverflowRefused:
    """Return the error for a row whose update would overflow."""
    kind = "float32" if weights.is_float32 else "float64"
    return OverflowRefused(
        f"the update for row {row} would leave the range of {kind}; the model was not changed by "
        "it. Scale the features (sklearn.preprocessing.StandardScaler), or "
        "lower eta0 where the learner has it"
        + (", or pass float64." if weights.is_float32 else ".")
    )
