"""A tagger in a file, and what the shell must know to feed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.tag.tag_layout import Layout
from rosenblatt.errors import InputError, Item, ModelFileError, Place

if TYPE_CHECKING:
    from rosenblatt import SequenceTagger

__all__ = ["SavedTagger", "opened_tagger", "tagged", "write_tagger"]

LEARNER = "SequenceTagger"


@dataclass
class SavedTagger:
    """What was read from a file; ``state`` has its card."""

    path: str
    tagger: SequenceTagger
    layout: Layout
    state: Any

    def knows(self, word: Any) -> bool:
        """Whether a word, the first of the inputs, was met in training."""
        return (word if isinstance(word, str) else word[0]) in self.tagger._encoder.known[0]


def opened_tagger(path: str) -> SavedTagger:
    """Read a tagger; another model is refused with the command that is meant for it."""
    from rosenblatt.model import learner_of, read

    state = read(path)
    card = state.card
    if card.learner != LEARNER:
        raise ModelFileError(
            f"{path}: a model for rows ({card.learner}), not a tagger. Use rosenblatt predict or "
            "rosenblatt evaluate; rosenblatt tag train makes taggers."
        )
    tagger = learner_of(state, path)
    try:
        layout = _layout(tagger) if card.schema is None else Layout.from_json(card.schema)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    return SavedTagger(path, tagger, layout, state)


def _layout(tagger: SequenceTagger) -> Layout:
    """Of a tagger that was trained in Python: its columns come first, the tags behind them."""
    encoder = tagger._encoder
    if encoder.kind == "mapping":
        raise ModelFileError(
            "the tokens of this tagger are mappings of features, which files do not hold. Load it "
            "in Python (rosenblatt.load)."
        )
    count = len(encoder.columns)
    return Layout("text" if count == 1 else "conll", count + 1, count, tuple(range(count)))


def write_tagger(tagger: SequenceTagger, path: str, layout: Layout, data: list[str] | None) -> Any:
    """Write a tagger with what the shell must know of its files; give back what was written."""
    from rosenblatt.model.file import write_learner

    return write_learner(tagger, path, data=data, schema=layout.to_json())


def tagged(tagger: SequenceTagger, sentences: list[Any], name: str, lines: Any) -> list[list[str]]:
    """The tags of sentences of a file; what cannot be answered is named with its line."""
    try:
        return tagger.predict(sentences)
    except InputError as error:
        if isinstance(error.where, Item):
            error.where = Place(name, int(lines[error.where.number]))
        raise
