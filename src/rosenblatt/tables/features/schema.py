"""What the columns of a table are, and how they become features: guessed once, then fixed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.engine.rows.records import MOST_COLUMNS, RecordPlan
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.tables.features import column_kinds as kinds
from rosenblatt.tables.features.column_kinds import Category, Column, Growth, Ignored, Number, Words
from rosenblatt.tables.features.guessing import TableGuess
from rosenblatt.tables.features.records import table_of_records
from rosenblatt.tables.features.sparse_encoding import joined, with_gaps
from rosenblatt.tables.readers.dialect import Dialect
from rosenblatt.tables.readers.sources import Given
from rosenblatt.tables.readers.table import Table
from rosenblatt.tables.readers.table_readers import read_table

# The weights that a reader of the model can look up by name.
MOST_NAMES = 20_000


class Schema:
    """The columns of a table as features of a model.

    Numbers are scaled by median and interquartile range and clipped at ±3, categories get one
    feature for each level, texts are hashed into n-grams, dates become days, weekdays, months and
    hours. An unknown value is a feature of its own; where training had none, it counts as the
    median or the most frequent level.

    Examples
    --------
    >>> import io
    >>> from rosenblatt import features
    >>> from rosenblatt.io import read_table
    >>> data = io.BytesIO(b"size,colour,y\\n1,red,no\\n3,blue,yes\\n")
    >>> table = read_table(data, target="y")
    >>> schema = features.Schema.guess(table)
    >>> for line in schema.describe():
    ...     print(line)
    size    number    median 2, scale 0.7413, clipped at ±3
    colour  category  2 levels: red, blue
    >>> schema.encode(table).tocsr().toarray()
    array([[-1.349,  1.   ,  0.   ],
           [ 1.349,  0.   ,  1.   ]])
    >>> schema.names(range(3))
    ['size', 'colour=red', 'colour=blue']
    """

    kind = "table"

    def __init__(
        self,
        columns: list[Column],
        target: str | None,
        missing: list[str],
        dialect: Dialect | None = None,
    ) -> None:
        self.columns, self.target, self.missing = columns, target, missing
        self.dialect = Dialect() if dialect is None else dialect
        self._used = [column for column in columns if not isinstance(column, Ignored)]
        if not self._used:
            raise InputError(
                "no column is left to learn from: "
                + "; ".join(f"{column.name} {column.describe()}" for column in columns)
                + ". Declare one as a number, category or text."
            )

    @property
    def _starts(self) -> list[int]:
        return list(accumulate((column.n_features for column in self._used), initial=0))

    def placed_columns(self) -> list[tuple[int, Column]]:
        """The columns that have features, each with the number of its first one."""
        return list(zip(self._starts, self._used, strict=False))

    @property
    def n_features(self) -> int:
        return int(sum(column.n_features for column in self._used))

    # ------------------------------------------------------------------ guessing

    @classmethod
    def guess(
        cls,
        table: Table,
        *,
        declared: Mapping[str, str] | None = None,
        missing: Iterable[str] | None = None,
        scale: str | None = "robust",
        text: Mapping[str, Any] | None = None,
    ) -> Schema:
        """Decide what the columns of a table are.

        Parameters
        ----------
        table : Table
            Rows to judge by; medians, quartiles, levels and vocabularies come from them.
        declared : dict of str to {"number", "category", "text", "date", "ignored"}, default=None
            Columns that are not to be guessed, as in `FeatureOptions`.
        missing : list of str, default=None
            The texts that stand for unknown numbers, if others than those of the table.
        scale : {"robust", "standard", "running"} or None, default="robust"
            "robust": (value - median) / (IQR/1.349), cut off at ±3, so that a few wild numbers do
            no harm; where the IQR is 0, by the standard deviation. The quartiles of more than a
            million numbers are those of a sample. "standard": by mean and standard deviation,
            nothing cut off. "running": by those of the rows that `learn` was given before, cut
            off at ±3. None: numbers as they are.
        text : dict, default=None
            Arguments of `TextFeatures` for text columns.
        """
        guess = TableGuess(declared, scale, text)
        guess.add(table)
        marks = list(table.missing if missing is None else missing)
        return cls(guess.columns(bool(marks)), table.target, marks, table.dialect)

    # ------------------------------------------------------------------ encoding

    def encode(self, table: Table, *, clip: bool = True) -> npt.NDArray[np.float64] | SparseRows:
        """The rows of a table as features: an array if all are numbers, else sparse rows.

        ``clip=False`` leaves wild numbers as large as they are.
        """
        return self._encoded(table, clip=clip)

    def learn(
        self, table: Table, *, in_place: bool = False
    ) -> npt.NDArray[np.float64] | SparseRows:
        """As `encode`; n-grams met for the first time get a name, and running means move on.

        ``in_place`` takes the memory of the numbers of the table, which it has no longer.
        """
        return self._encoded(table, learning=True, in_place=in_place)

    def clipped(self, table: Table) -> list[str]:
        """The columns of numbers in which some row lies beyond where they are cut off."""
        numbers = self._numbers
        sizes = np.abs(kinds.scaled(numbers, table, clip=False)).T
        pairs = zip(numbers, sizes, strict=True)
        return [column.name for column, size in pairs if (size > (column.clip or np.inf)).any()]

    def grow(self, table: Table, most_levels: int | None = None) -> Growth:
        """Give features to levels that were not met before, where those of their column end.

        Parameters
        ----------
        table : Table
            Rows to learn from.
        most_levels : int, default=None
            How many levels a column may have; rows with later ones are counted.

        Returns
        -------
        growth : Growth
            For ``insert_features`` of a learner.
        """
        growth, end, unknown = Growth([], {}), 0, self.unknown(table)
        for column in self._used:
            end += column.n_features
            if isinstance(column, Number) and column.name in table.strays:
                column.strays = True
            levels = list(unknown.get(column.name, ()))
            if isinstance(column, Category) and levels:
                room = None if most_levels is None else max(most_levels - len(column.levels), 0)
                column.admit(levels[:room])
                growth.places.extend([end] * len(levels[:room]))
                if room is not None and levels[room:]:
                    rows = sum(unknown[column.name][level] for level in levels[room:])
                    growth.dropped[column.name] = rows
        return growth

    def admit_strays(self, but: Iterable[str] = ()) -> None:
        """Let other files have texts among the numbers, as gaps, in all columns `but` some."""
        for column in self._numbers:
            column.strays = column.name not in but

    def encode_records(
        self, records: Sequence[Mapping[str, Any]], *, learning: bool = False
    ) -> npt.NDArray[np.float64] | SparseRows:
        """Mappings of the names of columns to values as features; while `learning`, as `learn`.

        Columns that this schema does not have are skipped, those that a record does not have are
        gaps.

        Examples
        --------
        >>> from rosenblatt.features import Schema
        >>> records = [{"size": 1, "colour": "red"}, {"size": 3, "colour": "blue"}]
        >>> schema = Schema.guess_records(records)
        >>> schema.encode_records([{"colour": "blue", "size": 2, "sold": True}]).toarray()
        array([[0., 0., 1.]])
        """
        return self._encoded(table_of_records(records, self.types), learning=learning)

    @classmethod
    def of_numbers(cls, names: Iterable[str]) -> Schema:
        """Columns of numbers as they are, such as those of a data frame."""
        return cls([Number(name) for name in names], None, [])

    @classmethod
    def guess_records(
        cls, records: Sequence[Mapping[str, Any]], *, scale: str | None = "robust"
    ) -> Schema:
        """As `guess`, of mappings of the names of columns to values."""
        return cls.guess(table_of_records(records), scale=scale)

    @property
    def is_running(self) -> bool:
        """Whether numbers are scaled by what was learned before."""
        return any(column.sums is not None for column in self._numbers)

    def twin(self) -> Schema:
        """The same, whose running means move on by themselves."""
        columns = [copy(c) if isinstance(c, Number) else c for c in self.columns]
        return Schema(columns, self.target, self.missing, self.dialect)

    def record_plan(self) -> RecordPlan | None:
        """Return how single records are read by the fast path; None if that takes more.

        It reads numbers and categories, and moves on by itself: `set_running` takes over how far.
        """
        if len(self._used) > MOST_COLUMNS:
            return None
        columns: list[tuple[str, tuple[Any, ...]]] = []
        for column in self._used:
            if type(column) is Number:
                numbers = column.center, column.scale, column.clip, column.gaps, column.sums
                columns.append((column.name, numbers))
            elif type(column) is Category:
                levels = column.number_of_text, len(column.levels), column.mode
                columns.append((column.name, levels))
            else:
                return None
        return RecordPlan(columns)

    def set_running(self, moments: list[tuple[float, float, list[float]] | None]) -> None:
        """Take over center, scale and sums from a plan; None where a column is not running."""
        for column, found in zip(self._used, moments, strict=True):
            if found is not None and isinstance(column, Number):
                column.center, column.scale, column.sums = found

    @property
    def _numbers(self) -> list[Number]:
        return [column for column in self._used if isinstance(column, Number)]

    def _encoded(
        self, table: Table, *, clip: bool = True, learning: bool = False, in_place: bool = False
    ) -> npt.NDArray[np.float64] | SparseRows:
        numbers = self._numbers
        dense = len(numbers) == len(self._used)
        if not (dense and table.number_names == [column.name for column in numbers]):
            self._require_columns(table)
        others = [None if isinstance(c, Number) else c.part(table, learning) for c in self._used]
        values = kinds.scaled(numbers, table, clip=clip, learning=learning, in_place=in_place)
        if not dense:
            return joined(values, others, self._starts[:-1], max(self.n_features, 1))
        if not any(column.gaps for column in numbers):
            return values
        return with_gaps(values, self._starts[:-1], self.n_features)

    def _require_columns(self, table: Table) -> None:
        lacking = [
            c.name for c in self._used if c.name not in table.places and c.name not in table.texts
        ]
        if lacking:
            raise InputError(
                f"{len(lacking)} column{'s are' if len(lacking) > 1 else ' is'} missing: "
                f"{', '.join(lacking[:6])}{' …' if len(lacking) > 6 else ''}."
            )
        for column in self._used:
            if _is_number(column) != (column.name in table.places):
                read, wanted = ("text", "number") if _is_number(column) else ("numbers", "text")
                raise InputError(
                    f"the column {column.name!r} was read as {read}, but it is a {column.kind} of "
                    f"this schema: read the file with types={{{column.name!r}: {wanted!r}}}."
                )

    def names(self, features: Iterable[int]) -> list[str]:
        """What the features are called."""
        starts = self._starts
        named = []
        for feature in features:
            place = bisect_right(starts, feature) - 1
            if not 0 <= place < len(self._used):
                raise ParameterError(f"there is no feature {feature} of {self.n_features:,}.")
            named.append(self._used[place].feature(feature - starts[place]))
        return named

    def unknown(self, table: Table) -> dict[str, dict[str, int]]:
        """By column the levels that training did not see, with how often they occur."""
        named = (column for column in self._used if not isinstance(column, Number))
        found = {column.name: column.unknown(table) for column in named}
        return {name: levels for name, levels in found.items() if levels}

    def new_gaps(self, table: Table) -> dict[str, int]:
        """By column how many gaps are filled, as training had none there."""
        return {column.name: n for column in self._used if (n := column.new_gaps(table))}

    @property
    def types(self) -> dict[str, str]:
        """By column whether it is a "number" or a "text"."""
        return {c.name: "number" if _is_number(c) else "text" for c in self._used}

    def reader_options(self) -> dict[str, Any]:
        """Arguments of `io.read_table` that read another file as this one was read."""
        return {
            "columns": [column.name for column in self._used],
            # What was a gap in training is one in other files: a text among the numbers.
            "types": self.types | {c.name: "number or gap" for c in self._numbers if c.strays},
            "missing": self.missing,
            "dialect": self.dialect,
        }

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Table:
        """Read another file as the one behind this schema was read.

        Parameters
        ----------
        path : path, "-", binary file, or list of these
            A table of any format, with these columns in any order.
        labelled : bool, default=False
            Whether to read the labels too; if not, they may be missing.
        **options
            Further arguments of `io.read_table`, such as ``header=False``.

        Returns
        -------
        table : Table
            For `encode`.
        """
        if labelled and self.target is None:
            raise ParameterError("this schema has no target, so it cannot read labels.")
        known = self.reader_options()
        # What is known and not used is not worth a notice.
        known["ignore"] = [c.name for c in self.columns if isinstance(c, Ignored)]
        if not labelled and self.target is not None:
            known["ignore"].append(self.target)
        return read_table(path, self.target if labelled else None, **{**known, **options})

    # ------------------------------------------------------------------ telling and keeping

    def describe(self) -> list[str]:
        """A line for each column."""
        widest = max(len(column.name) for column in self.columns)
        return [f"{c.name:{widest}}  {c.kind:8}  {c.describe()}" for c in self.columns]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        """The schema as plain data; of hashed texts names with the largest `weights` are kept."""
        starts = self._starts
        kept: list[Any] = []
        for place, column in enumerate(self._used):
            if weights is None or not isinstance(column, Words):
                kept.append(range(column.n_features))
                continue
            kept.append(columns_to_name(weights[:, starts[place] : starts[place + 1]]))
        by_name = dict(zip((column.name for column in self._used), kept, strict=True))
        return {
            "kind": "table",
            "target": self.target,
            "missing": self.missing,
            **({"dialect": written} if (written := self.dialect.to_json()) else {}),
            "columns": [kinds.as_json(c, by_name.get(c.name, ())) for c in self.columns],
        }

    def with_numbers(self, described: dict[str, Any]) -> dict[str, Any]:
        """What an earlier `to_json` gave, with the numbers as they are now."""
        pairs = zip(self.columns, described["columns"], strict=True)
        columns = [kinds.as_json(c, ()) if isinstance(c, Number) else was for c, was in pairs]
        return {**described, "columns": columns}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Schema:
        """A schema from plain data; KeyError, TypeError or ValueError if it is not one.

        `schema_from_json` makes one error of these, and reads schemas of any kind.
        """
        columns = [kinds.from_json(column) for column in fields["columns"]]
        dialect = Dialect.from_json(fields.get("dialect", {}))
        schema = cls(columns, fields["target"], list(fields["missing"]), dialect)
        if len({column.name for column in columns}) < len(columns):
            raise ValueError("a column stands there twice")
        if not (schema.target is None or type(schema.target) is str) or not all(
            type(mark) is str for mark in schema.missing
        ):
            raise ValueError("the target or the marks of missing values are no texts")
        return schema


def _is_number(column: Column) -> bool:
    """Whether a column is read as numbers."""
    return isinstance(column, Number) or getattr(column, "is_epoch", False)


def columns_to_name(weights: npt.NDArray[Any]) -> list[int]:
    """The hashed columns whose names are kept: those with the largest weights."""
    size = np.abs(weights).max(axis=0)
    largest = np.argsort(-size, kind="stable")[:MOST_NAMES]
    kept: list[int] = np.sort(largest[size[largest] > 0]).tolist()
    return kept
