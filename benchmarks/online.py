"""Learning one example at a time, beside river and scikit-learn."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import workloads
from report import Row, Skipped
from sklearn.linear_model import Perceptron as Peer
from timing import interleaved, seconds

from rosenblatt import Perceptron

__all__ = ["learn_one", "partial_fit"]


def learn_one() -> list[Row]:
    """Mappings of 20 keys, one after the other."""
    if importlib.util.find_spec("river") is None:
        raise Skipped("the peer is river, which is not installed (pip install river).")
    from river import linear_model

    stream = workloads.mappings(5000)

    def run(model: Any) -> None:
        learn = model.learn_one
        for x, y in stream:
            learn(x, y)

    times = interleaved(
        9,
        ours=seconds(lambda: run(Perceptron())),
        peer=seconds(lambda: run(linear_model.Perceptron())),
    )
    note = f"{1000 * times['ours'] / len(stream):.1f} us an example"
    return [Row("learn_one, 5,000 mappings of 20 keys", **times, least_of_peer=2.0, note=note)]


def partial_fit() -> list[Row]:
    """Arrays of one row, one after the other; the classes were told in the first call."""
    X, y = workloads.dense(1000, 20, np.float64)
    rows = [(X[i : i + 1], y[i : i + 1]) for i in range(len(y))]

    def run(model: Any) -> None:
        learn = model.partial_fit
        for x, label in rows:
            learn(x, label)

    ours, peer = Perceptron(), Peer()
    for model in (ours, peer):
        model.partial_fit(X[:1], y[:1], classes=[-1, 1])
    times = interleaved(9, ours=seconds(lambda: run(ours)), peer=seconds(lambda: run(peer)))
    note = f"{1000 * times['ours'] / len(rows):.1f} us a call"
    return [Row("partial_fit, 1,000 times one row of 20", **times, least_of_peer=50.0, note=note)]
