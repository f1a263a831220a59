"""Texts as rows: counts of word and character n-grams, hashed or by an exact vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt._kernels import ngrams
from rosenblatt._kernels.names import Names
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError

__all__ = ["UNSOUND", "TextFeatures"]

WEIGHTS = {"once": ngrams.ONCE, "count": ngrams.COUNT, "log": ngrams.LOG}
MOST_BITS = 28
LONGEST = 20
LONGEST_WORD = 1_000
# What an n-gram of characters begins with in an exact vocabulary, apart from words.
MARK = b"\x01"
# Errors of Python at plain data that are not what they should be.
UNSOUND = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)


class TextFeatures:
    """Turns texts into sparse rows.

    The n-gram g goes to the column ``murmur3_32(g) mod 2**bits`` (UTF-8 bytes of its words with a
    blank between them; seed 0 for words, 0x9E3779B9 for characters), or with ``bits=None`` to a
    column of its own. Columns remember the first n-gram that was met there, so that weights can
    be read.

    Parameters
    ----------
    words : tuple of int, default=(1, 1)
        Shortest and longest run of words; None for none.
    chars : tuple of int, default=None
        Shortest and longest piece of a word, with the blanks around it; None for none.
    bits : int, default=18
        Hash to 2**bits columns; None keeps an exact vocabulary, which grows with the texts.
    value : {"once", "count", "log"}, default="log"
        1 for every n-gram that occurs, or how often it occurs, or 1 + ln of that.
    unit : bool, default=False
        Whether rows are scaled to length 1; short rows beside a bias that moves by whole steps.
    shortest : int, default=1
        Words of fewer characters are left out.
    symbols : bool, default=True
        Whether characters like ``!`` and ``£`` are words of their own.
    lowercase : bool, default=True

    Examples
    --------
    >>> from rosenblatt.features import TextFeatures
    >>> features = TextFeatures(words=(1, 1), bits=None)
    >>> rows = features.fit_transform(["Win money, win!", "See you at noon"])
    >>> rows.shape, features.names(range(4))
    ((2, 8), ['win', 'money', ',', '!'])
    """

    def __init__(
        self,
        *,
        words: tuple[int, int] | None = (1, 1),
        chars: tuple[int, int] | None = None,
        bits: int | None = 18,
        value: str = "log",
        unit: bool = False,
        shortest: int = 1,
        symbols: bool = True,
        lowercase: bool = True,
    ) -> None:
        if words is None and chars is None:
            raise ParameterError("words=None and chars=None leave no features; give one of them.")
        checks.choice("value", value, *WEIGHTS)
        if bits is not None and not (type(bits) is int and 1 <= bits <= MOST_BITS):
            raise ParameterError(f"bits={bits!r} must be from 1 to {MOST_BITS}, or None.")
        if not (type(shortest) is int and 1 <= shortest <= LONGEST_WORD):
            raise ParameterError(f"shortest={shortest!r} must be from 1 to {LONGEST_WORD:,}.")
        self.settings: dict[str, Any] = {
            "words": _range("words", words),
            "chars": _range("chars", chars),
            "bits": bits,
            "value": value,
            "unit": bool(unit),
            "shortest": shortest,
            "symbols": bool(symbols),
            "lowercase": bool(lowercase),
        }
        self._bits = bits
        self._begin(Names(), None)

    def _begin(self, names: Names, owners: npt.NDArray[np.int32] | None) -> None:
        settings = self.settings
        self._listed: list[bytes] = []
        if self._bits is not None and owners is None:
            owners = np.zeros(1 << self._bits, np.int32)
        self._owners = owners
        self._grams = ngrams.NGrams(
            self._bits or 0,
            tuple(settings["words"] or (1, 0)),
            tuple(settings["chars"] or (1, 0)),
            settings["shortest"],
            settings["symbols"],
            settings["lowercase"],
            WEIGHTS[settings["value"]],
            settings["unit"],
            names,
            owners,
        )

    @property
    def n_features(self) -> int:
        return 1 << self._bits if self._bits is not None else self._grams.names.count

    def fit_transform(self, texts: Iterable[str]) -> SparseRows:
        """Rows of the texts; what is met for the first time gets a name or a column."""
        return self._rows(texts, learning=True)

    def transform(self, texts: Iterable[str]) -> SparseRows:
        """Rows of the texts; nothing is added."""
        return self._rows(texts, learning=False)

    def _rows(self, texts: Iterable[str], *, learning: bool) -> SparseRows:
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
        known = self._grams.names
        if len(self._listed) != known.count:
            self._listed = known.listed()
        numbers: Sequence[int] = list(columns)
        if self._owners is not None:
            numbers = (self._owners[numbers] - 1).tolist()
        listed = self._listed
        return [
            _text(listed[n].removeprefix(MARK)) if 0 <= n < len(listed) else "" for n in numbers
        ]

    def told(self) -> str:
        """What is counted, in a line."""
        grams = [
            f"{what} {span[0]}-{span[1]}" if span[0] < span[1] else f"{what} {span[0]}"
            for what, span in (
                ("words", self.settings["words"]),
                ("characters", self.settings["chars"]),
            )
            if span
        ]
        how = "exact" if self._bits is None else "hashed"
        return f"{' and '.join(grams)}, {self.n_features:,} {how} columns"

    def to_json(self, columns: Iterable[int]) -> dict[str, Any]:
        """The settings and the names of some columns (of all, if the vocabulary is exact)."""
        if self._bits is None:
            return {**self.settings, "names": [_text(n) for n in self._grams.names.listed()]}
        kept = [int(column) for column in columns]
        pairs = zip(kept, self.names(kept), strict=True)
        return {**self.settings, "names": {str(column): name for column, name in pairs if name}}

    @classmethod
    def from_json(cls, kept: Any) -> TextFeatures:
        """What `to_json` gave; anything else is refused."""
        try:
            settings = {key: value for key, value in kept.items() if key != "names"}
            features, names = cls(**settings), Names()
            owners = features._owners
            named: Any = kept["names"]
            if owners is None and type(named) is list:
                for place, name in enumerate(named):
                    if names.number(_bytes(name)) != place:
                        raise ValueError(f"the n-gram {name!r} stands in two columns")
            elif owners is not None and type(named) is dict:
                for column, name in named.items():
                    owners[_column(column, len(owners))] = names.number(_bytes(name)) + 1
            else:
                raise TypeError("the names are not kept as they should be")
        except UNSOUND as error:
            raise ModelFileError(
                f"the text features of the model are not sound: {error}."
            ) from None
        features._begin(names, owners)
        return features


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


def _range(argument: str, given: Any) -> tuple[int, int] | None:
    if given is None:
        return None
    try:
        least, most = given
    except (TypeError, ValueError):
        least = most = -1
    if not (isinstance(least, int) and isinstance(most, int) and 1 <= least <= most <= LONGEST):
        raise ParameterError(
            f"{argument}={given!r} must be the shortest and longest n-gram, as (1, 2), of at most "
            f"{LONGEST}."
        )
    return least, most
