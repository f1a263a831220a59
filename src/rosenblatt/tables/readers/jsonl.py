"""JSON lines: one object a line; those within it are columns with a point in their name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text.jsonl import JsonParser
from rosenblatt.engine.text.tabular import LABEL
from rosenblatt.errors import DataError
from rosenblatt.models.rows import largest_allowed
from rosenblatt.plurals import first_few
from rosenblatt.tables.readers.column_roles import Columns
from rosenblatt.tables.readers.fault_messages import (
    RAISE_MAX_FEATURES,
    Explained,
    ExtraColumns,
    notice,
    quoted,
    too_many,
)
from rosenblatt.tables.readers.lines import SAMPLE_LINES, Lines
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.table import Table, TableFormat, TableRequest

SHOWN = 6
# Python reads no whole numbers of more digits, lest that takes too long.
MOST_DIGITS = 4300
FAULTS: dict[str, Explained] = {
    "nested": ("a list or object within the object", "flatten it first"),
    "no object": ("{found} is not a JSON object", 'write one object a line, as {"a": 1}'),
    "no key": ("{found} where a key in double quotes should be", "put the key in double quotes"),
    "no colon": ("{found} where a colon should be", 'write key and value as "key": value'),
    "no comma": ("{found} where a comma or closing brace should be", "is a comma missing?"),
    "after object": ("{found} after the object", "write one object a line"),
    "not a value": ("{found} is not a JSON value", "numbers are plain, text is in double quotes"),
    "open string": ("the string opened here is never closed", "close it"),
    "control character": ("a control character within a string", "write it as \\u00XX"),
    "bad escape": ("{found} is not an escape for text", "fix it"),
}


def open_json_lines(request: TableRequest) -> Reader[Table]:
    """Open JSON lines: an object is a row."""
    return Reader(JsonLines(request.columns, request.settings), request.given, request.settings)


class JsonLines(TableFormat[JsonParser]):
    """The format for the reader."""

    faults = FAULTS

    def __init__(self, columns: Columns, settings: ReaderSettings) -> None:
        self._begun, self._extra_noticed = False, False
        self._buffer = bytearray()
        parser = JsonParser(
            settings.dtype == np.float32,
            largest_allowed(settings.dtype),
            [mark.encode() for mark in columns.marks],
        )
        super().__init__(parser, columns, settings)

    def begin(self, lines: Lines) -> bool:
        self._buffer = lines.buffer
        if not self._begun:
            if lines.sample_end() is None:
                return False
            self._begun = self._look_at_rows(lines)
        return True

    def _look_at_rows(self, lines: Lines) -> bool:
        """Decide on the columns by the first rows; False if no row at hand can be read."""
        values: dict[str, list[Any]] = {}
        n_rows = 0
        for line in bytes(lines.buffer[lines.at : lines.end]).split(b"\n"):
            pairs = _pairs(line)
            if not pairs:
                continue
            for key, value in pairs:  # a later row may bring more columns
                values.setdefault(key, []).extend([] if value is None else [value])
            n_rows += 1
            if n_rows == SAMPLE_LINES:
                break
        names = [*values, *(name for name in self._columns.named() if name not in values)]
        if not values:
            # None of them may pass for a row: this label is in none.
            self._set_names([""], np.array([LABEL], np.int8), np.zeros(1, np.int32), None)
            return False
        if len(names) - self._columns.may_hold_target > self._most:
            what = too_many(len(names), "key", self._most)
            raise DataError(what, name=lines.name, cures=RAISE_MAX_FEATURES)
        self._columns.settle(names, lines.name, values)
        for name in self._columns.undecided:
            found = map(_as_text, values.get(name, ()))
            self._columns.guess(name, found, more_follow=n_rows == SAMPLE_LINES)
        used = {*self._columns.features, self._columns.target}
        names = [name for name in names if name in used]
        self._set_names(names, *self._columns.plan(names))
        return True

    def _set_names(
        self,
        names: list[str],
        roles: npt.NDArray[np.int8],
        places: npt.NDArray[np.int32],
        lenient: npt.NDArray[np.int8] | None,
    ) -> None:
        self._names = names
        self.parser.set_columns(roles, places, lenient)
        self.parser.set_keys([name.encode() for name in names])

    def reread(self) -> bool:
        again = super().reread()
        if again:
            self._begun = False
        return again

    def take(self) -> Table:
        extra = [key.decode() for key in self.parser.extra_keys()]
        extra = [key for key in extra if key not in self._columns.unused]
        if extra and not self._extra_noticed:
            self._extra_noticed = True
            these = "key is" if len(extra) == 1 else "keys are"
            shown = first_few([quoted(key) for key in extra], SHOWN)
            notice(ExtraColumns, f"{len(extra):,} {these} not used: {shown}")
        return super().take()

    def flattened(self, row: bytes) -> bytearray | None:
        pairs = _pairs(row)
        if not pairs:
            return None
        return bytearray(json.dumps(dict(pairs), ensure_ascii=False).encode() + b"\n")

    def span_in_row(self, row: bytes) -> tuple[int, int]:
        column = self.parser.fault_column
        span = _span_of(row, self._names[column]) if 0 <= column < len(self._names) else None
        return (0, 1) if span is None else span

    def explain(self, parser: Any, found: bytes) -> Explained:
        if parser.fault == "no label" and not self._begun:
            return "the object is empty", 'write keys and values, as {"a": 1}'
        if parser.fault == "repeated key":
            row = bytes(self._buffer[parser.row_at : parser.first_at])
            first = len(row.decode("utf-8", "replace")) + 1
            key = quoted(found[1:-1])
            return f"the key {key} stands twice, first at column {first}", "keep one"
        return super().explain(parser, found)


def whole_number(digits: str) -> int | float:
    """A whole number of JSON with all its digits, of which a float64 would keep sixteen."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def _pairs(line: bytes) -> list[tuple[str, Any]]:
    """Keys and values of one line, none if it is not an object; the parser will say why."""
    try:
        found = json.loads(
            line.decode("utf-8", "replace"),
            object_pairs_hook=_Object,
            parse_int=whole_number,
        )
        if isinstance(found, _Object):
            json.dumps(found, ensure_ascii=False).encode()  # half a character is not text
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, _Object) or len(dict(found)) < len(found):
        return []
    flat = list(_flat(found))
    return [] if len(dict(flat)) < len(flat) else flat


