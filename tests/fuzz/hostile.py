"""Tables, labels, words and settings of a kind that nobody sends on purpose; drawn by chance."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from strategies import moved_by_a_byte

from rosenblatt.arrays import SparseRows

NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-320, 1e-160, 1e14, 1e16, 1e149, 1e151, 1.8e308)
ODD = (*NUMBERS, float("nan"), float("inf"), -float("inf"))
WORDS = (
    *("", "a", "the", "Dog", "x-ray", "3rd", "Straße", "名前", "e\u0301", "😀", "\0", "\t", "\n"),
    *("\ud800", "\udfff", "a" * 300, "İ", "ﬁ", "\u200d", "\U0010ffff", "B-X", "I-X", "O", "=", "|"),
)
LABELS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (1, -1),
    (0, 1, 2),
    ("no", "yes"),
    ("", "é", "a" * 99, "\ud800"),
    (True, False),
    (0.5, 1.5, float("nan")),
    (2**62, -(2**62)),
    (2**70, 1),
    (None, 1),
    ((1, 2), (1, 3)),
)


def number(random: Random) -> float:
    """Mostly harmless, else extreme; hardly ever not a number."""
    kind = random.randrange(20)
    if kind < 16:
        return float(random.randrange(-3, 4))
    return random.choice(ODD if kind == 16 else NUMBERS)


def word(random: Random) -> str:
    if random.random() < 0.9:
        return random.choice(WORDS[:10])
    return "".join(random.choices(WORDS, k=random.randrange(1, 4)))


def dense(random: Random, n: int, d: int) -> Any:
    """An array of a usual or an unusual type and layout."""
    values = np.array([number(random) for _ in range(n * d)]).reshape(n, d)
    with np.errstate(all="ignore"):
        match random.randrange(12):
            case 0:
                return values.astype(np.float32)
            case 1:
                return np.asfortranarray(values)
            case 2:
                return np.repeat(values, 2, axis=1)[:, ::2]
            case 3:
                return values[::-1]
            case 4:
                return values.astype(random.choice(["i1", "i8", "u8", "f2", "?", "O", ">f8", "g"]))
            case 5:
                return values.tolist()
            case 6:
                return moved_by_a_byte(values)
            case 7:
                values.flags.writeable = False
            case 8:
                return np.ma.masked_invalid(values)
    return values


def sparse(random: Random, n: int, d: int) -> Any:
    """Rows in three arrays that need not agree with each other."""
    index = random.choice([np.int32, np.int64])
    stored = random.randrange(4 * n + 1)
    columns = np.array([random.randrange(max(d, 1)) for _ in range(stored)], index)
    starts = np.array(sorted(random.randrange(stored + 1) for _ in range(n + 1)), index)
    starts[:1], starts[-1:] = 0, stored
    values = np.array([number(random) for _ in range(stored)])
    with np.errstate(all="ignore"):
        values = values.astype(random.choice([np.float64, np.float64, np.float32, np.int64]))
    if random.random() < 0.5:  # what is to be refused
        bad = random.choice([-1, d, 2**31 - 1, -(2**31), stored + 1, 1])
        part = random.choice([columns, starts])
        if len(part):
            part[random.randrange(len(part))] = bad
        columns = columns[: len(columns) - random.randrange(2)]
    if random.random() < 0.1:
        values, columns, starts = map(moved_by_a_byte, (values, columns, starts))
    if random.random() < 0.3:
        return SparseRows(values, columns, starts, d)
    table = random.choice([sp.csr_array, sp.csr_matrix, sp.csc_array])((n, d))
    if table.format == "csc":
        return sp.csc_array(np.full((n, d), number(random)))
    table.data, table.indices, table.indptr = values, columns, starts
    if random.random() < 0.2:
        table.has_canonical_format = True
    return table


def table(random: Random, n: int, d: int) -> Any:
    if random.random() < 0.05:
        d += random.choice([-1, 1])
    shape = n, max(d, 0)
    return sparse(random, *shape) if d > 2000 or random.random() < 0.5 else dense(random, *shape)


def mapping(random: Random, names: tuple[Any, ...] = ("a", "b", 1, ("t",), None)) -> dict[Any, Any]:
    """Features by name; now and then a value that is no number."""
    values = {name: number(random) for name in random.sample(names, random.randrange(len(names)))}
    if values and random.random() < 0.1:
        odd = (None, "1", True, 7, 2**70, 1j, np.float32(2.0), np.array([1.0]), [1.0], b"x")
        values[next(iter(values))] = random.choice(odd)
    return values


def labels(random: Random, n: int) -> list[Any]:
    kind = random.choice(LABELS[:4] if random.random() < 0.8 else LABELS)
    return [random.choice(kind) for _ in range(n)]


def token(random: Random, form: str) -> Any:
    if random.random() < 0.01:
        return random.choice([None, 3, b"x", (), {}, ("a", 1), {"a": None}, {1: 2}, {"a": 1e200}])
    if form == "words":
        return word(random)
    if form == "tuples":
        return tuple(word(random) for _ in range(3 if random.random() < 0.99 else 2))
    values = (word(random), number(random), True, random.randrange(9))
    return {word(random): random.choice(values) for _ in range(random.randrange(4))}


def sentences(random: Random, form: str, tags: list[str]) -> tuple[list[Any], list[Any]]:
    """Sentences and tags, most of them of the same length."""
    lengths = [random.choice((0, 1, 2, 3, 5, 70)) for _ in range(random.randrange(1, 4))]
    xs = [[token(random, form) for _ in range(n)] for n in lengths]
    ys = [random.choices(tags, k=n + (random.random() < 0.02)) for n in lengths]
    return xs, ys


def templates(random: Random) -> list[str]:
    """Templates of any of the parts that these may have, some of which may not."""

    def part() -> str:
        ask = random.choice(
            ["", ".lower", ".shape", ".suffix(2)", ".prefix(9)", ".is_title", ".no"]
        )
        column = random.choice(["w", "w", "w", "pos", "c2"])
        return f"{column}[{random.choice([0, 0, 1, -1, 8, -8, 9])}]{ask}"

    count = random.randrange(1, 5)
    return ["|".join(part() for _ in range(random.randrange(1, 4))) for _ in range(count)]
