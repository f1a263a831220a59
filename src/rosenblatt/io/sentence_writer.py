"""Sentences with their tags as text: in the form they came in, or in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rosenblatt.checks import choice
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.io.conll_lines import ConllLinesReader, TextPart
from rosenblatt.io.sentence_blocks import SentenceBlock, SentenceReader
from rosenblatt.io.sentence_layout import MARK, SentenceLayout

__all__ = ["FORMS", "SentenceWriter"]

FORMS = ("conll", "conllu", "text", "tags")
FIELD = re.compile(rb"[^ \t\r\n]+")

PutTag = Callable[[bytes, str], bytes]


class SentenceWriter:
    """Writes the sentences of a reader with the tags that a tagger gives them.

    Parameters
    ----------
    reader : SentenceReader
        As `iter_sentences` gives it; for columns that are to be written as they came, with
        ``keep_lines=True``.
    to : {"conll", "conllu", "text", "tags"}, default=None
        By default as they came: columns with the tags in their column and all else as it was, text
        with a tag behind every word. Else words and tag a line, CoNLL-U, text, or the tags alone.
    append : bool, default=False
        Whether the tags stand behind all columns, as conlleval wants it, and do not take the place
        of those that are there.

    Examples
    --------
    >>> import io
    >>> from rosenblatt import SequenceTagger
    >>> from rosenblatt.io import SentenceWriter, iter_sentences
    >>> tagger = SequenceTagger().fit([["the", "gull"], ["it", "waits"]], [["D", "N"], ["P", "V"]])
    >>> reader = iter_sentences(io.BytesIO(b"it waits\\n"), tagger.schema_, labelled=False)
    >>> writer = SentenceWriter(reader)
    >>> for block in reader:
    ...     print(writer.write(block, tagger.predict(block.sentences)))
    b'it/P waits/V\\n'
    """

    def __init__(
        self, reader: SentenceReader, to: str | None = None, *, append: bool = False
    ) -> None:
        layout = reader.layout
        if append and (layout.format != "conll" or to not in (None, "conll")):
            raise ParameterError(
                Message(
                    Setting("append"), " is for columns that are not CoNLL-U, and stay columns."
                )
            )
        if to is not None:
            choice("to", to, *FORMS)
        self._append = append
        self._lines: ConllLinesReader | None = None
        self._put: PutTag | None = None
        if layout.format != "text" and (to is None or to == layout.format == "conllu"):
            if not isinstance(reader, ConllLinesReader):
                raise ParameterError(
                    "columns can be written as they came only if the reader keeps their lines",
                    cures=Message("read them with ", Setting("keep_lines", True)),
                )
            self._lines = reader
        else:
            self._sentence = _sentence_form(to or "text", layout, reader.like)

    def write(self, block: SentenceBlock, tags: Sequence[Sequence[str]]) -> bytes:
        """A block that was just read, with a tag for every word."""
        if self._lines is None:
            pairs = zip(block.sentences, tags, strict=True)
            return "".join(self._sentence(words, own) for words, own in pairs).encode()
        if self._put is None:
            self._put = _put_tag(self._lines, append=self._append)
        return _with_tags(self._lines.parts(block), tags, self._put)

    def rest(self) -> bytes:
        """What stands behind the last sentence."""
        if self._lines is None or self._put is None:
            return b""
        return _with_tags(self._lines.rest(), [], self._put)


# ---------------------------------------------------------------------- as they came


def _put_tag(reader: ConllLinesReader, *, append: bool) -> PutTag:
    """What puts a tag into the line of a word: into its column, or behind all of them."""
    layout = reader.layout
    assert reader.columns is not None  # a block was read
    tabs, column = reader.columns.tabs, layout.target
    if append or column is None or column >= layout.n_columns:
        mark = b"\t" if tabs else b" "

        def appended(line: bytes, tag: str) -> bytes:
            row = line.rstrip(b" \t\r\n")
            return row + mark + tag.encode() + _line_end(line)

        return appended

    def among_tabs(line: bytes, tag: str) -> bytes:
        end = _line_end(line)
        fields = line[: len(line) - len(end)].split(b"\t", column + 1)
        fields[column] = tag.encode()
        return b"\t".join(fields) + end

    def among_blanks(line: bytes, tag: str) -> bytes:
        field = list(FIELD.finditer(line))[column]
        return line[: field.start()] + tag.encode() + line[field.end() :]

    return among_tabs if tabs else among_blanks


def _line_end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n"


def _with_tags(parts: Sequence[TextPart], tags: Sequence[Sequence[str]], put_tag: PutTag) -> bytes:
    """The lines of a block with the tags in their column; all else is as it was."""
    of_sentences = iter(tags)
    written: list[bytes] = []
    for part in parts:
        lines = list(part.lines)
        if part.words:
            for place, tag in zip(part.words, next(of_sentences), strict=True):
                lines[place] = put_tag(lines[place], tag)
        written += lines
    assert next(of_sentences, None) is None
    return b"".join(written)


# ---------------------------------------------------------------------- in other forms


def _sentence_form(
    form: str, layout: SentenceLayout, like: SentenceLayout | None
) -> Callable[[Sequence[Any], Sequence[str]], str]:
    """What writes a sentence, given its words and its tags."""
    mark = layout.mark or (like and like.mark) or MARK
    if form == "tags":
        return lambda _, tags: " ".join(tags) + "\n"
    if form == "text":
        return lambda words, tags: (
            " ".join(f"{_parts(w)[0]}{mark}{tag}" for w, tag in zip(words, tags, strict=True))
            + "\n"
        )
    if form == "conll":
        return lambda words, tags: (
            "".join("\t".join([*_parts(w), tag]) + "\n" for w, tag in zip(words, tags, strict=True))
            + "\n" * bool(words)
        )
    if like is None or like.format != "conllu":
        raise ParameterError(
            Message(
                Setting("to", "conllu"),
                " needs a tagger that was trained on CoNLL-U: its tags must have a column.",
            )
        )
    return _conllu_form(like)


def _parts(token: Any) -> Sequence[str]:
    return (token,) if isinstance(token, str) else token


def _conllu_form(layout: SentenceLayout) -> Callable[[Sequence[Any], Sequence[str]], str]:
    assert layout.target is not None
    target = layout.target

    def written(words: Sequence[Any], tags: Sequence[str]) -> str:
        lines = []
        for number, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            fields = [str(number), *["_"] * (layout.n_columns - 1)]
            for column, value in zip(layout.inputs, _parts(word), strict=True):
                fields[column] = value
            fields[target] = tag
            lines.append("\t".join(fields) + "\n")
        return "".join(lines) + "\n" * bool(lines)

    return written
