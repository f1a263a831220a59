"""What rows hold that training never met, and that has no weight: counted, not lost silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.features.schemas import AnySchema
from rosenblatt.plurals import count

__all__ = ["UnseenValues"]

SHOWN = 5
# Beyond so many different levels only their number is kept.
MOST_LEVELS = 10_000


@dataclass
class UnseenValues:
    """Levels of categories and columns of sparse rows that a schema does not have, over blocks.

    Attributes
    ----------
    levels : dict of str to Counter
        By column of a table the levels that were met.
    rows : Counter
        By column how many rows had one.
    columns : Counter
        Numbers of columns of svmlight rows, as written in the file.

    Examples
    --------
    >>> from rosenblatt.features import Schema, UnseenValues
    >>> from rosenblatt.features.records import table_of_records
    >>> schema = Schema.guess_records([{"colour": "red"}, {"colour": "blue"}])
    >>> unseen = UnseenValues()
    >>> unseen.encode(schema, table_of_records([{"colour": "green"}])).toarray()
    array([[0., 0.]])
    >>> unseen.describe()
    ['colour: 1 row with levels never seen: green (1)']
    """

    levels: dict[str, Counter[str]] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)

    def encode(self, schema: AnySchema, block: Any) -> Any:
        """The features of a block; what has no weight is counted and left out."""
        for name, levels in schema.unknown(block).items():
            known = self.levels.setdefault(name, Counter())
            self.rows[name] += sum(levels.values())
            if len(known) < MOST_LEVELS:
                known.update(levels)
        if schema.kind == "svmlight" and block.rows.shape[1] > schema.n_features:
            beyond = block.rows.indices[block.rows.indices >= schema.n_features]
            self.columns.update(str(column + 1) for column in beyond.tolist())
            block.rows = block.rows.narrow(schema.n_features)
        return schema.encode(block)

    def describe(self) -> list[str]:
        """A line for each column, and one for the columns that are not there."""
        lines = [
            f"{name}: {count(self.rows[name], 'row')} with levels never seen: {_most(levels)}"
            for name, levels in self.levels.items()
        ]
        if self.columns:
            total = count(sum(self.columns.values()), "value")
            lines.append(f"{total} of columns never seen: {_most(self.columns)}")
        return lines


def _most(counts: Counter[str]) -> str:
    shown = [f"{text or '(empty)'} ({n:,})" for text, n in counts.most_common(SHOWN)]
    more = len(counts) - SHOWN
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
