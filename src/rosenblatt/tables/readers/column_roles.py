"""Which column of a file is the target, which are features, and which of these are numbers."""

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
SHOWN = 6
# Classes may be different in so many rows, and numbers with fractions be so many classes.
MANY, FEW = 20, 10
# Texts among numbers are stray cells if they are one value in so many, or the only one of so many.
VALUES_A_STRAY, VALUES_OF_ONE_STRAY = 50, 10


class GuessedTarget:
    """Instead of the name of a target: it is guessed (`guess_target`)."""


class MissingColumns(DataError):
    """A file without columns that are needed."""


class Columns:
    """Columns by name, so that their order in a file does not matter.

    The first file decides which features there are, unless they were named; a column is a number
    column if its values are numbers but for a few (`are_numbers`), unless its kind was named.
    What is not a number in a `lenient` column is a gap, in another one a fault.
    """

    def __init__(
        self,
        target: str | int | GuessedTarget | None,
        columns: Iterable[str] | None,
        types: Mapping[str, str] | str | None,
        missing: Iterable[str],
        ignore: Iterable[str] = (),
    ) -> None:
        guessed = isinstance(target, GuessedTarget) or target is None
        if not guessed and (isinstance(target, bool) or not isinstance(target, str | int)):
            raise refusal("target", target, "the name or the place of a column")
        self._target = target
        self._wanted = None if columns is None else _names("columns", columns)
        if self._wanted == []:
            what = Message(Setting("columns"), " is empty")
            raise ParameterError(what, where="columns", cures="leave it out to read all of them")
        self.missing = _names("missing", missing)
        self.marks = [*GAPS, *(mark for mark in self.missing if mark not in GAPS)]
        self._ignored = set(_names("ignore", ignore))
        self._every = types if isinstance(types, str) else None
        self.kinds: dict[str, str] = {}
        if types is not None and not isinstance(types, str):
            self.kinds.update(types)
        for kind in {*self.kinds.values(), self._every or "text"}:
            choice("types", kind, *KINDS)
        self.lenient = {name for name, kind in self.kinds.items() if kind == "number or gap"}
        self.kinds |= dict.fromkeys(self.lenient, "number")
        self.guessed: set[str] = set()
        self._places: dict[tuple[str, int, int], dict[str, int]] = {}
        self.features: list[str] = []
        self.target: str | None = None
        # What was passed over already is not worth a notice.
        self.unused = set(self._ignored)

    @property
    def may_hold_target(self) -> bool:
        """Whether a file may have a column more than there are features."""
        return self._target is not None or self._wanted is not None

    def named(self) -> list[str]:
        """The columns that were asked for by name."""
        target = [self._target] if isinstance(self._target, str) else []
        return [*(self._wanted or ()), *target]

    @property
    def all_known(self) -> bool:
        """Whether nothing is left to find out from the rows: neither kinds nor the target."""
        kinds = self._wanted is not None and self.kinds.keys() >= set(self._wanted)
        return not isinstance(self._target, GuessedTarget) and (self._every is not None or kinds)

    def ignore(self, name: str) -> None:
        """Leave out a column of the file, without a word."""
        self._ignored.add(name)
        self.unused.add(name)

    def settle(
        self, names: Sequence[str], file: str, values: Mapping[str, Sequence[Any]] | None = None
    ) -> None:
        """Take note of the columns of a file; the first one decides which features there are.

        Its first `values`, as texts, decide which column is the target, if it is to be guessed.
        """
        if not names:
            raise DataError("a table without columns", name=file)
        if isinstance(self._target, GuessedTarget):
            known = [name for name in names if name not in self._ignored]
            self._target = guess_target(known, values or {}, file)
        self.target = self._find_target(names, file)
        features = [name for name in names if name != self.target and name not in self._ignored]
        if not self.features:
            # What is wanted is looked for below, with a plainer message.
            typed = [*(self.kinds.keys() - set(self._wanted or ()))]
            by = Message(", which ", Setting("types"), " names")
            self._refuse_unknown(typed, names, file, by)
            self.features = features if self._wanted is None else self._wanted
            if not self.features:
                raise DataError(
                    f"the only column is the target {quoted(names[0])}; there are no features",
                    name=file,
                    found=names[0],
                    cures=_other_delimiter(names),
                )
            if self.target in self.features:
                raise ParameterError(
                    f"the target {quoted(str(self.target))} is one of the features, too",
                    where="target",
                    cures=Message("choose another ", Setting("target")),
                )
            if self._every is not None:
                self.kinds = dict.fromkeys(self.features, self._every.removesuffix(" or gap"))
            if self._every == "number or gap":
                self.lenient = set(self.features)
        self._refuse_unknown(self.features, features, file)
        wanted = set(self.features)
        extra = [name for name in features if name not in wanted]
        if extra:
            self.unused.update(extra)
            these = "column is" if len(extra) == 1 else "columns are"
            notice(ExtraColumns, f"{file}: {len(extra)} {these} not used: {_listed(extra)}")

    def _find_target(self, names: Sequence[str], file: str) -> str | None:
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
        if not (self._target.isdecimal() and 1 <= int(self._target) <= len(names)):
            raise ParameterError(
                f"there is no target column {quoted(self._target)}",
                where=Place(file),
                found=self._target,
                allowed=f"one of the columns {_listed(names)}",
                cures=did_you_mean(self._target, names) or _other_delimiter(names),
            )
        return names[int(self._target) - 1]

    def _refuse_unknown(
        self, wanted: Iterable[str], names: Sequence[str], file: str, by: Words = ""
    ) -> None:
        known = set(names)
        lacking = [name for name in wanted if name not in known]
        if lacking:
            these = "column is" if len(lacking) == 1 else "columns are"
            raise MissingColumns(
                Message(
                    f"{len(lacking)} {these} missing: {_listed(lacking)}",
                    by,
                    f"; the file has {_listed(names)}",
                ),
                name=file,
                found=lacking,
                cures=did_you_mean(lacking[0], names) or (),
            )

    @property
    def undecided(self) -> list[str]:
        return [name for name in self.features if name not in self.kinds]

    def guess(
        self,
        name: str,
        values: Iterable[bytes],
        parse: Callable[[bytes], float | None] = numbers.parse,
        *,
        more_follow: bool = False,
    ) -> None:
        """Decide on the kind of a column by some of its values; 007 is no number but a code.

        A column without a value is tried as numbers if `more_follow`, and else left as text.
        """
        marks = {mark.encode() for mark in self.marks}
        given = [value for value in map(bytes.strip, values) if value not in marks]
        strays = Counter(
            value.decode("utf-8", "replace") for value in given if parse(value) is None
        )
        is_number = are_numbers(len(given), strays) if given else more_follow
        is_number = is_number and not are_codes(given)
        self.kinds[name] = "number" if is_number else "text"
        self.guessed.add(name)
        self.lenient.add(name)

    def revise(self, name: str, kind: str) -> None:
        """Take back the guess at the kind of a column, which other values speak against."""
        self.kinds[name] = kind
        self._places = {}

    def of_kind(self, kind: str) -> list[str]:
        return list(self.places(kind))

    def places(self, kind: str) -> dict[str, int]:
        """The columns of a kind with their places among them, found once for all blocks."""
        known = kind, len(self.kinds), len(self.features)
        if known not in self._places:
            names = [name for name in self.features if self.kinds[name] == kind]
            self._places = {known: dict(zip(names, range(len(names)), strict=True)), **self._places}
        return self._places[known]

    def plan(
        self, names: Sequence[str]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int8]]:
        """What each column of a file is, where it goes, and whether strays in it are gaps."""
        roles = np.full(len(names), IGNORED, np.int8)
        places = np.zeros(len(names), np.int32)
        lenient = np.array([name in self.lenient for name in names], np.int8)
        at = {name: i for i, name in enumerate(names)}
        if self.target is not None:
            roles[at[self.target]] = LABEL
        for kind, role in (("number", NUMBER), ("text", TEXT)):
            for place, name in enumerate(self.of_kind(kind)):
                roles[at[name]], places[at[name]] = role, place
        return roles, places, lenient


