"""A part of the rows kept back for watching: the same share of every class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import ordering
from rosenblatt.errors import InputError

__all__ = ["NothingHeldOut", "hold_out"]

Rows = npt.NDArray[np.int64]
# Another stream of random numbers than the one that shuffles the epochs.
OTHER_STREAM = 0x5DEECE66D


class NothingHeldOut(InputError):
    """A share of the rows that is less than one row of every class."""


def hold_out(labels: npt.NDArray[np.int32], share: float, seed: int) -> tuple[Rows, Rows]:
    """Row numbers to train on and row numbers to watch, both in ascending order."""
    watched = np.zeros(len(labels), bool)
    state = seed ^ OTHER_STREAM
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        order = np.empty(len(members), np.int64)
        state = ordering.shuffled(order, state)
        count = min(round(share * len(members)), len(members) - 1)
        watched[members[order[:count]]] = True
    if not watched.any():
        raise NothingHeldOut(
            f"validation_fraction={share!r} of {len(labels)} rows leaves none to watch. Give more "
            "rows, a larger fraction, or your own validation_set to fit."
        )
    return np.flatnonzero(~watched), np.flatnonzero(watched)
