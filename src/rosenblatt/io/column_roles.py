"""Which column of a file is the target, which are features, and which of these are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.text import numbers
from rosenblatt._kernels.text.tabular import IGNORED, LABEL, NUMBER, TEXT
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.io.excerpt import quoted
from rosenblatt.io.notices import ExtraColumns, notice

__all__ = ["Columns"]

KINDS = ("number", "text")
SHOWN = 6


class Columns:
    """Columns by name, so that their order in a file does not matter.

    The first file decides which features there are, unless they were named; a column is a number
    column if most of its first values are numbers, unless its kind was named.
    """

    def __init__(
        self,
        target: str | int | None,
        columns: Iterable[str] | None,
        types: Mapping[str, str] | str | None,
        missing: Iterable[str],
        ignore: Iterable[str] = (),
    ) -> None:
        if target is not None and (isinstance(target, bool) or not isinstance(target, str | int)):
            raise ParameterError(f"target={target!r} must be the name or the place of a column.")
        self._target = target
        self._wanted = None if columns is None else _names("columns", columns)
        if self._wanted == []:
            raise ParameterError("columns is empty; leave it out to read all of them.")
        self.missing = _names("missing", missing)
        self._ignored = set(_names("ignore", ignore))
        self._every = types if isinstance(types, str) else None
        self.kinds: dict[str, str] = {}
        if types is not None and not isinstance(types, str):
            self.kinds.update(types)
        for kind in (*self.kinds.values(), self._every or "text"):
            if kind not in KINDS:
                raise ParameterError(f"types: {kind!r} is not known; use 'number' or 'text'.")
        self.guessed: set[str] = set()
        self.features: list[str] = []
        self.target: str | None = None
        # What was passed over already is not worth a notice.
        self.unused = set(self._ignored)

    def named(self) -> list[str]:
        """The columns that were asked for by name."""
        target = [self._target] if isinstance(self._target, str) else []
        return [*(self._wanted or ()), *target]

    def settle(self, names: Sequence[str], file: str) -> None:
        """Take note of the columns of a file; the first one decides which features there are."""
        self.target = self._find_target(names, file)
        features = [name for name in names if name != self.target and name not in self._ignored]
        if not self.features:
            # What is wanted is looked for below, with a plainer message.
            typed = [name for name in self.kinds if name not in (self._wanted or ())]
            self._refuse_unknown(typed, names, file, "types")
            self.features = features if self._wanted is None else self._wanted
            if not self.features:
                raise DataError(
                    f"the only column is the target {quoted(names[0])}; there are no features",
                    name=file,
                    help=_other_delimiter(names),
                )
            if self.target in self.features:
                raise ParameterError(f"columns names the target {quoted(str(self.target))} too.")
            if self._every is not None:
                self.kinds = dict.fromkeys(self.features, self._every)
        self._refuse_unknown(self.features, features, file, None)
        wanted = set(self.features)
        extra = [name for name in features if name not in wanted]
        if extra:
            self.unused.update(extra)
            these = "column is" if len(extra) == 1 else "columns are"
            notice(ExtraColumns, f"{file}: {len(extra)} {these} not used: {_listed(extra)}")

    def _find_target(self, names: Sequence[str], file: str) -> str | None:
        if self._target is None:
            return None
        if isinstance(self._target, int):
            if not -len(names) <= self._target < len(names):
                raise ParameterError(
                    f"target={self._target}: {file} has {len(names)} columns, counted from 0."
                )
            return names[self._target]
        if self._target in names:
            return self._target
        if not (self._target.isdecimal() and 1 <= int(self._target) <= len(names)):
            hint = _close(self._target, names) or _other_delimiter(names)
            raise ParameterError(
                f"there is no target column {quoted(self._target)} in {file}; the columns are "
                f"{_listed(names)}{'' if hint is None else '; ' + hint}"
            )
        return names[int(self._target) - 1]

    def _refuse_unknown(
        self, wanted: Iterable[str], names: Sequence[str], file: str, argument: str | None
    ) -> None:
        known = set(names)
        lacking = [name for name in wanted if name not in known]
        if lacking:
            these = "column is" if len(lacking) == 1 else "columns are"
            by = "" if argument is None else f", which {argument} names"
            raise DataError(
                f"{len(lacking)} {these} missing: {_listed(lacking)}{by}; "
                f"the file has {_listed(names)}",
                name=file,
                help=_close(lacking[0], names),
            )

    @property
    def undecided(self) -> list[str]:
        return [name for name in self.features if name not in self.kinds]

    def guess(self, name: str, values: Iterable[bytes]) -> None:
        """Decide on the kind of a column by some of its values."""
        marks = {mark.encode() for mark in self.missing}
        given = [value for value in values if value.strip() not in marks]
        found = sum(numbers.parse(value.strip()) is not None for value in given)
        self.kinds[name] = "number" if 2 * found > len(given) else "text"
        self.guessed.add(name)

    def of_kind(self, kind: str) -> list[str]:
        return [name for name in self.features if self.kinds[name] == kind]

    def plan(self, names: Sequence[str]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """What each column of a file is, and where it goes."""
        roles = np.full(len(names), IGNORED, np.int8)
        places = np.zeros(len(names), np.int32)
        at = {name: i for i, name in enumerate(names)}
        if self.target is not None:
            roles[at[self.target]] = LABEL
        for kind, role in (("number", NUMBER), ("text", TEXT)):
            for place, name in enumerate(self.of_kind(kind)):
                roles[at[name]], places[at[name]] = role, place
        return roles, places


def _names(argument: str, given: Any) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ParameterError(f"{argument}={given!r} must be a list of texts.")
    names = list(given)
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"{argument} holds {name!r}, which is not text.")
    if len(set(names)) < len(names):
        raise ParameterError(f"{argument} names a column twice: {_listed(names)}.")
    return names


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(quoted(name) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _close(name: str, names: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1)
    return f"did you mean {quoted(close[0])}?" if close else None


def _other_delimiter(names: Sequence[str]) -> str | None:
    if len(names) == 1:
        for mark in ("\t", ";", ",", "|"):
            if mark in names[0]:
                return f"are the columns separated by {mark!r}? delimiter={mark!r} (--delimiter)"
    return None