def are_numbers(n_values: int, strays: Mapping[str, int]) -> bool:
    """Whether a column holds numbers, with so few texts among its values that they are strays.

    A column with more texts holds codes or names, even if most of them are written in digits.
    Words such as "unknown" and "inf" only say that a number is not known, so these may be many.

    Parameters
    ----------
    n_values : int
        How many values there are, gaps left out.
    strays : mapping of str to int
        Those that are no numbers, with how often they occur.
    """
    n_unknown = sum(
        n
        for text, n in strays.items()
        if looks_missing(text) or text.lower().lstrip("+-") in NOT_FINITE
    )
    n_strays = sum(strays.values()) - n_unknown
    n_numbers = n_values - n_unknown - n_strays
    if 2 * n_numbers <= n_values:
        return False
    is_only_one = n_strays == 1 and n_numbers + 1 >= VALUES_OF_ONE_STRAY
    return is_only_one or VALUES_A_STRAY * n_strays <= n_numbers + n_strays


def are_codes(values: Iterable[bytes]) -> bool:
    """Whether some values have zeros in front that numbers do not have, as 007."""
    found = list(values)
    return any(CODE.fullmatch(value) for value in found) and b"." not in b"".join(found)


def guess_target(names: Sequence[str], values: Mapping[str, Sequence[Any]], file: str) -> str:
    """The column of the labels where nobody names one.

    One that is called label, target, class or y; else the last, if it can hold classes; else
    nothing is guessed, and those that can are named.
    """
    by_name = {name.lower(): name for name in reversed(names)}
    for name in TARGETS:
        if name in by_name and not (name == "y" and _is_place(by_name["y"], names, values)):
            return by_name[name]
    filled = [n for n in names if any(str(v).strip() not in GAPS for v in values.get(n, ()))]
    last = (filled or names)[-1]
    if can_be_classes(values.get(last, ())):
        return last
    able = [name for name in names if can_be_classes(values.get(name, ()))]
    raise DataError(
        f"which column is the target? The last, {quoted(last)}, holds too many different "
        "values to be classes",
        name=file,
        allowed=f"one of the columns {_listed(able or names)}",
        cures=Message("name it with ", Setting("target", (able or names)[0])),
    )


