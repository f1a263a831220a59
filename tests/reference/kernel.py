"""The kernel perceptron as the lecture and Freund and Schapire have it: row by row, no shortcut."""

from __future__ import annotations

from typing import Any

import numpy as np


def steps(scores: Any, label: int, shape: str, ties: str) -> Any:
    """What a row adds to each function: 1, -1 or 0."""
    k = len(scores)
    found = np.zeros(k)
    if shape in ("binary", "ovr"):
        for c in range(k):
            sign = 1 if label == (1 if shape == "binary" else c) else -1
            wrong = sign * scores[c] < 0 or (scores[c] == 0 and (ties == "mistake" or sign < 0))
            found[c] = sign * wrong
        return found
    best = max(scores)
    winners = [c for c in range(k) if scores[c] == best]
    if label not in winners:
        found[label], found[winners[0]] = 1, -1
    elif ties == "positive" and winners[-1] != label:
        found[label], found[winners[-1]] = 1, -1
    elif ties == "mistake" and len(winners) > 1:
        found[label] = 1
    return found


def learn(
    K: Any, labels: Any, orders: Any, shape: str, ties: str, k: int, weights: Any = None
) -> Any:
    """Coefficients (k, n) after every example, and (row, steps) of every mistake.

    A row of weight 0 is left out.
    """
    coef, states, mistakes = np.zeros((k, len(K))), [], []
    factor = np.ones(len(K)) if weights is None else weights
    for order in orders:
        for row in order:
            step = factor[row] * steps(coef @ K[:, row], labels[row], shape, ties)
            if step.any():
                mistakes.append((int(row), step.tolist()))
                coef = coef.copy()
                coef[:, row] += step
            states.append(coef)
    return states, mistakes


def answer(states: Any, K: Any, combine: str, shape: str, ties: str) -> Any:
    """Scores (k, queries) of all states together; K is (rows, queries)."""
    if combine == "last":
        return states[-1] @ K
    if combine == "average":
        return np.mean(states, axis=0) @ K
    votes = np.zeros((len(states[0]), K.shape[1]))
    for state in states:
        scores = state @ K
        if shape == "argmax":
            votes[scores.argmax(axis=0), np.arange(K.shape[1])] += 1
        else:
            votes += np.where(scores == 0, float(ties == "positive"), np.sign(scores))
    return votes / len(states)
