"""Parquet and Arrow files, through pyarrow (the extra ``table``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text import numbers
from rosenblatt.errors import DataError, Message, MissingExtra, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.tables.readers.bad_rows import BadRows
from rosenblatt.tables.readers.column_roles import Columns
from rosenblatt.tables.readers.fault_messages import RAISE_MAX_FEATURES, SKIP, quoted, too_many
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.sources import Given, Source, opened, sources_of
from rosenblatt.tables.readers.table import Table, TableRequest

BATCH_ROWS = 1 << 16
# Rows to guess the target by.
JUDGED = 1000
# What else the library raises of a damaged file.
UNREADABLE = OSError, UnicodeDecodeError, MemoryError, OverflowError


def open_parquet(request: TableRequest) -> Reader[Table]:
    """Open Parquet files."""
    return ArrowReader(request.given, "parquet", request.columns, request.settings)


def open_arrow(request: TableRequest) -> Reader[Table]:
    """Open Arrow files and streams, which Feather files are, too."""
    return ArrowReader(request.given, "arrow", request.columns, request.settings)


class ArrowReader(Reader[Table]):
    """Tables out of columns that are typed already; faults name the row."""

    def __init__(self, given: Given, kind: str, columns: Columns, settings: ReaderSettings) -> None:
        self._sources = sources_of(given)
        self._bad = BadRows(settings.on_bad, self._sources)
        self._kind, self._columns = kind, columns
        self._labels = Labels(settings.labels, settings.classes)
        self._as_texts = False  # labels of a whole file are judged together, at its end
        self._marks = [
            value for mark in columns.missing if (value := numbers.parse(mark.encode())) is not None
        ]
        self._dtype, self._most = settings.dtype, settings.max_features
        self._largest = largest_allowed(settings.dtype)
        self.rows = 0
        self._blocks = self._walk()

    @property
    def revised(self) -> dict[str, str]:
        return {}  # a file that has types leaves nothing to guess

    def whole(self) -> Table:
        self._as_texts = True
        table = Table.concat(list(self))
        self._bad.tell(self.rows, self.unit)
        if table.labels is not None:
            table.labels = self._values(table.labels)
        return table

    def _walk(self) -> Generator[Table, None, None]:
        if not self._as_texts:
            self._labels.decide_by_first()
        try:
            for source in self._sources:
                first_row = 1
                with _batches(source, self._kind) as (schema, batches):
                    first = list(islice(batches, 1))
                    self._settle(schema, source.name, first)
                    for batch in chain(first, batches):
                        batch.validate(full=True)  # damaged offsets would be followed anywhere
                        table = self._table(batch, source.name, first_row)
                        if self.row_texts is not None and self.row_texts.fields:
                            self.row_texts.keep_records(first_row, batch.to_pylist())
                        first_row += batch.num_rows
                        self.rows += len(table)
                        if len(table):
                            yield table
        finally:
            self._bad.close()
        self._refuse_nothing()

    def _settle(self, schema: Any, name: str, rows: list[Any]) -> None:
        if len(schema.names) - self._columns.may_hold_target > self._most:
            what = too_many(len(schema.names), "column", self._most)
            raise DataError(what, name=name, cures=RAISE_MAX_FEATURES)
        first: dict[str, int] = {}
        for number, column in enumerate(schema.names, 1):
            if column in first:
                raise DataError(
                    f"the column {quoted(column)} stands twice, as number {first[column]} and as "
                    f"number {number}",
                    name=name,
                )
            first[column] = number
        values = {}
        if rows and len(rows[0]):
            rows[0].validate(full=True)
            values = {
                column: rows[0].column(place)[:JUDGED].to_pylist()
                for place, column in enumerate(schema.names)
            }
        self._columns.settle(schema.names, name, values)
        for column in self._columns.features:
            kind = _kind_of(schema.field(column).type, column, name)
            self._columns.kinds.setdefault(column, "text" if kind == "time" else kind)
            if self._columns.kinds[column] == "number" and kind == "time":
                raise DataError(f"column {quoted(column)} holds times, not numbers", name=name)
        if self._columns.target is not None:
            _kind_of(schema.field(self._columns.target).type, self._columns.target, name)

    def _table(self, batch: Any, name: str, first_row: int) -> Table:
        faults: dict[int, DataError] = {}
        strays: dict[str, dict[str, int]] = {}
        used = self._columns
        columns = {column: batch.column(column) for column in used.features}
        found = np.empty((batch.num_rows, len(used.of_kind("number"))), self._dtype)
        for place, column in enumerate(used.of_kind("number")):
            values = _as_numbers(columns[column])
            for mark in self._marks:
                values = np.where(values == mark, np.nan, values)
            with np.errstate(over="ignore"):  # what float32 cannot hold is refused below
                found[:, place] = values
            for row in np.flatnonzero(~(np.abs(values) <= self._largest)).tolist():
                value = columns[column][row].as_py()
                what = self._what_is_wrong(value)
                if what is None:
                    found[row, place] = np.nan
                elif column in used.lenient and isinstance(value, str):
                    found[row, place] = np.nan
                    strays.setdefault(column, Counter())[value] += 1
                elif row not in faults:
                    faults[row] = _fault(name, first_row + row, column, what)
        texts = {}
        for column in used.of_kind("text"):
            texts[column] = _as_texts(columns[column])
            for row in np.flatnonzero([text is None for text in texts[column]]).tolist():
                texts[column][row] = ""
        labels = self._label_texts(batch, name, first_row, faults)
        kept = np.ones(batch.num_rows, bool)
        for n_bad, row in enumerate(sorted(faults)):
            shown = {n: batch.column(n)[row].as_py() for n in batch.schema.names}
            self._meet(faults[row], json.dumps(shown, default=str).encode(), row - n_bad)
            kept[row] = False
        labels = None if labels is None else labels[kept]
        lines = np.arange(first_row, first_row + batch.num_rows, dtype=np.int64)
        table = Table(
            used,
            found[kept] if faults else found,
            {column: values[kept] for column, values in texts.items()},
            labels if labels is None or self._as_texts else self._values(labels),
            lines[kept],
        )
        table.strays = strays
        return table

    def _what_is_wrong(self, value: Any) -> str | None:
        """Why a value is not a number to learn from; None if it marks a missing one."""
        if value is None:
            return None
        text = str(value)
        if text.strip() in self._columns.marks or numbers.parse(text.encode()) in self._marks:
            return None
        if isinstance(value, str) and numbers.parse(text.encode()) is None:
            return f"{quoted(text)} is not a number"
        if not np.isfinite(float(value)):
            return f"{quoted(text)} is not a finite number"
        return f"{quoted(text)} is beyond {self._largest:g}, where its square overflows"

    def _label_texts(
        self, batch: Any, name: str, first_row: int, faults: dict[int, DataError]
    ) -> npt.NDArray[Any] | None:
        """The labels as texts; those that cannot be labels are faults."""
        target = self._columns.target
        if target is None:
            return None
        texts = _as_texts(batch.column(target))
        wrong: dict[Any, Words | None] = dict.fromkeys((None, ""), "the label is missing")
        for row, text in enumerate(texts.tolist()):
            if text not in wrong:
                reason = self._labels.fault(text.encode())
                wrong[text] = None if reason is None else reason[0]
            what = wrong[text]
            if what is not None and row not in faults:
                faults[row] = _fault(name, first_row + row, target, what)
        return texts

    def _values(self, texts: npt.NDArray[Any]) -> Any:
        number: dict[str, int] = {}
        codes = [number.setdefault(text, len(number)) for text in texts.tolist()]
        return self._labels.values(np.array(codes, np.int32), [text.encode() for text in number])


def _fault(name: str, row: int, column: str, what: Words) -> DataError:
    return DataError(Message(f"column {quoted(column)}: ", what), name=name, line=row, cures=SKIP)


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
def _batches(source: Source, kind: str) -> Iterator[tuple[Any, Iterator[Any]]]:
    """The schema of a file and its rows, batch by batch."""
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
        if getattr(error, "errno", None) is not None:
            raise
        raise DataError(
            f"not a whole {kind.title()} file: {(str(error) or 'out of memory').splitlines()[0]}",
            name=source.name,
            cures="fetch or write the file again",
        ) from None


def _arrow_batches(pyarrow: Any, file: Any) -> tuple[Any, Iterator[Any]]:
    """An Arrow file knows its batches; an Arrow stream ends when it ends."""
    if file.read(6) == b"ARROW1":
        file.seek(0)
        reader = pyarrow.ipc.open_file(file)
        return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
    file.seek(0)
    reader = pyarrow.ipc.open_stream(file)
    return reader.schema, iter(reader)


@contextmanager
def _seekable(source: Source) -> Iterator[Any]:
    """The file itself, or a temporary one for pipes and packed files."""
    with opened(source) as stream:
        if stream.seekable:
            stream.raw.seek(0)
            yield stream.raw
            return
        with stream.copied() as copy:
            yield copy


def _kind_of(type_: Any, column: str, name: str) -> str:
    types = _pyarrow().types
    if types.is_dictionary(type_):
        type_ = type_.value_type
    numbers_ = types.is_integer, types.is_floating, types.is_decimal, types.is_boolean
    if any(is_kind(type_) for is_kind in (*numbers_, types.is_null)):
        return "number"
    texts = types.is_string, types.is_large_string, types.is_string_view
    if any(is_kind(type_) for is_kind in texts):
        return "text"
    if types.is_temporal(type_):
        return "time"
    raise DataError(
        f"column {quoted(column)} holds {type_}, which is neither numbers nor text",
        name=name,
        cures=Message("leave it out with ", Setting("columns")),
    )


def _as_numbers(column: Any) -> npt.NDArray[np.float64]:
    """Numbers, NaN where there is none."""
    types = _pyarrow().types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_integer(column.type) or types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    parsed = (_number(value) for value in column.to_pylist())
    return np.fromiter(parsed, np.float64, len(column))


def _number(value: Any) -> float:
    if isinstance(value, str):
        parsed = numbers.parse(value.strip().encode())
        return np.nan if parsed is None else parsed
    return np.nan if value is None else float(value)


def _as_texts(column: Any) -> npt.NDArray[Any]:
    """Texts, None where there is none."""
    texts = np.empty(len(column), dtype=object)
    try:
        values = column.to_pylist()
    except ValueError:  # nanoseconds, which times of Python have not
        values = column.cast(_pyarrow().string()).to_pylist()
    texts[:] = [_text(value) for value in values]
    return texts


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else str(value)
