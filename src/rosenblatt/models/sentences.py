"""Encoding of sentences: the feature indices of every token, ready for the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray
from rosenblatt.engine.tags import tag_features
from rosenblatt.engine.tags.tag_weights import Encoded
from rosenblatt.errors import InputError, ParameterError, shown
from rosenblatt.models.templates import CHUNKING, WORDS, Templates

if TYPE_CHECKING:
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

# Marks a feature whose index was not looked up yet, in the caches of `tag_features.features_of`.
NOT_LOOKED_UP = -2


def read_sentences(
    sentences: Any, *, argument: str = "sentences", may_be_empty: bool = False
) -> list[Any]:
    """Return sentences as a list of lists or tuples of tokens; raise InputError if invalid.

    Empty sentences are valid only with ``may_be_empty``.
    """
    if isinstance(sentences, str | Mapping) or not hasattr(sentences, "__iter__"):
        raise InputError(f"{argument} must be a list of sentences, each a list of tokens.")
    listed = list(sentences)
    for number, sentence in enumerate(listed):
        if isinstance(sentence, np.ndarray) and sentence.ndim == 1:
            sentence = sentence.tolist()
            listed[number] = sentence
        if isinstance(sentence, str | bytes | Mapping) or not isinstance(sentence, Sequence):
            raise InputError(
                f"{argument}[{number}] is {shown(sentence)}, not a list of tokens. Cut texts into "
                "words first, for example with text.split()."
            )
        if type(sentence) is not list and type(sentence) is not tuple:
            sentence = list(sentence)
            listed[number] = sentence
        if not sentence and not may_be_empty:
            raise InputError(f"{argument}[{number}] is empty. Leave sentences without tokens out.")
    return listed


def read_pairs(
    sentences: Any, tags: Any, *, argument: str = "sentences"
) -> tuple[list[Any], list[list[str]]]:
    """Return sentences and tags as lists; raise unless every token has one tag."""
    listed = read_sentences(sentences, argument=argument)
    if not listed:
        raise InputError(f"{argument}: there are no sentences to learn from.")
    if isinstance(tags, str | Mapping) or not hasattr(tags, "__iter__"):
        raise InputError("tags must be a list of lists of str, one tag for each token.")
    tagged = list(tags)
    if len(listed) != len(tagged):
        raise InputError(f"there are {len(listed)} sentences but tags for {len(tagged)}.")
    for number, (sentence, own) in enumerate(zip(listed, tagged, strict=True)):
        if isinstance(own, str) or not isinstance(own, Sequence | np.ndarray):
            raise InputError(f"the tags of sentence {number} are {shown(own)}, not a list of str.")
        if len(sentence) != len(own):
            raise InputError(f"sentence {number} has {len(sentence)} tokens but {len(own)} tags.")
        for tag in own:
            if type(tag) is not str and not isinstance(tag, str):
                raise InputError(
                    f"sentence {number} has the tag {shown(tag)}; tags are text (str)."
                )
    return listed, tagged


class GrowingArray:
    """An array that can be appended to; its buffer doubles, so that appending is cheap."""

    def __init__(self, values: AnyArray) -> None:
        self.values = values
        self._buffer = values

    def append(self, more: AnyArray) -> None:
        """Append values."""
        n = len(self.values)
        needed = n + len(more)
        if needed > len(self._buffer):
            self._buffer = np.empty(max(needed, 2 * n), self.values.dtype)
            self._buffer[:n] = self.values
        self._buffer[n:needed] = more
        self.values = self._buffer[:needed]

    def copy(self) -> GrowingArray:
        """Return an array that shares the values and appends into a buffer of its own."""
        return GrowingArray(self.values)


class Encoder:
    """Encoder of tokens as feature indices, by templates.

    Tokens are words, tuples of words (word, part of speech, …), or mappings of features.

    Attributes
    ----------
    kind : "word", "tuple" or "mapping"
    table : FeatureTable
        The indices of all known features, by their hashes.
    templates : Templates or None
        None for mappings.
    columns : tuple of str
        The names of the parts of a token.
    known : list of dict
        For each column, the indices of its words.
    """

    def __init__(
        self, kind: str, templates: Sequence[str] | None, columns: Sequence[str] | None
    ) -> None:
        self.kind = kind
        self.table = tag_features.FeatureTable()
        self.templates: Templates | None = None
        if kind == "mapping":
            return
        self.columns = tuple(columns or ())
        if kind == "word" and len(self.columns) != 1:
            raise ParameterError(
                f"columns={shown(columns)}: tokens are words, which have one column. Give tuples."
            )
        default = WORDS if len(self.columns) == 1 else CHUNKING
        self.templates = Templates(default if templates is None else templates, self.columns)
        self.known: list[dict[str, int]] = [{} for _ in self.columns]
        none = self.templates.hashes([[] for _ in self.columns])
        # For each question of the templates, the hashes of the answers of all known words.
        self._hashes = [GrowingArray(hashes) for hashes in none]
        # For each template of a single part, the features of all known words.
        self._caches: list[GrowingArray | None] | None = None

    @classmethod
    def for_tokens(
        cls, sentences: list[Any], templates: Sequence[str] | None, columns: Sequence[str] | None
    ) -> Encoder:
        """Return an encoder for tokens of the same kind as the first one."""
        token = sentences[0][0]
        if isinstance(token, Mapping):
            if templates is not None or columns is not None:
                raise ParameterError(
                    "templates and columns are for words and tuples, but these tokens are mappings "
                    "of features. Leave both at None."
                )
            return cls("mapping", None, None)
        if isinstance(token, str):
            return cls("word", templates, columns or ("w",))
        if isinstance(token, tuple) and token:
            names = ["w", "pos", *(f"c{k}" for k in range(2, len(token)))]
            return cls("tuple", templates, columns or names[: len(token)])
        help = "give words, tuples of words or mappings of features."
        if isinstance(token, list):
            help = (
                "a list could be both: give a tuple if it holds the columns of a token, as in "
                "('dogs', 'NNS'), or a mapping if it holds features, as in {'word=dogs': True}."
            )
        raise InputError(f"a token is {shown(token)}; {help}")

    def copy(self) -> Encoder:
        """Return an encoder that can learn new features without changing this one."""
        twin = copy(self)
        twin.table = self.table.copy()
        if self.kind != "mapping":
            twin.known = [dict(known) for known in self.known]
            twin._hashes = [hashes.copy() for hashes in self._hashes]
            twin._caches = None
        return twin

    @property
    def hashes(self) -> list[npt.NDArray[np.uint64]]:
        """Return, for each part of the templates, the hashes of its values for all known words."""
        assert self.templates is not None
        return self.templates.by_part([hashes.values for hashes in self._hashes])

    def knows(self, token: Any) -> bool:
        """Return whether the word of a token, the token itself or its first part, is known."""
        word = token if isinstance(token, str) else token[0]
        return word in self.known[0]

    @property
    def n_features(self) -> int:
        """Return the number of known features."""
        return int(self.table.count)

    def encode(
        self,
        sentences: list[Any],
        *,
        learning: bool = False,
        numbers: Sequence[int] | None = None,
    ) -> Encoded:
        """Encode the features of the tokens; with ``learning``, unseen features get an index.

        ``numbers`` are the sentence numbers that errors name.
        """
        named = range(len(sentences)) if numbers is None else numbers
        self._refuse_other_tokens(sentences, named)
        try:
            return self._encoded(sentences, learning, named)
        except UnicodeEncodeError as error:
            raise InputError(
                f"{error.object!r:.60} is no text that can be written: it holds half a character "
                "(a lone surrogate). Read files with the encoding they were written in."
            ) from None

    def _encoded(self, sentences: list[Any], learning: bool, named: Sequence[int]) -> Encoded:
        starts = tag_features.starts_of(sentences)
        if self.kind == "mapping":
            try:
                found = tag_features.named_features(self.table, sentences, learning)
            except TypeError as error:
                raise _invalid_feature_error(named, *error.args[0]) from None
            of_tokens, features, values = found
            # Without values, every feature counts 1, which is the fast path.
            if (values == 1.0).all():
                return Encoded(starts, of_tokens, features, None)
            return Encoded(starts, of_tokens, features, values)
        assert self.templates is not None
        new: list[dict[str, int]] = [{} for _ in self.columns]
        try:
            words = [
                tag_features.words_of(
                    sentences,
                    -1 if self.kind == "word" else column,
                    self.known[column],
                    new[column],
                )
                for column in range(len(self.columns))
            ]
        except TypeError as error:
            raise _invalid_word_error(named, *error.args[0]) from None
        asked = self.templates
        fresh = asked.hashes([list(column) for column in new])
        if self._caches is None:
            self._caches = self._new_caches()
        caches = [None if cache is None else cache.values for cache in self._caches]
        table = tag_features.features_of(
            self.table,
            starts,
            words,
            asked.starts,
            asked.part_columns,
            asked.part_offsets,
            self.hashes,
            asked.by_part(fresh),
            caches,
            asked.outside,
            learning,
        )
        if learning:
            self._remember(new, fresh)
        n_tokens, k = table.shape
        of_tokens = np.arange(0, k * n_tokens + 1, max(k, 1), dtype=np.int64)
        return Encoded(starts, of_tokens, table.ravel(), None, words[0])

    def _remember(self, new: list[dict[str, int]], fresh: list[npt.NDArray[np.uint64]]) -> None:
        """Add new words, and the hashes of their answers to all questions."""
        for known, more in zip(self.known, new, strict=True):
            known.update(more)
        for hashes, more_hashes in zip(self._hashes, fresh, strict=True):
            hashes.append(more_hashes)
        if self._caches is None:
            return
        assert self.templates is not None
        for cache, first in zip(self._caches, self.templates.starts.tolist(), strict=False):
            if cache is not None:
                column = self.templates.part_columns[first]
                cache.append(np.full(len(new[column]), NOT_LOOKED_UP, np.int32))

    def _new_caches(self) -> list[GrowingArray | None]:
        """Return an empty cache for each template of a single part, and None for the others."""
        assert self.templates is not None
        hashes = self.hashes
        caches: list[GrowingArray | None] = []
        for start, end in pairwise(self.templates.starts.tolist()):
            if end - start > 1:
                # A feature of several words; there are too many of them.
                caches.append(None)
            else:
                n_words = len(hashes[start])
                caches.append(GrowingArray(np.full(n_words, NOT_LOOKED_UP, np.int32)))
        return caches

    def _refuse_other_tokens(self, sentences: list[Any], named: Sequence[int]) -> None:
        """Raise InputError if a token is of another kind than those of training."""
        if self.kind == "word":
            return  # the compiled loop checks each word
        kinds = Mapping if self.kind == "mapping" else tuple
        width = None if self.kind == "mapping" else len(self.columns)
        for number, sentence in zip(named, sentences, strict=True):
            for place, token in enumerate(sentence):
                if not isinstance(token, kinds) or (width is not None and len(token) != width):
                    wanted = "a mapping" if width is None else f"a tuple of {width} texts"
                    raise InputError(
                        f"token {place} of sentence {number} is {shown(token)}, but this tagger "
                        f"reads tokens that are each {wanted}."
                    )


def _invalid_word_error(named: Sequence[int], place: int, word: Any) -> InputError:
    return InputError(
        f"sentence {named[place]} holds {shown(word)} where a word should be; words are text (str)."
    )


def _invalid_feature_error(named: Sequence[int], place: int, found: Any) -> InputError:
    return InputError(
        f"sentence {named[place]} holds the feature {shown(found)}. Features are named by text and "
        "have a text or a number as their value, of less than 1e12 in size."
    )
