"""JSON: one object per line, or an array of objects; nested objects become columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text.jsonl import JsonParser
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.engine.text.tabular import LABEL
from rosenblatt.errors import DataError
from rosenblatt.models.rows import largest_allowed
from rosenblatt.plurals import first_few
from rosenblatt.tables.readers.column_roles import ColumnRoles
from rosenblatt.tables.readers.fault_messages import (
    RAISE_MAX_FEATURES,
    ExtraColumns,
    ProblemAndCures,
    notice,
    quoted,
    too_many,
)
from rosenblatt.tables.readers.lines import SAMPLE_LINES, Lines
from rosenblatt.tables.readers.reader import Reader, TextReader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.row_texts import RowSyntax
from rosenblatt.tables.readers.sources import Source, all_bytes, converted
from rosenblatt.tables.readers.table import Table, TableFormat, TableRequest

SHOWN_KEYS = 6  # keys listed in a warning, at most
# Digits of an integer that is parsed exactly, at most: the default limit of Python.
MAX_DIGITS = 4300
SPACE = " \t\r\n"
FAULTS: dict[str, ProblemAndCures] = {
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
    """Open JSON lines: each object is a row."""
    form = JsonLinesFormat(request.columns, request.settings)
    return TextReader(form, request.given, request.settings)


def open_json(request: TableRequest) -> Reader[Table]:
    """Open JSON files: an array of objects, or another value that holds rows."""
    return open_json_lines(replace(request, given=converted(request.given, _as_lines)))


class JsonLinesFormat(TableFormat[JsonParser]):
    """Format of JSON lines: one object per line."""

    faults = FAULTS

    def __init__(self, columns: ColumnRoles, settings: ReaderSettings) -> None:
        self._knows_columns = False
        self._has_warned_of_keys = False
        self._buffer = bytearray()
        parser = JsonParser(
            settings.dtype == np.float32,
            largest_allowed(settings.dtype),
            [mark.encode() for mark in columns.marks],
        )
        super().__init__(parser, columns, settings)

    # ------------------------------------------------------------------ columns

    def begin_file(self, lines: Lines) -> bool:
        self._buffer = lines.buffer
        if self._knows_columns:
            return True
        if lines.sample_end() is None:
            return False
        self._knows_columns = self._decide_columns(lines)
        return True

    def _decide_columns(self, lines: Lines) -> bool:
        """Determine the columns from the first rows; return False if none can be parsed."""
        n_rows, values = _sample(bytes(lines.buffer[lines.at : lines.end]))
        if not values:
            # The parser must report each bad row: none has the label of this key.
            role = np.array([LABEL], np.int8)
            self._set_names([""], role, np.zeros(1, np.int32), None)
            return False

        names = list(values)
        for name in self._columns.named():
            if name not in values:
                names.append(name)
        if len(names) - self._columns.may_hold_target > self._most:
            problem = too_many(len(names), "key", self._most)
            raise DataError(problem, name=lines.name, cures=RAISE_MAX_FEATURES)

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

    def must_reread(self) -> bool:
        must = super().must_reread()
        if must:
            self._knows_columns = False
        return must

    # ------------------------------------------------------------------ rows

    def take(self) -> Table:
        extra = [key.decode() for key in self.parser.extra_keys()]
        extra = [key for key in extra if key not in self._columns.unused]
        if extra and not self._has_warned_of_keys:
            self._has_warned_of_keys = True
            these = "key is" if len(extra) == 1 else "keys are"
            shown = first_few([quoted(key) for key in extra], SHOWN_KEYS)
            notice(ExtraColumns, f"{len(extra):,} {these} not used: {shown}")
        return super().take()

    def row_syntax(self) -> RowSyntax:
        return RowSyntax("json")

    def flattened(self, row: bytes) -> bytearray | None:
        pairs = _pairs(row)
        if not pairs:
            return None
        return bytearray(json.dumps(dict(pairs), ensure_ascii=False).encode() + b"\n")

    def span_in_row(self, row: bytes) -> tuple[int, int]:
        column = self.parser.fault_column
        if not 0 <= column < len(self._names):
            return 0, 1
        return _span_of(row, self._names[column]) or (0, 1)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault == "no label" and not self._knows_columns:
            return "the object is empty", 'write keys and values, as {"a": 1}'
        if parser.fault == "repeated key":
            row = bytes(self._buffer[parser.row_at : self.parser.first_at])
            first = len(row.decode("utf-8", "replace")) + 1
            key = quoted(found[1:-1])
            return f"the key {key} stands twice, first at column {first}", "keep one"
        return super().explain(parser, found)


# ---------------------------------------------------------------------- rows by Python's own parser


class _Object(list[tuple[str, Any]]):
    """Key-value pairs of a JSON object, as a type distinct from a JSON array."""


def whole_number(digits: str) -> int | float:
    """Parse a JSON integer exactly, or as a float if it has more than `MAX_DIGITS` digits."""
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def _sample(text: bytes) -> tuple[int, dict[str, list[object]]]:
    """Return the number of rows in the sample, and the values of each key in them."""
    values: dict[str, list[object]] = {}
    n_rows = 0
    for line in text.split(b"\n"):
        pairs = _pairs(line)
        if not pairs:
            continue
        # A later row may have keys that the first one lacks.
        for key, value in pairs:
            known = values.setdefault(key, [])
            if value is not None:
                known.append(value)
        n_rows += 1
        if n_rows == SAMPLE_LINES:
            break
    return n_rows, values


def _pairs(line: bytes) -> list[tuple[str, object]]:
    """Return the flattened key-value pairs of a line.

    The list is empty if the line is not an object or repeats a key; the parser reports the reason.
    """
    try:
        found = json.loads(
            line.decode("utf-8", "replace"),
            object_pairs_hook=_Object,
            parse_int=whole_number,
        )
        if isinstance(found, _Object):
            json.dumps(found, ensure_ascii=False).encode()  # fails for a lone surrogate
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, _Object) or _repeats_a_key(found):
        return []
    flat = list(_flat(found))
    return [] if _repeats_a_key(flat) else flat


def _repeats_a_key(pairs: Sequence[tuple[str, object]]) -> bool:
    return len(dict(pairs)) < len(pairs)


def _flat(pairs: Iterable[tuple[str, object]], before: str = "") -> Iterator[tuple[str, object]]:
    """Yield pairs, with keys of nested objects as ``outer.inner`` and lists joined by blanks."""
    for key, value in pairs:
        if isinstance(value, _Object):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, list):
            plain = [str(one) for one in value if not isinstance(one, list)]
            yield before + key, " ".join(plain) or None
        else:
            yield before + key, value


def _as_text(value: object) -> bytes:
    """Return a placeholder for a value, a number or a text, to guess the kind of its column."""
    return b"1" if isinstance(value, bool | int | float) else b"text"


def _span_of(row: bytes, column: str) -> tuple[int, int] | None:
    """Return the byte range of the value of a column in a row of nested objects; None if absent."""
    text = row.decode("utf-8", "surrogateescape")
    try:
        found = _span_within(text, text.index("{"), column)
    except (ValueError, RecursionError):
        return None
    if found is None:
        return None
    first, stop = found
    return _n_bytes(text[:first]), _n_bytes(text[:stop])


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _span_within(text: str, at: int, wanted: str) -> tuple[int, int] | None:
    """Return the character range of a value in the object that opens at `at`; None if absent."""
    decoder = json.JSONDecoder(parse_int=whole_number)
    at = _after_space(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = decoder.raw_decode(text, at)
        colon = _after_space(text, at)
        at = _after_space(text, colon + 1)
        _, stop = decoder.raw_decode(text, at)
        if key == wanted:
            return at, stop
        if wanted.startswith(f"{key}.") and text[at] == "{":
            found = _span_within(text, at, wanted.removeprefix(f"{key}."))
            if found is not None:
                return found
        comma = _after_space(text, stop)
        at = _after_space(text, comma + 1)
    return None


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in SPACE:
        at += 1
    return at


# ---------------------------------------------------------------------- arrays of objects


def _as_lines(source: Source) -> bytes:
    """Convert a JSON file to JSON lines: one object per line."""
    data = all_bytes(source)
    text = data.decode(json.detect_encoding(data), "surrogateescape").removeprefix("\ufeff")
    text = text.strip(SPACE)
    if text.startswith("["):
        # The text of each object is unchanged, so that errors report the right column.
        lines = [item.replace("\r", " ").replace("\n", " ") for item in _items(text, source.name)]
    else:
        rows = _rows_within(text)
        lines = [text]  # JSON lines in a file called .json
        if rows is not None:
            lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def _rows_within(text: str) -> list[object] | None:
    """Return the rows that a single JSON object contains; None if there are none.

    They are its only list of objects, or stored in the formats "split" and "columns" of pandas.
    """
    try:
        whole = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):  # one object per line
        return None
    if not isinstance(whole, dict) or not whole:
        return None

    values = list(whole.values())
    lists = [one for one in values if isinstance(one, list) and one and isinstance(one[0], dict)]
    if len(lists) == 1:
        return lists[0]

    # {"columns": [names], "data": [[values], ...]}
    names = whole.get("columns")
    rows = whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        return [dict(zip(names, row, strict=False)) for row in rows]

    # {name: {row: value, ...}, ...}
    if len(values) < 2 or not all(isinstance(one, dict) for one in values):
        return None
    keys = values[0].keys()
    if not keys or any(one.keys() != keys for one in values):
        return None
    return [{name: whole[name][key] for name in whole} for key in keys]


def _items(text: str, name: str) -> Iterator[str]:
    """Yield the source text of each value of a JSON array."""
    decoder = json.JSONDecoder(parse_int=whole_number)
    at = 1
    try:
        while True:
            at = _after_space(text, at)
            if text[at : at + 1] == "]":
                return
            _, end = decoder.raw_decode(text, at)
            yield text[at:end]
            at = _after_space(text, end)
            if text[at : at + 1] == ",":
                at += 1
            elif text[at : at + 1] != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    except json.JSONDecodeError as error:
        raise _not_an_array(error.msg, name, error.lineno, error.colno) from None
    except RecursionError:
        raise _not_an_array("too deep", name, None, None) from None


def _not_an_array(why: str, name: str, line: int | None, column: int | None) -> DataError:
    return DataError(
        f"not a whole JSON array: {why}",
        name=name,
        line=line,
        column=column,
        cures="fix it, or fetch the file again",
    )
