"""The voted perceptron with every weight vector kept (L4.2; Freund & Schapire, 1999).

    binary      yhat = sign( sum_k c_k sign(w_k.x + b_k) ),   sign(0) = 0
    multiclass  yhat = the class with most votes; vector k gives c_k votes to argmax(W_k x + b_k)

c_k is the survival time of vector k: it starts with the example that made it and ends before the
next example that causes an update. The starting vector votes for the examples before the first
update, which may be none. The c_k sum to the number of examples seen. The lowest class index wins
among equals, both in each argmax and in the count of votes.
"""

import numpy as np
from numpy.typing import NDArray

from . import binary, multiclass

Array = NDArray[np.float64]


def survivals(run: binary.Run | multiclass.Run) -> list[int]:
    """c_0 of the starting vector, then one survival time per example that caused an update."""
    times = sorted({u.t for u in run.updates})
    return [int(c) for c in np.diff([1, *times, run.seen + 1])]


def voters_binary(run: binary.Run) -> list[tuple[Array, float, int]]:
    """All (w_k, b_k, c_k)."""
    times = sorted({u.t for u in run.updates})
    vectors = [run.start] + [run.snapshots[t - 1] for t in times]
    return [(w, b, c) for (w, b), c in zip(vectors, survivals(run), strict=True)]


def voters_multiclass(run: multiclass.Run) -> list[tuple[Array, Array, int]]:
    """All (W_k, b_k, c_k)."""
    times = sorted({u.t for u in run.updates})
    vectors = [run.start] + [run.snapshots[t - 1] for t in times]
    return [(W, b, c) for (W, b), c in zip(vectors, survivals(run), strict=True)]


def votes_binary(run: binary.Run, X: Array) -> Array:
    """sum_k c_k sign(w_k.x + b_k) for every row of X, shape (n,)."""
    total = np.zeros(len(X))
    for w, b, c in voters_binary(run):
        total += c * np.sign(X @ w + b)
    return total


def votes_multiclass(run: multiclass.Run, X: Array) -> Array:
    """The votes for every row of X and every class, shape (n, k)."""
    total = np.zeros((len(X), len(run.b)))
    for W, b, c in voters_multiclass(run):
        for i, x in enumerate(X):
            total[i, np.argmax(W @ x + b)] += c
    return total


def predict_binary(run: binary.Run, X: Array) -> Array:
    """-1, +1, or 0 where the votes are even."""
    return np.sign(votes_binary(run, X))


def predict_multiclass(run: multiclass.Run, X: Array) -> NDArray[np.int64]:
    winners: NDArray[np.int64] = np.argmax(votes_multiclass(run, X), axis=1)
    return winners
