"""Arguments checked, once for all rooms: the name, the value found, what is allowed, the cure.

Each check gives the value back as it came. The error it raises says what is allowed in `allowed`,
so that a page or a file, which speak of values in other words, need not check again.
"""

from __future__ import annotations

import math
import numbers as kinds
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError, ParameterError

__all__ = ["choice", "flag", "fraction", "number", "numbers", "shown", "whole"]


def choice(name: str, value: Any, *allowed: Any) -> Any:
    """One of some words, or of some numbers."""
    # 1 == True, so the kind counts too; NumPy has texts and whole numbers of its own.
    kind = str if isinstance(value, str) else kinds.Integral
    if isinstance(value, bool) or not any(
        isinstance(value, kind) and isinstance(word, kind) and value == word for word in allowed
    ):
        *first, last = map(repr, allowed)
        words = f"{', '.join(first)} or {last}" if first else last
        known = "is not known" if isinstance(allowed[0], str) else "is not allowed"
        _refuse(name, value, words, verdict=known)
    return value


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    cure: str = "",
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
        _refuse(name, value, f"a finite number {bounds}".rstrip(), cure)
    return value


def whole(
    name: str,
    value: Any,
    *,
    at_least: int,
    at_most: int | None = None,
    none: str = "",
    cure: str = "",
) -> Any:
    """A whole number; with `none` None is allowed too, and means what `none` says."""
    if value is None and none:
        return value
    is_whole = isinstance(value, kinds.Integral) and not isinstance(value, bool)
    if not is_whole or value < at_least or (at_most is not None and value > at_most):
        limits = f"of at least {at_least:,}"
        if at_most is not None:
            limits = f"from {at_least:,} to {at_most:,}"
        other = f", or None for {none}" if none else ""
        _refuse(name, value, f"a whole number {limits}{other}", cure)
    return value


def fraction(name: str, value: Any) -> Any:
    """A share of a whole: more than nothing, less than all of it."""
    return number(name, value, above=0.0, below=1.0, cure="A tenth is 0.1.")


def flag(name: str, value: Any) -> Any:
    """True or False, also as NumPy has them or as 1 and 0."""
    if not isinstance(value, kinds.Integral | np.bool_) or value not in (0, 1):
        _refuse(name, value, "True or False")
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


def shown(value: Any, most: int = 60) -> str:
    """A value as it is shown in an error: not longer than fits on a line."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _refuse(
    name: str, value: Any, allowed: str, cure: str = "", *, verdict: str = "is not allowed"
) -> NoReturn:
    error = ParameterError(f"{name}={shown(value)} {verdict}: give {allowed}. {cure}".rstrip())
    error.allowed = allowed
    raise error
