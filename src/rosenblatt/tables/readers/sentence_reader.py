"""Reader of sentences in any layout, detected by the file name or the first lines."""

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
from rosenblatt.tables.readers.bad_rows import BadRows
from rosenblatt.tables.readers.conll import (
    RAISE_MAX_TOKENS,
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
from rosenblatt.tables.readers.sentence_layout import (
    MARK,
    NAMES,
    Column,
    Inputs,
    SentenceLayout,
    is_mark,
)
from rosenblatt.tables.readers.sentence_writer import ConllLinesReader
from rosenblatt.tables.readers.sources import Given, Source, reader_of, sources_of

MAX_ABOVE = 1 << 24  # bytes of blank lines and comments to skip before the first row, at most
PIECE = 1 << 16  # bytes read at once
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

    A file is CoNLL-U, other columns, or text with one sentence per line: ``the/DET dog/NOUN``. The
    format is auto-detected: ``reader.layout`` has it before the first block is read. Each block
    unpacks into ``sentences, tags``; ``block.lines`` holds the line on which every sentence begins
    and ``reader.source`` the name of its file.

    Parameters
    ----------
    like : SentenceLayout, default=None
        The layout of the files that a tagger was trained on (``tagger.schema_``): words and tags
        are read from the same columns.
    format : {"conll", "conllu", "text"}, default=None
        By default it is detected by the suffix of the name, otherwise by the first lines.
    target : int or str, default=None
        The column of the tags: a number from 0, or from -1 backwards; or a text: a name of CoNLL-U,
        ``"last"``, or a number from 1. By default that of `like`, otherwise the last one; for
        CoNLL-U ``"upos"``.
    inputs : int, str, or list of these, default=None
        The columns of the words: one gives strings, several give tuples. By default those of
        `like`, otherwise all before the tags; for CoNLL-U ``"form"``.
    mark : str, default=None
        What is between word and tag in text. By default that of `like`, otherwise ``"/"``.
    labelled : bool, default=True
        Whether there are tags, and they are to be read.
    tags : collection of str, default=()
        The tags of the tagger, by which a word with its tag differs from two words.
    keep_lines : bool, default=False
        Whether the lines of columns are kept until the next block, so that a `SentenceWriter` can
        write them with new tags.

    See Also
    --------
    read_sentences : All of them at once.
    iter_conll : Columns alone, of one known layout.
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
    if mark is None and like is not None:
        mark = like.mark
    if mark is not None and not is_mark(mark):
        raise refusal("mark", mark, "one or more characters, none a blank")
    mark_or_usual = mark or MARK

    opening = _Opening(path, format, settings)
    kind = opening.kind(like, labelled, tags, mark_or_usual)
    n_columns = opening.n_columns(kind)
    if kind == "conll" and n_columns == 1 and labelled:
        raise DataError(
            "only one column: words or tags are missing",
            name=opening.name,
            cures=Message(
                f"write word and tag, or word{mark_or_usual}TAG as text (",
                Setting("format", "text"),
                ")",
            ),
        )
    if like is None:
        layout = SentenceLayout.to_learn_from(kind, n_columns, target, inputs, labelled=labelled)
    else:
        name = opening.name
        layout = like.fitted_to(kind, n_columns, target, inputs, name=name, labelled=labelled)

    reader: SentenceReader
    if kind == "text":
        layout = replace(layout, mark=mark_or_usual)
        text_form = TaggedTextFormat(labelled, mark_or_usual, settings)
        reader = TaggedTextReader(text_form, opening.given, settings)
    else:
        words: Inputs = layout.inputs
        if len(layout.inputs) == 1:
            words = layout.inputs[0]
        form = ConllFormat(kind, layout.target, words, labelled, settings)
        reader_class = ConllLinesReader if keep_lines else ConllReader
        reader = reader_class(form, opening.given, settings)
    reader.layout = layout
    reader.like = like
    return reader


@of_whole_file(iter_sentences)
def read_sentences(block: SentenceBlock) -> tuple[list[list[Any]], list[list[str]] | None]:
    """Read sentences of any layout: CoNLL-U, other columns, or text, one sentence per line.

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
    """First lines of the data, to detect the format; ``given`` can be read from its start."""

    def __init__(self, path: Given, format: str | None, settings: ReaderSettings) -> None:
        if format is not None:
            choice("format", format, *names_of(SENTENCES))
        is_single = isinstance(path, str | os.PathLike | bytes) or hasattr(path, "read")
        self.given: list[Any] = [path]
        if not is_single and isinstance(path, Iterable):
            self.given = list(path)
        source, *_ = sources_of(self.given)
        self.name = source.name
        self._kind = format
        # The first line that is not blank, and the first of these that is not a comment.
        self._first = b""
        self._row = b""
        if format == "text":
            # There is nothing to detect, and a pipe need not wait.
            return

        if format is None:
            self._kind = _format_by_names(self.given)
        if source.is_read_once():
            again = _ReadTwice(source)
            self.given[0] = again
            self._first, self._row = _first_rows(sources_of(again)[0], settings)
            again.rewind()
        else:
            self._first, self._row = _first_rows(source, settings)
        if not self._first:
            raise DataError("0 sentences", name=self.name, cures="give a file with sentences in it")

    def kind(
        self, like: SentenceLayout | None, labelled: bool, tags: Collection[str], mark: str
    ) -> str:
        """Return the format: the given one, or that of the suffix or else of the first lines."""
        if self._kind:
            return self._kind
        if is_conllu(self._first, self._row):
            return "conllu"
        if b"\t" in self._first:
            return "conll"
        if labelled:
            words = WORD.findall(self._row.decode("utf-8", "replace"))
            n_tagged = sum(_is_tagged(word, mark) for word in words)
            return "text" if 2 * n_tagged > len(words) else "conll"

        # Without tags, the format is that of the tagger, if the line allows it.
        if like is None or (like.format != "conll" and len(like.inputs) == 1):
            return "text"
        if len(like.inputs) > 1 or self._is_word_and_tag(like, tags):
            return "conll"
        return "text"

    def _is_word_and_tag(self, like: SentenceLayout, tags: Collection[str]) -> bool:
        """Return whether the first line is a word, or a word with its tag, and not a sentence."""
        fields = WORD.findall(self._first.decode("utf-8", "replace"))
        if len(fields) == 1:
            return True
        if like.target is None:
            return False
        return len(fields) == like.n_columns and fields[like.target] in tags

    def n_columns(self, kind: str) -> int:
        """Return the number of columns of a file of this format."""
        if kind == "conllu":
            return len(NAMES)
        if kind == "text":
            return 2  # the words, and their tags
        return len(fields_of(self._first))


def _format_by_names(paths: list[Any]) -> str | None:
    """Return the format for the suffixes of files; None if it is unknown.

    Raise ParameterError if the files have different formats.
    """
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
    return None if found is None else found.name


def _first_rows(source: Source, settings: ReaderSettings) -> tuple[bytes, bytes]:
    """Return the first non-blank line, and the first line that is neither blank nor a comment.

    If all lines are comments, both are the first one; if there is no line, both are empty. Of an
    overlong line the beginning is returned.
    """
    lines = Lines(source, settings.max_line_bytes, settings.encoding or "utf-8")
    first = b""
    row = b""
    n_passed = 0
    with closing(lines.pieces()) as pieces:
        for _ in pieces:
            begun, row = first_rows(lines)
            first = first or begun
            n_passed += lines.end - lines.at
            lines.at = lines.end
            if not row and lines.too_long:
                stop = lines.at + min(settings.max_line_bytes, PIECE)
                line = bytes(lines.buffer[lines.at : stop])
                row = line.rpartition(b" ")[0] or line  # without the word that was cut off
            if row or n_passed > MAX_ABOVE:
                break
    first = first or row
    return first, row or first


class _ReadTwice:
    """File that records what is read, so that `rewind` works without seeking."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._raw = source.open()
        self._closes = source.closes
        self._read_raw = reader_of(self._raw)
        self._is_at_end = False
        # Until `rewind` everything read is recorded; then it is handed out again.
        self._records = True
        self._recorded = bytearray()
        self._again = b""

    def read(self, size: int = -1) -> bytes:
        """Return the bytes that are available, at most `size`."""
        if self._again:
            if size < 0:
                size = len(self._again)
            found = self._again[:size]
            self._again = self._again[size:]
            return found
        if self._is_at_end:
            return b""
        found = self._read_raw(PIECE if size < 0 else size) or b""
        if self._records:
            self._recorded += found
        elif not found and self._closes:
            self._raw.close()
            self._is_at_end = True
        return found

    read1 = read

    def rewind(self) -> None:
        self._records = False
        self._again = bytes(self._recorded)
        self._recorded = bytearray()


# ---------------------------------------------------------------------- text


class TaggedTextFormat(TextFormat[SentenceBlock]):
    """Format of text with one sentence per line, its words with or without tags."""

    # The current file, and the handler of its bad lines; both are set by the reader.
    source: str
    bad: BadRows

    def __init__(self, labelled: bool, mark: str, settings: ReaderSettings) -> None:
        self._lines = LabelledTextFormat(labelled=False, labels=Labels("text", None, any_text=True))
        self.parser = self._lines.parser
        self._is_labelled = labelled
        self._mark = mark
        self._most = settings.max_tokens

    def take(self) -> SentenceBlock:
        block = self._lines.take()
        sentences: list[list[str]] = []
        tags: list[list[str]] = []
        lines: list[int] = []
        for text, line in zip(block.texts, block.lines.tolist(), strict=True):
            words = WORD.findall(text)
            if len(words) > self._most:
                self.bad.handle(self._too_many_words(text, line), text.encode())
                continue
            if self._is_labelled:
                if not all(_is_tagged(word, self._mark) for word in words):
                    self.bad.handle(self._untagged(text, line), text.encode())
                    continue
                if not words:
                    continue
                pairs = [word.rpartition(self._mark) for word in words]
                words = [word for word, _, _ in pairs]
                tags.append([tag for _, _, tag in pairs])
            sentences.append(words)
            lines.append(line)
        line_array = np.array(lines, np.int64)
        return SentenceBlock(sentences, tags if self._is_labelled else None, line_array)

    def _too_many_words(self, text: str, line: int) -> DataError:
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
        words = WORD.finditer(text)
        word = next(found for found in words if not _is_tagged(found[0], self._mark))
        return located_error(
            f"{quoted(word[0])} is not a word with its tag",
            name=self.source,
            line=line,
            text=text.encode(),
            at=len(text[: word.start()].encode()),
            end=len(text[: word.end()].encode()),
            cures=[f"write word{self._mark}TAG", SKIP],
        )


def _is_tagged(word: str, mark: str) -> bool:
    """Return whether a word contains `mark` with text before and after it."""
    before, _, after = word.rpartition(mark)
    return bool(before) and bool(after)


class TaggedTextReader(SentenceReader):
    """Reader of tagged text, whose format splits words and handles their faults itself."""

    _form: TaggedTextFormat

    def __init__(self, form: TaggedTextFormat, given: Given, settings: ReaderSettings) -> None:
        super().__init__(form, given, settings)
        form.bad = self._bad

    def _parse(self, lines: Lines) -> None:
        self._form.source = lines.name
        super()._parse(lines)
