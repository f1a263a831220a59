"""Files that are read as a whole, as lines of text: a JSON array and the sheet of an Excel file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from rosenblatt.errors import DataError, MissingExtra
from rosenblatt.io.sources import Source, opened

SPACE = " \t\r\n"


def as_lines(source: Source, kind: str) -> Source:
    """The same rows as lines: objects of an array one a line, those of a sheet as CSV."""
    made = _objects if kind == "json" else _sheet
    return Source(source.name, lambda: io.BytesIO(made(source)), False)


def _bytes(source: Source) -> bytes:
    with opened(source) as stream, stream.copied() as copy:
        data: bytes = copy.read()
    return data


def _objects(source: Source) -> bytes:
    """The objects of an array, or of several lines, each on a line of its own."""
    data = _bytes(source)
    text = data.decode(json.detect_encoding(data), "surrogateescape").removeprefix("\ufeff")
    text = text.strip(SPACE)
    if not text.startswith("["):
        return text.encode("utf-8", "surrogateescape")
    lines = [item.replace("\r", " ").replace("\n", " ") for item in _items(text, source.name)]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def _items(text: str, name: str) -> Iterator[str]:
    """The texts of the values of an array."""
    decode, at = json.JSONDecoder(parse_int=float).raw_decode, 1
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
        book = CalamineWorkbook.from_filelike(io.BytesIO(_bytes(source)))
        rows = book.get_sheet_by_index(0).to_python(skip_empty_area=True)
    except CalamineError as error:
        raise DataError(
            f"not a whole Excel file: {error}", name=source.name, cures="write or fetch it again"
        ) from None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """A value as text: whole numbers without a point, which a sheet does not know apart."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return int(value) if isinstance(value, float) and value.is_integer() else value
