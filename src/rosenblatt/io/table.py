"""Rows with named columns, whatever file they come from."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.text.tabular import TabularParser
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import InputError, Message, Setting, Words
from rosenblatt.io.block import Block
from rosenblatt.io.column_roles import Columns
from rosenblatt.io.dialect import Dialect
from rosenblatt.io.fault_messages import Explained, limit_words, number_words, quoted
from rosenblatt.io.labels import Labels
from rosenblatt.io.number_style import looks_missing
from rosenblatt.io.reader import Format
from rosenblatt.io.reader_options import ReaderSettings

Coded = tuple[npt.NDArray[np.int32], list[str]]
ParserOfRows = TypeVar("ParserOfRows", bound=TabularParser)
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


class TableFormat(Format[Table], Generic[ParserOfRows]):
    """Rows of the parser as a Table, and the words for faults that any table can have."""

    parser: ParserOfRows
    labels: Labels
    dialect = Dialect()

    def __init__(self, parser: ParserOfRows, columns: Columns, settings: ReaderSettings) -> None:
        self.parser, self._columns = parser, columns
        self.labels = Labels(settings.labels, settings.classes)
        self._limit, self._most = largest_allowed(settings.dtype), settings.max_features
        self._names: list[str] = []
        parser.admits = self.labels.fault

    @property
    def names(self) -> list[str]:
        """The columns of the file at hand."""
        return self._names

    def take(self) -> Table:
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
        return table

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
