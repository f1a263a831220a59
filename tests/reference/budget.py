"""Kernel perceptrons with a budget, row by row, for one function and labels -1 and 1.

K is the kernel of all rows; a support row is a row number. Every function returns the coefficients
after each example as mappings {row: coefficient}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Coef = dict[int, float]


def score(coef: Coef, K: Any, row: int) -> float:
    return sum(a * K[s, row] for s, a in coef.items())


def forgetting(
    K: Any, y: Any, orders: Any, budget: int, victim: Callable[[Coef], int], weights: Any = None
) -> list[Coef]:
    """A mistaken row joins; if that is one too many, the victim goes."""
    weights = np.ones(len(K)) if weights is None else weights
    coef: Coef = {}
    states = []
    for order in orders:
        for row in order:
            if y[row] * score(coef, K, row) <= 0 and weights[row]:
                if row not in coef and len(coef) == budget:
                    del coef[victim(coef)]
                coef[row] = coef.get(row, 0.0) + weights[row] * y[row]
            states.append(dict(coef))
    return states


def smallest(K: Any) -> Callable[[Coef], int]:
    """The smallest |a| sqrt(K(x,x)); the one that joined first among equals."""
    return lambda coef: min(coef, key=lambda s: coef[s] ** 2 * K[s, s])


def forgetron(K: Any, y: Any, orders: Any, budget: int) -> list[Coef]:
    """Dekel, Shalev-Shwartz and Singer's self-tuned Forgetron; the kernel is scaled to at most 1.

    After the update the coefficients shrink by the largest phi in (0, 1] for which the damage
    psi = (sigma phi)^2 + 2 sigma phi - 2 sigma phi (phi mu) of dropping the oldest row keeps the
    sum of all damages below 15/32 of the mistakes; then the oldest row is dropped.
    """
    coef: Coef = {}
    states, mistakes, damage = [], 0, 0.0
    for order in orders:
        for row in order:
            if y[row] * score(coef, K, row) <= 0:
                mistakes += 1
                is_full = row not in coef and len(coef) == budget
                scale = max((K[s, s] for s in coef), default=1.0)
                coef[row] = coef.get(row, 0.0) + y[row]
                if is_full:
                    oldest = next(iter(coef))
                    sigma = abs(coef[oldest])
                    mu = math.copysign(1.0, coef[oldest]) * score(coef, K, oldest) / scale
                    room = 15 / 32 * mistakes - damage
                    tried = np.linspace(0.0, 1.0, 200_001)
                    psi = (sigma * tried) ** 2 + 2 * sigma * tried - 2 * sigma * mu * tried**2
                    over = np.flatnonzero(psi > room)
                    phi = 1.0 if psi[-1] <= room else tried[max(over[0] - 1, 0)]
                    damage += (sigma * phi) ** 2 + 2 * sigma * phi - 2 * sigma * mu * phi**2
                    coef = {s: phi * a for s, a in coef.items() if s != oldest}
            states.append(dict(coef))
    return states


def projectron(
    K: Any, y: Any, orders: Any, budget: int, tol: float, weights: Any = None
) -> list[Coef]:
    """Orabona, Keshet and Caputo's Projectron++; a full budget projects whatever the rest is.

    The weight of a row is a factor for its step; where the row is right, of at most 1.
    """
    weights = np.ones(len(K)) if weights is None else weights
    coef: Coef = {}
    states = []
    for order in orders:
        for row in order:
            support = list(coef)
            k, own = K[support, row], K[row, row]
            d = np.linalg.solve(K[np.ix_(support, support)], k) if support else np.zeros(0)
            rest = max(own - k @ d, 0.0)
            margin = y[row] * score(coef, K, row)
            factor = 0.0
            if weights[row] == 0:
                pass
            elif margin <= 0:
                factor = weights[row]
                if row not in coef and rest > tol**2 * own and len(coef) < budget:
                    coef[row], support, d = 0.0, [*support, row], np.append(0.0 * d, 1.0)
            elif margin < 1 and own - rest > 0:
                loss = 1 - margin
                allowed = loss - math.sqrt(rest / own) / tol
                factor = min(max(min(loss, 2 * allowed) / (own - rest), 0.0), 1.0)
                factor *= min(weights[row], 1.0)
            for s, part in zip(support, d, strict=True):
                coef[s] += y[row] * factor * part
            states.append(dict(coef))
    return states


def mean(states: list[Coef]) -> Coef:
    """The mean coefficient, over all examples, of every row that is kept in the end.

    What a row counted for before it was forgotten is forgotten, though it may have come back.
    """
    sums = dict.fromkeys(states[-1], 0.0)
    since_it_joined = set(sums)
    for state in reversed(states):
        since_it_joined &= state.keys()
        for row in since_it_joined:
            sums[row] += state[row]
    return {row: total / len(states) for row, total in sums.items()}
