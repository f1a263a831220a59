"""The order of an epoch, in plain Python integers.

splitmix64 (Steele, Lea and Flood 2014): state <- state + 0x9E3779B97F4A7C15, then mixed
shuffled:  row i goes to a place j in 0 .. i, and what stood at j goes to the end
epoch:     pieces of neighbours are shuffled; some at a time, their rows are shuffled together
"""

from collections.abc import Iterator, Sequence

WORD = 2**64
INCREMENT = 0x9E3779B97F4A7C15


def splitmix64(state: int) -> Iterator[int]:
    while True:
        state = (state + INCREMENT) % WORD
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


def epoch(rows: Sequence[int], piece: int, pieces: int, random: Iterator[int]) -> list[int]:
    """The rows in random order; ``pieces`` pieces of ``piece`` rows are shuffled together.

    Pieces of one row, or of all rows together: a plain shuffle.
    """
    if piece == 1 or len(rows) <= piece * pieces:
        return shuffled(rows, random)
    cut = [rows[first : first + piece] for first in range(0, len(rows), piece)]
    cut = [cut[p] for p in shuffled(range(len(cut)), random)]
    order: list[int] = []
    for first in range(0, len(cut), pieces):
        together = [row for some in cut[first : first + pieces] for row in some]
        order += shuffled(together, random)
    return order
