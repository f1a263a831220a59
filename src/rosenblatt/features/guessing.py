"""What the columns of a table are, judged by all of its rows, which may come block by block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ParameterError
from rosenblatt.features.column_kinds import Category, Column, Ignored, Number, Words
from rosenblatt.features.text import TextFeatures
from rosenblatt.io.table import Table

KINDS = ("number", "category", "text", "ignored")
DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d.*)?|\d\d?[./]\d\d?[./]\d{2,4}")
FEW_ROWS = 20
WORDS_OF_TEXT = 3.0
# What texts are is judged by so many of them; if so many are all different, none will be met again.
JUDGED, MOST_DIFFERENT = 1000, 1 << 20
NAMES_OF_ROWS = "different in every row, like a name or number of the row"
NUMBERS_AT_ONCE, LEAST_ROWS = 1 << 22, 1 << 10


class TableGuess:
    """What is known of the columns after the blocks so far; they all have the same columns.

    Whether the rows come at once or in blocks, the columns are the same to the last bit.
    """

    def __init__(
        self,
        declared: Mapping[str, str] | None = None,
        scale: bool = True,
        text: Mapping[str, Any] | None = None,
    ) -> None:
        self._declared, self._text = dict(declared or {}), text or {}
        self._moments, self._texts = Moments(scale), dict[str, TextGuess]()
        self._names, self._numbers = list[str](), list[str]()

    def add(self, table: Table) -> None:
        """Look at more rows."""
        if not self._names:
            self._begin(table)
        self._moments.add(table.numbers)
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
        numbers = dict(zip(self._numbers, self._moments.columns(), strict=True))
        return [
            Ignored(name)
            if self._declared.get(name) == "ignored"
            else self._texts[name].column()
            if name in self._texts
            else self._number(name, gaps, *numbers[name])
            for name in self._names
        ]

    def _number(self, name: str, gaps: bool, lacks: bool, center: float, size: float) -> Number:
        # A constant column says nothing; without a deviation it would be divided by zero.
        return Number(name, center, size if size > abs(center) * 1e-12 else 1.0, gaps or lacks)


class Moments:
    """Mean and standard deviation of each column, gaps left out, joined over blocks of rows.

    The blocks are cut at fixed rows, so that the digits do not depend on how the rows arrive.
    """

    def __init__(self, scale: bool) -> None:
        self._scale, self._rows = scale, 0
        self._held: list[npt.NDArray[Any]] = []
        # By column how many numbers there are, their mean and their standard deviation.
        self._found: npt.NDArray[np.float64] | None = None

    def add(self, numbers: npt.NDArray[Any]) -> None:
        self._held.append(numbers)
        step = max(LEAST_ROWS, NUMBERS_AT_ONCE // max(1, numbers.shape[1]))
        if sum(map(len, self._held)) >= step:
            held = self._held[0] if len(self._held) == 1 else np.concatenate(self._held)
            whole = len(held) // step * step
            for start in range(0, whole, step):
                self._join(held[start : start + step])
            self._held = [held[whole:]]

    def _join(self, numbers: npt.NDArray[Any]) -> None:
        values = np.ascontiguousarray(numbers.T)
        n = np.full(len(values), float(len(numbers)))
        mean, size = np.zeros((2, len(values)))
        if self._scale and len(numbers):
            mean, size = np.array([values.mean(axis=1), values.std(axis=1)], np.float64)
        for place in np.flatnonzero(np.isnan(values.min(axis=1, initial=np.inf))).tolist():
            known = values[place][~np.isnan(values[place])]
            n[place], mean[place], size[place] = len(known), 0.0, 0.0
            if self._scale and len(known):
                mean[place], size[place] = known.mean(), known.std()
        self._rows += len(numbers)
        if self._found is not None:
            m, center, deviation = self._found
            share = n / np.maximum(m + n, 1.0)
            move = mean - center
            mean = center + share * move
            size = (1 - share) * deviation**2 + share * size**2 + (1 - share) * share * move**2
            n, size = m + n, np.sqrt(size)
        self._found = np.array([n, mean, size])

    def columns(self) -> list[tuple[bool, float, float]]:
        """Of each column whether it has gaps, where its center is and how wide it is."""
        rest = np.concatenate(self._held)
        if len(rest) or self._found is None:
            self._join(rest)
        self._held = [rest[:0]]
        assert self._found is not None
        n, mean, size = self._found.tolist()
        return [(m < self._rows, *moments) for m, *moments in zip(n, mean, size, strict=True)]


class TextGuess:
    """Whether the texts of a column are levels, words or names of rows."""

    def __init__(self, name: str, declared: str | None, text: Mapping[str, Any]) -> None:
        self._name, self._kind, self._why = name, declared, "as asked for"
        self._levels: dict[str, None] = {}
        self._words = Words(name, TextFeatures(**text))
        self._rows, self._repeats, self._guessed = 0, False, False

    def add(self, table: Table) -> None:
        self._rows += len(table)
        if self._kind == "text":
            self._words.features.learn(table.texts[self._name].tolist())
        elif self._kind != "ignored":
            levels = table.coded(self._name)[1]
            if not self._repeats:
                self._repeats = len(levels) < len(table) or not self._levels.keys().isdisjoint(
                    levels
                )
            self._levels.update(dict.fromkeys(levels))
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
            # A text that is met again brings no n-gram that was not met before.
            self._words.features.learn(list(self._levels))
        self._levels = {}

    def column(self) -> Column:
        if self._kind is None:
            self._judge(0)
        if self._kind == "category" and self._differs(FEW_ROWS):
            self._settle("ignored", NAMES_OF_ROWS)
        if self._kind == "ignored":
            return Ignored(self._name, self._why)
        return self._words if self._kind == "text" else Category(self._name, list(self._levels))
