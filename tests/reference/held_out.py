"""Rows kept back for watching, in plain Python integers.

    held out:  of each class in turn the first rows of a shuffled list of its own

One stream runs through all classes. It starts at the seed with some bits flipped, since the seed
itself starts the stream that shuffles the epochs.
"""

from collections.abc import Sequence

from reference.shuffle import shuffled, splitmix64

FLIPPED = 0x5DEECE66D


def hold_out(labels: Sequence[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Rows to learn from and rows to watch; a class keeps at least one row to learn from."""
    random = splitmix64(seed ^ FLIPPED)
    watched: list[int] = []
    for label in sorted(set(labels)):
        members = [row for row, other in enumerate(labels) if other == label]
        count = min(round(share * len(members)), len(members) - 1)
        watched += shuffled(members, random)[:count]
    return [row for row in range(len(labels)) if row not in watched], sorted(watched)
