"""Where the shuffling of a learner starts from."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError

__all__ = ["check_seed", "seed_from"]


def seed_from(random_state: Any) -> int:
    """64 bits to start the shuffling from; a generator is asked for its next number."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is np.random or isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(
        f"random_state={random_state!r} is not allowed: give a whole number from 0 to 2**64 - 1, "
        "None, or a numpy random generator."
    )


def check_seed(name: str, value: Any) -> None:
    """Refuse what `seed_from` would, without drawing from a generator.

    Numbers first: NumPy loads its generators when they are first named.
    """
    if value is None or (isinstance(value, numbers.Integral) and 0 <= int(value) < 2**64):
        return
    if not isinstance(value, np.random.RandomState | np.random.Generator):
        seed_from(value)
