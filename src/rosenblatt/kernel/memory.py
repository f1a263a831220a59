"""What a kernel machine with a budget has to remember so as to forget by its rule."""

from __future__ import annotations

from copy import copy

import numpy as np

__all__ = ["FORGETRON_SHARE", "RULES", "Memory"]

RULES = ("projection", "oldest", "random", "smallest")
# A share of the mistakes so far that forgetting may undo (Dekel, Shalev-Shwartz and Singer).
FORGETRON_SHARE = 15.0 / 32.0


class Memory:
    """What the rules of forgetting have to remember between rows."""

    def __init__(self, seed: int) -> None:
        self.age = np.zeros(0, np.int64)  # when each support row came
        self.own = np.zeros(0)  # the kernel of each support row with itself
        self.random = np.random.default_rng(seed)
        # Of the Forgetron: mistakes made by all functions, and damage done by forgetting.
        self.mistakes, self.damage = 0, 0.0
        # Of the kernel among the support rows, for projections; replaced, never changed.
        self.inverse = np.zeros((0, 0))

    def copy(self) -> Memory:
        twin = copy(self)
        for name in ("age", "own"):
            setattr(twin, name, getattr(self, name).copy())
        twin.random = np.random.default_rng()
        twin.random.bit_generator.state = self.random.bit_generator.state
        return twin
