"""Original text of rows, good and bad, alongside the parsed rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from rosenblatt.engine.text.delimited import record
from rosenblatt.errors import DataError
from rosenblatt.tables.readers.block import Block

LINE_FEED = 10


class RowText(NamedTuple):
    """Row as it stands in the file, with its original fields.

    Attributes
    ----------
    number : int or None
        Its number in the block; None for a bad row.
    line : int or None
    record : dict of str to value
        The text of each column, if fields are kept; a format without columns has the line as
        ``text``.
    error : DataError or None
        Why a bad row could not be read.
    """

    number: int | None
    line: int | None
    record: dict[str, Any]
    error: DataError | None = None


@dataclass(frozen=True)
class RowSyntax:
    """Syntax of a row: how it is split into fields; a row of kind "text" is a single field."""

    kind: Literal["text", "delimited", "json", "records"] = "text"
    names: Sequence[str] | None = None
    delimiter: int = 0
    quote: str = '"'


class RowTexts:
    """Store of original rows, which a reader fills if it is set as its ``row_texts``.

    With ``fields`` it stores the fields of all rows, otherwise only the bad rows.
    """

    def __init__(self, *, fields: bool = False) -> None:
        self.fields = fields
        # The names of the columns, once they are known.
        self.names: Sequence[str] | None = None
        self._syntax = RowSyntax()
        self._first_line = 1
        self._text = bytearray()
        self._line_starts: list[int] = []
        self._records: list[dict[str, Any]] = []
        # Bad rows: the number of good rows before it in its block, the error, and the text.
        self._bad: list[tuple[int, DataError, bytes]] = []

    def keep_text(self, syntax: RowSyntax, first_line: int, text: bytearray) -> None:
        """Store the text of the next block, which begins on line ``first_line``."""
        self._syntax = syntax
        self._first_line = first_line
        self._text = text
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == LINE_FEED) + 1
        self._line_starts = [0, *ends.tolist()]
        if syntax.names is not None:
            self.names = syntax.names
        elif syntax.kind == "json" and not self.names:
            self.names = self._first_keys()

    def _first_keys(self) -> list[str] | None:
        """Return the keys of the first JSON object that is not empty; None if there is none."""
        for start, end in pairwise(self._line_starts):
            keys = list(_json(self._text[start:end]))
            if keys:
                return keys
        return None

    def keep_records(self, first_row: int, records: list[dict[str, Any]]) -> None:
        """Store the records of the rows of the next block, good and bad."""
        self._syntax = RowSyntax("records")
        self._first_line = first_row
        self._records = records
        if records:
            self.names = list(records[0])

    def keep_bad(self, n_before: int, error: DataError, row: bytes) -> None:
        """Store a bad row, which follows ``n_before`` good rows of the same block."""
        self._bad.append((n_before, error, row))

    def rows(self, block: Block | None = None) -> Iterator[RowText]:
        """Yield the rows of the block just read, good and bad, in the order of the file.

        Without a block, yield the bad rows since the last one.
        """
        bad = self._bad
        self._bad = []
        lines: list[int] = [] if block is None else block.lines.tolist()
        next_bad = 0
        for number, line in enumerate(lines):
            while next_bad < len(bad) and bad[next_bad][0] <= number:
                yield self._bad_row(*bad[next_bad])
                next_bad += 1
            yield RowText(number, line, self._record(line) if self.fields else {})
        for one in bad[next_bad:]:
            yield self._bad_row(*one)

    def _bad_row(self, _: int, error: DataError, row: bytes) -> RowText:
        found: dict[str, Any] = {}
        if self.fields and self._syntax.kind == "records":
            found = json.loads(row)
        elif self.fields:
            found = self._parsed(bytearray(row) + b"\n", 0)
        return RowText(None, error.line, found, error)

    def _record(self, line: int) -> dict[str, Any]:
        """Return the record that begins on a line."""
        number = line - self._first_line
        if self._syntax.kind == "records":
            return self._records[number]
        return self._parsed(self._text, self._line_starts[number])

    def _parsed(self, text: bytearray, at: int) -> dict[str, Any]:
        """Return the record that begins at position `at`; of a bad row, the fields that parse."""
        syntax = self._syntax
        if syntax.kind == "delimited":
            found = record(text, at, len(text), syntax.delimiter, ord(syntax.quote))
            if found is None:
                return {}
            starts, stop = found
            fields = (text[start : end - 1] for start, end in pairwise([*starts, stop]))
            texts = (_unquoted(field, syntax.quote) for field in fields)
            return dict(zip(self.names or (), texts, strict=False))

        line = text[at : text.index(b"\n", at)]
        if syntax.kind == "json":
            return _json(line)
        return {"text": _decoded(line)}


def _decoded(text: bytearray) -> str:
    return text.decode("utf-8", "replace").removesuffix("\r")


def _unquoted(field: bytearray, quote: str) -> str:
    """Return the text of a field, with surrounding quotes removed and doubled quotes undone."""
    bare = field.strip()
    mark = quote.encode()
    if len(bare) > 1 and bare.startswith(mark) and bare.endswith(mark):
        return bare[1:-1].decode("utf-8", "replace").replace(2 * quote, quote)
    return _decoded(field)


def _json(line: bytearray) -> dict[str, Any]:
    """Parse a line as a JSON object; return an empty dict if it is not one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
