"""The compiled counter of n-grams, and the names of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rosenblatt._kernels.text import ngrams
from rosenblatt._kernels.text.names import Names
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError

WEIGHTS = {"once": ngrams.ONCE, "count": ngrams.COUNT, "log": ngrams.LOG}
# What an n-gram of characters begins with in an exact vocabulary, apart from words.
MARK = b"\x01"


class NGramCounter:
    """Counts the n-grams of texts as settings say that were checked before.

    Columns remember the first n-gram that was met there: by the column if it is a hash, else the
    column is the place of the n-gram in the vocabulary.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.bits: int | None = settings["bits"]
        self._known = Names()
        # Of each hashed column the number of its name plus 1.
        self._owners = None if self.bits is None else np.zeros(1 << self.bits, np.int32)
        self._listed: list[bytes] = []
        self._grams = ngrams.NGrams(
            self.bits or 0,
            settings["words"] or (1, 0),
            settings["chars"] or (1, 0),
            settings["shortest"],
            settings["symbols"],
            settings["lowercase"],
            WEIGHTS[settings["value"]],
            settings["unit"],
            self._known,
            self._owners,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        columns = owners = None
        if self._owners is not None:
            columns = np.flatnonzero(self._owners)
            owners = self._owners[columns]
        return _rebuilt, (self.settings, self._known.listed(), columns, owners)

    @property
    def n_features(self) -> int:
        return self._known.count if self._owners is None else len(self._owners)

    def rows(self, texts: Iterable[str], *, learning: bool) -> SparseRows:
        """Counts as sparse rows; if learning, what is met first gets a name or a column."""
        if isinstance(texts, str):
            raise InputError("texts must be a list of texts, not one text.")
        # Elements of an array are not str, but what `tolist` makes of them is.
        given = texts.tolist() if isinstance(texts, np.ndarray) else list(texts)
        try:
            values, columns, starts = self._grams.count(given, learning)
        except TypeError as error:
            raise InputError(f"{error}. Give a list of str.") from None
        return SparseRows(values, columns, starts, max(self.n_features, 1))

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


def _rebuilt(settings: dict[str, Any], names: list[bytes], columns: Any, owners: Any) -> Any:
    counter = NGramCounter(settings)
    for name in names:
        counter._known.number(name)
    if counter._owners is not None:
        counter._owners[columns] = owners
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
