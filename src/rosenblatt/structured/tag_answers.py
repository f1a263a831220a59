"""How a tagger answers, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags import tag_search
from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.errors import InputError, Item
from rosenblatt.structured.constraints import allowed_steps
from rosenblatt.structured.ledger import TagLedger
from rosenblatt.structured.paths import PathExplanation, explained
from rosenblatt.structured.sentences import Encoded, Encoder, read_pairs, read_sentences
from rosenblatt.structured.tagging import TagModel

__all__ = ["TagAnswers"]

NO_TAG = -2  # of all tokens of a sentence for which no sequence of tags is allowed


class TagAnswers:
    """Tags, scores and reasons; nothing is learned here."""

    _model: TagModel
    _encoder: Encoder
    averaged: bool
    beam: int
    constraints: Any
    search: str

    check_parameters: Any
    get_params: Any
    _fitted: Any
    _run: Any
    _refuse_unfitted: Any
    set_params: Any

    @property
    def _beam(self) -> int:
        return {"viterbi": 0, "greedy": 1}.get(self.search, int(self.beam))

    def _weights(self) -> TagWeights:
        return self._model.served(averaged=self.averaged)

    def _found(
        self,
        weights: TagWeights,
        encoded: Encoded,
        only: npt.NDArray[np.int32] | None,
        allowed: npt.NDArray[np.bool_] | None,
    ) -> npt.NDArray[np.int32]:
        search = tag_search.Search(weights, beam=self._beam, allowed=allowed)
        found, scores = tag_search.best_tags(
            weights,
            search,
            encoded.starts,
            encoded.feature_starts,
            encoded.features,
            encoded.values,
            only,
        )
        for sentence in np.flatnonzero(scores == -np.inf):
            found[encoded.starts[sentence] : encoded.starts[sentence + 1]] = NO_TAG
        return found

    def predict(self, sentences: Any) -> list[list[str]]:
        """The tags of each sentence.

        Parameters
        ----------
        sentences : list of lists of tokens

        Returns
        -------
        tags : list of lists of str
        """
        self._refuse_unfitted()
        self.check_parameters()
        return self._predict(self._weights(), sentences)

    def _predict(self, weights: TagWeights, sentences: Any) -> list[list[str]]:
        listed = read_sentences(sentences)
        model = self._model
        encoded = self._encoder.encode(listed)
        allowed = allowed_steps(self.constraints, model.tags)
        tags = self._found(weights, encoded, model.only(encoded), allowed)
        if allowed is not None and (tags == NO_TAG).any():
            token = np.flatnonzero(tags == NO_TAG)[0]
            number = int(np.searchsorted(encoded.starts, token, side="right")) - 1
            raise InputError(
                f"the constraints allow no sequence of {len(listed[number])} of the tags that were "
                "seen in training.",
                where=Item("sentences", number),
            )
        found = tags.tolist()
        names, starts = model.tags, encoded.starts.tolist()
        return [[names[tag] for tag in found[first:last]] for first, last in pairwise(starts)]

    def tags_of(self, sentences: Any) -> list[list[str]]:
        """As `predict`; other threads run while the best sequences are searched for."""
        return self.predict(sentences)

    def score(self, sentences: Any, tags: Any) -> float:
        """The share of tokens that get the right tag."""
        listed, tagged = read_pairs(sentences, tags)
        found = self.predict(listed)
        pairs = [
            (a, b)
            for ours, right in zip(found, tagged, strict=True)
            for a, b in zip(ours, right, strict=True)
        ]
        return sum(a == b for a, b in pairs) / len(pairs)

    def explain(
        self, sentence: Any, tags: Sequence[str] | None = None, *, top: int | None = None
    ) -> PathExplanation:
        """Why a sentence got its tags: the score of every choice.

        Parameters
        ----------
        sentence : list of tokens
        tags : list of str, default=None
            Other tags to compare with, such as the right ones.
        top : int, default=None
            Keep so many of the largest contributions and join the others into one.

        Returns
        -------
        explanation : PathExplanation
            Print it for the path, or look at its contributions for the features.
        """
        self._refuse_unfitted()
        (listed,) = read_sentences([sentence], argument="sentence")
        predicted = self.predict([listed])[0]
        model = self._model
        compared = None
        if tags is not None:
            read_pairs([listed], [tags])
            compared = list(tags)
            unknown = set(compared) - set(model.tags)
            if unknown:
                raise InputError(f"the tag {unknown.pop()!r} was never seen in training.")
        weights, encoder = self._weights(), self._encoder
        return explained(weights, encoder, listed, model.tags, predicted, compared).cut(top)

    # ------------------------------------------------------------------ what was learned

    @property
    def tags_(self) -> list[str]:
        """The tags in order."""
        return list(self._fitted().tags)

    @property
    def n_features_(self) -> int:
        """Features met in training."""
        self._fitted()
        return self._encoder.n_features

    @property
    def ledger_(self) -> TagLedger:
        """Every mistake in order, when ``record=True``."""
        model = self._fitted()
        if model.recorder is None:
            raise AttributeError("no ledger was kept: set record=True before learning")
        return TagLedger(
            model.order,
            model.tags,
            model.recorder,
            self._encoder,
            self._predict,
            n_examples=int(model.weights.t),
            n_missing=model.n_mistakes - len(model.recorder),
            streamed="n_iter_" not in self.__dict__,
        )
