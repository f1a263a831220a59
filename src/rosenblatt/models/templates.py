"""Feature templates: the parts of a sentence that make up the features of a token.

w[0]              the word itself          w[-1], w[2]      one before, two after
w[0].suffix(3)    its last three letters   pos[0]|pos[1]    two things together
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.tags.tag_features import QUESTIONS, Ask, hash_of, hashes_of, mixed
from rosenblatt.errors import ParameterError


class _Marks(dict[int, str]):
    """Cache of the marks that stand for characters in a shape (see `shape`)."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        mark = character
        if character.isupper():
            mark = "X"
        elif character.isalpha():
            mark = "x"
        elif character.isdigit():
            mark = "d"
        self[code] = mark
        return mark


MARKS = _Marks()
_LONG_RUN = re.compile(r"(.)\1{4,}", re.DOTALL)

# The questions that a template may ask of a word.
FUNCTIONS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "shape": lambda word: shape(word),
    "short_shape": lambda word: "".join(mark for mark, _ in groupby(word.translate(MARKS))),
    "is_title": lambda word: str(word.istitle()),
    "is_upper": lambda word: str(word.isupper()),
    "has_digit": lambda word: str(any(map(str.isdigit, word))),
    "has_hyphen": lambda word: str("-" in word),
    "has_upper": lambda word: str(word != word.lower()),
}
SIZED: dict[str, Callable[[str, int], str]] = {
    "suffix": lambda word, n: word[-n:],
    "prefix": lambda word, n: word[:n],
}
# Maximum distance in tokens of a template's parts; the compiled loop has the same limit.
FURTHEST = 8


def _split(texts: str) -> tuple[str, ...]:
    """Split a text into templates at whitespace."""
    return tuple(texts.split())


# For words without other columns, as in tagging parts of speech.
WORDS = _split("""
w[0]  w[0].lower  w[-1].lower  w[1].lower  w[-2].lower  w[2].lower
w[-1].lower|w[0].lower  w[0].lower|w[1].lower  w[-1].lower|w[1].lower
w[-1].lower|w[0].suffix(3)  w[0].suffix(3)|w[1].lower
w[0].suffix(1)  w[0].suffix(2)  w[0].suffix(3)  w[0].suffix(4)
w[0].prefix(1)  w[0].prefix(2)  w[0].prefix(3)  w[0].prefix(4)
w[0].shape  w[0].short_shape
w[-1].short_shape|w[0].short_shape  w[0].short_shape|w[1].short_shape
""")
# For words with their parts of speech, as in chunking.
CHUNKING = _split("""
w[-2]  w[-1]  w[0]  w[1]  w[2]  w[-1]|w[0]  w[0]|w[1]
pos[-2]  pos[-1]  pos[0]  pos[1]  pos[2]
pos[-2]|pos[-1]  pos[-1]|pos[0]  pos[0]|pos[1]  pos[1]|pos[2]
pos[-2]|pos[-1]|pos[0]  pos[-1]|pos[0]|pos[1]  pos[0]|pos[1]|pos[2]
pos[-1]|pos[1]  w[-1].lower|w[1].lower
w[0]|pos[0]  w[0]|pos[-1]  w[0]|pos[1]  w[-1]|pos[0]
""")

_PART = re.compile(
    r"(?P<column>[A-Za-z_]\w*)\[(?P<offset>[+-]?\d{1,9})\](?P<asked>(?:\.\w+(?:\(\d{1,9}\))?)*)"
)
_ASKED = re.compile(r"\.(?P<name>\w+)(?:\((?P<n>\d{1,9})\))?")


def shape(word: str) -> str:
    """Return the shape of a word: letters as X and x, digits as d, anything else unchanged.

    Runs of more than four are cut.
    """
    return _LONG_RUN.sub(lambda run: run[0][:4], word.translate(MARKS))


class Part(NamedTuple):
    """One part of a template: a column, an offset in tokens, and the questions about the word."""

    column: str
    offset: int
    asked: tuple[tuple[str, int], ...]


