"""What seeded learners come to on this processor; run as a script it prints that as JSON.

    PYTHONPATH=tests python -m estimators.processor_bytes

NumPy, its BLAS and the C library choose their loops by processor. What learners save and the
probabilities that they give must not depend on it. `CANARY` is the entry that does depend on it, by
which a test sees that another setting was heard. Kernels are left out: they go through BLAS.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp
from frozen.data import json_lines, table_lines
from persistence import tagger_samples
from persistence.forging import bytes_of
from strategies import LEARNERS

from rosenblatt import AutoLinear, AveragedPerceptron, Perceptron, SoftPerceptron, distributed
from rosenblatt.features import Schema
from rosenblatt.io import read_table

CANARY = "np.exp and a product of BLAS"
FEW: dict[str, Any] = {"max_iter": 5, "tol": None, "random_state": 3}


def bell_shaped(random: np.random.Generator, *shape: int) -> Any:
    """Sums of uniform numbers: those of NumPy's normal distribution need a logarithm."""
    found: Any = random.random((*shape, 6)).sum(axis=-1) - 3.0
    return found


def rows(seed: int, n: int, d: int, k: int, dtype: Any = np.float64) -> tuple[Any, Any]:
    """Rows of classes that overlap, in columns of different sizes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, k, n)
    y[:k] = np.arange(k)
    X = bell_shaped(random, n, d) + bell_shaped(random, k, d)[y] * (1.5 / np.sqrt(d))
    return (X * (1.0 + np.arange(d) % 5) + 0.3).astype(dtype), y


def sparse_rows(seed: int, n: int, d: int, k: int) -> tuple[Any, Any]:
    X, y = rows(seed, n, d, k)
    return sp.csr_array(np.where(np.random.default_rng(seed).random((n, d)) < 0.04, X, 0.0)), y


def unit_rows(seed: int, n: int, d: int, k: int) -> tuple[Any, Any]:
    """Sparse rows of length 1, as texts are."""
    X, y = sparse_rows(seed, n, d, k)
    lengths = np.sqrt((X.toarray() ** 2).sum(axis=1))
    return sp.csr_array(X.toarray() / np.maximum(lengths, 1e-9)[:, None]), y


SETS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "narrow": partial(rows, 1, 250, 3, 2),
    "usual": partial(rows, 2, 200, 17, 2),
    "wide": partial(rows, 3, 90, 300, 2),
    "narrow, 3 classes": partial(rows, 4, 160, 4, 3),
    "wide, 9 classes": partial(rows, 5, 200, 90, 9),
    "float32": partial(rows, 6, 150, 33, 2, np.float32),
    "float32, 5 classes": partial(rows, 7, 150, 12, 5, np.float32),
    "sparse": partial(sparse_rows, 8, 200, 400, 2),
    "sparse, 6 classes": partial(sparse_rows, 9, 200, 300, 6),
    "unit length, 4 classes": partial(unit_rows, 10, 200, 300, 4),
    "many rows": partial(rows, 11, 3200, 5, 2),
}


def digest(learner: Any, X: Any = None) -> str:
    """A digest of the file, of what is read from the weights, and of what is predicted."""
    with TemporaryDirectory() as folder:
        found = hashlib.sha256(bytes_of(learner, Path(folder)))
    for name in ("coef_", "intercept_", "calibration_", "leaderboard_"):
        if hasattr(learner, name):
            value = getattr(learner, name)
            found.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    for name in ("decision_function", "predict_proba", "predict_log_proba"):
        if X is not None and hasattr(learner, name):
            found.update(getattr(learner, name)(X).tobytes())
    return found.hexdigest()


def found() -> Iterator[tuple[str, str]]:
    """Every learner by name, on every set that it can learn from."""
    for name, make in SETS.items():
        X, y = make()
        for learner in LEARNERS:
            own = FEW if name != "many rows" else {**FEW, "max_iter": 1}
            fitted = LEARNERS[learner](calibrate=True, **own).fit(X, y)
            yield f"{learner}, calibrated: {name}", digest(fitted, X)
        for most, options in ((12, {}), (3, {"class_weight": "balanced"})):
            auto = AutoLinear(max_iter=most, **options).fit(X, y)
            yield f"auto {options}: {name}", digest(auto, X)
        weights = 0.5 + np.arange(len(y)) % 3
        auto = AutoLinear(max_iter=3).fit(X, y, sample_weight=weights)
        yield f"auto, weighted: {name}", digest(auto, X)
        soft = SoftPerceptron(**FEW).fit(X, y)
        yield f"soft, its own probabilities: {name}", digest(soft, X)
        for readout in ("auto", "mix"):
            stream = Perceptron(readout=readout).partial_fit(X, y)
            yield f"stream, {readout}: {name}", digest(stream, X)
        parts = [Perceptron(**FEW).fit(X[i::2], y[i::2]) for i in range(2)]
        yield f"merged: {name}", digest(distributed.merge(parts, [2, 3]), X)
    for scale in ("robust", "standard", "running"):
        table = read_table(io.BytesIO("\n".join(table_lines(1)).encode()), "kind")
        schema = Schema.guess(table, scale=scale)
        X = schema.encode(table)
        yield f"table, {scale}", hashlib.sha256(repr(schema.columns).encode()).hexdigest()
        yield f"auto: table, {scale}", digest(AutoLinear(max_iter=3).fit(X, table.y), X)
    records = [json.loads(line) for line in json_lines(2)]
    kinds = [record.pop("kind") for record in records]
    calibrated = AveragedPerceptron(calibrate=True, **FEW).fit(records, kinds)
    yield "records, calibrated", digest(calibrated, records)
    for record, kind in zip(records, kinds, strict=True):
        calibrated.learn_one(record, kind)
    yield "records, one by one", digest(calibrated, records)
    for name, build in tagger_samples.STATES.items():
        yield f"tagger: {name}", digest(build())
    numbers = bell_shaped(np.random.default_rng(0), 400, 30)
    yield CANARY, hashlib.sha256(np.exp(numbers) @ np.exp(numbers).T).hexdigest()


def main() -> None:
    warnings.simplefilter("ignore")
    print(json.dumps(dict(found())))


if __name__ == "__main__":
    main()
