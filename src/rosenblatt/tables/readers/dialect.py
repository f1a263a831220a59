"""Detection of the dialect of delimited text: delimiter, quote, number style and header."""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import Message
from rosenblatt.plurals import count
from rosenblatt.tables.readers.lines import check_encoding
from rosenblatt.tables.readers.number_style import GAPS, kind_of, number_style

DELIMITERS = (",", ";", "\t", "|", " ")
QUOTES = ('"', "'")
# Also the blanks that typographers put between thousands: no-break, narrow no-break, thin.
THOUSANDS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "\u2009")
NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
# Usual names of the target column, in order of preference.
TARGETS = ("label", "target", "class", "y")
# The first characters of comments above the header.
COMMENTS = ("#", "%")
# First words of a totals row.
SUMS = {
    *("total", "totals", "grand total", "subtotal", "sum", "average", "mean", "count"),
    *("summe", "gesamt", "gesamtsumme", "mittelwert", "durchschnitt", "anzahl"),
    *("somme", "moyenne", "totale", "media", "suma", "promedio", "totaal"),
}

# The sample from which a dialect is detected.
JUDGED_CHARACTERS = 1 << 16  # first characters of the text
JUDGED_LINES = 5  # lines, at least, however long they are
ROWS_OF_HEADER = 20  # first rows in which the header is searched
LONGEST_SHOWN = 40  # characters of a line shown in a warning, at most
# Consecutive numbers from this range in the first row are years, which name columns.
FIRST_YEAR = 1900
LAST_YEAR = 2100

# Scores by which delimiters and quotes are compared (`_score`); a perfect fit scores 1.
POINTS_FOR_WANTED_COLUMNS = 10
POINTS_PER_COLUMN = 0.001  # decides between delimiters that fit equally well
MAX_COLUMNS_WITH_POINTS = 20
FIRST_ROW_MISMATCH_FACTOR = 0.8
SHARE_OF_BLANKS = 0.7  # a blank is more often part of a text than a delimiter

_COMMA_NUMBER = re.compile(r"[+-]?\d+([.,'\u2019 \u00a0\u202f\u2009]\d{3})*([.,]\d+)?")
_RULE = re.compile(r"[\s|+=:-]*-[\s|+=:-]*")
_ROW_COUNT = re.compile(r"\(\d+ rows?\)")


@dataclass(frozen=True)
class Dialect:
    """Dialect of delimited text: delimiter, quote, header, encoding and number style.

    `unnamed` is "first" or "last" if the header lacks the name of that column, `signs` whether
    numbers have currency or percent signs, `units` whether the units of the columns are in the row
    below the header. Comments belong to a single file and are not part of the dialect.
    """

    delimiter: str = ","
    quote: str = '"'
    decimal: str = "."
    thousands: str | None = None
    signs: bool = False
    header: bool = True
    unnamed: str = ""
    units: bool = False
    encoding: str = "utf-8"

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from those of a plain CSV file."""
        plain = asdict(Dialect())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Dialect:
        """Return the dialect for a result of `to_json`.

        Raise ParameterError, TypeError or ValueError if it is invalid.
        """
        # `thousands` is None by default, and a text if it is written.
        types = {name: type(value) for name, value in asdict(Dialect(thousands=",")).items()}
        for field in fields(cls):
            if field.name in given and type(given[field.name]) is not types[field.name]:
                raise ValueError(f"the {field.name} of the dialect cannot be")
        return check(cls(**given))


@dataclass(frozen=True)
class Layout:
    """Layout of a file: everything needed to start parsing at any of its rows.

    A reader that gets a layout as its dialect is given rows of that file only, and detects nothing.

    Attributes
    ----------
    dialect : Dialect
    names : tuple of str
        The columns.
    ignored : tuple of str
        Columns without names and values.
    target : str or None
    comment : str or None
        The first character of comments, if the file has some.
    n_lines : int
        How many lines are above the first row.
    has_more : bool
        Whether other rows of the file follow.
    """

    dialect: Dialect
    names: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    target: str | None = None
    comment: str | None = None
    n_lines: int = 0
    has_more: bool = False


def check(dialect: Dialect) -> Dialect:
    """Return the dialect unchanged, or raise ParameterError if it is invalid."""
    delimiter = dialect.delimiter
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise refusal("delimiter", delimiter, Message("one character, as ", one_of([",", ";"])))
    if not delimiter.isascii() or delimiter.isalnum() or delimiter in "+-.":
        part = "can be part of a number or a word"
        raise refusal("delimiter", delimiter, one_of([",", ";", "|", "\t"]), verdict=part)
    if dialect.quote not in QUOTES:
        raise refusal("quote", dialect.quote, one_of(QUOTES))
    if dialect.decimal not in (".", ","):
        raise refusal("decimal", dialect.decimal, one_of([".", ","]))
    if dialect.thousands is not None and dialect.thousands not in THOUSANDS:
        raise refusal("thousands", dialect.thousands, one_of([".", ",", "'", " "]))
    if dialect.thousands == dialect.decimal:
        raise refusal("thousands", dialect.thousands, "another mark than the decimal one")
    for name, value in (("header", dialect.header), ("units", dialect.units)):
        if not isinstance(value, bool):
            raise refusal(name, value, "True or False")
    if dialect.unnamed not in ("", "first", "last"):
        raise refusal("unnamed", dialect.unnamed, one_of(["first", "last"]))
    check_encoding(dialect.encoding)
    return dialect


# ---------------------------------------------------------------------- sniffing


class Row(NamedTuple):
    """Fields of a row, and the index of the line on which it begins, from 0."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Sniffed:
    """Result of detecting the dialect of a file from its first lines.

    Attributes
    ----------
    dialect : Dialect
    skipped : int
        Characters before the header or first row.
    rows : list of list of str
        The header, if there is one, and the rows.
    assumptions : list of str
        What a warning reports, since it is unusual.
    comment : str or None
        The first character of comments, if some are above the header.
    """

    dialect: Dialect
    skipped: int
    rows: list[list[str]]
    assumptions: list[str]
    comment: str | None = None


