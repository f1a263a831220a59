"""Options and readers of the commands that read sentences, and opening of taggers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.frame.options import Whole, all_of, in_section, text_options, watch_bad_rows
from rosenblatt.cli.frame.terminal import say
from rosenblatt.errors import InputError, Item, ModelFileError, Place
from rosenblatt.plurals import count
from rosenblatt.tables.readers.formats import SENTENCES, listed, names_of

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.tables.readers.sentence_blocks import SentenceBlock, SentenceReader
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

option = in_section("Reading the data")
OPTIONS = (
    option(
        "--target",
        "--column",
        metavar="COL",
        help="Column of the tags: its name in CoNLL-U, its number from 1, or last.  [default: "
        "upos; in other columns the last; with a model as in training]",
    ),
    option(
        "--inputs",
        metavar="COLS",
        help="Columns to tag by, separated by commas, the word first.  [default: form; in other "
        "columns all before the tag; with a model as in training]",
    ),
    option(
        "--format",
        "kind",
        type=click.Choice(names_of(SENTENCES)),
        metavar="FORMAT",
        help=f"{listed(SENTENCES)} (one sentence per line).  [default: by the suffix of the name, "
        "otherwise by the first lines]",
    ),
    option(
        "--mark",
        metavar="TEXT",
        help="Delimiter between word and tag in text.  [default: /; with a model as in training]",
    ),
    *text_options("sentence"),
    option(
        "--max-tokens",
        type=Whole(1),
        help="Maximum number of words in a sentence.  [default: 100,000]",
    ),
)


# The same options in every command that reads sentences.
sentence_options = all_of(OPTIONS)


@dataclass(frozen=True)
class SentenceReading:
    """Values of the options for reading sentences."""

    target: str | None = None
    inputs: str | None = None
    kind: str | None = None
    mark: str | None = None
    encoding: str | None = None
    on_bad: str = "fail"
    max_line_bytes: int | None = None
    max_tokens: int | None = None

    def reader(
        self,
        paths: Sequence[str],
        like: SentenceLayout | None = None,
        *,
        labelled: bool,
        tags: Collection[str] = (),
        keep_lines: bool = False,
    ) -> SentenceReader:
        """Open a reader of sentences; `like` and `tags` are the layout and the tags of a tagger."""
        from rosenblatt.tables.readers.sentence_reader import iter_sentences

        more: Any = {"labelled": labelled, "tags": tags, "keep_lines": keep_lines}
        reader = iter_sentences(list(paths), like, **self.for_shards(), **more)
        watch_bad_rows(reader)
        return reader

    def for_shards(self) -> dict[str, Any]:
        """Return the options that are set, as arguments of a sentence reader."""
        inputs = None if self.inputs is None else [c.strip() for c in self.inputs.split(",")]
        settings: dict[str, Any] = {"format": self.kind, "target": self.target, "inputs": inputs}
        settings |= {"mark": self.mark, "on_bad": self.on_bad, "encoding": self.encoding}
        settings |= {"max_line_bytes": self.max_line_bytes, "max_tokens": self.max_tokens}
        return {name: value for name, value in settings.items() if value is not None}


def tell_of_skipped(reader: SentenceReader, fate: str) -> None:
    """Print a warning with the number of bad sentences, if any, and the first error."""
    if reader.skipped:
        first = str(reader.first_faults[0]).splitlines()[0]
        bad = count(reader.skipped, "bad sentence was", "bad sentences were")
        say([f"warning: {bad} {fate}; the first: {first}"], err=True)


# ---------------------------------------------------------------------- taggers


def open_tagger(path: str, n_jobs: int | None = None) -> Model:
    """Open a tagger that predicts with ``n_jobs`` threads; raise if the model is not a tagger."""
    model = open_model(path, n_jobs=n_jobs, taggers=True)
    if not model.tags_sentences:
        raise ModelFileError(
            f"{path}: a model for rows ({model.state.card.learner}), not a tagger. Use rosenblatt "
            "predict or rosenblatt evaluate; rosenblatt tag train makes taggers."
        )
    return model


def layout_of(model: Model) -> SentenceLayout:
    """Return the layout of a tagger's files (columns of words and tags); raise if it has none."""
    try:
        layout: SentenceLayout | None = model.learner.schema_
    except ModelFileError as error:
        raise ModelFileError(f"{model.path}: {error}") from None
    if layout is None:
        raise ModelFileError(
            f"{model.path}: the tokens of this tagger are mappings of features, which files do not "
            "hold. Load it in Python (rosenblatt.load)."
        )
    return layout


def predict_block(
    tagger: SequenceTagger, reader: SentenceReader, block: SentenceBlock
) -> list[list[str]]:
    """Tag the sentences of a block; an error about a sentence names its file and line."""
    try:
        return tagger.predict(block.sentences)
    except InputError as error:
        if isinstance(error.where, Item):
            error.where = Place(reader.source, int(block.lines[error.where.number]))
        raise
