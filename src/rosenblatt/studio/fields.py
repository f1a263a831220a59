"""Checks of what a page sends: each error is one sentence that names the field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rosenblatt import checks
from rosenblatt.errors import ParameterError, Words

LONGEST_SHOWN = 40
MOST_CLASSES = 100
# Of a point or a weight: beyond it neither a product of two nor a picture of them means much.
LARGEST = 1e15


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


def refusal(name: str, value: Any, allowed: Words) -> ParameterError:
    """The error of a field, as a page says it."""
    what = f"{name} is {shown(value)}"
    return ParameterError(what, where=name, found=value, allowed=allowed)


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise refusal(name, value, "an object")
    return value


def sequence(name: str, value: Any, *, of: str, least: int = 0, most: int | None = None) -> Any:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise refusal(name, value, f"a list of {of}")
    if len(value) < least:
        raise _wrong_size(name, len(value), of, f"at least {least}")
    if most is not None and len(value) > most:
        raise _wrong_size(name, len(value), of, f"at most {most:,}")
    return value


def _wrong_size(name: str, n: int, of: str, allowed: str) -> ParameterError:
    return ParameterError(f"{name} has {n:,} {of}", where=name, found=n, allowed=allowed)


def refuse_unknown(name: str, given: Mapping[str, Any], *fields: str) -> None:
    """Refuse fields that would be ignored."""
    for key in given:
        if key not in fields:
            raise ParameterError(
                f"{name} has a field {shown(key)} that is not known: it has {', '.join(fields)}."
            )


def choice(name: str, value: Any, *allowed: str) -> str:
    return str(_checked(checks.choice, name, value, *allowed))


def number(name: str, value: Any, **limits: Any) -> Any:
    """A finite number as it came: whole numbers stay whole."""
    return _checked(checks.number, name, value, **limits)


def coordinate(name: str, value: Any, largest: float = LARGEST) -> Any:
    """A number of a point, a weight or a box."""
    return number(name, value, at_least=-largest, at_most=largest)


def coordinates(
    name: str, value: Any, *, least: int, most: int, largest: float = LARGEST
) -> list[Any]:
    """A list of them."""
    values = sequence(name, value, of="numbers", least=least, most=most)
    return [coordinate(f"{name}[{i}]", one, largest) for i, one in enumerate(values)]


def whole(name: str, value: Any, *, at_least: int, at_most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return int(_checked(checks.whole, name, value, at_least=at_least, at_most=at_most))


def _checked(check: Callable[..., Any], name: str, value: Any, *allowed: Any, **limits: Any) -> Any:
    try:
        return check(name, value, *allowed, **limits)
    except ParameterError as error:
        raise refusal(name, value, error.allowed or "another value") from None


def switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refusal(name, value, "true or false")
    return value


def text(name: str, value: Any, *, most: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise refusal(name, value, "some text")
    if len(value) > most:
        raise _wrong_size(name, len(value), "characters", f"at most {most:,}")
    return value
