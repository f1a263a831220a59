"""An error with the line it is about and a caret under the place."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rosenblatt.errors import DataError, Words

__all__ = ["located", "quoted"]

WIDTH = 72
BEFORE = 32
LONGEST_QUOTE = 40


def located(
    what: Words,
    *,
    name: str,
    line: int,
    text: bytes,
    at: int,
    end: int,
    cures: Words | Iterable[Words] = (),
) -> DataError:
    """The error for bytes `at` to `end` of a line, which may be longer than a screen."""
    before = text[:at].decode("utf-8", "replace")
    found = text[at : max(at, min(end, at + 4 * WIDTH))].decode("utf-8", "replace")
    after = text[max(at, end) : end + 4 * WIDTH].decode("utf-8", "replace")
    return DataError(
        what,
        name=name,
        line=line,
        column=len(before) + 1,
        excerpt=_excerpt(before, found, after),
        found=found,
        cures=cures,
    )


def _excerpt(before: str, found: str, after: str) -> tuple[str, str]:
    start = "…" if len(before) > BEFORE else ""
    before = start + _visible(before[-BEFORE:])
    shown = _visible(found[: WIDTH - BEFORE])
    rest = _visible(after.rstrip("\r\n"))
    room = WIDTH - len(before) - len(shown)
    tail = rest if len(rest) <= room else rest[: max(room - 1, 0)] + "…"
    carets = "^" * max(1, _columns(shown))
    return before + shown + tail, " " * _columns(before) + carets


def _visible(text: str) -> str:
    """Tabs, control characters and lost bytes as something one column wide."""
    return "".join(c if c.isprintable() else " " if c == "\t" else "␀" for c in text)


def _columns(text: str) -> int:
    """How wide a terminal shows the text."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def quoted(found: bytes | str) -> str:
    """Text as it was found, in quotes, cut if it is long."""
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    text = _visible(text)
    if len(text) > LONGEST_QUOTE:
        text = text[: LONGEST_QUOTE - 1] + "…"
    return f"'{text}'" if '"' in text else f'"{text}"'
