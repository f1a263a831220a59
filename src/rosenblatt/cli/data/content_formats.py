"""Formats that are known by their rows, where the name of a file leaves them open."""

from __future__ import annotations

import re

LOOKED_AT = 1 << 14  # bytes
# How a line of another format looks; one of a comma separated file hardly ever does so.
OTHER_FORMATS = {
    "svmlight": re.compile(r"\S+(\s+\d+:[-+.\deE]+)+\s*(#.*)?"),
    "vw": re.compile(r"[-+]?[\d.]+\s[^|]*\|.*"),
    "jsonl": re.compile(r'\{\s*".*'),
    "text": re.compile(r"[^\t,;]{1,40}\t[^\t]* [^\t]*"),
}
ABOUT = {
    "svmlight": "svmlight rows, label index:value",
    "vw": "Vowpal Wabbit rows",
    "jsonl": "JSON lines",
    "text": "a label, a tab and a text",
}
SHORT_TEXT = re.compile(r"[^\t,;]{1,40}\t[^\t]+")


def format_by_content(path: str) -> str | None:
    """The format, other than a table with delimiters, that the first lines of a file are of."""
    from rosenblatt.io.sources import first_lines

    lines = [line for line in first_lines(path, LOOKED_AT).split("\n") if line.strip()]
    if not lines:
        return None
    kind = next((kind for kind, one in OTHER_FORMATS.items() if one.fullmatch(lines[0])), None)
    if kind is None:
        return None
    # Of texts some are a single word.
    pattern = SHORT_TEXT if kind == "text" else OTHER_FORMATS[kind]
    if not all(map(pattern.fullmatch, lines)):
        return None
    if kind == "text":
        labels = {line.partition("\t")[0] for line in lines}
        return kind if len(labels) <= max(2, len(lines) // 2) else None
    return kind
