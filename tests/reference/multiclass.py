"""Online training of one weight vector per class, labels y in {0, ..., k-1} (L2.2 to L2.4).

    scores = W x + b                        (no b without an intercept)
    rival  = the best wrong class, the lowest index among equals
    margin = scores[y] - scores[rival]
    sqnorm = 2 (x.x + (1 with an intercept))
    tau    = step(margin, sqnorm, mistaken) * weight of the row (see `steps.weighted`)
    w_y <- w_y + tau x,   w_rival <- w_rival - tau x,   b likewise          (L2.3)

A margin below 0 is a mistake. A margin of 0 is a tie:

    ties = "mistake"   it is a mistake; with raise_only_on_tie only w_y is raised and no class
                       is lowered, and the rival is recorded as -1          (L2.4)
    ties = "positive"  the last of the tied classes wins; if that is not y, it is a mistake, the
                       winner is the rival and both move

The soft rule (L3.5) moves on every row: with p = softmax(scores), for each wrong class c in
order, w_y <- w_y + eta p_c x and w_c <- w_c - eta p_c x. With a limit it is min(eta, limit / q)
in place of eta, where q = sqnorm / 2.

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
Moves = Callable[[Array, int, float, float], tuple[bool, list[tuple[int, float]]]]


class Update(NamedTuple):
    row: int
    y: int
    rival: int  # -1: nobody was lowered
    step: float  # tau, with the weight of the row in it
    t: int  # examples seen up to and including this one, so the first example has t = 1


@dataclass
class Run:
    start: tuple[Array, Array]  # (W, b) before the first example
    W: Array
    b: Array
    updates: list[Update] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)  # one number per epoch
    snapshots: list[tuple[Array, Array]] = field(default_factory=list)  # after every example
    seen: int = 0
    converged: bool = False  # the last epoch had no update and no mistake


def judge(scores: Array, y: int, ties: Ties) -> tuple[int, float, bool]:
    """The rival, the margin, and whether the prediction is a mistake."""
    classes = range(len(scores))
    rival = max((c for c in classes if c != y), key=lambda c: scores[c])  # first of equals
    margin = float(scores[y] - scores[rival])
    if margin == 0 and ties == "positive":
        winner = max(c for c in classes if scores[c] == scores[y])  # last of the tied
        return (rival, margin, False) if winner == y else (winner, margin, True)
    return rival, margin, margin <= 0


def softmax(scores: Array) -> Array:
    e = np.exp(scores - scores.max())
    p: Array = e / e.sum()
    return p


def train(
    X: Array,
    y: NDArray[np.int64],
    step: Step,
    *,
    n_classes: int,
    epochs: int,
    order: Sequence[NDArray[np.int64]] | None = None,
    fit_intercept: bool,
    ties: Ties,
    raise_only_on_tie: bool,
    weights: Array | None = None,
    aims_at_one: bool = False,
    W0: Array | None = None,
    b0: Array | None = None,
    stop: bool = True,
) -> Run:
    """Train a rule with one rival; raise_only_on_tie is for the perceptron without margin."""

    def moves(
        scores: Array, yi: int, sqnorm: float, weight: float
    ) -> tuple[bool, list[tuple[int, float]]]:
        rival, margin, mistaken = judge(scores, yi, ties)
        tau = step(margin, sqnorm, mistaken)
        tau = steps.weighted(tau, weight, margin, sqnorm, aims_at_one=aims_at_one)
        if raise_only_on_tie and ties == "mistake" and margin == 0:
            rival = -1
        return mistaken, [(rival, tau)]

    return _loop(X, y, moves, n_classes, epochs, order, fit_intercept, weights, W0, b0, stop)


def train_soft(
    X: Array,
    y: NDArray[np.int64],
    *,
    eta: float,
    limit: float = np.inf,
    n_classes: int,
    epochs: int,
    order: Sequence[NDArray[np.int64]] | None = None,
    fit_intercept: bool,
    weights: Array | None = None,
    W0: Array | None = None,
    b0: Array | None = None,
    stop: bool = True,
) -> Run:
    """Train the soft rule: every wrong class is a rival, and a tie counts as a mistake."""

    def moves(
        scores: Array, yi: int, sqnorm: float, weight: float
    ) -> tuple[bool, list[tuple[int, float]]]:
        p = softmax(scores)
        length = min(eta, limit / (sqnorm / 2)) if sqnorm else eta
        wrong = [c for c in range(n_classes) if c != yi]
        return judge(scores, yi, "mistake")[2], [(c, length * float(p[c]) * weight) for c in wrong]

    return _loop(X, y, moves, n_classes, epochs, order, fit_intercept, weights, W0, b0, stop)


def _loop(
    X: Array,
    y: NDArray[np.int64],
    moves: Moves,
    n_classes: int,
    epochs: int,
    order: Sequence[NDArray[np.int64]] | None,
    fit_intercept: bool,
    weights: Array | None,
    W0: Array | None,
    b0: Array | None,
    stop: bool,
) -> Run:
    W = np.zeros((n_classes, X.shape[1])) if W0 is None else np.array(W0, dtype=np.float64)
    no_b = b0 is None or not fit_intercept
    b = np.zeros(n_classes) if no_b else np.array(b0, dtype=np.float64)
    run = Run(start=(W.copy(), b.copy()), W=W, b=b)
    for epoch in range(epochs):
        mistakes, updates_before = 0, len(run.updates)
        for i in range(len(X)) if order is None else order[epoch]:
            run.seen += 1
            weight = 1.0 if weights is None else float(weights[i])
            if weight != 0:
                yi = int(y[i])
                sqnorm = 2 * (float(X[i] @ X[i]) + (1 if fit_intercept else 0))
                mistaken, moved = moves(W @ X[i] + b, yi, sqnorm, weight)
                mistakes += mistaken
                for rival, tau in moved:
                    if tau != 0:
                        _add(W, b, yi, tau, X[i], fit_intercept)
                        if rival != -1:
                            _add(W, b, rival, -tau, X[i], fit_intercept)
                        run.updates.append(Update(int(i), yi, rival, tau, run.seen))
            run.snapshots.append((W.copy(), b.copy()))
        run.mistakes.append(int(mistakes))
        run.converged = mistakes == 0 and len(run.updates) == updates_before
        if stop and run.converged:
            break
    return run


def _add(W: Array, b: Array, c: int, tau: float, x: Array, fit_intercept: bool) -> None:
    """w_c <- w_c + tau x and b_c <- b_c + tau, in place."""
    W[c] += tau * x
    if fit_intercept:
        b[c] += tau