class Templates:
    """Parsed templates, ready to be filled in for many tokens at once.

    The parts of all templates are listed one after the other; ``starts`` has where each template
    begins. ``asks`` are the different questions, and ``part_asks`` the question of each part.
    """

    def __init__(self, texts: Iterable[str], columns: Sequence[str]) -> None:
        self.texts = tuple(texts)
        self.columns = tuple(columns)
        if not self.texts:
            raise ParameterError("templates is empty: give at least one, such as 'w[0]', or None.")
        self.templates = [_parsed(text, self.columns) for text in self.texts]
        parts = [part for template in self.templates for part in template]
        self.starts = np.cumsum([0, *map(len, self.templates)]).astype(np.int64)
        self.part_columns = np.array([self.columns.index(p.column) for p in parts], np.int64)
        self.part_offsets = np.array([p.offset for p in parts], np.int64)

        # Parts that ask the same of the same column share a question, in the order of appearance.
        asked = [(self.columns.index(p.column), p.asked) for p in parts]
        places = {key: place for place, key in enumerate(dict.fromkeys(asked))}
        self.asks = [_ask(column, questions) for column, questions in places]
        self.part_asks = [places[key] for key in asked]

        # Stand for the words before and after a sentence, by their distance.
        self.outside = np.array(
            [mixed(hash_of("outside"), k) for k in range(2 * FURTHEST + 2)], np.uint64
        )

    def hashes(self, words: list[list[str]]) -> list[npt.NDArray[np.uint64]]:
        """Return, for each question in `asks`, the hashes of its answers for the words."""
        found: list[npt.NDArray[np.uint64]] = hashes_of(self.asks, words)
        return found

    def by_part(self, hashes: list[npt.NDArray[np.uint64]]) -> list[npt.NDArray[np.uint64]]:
        """Return the hashes of each part; parts with the same question share an array."""
        return [hashes[place] for place in self.part_asks]


def _ask(column: int, asked: tuple[tuple[str, int], ...]) -> Ask:
    """Return a question about the words of a column, in the form that the compiled loop reads."""
    numbers = np.array([(QUESTIONS[name], n) for name, n in asked], np.int64).reshape(-1, 2)
    return Ask(column, hash_of(repr(asked)), numbers, partial(_answer, asked))


def _answer(asked: tuple[tuple[str, int], ...], word: str) -> str:
    """Return the answer to a chain of questions about a word."""
    for name, n in asked:
        word = SIZED[name](word, n) if name in SIZED else FUNCTIONS[name](word)
    return word


def _parsed(text: str, columns: tuple[str, ...]) -> list[Part]:
    """Parse a template into its parts; raise TemplateError at the position of a mistake."""
    if not isinstance(text, str):
        raise ParameterError(f"templates: {text!r} is not a text such as 'w[0].lower'.")
    parts = []
    at = 0
    for piece in text.split("|"):
        found = _PART.fullmatch(piece)
        if found is None:
            raise TemplateError(text, at, f"{piece!r:.80} is not of the form column[offset].asked")
        if found["column"] not in columns:
            raise TemplateError(
                text, at, f"there is no column {found['column']!r}: {', '.join(columns)}"
            )
        if abs(int(found["offset"])) > FURTHEST:
            raise TemplateError(text, at + found.start("offset"), f"at most {FURTHEST} tokens away")
        asked = []
        for word in _ASKED.finditer(found["asked"]):
            name = word["name"]
            n = word["n"]
            if name in SIZED and n is not None and int(n) >= 1:
                asked.append((name, int(n)))
            elif name in FUNCTIONS and n is None:
                asked.append((name, 0))
            else:
                known = ", ".join([*FUNCTIONS, *(f"{name}(n)" for name in SIZED)])
                # After the dot.
                place = at + found.start("asked") + word.start() + 1
                raise TemplateError(text, place, f"{word[0][1:]!r} is not known: {known}")
        parts.append(Part(found["column"], int(found["offset"]), tuple(asked)))
        at += len(piece) + 1
    return parts


class TemplateError(ParameterError):
    """Raised for a template that cannot be parsed; ``reason`` is the error at ``position``."""

    def __init__(self, text: str, place: int, reason: str) -> None:
        self.text = f"{text!r:.80}"
        self.position = place + 1
        self.reason = f"{reason}."
        super().__init__(f"templates: {self.text} at character {self.position}: {self.reason}")
