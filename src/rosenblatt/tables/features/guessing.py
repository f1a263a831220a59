"""Guess the kinds of the columns of a table from all of its rows, which may come in blocks."""

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

# The kinds that a column can be declared as, and those of them that are read as text.
KINDS = ("number", "category", "text", "date", "dmy", "mdy", "ignored")
KINDS_OF_TEXT = ("category", "text", "dmy", "mdy")

# With fewer rows no column is taken for a row identifier.
FEW_ROWS = 20
# A column with more words per value than this, on average, is a text and not a category.
WORDS_OF_TEXT = 3.0
# Number of different texts from which the kind of a column is guessed.
JUDGED = 1000
# Most different values that are stored to find a repeated one; a category without any repeated
# value in this many rows is a row identifier.
MAX_DIFFERENT = 1 << 20
NAMES_OF_ROWS = "different in every row, like a name or number of the row"
COUNTS_ROWS = "counts the rows"
ONE_DATE = "the same date in every row"
# Names of columns that hold identifiers.
ID = re.compile(
    r"(^|[\W_])(id|ids|idx|index|key|uuid|guid|nr|no|row)$|^id([\W_]|$)|[a-z](Id|ID|Nr)$",
    re.IGNORECASE,
)


class TableGuess:
    """Guess at the kinds of the columns of a table, updated with blocks of rows.

    Whether the rows come at once or in blocks, the columns are the same to the last bit.
    """

    def __init__(
        self,
        declared: Mapping[str, str] | None = None,
        scale: str | None = "robust",
        text: Mapping[str, Any] | None = None,
    ) -> None:
        self._declared = dict(declared or {})
        self._scale = scale
        settings_of_text: dict[str, Any] = {}
        if scale == "running":
            settings_of_text |= OF_STREAMS
        self._text = settings_of_text | dict(text or {})

        self._names: list[str] = []
        self._numbers: list[str] = []
        self._statistics = NumberStatistics(scale)
        self._strays: set[str] = set()
        self._number_guesses: dict[str, NumberGuess] = {}
        self._text_guesses: dict[str, TextGuess] = {}

    def add(self, table: Table) -> None:
        """Update the guess with a block of rows."""
        if not self._names:
            self._begin(table)
        self._statistics.add(table.numbers)
        self._strays.update(table.strays)
        for name, guess in list(self._number_guesses.items()):
            is_open = guess.add(table.number_column(name), table)
            if not is_open:
                del self._number_guesses[name]
        for text_guess in self._text_guesses.values():
            text_guess.add(table)

    def _begin(self, table: Table) -> None:
        """Start a guess for each column of the first block."""
        self._names = table.names
        self._numbers = table.number_names
        for name, kind in self._declared.items():
            _refuse_misdeclared(name, kind, table)

        # Slashes in dates are American, unless something else is European.
        is_european = table.dialect.decimal == "," or table.dialect.delimiter == ";"
        for name in table.texts:
            self._text_guesses[name] = TextGuess(
                name,
                self._declared.get(name),
                self._text,
                self._scale,
                self._ignored_parts(name),
                is_european,
            )
        for name in table.places:
            declared = self._declared.get(name)
            # Columns of files may count rows. Whoever hands over records has chosen what is in
            # them.
            if declared == "date" or (declared is None and table.unit == "line"):
                self._number_guesses[name] = NumberGuess(
                    name, declared, self._scale, self._ignored_parts(name)
                )

    def _ignored_parts(self, name: str) -> list[str]:
        """Return the parts of a date column that were declared as ignored."""
        return [part for part in PARTS if self._declared.get(f"{name}.{part}") == "ignored"]

    def columns(self, gaps: bool) -> list[Column]:
        """Return the columns guessed so far; with ``gaps`` every number may be missing."""
        has_gaps, facts = self._statistics.columns()
        numbers: dict[str, Column] = {}
        for name, column_has_gaps, fields in zip(self._numbers, has_gaps, facts, strict=True):
            strays = name in self._strays
            numbers[name] = Number(name, gaps=gaps or column_has_gaps, strays=strays, **fields)

        judged = dict(numbers)
        for name, guess in self._number_guesses.items():
            column = guess.column()
            if column is not None:
                judged[name] = column
        columns = self._in_order(judged)
        # It is better to learn from numbers of rows than from nothing.
        if all(isinstance(column, Ignored) for column in columns):
            return self._in_order(numbers)
        return columns

    def _in_order(self, numbers: Mapping[str, Column]) -> list[Column]:
        """Return all columns in the order of the table."""
        columns: list[Column] = []
        for name in self._names:
            if self._declared.get(name) == "ignored":
                columns.append(Ignored(name))
            elif name in self._text_guesses:
                columns.append(self._text_guesses[name].column())
            else:
                columns.append(numbers[name])
        return columns


