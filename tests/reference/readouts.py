"""Read-outs of a stream, written plainly: every mean is kept as it is, over all features."""

from __future__ import annotations

from typing import Any

RATES = {"average": 0.0, "slow": 1 / 1000, "fast": 1 / 100}


class PlainReadouts:
    """Means of the weights after each example, and the faded mistakes of each."""

    def __init__(self) -> None:
        self.t = 0
        self.means: dict[str, Any] = {}
        self.errors = dict.fromkeys(("last", *RATES), 0.0)

    def learned(self, before: Any, after: Any, x: Any, sign: int) -> None:
        """The weights (with the bias last) before and after an example of two classes."""
        self.t += 1
        weights = {"last": before, **{name: self.means.get(name, before) for name in RATES}}
        for name, w in weights.items():
            self.errors[name] = 0.5 ** (1 / 50) * self.errors[name] + (sign * (w @ x) <= 0)
        for name, rate in RATES.items():
            a = max(rate, 1 / self.t)
            self.means[name] = (1 - a) * self.means.get(name, after) + a * after

    def chosen(self) -> str:
        return min(self.errors, key=lambda name: self.errors[name])
