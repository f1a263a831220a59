"""The words for what can be wrong with a value, and the line it stands in with a caret under it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence

import rosenblatt
from rosenblatt.errors import DataError, Message, Notice, Setting, Words
from rosenblatt.plurals import count

WIDTH = 72
BEFORE = 32
LONGEST_QUOTE = 40
# What is wrong with a row, and the cures; that such rows can be skipped is added by the reader.
Explained = tuple[Words, Words | Sequence[Words]]

NOT_FINITE = {"nan", "inf", "infinity"}
NAME_ENCODING = Message("name the encoding, as in ", Setting("encoding", "latin-1"))
RAISE_MAX_FEATURES = Message("raise ", Setting("max_features"), " if the row is right")
RAISE_MAX_LINE_BYTES = Message("raise ", Setting("max_line_bytes"), " if the row is right")
SKIP = Message("skip such rows with ", Setting("on_bad", "skip"))


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
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def quoted(found: bytes | str) -> str:
    """Text as it was found, in quotes, cut if it is long."""
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    text = _visible(text)
    if len(text) > LONGEST_QUOTE:
        text = text[: LONGEST_QUOTE - 1] + "…"
    return f"'{text}'" if '"' in text else f'"{text}"'


def number_words(found: bytes) -> str:
    """Why the text found is not a number to learn from."""
    text = found.strip().decode("utf-8", "replace")
    if not text:
        return "the number is missing"
    if text.lower().lstrip("+-") in NOT_FINITE:
        return f"{quoted(text)} is not a finite number"
    return f"{quoted(text)} is not a number"


def too_many(found: int, noun: str, most: int) -> Message:
    """More of something than `max_features` allows."""
    return Message(f"{count(found, noun)}, more than ", Setting("max_features", most))


def limit_words(found: bytes, limit: float) -> Explained:
    return (
        f"{quoted(found)} is beyond {limit:g}, where its square overflows",
        "scale the feature",
    )


def encoding_words(found: bytes) -> Explained:
    if found == b"\0":
        return "a NUL byte is not text", "remove it, if this is a text file at all"
    return (
        f"the byte 0x{found[:1].hex()} is not UTF-8 text",
        NAME_ENCODING,
    )


# ---------------------------------------------------------------------- things worth a warning


# The folder of the package: a warning names the first frame outside of it.
PACKAGE = os.path.dirname(os.path.abspath(rosenblatt.__file__))


class SkippedRows(Notice):
    """Rows of a file were skipped, as asked for."""


class ExtraColumns(Notice):
    """A file has columns that were not asked for."""


class Assumption(Notice):
    """What a reader found out about a file and nobody said, where it could be wrong."""


class HeaderOfNumbers(Notice):
    """The first line of a file was taken as its header, but looks like a row."""


def notice(category: type[Warning], message: Words) -> None:
    """Warn at the first frame outside of this package."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(category(message), stacklevel=level)