def _refuse_misdeclared(name: str, kind: str, table: Table) -> None:
    """Raise ParameterError if a declaration is invalid or contradicts how the column was read."""
    column, _, part = name.rpartition(".")
    if kind == "ignored" and column in table.names and part in PARTS:
        return
    if name not in table.names:
        raise ParameterError(f"there is no column {name!r} to declare as {kind}.")
    if kind not in KINDS:
        raise ParameterError(
            f"the column {name!r} is declared as {kind!r}; use {', '.join(KINDS)}."
        )
    if kind in KINDS_OF_TEXT and name in table.places:
        raise ParameterError(
            f"the column {name!r} was read as numbers; read it as text to make it a {kind}."
        )
    if kind == "number" and name in table.texts:
        raise ParameterError(f"the column {name!r} was read as text; read it as numbers.")


# ---------------------------------------------------------------------- numbers


class NumberGuess:
    """Guess whether the numbers of a column are row identifiers or epoch times."""

    def __init__(
        self, name: str, declared: str | None, scale: str | None, ignored: Sequence[str] = ()
    ) -> None:
        self._name = name
        self._declared = declared
        self._scale = scale
        self._ignored = ignored
        self._date: DateGuess | None = None
        self._n_rows = 0
        self._last = np.nan
        # Whether each number so far is its predecessor plus 1.
        self._counts_rows = True
        # The numbers so far, as long as they are whole and all different; None if they are not.
        self._seen: set[float] | None = set() if ID.search(name) else None

    def add(self, values: npt.NDArray[Any], table: Table) -> bool:
        """Update the guess with more values; return False if it is settled."""
        if self._n_rows == 0 and len(values):
            order = self._guess_epoch(values)
            if order is not None:
                self._date = DateGuess(self._name, order, self._scale, self._ignored)
        if self._date is not None:
            self._date.add(table)
            return True

        if self._counts_rows:
            first_step = values[:1] - self._last if self._n_rows else np.ones(1)
            self._counts_rows = bool((first_step == 1).all() and (np.diff(values) == 1).all())
        if self._seen is not None:
            self._seen = self._seen_with(self._seen, values)
        self._n_rows += len(values)
        if len(values):
            self._last = values[-1]
        return self._counts_rows or self._seen is not None

    def _guess_epoch(self, values: npt.NDArray[Any]) -> str | None:
        """Guess the epoch format of the first block of values; None if they are not times."""
        name = "time" if self._declared else self._name
        order = None
        # Most columns are settled by a few values, so all are looked at only if these are times.
        for some in (values[:JUDGED], values):
            known = some[~np.isnan(some)]
            order = guess_epoch(name, known.min(), known.max()) if len(known) else None
            if order is None and len(known):
                return None
        return order

    def _seen_with(self, seen: set[float], values: npt.NDArray[Any]) -> set[float] | None:
        """Return all numbers seen; None if they are too many, or not distinct whole numbers."""
        new = set(values.tolist())
        are_different = len(new) == len(values) and seen.isdisjoint(new)
        are_whole = bool((values == np.floor(values)).all())
        if are_different and are_whole and self._n_rows < MAX_DIFFERENT:
            return seen | new
        return None

    def column(self) -> Column | None:
        """Return the column if it is a date or ignored; None if it is a number."""
        if self._date is not None:
            return self._date.column()
        if self._n_rows < FEW_ROWS:
            return None
        if self._counts_rows:
            return Ignored(self._name, COUNTS_ROWS)
        if self._seen is not None:
            return Ignored(self._name, NAMES_OF_ROWS)
        return None


# ---------------------------------------------------------------------- texts


