"""Texts as counts of n-grams, as plainly as can be.

words      = runs of \\w of at least `shortest` characters, and symbols: visible, no \\w
lower case = character by character
n-grams    = n words with a blank between them; pieces of n characters of " word "
column     = murmur3(n-gram) mod 2**bits, seed 0 for words and 0x9E3779B9 for characters,
             or the place in the order of first meeting, words and characters apart
value      = 1, count, or 1 + ln(count), times 1 + ln((1 + texts) / (1 + texts with the column)),
             which are those of training; then to length 1
"""

import math
import re
from collections import Counter

from reference.vw_text import murmur3

TOKEN = re.compile(r"(\w+)|[^\w\s\x00-\x1f]")
SEEDS = {"word": 0, "character": 0x9E3779B9}

Span = tuple[int, int] | None
Gram = tuple[str, str]


def tokens(
    text: str, *, shortest: int = 1, symbols: bool = True, lowercase: bool = True
) -> list[str]:
    found = []
    for match in TOKEN.finditer(text):
        word = match[0]
        if match[1] is None:
            found += [word] if symbols else []
        elif len(word) >= shortest:
            found.append("".join(c.lower()[0] for c in word) if lowercase else word)
    return found


def grams(text: str, *, words: Span = (1, 2), chars: Span = None, **cut: object) -> list[Gram]:
    found, met = [], tokens(text, **cut)  # type: ignore[arg-type]
    for n in range(words[0], words[1] + 1) if words else ():
        found += [("word", " ".join(met[i : i + n])) for i in range(len(met) - n + 1)]
    for word in met if chars else ():
        assert chars is not None
        padded = f" {word} "
        for n in range(chars[0], chars[1] + 1):
            found += [("character", padded[i : i + n]) for i in range(len(padded) - n + 1)]
    return found


def hashed(gram: Gram, bits: int) -> int:
    return murmur3(gram[1].encode("utf-8", "surrogatepass"), SEEDS[gram[0]]) % 2**bits


def weight(count: int, value: str) -> float:
    if value == "log":
        return 1 + math.log(count)
    return 1.0 if value == "once" else float(count)


class InverseFrequencies:
    """By column, of the columns that each text of training has."""

    def __init__(self, texts: list[list[int]]) -> None:
        self.n_texts, self.counts = len(texts), Counter(c for text in texts for c in set(text))

    def __getitem__(self, column: int) -> float:
        return 1 + math.log((1 + self.n_texts) / (1 + self.counts[column]))


def row(
    columns: list[int], value: str, unit: bool, idf: InverseFrequencies | None = None
) -> dict[int, float]:
    found = {column: weight(n, value) for column, n in sorted(Counter(columns).items())}
    if idf is not None:
        found = {column: one * idf[column] for column, one in found.items()}
    length = math.sqrt(sum(one * one for one in found.values())) if unit else 1.0
    return {column: one / length for column, one in found.items()}


class Vocabulary:
    """A column for each n-gram, in the order of first meeting."""

    def __init__(self) -> None:
        self.places: dict[Gram, int] = {}

    def columns(self, found: list[Gram], *, learning: bool) -> list[int]:
        if learning:
            for gram in found:
                self.places.setdefault(gram, len(self.places))
        return [self.places[gram] for gram in found if gram in self.places]
