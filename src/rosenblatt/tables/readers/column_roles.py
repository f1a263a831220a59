"""The roles of columns: target, features, and the kind of each feature."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import choice, did_you_mean, refusal
from rosenblatt.engine.text import numbers
from rosenblatt.engine.text.tabular import IGNORED, LABEL, NUMBER, TEXT
from rosenblatt.errors import DataError, Message, ParameterError, Place, Setting, Words
from rosenblatt.plurals import first_few
from rosenblatt.tables.readers.dialect import NAMES, TARGETS
from rosenblatt.tables.readers.fault_messages import NOT_FINITE, ExtraColumns, notice, quoted
from rosenblatt.tables.readers.labels import CODE
from rosenblatt.tables.readers.number_style import GAPS, looks_missing

KINDS = ("number", "number or gap", "text")
SHOWN = 6  # column names listed in a message, at most
# A column can be the target if it has at most this many distinct values, or repeats its values;
MOST_CLASSES = 20
# numbers with fractions must repeat, and have at most this many distinct values.
MAX_FRACTIONS = 10
# Texts in a number column are strays if at most one in this many values is a text,
VALUES_PER_STRAY = 50
# or if there is a single one in at least this many values.
VALUES_OF_ONLY_STRAY = 10


class GuessedTarget:
    """Placeholder for a target column that `guess_target` chooses."""


class MissingColumns(DataError):
    """Error: a file lacks required columns."""


class ColumnRoles:
    """Roles of columns by name: the target, the features, and the kind of each feature.

    Columns are matched by name, so that their order in a file does not matter. The first file
    determines the features, unless the caller gave them. A column holds numbers if all but a few
    of its values are numbers (`are_numbers`), unless the caller gave its kind.

    Attributes
    ----------
    target : str or None
        The column of the labels, once `settle` has found it.
    features : list of str
        The features in order, once `settle` has found them.
    kinds : dict of str to {"number", "text"}
        The kind of each feature, as far as it is known.
    guessed : set of str
        The features whose kind was guessed.
    lenient : set of str
        Number columns in which a text is a missing value; in other ones it is an error.
    unused : set of str
        Columns that are left out without a warning.
    missing : list of str
        The texts that mark a missing value, in addition to the usual ones.
    marks : list of str
        All texts that mark a missing value.
    """

    def __init__(
        self,
        target: str | int | GuessedTarget | None,
        columns: Iterable[str] | None,
        types: Mapping[str, str] | str | None,
        missing: Iterable[str],
        ignore: Iterable[str] = (),
    ) -> None:
        is_column = isinstance(target, str | int) and not isinstance(target, bool)
        if not is_column and not isinstance(target, GuessedTarget) and target is not None:
            raise refusal("target", target, "the name or the place of a column")
        self._target = target
        self._wanted = None if columns is None else _checked_names("columns", columns)
        if self._wanted == []:
            problem = Message(Setting("columns"), " is empty")
            cure = "leave it out to read all of them"
            raise ParameterError(problem, where="columns", cures=cure)
        self.missing = _checked_names("missing", missing)
        self.marks = [*GAPS, *(mark for mark in self.missing if mark not in GAPS)]
        self._ignored = set(_checked_names("ignore", ignore))

        # One kind for all features, or a kind by name.
        self._kind_of_all = types if isinstance(types, str) else None
        self.kinds: dict[str, str] = {}
        if types is not None and not isinstance(types, str):
            self.kinds.update(types)
        for kind in {*self.kinds.values(), self._kind_of_all or "text"}:
            choice("types", kind, *KINDS)
        self.lenient = {name for name, kind in self.kinds.items() if kind == "number or gap"}
        for name in self.lenient:
            self.kinds[name] = "number"

        self.guessed: set[str] = set()
        self._places: dict[tuple[str, int, int], dict[str, int]] = {}
        self.features: list[str] = []
        self.target: str | None = None
        self.unused = set(self._ignored)

    @property
    def may_hold_target(self) -> bool:
        """Return whether a file may have a target column, which is not counted as a feature."""
        return self._target is not None or self._wanted is not None

    def named(self) -> list[str]:
        """Return the columns that the caller named."""
        names = list(self._wanted or ())
        if isinstance(self._target, str):
            names.append(self._target)
        return names

    @property
    def all_known(self) -> bool:
        """Return whether the target and all kinds are known, so that nothing need be guessed."""
        if isinstance(self._target, GuessedTarget):
            return False
        if self._kind_of_all is not None:
            return True
        return self._wanted is not None and self.kinds.keys() >= set(self._wanted)

    def ignore(self, name: str) -> None:
        """Leave out a column of the file without a warning."""
        self._ignored.add(name)
        self.unused.add(name)

    # ------------------------------------------------------------------ the columns of a file

    def settle(
        self, names: Sequence[str], file: str, values: Mapping[str, Sequence[object]] | None = None
    ) -> None:
        """Assign roles to the columns of a file; the first file determines the features.

        If the target must be guessed, it is chosen by the first `values` of each column.
        """
        if not names:
            raise DataError("a table without columns", name=file)
        if isinstance(self._target, GuessedTarget):
            known = [name for name in names if name not in self._ignored]
            self._target = guess_target(known, values or {}, file)
        self.target = self._find_target(names, file)
        features = [name for name in names if name != self.target and name not in self._ignored]
        if not self.features:
            self._choose_features(features, names, file)

        self._refuse_unknown(self.features, features, file)
        used = set(self.features)
        extra = [name for name in features if name not in used]
        if extra:
            self.unused.update(extra)
            these = "column is" if len(extra) == 1 else "columns are"
            notice(ExtraColumns, f"{file}: {len(extra)} {these} not used: {_shown(extra)}")

    def _choose_features(self, found: list[str], names: Sequence[str], file: str) -> None:
        """Choose the features, and apply the given kinds, by the columns of the first file."""
        # A missing feature that the caller named is reported later, with a plainer message.
        typed = [*(self.kinds.keys() - set(self._wanted or ()))]
        named_by = Message(", which ", Setting("types"), " names")
        self._refuse_unknown(typed, names, file, named_by)

        self.features = found if self._wanted is None else self._wanted
        if not self.features:
            raise DataError(
                f"the only column is the target {quoted(names[0])}; there are no features",
                name=file,
                found=names[0],
                cures=_other_delimiter(names),
            )
        if self.target in self.features:
            raise ParameterError(
                f"the target {quoted(str(self.target))} is also one of the features",
                where="target",
                cures=Message("choose another ", Setting("target")),
            )
        if self._kind_of_all is not None:
            self.kinds = dict.fromkeys(self.features, self._kind_of_all.removesuffix(" or gap"))
        if self._kind_of_all == "number or gap":
            self.lenient = set(self.features)

    def _find_target(self, names: Sequence[str], file: str) -> str | None:
        """Return the name of the target, given by name, by index, or by its number from 1 as text.

        Return None if no target is given.
        """
        if self._target is None or isinstance(self._target, GuessedTarget):
            return None
        if isinstance(self._target, int):
            if not -len(names) <= self._target < len(names):
                raise ParameterError(
                    Message(Setting("target", self._target), " is not a column"),
                    where=Place(file),
                    found=self._target,
                    allowed=f"a number from {-len(names)} to {len(names) - 1}",
                )
            return names[self._target]
        if self._target in names:
            return self._target
        if self._target.isdecimal() and 1 <= int(self._target) <= len(names):
            return names[int(self._target) - 1]
        raise ParameterError(
            f"there is no target column {quoted(self._target)}",
            where=Place(file),
            found=self._target,
            allowed=f"one of the columns {_shown(names)}",
            cures=did_you_mean(self._target, names) or _other_delimiter(names),
        )

    def _refuse_unknown(
        self, wanted: Iterable[str], names: Sequence[str], file: str, named_by: Words = ""
    ) -> None:
        known = set(names)
        lacking = [name for name in wanted if name not in known]
        if not lacking:
            return
        these = "column is" if len(lacking) == 1 else "columns are"
        raise MissingColumns(
            Message(
                f"{len(lacking)} {these} missing: {_shown(lacking)}",
                named_by,
                f"; the file has {_shown(names)}",
            ),
            name=file,
            found=lacking,
            cures=did_you_mean(lacking[0], names) or (),
        )

    # ------------------------------------------------------------------ kinds

    @property
    def undecided(self) -> list[str]:
        """Return the features whose kind is not known yet."""
        return [name for name in self.features if name not in self.kinds]

    def guess(
        self,
        name: str,
        values: Iterable[bytes],
        parse: Callable[[bytes], float | None] = numbers.parse,
        *,
        more_follow: bool = False,
    ) -> None:
        """Guess the kind of a column from some of its values; codes such as 007 make it text.

        A column without any value is assumed to hold numbers if `more_follow`, otherwise text.
        """
        marks = {mark.encode() for mark in self.marks}
        given: list[bytes] = []
        strays = Counter[str]()
        for value in map(bytes.strip, values):
            if value in marks:
                continue
            given.append(value)
            if parse(value) is None:
                strays[value.decode("utf-8", "replace")] += 1

        is_number = are_numbers(len(given), strays) if given else more_follow
        if are_codes(given):
            is_number = False
        self.kinds[name] = "number" if is_number else "text"
        self.guessed.add(name)
        self.lenient.add(name)

    def revise(self, name: str, kind: str) -> None:
        """Change the guessed kind of a column after further values contradicted it."""
        self.kinds[name] = kind
        self._places = {}

    def of_kind(self, kind: str) -> list[str]:
        """Return the features of a kind, in order."""
        return list(self.places(kind))

    def places(self, kind: str) -> dict[str, int]:
        """Return the index of each feature among the features of its kind, by name.

        The result is cached for all blocks until the columns or their kinds change.
        """
        key = kind, len(self.kinds), len(self.features)
        if key not in self._places:
            names = [name for name in self.features if self.kinds[name] == kind]
            self._places[key] = {name: place for place, name in enumerate(names)}
        return self._places[key]

    def plan(
        self, names: Sequence[str]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int8]]:
        """Return arrays of the role, the index within its kind, and the leniency of each column."""
        roles = np.full(len(names), IGNORED, np.int8)
        places = np.zeros(len(names), np.int32)
        lenient = np.array([name in self.lenient for name in names], np.int8)
        column_of = {name: column for column, name in enumerate(names)}
        if self.target is not None:
            roles[column_of[self.target]] = LABEL
        for kind, role in (("number", NUMBER), ("text", TEXT)):
            for name, place in self.places(kind).items():
                roles[column_of[name]] = role
                places[column_of[name]] = place
        return roles, places, lenient


# ---------------------------------------------------------------------- guesses


def are_numbers(n_values: int, strays: Mapping[str, int]) -> bool:
    """Return whether a column holds numbers: so few values are texts that they count as strays.

    A column with more texts holds codes or names, even if most of them are written in digits.
    Words such as "unknown" and "inf" only mean that a number is missing, so that these may be many.

    Parameters
    ----------
    n_values : int
        How many values there are, missing ones left out.
    strays : mapping of str to int
        Those that are not numbers, with how often they occur.
    """
    n_unknown = 0
    for text, n in strays.items():
        if looks_missing(text) or text.lower().lstrip("+-") in NOT_FINITE:
            n_unknown += n
    n_strays = sum(strays.values()) - n_unknown
    n_numbers = n_values - n_unknown - n_strays
    if 2 * n_numbers <= n_values:
        return False
    if n_strays == 1 and n_numbers + 1 >= VALUES_OF_ONLY_STRAY:
        return True
    return VALUES_PER_STRAY * n_strays <= n_numbers + n_strays


def are_codes(values: Iterable[bytes]) -> bool:
    """Return whether a column holds codes with leading zeros, such as 007, and no decimal point."""
    found = list(values)
    has_code = any(CODE.fullmatch(value) for value in found)
    return has_code and b"." not in b"".join(found)


def guess_target(names: Sequence[str], values: Mapping[str, Sequence[object]], file: str) -> str:
    """Return the name of the column that is most likely the target.

    It is the one called label, target, class or y; otherwise the last, if it can hold classes;
    otherwise an error names those that can.
    """
    # If several names differ in case only, the first one counts.
    by_name = {name.lower(): name for name in reversed(names)}
    for name in TARGETS:
        if name not in by_name:
            continue
        if name == "y" and _is_coordinate(by_name["y"], names, values):
            continue
        return by_name[name]

    filled = [name for name in names if _known_texts(values.get(name, ()))]
    last = (filled or names)[-1]
    if can_be_classes(values.get(last, ())):
        return last
    able = [name for name in names if can_be_classes(values.get(name, ()))]
    raise DataError(
        f"which column is the target? The last, {quoted(last)}, holds too many different "
        "values to be classes",
        name=file,
        allowed=f"one of the columns {_shown(able or names)}",
        cures=Message("name it with ", Setting("target", (able or names)[0])),
    )


def _is_coordinate(y: str, names: Sequence[str], values: Mapping[str, Sequence[object]]) -> bool:
    """Return whether `y` is a coordinate and not a target: a measurement, or paired with an x.

    If x and y are whole numbers, they may be either; then y is a coordinate if the last column
    holds words that can be classes.
    """
    if not can_be_classes(values.get(y, ())):
        return True
    before = names[max(names.index(y) - 1, 0)]
    last = values.get(names[-1], ())
    are_alike = (
        before.lower() == "x"
        and _are_whole(values.get(before, ()))
        and _are_whole(values.get(y, ()))
    )
    return are_alike and names[-1] != y and not _are_whole(last) and can_be_classes(last)


def _known_texts(values: Sequence[object]) -> list[str]:
    """Return the values that are not missing, as stripped strings."""
    texts = (str(value).strip() for value in values)
    return [text for text in texts if text not in GAPS]


def _are_whole(values: Sequence[object]) -> bool:
    """Return whether most of the values are whole numbers."""
    known = _known_texts(values)
    n_whole = 0
    for text in known:
        value = numbers.parse(text.encode())
        if value is not None and not _is_fraction(value):
            n_whole += 1
    return 2 * n_whole > len(known)


def _is_fraction(value: float) -> bool:
    """Return whether a number has a fractional part; one too large for a float64 has none."""
    return math.isfinite(value) and not value.is_integer()


def can_be_classes(values: Sequence[object]) -> bool:
    """Return whether the values of a column can be class labels: they are few, or they repeat."""
    known = _known_texts(values)
    different = set(known)
    parsed = [numbers.parse(text.encode()) for text in different]
    has_fractions = any(value is not None and _is_fraction(value) for value in parsed)
    repeat = 2 * len(different) <= len(known)
    if has_fractions and not (repeat and len(different) <= MAX_FRACTIONS):
        return False
    return repeat or len(different) <= MOST_CLASSES


# ---------------------------------------------------------------------- names


def number_repeated(names: list[str]) -> tuple[str, str] | None:
    """Make repeated names unique in place by appending numbers.

    Return the first renamed one, before and after; None if no name was repeated.
    """
    seen = set[str]()
    taken = set(names)
    counts = Counter[str]()
    first: tuple[str, str] | None = None
    for place, name in enumerate(names):
        if name in seen:
            counts[name] += 1
            while f"{name} {counts[name] + 1}" in taken:
                counts[name] += 1
            names[place] = f"{name} {counts[name] + 1}"
            if first is None:
                first = name, names[place]
        seen.add(names[place])
        taken.add(names[place])
    return first


def _checked_names(argument: str, given: object) -> list[str]:
    """Return an argument as a list of names; raise ParameterError unless they are unique texts."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise refusal(argument, given, "a list of texts")
    names = list(given)
    for name in names:
        if not isinstance(name, str):
            raise refusal(argument, names, "a list of texts")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        problem = Message(Setting(argument), f" holds {quoted(twice)} twice")
        raise ParameterError(problem, where=argument, found=twice, cures="leave one out")
    return names


def _shown(names: Sequence[str]) -> str:
    return first_few([quoted(name) for name in names], SHOWN)


def _other_delimiter(names: Sequence[str]) -> list[Message]:
    """Return the cure if the only column name contains a delimiter; otherwise an empty list."""
    if len(names) != 1:
        return []
    for mark in "\t;,|":
        if mark in names[0]:
            cure = Message(
                f"if {NAMES[mark]} separate the columns, say ", Setting("delimiter", mark)
            )
            return [cure]
    return []
