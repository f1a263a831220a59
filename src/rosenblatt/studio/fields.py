"""Checks of what a page sends: each error is one sentence that names the field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.errors import ParameterError

__all__ = ["choice", "known", "mapping", "number", "sequence", "shown", "switch", "text", "whole"]

LONGEST_SHOWN = 40


def shown(value: Any) -> str:
    """A value as a message quotes it: short, whatever was sent."""
    words = {None: "nothing", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"a list of {len(value)}"
    said = f'"{value}"' if isinstance(value, str) else repr(value)
    return said if len(said) <= LONGEST_SHOWN else said[: LONGEST_SHOWN - 1] + "…"


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{name} is {shown(value)}: give an object.")
    return value


def sequence(name: str, value: Any, *, of: str, least: int = 0, most: int | None = None) -> Any:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ParameterError(f"{name} is {shown(value)}: give a list of {of}.")
    if len(value) < least:
        raise ParameterError(f"{name} has {len(value)} {of}: give at least {least}.")
    if most is not None and len(value) > most:
        raise ParameterError(f"{name} has {len(value):,} {of}: give at most {most:,}.")
    return value


def known(name: str, given: Mapping[str, Any], *fields: str) -> None:
    """Refuse fields that would be passed over without a word."""
    for key in given:
        if key not in fields:
            raise ParameterError(
                f"{name} has a field {shown(key)} that is not known: it has {', '.join(fields)}."
            )


def choice(name: str, value: Any, *allowed: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise ParameterError(f"{name} is {shown(value)}: give one of {words}.")
    return value


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Any:
    """A finite number as it came: whole numbers stay whole."""
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("above", above), ("at least", at_least), ("at most", at_most))
        if bound is not None
    ]
    limits = f" {' and '.join(bounds)}" if bounds else ""
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    if fits:
        try:
            size = float(value)
        except OverflowError:
            size = math.inf
        fits = (
            math.isfinite(size)
            and (above is None or size > above)
            and (at_least is None or size >= at_least)
            and (at_most is None or size <= at_most)
        )
    if not fits:
        raise ParameterError(f"{name} is {shown(value)}: give a finite number{limits}.")
    return value


def whole(name: str, value: Any, *, at_least: int, at_most: int) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, float) and value.is_integer():
        value, is_whole = int(value), True
    if not is_whole or not at_least <= value <= at_most:
        raise ParameterError(
            f"{name} is {shown(value)}: give a whole number from {at_least:,} to {at_most:,}."
        )
    return int(value)


def switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} is {shown(value)}: give true or false.")
    return value


def text(name: str, value: Any, *, most: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ParameterError(f"{name} is {shown(value)}: give some text.")
    if len(value) > most:
        raise ParameterError(f"{name} has {len(value):,} characters: give at most {most:,}.")
    return value
