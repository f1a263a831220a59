"""The words for what can be wrong with a value, whatever the format."""

from __future__ import annotations

from rosenblatt.io.excerpt import quoted

__all__ = ["encoding_words", "limit_words", "number_words"]

NOT_FINITE = {"nan", "inf", "infinity"}


def number_words(found: bytes) -> str:
    """Why the text found is not a number to learn from."""
    text = found.strip().decode("utf-8", "replace")
    if not text:
        return "the number is missing"
    if text.lower().lstrip("+-") in NOT_FINITE:
        return f"{quoted(text)} is not a finite number"
    return f"{quoted(text)} is not a number"


def limit_words(found: bytes, limit: float) -> tuple[str, str]:
    return (
        f"{quoted(found)} is beyond {limit:g}, where its square overflows",
        "scale the feature",
    )


def encoding_words(found: bytes) -> tuple[str, str]:
    if found == b"\0":
        return "a NUL byte is not text", "remove it, if this is a text file at all"
    return (
        f"the byte 0x{found[:1].hex()} is not UTF-8 text",
        'name the encoding, as in encoding="latin-1" (--encoding latin-1)',
    )
