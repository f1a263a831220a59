"""What is kept ready between two examples of a stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning
from rosenblatt._kernels.rows.mappings import MappingRow
from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import FLOAT64_LIMIT
from rosenblatt.arrays import SparseRows
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import largest_allowed
from rosenblatt.core.training import refusal
from rosenblatt.errors import InputError

__all__ = ["LIMIT", "Stream", "as_row", "as_table"]

LIMIT = FLOAT64_LIMIT
LARGE_TABLE = 1 << 22


class Stream:
    """A model, the rule it learns by, and buffers that are filled again and again."""

    def __init__(self, model: LinearModel, rule: Rule, settings: Any) -> None:
        self.model, self.rule, self.settings = model, rule, settings
        self.row: Any = None
        self.label = np.zeros(1, np.int32)
        self.tally = learning.Tally()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "rule": self.rule, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def slot(self, label: Hashable) -> int:
        """The number of a class, a new one if it was not seen before."""
        slot = self.model.slots.get(label)
        if slot is not None:
            return slot
        if label != label:
            raise InputError("the label is NaN. Drop the example or give it a label.")
        return self.model.admit(label)

    def learn_row(
        self, rows: Rows, slot: int, weight: npt.NDArray[np.float64] | None = None
    ) -> None:
        """Learn from a single row without detours; a refused one changes nothing."""
        model, tally = self.model, self.tally
        if model.weights.by_feature != rows.is_sparse:
            model.weights.arrange(by_feature=rows.is_sparse)
        self.label[0] = slot
        learning.learn(model.weights, self.rule, rows, self.label, None, 0, 1, weight, tally, None)
        if tally.refused >= 0:
            raise refusal(0, model.weights)
        model.n_mistakes += tally.mistakes
        tally.mistakes = 0

    def checkpoint(
        self,
        table: Any,
        rows: Rows,
        row_weights: npt.NDArray[np.float64] | None,
        *,
        reshapes: bool,
    ) -> Callable[[], None]:
        """A way back to the model as it is now, at a cost that stays below that of the batch.

        ``reshapes``: the batch brings classes or another type of number.
        """
        model = self.model
        most = 1.0 if row_weights is None else float(row_weights.max(initial=0.0))
        length = math.sqrt(rows.largest_squared_norm + 1.0)
        growth = rows.n_rows * self.rule.longest_step * most * length
        safe = model.weights.reach + growth < largest_allowed(model.weights.table.dtype)
        if not reshapes and (safe or rows.n_rows == 1):
            return lambda: None  # no step can overflow, or it is refused before it is made
        if not reshapes and rows.is_sparse and model.weights.table.size > LARGE_TABLE:
            return self._touched_only(table)
        kept = model.copy()

        def undo() -> None:
            model.__dict__.update(kept.__dict__)
            self.row = None  # it read by the columns of the model that was

        return undo

    def _touched_only(self, table: Any) -> Callable[[], None]:
        """Keep the weights of the features that occur in sparse rows, not the whole table."""
        model, weights = self.model, self.model.weights
        weights.arrange(by_feature=True)
        arrays = [weights.table] + ([weights.table_sum] if weights.averaged else [])
        arrays = [array.reshape(-1, weights.n_vectors) for array in arrays]
        columns = table.indices
        old = [array[columns] for array in arrays]
        small = (weights.bias.copy(), None if not weights.averaged else weights.bias_sum.copy())
        t, reach, n_mistakes = weights.t, weights.reach, model.n_mistakes
        recorder = None if model.recorder is None else model.recorder.copy()
        voters = None if model.voters is None else model.voters.copy()

        def undo() -> None:
            for array, values in zip(arrays, old, strict=True):
                array[columns] = values
            weights.bias[...] = small[0]
            if small[1] is not None:
                weights.bias_sum[...] = small[1]
            weights.t, weights.reach, model.n_mistakes = t, reach, n_mistakes
            model.recorder, model.voters = recorder, voters

        return undo


def as_row(x: Any) -> npt.NDArray[Any]:
    """One example given as an array, as a table of one row."""
    row = np.asarray(x)
    if row.ndim != 1:
        raise InputError(
            "one example is a mapping or a 1-D array. For tables and sparse rows use partial_fit "
            "or predict."
        )
    return row.reshape(1, -1)


def as_table(rows: Any) -> Any:
    """A table of the rows, also of the one that a mapping was read into."""
    if not isinstance(rows, MappingRow):
        return rows
    values, columns = rows.stored()
    starts = np.array([0, len(values)], np.int32)
    return SparseRows(values, columns, starts, len(rows.columns))