def sniff(
    text: str,
    given: Mapping[str, Any],
    wanted: Collection[str] = (),
    usual: str = ",",
) -> Sniffed:
    """Detect the dialect of a text from its first lines.

    Fields of the dialect that are `given` are taken as they are, `wanted` columns must be there,
    and the delimiter is the `usual` one if nothing speaks for another.
    """
    return _Sniffer(given, wanted, usual).sniff(_first_lines(text))


class _Sniffer:
    """Detector of a dialect, which goes through the first lines of a file from top to bottom."""

    def __init__(self, given: Mapping[str, Any], wanted: Collection[str], usual: str) -> None:
        self._given = given
        self._wanted = wanted
        self._usual = usual
        # If the caller names delimiter and header, only number styles are detected.
        self._knows_layout = {"delimiter", "header"} <= given.keys()
        self._skipped = 0
        self._comment: str | None = None
        self._assumptions: list[str] = []

    def sniff(self, lines: list[str]) -> Sniffed:
        if not self._knows_layout:
            lines = self._skip_delimiter_line(lines)
            lines = self._skip_comments(lines)
        dialect, parsed = _separated(lines, self._given, self._wanted, self._usual)
        rows = [row.cells for row in parsed]
        if not self._knows_layout:
            rows = self._skip_titles(lines, parsed)

        has_rule = (
            len(rows) > 1 and dialect.delimiter == "|" and is_rule("|".join(rows[1]).encode())
        )
        if has_rule:
            rows.pop(1)
        rows = [row for row in rows if not _is_row_count(row)]
        if self._comment is not None:
            width = _width(rows)
            mark = self._comment
            rows = [row for row in rows if len(row) == width or not row[0].startswith(mark)]

        dialect = self._with_number_style(dialect, rows)
        dialect = self._with_header(dialect, rows, has_rule)
        self._assumptions += _unusual(dialect, self._given, self._usual)
        return Sniffed(check(dialect), self._skipped, rows, self._assumptions, self._comment)

    # ------------------------------------------------------------------ lines above the header

    def _skip(self, lines: list[str], n: int) -> list[str]:
        self._skipped += sum(len(line) + 1 for line in lines[:n])
        return lines[n:]

    def _skip_delimiter_line(self, lines: list[str]) -> list[str]:
        """Skip a first line such as ``sep=;``, which Excel writes, and use its delimiter."""
        first = lines[0].rstrip("\r")
        if not first.lower().startswith("sep=") or len(first) != len("sep=;"):
            return lines
        self._given = {"delimiter": first[-1], **self._given}
        return self._skip(lines, 1)

    def _skip_comments(self, lines: list[str]) -> list[str]:
        n_above = _count_comment_lines(lines, self._given, self._wanted, self._usual)
        comments = [line for line in lines[:n_above] if line.strip()]
        if not comments:
            return lines
        self._comment = comments[0][0]
        self._assumptions.append(comments_skipped(len(comments)))
        return self._skip(lines, n_above)

    def _skip_titles(self, lines: list[str], parsed: list[Row]) -> list[list[str]]:
        """Skip title lines above the header; return the rows from the header on."""
        first_line, rows = _without_preamble(parsed, self._wanted)
        titles = [line for line in lines[:first_line] if line.strip()]
        if titles:
            self._assumptions.append(_titles_skipped(titles))
        self._skip(lines, first_line)
        return rows

    # ------------------------------------------------------------------ header and numbers

    def _with_number_style(self, dialect: Dialect, rows: list[list[str]]) -> Dialect:
        body = _body(rows)
        width = _width(body)
        columns = zip(*(row for row in body if len(row) == width), strict=True)
        decimal, thousands, signs = number_style(columns, dialect.delimiter, self._given)
        return replace(dialect, decimal=decimal, thousands=thousands, signs=signs)

    def _with_header(self, dialect: Dialect, rows: list[list[str]], has_rule: bool) -> Dialect:
        """Return the dialect with the detected header, unnamed column and row of units.

        The row of units is removed from `rows`.
        """
        if "header" not in self._given:
            dialect = replace(dialect, header=has_rule or _has_header(rows, self._wanted))
        if not dialect.header:
            return dialect

        body = _body(rows)
        width = _width(body)
        if len(rows) > 1 and len(rows[0]) == width - 1:
            # An index column is the first; behind a last delimiter there is an empty column.
            last_has_values = any(row[-1].strip() for row in body if len(row) == width)
            dialect = replace(dialect, unnamed="first" if last_has_values else "last")
        if not self._knows_layout and len(rows) > JUDGED_LINES and _are_units(rows[1], rows[2:]):
            shown = ", ".join(rows.pop(1))[:LONGEST_SHOWN]
            self._assumptions.append(f"{shown!r} below the header taken as units")
            dialect = replace(dialect, units=True)
        return dialect


