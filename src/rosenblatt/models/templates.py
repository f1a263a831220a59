"""Templates: which parts of a sentence make up the features of a token.

w[0]              the word itself          w[-1], w[2]      one before, two behind
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
    """What stands for each character in a shape, worked out when it is met."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        mark = "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c
        self[code] = mark
        return mark


MARKS = _Marks()
_LONG_RUN = re.compile(r"(.)\1{4,}", re.DOTALL)

# What a template may ask of a word.
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
FURTHEST = 8  # as in the compiled loop


def _apart(templates: str) -> tuple[str, ...]:
    """Templates that stand apart by blanks."""
    return tuple(templates.split())


# For words alone, as in tagging parts of speech.
WORDS = _apart("""
w[0]  w[0].lower  w[-1].lower  w[1].lower  w[-2].lower  w[2].lower
w[-1].lower|w[0].lower  w[0].lower|w[1].lower  w[-1].lower|w[1].lower
w[-1].lower|w[0].suffix(3)  w[0].suffix(3)|w[1].lower
w[0].suffix(1)  w[0].suffix(2)  w[0].suffix(3)  w[0].suffix(4)
w[0].prefix(1)  w[0].prefix(2)  w[0].prefix(3)  w[0].prefix(4)
w[0].shape  w[0].short_shape
w[-1].short_shape|w[0].short_shape  w[0].short_shape|w[1].short_shape
""")
# For words with their parts of speech, as in chunking.
CHUNKING = _apart("""
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
    """Letters as X and x, digits as d, anything else as it is; runs of more than four are cut."""
    return _LONG_RUN.sub(lambda run: run[0][:4], word.translate(MARKS))


class Part(NamedTuple):
    """One place of a template: a column, how many tokens away, and what is asked of the word."""

    column: str
    offset: int
    asked: tuple[tuple[str, int], ...]


class Templates:
    """Templates that were understood, ready to be filled in for many tokens at once."""

    def __init__(self, texts: Iterable[str], columns: Sequence[str]) -> None:
        self.texts, self.columns = tuple(texts), tuple(columns)
        if not self.texts:
            raise ParameterError("templates is empty: give at least one, such as 'w[0]', or None.")
        self.templates = [_parsed(text, self.columns) for text in self.texts]
        parts = [part for template in self.templates for part in template]
        self.starts = np.cumsum([0, *map(len, self.templates)]).astype(np.int64)
        self.part_columns = np.array([self.columns.index(p.column) for p in parts], np.int64)
        self.part_offsets = np.array([p.offset for p in parts], np.int64)
        asked = [(self.columns.index(p.column), p.asked) for p in parts]
        places = {key: place for place, key in enumerate(dict.fromkeys(asked))}
        self.asks = [_ask(column, questions) for column, questions in places]
        self.part_asks = [places[key] for key in asked]
        self.outside = np.array(
            [mixed(hash_of("outside"), k) for k in range(2 * FURTHEST + 2)], np.uint64
        )

    def hashes(self, words: list[list[str]]) -> list[npt.NDArray[np.uint64]]:
        """Return for each of `asks` the hashes of what it asks of the words of its column."""
        found: list[npt.NDArray[np.uint64]] = hashes_of(self.asks, words)
        return found

    def by_part(self, hashes: list[npt.NDArray[np.uint64]]) -> list[npt.NDArray[np.uint64]]:
        """Return the hashes of each part; parts that ask the same share an array."""
        return [hashes[place] for place in self.part_asks]


def _ask(column: int, asked: tuple[tuple[str, int], ...]) -> Ask:
    numbers = np.array([(QUESTIONS[name], n) for name, n in asked], np.int64).reshape(-1, 2)
    return Ask(column, hash_of(repr(asked)), numbers, partial(_answer, asked))


def _answer(asked: tuple[tuple[str, int], ...], word: str) -> str:
    for name, n in asked:
        word = SIZED[name](word, n) if name in SIZED else FUNCTIONS[name](word)
    return word


def _parsed(text: str, columns: tuple[str, ...]) -> list[Part]:
    """The parts of a template; an error names the place where it goes wrong."""
    if not isinstance(text, str):
        raise ParameterError(f"templates: {text!r} is not a text such as 'w[0].lower'.")
    parts, at = [], 0
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
            name, n, place = word["name"], word["n"], at + found.start("asked") + word.start() + 1
            if name in SIZED and n is not None and int(n) >= 1:
                asked.append((name, int(n)))
            elif name in FUNCTIONS and n is None:
                asked.append((name, 0))
            else:
                known = ", ".join([*FUNCTIONS, *(f"{name}(n)" for name in SIZED)])
                raise TemplateError(text, place, f"{word[0][1:]!r} is not known: {known}")
        parts.append(Part(found["column"], int(found["offset"]), tuple(asked)))
        at += len(piece) + 1
    return parts


class TemplateError(ParameterError):
    """A template that cannot be understood; ``reason`` says what is wrong at a ``position``."""

    def __init__(self, text: str, place: int, reason: str) -> None:
        self.text, self.position, self.reason = f"{text!r:.80}", place + 1, f"{reason}."
        super().__init__(f"templates: {self.text} at character {self.position}: {self.reason}")
