"""Arguments checked, once for all rooms: the name, the value found, what is allowed, the cure.

Each check gives the value back as it came. The error it raises is a `refusal`, which carries these
parts, so that a page, a file and the shell can say it in their own words.
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
    """One of some words, of some numbers, or yes and no among them."""
    # 1 == True, so the kind counts too; NumPy has texts and whole numbers of its own.
    kind = next((k for k in (str, bool, kinds.Integral) if isinstance(value, k)), None)
    alike = [word for word in allowed if isinstance(word, bool) == (kind is bool)]
    if kind is None or not any(isinstance(word, kind) and value == word for word in alike):
        known = "is not known" if isinstance(allowed[0], str) else "is not allowed"
        raise refusal(name, value, one_of(allowed), verdict=known)
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
    """A finite number within limits."""
    size = math.nan
    if isinstance(value, kinds.Real) and not isinstance(value, bool):
        try:
            size = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            size = math.inf
    limits = [
        (f"above {above:g}", size > above) if above is not None else None,
        (f"at least {at_least:g}", size >= at_least) if at_least is not None else None,
        (f"below {below:g}", size < below) if below is not None else None,
        (f"at most {at_most:g}", size <= at_most) if at_most is not None else None,
    ]
    given = [limit for limit in limits if limit is not None]
    if not math.isfinite(size) or not all(kept for _, kept in given):
        bounds = " and ".join(text for text, _ in given)
        raise refusal(name, value, f"a finite number {bounds}".rstrip(), cure)
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
    """A whole number; with `none` None is allowed too, and means what `none` says."""
    if value is None and none:
        return value
    is_whole = isinstance(value, kinds.Integral) and not isinstance(value, bool)
    if not is_whole or value < at_least or (at_most is not None and value > at_most):
        limits = f"of at least {at_least:,}"
        if at_most is not None:
            limits = f"from {at_least:,} to {at_most:,}"
        other = (", or ", Value(None), f" for {none}") if none else ()
        raise refusal(name, value, Message(f"a whole number {limits}", *other), cure)
    return value


def flag(name: str, value: Any) -> Any:
    """True or False, also as NumPy has them or as 1 and 0."""
    if not isinstance(value, kinds.Integral | np.bool_) or value not in (0, 1):
        raise refusal(name, value, one_of([True, False]))
    return value


def numbers(name: str, values: Any) -> npt.NDArray[Any]:
    """A dense array of real numbers, of whatever type they are; objects become float64."""
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
    """The error for an argument: its name, the value found, what is allowed, the cure."""
    found = compact(value)
    what = Message(Setting(name, found), f" {verdict}")
    return ParameterError(what, where=name, found=found, allowed=allowed, cures=cure or ())


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """The cure for a slip of the hand, if one of the names is close."""
    meant = nearest_name(name, known)
    return None if meant is None else f'did you mean "{meant}"?'


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The one known name that was surely meant; None if none is near, or two are equally so.

    Near is a name that a slip or two make of it, of more letters a few more, or that it is the
    beginning of. Capitals, blanks and joining marks do not count.
    """
    wanted = _bare(name)
    found: dict[str, float] = {}
    for one in known:
        bare = _bare(one)
        slips = float(_n_slips(wanted, bare))
        if len(wanted) > 2 and bare.startswith(wanted):
            slips = min(slips, 1.0)
        if slips <= max(1, (max(len(wanted), len(bare)) + 1) // 3) and slips < len(wanted):
            found[one] = slips
    best = [one for one, slips in found.items() if slips == min(found.values())]
    return best[0] if len(best) == 1 else None


def _bare(name: str) -> str:
    return "".join(c for c in name.lower() if c not in " -_.")


def _n_slips(one: str, other: str) -> int:
    """How many letters to take out, put in, exchange, or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        before, last, row = row, before, [i + 1]
        for j, b in enumerate(other):
            slips = min(before[j + 1] + 1, row[j] + 1, before[j] + (a != b))
            if i and j and a == other[j - 1] and b == one[i - 1]:
                slips = min(slips, last[j - 1] + 1)
            row.append(slips)
    return row[-1]


def one_of(allowed: Sequence[Any]) -> Message:
    """The words for a choice: 'a', 'b' or 'c'."""
    *first, last = map(Value, allowed)
    commas = [part for value in first for part in (value, ", ")][:-1]
    return Message(*commas, " or ", last) if first else Message(last)
