"""JSON lines by Python's own reader, with the few things refused that a table cannot hold."""

import json
from typing import Any

LARGEST = 1e150


class Bad(Exception):
    """The line is no flat object."""


def row(line: bytes) -> dict[str, Any] | None:
    """Keys and values of a line; None if it is blank."""
    if not line.strip(b" \t\r"):
        return None
    try:
        found = json.loads(
            line.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse, parse_int=float
        )
    except (ValueError, RecursionError) as error:
        raise Bad from error
    if not isinstance(found, dict):
        raise Bad
    for text in (*found, *found.values()):
        if isinstance(text, dict | list):
            raise Bad
        if isinstance(text, str) and ("\0" in text or any("\ud800" <= c <= "\udfff" for c in text)):
            raise Bad
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Bad
    return dict(pairs)


def _refuse(word: str) -> Any:
    raise Bad(word)
