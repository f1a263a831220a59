"""A linear learner over its whole life, written plainly: classes and features join at any time.

With two classes there is one weight vector w, and the second class in their natural order is the
positive one. A third class splits it into -w/2 and w/2, each with the rates of w; it and every
further class begin at 0. The bias is the weight of one more feature, which is 1 everywhere. While
there is only one class, examples are counted and nothing else happens.

    mean    (1/t) Σ of the weights after each of the t examples; with a split, each summand splits
    decayed m_n = (1 - a_n) m_{n-1} + a_n w with a_n = max(a, 1/n), for the n-th example after the
            second class came

    auto    the read-out with the fewest mistakes, each of which counts half after 50 examples
    mix     a second learner, a passive-aggressive one that moves a margin by at most 0.4, beside
            the first: the weights of both and the decayed means of the second are summed by the
            shares exp(-mistakes / 2), where a mistake counts half after 150 examples

Sums are kept as they are defined. Nothing here is fast, and nothing is clever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import multiclass, scaled, second_order, steps

# How much each example counts in the read-outs of a stream.
DECAYS = {"average": 0.0, "slow": 1 / 1000, "fast": 1 / 100}
MIXED_DECAYS = {"average": 0.0, "slow": 1 / 1000, "fast": 1 / 300}


class Update(NamedTuple):
    y_true: Any
    y_pred: Any  # None: the right class was raised and no other lowered
    step: float
    t: int


class PlainStream:
    """Learns from one example at a time by the step of an `Oracle`."""

    def __init__(self, oracle: steps.Oracle, *, ties: str = "mistake", fit_intercept: bool = True):
        self.oracle = oracle
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.classes: list[Any] = []
        self.n_features = 0
        self.t = 0
        self.n_learned = 0  # examples since the second class came
        self.n_asked = 0  # those of them that do not have a weight of 0
        self.n_mistakes = 0
        self.updates: list[Update] = []
        # The vectors stand in the rows; the last column is that of the bias.
        self.W = np.zeros((1, 1))
        self.S = self._first_rates((1, 1))
        self.total = np.zeros((1, 1))
        self.means = {name: np.zeros((1, 1)) for name in DECAYS}
        # Of a mix: the gentle learner and its means.
        self.mixed = {name: np.zeros((1, 1)) for name in ("gentle", *MIXED_DECAYS)}
        self.errors = dict.fromkeys(("last", *DECAYS), 0.0)
        self.mixed_errors = dict.fromkeys(("last", *self.mixed), 0.0)
        # Whether rounding may have decided if some read-out was right.
        self.is_close = False

    # ------------------------------------------------------------------ shape

    def _first_rates(self, shape: tuple[int, int]) -> Any:
        """Variances begin at 1, sums of squared gradients at 0; other rules have neither."""
        return np.full(shape, 1.0 if isinstance(self.oracle.step, second_order.Variances) else 0.0)

    def _tables(self) -> dict[str, Any]:
        """All that has the shape of the weights and begins at 0."""
        mixed = {f"mixed {name}": table for name, table in self.mixed.items()}
        return {"W": self.W, "total": self.total, **mixed, **self.means}

    def _set_tables(self, tables: dict[str, Any]) -> None:
        self.W = tables.pop("W")
        self.total = tables.pop("total")
        self.mixed = {name: tables.pop(f"mixed {name}") for name in self.mixed}
        self.means = tables

    def grow(self, n_features: int) -> None:
        """Let features join in front of the bias."""
        more = n_features - self.n_features
        if more <= 0:
            return
        place = self.n_features
        self._set_tables(
            {
                name: np.insert(table, [place] * more, 0.0, axis=1)
                for name, table in self._tables().items()
            }
        )
        first = self._first_rates((1, 1))[0, 0]
        self.S = np.insert(self.S, [place] * more, first, axis=1)
        self.n_features = n_features

    def admit(self, label: Any) -> None:
        if label in self.classes:
            return
        n = len(self.classes)
        if n == 2:
            self._set_tables(
                {
                    name: np.concatenate([-table / 2, table / 2])
                    for name, table in self._tables().items()
                }
            )
            self.S = np.concatenate([self.S, self.S])
        if n >= 2:
            width = self.n_features + 1
            self._set_tables(
                {
                    name: np.concatenate([table, np.zeros((1, width))])
                    for name, table in self._tables().items()
                }
            )
            self.S = np.concatenate([self.S, self._first_rates((1, width))])
        self.classes.append(label)
        if n < 2:
            self.classes.sort()

    def admit_all(self, labels: list[Any]) -> None:
        for label in labels:
            self.admit(label)

    # ------------------------------------------------------------------ learning

    def learn(self, x: Any, label: Any, weight: float = 1.0) -> None:
        """Learn from a row of numbers, one for each feature."""
        self.admit(label)
        self.t += 1
        if len(self.classes) < 2:
            return
        self.n_learned += 1
        row = np.append(x, 1.0 if self.fit_intercept else 0.0)
        right = self.classes.index(label)
        self._judge(row, right)
        if weight:
            self._learn(row, right, weight)
            self._learn_gently(row, right, weight)
        self.total = self.total + self.W
        for name, decay in DECAYS.items():
            share = max(decay, 1 / self.n_learned)
            self.means[name] = (1 - share) * self.means[name] + share * self.W
        for name, decay in MIXED_DECAYS.items():
            share = max(decay, 1 / self.n_learned)
            self.mixed[name] = (1 - share) * self.mixed[name] + share * self.mixed["gentle"]

    def _judge(self, x: Any, right: int) -> None:
        """Count the mistakes of each read-out before it learns."""
        kinds = (
            (self.errors, self.means, 0.5 ** (1 / 50)),
            (
                self.mixed_errors,
                self.mixed,
                0.5 ** (1 / 150),
            ),
        )
        for errors, tables, fading in kinds:
            for name, table in {"last": self.W, **tables}.items():
                scores = table @ x
                if len(scores) == 1:
                    ahead = float((2 * right - 1) * scores[0])
                else:
                    ahead = float(scores[right] - np.delete(scores, right).max())
                self.is_close |= abs(ahead) < 1e-9 and bool((table * x).any())
                errors[name] = fading * errors[name] + (ahead <= 0)

    def _learn_gently(self, x: Any, right: int, weight: float) -> None:
        table = self.mixed["gentle"]
        scores = table @ x
        squared = float(x @ x) * (1 if len(table) == 1 else 2)
        if len(table) == 1:
            sign = 2 * right - 1
            margin = float(sign * scores[0])
            vectors = [(0, sign)]
        else:
            rival, margin, _ = multiclass.judge(scores, right, "mistake")
            vectors = [(rival, -1), (right, 1)]
        if margin >= 1 or squared == 0:
            return
        step = min(0.4, 1 - margin) / squared
        step = steps.weighted(step, weight, margin, squared, aims_at_one=True)
        for vector, sign in vectors:
            table[vector] += sign * step * x

    def _learn(self, x: Any, right: int, weight: float) -> None:
        scores = self.W @ x
        if len(self.W) == 1:
            sign = 2 * right - 1
            margin = float(sign * scores[0])
            mistaken = margin < 0 or (margin == 0 and (self.ties == "mistake" or sign == -1))
            moves = [(1 - right, margin, [(0, sign)], 1.0)]
        else:
            rival, margin, mistaken = multiclass.judge(scores, right, self.ties)
            moves = self._moves_of_classes(scores, right, rival, margin)
        self.n_mistakes += int(mistaken)
        for wrong, own_margin, vectors, share in moves:
            step = self._move(x, own_margin, mistaken, weight, vectors, share)
            if step:
                y_pred = None if wrong < 0 else self.classes[wrong]
                self.updates.append(Update(self.classes[right], y_pred, step, self.t))

    @property
    def _is_soft(self) -> bool:
        rule = self.oracle.step
        if isinstance(rule, second_order.AdaGrad):
            return rule.threshold is None
        return self.oracle.learner == "soft"

    def _moves_of_classes(self, scores: Any, right: int, rival: int, margin: float) -> list[Any]:
        """Wrong class, margin, vectors with their signs, and the share of the step; one a move."""
        if self._is_soft:
            shares = multiclass.softmax(scores)
            wrong = [c for c in range(len(scores)) if c != right]
            return [(c, margin, [(c, -1), (right, 1)], float(shares[c])) for c in wrong]
        raises_only = self.oracle.raise_only_on_tie or getattr(
            self.oracle.step, "raise_only_on_tie", False
        )
        if raises_only and self.ties == "mistake" and margin == 0:
            return [(-1, margin, [(right, 1)], 1.0)]
        return [(rival, margin, [(rival, -1), (right, 1)], 1.0)]

    def _move(
        self,
        x: Any,
        margin: float,
        mistaken: bool,
        weight: float,
        vectors: list[tuple[int, int]],
        share: float,
    ) -> float:
        """Move the vectors by their signs; return the step."""
        rule = self.oracle.step
        is_binary = len(self.W) == 1
        if isinstance(rule, second_order.Variances | second_order.AdaGrad):
            rates = second_order.Rates(rule, *self.W.shape)
            rates.W = self.W
            rates.S = self.S
            if isinstance(rule, second_order.AdaGrad) and self._is_soft and not is_binary:
                return float(rates.descend(x, share * weight, vectors))
            return float(rates.move(x, margin, mistaken, weight, vectors))

        if isinstance(rule, scaled.Scaled):
            plain = scaled.Plain(rule, *self.W.shape)
            plain.W = self.W
            plain.k = len(self.updates)
            plain.t = self.n_asked
            step = plain.learn(x, margin, weight, vectors)
            self.W = plain.W
            self.n_asked = plain.t
            return step

        squared = float(x @ x) * (1 if is_binary else 2)
        if self._is_soft and not is_binary:
            # The step of a row that is surely wrong, times the probability of the wrong class.
            eta = rule.keywords["eta"]
            limit = rule.keywords.get("limit", np.inf)
            step = (min(eta, limit / (squared / 2)) if squared else eta) * share * weight
        else:
            step = rule(margin, squared, mistaken)
            step = steps.weighted(
                step, weight, margin, squared, aims_at_one=self.oracle.aims_at_one
            )
        for vector, sign in vectors if step else ():
            self.W[vector] += sign * step * x
        return float(step)

    # ------------------------------------------------------------------ what predicts

    def served(self, readout: str) -> tuple[Any, Any]:
        """Return the weights and biases of a read-out or "mean", by sorted classes."""
        if readout == "auto":
            readout = min(self.errors, key=lambda name: self.errors[name])
        if readout == "mix":
            shares = {name: np.exp(-errors / 2) for name, errors in self.mixed_errors.items()}
            tables = {"last": self.W, **self.mixed}
            table = sum(shares[name] * tables[name] for name in shares) / sum(shares.values())
        elif readout == "last":
            table = self.W
        elif readout == "mean":
            table = self.total / max(self.t, 1)
        else:
            table = self.means[readout]
        if len(self.classes) > 2:
            table = table[np.argsort(self.classes)]
        return table[:, :-1], table[:, -1]
