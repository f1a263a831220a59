"""Sentences in columns: split at blank lines, then at tabs or blanks."""

import re


class Bad(Exception):
    """A line cannot be read, and so the sentence cannot."""


def groups(text: bytes) -> list[list[bytes]]:
    """The lines of each sentence, without line ends."""
    found: list[list[bytes]] = [[]]
    for line in text.split(b"\n"):
        line = line.removesuffix(b"\r")
        if line.strip(b" \t"):
            found[-1].append(line)
        else:
            found.append([])
    return [lines for lines in found if lines]


def columns(line: bytes, n: int, tabs: bool) -> list[str]:
    if b"\r" in line:
        raise Bad
    parts = line.split(b"\t") if tabs else re.split(rb"[ \t]+", line.strip(b" \t"))
    if len(parts) != n or b"" in parts:
        raise Bad
    try:
        return [part.decode() for part in parts]
    except UnicodeDecodeError:
        raise Bad from None


def without_marks(lines: list[bytes]) -> list[bytes]:
    while lines and re.fullmatch(rb"-DOCSTART-([ \t\r].*)?", lines[0], re.DOTALL):
        lines = lines[1:]
    return lines


def conll(text: bytes) -> tuple[list[list[list[str]]], int]:
    """All columns of all words of all good sentences, and the number of bad ones."""
    sentences = [lines for group in groups(text) if (lines := without_marks(group))]
    good: list[list[list[str]]] = []
    bad = 0
    for lines in sentences:
        first = sentences[0][0]
        tabs = b"\t" in first
        n = len(first.split(b"\t") if tabs else re.split(rb" +", first.strip(b" ")))
        try:
            good.append([columns(line, n, tabs) for line in lines])
        except Bad:
            bad += 1
    return good, bad


def conllu(text: bytes) -> tuple[list[list[list[str]]], int]:
    """The same for CoNLL-U."""
    good: list[list[list[str]]] = []
    bad = 0
    for lines in groups(text):
        try:
            words = [columns(line, 10, True) for line in lines if not line.startswith(b"#")]
            if any(not re.fullmatch(r"[0-9]+([-.][0-9]+)?", word[0]) for word in words):
                raise Bad
            words = [word for word in words if word[0].isdigit()]
            if [int(word[0]) for word in words] != list(range(1, len(words) + 1)):
                raise Bad
        except Bad:
            bad += 1
        else:
            if words:
                good.append(words)
    return good, bad
