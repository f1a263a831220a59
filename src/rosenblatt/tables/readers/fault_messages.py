"""Messages for bad values, which show the line with carets below the fault, and warnings."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence

import rosenblatt
from rosenblatt.errors import DataError, Message, Notice, Setting, Words
from rosenblatt.plurals import count

# Lengths in messages, in characters, at most.
WIDTH = 72  # the excerpt of a line
BEFORE = 32  # the part of the excerpt before the fault
LONGEST_QUOTE = 40  # a quoted value
# The bytes of a character in UTF-8, at most.
BYTES_OF_CHARACTER = 4

# What is wrong with a row, and the cures. The reader adds that such rows can be skipped.
ProblemAndCures = tuple[Words, Words | Sequence[Words]]

NOT_FINITE = {"nan", "inf", "infinity"}
NAME_ENCODING = Message("name the encoding, as in ", Setting("encoding", "latin-1"))
RAISE_MAX_FEATURES = Message("raise ", Setting("max_features"), " if the row is right")
RAISE_MAX_LINE_BYTES = Message("raise ", Setting("max_line_bytes"), " if the row is right")
SKIP = Message("skip such rows with ", Setting("on_bad", "skip"))


def located_error(
    what: Words,
    *,
    name: str,
    line: int,
    text: bytes,
    at: int,
    end: int,
    cures: Words | Iterable[Words] = (),
) -> DataError:
    """Return a DataError that shows a line, cut if it is long, with carets below `at` to `end`."""
    # No more is decoded than can be shown, since a line may be long.
    shown_bytes = BYTES_OF_CHARACTER * WIDTH
    stop = max(at, min(end, at + shown_bytes))
    before = text[:at].decode("utf-8", "replace")
    found = text[at:stop].decode("utf-8", "replace")
    after = text[max(at, end) : end + shown_bytes].decode("utf-8", "replace")
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
    """Return an excerpt of a line, and the line of carets that marks the fault."""
    start = "…" if len(before) > BEFORE else ""
    before = start + _visible(before[-BEFORE:])
    shown = _visible(found[: WIDTH - BEFORE])
    tail = _visible(after.rstrip("\r\n"))
    room = WIDTH - len(before) - len(shown)
    if len(tail) > room:
        tail = tail[: max(room - 1, 0)] + "…"
    carets = "^" * max(1, _width_of(shown))
    return before + shown + tail, " " * _width_of(before) + carets


def _visible(text: str) -> str:
    """Replace tabs and unprintable characters by characters that are one column wide."""
    return "".join(map(_visible_character, text))


def _visible_character(c: str) -> str:
    if c.isprintable():
        return c
    return " " if c == "\t" else "␀"


def _width_of(text: str) -> int:
    """Return the display width of a text, in columns of a terminal."""
    import unicodedata  # needed for an error only

    n_wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    n_combining = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + n_wide - n_combining


def quoted(found: bytes | str) -> str:
    """Return a text in quotes, truncated if it is long."""
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    text = _visible(text)
    if len(text) > LONGEST_QUOTE:
        text = text[: LONGEST_QUOTE - 1] + "…"
    return f"'{text}'" if '"' in text else f'"{text}"'


def number_problem(found: bytes) -> str:
    """Return the message for a text that is missing, not finite, or not a number."""
    text = found.strip().decode("utf-8", "replace")
    if not text:
        return "the number is missing"
    if text.lower().lstrip("+-") in NOT_FINITE:
        return f"{quoted(text)} is not a finite number"
    return f"{quoted(text)} is not a number"


def too_many(found: int, noun: str, most: int) -> Message:
    """Return the message for a number of columns or keys that exceeds `max_features`."""
    return Message(f"{count(found, noun)}, more than ", Setting("max_features", most))


def limit_problem(found: bytes, limit: float) -> ProblemAndCures:
    """Return the message and the cure for a number whose square overflows."""
    problem = f"{quoted(found)} is beyond {limit:g}, where its square overflows"
    return problem, "scale the feature"


def encoding_problem(found: bytes) -> ProblemAndCures:
    """Return the message and the cure for a NUL byte, or for a byte that is not UTF-8."""
    if found == b"\0":
        return "a NUL byte is not text", "remove it, if this is a text file at all"
    return f"the byte 0x{found[:1].hex()} is not UTF-8 text", NAME_ENCODING


# ---------------------------------------------------------------------- warnings


PACKAGE = os.path.dirname(os.path.abspath(rosenblatt.__file__))


class SkippedRows(Notice):
    """Warning: rows of a file were skipped because of ``on_bad``."""


class ExtraColumns(Notice):
    """Warning: a file has columns that are not used."""


class Assumption(Notice):
    """Warning: a property of a file, such as its dialect, was inferred and may be wrong."""


class HeaderOfNumbers(Notice):
    """Warning: the first line of a file was taken as its header, but looks like a row."""


def notice(category: type[Warning], message: Words) -> None:
    """Issue a warning that points at the first stack frame outside this package."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(category(message), stacklevel=level)
