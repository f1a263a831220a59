"""Checks of what a generator of data is asked for: the name, the value, what is allowed."""

from __future__ import annotations

import math
import numbers
from typing import Any

from rosenblatt.errors import ParameterError

__all__ = ["choice", "number", "whole"]


def whole(name: str, value: Any, *, at_least: int, none: str = "") -> None:
    """A whole number; with `none` None is allowed too, and means what `none` says."""
    if value is None and none:
        return
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < at_least:
        other = f", or None for {none}" if none else ""
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a whole number of at least {at_least}{other}."
        )


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    below: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    cure: str = "",
) -> None:
    """A finite number within limits."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    size = float(value) if is_number else math.nan
    limits = [
        (f"above {above:g}", size > above) if above is not None else None,
        (f"at least {at_least:g}", size >= at_least) if at_least is not None else None,
        (f"below {below:g}", size < below) if below is not None else None,
        (f"at most {at_most:g}", size <= at_most) if at_most is not None else None,
    ]
    given = [limit for limit in limits if limit is not None]
    if not math.isfinite(size) or not all(kept for _, kept in given):
        allowed = " and ".join(text for text, _ in given)
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a number {allowed}. {cure}".rstrip()
        )


def choice(name: str, value: Any, *allowed: str) -> None:
    """One of some words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}"
        raise ParameterError(f"{name}={value!r} is not known: give {words}.")
