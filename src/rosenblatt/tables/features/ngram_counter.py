"""The compiled counter of n-grams, the names of its columns, and in how many texts they occur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray, SparseRows
from rosenblatt.engine.text import ngrams
from rosenblatt.engine.text.names import Names
from rosenblatt.errors import InputError
from rosenblatt.models.parallel import each_part, slices

WEIGHTS = {"once": ngrams.ONCE, "count": ngrams.COUNT, "log": ngrams.LOG}
# What an n-gram of characters begins with in an exact vocabulary, apart from words.
MARK = b"\x01"


class NGramCounter:
    """Counts the n-grams of texts as settings say that were checked before.

    Columns remember the first n-gram that was met there: by the column if it is a hash, else the
    column is the place of the n-gram in the vocabulary. ``n_texts`` were tallied for the idf.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.bits: int | None = settings["bits"]
        self._known = Names()
        # Of each hashed column the number of its name plus 1.
        self._owners = None if self.bits is None else np.zeros(1 << self.bits, np.int32)
        self._listed: list[bytes] = []
        # How many texts have each column; zeros cost no memory before they are counted up.
        self.n_texts, self._tally = (
            0,
            np.zeros(0 if self.bits is None else 1 << self.bits, np.int64),
        )
        self._logs: FloatArray | None = None

    def _new_grams(self) -> ngrams.NGrams:
        settings = self.settings
        return ngrams.NGrams(
            self.bits or 0,
            settings["words"] or (1, 0),
            settings["chars"] or (1, 0),
            settings["shortest"],
            settings["symbols"],
            settings["lowercase"],
            WEIGHTS[settings["value"]],
            self._known,
            self._owners,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        columns = owners = None
        if self._owners is not None:
            columns = np.flatnonzero(self._owners)
            owners = self._owners[columns]
        return _rebuilt, (self.settings, self._known.listed(), columns, owners, self.tally())

    @property
    def n_features(self) -> int:
        return self._known.count if self._owners is None else len(self._owners)

    def rows(
        self,
        texts: Iterable[str],
        *,
        learning: bool,
        tallying: bool = False,
        n_jobs: int | None = None,
    ) -> SparseRows:
        """Counts as sparse rows, scaled as the settings say.

        If learning, which one thread does, what is met first gets a name or a column. If tallying,
        these texts count for the idf, also for their own rows.
        """
        if isinstance(texts, str):
            raise InputError("texts must be a list of texts, not one text.")
        # Elements of an array are not str, but what `tolist` makes of them is.
        given = texts.tolist() if isinstance(texts, np.ndarray) else list(texts)
        if any(isinstance(text, np.str_) for text in given[:1]):  # a list of these elements
            given = np.array(given, object).astype(str).tolist()

        def count(some: slice) -> SparseRows:
            counted = self._new_grams().count(given, learning, some.start, some.stop)
            if tallying:
                self._add_to_tally(counted[1], len(given))
            elif learning and self.settings["idf"]:
                self._admit(counted[1])
            return SparseRows(*self._scaled(*counted), max(self.n_features, 1))

        jobs = None if learning else n_jobs
        try:
            parts = list(each_part(count, slices(len(given), jobs), jobs))
        except TypeError as error:
            raise InputError(f"{error}. Give a list of str.") from None
        return SparseRows.concat(parts)

    def _add_to_tally(self, columns: Any, n_texts: int) -> None:
        self._tally, self._logs = self._for_all_columns(self._tally), None
        ngrams.count_columns(columns, self._tally)
        self.n_texts += n_texts

    def _admit(self, columns: Any) -> None:
        """Let n-grams of texts that are learned later count as if one of those before had them."""
        logs, self._tally = self._logs_of_tally(), self._for_all_columns(self._tally)
        new = columns[self._tally[columns] == 0]
        self._tally[new], logs[new] = 1, ngrams.log_of(np.ones(1, np.int64))[0]

    def _for_all_columns(self, array: Any) -> Any:
        """With zeros for the columns that joined since."""
        more = self.n_features - len(array)
        return np.pad(array, (0, more)) if more > 0 else array

    def _logs_of_tally(self) -> FloatArray:
        if self._logs is None:
            self._logs = ngrams.log_of(self._tally)
        self._logs = self._for_all_columns(self._logs)
        return self._logs

    def _scaled(self, values: Any, columns: Any, starts: Any) -> tuple[Any, Any, Any]:
        """Times 1 + ln((1 + n_texts) / (1 + texts with it)), then to length 1, if so set.

        What no text had is left out, also where it is hashed and has a column.
        """
        base, logs, unit = 1.0, None, self.settings["unit"]
        if self.settings["idf"]:
            base += float(ngrams.log_of(np.array([self.n_texts]))[0])
            logs = self._logs_of_tally()
        if unit or logs is not None:
            n = ngrams.scale(values, columns, starts, base, logs, unit)
            values, columns = values[:n], columns[:n]
        return values, columns, starts

    def shares(self) -> FloatArray | None:
        """The share of the tallied texts that has each column."""
        if not self.settings["idf"] or not self.n_texts:
            return None
        shares: FloatArray = self._for_all_columns(self._tally) / self.n_texts
        return np.minimum(shares, 1.0)

    def tally(self) -> dict[str, Any] | None:
        """How many texts there were, and the counts of columns that some of them have.

        Columns are written as distances, each from the one before, so that files stay short.
        """
        if not self.settings["idf"]:
            return None
        columns = np.flatnonzero(self._tally)
        gaps, counts = np.diff(columns, prepend=-1).tolist(), self._tally[columns].tolist()
        return {"texts": self.n_texts, "gaps": gaps, "counts": counts}

    def take_tally(self, kept: Any) -> None:
        """Take what `tally` gave; KeyError, TypeError or ValueError at anything else."""
        if not self.settings["idf"]:
            if kept is not None:
                raise ValueError("texts are tallied without idf")
            return
        n_texts, gaps, counts = kept["texts"], kept["gaps"], kept["counts"]
        for numbers in ([n_texts], gaps, counts):
            if type(numbers) is not list or not all(type(n) is int for n in numbers):
                raise TypeError("the tally of texts does not hold whole numbers")
        if len(gaps) != len(counts) or not 0 <= n_texts < 1 << 52:
            raise ValueError("the tally of texts does not hold together")
        limits = ((gaps, self.n_features), (counts, n_texts))
        if any(not 1 <= n <= most for numbers, most in limits for n in numbers):
            raise ValueError("the tally of texts has counts that cannot be")
        columns = np.cumsum(np.array(gaps, np.int64)) - 1
        self._add_to_tally(np.zeros(0, np.int32), n_texts)
        if len(columns) and columns[-1] >= len(self._tally):
            raise ValueError("the tally of texts has more columns than there are")
        self._tally[columns] = counts

    def names(self, columns: Iterable[int]) -> list[str]:
        """The n-grams that the columns stand for, "" where none was met."""
        if len(self._listed) != self._known.count:
            self._listed = self._known.listed()
        numbers: Sequence[int] = list(columns)
        if self._owners is not None:
            numbers = (self._owners[numbers] - 1).tolist()
        listed = self._listed
        return [
            _text(listed[n].removeprefix(MARK)) if 0 <= n < len(listed) else "" for n in numbers
        ]

    def names_to_keep(self, columns: Iterable[int]) -> list[str] | dict[str, str]:
        """Names of some hashed columns by their numbers; the whole of an exact vocabulary."""
        if self._owners is None:
            return [_text(name) for name in self._known.listed()]
        kept = [int(column) for column in columns]
        pairs = zip(kept, self.names(kept), strict=True)
        return {str(column): name for column, name in pairs if name}

    def take_names(self, kept: Any) -> None:
        """Take what `names_to_keep` gave; TypeError or ValueError at anything else."""
        if self._owners is None and type(kept) is list:
            for place, name in enumerate(kept):
                if self._known.number(_bytes(name)) != place:
                    raise ValueError(f"the n-gram {name!r} stands in two columns")
        elif self._owners is not None and type(kept) is dict:
            for written, name in kept.items():
                column = _column(written, len(self._owners))
                self._owners[column] = self._known.number(_bytes(name)) + 1
        else:
            raise TypeError("the names are not kept as they should be")


def _rebuilt(
    settings: dict[str, Any], names: list[bytes], columns: Any, owners: Any, tally: Any
) -> Any:
    counter = NGramCounter(settings)
    for name in names:
        counter._known.number(name)
    if counter._owners is not None:
        counter._owners[columns] = owners
    counter.take_tally(tally)
    return counter


# Half a pair of UTF-16 is a character to Python, and JSON can carry it.
def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _column(written: str, n_columns: int) -> int:
    column = int(written)
    if not 0 <= column < n_columns or str(column) != written:
        raise ValueError(f"{written[:20]!r} is no column of {n_columns:,}")
    return column
