"""Streams in which what is right changes with time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.checks import choice, number, whole
from rosenblatt.datasets.portable_random import (
    CHUNK,
    Columns,
    bell_shaped,
    cut,
    dot,
    generator,
    orthonormal,
)

CONCEPT, COIN, ROW = 2, 3, 4  # what generators are made for


class Example(NamedTuple):
    """One row and its class, 0 or 1."""

    x: FloatArray
    y: int


class ExampleBlock(NamedTuple):
    """Some rows that follow each other, and their classes."""

    X: FloatArray
    y: IntArray


@dataclass(frozen=True)
class Drift:
    """A stream of examples whose separator changes; each time it is iterated it begins anew.

    Row t and its class depend on the parameters and t only, so two learners see the same stream,
    and `concept` can be asked about any t. Memory is that of one chunk of rows, however long the
    stream. Made by `drifting`, which explains the parameters.
    """

    n_rows: int | None
    n_features: int
    kind: str
    period: int
    flip: float
    seed: int

    def __iter__(self) -> Iterator[Example]:
        """One example at a time, for ``learn_one(x, y)``."""
        for X, y in self.blocks(CHUNK):
            yield from map(Example, X, y.tolist())

    def blocks(self, size: int = 100) -> Iterator[ExampleBlock]:
        """The same examples, `size` at a time, for ``partial_fit(X, y)``."""
        whole("size", size, at_least=1)
        return (ExampleBlock(*columns) for columns in cut(self._chunk, self.n_rows, size))

    def concept(self, t: int) -> FloatArray:
        """The w of length 1 that labelled row t: class 1 where ``w·x > 0``, before any flip."""
        whole("t", t, at_least=0)
        return np.asarray(self._concepts(np.array([t]))[0])

    def _chunk(self, number: int) -> Columns:
        random = generator(self.seed, ROW, number)
        X = bell_shaped(random, CHUNK, self.n_features)
        lies = random.random(CHUNK) < self.flip
        W = self._concepts(number * CHUNK + np.arange(CHUNK))
        return X, ((dot(X, W) > 0) ^ lies).astype(np.int64)

    def _concepts(self, t: IntArray) -> FloatArray:
        """The w behind some rows of one chunk."""
        u, v = self._plane
        periods, since = np.divmod(t, self.period)
        if self.kind == "rotating":
            angles = [2 * math.pi * part for part in (since / self.period).tolist()]
            cosines = np.array([[math.cos(angle)] for angle in angles])
            sines = np.array([[math.sin(angle)] for angle in angles])
            return np.asarray(cosines * u + sines * v)
        if self.kind == "gradual":
            coins = generator(self.seed, COIN, int(t[0]) // CHUNK).random(CHUNK)[t % CHUNK]
            periods = periods + (coins * self.period < since)
        return np.asarray(np.stack([u, v, -u, -v])[periods % 4])

    @cached_property
    def _plane(self) -> FloatArray:
        return orthonormal(bell_shaped(generator(self.seed, CONCEPT), 2, self.n_features))


def drifting(
    n_rows: int | None = None,
    n_features: int = 5,
    *,
    kind: str = "sudden",
    period: int = 1000,
    flip: float = 0.0,
    seed: int = 0,
) -> Drift:
    """A stream of two classes, divided by a hyperplane through the origin that does not stay.

    The rows are drawn from one bell around the origin forever, with variance 1 in every feature,
    and each class has half of them; only which row belongs to which class changes. The same seed
    gives the same rows on every machine; a rotating concept is as exact as the cosine of the C
    library.

    Parameters
    ----------
    n_rows : int or None, default=None
        None: the stream never ends; take what you need with ``itertools.islice``.
    n_features : int, default=5
        At least 2.
    kind : {"sudden", "gradual", "rotating"}, default="sudden"
        "sudden": after every `period` rows the hyperplane makes a quarter turn at once, so that
        half of all rows change their class, and the fourth time all is as at first. "gradual":
        likewise, but in each period the next concept labels more and more of the rows, from none
        to all, while the old one labels the rest. "rotating": the hyperplane turns all the time,
        once around in a period.
    period : int, default=1000
    flip : float, default=0.0
        The chance of each label to be wrong, from 0 to 0.5.
    seed : int, default=0

    Returns
    -------
    Drift
        Iterate over it for single examples or over its ``blocks(size)``; ``concept(t)`` is the
        truth at time t.

    Examples
    --------
    Mistakes of a learner in each hundred rows; after 300 half of what it knew is wrong.

    >>> from rosenblatt import PassiveAggressive, datasets
    >>> learner, mistakes = PassiveAggressive(average=False), [0] * 6
    >>> for t, (x, y) in enumerate(datasets.drifting(600, kind="sudden", period=300)):
    ...     mistakes[t // 100] += learner.predict_one(x) != y
    ...     learner = learner.learn_one(x, y)
    >>> mistakes
    [12, 11, 7, 19, 2, 2]
    """
    whole("n_rows", n_rows, at_least=1, none="an endless stream")
    whole("n_features", n_features, at_least=2)
    choice("kind", kind, "sudden", "gradual", "rotating")
    whole("period", period, at_least=1)
    number("flip", flip, at_least=0.0, at_most=0.5)
    whole("seed", seed, at_least=0)
    return Drift(n_rows, n_features, kind, period, flip, seed)
