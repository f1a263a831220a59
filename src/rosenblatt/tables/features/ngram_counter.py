"""The compiled counter of n-grams, with the names of its columns and the tally for the idf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, SparseRows
from rosenblatt.engine.text import ngrams
from rosenblatt.engine.text.names import Names
from rosenblatt.errors import InputError
from rosenblatt.models.parallel import each_part, slices

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, IndexArray, Int32Array, IntArray

WEIGHTS = {"once": ngrams.ONCE, "count": ngrams.COUNT, "log": ngrams.LOG}
# In an exact vocabulary n-grams of characters begin with this mark, to differ from words.
MARK = b"\x01"
MAX_TEXTS = 1 << 52

Counts = npt.NDArray[np.int64]


class NGramCounter:
    """Counter of the n-grams of texts; its settings must have been validated before.

    A hashed column remembers the first n-gram that was in it; in an exact vocabulary the column is
    the number of the n-gram. ``n_texts`` texts were tallied for the idf.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.bits: int | None = settings["bits"]
        n_hashed = 0 if self.bits is None else 1 << self.bits
        self._known = Names()
        # For each hashed column the number of its name plus 1; 0 has no name.
        self._owners = None if self.bits is None else np.zeros(n_hashed, np.int32)
        # The names of `_known`, listed when they are first asked for.
        self._listed: list[bytes] = []
        self.n_texts = 0
        # How many texts have each column; untouched pages of zeros take no memory.
        self._tally: Counts = np.zeros(n_hashed, np.int64)
        # 1 + ln(1 + tally), computed when it is first needed.
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

    def __reduce__(self) -> tuple[object, ...]:
        columns = None
        owners = None
        if self._owners is not None:
            columns = np.flatnonzero(self._owners)
            owners = self._owners[columns]
        return _rebuilt, (self.settings, self._known.listed(), columns, owners, self.tally())

    @property
    def n_features(self) -> int:
        return self._known.count if self._owners is None else len(self._owners)

    # ------------------------------------------------------------------ counting

    def rows(
        self,
        texts: Iterable[str],
        *,
        learning: bool,
        tallying: bool = False,
        n_jobs: int | None = None,
    ) -> SparseRows:
        """Return the weighted n-gram counts of texts as sparse rows.

        While learning, which takes one thread, new n-grams get a name or a column. While tallying,
        these texts count for the idf, of their own rows as well.
        """
        if isinstance(texts, str):
            raise InputError("texts must be a list of texts, not one text.")
        # Elements of an array are not str, but those of its list are.
        given = texts.tolist() if isinstance(texts, np.ndarray) else list(texts)
        if given and isinstance(given[0], np.str_):
            given = np.array(given, object).astype(str).tolist()

        def count(some: slice) -> SparseRows:
            values, columns, starts = self._new_grams().count(
                given, learning, some.start, some.stop
            )
            if tallying:
                self._add_to_tally(columns, len(given))
            elif learning and self.settings["idf"]:
                self._admit(columns)
            values, columns = self._scaled(values, columns, starts)
            return SparseRows(values, columns, starts, max(self.n_features, 1))

        jobs = None if learning else n_jobs
        try:
            parts = list(each_part(count, slices(len(given), jobs), jobs))
        except TypeError as error:
            raise InputError(f"{error}. Give a list of str.") from None
        return SparseRows.concat(parts)

    def _scaled(
        self, values: FloatArray, columns: Int32Array, starts: IntArray
    ) -> tuple[FloatArray, Int32Array]:
        """Multiply values by the idf and scale rows to unit length, each if the settings say so.

        The idf is 1 + ln((1 + n_texts) / (1 + texts with the n-gram)). N-grams that no text had are
        left out, even if they are hashed and have a column; ``starts`` is changed in place.
        """
        has_idf = self.settings["idf"]
        unit = self.settings["unit"]
        if not has_idf and not unit:
            return values, columns
        base = 1.0
        logs = None
        if has_idf:
            base += float(ngrams.log_of(np.array([self.n_texts]))[0])
            logs = self._logs_of_tally()
        n = ngrams.scale(values, columns, starts, base, logs, unit)
        return values[:n], columns[:n]

    # ------------------------------------------------------------------ the tally for the idf

    def _add_to_tally(self, columns: Int32Array, n_texts: int) -> None:
        self._tally = self._for_all_columns(self._tally)
        self._logs = None
        ngrams.count_columns(columns, self._tally)
        self.n_texts += n_texts

    def _admit(self, columns: Int32Array) -> None:
        """Set the document frequency of new n-grams, which were not tallied, to 1."""
        logs = self._logs_of_tally()
        self._tally = self._for_all_columns(self._tally)
        new = columns[self._tally[columns] == 0]
        self._tally[new] = 1
        logs[new] = ngrams.log_of(np.ones(1, np.int64))[0]

    def _for_all_columns(self, array: AnyArray) -> AnyArray:
        """Return an array padded with zeros for the columns added since it was made."""
        more = self.n_features - len(array)
        return np.pad(array, (0, more)) if more > 0 else array

    def _logs_of_tally(self) -> FloatArray:
        if self._logs is None:
            self._logs = ngrams.log_of(self._tally)
        self._logs = self._for_all_columns(self._logs)
        return self._logs

    def shares(self) -> FloatArray | None:
        """Return the share of the tallied texts that have each column; None without a tally."""
        if not self.settings["idf"] or not self.n_texts:
            return None
        shares: FloatArray = self._for_all_columns(self._tally) / self.n_texts
        return np.minimum(shares, 1.0)

    def tally(self) -> dict[str, Any] | None:
        """Return the number of texts and the document frequency of each column; None without idf.

        Columns are stored as differences, each from the one before, so that files stay short.
        """
        if not self.settings["idf"]:
            return None
        columns = np.flatnonzero(self._tally)
        gaps = np.diff(columns, prepend=-1)
        counts = self._tally[columns]
        return {"texts": self.n_texts, "gaps": gaps.tolist(), "counts": counts.tolist()}

    def take_tally(self, kept: Any) -> None:
        """Restore the result of `tally`; raise KeyError, TypeError or ValueError if invalid."""
        if not self.settings["idf"]:
            if kept is not None:
                raise ValueError("texts are tallied without idf")
            return
        n_texts = kept["texts"]
        gaps = kept["gaps"]
        counts = kept["counts"]
        for numbers in ([n_texts], gaps, counts):
            if type(numbers) is not list or not all(type(n) is int for n in numbers):
                raise TypeError("the tally of texts does not hold whole numbers")
        if len(gaps) != len(counts) or not 0 <= n_texts < MAX_TEXTS:
            raise ValueError("the tally of texts does not hold together")
        for numbers, most in ((gaps, self.n_features), (counts, n_texts)):
            if not all(1 <= n <= most for n in numbers):
                raise ValueError("the tally of texts has counts that cannot be")

        columns = np.cumsum(np.array(gaps, np.int64)) - 1
        no_columns = np.zeros(0, np.int32)
        self._add_to_tally(no_columns, n_texts)
        if len(columns) and columns[-1] >= len(self._tally):
            raise ValueError("the tally of texts has more columns than there are")
        self._tally[columns] = counts

    # ------------------------------------------------------------------ names of columns

    def names(self, columns: Iterable[int]) -> list[str]:
        """Return the n-gram of each column; "" for a column without one."""
        if len(self._listed) != self._known.count:
            self._listed = self._known.listed()
        numbers = list(columns)
        if self._owners is not None:
            numbers = (self._owners[numbers] - 1).tolist()
        found = []
        for number in numbers:
            is_known = 0 <= number < len(self._listed)
            found.append(_text(self._listed[number].removeprefix(MARK)) if is_known else "")
        return found

    def names_to_keep(self, columns: Iterable[int]) -> list[str] | dict[str, str]:
        """Return the names of hashed ``columns`` by number; for an exact vocabulary, all names."""
        if self._owners is None:
            return [_text(name) for name in self._known.listed()]
        numbers = [int(column) for column in columns]
        pairs = zip(numbers, self.names(numbers), strict=True)
        return {str(number): name for number, name in pairs if name}

    def take_names(self, kept: Any) -> None:
        """Restore the result of `names_to_keep`; raise TypeError or ValueError if invalid."""
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
    settings: dict[str, Any],
    names: list[bytes],
    columns: IndexArray | None,
    owners: Int32Array | None,
    tally: dict[str, Any] | None,
) -> NGramCounter:
    """Rebuild a counter from its pickled parts."""
    counter = NGramCounter(settings)
    for name in names:
        counter._known.number(name)
    if counter._owners is not None:
        counter._owners[columns] = owners
    counter.take_tally(tally)
    return counter


# A string of Python can hold a lone surrogate of UTF-16, and so can JSON.
def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _column(written: str, n_columns: int) -> int:
    """Parse the number of a column; raise ValueError if it is invalid."""
    column = int(written)
    if not 0 <= column < n_columns or str(column) != written:
        raise ValueError(f"{written[:20]!r} is no column of {n_columns:,}")
    return column
