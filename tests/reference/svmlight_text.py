"""svmlight text, line by line.

line  = [row] [# comment]
row   = label [qid:N] (index:value)*        indices increase; blanks and tabs divide
"""

import re
from typing import NamedTuple

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LARGEST = 1e150
LARGEST_INDEX = 2**31 - 1


class Bad(Exception):
    """The line cannot be read."""


class Row(NamedTuple):
    line: int
    label: str
    columns: list[int]
    values: list[float]


def rows(text: bytes, zero_based: bool = False) -> list[Row | int]:
    """The rows in order; a bad line is its number."""
    found: list[Row | int] = []
    text = text.removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(text.split(b"\n"), start=1):
        try:
            row = _row(number, line.removesuffix(b"\r"), zero_based)
        except Bad:
            found.append(number)
        else:
            found += [] if row is None else [row]
    return found


def _row(number: int, line: bytes, zero_based: bool) -> Row | None:
    body = re.split(rb"[ \t]+", line.partition(b"#")[0].strip(b" \t"))
    if body == [b""]:
        return None
    try:
        label, *pairs = [word.decode() for word in body]
    except UnicodeDecodeError:
        raise Bad from None
    if ":" in label or any(c in label for c in "\r\0"):
        raise Bad
    if label.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise Bad
    if pairs and pairs[0].startswith("qid:"):
        del pairs[0]
    columns: list[int] = []
    values: list[float] = []
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if not colon or not re.fullmatch("[0-9]+", index) or not NUMBER.fullmatch(value):
            raise Bad
        column = int(index) - (not zero_based)
        if column < 0 or column >= LARGEST_INDEX or (columns and column <= columns[-1]):
            raise Bad
        if abs(float(value)) > LARGEST:
            raise Bad
        columns.append(column)
        values.append(float(value))
    return Row(number, label, columns, values)
