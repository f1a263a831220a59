"""CSV as RFC 4180 has it, character by character.

file   = record (end record)* [end]          end is a line feed, or carriage return and line feed
record = field ("," field)*                  a blank line is no record
field  = plain | quoted                      a doubled quote within quotes is one
"""

from collections.abc import Iterator


class Bad(Exception):
    """The text breaks the grammar; `line` is where."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def records(text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The line each record begins on, and its fields."""
    text = text.removeprefix("\ufeff")
    if text and not text.endswith("\n"):
        text += "\n"
    at, line = 0, 1
    while at < len(text):
        end = _end(text, at)
        if end:
            at, line = at + end, line + 1
            continue
        fields: list[str] = []
        begun = line
        while True:
            field, stop = _field(text, at, delimiter, line)
            fields.append(field)
            line += text.count("\n", at, stop)
            at = stop
            if text[at] != delimiter:
                break
            at += 1
        at, line = at + _end(text, at), line + 1
        yield begun, fields


def _end(text: str, at: int) -> int:
    return 1 if text[at] == "\n" else 2 if text.startswith("\r\n", at) else 0


def _field(text: str, at: int, delimiter: str, line: int) -> tuple[str, int]:
    if text[at] != '"':
        stop = at
        while text[stop] != delimiter and not _end(text, stop):
            if text[stop] == "\r":
                raise Bad(line)
            stop += 1
        return text[at:stop], stop
    stop = at + 1
    while True:
        stop = text.find('"', stop)
        if stop < 0:
            raise Bad(line)
        if text.startswith('""', stop):
            stop += 2
            continue
        break
    after = stop + 1
    if after == len(text) or (text[after] != delimiter and not _end(text, after)):
        raise Bad(line + text.count("\n", at, stop))
    return text[at + 1 : stop].replace('""', '"'), after
