"""The schema of a table: the kinds of its columns, and their encoding as features."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, SparseRows
from rosenblatt.engine.rows.records import MOST_COLUMNS, RecordPlan
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.models.parallel import slices
from rosenblatt.plurals import count
from rosenblatt.tables.features.column_kinds import (
    Category,
    Column,
    Growth,
    Ignored,
    Number,
    Part,
    Words,
)
from rosenblatt.tables.features.dates import Date
from rosenblatt.tables.features.guessing import TableGuess
from rosenblatt.tables.features.number_scaling import running_moments
from rosenblatt.tables.features.records import table_of_records
from rosenblatt.tables.readers.dialect import Dialect
from rosenblatt.tables.readers.sources import Given
from rosenblatt.tables.readers.table import Table, read_table

# Most hashed columns whose names are stored in a file: those with the largest weights.
MAX_NAMES = 20_000
# Numbers scaled at once, so that no second matrix is needed.
NUMBERS_AT_ONCE = 1 << 18
# Number of missing columns named in an error.
SHOWN = 6
COLUMN_KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Number, Category, Words, Date, Ignored)
}


class Schema:
    """Encoding of the columns of a table as features of a model.

    Numbers are scaled by median and interquartile range and clipped at ±3, categories get one
    feature for each level, texts are hashed into n-grams, dates become days, weekdays, months and
    hours. A missing value is a feature of its own; where training had none, it counts as the
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
        self.columns = columns
        self.target = target
        self.missing = missing
        self.dialect = Dialect() if dialect is None else dialect
        self._used = [column for column in columns if not isinstance(column, Ignored)]
        if not self._used:
            reasons = "; ".join(f"{column.name} {column.describe()}" for column in columns)
            raise InputError(
                f"no column is left to learn from: {reasons}. Declare one as a number, category "
                "or text."
            )

    @property
    def _starts(self) -> list[int]:
        """Return the index of the first feature of each used column, and the number of features."""
        return list(accumulate((column.n_features for column in self._used), initial=0))

    @property
    def _numbers(self) -> list[Number]:
        return [column for column in self._used if isinstance(column, Number)]

    def placed_columns(self) -> list[tuple[int, Column]]:
        """Return the columns that are used, each with the index of its first feature."""
        return list(zip(self._starts[:-1], self._used, strict=True))

    @property
    def n_features(self) -> int:
        return int(sum(column.n_features for column in self._used))

    def hashed_features(self) -> list[range]:
        """Return the ranges of features that are hashed n-grams."""
        return [
            range(start, start + column.n_features)
            for start, column in self.placed_columns()
            if column.is_hashed
        ]

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
        """Guess the kinds of the columns of a table.

        Parameters
        ----------
        table : Table
            Rows to judge by; medians, quartiles, levels and vocabularies come from them.
        declared : dict of str to {"number", "category", "text", "date", "ignored"}, default=None
            Columns that are not to be guessed, as in `FeatureOptions`.
        missing : list of str, default=None
            The texts that stand for unknown numbers; by default those of the table.
        scale : {"robust", "standard", "running"} or None, default="robust"
            "robust": (value - median) / (IQR/1.349), clipped at ±3, so that a few outliers do
            no harm; if the IQR is 0, the standard deviation divides instead. The quartiles of more
            than a million numbers are those of a sample. "standard": (value - mean) / standard
            deviation, not clipped. "running": mean and standard deviation of the rows that `learn`
            was given before, clipped at ±3. None: numbers are not scaled.
        text : dict, default=None
            Arguments of `TextFeatures` for text columns.
        """
        guess = TableGuess(declared, scale, text)
        guess.add(table)
        marks = list(table.missing if missing is None else missing)
        return cls(guess.columns(bool(marks)), table.target, marks, table.dialect)

    @classmethod
    def guess_records(
        cls, records: Sequence[Mapping[str, Any]], *, scale: str | None = "robust"
    ) -> Schema:
        """Guess the schema of records, which are dicts from column names to values."""
        return cls.guess(table_of_records(records), scale=scale)

    @classmethod
    def of_numbers(cls, names: Iterable[str]) -> Schema:
        """Make a schema of unscaled numeric columns, such as those of a data frame."""
        return cls([Number(name) for name in names], None, [])

    # ------------------------------------------------------------------ encoding

    def encode(self, table: Table, *, clip: bool = True) -> FloatArray | SparseRows:
        """Encode a table as a feature matrix: an array if all columns are numbers, else sparse.

        ``clip=False`` does not clip outliers.
        """
        return self._encode(table, clip=clip)

    def learn(self, table: Table, *, in_place: bool = False) -> FloatArray | SparseRows:
        """Encode training rows, store the names of new n-grams, and update running means.

        ``in_place`` overwrites the numbers of the table, which must not be used afterwards.
        """
        return self._encode(table, learning=True, in_place=in_place)

    def encode_records(
        self, records: Sequence[Mapping[str, Any]], *, learning: bool = False
    ) -> FloatArray | SparseRows:
        """Encode records as a feature matrix; ``learning=True`` updates the schema as `learn` does.

        Names that are no column of this schema are skipped; an absent column is a missing value.

        Examples
        --------
        >>> from rosenblatt.features import Schema
        >>> records = [{"size": 1, "colour": "red"}, {"size": 3, "colour": "blue"}]
        >>> schema = Schema.guess_records(records)
        >>> schema.encode_records([{"colour": "blue", "size": 2, "sold": True}]).toarray()
        array([[0., 0., 1.]])
        """
        return self._encode(table_of_records(records, self.types), learning=learning)

    def _encode(
        self, table: Table, *, clip: bool = True, learning: bool = False, in_place: bool = False
    ) -> FloatArray | SparseRows:
        numbers = self._numbers
        all_numbers = len(numbers) == len(self._used)
        # Tables of numbers with just these columns, the common case, need no check.
        if not (all_numbers and table.number_names == [column.name for column in numbers]):
            self._require_columns(table)

        parts: list[Part | None] = []
        for column in self._used:
            parts.append(None if isinstance(column, Number) else column.part(table, learning))
        values = scale_numbers(numbers, table, clip=clip, learning=learning, in_place=in_place)

        if not all_numbers:
            return join_columns(values, parts, self._starts[:-1], max(self.n_features, 1))
        if any(column.gaps for column in numbers):
            return numbers_with_gaps(values, self._starts[:-1], self.n_features)
        return values

    def _require_columns(self, table: Table) -> None:
        """Raise InputError if a table lacks a column, or has it as another type."""
        known = table.places.keys() | table.texts.keys()
        missing = [column.name for column in self._used if column.name not in known]
        if missing:
            more = " …" if len(missing) > SHOWN else ""
            raise InputError(
                f"{count(len(missing), 'column is', 'columns are')} missing: "
                f"{', '.join(missing[:SHOWN])}{more}."
            )
        for column in self._used:
            wants_numbers = column.is_read_as_numbers
            if wants_numbers == (column.name in table.places):
                continue
            found = "text" if wants_numbers else "numbers"
            wanted = "number" if wants_numbers else "text"
            raise InputError(
                f"the column {column.name!r} was read as {found}, but it is a {column.kind} of "
                f"this schema: read the file with types={{{column.name!r}: {wanted!r}}}."
            )

    def clipped(self, table: Table) -> list[str]:
        """Return the names of the columns with a number beyond their clipping limit."""
        numbers = self._numbers
        sizes = np.abs(scale_numbers(numbers, table, clip=False))
        names = []
        for place, column in enumerate(numbers):
            if column.clip is not None and (sizes[:, place] > column.clip).any():
                names.append(column.name)
        return names

    def unknown(self, table: Table) -> dict[str, dict[str, int]]:
        """Return the levels not seen in training, with their counts, by column."""
        found = {}
        for column in self._used:
            # Any number is known.
            levels = {} if isinstance(column, Number) else column.unknown(table)
            if levels:
                found[column.name] = levels
        return found

    def new_gaps(self, table: Table) -> dict[str, int]:
        """Return the number of missing values by column, for columns without any in training."""
        counts = {column.name: column.new_gaps(table) for column in self._used}
        return {name: n for name, n in counts.items() if n}

    # ------------------------------------------------------------------ growing in a stream

    def grow(self, table: Table, most_levels: int | None = None) -> Growth:
        """Add a feature for each unseen level, after the other levels of its column.

        Parameters
        ----------
        table : Table
            Rows to learn from.
        most_levels : int, default=None
            How many levels a column may have; rows with further levels are counted.

        Returns
        -------
        growth : Growth
            For ``insert_features`` of a learner.
        """
        growth = Growth([], {})
        unknown = self.unknown(table)
        end = 0
        for column in self._used:
            # Where the features of this column end, before the table added any.
            end += column.n_features
            if isinstance(column, Number) and column.name in table.strays:
                column.strays = True
            levels = list(unknown.get(column.name, ()))
            if not isinstance(column, Category) or not levels:
                continue

            room = len(levels)
            if most_levels is not None:
                room = max(most_levels - len(column.levels), 0)
            admitted = levels[:room]
            dropped = levels[room:]
            column.admit(admitted)
            growth.places.extend([end] * len(admitted))
            if dropped:
                counts = unknown[column.name]
                growth.dropped[column.name] = sum(counts[level] for level in dropped)
        return growth

    def admit_strays(self, but: Iterable[str] = ()) -> None:
        """Read texts in numeric columns of other files as missing values, except in ``but``."""
        for column in self._numbers:
            column.strays = column.name not in but

    @property
    def is_running(self) -> bool:
        """Return whether any numbers are scaled by running means."""
        return any(column.sums is not None for column in self._numbers)

    def twin(self) -> Schema:
        """Return a copy with its own running means; levels and n-grams are shared."""
        columns = [copy(c) if isinstance(c, Number) else c for c in self.columns]
        return Schema(columns, self.target, self.missing, self.dialect)

    def record_plan(self) -> RecordPlan | None:
        """Return the plan by which the fast path encodes single records; None if unsupported.

        Numbers and categories are supported. The fast path updates running means itself;
        `set_running` copies them to the schema.
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
        """Set center, scale and sums of columns from a plan; None leaves a column unchanged."""
        for column, found in zip(self._used, moments, strict=True):
            if found is not None and isinstance(column, Number):
                column.center, column.scale, column.sums = found

    # ------------------------------------------------------------------ names, and other files

    def names(self, features: Iterable[int]) -> list[str]:
        """Return the names of features."""
        starts = self._starts
        found = []
        for feature in features:
            place = bisect_right(starts, feature) - 1
            if not 0 <= place < len(self._used):
                raise ParameterError(f"there is no feature {feature} of {self.n_features:,}.")
            found.append(self._used[place].feature(feature - starts[place]))
        return found

    @property
    def types(self) -> dict[str, str]:
        """Return the type that each column is read as, by name: "number" or "text"."""
        return {c.name: "number" if c.is_read_as_numbers else "text" for c in self._used}

    def reader_options(self) -> dict[str, Any]:
        """Return arguments for `io.read_table` that read another file like the training file."""
        types = self.types
        for column in self._numbers:
            # Texts among the numbers were missing values in training, so they are in other files.
            if column.strays:
                types[column.name] = "number or gap"
        return {
            "columns": [column.name for column in self._used],
            "types": types,
            "missing": self.missing,
            "dialect": self.dialect,
        }

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Table:
        """Read another file with the same options as the training file.

        Parameters
        ----------
        path : path, "-", binary file, or list of these
            A table of any format, with these columns in any order.
        labelled : bool, default=False
            Whether to read the labels as well; if not, they may be missing.
        **options
            Further arguments of `io.read_table`, such as ``header=False``.

        Returns
        -------
        table : Table
            For `encode`.
        """
        if labelled and self.target is None:
            raise ParameterError("this schema has no target, so it cannot read labels.")
        # Columns that the schema knows and does not use are not worth a notice.
        ignored = [column.name for column in self.columns if isinstance(column, Ignored)]
        if not labelled and self.target is not None:
            ignored.append(self.target)
        target = self.target if labelled else None
        return read_table(path, target, **{**self.reader_options(), "ignore": ignored, **options})

    # ------------------------------------------------------------------ describing and keeping

    def describe(self) -> list[str]:
        """Describe each column in one line."""
        widest = max(len(column.name) for column in self.columns)
        return [f"{c.name:{widest}}  {c.kind:8}  {c.describe()}" for c in self.columns]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        """Return the schema as JSON data; hashes with the largest `weights` keep their names."""
        kept: dict[str, Iterable[int]] = {}
        for start, column in self.placed_columns():
            kept[column.name] = range(column.n_features)
            if weights is not None and isinstance(column, Words):
                own_weights = weights[:, start : start + column.n_features]
                kept[column.name] = columns_to_name(own_weights)

        fields: dict[str, Any] = {"kind": "table", "target": self.target, "missing": self.missing}
        dialect = self.dialect.to_json()
        if dialect:
            fields["dialect"] = dialect
        fields["columns"] = [column.to_json(kept.get(column.name, ())) for column in self.columns]
        return fields

    def with_numbers(self, described: dict[str, Any]) -> dict[str, Any]:
        """Return the result of an earlier `to_json` with its numeric columns up to date."""
        columns = []
        for column, earlier in zip(self.columns, described["columns"], strict=True):
            columns.append(column.to_json(()) if isinstance(column, Number) else earlier)
        return {**described, "columns": columns}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Schema:
        """Make the schema from JSON data; raise KeyError, TypeError or ValueError if invalid.

        `schema_from_json` turns these into one error, and reads schemas of any kind.
        """
        columns = [_column_from_json(column) for column in fields["columns"]]
        dialect = Dialect.from_json(fields.get("dialect", {}))
        schema = cls(columns, fields["target"], list(fields["missing"]), dialect)

        if len({column.name for column in columns}) < len(columns):
            raise ValueError("a column stands there twice")
        marks_are_texts = all(type(mark) is str for mark in schema.missing)
        if not marks_are_texts or type(schema.target) not in (str, type(None)):
            raise ValueError("the target or the marks of missing values are no texts")
        return schema


def _column_from_json(fields: dict[str, Any]) -> Column:
    """Make a column from JSON data; raise KeyError, TypeError or ValueError if it is invalid."""
    facts = {key: value for key, value in fields.items() if key != "kind"}
    name = facts["name"]
    if type(name) is not str:
        raise ValueError("a column has no name")
    kind = COLUMN_KINDS.get(fields["kind"])
    if kind is None:
        raise ValueError(f"the column {name!r} is of no known kind")
    return kind.from_json(facts)


def columns_to_name(weights: npt.NDArray[Any]) -> list[int]:
    """Return the hashed columns whose names are stored: those with the largest weights."""
    size = np.abs(weights).max(axis=0)
    largest = np.argsort(-size, kind="stable")[:MAX_NAMES]
    kept: list[int] = np.sort(largest[size[largest] > 0]).tolist()
    return kept


# ---------------------------------------------------------------------- scaling numbers


def scale_numbers(
    columns: Sequence[Number],
    table: Table,
    *,
    clip: bool = True,
    learning: bool = False,
    in_place: bool = False,
) -> FloatArray:
    """Return the numbers of each row, scaled: (value - center) / scale, clipped.

    With ``learning``, the numbers of a stream are scaled by the rows before them. ``in_place``
    overwrites the numbers of the table, which must not be used afterwards.
    """
    found = table.numbers
    names = [column.name for column in columns]
    places: slice | list[int] = slice(None)
    if table.number_names != names:
        places = [table.places[name] for name in names]

    center = np.array([column.center for column in columns])
    scale = np.array([column.scale for column in columns])
    streamed = [place for place, column in enumerate(columns) if column.sums is not None]
    if learning and streamed:
        center, scale = _running_scales(columns, streamed, found[:, places], center, scale)
    is_by_row = center.ndim == 2

    limit = np.array([np.inf if column.clip is None else column.clip for column in columns])
    is_clipped = clip and bool((limit < np.inf).any())
    # If training had no missing values, they count as the median: they have no feature.
    fills_gaps = np.array([not column.gaps for column in columns])

    shape = len(found), len(names)
    if in_place and found.dtype == np.float64 and found.flags.carray:
        # If columns are left out, rows become shorter: none is written on before it is read.
        values = found.reshape(-1)[: shape[0] * shape[1]].reshape(shape)
        table.numbers = found[:0]
        table.rows = table.numbers
    else:
        values = np.empty(shape)

    for rows in row_blocks(values):
        block = found[rows][:, places]
        block = block - (center[rows] if is_by_row else center)
        block /= scale[rows] if is_by_row else scale
        if is_clipped:
            np.clip(block, -limit, limit, out=block)
        # One NaN makes the minimum NaN, so that blocks without missing values need no second look.
        if np.isnan(block.min(initial=0.0)):
            block[np.isnan(block) & fills_gaps] = 0.0
        values[rows] = block
    return values


def _running_scales(
    columns: Sequence[Number],
    streamed: list[int],
    found: npt.NDArray[Any],
    center: FloatArray,
    scale: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return center and scale for each row, and update the running means of the columns."""
    sums = np.array([columns[place].sums for place in streamed])
    centers, scales, sums = running_moments(sums, found[:, streamed])

    center = np.tile(center, (len(found), 1))
    center[:, streamed] = centers[:-1]
    scale = np.tile(scale, (len(found), 1))
    scale[:, streamed] = scales[:-1]

    for i, place in enumerate(streamed):
        column = columns[place]
        column.center = float(centers[-1, i])
        column.scale = float(scales[-1, i])
        column.sums = sums[i].tolist()
    return center, scale


