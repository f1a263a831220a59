"""The words for what can be wrong with a value, whatever the format."""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt.errors import Message, Setting, Words
from rosenblatt.io.excerpt import quoted
from rosenblatt.plurals import count

__all__ = [
    "NAME_ENCODING",
    "RAISE_MAX_FEATURES",
    "RAISE_MAX_LINE_BYTES",
    "SKIP",
    "Explained",
    "encoding_words",
    "limit_words",
    "number_words",
    "too_many",
]

# What is wrong with a row, and the cures; that such rows can be skipped is added by the reader.
Explained = tuple[Words, Words | Sequence[Words]]

NOT_FINITE = {"nan", "inf", "infinity"}
NAME_ENCODING = Message("name the encoding, as in ", Setting("encoding", "latin-1"))
RAISE_MAX_FEATURES = Message("raise ", Setting("max_features"), " if the row is right")
RAISE_MAX_LINE_BYTES = Message("raise ", Setting("max_line_bytes"), " if the row is right")
SKIP = Message("skip such rows with ", Setting("on_bad", "skip"))


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
