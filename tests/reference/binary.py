"""Online training of one weight vector, labels y in {-1, +1} (L1.4, L1.5, L3.3, L4.1).

    score    = w.x + b                      (no b without an intercept)
    margin   = y * score
    mistaken = margin < 0, or margin = 0 and (ties = "mistake" or y = -1)   (L1.6, L3.3)
    sqnorm   = x.x + (1 with an intercept)                                  (L1.3, L3.2)
    tau      = step(margin, sqnorm, mistaken) * weight of the row (see `steps.weighted`)
    w <- w + tau y x,   b <- b + tau y                                      (L1.8)

A row of weight 0 is passed over, though it counts as an example seen. A step of 0 is no update.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import steps

Array = NDArray[np.float64]
Step = Callable[[float, float, bool], float]
Ties = Literal["mistake", "positive"]


class Update(NamedTuple):
    row: int
    y: int
    step: float  # tau, with the weight of the row in it
    t: int  # examples seen up to and including this one, so the first example has t = 1


@dataclass
class Run:
    start: tuple[Array, float]  # (w, b) before the first example
    w: Array
    b: float
    updates: list[Update] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)  # one number per epoch
    snapshots: list[tuple[Array, float]] = field(default_factory=list)  # after every example
    seen: int = 0
    converged: bool = False  # the last epoch had no update and no mistake


def train(
    X: Array,
    y: NDArray[np.int64],
    step: Step,
    *,
    epochs: int,
    order: Sequence[NDArray[np.int64]] | None = None,
    fit_intercept: bool,
    ties: Ties,
    weights: Array | None = None,
    aims_at_one: bool = False,
    w0: Array | None = None,
    b0: float = 0.0,
    stop: bool = True,
) -> Run:
    """Train for `epochs` epochs, or with `stop` until one makes no update and no mistake."""
    w = np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=np.float64)
    b = float(b0) if fit_intercept else 0.0
    run = Run(start=(w.copy(), b), w=w, b=b)
    for epoch in range(epochs):
        mistakes, updates_before = 0, len(run.updates)
        for i in range(len(X)) if order is None else order[epoch]:
            run.seen += 1
            weight = 1.0 if weights is None else float(weights[i])
            if weight != 0:
                margin = float(y[i] * (run.w @ X[i] + run.b))
                mistaken = margin < 0 or (margin == 0 and (ties == "mistake" or y[i] == -1))
                sqnorm = float(X[i] @ X[i]) + (1 if fit_intercept else 0)
                tau = step(margin, sqnorm, bool(mistaken))
                tau = steps.weighted(tau, weight, margin, sqnorm, aims_at_one=aims_at_one)
                mistakes += mistaken
                if tau != 0:
                    run.w = run.w + tau * y[i] * X[i]
                    run.b = run.b + tau * int(y[i]) if fit_intercept else 0.0
                    run.updates.append(Update(int(i), int(y[i]), tau, run.seen))
            run.snapshots.append((run.w.copy(), run.b))
        run.mistakes.append(int(mistakes))
        run.converged = mistakes == 0 and len(run.updates) == updates_before
        if stop and run.converged:
            break
    return run
