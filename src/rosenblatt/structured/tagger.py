"""A tagger: the best sequence of tags for a sentence, learned from its mistakes."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.learner.base import Learner
from rosenblatt.learner.options import option
from rosenblatt.structured.tag_fitting import TagLearning

__all__ = ["SequenceTagger"]

WIDEST_BEAM = 1 << 16


def check_texts(name: str, value: Any) -> None:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ParameterError(f"{name}={value!r:.60} is not allowed: give a list of texts, or None.")


class SequenceTagger(TagLearning, Learner):
    """The averaged structured perceptron for sequences of tags.

    ``score(x, y) = Σ w·features(token, tag) + Σ step(tag before, tag)``: the best of all sequences
    is found by dynamic programming. Where it is wrong, the weights of the features of the right
    tags rise by 1 and those of the tags found fall by 1.

    Cost: a token takes a row of tag scores for each of its features and n_tags² steps; memory is a
    row for every feature that was ever on a wrong path.

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
        Why the last ``fit`` ended: "separated", "cycle" (an epoch with mistakes that changed
        nothing), "early_stopping", "max_iter" or "interrupted".
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

    templates: Any = option(
        default=None,
        type="sequence of str",
        check=check_texts,
        accepts=lambda value: value is None,
        help="""
        What the features of a token are, as ``"w[0].lower"`` or ``"pos[-1]|pos[0]"``: a column, how
        many tokens away, what is asked of the word; ``|`` takes things together. None is a good set
        for words, or for words with parts of speech. Tokens that are mappings have none.""",
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
        help="All sequences; the best ``beam`` beginnings at each token; or the best one alone.",
    )
    order: int = option(
        default=1, choices=(1, 2), help="How many tags before a tag its score looks at."
    )
    beam: int = option(
        default=8,
        at_least=1,
        at_most=WIDEST_BEAM,
        cure=Message(Setting("search", "viterbi"), " looks at all sequences"),
        help='Beginnings kept with ``search="beam"``.',
    )
    update: str = option(
        default="auto",
        choices=("auto", "whole", "early", "violation"),
        help="""
        What is learned from when the search errs: the whole sentence; with a beam the beginning up
        to where the right tags fell off it, or up to where they were furthest behind. "auto" is
        "whole" for Viterbi, else "violation".""",
    )
    rule: str = option(
        default="perceptron",
        choices=("perceptron", "mira"),
        help="""
        Steps of 1; or the smallest step after which the right tags win by as many points as there
        were wrong ones, at most ``C``, also where they won by less.""",
    )
    C: float = option(default=0.1, above=0.0, help='Longest step of "mira".')
    constraints: Any = option(
        default=None,
        type='{"BIO", "BIOES"} or mapping',
        help="""
        Which tag may follow which; others are never predicted, and training sentences that do not
        keep to it are left out, with a warning. A mapping has for each tag (None: the beginning)
        the tags that may follow; after tags that it does not have all may.""",
    )
    tag_dictionary: int | None = option(
        default=None,
        at_least=1,
        help="""
        Words met so often in the last ``fit`` or ``partial_fit``, always with one tag, can have
        that tag only, unless the constraints leave no sequence then.""",
    )
    averaged: bool = option(
        default=True,
        help="Predict with the mean of the weights after every sentence, or with the last ones.",
    )
    max_iter: int = option(default=10, at_least=1, help="Most epochs of a ``fit``.")
    record: bool = option(default=False, help="Keep the ledger of all mistakes in ``ledger_``.")

    layout = "rosenblatt.structured.tag_file_layout:TagLayout"

    def check_parameters(self) -> None:
        """Refuse parameters whose values are not allowed, alone or together."""
        super().check_parameters()
        if self.search == "viterbi" and self.update in ("early", "violation"):
            raise ParameterError(
                f"update={self.update!r} is for a search that can lose the right tags. Use "
                "search='beam', or update='whole'."
            )
