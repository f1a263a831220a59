"""The structured perceptron (L1.16; Collins, 2002), with dense vectors and no shortcuts.

answer = argmax(x, w)                        the answer with the highest w . phi(x, y)
delta  = phi(x, gold) - phi(x, answer)
w     <- w + step(w, gold, answer, delta) delta      where the answer is wrong
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def one(w: Array, gold: Any, answer: Any, delta: Array) -> float:
    return 1.0


def train(
    xs: Sequence[Any],
    ys: Sequence[Any],
    phi: Callable[[Any, Any], Array],
    argmax: Callable[[Any, Array], Any],
    order: Sequence[Sequence[int]],
    step: Callable[[Array, Any, Any, Array], float] = one,
) -> tuple[list[Array], list[int]]:
    """The weights after every example, and the mistakes of every epoch; ``order``: one an epoch."""
    w, snapshots, mistakes = np.zeros(len(phi(xs[0], ys[0]))), [], []
    for epoch in order:
        mistakes.append(0)
        for i in epoch:
            answer = argmax(xs[i], w)
            if answer != ys[i]:
                delta = phi(xs[i], ys[i]) - phi(xs[i], answer)
                w = w + step(w, ys[i], answer, delta) * delta
                mistakes[-1] += 1
            snapshots.append(w)
        if mistakes[-1] == 0:
            break
    return snapshots, mistakes
