"""How a tagger learns: in epochs, or from sentences as they come."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.core.result import EpochCallback, Validation
from rosenblatt.errors import ParameterError
from rosenblatt.learner.outcome import FitOutcome, unchanged_on_error
from rosenblatt.learner.seeds import seed_from
from rosenblatt.structured.constraints import allowed_steps, legal_sentences
from rosenblatt.structured.sentences import Encoder, read_pairs
from rosenblatt.structured.tag_answers import TagAnswers
from rosenblatt.structured.tagging import TagModel, TagTrainer

__all__ = ["TagLearning"]


class TagLearning(TagAnswers, FitOutcome):
    """``fit`` and ``partial_fit``; refused sentences change nothing."""

    # The parameters that are used here.
    C: float
    columns: Any
    max_iter: int
    n_iter_no_change: int
    order: int
    random_state: Any
    record: bool
    rule: str
    shuffle: bool
    tag_dictionary: int | None
    templates: Any
    update: str
    verbose: int
    warm_start: bool

    @property
    def _update(self) -> str:
        if self.update != "auto":
            return self.update
        return "whole" if self.search == "viterbi" else "violation"

    def fit(
        self,
        sentences: Any,
        tags: Any,
        validation_set: tuple[Any, Any] | None = None,
        after_epoch: EpochCallback | None = None,
    ) -> Self:
        """Train on all sentences, epoch by epoch, until there is a reason to stop.

        Parameters
        ----------
        sentences : list of lists of tokens
            Tokens are words, tuples of words, or mappings of features.
        tags : list of lists of str
            A tag for each token.
        validation_set : tuple (sentences, tags), default=None
            Sentences to watch: the weights of the epoch that tags them best are kept, and training
            ends when they are no longer tagged better. Tags not seen in training count as wrong.
        after_epoch : callable, default=None
            Called after each epoch with its number, its mistakes and the share of right tags in the
            validation set, or None.

        Returns
        -------
        self : estimator
        """
        with unchanged_on_error(self):
            self._fit(sentences, tags, validation_set, after_epoch)
        return self

    def _fit(
        self,
        sentences: Any,
        tags: Any,
        validation_set: tuple[Any, Any] | None = None,
        after_epoch: EpochCallback | None = None,
    ) -> None:
        self.check_parameters()
        listed, tagged = read_pairs(sentences, tags)
        goes_on = bool(self.warm_start) and self.__sklearn_is_fitted__()
        if goes_on:
            self._refuse_another_shape()
            encoder, model = self._encoder.copy(), self._model.copy()
            model.best = None
        else:
            encoder = Encoder.for_tokens(listed, self.templates, self.columns)
            model = TagModel(int(self.order), seed_from(self.random_state))
        if encoder.kind == "mapping" and self.tag_dictionary is not None:
            raise ParameterError(
                "tag_dictionary is for words and tuples, but these tokens are mappings of "
                "features. Leave it at None."
            )
        model.admit_all({tag for sentence in tagged for tag in sentence})
        encoded = encoder.encode(listed, learning=True)
        gold = model.numbers(tagged)
        allowed = allowed_steps(self.constraints, model.tags)
        visited = np.arange(len(encoded))
        if allowed is not None:
            visited = legal_sentences(allowed, gold, encoded.starts, model.tags)
        only = model.learn_dictionary(self.tag_dictionary, encoded, gold)
        if self.record and model.recorder is None:
            model.recorder = []
        watch = self._watch(model, encoder, allowed, validation_set)
        trainer = TagTrainer(
            model,
            encoded,
            gold,
            only,
            visited,
            n_features=encoder.n_features,
            beam=self._beam,
            allowed=allowed,
            update=self._update,
            C=float(self.C) if self.rule == "mira" else 0.0,
        )
        self._run(model, trainer, watch, after_epoch)
        self._encoder = encoder

    def _refuse_another_shape(self) -> None:
        """What was learned has an order and templates, which cannot be changed on the way."""
        own, kept = int(self.order), self._model.order
        if own != kept:
            raise ParameterError(
                f"order={own}, but this tagger has learned with {kept}. Go on with that, or begin "
                "anew with warm_start=False."
            )
        known = self._encoder.templates
        if self.templates is not None and known and tuple(self.templates) != known.texts:
            raise ParameterError(
                "templates are others than this tagger has learned with. Go on with those, or "
                "begin anew with warm_start=False."
            )

    def _watch(
        self,
        model: TagModel,
        encoder: Encoder,
        allowed: npt.NDArray[np.bool_] | None,
        validation_set: tuple[Any, Any] | None,
    ) -> Validation | None:
        if validation_set is None:
            return None
        try:
            sentences, tags = validation_set
        except (TypeError, ValueError):
            raise ParameterError(
                "validation_set must be a pair (sentences, tags), as for fit."
            ) from None
        listed, tagged = read_pairs(sentences, tags, argument="validation_set")
        encoded = encoder.encode(listed)
        gold = np.array(
            [model.slots.get(tag, -1) for sentence in tagged for tag in sentence], np.int32
        )

        def score() -> float:
            weights = model.weights.averaged() if self.averaged else model.weights
            found = self._found(weights, encoded, model.only(encoded), allowed)
            return float(np.mean(found == gold))

        def keep() -> TagWeights:
            return model.weights.averaged() if self.averaged else model.weights.copy()

        return Validation(score, keep, int(self.n_iter_no_change))

    def partial_fit(self, sentences: Any, tags: Any) -> Self:
        """Learn from each sentence once, in the order given, starting from what was learned before.

        Parameters
        ----------
        sentences : list of lists of tokens
        tags : list of lists of str
            Tags not seen before may come.

        Returns
        -------
        self : estimator
        """
        with unchanged_on_error(self):
            kept = self.get_params(deep=False)
            self.set_params(max_iter=1, shuffle=False, warm_start=True)
            self._fit(sentences, tags)
            self.set_params(**kept)
            self._forget_fit()
        return self
