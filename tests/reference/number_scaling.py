"""Scaling of one column of numbers, written plainly: sorted values, and one row after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two sorted values around the place (n - 1)·share, in proportion."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def robust(values: Sequence[float], clip: float = 3.0) -> list[float]:
    """(x - median) / (IQR/1.349), by the standard deviation where the IQR is 0, at most ±clip."""
    median = quantile(values, 0.5)
    scale = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349
    if scale <= abs(median) * 1e-12:
        mean = sum(values) / len(values)
        scale = math.sqrt(sum((x - mean) ** 2 for x in values) / len(values))
    if scale <= abs(median) * 1e-12:
        scale = 1.0
    return [min(max((x - median) / scale, -clip), clip) for x in values]


def running(values: Sequence[float], clip: float = 3.0) -> list[float]:
    """Each value by mean and standard deviation of those before it; NaN is left out of both."""
    found: list[float] = []
    for place, x in enumerate(values):
        before = [v for v in values[:place] if not math.isnan(v)]
        mean = sum(before) / len(before) if before else x
        variance = sum((v - mean) ** 2 for v in before) / max(len(before), 1)
        scale = math.sqrt(variance) if variance > (abs(mean) * 1e-12) ** 2 else 1.0
        z = (x - mean) / scale
        found.append(z if math.isnan(z) else min(max(z, -clip), clip))
    return found
