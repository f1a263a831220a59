"""Sentences of any layout, which is recognized by the name of a file or by its first lines."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from rosenblatt.checks import choice, refusal
from rosenblatt.errors import DataError, Message, ParameterError, Setting
from rosenblatt.plurals import count
from rosenblatt.tables.readers.conll import (
    RAISE_MAX_TOKENS,
    Column,
    ConllFormat,
    ConllReader,
    fields_of,
    first_rows,
    is_conllu,
)
from rosenblatt.tables.readers.fault_messages import SKIP, located_error, quoted
from rosenblatt.tables.readers.formats import SENTENCES, by_suffix, names_of
from rosenblatt.tables.readers.labelled_text import LabelledTextFormat
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader import TextFormat
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    SentenceOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sentence_blocks import SentenceBlock, SentenceReader
from rosenblatt.tables.readers.sentence_layout import MARK, Inputs, SentenceLayout, is_mark
from rosenblatt.tables.readers.sentence_writer import ConllLinesReader
from rosenblatt.tables.readers.sources import Given, Source, sources_of

MOST = 1 << 24  # bytes of blank lines and remarks to look at
PIECE = 1 << 16
WORD = re.compile(r"[^ \t]+")


@takes(SentenceOptions)
def iter_sentences(
    path: Given,
    like: SentenceLayout | None = None,
    *,
    format: str | None = None,
    target: Column | None = None,
    inputs: Inputs = None,
    mark: str | None = None,
    labelled: bool = True,
    tags: Collection[str] = (),
    keep_lines: bool = False,
    **options: Unpack[SentenceOptions],
) -> SentenceReader:
    """Read sentences of any layout block by block, in memory that does not grow with the file.

    A file is CoNLL-U, other columns, or text with a sentence a line: ``the/DET dog/NOUN``. What it
    is, is found out here: ``reader.layout`` says it before the first block is read. Each block
    unpacks into ``sentences, tags``; ``block.lines`` holds the line every sentence begins on and
    ``reader.source`` the name of its file.

    Parameters
    ----------
    like : SentenceLayout, default=None
        The layout of the files that a tagger was trained on (``tagger.schema_``): columns are
        looked for where they stood there.
    format : {"conll", "conllu", "text"}, default=None
        By default the ending of the name tells, else the first lines.
    target : int or str, default=None
        The column of the tags: a number from 0, or from -1 backwards; or a text: a name of CoNLL-U,
        ``"last"``, or a number from 1. By default as in `like`, else the last one, in CoNLL-U
        ``"upos"``.
    inputs : int, str, or list of these, default=None
        The columns of the words: one gives strings, several give tuples. By default as in `like`,
        else all before the tags, in CoNLL-U ``"form"``.
    mark : str, default=None
        What stands between word and tag in text. By default as in `like`, else ``"/"``.
    labelled : bool, default=True
        Whether there are tags, and they are to be read.
    tags : collection of str, default=()
        The tags of the tagger. They tell a word with its tag from two words.
    keep_lines : bool, default=False
        Whether the lines of columns are kept until the next block, so that a `SentenceWriter` can
        write them with other tags.

    See Also
    --------
    read_sentences : All of them at once.
    iter_conll : ColumnRoles alone, of one known layout.
    SentenceWriter : Writes them with the tags that a tagger gives them.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_sentences
    >>> reader = iter_sentences(io.BytesIO(b"half/DET of/ADP it/PRON\\n"))
    >>> reader.layout.describe()
    'text, a sentence a line'
    >>> for sentences, tags in reader:
    ...     print(sentences, tags)
    [['half', 'of', 'it']] [['DET', 'ADP', 'PRON']]
    """
    settings = ReaderSettings(**options)
    mark = (None if like is None else like.mark) if mark is None else mark
    if mark is not None and not is_mark(mark):
        raise refusal("mark", mark, "one or more characters, none a blank")
    seen = _Opening(path, format, settings)
    kind = seen.kind(like, labelled, tags, mark or MARK)
    n_columns = seen.n_columns(kind)
    if kind == "conll" and n_columns == 1 and labelled:
        raise DataError(
            "one column alone: words or tags are missing",
            name=seen.name,
            cures=Message(
                f"write word and tag, or word{mark or MARK}TAG as text (",
                Setting("format", "text"),
                ")",
            ),
        )
    if like is None:
        layout = SentenceLayout.to_learn_from(kind, n_columns, target, inputs, labelled=labelled)
    else:
        layout = like.fitted_to(kind, n_columns, target, inputs, name=seen.name, labelled=labelled)
    reader: SentenceReader
    if kind == "text":
        layout = replace(layout, mark=mark or MARK)
        reader = TaggedTextReader(
            TaggedText(labelled, mark or MARK, settings), seen.given, settings
        )
    else:
        words = layout.inputs[0] if len(layout.inputs) == 1 else layout.inputs
        form = ConllFormat(kind, layout.target, words, labelled, settings)
        reader = (ConllLinesReader if keep_lines else ConllReader)(form, seen.given, settings)
    reader.layout, reader.like = layout, like
    return reader


@of_whole_file(iter_sentences)
def read_sentences(block: SentenceBlock) -> tuple[list[list[Any]], list[list[str]] | None]:
    """Read sentences of any layout: CoNLL-U, other columns, or text with a sentence a line.

    Returns
    -------
    sentences : list of lists
        The words of every sentence, each a string or a tuple of strings.
    tags : list of lists of str, or None if not `labelled`

    See Also
    --------
    iter_sentences : The same, block by block, and with the layout.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_sentences
    >>> read_sentences(io.BytesIO(b"half/DET of/ADP it/PRON\\n"))
    ([['half', 'of', 'it']], [['DET', 'ADP', 'PRON']])
    >>> read_sentences(io.BytesIO(b"half DET\\nof ADP\\nit PRON\\n"))
    ([['half', 'of', 'it']], [['DET', 'ADP', 'PRON']])
    """
    return block.sentences, block.tags


class _Opening:
    """The first lines of the data; ``given`` is what is left to read: all of it."""

    def __init__(self, path: Given, format: str | None, settings: ReaderSettings) -> None:
        if format is not None:
            choice("format", format, *names_of(SENTENCES))
        single = isinstance(path, str | os.PathLike | bytes) or hasattr(path, "read")
        self.given = [path] if single or not isinstance(path, Iterable) else list(path)
        source, *_ = sources_of(self.given)
        self.name, self._kind = source.name, format
        self._first = self._row = b""
        if format == "text":  # then nothing is to be found out, and a pipe need not wait
            return
        self._kind = format or _by_names(self.given)
        if source.is_read_once():
            self.given[0] = again = _ReadTwice(source)
            self._first, self._row = _first_rows(sources_of(again)[0], settings)
            again.rewind()
        else:
            self._first, self._row = _first_rows(source, settings)
        if not self._first:
            raise DataError("0 sentences", name=self.name, cures="give a file with sentences in it")

    def kind(
        self, like: SentenceLayout | None, labelled: bool, tags: Collection[str], mark: str
    ) -> str:
        """The format, by the first lines if nothing else says it; the same for any pieces."""
        if self._kind:
            return self._kind
        if is_conllu(self._first, self._row):
            return "conllu"
        if b"\t" in self._first:
            return "conll"
        if labelled:
            words = WORD.findall(self._row.decode("utf-8", "replace"))
            n_tagged = sum(all(word.rpartition(mark)[::2]) for word in words)
            return "text" if 2 * n_tagged > len(words) else "conll"
        if like is None or (like.format != "conll" and len(like.inputs) == 1):
            return "text"
        if len(like.inputs) > 1 or self._is_word_and_tag(like, tags):
            return "conll"
        return "text"

    def _is_word_and_tag(self, like: SentenceLayout, tags: Collection[str]) -> bool:
        """Whether a line is a word alone or a word with its tag, rather than words."""
        fields = WORD.findall(self._first.decode("utf-8", "replace"))
        if len(fields) == 1 or like.target is None:
            return len(fields) == 1
        return len(fields) == like.n_columns and fields[like.target] in tags

    def n_columns(self, kind: str) -> int:
        return {"conllu": 10, "text": 2}.get(kind) or len(fields_of(self._first))


def _by_names(paths: list[Any]) -> str:
    """Return the format that the suffixes mean; an empty text if they mean none."""
    formats = {by_suffix(path, SENTENCES) for path in paths}
    if len(formats) > 1:
        raise ParameterError(
            Message(
                "the names of the files do not tell one format for all; give those of one format "
                "at a time, or say ",
                Setting("format"),
                ".",
            )
        )
    found = formats.pop()
    return "" if found is None else found.name


def _first_rows(source: Source, settings: ReaderSettings) -> tuple[bytes, bytes]:
    """The first line that holds something, and the first of these that is no remark.

    They are the same if all are remarks, and empty if there is no line. Of a line that is longer
    than it may be, the beginning is enough.
    """
    lines = Lines(source, settings.max_line_bytes, settings.encoding or "utf-8")
    first = row = b""
    passed = 0
    with closing(lines.pieces()) as pieces:
        for _ in pieces:
            begun, row = first_rows(lines)
            first = first or begun
            passed, lines.at = passed + lines.end - lines.at, lines.end
            if not row and lines.too_long:
                line = bytes(
                    lines.buffer[lines.at : lines.at + min(settings.max_line_bytes, PIECE)]
                )
                row = line.rpartition(b" ")[0] or line  # without the word that was cut off
            if row or passed > MOST:
                break
    first = first or row
    return first, row or first


class _ReadTwice:
    """A stream from which can be read twice, until `rewind`."""

    def __init__(self, source: Source) -> None:
        self.name, self._raw, self._closes = source.name, source.open(), source.closes
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
        elif not found and self._closes:
            self._raw.close()
            self._next = lambda _: b""
        return found

    read1 = read

    def rewind(self) -> None:
        self._looking, self._again, self._seen = False, bytes(self._seen), bytearray()


# ---------------------------------------------------------------------- text


class TaggedText(TextFormat[SentenceBlock]):
    """The format for the reader: lines as lists of words."""

    def __init__(self, labelled: bool, mark: str, settings: ReaderSettings) -> None:
        self._lines = LabelledTextFormat(labelled=False, labels=Labels("text", None, any_text=True))
        self.parser = self._lines.parser
        self._tagged, self._mark, self._most = labelled, mark, settings.max_tokens
        self.source = ""
        self.bad: Any = None

    def take(self) -> SentenceBlock:
        block = self._lines.take()
        sentences, tags, lines = [], [], []
        for text, line in zip(block.texts, block.lines.tolist(), strict=True):
            words = WORD.findall(text)
            if len(words) > self._most:
                self.bad.handle(self._long(text, line), text.encode())
                continue
            if self._tagged:
                if not all(map(self._is_tagged, words)):
                    self.bad.handle(self._untagged(text, line), text.encode())
                    continue
                if not words:
                    continue
                pairs = [word.rpartition(self._mark) for word in words]
                words = [word for word, _, _ in pairs]
                tags.append([tag for _, _, tag in pairs])
            sentences.append(words)
            lines.append(line)
        return SentenceBlock(sentences, tags if self._tagged else None, np.array(lines, np.int64))

    def _long(self, text: str, line: int) -> DataError:
        return located_error(
            f"more than {count(self._most, 'word')} in one sentence",
            name=self.source,
            line=line,
            text=text.encode(),
            at=0,
            end=1,
            cures=["put each sentence on a line", RAISE_MAX_TOKENS, SKIP],
        )

    def _untagged(self, text: str, line: int) -> DataError:
        word = next(found for found in WORD.finditer(text) if not self._is_tagged(found[0]))
        return located_error(
            f"{quoted(word[0])} is not a word with its tag",
            name=self.source,
            line=line,
            text=text.encode(),
            at=len(text[: word.start()].encode()),
            end=len(text[: word.end()].encode()),
            cures=[f"write word{self._mark}TAG", SKIP],
        )

    def _is_tagged(self, word: str) -> bool:
        return all(word.rpartition(self._mark)[::2])


class TaggedTextReader(SentenceReader):
    """Tells the format where it is."""

    _form: TaggedText

    def __init__(self, form: TaggedText, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        form.bad = self._bad

    def _parse(self, lines: Lines) -> None:
        self._form.source = lines.name
        super()._parse(lines)