def _body(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows without the first, which may be a header, unless it is the only one."""
    return rows[1:] if len(rows) > 1 else rows


def comments_skipped(n: int) -> str:
    """Return the part of a warning that reports `n` comment lines above the header or first row."""
    return f"{count(n, 'comment line')} skipped before the header"


def _titles_skipped(titles: Sequence[str]) -> str:
    more = f" and {count(len(titles) - 1, 'more line')}" if len(titles) > 1 else ""
    return f"{titles[0].strip()[:LONGEST_SHOWN]!r}{more} skipped before the header"


def _unusual(dialect: Dialect, given: Mapping[str, object], usual: str) -> list[str]:
    """Describe the detected properties of a dialect that are unusual, for a warning."""
    found: dict[str, str] = {}
    if dialect.delimiter != usual:
        name = NAMES.get(dialect.delimiter, repr(dialect.delimiter))
        found["delimiter"] = f"{name} between fields"
    if dialect.quote == "'":
        found["quote"] = "apostrophes as quotes"
    if not dialect.header:
        found["header"] = "no header, so the columns are called 1, 2, …"
    if dialect.decimal == ",":
        found["decimal"] = "a decimal comma"
    if dialect.thousands:
        found["thousands"] = f"{dialect.thousands!r} between thousands"
    return [words for name, words in found.items() if name not in given]


def _first_lines(text: str) -> list[str]:
    """Return the first lines of a text, enough to detect its dialect even below many comments."""
    lines = text.split("\n")
    size = 0
    n_judged = 0
    for place, line in enumerate(lines):
        if n_judged == 0 and line.startswith(COMMENTS):
            continue
        size += len(line)
        n_judged += 1
        if size > JUDGED_CHARACTERS and n_judged > JUDGED_LINES + 1:
            return lines[:place]
    return lines


# ---------------------------------------------------------------------- comments


def _count_comment_lines(
    lines: Sequence[str], given: Mapping[str, Any], wanted: Collection[str], usual: str
) -> int:
    """Return the number of comment lines at the top, including blank lines between them.

    A line that begins like a comment and is as wide as the rows is not one: it is the header, as
    in "#chrom", or a row that begins with the mark. It is a comment only if another header follows.
    """
    first = next((line for line in lines if line.strip()), "")
    mark = first[:1]
    if mark not in COMMENTS:
        return 0
    n_top = 0
    while n_top < len(lines) and (lines[n_top].startswith(mark) or not lines[n_top].strip()):
        n_top += 1

    # The rows below show how wide a row is.
    dialect, parsed = _separated(lines[n_top:], given, wanted, usual)
    below = [row.cells for row in parsed]
    width = _width(below)
    if width == 0:
        return 0
    if _is_header(below[0], below[1:], wanted):
        return n_top

    # The lines right above these rows that are as wide.
    start = n_top
    wide: list[list[str]] = []
    while start > 0:
        cut = _parsed(lines[start - 1 : start], dialect.delimiter, dialect.quote)
        if cut and len(cut[0].cells) != width:
            break
        wide[:0] = [row.cells for row in cut]
        start -= 1
    if not wide:
        return n_top
    if _is_header(wide[-1], below, wanted):
        while not lines[n_top - 1].strip():
            n_top -= 1
        return n_top - 1
    if len(wide) == 1 and _is_prose(wide[0]) and _has_header(below, wanted):
        return n_top
    return start


def _is_header(row: Sequence[str], below: Sequence[Sequence[str]], wanted: Collection[str]) -> bool:
    """Return whether a row is clearly a header: the wanted names, or words over number columns."""
    cells = [cell.strip() for cell in row]
    if wanted and set(wanted) <= set(cells):
        return True
    over_numbers: list[str] = []
    for cell, kind in zip(cells, _kinds(below, len(row)), strict=False):
        if kind == "number" and cell not in GAPS:
            over_numbers.append(kind_of(cell))
    return 2 * over_numbers.count("text") > len(over_numbers)


def _is_prose(row: Sequence[str]) -> bool:
    """Return whether a comment is prose: a blank after the mark, and several words in a field."""
    words = row[0][1:]
    return words.startswith(" ") and any(len(cell.split()) > 1 for cell in (words, *row[1:]))


# ---------------------------------------------------------------------- fields


def _separated(
    lines: Sequence[str],
    given: Mapping[str, Any],
    wanted: Collection[str],
    usual: str,
) -> tuple[Dialect, list[Row]]:
    """Return the dialect with the best-scoring delimiter and quote, and the rows parsed with it."""
    delimiters = [given["delimiter"]] if "delimiter" in given else [usual, *DELIMITERS]
    best_score = -math.inf
    best: tuple[Dialect, list[Row]] | None = None
    for delimiter in dict.fromkeys(delimiters):
        quotes = [given["quote"]] if "quote" in given else _quotes(lines, delimiter)
        for quote in quotes:
            rows = _parsed(lines, delimiter, quote)
            score = _score([row.cells for row in rows], delimiter)
            if wanted and _has_wanted(rows[:ROWS_OF_HEADER], wanted):
                score += POINTS_FOR_WANTED_COLUMNS
            # The first of equal scores wins; the tolerance absorbs rounding errors.
            if best is None or score > best_score + 1e-9:
                best_score = score
                best = _known(given, delimiter=delimiter, quote=quote), rows
    assert best is not None
    return best


def _has_wanted(rows: list[Row], wanted: Collection[str]) -> bool:
    return any(set(wanted) <= {name.strip() for name in row.cells} for row in rows)


def _quotes(lines: Sequence[str], delimiter: str) -> Sequence[str]:
    """Return the quote characters to try with a delimiter."""
    text = "\n" + "\n".join(lines)
    mark = re.escape(delimiter)
    n_double = len(re.findall(rf'[\n{mark}]"', text))
    n_single = len(re.findall(rf"[\n{mark}]'", text))
    # A word may begin with an apostrophe, but then hardly any field ends with one.
    n_closed = len(re.findall(rf"'\r?(?={mark}|\n|$)", text))
    are_frequent = n_single > max(n_double, len(lines) // 2)
    are_closed = n_single > n_double and n_single == n_closed
    return QUOTES if are_frequent or are_closed else QUOTES[:1]


def _known(given: Mapping[str, Any], **found: Any) -> Dialect:
    """Return a dialect with the `found` values, overridden by those that the caller gave."""
    named = {name: value for name, value in given.items() if value is not None}
    return Dialect(**{**found, **named})


def _parsed(lines: Sequence[str], delimiter: str, quote: str) -> list[Row]:
    """Parse lines into rows, up to the first fault; blank lines are left out."""
    reader = csv.reader(
        (line.rstrip("\r") + "\n" for line in lines),
        delimiter=delimiter,
        quotechar=quote,
        skipinitialspace=True,
    )
    rows: list[Row] = []
    line = 0
    try:
        for cells in reader:
            is_blank = not cells or (len(cells) == 1 and not cells[0].strip())
            if not is_blank:
                # A blank at the end of a line does not delimit one more field.
                if delimiter == " " and cells[-1] == "":
                    cells = cells[:-1]
                rows.append(Row(line, cells))
            line = reader.line_num
    except csv.Error:
        pass
    return rows


def _score(rows: list[list[str]], delimiter: str) -> float:
    """Return the score of parsed rows: the share of usual width times the share of clean fields."""
    width = _width(rows)
    if delimiter == "," and _are_numbers_with_commas(rows):
        return -1.0
    if width < 2:
        return 0.0

    fit = [row for row in rows if len(row) == width]
    others = {";", "\t", "|"} - {delimiter}
    n_cells = 0
    n_foul = 0
    for cell in itertools.chain.from_iterable(fit):
        text = cell.strip()
        n_cells += 1
        if any(mark in text for mark in others):
            n_foul += 1
        # Quotes that remain around a field belong to another dialect.
        if len(text) > 1 and text[0] in QUOTES and text[0] == text[-1]:
            n_foul += 1

    share = len(fit) / len(rows)
    if rows[0] not in fit and len(rows[0]) != width - 1:
        share *= FIRST_ROW_MISMATCH_FACTOR
    weight = SHARE_OF_BLANKS if delimiter == " " else 1.0
    points = POINTS_PER_COLUMN * min(width, MAX_COLUMNS_WITH_POINTS)
    return share * (1 - n_foul / n_cells) * weight + points


def _are_numbers_with_commas(rows: list[list[str]]) -> bool:
    """Return whether a file is a single named column of numbers with commas, such as 12,5."""
    if not any(len(row) > 1 for row in rows):
        return False
    name, *body = rows
    if len(name) != 1 or kind_of(name[0].strip()) != "text":
        return False
    numbers = [",".join(row).strip() for row in body if len(row) > 1 or row[0].strip() not in GAPS]
    return all(_COMMA_NUMBER.fullmatch(number) for number in numbers)


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return the most frequent number of fields; 0 if there are no rows."""
    if not rows:
        return 0
    return Counter(map(len, rows)).most_common(1)[0][0]


# ---------------------------------------------------------------------- rows that are no data


def _without_preamble(rows: list[Row], wanted: Collection[str]) -> tuple[int, list[list[str]]]:
    """Return the line of the header or first row, and the rows from there on."""
    all_cells = [row.cells for row in rows]
    width = _width(all_cells)
    for place, (line, cells) in enumerate(rows[:ROWS_OF_HEADER]):
        below = all_cells[place + 1 :]
        is_wide = len(cells) >= width - 1 and len(cells) > 1
        if is_wide and not _is_title(cells, below, wanted):
            return line, all_cells[place:]
    return 0, all_cells


def _is_title(row: Sequence[str], below: list[list[str]], wanted: Collection[str]) -> bool:
    """Return whether a row as wide as the others is a title, or has group names above the header.

    If the next row is not a header, `row` is a row of data with missing values.
    """
    filled = [cell.strip() for cell in row if cell.strip()]
    if not below or len(set(filled)) == len(row):
        return False
    names = [cell.strip() for cell in below[0]]
    if len(row) > 2 and len(filled) == 1:
        return sum(map(bool, names)) > 1 and _has_header(below, wanted)

    are_unique = len(names) == len(row) == len(set(names)) and not set(names) & set(GAPS)
    if not are_unique or any(kind_of(name) != "text" for name in names):
        return False
    return any(kind != "text" for kind in _kinds(below[1:], len(row)))


def _kinds(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the most frequent kind of field in each column; "" if all are missing."""
    kinds: list[str] = []
    for column in zip(*(row for row in rows if len(row) == width), strict=True):
        kinds.append(_kind_of_column(column))
    return kinds


def _kind_of_column(column: Sequence[str]) -> str:
    cells = _known_cells(column)
    if not cells:
        return ""
    return Counter(map(kind_of, cells)).most_common(1)[0][0]


def _known_cells(column: Sequence[str]) -> list[str]:
    """Return the fields of a column that are not missing, stripped."""
    return [cell.strip() for cell in column if cell.strip() not in GAPS]


def _are_units(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the row below the header holds units: words over columns of numbers."""
    over_numbers: list[str] = []
    for cell, kind in zip(row, _kinds(below, len(row)), strict=False):
        if kind == "number":
            over_numbers.append(cell.strip())
    if len(over_numbers) < 2 or any(kind_of(cell) == "number" for cell in over_numbers):
        return False
    words = [cell for cell in over_numbers if cell not in GAPS and kind_of(cell) == "text"]
    return 2 * len(words) > len(over_numbers)


def is_rule(line: bytes) -> bool:
    """Return whether a line is a rule as psql draws it, not a row of missing values such as -|-."""
    text = line.decode("utf-8", "replace")
    if _RULE.fullmatch(text) is None:
        return False
    return any(cell.strip() not in GAPS for cell in text.split("|"))


def _is_row_count(row: Sequence[str]) -> bool:
    """Return whether a row is a row count as psql writes it, such as (2 rows)."""
    return len(row) == 1 and _ROW_COUNT.fullmatch(row[0].strip()) is not None


def may_be_footer(row: bytes, delimiter: str) -> bool:
    """Return whether a bad row may be a footer: totals, or a sentence such as a source note."""
    filled: list[str] = []
    for cell in row.decode("utf-8", "replace").split(delimiter):
        text = cell.strip(" \t\r\n\"'")
        if text:
            filled.append(text)
    if not filled:
        return False
    if filled[0].lower().rstrip(":") in SUMS:
        return True
    # A sentence in a row of its own.
    return len(filled) == 1 and len(filled[0].split()) > 1 and kind_of(filled[0]) == "text"


# ---------------------------------------------------------------------- the header


def _has_header(rows: list[list[str]], wanted: Collection[str]) -> bool:
    """Return whether the first row names the columns: its cells are not values of their columns."""
    if len(rows) < 2:
        return True
    first = [cell.strip() for cell in rows[0]]
    width = _width(rows[1:])
    body = [row for row in rows[1:] if len(row) == width]
    if len(first) != width or not body:
        return True
    if wanted and set(wanted) <= set(first):
        return True
    if not any(first):  # the names were left out; a row of nothing has no information
        return True
    columns = list(zip(*body, strict=True))
    if any(map(_names_target, first, columns)):
        return True

    votes, are_values = _votes_for_header(first, columns)
    is_value = any(are_values)
    if votes > 0:
        return True
    if votes == 0:
        if wanted and all(name.isdecimal() for name in wanted):
            # The caller names columns by numbers, as in a file without a header.
            return False
        all_are_values = is_value and all(are_values)
        return not all_are_values and len(set(first)) == len(first)
    numbers = [cell for cell in first if kind_of(cell) == "number"]
    is_repeated = first in ([cell.strip() for cell in row] for row in body)
    return not is_value and not is_repeated and _are_consecutive(numbers)


def _votes_for_header(first: list[str], columns: list[tuple[str, ...]]) -> tuple[int, list[bool]]:
    """Count the votes for a header by comparing the first row with the columns below.

    Return the votes of the columns of numbers and times, and for each column of text whether its
    cell in the first row is one of its values.
    """
    votes = 0
    are_values: list[bool] = []
    for name, column in zip(first, columns, strict=True):
        kind = _kind_of_column(column)
        if kind == "" or name in GAPS:
            continue
        if kind == "text":
            are_values.append(name in _known_cells(column))
        elif kind_of(name) == "text":
            # A word over numbers is a stronger sign than a number is.
            votes += 2
        else:
            votes -= 1
    return votes, are_values


def _names_target(name: str, column: Sequence[str]) -> bool:
    """Return whether a cell of the first row is the name of a target, and not one of its values.

    Y may mean yes: it is a value if other single letters, such as N, are below it.
    """
    cells = {cell.strip() for cell in column} - set(GAPS)
    is_answer = name == "Y" and all(len(cell) == 1 and cell.isalpha() for cell in cells)
    return name.lower() in TARGETS and name not in cells and not is_answer


def _are_consecutive(cells: Sequence[str]) -> bool:
    """Return whether the cells are consecutive numbers, as years or column numbers are.

    1, 2 alone is not enough evidence.
    """
    if len(cells) < 2 or not all(cell.isdecimal() for cell in cells) or list(cells) == ["1", "2"]:
        return False
    numbers = [int(cell) for cell in cells]
    if any(b - a != 1 for a, b in itertools.pairwise(numbers)):
        return False
    return numbers[0] in (0, 1) or FIRST_YEAR <= numbers[0] <= LAST_YEAR
