"""Sentences as numbers: the features of every token, ready for the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.tags import tag_features
from rosenblatt.engine.tags.tag_weights import Encoded
from rosenblatt.errors import InputError, ParameterError, shown
from rosenblatt.models.templates import CHUNKING, WORDS, Templates

if TYPE_CHECKING:
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

# In the caches of `tag_features.features_of`: a feature whose number was not asked for yet.
NOT_LOOKED_UP = -2


def read_sentences(
    sentences: Any, *, argument: str = "sentences", may_be_empty: bool = False
) -> list[Any]:
    """A list of sentences, each a list or tuple of tokens; empty ones only if allowed."""
    if isinstance(sentences, str | Mapping) or not hasattr(sentences, "__iter__"):
        raise InputError(f"{argument} must be a list of sentences, each a list of tokens.")
    listed = list(sentences)
    for number, sentence in enumerate(listed):
        if isinstance(sentence, np.ndarray) and sentence.ndim == 1:
            sentence = listed[number] = sentence.tolist()
        if isinstance(sentence, str | bytes | Mapping) or not isinstance(sentence, Sequence):
            raise InputError(
                f"{argument}[{number}] is {shown(sentence)}, not a list of tokens. Cut texts into "
                "words first, for example with text.split()."
            )
        if type(sentence) is not list and type(sentence) is not tuple:
            sentence = listed[number] = list(sentence)
        if not sentence and not may_be_empty:
            raise InputError(f"{argument}[{number}] is empty. Leave sentences without tokens out.")
    return listed


def read_pairs(
    sentences: Any, tags: Any, *, argument: str = "sentences"
) -> tuple[list[Any], list[list[str]]]:
    """Sentences and their tags, as many of the one as of the other."""
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
    """An array to append to; its buffer doubles, so that a value is copied a few times at most."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values
        self._buffer = values

    def append(self, more: npt.NDArray[Any]) -> None:
        n = len(self.values)
        needed = n + len(more)
        if needed > len(self._buffer):
            self._buffer = np.empty(max(needed, 2 * n), self.values.dtype)
            self._buffer[:n] = self.values
        self._buffer[n:needed] = more
        self.values = self._buffer[:needed]

    def copy(self) -> GrowingArray:
        """Return one that shares the values, and takes a buffer of its own to append to."""
        return GrowingArray(self.values)


class Encoder:
    """Knows what tokens look like, their templates, and the numbers of all features met.

    Tokens are words, tuples of words (word, part of speech, …), or mappings of features.
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
        self._caches: list[GrowingArray | None] | None = None

    @classmethod
    def for_tokens(
        cls, sentences: list[Any], templates: Sequence[str] | None, columns: Sequence[str] | None
    ) -> Encoder:
        """As the first token is."""
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
        """An encoder of its own that meets new features without telling this one."""
        twin = copy(self)
        twin.table = self.table.copy()
        if self.kind != "mapping":
            twin.known = [dict(known) for known in self.known]
            twin._hashes = [hashes.copy() for hashes in self._hashes]
            twin._caches = None
        return twin

    @property
    def hashes(self) -> list[npt.NDArray[np.uint64]]:
        """For each part of the templates the hashes of what it asks of the known words."""
        assert self.templates is not None
        return self.templates.by_part([hashes.values for hashes in self._hashes])

    def knows(self, token: Any) -> bool:
        """Whether the word of a token, which is the token itself or its first part, was met."""
        return (token if isinstance(token, str) else token[0]) in self.known[0]

    @property
    def n_features(self) -> int:
        return int(self.table.count)

    def encode(
        self,
        sentences: list[Any],
        *,
        learning: bool = False,
        numbers: Sequence[int] | None = None,
    ) -> Encoded:
        """The features of the tokens; those never met before get a number while learning.

        ``numbers`` are those that errors call the sentences by.
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
                raise _no_feature(named, *error.args[0]) from None
            of_tokens, features, values = found
            plain = values if len(values) and not (values == 1.0).all() else None
            return Encoded(starts, of_tokens, features, plain)
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
            raise _no_word(named, *error.args[0]) from None
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
        """Append words and the hashes of what is asked of them; each word is looked at once."""
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
        """Return for each template of a single part the features of known words, none looked up."""
        assert self.templates is not None
        hashes = self.hashes
        first = self.templates.starts.tolist()
        return [
            GrowingArray(np.full(len(hashes[p]), NOT_LOOKED_UP, np.int32)) if end - p == 1 else None
            for p, end in pairwise(first)
        ]

    def _refuse_other_tokens(self, sentences: list[Any], named: Sequence[int]) -> None:
        """All tokens must be of one kind; looking at each of them is cheap beside the rest."""
        if self.kind == "word":
            return  # each word is looked at anyway
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


def _no_word(named: Sequence[int], place: int, word: Any) -> InputError:
    return InputError(
        f"sentence {named[place]} holds {shown(word)} where a word should be; words are text (str)."
    )


def _no_feature(named: Sequence[int], place: int, found: Any) -> InputError:
    return InputError(
        f"sentence {named[place]} holds the feature {shown(found)}. Features are named by text and "
        "have a text or a number as their value, of less than 1e12 in size."
    )
