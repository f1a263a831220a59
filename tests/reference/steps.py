"""Step sizes tau(margin, sqnorm, mistaken), one function per update rule.

With m = margin, q = sqnorm and l = max(0, 1 - m):

    perceptron  eta         if mistaken, or m <= threshold with threshold > 0   (L3.3, L2.3)
    mira        (1 - m)/q   if mistaken, or m < p (aggressive, 0 <= p <= 1)     (L3.4)
    pa          l / q                                        (Crammer et al., JMLR 7, 2006)
    pa1         min(C, l / q)                                (same paper, PA-I)
    pa2         l / (q + 1/(2C))                             (same paper, PA-II)
    soft        eta / (1 + exp(m))   on every row            (L3.5, logistic regression)
                with a limit: min(eta, limit / q) in place of eta

In all other cases the step is 0. Where the formula would divide by q = 0, the step is 0.
Fix the parameters with functools.partial before handing a rule to `train`.

The weight of a row multiplies its step. A rule that aims at a margin of 1 (mira, pa, pa1, pa2)
never overshoots it because of a weight above 1: such a step ends at (1 - m)/q at the latest.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .scaled import Scaled, alma, pegasos
from .second_order import AdaGrad, Variances, arow, scw


def perceptron(
    margin: float,
    sqnorm: float,
    mistaken: bool,
    *,
    eta: float = 1.0,
    margin_threshold: float = 0.0,
) -> float:
    too_close = margin_threshold > 0 and margin <= margin_threshold
    return eta if mistaken or too_close else 0.0


def mira(margin: float, sqnorm: float, mistaken: bool, *, aggressive: float | None = None) -> float:
    too_close = aggressive is not None and margin < aggressive
    if sqnorm == 0 or not (mistaken or too_close):
        return 0.0
    return (1 - margin) / sqnorm


def pa(margin: float, sqnorm: float, mistaken: bool) -> float:
    loss = max(0.0, 1 - margin)
    return 0.0 if sqnorm == 0 else loss / sqnorm


def pa1(margin: float, sqnorm: float, mistaken: bool, *, C: float = 1.0) -> float:
    loss = max(0.0, 1 - margin)
    return 0.0 if sqnorm == 0 else min(C, loss / sqnorm)


def pa2(margin: float, sqnorm: float, mistaken: bool, *, C: float = 1.0) -> float:
    loss = max(0.0, 1 - margin)
    return loss / (sqnorm + 1 / (2 * C))


def soft(
    margin: float, sqnorm: float, mistaken: bool, *, eta: float = 1.0, limit: float = np.inf
) -> float:
    eta = min(eta, limit / sqnorm) if sqnorm else eta
    with np.errstate(over="ignore"):  # exp(m) = inf gives the right limit, a step of 0
        return float(eta / (1 + np.exp(margin)))


def weighted(
    tau: float, weight: float, margin: float, sqnorm: float, *, aims_at_one: bool
) -> float:
    """The step of a row that counts `weight` times."""
    if aims_at_one and weight > 1 and tau != 0 and sqnorm > 0:
        return min(tau * weight, (1 - margin) / sqnorm)
    return tau * weight


class Oracle(NamedTuple):
    """A learner of the catalogue with its settings, and the step it must take.

    Where each weight has a rate of its own, ``step`` is a rule of `second_order`, and one of
    `scaled` where all weights are scaled.
    ``exact``: integers stay integers (or halves), so that no sum is ever rounded. ``jumps`` are the
    margins at which the step jumps.
    """

    learner: str
    settings: dict[str, Any]
    step: Callable[..., float] | Variances | AdaGrad | Scaled
    aims_at_one: bool = False
    exact: bool = False
    raise_only_on_tie: bool = False
    jumps: tuple[float, ...] = ()


# Every suite over the linear learners goes through these.
ORACLES = {
    "perceptron": Oracle("perceptron", {}, perceptron, exact=True, raise_only_on_tie=True),
    "margin": Oracle(
        "perceptron",
        {"margin": 1.0, "eta0": 0.5},
        partial(perceptron, eta=0.5, margin_threshold=1.0),
        exact=True,
    ),
    "averaged": Oracle("averaged", {}, perceptron, exact=True, raise_only_on_tie=True),
    "voted": Oracle("voted", {}, perceptron, exact=True, raise_only_on_tie=True),
    "mira": Oracle("mira", {}, mira, aims_at_one=True, jumps=(0.0,)),
    "aggressive": Oracle(
        "mira",
        {"aggressive": 0.5},
        partial(mira, aggressive=0.5),
        aims_at_one=True,
        jumps=(0.0, 0.5),
    ),
    "pa": Oracle("pa", {"variant": "PA"}, pa, aims_at_one=True, jumps=(0.0,)),
    "pa1": Oracle(
        "pa",
        {"variant": "PA-I", "C": 0.1},
        partial(pa1, C=0.1),
        aims_at_one=True,
        jumps=(0.0,),
    ),
    "pa2": Oracle(
        "pa",
        {"variant": "PA-II", "C": 0.5},
        partial(pa2, C=0.5),
        aims_at_one=True,
        jumps=(0.0,),
    ),
    "soft": Oracle(
        "soft",
        # Of all its weights: the mean of a tail is that of one fit, and replayed up to rounding.
        {"eta0": 0.3, "schedule": "constant", "max_move": 0.7, "average": True},
        partial(soft, eta=0.3, limit=0.7),
        jumps=(0.0,),
    ),
    "arow": Oracle("arow", {"r": 0.5}, Variances(partial(arow, r=0.5)), jumps=(0.0, 1.0)),
    "cw": Oracle(
        "scw", {"variant": "CW", "eta": 0.6}, Variances(partial(scw, eta=0.6)), jumps=(0.0,)
    ),
    "scw1": Oracle("scw", {"C": 0.2}, Variances(partial(scw, eta=0.75, C=0.2)), jumps=(0.0,)),
    "scw2": Oracle(
        "scw",
        {"variant": "II", "C": 0.5, "eta": 0.8},
        Variances(partial(scw, eta=0.8, C=0.5, squared=True)),
        jumps=(0.0,),
    ),
    "adagrad": Oracle(
        "perceptron",
        {"steps": "adagrad"},
        AdaGrad(1.0, 0.0, raise_only_on_tie=True),
        jumps=(0.0,),
    ),
    "adagrad_hinge": Oracle(
        "perceptron",
        {"steps": "adagrad", "margin": 1.0, "eta0": 0.5},
        AdaGrad(0.5, 1.0),
        jumps=(0.0, 1.0),
    ),
    "adagrad_soft": Oracle(
        "soft", {"average": True, "steps": "adagrad", "eta0": 0.3}, AdaGrad(0.3), jumps=(0.0,)
    ),
    "alma": Oracle("alma", {"alpha": 0.7}, alma(0.7, 1 / 0.7, np.sqrt(2.0)), jumps=(0.0,)),
    "alma_close": Oracle(
        "alma", {"alpha": 0.2, "B": 8.0, "C": 0.7}, alma(0.2, 8.0, 0.7), jumps=(0.0,)
    ),
    "pegasos": Oracle("pegasos", {"lambda_": 0.1}, pegasos(0.1), jumps=(0.0, 1.0)),
}
