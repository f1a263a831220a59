"""How pandas, DuckDB and pyarrow read a table, and their documented rules, by which they differ.

A peer is told what a user would tell it: the delimiter, the encoding, the marks of numbers, whether
there is a header; and it gets the table without what stands above and below. Kinds and values it
finds out by itself.

A rule predicts, from the texts of a column alone, the value that a peer makes of a cell. A
difference is explained if a rule predicts the value that the peer gave, and by nothing else.
"""

from __future__ import annotations

import datetime
import functools
import io
import math
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference.generated_tables import GeneratedTable, Layout

# What a rule says of a cell that it does not speak of.
NOTHING = object()
PEERS = ("pandas", "pyarrow", "duckdb")


@dataclass
class Reading:
    """What a reader made of a file: columns of values in order, or why it refused."""

    names: list[str]
    columns: list[list[Any]]
    refused: str | None = None

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0


def plain(value: Any) -> Any:
    """A value of a reader as Python has it; None for what is not known."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date()  # DuckDB has one type for all columns of dates of a file
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same: 1 and 1.0 are, True and 1 are not, nor "1" and 1."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, int | float) != isinstance(other, int | float):
        return False
    return bool(one == other)  # Python compares int and float to the last digit


# ---------------------------------------------------------------------- the readers


def read(peer: str, table: GeneratedTable) -> Reading:
    """Read a table by one of the peers."""
    reader = {"pandas": _by_pandas, "pyarrow": _by_pyarrow, "duckdb": _by_duckdb}[peer]
    return reader(table)


def _by_pandas(table: GeneratedTable) -> Reading:
    import pandas

    layout = table.layout
    options: dict[str, Any] = {"index_col": False} if layout.trailing_delimiter == "rows" else {}
    if told_thousands(layout):
        options["thousands"] = layout.thousands
    try:
        with warnings.catch_warnings():
            # That a row is longer than the others, which index_col=False cuts.
            warnings.simplefilter("ignore", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                io.BytesIO(table.data(table_only=True)),
                sep=layout.delimiter,
                header=0 if layout.header else None,
                decimal=layout.decimal,
                encoding=layout.encoding,
                **options,
            )
    except (pandas.errors.ParserError, ValueError) as error:
        return Reading([], [], str(error))
    columns = [[plain(value) for value in frame.iloc[:, i]] for i in range(frame.shape[1])]
    return Reading([str(name) for name in frame.columns], columns)


def _by_pyarrow(table: GeneratedTable) -> Reading:
    import pyarrow
    from pyarrow import csv

    layout = table.layout
    try:
        found = csv.read_csv(
            io.BytesIO(table.data(table_only=True)),
            csv.ReadOptions(autogenerate_column_names=not layout.header, encoding=layout.encoding),
            csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            csv.ConvertOptions(decimal_point=layout.decimal),
        )
    except pyarrow.ArrowInvalid as error:
        return Reading([], [], str(error))
    columns = [[plain(value) for value in column.to_pylist()] for column in found.columns]
    return Reading(found.column_names, columns)


def _by_duckdb(table: GeneratedTable) -> Reading:
    import duckdb

    layout = table.layout
    options = {
        "delim": layout.delimiter,
        "header": layout.header,
        "quote": '"',
        "escape": '"',
        "decimal_separator": layout.decimal,
        "skip": 0,
        "comment": "",
    }
    if told_thousands(layout):
        options["thousands"] = layout.thousands
    names = ", ".join(f"{name} = ?" for name in options)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "table.csv"
        # Of other encodings than UTF-8 it knows two without an extension.
        path.write_bytes(table.text(table_only=True).encode())
        try:
            found = connection.execute(
                f"SELECT * FROM read_csv(?, {names})", [str(path), *options.values()]
            )
            columns = [name for name, *_ in found.description or ()]
            rows = found.fetchall()
        except duckdb.Error as error:
            return Reading([], [], str(error))
    return Reading(columns, [[plain(row[i]) for row in rows] for i in range(len(columns))])


# ---------------------------------------------------------------------- rules


@dataclass(frozen=True, eq=False)
class ColumnTexts:
    """A column as it is written, which is all that a rule may look at."""

    layout: Layout
    texts: Sequence[str]


@dataclass(frozen=True)
class Cell:
    """A cell of a column."""

    column: ColumnTexts
    row: int

    @property
    def text(self) -> str:
        return self.column.texts[self.row]

    @property
    def layout(self) -> Layout:
        return self.column.layout


@dataclass(frozen=True)
class Rule:
    """A documented rule of a peer: `explains` whether it makes this value of a cell.

    `example` is a column of which no other rule explains what the peer makes of the last cell.
    """

    peer: str
    name: str
    says: str
    explains: Callable[[Cell, Any], bool]
    example: tuple[str, ...]


# The words that stand for a gap if nothing else is said: `na_values` of pandas.read_csv,
# `null_values` of pyarrow.csv.ConvertOptions, `nullstr` of DuckDB's read_csv.
_SHARED_GAPS = {
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
}
GAPS = {
    "pandas": {*_SHARED_GAPS, "None", "<NA>"},
    "pyarrow": _SHARED_GAPS,
    "duckdb": {""},
}
# The words that are booleans if a column has no others.
_SHARED_TRUTHS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
TRUTHS = {
    "pandas": _SHARED_TRUTHS,
    "pyarrow": _SHARED_TRUTHS,
    "duckdb": {**_SHARED_TRUTHS, "yes": True, "no": False, "T": True, "F": False},
}
DATE_FORMS = {
    "pandas": (),
    "pyarrow": ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%H:%M"),
    "duckdb": ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%H:%M", "%d.%m.%Y", "%m/%d/%Y"),
}
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def told_thousands(layout: Layout) -> str:
    """The mark between thousands, if pandas and DuckDB can be told it: one of a single byte."""
    return layout.thousands if layout.thousands.isascii() else ""


def known_texts(peer: str, column: ColumnTexts) -> list[str]:
    """The texts of a column that are no gaps for the peer."""
    return [text for text in column.texts if text not in GAPS[peer]]


def number_of(peer: str, text: str, layout: Layout) -> int | float | None:
    """The number that a peer reads in a text, by the grammar of its documentation."""
    unstripped = text
    # Blanks round a number do no harm, except to DuckDB if it is told marks of numbers.
    if peer != "duckdb" or (layout.decimal == "." and not told_thousands(layout)):
        text = text.strip(" ")
    if _INFINITY.fullmatch(unstripped if peer == "pandas" else text):
        return float(text)
    if peer == "duckdb" and text.startswith("+"):
        return None
    # pyarrow knows no mark between thousands.
    if peer != "pyarrow":
        text = text.replace(told_thousands(layout), "")
    if layout.decimal != ".":
        if "." in text:
            return None
        text = text.replace(layout.decimal, ".")
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        return float(text)
    return None


def has_leading_zero(text: str) -> bool:
    return re.fullmatch(r"[+-]?0\d+", text.strip()) is not None


# Asked for every cell of a column.
@functools.lru_cache(maxsize=100)
def is_number_column(peer: str, column: ColumnTexts) -> bool:
    known = known_texts(peer, column)
    found = [number_of(peer, text, column.layout) for text in known]
    if None in found:
        return False
    if peer == "duckdb":
        # Zeros in front are kept, and blanks behind a number are not taken if one has a fraction.
        blank_behind = any(text.endswith(" ") for text in known)
        fractions = any(isinstance(number, float) for number in found)
        return not any(map(has_leading_zero, known)) and not (blank_behind and fractions)
    return True


@functools.lru_cache(maxsize=100)
def has_leading_zeros(peer: str, column: ColumnTexts) -> bool:
    return any(map(has_leading_zero, known_texts(peer, column)))


@functools.lru_cache(maxsize=100)
def is_boolean_column(peer: str, column: ColumnTexts) -> bool:
    return all(text.strip(" ") in TRUTHS[peer] for text in known_texts(peer, column))


@functools.lru_cache(maxsize=100)
def is_date_column(peer: str, column: ColumnTexts) -> bool:
    return all(date_of(peer, text.strip(" ")) is not None for text in known_texts(peer, column))


def date_of(peer: str, text: str) -> datetime.date | datetime.time | None:
    """The date or time that a peer reads in a text, if it is written in one of its forms."""
    for form in DATE_FORMS[peer]:
        try:
            found = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        if "%Y" not in form:
            return found.time()
        return found if "%H" in form else found.date()
    return None


def _text_as_it_stands(peer: str) -> Callable[[Cell, Any], bool]:
    def explains(cell: Cell, found: Any) -> bool:
        # A column of strings has no nulls in pyarrow, unless strings_can_be_null is said.
        is_gap = cell.text in GAPS[peer] and peer != "pyarrow"
        is_as_it_stands = same(found, None if is_gap else cell.text)
        return is_as_it_stands and not is_number_column(peer, cell.column)

    return explains


def _boolean(peer: str) -> Callable[[Cell, Any], bool]:
    def explains(cell: Cell, found: Any) -> bool:
        expected = TRUTHS[peer].get(cell.text.strip(" "))
        return same(found, expected) and is_boolean_column(peer, cell.column)

    return explains


def _leading_zeros(peer: str) -> Callable[[Cell, Any], bool]:
    def explains(cell: Cell, found: Any) -> bool:
        return (
            same(found, number_of(peer, cell.text, cell.layout))
            and has_leading_zeros(peer, cell.column)
            and is_number_column(peer, cell.column)
        )

    return explains


def _date(peer: str) -> Callable[[Cell, Any], bool]:
    def explains(cell: Cell, found: Any) -> bool:
        expected = date_of(peer, cell.text.strip(" "))
        return same(found, expected) and is_date_column(peer, cell.column)

    return explains


def _infinity(peer: str) -> Callable[[Cell, Any], bool]:
    def explains(cell: Cell, found: Any) -> bool:
        text = cell.text.strip(" ")
        return _INFINITY.fullmatch(text) is not None and same(found, float(text))

    return explains


def _nearly(cell: Cell, found: Any) -> bool:
    """Whether a number with an exponent differs in its last bits only."""
    right = number_of("pandas", cell.text, cell.layout)
    if not isinstance(right, float) or not isinstance(found, float) or math.isinf(right):
        return False
    return "e" in cell.text.lower() and abs(found - right) <= 4 * math.ulp(right)


TEXTS = (
    "a column with a cell that is neither a number nor one of its gaps is a column of texts, "
    "which are kept as they stand, blanks included"
)
BOOLEANS = "a column of nothing but the words for true and false is one of booleans"
DIGITS = "digits are a number, whatever they begin with"
RULES = (
    Rule("pandas", "texts", TEXTS, _text_as_it_stands("pandas"), ("?", "12")),
    Rule("pyarrow", "texts", TEXTS, _text_as_it_stands("pyarrow"), ("?", "12")),
    Rule("duckdb", "texts", TEXTS, _text_as_it_stands("duckdb"), ("NA", "12")),
    Rule("pandas", "booleans", BOOLEANS, _boolean("pandas"), ("false", "true")),
    Rule("pyarrow", "booleans", BOOLEANS, _boolean("pyarrow"), ("false", "true")),
    Rule("duckdb", "booleans", BOOLEANS, _boolean("duckdb"), ("no", "yes")),
    Rule("pandas", "digits", DIGITS, _leading_zeros("pandas"), ("7", "007")),
    Rule("pyarrow", "digits", DIGITS, _leading_zeros("pyarrow"), ("7", "007")),
    Rule("pyarrow", "dates", "ISO 8601", _date("pyarrow"), ("2024-05-02", "2024-05-01")),
    Rule("duckdb", "dates", "the form is found out", _date("duckdb"), ("30.05.2024", "31.05.2024")),
    Rule("pandas", "last bits", "the fast converter (float_precision)", _nearly, ("1", "9.6e+26")),
    Rule("pandas", "infinity", "inf is a number", _infinity("pandas"), ("1.5", "inf")),
    Rule("pyarrow", "infinity", "inf is a number", _infinity("pyarrow"), ("1.5", "inf")),
    Rule("duckdb", "infinity", "inf is a number", _infinity("duckdb"), ("1.5", "inf")),
)


def explaining(peer: str, cell: Cell, found: Any, rules: Sequence[Rule] = RULES) -> list[Rule]:
    """The rules by which a peer makes this value of a cell."""
    return [rule for rule in rules if rule.peer == peer and rule.explains(cell, found)]


# ---------------------------------------------------------------------- whole files


def refuses_by_rule(peer: str, table: GeneratedTable) -> str | None:
    """The rule by which a peer refuses a file, if there is one."""
    layout = table.layout
    if peer == "pyarrow" and layout.header and layout.trailing_delimiter == "rows":
        return "rows have more fields than the header"
    # The first line break, be it in quotes, is taken for the end of every line (`new_line`).
    first = re.search(r"\r\n|\n|\r", table.text(table_only=True))
    if peer == "duckdb" and first is not None and first[0] != layout.newline:
        return "line breaks of two kinds"
    return None


def in_shape(peer: str, table: GeneratedTable, reading: Reading) -> Reading:
    """A reading without the rows and columns that a rule adds to the table."""
    names = reading.names
    columns = reading.columns
    # Behind a delimiter at the end of every line stands a column without values.
    is_one_more = len(columns) == len(table.columns) + 1
    if table.layout.trailing_delimiter and is_one_more and is_empty(columns[-1]):
        names = names[:-1]
        columns = columns[:-1]
    # If rows have a single field, DuckDB takes a blank line for one without a value.
    n_blank = table.layout.blank_lines_at_end
    takes_blank_lines = peer == "duckdb" and len(table.columns) == 1 and n_blank > 0
    if takes_blank_lines and is_empty(columns[0][-n_blank:]):
        columns = [columns[0][:-n_blank]]
    return Reading(names, columns)


def is_empty(values: Sequence[Any]) -> bool:
    return all(value is None for value in values)
