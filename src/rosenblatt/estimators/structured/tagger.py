"""The sequence tagger: an averaged structured perceptron for the tags of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.engine.tags.tag_features import starts_of
from rosenblatt.engine.tags.tag_sentences import TagEngine
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import Message, ParameterError, Setting, shown
from rosenblatt.estimators.base import of_whole_state, unchanged_on_error
from rosenblatt.estimators.learner import Learner
from rosenblatt.estimators.params import n_jobs_option, option, seed_from
from rosenblatt.estimators.structured.tag_predictions import predicted_tags, tag_sentences
from rosenblatt.estimators.targets import read_pair
from rosenblatt.models import epochs
from rosenblatt.models.classes import declared_classes
from rosenblatt.models.constraints import allowed_steps, legal_sentences
from rosenblatt.models.result import Validation
from rosenblatt.models.sentences import (
    Encoder,
    read_pairs,
    read_sentences,
)
from rosenblatt.models.structured_ledger import TagLedger
from rosenblatt.models.tags import (
    RightTags,
    TagBatch,
    TagModel,
    TagTrainer,
    joining_tags,
    refuse_another_shape,
    tag_numbers,
)

if TYPE_CHECKING:
    from rosenblatt.arrays import IntArray
    from rosenblatt.estimators.structured.paths import PathExplanation
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

WIDEST_BEAM = 1 << 16
# Maximum number of sentences that are learned in place: one compiled call, which nothing interrupts
# half-way. With more of them the copy of a model costs little compared with learning.
SENTENCES_IN_PLACE = 64


def check_texts(name: str, value: object) -> None:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        what = f"{name}={shown(value)} is not allowed"
        raise ParameterError(f"{what}: give a list of texts, or None.")


class SequenceTagger(Learner):
    """The averaged structured perceptron for sequences of tags.

    ``score(x, y) = Σ w·features(token, tag) + Σ step(tag before, tag)``: the best of all sequences
    is found by dynamic programming. Where it is wrong, the weights of the features of the right
    tags rise by 1 and those of the tags found fall by 1.

    Cost: a token takes a row of tag scores for each of its features and n_tags² steps; memory is a
    row for every feature that was ever on a wrong path.

    Parameters
    ----------
    templates : sequence of str, default=None
        Feature templates of a token, such as ``"w[0].lower"`` or ``"pos[-1]|pos[0]"``: a column, an
        offset in tokens, a property of the word; ``|`` joins several. None is a good set for words,
        or for words with parts of speech. Tokens that are mappings take none.
    columns : sequence of str, default=None
        Names of the parts of a token; None is ``w`` for words, ``w, pos, c2 …`` for tuples.
    search : {"viterbi", "beam", "greedy"}, default="viterbi"
        Search for the best tags: "viterbi" compares all sequences, "beam" continues the best
        ``beam`` beginnings at each token, and "greedy" only the best one.
    order : {1, 2}, default=1
        Number of previous tags that the score of a tag depends on.
    beam : int, default=8
        Number of beginnings of a sentence that beam search keeps.
    update : {"auto", "whole", "early", "violation"}, default="auto"
        Part of a wrongly tagged sentence to learn from: "whole" is all of it; with a beam "early"
        ends where the right tags fell off it, and "violation" where they were furthest behind.
        "auto" is "whole" for Viterbi, otherwise "violation".
    rule : {"perceptron", "mira"}, default="perceptron"
        Length of the steps: "perceptron" takes steps of 1; "mira" takes the smallest step after
        which the right tags win by as many points as there were wrong ones, at most ``C``, also if
        they won by less before.
    C : float, default=0.1
        Maximum length of a step of "mira".
    constraints : {"BIO", "BIOES"} or mapping, default=None
        Tags that may follow each tag; others are never predicted, and training sentences that break
        these rules are left out, with a warning. A mapping has for each tag (None: the beginning)
        the tags that may follow; after a tag that is not in it all may.
    tag_dictionary : int or None, default=None
        Words seen at least so often in the last ``fit`` or ``partial_fit``, always with the same
        tag, get only that tag, unless the constraints then leave no sequence.
    averaged : bool, default=True
        Predict with the mean of the weights after every sentence, not with the last weights.
    max_iter : int, default=10
        Maximum number of epochs of ``fit``.
    record : bool, default=False
        Record every mistake in ``ledger_``.
    n_jobs : int or None, default=None
        Number of threads that tag sentences in ``predict``: None is 1, -1 all processors. Results
        are the same.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_iter_no_change : int, default=5
        Epochs to wait for an improvement before stopping: of the score on held-out rows, if there
        are any; otherwise of the number of mistakes, unless it is known to reach 0. Rules that aim
        at a margin also train so many epochs after the first one without a mistake.
    warm_start : bool, default=False
        Continue ``fit`` from the state of the last call, exactly as if it had not ended. If a
        learner has ``average="tail"`` or ``calibrate``, they count only the epochs of this
        call.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Sentences seen, over all epochs and calls.
    n_mistakes_ : int
        Sentences that were not entirely right, over all epochs and calls; with "mira" those that
        were not right by a margin.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "early_stopping" or "max_iter".
    validation_scores_ : list of float
        Share of right tags in the validation set after each epoch, if there was one.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    tags_ : list of str
        The tags in order.
    n_features_ : int
        Number of features seen in training.
    ledger_ : TagLedger
        Every mistake in order, with ``record=True``.

    See Also
    --------
    StructuredPerceptron : Any outputs, any search; slower.

    References
    ----------
    M. Collins (2002), "Discriminative training methods for hidden Markov models", EMNLP.
    L. Huang, S. Fayong and Y. Guo (2012), "Structured perceptron with inexact search", NAACL.

    Examples
    --------
    >>> from rosenblatt import SequenceTagger
    >>> sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "barks"]]
    >>> tags = [["DET", "NOUN", "VERB"]] * 3
    >>> tagger = SequenceTagger().fit(sentences, tags)
    >>> tagger.stop_reason_, tagger.predict([["a", "dog", "sleeps"]])
    ('separated', [['DET', 'NOUN', 'VERB']])
    """

    templates: Any = option(
        default=None,
        type="sequence of str",
        check=check_texts,
        accepts=lambda value: value is None,
        help="""
        Feature templates of a token, such as ``"w[0].lower"`` or ``"pos[-1]|pos[0]"``: a column, an
        offset in tokens, a property of the word; ``|`` joins several. None is a good set for words,
        or for words with parts of speech. Tokens that are mappings take none.""",
    )
    columns: Any = option(
        default=None,
        type="sequence of str",
        check=check_texts,
        accepts=lambda value: value is None,
        help="Names of the parts of a token; None is ``w`` for words, ``w, pos, c2 …`` for tuples.",
    )
    search: str = option(
        default="viterbi",
        choices=("viterbi", "beam", "greedy"),
        help="""
        Search for the best tags: "viterbi" compares all sequences, "beam" continues the best
        ``beam`` beginnings at each token, and "greedy" only the best one.""",
    )
    order: int = option(
        default=1,
        choices=(1, 2),
        help="Number of previous tags that the score of a tag depends on.",
    )
    beam: int = option(
        default=8,
        at_least=1,
        at_most=WIDEST_BEAM,
        cure=Message(Setting("search", "viterbi"), " looks at all sequences"),
        help="Number of beginnings of a sentence that beam search keeps.",
    )
    update: str = option(
        default="auto",
        choices=("auto", "whole", "early", "violation"),
        help="""
        Part of a wrongly tagged sentence to learn from: "whole" is all of it; with a beam "early"
        ends where the right tags fell off it, and "violation" where they were furthest behind.
        "auto" is "whole" for Viterbi, otherwise "violation".""",
    )
    rule: str = option(
        default="perceptron",
        choices=("perceptron", "mira"),
        help="""
        Length of the steps: "perceptron" takes steps of 1; "mira" takes the smallest step after
        which the right tags win by as many points as there were wrong ones, at most ``C``, also if
        they won by less before.""",
    )
    C: float = option(default=0.1, above=0.0, help='Maximum length of a step of "mira".')
    constraints: Any = option(
        default=None,
        type='{"BIO", "BIOES"} or mapping',
        help="""
        Tags that may follow each tag; others are never predicted, and training sentences that break
        these rules are left out, with a warning. A mapping has for each tag (None: the beginning)
        the tags that may follow; after a tag that is not in it all may.""",
    )
    tag_dictionary: int | None = option(
        default=None,
        at_least=1,
        help="""
        Words seen at least so often in the last ``fit`` or ``partial_fit``, always with the same
        tag, get only that tag, unless the constraints then leave no sequence.""",
    )
    averaged: bool = option(
        default=True,
        help="""
        Predict with the mean of the weights after every sentence, not with the last weights.""",
    )
    max_iter: int = option(default=10, at_least=1, help="Maximum number of epochs of ``fit``.")
    record: bool = option(default=False, help="Record every mistake in ``ledger_``.")
    n_jobs: int | None = n_jobs_option("tag sentences in ``predict``")

    predicts_by = ("averaged", "search", "beam", "constraints")
    layout = "rosenblatt.persistence.tag_layout:TagLayout"

    def check_parameters(self) -> None:
        """Raise a ParameterError if a parameter, or a combination of parameters, is not allowed."""
        super().check_parameters()
        if self.search == "viterbi" and self.update in ("early", "violation"):
            raise ParameterError(
                f"update={self.update!r} is for a search that can lose the right tags. Use "
                "search='beam', or update='whole'."
            )

    @property
    def _beam(self) -> int:
        return {"viterbi": 0, "greedy": 1}.get(self.search, int(self.beam))

    @property
    def _update(self) -> str:
        auto = "whole" if self.search == "viterbi" else "violation"
        return auto if self.update == "auto" else self.update

    # ------------------------------------------------------------------ learning

    def fit(self, sentences: Any, tags: Any, validation_set: tuple[Any, Any] | None = None) -> Self:
        """Train on all sentences, epoch by epoch, until a stopping criterion is met.

        Parameters
        ----------
        sentences : list of lists of tokens
            Tokens are words, tuples of words, or mappings of features.
        tags : list of lists of str
            A tag for each token.
        validation_set : tuple (sentences, tags), default=None
            Sentences to watch: the weights of the epoch that tags them best are kept, and training
            ends when they are no longer tagged better. Tags not seen in training count as wrong.

        Returns
        -------
        self : learner
        """
        with unchanged_on_error(self):
            listed, tagged = self._read(sentences, tags)
            goes_on = bool(self.warm_start) and self.__sklearn_is_fitted__()
            model = self._model.for_learning() if goes_on else self._new_model(listed)
            self._refuse_another_model(model)
            model.admit_all(chain.from_iterable(tagged))
            encoded = model.encoder.encode(listed, learning=True)
            trainer = self._trainer(model, encoded, tagged)
            validation = self._validation(model, validation_set)
            self._run(model, trainer, validation, lambda: trainer.errors(averaged=self.averaged))
            model.is_private = True
        return self

    def partial_fit(self, sentences: Any, tags: Any, classes: Any = None) -> Self:
        """Learn from each sentence once, in the given order, continuing from the current model.

        Parameters
        ----------
        sentences : list of lists of tokens
        tags : list of lists of str
            Tags not seen before may come.
        classes : list of str, default=None
            Tags to know of from the start.

        Returns
        -------
        self : learner
        """
        with unchanged_on_error(self) as turn:
            listed, tagged = self._read(sentences, tags)
            fitted: TagModel | None = self._model if self.__sklearn_is_fitted__() else None
            known = () if fitted is None else fitted.tags
            joins = joining_tags(known, declared_classes(classes), tagged)

            if fitted is None:
                model = self._new_model(listed)
            elif len(listed) <= SENTENCES_IN_PLACE and joins == [(0, [])]:
                # Whoever reads may hand the model out, so that nobody may when this is asked.
                turn.change_in_place()
                model = fitted if fitted.is_private else fitted.for_learning()
            else:
                model = fitted.for_learning()

            if model is fitted:
                self.retire_engine()
            self._learn_in_order(model, listed, tagged, joins)
            if model is not fitted:
                self._model = model
                model.is_private = True
            self._forget_fit()
        return self

    def learn_one(self, sentence: Any, tags: Any, classes: Any = None) -> Self:
        """Learn from one sentence, as `partial_fit` does.

        Its cost does not grow with what was learned before, unless the sentence brings a new tag or
        somebody else has the model: a copy, or a ledger.
        """
        return self.partial_fit([sentence], [tags], classes)

    def _read(self, sentences: Any, tags: Any) -> tuple[list[Any], list[list[str]]]:
        """Check the parameters, and return valid sentences and tags as lists."""
        self.check_parameters()
        return read_pairs(sentences, tags)

    def _new_model(self, listed: list[Any]) -> TagModel:
        encoder = Encoder.for_tokens(listed, self.templates, self.columns)
        return TagModel(int(self.order), seed_from(self.random_state), encoder)

    @of_whole_state
    def __copy__(self) -> Self:
        return super().__copy__()

    def _copied(self) -> dict[str, Any]:
        # A copy shares the model, so that neither may change it in place from here on.
        if self.__sklearn_is_fitted__():
            self._model.is_private = False
        return super()._copied()

    def _trainer(self, model: TagModel, encoded: Encoded, tagged: list[list[str]]) -> TagTrainer:
        """Return a trainer for all of these sentences, whose tags the model already has."""
        right = self._right_tags(tagged, encoded.starts, model.tags)
        return self._batch(model, encoded, right).trainer(model, 0, len(encoded))

    def _learn_in_order(
        self,
        model: TagModel,
        listed: list[Any],
        tagged: list[list[str]],
        joins: list[tuple[int, list[str]]],
    ) -> None:
        """Learn from each sentence once; new tags join at the sentence where they first occur."""
        self._refuse_another_model(model)
        tags = [*model.tags, *chain.from_iterable(new for _, new in joins)]
        right = self._right_tags(tagged, starts_of(listed), tags)
        encoded = model.encoder.encode(listed, learning=True)

        # Nothing is rejected from here on.
        batch = self._batch(model, encoded, right)
        ends = [*(number for number, _ in joins[1:]), len(listed)]
        for (start, new), stop in zip(joins, ends, strict=True):
            model.admit_all(new)
            trainer = batch.trainer(model, start, stop)
            trainer.reserve_rows()
            epochs.one_pass(trainer, trainer.subset)
        model.next_row = batch.first_row + len(listed)

    def _refuse_another_model(self, model: TagModel) -> None:
        """Raise an error if parameters do not match the model or its kind of tokens."""
        model.refuse_slim()
        refuse_another_shape(model, self.order, self.templates)
        if model.encoder.kind == "mapping" and self.tag_dictionary is not None:
            raise ParameterError(
                "tag_dictionary is for words and tuples, but these tokens are mappings of "
                "features. Leave it at None."
            )

    def _right_tags(self, tagged: list[list[str]], starts: IntArray, tags: list[str]) -> RightTags:
        """Return the right tags as indices into `tags`, and the sentences to learn from."""
        gold = tag_numbers({tag: place for place, tag in enumerate(tags)}, tagged)
        allowed = allowed_steps(self.constraints, tags)
        visited = np.arange(len(tagged))
        if allowed is not None:
            visited = legal_sentences(allowed, gold, starts, tags)
        return RightTags(gold, visited, allowed)

    def _batch(self, model: TagModel, encoded: Encoded, right: RightTags) -> TagBatch:
        """Return sentences ready to be learned from; this may change the model."""
        model.best = None
        model.keep_record(bool(self.record))
        return TagBatch(
            encoded,
            right,
            model.learn_dictionary(self.tag_dictionary, encoded, right.gold),
            first_row=model.next_row,
            beam=self._beam,
            update=self._update,
            C=float(self.C) if self.rule == "mira" else 0.0,
        )

    def _validation(
        self, model: TagModel, validation_set: tuple[Any, Any] | None
    ) -> Validation | None:
        if validation_set is None:
            return None
        sentences, tags = read_pair(validation_set, "(sentences, tags), as for fit")
        listed, tagged = read_pairs(sentences, tags, argument="validation_set")
        encoded = model.encoder.encode(listed)
        allowed = allowed_steps(self.constraints, model.tags)
        gold = np.array(
            [model.slots.get(tag, -1) for sentence in tagged for tag in sentence], np.int32
        )

        def score() -> float:
            weights = model.weights.averaged() if self.averaged else model.weights
            return float(np.mean(model.find_tags(weights, encoded, self._beam, allowed) == gold))

        def keep() -> TagWeights:
            return model.weights.averaged() if self.averaged else model.weights.copy()

        return Validation(score, keep, int(self.n_iter_no_change))

    # ------------------------------------------------------------------ predicting

    def predict(self, sentences: Any) -> list[list[str]]:
        """Predict the tags of each sentence.

        Parameters
        ----------
        sentences : list of lists of tokens

        Returns
        -------
        tags : list of lists of str
            An empty list for a sentence without tokens.
        """
        engine: TagEngine | None = self.__dict__.get("_engine")
        if engine is not None and self.n_jobs is None:
            found = engine.tag(sentences, self._turns)
            if found is not None:
                return found
        return self._tags_of(sentences)

    @of_whole_state
    def _tags_of(self, sentences: Any) -> list[list[str]]:
        """Predict the tags of each sentence, including those that the fast path cannot read."""
        return predicted_tags(self, sentences)

    def before_learning(self) -> None:
        """Keep the fast path open: it predicts with the old model until that changes."""

    def retire_engine(self) -> None:
        engine: TagEngine | None = self.__dict__.pop("_engine", None)
        if engine is not None:
            engine.close()

    def predict_one(self, sentence: Any) -> list[str] | None:
        """Predict the tags of one sentence; None if the tagger is not fitted."""
        return self.predict([sentence])[0] if self.__sklearn_is_fitted__() else None

    def _predict(self, model: TagModel, weights: TagWeights, sentences: Any) -> list[list[str]]:
        allowed = allowed_steps(self.constraints, model.tags)
        listed = read_sentences(sentences, may_be_empty=True)
        return tag_sentences(
            model,
            weights,
            listed,
            beam=self._beam,
            allowed=allowed,
            n_jobs=self.n_jobs,
        )

    def score(self, sentences: Any, tags: Any) -> float:
        """Accuracy: the share of tokens that get the right tag."""
        listed, tagged = read_pairs(sentences, tags)
        found = chain.from_iterable(self.predict(listed))
        right = chain.from_iterable(tagged)
        hits = [tag == wanted for tag, wanted in zip(found, right, strict=True)]
        return sum(hits) / len(hits)

    @of_whole_state
    def explain(
        self,
        sentence: Any,
        tags: Sequence[str] | None = None,
        *,
        top: int | None = None,
        sentences: Any = None,
    ) -> PathExplanation:
        """Explain the tags of a sentence: the score of every choice, by feature and past mistake.

        Parameters
        ----------
        sentence : list of tokens
        tags : list of str, default=None
            Other tags to compare with, such as the right ones.
        top : int, default=None
            Keep so many of the largest parts and join the others into one.
        sentences : list of lists of tokens, default=None
            What was learned from, to weigh past mistakes when ``record=True``.

        Returns
        -------
        explanation : PathExplanation
            Print it for the path, or look at its contributions for the features.
        """
        from rosenblatt.estimators.structured.paths import explain_tags

        return explain_tags(self, sentence, tags, sentences).cut(top)

    # ------------------------------------------------------------------ what was learned

    @property
    @of_whole_state
    def tags_(self) -> list[str]:
        """The tags in order."""
        return list(self._fitted().tags)

    @property
    @of_whole_state
    def schema_(self) -> SentenceLayout | None:
        """The layout of words and tags in a file: that of training, one that was set, or a default.

        The default follows from the tokens; None for mappings, which files do not hold. A layout
        that is set is saved with the tagger.
        """
        return layout_of(self._fitted().schema, self._model.encoder)

    @schema_.setter
    def schema_(self, layout: SentenceLayout | None) -> None:
        with unchanged_on_error(self) as turn:
            model = self._fitted()
            described = None if layout is None else layout.to_json()
            turn.change_in_place()
            model.schema = described

    @of_whole_state
    def knows(self, token: Any) -> bool:
        """Return whether the word of a token (itself or its first part) occurred in training."""
        self._refuse_unfitted()
        encoder: Encoder = self._model.encoder
        return encoder.knows(token)

    @property
    @of_whole_state
    def n_features_(self) -> int:
        """Number of features that occurred in training."""
        encoder: Encoder = self._fitted().encoder
        return encoder.n_features

    @property
    @of_whole_state
    def ledger_(self) -> TagLedger:
        """The ledger of every mistake, in order; only with ``record=True``."""
        return TagLedger(self._recorded(), copy(self)._predict)


def layout_of(kept: Any, encoder: Encoder) -> SentenceLayout | None:
    """Return the layout that was stored with a tagger, or the default one for its tokens.

    Words are text, a sentence a line, tuples are columns with the tags behind them; mappings stand
    in no file.
    """
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

    if kept is not None:
        return SentenceLayout.from_json(kept)
    if encoder.kind == "mapping":
        return None
    n = len(encoder.columns)
    return SentenceLayout("text" if n == 1 else "conll", n + 1, n, tuple(range(n)))
