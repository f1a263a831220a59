"""A part of the rows kept back for watching: the same share of every class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import ordering
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.plurals import count

__all__ = ["hold_out"]

Rows = npt.NDArray[np.int64]
# Another stream of random numbers than the one that shuffles the epochs.
OTHER_STREAM = 0x5DEECE66D


def hold_out(labels: npt.NDArray[np.int32], share: float, seed: int) -> tuple[Rows, Rows]:
    """Row numbers to train on and row numbers to watch, both in ascending order."""
    watched = np.zeros(len(labels), bool)
    state = seed ^ OTHER_STREAM
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        order = np.empty(len(members), np.int64)
        state = ordering.shuffled(order, state)
        n = min(round(share * len(members)), len(members) - 1)
        watched[members[order[:n]]] = True
    if not watched.any():
        raise InputError(
            Message(
                Setting("validation_fraction", share),
                f" of {count(len(labels), 'row')} leaves none to watch",
            ),
            cures=["give more rows", Message("rows to watch as ", Setting("validation_set"))],
        )
    return np.flatnonzero(~watched), np.flatnonzero(watched)
