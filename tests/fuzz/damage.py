"""Texts damaged by chance: `random` is Python's own, or one that hypothesis draws and shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def damaged(random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A sound text with a few bytes flipped, put in, left out, doubled, or another's."""
    data = bytearray(random.choice(seeds))
    for _ in range(random.randrange(7)):
        at = random.randrange(len(data) + 1)
        stop = min(len(data), at + random.randrange(1, 13))
        match random.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << random.randrange(8)
            case 1:
                data[at:at] = random.choice(words)
            case 2:
                del data[at:stop]
            case 3:
                data[at:at] = data[at:stop] * random.randrange(1, 4)
            case 4:
                data[at:stop] = random.choice(words)
            case 5:
                other = random.choice(seeds)
                data[at:] = other[random.randrange(len(other) + 1) :]
            case _:
                del data[at:]
    return bytes(data)


def any_bytes(random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Mostly a damaged text, else words of the format in any order, or bytes without a meaning."""
    kind = random.randrange(10)
    if kind == 0:
        return random.randbytes(random.randrange(60))
    if kind <= 2:
        return b"".join(random.choices(words, k=random.randrange(25)))
    return damaged(random, seeds, words)
