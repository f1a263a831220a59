"""Sentences of a file with their tags, and what the readers of all their formats share."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.models.classes import hold_out
from rosenblatt.plurals import count
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader import TextReader

if TYPE_CHECKING:
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout


class SentenceBlock(Block):
    """Some sentences of a file; ``sentences, tags = block`` gives them as lists.

    Attributes
    ----------
    sentences : list of lists
        The words of every sentence, each a string or a tuple of strings.
    tags : list of lists of str, or None
    lines : ndarray of int64
        The line every sentence begins on.
    sources : list of str
        The file of every sentence, in the block that ``whole`` gives.
    """

    sources: Sequence[str] = ()

    @property
    def sentences(self) -> list[list[Any]]:
        return self.rows  # type: ignore[no-any-return]

    @property
    def tags(self) -> list[list[str]] | None:
        return self.labels  # type: ignore[no-any-return]

    def __getitem__(self, numbers: slice | Sequence[int]) -> Self:
        """Some of the sentences, by a slice or a list of their numbers."""
        if isinstance(numbers, slice):
            numbers = range(len(self))[numbers]
        part = copy(self)
        part.rows, part.lines = [self.rows[i] for i in numbers], self.lines[list(numbers)]
        part.labels = None if self.tags is None else [self.tags[i] for i in numbers]
        part.sources = [self.sources[i] for i in numbers] if self.sources else ()
        return part

    def hold_out(self, share: float, seed: int) -> tuple[Self, Self]:
        """A random share of the sentences, and before it the others; neither may be empty."""
        n = len(self)
        if not 1 <= round(share * n) < n:
            lost = "watch" if round(share * n) < 1 else "learn from"
            raise InputError(
                Message(
                    Setting("validation_fraction", share),
                    f" of {count(n, 'sentence')} leaves none to {lost}",
                ),
                cures=[
                    "another share",
                    Message("sentences to watch as ", Setting("validation_set")),
                ],
            )
        learned, held = hold_out(np.zeros(n, np.int32), share, seed)
        return self[learned.tolist()], self[held.tolist()]

    def place(self, number: int) -> tuple[str, int]:
        """The file and the line of a sentence, in the block that ``whole`` gives."""
        return self.sources[number], int(self.lines[number])

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.sentences))


class SentenceReader(TextReader[SentenceBlock]):
    """Blocks of sentences.

    Attributes
    ----------
    source : str
        The file that the last block is from.
    layout : SentenceLayout
        Where words and tags stand, as `iter_sentences` has found it out.
    like : SentenceLayout or None
        The layout that the file was compared with.
    """

    unit = "sentence"
    source = ""
    layout: SentenceLayout
    like: SentenceLayout | None = None

    def _parse(self, lines: Lines) -> None:
        self.source = lines.name
        super()._parse(lines)

    def _read_whole(self) -> SentenceBlock:
        """All sentences as one block; a warning tells of those that were skipped."""
        blocks, sources = list[SentenceBlock](), list[str]()
        for block in self:
            blocks.append(block)
            sources += [self.source] * len(block)
        self._bad.warn(self.rows, self.unit)
        tags = None if blocks[0].tags is None else [t for b in blocks for t in b.tags or ()]
        sentences = [sentence for block in blocks for sentence in block.sentences]
        joined = SentenceBlock(sentences, tags, np.concatenate([b.lines for b in blocks]))
        joined.sources = sources
        return joined
