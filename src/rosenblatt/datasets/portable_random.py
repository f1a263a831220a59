"""Random numbers and simple arithmetic that give the same bits on every machine.

Multiplication, addition, division and square root are rounded in the same way everywhere.
Logarithms, sines and the sums inside a matrix product are not, because libraries choose their
implementation by processor. So only the former are used here, one element at a time. The random
bits come from NumPy's PCG64. Endless streams are drawn in chunks and returned in blocks of any
size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray

# ln x = 2 artanh z with z = (x - 1) / (x + 1): the factors of z, z³, z⁵, ... for log2. After
# ten of them nothing is left to add, since |z| < 0.172.
SERIES = [2.0 / (2 * k + 1) / 0.6931471805599453 for k in range(10)]


def generator(seed: int, purpose: int = 0, number: int = 0) -> np.random.Generator:
    """Return the random generator for one purpose and one chunk, independent of all others."""
    # The seed is last because it may need several words, and trailing zeros are ignored.
    return np.random.Generator(np.random.PCG64([purpose + 1, number, seed]))


def bell_shaped(random: np.random.Generator, *shape: int) -> FloatArray:
    """Draw bell-shaped numbers of mean 0 and variance 1, as sums of four uniform numbers.

    Normal numbers would need logarithms, whose bits depend on the machine.
    """
    total = random.random(shape)
    for _ in range(3):
        total += random.random(shape)
    return (total - 2.0) * math.sqrt(3.0)


def dot(X: FloatArray, w: FloatArray) -> FloatArray:
    """Return ``X @ w``, added up from the first column to the last."""
    total = np.zeros(X.shape[:-1])
    for column, weight in zip(np.moveaxis(X, -1, 0), np.moveaxis(w, -1, 0), strict=True):
        total += column * weight
    return total


def unit(X: FloatArray) -> FloatArray:
    """Return each row divided by its length; rows of zeros stay unchanged."""
    length = np.sqrt(dot(X, X))
    return X / np.where(length > 0, length, 1.0)[..., None]


def orthonormal(vectors: FloatArray, beside: FloatArray | None = None) -> FloatArray:
    """Make vectors orthonormal, and orthogonal to those in `beside`, by Gram-Schmidt."""
    basis: list[FloatArray] = [] if beside is None else list(beside)
    known = len(basis)
    for vector in vectors:
        # Twice: rounding errors of the first pass matter if little of the vector is left.
        for _ in range(2):
            for other in basis:
                vector = vector - dot(vector, other) * other
            vector = unit(vector)
        basis.append(vector)
    return np.array(basis[known:])


def doublings(exponent: Any) -> FloatArray:
    """Return a piecewise linear approximation of ``2**exponent``, exact for whole exponents."""
    whole = np.floor(exponent)
    return np.asarray(np.ldexp(1.0 + (exponent - whole), whole.astype(np.int32)), np.float64)


def log2(x: FloatArray) -> FloatArray:
    """Return the logarithm to base 2 of positive numbers."""
    # x = fraction · 2**exponent, with z centred on the middle of the fractions, so |z| is small.
    middle = math.sqrt(0.5)
    fraction, exponent = np.frexp(x)
    z = (fraction - middle) / (fraction + middle)

    # Horner's scheme in z².
    square = z * z
    total = np.zeros_like(z)
    for factor in reversed(SERIES):
        total *= square
        total += factor
    total *= z
    total += exponent - 0.5
    return total


# ---------------------------------------------------------------------- in chunks


Columns = tuple[AnyArray, ...]

# Rows per chunk. It is the same for every block size, so that a row depends only on the seed and
# its index.
CHUNK = 1024


def cut(draw: Callable[[int], Columns], n_rows: int | None, size: int) -> Iterator[Columns]:
    """Yield blocks of `size` rows from the chunks that `draw` returns; the last may be shorter."""
    number = -1
    held = draw(0)
    start = 0
    while n_rows is None or start < n_rows:
        stop = start + size if n_rows is None else min(start + size, n_rows)

        # Collect the parts of all chunks that the block spans.
        parts = []
        while start < stop:
            if start // CHUNK != number:
                number = start // CHUNK
                held = draw(number)
            first = start - number * CHUNK
            last = min(stop - number * CHUNK, CHUNK)
            parts.append(tuple(column[first:last] for column in held))
            start += last - first
        if len(parts) == 1:
            yield parts[0]
        else:
            yield tuple(np.concatenate(pieces) for pieces in zip(*parts, strict=True))
