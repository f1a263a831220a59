"""Argument checks, shared by all packages.

Each check returns the value unchanged or raises a `refusal`: an error that holds the name of the
argument, the value found, the allowed values and the cure as separate parts, so that a page, a file
and the command line can each word it in their own way.
"""

from __future__ import annotations

import math
import numbers as kinds
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError, Message, ParameterError, Setting, Value, Words, compact


def choice(name: str, value: Any, *allowed: Any) -> Any:
    """Check that a value is one of the allowed words, whole numbers or booleans."""
    # 1 == True, so the type counts as well. An abstract type is compared because NumPy has its
    # own strings and whole numbers.
    kind: type | None = None
    for candidate in (str, bool, kinds.Integral):
        if isinstance(value, candidate):
            kind = candidate
            break

    # bool is a subclass of int: True must not match an allowed 1.
    comparable = [word for word in allowed if isinstance(word, bool) == (kind is bool)]
    is_known = kind is not None and any(
        isinstance(word, kind) and value == word for word in comparable
    )
    if not is_known:
        verdict = "is not known" if isinstance(allowed[0], str) else "is not allowed"
        raise refusal(name, value, one_of(allowed), verdict=verdict)
    return value


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    cure: Words | None = None,
) -> Any:
    """Check that a value is a finite number within the given limits."""
    # Anything that is not a number stays NaN, which fails every limit.
    size = math.nan
    if isinstance(value, kinds.Real) and not isinstance(value, bool):
        try:
            size = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            size = math.inf

    limits: list[str] = []
    is_allowed = math.isfinite(size)
    if above is not None:
        limits.append(f"above {above:g}")
        is_allowed = is_allowed and size > above
    if at_least is not None:
        limits.append(f"at least {at_least:g}")
        is_allowed = is_allowed and size >= at_least
    if below is not None:
        limits.append(f"below {below:g}")
        is_allowed = is_allowed and size < below
    if at_most is not None:
        limits.append(f"at most {at_most:g}")
        is_allowed = is_allowed and size <= at_most

    if not is_allowed:
        allowed = " ".join(["a finite number", " and ".join(limits)]).rstrip()
        raise refusal(name, value, allowed, cure)
    return value


def whole(
    name: str,
    value: Any,
    *,
    at_least: int,
    at_most: int | None = None,
    none: str = "",
    cure: Words | None = None,
) -> Any:
    """Check that a value is a whole number within limits.

    ``none`` describes what None stands for; if it is empty, None is not allowed.
    """
    if value is None and none:
        return value
    is_whole = isinstance(value, kinds.Integral) and not isinstance(value, bool)
    if is_whole and value >= at_least and (at_most is None or value <= at_most):
        return value

    limits = f"of at least {at_least:,}"
    if at_most is not None:
        limits = f"from {at_least:,} to {at_most:,}"
    allowed = Message(f"a whole number {limits}")
    if none:
        allowed = Message(allowed, ", or ", Value(None), f" for {none}")
    raise refusal(name, value, allowed, cure)


def flag(name: str, value: Any) -> Any:
    """Check that a value is True or False; NumPy's booleans, 1 and 0 are allowed."""
    if not isinstance(value, kinds.Integral | np.bool_) or value not in (0, 1):
        raise refusal(name, value, one_of([True, False]))
    return value


def numbers(name: str, values: Any) -> npt.NDArray[Any]:
    """Return values as a dense array of real numbers; objects become float64."""
    if hasattr(values, "tocsr"):
        raise InputError(f"{name} is sparse; it must be dense here ({name}.toarray() makes it so)")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be an array of numbers ({error})") from error
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} holds {array.dtype}; it must hold real numbers")
    return array


def refusal(
    name: str,
    value: Any,
    allowed: Words,
    cure: Words | None = None,
    *,
    verdict: str = "is not allowed",
) -> ParameterError:
    """Return the error for an argument: its name, the value found, the allowed values, the cure."""
    found = compact(value)
    what = Message(Setting(name, found), f" {verdict}")
    return ParameterError(what, where=name, found=found, allowed=allowed, cures=cure or ())


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """Return a suggestion for a misspelt name; None if no single known name is closest."""
    meant = nearest_name(name, known)
    if meant is None:
        return None
    return f'did you mean "{meant}"?'


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a misspelt one; None if none is close, or several tie.

    A name is close if it takes at most one edit per three letters (and at least one is always
    allowed), or if it starts with the given name. Case, spaces, hyphens, underscores and dots are
    ignored.
    """
    wanted = _normalized(name)
    distances: dict[str, int] = {}
    for candidate in known:
        normalized = _normalized(candidate)
        distance = _edit_distance(wanted, normalized)
        if len(wanted) > 2 and normalized.startswith(wanted):
            distance = min(distance, 1)

        longest = max(len(wanted), len(normalized))
        largest_allowed = max(1, (longest + 1) // 3)
        if distance <= largest_allowed and distance < len(wanted):
            distances[candidate] = distance

    nearest = min(distances.values(), default=0)
    best = [candidate for candidate, distance in distances.items() if distance == nearest]
    return best[0] if len(best) == 1 else None


def _normalized(name: str) -> str:
    return "".join(c for c in name.lower() if c not in " -_.")


def _edit_distance(one: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance of two words (optimal string alignment).

    It is the number of insertions, deletions, substitutions and swaps of neighbours, computed row
    by row.
    """
    two_above: list[int] = []
    above: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        two_above = above
        above = row
        row = [i + 1]
        for j, b in enumerate(other):
            deletion = above[j + 1] + 1
            insertion = row[j] + 1
            substitution = above[j] + (a != b)
            distance = min(deletion, insertion, substitution)
            is_swap = i > 0 and j > 0 and a == other[j - 1] and b == one[i - 1]
            if is_swap:
                distance = min(distance, two_above[j - 1] + 1)
            row.append(distance)
    return row[-1]


def one_of(allowed: Sequence[Any]) -> Message:
    """Return the allowed values as text: 'a', 'b' or 'c'."""
    *first, last = map(Value, allowed)
    if not first:
        return Message(last)
    parts: list[str | Value] = [first[0]]
    for value in first[1:]:
        parts += [", ", value]
    return Message(*parts, " or ", last)
