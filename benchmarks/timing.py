"""Measuring: medians of repetitions that take turns, so that noise hits all alike."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["Measurement", "epoch", "interleaved", "quietly", "seconds"]

Measurement = Callable[[], float]


def quietly(act: Callable[[], Any]) -> Any:
    """Call without warnings: that a few epochs do not separate the rows is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act()


def seconds(act: Callable[[], Any]) -> Measurement:
    """The time of one call."""

    def measurement() -> float:
        start = time.perf_counter()
        quietly(act)
        return time.perf_counter() - start

    return measurement


def epoch(make: Callable[[int], Any], X: Any, y: Any, few: int, many: int) -> Measurement:
    """The time of one epoch: the slope between two epoch counts, which leaves input checks out.

    ``make(n)`` is a learner that will run for ``n`` epochs.
    """
    short = seconds(lambda: make(few).fit(X, y))
    long = seconds(lambda: make(many).fit(X, y))
    return lambda: (long() - short()) / (many - few)


def interleaved(repeats: int, **measurements: Measurement) -> dict[str, float]:
    """The median of each measurement in milliseconds; the repetitions take turns."""
    found: dict[str, list[float]] = {name: [] for name in measurements}
    for _ in range(repeats):
        for name, measurement in measurements.items():
            found[name].append(1000 * measurement())
    return {name: statistics.median(values) for name, values in found.items()}
