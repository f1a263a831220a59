"""How a text with columns is written, found out from its first lines."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import Message
from rosenblatt.plurals import count
from rosenblatt.tables.readers.lines import check_encoding
from rosenblatt.tables.readers.number_style import GAPS, kind_of, number_style

DELIMITERS = (",", ";", "\t", "|", " ")
QUOTES = ('"', "'")
# Characters to judge by, and how many lines at least.
JUDGED, LEAST_LINES = 1 << 16, 5
# Also the blanks that typographers put between thousands: no-break, narrow no-break, thin.
THOUSANDS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "\u2009")
NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
TARGETS = ("label", "target", "class", "y")
# What a line begins with that is a comment, where it cannot be the header or a row.
COMMENTS = ("#", "%")
# What people write before the numbers of a last row that sums up.
SUMS = {
    *("total", "totals", "grand total", "subtotal", "sum", "average", "mean", "count"),
    *("summe", "gesamt", "gesamtsumme", "mittelwert", "durchschnitt", "anzahl"),
    *("somme", "moyenne", "totale", "media", "suma", "promedio", "totaal"),
}
_COMMA_NUMBER = re.compile(r"[+-]?\d+([.,'\u2019 \u00a0\u202f\u2009]\d{3})*([.,]\d+)?")
_RULE = re.compile(r"[\s|+=:-]*-[\s|+=:-]*")


@dataclass(frozen=True)
class Dialect:
    """What stands between fields and around them, and how numbers are written.

    `unnamed` is "first" or "last" where the header lacks the name of that column, `signs` whether
    numbers have signs of currencies or percent, `units` whether the units of the columns stand
    below the header. Comments belong to a single file and are not part of it.
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
        """What differs from a plain CSV file."""
        plain = asdict(Dialect())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Dialect:
        """The dialect of plain data; ParameterError, TypeError or ValueError if it is none."""
        for field in fields(cls):
            if field.name in given and type(given[field.name]) is not type(
                getattr(OTHER, field.name)
            ):
                raise ValueError(f"the {field.name} of the dialect cannot be")
        return check(cls(**given))


OTHER = Dialect(thousands=",")


@dataclass(frozen=True)
class Layout:
    """What a file says of its rows before the first of them, which is below `n_lines` lines.

    A reader that gets one as its dialect is given rows of that file alone, and looks for nothing.
    `ignored` are columns without names and values, `comment` what comments begin with, if there are
    some; `has_more` says that other rows of the file stand below.
    """

    dialect: Dialect
    names: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    target: str | None = None
    comment: str | None = None
    n_lines: int = 0
    has_more: bool = False


def check(dialect: Dialect) -> Dialect:
    """Refuse what cannot be."""
    delimiter, decimal, thousands = dialect.delimiter, dialect.decimal, dialect.thousands
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise refusal("delimiter", delimiter, Message("one character, as ", one_of([",", ";"])))
    if not delimiter.isascii() or delimiter.isalnum() or delimiter in "+-.":
        part = "can be part of a number or a word"
        raise refusal("delimiter", delimiter, one_of([",", ";", "|", "\t"]), verdict=part)
    if dialect.quote not in QUOTES:
        raise refusal("quote", dialect.quote, one_of(QUOTES))
    if decimal not in (".", ","):
        raise refusal("decimal", decimal, one_of([".", ","]))
    if thousands is not None and thousands not in THOUSANDS:
        raise refusal("thousands", thousands, one_of([".", ",", "'", " "]))
    if thousands == decimal:
        raise refusal("thousands", thousands, "another mark than the decimal one")
    for name in ("header", "units"):
        if not isinstance(getattr(dialect, name), bool):
            raise refusal(name, getattr(dialect, name), "True or False")
    if dialect.unnamed not in ("", "first", "last"):
        raise refusal("unnamed", dialect.unnamed, one_of(["first", "last"]))
    check_encoding(dialect.encoding)
    return dialect


