"""Writing of sentences with their tags, in the format of their file or in another."""

from __future__ import annotations

import math
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

# The formats of sentences, and "tags": one line with the tags of each sentence.
FORMS = (*names_of(SENTENCES), "tags")
FIELD = re.compile(rb"[^ \t\r\n]+")

# Puts a tag into the line of a word.
PutTag = Callable[[bytes, str], bytes]
# Writes a sentence, given its words and its tags.
WriteSentence = Callable[[Sequence[Any], Sequence[str]], str]


class Line(NamedTuple):
    """Line of a file, with its number from 1."""

    number: int
    text: bytes


class TextPart(NamedTuple):
    """Unchanged lines up to a blank one; ``words`` are the indices of lines that hold words.

    A part without words consists of comments or blank lines. ``line`` is the number of its first
    line.
    """

    lines: list[bytes]
    words: list[int]
    line: int


class ConllLinesReader(ConllReader):
    """`ConllReader` that stores the lines of the last block, which `parts` returns.

    Sentences that were skipped are in no part.
    """

    def __init__(self, form: ConllFormat, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        self._ready: list[TextPart] = []  # of the files before
        self._lines: list[Line] = []  # of the current file, not handed out yet
        self._faults: set[int] = set()  # the numbers of bad lines
        self._current: Lines | None = None
        self._ends_with_blank = True

    def parts(self, block: SentenceBlock) -> list[TextPart]:
        """Return the lines of the block just read: its sentences, and the lines between them."""
        starts = set(block.lines.tolist())
        parts = self._ready
        self._ready = []
        group: list[Line] = []
        for line in self._lines:
            group.append(line)
            if _is_blank(line.text):
                self._close(group, starts, parts)
                group = []
        if any(line.number in starts for line in group):
            # The last sentence of a file, without a blank line after it.
            self._close(group, starts, parts)
            group = []
        self._lines = group
        first = group[0].number if group else math.inf
        self._faults = {number for number in self._faults if number >= first}
        return parts

    def rest(self) -> list[TextPart]:
        """Return the lines after the last sentence."""
        parts = self._ready
        self._ready = []
        self._close(self._lines, set(), parts)
        self._lines = []
        return parts

    def _close(self, group: list[Line], starts: set[int], parts: list[TextPart]) -> None:
        """Append a group of lines to the parts, unless it contains a bad line."""
        if not group or any(line.number in self._faults for line in group):
            return
        # Comments may be above the first word.
        first_word = len(group)
        for place, line in enumerate(group):
            if line.number in starts:
                first_word = place
                break
        lines = [line.text for line in group]
        words = [place for place in range(first_word, len(lines)) if self._is_word(lines[place])]
        parts.append(TextPart(lines, words, group[0].number))

    def _is_word(self, line: bytes) -> bool:
        if _is_blank(line):
            return False
        if self.columns is None or self.columns.format != "conllu":
            return True
        # Comments, ranges (8-9) and empty nodes (8.1) are not words.
        return line.partition(b"\t")[0].isdigit()

    # ------------------------------------------------------------------ while reading

    def _parse(self, lines: Lines) -> None:
        if self._current is not lines:
            self._begin_lines_of(lines)
        number = self._form.parser.line
        start = lines.at
        super()._parse(lines)
        text = bytes(lines.buffer[start : lines.at])
        if not text:
            return
        found = text.split(b"\n")[:-1]
        for line in found:
            number += 1
            self._lines.append(Line(number, line + b"\n"))
        self._ends_with_blank = _is_blank(found[-1])

    def _begin_lines_of(self, lines: Lines) -> None:
        """Start a new file, and add a blank line if the file before did not end with one."""
        self._close(self._lines, set(), self._ready)
        if not self._ends_with_blank:
            self._ready.append(TextPart([b"\n"], [], 0))
        self._current = lines
        self._lines = []
        self._faults = set()
        self._ends_with_blank = True

    def _fault(self, lines: Lines) -> DataError:
        self._faults.add(self._form.parser.fault_line)
        return super()._fault(lines)

    def _give_up_line(self, lines: Lines, *, header: bool) -> None:
        super()._give_up_line(lines, header=header)
        # The line is gone; the rest of its sentence is still to come.
        self._faults.add(self._form.parser.line + 1)


def _is_blank(line: bytes) -> bool:
    """Return whether the parser skips a line as blank: it has only spaces, tabs and line ends."""
    return not line.strip(b" \t\r\n")


class SentenceWriter:
    """Writer of the sentences of a reader with the tags that a tagger predicts.

    Parameters
    ----------
    reader : SentenceReader
        A reader of `iter_sentences`; for columns that are to be written as in their file, one with
        ``keep_lines=True``.
    to : {"conll", "conllu", "text", "tags"}, default=None
        By default the format of the file: columns with the tags in their column and everything
        else unchanged, text with a tag behind every word. ``"tags"`` writes only the tags.
    append : bool, default=False
        Whether the tags are written behind all columns, as conlleval expects, instead of replacing
        those that are there.

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
        keeps_lines = to is None or to == layout.format == "conllu"
        if layout.format != "text" and keeps_lines:
            if not isinstance(reader, ConllLinesReader):
                raise ParameterError(
                    "columns can be written as they came only if the reader keeps their lines",
                    cures=Message("read them with ", Setting("keep_lines", True)),
                )
            self._lines = reader
        else:
            self._write_sentence = _sentence_writer(to or "text", layout, reader.like)

    def write(self, block: SentenceBlock, tags: Sequence[Sequence[str]]) -> bytes:
        """Return the text of a block that was just read, with a tag for every word."""
        if self._lines is None:
            written: list[str] = []
            for words, own_tags in zip(block.sentences, tags, strict=True):
                written.append(self._write_sentence(words, own_tags))
            return "".join(written).encode()
        if self._put is None:
            self._put = _put_tag(self._lines, append=self._append)
        return _with_tags(self._lines.parts(block), tags, self._put)

    def rest(self) -> bytes:
        """Return the text after the last sentence."""
        if self._lines is None or self._put is None:
            return b""
        return _with_tags(self._lines.rest(), [], self._put)


# ---------------------------------------------------------------------- columns of the file


def _put_tag(reader: ConllLinesReader, *, append: bool) -> PutTag:
    """Return a function that writes a tag into a line: in the tag column or after the last one."""
    layout = reader.layout
    assert reader.columns is not None  # a block was read
    tabs = reader.columns.tabs
    column = layout.target
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
    """Return the lines of a block with the tags in their column; everything else is unchanged."""
    tags_of_sentences = iter(tags)
    written: list[bytes] = []
    for part in parts:
        lines = list(part.lines)
        if part.words:
            for place, tag in zip(part.words, next(tags_of_sentences), strict=True):
                lines[place] = put_tag(lines[place], tag)
        written += lines
    assert next(tags_of_sentences, None) is None
    return b"".join(written)


# ---------------------------------------------------------------------- other formats


def _sentence_writer(
    form: str, layout: SentenceLayout, like: SentenceLayout | None
) -> WriteSentence:
    """Return a function that writes a sentence, given its words and its tags."""
    if form == "tags":
        return _tags_of
    if form == "text":
        mark = layout.mark
        if mark is None and like is not None:
            mark = like.mark
        return _text_writer(mark or MARK)
    if form == "conll":
        return _columns_of
    if like is None or like.format != "conllu":
        raise ParameterError(
            Message(
                Setting("to", "conllu"),
                " needs a tagger that was trained on CoNLL-U: its tags must have a column.",
            )
        )
    return _conllu_writer(like)


def _parts(token: str | Sequence[str]) -> Sequence[str]:
    """Return the parts of a token, which is a word or a tuple of parts."""
    return (token,) if isinstance(token, str) else token


def _tags_of(words: Sequence[str | Sequence[str]], tags: Sequence[str]) -> str:
    return " ".join(tags) + "\n"


def _text_writer(mark: str) -> WriteSentence:
    def written(words: Sequence[str | Sequence[str]], tags: Sequence[str]) -> str:
        tokens = [f"{_parts(word)[0]}{mark}{tag}" for word, tag in zip(words, tags, strict=True)]
        return " ".join(tokens) + "\n"

    return written


def _columns_of(words: Sequence[str | Sequence[str]], tags: Sequence[str]) -> str:
    lines = ["\t".join([*_parts(word), tag]) for word, tag in zip(words, tags, strict=True)]
    return _sentence_of(lines)


def _conllu_writer(layout: SentenceLayout) -> WriteSentence:
    assert layout.target is not None
    target = layout.target

    def written(words: Sequence[str | Sequence[str]], tags: Sequence[str]) -> str:
        lines: list[str] = []
        for number, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            fields = [str(number), *["_"] * (layout.n_columns - 1)]
            for column, value in zip(layout.inputs, _parts(word), strict=True):
                fields[column] = value
            fields[target] = tag
            lines.append("\t".join(fields))
        return _sentence_of(lines)

    return written


def _sentence_of(lines: list[str]) -> str:
    """Return the lines of a sentence and a blank line; an empty text if there are no lines."""
    if not lines:
        return ""
    return "\n".join(lines) + "\n\n"
