"""What the formats with named columns share."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from rosenblatt._kernels.text.tabular import TabularParser
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import Message, Setting, Words
from rosenblatt.io.column_roles import Columns
from rosenblatt.io.excerpt import quoted
from rosenblatt.io.fault_messages import Explained, encoding_words, limit_words, number_words
from rosenblatt.io.labels import Labels
from rosenblatt.io.reader_options import ReaderSettings
from rosenblatt.io.table import Table

__all__ = ["TableFormat"]

ParserOfRows = TypeVar("ParserOfRows", bound=TabularParser)
LOOK_MISSING = {"", "?", "-", "na", "n/a", "nan", "null", "none", "nil", "missing"}


class TableFormat(Generic[ParserOfRows]):
    """Rows of the parser as a Table, and the words for faults that any table can have."""

    def __init__(self, parser: ParserOfRows, columns: Columns, settings: ReaderSettings) -> None:
        self.parser, self._columns = parser, columns
        self.labels = Labels(settings.labels, settings.classes)
        self._limit, self._most = largest_allowed(settings.dtype), settings.max_features
        self._names: list[str] = []
        parser.admits = self.labels.fault

    def take(self) -> Table:
        found, codes, texts = self.parser.take()
        label_codes, names, lines = self.parser.take_rows()
        listed = [text.decode() for text in texts]
        decoded = np.array(listed or [""], dtype=object)
        places = {name: place for place, name in enumerate(self._columns.of_kind("text"))}
        columns = {name: decoded[codes[:, place]] for name, place in places.items()}
        coded = {name: (codes[:, place], listed) for name, place in places.items()}
        labels = None
        if self._columns.target is not None:
            labels = self.labels.values(label_codes, names)
        return Table(self._columns, found, columns, labels, lines, coded)

    def _value_words(self, fault: str, found: bytes, parser: TabularParser) -> Explained | None:
        """The words for what is wrong with a value, None if it is something else."""
        name = str(parser.fault_column + 1)
        if 0 <= parser.fault_column < len(self._names):
            name = self._names[parser.fault_column]
        explained: Explained
        if fault == "not a number":
            explained = number_words(found), self._cures_of_number(name, found)
        elif fault == "too large":
            explained = limit_words(found, self._limit)
        elif fault == "label":
            explained = parser.reason
        elif fault == "not text":
            explained = encoding_words(found)
        elif fault == "no label":
            explained = "the label is missing", "give the row a label"
        else:
            return None
        if parser.fault_column < 0:
            return explained
        return Message(f"column {quoted(name)}: ", explained[0]), explained[1]

    def _cures_of_number(self, name: str, found: bytes) -> list[Words]:
        text = found.strip().decode("utf-8", "replace")
        if text.lower() in LOOK_MISSING:
            return [Message("if it marks a missing value, say ", Setting("missing", [text]))]
        as_text = Message("read the column as text with ", Setting("types", {name: "text"}))
        return ["fix it", as_text] if name in self._columns.guessed else ["fix it"]
