"""What is kept ready between two examples of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt._kernels import learning
from rosenblatt._kernels.mappings import MappingRow
from rosenblatt._kernels.rows import Rows
from rosenblatt._kernels.weights import FLOAT64_LIMIT
from rosenblatt.core.ledger import Recorder
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rules import Rule
from rosenblatt.errors import InputError

__all__ = ["LIMIT", "Stream", "as_table", "not_a_number"]

LIMIT = FLOAT64_LIMIT
# A copy to go back to is kept while it is small beside the rows it protects against.
SMALL_TABLE = 1 << 16


class Stream:
    """What is kept ready between two examples."""

    def __init__(self, model: LinearModel, rule: Rule, settings: Any) -> None:
        self.model, self.rule, self.settings = model, rule, settings
        self.row: Any = None
        self.label = np.zeros(1, np.int32)
        self.tally = learning.Tally()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "rule": self.rule, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def checkpoint(self, rows: Rows) -> Callable[[], None] | None:
        """A way back to the model as it is now, unless keeping one costs more than the batch."""
        model = self.model
        if model.weights.table.size > max(SMALL_TABLE, rows.n_rows * rows.n_features):
            return None
        weights, classes, slots = model.weights.copy(), list(model.classes), dict(model.slots)
        n_mistakes, recorder = model.n_mistakes, model.recorder
        entries = None if recorder is None else recorder.entries

        def undo() -> None:
            model.weights, model.classes, model.slots = weights, classes, slots
            model.n_mistakes = n_mistakes
            if entries is not None:
                model.recorder = Recorder()
                model.recorder.add(entries)

        return undo


def as_table(rows: Any) -> Any:
    """A table of the rows, also of the one that a mapping was read into."""
    if not isinstance(rows, MappingRow):
        return rows
    from scipy.sparse import csr_array

    values, columns = rows.stored()
    return csr_array((values, columns, [0, len(values)]), shape=(1, len(rows.columns)))


def not_a_number(feature: Any, value: Any) -> InputError:
    if isinstance(value, str):
        return InputError(
            f"feature {feature!r} is {value!r}, which is not a number. Give text features as "
            f"{{{f'{feature}={value}'!r}: 1}}."
        )
    return InputError(
        f"feature {feature!r} is {value!r}; only finite numbers up to {LIMIT:g} can be learned "
        "from. Leave the feature out of the mapping if its value is unknown."
    )
