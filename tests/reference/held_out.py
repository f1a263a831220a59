"""Rows kept back for watching, in plain Python integers.

    splitmix64 (Steele, Lea and Flood 2014): state <- state + 0x9E3779B97F4A7C15, then mixed
    shuffle:   row i goes to a place j in 0 .. i, and what stood at j goes to the end
    held out:  of each class in turn the first rows of a shuffled list of its own

One stream runs through all classes. It starts at the seed with some bits flipped, since the seed
itself starts the stream that shuffles the epochs.
"""

from collections.abc import Iterator, Sequence

WORD = 2**64
FLIPPED = 0x5DEECE66D


def splitmix64(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        yield z ^ (z >> 31)


def shuffled(rows: Sequence[int], random: Iterator[int]) -> list[int]:
    order: list[int] = []
    for row in rows:
        j = next(random) * (len(order) + 1) // WORD
        order.append(row)
        order[j], order[-1] = order[-1], order[j]
    return order


def hold_out(labels: Sequence[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Rows to learn from and rows to watch; a class keeps at least one row to learn from."""
    random = splitmix64(seed ^ FLIPPED)
    watched: list[int] = []
    for label in sorted(set(labels)):
        members = [row for row, other in enumerate(labels) if other == label]
        count = min(round(share * len(members)), len(members) - 1)
        watched += shuffled(members, random)[:count]
    return [row for row in range(len(labels)) if row not in watched], sorted(watched)