def _is_place(y: str, names: Sequence[str], values: Mapping[str, Sequence[Any]]) -> bool:
    """Whether y is rather a place in a plane than a target: a measure, or one like the x before it.

    Whole numbers may be either; then words in the last column are what is to be learned.
    """
    if not can_be_classes(values.get(y, ())):
        return True
    before = names[max(names.index(y) - 1, 0)]
    alike = before.lower() == "x" and all(_are_whole(values.get(name, ())) for name in (before, y))
    last = values.get(names[-1], ())
    return alike and names[-1] != y and not _are_whole(last) and can_be_classes(last)


def _are_whole(values: Sequence[Any]) -> bool:
    """Whether most of the values are whole numbers, as a column is of numbers if most are."""
    known = [text for value in values if (text := str(value).strip()) not in GAPS]
    found = [numbers.parse(text.encode()) for text in known]
    whole = sum(value is not None and not _is_fraction(value) for value in found)
    return 2 * whole > len(found)


def _is_fraction(value: float) -> bool:
    """Whether a number is none of those that count; digits beyond any float64 are one."""
    return math.isfinite(value) and not value.is_integer()


def can_be_classes(values: Sequence[Any]) -> bool:
    """Whether the values of a column may be labels: words or whole numbers that come again."""
    known = [text for value in values if (text := str(value).strip()) not in GAPS]
    different = set(known)
    found = [numbers.parse(text.encode()) for text in different]
    fractions = sum(value is not None and _is_fraction(value) for value in found)
    few = 2 * len(different) <= len(known)
    if fractions and not (few and len(different) <= FEW):
        return False
    return few or len(different) <= MANY


def number_repeated(names: list[str]) -> tuple[str, str] | None:
    """Number names that stand there before, in place; the first of them, as it was and as it is."""
    seen, taken, counts = set[str](), set(names), Counter[str]()
    first = None
    for i, name in enumerate(names):
        if name in seen:
            counts[name] += 1
            while (other := f"{name} {counts[name] + 1}") in taken:
                counts[name] += 1
            first, names[i] = first or (name, other), other
        seen.add(names[i])
        taken.add(names[i])
    return first


def _names(argument: str, given: Any) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise refusal(argument, given, "a list of texts")
    names = list(given)
    for name in names:
        if not isinstance(name, str):
            raise refusal(argument, names, "a list of texts")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        what = Message(Setting(argument), f" holds {quoted(twice)} twice")
        raise ParameterError(what, where=argument, found=twice, cures="leave one out")
    return names


def _listed(names: Sequence[str]) -> str:
    return first_few([quoted(name) for name in names], SHOWN)


def _other_delimiter(names: Sequence[str]) -> list[Message]:
    found = [mark for mark in "\t;,|" if mark in names[0]] if len(names) == 1 else []
    return [
        Message(f"if {NAMES[mark]} separate the columns, say ", Setting("delimiter", mark))
        for mark in found[:1]
    ]
