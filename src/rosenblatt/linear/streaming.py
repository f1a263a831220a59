"""A linear model between two examples of a stream: its rule, and buffers that are used again."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning
from rosenblatt._kernels.rows.mappings import MappingRow, NotANumber
from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import FLOAT64_LIMIT, FOLD_BITS
from rosenblatt.arrays import SparseRows
from rosenblatt.core.classes import class_segments, declared_classes, number_of
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import largest_allowed
from rosenblatt.core.snapshots import (
    ShapeSnapshot,
    Snapshot,
    TouchedSnapshot,
    Unchanged,
    changes_few_weights,
)
from rosenblatt.core.training import one_pass, overflow_error
from rosenblatt.core.weights import Scaling
from rosenblatt.learner.inputs import Batch
from rosenblatt.learner.mapping_rows import not_a_number

LIMIT = FLOAT64_LIMIT


class Stream:
    """A model that learns as examples come, by a rule of these settings.

    `settings` are the values of the parameters that the rule was made by. `row` is what mappings
    are read into; None as long as there was none.
    """

    def __init__(self, model: LinearModel, rule: Rule, settings: Any) -> None:
        self.model = model
        self.rule = rule
        self.settings = settings
        self.row: MappingRow | None = None
        self.label = np.zeros(1, np.int32)
        self.tally = learning.Tally()

    def __reduce__(self) -> tuple[Any, ...]:
        return Stream, (self.model, self.rule, self.settings)

    # ------------------------------------------------------------------ rows of a table

    def learn_row(
        self, rows: Rows, slot: int, weight: npt.NDArray[np.float64] | None = None
    ) -> None:
        """Learn from a single row without detours; a refused one changes nothing."""
        model, tally = self.model, self.tally
        if model.weights.by_feature != rows.is_sparse:
            model.weights.arrange(by_feature=rows.is_sparse)
        if model.readouts is not None:
            model.readouts.match(model.weights)
        self.label[0] = slot
        learning.learn(
            model.weights,
            self.rule,
            rows,
            self.label,
            None,
            0,
            1,
            weight,
            tally,
            None,
            readouts=model.readouts,
        )
        if tally.refused >= 0:
            raise overflow_error(0, model.weights)
        model.n_mistakes += tally.mistakes
        tally.mistakes = 0

    def learn_batch(self, batch: Batch) -> None:
        """Learn from each row once, in their order; classes join where they first appear."""
        model = self.model
        rows = model.weights.agree(batch.table, batch.rows)
        record = model.recording(model.next_row, batch.table)
        for start, stop, labels in class_segments(
            model, batch.names, batch.numbers, batch.declared
        ):
            if labels is None:
                continue
            seen = model.t
            self._learn_rows(rows, labels, batch.weights, record, start, stop)
            if model.t < seen + stop - start:  # somebody asked to stop
                break

    def _learn_rows(
        self, rows: Rows, labels: Any, weights: Any, record: Any, start: int, stop: int
    ) -> None:
        tally = one_pass(
            self.model.weights,
            self.rule,
            rows,
            labels,
            start=start,
            stop=stop,
            row_weights=weights,
            record=record,
            readouts=self.model.readouts,
        )
        self.model.n_mistakes += tally.mistakes

    def snapshot(self, batch: Batch) -> Snapshot:
        """Return a way back to the model as it is now, at a cost that stays below the batch's."""
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
        """Whether no step can overflow, or it is refused before the first is made."""
        model, rows = self.model, batch.rows
        if rows.is_checked:
            return False
        heaviest = 1.0 if batch.weights is None else float(batch.weights.max(initial=0.0))
        longest = math.sqrt(rows.largest_squared_norm + 1.0)
        growth = rows.n_rows * self.rule.longest_step * heaviest * longest
        if self.rule.scales:  # what is stored moves by more, but a fold keeps the scale above this
            numbers = Scaling(*model.weights.scaling)
            growth *= 2.0**FOLD_BITS if math.isfinite(numbers.length2) else math.inf
        is_safe = model.weights.reach + growth < largest_allowed(model.weights.table.dtype)
        return is_safe or rows.n_rows == 1

    @staticmethod
    def _only_adds(model: LinearModel) -> bool:
        """Whether a class that joins leaves the vectors of the others as they are."""
        return len(model.classes) > 2

    # ------------------------------------------------------------------ mappings

    def begin_mappings(
        self,
        x: Any,
        y: Hashable,
        weight: npt.NDArray[np.float64] | None,
        columns: dict[Any, int],
        classes: Any = None,
    ) -> None:
        """Learn from the first mapping, which may bring names and the type float64 to a model.

        ``classes`` are those to know of beforehand, if any.
        """
        model, row = self.model, MappingRow(columns)
        read(row, x, unseen_allowed=True)
        before = model.snapshot()
        try:
            model.columns, self.row = row.columns, row
            model.weights.promote()
            model.admit_all(declared_classes(classes))
            self.learn_mapping(y, weight)
        except BaseException:
            before.restore()
            self.row = None
            raise

    def learn_mapping(self, y: Hashable, weight: npt.NDArray[np.float64] | None) -> None:
        """Learn from the mapping in ``row``; new classes and features leave again if refused."""
        row, model = self.row, self.model
        assert row is not None
        joins = number_of(y, model.slots) is None
        if not joins and not row.pending:
            self._learn_mapping(y, weight)
            return
        is_small = not joins or self._only_adds(model)
        before: Snapshot = ShapeSnapshot(model) if is_small else model.snapshot()
        try:
            if joins:
                model.admit(y)
            model.weights.grow(len(row.columns) + len(row.pending))
            row.commit()
            self._learn_mapping(y, weight)
        except BaseException:
            before.restore()
            self.row = None  # it reads by the columns of the model that was
            raise

    def _learn_mapping(self, y: Hashable, weight: npt.NDArray[np.float64] | None) -> None:
        assert self.row is not None
        model, rows = self.model, self.row.rows
        if len(model.classes) < 2:
            model.t += 1
            return
        slot = model.slots[y]
        if model.recorder is None:
            self.learn_row(rows, slot, weight)
        else:
            record = model.recording(model.next_row, as_table(self.row))
            labels = np.array([slot], np.int32)
            self._learn_rows(rows, labels, weight, record, 0, 1)


def read(row: MappingRow, x: Any, *, unseen_allowed: bool) -> None:
    """Read a mapping into a row, or say which of its values is not a number."""
    try:
        row.read(x, LIMIT, unseen_allowed)
    except NotANumber as error:
        raise not_a_number(*error.args) from None


def as_table(rows: Any) -> Any:
    """A table of the rows, also of the one that a mapping was read into."""
    if not isinstance(rows, MappingRow):
        return rows
    values, columns = rows.stored()
    starts = np.array([0, len(values)], np.int32)
    return SparseRows(values, columns, starts, len(rows.columns))
