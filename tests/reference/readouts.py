"""Read-outs of a stream, written plainly: every mean is kept as it is, over all features."""

from __future__ import annotations

from typing import Any

import numpy as np

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


class PlainMix:
    """The last weights of a learner, those of a gentle one and its means, each by its share."""

    def __init__(self, start: Any) -> None:
        self.t = 0
        self.weights = dict.fromkeys(("last", "gentle", "average", "slow", "fast"), start)
        self.errors = dict.fromkeys(self.weights, 0.0)

    def learned(self, after: Any, x: Any, sign: int, row_weight: float = 1.0) -> None:
        """The learner's weights after an example of two classes, the bias last."""
        self.t += 1
        for name, w in self.weights.items():
            self.errors[name] = 0.5 ** (1 / 150) * self.errors[name] + (sign * (w @ x) <= 0)
        loss = max(0.0, 1.0 - sign * (self.weights["gentle"] @ x))
        step = min(row_weight * min(0.4, loss), loss) / (x @ x)
        gentle = self.weights["gentle"] + step * sign * x
        for name, rate in (("average", 0.0), ("slow", 1 / 1000), ("fast", 1 / 300)):
            a = max(rate, 1 / self.t)
            self.weights[name] = (1 - a) * self.weights[name] + a * gentle
        self.weights |= {"last": after, "gentle": gentle}

    def served(self) -> Any:
        shares = np.exp(-0.5 * np.array(list(self.errors.values())))
        return (shares / shares.sum()) @ np.stack(list(self.weights.values()))
