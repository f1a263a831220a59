"""Taggers in files, as the commands for tags use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.errors import InputError, Item, ModelFileError, Place

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger
    from rosenblatt.io import SentenceLayout
    from rosenblatt.io.sentence_blocks import SentenceBlock, SentenceReader

__all__ = ["layout_of", "open_tagger", "predict_block"]


def open_tagger(path: str) -> Model:
    """Read a tagger; another model is refused with the command that is meant for it."""
    model = open_model(path, taggers=True)
    if not model.tags_sentences:
        raise ModelFileError(
            f"{path}: a model for rows ({model.state.card.learner}), not a tagger. Use rosenblatt "
            "predict or rosenblatt evaluate; rosenblatt tag train makes taggers."
        )
    return model


def layout_of(model: Model) -> SentenceLayout:
    """Where words and tags stand in the files of a tagger."""
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
    """The tags of a block just read; a sentence that cannot be tagged is named with its line."""
    try:
        return tagger.predict(block.sentences)
    except InputError as error:
        if isinstance(error.where, Item):
            error.where = Place(reader.source, int(block.lines[error.where.number]))
        raise
