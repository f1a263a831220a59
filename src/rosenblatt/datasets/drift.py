"""Streams of examples whose true separator changes with time (concept drift)."""

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

# Purposes, each with its own random generator.
CONCEPT = 2
COIN = 3
ROW = 4


class Example(NamedTuple):
    """One row and its class, 0 or 1."""

    x: FloatArray
    y: int


class ExampleBlock(NamedTuple):
    """Consecutive rows and their classes."""

    X: FloatArray
    y: IntArray


@dataclass(frozen=True)
class Drift:
    """A stream of examples whose separator changes; each iteration starts from the beginning.

    Row t and its class depend only on the parameters and t, so two learners see the same stream,
    and `concept` works for any t. Memory use is one chunk of rows, however long the stream. Made by
    `drifting`, which documents the parameters.
    """

    n_rows: int | None
    n_features: int
    kind: str
    period: int
    flip: float
    seed: int

    def __iter__(self) -> Iterator[Example]:
        """Yield one example at a time, for ``learn_one(x, y)``."""
        for X, y in self.blocks(CHUNK):
            yield from map(Example, X, y.tolist())

    def blocks(self, size: int = 100) -> Iterator[ExampleBlock]:
        """Return an iterator over blocks of `size` examples, for ``partial_fit(X, y)``."""
        whole("size", size, at_least=1)
        return (ExampleBlock(*columns) for columns in cut(self._chunk, self.n_rows, size))

    def concept(self, t: int) -> FloatArray:
        """Return the unit vector w that labelled row t: class 1 if ``w·x > 0``, before flips."""
        whole("t", t, at_least=0)
        return np.asarray(self._concepts(np.array([t]))[0])

    def _chunk(self, number: int) -> Columns:
        """Return the rows of one chunk and their classes."""
        random = generator(self.seed, ROW, number)
        X = bell_shaped(random, CHUNK, self.n_features)
        is_flipped = random.random(CHUNK) < self.flip
        W = self._concepts(number * CHUNK + np.arange(CHUNK))
        is_positive = dot(X, W) > 0
        return X, (is_positive ^ is_flipped).astype(np.int64)

    def _concepts(self, t: IntArray) -> FloatArray:
        """Return the true separator w at each time in ``t``; the times must lie in one chunk."""
        u, v = self._plane
        periods, since = np.divmod(t, self.period)
        if self.kind == "rotating":
            angles = [2 * math.pi * part for part in (since / self.period).tolist()]
            cosines = np.array([[math.cos(angle)] for angle in angles])
            sines = np.array([[math.sin(angle)] for angle in angles])
            return np.asarray(cosines * u + sines * v)

        # A quarter turn per period. If the change is gradual, each row tosses a coin that picks
        # the next concept more and more often.
        if self.kind == "gradual":
            coins = generator(self.seed, COIN, int(t[0]) // CHUNK).random(CHUNK)[t % CHUNK]
            periods = periods + (coins * self.period < since)
        return np.asarray(np.stack([u, v, -u, -v])[periods % 4])

    @cached_property
    def _plane(self) -> FloatArray:
        """Two orthonormal vectors; every concept lies in their plane."""
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
    """Make a stream of two classes, separated by a hyperplane through the origin that moves.

    The rows always come from the same bell-shaped distribution around the origin, with variance 1
    in every feature, and each class has half of them. Only the class of a row changes with time.
    The same seed gives the same rows on every machine; a rotating concept is as exact as the cosine
    of the C library.

    Parameters
    ----------
    n_rows : int or None, default=None
        Number of rows. None makes an endless stream; take what you need with
        ``itertools.islice``.
    n_features : int, default=5
        At least 2.
    kind : {"sudden", "gradual", "rotating"}, default="sudden"
        "sudden": after every `period` rows the hyperplane makes a quarter turn at once, so that
        half of all rows change their class; after four turns it is back where it started.
        "gradual": the same turns, but during each period the next concept labels a growing share
        of the rows, from none to all, and the old one labels the rest. "rotating": the hyperplane
        turns steadily, one full turn per period.
    period : int, default=1000
        Number of rows between two turns, or of one full turn.
    flip : float, default=0.0
        Probability of a wrong label, from 0 to 0.5.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Drift
        Iterate over it for single examples or over its ``blocks(size)``; ``concept(t)`` is the
        true separator at time t.

    Examples
    --------
    Mistakes of a learner in each hundred rows; after 300, half of what it learned is wrong.

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