def _flat(pairs: Iterable[tuple[str, Any]], before: str = "") -> Iterator[tuple[str, Any]]:
    """Keys with a point for objects within objects; words for a list of values."""
    for key, value in pairs:
        if isinstance(value, _Object):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, list):
            plain = [str(one) for one in value if not isinstance(one, list)]
            yield before + key, " ".join(plain) or None
        else:
            yield before + key, value


def _span_of(row: bytes, column: str) -> tuple[int, int] | None:
    """Where the value of a column stands in a row with objects within it; None if it does not."""
    text = row.decode("utf-8", "surrogateescape")
    try:
        found = _span_within(text, text.index("{"), column)
    except (ValueError, RecursionError):
        return None
    if found is None:
        return None
    first, stop = (len(text[:at].encode("utf-8", "surrogateescape")) for at in found)
    return first, stop


def _span_within(text: str, at: int, wanted: str) -> tuple[int, int] | None:
    """As `_span_of`, of the object that begins `at` a brace, by the rest of the name."""
    decoder = json.JSONDecoder(parse_int=whole_number)
    at = _after_space(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = decoder.raw_decode(text, at)
        at = _after_space(text, _after_space(text, at) + 1)
        _, stop = decoder.raw_decode(text, at)
        if key == wanted:
            return at, stop
        if wanted.startswith(f"{key}.") and text[at] == "{":
            found = _span_within(text, at, wanted.removeprefix(f"{key}."))
            if found is not None:
                return found
        at = _after_space(text, _after_space(text, stop) + 1)
    return None


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in " \t\r\n":
        at += 1
    return at


class _Object(list[tuple[str, Any]]):
    """The pairs of an object, distinct from a list."""


def _as_text(value: Any) -> bytes:
    """A value for the guess at what the column holds."""
    return b"1" if isinstance(value, bool | int | float) else b"text"
