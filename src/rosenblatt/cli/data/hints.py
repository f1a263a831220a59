"""Readers for the shell: what they find wrong comes with the cure that only the shell knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from rosenblatt.cli.data.reading import named
from rosenblatt.cli.frame.options import watch_bad_rows
from rosenblatt.cli.frame.terminal import reading_shown
from rosenblatt.errors import (
    DataError,
    InputError,
    Message,
    ParameterError,
    Place,
    RosenblattError,
    Setting,
    Words,
)
from rosenblatt.io.formats import ROWS, Format, by_lines

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema
    from rosenblatt.io.reader import Reader
    from rosenblatt.io.row_texts import RowTexts

Found = TypeVar("Found")

LOOKED_AT = 1 << 12  # bytes
# What is unpacked before it is read.
UNPACKED = ("gzip file", "bzip2 file", "xz file", "zstandard file")


class FirstLine(NamedTuple):
    """The first line of a file that holds something."""

    number: int
    text: str


@dataclass(frozen=True)
class ReadRequest:
    """What was to be read, and how."""

    paths: Sequence[str]
    format: Format
    schema: AnySchema | None
    header: bool | None
    format_said: bool
    target: str | None
    target_said: bool

    @property
    def was_assumed_delimited(self) -> bool:
        """Whether a delimited table was assumed, and --format does not say so."""
        return self.format.is_delimited and not self.format_said

    @property
    def without_names(self) -> bool:
        """Whether the columns of the model are numbered, as those of a file without a header."""
        columns = [] if self.schema is None else [column.name for column in self.schema.columns]
        named = {*columns, *([] if self.target is None else [self.target])}
        return bool(columns) and named == {str(i + 1) for i in range(len(named))}


class AdvisedReader:
    """A reader whose errors name the usual slip of the hand."""

    def __init__(self, open_reader: Callable[[], Reader[Any]], request: ReadRequest) -> None:
        _refuse_other_format(request)
        self._reader, self._request = open_reader(), request
        watch_bad_rows(self)

    @property
    def rows(self) -> int:
        return self._reader.rows

    @property
    def skipped(self) -> int:
        return self._reader.skipped

    @property
    def first_faults(self) -> list[DataError]:
        """The first few reasons to skip rows, without the advice to skip them."""
        return [_retold(one, one.what, _but_skipping(one)) for one in self._reader.first_faults]

    @property
    def revised(self) -> dict[str, str]:
        return self._reader.revised

    @property
    def row_texts(self) -> RowTexts | None:
        return self._reader.row_texts

    @row_texts.setter
    def row_texts(self, texts: RowTexts) -> None:
        self._reader.row_texts = texts

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self._advised(lambda reader: next(reader))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def whole(self) -> Any:
        with self.shown():
            return self._advised(lambda reader: reader.whole())

    def shown(self) -> AbstractContextManager[None]:
        """Show on a terminal how far it has come."""
        return reading_shown(self._reader, named(self._request.paths))

    def _advised(self, read: Callable[[Reader[Any]], Found]) -> Found:
        try:
            return read(self._reader)
        except (InputError, ParameterError) as error:
            raise _better(error, self._request, self._reader) from error


# ---------------------------------------------------------------------- better words


def _refuse_foreign(request: ReadRequest) -> None:
    """A picture or a document, of which a reader of text would say nonsense."""
    from rosenblatt.model.container import LONGEST_SIGNATURE, name_by_signature

    path = request.paths[0]
    if not request.format.is_text or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        name = name_by_signature(file.read(LONGEST_SIGNATURE))
    if name is not None and not name.endswith(UNPACKED):
        raise DataError(
            f"this is {name}, not rows with labels",
            name=named([path]),
            cures="give rows in a format that --format names, such as csv, xlsx or svmlight",
        )


def _refuse_other_format(request: ReadRequest) -> None:
    """Refuse rows of another format, which have delimiters as well but are no table."""
    _refuse_foreign(request)
    if not request.was_assumed_delimited or request.schema is not None:
        return
    line = _first_line(request.paths[0])
    if line is None:
        return
    formats = ROWS
    if request.target_said or request.header is not None:
        # Then two columns with a tab between them are a table.
        formats = tuple(format for format in ROWS if format.kind != "text")
    found = by_lines([line.text], formats)
    if found is not None:
        raise DataError(
            "no table with columns",
            name=named([request.paths[0]]),
            line=line.number,
            cures=_looks_like(found),
        )


def _looks_like(found: Format) -> str:
    """Return the cure for rows that were read as a table, but are of this format."""
    return f"these look like {found.title}: --format {found.name}"


def _better(
    error: InputError | ParameterError, request: ReadRequest, reader: Reader[Any]
) -> RosenblattError:
    if reader.skipped and not reader.rows and reader.first_faults:
        return _first_of_all(reader.first_faults[0], reader.skipped)
    line = _first_line(request.paths[0])
    if request.was_assumed_delimited and not reader.rows:
        found = by_lines([_seen(error) if line is None else line.text])
        if found is not None:
            return _with_cures(error, [_looks_like(found)], request)
    if isinstance(error, ParameterError) and isinstance(error.where, Place):
        return _no_target(error, error.where.name, request, line)
    from rosenblatt.io.column_roles import MissingColumns

    if request.header is not False and request.without_names and isinstance(error, MissingColumns):
        trained = "the model was trained with --no-header; say so here if the first line is a row"
        return _with_cures(error, [trained], request)
    return error


def _first_of_all(first: DataError, skipped: int) -> DataError:
    rows = "the only row is" if skipped == 1 else f"all {skipped:,} rows are"
    what = Message(first.what, f"; {rows} skipped, so nothing is left")
    return _retold(first, what, _but_skipping(first))


def _but_skipping(error: DataError) -> list[Words]:
    return [cure for cure in error.cures if Setting("on_bad", "skip") not in cure.settings]


def _retold(error: DataError, what: Words, cures: Iterable[Words]) -> DataError:
    """The same place with other words."""
    place: Any = error.where
    return DataError(what, **place._asdict(), excerpt=error.excerpt, cures=cures)


def _with_cures(
    error: InputError | ParameterError, cures: list[str], request: ReadRequest
) -> DataError:
    """The same fault with other cures."""
    if isinstance(error, DataError):
        return _retold(error, error.what, cures)
    return DataError(error.what, name=named([request.paths[0]]), allowed=error.allowed, cures=cures)


def _no_target(
    error: ParameterError, name: str, request: ReadRequest, line: FirstLine | None
) -> RosenblattError:
    """What the user said is a slip of the hand; what the model knows, or a row, is bad data."""
    numbered = request.target is not None and request.target.isdecimal()
    if request.header is False and numbered and line is not None:
        from rosenblatt.io.fault_messages import located

        return located(
            f"this row is too short: the target is column {request.target}",
            name=named([request.paths[0]]),
            line=line.number,
            text=line.text.encode(),
            at=0,
            end=len(line.text.encode()),
            cures="take out lines that are no rows",
        )
    if request.target_said or request.schema is None:
        return error
    return DataError(
        Message(error.what, ", which the model was trained for"),
        name=name,
        allowed=error.allowed,
        cures="if the labels have another name, say --target",
    )


# ---------------------------------------------------------------------- the first line


def _first_line(path: str) -> FirstLine | None:
    """The first line of a file that holds something, as far as it matters; None for a pipe."""
    from rosenblatt.io.sources import first_lines

    lines = first_lines(path, LOOKED_AT).splitlines()
    return next((FirstLine(i, line) for i, line in enumerate(lines, 1) if line.strip()), None)


def _seen(error: RosenblattError) -> str:
    """What an error shows of the line that it is about."""
    text = error.text if isinstance(error, DataError) else None
    return str(error.found) if text is None else text