def row_blocks(table: npt.NDArray[Any]) -> list[slice]:
    """Return slices of rows, each of at most `NUMBERS_AT_ONCE` numbers."""
    return slices(len(table), None, NUMBERS_AT_ONCE // max(1, table.shape[1]))


# ---------------------------------------------------------------------- columns as sparse rows


def numbers_with_gaps(values: FloatArray, starts: list[int], n_features: int) -> SparseRows:
    """Return numbers with missing values as sparse rows, in the same memory.

    ``starts`` holds the first feature of each column. A missing value is a 1 in the feature after
    that of its number.
    """
    features = np.empty(values.shape, np.int32)
    first_features = np.array(starts, np.int32)
    for rows in row_blocks(values):
        is_missing = np.isnan(values[rows])
        np.add(first_features, is_missing, out=features[rows])
        values[rows][is_missing] = 1.0

    ends = np.arange(len(values) + 1, dtype=np.int64) * values.shape[1]
    return SparseRows(values.reshape(-1), features.reshape(-1), ends, n_features)


def join_columns(
    numbers: FloatArray, parts: list[Part | None], starts: list[int], n_features: int
) -> SparseRows:
    """Join encoded columns to sparse rows, in which each column has its own range of features.

    ``starts`` holds the first feature of each column. A part that is None is the next column of
    the ``numbers``, of which each row has one value.
    """
    # Where each row begins: rows have one value for each number, and what the parts have.
    indptr = np.zeros(len(numbers) + 1, np.int64)
    indptr[1:] = numbers.shape[1]
    for part in parts:
        if part is not None:
            indptr[1:] += part.counts
    np.cumsum(indptr, out=indptr)

    data = np.empty(int(indptr[-1]))
    indices = np.empty(int(indptr[-1]), np.int32)
    # The place where each row is written next.
    free = indptr[:-1].copy()
    columns = iter(numbers.T)
    for part, start in zip(parts, starts, strict=True):
        if part is None:
            column = next(columns)
            is_missing = np.isnan(column)
            data[free] = np.where(is_missing, 1.0, column)
            indices[free] = is_missing + np.int32(start)
            free += 1
        else:
            # Value i of a row stands i places after the first free one.
            ends = np.cumsum(part.counts, dtype=np.int64)
            first_values = ends - part.counts
            at = np.arange(len(part.values)) + np.repeat(free - first_values, part.counts)
            data[at] = part.values
            indices[at] = part.features + start
            free += part.counts
    return SparseRows(data, indices, indptr, n_features)
