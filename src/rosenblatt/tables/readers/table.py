"""Rows with named columns, whatever file they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.text import numbers as number_text
from rosenblatt.engine.text.tabular import TabularParser
from rosenblatt.errors import InputError, Message, Setting, Words
from rosenblatt.models.rows import largest_allowed
from rosenblatt.plurals import first_few
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.column_roles import Columns, are_codes, are_numbers
from rosenblatt.tables.readers.dialect import Dialect, Layout
from rosenblatt.tables.readers.fault_messages import (
    Assumption,
    Explained,
    limit_words,
    notice,
    number_words,
    quoted,
)
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.number_style import looks_missing
from rosenblatt.tables.readers.reader import TextFormat
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.sources import Given

Coded = tuple[npt.NDArray[np.int32], list[str]]
ParserOfRows = TypeVar("ParserOfRows", bound=TabularParser)
SHOWN_STRAYS = 3
# So many different texts tell whether any of a column may be numbers.
PROBED_TEXTS = 50
PROBED_NUMBERS = 1000
FAULTS_OF_VALUES = ("not a number", "too large", "label", "not text", "no label")


class Table(Block):
    """Columns of numbers and of text, and the label of every row.

    ``X, y = table`` gives a matrix and the labels if all features are numbers. ``table[:1000]``
    is a table of the first rows; a list of rows or a mask of them does too.

    Attributes
    ----------
    names : list of str
        The features in order.
    numbers : ndarray of shape (n_samples, n_number_columns)
        The number columns, in the order of `names`; NaN where a value is missing.
    texts : dict of str to ndarray
        The text columns.
    labels : ndarray or None
        The target, if one was named.
    lines : ndarray of int64
        The line (in Parquet and Arrow files the row) of every example, from 1.
    missing : list of str
        The texts that were read as gaps, beside the usual ones.
    strays : dict of str to dict of str to int
        By number column the texts that are no numbers and were read as gaps, with how often they
        occur.
    dialect : Dialect
        How the file was written: delimiter, decimal mark, encoding and so on.
    """

    def __init__(
        self,
        columns: Columns,
        numbers: npt.NDArray[Any],
        texts: dict[str, npt.NDArray[Any]],
        labels: npt.NDArray[Any] | None,
        lines: npt.NDArray[np.int64],
        codes: dict[str, Coded] | None = None,
    ) -> None:
        super().__init__(numbers, labels, lines)
        # Of the parser: columns as numbers of texts, which all of them share.
        self._codes, self._coded = codes or {}, dict[str, Coded]()
        self.names = list(columns.features)
        # Where each number column stands among them.
        self.places = columns.places("number")
        self.number_names = list(self.places)
        self.target = columns.target
        self.missing = list(columns.missing)
        self.dialect = Dialect()
        self.strays: dict[str, dict[str, int]] = {}
        self.numbers, self.texts = numbers, texts
        # What `lines` counts; what does not come from a file has records.
        self.unit = "line"

    @property
    def X(self) -> npt.NDArray[Any]:
        """The matrix of the features, which must all be numbers."""
        if self.texts:
            names = ", ".join(quoted(name) for name in list(self.texts)[:6])
            raise InputError(
                f"{len(self.texts)} of {len(self.names)} features are text ({names})",
                cures=[
                    "encode them (table.texts has them)",
                    Message("leave them out with ", Setting("columns")),
                ],
            )
        return self.numbers

    def place(self, row: int) -> str:
        """Where a row stands, for a message."""
        return f"{self.unit} {int(self.lines[row])}"

    def number_column(self, name: str) -> npt.NDArray[Any]:
        """The values of a number column; a view."""
        return self.numbers[:, self.places[name]]

    def coded(self, name: str) -> Coded:
        """A text column as numbers of its different texts, and these as they were first met."""
        if name not in self._coded:
            if name in self._codes:
                self._coded[name] = _of_one_column(*self._codes[name])
            else:
                number: dict[str, int] = {}
                column = self.texts[name].tolist()
                codes = [number.setdefault(text, len(number)) for text in column]
                self._coded[name] = np.array(codes, np.int32), list(number)
        return self._coded[name]

    def counts(self, name: str) -> dict[str, int]:
        """How often each text of a text column occurs."""
        codes, texts = self.coded(name)
        found = np.bincount(codes, minlength=len(texts)).tolist()
        return dict(zip(texts, found, strict=True))

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Every feature by name, in order; ``pandas.DataFrame(table.columns)`` works."""
        return {
            name: self.texts[name] if name in self.texts else self.number_column(name)
            for name in self.names
        }

    def __getitem__(self, rows: slice | npt.ArrayLike) -> Self:
        """Some of the rows, as a table of the same columns; a slice is not copied."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise InputError("rows are taken by a slice, a list of their places or a mask.")
            if not rows.size:
                rows = rows.astype(np.intp)  # an empty list is one of floats
        part = copy(self)
        part.numbers = part.rows = self.numbers[rows]
        part.texts = {name: texts[rows] for name, texts in self.texts.items()}
        part.labels = None if self.labels is None else self.labels[rows]
        part.lines = self.lines[rows]
        part._codes = {name: (codes[rows], texts) for name, (codes, texts) in self._codes.items()}
        part._coded = {}
        return part

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        return self[rows]

    @classmethod
    def concat(cls, tables: Sequence[Table]) -> Table:
        """The rows of several tables of the same columns, one after the other."""
        joined = copy(tables[0])
        joined.numbers = joined.rows = np.concatenate([table.numbers for table in tables])
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
        joined._codes, joined._coded = {}, {}
        return joined

    def __repr__(self) -> str:
        target = "" if self.target is None else f", target {quoted(self.target)}"
        return (
            f"Table({len(self):,} rows, {len(self.number_names):,} number columns, "
            f"{len(self.texts):,} text columns{target})"
        )


def _of_one_column(codes: npt.NDArray[np.int32], texts: list[str]) -> Coded:
    """Numbers of the texts that occur; the work is that of the rows, whatever texts there are."""
    first = np.empty(len(texts), np.int32)
    rows = np.arange(len(codes), dtype=np.int32)
    first[codes[::-1]] = rows[::-1]  # of rows with the same text the last that is written stays
    met = codes[first[codes] == rows]
    first[met] = rows[: len(met)]
    return first[codes], [texts[code] for code in met.tolist()]


@dataclass
class ColumnTally:
    """What all rows so far say about the kind of a column.

    ``n_values`` counts those that are no gaps, and ``strays`` those of them that are no numbers;
    ``has_codes`` says whether some have zeros in front.
    """

    n_values: int = 0
    strays: Counter[str] = field(default_factory=Counter)
    has_codes: bool = False

    @property
    def kind(self) -> str:
        return (
            "number" if not self.has_codes and are_numbers(self.n_values, self.strays) else "text"
        )

    def stray_words(self, name: str) -> str:
        """Say which values of a column of this name were read as gaps, as they are no numbers."""
        n = sum(self.strays.values())
        are_gaps = "is not a number, read as a gap" if n == 1 else "are not numbers, read as gaps"
        return (
            f"column {quoted(name)}: {n:,} of {self.n_values:,} values {are_gaps}: {self.examples}"
        )

    @property
    def examples(self) -> str:
        """Some values that are no numbers, with how often they occur."""
        texts = [f"{quoted(text)} ({times:,})" for text, times in self.strays.most_common()]
        return first_few(texts, SHOWN_STRAYS)


@dataclass(frozen=True)
class TableRequest:
    """What `iter_table` was asked to read, as the reader of each format of tables gets it.

    Attributes
    ----------
    given : Given
        Where to read.
    columns : Columns
        The target, the features and what is known of them.
    settings : ReaderSettings
        The options that all readers of rows have.
    written : dict
        Those options that say how delimited text is written, where the caller gave them.
    dialect : Dialect, Layout or None
        How another file was written, or this one above the rows that are given.
    trim : bool
        Whether blanks around texts are dropped.
    """

    given: Given
    columns: Columns
    settings: ReaderSettings
    written: Mapping[str, Any] = field(default_factory=dict)
    dialect: Dialect | Layout | None = None
    trim: bool = True


class TableFormat(TextFormat[Table], Generic[ParserOfRows]):
    """Rows of the parser as a Table, and the words for faults that any table can have.

    The kinds of columns that nobody named are guessed by the first rows. All rows are counted, so
    that `revise` knows better at the end.
    """

    parser: ParserOfRows
    labels: Labels
    dialect = Dialect()
    # Whether a text may be a number; in JSON one that is in quotes is meant as text.
    number_of_text = False

    def __init__(self, parser: ParserOfRows, columns: Columns, settings: ReaderSettings) -> None:
        self.parser, self._columns = parser, columns
        self.labels = Labels(settings.labels, settings.classes)
        self._limit, self._most = largest_allowed(settings.dtype), settings.max_features
        self._names: list[str] = []
        self._tallies: dict[str, ColumnTally] = {}
        # Columns that were read as numbers and turned out to be texts.
        self._revised: set[str] = set()
        parser.admits = self.labels.fault

    @property
    def names(self) -> list[str]:
        """The columns of the file at hand."""
        return self._names

    def take(self) -> Table:
        strays = self._take_strays()
        found, codes, texts = self.parser.take()
        label_codes, names, lines = self.parser.take_rows()
        listed = [text.decode() for text in texts]
        decoded = np.array(listed or [""], dtype=object)
        places = {name: place for place, name in enumerate(self._columns.of_kind("text"))}
        columns = {name: decoded[codes[:, place]] for name, place in places.items()}
        shared = {name: (codes[:, place], listed) for name, place in places.items()}
        labels = None
        if self._columns.target is not None:
            labels = self.labels.values(label_codes, names)
        table = Table(self._columns, found, columns, labels, lines, shared)
        table.dialect = self.dialect
        table.strays = strays
        for name in sorted({*self._columns.guessed, *strays}):
            self._tally(table, name)
        return table

    def _take_strays(self) -> dict[str, dict[str, int]]:
        """By number column the texts read as gaps since the last time, and how often they occur."""
        places, codes, texts = self.parser.take_strays()
        names = self._columns.of_kind("number")
        strays: dict[str, dict[str, int]] = {}
        for place in np.unique(places).tolist():
            found = np.bincount(codes[places == place])
            strays[names[place]] = {
                texts[code].decode(): int(found[code]) for code in np.flatnonzero(found).tolist()
            }
        return strays

    # ------------------------------------------------------------------ the kinds of the columns

    def _tally(self, table: Table, name: str) -> None:
        """Count what more rows say about the kind of a column."""
        tally = self._tallies.setdefault(name, ColumnTally())
        if name in table.places:
            strays = table.strays.get(name, {})
            values = table.number_column(name)
            # Of a whole file without strays it only matters whether there is a number at all.
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
        tally.has_codes = tally.has_codes or are_codes(text.encode() for text in known)

    def _number(self, text: str) -> float | None:
        """The number that a text is, if it is one to learn from."""
        parse: Callable[[bytes], float | None] = getattr(self.parser, "number", number_text.parse)
        value = parse(text.encode())
        return value if value is not None and abs(value) <= self._limit else None

    @property
    def may_revise(self) -> bool:
        return not self._columns.all_known

    def revised(self) -> dict[str, str]:
        """The columns whose kind was guessed wrong, as all rows so far show, with their true kind.

        Of a column without any value nothing is known: it is left as text.
        """
        tallies = {name: self._tallies[name] for name in self._columns.guessed & {*self._tallies}}
        if not self.number_of_text:
            tallies = {n: t for n, t in tallies.items() if self._columns.kinds[n] == "number"}
        return {
            name: tally.kind
            for name, tally in tallies.items()
            if tally.kind != self._columns.kinds[name] and name not in self._revised
        }

    def reread(self) -> bool:
        """Take back wrong guesses; whether the files must be read again, as numbers are texts."""
        texts = {
            name
            for name, kind in self.revised().items()
            if kind == "text" and self._tallies[name].n_values
        }
        for name in texts:
            self._columns.revise(name, "text")
        self._revised |= texts
        self._tallies = {} if texts else self._tallies
        return bool(texts)

    def finished(self, table: Table) -> Table:
        """The table of all rows, its columns of the kinds that these have."""
        revised = self.revised()
        if not revised:
            return table
        columns: dict[str, npt.NDArray[Any]] = dict(table.columns)
        for name, kind in revised.items():
            if kind == "text":  # there is no value in it
                columns[name] = np.full(len(table), "", object)
            else:
                numbered, different = table.coded(name)
                values = [self._number(text) for text in different]
                found = np.array([np.nan if v is None else v for v in values], table.numbers.dtype)
                columns[name] = found[numbered]
                table.strays[name] = dict(self._tallies[name].strays)
            self._columns.revise(name, kind)
        numbers = np.empty((len(table), len(self._columns.of_kind("number"))), table.numbers.dtype)
        for place, name in enumerate(self._columns.of_kind("number")):
            numbers[:, place] = columns[name]
        texts = {name: columns[name] for name in self._columns.of_kind("text")}
        codes = {name: coded for name, coded in table._codes.items() if name in texts}
        better = Table(self._columns, numbers, texts, table.labels, table.lines, codes)
        better.dialect = table.dialect
        better.strays = {name: strays for name, strays in table.strays.items() if strays}
        return better

    def tell_of_strays(self, file: str) -> None:
        """Say which values were read as gaps, as they are no numbers."""
        for name in self._columns.of_kind("number"):
            tally = self._tallies.get(name)
            if tally is None or not tally.strays:
                continue
            what = f"{file}: {tally.stray_words(name)}"
            words = Message(what)
            if name in self._columns.guessed:
                as_text = Setting("types", {name: "text"})
                words = Message(what, "; if the column is text, say ", as_text)
            notice(Assumption, words)

    def explain(self, parser: Any, found: bytes) -> Explained:
        column, name = parser.fault_column, str(parser.fault_column + 1)
        if parser.fault not in FAULTS_OF_VALUES:
            return super().explain(parser, found)
        if 0 <= column < len(self._names):
            name = self._names[column]
        explained: Explained
        if parser.fault == "not a number":
            explained = number_words(found), self._cures_of_number(name, found)
        elif parser.fault == "too large":
            explained = limit_words(found, self._limit)
        elif parser.fault == "no label":
            explained = "the label is missing", "give the row a label"
        else:
            explained = super().explain(parser, found)
        if column < 0:
            return explained
        return Message(f"column {quoted(name)}: ", explained[0]), explained[1]

    def _cures_of_number(self, name: str, found: bytes) -> list[Words]:
        text = found.strip().decode("utf-8", "replace")
        if looks_missing(text):
            return [Message("if it marks a missing value, say ", Setting("missing", [text]))]
        as_text = Message("read the column as text with ", Setting("types", {name: "text"}))
        return ["fix it", as_text] if name in self._columns.guessed else ["fix it"]
