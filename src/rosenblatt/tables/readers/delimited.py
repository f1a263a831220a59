"""Reader of CSV and TSV files (RFC 4180), with any delimiter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.engine.text import numbers
from rosenblatt.engine.text.delimited import DelimitedParser, record
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.engine.text.tabular import TEXT
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.tables.readers.column_roles import ColumnRoles, number_repeated
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
    HeaderOfNumbers,
    ProblemAndCures,
    located_error,
    notice,
    quoted,
    too_many,
)
from rosenblatt.tables.readers.lines import PIECE, Lines
from rosenblatt.tables.readers.number_style import decimal_marks, kind_of, may_be_thousands
from rosenblatt.tables.readers.reader import Reader, TextReader
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.row_texts import RowSyntax
from rosenblatt.tables.readers.sources import RawFile
from rosenblatt.tables.readers.table import Table, TableFormat, TableRequest

SHOWN_NAMES = 3  # column names in a warning, at most
SHOWN_UNITS = 40  # characters of the row of units in a warning, at most
STRIPPED = " \t\r\n\"',;|"  # characters around a field that are not part of its text
DECIMALS = {".": "a decimal point", ",": "a decimal comma"}
FAULTS: dict[str, ProblemAndCures] = {
    "open quote": ("the quote opened here is never closed", "close it"),
    "after quote": ("text after a closing quote", 'write a quote within quotes twice: ""'),
    "bare return": ("a carriage return within the line", "put the field in quotes"),
}


def open_csv(request: TableRequest, usual_delimiter: str = ",") -> Reader[Table]:
    """Open CSV files; the delimiter is auto-detected, by default `usual_delimiter`."""
    form = DelimitedFormat(
        request.written,
        request.dialect,
        request.trim,
        request.columns,
        request.settings,
        usual_delimiter,
    )
    return TextReader(form, request.given, request.settings)


def open_tsv(request: TableRequest) -> Reader[Table]:
    """Open TSV files: CSV with the tab as the usual delimiter."""
    return open_csv(request, "\t")


class DelimitedFormat(TableFormat[DelimitedParser]):
    """Format of delimited text: detects the dialect of a file and parses its rows.

    Parameters
    ----------
    given : mapping
        The fields of the dialect that the caller named; they are not detected.
    known : Dialect, Layout or None
        How another file was written, or this one above the rows that are read.
    trim : bool
        Whether blanks around texts are removed.
    columns : ColumnRoles
    settings : ReaderSettings
    usual : str
        The delimiter that the suffix of the file promises.
    """

    is_delimited = True
    # Digits in quotes are a number, the same as digits without.
    number_of_text = True
    faults = FAULTS
    finds_encoding = True

    def __init__(
        self,
        given: Mapping[str, Any],
        known: Dialect | Layout | None,
        trim: bool,
        columns: ColumnRoles,
        settings: ReaderSettings,
        usual: str = ",",
    ) -> None:
        self._layout: Layout | None = None
        if isinstance(known, Layout):
            self._layout = known
            known = known.dialect
        self._given = dict(given)
        self._known = known
        self._usual = usual
        self._trim = trim
        self.expected_encoding = "utf-8" if known is None else known.encoding
        self.dialect = check(replace(known or Dialect(delimiter=usual), **given))

        # The file whose header was read, the file whose dialect is known, and the file whose
        # dialect was detected from its own lines.
        self._lines: Lines | None = None
        self._sniffed: Lines | None = None
        self._looked_at: Lines | None = None
        self._n_lines = 0  # above the rows of the current file
        self._sample: list[list[str]] = []  # its header and first rows
        self._comment: str | None = None  # the first character of its comments
        self._ignored: list[str] = []  # its columns without names and values

        self._has_warned_of_header = False
        self._has_warned_of_dialect = False
        self._warned_of_digits: set[str] = set()
        parser = DelimitedParser(
            ord(self.dialect.delimiter),
            trim,
            settings.dtype == np.float32,
            largest_allowed(settings.dtype),
            [mark.encode() for mark in columns.marks],
        )
        parser.set_footer_words([word.encode() for word in SUMS])
        super().__init__(parser, columns, settings)

    @property
    def delimiter(self) -> int:
        return ord(self.dialect.delimiter)

    @property
    def quote(self) -> int:
        return ord(self.dialect.quote)

    def row_syntax(self) -> RowSyntax:
        return RowSyntax("delimited", self.names, self.delimiter, self.dialect.quote)

    def parse_number(self, text: bytes) -> float | None:
        return self.parser.number(text)

    # ------------------------------------------------------------------ above the rows

    def begin_file(self, lines: Lines) -> bool:
        if self._lines is not lines:
            if self._layout is not None:
                self._take_layout(lines, self._layout)
            elif not self._parse_top(lines):
                return False
        if self._columns.undecided:
            stop = lines.sample_end() if self.reads_all else lines.values_end()
            if stop is None:
                return False
            self._guess_kinds(lines, stop)
        self.parser.set_columns(*self._columns.plan(self._names))
        return True

    def _parse_top(self, lines: Lines) -> bool:
        """Detect the dialect and parse the header; return False if more text is needed."""
        if self._sniffed is not lines and not self._find_dialect(lines):
            return False
        if not self._parse_header(lines):
            return False
        self._lines = lines
        self._n_lines = self.parser.line
        return True

    @property
    def layout(self) -> Layout | None:
        """Return the layout of the current file; None until its header was parsed."""
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

    def row_starts(self, file: RawFile, begin: int, size: int, goals: Sequence[int]) -> list[int]:
        """Return the position of the first row at or after each goal; `size` if there is none.

        The file must be at position `begin`, where its first row begins, and its line feeds must
        be those of the text (`Lines.is_bytewise`).
        """
        quote = self.dialect.quote.encode()
        found: list[int] = []
        # `text` holds the bytes of the file from `begin` on, whole lines up to `end`; `at` is the
        # beginning of a row in it.
        text = b""
        at = 0
        end = 0
        for goal in goals:
            while begin + at < goal:
                if text.find(quote, at, end) >= 0:
                    at = self.parser.skip_rows(text, at, end, goal - begin)
                else:
                    # Without quotes every line is a row.
                    at = text.find(b"\n", max(at, goal - begin - 1), end) + 1 or end
                if begin + at >= goal:
                    break
                # Reads double with the text left, so that a row without an end takes linear time.
                more = file.read(max(PIECE, len(text) - at))
                if not more:
                    return found + [size] * (len(goals) - len(found))
                begin += at
                text = text[at:] + more
                at = 0
                end = text.rfind(b"\n") + 1
            found.append(begin + at)
        return found

    # ------------------------------------------------------------------ the dialect

    @property
    def _knows_layout(self) -> bool:
        """Return whether delimiter and header are given, so that only numbers are inspected."""
        return {"delimiter", "header"} <= self._given.keys()

    def _find_dialect(self, lines: Lines) -> bool:
        """Detect the dialect of a file unless it is known; return False if more text is needed."""
        self._comment = None
        if not self._knows_layout or not self._columns.all_known:
            fits: bool | None = False
            if self._known is not None and self._columns.all_known:
                fits = self._fits(lines)
            if fits is None:
                return False
            if not fits:
                stop = lines.sample_end("".join(COMMENTS).encode())
                if stop is None:
                    return False
                self._sniff(lines, bytes(lines.buffer[lines.at : stop]))
        self.dialect = replace(self.dialect, encoding=lines.encoding)
        self._set_dialect()
        self._sniffed = lines
        return True

    def _set_dialect(self) -> None:
        dialect = self.dialect
        # A decimal comma allows points between thousands, even if none was found.
        thousands = dialect.thousands or ("." if dialect.decimal == "," else "")
        self.parser.set_dialect(
            self.delimiter,
            self.quote,
            ord(dialect.decimal),
            thousands.encode(),
            dialect.signs,
            ord(self._comment or "\0"),
        )

    def _fits(self, lines: Lines) -> bool | None:
        """Return whether the first row fits the known dialect of another file.

        Return None if there is no row yet. Comments above the row are skipped.
        """
        assert self._known is not None
        dialect = replace(self._known, **self._given)
        delimiter = ord(dialect.delimiter)
        quote = ord(dialect.quote)
        text = lines.buffer
        at = lines.at
        comments: list[str] = []
        while at < lines.end:
            mark = chr(text[at])
            if mark in "\n\r":
                at = text.index(b"\n", at) + 1
                continue
            if mark not in COMMENTS:
                found = record(text, at, lines.end, delimiter, quote)
                if found is None:
                    return True if lines.last else None
                fits = self._is_first_row(_fields(text, *found), dialect)
                if fits and comments:
                    self._skip_comments(lines, at, comments)
                return fits

            # A comment ends with its line, whatever quotes are in it.
            end = text.index(b"\n", at) + 1
            found = record(text, at, end, delimiter, quote)
            if found is None:
                return False
            fields = _fields(text, *found)
            if self._is_first_row(fields, dialect):
                if comments:
                    self._skip_comments(lines, at, comments)
                return True
            if not dialect.header and not self._is_too_short(fields):
                return False  # it may be a row; only the rows below can tell
            comments.append(mark)
            at = end
        return True if lines.last else None

    def _is_first_row(self, fields: list[str], dialect: Dialect) -> bool:
        """Return whether `fields` can be the header or, if the dialect has none, the first row."""
        has_names = {name.strip(STRIPPED) for name in self._columns.named()} <= set(fields)
        if dialect.header:
            return has_names
        if has_names or self._is_too_short(fields):
            return False
        # In a row there are no words in columns of numbers.
        by_number = {str(i + 1): field for i, field in enumerate(fields)}
        for name, kind in self._columns.kinds.items():
            if kind != "number" or name not in by_number:
                continue
            field = by_number[name]
            if kind_of(field) != "number" and field not in self._columns.marks:
                return False
        return True

    def _is_too_short(self, fields: list[str]) -> bool:
        """Return whether there are fewer fields than the highest column number the caller named."""
        places = [int(name) for name in self._columns.named() if name.isdecimal()]
        return len(fields) < max(places, default=1)

    def _skip_comments(self, lines: Lines, at: int, comments: list[str]) -> None:
        """Skip the comment lines above position `at`, with a warning."""
        self._comment = comments[0]
        self.parser.line += lines.buffer.count(b"\n", lines.at, at)
        lines.at = at
        notice(Assumption, f"{lines.name}: read with {comments_skipped(len(comments))}")

    def _sniff(self, lines: Lines, sample: bytes) -> None:
        """Detect the dialect from the first lines, and skip the lines above the header."""
        given: dict[str, object] = {}
        if self._known is not None:
            given["decimal"] = self._known.decimal
            given["thousands"] = self._known.thousands
        if self._knows_layout:
            given["quote"] = '"'
        given.update(self._given)

        text = sample.decode("utf-8", "replace")
        found = sniff(text, given, self._columns.named(), self._usual)
        self._looked_at = lines
        self.dialect = found.dialect
        self._sample = found.rows
        self._comment = found.comment
        # Skip line by line, since undecodable bytes have another length as text.
        for _ in range(text.count("\n", 0, found.skipped)):
            self._skip_line(lines)
        if found.assumptions and not self._has_warned_of_dialect:
            self._has_warned_of_dialect = True
            notice(Assumption, f"{lines.name}: read with " + ", ".join(found.assumptions))

    def _skip_line(self, lines: Lines) -> None:
        lines.at = lines.buffer.index(b"\n", lines.at) + 1
        self.parser.line += 1

    # ------------------------------------------------------------------ the header

    def _parse_header(self, lines: Lines) -> bool:
        """Parse the header and a row of units below it; return False if more text is needed."""
        while _is_at_blank_line(lines):
            self._skip_line(lines)
        if lines.at == lines.end:
            return False
        found = record(lines.buffer, lines.at, lines.end, self.delimiter, self.quote, self._trim)
        if found is None:
            if lines.last:
                raise self._header_fault(lines, "a quote in the first row is never closed")
            return False
        starts, stop = found
        self._refuse_long_header(lines, len(starts), stop)

        if not self.dialect.header:
            self._names = [str(i + 1) for i in range(len(starts))]
            self._settle(lines)
            return True

        after = self._after_rule(lines, stop)
        if after is None:
            return False
        below = None
        if self.dialect.units:
            below = record(lines.buffer, after, lines.end, self.delimiter, self.quote)
            if below is None and not lines.last:
                return False

        self._name_columns(lines, starts, stop)
        self._settle(lines)
        if "header" in self._given:
            self._warn_of_numbers(lines)
        if below is not None and self._are_units(lines, _fields(lines.buffer, *below)):
            after = below[1]
        self.parser.line += lines.buffer.count(b"\n", lines.at, after)
        lines.at = after
        return True

    def _refuse_long_header(self, lines: Lines, n_columns: int, stop: int) -> None:
        if stop - lines.at > self.parser.max_row:
            raise self._header_fault(
                lines,
                f"the first row is longer than {self.parser.max_row:,} bytes",
                cures=RAISE_MAX_LINE_BYTES,
            )
        if n_columns - self._columns.may_hold_target > self._most:
            problem = too_many(n_columns, "column", self._most)
            raise self._header_fault(lines, problem, cures=RAISE_MAX_FEATURES)

    def _after_rule(self, lines: Lines, stop: int) -> int | None:
        """Return the position after the header and the rule that psql draws below it, if any.

        Return None if more text is needed.
        """
        if self.dialect.delimiter != "|":
            return stop
        if stop == lines.end and not lines.last:
            return None
        end = lines.buffer.find(b"\n", stop, lines.end) + 1
        if end and is_rule(bytes(lines.buffer[stop:end])):
            return end
        return stop

    def _name_columns(self, lines: Lines, starts: list[int], stop: int) -> None:
        """Set the column names from the header; ignore empty columns at either end."""
        (first,) = self._texts(lines, lines.at, stop, len(starts), fatal=True)
        self._names = [text.decode().strip() for text in first]
        if self.dialect.unnamed == "first":
            self._names.insert(0, "")
            starts = [starts[0], *starts]
        elif self.dialect.unnamed == "last":
            self._names.append("")
            starts = [*starts, stop - 1]

        ends = {0, len(self._names) - 1}
        empty = [place for place in ends if not self._names[place] and self._is_empty(place)]
        self._make_unique(lines, starts)
        self._ignored = [self._names[place] for place in empty]
        for name in self._ignored:
            self._columns.ignore(name)

    def _is_empty(self, place: int) -> bool:
        """Return whether a column has no values in the sample, as after a trailing delimiter."""
        if not self._sample:
            # No sample was taken, since the columns are known.
            return f"column {place + 1}" not in self._columns.named()
        if self.dialect.unnamed == "last" and place > 0:
            return True
        rows = [row for row in self._sample[1:] if len(row) > place]
        return bool(rows) and not any(row[place].strip() for row in rows)

    def _make_unique(self, lines: Lines, starts: list[int]) -> None:
        """Give names to unnamed columns, and number repeated names.

        If the caller specified whether there is a header, repeated names raise DataError instead.
        """
        names = self._names
        for place, name in enumerate(names):
            if not name:
                names[place] = f"column {place + 1}"
        if "header" not in self._given:
            renamed = number_repeated(names)
            if renamed is not None and self._known is None:
                name, other = renamed
                what = f"the column {quoted(name)} stands twice; the second is {quoted(other)}"
                notice(Assumption, f"{lines.name}: {what}")
        seen: dict[str, int] = {}
        for place, name in enumerate(names):
            if name in seen:
                raise self._header_fault(
                    lines,
                    f"the column {quoted(name)} stands twice, as number {seen[name] + 1} and as "
                    f"number {place + 1}",
                    starts[place],
                    starts[place] + len(name.encode()),
                    cures=Message("if the first line is a row, say ", Setting("header", False)),
                )
            seen[name] = place

    def _are_units(self, lines: Lines, fields: list[str]) -> bool:
        """Return whether the row below the header holds units, if the dialect has such a row.

        In a file that was sniffed it does. In other files the fields must be words in columns
        that are known to hold numbers; a row of missing values is not a row of units.
        """
        if self._looked_at is lines:
            return True
        over_numbers: list[str] = []
        for name, field in zip(self._names, fields, strict=False):
            if self._columns.kinds.get(name) == "number" and field not in self._columns.marks:
                over_numbers.append(field)
        if not over_numbers or any(kind_of(field) != "text" for field in over_numbers):
            return False
        shown = ", ".join(fields)[:SHOWN_UNITS]
        notice(Assumption, f"{lines.name}: {shown!r} below the header taken as units")
        return True

    def _settle(self, lines: Lines) -> None:
        """Assign roles to the columns, by their names and the values of the sample."""
        rows = self._sample[1:] if self.dialect.header else self._sample
        cells = [row for row in rows if len(row) == len(self._names)]
        columns = zip(*cells, strict=True) if cells else [()] * len(self._names)
        values = dict(zip(self._names, columns, strict=True))
        self._columns.settle(self._names, lines.name, values)

    def _warn_of_numbers(self, lines: Lines) -> None:
        """Warn if all feature names are numbers, since the header may be a row of data."""
        features = [name for name in self._names if name != self._columns.target]
        if all(_is_number(name) for name in features):
            self._warn_of_row(lines, self.parser.line + 1, "is all numbers")

    def _warn_of_values(
        self, lines: Lines, rows: list[list[bytes]], places: dict[str, int]
    ) -> None:
        """Warn if the header could be a row of data, judging by the first values of the columns.

        It could be one if all number columns are named by numbers, and a column of text by one of
        its own values. Years over columns of numbers are not enough. Without number columns, all
        columns must be named by their values.
        """
        columns = self._columns
        number_names = columns.of_kind("number")
        if not all(_is_number(name) or name in columns.missing for name in number_names):
            return
        text_names = columns.of_kind("text")
        if columns.target is not None:
            text_names.append(columns.target)
        are_values = (
            any(row[places[name]] == name.encode() for row in rows) for name in text_names
        )
        could_be_row = any(are_values) if number_names else all(are_values)
        if could_be_row:
            shown = ", ".join(quoted(name) for name in self._names[:SHOWN_NAMES])
            more = " …" if len(self._names) > SHOWN_NAMES else ""
            # The header was parsed, so the parser's line is that of the header.
            self._warn_of_row(lines, self.parser.line, f"looks like a row, {shown}{more}")

    def _warn_of_row(self, lines: Lines, line: int, what: str) -> None:
        self._has_warned_of_header = True
        problem = f"{lines.name}:{line}: the header {what}; if it is a row, say "
        notice(HeaderOfNumbers, Message(problem, Setting("header", False)))

    def _header_fault(
        self,
        lines: Lines,
        what: Words,
        at: int | None = None,
        end: int | None = None,
        cures: Words | Iterable[Words] = (),
    ) -> DataError:
        """Return a DataError for a fault in the header, which begins at ``lines.at``."""
        text = lines.buffer
        begin = lines.at
        if at is None:
            at = begin
        line_at = text.rfind(b"\n", begin, at) + 1 or begin
        line_end = text.index(b"\n", at)
        stop = line_end if end is None else min(end, line_end)
        return located_error(
            what,
            name=lines.name,
            line=self.parser.line + 1 + text.count(b"\n", begin, at),
            text=bytes(text[line_at:line_end]),
            at=at - line_at,
            end=stop - line_at,
            cures=cures,
        )

    # ------------------------------------------------------------------ the kinds of columns

    def _guess_kinds(self, lines: Lines, stop: int) -> None:
        """Guess the kinds of the undecided columns from the first rows."""
        rows = self._texts(lines, lines.at, stop, len(self._names), fatal=False)
        places = {name: place for place, name in enumerate(self._names)}
        more_follow = stop < lines.end or not lines.last
        for name in self._columns.undecided:
            values = [row[places[name]] for row in rows]
            self._check_decimal_marks(lines.name, name, values)
            self._columns.guess(name, values, self.parser.number, more_follow=more_follow)
            if self._columns.kinds[name] == "text":
                self._warn_of_signs(lines.name, name, values)
        is_named = self._given.get("header") and self._layout is None
        if is_named and not self._has_warned_of_header:
            self._warn_of_values(lines, rows, places)

    def _check_decimal_marks(self, file: str, name: str, encoded: list[bytes]) -> None:
        """Raise an error or warn if a column has other decimal marks than the file.

        Also warn if points may be either decimal marks or between thousands.
        """
        decimal = self.dialect.decimal
        other = "," if decimal == "." else "."
        # 5.600 may be a number of thousands, if the file is written as in countries with decimal
        # commas, where commas do not separate fields.
        is_plain = decimal == "." and self.dialect.thousands is None
        are_marks_named = bool({"decimal", "thousands"} & self._given.keys())
        may_be_doubtful = self.dialect.delimiter in ";\t" and is_plain and not are_marks_named
        # Most columns have no other mark, and need no closer look at every value.
        if not may_be_doubtful and not any(other.encode() in value for value in encoded):
            return

        values = [value.decode("utf-8", "replace") for value in encoded]
        marks = decimal_marks(values)
        is_mixed = decimal in marks and other in marks
        if is_mixed or (decimal == "," and other in marks):
            raise self._other_decimal_mark(file, name, marks)
        if other in marks:
            what = (
                f"{quoted(marks[other])} has {DECIMALS[other]}, other columns have "
                f"{DECIMALS[decimal]}; read as text unless all are written alike"
            )
            notice(Assumption, f"{file}: column {quoted(name)}: {what}")
            return

        doubtful = may_be_thousands(values) if may_be_doubtful else None
        if doubtful is not None:
            read_as = f"{doubtful} is read as {float(doubtful):g}"
            what = f"{file}: column {quoted(name)}: {read_as}; if points stand between thousands, "
            notice(Assumption, Message(what, "say ", Setting("decimal", ",")))

    def _other_decimal_mark(self, file: str, name: str, marks: dict[str, str]) -> DataError:
        decimal = self.dialect.decimal
        other = "," if decimal == "." else "."
        what = f"{quoted(marks[other])} has {DECIMALS[other]}"
        if decimal in marks:
            what += f", {quoted(marks[decimal])} {DECIMALS[decimal]}"
        else:
            what += f", other columns of the file have {DECIMALS[decimal]}"
        return DataError(
            f"column {quoted(name)}: {what}",
            name=file,
            found=marks[other],
            cures=[
                "write all numbers alike",
                Message("if ", DECIMALS[other], " is right, say ", Setting("decimal", other)),
                Message("read the column as text with ", Setting("types", {name: "text"})),
            ],
        )

    def _warn_of_signs(self, file: str, name: str, values: Iterable[bytes]) -> None:
        """Warn if a sign such as - is read as missing in a column that holds only signs."""
        marks = set(self._columns.marks)
        known = {value.decode("utf-8", "replace").strip() for value in values} - {""}
        signs = {value for value in known if not any(map(str.isalnum, value))}
        gaps = sorted(signs & marks)
        are_others_missing = known - signs <= marks
        if gaps and len(gaps) < len(signs) and are_others_missing:
            what = f"{file}: column {quoted(name)}: {quoted(gaps[0])} is read as a gap"
            notice(Assumption, f"{what}; if it is a value, write a word for it")

    def _texts(
        self, lines: Lines, at: int, stop: int, n_fields: int, *, fatal: bool
    ) -> list[list[bytes]]:
        """Return the fields of the records between two positions, without consuming them.

        Bad records are left out, since they are reported when the rows are parsed; if `fatal`,
        the first one raises its error.
        """
        probe = DelimitedParser(self.delimiter, self._trim, False, self._limit, [])
        comment = ord(self._comment or "\0")
        probe.set_dialect(self.delimiter, self.quote, ord("."), b"", False, comment)
        all_text = np.full(n_fields, TEXT, np.int8)
        probe.set_columns(all_text, np.arange(n_fields, dtype=np.int32))
        while at < stop:
            before = at
            at = probe.parse(lines.buffer, at, stop, False)
            if probe.fault is not None and fatal:
                found = bytes(lines.buffer[probe.fault_at : probe.fault_end])
                problem, _ = self.explain(probe, found)
                raise self._header_fault(lines, problem, probe.fault_at, probe.fault_end)
            if at == before:
                break
        _, codes, texts = probe.take()
        return [[texts[code] for code in row] for row in codes.tolist()]

    # ------------------------------------------------------------------ the rows

    def end_file(self, lines: Lines) -> None:
        """Warn about comment lines and row counts that were skipped among the rows."""
        parser = self.parser
        _warn_of_skipped(lines, "comment line", parser.n_comments, parser.comment_line)
        _warn_of_skipped(lines, "count of rows as of psql", parser.n_footers, parser.footer_line)

    def must_reread(self) -> bool:
        must = super().must_reread()
        if must:
            self._lines = None
            self._sniffed = None
        return must

    def take(self) -> Table:
        if self._lines is not None and self._layout is None:
            # The encoding may have been detected late, by the first byte that is not ASCII.
            self.dialect = replace(self.dialect, encoding=self._lines.encoding)
            self._warn_of_lost_digits(self._lines.name)
        return super().take()

    def _warn_of_lost_digits(self, file: str) -> None:
        """Warn about columns guessed to be numbers with more digits than a float64 holds."""
        for column, digits in self.parser.lost_digits.items():
            name = self._names[column]
            if name not in self._columns.guessed or name in self._warned_of_digits:
                continue
            self._warned_of_digits.add(name)
            read_as = f"{quoted(digits)} is read as {float(digits):.0f}"
            what = f"{file}: column {quoted(name)}: {read_as}; to keep all digits, say "
            notice(Assumption, Message(what, Setting("types", {name: "text"})))

    # ------------------------------------------------------------------ faults

    def is_footer(self, row: bytes) -> bool:
        if self._layout is not None and self._layout.has_more:
            return False
        return len(self._names) > 2 and may_be_footer(row, self.dialect.delimiter)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault in ("short row", "long row"):
            assert isinstance(parser, DelimitedParser)
            return self._wrong_width(parser.fault, parser.n_fields)
        problem, cures = super().explain(parser, found)
        if parser.fault == "not a number" and self.dialect.decimal == ",":
            text = found.decode("utf-8", "replace").strip()
            if "." in text and kind_of(text) == "number":
                rule = "with decimal commas a point stands between thousands"
                return Message(problem, f": {rule}"), self._cures_of_point(cures)
        return problem, cures

    def _wrong_width(self, fault: str, n_fields: int) -> ProblemAndCures:
        fields = "field" if n_fields == 1 else "fields"
        cure = "fill in what is missing"
        if fault == "long row":
            cure = "put fields that hold the delimiter in quotes"
        return f"{n_fields:,} {fields}, expected {len(self._names):,}", cure

    def _cures_of_point(self, cures: Words | Sequence[Words]) -> list[Words]:
        listed = [cures] if isinstance(cures, Words) else [*cures]
        if "decimal" not in self._given:
            listed.append(Message("if points are decimal marks, say ", Setting("decimal", ".")))
        return listed


def _is_at_blank_line(lines: Lines) -> bool:
    start = bytes(lines.buffer[lines.at : min(lines.at + 2, lines.end)])
    return start.startswith(b"\n") or start == b"\r\n"


def _warn_of_skipped(lines: Lines, what: str, n: int, first_line: int) -> None:
    """Warn about `n` skipped lines of one kind, described by `what`; do nothing if `n` is 0."""
    if n == 0:
        return
    more = f", and {n - 1:,} below" if n > 1 else ""
    notice(Assumption, f"{lines.name}:{first_line}: a {what} skipped{more}")


def _fields(text: bytearray, starts: list[int], stop: int) -> list[str]:
    """Return the fields of a record without surrounding quotes and blanks."""
    fields: list[str] = []
    for start, end in pairwise([*starts, stop]):
        fields.append(bytes(text[start:end]).decode("utf-8", "replace").strip(STRIPPED))
    return fields


def _is_number(name: str) -> bool:
    return numbers.parse(name.encode()) is not None
