"""Sentences with their tags, in the form they came in or in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.json_output import as_json
from rosenblatt.cli.tag.tag_layout import Layout

if TYPE_CHECKING:
    from rosenblatt.io.conll_text import Part

__all__ = ["FORMS", "Form", "in_columns", "sentence_form", "with_tags"]

FORMS = ("conll", "conllu", "text", "tags")
FIELD = re.compile(rb"[^ \t\r\n]+")

Form = Callable[[int, Sequence[Any], Sequence[str]], str]


# ---------------------------------------------------------------------- as they came


def in_columns(layout: Layout, *, tabs: bool, append: bool) -> Callable[[bytes, str], bytes]:
    """What puts a tag into the line of a word: into its column, or behind all of them."""
    assert layout.target is not None
    if append or layout.target >= layout.count:
        mark = b"\t" if tabs else b" "

        def appended(line: bytes, tag: str) -> bytes:
            row = line.rstrip(b" \t\r\n")
            return row + mark + tag.encode() + _line_end(line)

        return appended
    column = layout.target

    def among_tabs(line: bytes, tag: str) -> bytes:
        end = _line_end(line)
        fields = line[: len(line) - len(end)].split(b"\t", column + 1)
        fields[column] = tag.encode()
        return b"\t".join(fields) + end

    def among_blanks(line: bytes, tag: str) -> bytes:
        found = list(FIELD.finditer(line))[column]
        return line[: found.start()] + tag.encode() + line[found.end() :]

    return among_tabs if tabs else among_blanks


def _line_end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n"


def with_tags(
    parts: Sequence[Part], tags: Sequence[Sequence[str]], put: Callable[[bytes, str], bytes]
) -> bytes:
    """The lines of a block with the tags in their column; all else is as it was."""
    answers = iter(tags)
    written: list[bytes] = []
    for part in parts:
        if part.words:
            lines = list(part.lines)
            for place, tag in zip(part.words, next(answers), strict=True):
                lines[place] = put(lines[place], tag)
            written += lines
        else:
            written += part.lines
    assert next(answers, None) is None
    return b"".join(written)


# ---------------------------------------------------------------------- in other forms


def sentence_form(name: str, mark: str, known: Layout) -> Form:
    """What writes a sentence, given its line, its words and its tags."""
    if name == "json":
        return _as_json
    if name == "tags":
        return lambda _, __, tags: " ".join(tags) + "\n"
    if name == "text":
        return lambda _, words, tags: (
            " ".join(f"{_word(w)}{mark}{tag}" for w, tag in zip(words, tags, strict=True)) + "\n"
        )
    if name == "conll":
        return lambda _, words, tags: (
            "".join(f"{_fields(w)}\t{tag}\n" for w, tag in zip(words, tags, strict=True))
            + "\n" * bool(words)
        )
    if known.format != "conllu":
        raise click.UsageError(
            "--to conllu needs a tagger that was trained on CoNLL-U: its tags must have a column."
        )
    return _as_conllu(known)


def _word(token: Any) -> str:
    return token if isinstance(token, str) else str(token[0])


def _fields(token: Any) -> str:
    return token if isinstance(token, str) else "\t".join(token)


def _as_json(line: int, words: Sequence[Any], tags: Sequence[str]) -> str:
    listed = [word if isinstance(word, str) else list(word) for word in words]
    return as_json({"line": line, "words": listed, "tags": list(tags)}) + "\n"


def _as_conllu(known: Layout) -> Form:
    def written(_: int, words: Sequence[Any], tags: Sequence[str]) -> str:
        lines = []
        for number, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            fields = [str(number), *["_"] * (known.count - 1)]
            given = (word,) if isinstance(word, str) else word
            for column, value in zip(known.inputs, given, strict=True):
                fields[column] = value
            assert known.target is not None
            fields[known.target] = tag
            lines.append("\t".join(fields) + "\n")
        return "".join(lines) + "\n" if lines else ""

    return written
