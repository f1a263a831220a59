"""Sentences with their tags, read to the end, and a part of them held back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.cli.tag.tag_layout import Layout
from rosenblatt.cli.tag.tag_reading import (
    NO_SENTENCES,
    Looked,
    SentenceReading,
)
from rosenblatt.errors import DataError, Item, Place, Where

__all__ = ["Corpus", "hold_back", "read_corpus", "refuse_one_tag", "tell_of_skipped"]


@dataclass
class Corpus:
    """Sentences, their tags, the file and line of each, and how many could not be read."""

    sentences: list[Any]
    tags: list[list[str]]
    places: list[tuple[str, int]]
    skipped: int = 0

    @property
    def tokens(self) -> int:
        return sum(map(len, self.tags))

    def part(self, numbers: list[int], skipped: int = 0) -> Corpus:
        return Corpus(
            [self.sentences[i] for i in numbers],
            [self.tags[i] for i in numbers],
            [self.places[i] for i in numbers],
            skipped,
        )

    def placed(self, where: Where) -> Where:
        """The place in a file of a sentence that is known by its number."""
        return Place(*self.places[where.number]) if isinstance(where, Item) else where

    def counts(self) -> Counter[str]:
        """How often each tag occurs."""
        return Counter(tag for tags in self.tags for tag in tags)


def read_corpus(reading: SentenceReading, looked: Looked, layout: Layout, *, quiet: bool) -> Corpus:
    """All sentences with their tags."""
    corpus = Corpus([], [], [])
    with reading.reader(looked, layout, labelled=True) as blocks:
        for block in blocks:
            corpus.sentences += block.sentences
            corpus.tags += block.tags
            corpus.places += [(blocks.source, line) for line in block.lines.tolist()]
    corpus.skipped = blocks.skipped
    if not quiet:
        tell_of_skipped(blocks, "passed over")
    if not corpus.sentences:
        raise DataError("0 sentences", name=looked.name, cures=NO_SENTENCES)
    return corpus


def refuse_one_tag(corpus: Corpus, name: str) -> None:
    tags = corpus.counts()
    if len(tags) == 1:
        raise DataError(
            f'all words have the tag "{min(tags)}"; there must be two tags at least',
            name=name,
            cures="is this the right column? (--column)",
        )


def tell_of_skipped(reader: Any, fate: str) -> None:
    """A warning about sentences that could not be read, with the first reason."""
    if reader.skipped:
        first = str(reader.first_faults[0]).splitlines()[0]
        n = reader.skipped
        bad = "1 bad sentence was" if n == 1 else f"{n:,} bad sentences were"
        click.echo(f"warning: {bad} {fate}; the first: {first}", err=True)


def hold_back(corpus: Corpus, share: float, seed: int, name: str) -> tuple[Corpus, Corpus]:
    """A random share of the sentences to watch; the others are learned from."""
    import numpy as np

    from rosenblatt.core.held_out import hold_out

    n = len(corpus.sentences)
    if not 1 <= round(share * n) < n:
        raise DataError(
            f"--dev {share:g} of {n:,} sentence{'s' * (n != 1)} leaves none to "
            f"{'watch' if round(share * n) < 1 else 'learn from'}",
            name=name,
            cures="give another share, or a file of its own with --dev FILE",
        )
    learned, watched = hold_out(np.zeros(n, np.int32), share, seed)
    return corpus.part(learned.tolist(), corpus.skipped), corpus.part(watched.tolist())
