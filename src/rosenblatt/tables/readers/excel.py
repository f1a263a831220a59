"""Reader of Excel files: the first sheet that holds a table is converted to CSV and read."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rosenblatt.errors import DataError, MissingExtra
from rosenblatt.tables.readers.delimited import open_csv
from rosenblatt.tables.readers.fault_messages import Assumption, notice, quoted
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.sources import Source, all_bytes, converted
from rosenblatt.tables.readers.table import Table, TableRequest

Sheet = Sequence[Sequence[Any]]


def open_excel(request: TableRequest) -> Reader[Table]:
    """Open Excel files; the first sheet that holds a table is converted to CSV and read."""
    written = {**request.written, "delimiter": ",", "quote": '"'}
    return open_csv(replace(request, given=converted(request.given, _as_csv), written=written))


def _as_csv(source: Source) -> bytes:
    """Return the first sheet that holds a table, or else the first sheet, as CSV."""
    sheets = _sheets(source)
    names = list(sheets)
    tables = [name for name in names if len(sheets[name]) > 1 and len(sheets[name][0]) > 1]
    chosen = (tables or names)[0]
    if chosen != names[0]:
        what = f"the sheet {quoted(chosen)} is read, the first that holds a table"
        notice(Assumption, f"{source.name}: {what}")

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in sheets[chosen]:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue().encode("utf-8", "replace")


def _sheets(source: Source) -> dict[str, Sheet]:
    """Return all sheets by name, in order."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtra("reading Excel files needs python-calamine", extra="excel") from None
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(all_bytes(source)))
        return {
            name: book.get_sheet_by_name(name).to_python(skip_empty_area=True)
            for name in book.sheet_names
        }
    except CalamineError as error:
        raise DataError(
            f"not a whole Excel file: {error}", name=source.name, cures="write or fetch it again"
        ) from None


def _cell(value: object) -> object:
    """Return a cell value for CSV; whole numbers, which sheets store as floats, become int."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
