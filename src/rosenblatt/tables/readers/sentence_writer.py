"""Sentences with their tags as text: in the form they came in, or in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rosenblatt.checks import choice
from rosenblatt.errors import DataError, Message, ParameterError, Setting
from rosenblatt.tables.readers.conll import ConllFormat, ConllReader
from rosenblatt.tables.readers.formats import SENTENCES, names_of
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader_options import ReaderSettings
from rosenblatt.tables.readers.sentence_blocks import SentenceBlock, SentenceReader
from rosenblatt.tables.readers.sentence_layout import MARK, SentenceLayout
from rosenblatt.tables.readers.sources import Given

# The formats of sentences, and the tags of a sentence a line.
FORMS = (*names_of(SENTENCES), "tags")
FIELD = re.compile(rb"[^ \t\r\n]+")

PutTag = Callable[[bytes, str], bytes]


class TextPart(NamedTuple):
    """Lines up to a blank one, as they stood; ``words`` are the places of those that are words.

    Without words these are remarks or blank lines. ``line`` is the number of the first line.
    """

    lines: list[bytes]
    words: list[int]
    line: int


class ConllLinesReader(ConllReader):
    """As `ConllReader`; `parts` gives the lines that the last block was read from.

    Sentences that were skipped are in no part.
    """

    def __init__(self, form: ConllFormat, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        self._ready: list[TextPart] = []
        self._lines: list[tuple[int, bytes]] = []
        self._faults: set[int] = set()
        self._of: Lines | None = None
        self._ended = True

    def parts(self, block: SentenceBlock) -> list[TextPart]:
        """As many with words as the block has sentences, in order, and what stands between them."""
        starts = set(block.lines.tolist())
        parts, self._ready = self._ready, []
        group: list[tuple[int, bytes]] = []
        for number, line in self._lines:
            group.append((number, line))
            if _is_blank(line):
                self._close(group, starts, parts)
                group = []
        if any(number in starts for number, _ in group):  # the last sentence of a file
            self._close(group, starts, parts)
            group = []
        self._lines = group
        self._faults = {number for number in self._faults if group and number >= group[0][0]}
        return parts

    def rest(self) -> list[TextPart]:
        """What stands behind the last sentence."""
        parts, self._ready = self._ready, []
        self._close(self._lines, set(), parts)
        self._lines = []
        return parts

    def _close(
        self, group: list[tuple[int, bytes]], starts: set[int], parts: list[TextPart]
    ) -> None:
        if not group or any(number in self._faults for number, _ in group):
            return
        lines = [line for _, line in group]
        first = next((i for i, (number, _) in enumerate(group) if number in starts), len(lines))
        words = [i for i in range(first, len(lines)) if self._is_word(lines[i])]
        parts.append(TextPart(lines, words, group[0][0]))

    def _is_word(self, line: bytes) -> bool:
        if _is_blank(line):
            return False
        if self.columns is None or self.columns.format != "conllu":
            return True
        return line.partition(b"\t")[0].isdigit()

    # ------------------------------------------------------------------ on the way

    def _parse(self, lines: Lines) -> None:
        if self._of is not lines:
            self._begin_file(lines)
        number, start = self._form.parser.line, lines.at
        super()._parse(lines)
        text = bytes(lines.buffer[start : lines.at])
        if text:
            found = text.split(b"\n")[:-1]
            self._lines += [(i, line + b"\n") for i, line in enumerate(found, number + 1)]
            self._ended = _is_blank(found[-1])

    def _begin_file(self, lines: Lines) -> None:
        """A blank line comes between the last sentence of a file and the next file."""
        self._close(self._lines, set(), self._ready)
        if not self._ended:
            self._ready.append(TextPart([b"\n"], [], 0))
        self._of, self._lines, self._faults, self._ended = lines, [], set(), True

    def _fault(self, lines: Lines) -> DataError:
        self._faults.add(self._form.parser.fault_line)
        return super()._fault(lines)

    def _give_up_line(self, lines: Lines, *, header: bool) -> None:
        super()._give_up_line(lines, header=header)
        # The line is gone; the rest of its sentence is still to come.
        self._faults.add(self._form.parser.line + 1)


def _is_blank(line: bytes) -> bool:
    """As the parser sees it: any other character, and be it a form feed, is a word."""
    return not line.strip(b" \t\r\n")


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
