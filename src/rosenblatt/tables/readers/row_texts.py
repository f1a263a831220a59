"""Rows of a file as they stood there, beside what was read of them: good ones and bad."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.text.delimited import record
from rosenblatt.errors import DataError


class RowText(NamedTuple):
    """A row of a file: its number in the block, or None and the ``error`` that kept it out.

    ``record`` has what stood in each column, if that was to be kept; of formats without columns,
    the line as ``text``.
    """

    number: int | None
    line: int | None
    record: dict[str, Any]
    error: DataError | None = None


class RowTexts:
    """What a reader keeps of rows so that nothing of a file is lost: give it as its ``row_texts``.

    ``fields`` keeps what stood in the rows, too, and not only where the bad ones are.
    """

    def __init__(self, *, fields: bool = False) -> None:
        self.fields = fields
        self.names: Sequence[str] | None = None  # of columns, once they are known
        self._first_line, self._text = 1, bytearray()
        self._starts: list[int] = []
        self._records: list[dict[str, Any]] = []
        self._kind = "text"
        self._delimiter = 0
        self._quote = '"'
        self._bad: list[tuple[int, DataError, bytes]] = []

    def keep_text(self, form: Any, first_line: int, text: bytearray) -> None:
        """The text that the next block is read from; it begins with this line."""
        self._first_line, self._text = first_line, text
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == 10) + 1
        self._starts = [0, *ends.tolist()]
        if getattr(form, "delimited", False):
            self._kind = "delimited"
            self._delimiter = form.delimiter
            self._quote = form.dialect.quote
            self.names = form.names
        elif hasattr(form, "names"):
            self._kind = "json"
            found = (list(_json(text[a:b])) for a, b in pairwise(self._starts))
            self.names = self.names or next(filter(None, found), None)

    def keep_records(self, first_row: int, records: list[dict[str, Any]]) -> None:
        """The records that the next block is made of."""
        self._kind, self._first_line, self._records = "records", first_row, records
        self.names = list(records[0]) if records else self.names

    def keep_bad(self, n_before: int, error: DataError, row: bytes) -> None:
        """A row that could not be read, after ``n_before`` good ones of the same block."""
        self._bad.append((n_before, error, row))

    def rows(self, block: Any = None) -> Iterator[RowText]:
        """All rows in order: those of a block just read, and the bad ones before and after them.

        Without a block, the bad ones that have come since the last.
        """
        bad, self._bad = self._bad, []
        lines = [] if block is None else block.lines.tolist()
        at = 0
        for number, line in enumerate(lines):
            while at < len(bad) and bad[at][0] <= number:
                yield self._bad_row(bad[at])
                at += 1
            yield RowText(number, line, self._record(line) if self.fields else {})
        for one in bad[at:]:
            yield self._bad_row(one)

    def _bad_row(self, bad: tuple[int, DataError, bytes]) -> RowText:
        _, error, row = bad
        found = {}
        if self.fields and self._kind == "records":
            found = json.loads(row)
        elif self.fields:
            found = self._parsed(bytearray(row) + b"\n", 0)
        return RowText(None, error.line, found, error)

    def _record(self, line: int) -> dict[str, Any]:
        at = line - self._first_line
        if self._kind == "records":
            return self._records[at]
        return self._parsed(self._text, self._starts[at])

    def _parsed(self, text: bytearray, at: int) -> dict[str, Any]:
        """The record that begins at a place; of a bad row what can be made out."""
        if self._kind == "delimited":
            found = record(text, at, len(text), self._delimiter, ord(self._quote))
            if found is None:
                return {}
            starts, stop = found
            fields = (text[a : b - 1] for a, b in pairwise([*starts, stop]))
            texts = (_unquoted(field, self._quote) for field in fields)
            return dict(zip(self.names or (), texts, strict=False))
        line = text[at : text.index(b"\n", at)]
        return _json(line) if self._kind == "json" else {"text": _decoded(line)}


def _decoded(text: bytearray) -> str:
    return text.decode("utf-8", "replace").removesuffix("\r")


def _unquoted(field: bytearray, quote: str) -> str:
    bare = field.strip()
    mark = quote.encode()
    if len(bare) > 1 and bare.startswith(mark) and bare.endswith(mark):
        return bare[1:-1].decode("utf-8", "replace").replace(2 * quote, quote)
    return _decoded(field)


def _json(line: bytearray) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
