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

__all__ = ["one_by_one", "partial_fit"]


def one_by_one() -> list[Row]:
    """Mappings of 20 keys and the same numbers as arrays, one after the other."""
    if importlib.util.find_spec("river") is None:
        raise Skipped("the peer is river, which is not installed (pip install river).")
    from river import linear_model

    mappings = workloads.mappings(5000)
    arrays = [(np.array(list(x.values())), y) for x, y in mappings]

    def learned(model: Any, stream: Any = mappings) -> Any:
        learn = model.learn_one
        for x, y in stream:
            learn(x, y)
        return model

    def predict(model: Any, stream: Any = mappings) -> None:
        ask = model.predict_one
        for x, _ in stream:
            ask(x)

    peer, ours, of_arrays = learned(linear_model.Perceptron()), learned(Perceptron()), Perceptron()
    learned(of_arrays, arrays)
    times = interleaved(
        9,
        learn=seconds(lambda: learned(Perceptron())),
        learn_arrays=seconds(lambda: learned(Perceptron(), arrays)),
        learn_peer=seconds(lambda: learned(linear_model.Perceptron())),
        predict=seconds(lambda: predict(ours)),
        predict_arrays=seconds(lambda: predict(of_arrays, arrays)),
        predict_peer=seconds(lambda: predict(peer)),
    )

    def row(what: str, kind: str, own: str, least: float) -> Row:
        note = f"{1000 * times[own] / len(mappings):.2f} us an example"
        return Row(
            f"{what}_one, 5,000 {kind}",
            ours=times[own],
            peer=times[f"{what}_peer"],
            least_of_peer=least,
            note=note,
        )

    return [
        row("learn", "mappings of 20 keys", "learn", 4.0),
        row("learn", "arrays of 20 (peer: mappings)", "learn_arrays", 4.0),
        row("predict", "mappings of 20 keys", "predict", 1.5),
        row("predict", "arrays of 20 (peer: mappings)", "predict_arrays", 1.5),
    ]


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
