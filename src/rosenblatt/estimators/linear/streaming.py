"""Online learning of a linear model: batches, single mappings, and test-then-train."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Labels, SparseRows
from rosenblatt.engine.rows.engine import Engine, Tally, Watch
from rosenblatt.engine.rows.mappings import MappingRow, NotANumber
from rosenblatt.engine.rows.rows import Rows
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT, FOLD_BITS
from rosenblatt.errors import OverflowRefused
from rosenblatt.estimators.inputs import Batch
from rosenblatt.estimators.mapping_rows import not_a_number
from rosenblatt.models.classes import (
    class_segments,
    declared_classes,
    number_of,
    predicted_labels,
)
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import RowPass
from rosenblatt.models.recording import Note
from rosenblatt.models.result import OnlineResult
from rosenblatt.models.rows import inspect, largest_allowed, row_arrays, rows_between
from rosenblatt.models.snapshots import (
    ShapeSnapshot,
    Snapshot,
    TouchedSnapshot,
    Unchanged,
    changes_few_weights,
)
from rosenblatt.models.weights import Scaling

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, Table

LIMIT = FLOAT64_LIMIT
RowWeights = npt.NDArray[np.float64] | None


class Stream:
    """Online training state of a linear model: its rule, and a buffer for mappings.

    `settings` are the values of the parameters that the rule was made by. `row` is the buffer that
    mappings are read into; None before the first mapping.
    """

    def __init__(self, model: LinearModel, rule: Rule, settings: object = None) -> None:
        self.model = model
        self.settings = settings
        self.row: MappingRow | None = None
        self._rule = rule
        self._engine = Engine(model.weights, rule, model.readouts)

    def __reduce__(self) -> tuple[object, ...]:
        return Stream, (self.model, self._rule, self.settings)

    @property
    def rule(self) -> Rule:
        return self._rule

    @rule.setter
    def rule(self, rule: Rule) -> None:
        self._rule = rule
        self._engine = Engine(self.model.weights, rule, self.model.readouts)

    @property
    def engine(self) -> Engine:
        """The engine for the current weights and read-outs of the model."""
        model = self.model
        is_current = (
            self._engine.weights is model.weights and self._engine.readouts is model.readouts
        )
        if not is_current:  # a snapshot was restored, or the read-outs are others
            self._engine = Engine(model.weights, self._rule, model.readouts)
        return self._engine

    def _learn_rows(
        self,
        rows: Rows,
        labels: Labels,
        start: int,
        stop: int,
        *,
        weights: RowWeights = None,
        record: Note | None = None,
        tally: Tally | None = None,
        watch: Watch | None = None,
        first_row: int = 0,
    ) -> int:
        """Learn from rows ``start`` to ``stop``, once each; return the index after the last one.

        Mistakes before a row that is rejected are counted; whether to undo them is up to the
        caller.
        """
        one_pass = RowPass(
            self.engine,
            rows,
            labels,
            row_weights=weights,
            tally=tally,
            record=record,
            watch=watch,
            first_row=first_row,
        )
        mistakes_before = one_pass.tally.mistakes
        refusal = None
        try:
            reached = one_pass.learn(start, stop)
        except OverflowRefused as error:
            refusal = error
        self.model.n_mistakes += one_pass.tally.mistakes - mistakes_before
        if refusal is not None:
            raise refusal
        return reached

    # ------------------------------------------------------------------ batches

    def learn_batch(self, batch: Batch) -> None:
        """Learn from each row once, in order; new classes join where they first appear."""
        model = self.model
        rows = model.weights.agree(batch.table, batch.rows)
        record = model.recording(model.next_row, batch.table)
        segments = class_segments(model, batch.names, batch.numbers, batch.declared)
        for start, stop, labels in segments:
            if labels is None:
                continue
            reached = self._learn_rows(
                rows, labels, start, stop, weights=batch.weights, record=record
            )
            if reached < stop:  # somebody asked to stop
                break

    def predict_then_learn(
        self,
        X: Table,
        y: AnyArray,
        weights: RowWeights = None,
        *,
        predictions: bool = False,
        latest: bool = False,
        first_row: int = 0,
    ) -> OnlineResult:
        """Predict each row of a block and then learn from it, one after the other, in float64.

        Predictions come from the weights that the model serves, which is the average for an
        averaged model. A row is a mistake unless its class has the highest score by itself: a tie
        predicts nothing, unless the rule has it otherwise, and a class that was never seen cannot
        be predicted. Predictions, mistakes and model do not depend on how the rows are cut into
        blocks.

        With `latest` the mistakes of the latest weights count, also of an averaged model, as the
        learner itself counts them; that costs nothing beside learning. An error counts rows from
        `first_row` on.
        """
        model = self.model
        mistakes_before = model.n_mistakes
        if X.shape[1] > model.weights.n_features:
            model.weights.grow(X.shape[1])
        classes, numbers = np.unique(y, return_inverse=True)
        names: list[Hashable] = classes.tolist()

        # If a tie is a prediction, only the predictions show whether it was right.
        by_prediction = not (self._rule.tie_is_mistake or latest)
        block = _Block(X, weights, predictions or by_prediction, latest, first_row)

        is_new = self._predict_new_class(block, names, numbers, 0)
        for start, stop, labels in class_segments(model, names, numbers):
            # The first row of a class that joins was predicted before it did.
            if is_new and labels is not None:
                self._learn_block(block, start, start + 1, labels)
            self._predict_and_learn(block, start + is_new, stop, labels)
            is_new = self._predict_new_class(block, names, numbers, stop)

        if by_prediction:
            right = [names[k] for k in numbers.tolist()]
            pairs = zip(block.predictions, right, strict=True)
            block.wrong[:] = [found is None or found != label for found, label in pairs]
        mistakes = model.n_mistakes - mistakes_before
        told = block.predictions if predictions else []
        return OnlineResult(block.wrong, told, names, numbers, mistakes)

    def _predict_new_class(
        self, block: _Block, names: list[Hashable], numbers: AnyArray, row: int
    ) -> bool:
        """Return whether a row's class is new; if so, predict the row before the class joins."""
        if row == len(numbers) or names[numbers[row]] in self.model.slots:
            return False
        if block.predictions:
            self.model.weights.arrange(by_feature=block.rows.is_sparse)
            self._note_predictions(block, row, self.model.score(block.part(row, row + 1)))
        return True

    def _predict_and_learn(
        self, block: _Block, start: int, stop: int, labels: Labels | None
    ) -> None:
        """Predict and then learn the rows from ``start`` to ``stop``, whose classes are known."""
        if start == stop:
            return
        model = self.model
        if labels is None:
            # The only class there is was predicted, and there is nothing to learn.
            block.wrong[start:stop] = 0
            if block.predictions:
                block.predictions[start:stop] = model.classes * (stop - start)
            return

        if not self._needs_scores(block):
            # The mistakes that learning counts are those asked for.
            block.wrong[start:stop] = 0
            self._learn_block(block, start, stop, labels, tally=Tally(block.wrong))
            return

        scores = None
        if block.predictions:
            n, k = block.rows.n_rows, model.weights.n_vectors
            scores = np.empty(n if k == 1 else (n, k))
        watch = Watch(block.wrong, scores, latest=block.latest)
        self._learn_block(block, start, stop, labels, watch=watch)
        if scores is not None:
            self._note_predictions(block, start, scores[start:stop])

    def _needs_scores(self, block: _Block) -> bool:
        """Return whether rows have to be scored, because learning alone does not tell their errors.

        Rows of weight 0 are predicted like all others, but not learned from.
        """
        has_weight_zero = block.weights is not None and not block.weights.all()
        other_predicts = self.model.weights.averaged or self.model.readouts is not None
        is_judged_by_other = other_predicts and not block.latest
        return bool(block.predictions) or has_weight_zero or is_judged_by_other

    def _note_predictions(self, block: _Block, start: int, scores: npt.NDArray[np.float64]) -> None:
        """Store the predictions of the rows from `start` on in the block."""
        ties = "mistake" if self._rule.tie_is_mistake else "positive"
        labels = predicted_labels(self.model.classes, self.model.sorted_slots, scores, ties)
        block.predictions[start : start + len(labels)] = labels

    def _learn_block(
        self,
        block: _Block,
        start: int,
        stop: int,
        labels: Labels,
        *,
        tally: Tally | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Learn from all rows between ``start`` and ``stop``, whose classes are known."""
        model = self.model
        while start < stop:  # whoever asks to stop waits for the end of the block
            start = self._learn_rows(
                block.rows,
                labels,
                start,
                stop,
                weights=block.weights,
                record=model.recording(model.next_row - start),
                tally=tally,
                watch=watch,
                first_row=block.first_row,
            )

    # ------------------------------------------------------------------ refused batches

    def snapshot(self, batch: Batch) -> Snapshot:
        """Return a snapshot that restores the model, at a lower cost than learning the batch."""
        model, rows = self.model, batch.rows
        labels = (*batch.declared, *batch.names)
        joins = any(label not in model.slots for label in labels)
        changes_type = rows.dtype != model.weights.table.dtype
        if not joins and not changes_type:
            if self._cannot_fail(batch):
                return Unchanged()
            if rows.is_sparse and changes_few_weights(model, batch.table):
                return TouchedSnapshot(model, batch.table.indices)
        is_one_row = rows.n_rows == 1 and not changes_type and not batch.declared
        return ShapeSnapshot(model) if is_one_row and self._only_adds(model) else model.snapshot()

    def _cannot_fail(self, batch: Batch) -> bool:
        """Return whether learning from the batch cannot fail after it has changed the model."""
        model, rows = self.model, batch.rows
        if rows.is_checked:
            return False
        heaviest = 1.0 if batch.weights is None else float(batch.weights.max(initial=0.0))
        longest = math.sqrt(rows.largest_squared_norm + 1.0)
        growth = rows.n_rows * self._rule.longest_step * heaviest * longest
        if self._rule.scales:  # what is stored moves by more, but a fold keeps the scale above this
            numbers = Scaling(*model.weights.scaling)
            growth *= 2.0**FOLD_BITS if math.isfinite(numbers.length2) else math.inf
        is_safe = model.weights.reach + growth < largest_allowed(model.weights.table.dtype)
        return is_safe or rows.n_rows == 1

    @staticmethod
    def _only_adds(model: LinearModel) -> bool:
        """Return whether a new class leaves the weight vectors of the others unchanged."""
        return len(model.classes) > 2

    # ------------------------------------------------------------------ mappings

    def begin_mappings(
        self,
        x: Mapping[Any, Any],
        y: Hashable,
        weight: RowWeights,
        columns: dict[Hashable, int],
        classes: Any = None,
    ) -> None:
        """Learn from the first mapping, which names the features and makes the weights float64.

        ``classes`` are classes that are known beforehand, if any.
        """
        model = self.model
        row = MappingRow(columns)
        read(row, x, unseen_allowed=True)
        before = model.snapshot()
        try:
            model.columns = row.columns
            self.row = row
            model.weights.promote()
            model.admit_all(declared_classes(classes))
            self.learn_mapping(y, weight)
        except BaseException:
            before.restore()
            self.row = None
            raise

    def learn_mapping(self, y: Hashable, weight: RowWeights) -> None:
        """Learn from the mapping in ``row``; on an error remove new classes and features again."""
        row, model = self.row, self.model
        assert row is not None
        joins = number_of(y, model.slots) is None
        if not joins and not row.pending:
            self._learn_mapping(row, y, weight)
            return

        is_small = not joins or self._only_adds(model)
        before: Snapshot = ShapeSnapshot(model) if is_small else model.snapshot()
        try:
            if joins:
                model.admit(y)
            model.weights.grow(len(row.columns) + len(row.pending))
            row.commit()
            self._learn_mapping(row, y, weight)
        except BaseException:
            before.restore()
            self.row = None  # it reads by the columns of the model that was
            raise

    def _learn_mapping(self, row: MappingRow, y: Hashable, weight: RowWeights) -> None:
        model = self.model
        if len(model.classes) < 2:
            model.t += 1
            return
        record = None
        if model.recorder is not None:
            record = model.recording(model.next_row, as_table(row))
        labels = np.array([model.slots[y]], np.int32)
        self._learn_rows(row.rows, labels, 0, 1, weights=weight, record=record)


class _Block:
    """Block of rows, with the error of each row and, if requested, the predictions."""

    def __init__(
        self, X: Table, weights: RowWeights, predictions: bool, latest: bool, first_row: int
    ) -> None:
        self.weights = weights
        self.latest = latest
        self.first_row = first_row
        self.arrays = row_arrays(X, np.float64)
        self.n_features = X.shape[1]
        self.rows: Rows = self.part(0, X.shape[0])
        inspect(self.rows)
        self.wrong = np.ones(self.rows.n_rows, np.int32)
        self.predictions: list[Hashable] = [None] * self.rows.n_rows if predictions else []

    def part(self, start: int, stop: int) -> Rows:
        """Return the rows from ``start`` to ``stop`` without copying them."""
        return rows_between(self.arrays, self.n_features, start, stop)


def read(row: MappingRow, x: Mapping[Any, Any], *, unseen_allowed: bool) -> None:
    """Read a mapping into a row; raise an InputError that names a value that is not numeric."""
    try:
        row.read(x, LIMIT, unseen_allowed)
    except NotANumber as error:
        raise not_a_number(*error.args) from None


def as_table(rows: MappingRow | Table) -> Table:
    """Return rows as a table; a `MappingRow` becomes one sparse row."""
    if not isinstance(rows, MappingRow):
        return rows
    values, columns = rows.stored()
    starts = np.array([0, len(values)], np.int32)
    return SparseRows(values, columns, starts, len(rows.columns))
