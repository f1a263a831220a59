"""Small tagging problems, and the weights of a tagger as its oracle writes them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from reference import tagging as reference

from rosenblatt import SequenceTagger
from rosenblatt.engine.rows import ordering

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))
LETTERS = "abcd"
TAGS = "PQR"


def sentences(
    seed: int, n: int = 8, longest: int = 4, tags: str = TAGS
) -> tuple[list[list[str]], list[list[str]]]:
    """Letters and tags without a rule; every letter and every tag occurs."""
    random = np.random.default_rng(seed)
    lengths = [len(LETTERS), *random.integers(1, longest + 1, n - 1).tolist()]
    xs = [random.choice(list(LETTERS), k).tolist() for k in lengths]
    xs[0] = list(LETTERS)
    ys = [random.choice(list(tags), k).tolist() for k in lengths]
    ys[0] = (tags * 4)[: len(LETTERS)] if len(tags) <= len(LETTERS) else ys[0]
    return xs, [list(y) for y in ys]


def mappings(seed: int, n: int = 8) -> tuple[list[list[dict[str, float]]], list[list[str]]]:
    """Tokens with values that are whole numbers, some of them 0, so that sums are exact."""
    random = np.random.default_rng(seed)
    xs, ys = sentences(seed, n)
    tokens = [
        [
            {name: float(random.integers(-3, 4)) for name in LETTERS if name != letter}
            for letter in x
        ]
        for x in xs
    ]
    return tokens, ys


def plain(sentence: list[Any]) -> list[dict[Any, float]]:
    """Words or mappings as the oracle takes them."""
    return [{token: 1.0} if isinstance(token, str) else token for token in sentence]


def numbers(tagger_tags: list[str], tags: list[str]) -> tuple[int, ...]:
    return tuple(tagger_tags.index(tag) for tag in tags)


def visits(n: int, epochs: int, seed: int) -> list[list[int]]:
    found, order, state = [], np.empty(n, np.int64), seed
    for _ in range(epochs):
        state = ordering.shuffled(order, state)
        found.append(order.tolist())
    return found


def weights_of(tagger: SequenceTagger, *, of_words: bool = True) -> dict[Any, float]:
    """The weights that answer, of templates=["w[0]"] or of mappings; those of 0 are left out."""
    weights, tags = tagger._model.served(averaged=tagger.averaged), tagger.tags_
    n, found = len(tags), {}
    for letter in LETTERS:
        scores = tagger.explain([letter if of_words else {letter: 1}]).tag_scores[0]
        found.update({(letter, k): scores[tag] for k, tag in enumerate(tags)})
    for k in range(n):
        for b in range(n + 1):
            before = b if b < n else reference.BEGINNING
            found["step", before, k] = float(weights.steps[b, k])
            for a in range(n + 1 if weights.order == 2 else 0):
                first = a if a < n else reference.BEGINNING
                found["pair", first, before, k] = float(weights.pairs[b * (n + 1) + a, k])
    return {key: value for key, value in found.items() if value}


def with_whole_numbers(tagger: SequenceTagger, seed: int) -> SequenceTagger:
    """Small whole numbers for weights: sums are exact and ties are common."""
    random, weights = np.random.default_rng(seed), tagger._model.served(averaged=tagger.averaged)
    for table in (weights.rows, weights.steps, weights.pairs):
        table[...] = random.integers(-2, 3, table.shape)
    return tagger


def bytes_of(tagger: SequenceTagger) -> list[bytes]:
    """All that was learned, to the bit."""
    weights, n = tagger._model.weights, tagger._model.weights.n_rows
    arrays = [weights.row_of, weights.rows[:n], weights.row_running_sum[:n], weights.steps]
    arrays += [
        weights.step_running_sum,
        weights.pairs,
        weights.pair_running_sum,
        tagger._model.encoder.table.hashes,
    ]
    counters = [tagger.t_, tagger.n_mistakes_, tagger._model.random, tagger.tags_]
    return [*(array.tobytes() for array in arrays), repr(counters).encode()]


def read_columns(path: Path) -> Iterator[list[list[str]]]:
    """The lines of every sentence, cut at blanks; comments are left out."""
    lines: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.strip():
                if lines:
                    yield lines
                lines = []
            elif not line.startswith("# "):
                lines.append(line.split("\t") if "\t" in line else line.split())
    if lines:
        yield lines
