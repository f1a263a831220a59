"""Sequence taggers: the model and its trainer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.tags import tag_learning, tag_search
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import ParameterError
from rosenblatt.models import epochs
from rosenblatt.models.model import WeightModel
from rosenblatt.models.sentences import Encoder
from rosenblatt.models.structured_ledger import TagEntry, with_tags

UPDATES = {
    "whole": tag_learning.WHOLE,
    "early": tag_learning.EARLY,
    "violation": tag_learning.VIOLATION,
}
# Sentences learned between two checks for a requested stop. With n tags and
# order k there are at most TAGS_AT_A_TIME / n^k.
SENTENCES_AT_A_TIME = 1 << 14
TAGS_AT_A_TIME = 1 << 19
# Minimum number of weight rows reserved when there is no room for a sentence.
MIN_ROOM = 1024
# The tag of all tokens of a sentence for which no sequence of tags is allowed.
NO_TAG = -2


class TagModel(WeightModel[TagWeights]):
    """State of a tagger: tags (its classes), weights of features and transitions, the encoder.

    Attributes
    ----------
    order : int
        The number of previous tags that the score of a tag depends on, 1 or 2.
    encoder : Encoder
        Copies share it, until they learn (`for_learning`).
    dictionary : ndarray or None
        For each known word the only tag that it can have, or -1.
    is_private : bool
        Whether only one learner has this model, which may then change it in place.
    """

    weights: TagWeights
    start: TagWeights | None
    recorder: list[TagEntry] | None

    def __init__(self, order: int, seed: int, encoder: Encoder) -> None:
        super().__init__((), seed)
        self.order = order
        self.encoder = encoder
        self.weights = TagWeights(0, order)
        self._average: TagWeights | None = None
        self.recorder = None
        self.start = None
        self.is_private = False
        self.dictionary: npt.NDArray[np.int32] | None = None

    def copy(self) -> Self:
        """Return a copy with its own weights and the same encoder."""
        twin = super().copy()
        if self.dictionary is not None:
            twin.dictionary = self.dictionary.copy()
        twin.is_private = False
        return twin

    def _new_recorder(self) -> list[TagEntry]:
        return []

    def for_learning(self) -> Self:
        """Return a copy for learning, which also has its own encoder."""
        twin = self.copy()
        twin.encoder = self.encoder.copy()
        return twin

    def served(self, *, averaged: bool) -> TagWeights:
        """Return the weights that predict.

        They are those of the best epoch if these were kept, otherwise the average or the last. The
        average is computed once for each state.
        """
        if self.best is not None:
            return self.best
        if not averaged:
            return self.weights
        if self._average is None or self._average.t != self.weights.t:
            self._average = self.weights.averaged()
        return self._average

    @property
    def tags(self) -> list[str]:
        """Return the tags, ordered by index."""
        return self.classes

    @tags.setter
    def tags(self, tags: list[str]) -> None:
        self._name_classes(tags)

    def admit_all(self, tags: Iterable[Any]) -> None:
        """Add the new tags in sorted order; the indices of the old ones stay the same."""
        # Texts of NumPy become plain ones.
        new = sorted(map(str, set(tags) - set(self.tags)))
        if not new:
            return
        self._name_classes([*self.tags, *new])
        try:
            self.weights = with_tags(self.weights, len(self.tags))
        except MemoryError:
            raise ParameterError(
                f"order={self.order} needs a score for every {self.order + 1} tags in a row, which "
                f"for {len(self.tags):,} tags is more than the memory holds."
                + (" Use order 1." if self.order == 2 else "")
            ) from None

    def numbers(self, tagged: list[list[str]]) -> npt.NDArray[np.int32]:
        """Return the tag indices of all tokens."""
        return tag_numbers(self.slots, tagged)

    def learn_dictionary(
        self, least: int | None, encoded: Encoded, gold: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32] | None:
        """Build the dictionary of frequent words with a single tag; return each token's only tag.

        A word must occur ``least`` times. If it is None, there is no dictionary, and None is
        returned.
        """
        if least is None or encoded.words is None:
            self.dictionary = None
            return None
        words = encoded.words
        n = int(words.max()) + 1
        counts = np.bincount(words, minlength=n)
        # Assigned backwards, so that the tag of the first occurrence remains.
        first = np.full(n, -1, np.int32)
        first[words[::-1]] = gold[::-1]
        # Words that have another tag somewhere than at first.
        is_ambiguous = np.zeros(n, bool)
        is_ambiguous[words[gold != first[words]]] = True
        is_fixed = (counts >= least) & ~is_ambiguous
        self.dictionary = np.where(is_fixed, first, -1).astype(np.int32)
        return self.only(encoded)

    def find_tags(
        self,
        weights: TagWeights,
        encoded: Encoded,
        beam: int,
        allowed: npt.NDArray[np.bool_] | None,
    ) -> npt.NDArray[np.int32]:
        """Return the best tags of all tokens; `NO_TAG` if no sequence for a sentence is allowed."""
        search = tag_search.Search(weights, beam=beam, allowed=allowed)
        found, scores = tag_search.best_tags(weights, search, encoded, self.only(encoded))
        if allowed is not None:
            for sentence in np.flatnonzero(scores == -np.inf):
                found[encoded.starts[sentence] : encoded.starts[sentence + 1]] = NO_TAG
        return found

    def only(self, encoded: Encoded) -> npt.NDArray[np.int32] | None:
        """Return the only possible tag of each token, or -1; None if there is no dictionary."""
        if self.dictionary is None or encoded.words is None:
            return None
        # Words that came later have the number after the last, whose entry is -1.
        known = len(self.dictionary)
        places = np.minimum(encoded.words, known)
        return np.append(self.dictionary, np.int32(-1))[places]


def tag_numbers(slots: Mapping[str, int], tagged: list[list[str]]) -> npt.NDArray[np.int32]:
    """Return the tag indices of all tokens, one sentence after the other."""
    return np.array([slots[tag] for sentence in tagged for tag in sentence], np.int32)


def joining_tags(
    known: Iterable[str], declared: Iterable[str], tagged: list[list[str]]
) -> list[tuple[int, list[str]]]:
    """Return the sentences at which new tags join: pairs of sentence index and new tags.

    Declared tags join at the first sentence, others at the first sentence that has them, in their
    natural order. The first entry is that of sentence 0, whether or not a tag joins there.
    """
    seen = set(known)
    new = sorted(map(str, {*declared, *tagged[0]} - seen))
    found = [(0, new)]
    seen.update(new)
    for number, tags in enumerate(tagged):
        if not seen.issuperset(tags):
            new = sorted(map(str, set(tags) - seen))
            found.append((number, new))
            seen.update(new)
    return found


class RightTags(NamedTuple):
    """The right tags of sentences, and the constraints on them.

    ``gold`` holds the tag indices of all tokens, also of tags that join during learning,
    ``visited`` the sentences that keep to the constraints, and ``allowed`` which tag may follow
    which, if there are constraints.
    """

    gold: npt.NDArray[np.int32]
    visited: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.bool_] | None


@dataclass(frozen=True)
class TagBatch:
    """Encoded sentences that are ready to be learned from, after all checks.

    ``only`` has the only tag that each token can have, or -1. ``first_row`` is the number of the
    first sentence in a ledger.
    """

    encoded: Encoded
    right: RightTags
    only: npt.NDArray[np.int32] | None
    first_row: int
    beam: int
    update: str
    C: float

    def trainer(self, model: TagModel, start: int, stop: int) -> TagTrainer:
        """Return a trainer for sentences ``start`` to ``stop - 1`` and the model's present tags."""
        visited = self.right.visited
        first, last = np.searchsorted(visited, [start, stop])
        allowed = self.right.allowed
        if allowed is not None:
            n_tags = len(model.tags)
            # Tags that have not joined yet are cut out. The last two rows are the beginning and the
            # end of a sentence.
            rows = [*range(n_tags), len(allowed) - 2, len(allowed) - 1]
            allowed = np.ascontiguousarray(allowed[rows, :n_tags])
        return TagTrainer(model, self, visited[first:last], allowed)


