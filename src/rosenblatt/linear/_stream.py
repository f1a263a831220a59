"""What is kept ready between two examples of a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rosenblatt._kernels import learning
from rosenblatt._kernels.mappings import MappingRow
from rosenblatt._kernels.rows import Rows
from rosenblatt._kernels.weights import FLOAT64_LIMIT
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rules import Rule
from rosenblatt.core.training import refusal
from rosenblatt.errors import InputError

__all__ = ["LIMIT", "Stream", "as_table", "not_a_number", "unchanged_on_error"]

LIMIT = FLOAT64_LIMIT
# A copy to go back to is kept while it is small beside the rows it protects against.
SMALL_TABLE = 1 << 16


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Attributes set on the way to an error are taken back."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


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
        if isinstance(label, float) and label != label:
            raise InputError("the label is NaN. Drop the example or give it a label.")
        return self.model.admit(label)

    def learn_row(self, rows: Rows, slot: int) -> None:
        """Learn from a single row without detours; a refused one changes nothing."""
        model, tally = self.model, self.tally
        if model.weights.by_feature != rows.is_sparse:
            model.weights.arrange(by_feature=rows.is_sparse)
        self.label[0] = slot
        learning.learn(model.weights, self.rule, rows, self.label, None, 0, 1, None, tally, None)
        if tally.refused >= 0:
            raise refusal(0, model.weights)
        model.n_mistakes += tally.mistakes
        tally.mistakes = 0

    def checkpoint(self, rows: Rows) -> Callable[[], None] | None:
        """A way back to the model as it is now, unless keeping one costs more than the batch."""
        model = self.model
        if model.weights.table.size > max(SMALL_TABLE, rows.n_rows * rows.n_features):
            return None
        kept = model.copy()
        return lambda: model.__dict__.update(kept.__dict__)


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
