"""Tagged sentences in columns: CoNLL, with a word and its tags a line, and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Unpack

import numpy as np

from rosenblatt.checks import choice, did_you_mean, refusal
from rosenblatt.engine.text.conll import ConllParser
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
from rosenblatt.tables.readers.sources import Given

FORMATS = ("auto", "conll", "conllu")
NAMES = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]
# Where "_" says that the value is not given; elsewhere it is a value.
NEEDED = {"upos", "xpos", "head", "deprel"}
RAISE_MAX_TOKENS = Message("raise ", Setting("max_tokens"))
DOCUMENT = b"-DOCSTART-"
ID = re.compile(rb"\d+([-.]\d+)?\t")
NAMED_CONLLU = re.compile(r"\.conllu(\.\w+)?$", re.IGNORECASE)  # packed or not

FAULTS: dict[str, ProblemAndCures] = {
    "empty column": ("an empty column", 'write "_" for nothing; columns are divided by one tab'),
    "no tag": ('"_" in the column to learn: no tag', ["choose another column", "add the tag"]),
    "bad id": ("{found} is not the number of a word", "write 1, or 1-2, or 1.1"),
}

Column = int | str


class ConllColumns(NamedTuple):
    """What the columns of a file are, as numbers from 0; ``target`` is -1 if it is not read."""

    format: str
    n_columns: int
    target: int
    inputs: tuple[int, ...]
    tabs: bool


class ConllFormat(TextFormat[SentenceBlock]):
    """The format for the reader."""

    faults = FAULTS
    parser: ConllParser
    columns: ConllColumns | None = None

    def __init__(
        self,
        format: str,
        target: Column | None,
        inputs: Column | Iterable[Column] | None,
        labelled: bool,
        settings: ReaderSettings,
    ) -> None:
        choice("format", format, *FORMATS)
        self._format, self._target, self._labelled = format, target, bool(labelled)
        single = inputs is None or isinstance(inputs, int | str)
        self._inputs = inputs if single else list(inputs)  # type: ignore[arg-type]
        self._most = settings.max_tokens
        self.parser = ConllParser(self._most)
        if format == "conllu":
            self._choose(len(NAMES), tabs=True)

    def begin_file(self, lines: Lines) -> bool:
        self.parser.begin()
        if self.parser.n_columns == 0:
            row = self._first_row(lines)
            if row is None:
                return False
            self._choose(len(fields_of(row)), b"\t" in row, lines.name)
        return True

    def _first_row(self, lines: Lines) -> bytes | None:
        """The row that says what the columns are; None if it is not there yet."""
        first, row = first_rows(lines)
        if self._format != "conll" and not row and not lines.last:
            # Remarks of CoNLL-U, or words of CoNLL? What follows them will tell.
            return None
        if self._format == "auto" and first:
            named = NAMED_CONLLU.search(lines.name)
            self._format = "conllu" if named or is_conllu(first, row) else "conll"
        if self._format == "conllu":
            return b"\t".join(map(str.encode, NAMES))
        return first or None

    def _choose(self, n: int, tabs: bool, name: str = "") -> None:
        """Settle which columns are read, now that their number is known."""
        numbered = self._format == "conllu"
        target = ("upos" if numbered else -1) if self._target is None else self._target
        # Without tags it does not matter where they would stand.
        tag = column_number(target, n, self._format, "target") if self._labelled else -1
        inputs = self._inputs
        if inputs is None and numbered:
            inputs = "form"
        if inputs is None:
            rest = [column for column in range(n) if not self._labelled or column != tag]
            inputs = rest if len(rest) != 1 else rest[0]
        plain = isinstance(inputs, int | str)
        columns: Any = [inputs] if plain else inputs
        kept = [column_number(column, n, self._format, "inputs") for column in columns]
        if not kept:
            raise DataError(
                "one column alone: words or tags are missing",
                name=name,
                cures=Message("read words without tags with ", Setting("labelled", False)),
            )
        self.columns = ConllColumns(self._format, n, tag, tuple(kept), tabs)
        blank = self._labelled and numbered and NAMES[tag] in NEEDED
        kept += [tag] * self._labelled
        self.parser.set_columns(
            n, np.array(kept, np.int64), tabs, numbered, self._labelled, blank, plain
        )

    def take(self) -> SentenceBlock:
        _, _, lines = self.parser.take_rows()
        sentences, tags = self.parser.take()
        return SentenceBlock(sentences, tags if self._labelled else None, lines)

    def explain(self, parser: Any, found: bytes) -> ProblemAndCures:
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
        columns = "column" if self.parser.n_found == 1 else "columns"
        found = f"{self.parser.n_found} {columns}"
        if self._format == "conllu":
            return f"{found}, but CoNLL-U has {len(NAMES)}", "divide columns by one tab"
        return (
            f"{found}, but the first row has {self.parser.n_columns}",
            "give every row the same columns, and put a blank line between sentences",
        )


def column_number(column: Any, n: int, format: str, argument: str) -> int:
    """The number from 0 of a column, of `n`; an error names the argument that it was given as."""
    if isinstance(column, str):
        if format == "conllu" and column in NAMES:
            return NAMES.index(column)
        if column.isdecimal() and 1 <= int(column) <= n:
            return int(column) - 1
        if column == "last":
            return n - 1
    elif isinstance(column, int) and not isinstance(column, bool) and -n <= column < n:
        return column % n
    allowed = f"1 to {n}, last" if isinstance(column, str) else f"{-n} to {n - 1}"
    if format == "conllu":
        allowed += ", or one of " + ", ".join(NAMES)
    raise refusal(
        argument,
        column,
        f"a number from {allowed}",
        did_you_mean(str(column).lower(), NAMES if format == "conllu" else []),
        verdict="is not a column here",
    )


class ConllReader(SentenceReader):
    """Knows what the columns are, once a block was read."""

    _form: ConllFormat

    @property
    def columns(self) -> ConllColumns | None:
        return self._form.columns


def fields_of(row: bytes) -> list[bytes]:
    """The columns of a row, divided by tabs if there is one, else by blanks."""
    return row.split(b"\t") if b"\t" in row else re.split(rb" +", row.strip(b" "))


def is_conllu(first: bytes, row: bytes) -> bool:
    """Whether a file is CoNLL-U, by its first line and the first that is no remark."""
    return bool(ID.match(row)) and (first.startswith(b"#") or row.count(b"\t") == len(NAMES) - 1)


def first_rows(lines: Lines) -> tuple[bytes, bytes]:
    """The first line at hand that holds something, and the first that is no remark; or nothing."""
    first = b""
    for row in _rows(lines):
        first = first or row
        if not row.startswith(b"#"):
            return first, row
    return first, b""


def _rows(lines: Lines) -> Iterator[bytes]:
    """The lines at hand that are neither blank nor the mark of a document."""
    at = lines.at
    while at < lines.end:
        stop = lines.buffer.find(b"\n", at, lines.end)
        row = bytes(lines.buffer[at:stop]).removesuffix(b"\r")
        if row.strip(b" \t") and re.split(rb"[ \t\r]", row, maxsplit=1)[0] != DOCUMENT:
            yield row
        at = stop + 1


@takes(SentenceOptions)
def iter_conll(
    path: Given,
    *,
    format: str = "auto",
    target: Column | None = None,
    inputs: Column | Iterable[Column] | None = None,
    labelled: bool = True,
    **options: Unpack[SentenceOptions],
) -> ConllReader:
    """Read tagged sentences block by block, in memory that does not grow with the file.

    Each block unpacks into ``sentences, tags``; ``block.lines`` holds the line every sentence
    begins on. Once a block was read, ``reader.source`` names the file it is from, and
    ``reader.columns`` tells what the columns are.

    Parameters
    ----------
    format : {"auto", "conll", "conllu"}, default="auto"
        ``"auto"``: CoNLL-U if the file is named .conllu, or if the first row has its ten columns
        and a number in the first.
    target : int or str, default=None
        The column of the tags: a number from 0, or from -1 backwards; or a text: a name of CoNLL-U,
        ``"last"``, or a number from 1. By default the last one, in CoNLL-U ``"upos"``.
    inputs : int, str, or list of these, default=None
        The columns of the words: one gives strings, a list gives tuples. By default all others, in
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
    """Read tagged sentences: a word a line in columns, a blank line after each sentence.

    CoNLL has as many columns as its first row, divided by tabs if there is a tab in it, else by
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
