"""Progressive errors on streams that drift, beside persistence, Vowpal Wabbit and River.

python benchmarks/streams.py

Every example is predicted before it is learned. Ours is one PassiveAggressive with readout="mix",
and with "auto", over columns scaled by the rows before; the read-outs of that run stand beside it.
The others run with their defaults, River behind its StandardScaler. elec2 is read from the folder
ROSENBLATT_DATA; peers that are not installed are left out.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import workloads
from report import Skipped

from rosenblatt import PassiveAggressive, datasets
from rosenblatt.evaluate import Progress
from rosenblatt.features import Schema
from rosenblatt.io import read_table
from rosenblatt.models.rows import as_rows
from rosenblatt.tables.features.records import table_of_records

ROWS, COLUMNS, FLIP = 20_000, 10, 0.1
Data = tuple[Any, Any]


def elec2() -> Data:
    text = gzip.decompress(workloads.data_file("elec2/elec.csv.gz").read_bytes())
    table = read_table(io.BytesIO(text), -1)
    return table.numbers, table.y


def drifting(kind: str, period: int) -> Data:
    stream = datasets.drifting(ROWS, COLUMNS, kind=kind, period=period, flip=FLIP)
    return next(iter(stream.blocks(ROWS)))


STREAMS: dict[str, Callable[[], Data]] = {
    "elec2": elec2,
    "sudden 1,000": lambda: drifting("sudden", 1000),
    "sudden 5,000": lambda: drifting("sudden", 5000),
    "gradual 2,000": lambda: drifting("gradual", 2000),
    "rotating 5,000": lambda: drifting("rotating", 5000),
    "rotating 100,000": lambda: drifting("rotating", 100_000),
}


def scaled(X: Any) -> Any:
    """Each row by mean and standard deviation of those before, as `rosenblatt stream` has it."""
    names = [f"x{j}" for j in range(X.shape[1])]
    head = [dict(zip(names, row, strict=True)) for row in X[:2].tolist()]
    table = table_of_records(head)
    schema = Schema.guess(table, scale="running")
    table.numbers = X
    return schema.learn(table)


def is_wrong(score: float, label: int) -> bool:
    """Whether the right one of two classes does not have the higher score."""
    return score <= 0 if label else score >= 0


def ours(X: Any, y: Any, readout: str) -> dict[str, float]:
    """Errors of what predicts and of each read-out alone, in one run."""
    model = PassiveAggressive(average=False, readout=readout)
    model.partial_fit(X[:1], y[:1], classes=np.unique(y))
    readouts = model._model.readouts
    wrong = np.zeros(1 + len(readouts.names))
    for i in range(1, len(y)):
        rows = as_rows(X[i : i + 1])
        served = readouts.score(model._model.weights, rows)
        scores = [served, *readouts.scores(model._model.weights, rows)]
        wrong += [is_wrong(one[0], int(y[i])) for one in scores]
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    rates = (100 * (wrong + 1) / len(y)).tolist()
    return dict(zip((readout, *readouts.names), rates, strict=True))


def river(X: Any, y: Any) -> dict[str, float]:
    try:
        from river import linear_model, preprocessing
    except ImportError as error:
        raise Skipped("river is not installed.") from error
    kinds = linear_model.LogisticRegression, linear_model.PAClassifier, linear_model.Perceptron
    found = {}
    for kind in kinds:
        model, wrong = preprocessing.StandardScaler() | kind(), 0
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            x = dict(enumerate(row))
            wrong += model.predict_one(x) != bool(label)
            model.learn_one(x, bool(label))
        found[f"River {kind.__name__}"] = 100 * wrong / len(y)
    return found


def vowpal_wabbit(X: Any, y: Any) -> dict[str, float]:
    try:
        from vowpalwabbit import Workspace
    except ImportError as error:
        raise Skipped("vowpalwabbit is not installed.") from error
    found = {}
    for loss in ("squared", "logistic", "hinge"):
        model, wrong = Workspace(f"--quiet --loss_function {loss}"), 0
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            line = " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row))
            example = model.example(f"{2 * label - 1} | {line}")
            wrong += (model.predict(example) > 0) != bool(label)
            model.learn(example)
            model.finish_example(example)
        model.finish()
        found[f"VW {loss}"] = 100 * wrong / len(y)
    return found


def peers(X: Any, y: Any) -> Iterator[dict[str, float]]:
    for measure in (river, vowpal_wabbit):
        try:
            yield measure(X, y)
        except Skipped as error:
            print(f"    {error}")


def main() -> None:
    for name, read in STREAMS.items():
        try:
            X, y = read()
        except Skipped as error:
            print(f"{name}: {error}")
            continue
        baselines = Progress()
        baselines.add_labels(y.tolist())
        baselines.add(np.zeros(len(y)))
        Z = scaled(np.ascontiguousarray(X))
        others: dict[str, float] = {}
        for found in peers(X, y):
            others |= found
        persistence, best = 100 * baselines.persistence, min(others.values(), default=np.inf)
        print(f"{name}: same label as before {persistence:.2f} %")
        for readout in ("mix", "auto"):
            chosen, *single = ours(Z, y, readout).items()
            parts = ", ".join(f"{name} {rate:.2f}" for name, rate in single)
            bar = min(persistence, best, 1.0 + min(rate for _, rate in single))
            verdict = "holds" if chosen[1] < bar else "does not hold"
            print(f"    ours, {readout} {chosen[1]:.2f} ({parts}): {verdict}")
        print("    " + ", ".join(f"{peer} {rate:.2f}" for peer, rate in others.items()))


if __name__ == "__main__":
    main()
