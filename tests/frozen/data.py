"""Rows, texts and sentences of small fractions, the same on every machine.

All numbers are multiples of 1/8, so that sums of them, and of their squares, are exact whatever
the order. They come from `random.Random.random`, which Python promises never to change.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WORDS = ["call", "win", "money", "noon", "lunch", "prize", "now", "see", "you", "six", "the", "to"]
LETTERS, TAGS = "abcd", "PQR"
TAG_OF = dict(zip(LETTERS, "PQRR", strict=True))


def below(random: Random, n: int) -> int:
    """A whole number from 0 to n - 1."""
    return int(random.random() * n)


def rows(seed: int, n: int = 48, d: int = 5, k: int = 2, wrong: float = 0.0) -> tuple[Array, Any]:
    """Rows, about a third of the values 0, and classes by the largest of k sums of columns.

    Without wrong labels the classes can be separated: no two of the sums are equal.
    """
    random = Random(seed)
    X, y = np.zeros((n, d)), np.zeros(n, np.int64)
    for i in range(n):
        sums: list[float] = [0.0, 0.0]
        while len(set(sums)) < len(sums):
            drawn = [below(random, 65) - 32 if random.random() < 0.7 else 0 for _ in range(d)]
            X[i] = np.array(drawn) / 8
            sums = [X[i, c] - X[i, (c + 1) % d] + 0.5 * c for c in range(k)]
        y[i] = int(np.argmax(sums))
        if random.random() < wrong:
            y[i] = (y[i] + 1) % k
    y[:k] = range(k) if wrong else y[:k]
    return X, y


def hard(k: int) -> tuple[Array, Any]:
    """Rows that cannot be separated."""
    return rows(2, k=k, wrong=0.15)


def joining(k: int) -> list[tuple[Array, Any]]:
    """The same in three batches: the first has one class, the others bring the rest."""
    X, y = hard(k)
    order = np.argsort(y, kind="stable")
    order = np.concatenate([order[:6], np.sort(order[6:36]), np.sort(order[36:])])
    return [(X[part], y[part]) for part in (order[:4], order[4:20], order[20:])]


def named(x: Array) -> dict[str, float]:
    """A row as a mapping without zeros; which names come first differs from row to row."""
    return {f"f{j}": float(x[j]) for j in np.flatnonzero(x)[::-1]}


def table_lines(seed: int, n: int = 64) -> list[str]:
    """A table of two numbers, a category, a remark and the kind, with a header."""
    random = Random(seed)
    lines = ["size,weight,colour,remark,kind"]
    for _ in range(n):
        size, weight = below(random, 64) / 8, below(random, 512) / 4
        colour = ("red", "green", "blue")[below(random, 3)]
        remark = " ".join(WORDS[below(random, len(WORDS))] for _ in range(5))
        kind = "big" if size > 4 else "heavy" if weight > 64 else "small"
        if random.random() < 0.1:
            kind = "big"
        lines.append(f"{size},{weight},{colour},{remark},{kind}")
    return lines


def json_lines(seed: int, n: int = 64) -> list[str]:
    """The same rows as records, one a line."""
    _, *lines = table_lines(seed, n)
    fields = [line.split(",") for line in lines]
    return [
        f'{{"size": {size}, "weight": {weight}, "colour": "{colour}", "remark": "{remark}", '
        f'"kind": "{kind}"}}'
        for size, weight, colour, remark, kind in fields
    ]


def mail_lines(seed: int, n: int = 40) -> list[str]:
    """Labelled texts; the label follows from the words but for a few."""
    random = Random(seed)
    lines = []
    for _ in range(n):
        words = [WORDS[below(random, len(WORDS))] for _ in range(3 + below(random, 5))]
        spam = sum(word in ("win", "money", "prize") for word in words) > 1
        lines.append(f"{'spam' if spam or random.random() < 0.1 else 'ham'}\t{' '.join(words)}")
    return lines


def svmlight_lines(seed: int, n: int = 48, d: int = 7, k: int = 3) -> list[str]:
    X, y = rows(seed, n, d, k, wrong=0.1)
    return [
        " ".join([str(label), *(f"{j + 1}:{x[j]}" for j in np.flatnonzero(x))])
        for x, label in zip(X, y.tolist(), strict=True)
    ]


def vw_lines(seed: int, n: int = 48) -> list[str]:
    X, y = rows(seed, n, 6, 3, wrong=0.1)
    return [
        f"{'pqr'[label]} {(1, 0.5, 2)[i % 3]} |f "
        + " ".join(f"{name}:{value}" for name, value in named(x).items())
        for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True))
    ]


def sentences(seed: int, n: int = 24) -> tuple[list[list[str]], list[list[str]]]:
    """Words of letters, and tags that mostly follow from the first letter."""
    random = Random(seed)
    xs, ys = [], []
    for _ in range(n):
        x = [
            "".join(LETTERS[below(random, 4)] for _ in range(1 + below(random, 3)))
            for _ in range(2 + below(random, 5))
        ]
        xs.append(x)
        ys.append([TAGS[below(random, 3)] if random.random() < 0.15 else TAG_OF[w[0]] for w in x])
    return xs, ys


def chunks(seed: int, n: int = 24) -> tuple[list[list[str]], list[list[str]]]:
    """The same sentences with tags that keep to BIO."""
    xs, ys = sentences(seed, n)
    for y in ys:
        before = "O"
        for i, tag in enumerate(y):
            before = {"P": "O", "Q": "B-Y", "R": "B-Y" if before == "O" else "I-Y"}[tag]
            y[i] = before
    return xs, ys


def letters(seed: int, n: int = 16) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Short sequences of the numbers 0 to 3, and tags 0 to 2 for them, some without a rule."""
    random = Random(seed)
    xs = [tuple(below(random, 4) for _ in range(1 + below(random, 4))) for _ in range(n)]
    ys = [
        tuple(below(random, 3) if random.random() < 0.1 else min(letter, 2) for letter in x)
        for x in xs
    ]
    return xs, ys
