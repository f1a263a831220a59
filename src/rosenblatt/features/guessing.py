"""What the columns of a table are, judged by all of its rows, which may come block by block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.features.column_kinds import Category, Column, Ignored, Number, Words
from rosenblatt.features.number_scaling import NumberStatistics
from rosenblatt.features.text import OF_STREAMS, TextFeatures
from rosenblatt.io.table import Table

KINDS = ("number", "category", "text", "ignored")
DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d.*)?|\d\d?[./]\d\d?[./]\d{2,4}")
FEW_ROWS = 20
WORDS_OF_TEXT = 3.0
# What texts are is judged by so many of them; if so many are all different, none will be met again.
JUDGED, MOST_DIFFERENT = 1000, 1 << 20
NAMES_OF_ROWS = "different in every row, like a name or number of the row"


class TableGuess:
    """What is known of the columns after the blocks so far; they all have the same columns.

    Whether the rows come at once or in blocks, the columns are the same to the last bit.
    """

    def __init__(
        self,
        declared: Mapping[str, str] | None = None,
        scale: str | None = "robust",
        text: Mapping[str, Any] | None = None,
    ) -> None:
        self._declared = dict(declared or {})
        self._text = {**(OF_STREAMS if scale == "running" else {}), **(text or {})}
        self._statistics, self._texts = NumberStatistics(scale), dict[str, TextGuess]()
        self._names, self._numbers = list[str](), list[str]()

    def add(self, table: Table) -> None:
        """Look at more rows."""
        if not self._names:
            self._begin(table)
        self._statistics.add(table.numbers)
        for column in self._texts.values():
            column.add(table)

    def _begin(self, table: Table) -> None:
        self._names, self._numbers = table.names, table.number_names
        for name, kind in self._declared.items():
            if name not in table.names:
                raise ParameterError(f"there is no column {name!r} to declare as {kind}.")
            if kind not in KINDS:
                raise ParameterError(
                    f"the column {name!r} is declared as {kind!r}; use {', '.join(KINDS)}."
                )
            if kind in ("category", "text") and name in table.places:
                raise ParameterError(
                    f"the column {name!r} was read as numbers; read it as text to make it a {kind}."
                )
            if kind == "number" and name in table.texts:
                raise ParameterError(f"the column {name!r} was read as text; read it as numbers.")
        for name in table.texts:
            self._texts[name] = TextGuess(name, self._declared.get(name), self._text)

    def columns(self, gaps: bool) -> list[Column]:
        """Of the rows so far; ``gaps``: every number may be missing."""
        lacking, facts = self._statistics.columns()
        numbers = {
            name: Number(name, gaps=gaps or lacks, **fields)
            for name, lacks, fields in zip(self._numbers, lacking, facts, strict=True)
        }
        return [
            Ignored(name)
            if self._declared.get(name) == "ignored"
            else self._texts[name].column()
            if name in self._texts
            else numbers[name]
            for name in self._names
        ]


class TextGuess:
    """Whether the texts of a column are levels, words or names of rows."""

    def __init__(self, name: str, declared: str | None, text: Mapping[str, Any]) -> None:
        self._name, self._kind, self._why = name, declared, "as asked for"
        self._levels: dict[str, int] = {}
        self._words = Words(name, TextFeatures(**text))
        self._rows, self._repeats, self._guessed = 0, False, False

    def add(self, table: Table) -> None:
        self._rows += len(table)
        if self._kind == "text":
            self._words.features.learn(table.texts[self._name].tolist(), tallying=True)
        elif self._kind != "ignored":
            codes, levels = table.coded(self._name)
            if not self._repeats:
                self._repeats = len(levels) < len(table) or not self._levels.keys().isdisjoint(
                    levels
                )
            counts = np.bincount(codes, minlength=len(levels)).tolist()
            for level, n in zip(levels, counts, strict=True):
                self._levels[level] = self._levels.get(level, 0) + n
            if self._kind is None:
                self._judge(JUDGED)
            if self._kind == "category" and self._differs(MOST_DIFFERENT):
                self._settle("ignored", NAMES_OF_ROWS)

    def _judge(self, least: int) -> None:
        """Decide, if there are enough different texts for it."""
        some = list(islice((level for level in self._levels if level.strip()), JUDGED))
        if len(some) < least:
            return
        dates = sum(DATE.fullmatch(level.strip()) is not None for level in some)
        if some and dates > 0.9 * len(some):
            self._settle("ignored", "looks like dates; declare it a category to use it")
        elif sum(len(level.split()) for level in some) > WORDS_OF_TEXT * len(some):
            self._settle("text")
        else:
            self._kind, self._guessed = "category", True

    def _differs(self, least: int) -> bool:
        return self._guessed and not self._repeats and self._rows >= least

    def _settle(self, kind: str, why: str = "") -> None:
        self._kind, self._why = kind, why
        if kind == "text":
            rows = [text for text, n in self._levels.items() for _ in range(n)]
            self._words.features.learn(rows, tallying=True)
        self._levels = {}

    def column(self) -> Column:
        if self._kind is None:
            self._judge(0)
        if self._kind == "category" and self._differs(FEW_ROWS):
            self._settle("ignored", NAMES_OF_ROWS)
        if self._kind == "ignored":
            return Ignored(self._name, self._why)
        return self._words if self._kind == "text" else Category(self._name, list(self._levels))