class TextGuess:
    """Guess whether the texts of a column are categories, texts, dates or row identifiers."""

    def __init__(
        self,
        name: str,
        declared: str | None,
        text: Mapping[str, Any],
        scale: str | None = None,
        ignored: Sequence[str] = (),
        european: bool = False,
    ) -> None:
        self._name = name
        # What the column is; None until it is guessed.
        self._kind = declared
        self._why_ignored = "as asked for"
        self._scale = scale
        self._ignored = ignored
        self._european = european
        self._date: DateGuess | None = None
        self._words = Words(name, TextFeatures(**text))
        # How often each text occurs, until it is decided what they are.
        self._levels: dict[str, int] = {}
        self._n_rows = 0
        self._has_repeats = False
        # Only a category that was guessed can turn out to be a name of rows.
        self._is_guessed = False
        if declared in ("dmy", "mdy"):
            self._begin_dates(declared)

    def add(self, table: Table) -> None:
        """Update the guess with a block of rows."""
        self._n_rows += len(table)
        if self._kind == "text":
            self._words.features.learn(table.texts[self._name].tolist(), tallying=True)
        elif self._date is not None:
            self._date.add(table)
        elif self._kind != "ignored":
            self._count_levels(table)
            if self._kind in (None, "date"):
                self._judge(JUDGED)
            if self._kind == "category" and self._names_rows(MAX_DIFFERENT):
                self._ignore(NAMES_OF_ROWS)

    def _count_levels(self, table: Table) -> None:
        if not self._has_repeats:
            _, levels = table.coded(self._name)
            is_new = self._levels.keys().isdisjoint(levels)
            self._has_repeats = len(levels) < len(table) or not is_new
        for level, n in table.counts(self._name).items():
            self._levels[level] = self._levels.get(level, 0) + n

    def _judge(self, least: int) -> None:
        """Decide the kind of the column if there are ``least`` different texts or more."""
        filled = (level for level in self._levels if level.strip())
        some = list(islice(filled, JUDGED))
        if len(some) < least:
            return

        found = guess_order(some, european=self._european)
        if found is not None:
            order, is_ambiguous = found
            if is_ambiguous:
                self._warn_of_order(order, some[0])
            self._begin_dates(order)
            return
        if self._kind == "date":
            raise ParameterError(f"the column {self._name!r} does not hold dates, as {some[:1]}.")

        n_words = sum(len(level.split()) for level in some)
        if n_words > WORDS_OF_TEXT * len(some):
            self._begin_words()
        else:
            self._kind = "category"
            self._is_guessed = True

    def _warn_of_order(self, order: str, example: str) -> None:
        """Warn that day and month could be swapped."""
        if order == "dmy":
            read_as = "day, month"
            other = "mdy"
        else:
            read_as = "month, day"
            other = "dmy"
        cure = Setting("declared", {self._name: other})
        what = f"{self._name}: dates like {example} read as {read_as}, year; if not, say "
        notice(Assumption, Message(what, cure))

    def _begin_dates(self, order: str) -> None:
        """Treat the column as dates from now on, including the texts so far."""
        self._kind = "date"
        self._date = DateGuess(self._name, order, self._scale, self._ignored)
        seconds = seconds_of(list(self._levels), order)
        self._date.tally(seconds, list(self._levels.values()))
        self._levels = {}

    def _begin_words(self) -> None:
        """Treat the column as texts from now on, and count the n-grams of those so far."""
        self._kind = "text"
        texts: list[str] = []
        for text, n in self._levels.items():
            texts.extend([text] * n)
        self._words.features.learn(texts, tallying=True)
        self._levels = {}

    def _ignore(self, why: str) -> None:
        self._kind = "ignored"
        self._why_ignored = why
        self._levels = {}

    def _names_rows(self, least: int) -> bool:
        """Return whether a guessed category has ``least`` rows or more without a repeated value."""
        return self._is_guessed and not self._has_repeats and self._n_rows >= least

    def column(self) -> Column:
        """Return the column guessed from the rows so far."""
        if self._kind in (None, "date") and self._date is None:
            self._judge(0)
        if self._date is not None:
            date = self._date.column()
            return date if date.parts else Ignored(self._name, ONE_DATE)
        if self._kind == "category" and self._names_rows(FEW_ROWS):
            self._ignore(NAMES_OF_ROWS)
        if self._kind == "ignored":
            return Ignored(self._name, self._why_ignored)
        if self._kind == "text":
            return self._words

        levels = list(self._levels)
        # Missing values are a level; if there were none, the most frequent level replaces them.
        if not levels or "" in self._levels:
            return Category(self._name, levels)
        most_frequent = max(levels, key=self._levels.__getitem__)
        return Category(self._name, levels, levels.index(most_frequent))
