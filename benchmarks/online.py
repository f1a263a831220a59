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

__all__ = ["one_by_one", "partial_fit", "records"]
N_EXAMPLES = 5000


def learned(model: Any, stream: Any) -> Any:
    """The model, after it has learned from each example of a stream."""
    learn = model.learn_one
    for x, y in stream:
        learn(x, y)
    return model


def predict(model: Any, stream: Any) -> None:
    """Ask for the class of each example of a stream."""
    ask = model.predict_one
    for x, _ in stream:
        ask(x)


def require_river() -> None:
    """Skip the measurement where the peer is missing."""
    if importlib.util.find_spec("river") is None:
        raise Skipped("the peer is river, which is not installed (pip install river).")


def row(times: dict[str, float], what: str, kind: str, own: str, least: float) -> Row:
    """One line: ours beside river, which has the time called `what` with "_peer"."""
    return Row(
        f"{what}_one, {N_EXAMPLES:,} {kind}",
        ours=times[own],
        peer=times[f"{what}_peer"],
        least_of_peer=least,
        note=f"{1000 * times[own] / N_EXAMPLES:.2f} us an example",
    )


def one_by_one() -> list[Row]:
    """Mappings of 20 keys and the same numbers as arrays, one after the other."""
    require_river()
    from river import linear_model

    mappings = workloads.mappings(N_EXAMPLES)
    arrays = [(np.array(list(x.values())), y) for x, y in mappings]
    peer, ours = (learned(one(), mappings) for one in (linear_model.Perceptron, Perceptron))
    of_arrays = learned(Perceptron(), arrays)
    times = interleaved(
        9,
        learn=seconds(lambda: learned(Perceptron(), mappings)),
        learn_arrays=seconds(lambda: learned(Perceptron(), arrays)),
        learn_peer=seconds(lambda: learned(linear_model.Perceptron(), mappings)),
        predict=seconds(lambda: predict(ours, mappings)),
        predict_arrays=seconds(lambda: predict(of_arrays, arrays)),
        predict_peer=seconds(lambda: predict(peer, mappings)),
    )
    return [
        row(times, "learn", "mappings of 20 keys", "learn", 4.0),
        row(times, "learn", "arrays of 20 (peer: mappings)", "learn_arrays", 4.0),
        row(times, "predict", "mappings of 20 keys", "predict", 1.5),
        row(times, "predict", "arrays of 20 (peer: mappings)", "predict_arrays", 1.5),
    ]


def records() -> list[Row]:
    """Records of 10 numbers and 10 categories; numbers are scaled by those before on both sides."""
    require_river()
    from river import compose, linear_model, preprocessing

    stream = workloads.records(N_EXAMPLES)
    names = {kind: [n for n, v in stream[0][0].items() if type(v) is kind] for kind in (float, str)}

    def beginner() -> Any:
        """The columns are what the first records show: of these both have learned."""
        first, labels = zip(*stream[:100], strict=True)
        return Perceptron().partial_fit(list(first), labels)

    def peer() -> Any:
        numbers = compose.Select(*names[float]) | preprocessing.StandardScaler()
        levels = compose.Select(*names[str]) | preprocessing.OneHotEncoder()
        return (numbers + levels) | linear_model.Perceptron()

    ours, theirs = learned(beginner(), stream[100:]), learned(peer(), stream)
    times = interleaved(
        9,
        learn=seconds(lambda: learned(ours, stream)),
        learn_peer=seconds(lambda: learned(theirs, stream)),
        predict=seconds(lambda: predict(ours, stream)),
        predict_peer=seconds(lambda: predict(theirs, stream)),
    )
    return [
        row(times, "learn", "records of 20 columns", "learn", 5.0),
        row(times, "predict", "records of 20 columns", "predict", 5.0),
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
