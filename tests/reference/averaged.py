"""The averaged perceptron by brute force (L4.3; Freund & Schapire, 1999).

    w_avg = (1/T) sum_{t=1..T} w_t,   b_avg = (1/T) sum_{t=1..T} b_t

where w_t, b_t are the weights right after example t and T counts all examples seen, whether or
not they caused an update. Algorithm 7 of L4, corrected, also counts the starting weights once and
divides by T + 1; from a start at zero that is the same vector times T / (T + 1).

The average of the tail is over the examples after epoch m alone, where m is the last of the epochs
1, 2, 4, 8, ... with 2m <= the epochs run; with a single epoch it is over all examples.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
T = TypeVar("T")


def average_binary(snapshots: Sequence[tuple[Array, float]]) -> tuple[Array, float]:
    """The mean of (w, b) over `binary.Run.snapshots`."""
    return np.mean([w for w, _ in snapshots], axis=0), float(np.mean([b for _, b in snapshots]))


def tail(snapshots: Sequence[T], n_rows: int) -> Sequence[T]:
    """The snapshots that the average of the tail is over; an epoch has `n_rows` of them."""
    epochs = len(snapshots) // n_rows
    return snapshots[
        n_rows * max((m for m in range(1, epochs) if is_begin(m, epochs)), default=0) :
    ]


def is_begin(m: int, epochs: int) -> bool:
    return m & (m - 1) == 0 and 2 * m <= epochs


def average_multiclass(snapshots: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The mean of (W, b) over `multiclass.Run.snapshots`."""
    return np.mean([W for W, _ in snapshots], axis=0), np.mean([b for _, b in snapshots], axis=0)
