"""The first lines of a file or a pipe, looked at without taking them away from who reads."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

__all__ = ["Peeked", "fields_of", "first_rows"]

MOST = 1 << 24  # of blank lines and remarks
PIECE = 1 << 16
DOCUMENT = "-DOCSTART-"
FIELD = re.compile(r"[^ \t]+")


class Peeked:
    """Standard input from which can be read twice, until `rewind`."""

    name = "<stdin>"

    def __init__(self) -> None:
        from rosenblatt.io.sources import sources_of

        self._raw = sources_of("-")[0].open()
        self._next = getattr(self._raw, "read1", self._raw.read)
        self._looking, self._seen, self._again = True, bytearray(), b""

    def read(self, size: int = -1) -> bytes:
        """What is there, at most so much."""
        if self._again:
            size = len(self._again) if size < 0 else size
            found, self._again = self._again[:size], self._again[size:]
            return found
        found = self._next(PIECE if size < 0 else size) or b""
        if self._looking:
            self._seen += found
        return found

    read1 = read

    def rewind(self) -> None:
        self._looking, self._again, self._seen = False, bytes(self._seen), bytearray()


def first_rows(given: Any, encoding: str, longest: int) -> tuple[str, str]:
    """The first line that holds something, and the first of these that is no remark.

    They are the same if all are remarks, and empty if there is no line. Of a line that is longer
    than it may be, the beginning is enough.
    """
    from rosenblatt.io.lines import Lines, check_encoding
    from rosenblatt.io.sources import sources_of

    lines = Lines(sources_of(given)[0], longest, check_encoding(encoding))
    first = row = ""
    passed = 0
    with closing(lines.pieces()) as pieces:  # type: ignore[type-var]
        for _ in pieces:
            text = bytes(lines.buffer[lines.at : lines.end])
            lines.at, passed = lines.end, passed + len(text)
            begun, row = _rows(text)
            first = first or begun
            if not row and lines.too_long:
                row = _beginning(bytes(lines.buffer[lines.at : lines.at + min(longest, PIECE)]))
            if row or passed > MOST:
                break
    if isinstance(given, Peeked):
        given.rewind()
    first = first or row
    return first, row or first


def fields_of(row: str) -> list[str]:
    """What blanks and tabs divide; other blanks, as the one that does not break, are letters."""
    return FIELD.findall(row)


def _beginning(line: bytes) -> str:
    """The whole words of a line that was cut off."""
    return (line.rpartition(b" ")[0] or line).decode("utf-8", "replace")


def _rows(text: bytes) -> tuple[str, str]:
    first = ""
    for line in text.split(b"\n"):
        row = line.decode("utf-8", "replace").rstrip("\r")
        if not fields_of(row) or re.split("[ \t]", row, maxsplit=1)[0] == DOCUMENT:
            continue
        first = first or row
        if not row.startswith("#"):
            return first, row
    return first, ""
