"""Tables: rows with named columns, read from any tabular format in the registry."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text import numbers as number_text
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.engine.text.tabular import TabularParser
from rosenblatt.errors import InputError, Message, ParameterError, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.plurals import first_few
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.column_roles import (
    ColumnRoles,
    GuessedTarget,
    are_codes,
    are_numbers,
)
from rosenblatt.tables.readers.dialect import Dialect, Layout
from rosenblatt.tables.readers.fault_messages import (
    Assumption,
    ProblemAndCures,
    limit_problem,
    notice,
    number_problem,
    quoted,
)
from rosenblatt.tables.readers.formats import TABLES, default_of, format_of
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.number_style import looks_missing
from rosenblatt.tables.readers.reader import Reader, TextFormat
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    RowOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sources import Given

# Numbers of columns and of strays that a message lists, at most.
SHOWN_TEXT_COLUMNS = 6
SHOWN_STRAYS = 3
# About this many texts of a text column are tested first; if none is a number, none is counted.
PROBED_TEXTS = 50
# First rows in which a number column without strays is searched for a number at all.
PROBED_NUMBERS = 1000
# Faults of a single value, whose message names the column.
FAULTS_OF_VALUES = ("not a number", "too large", "label", "not text", "no label")

ParserOfRows = TypeVar("ParserOfRows", bound=TabularParser)


class Coded(NamedTuple):
    """Dictionary-encoded column of text: one code per row, and the text of each code."""

    codes: npt.NDArray[np.int32]
    texts: list[str]


class Table(Block):
    """Table of number columns and text columns, with the label of every row.

    ``X, y = table`` unpacks a matrix and the labels if all features are numbers. ``table[:1000]``
    is a table of the first rows; a list of row numbers or a mask selects rows in the same way.

    Attributes
    ----------
    names : list of str
        The features in order.
    numbers : ndarray of shape (n_samples, n_number_columns)
        The number columns, in the order of `names`; NaN where a value is missing.
    texts : dict of str to ndarray
        The text columns.
    labels : ndarray or None
        The values of the target column, if there is one.
    lines : ndarray of int64
        The line (in Parquet and Arrow files the row) of every example, from 1.
    missing : list of str
        The texts that were read as missing values, in addition to the usual ones.
    strays : dict of str to dict of str to int
        By number column the texts that are not numbers and were read as missing, with how often
        they occur.
    dialect : Dialect
        How the file was written: delimiter, decimal mark, encoding and so on.
    """

    def __init__(
        self,
        columns: ColumnRoles,
        numbers: npt.NDArray[Any],
        texts: dict[str, npt.NDArray[Any]],
        labels: npt.NDArray[Any] | None,
        lines: npt.NDArray[np.int64],
        codes: dict[str, Coded] | None = None,
    ) -> None:
        super().__init__(numbers, labels, lines)
        # Columns of text as the parser encodes them: all columns share one numbering of texts.
        self._shared_codes = codes or {}
        self._coded: dict[str, Coded] = {}
        self.names = list(columns.features)
        # The column index in `numbers` of each number column.
        self.places = columns.places("number")
        self.number_names = list(self.places)
        self.target = columns.target
        self.missing = list(columns.missing)
        self.dialect = Dialect()
        self.strays: dict[str, dict[str, int]] = {}
        self.numbers = numbers
        self.texts = texts
        # What `lines` counts: rows that do not come from a file are records.
        self.unit = "line"

    @property
    def X(self) -> npt.NDArray[Any]:
        """Return the matrix of the features, which must all be numbers."""
        if self.texts:
            names = ", ".join(quoted(name) for name in list(self.texts)[:SHOWN_TEXT_COLUMNS])
            raise InputError(
                f"{len(self.texts)} of {len(self.names)} features are text ({names})",
                cures=[
                    "encode them (table.texts has them)",
                    Message("leave them out with ", Setting("columns")),
                ],
            )
        return self.numbers

    def place(self, row: int) -> str:
        """Return the location of a row for a message, such as "line 3"."""
        return f"{self.unit} {int(self.lines[row])}"

    def number_column(self, name: str) -> npt.NDArray[Any]:
        """Return the values of a number column, as a view."""
        return self.numbers[:, self.places[name]]

    def coded(self, name: str) -> Coded:
        """Return a text column dictionary-encoded, with codes in order of first occurrence."""
        if name not in self._coded:
            self._coded[name] = self._encode(name)
        return self._coded[name]

    def _encode(self, name: str) -> Coded:
        if name in self._shared_codes:
            return _codes_of_one_column(self._shared_codes[name])
        code_of: dict[str, int] = {}
        codes = [code_of.setdefault(text, len(code_of)) for text in self.texts[name].tolist()]
        return Coded(np.array(codes, np.int32), list(code_of))

    def counts(self, name: str) -> dict[str, int]:
        """Return how often each text of a text column occurs."""
        codes, texts = self.coded(name)
        found = np.bincount(codes, minlength=len(texts)).tolist()
        return dict(zip(texts, found, strict=True))

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the values of every feature by name; ``pandas.DataFrame(table.columns)`` works."""
        return {
            name: self.texts[name] if name in self.texts else self.number_column(name)
            for name in self.names
        }

    def __getitem__(self, rows: slice | npt.ArrayLike) -> Self:
        """Return the selected rows as a table with the same columns; a slice is not copied."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise InputError("rows are taken by a slice, a list of their places or a mask.")
            if not rows.size:
                rows = rows.astype(np.intp)  # NumPy makes an empty list an array of floats
        part = self._part(self.numbers[rows], rows)
        part.numbers = part.rows
        part.texts = {name: texts[rows] for name, texts in self.texts.items()}
        part._shared_codes = {
            name: Coded(codes[rows], texts) for name, (codes, texts) in self._shared_codes.items()
        }
        part._coded = {}
        return part

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        return self[rows]

    @classmethod
    def concat(cls, tables: Sequence[Table]) -> Table:
        """Join the rows of several tables of the same columns."""
        joined = copy(tables[0])
        joined.numbers = np.concatenate([table.numbers for table in tables])
        joined.rows = joined.numbers
        joined.texts = {
            name: np.concatenate([table.texts[name] for table in tables]) for name in joined.texts
        }
        if joined.labels is not None:
            joined.labels = np.concatenate([table.labels for table in tables])
        joined.lines = np.concatenate([table.lines for table in tables])
        joined.strays = {}
        for table in tables:
            for name, texts in table.strays.items():
                joined.strays[name] = Counter(joined.strays.get(name)) + Counter(texts)
        # Codes of different tables mean different texts.
        joined._shared_codes = {}
        joined._coded = {}
        return joined

    def __repr__(self) -> str:
        target = "" if self.target is None else f", target {quoted(self.target)}"
        return (
            f"Table({len(self):,} rows, {len(self.number_names):,} number columns, "
            f"{len(self.texts):,} text columns{target})"
        )


def _codes_of_one_column(shared: Coded) -> Coded:
    """Renumber the codes of a column to those that occur, in order of first occurrence.

    The time needed depends on the number of rows, not on the number of texts in all columns.
    """
    codes, texts = shared
    first_row = np.empty(len(texts), np.int32)
    rows = np.arange(len(codes), dtype=np.int32)
    # In reverse, so that the first of several rows with the same text is written last and stays.
    first_row[codes[::-1]] = rows[::-1]
    used = codes[first_row[codes] == rows]

    new_code = first_row
    new_code[used] = rows[: len(used)]
    return Coded(new_code[codes], [texts[code] for code in used.tolist()])


# ---------------------------------------------------------------------- the kinds of columns


@dataclass
class ColumnTally:
    """Counts over all rows so far, which determine the kind of a column.

    Attributes
    ----------
    n_values : int
        Values that are not missing.
    strays : Counter
        Those of them that are not numbers, with how often they occur.
    has_codes : bool
        Whether some have leading zeros.
    """

    n_values: int = 0
    strays: Counter[str] = field(default_factory=Counter)
    has_codes: bool = False

    @property
    def kind(self) -> str:
        if not self.has_codes and are_numbers(self.n_values, self.strays):
            return "number"
        return "text"

    def stray_words(self, name: str) -> str:
        """Describe the values that were read as missing, for a warning about column `name`."""
        n = sum(self.strays.values())
        are_gaps = "is not a number, read as a gap" if n == 1 else "are not numbers, read as gaps"
        return (
            f"column {quoted(name)}: {n:,} of {self.n_values:,} values {are_gaps}: {self.examples}"
        )

    @property
    def examples(self) -> str:
        """Return some values that are not numbers, with how often they occur."""
        texts = [f"{quoted(text)} ({times:,})" for text, times in self.strays.most_common()]
        return first_few(texts, SHOWN_STRAYS)


@dataclass(frozen=True)
class TableRequest:
    """Arguments of `iter_table` in the form that is passed to the reader of a format.

    Attributes
    ----------
    given : Given
        Where to read.
    columns : ColumnRoles
        The target, the features and their kinds, as far as they are known.
    settings : ReaderSettings
        The options that all readers of rows have.
    written : dict
        The options of delimited text that the caller gave.
    dialect : Dialect, Layout or None
        How another file was written, or this one above the rows that are given.
    trim : bool
        Whether blanks around texts are removed.
    """

    given: Given
    columns: ColumnRoles
    settings: ReaderSettings
    written: Mapping[str, Any] = field(default_factory=dict)
    dialect: Dialect | Layout | None = None
    trim: bool = True


class TableFormat(TextFormat[Table], Generic[ParserOfRows]):
    """Base of tabular formats: converts the rows of the parser to a `Table`.

    The kinds of columns that the caller does not name are guessed by the first rows. All rows are
    tallied, so that `revised` returns wrong guesses at the end.
    """

    parser: ParserOfRows
    labels: Labels
    dialect = Dialect()
    # Whether a text may be a number. In JSON a value in quotes is text.
    number_of_text = False

    def __init__(
        self, parser: ParserOfRows, columns: ColumnRoles, settings: ReaderSettings
    ) -> None:
        self.parser = parser
        self._columns = columns
        self.labels = Labels(settings.labels, settings.classes)
        self._limit = largest_allowed(settings.dtype)
        self._most = settings.max_features
        # The columns of the current file.
        self._names: list[str] = []
        self._tallies: dict[str, ColumnTally] = {}
        # Columns that were parsed as numbers and turned out to be text.
        self._revised: set[str] = set()
        parser.admits = self.labels.fault

    @property
    def names(self) -> list[str]:
        """Return the names of the columns of the current file."""
        return self._names

    def take(self) -> Table:
        strays = self._take_strays()
        numbers, codes, texts = self.parser.take()
        label_codes, label_names, lines = self.parser.take_rows()
        listed = [text.decode() for text in texts]
        # Indexing an empty array would fail, even with no codes.
        decoded = np.array(listed or [""], dtype=object)

        columns: dict[str, npt.NDArray[Any]] = {}
        shared: dict[str, Coded] = {}
        for place, name in enumerate(self._columns.of_kind("text")):
            columns[name] = decoded[codes[:, place]]
            shared[name] = Coded(codes[:, place], listed)
        labels = None
        if self._columns.target is not None:
            labels = self.labels.values(label_codes, label_names)

        table = Table(self._columns, numbers, columns, labels, lines, shared)
        table.dialect = self.dialect
        table.strays = strays
        for name in sorted({*self._columns.guessed, *strays}):
            self._tally(table, name)
        return table

    def _take_strays(self) -> dict[str, dict[str, int]]:
        """Return the counts of texts read as missing since the last call, by number column."""
        places, codes, texts = self.parser.take_strays()
        names = self._columns.of_kind("number")
        strays: dict[str, dict[str, int]] = {}
        for place in np.unique(places).tolist():
            counts = np.bincount(codes[places == place])
            strays[names[place]] = {
                texts[code].decode(): int(counts[code]) for code in np.flatnonzero(counts).tolist()
            }
        return strays

    # ------------------------------------------------------------------ the kinds of the columns

    def _tally(self, table: Table, name: str) -> None:
        """Update the tally of a column with the rows of a table."""
        tally = self._tallies.setdefault(name, ColumnTally())
        if name in table.places:
            strays = table.strays.get(name, {})
            values = table.number_column(name)
            # If a whole file has no strays, it only matters whether there is a number at all.
            if self.reads_all and not strays and not np.isnan(values[:PROBED_NUMBERS]).all():
                values = values[:PROBED_NUMBERS]
            tally.n_values += int((~np.isnan(values)).sum()) + sum(strays.values())
            tally.strays.update(strays)
        elif self.number_of_text and name not in self._revised:
            self._tally_texts(tally, table, name)

    def _tally_texts(self, tally: ColumnTally, table: Table, name: str) -> None:
        codes, texts = table.coded(name)
        n_values = len(codes)
        known = texts
        if "" in texts:
            empty = texts.index("")
            n_values -= int(np.count_nonzero(codes == empty))
            known = texts[:empty] + texts[empty + 1 :]
        tally.n_values += n_values

        # Most columns of text hold no numbers at all, and a look at some of them is enough.
        some = known[:: max(1, len(known) // PROBED_TEXTS)]
        if not any(self._number(text) is not None for text in some):
            tally.strays.update({"": n_values})
            return

        counts = table.counts(name)
        tally.strays.update({text: counts[text] for text in known if self._number(text) is None})
        if are_codes(text.encode() for text in known):
            tally.has_codes = True

    def parse_number(self, text: bytes) -> float | None:
        """Parse a number in the style of the format; return None if `text` is not one."""
        return number_text.parse(text)

    def _number(self, text: str) -> float | None:
        """Parse a number; return None if `text` is not one, or is beyond the allowed range."""
        value = self.parse_number(text.encode())
        if value is None or abs(value) > self._limit:
            return None
        return value

    @property
    def may_revise(self) -> bool:
        return not self._columns.all_known

    def revised(self) -> dict[str, str]:
        """Return the columns whose kind was guessed wrong, with the kind that all rows show.

        A column without any value is left as text.
        """
        revised: dict[str, str] = {}
        for name in self._columns.guessed & self._tallies.keys():
            kind = self._columns.kinds[name]
            # In JSON only a guess of numbers can be wrong.
            is_certain = kind != "number" and not self.number_of_text
            found = self._tallies[name].kind
            if found != kind and not is_certain and name not in self._revised:
                revised[name] = found
        return revised

    def must_reread(self) -> bool:
        """Change columns wrongly guessed as numbers to text; return whether there are any."""
        texts: set[str] = set()
        for name, kind in self.revised().items():
            if kind == "text" and self._tallies[name].n_values:
                texts.add(name)
        if not texts:
            return False
        for name in texts:
            self._columns.revise(name, "text")
        self._revised |= texts
        self._tallies = {}
        return True

    def finish(self, table: Table) -> Table:
        """Return the table of all rows, with wrongly guessed columns converted."""
        revised = self.revised()
        if not revised:
            return table
        dtype = table.numbers.dtype
        columns: dict[str, npt.NDArray[Any]] = dict(table.columns)
        for name, kind in revised.items():
            if kind == "text":  # there is no value in it
                columns[name] = np.full(len(table), "", object)
            else:
                codes, texts = table.coded(name)
                values = [self._number(text) for text in texts]
                numbers = np.array([np.nan if v is None else v for v in values], dtype)
                columns[name] = numbers[codes]
                table.strays[name] = dict(self._tallies[name].strays)
            self._columns.revise(name, kind)

        number_names = self._columns.of_kind("number")
        found = np.empty((len(table), len(number_names)), dtype)
        for place, name in enumerate(number_names):
            found[:, place] = columns[name]
        texts_found = {name: columns[name] for name in self._columns.of_kind("text")}
        shared = {n: coded for n, coded in table._shared_codes.items() if n in texts_found}
        better = Table(self._columns, found, texts_found, table.labels, table.lines, shared)
        better.dialect = table.dialect
        better.strays = {name: strays for name, strays in table.strays.items() if strays}
        return better

    def warn_of_strays(self, file: str) -> None:
        """Warn about values that were read as missing because they are not numbers."""
        for name in self._columns.of_kind("number"):
            tally = self._tallies.get(name)
            if tally is None or not tally.strays:
                continue
            words = Message(f"{file}: {tally.stray_words(name)}")
            if name in self._columns.guessed:
                as_text = Setting("types", {name: "text"})
                words = Message(words, "; if the column is text, say ", as_text)
            notice(Assumption, words)

    # ------------------------------------------------------------------ faults

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault not in FAULTS_OF_VALUES:
            return super().explain(parser, found)
        assert isinstance(parser, TabularParser)
        column = parser.fault_column
        name = str(column + 1)
        if 0 <= column < len(self._names):
            name = self._names[column]

        problem: Words
        cures: Words | Sequence[Words]
        if parser.fault == "not a number":
            problem = number_problem(found)
            cures = self._cures_of_number(name, found)
        elif parser.fault == "too large":
            problem, cures = limit_problem(found, self._limit)
        elif parser.fault == "no label":
            problem = "the label is missing"
            cures = "give the row a label"
        else:
            problem, cures = super().explain(parser, found)
        if column >= 0:
            problem = Message(f"column {quoted(name)}: ", problem)
        return problem, cures

    def _cures_of_number(self, name: str, found: bytes) -> list[Words]:
        text = found.strip().decode("utf-8", "replace")
        if looks_missing(text):
            return [Message("if it marks a missing value, say ", Setting("missing", [text]))]
        cures: list[Words] = ["fix it"]
        if name in self._columns.guessed:
            as_text = Setting("types", {name: "text"})
            cures.append(Message("read the column as text with ", as_text))
        return cures


# ---------------------------------------------------------------------- readers


@takes(RowOptions)
def iter_table(
    path: Given,
    target: str | int | GuessedTarget | None = None,
    *,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    quote: str | None = None,
    dialect: Dialect | Layout | None = None,
    columns: Iterable[str] | None = None,
    types: Mapping[str, str] | str | None = None,
    missing: Iterable[str] = (),
    ignore: Iterable[str] = (),
    trim: bool = True,
    **options: Unpack[RowOptions],
) -> Reader[Table]:
    """Read a table block by block, in memory that does not grow with the file.

    The reader counts rows that were skipped (``reader.skipped``, ``reader.first_faults``) instead
    of warning. Each block is a Table with the same columns.

    Parameters
    ----------
    path : path, "-", binary file, or list of these
        Where to read; ``"-"`` is standard input. Compressed data (gzip, xz, bzip2, zstd) are
        decompressed. Columns of several files are matched by name.
    target : str or int, default=None
        The column of the labels: its name, its index (0 is the first, -1 the last), or its number
        from 1 as text.
    format : str, default=None
        The name of a format of tables, such as ``"csv"`` or ``"parquet"``. By default the suffix of
        the path decides, and a path without a known suffix is CSV.
    header : bool, default=None
        Whether the first line names the columns; otherwise they are called "1", "2", … By default
        this and the next four options are auto-detected, and a warning reports what is unusual.
    delimiter : str, default=None
        The character between fields.
    decimal : {".", ","}, default=None
        The decimal mark of numbers.
    thousands : str, default=None
        The character between thousands, as in 1'000.
    quote : str, default=None
        The character around fields that contain a delimiter.
    dialect : Dialect, default=None
        The dialect of another file (``table.dialect``), which is used for this one if it fits.
    columns : list of str, default=None
        The features to read, in this order. A file may have more columns, which gives a warning,
        but not fewer.
    types : dict of str to {"number", "number or gap", "text"}, or one for all, default=None
        The kinds of columns that should not be guessed. A text in a column of numbers is an error;
        with "number or gap" it is a missing value.
    missing : list of str, default=()
        Texts that mark a missing value, in addition to the usual ones: nothing, NA, N/A, null, NaN,
        -, ? and others. A missing number is NaN, a missing text "".
    ignore : list of str, default=()
        Columns to leave out, if the file has them.
    trim : bool, default=True
        Whether blanks around the texts and labels of CSV and TSV are removed, as in ``a, b``; False
        keeps them, as in RFC 4180. Blanks around numbers do not matter.

    See Also
    --------
    read_table : All of it at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_table
    >>> for X, y in iter_table(io.BytesIO(b"a,b\\n1,x\\n2,y\\n"), target="b"):
    ...     print(X.ravel(), y)
    [1. 2.] ['x' 'y']
    """
    is_single = isinstance(path, str | os.PathLike | bytes) or hasattr(path, "read")
    if not is_single and isinstance(path, Iterable):
        path = list(path)  # an iterator can be read only once
    found = format_of(path, format, TABLES, otherwise=default_of("table"))

    # Only the options that the caller gave; the others are auto-detected.
    asked = {"delimiter": delimiter, "decimal": decimal, "thousands": thousands, "quote": quote}
    written: dict[str, object] = {}
    for name, value in asked.items():
        if value is None:
            continue
        if name not in found.options:
            problem = Message(Setting(name), f" has no meaning for {found.name}")
            raise ParameterError(problem, where=name, cures="leave it out")
        written[name] = value
    if header is not None:
        written["header"] = header

    roles = ColumnRoles(target, columns, types, missing, ignore)
    request = TableRequest(path, roles, ReaderSettings(**options), written, dialect, trim)
    reader: Reader[Table] = found.load_reader()(request)
    return reader


@of_whole_file(iter_table)
def read_table(table: Table) -> Table:
    """Read a table with named columns: CSV, TSV, JSON, Excel, Parquet or Arrow.

    The dialect of a text is detected from its first lines (`table.dialect`): delimiter, header,
    decimal commas, marks between thousands. A column holds numbers if all but a few of its values
    are numbers; those few are read as missing (`table.strays`), with a warning. Fields may be
    quoted as in RFC 4180; blank lines are skipped. JSON is one object per line, or an array of
    them, and nested objects become columns such as ``where.city``. Excel files are read from the
    first sheet that holds a table.

    Returns
    -------
    table : Table
        ``X, y = table`` if all features are numbers; `table.texts` has the others.

    See Also
    --------
    iter_table : The same, block by block.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_table
    >>> text = b'petal,colour,species\\n1.4,"white, pale",setosa\\n4.7,blue,virginica\\n'
    >>> table = read_table(io.BytesIO(text), target="species")
    >>> table.numbers
    array([[1.4],
           [4.7]])
    >>> table.texts["colour"]
    array(['white, pale', 'blue'], dtype=object)
    >>> table.y
    array(['setosa', 'virginica'], dtype='<U9')

    >>> text = b"a,b,c\\n1,2,x\\n3,4,y\\n5,oops,x\\n"
    >>> read_table(io.BytesIO(text), target="c", types={"b": "number"})
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:4:3: column "b": "oops" is not a number
      5,oops,x
        ^^^^
    help: fix it
          or skip such rows with on_bad='skip'
    """
    return table
