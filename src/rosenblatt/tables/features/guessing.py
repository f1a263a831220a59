"""What the columns of a table are, judged by all of its rows, which may come block by block."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.tables.features.column_kinds import Category, Column, Ignored, Number, Words
from rosenblatt.tables.features.dates import PARTS, DateGuess, guess_epoch, guess_order, seconds_of
from rosenblatt.tables.features.number_scaling import NumberStatistics
from rosenblatt.tables.features.text import OF_STREAMS, TextFeatures
from rosenblatt.tables.readers.fault_messages import Assumption, notice
from rosenblatt.tables.readers.table import Table

KINDS = ("number", "category", "text", "date", "dmy", "mdy", "ignored")
FEW_ROWS = 20
WORDS_OF_TEXT = 3.0
# What texts are is judged by so many of them; if so many are all different, none will be met again.
JUDGED, MOST_DIFFERENT = 1000, 1 << 20
NAMES_OF_ROWS = "different in every row, like a name or number of the row"
COUNTS_ROWS = "counts the rows"
ID = re.compile(
    r"(^|[\W_])(id|ids|idx|index|key|uuid|guid|nr|no|row)$|^id([\W_]|$)|[a-z](Id|ID|Nr)$",
    re.IGNORECASE,
)


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
        self._scale, self._whole = scale, dict[str, WholeGuess]()
        self._names, self._numbers = list[str](), list[str]()
        self._strays = set[str]()

    def add(self, table: Table) -> None:
        """Look at more rows."""
        if not self._names:
            self._begin(table)
        self._statistics.add(table.numbers)
        self._strays.update(table.strays)
        for name, whole in [*self._whole.items()]:
            if not whole.add(table.number_column(name), table):
                del self._whole[name]
        for column in self._texts.values():
            column.add(table)

    def _begin(self, table: Table) -> None:
        self._names, self._numbers = table.names, table.number_names
        for name, kind in self._declared.items():
            column, _, part = name.rpartition(".")
            if kind == "ignored" and column in table.names and part in PARTS:
                continue
            if name not in table.names:
                raise ParameterError(f"there is no column {name!r} to declare as {kind}.")
            if kind not in KINDS:
                raise ParameterError(
                    f"the column {name!r} is declared as {kind!r}; use {', '.join(KINDS)}."
                )
            if kind in ("category", "text", "dmy", "mdy") and name in table.places:
                raise ParameterError(
                    f"the column {name!r} was read as numbers; read it as text to make it a {kind}."
                )
            if kind == "number" and name in table.texts:
                raise ParameterError(f"the column {name!r} was read as text; read it as numbers.")
        for name in table.texts:
            european = table.dialect.decimal == "," or table.dialect.delimiter == ";"
            but = self._but(name)
            self._texts[name] = TextGuess(
                name, self._declared.get(name), self._text, self._scale, but, european
            )
        for name in table.places:
            # Who hands over records has chosen what is in them.
            if self._declared.get(name, table.unit) in ("line", "date"):
                self._whole[name] = WholeGuess(
                    name, self._declared.get(name), self._scale, self._but(name)
                )

    def _but(self, name: str) -> list[str]:
        """Parts of a date that are not to be used."""
        return [part for part in PARTS if self._declared.get(f"{name}.{part}") == "ignored"]

    def columns(self, gaps: bool) -> list[Column]:
        """Of the rows so far; ``gaps``: every number may be missing."""
        lacking, facts = self._statistics.columns()
        numbers: dict[str, Column] = {
            name: Number(name, gaps=gaps or lacks, strays=name in self._strays, **fields)
            for name, lacks, fields in zip(self._numbers, lacking, facts, strict=True)
        }
        others = {name: whole.column() for name, whole in self._whole.items()}
        found = numbers | {name: column for name, column in others.items() if column is not None}
        columns = self._in_order(found)
        if all(isinstance(column, Ignored) for column in columns):
            return self._in_order(numbers)  # better numbers of rows than nothing to learn from
        return columns

    def _in_order(self, numbers: Mapping[str, Column]) -> list[Column]:
        return [
            Ignored(name)
            if self._declared.get(name) == "ignored"
            else self._texts[name].column()
            if name in self._texts
            else numbers[name]
            for name in self._names
        ]


class WholeGuess:
    """Whether the numbers of a column only tell rows apart, or are times."""

    def __init__(
        self, name: str, declared: str | None, scale: str | None, but: Sequence[str] = ()
    ) -> None:
        self._name, self._declared, self._scale, self._but = name, declared, scale, but
        self._date: DateGuess | None = None
        self._counts, self._last, self._rows = True, np.nan, 0
        self._met: set[float] | None = set() if ID.search(name) else None

    def add(self, values: npt.NDArray[Any], table: Table) -> bool:
        """Look at more values; False if nothing more is to be found out."""
        if self._rows == 0 and len(values):
            order = None
            for some in (values[:JUDGED], values):  # most columns need no look at all of them
                known = some[~np.isnan(some)]
                least, most = (known.min(), known.max()) if len(known) else (0.0, 0.0)
                order = guess_epoch("time" if self._declared else self._name, least, most)
                if order is None and len(known):
                    break
            if order is not None:
                self._date = DateGuess(self._name, order, self._scale, self._but)
        if self._date is not None:
            self._date.add(table)
            return True
        if self._counts:
            steps = np.diff(values[:2]) if self._rows == 0 else values[:1] - self._last
            self._counts = bool((steps == 1).all()) and bool((np.diff(values) == 1).all())
        if self._met is not None:
            fresh = set(values.tolist())
            different = len(fresh) == len(values) and self._met.isdisjoint(fresh)
            whole = bool((values == np.floor(values)).all())
            self._met = (
                self._met | fresh if different and whole and self._rows < MOST_DIFFERENT else None
            )
        self._rows += len(values)
        self._last = values[-1] if len(values) else self._last
        return self._counts or self._met is not None

    def column(self) -> Column | None:
        """What it is, if it is no number to learn from."""
        if self._date is not None:
            return self._date.column()
        if self._rows < FEW_ROWS:
            return None
        if self._counts:
            return Ignored(self._name, COUNTS_ROWS)
        return None if self._met is None else Ignored(self._name, NAMES_OF_ROWS)


class TextGuess:
    """Whether the texts of a column are levels, words or names of rows."""

    def __init__(
        self,
        name: str,
        declared: str | None,
        text: Mapping[str, Any],
        scale: str | None = None,
        but: Sequence[str] = (),
        european: bool = False,
    ) -> None:
        self._name, self._kind, self._why = name, declared, "as asked for"
        self._dated, self._european = (scale, but), european
        self._date: DateGuess | None = None
        self._levels: dict[str, int] = {}
        self._words = Words(name, TextFeatures(**text))
        self._rows, self._repeats, self._guessed = 0, False, False
        if declared in ("dmy", "mdy"):
            self._begin_dates(declared)

    def add(self, table: Table) -> None:
        self._rows += len(table)
        if self._kind == "text":
            self._words.features.learn(table.texts[self._name].tolist(), tallying=True)
        elif self._date is not None:
            self._date.add(table)
        elif self._kind != "ignored":
            levels = table.coded(self._name)[1]
            if not self._repeats:
                self._repeats = len(levels) < len(table) or not self._levels.keys().isdisjoint(
                    levels
                )
            for level, n in table.counts(self._name).items():
                self._levels[level] = self._levels.get(level, 0) + n
            if self._kind in (None, "date"):
                self._judge(JUDGED)
            if self._kind == "category" and self._differs(MOST_DIFFERENT):
                self._settle("ignored", NAMES_OF_ROWS)

    def _judge(self, least: int) -> None:
        """Decide, if there are enough different texts for it."""
        some = list(islice((level for level in self._levels if level.strip()), JUDGED))
        if len(some) < least:
            return
        found = guess_order(some, european=self._european)
        if found is not None:
            order, unsure = found
            if unsure:
                words = {"dmy": ("day, month", "mdy"), "mdy": ("month, day", "dmy")}[order]
                other = Setting("declared", {self._name: words[1]})
                what = f"{self._name}: dates like {some[0]} read as {words[0]}, year; if not, say "
                notice(Assumption, Message(what, other))
            self._begin_dates(order)
        elif self._kind == "date":
            raise ParameterError(f"the column {self._name!r} does not hold dates, as {some[:1]}.")
        elif sum(len(level.split()) for level in some) > WORDS_OF_TEXT * len(some):
            self._settle("text")
        else:
            self._kind, self._guessed = "category", True

    def _begin_dates(self, order: str) -> None:
        self._kind, self._date = "date", DateGuess(self._name, order, *self._dated)
        self._date.tally(seconds_of(list(self._levels), order), list(self._levels.values()))
        self._levels = {}

    def _differs(self, least: int) -> bool:
        return self._guessed and not self._repeats and self._rows >= least

    def _settle(self, kind: str, why: str = "") -> None:
        self._kind, self._why = kind, why
        if kind == "text":
            rows = [text for text, n in self._levels.items() for _ in range(n)]
            self._words.features.learn(rows, tallying=True)
        self._levels = {}

    def column(self) -> Column:
        if self._kind in (None, "date") and self._date is None:
            self._judge(0)
        if self._date is not None:
            date = self._date.column()
            return date if date.parts else Ignored(self._name, "the same date in every row")
        if self._kind == "category" and self._differs(FEW_ROWS):
            self._settle("ignored", NAMES_OF_ROWS)
        if self._kind == "ignored":
            return Ignored(self._name, self._why)
        if self._kind == "text":
            return self._words
        levels = list(self._levels)
        if not levels or "" in self._levels:
            return Category(self._name, levels)
        most_frequent = max(levels, key=self._levels.__getitem__)
        return Category(self._name, levels, levels.index(most_frequent))
