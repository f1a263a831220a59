"""Small problems with answers of several kinds, all of them searched by looking at each answer."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.estimators.structured.spaces import Candidates

Array = NDArray[np.float64]


class Classes:
    """The answers are classes; the last of equals is taken, as by ``ties="positive"``."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def features(self, x: Array, y: int) -> dict[tuple[int, int], float]:
        return {(y, j): value for j, value in enumerate(x.tolist())}

    def argmax(self, x: Array, score: Any) -> int:
        return max(reversed(range(self.n_classes)), key=score)


N_TAGS = 3


def tag_vector(x: tuple[int, ...], y: tuple[int, ...]) -> Array:
    """Counts of (letter, tag) and of (tag, next tag); letters are 0 to 3."""
    emitted, followed = np.zeros((4, N_TAGS)), np.zeros((N_TAGS, N_TAGS))
    for letter, tag in zip(x, y, strict=True):
        emitted[letter, tag] += 1
    for before, after in pairwise(y):
        followed[before, after] += 1
    return np.concatenate([emitted.ravel(), followed.ravel()])


def tag_mapping(x: tuple[int, ...], y: tuple[int, ...]) -> dict[Any, float]:
    vector = tag_vector(x, y)
    return {f"feature {j}": float(vector[j]) for j in np.flatnonzero(vector)[::-1]}


def tag_sparse(x: tuple[int, ...], y: tuple[int, ...]) -> Any:
    from scipy.sparse import csr_array

    return csr_array(tag_vector(x, y)[None])


def tag_sparse_1d(x: tuple[int, ...], y: tuple[int, ...]) -> Any:
    from scipy.sparse import coo_array

    vector = tag_vector(x, y)
    places = np.flatnonzero(vector)
    halves = np.concatenate([vector[places], vector[places]]) / 2
    return coo_array((halves, (np.concatenate([places, places]),)), shape=vector.shape)


def all_tags(x: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(range(N_TAGS), repeat=len(x)))


def hamming(gold: tuple[int, ...], y: tuple[int, ...]) -> float:
    return float(sum(a != b for a, b in zip(gold, y, strict=True)))


def best_tags(x: tuple[int, ...], w: Array) -> tuple[int, ...]:
    return max(all_tags(x), key=lambda y: float(w @ tag_vector(x, y)))


def tagging(features: Any = tag_mapping, cost: Any = None) -> Candidates:
    return Candidates(features, all_tags, cost)


def plain_argmax(x: tuple[int, ...], score: Any) -> tuple[int, ...]:
    """The same search without a place for the right answer."""
    return max(all_tags(x), key=score)


def sentences(seed: int, n: int = 6, longest: int = 4) -> tuple[list[Any], list[Any]]:
    """Letters and tags without a rule."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, longest + 1, n).tolist()
    xs = [tuple(random.integers(0, 4, k).tolist()) for k in lengths]
    return xs, [tuple(random.integers(0, N_TAGS, k).tolist()) for k in lengths]


def separable_sentences(seed: int, n: int, gamma: float) -> tuple[list[Any], list[Any], Array]:
    """Letters, tags, and a unit vector u that puts the right tags ahead by at least gamma."""
    random = np.random.default_rng(seed)
    u = random.normal(size=4 * N_TAGS + N_TAGS**2)
    u /= np.linalg.norm(u)
    xs: list[Any] = []
    ys: list[Any] = []
    for _ in range(20 * n):
        if len(xs) == n:
            break
        x = tuple(random.integers(0, 4, random.integers(1, 5)).tolist())
        scores = sorted((float(u @ tag_vector(x, y)), y) for y in all_tags(x))
        if scores[-1][0] - scores[-2][0] >= gamma:
            xs.append(x)
            ys.append(scores[-1][1])
    return xs, ys, u