class TagTrainer(epochs.Trainer):
    """Trainer of a tagger on a subset of the sentences, which changes the model in place."""

    def __init__(
        self,
        model: TagModel,
        batch: TagBatch,
        subset: npt.NDArray[np.int64],
        allowed: npt.NDArray[np.bool_] | None,
    ) -> None:
        encoded = batch.encoded
        super().__init__(len(encoded), subset)
        self.result.n_rows = None  # sentences are only counted by t
        self._model = model
        self._encoded = encoded
        self._gold = batch.right.gold
        self._only = batch.only
        self._update = UPDATES[batch.update]
        self._C = batch.C
        self._first_row = batch.first_row
        self._beam = batch.beam
        self._allowed = allowed
        model.weights.know(model.encoder.n_features)
        self._search = tag_search.Search(model.weights, beam=batch.beam, allowed=allowed)
        # Each feature of a sentence may need a row of weights.
        most_features = int(np.diff(encoded.feature_starts[encoded.starts]).max(initial=0))
        self._room = max(most_features, MIN_ROOM)
        sentences = TAGS_AT_A_TIME // max(1, len(model.tags) ** model.order)
        self._block = max(1, min(SENTENCES_AT_A_TIME, sentences))

    def reserve_rows(self) -> None:
        """Reserve weight rows for all features of the sentences, so that learning never pauses."""
        starts = self._encoded.feature_starts[self._encoded.starts]
        counts = np.diff(starts)[self.subset]
        self._model.weights.reserve(int(counts.sum()))

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        """Learn once from each sentence in ``order``; return the number of mistakes."""
        assert order is not None
        model = self._model
        encoded = self._encoded
        gold = self._gold
        at = 0
        tally = tag_learning.TagTally(model.recorder is not None)
        while at < len(order):
            at = tag_learning.learn(
                model.weights,
                self._search,
                encoded,
                self._only,
                gold,
                order,
                at,
                min(len(order), at + self._block),
                self._update,
                self._C,
                tally,
            )
            if tally.is_full:
                # The loop ended before a sentence that may need more rows of weights.
                model.weights.reserve(self._room)
            elif self.stops_at(at):
                break
        if model.recorder is not None:
            entries: list[TagEntry] = []
            for sentence, step, t, found in tally.log:
                first = encoded.starts[sentence]
                right = gold[first : first + len(found)].copy()
                entries.append((self._first_row + sentence, step, t, right, found))
            model.recorder.extend(entries)
        self.n_updates += tally.sentences
        model.n_mistakes += tally.sentences
        return int(tally.sentences)

    def errors(self, *, averaged: bool) -> int:
        """Count the sentences with a wrong tag, including those left out of training."""
        weights = self._model.served(averaged=averaged)
        found = self._model.find_tags(weights, self._encoded, self._beam, self._allowed)
        wrong = np.logical_or.reduceat(found != self._gold, self._encoded.starts[:-1])
        return int(np.count_nonzero(wrong))


def refuse_another_shape(model: TagModel, order: int, templates: Any) -> None:
    """Raise ParameterError if order or templates differ from those of the trained model."""
    if order != model.order:
        raise ParameterError(
            f"order={order}, but this tagger has learned with {model.order}. Continue with that, "
            "or start again with warm_start=False."
        )
    known = model.encoder.templates
    if templates is not None and known and tuple(templates) != known.texts:
        raise ParameterError(
            "templates are others than this tagger has learned with. Continue with those, or "
            "start again with warm_start=False."
        )
