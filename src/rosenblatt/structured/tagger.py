"""A tagger: the best sequence of tags for a sentence, learned from its mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt import checks as check
from rosenblatt.errors import ParameterError
from rosenblatt.structured.saved import SavedTagger

__all__ = ["SequenceTagger"]

WIDEST_BEAM = 1 << 16


class SequenceTagger(SavedTagger):
    """The averaged structured perceptron for sequences of tags.

    ``score(x, y) = Σ w·features(token, tag) + Σ step(tag before, tag)``: the best of all sequences
    is found by dynamic programming. Where it is wrong, the weights of the features of the right
    tags rise by 1 and those of the tags found fall by 1.

    Cost: a token takes a row of tag scores for each of its features and n_tags² steps; memory is a
    row for every feature that was ever on a wrong path.

    Parameters
    ----------
    templates : sequence of str, default=None
        What the features of a token are, as ``"w[0].lower"`` or ``"pos[-1]|pos[0]"``: a column, how
        many tokens away, what is asked of the word; ``|`` takes things together. None is a good set
        for words, or for words with parts of speech. Tokens that are mappings have
        none.
    columns : sequence of str, default=None
        Names of the parts of a token; None is ``w`` for words, ``w, pos, c2 …`` for tuples.
    search : {"viterbi", "beam", "greedy"}, default="viterbi"
        All sequences; the best ``beam`` beginnings at each token; or the best one alone.
    order : {1, 2}, default=1
        How many tags before a tag its score looks at.
    beam : int, default=8
        Beginnings kept with ``search="beam"``.
    update : {"auto", "whole", "early", "violation"}, default="auto"
        What is learned from when the search errs: the whole sentence; with a beam the beginning up
        to where the right tags fell off it, or up to where they were furthest behind. "auto" is
        "whole" for Viterbi, else "violation".
    rule : {"perceptron", "mira"}, default="perceptron"
        Steps of 1; or the smallest step after which the right tags win by as many points as there
        were wrong ones, at most ``C``, also where they won by less.
    C : float, default=0.1
        Longest step of "mira".
    constraints : {"BIO", "BIOES"} or mapping, default=None
        Which tag may follow which; others are never answered, and training sentences that do not
        keep to it are left out, with a warning. A mapping has for each tag (None: the beginning)
        the tags that may follow; after tags that it does not have all may.
    tag_dictionary : int or None, default=None
        Words met so often in the last ``fit`` or ``partial_fit``, always with one tag, can have
        that tag only, unless the constraints leave no sequence then.
    averaged : bool, default=True
        Answer with the mean of the weights after every sentence, or with the last ones.
    max_iter : int, default=10
        Most epochs of a ``fit``.
    shuffle : bool, default=True
        Visit the sentences in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; the same seed gives the same bytes on every machine.
    n_iter_no_change : int, default=5
        With a ``validation_set``: epochs to wait for a better score on it.
    warm_start : bool, default=False
        Let ``fit`` go on from the state of the last call, exactly as if it had not ended.
    record : bool, default=False
        Keep the ledger of all mistakes in ``ledger_``.
    verbose : int, default=0
        1 shows the progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    tags_ : list of str
        The tags in order.
    n_features_ : int
        Features met in training.
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Sentences seen, over all epochs and calls.
    n_mistakes_ : int
        Sentences that were not wholly right, over all epochs and calls; with "mira" those that were
        not right by a margin.
    mistakes_per_epoch_ : list of int
        The same for each epoch of the last ``fit``.
    converged_ : bool
        Whether the last ``fit`` ended with an epoch without a mistake.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "early_stopping" or "max_iter".
    validation_scores_ : list of float
        Share of right tags in the validation set after each epoch, if there was one.
    best_iter_ : int
        The epoch whose weights were kept, if there was a validation set.
    ledger_ : TagLedger
        Every mistake in order, when ``record=True``.

    See Also
    --------
    StructuredPerceptron : Any answers, any search; slower.

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

    def __init__(
        self,
        *,
        templates: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        search: str = "viterbi",
        order: int = 1,
        beam: int = 8,
        update: str = "auto",
        rule: str = "perceptron",
        C: float = 0.1,
        constraints: Any = None,
        tag_dictionary: int | None = None,
        averaged: bool = True,
        max_iter: int = 10,
        shuffle: bool = True,
        random_state: Any = 0,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        record: bool = False,
        verbose: int = 0,
    ) -> None:
        self.templates = templates
        self.columns = columns
        self.search = search
        self.order = order
        self.beam = beam
        self.update = update
        self.rule = rule
        self.C = C
        self.constraints = constraints
        self.tag_dictionary = tag_dictionary
        self.averaged = averaged
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.record = record
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check.choice("search", self.search, "viterbi", "beam", "greedy")
        check.choice("update", self.update, "auto", "whole", "early", "violation")
        check.choice("rule", self.rule, "perceptron", "mira")
        if self.order not in (1, 2) or isinstance(self.order, bool):
            raise ParameterError(f"order={self.order!r} is not allowed: give 1 or 2.")
        check.whole("beam", self.beam, at_least=1)
        if self.beam > WIDEST_BEAM:
            raise ParameterError(
                f"beam={self.beam!r} is not allowed: give at most {WIDEST_BEAM:,}, or "
                "search='viterbi', which looks at all sequences."
            )
        if self.search == "viterbi" and self.update in ("early", "violation"):
            raise ParameterError(
                f"update={self.update!r} is for a search that can lose the right tags. Use "
                "search='beam', or update='whole'."
            )
        check.number("C", self.C, above=0.0)
        if self.tag_dictionary is not None:
            check.whole("tag_dictionary", self.tag_dictionary, at_least=1)
        for name in ("averaged", "shuffle", "warm_start", "record"):
            check.flag(name, getattr(self, name))
        check.whole("max_iter", self.max_iter, at_least=1)
        check.whole("n_iter_no_change", self.n_iter_no_change, at_least=1)
        if not isinstance(self.verbose, bool):
            check.whole("verbose", self.verbose, at_least=0)
        for name in ("templates", "columns"):
            texts = getattr(self, name)
            if texts is None:
                continue
            if not isinstance(texts, list | tuple) or not all(isinstance(t, str) for t in texts):
                raise ParameterError(
                    f"{name}={texts!r:.60} is not allowed: give a list of texts, or None."
                )
