"""The read-outs of a stream: the last weights, their mean over all examples, and decayed means.

How a mean follows the weights, and how the weights that predict are read, is in ``readout.h``. This
file has their names and settings; what they keep for each weight lies in planes of the weights.

A mix of read-outs keeps a second learner next to the first: a passive-aggressive one whose steps
move a margin by no more than `GENTLE`, and the means are those of its weights. Eager weights follow
labels that come in runs, gentle ones and their means do well if labels are noisy. Each counts in
the sum of their scores by ``exp(-SHARPNESS · faded mistakes)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.engine.rows.engine import GENTLE_PLANE, LAG_PLANES, ReadoutArrays
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.models.weights import Weights

NAMES = ("last", "average", "slow", "fast")
# Each mean is over about the last 1/rate examples, or over all of them.
RATES = np.array([0.0, 1 / 1000, 1 / 100])
# Decay of the error counts per example: they halve in 50 examples.
FADING = 0.5 ** (1 / 50)

# The same for a mix, in which all read-outs count, so that slower decay costs less.
MIXED_NAMES = ("last", "gentle", *NAMES[1:])
MIXED_RATES = np.array([0.0, 1 / 1000, 1 / 300])
MIXED_FADING = 0.5 ** (1 / 150)
# The most by which the gentle learner moves the margin of a row.
GENTLE = 0.4
# How much a mistake lowers the share of a read-out in a mix.
SHARPNESS = 0.5

# A smaller scale is reset to 1, so that the lags stay of the size of the weights.
SMALLEST_SCALE = 1e-6


class Readouts(ReadoutArrays):
    """Running means of a model's weights (read-outs), with a decayed error count for each.

    ``errors`` has for each of ``names`` the mistakes so far, older ones counting less. With
    ``name="auto"`` the read-out with the fewest errors predicts. With "mix" all of them do, and the
    means are those of a gentle learner.
    """

    def __init__(self, name: str, scales: FloatArray, errors: FloatArray, t: int) -> None:
        self.is_mix = name == "mix"
        self.names = MIXED_NAMES if self.is_mix else NAMES
        self.planes = (*LAG_PLANES, GENTLE_PLANE) if self.is_mix else LAG_PLANES
        self.bind(
            Rule("gentle PA", C=GENTLE),
            scales,
            errors,
            MIXED_RATES if self.is_mix else RATES,
            is_mix=self.is_mix,
            fading=MIXED_FADING if self.is_mix else FADING,
            sharpness=SHARPNESS,
            smallest_scale=SMALLEST_SCALE,
        )
        self.name = name
        self.t = t

    @classmethod
    def begin(cls, weights: Weights, name: str) -> Readouts:
        """Start read-outs of ``weights``; at first all means equal the weights."""
        n_names = len(MIXED_NAMES if name == "mix" else NAMES)
        readouts = cls(name, np.ones(len(RATES)), np.zeros(n_names), 0)
        weights.add_planes(readouts.planes)
        if readouts.is_mix:
            gentle = weights.plane(GENTLE_PLANE)
            gentle.table[...] = weights.matrix
            gentle.bias[...] = weights.bias
            readouts.measure_gentle_reach(weights)
        return readouts

    def end(self, weights: Weights) -> None:
        """Remove the planes of the read-outs from ``weights``."""
        weights.drop_planes(self.planes)

    def measure_gentle_reach(self, weights: Weights) -> None:
        """Set ``gentle_reach`` to the largest absolute weight of the gentle learner."""
        gentle = weights.plane(GENTLE_PLANE)
        largest = max(np.abs(values).max(initial=0.0) for values in gentle)
        self.gentle_reach = float(largest)

    @property
    def name(self) -> str:
        """Return the name of the read-out that predicts: one of ``names``, "auto" or "mix"."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        self.choose(None if name in ("auto", "mix") else self.names.index(name))

    @property
    def chosen(self) -> str:
        """Return the name of the read-out that predicts or, in a mix, counts most."""
        return self.names[self.place]

    def copy(self) -> Readouts:
        """Return read-outs in the same state, to follow a copy of the weights."""
        return _restored(*self._state())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._state()

    def _state(self) -> tuple[str, bool, FloatArray, FloatArray, int, float]:
        scales = self.scales.copy()
        errors = self.errors.copy()
        return self.name, self.is_mix, scales, errors, self.t, self.gentle_reach

    def may_rescale(self, n_rows: int) -> bool:
        """Return whether a scale may be reset to 1 within the next ``n_rows`` rows."""
        scales = self.scales.copy()
        for t in range(self.t + 1, self.t + n_rows + 1):
            scales *= 1.0 - np.maximum(self.rates, 1.0 / max(t, 2))
        return bool((scales < 2 * SMALLEST_SCALE).any())

    def to_arrays(self, weights: Weights) -> dict[str, AnyArray]:
        """Return the state of the read-outs of these weights as named arrays."""
        planes = [weights.plane(name) for name in self.planes]
        return {
            "readout.coef": np.concatenate([plane.table for plane in planes]),
            "readout.intercept": np.concatenate([plane.bias for plane in planes]),
            "readout.scale": self.scales.copy(),
            "readout.error": self.errors.copy(),
        }

    @classmethod
    def from_arrays(
        cls, weights: Weights, arrays: Mapping[str, AnyArray], name: str, t: int
    ) -> Readouts:
        """Rebuild read-outs from their arrays, and add their planes to the weights."""
        readouts = cls(name, arrays["readout.scale"].copy(), arrays["readout.error"].copy(), t)
        weights.add_planes(readouts.planes)
        matrices = np.split(arrays["readout.coef"], len(readouts.planes))
        biases = np.split(arrays["readout.intercept"], len(readouts.planes))
        for plane_name, matrix, bias in zip(readouts.planes, matrices, biases, strict=True):
            plane = weights.plane(plane_name)
            plane.table[...] = matrix
            plane.bias[...] = bias
        if readouts.is_mix:
            readouts.measure_gentle_reach(weights)
        return readouts


def _restored(
    name: str, is_mix: bool, scales: FloatArray, errors: FloatArray, t: int, gentle_reach: float
) -> Readouts:
    """Rebuild read-outs from their state; even for a mix, ``name`` may be that of one part."""
    readouts = Readouts("mix" if is_mix else name, scales, errors, t)
    readouts.name = name
    readouts.gentle_reach = gentle_reach
    return readouts
