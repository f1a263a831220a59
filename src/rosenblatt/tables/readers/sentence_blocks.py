"""Blocks of sentences with their tags, and the base of their readers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.models.classes import hold_out
from rosenblatt.plurals import count
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.reader import TextReader
from rosenblatt.tables.readers.sentence_layout import SentenceLayout


class SentenceBlock(Block):
    """Block of sentences with their tags; ``sentences, tags = block`` unpacks them as lists.

    Attributes
    ----------
    sentences : list of lists
        The words of every sentence, each a string or a tuple of strings.
    tags : list of lists of str, or None
    lines : ndarray of int64
        The line on which every sentence begins.
    sources : list of str
        The file of every sentence, in the block that ``whole`` returns.
    """

    sources: Sequence[str] = ()

    @property
    def sentences(self) -> list[list[Any]]:
        sentences: list[list[Any]] = self.rows
        return sentences

    @property
    def tags(self) -> list[list[str]] | None:
        tags: list[list[str]] | None = self.labels
        return tags

    def __getitem__(self, numbers: slice | Sequence[int]) -> Self:
        """Return the sentences selected by a slice or a list of indices, as a block."""
        if isinstance(numbers, slice):
            numbers = range(len(self))[numbers]
        part = copy(self)
        part.rows = [self.rows[i] for i in numbers]
        part.lines = self.lines[list(numbers)]
        part.labels = None if self.tags is None else [self.tags[i] for i in numbers]
        part.sources = [self.sources[i] for i in numbers] if self.sources else ()
        return part

    def hold_out(self, share: float, seed: int) -> tuple[Self, Self]:
        """Split off a random share for validation; return the training block, then that share.

        Raise InputError if either would be empty.
        """
        n = len(self)
        n_held = round(share * n)
        if not 1 <= n_held < n:
            lost = "watch" if n_held < 1 else "learn from"
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
        """Return the file and the line of a sentence, given its index in a block of ``whole``."""
        return self.sources[number], int(self.lines[number])

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.sentences))


class SentenceReader(TextReader[SentenceBlock]):
    """Reader of sentences, block by block.

    Attributes
    ----------
    source : str
        The file of the last block.
    layout : SentenceLayout
        The columns of words and tags, as `iter_sentences` detected them.
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
        blocks: list[SentenceBlock] = []
        sources: list[str] = []
        for block in self:
            blocks.append(block)
            sources += [self.source] * len(block)
        self._bad.warn(self.rows, self.unit)

        sentences: list[list[Any]] = []
        tags: list[list[str]] = []
        for block in blocks:
            sentences += block.sentences
            tags += block.tags or []
        has_tags = blocks[0].tags is not None
        lines = np.concatenate([block.lines for block in blocks])
        joined = SentenceBlock(sentences, tags if has_tags else None, lines)
        joined.sources = sources
        return joined
