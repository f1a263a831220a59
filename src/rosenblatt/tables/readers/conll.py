"""Reader of tagged sentences in columns: CoNLL, with a word and its tags per line, and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Unpack

import numpy as np

from rosenblatt.checks import choice
from rosenblatt.engine.text.conll import ConllParser
from rosenblatt.engine.text.parsing import Parser
from rosenblatt.errors import DataError, Message, Setting
from rosenblatt.plurals import count
from rosenblatt.tables.readers.fault_messages import ProblemAndCures, quoted
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader import TextFormat
from rosenblatt.tables.readers.reader_options import (
    ReaderSettings,
    SentenceOptions,
    of_whole_file,
    takes,
)
from rosenblatt.tables.readers.sentence_blocks import SentenceBlock, SentenceReader
from rosenblatt.tables.readers.sentence_layout import NAMES, Column, Inputs, column_number
from rosenblatt.tables.readers.sources import Given

FORMATS = ("auto", "conll", "conllu")
# Columns of CoNLL-U in which "_" means a missing value; in other columns it is a value.
NEEDED = {"upos", "xpos", "head", "deprel"}
RAISE_MAX_TOKENS = Message("raise ", Setting("max_tokens"))
DOCUMENT = b"-DOCSTART-"
ID = re.compile(rb"\d+([-.]\d+)?\t")
NAMED_CONLLU = re.compile(r"\.conllu(\.\w+)?$", re.IGNORECASE)  # compressed or not

FAULTS: dict[str, ProblemAndCures] = {
    "empty column": ("an empty column", 'write "_" for nothing; columns are divided by one tab'),
    "no tag": ('"_" in the column to learn: no tag', ["choose another column", "add the tag"]),
    "bad id": ("{found} is not the number of a word", "write 1, or 1-2, or 1.1"),
}


class ConllColumns(NamedTuple):
    """Column indices of a file, from 0; ``target`` is -1 if the tags are not read."""

    format: str
    n_columns: int
    target: int
    inputs: tuple[int, ...]
    tabs: bool


class ConllFormat(TextFormat[SentenceBlock]):
    """Format of sentences in columns: CoNLL and CoNLL-U."""

    faults = FAULTS
    parser: ConllParser
    columns: ConllColumns | None = None

    def __init__(
        self,
        format: str,
        target: Column | None,
        inputs: Inputs,
        labelled: bool,
        settings: ReaderSettings,
    ) -> None:
        choice("format", format, *FORMATS)
        self._format = format
        self._target = target
        self._labelled = bool(labelled)
        # One column gives words as strings, a list of columns gives tuples.
        self._inputs: Column | list[Column] | None
        if inputs is None or isinstance(inputs, int | str):
            self._inputs = inputs
        else:
            self._inputs = list(inputs)
        self._most = settings.max_tokens
        self.parser = ConllParser(self._most)
        if format == "conllu":
            self._choose_columns(len(NAMES), tabs=True)

    def begin_file(self, lines: Lines) -> bool:
        self.parser.begin()
        if self.parser.n_columns == 0:
            row = self._first_row(lines)
            if row is None:
                return False
            self._choose_columns(len(fields_of(row)), b"\t" in row, lines.name)
        return True

    def _first_row(self, lines: Lines) -> bytes | None:
        """Detect the format; return the row that determines the columns, None if not read yet."""
        first, row = first_rows(lines)
        if self._format != "conll" and not row and not lines.last:
            # Lines with # may be comments of CoNLL-U or words of CoNLL; the lines below decide.
            return None
        if self._format == "auto" and first:
            is_named = NAMED_CONLLU.search(lines.name) is not None
            self._format = "conllu" if is_named or is_conllu(first, row) else "conll"
        if self._format == "conllu":
            return b"\t".join(map(str.encode, NAMES))
        return first or None

    def _choose_columns(self, n: int, tabs: bool, name: str = "") -> None:
        """Choose the columns to read, given their number `n`, and set up the parser."""
        is_conllu = self._format == "conllu"
        tag = -1  # if no tags are read, their column does not matter
        if self._labelled:
            target = self._target
            if target is None:
                target = "upos" if is_conllu else "last"
            tag = column_number(target, n, self._format, "target")

        inputs = self._inputs
        if inputs is None:
            inputs = "form" if is_conllu else _other_columns(n, tag)
        are_strings = isinstance(inputs, int | str)
        columns = [inputs] if isinstance(inputs, int | str) else inputs
        kept = [column_number(column, n, self._format, "inputs") for column in columns]
        if not kept:
            raise DataError(
                "only one column: words or tags are missing",
                name=name,
                cures=Message("read words without tags with ", Setting("labelled", False)),
            )
        self.columns = ConllColumns(self._format, n, tag, tuple(kept), tabs)

        # Whether "_" in the column of the tags is a fault.
        may_lack_tag = self._labelled and is_conllu and NAMES[tag] in NEEDED
        if self._labelled:
            kept.append(tag)
        self.parser.set_columns(
            n,
            np.array(kept, np.int64),
            tabs,
            is_conllu,
            self._labelled,
            may_lack_tag,
            are_strings,
        )

    def take(self) -> SentenceBlock:
        _, _, lines = self.parser.take_rows()
        sentences, tags = self.parser.take()
        return SentenceBlock(sentences, tags if self._labelled else None, lines)

    def explain(self, parser: Parser, found: bytes) -> ProblemAndCures:
        if parser.fault == "columns":
            return self._wrong_number()
        if parser.fault == "wrong id":
            return (
                f"word {quoted(found)} where word {self.parser.expected_id} is due",
                "put a blank line between sentences and number words from 1",
            )
        if parser.fault == "many tokens":
            return (
                f"more than {count(self._most, 'word')} in one sentence",
                ["put blank lines between sentences", RAISE_MAX_TOKENS],
            )
        return super().explain(parser, found)

    def _wrong_number(self) -> ProblemAndCures:
        found = count(self.parser.n_found, "column")
        if self._format == "conllu":
            return f"{found}, but CoNLL-U has {len(NAMES)}", "divide columns by one tab"
        return (
            f"{found}, but the first row has {self.parser.n_columns}",
            "give every row the same columns, and put a blank line between sentences",
        )


def _other_columns(n: int, tag: int) -> Column | list[Column]:
    """Return the indices of all columns except the tags; a single index if there is only one."""
    columns: list[Column] = [column for column in range(n) if column != tag]
    return columns[0] if len(columns) == 1 else columns


class ConllReader(SentenceReader):
    """Reader of CoNLL and CoNLL-U files; ``columns`` is set after the first block."""

    _form: ConllFormat

    @property
    def columns(self) -> ConllColumns | None:
        return self._form.columns


# ---------------------------------------------------------------------- the first rows


def fields_of(row: bytes) -> list[bytes]:
    """Split a row into fields at tabs, or at spaces if it contains no tab."""
    return row.split(b"\t") if b"\t" in row else re.split(rb" +", row.strip(b" "))


def is_conllu(first: bytes, row: bytes) -> bool:
    """Return whether a file is CoNLL-U, by its first line and its first line after the comments."""
    if ID.match(row) is None:
        return False
    return first.startswith(b"#") or row.count(b"\t") == len(NAMES) - 1


def first_rows(lines: Lines) -> tuple[bytes, bytes]:
    """Return the first non-blank line, and the first line that is neither blank nor a comment.

    Either is empty if it was not read yet.
    """
    first = b""
    for row in _rows(lines):
        first = first or row
        if not row.startswith(b"#"):
            return first, row
    return first, b""


def _rows(lines: Lines) -> Iterator[bytes]:
    """Yield the lines in the buffer, except blank ones and ``-DOCSTART-`` lines."""
    at = lines.at
    while at < lines.end:
        stop = lines.buffer.find(b"\n", at, lines.end)
        row = bytes(lines.buffer[at:stop]).removesuffix(b"\r")
        at = stop + 1
        is_blank = not row.strip(b" \t")
        if not is_blank and re.split(rb"[ \t\r]", row, maxsplit=1)[0] != DOCUMENT:
            yield row


# ---------------------------------------------------------------------- readers


@takes(SentenceOptions)
def iter_conll(
    path: Given,
    *,
    format: str = "auto",
    target: Column | None = None,
    inputs: Inputs = None,
    labelled: bool = True,
    **options: Unpack[SentenceOptions],
) -> ConllReader:
    """Read tagged sentences block by block, in memory that does not grow with the file.

    Each block unpacks into ``sentences, tags``; ``block.lines`` holds the line on which every
    sentence begins. After the first block, ``reader.source`` is the name of its file, and
    ``reader.columns`` describes the columns.

    Parameters
    ----------
    format : {"auto", "conll", "conllu"}, default="auto"
        ``"auto"``: CoNLL-U if the file is named .conllu, or if the first row has its ten columns
        and a number in the first.
    target : int or str, default=None
        The column of the tags: a number from 0, or from -1 backwards; or a text: a name of CoNLL-U,
        ``"last"``, or a number from 1. By default the last one; for CoNLL-U ``"upos"``.
    inputs : int, str, or list of these, default=None
        The columns of the words: one gives strings, a list gives tuples. By default all others; for
        CoNLL-U ``"form"``.
    labelled : bool, default=True
        Whether there is a column of tags. If not, `target` is not read, and by default all columns
        are inputs.

    See Also
    --------
    read_conll : All of them at once.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import iter_conll
    >>> for sentences, tags in iter_conll(io.BytesIO(b"go VB\\n\\nstop VB\\n\\n")):
    ...     print(sentences, tags)
    [['go'], ['stop']] [['VB'], ['VB']]
    """
    settings = ReaderSettings(**options)
    return ConllReader(ConllFormat(format, target, inputs, labelled, settings), path, settings)


@of_whole_file(iter_conll)
def read_conll(block: SentenceBlock) -> tuple[list[list[Any]], list[list[str]] | None]:
    """Read tagged sentences: one word per line, in columns, and a blank line after each sentence.

    CoNLL has as many columns as its first row, divided by tabs if it contains one, otherwise by
    blanks; ``#`` is a word, and lines ``-DOCSTART-`` before a sentence are skipped. CoNLL-U has
    the ten columns id, form, lemma, upos, xpos, feats, head, deprel, deps and misc, divided by
    tabs; lines with ``#`` are comments; ranges (``8-9``) and empty nodes (``8.1``) are skipped.

    Returns
    -------
    sentences : list of lists
        The words of every sentence, each a string or a tuple of strings.
    tags : list of lists of str, or None if not `labelled`

    See Also
    --------
    iter_conll : The same, block by block.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.io import read_conll
    >>> text = b"He PRP B-NP\\nreckons VBZ B-VP\\n\\nConfidence NN B-NP\\n"
    >>> sentences, tags = read_conll(io.BytesIO(text))
    >>> sentences
    [[('He', 'PRP'), ('reckons', 'VBZ')], [('Confidence', 'NN')]]
    >>> tags
    [['B-NP', 'B-VP'], ['B-NP']]
    >>> read_conll(io.BytesIO(text), target=1, inputs=0)
    ([['He', 'reckons'], ['Confidence']], [['PRP', 'VBZ'], ['NN']])

    A fault is named with its place:

    >>> read_conll(io.BytesIO(b"He PRP B-NP\\nreckons VBZ\\n"))
    Traceback (most recent call last):
        ...
    rosenblatt.errors.DataError: <stream>:2:1: 2 columns, but the first row has 3
      reckons VBZ
      ^^^^^^^^^^^
    help: give every row the same columns, and put a blank line between sentences
          or skip such rows with on_bad='skip'
    """
    return block.sentences, block.tags