@dataclass(frozen=True)
class Sniffed:
    """A dialect, how many characters stand before the header or first row, and its rows.

    `comment` is what comments of this file begin with, if some stand above its header.
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
    """Find out how a text is written, by its first lines.

    Fields of the dialect that are `given` are taken as they are, `wanted` columns must be there,
    and the `usual` delimiter is that if nothing speaks for another.
    """
    lines = _first_lines(text)
    skipped = 0
    comment: str | None = None
    said: list[str] = []

    layout_named = {"delimiter", "header"} <= given.keys()
    if not layout_named and lines[0].lower().startswith("sep=") and len(lines[0].rstrip("\r")) == 5:
        given = {"delimiter": lines[0][4], **given}
        skipped = len(lines.pop(0)) + 1

    if not layout_named:
        n_above = _lines_of_comments(lines, given, wanted, usual)
        comments = [line for line in lines[:n_above] if line.strip()]
        if comments:
            comment = comments[0][0]
            said.append(comments_skipped(len(comments)))
            skipped += sum(len(line) + 1 for line in lines[:n_above])
            lines = lines[n_above:]

    dialect, parsed = _separated(lines, given, wanted, usual)
    first, rows = (
        (0, [row for _, row in parsed]) if layout_named else (_without_preamble(parsed, wanted))
    )
    if first:
        titles = [line for line in lines[:first] if line.strip()]
        if titles:
            said.append(_titles_skipped(titles))
        skipped += sum(len(line) + 1 for line in lines[:first])

    psql = len(rows) > 1 and dialect.delimiter == "|" and is_rule("|".join(rows[1]).encode())
    if psql:
        rows.pop(1)
    rows = [row for row in rows if not _is_footer(row)]
    if comment is not None:
        width = _width(rows)
        rows = [row for row in rows if len(row) == width or not row[0].startswith(comment)]

    body = rows[1:] if len(rows) > 1 else rows
    width = _width(body)
    columns = zip(*(row for row in body if len(row) == width), strict=True)
    decimal, thousands, signs = number_style(columns, dialect.delimiter, given)
    dialect = replace(dialect, decimal=decimal, thousands=thousands, signs=signs)
    if "header" not in given:
        dialect = replace(dialect, header=psql or _has_header(rows, wanted))
    if dialect.header and len(rows) > 1 and len(rows[0]) == width - 1:
        last = any(row[-1].strip() for row in body if len(row) == width)
        dialect = replace(dialect, unnamed="first" if last else "last")
    if dialect.header and not layout_named and len(rows) > LEAST_LINES and _are_units(*rows[1:]):
        said.append(f"{', '.join(rows.pop(1))[:40]!r} below the header taken as units")
        dialect = replace(dialect, units=True)
    said += _differences(dialect, given, usual)
    return Sniffed(check(dialect), skipped, rows, said, comment)


def comments_skipped(n: int) -> str:
    """What a notice says of comments above the header or first row."""
    return f"{count(n, 'comment line')} skipped before the header"


def _titles_skipped(titles: Sequence[str]) -> str:
    more = f" and {count(len(titles) - 1, 'more line')}" if len(titles) > 1 else ""
    return f"{titles[0].strip()[:40]!r}{more} skipped before the header"


def _differences(dialect: Dialect, given: Mapping[str, Any], usual: str) -> list[str]:
    """What was found that one could not expect of a file with this ending."""
    name = NAMES.get(dialect.delimiter, repr(dialect.delimiter))
    said = {
        "delimiter": f"{name} between fields" if dialect.delimiter != usual else "",
        "quote": "apostrophes as quotes" if dialect.quote == "'" else "",
        "header": "" if dialect.header else "no header, so the columns are called 1, 2, …",
        "decimal": "a decimal comma" if dialect.decimal == "," else "",
        "thousands": f"{dialect.thousands!r} between thousands" if dialect.thousands else "",
    }
    return [words for name, words in said.items() if words and name not in given]


# ---------------------------------------------------------------------- fields


def _first_lines(text: str) -> list[str]:
    """Enough of them to judge by, even if they are long or stand below many comments."""
    lines = text.split("\n")
    size = 0
    n_judged = 0
    for place, line in enumerate(lines):
        if n_judged == 0 and line.startswith(COMMENTS):
            continue
        size += len(line)
        n_judged += 1
        if size > JUDGED and n_judged > LEAST_LINES + 1:
            return lines[:place]
    return lines


def _lines_of_comments(
    lines: Sequence[str], given: Mapping[str, Any], wanted: Collection[str], usual: str
) -> int:
    """How many lines at the top are comments, blank ones between them included.

    A marked line as wide as the rows is not one of them: it is the header, as in "#chrom", or a row
    that begins with the mark. Only where another header stands below can it be nothing but a
    comment.
    """
    first = next((line for line in lines if line.strip()), "")
    mark = first[:1]
    if mark not in COMMENTS:
        return 0
    n_top = 0
    while n_top < len(lines) and (lines[n_top].startswith(mark) or not lines[n_top].strip()):
        n_top += 1

    # How the rows below are written tells how wide a row is.
    dialect, parsed = _separated(lines[n_top:], given, wanted, usual)
    below = [row for _, row in parsed]
    width = _width(below)
    if width == 0:
        return 0
    if _is_header(below[0], below[1:], wanted):
        return n_top

    # The lines right above the rows that are as wide as these.
    start = n_top
    wide: list[list[str]] = []
    while start > 0:
        cut = _cut(lines[start - 1 : start], dialect.delimiter, dialect.quote)
        if cut and len(cut[0][1]) != width:
            break
        wide[:0] = [row for _, row in cut]
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
    """Whether a row names the columns beyond doubt: the wanted ones, or numbers by words."""
    cells = [cell.strip() for cell in row]
    if wanted and set(wanted) <= set(cells):
        return True
    kinds = _kinds(below, len(row))
    over = [
        kind_of(cell)
        for cell, kind in zip(cells, kinds, strict=False)
        if kind == "number" and cell not in GAPS
    ]
    return 2 * over.count("text") > len(over)


def _is_prose(row: Sequence[str]) -> bool:
    """Whether a comment seems to be one, and not the names of columns: words after a blank."""
    words = row[0][1:]
    return words.startswith(" ") and any(len(cell.split()) > 1 for cell in (words, *row[1:]))


Parsed = list[tuple[int, list[str]]]


def _separated(
    lines: Sequence[str],
    given: Mapping[str, Any],
    wanted: Collection[str],
    usual: str,
) -> tuple[Dialect, Parsed]:
    """The delimiter and quote that cut most lines into the same number of whole fields."""
    delimiters = [given["delimiter"]] if "delimiter" in given else [usual, *DELIMITERS]
    text = "\n" + "\n".join(lines)
    best: tuple[float, Dialect, Parsed] | None = None
    for delimiter in dict.fromkeys(delimiters):
        begun = [len(re.findall(rf"[\n{re.escape(delimiter)}]{quote}", text)) for quote in QUOTES]
        # A word may begin with an apostrophe, but then hardly any field ends with one.
        closed = len(re.findall(rf"'\r?(?={re.escape(delimiter)}|\n|$)", text))
        often = begun[1] > max(begun[0], len(lines) // 2)
        apostrophes = often or (begun[1] > begun[0] and begun[1] == closed)
        for quote in [given["quote"]] if "quote" in given else QUOTES[: 1 + apostrophes]:
            rows = _cut(lines, delimiter, quote)
            score = _score([row for _, row in rows], delimiter, quote)
            if wanted and any(
                set(wanted) <= {name.strip() for name in row} for _, row in rows[:20]
            ):
                score += 10
            if best is None or score > best[0] + 1e-9:
                best = score, _known(given, delimiter=delimiter, quote=quote), rows
    assert best is not None
    return best[1:]


def _known(given: Mapping[str, Any], **found: Any) -> Dialect:
    return Dialect(**{**found, **{k: v for k, v in given.items() if v is not None}})


def _cut(lines: Sequence[str], delimiter: str, quote: str) -> Parsed:
    """Rows of fields with the number of the line they begin on, blank lines left out."""
    reader = csv.reader(
        (line.rstrip("\r") + "\n" for line in lines),
        delimiter=delimiter,
        quotechar=quote,
        skipinitialspace=True,
    )
    rows, last = list[tuple[int, list[str]]](), 0
    try:
        for row in reader:
            if row and not (len(row) == 1 and not row[0].strip()):
                trimmed = row[:-1] if delimiter == " " and row[-1] == "" else row
                rows.append((last, trimmed))
            last = reader.line_num
    except csv.Error:
        return rows
    return rows


def _score(rows: list[list[str]], delimiter: str, quote: str) -> float:
    """How well rows fit: the share of rows of the usual width, and of clean fields."""
    usual = _width(rows)
    if delimiter == "," and _are_numbers_with_commas(rows):
        return -1.0
    if usual < 2:
        return 0.0
    fit = [row for row in rows if len(row) == usual]
    cells = [cell.strip() for row in fit for cell in row]
    others = {";", "\t", "|"} - {delimiter}
    foul = sum(1 for cell in cells if any(mark in cell for mark in others))
    # A quote that is left at an end of a field is none of this dialect.
    foul += sum(
        1 for cell in cells if cell[:1] in QUOTES and cell[:1] == cell[-1:] and len(cell) > 1
    )
    share = len(fit) / len(rows)
    if rows[0] not in fit and len(rows[0]) != usual - 1:
        share *= 0.8
    weak = 0.7 if delimiter == " " else 1.0
    return share * (1 - foul / len(cells)) * weak + 0.001 * min(usual, 20)


def _are_numbers_with_commas(rows: list[list[str]]) -> bool:
    """Whether commas cut numbers such as 12,5 into two, in a file of one column and its name."""
    if not any(len(row) > 1 for row in rows):
        return False
    name, *body = rows
    numbers = [",".join(row).strip() for row in body if len(row) > 1 or row[0].strip() not in GAPS]
    return (
        len(name) == 1
        and kind_of(name[0].strip()) == "text"
        and all(_COMMA_NUMBER.fullmatch(number) for number in numbers)
    )


def _width(rows: Sequence[Sequence[str]]) -> int:
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def _without_preamble(rows: Parsed, wanted: Collection[str]) -> tuple[int, list[list[str]]]:
    """The line of the header or first row, and the rows from there on."""
    width = _width([row for _, row in rows])
    for place, (line, row) in enumerate(rows[:20]):
        below = [other for _, other in rows[place + 1 :]]
        if len(row) >= width - 1 and len(row) > 1 and not _is_title(row, below, wanted):
            return (line if place or line else 0), [row for _, row in rows[place:]]
    return 0, [row for _, row in rows]


def _is_title(row: Sequence[str], below: list[list[str]], wanted: Collection[str]) -> bool:
    """Whether a row as wide as the others is a title, or groups the columns that the next names.

    Where the next names none, it is a row with gaps.
    """
    filled = [cell.strip() for cell in row if cell.strip()]
    if not below or len(set(filled)) == len(row):
        return False
    names = [cell.strip() for cell in below[0]]
    if len(row) > 2 and len(filled) == 1:
        return sum(map(bool, names)) > 1 and _has_header(below, wanted)
    clear = len(names) == len(row) == len(set(names)) and not set(names) & set(GAPS)
    return (
        clear
        and "text" == max(map(kind_of, names)) == min(map(kind_of, names))
        and any(kind != "text" for kind in _kinds(below[1:], len(row)))
    )


def _kinds(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """What the fields of each column look like, most of them; "" if all are gaps."""
    columns = zip(*(row for row in rows if len(row) == width), strict=True)
    known = ([c.strip() for c in column if c.strip() not in GAPS] for column in columns)
    return [Counter(map(kind_of, cells)).most_common(1)[0][0] if cells else "" for cells in known]


def _are_units(row: Sequence[str], *below: Sequence[str]) -> bool:
    """Whether words stand over columns of numbers, one row below the header."""
    kinds = _kinds(below, len(row))
    over = [cell.strip() for cell, kind in zip(row, kinds, strict=False) if kind == "number"]
    words = [cell for cell in over if cell not in GAPS and kind_of(cell) == "text"]
    return (
        len(over) > 1
        and 2 * len(words) > len(over)
        and not any(kind_of(cell) == "number" for cell in over)
    )


def is_rule(line: bytes) -> bool:
    """Whether a line is drawn below a header, as by psql; one of gaps, -|-, is a row."""
    text = line.decode("utf-8", "replace")
    if _RULE.fullmatch(text) is None:
        return False
    return any(cell.strip() not in GAPS for cell in text.split("|"))


def _is_footer(row: Sequence[str]) -> bool:
    return len(row) == 1 and re.fullmatch(r"\(\d+ rows?\)", row[0].strip()) is not None


def may_be_footer(row: bytes, delimiter: str) -> bool:
    """Whether a row that cannot be read may stand below the last: a sum, a source, a count."""
    cells = row.decode("utf-8", "replace").split(delimiter)
    filled = [text for cell in cells if (text := cell.strip(" \t\r\n\"'"))]
    alone = len(filled) == 1 and len(filled[0].split()) > 1 and kind_of(filled[0]) == "text"
    return alone or (bool(filled) and filled[0].lower().rstrip(":") in SUMS)


# ---------------------------------------------------------------------- the header


def _has_header(rows: list[list[str]], wanted: Collection[str]) -> bool:
    """Whether the first row names the columns: what stands in it is no value of its column."""
    if len(rows) < 2:
        return True
    first, body = [cell.strip() for cell in rows[0]], rows[1:]
    width = _width(body)
    body = [row for row in body if len(row) == width]
    if len(first) == width - 1:
        return True
    if len(first) != width or not body:
        return True
    if wanted and set(wanted) <= set(first):
        return True
    if not any(first):  # names were left out, and a row of nothing says nothing
        return True
    columns = list(zip(*body, strict=True))
    if any(map(_names_target, first, columns)):
        return True
    kinds = [kind_of(cell) for cell in first]
    votes, among = 0, list[bool]()
    for name, kind, column in zip(first, kinds, columns, strict=True):
        cells = [cell.strip() for cell in column if cell.strip() not in GAPS]
        usual = Counter(map(kind_of, cells)).most_common(1)
        if not usual or name in GAPS:
            continue
        if usual[0][0] == "text":
            among.append(name in cells)
        else:  # a word over numbers says more than a number does
            votes += 2 if kind == "text" else -1
    if votes == 0:  # columns without names were those of a file without a header
        if wanted and all(name.isdecimal() for name in wanted):
            return False
        return not (among and all(among)) and len(set(first)) == len(first)
    numbers = [c for c, k in zip(first, kinds, strict=True) if k == "number"]
    if votes > 0:
        return True
    stands_again = first in ([cell.strip() for cell in row] for row in body)
    return not any(among) and not stands_again and _count_on(numbers)


def _names_target(name: str, column: Sequence[str]) -> bool:
    """Whether a field of the first row is the name of a target, and not one of its values.

    Y, the answer yes, stands over others, or over N.
    """
    cells = {cell.strip() for cell in column} - set(GAPS)
    is_answer = name == "Y" and all(len(cell) == 1 and cell.isalpha() for cell in cells)
    return name.lower() in TARGETS and name not in cells and not is_answer


def _count_on(cells: Sequence[str]) -> bool:
    """Whether numbers follow each other, as years or numbers of columns do; 1, 2 proves little."""
    if len(cells) < 2 or not all(cell.isdecimal() for cell in cells) or list(cells) == ["1", "2"]:
        return False
    numbers = list(map(int, cells))
    follow = all(b - a == 1 for a, b in itertools.pairwise(numbers))
    return follow and (numbers[0] in (0, 1) or 1900 <= numbers[0] <= 2100)
