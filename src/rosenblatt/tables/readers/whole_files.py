"""Files that are read as a whole, as lines of text: a JSON array and the sheet of an Excel file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rosenblatt.errors import DataError, MissingExtra
from rosenblatt.tables.readers.delimited import open_csv
from rosenblatt.tables.readers.fault_messages import Assumption, notice, quoted
from rosenblatt.tables.readers.jsonl import open_json_lines, whole_number
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.sources import Source, all_bytes, converted
from rosenblatt.tables.readers.table import Table, TableRequest

SPACE = " \t\r\n"


def open_json(request: TableRequest) -> Reader[Table]:
    """Open JSON files: an array of objects, or what else holds rows."""
    return open_json_lines(replace(request, given=converted(request.given, _objects)))


def open_excel(request: TableRequest) -> Reader[Table]:
    """Open Excel files: the first sheet that holds a table, as CSV."""
    written = {**request.written, "delimiter": ",", "quote": '"'}
    return open_csv(replace(request, given=converted(request.given, _sheet), written=written))


def _objects(source: Source) -> bytes:
    """The objects of an array, or of several lines, each on a line of its own."""
    data = all_bytes(source)
    text = data.decode(json.detect_encoding(data), "surrogateescape").removeprefix("\ufeff")
    text = text.strip(SPACE)
    if not text.startswith("["):
        rows = _rows_within(text)
        lines = [text] if rows is None else [json.dumps(row, ensure_ascii=False) for row in rows]
        return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")
    lines = [item.replace("\r", " ").replace("\n", " ") for item in _items(text, source.name)]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def _rows_within(text: str) -> list[Any] | None:
    """The rows of one object: its only list of objects, or what pandas writes; None if none."""
    try:
        whole = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):  # one object a line
        return None
    values = list(whole.values()) if isinstance(whole, dict) else []
    lists = [one for one in values if isinstance(one, list) and one and isinstance(one[0], dict)]
    if len(lists) == 1:
        return lists[0]
    names, rows = (whole.get(name) for name in ("columns", "data")) if values else (None, None)
    if isinstance(names, list) and isinstance(rows, list):
        return [dict(zip(names, row, strict=False)) for row in rows]
    keys = [one.keys() if isinstance(one, dict) else None for one in values]
    if len(keys) < 2 or not keys[0] or any(found != keys[0] for found in keys):
        return None
    return [{name: whole[name][key] for name in whole} for key in keys[0]]


def _items(text: str, name: str) -> Iterator[str]:
    """The texts of the values of an array."""
    decode, at = json.JSONDecoder(parse_int=whole_number).raw_decode, 1
    try:
        while True:
            at = _after_space(text, at)
            if text[at : at + 1] == "]":
                return
            _, end = decode(text, at)
            yield text[at:end]
            at = _after_space(text, end)
            if text[at : at + 1] == ",":
                at += 1
            elif text[at : at + 1] != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    except (json.JSONDecodeError, RecursionError) as error:
        line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
        raise DataError(
            f"not a whole JSON array: {getattr(error, 'msg', 'too deep')}",
            name=name,
            line=line,
            column=column,
            cures="fix it, or fetch the file again",
        ) from None


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in SPACE:
        at += 1
    return at


def _sheet(source: Source) -> bytes:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtra("reading Excel files needs python-calamine", extra="excel") from None
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(all_bytes(source)))
        names = list(book.sheet_names)
        sheets = {
            name: book.get_sheet_by_name(name).to_python(skip_empty_area=True) for name in names
        }
    except CalamineError as error:
        raise DataError(
            f"not a whole Excel file: {error}", name=source.name, cures="write or fetch it again"
        ) from None
    tables = [name for name, rows in sheets.items() if len(rows) > 1 and len(rows[0]) > 1]
    chosen = (tables or names)[0]
    if chosen != names[0]:
        what = f"the sheet {quoted(chosen)} is read, the first that holds a table"
        notice(Assumption, f"{source.name}: {what}")
    rows, text = sheets[chosen], io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """A value as text: whole numbers without a point, which a sheet does not know apart."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return int(value) if isinstance(value, float) and value.is_integer() else value
