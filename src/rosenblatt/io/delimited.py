"""Comma and tab separated files (RFC 4180)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt._kernels.text import numbers
from rosenblatt._kernels.text.delimited import DelimitedParser, record
from rosenblatt._kernels.text.tabular import TEXT
from rosenblatt.checks import one_of, refusal
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.io.column_roles import Columns
from rosenblatt.io.fault_messages import (
    RAISE_MAX_FEATURES,
    RAISE_MAX_LINE_BYTES,
    Explained,
    HeaderOfNumbers,
    located,
    notice,
    quoted,
    too_many,
)
from rosenblatt.io.lines import Lines
from rosenblatt.io.reader_options import ReaderSettings
from rosenblatt.io.table import TableFormat

SHOWN = 3
FAULTS: dict[str, Explained] = {
    "open quote": ("the quote opened here is never closed", "close it"),
    "after quote": ("text after a closing quote", 'write a quote within quotes twice: ""'),
    "bare return": ("a carriage return within the line", "put the field in quotes"),
}


class Delimited(TableFormat[DelimitedParser]):
    """The format for the reader."""

    delimited = True
    faults = FAULTS

    def __init__(
        self, delimiter: str, header: bool, trim: bool, columns: Columns, settings: ReaderSettings
    ) -> None:
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise refusal("delimiter", delimiter, Message("one character, as ", one_of([",", ";"])))
        if not delimiter.isascii() or delimiter.isalnum() or delimiter in "+-.":
            part = "can be part of a number or a word"
            raise refusal("delimiter", delimiter, one_of([",", ";", "|", "\t"]), verdict=part)
        self._delimiter, self._header = ord(delimiter), header
        self._lines: Lines | None = None
        self._warned = False
        parser = DelimitedParser(
            self._delimiter,
            trim,
            settings.dtype == np.float32,
            largest_allowed(settings.dtype),
            [mark.encode() for mark in columns.missing],
        )
        super().__init__(parser, columns, settings)

    @property
    def delimiter(self) -> int:
        return self._delimiter

    # ------------------------------------------------------------------ before the rows

    def begin(self, lines: Lines) -> bool:
        if self._lines is not lines:
            if not self._read_header(lines):
                return False
            self._lines = lines
        if self._columns.undecided:
            stop = lines.sample_end()
            if stop is None:
                return False
            self._look_at_values(lines, stop)
        self.parser.set_columns(*self._columns.plan(self._names))
        return True

    def _read_header(self, lines: Lines) -> bool:
        """The names of the columns; False if more text is needed."""
        while self._at_blank_line(lines):
            lines.at = lines.buffer.index(b"\n", lines.at) + 1
            self.parser.line += 1
        if lines.at == lines.end:
            return False
        found = record(lines.buffer, lines.at, lines.end, self._delimiter)
        if found is None:
            if lines.last:
                raise self._header_fault(lines, "a quote in the first row is never closed")
            return False
        starts, stop = found
        if stop - lines.at > self.parser.max_row:
            raise self._header_fault(
                lines,
                f"the first row is longer than {self.parser.max_row:,} bytes",
                cures=RAISE_MAX_LINE_BYTES,
            )
        if len(starts) - self._columns.may_hold_target > self._most:
            raise self._header_fault(
                lines, too_many(len(starts), "column", self._most), cures=RAISE_MAX_FEATURES
            )
        if not self._header:
            self._names = [str(i + 1) for i in range(len(starts))]
            self._columns.settle(self._names, lines.name)
            return True
        (first,) = self._texts(lines, lines.at, stop, len(starts), fatal=True)
        self._names = [text.decode().strip() for text in first]
        self._check_header(lines, self._names, starts)
        self._columns.settle(self._names, lines.name)
        self._warn_of_numbers(lines, self._names)
        self.parser.line += lines.buffer.count(b"\n", lines.at, stop)
        lines.at = stop
        return True

    def _at_blank_line(self, lines: Lines) -> bool:
        start = bytes(lines.buffer[lines.at : min(lines.at + 2, lines.end)])
        return start.startswith(b"\n") or start == b"\r\n"

    def _check_header(self, lines: Lines, names: list[str], starts: list[int]) -> None:
        seen: dict[str, int] = {}
        for i, name in enumerate(names):
            if not name:
                names[i] = name = f"column {i + 1}"
            if name in seen:
                raise self._header_fault(
                    lines,
                    f"the column {quoted(name)} stands twice, as number {seen[name] + 1} and as "
                    f"number {i + 1}",
                    starts[i],
                    starts[i] + len(name.encode()),
                    cures=Message("if the first line is a row, say ", Setting("header", False)),
                )
            seen[name] = i

    def _warn_of_numbers(self, lines: Lines, names: list[str]) -> None:
        features = [name for name in names if name != self._columns.target]
        if all(_is_number(name) for name in features):
            self._warn_of_row(lines, self.parser.line + 1, "is all numbers")

    def _warn_of_values(
        self, lines: Lines, rows: list[list[bytes]], places: dict[str, int]
    ) -> None:
        """Warn if the header could be a row, by the values that its columns begin with.

        All number columns are named by numbers, and a column of text by one of its own values.
        Years over columns of numbers are no reason; without number columns it takes all of them.
        """
        columns = self._columns
        found, texts = columns.of_kind("number"), columns.of_kind("text")
        if not all(_is_number(name) or name in columns.missing for name in found):
            return
        if columns.target is not None:
            texts.append(columns.target)
        among_values = (any(row[places[name]] == name.encode() for row in rows) for name in texts)
        if any(among_values) if found else all(among_values):
            shown = ", ".join(quoted(name) for name in self._names[:SHOWN])
            more = " …" if len(self._names) > SHOWN else ""
            # The header is behind: it is the line before the first row.
            self._warn_of_row(lines, self.parser.line, f"looks like a row, {shown}{more}")

    def _warn_of_row(self, lines: Lines, line: int, what: str) -> None:
        self._warned = True
        notice(
            HeaderOfNumbers,
            Message(
                f"{lines.name}:{line}: the header {what}; if it is a row, say ",
                Setting("header", False),
            ),
        )

    def _header_fault(
        self,
        lines: Lines,
        what: Words,
        at: int | None = None,
        end: int | None = None,
        cures: Words | Iterable[Words] = (),
    ) -> DataError:
        """An error in the header, which begins where the lines are now."""
        text, begin = lines.buffer, lines.at
        at = begin if at is None else at
        line_at = text.rfind(b"\n", begin, at) + 1 or begin
        line_end = text.index(b"\n", at)
        return located(
            what,
            name=lines.name,
            line=self.parser.line + 1 + text.count(b"\n", begin, at),
            text=bytes(text[line_at:line_end]),
            at=at - line_at,
            end=(line_end if end is None else min(end, line_end)) - line_at,
            cures=cures,
        )

    def _look_at_values(self, lines: Lines, stop: int) -> None:
        """Decide which columns are numbers by the first rows."""
        rows = self._texts(lines, lines.at, stop, len(self._names), fatal=False)
        places = {name: place for place, name in enumerate(self._names)}
        for name in self._columns.undecided:
            self._columns.guess(name, (row[places[name]] for row in rows))
        if self._header and not self._warned:
            self._warn_of_values(lines, rows, places)

    def _texts(
        self, lines: Lines, at: int, stop: int, n_fields: int, *, fatal: bool
    ) -> list[list[bytes]]:
        """Records as texts; bad ones are left out, to be met again when the rows are read."""
        probe = DelimitedParser(self._delimiter, True, False, self._limit, [])
        everything = np.full(n_fields, TEXT, np.int8)
        probe.set_columns(everything, np.arange(n_fields, dtype=np.int32))
        while at < stop:
            before, at = at, probe.parse(lines.buffer, at, stop, False)
            if probe.fault is not None and fatal:
                found = bytes(lines.buffer[probe.fault_at : probe.fault_end])
                what, _ = self.explain(probe, found)
                raise self._header_fault(lines, what, probe.fault_at, probe.fault_end)
            if at == before:
                break
        _, codes, texts = probe.take()
        return [[texts[code] for code in row] for row in codes.tolist()]

    # ------------------------------------------------------------------ the rows

    def explain(self, parser: Any, found: bytes) -> Explained:
        if parser.fault in ("short row", "long row"):
            return self._width_words(parser.fault, parser.n_fields)
        return super().explain(parser, found)

    def _width_words(self, fault: str, n_fields: int) -> Explained:
        fields = "field" if n_fields == 1 else "fields"
        remedy = "fill in what is missing"
        if fault == "long row":
            remedy = "put fields that hold the delimiter in quotes"
        return f"{n_fields:,} {fields}, expected {len(self._names):,}", remedy


def _is_number(name: str) -> bool:
    return numbers.parse(name.encode()) is not None
