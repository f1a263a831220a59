"""Comma and tab separated files (RFC 4180)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.engine.text import numbers
from rosenblatt.engine.text.delimited import DelimitedParser, record
from rosenblatt.engine.text.tabular import TEXT
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.tables.readers.column_roles import Columns, number_repeated
from rosenblatt.tables.readers.dialect import (
    COMMENTS,
    SUMS,
    Dialect,
    Layout,
    check,
    comments_skipped,
    is_rule,
    may_be_footer,
    sniff,
)
from rosenblatt.tables.readers.fault_messages import (
    RAISE_MAX_FEATURES,
    RAISE_MAX_LINE_BYTES,
    Assumption,
    Explained,
    HeaderOfNumbers,
    located,
    notice,
    quoted,
    too_many,
)
from rosenblatt.tables.readers.lines import PIECE, Lines
from rosenblatt.tables.readers.number_style import decimal_marks, kind_of, may_be_thousands
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.table import Table, TableFormat, TableRequest

SHOWN = 3
STRIPPED = " \t\r\n\"',;|"
DECIMALS = {".": "a decimal point", ",": "a decimal comma"}
FAULTS: dict[str, Explained] = {
    "open quote": ("the quote opened here is never closed", "close it"),
    "after quote": ("text after a closing quote", 'write a quote within quotes twice: ""'),
    "bare return": ("a carriage return within the line", "put the field in quotes"),
}


def open_csv(request: TableRequest, usual_delimiter: str = ",") -> Reader[Table]:
    """Open CSV: fields with a comma, or another mark that is found out, between them."""
    form = Delimited(
        request.written,
        request.dialect,
        request.trim,
        request.columns,
        request.settings,
        usual_delimiter,
    )
    return Reader(form, request.given, request.settings)


def open_tsv(request: TableRequest) -> Reader[Table]:
    """Open TSV: as CSV, with tabs."""
    return open_csv(request, "\t")


class Delimited(TableFormat[DelimitedParser]):
    """The format for the reader."""

    delimited = True
    # Digits in quotes are a number as well as digits without.
    number_of_text = True
    faults = FAULTS
    finds_encoding = True

    def __init__(
        self,
        given: Mapping[str, Any],
        known: Dialect | Layout | None,
        trim: bool,
        columns: Columns,
        settings: ReaderSettings,
        usual: str = ",",
    ) -> None:
        self._layout: Layout | None = None
        if isinstance(known, Layout):
            self._layout = known
            known = known.dialect
        self._given, self._known, self._usual = dict(given), known, usual
        self.expected_encoding = "utf-8" if known is None else known.encoding
        self.dialect = check(replace(known or Dialect(delimiter=usual), **given))
        self._ignored: list[str] = []
        self._trim = trim
        self._lines: Lines | None = None
        self._n_lines = 0  # of the file at hand, before its rows
        self._sniffed: Lines | None = None
        self._looked_at: Lines | None = None  # whose dialect was found out by its own lines
        self._sample: list[list[str]] = []
        self._comment: str | None = None  # what comments of the file at hand begin with
        self._warned = self._noticed = False
        parser = DelimitedParser(
            ord(self.dialect.delimiter),
            trim,
            settings.dtype == np.float32,
            largest_allowed(settings.dtype),
            [mark.encode() for mark in columns.marks],
        )
        parser.set_footer_words([word.encode() for word in SUMS])
        super().__init__(parser, columns, settings)
        self._told_of_digits: set[str] = set()

    @property
    def delimiter(self) -> int:
        return ord(self.dialect.delimiter)

    # ------------------------------------------------------------------ before the rows

    def begin(self, lines: Lines) -> bool:
        if self._lines is not lines and self._layout is not None:
            self._take_layout(lines, self._layout)
        elif self._lines is not lines:
            if self._sniffed is not lines and not self._find_dialect(lines):
                return False
            if not self._read_header(lines):
                return False
            self._lines = lines
            self._n_lines = self.parser.line
        if self._columns.undecided:
            stop = lines.sample_end() if self.reads_all else lines.values_end()
            if stop is None:
                return False
            self._look_at_values(lines, stop)
        self.parser.set_columns(*self._columns.plan(self._names))
        return True

    @property
    def layout(self) -> Layout | None:
        """What the file at hand says of its rows; None before they begin."""
        if self._lines is None:
            return None
        return Layout(
            self.dialect,
            tuple(self._names),
            tuple(self._ignored),
            self._columns.target,
            self._comment,
            self._n_lines,
        )

    def _take_layout(self, lines: Lines, layout: Layout) -> None:
        self.dialect = layout.dialect
        self._comment = layout.comment
        self._names = list(layout.names)
        self._set_dialect()
        for name in layout.ignored:
            self._columns.ignore(name)
        self._columns.settle(self._names, lines.name)
        self._lines = lines

    def row_starts(self, file: Any, begin: int, size: int, goals: Sequence[int]) -> list[int]:
        """Where the first rows at or behind `goals` begin in a file, whose size is that of no more.

        The file is at `begin`, where its rows begin; its lines must be those of its text.
        """
        quote = self.dialect.quote.encode()
        found: list[int] = []
        text, at, end = b"", 0, 0
        for goal in goals:
            while begin + at < goal:
                if text.find(quote, at, end) >= 0:
                    at = self.parser.skip_rows(text, at, end, goal - begin)
                else:  # every line is a row
                    at = text.find(b"\n", max(at, goal - begin - 1), end) + 1 or end
                if begin + at >= goal:
                    break
                # A row without an end costs no more, as more and more is read.
                more = file.read(max(PIECE, len(text) - at))
                if not more:
                    return found + [size] * (len(goals) - len(found))
                begin += at
                text, at = text[at:] + more, 0
                end = text.rfind(b"\n") + 1
            found.append(begin + at)
        return found

    def _find_dialect(self, lines: Lines) -> bool:
        """How the file is written, unless that is known; False if more text is needed."""
        self._comment = None
        if not self._layout_named or not self._columns.all_known:
            fits: bool | None = False
            if self._known is not None and self._columns.all_known:
                fits = self._fits(lines)
            stop = lines.end if fits else lines.sample_end("".join(COMMENTS).encode())
            if fits is None or stop is None:
                return False
            if not fits:
                self._sniff(lines, bytes(lines.buffer[lines.at : stop]))
        self.dialect = replace(self.dialect, encoding=lines.encoding)
        self._set_dialect()
        self._sniffed = lines
        return True

    def _set_dialect(self) -> None:
        found = self.dialect
        self.parser.set_dialect(
            ord(found.delimiter),
            ord(found.quote),
            ord(found.decimal),
            (found.thousands or ("." if found.decimal == "," else "")).encode(),
            found.signs,
            ord(self._comment or "\0"),
        )

    @property
    def _layout_named(self) -> bool:
        """Whether delimiter and header were named: then only numbers are looked at."""
        return {"delimiter", "header"} <= self._given.keys()

    def _fits(self, lines: Lines) -> bool | None:
        """Whether the first row of a file has what it must have, as another file was written.

        None if there is no row yet. Comments above the row are skipped.
        """
        assert self._known is not None
        dialect = replace(self._known, **self._given)
        text, at = lines.buffer, lines.at
        comments: list[str] = []
        while at < lines.end:
            mark = chr(text[at])
            if mark in "\n\r":
                at = text.index(b"\n", at) + 1
                continue
            # A comment ends with its line, whatever quotes are in it.
            end = text.index(b"\n", at) + 1 if mark in COMMENTS else lines.end
            found = record(text, at, end, ord(dialect.delimiter), ord(dialect.quote))
            if found is None and mark in COMMENTS:
                return False
            if found is None:
                return True if lines.last else None
            fields = _fields(text, *found)
            fits = self._is_first_row(fields, dialect)
            if fits or mark not in COMMENTS:
                if fits and comments:
                    self._pass_over(lines, at, comments)
                return fits
            if not dialect.header and not self._is_too_short(fields):
                return False  # the rows below must tell what it is
            comments.append(mark)
            at = end
        return True if lines.last else None

    def _is_first_row(self, fields: list[str], dialect: Dialect) -> bool:
        """Whether these can be the header, or without one a row."""
        named = {name.strip(STRIPPED) for name in self._columns.named()} <= set(fields)
        if dialect.header:
            return named
        # Else it must be a row: no words stand where numbers do.
        numbers = {str(i + 1): field for i, field in enumerate(fields)}
        places = [name for name, kind in self._columns.kinds.items() if kind == "number"]
        return (
            not named
            and not self._is_too_short(fields)
            and all(
                kind_of(numbers[place]) == "number" or numbers[place] in self._columns.marks
                for place in places
                if place in numbers
            )
        )

    def _is_too_short(self, fields: list[str]) -> bool:
        """Whether columns that are called by their numbers lie beyond these fields."""
        places = [int(name) for name in self._columns.named() if name.isdecimal()]
        return len(fields) < max(places, default=1)

    def _pass_over(self, lines: Lines, at: int, comments: list[str]) -> None:
        """Go on at a row below comments."""
        self._comment = comments[0]
        self.parser.line += lines.buffer.count(b"\n", lines.at, at)
        lines.at = at
        notice(Assumption, f"{lines.name}: read with {comments_skipped(len(comments))}")

    def _sniff(self, lines: Lines, sample: bytes) -> None:
        style: dict[str, Any] = {}
        if self._known is not None:
            style = {"decimal": self._known.decimal, "thousands": self._known.thousands}
        text = sample.decode("utf-8", "replace")
        given = {
            **style,
            **({"quote": '"'} if self._layout_named else {}),
            **self._given,
        }
        self._looked_at = lines
        found = sniff(text, given, self._columns.named(), self._usual)
        self.dialect = found.dialect
        self._sample = found.rows
        self._comment = found.comment
        # Whole lines: by their ends, since bytes that are no text have other lengths as text.
        for _ in range(text.count("\n", 0, found.skipped)):
            lines.at = lines.buffer.index(b"\n", lines.at) + 1
            self.parser.line += 1
        if found.assumptions and not self._noticed:
            self._noticed = True
            notice(Assumption, f"{lines.name}: read with " + ", ".join(found.assumptions))

    def _read_header(self, lines: Lines) -> bool:
        """The names of the columns; False if more text is needed."""
        dialect = self.dialect
        while self._at_blank_line(lines):
            lines.at = lines.buffer.index(b"\n", lines.at) + 1
            self.parser.line += 1
        if lines.at == lines.end:
            return False
        quote = ord(dialect.quote)
        found = record(lines.buffer, lines.at, lines.end, self.delimiter, quote, self._trim)
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
        after = stop
        if dialect.header and dialect.delimiter == "|":  # psql draws a line below
            if after == lines.end and not lines.last:
                return False
            end = lines.buffer.find(b"\n", after, lines.end) + 1
            if end and is_rule(bytes(lines.buffer[after:end])):
                after = end
        below = None
        if dialect.header and dialect.units:
            below = record(lines.buffer, after, lines.end, self.delimiter, ord(dialect.quote))
            if below is None and not lines.last:
                return False
        if not dialect.header:
            self._names = [str(i + 1) for i in range(len(starts))]
            self._settle(lines)
            return True
        (first,) = self._texts(lines, lines.at, stop, len(starts), fatal=True)
        self._names = [text.decode().strip() for text in first]
        if dialect.unnamed:
            self._names.insert(0 if dialect.unnamed == "first" else len(self._names), "")
            starts = [starts[0], *starts] if dialect.unnamed == "first" else [*starts, stop - 1]
        ends = {0, len(self._names) - 1}
        empty = [place for place in ends if not self._names[place] and self._is_empty(place)]
        self._check_header(lines, self._names, starts)
        self._ignored = [self._names[place] for place in empty]
        for name in self._ignored:
            self._columns.ignore(name)
        self._settle(lines)
        if "header" in self._given:
            self._warn_of_numbers(lines, self._names)
        if below is not None and self._are_units(lines, _fields(lines.buffer, *below)):
            after = below[1]
        self.parser.line += lines.buffer.count(b"\n", lines.at, after)
        lines.at = after
        return True

    def _are_units(self, lines: Lines, fields: list[str]) -> bool:
        """Whether the units of the columns stand below this header, as they did elsewhere.

        They were seen when the file was looked at. Else they must be words where the columns are
        known to hold numbers: a row of gaps is a row.
        """
        if self._looked_at is lines:
            return True
        kinds = self._columns.kinds
        over = [
            field
            for name, field in zip(self._names, fields, strict=False)
            if kinds.get(name) == "number" and field not in self._columns.marks
        ]
        if not over or any(kind_of(field) != "text" for field in over):
            return False
        shown = ", ".join(fields)[:40]
        notice(Assumption, f"{lines.name}: {shown!r} below the header taken as units")
        return True

    def _is_empty(self, place: int) -> bool:
        """Whether nothing stands in a column of the rows looked at, as behind a last delimiter."""
        if not self._sample:  # it is known which columns there are
            return f"column {place + 1}" not in self._columns.named()
        rows = [row for row in self._sample[1:] if len(row) > place]
        return (self.dialect.unnamed == "last" and place > 0) or (
            bool(rows) and not any(row[place].strip() for row in rows)
        )

    def _settle(self, lines: Lines) -> None:
        rows = self._sample[1:] if self.dialect.header else self._sample
        cells = [row for row in rows if len(row) == len(self._names)]
        columns = zip(*cells, strict=True) if cells else [()] * len(self._names)
        values = dict(zip(self._names, columns, strict=True))
        self._columns.settle(self._names, lines.name, values)

    def _at_blank_line(self, lines: Lines) -> bool:
        """Whether a blank line is next."""
        start = bytes(lines.buffer[lines.at : min(lines.at + 2, lines.end)])
        return start.startswith(b"\n") or start == b"\r\n"

    def _check_header(self, lines: Lines, names: list[str], starts: list[int]) -> None:
        names[:] = [name or f"column {i + 1}" for i, name in enumerate(names)]
        if "header" not in self._given and (renamed := number_repeated(names)):
            name, other = renamed
            what = f"the column {quoted(name)} stands twice; the second is {quoted(other)}"
            if self._known is None:
                notice(Assumption, f"{lines.name}: {what}")
        seen: dict[str, int] = {}
        for i, name in enumerate(names):
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
            values = [row[places[name]] for row in rows]
            self._look_at_marks(lines, name, values)
            more = stop < lines.end or not lines.last
            self._columns.guess(name, values, self.parser.number, more_follow=more)
            if self._columns.kinds[name] == "text":
                self._tell_of_signs(lines.name, name, values)
        if self._given.get("header") and not self._warned and self._layout is None:
            self._warn_of_values(lines, rows, places)

    def _look_at_marks(self, lines: Lines, name: str, encoded: list[bytes]) -> None:
        """Refuse a column with other decimal marks than the file has; tell of doubtful points."""
        decimal = self.dialect.decimal
        other = "," if decimal == "." else "."
        may_be_doubtful = (
            self.dialect.delimiter in ";\t"
            and (decimal, self.dialect.thousands) == (".", None)
            and not {"decimal", "thousands"} & self._given.keys()
        )
        # Most columns have no other mark, and need no closer look at every value.
        if not may_be_doubtful and not any(other.encode() in value for value in encoded):
            return

        values = [value.decode("utf-8", "replace") for value in encoded]
        marks = decimal_marks(values)
        mixed = decimal in marks and other in marks
        if mixed or (decimal == "," and other in marks):
            what = f"{quoted(marks[other])} has {DECIMALS[other]}"
            if mixed:
                what += f", {quoted(marks[decimal])} {DECIMALS[decimal]}"
            else:
                what += f", other columns of the file have {DECIMALS[decimal]}"
            raise DataError(
                f"column {quoted(name)}: {what}",
                name=lines.name,
                found=marks[other],
                cures=[
                    "write all numbers alike",
                    Message("if ", DECIMALS[other], " is right, say ", Setting("decimal", other)),
                    Message("read the column as text with ", Setting("types", {name: "text"})),
                ],
            )
        if other in marks:
            what = f"{quoted(marks[other])} has {DECIMALS[other]}, other columns have "
            what += f"{DECIMALS[decimal]}; read as text unless all are written alike"
            notice(Assumption, f"{lines.name}: column {quoted(name)}: {what}")
        elif may_be_doubtful and (doubtful := may_be_thousands(values)) is not None:
            notice(
                Assumption,
                Message(
                    f"{lines.name}: column {quoted(name)}: {doubtful} is read as "
                    f"{float(doubtful):g}; if points stand between thousands, say ",
                    Setting("decimal", ","),
                ),
            )

    def _texts(
        self, lines: Lines, at: int, stop: int, n_fields: int, *, fatal: bool
    ) -> list[list[bytes]]:
        """Records as texts; bad ones are left out, to be met again when the rows are read."""
        probe = DelimitedParser(ord(self.dialect.delimiter), self._trim, False, self._limit, [])
        comment = ord(self._comment or "\0")
        probe.set_dialect(
            ord(self.dialect.delimiter), ord(self.dialect.quote), 46, b"", False, comment
        )
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

    def end(self, lines: Lines) -> None:
        """Tell of the lines among the rows that were none."""
        parser = self.parser
        found = [
            ("comment line", parser.n_comments, parser.comment_line),
            ("count of rows as of psql", parser.n_footers, parser.footer_line),
        ]
        for what, n, line in found:
            if n == 1:
                notice(Assumption, f"{lines.name}:{line}: a {what} skipped")
            elif n:
                notice(Assumption, f"{lines.name}:{line}: a {what} skipped, and {n - 1:,} below")

    def reread(self) -> bool:
        again = super().reread()
        if again:
            self._lines = self._sniffed = None
        return again

    def take(self) -> Table:
        # A late byte may have told which encoding it is.
        if self._lines is not None and self._layout is None:
            self.dialect = replace(self.dialect, encoding=self._lines.encoding)
            self._tell_of_lost_digits(self._lines.name)
        return super().take()

    def _tell_of_lost_digits(self, file: str) -> None:
        """Say of columns that were guessed to be numbers where these do not tell all digits."""
        for column, digits in self.parser.lost_digits.items():
            name = self._names[column]
            if name in self._columns.guessed and name not in self._told_of_digits:
                self._told_of_digits.add(name)
                read_as = f"{quoted(digits)} is read as {float(digits):.0f}"
                what = f"{file}: column {quoted(name)}: {read_as}; to keep all digits, say "
                notice(Assumption, Message(what, Setting("types", {name: "text"})))

    def explain(self, parser: Any, found: bytes) -> Explained:
        if parser.fault in ("short row", "long row"):
            return self._width_words(parser.fault, parser.n_fields)
        what, cures = super().explain(parser, found)
        if parser.fault == "not a number" and self.dialect.decimal == ",":
            text = found.decode("utf-8", "replace").strip()
            if "." in text and kind_of(text) == "number":
                rule = "with decimal commas a point stands between thousands"
                return Message(what, f": {rule}"), self._cures_of_point(cures)
        return what, cures

    def _cures_of_point(self, cures: Words | Sequence[Words]) -> list[Words]:
        listed = [cures] if isinstance(cures, Words) else [*cures]
        named = Message("if points are decimal marks, say ", Setting("decimal", "."))
        return listed if "decimal" in self._given else [*listed, named]

    def _tell_of_signs(self, file: str, name: str, values: Iterable[bytes]) -> None:
        """Say that a sign such as - is read as a gap, in a column that holds nothing but signs."""
        known = {value.decode("utf-8", "replace").strip() for value in values} - {""}
        signs = known - {value for value in known if any(map(str.isalnum, value))}
        gaps = sorted(signs & {*self._columns.marks})
        if gaps and len(gaps) < len(signs) and known - signs <= {*self._columns.marks}:
            what = f"{file}: column {quoted(name)}: {quoted(gaps[0])} is read as a gap"
            notice(Assumption, f"{what}; if it is a value, write a word for it")

    def is_footer(self, row: bytes) -> bool:
        if self._layout is not None and self._layout.has_more:
            return False
        return len(self._names) > 2 and may_be_footer(row, self.dialect.delimiter)

    def _width_words(self, fault: str, n_fields: int) -> Explained:
        fields = "field" if n_fields == 1 else "fields"
        remedy = "fill in what is missing"
        if fault == "long row":
            remedy = "put fields that hold the delimiter in quotes"
        return f"{n_fields:,} {fields}, expected {len(self._names):,}", remedy


def _fields(text: bytearray, starts: list[int], stop: int) -> list[str]:
    """The fields of a record, without what may stand around them."""
    ends = pairwise([*starts, stop])
    return [bytes(text[a:b]).decode("utf-8", "replace").strip(STRIPPED) for a, b in ends]


def _is_number(name: str) -> bool:
    return numbers.parse(name.encode()) is not None
