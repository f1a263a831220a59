"""Parquet and Arrow files, through pyarrow (the extra ``table``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text import numbers
from rosenblatt.errors import DataError, Message, MissingExtra, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.tables.readers.column_roles import ColumnRoles
from rosenblatt.tables.readers.fault_messages import (
    RAISE_MAX_FEATURES,
    SKIP,
    limit_problem,
    quoted,
    too_many,
)
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.sources import Given, RawFile, Source, opened, sources_of
from rosenblatt.tables.readers.table import Table, TableRequest

if TYPE_CHECKING:
    # pyarrow has no types of its own, and is not installed everywhere.
    Schema = Any
    Batch = Any
    Column = Any
    DataType = Any

BATCH_ROWS = 1 << 16  # rows read at once
SAMPLE_ROWS = 1000  # first rows, from which the target is guessed
ARROW_FILE = b"ARROW1"  # the first bytes of a file; a stream has none
# Exceptions that pyarrow raises for a damaged file, besides its own classes.
UNREADABLE = OSError, UnicodeDecodeError, MemoryError, OverflowError


def open_parquet(request: TableRequest) -> Reader[Table]:
    """Open Parquet files."""
    return ArrowReader(request.given, "parquet", request.columns, request.settings)


def open_arrow(request: TableRequest) -> Reader[Table]:
    """Open Arrow files (which include Feather files) and streams."""
    return ArrowReader(request.given, "arrow", request.columns, request.settings)


class ArrowReader(Reader[Table]):
    """Reader of tables from Parquet and Arrow files; errors name the row."""

    def __init__(
        self, given: Given, kind: str, columns: ColumnRoles, settings: ReaderSettings
    ) -> None:
        super().__init__(sources_of(given), settings.on_bad)
        self._kind = kind
        self._columns = columns
        self._labels = Labels(settings.labels, settings.classes)
        # Labels of a whole file are converted together, at its end; until then they stay texts.
        self._keeps_label_texts = False
        # Numbers that mark a missing value, such as -999.
        self._missing_numbers: list[float] = []
        for mark in columns.missing:
            value = numbers.parse(mark.encode())
            if value is not None:
                self._missing_numbers.append(value)
        self._dtype = settings.dtype
        self._most = settings.max_features
        self._limit = largest_allowed(settings.dtype)

    def _read_whole(self) -> Table:
        self._keeps_label_texts = True
        table = Table.concat(list(self))
        self._bad.warn(self.rows, self.unit)
        if table.labels is not None:
            table.labels = self._label_values(table.labels)
        return table

    def _read_blocks(self) -> Generator[Table, None, None]:
        if not self._keeps_label_texts:
            self._labels.decide_by_first()
        try:
            for source in self._sources:
                yield from self._read_source(source)
        finally:
            self._bad.close()
        self._refuse_no_rows()

    def _read_source(self, source: Source) -> Generator[Table, None, None]:
        first_row = 1
        with _opened_batches(source, self._kind) as (schema, batches):
            first = list(islice(batches, 1))
            self._settle(schema, source.name, first)
            for batch in chain(first, batches):
                batch.validate(full=True)  # otherwise pyarrow trusts damaged offsets
                table = self._table(batch, source.name, first_row)
                if self.row_texts is not None and self.row_texts.fields:
                    self.row_texts.keep_records(first_row, batch.to_pylist())
                first_row += batch.num_rows
                self.rows += len(table)
                if len(table):
                    yield table

    # ------------------------------------------------------------------ columns

    def _settle(self, schema: Schema, name: str, batches: list[Batch]) -> None:
        """Decide which columns to read, and the kind of each."""
        if len(schema.names) - self._columns.may_hold_target > self._most:
            problem = too_many(len(schema.names), "column", self._most)
            raise DataError(problem, name=name, cures=RAISE_MAX_FEATURES)
        _refuse_repeated_names(schema.names, name)

        self._columns.settle(schema.names, name, _sample(schema.names, batches))
        kinds = self._columns.kinds
        for column in self._columns.features:
            kind = _kind_of(schema.field(column).type, column, name)
            kinds.setdefault(column, "text" if kind == "time" else kind)
            if kinds[column] == "number" and kind == "time":
                raise DataError(f"column {quoted(column)} holds times, not numbers", name=name)
        if self._columns.target is not None:
            # Raises DataError for a type that cannot hold labels.
            _kind_of(schema.field(self._columns.target).type, self._columns.target, name)

    # ------------------------------------------------------------------ rows

    def _table(self, batch: Batch, name: str, first_row: int) -> Table:
        """Return the good rows of a batch as a table, and handle the bad ones."""
        faults: dict[int, DataError] = {}  # by row of the batch, the first fault of each
        strays: dict[str, Counter[str]] = {}
        roles = self._columns
        number_names = roles.of_kind("number")
        found = np.empty((batch.num_rows, len(number_names)), self._dtype)
        for place, column in enumerate(number_names):
            values = batch.column(column)
            found[:, place] = self._numbers(values, column, name, first_row, faults, strays)

        texts: dict[str, npt.NDArray[Any]] = {}
        for column in roles.of_kind("text"):
            texts[column] = _as_texts(batch.column(column))
            for row in np.flatnonzero([text is None for text in texts[column]]).tolist():
                texts[column][row] = ""
        labels = self._label_texts(batch, name, first_row, faults)

        kept = np.ones(batch.num_rows, bool)
        for n_bad, row in enumerate(sorted(faults)):
            record = {n: batch.column(n)[row].as_py() for n in batch.schema.names}
            text = json.dumps(record, default=str).encode()
            self._handle_bad_row(faults[row], text, row - n_bad)
            kept[row] = False
        if labels is not None:
            labels = labels[kept]
            if not self._keeps_label_texts:
                labels = self._label_values(labels)
        lines = np.arange(first_row, first_row + batch.num_rows, dtype=np.int64)
        table = Table(
            roles,
            found[kept] if faults else found,
            {column: values[kept] for column, values in texts.items()},
            labels,
            lines[kept],
        )
        table.strays = {column: dict(counts) for column, counts in strays.items()}
        return table

    def _numbers(
        self,
        column: Column,
        column_name: str,
        name: str,
        first_row: int,
        faults: dict[int, DataError],
        strays: dict[str, Counter[str]],
    ) -> npt.NDArray[Any]:
        """Return the values of a number column, NaN if missing.

        Bad values are added to `faults`, but texts in a lenient column to `strays`.
        """
        values = _as_numbers(column)
        for missing in self._missing_numbers:
            values = np.where(values == missing, np.nan, values)
        with np.errstate(over="ignore"):  # values that float32 cannot hold are rejected below
            found = values.astype(self._dtype)

        # NaN is missing or not a number; neither is below the limit.
        for row in np.flatnonzero(~(np.abs(values) <= self._limit)).tolist():
            value = column[row].as_py()
            problem = self._problem_of(value)
            if problem is None:
                found[row] = np.nan
            elif column_name in self._columns.lenient and isinstance(value, str):
                found[row] = np.nan
                strays.setdefault(column_name, Counter())[value] += 1
            elif row not in faults:
                faults[row] = _fault(name, first_row + row, column_name, problem)
        return found

    def _problem_of(self, value: Any) -> Words | None:
        """Return why a value is not a usable number; None if it marks a missing value."""
        if value is None:
            return None
        text = str(value)
        parsed = numbers.parse(text.encode())
        if text.strip() in self._columns.marks or parsed in self._missing_numbers:
            return None
        if isinstance(value, str) and parsed is None:
            return f"{quoted(text)} is not a number"
        if not np.isfinite(float(value)):
            return f"{quoted(text)} is not a finite number"
        problem, _ = limit_problem(text.encode(), self._limit)
        return problem

    # ------------------------------------------------------------------ labels

    def _label_texts(
        self, batch: Batch, name: str, first_row: int, faults: dict[int, DataError]
    ) -> npt.NDArray[Any] | None:
        """Return the labels of a batch as texts, and add invalid ones to `faults`.

        Return None if there is no target column.
        """
        target = self._columns.target
        if target is None:
            return None
        texts = _as_texts(batch.column(target))
        # Why each label is rejected, or None; each distinct label is checked once.
        problems: dict[str | None, Words | None] = {
            None: "the label is missing",
            "": "the label is missing",
        }
        for row, text in enumerate(texts.tolist()):
            if text not in problems:
                reason = self._labels.fault(text.encode())
                problems[text] = None if reason is None else reason[0]
            problem = problems[text]
            if problem is not None and row not in faults:
                faults[row] = _fault(name, first_row + row, target, problem)
        return texts

    def _label_values(self, texts: npt.NDArray[Any]) -> Any:
        code_of: dict[str, int] = {}
        codes = [code_of.setdefault(text, len(code_of)) for text in texts.tolist()]
        names = [text.encode() for text in code_of]
        return self._labels.values(np.array(codes, np.int32), names)


def _fault(name: str, row: int, column: str, problem: Words) -> DataError:
    what = Message(f"column {quoted(column)}: ", problem)
    return DataError(what, name=name, line=row, cures=SKIP)


def _refuse_repeated_names(names: list[str], file: str) -> None:
    first: dict[str, int] = {}
    for number, column in enumerate(names, 1):
        if column in first:
            raise DataError(
                f"the column {quoted(column)} stands twice, as number {first[column]} and as "
                f"number {number}",
                name=file,
            )
        first[column] = number


def _sample(names: list[str], batches: list[Batch]) -> dict[str, list[object]]:
    """Return the first values of each column, from which the target is guessed."""
    if not batches or not len(batches[0]):
        return {}
    batches[0].validate(full=True)
    return {
        column: batches[0].column(place)[:SAMPLE_ROWS].to_pylist()
        for place, column in enumerate(names)
    }


# ---------------------------------------------------------------------- pyarrow


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        what = "reading Parquet and Arrow files needs pyarrow"
        raise MissingExtra(what, extra="table") from None
    return pyarrow


@contextmanager
def _opened_batches(source: Source, kind: str) -> Iterator[tuple[Schema, Iterator[Batch]]]:
    """Open a file, and yield its schema and an iterator over its record batches."""
    pyarrow = _pyarrow()
    try:
        with ExitStack() as stack:
            file = stack.enter_context(_seekable(source))
            if kind == "parquet":
                table = stack.enter_context(pyarrow.parquet.ParquetFile(file))
                yield table.schema_arrow, table.iter_batches(BATCH_ROWS, use_threads=False)
            else:
                yield _arrow_batches(pyarrow, file)
    except (pyarrow.ArrowException, *UNREADABLE) as error:
        # A system error, such as a full disk, has an errno.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error) or "out of memory").splitlines()[0]
        raise DataError(
            f"not a whole {kind.title()} file: {reason}",
            name=source.name,
            cures="fetch or write the file again",
        ) from None


def _arrow_batches(pyarrow: Any, file: RawFile) -> tuple[Schema, Iterator[Batch]]:
    """Return the schema and the record batches of an Arrow file or stream."""
    is_file = file.read(len(ARROW_FILE)) == ARROW_FILE
    file.seek(0)
    if not is_file:
        reader = pyarrow.ipc.open_stream(file)
        return reader.schema, iter(reader)
    reader = pyarrow.ipc.open_file(file)
    return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))


@contextmanager
def _seekable(source: Source) -> Iterator[RawFile]:
    """Yield a seekable file: the file itself, or a temporary copy of a pipe or compressed file."""
    with opened(source) as stream:
        if stream.seekable:
            stream.raw.seek(0)
            yield stream.raw
            return
        with stream.copied() as copy:
            yield copy


def _kind_of(type_: DataType, column: str, name: str) -> str:
    """Return "number", "text" or "time" for a pyarrow type; raise DataError for any other."""
    types = _pyarrow().types
    if types.is_dictionary(type_):
        type_ = type_.value_type
    is_number = (
        types.is_integer(type_)
        or types.is_floating(type_)
        or types.is_decimal(type_)
        or types.is_boolean(type_)
        or types.is_null(type_)
    )
    if is_number:
        return "number"
    is_text = types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)
    if is_text:
        return "text"
    if types.is_temporal(type_):
        return "time"
    raise DataError(
        f"column {quoted(column)} holds {type_}, which is neither numbers nor text",
        name=name,
        cures=Message("leave it out with ", Setting("columns")),
    )


def _as_numbers(column: Column) -> npt.NDArray[np.float64]:
    """Return the values of a column as float64; NaN if they are missing or not numeric."""
    types = _pyarrow().types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_integer(column.type) or types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    parsed = (_number(value) for value in column.to_pylist())
    return np.fromiter(parsed, np.float64, len(column))


def _number(value: Any) -> float:
    if value is None:
        return np.nan
    if isinstance(value, str):
        parsed = numbers.parse(value.strip().encode())
        return np.nan if parsed is None else parsed
    return float(value)


def _as_texts(column: Column) -> npt.NDArray[Any]:
    """Return the values of a column as strings; None for missing values."""
    texts = np.empty(len(column), dtype=object)
    try:
        values = column.to_pylist()
    except ValueError:  # nanoseconds, which times of Python do not have
        values = column.cast(_pyarrow().string()).to_pylist()
    texts[:] = [_text(value) for value in values]
    return texts


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
