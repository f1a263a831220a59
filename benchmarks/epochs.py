"""Epochs of training beside the cost of reading the rows once and beside scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import workloads
from report import Row
from sklearn.linear_model import Perceptron as Peer
from timing import epoch, interleaved, quietly, seconds

from rosenblatt import AROW, SCW, AveragedPerceptron, Perceptron, SoftPerceptron

__all__ = [
    "averaging_dense",
    "averaging_soft",
    "averaging_sparse",
    "csr",
    "dense",
    "mistake_share",
    "multiclass",
    "second_order",
    "shuffled",
    "shuffled_csr",
]

# Number of rows, so that X takes 32 to 130 MB: more than a cache holds.
ROWS = {
    (20, "float32"): 400_000,
    (20, "float64"): 400_000,
    (100, "float32"): 200_000,
    (100, "float64"): 100_000,
    (784, "float32"): 40_000,
    (784, "float64"): 20_000,
    (5000, "float32"): 5_000,
    (5000, "float64"): 2_500,
}

# Epoch counts to take the slope between. On the sparse rows the mistakes die out over the epochs.
LONG = {"few": 1, "many": 11}
SHORT = {"few": 1, "many": 6}


def _ours(n: int) -> Perceptron:
    return Perceptron(max_iter=n, tol=None, shuffle=False)


def _averaged(n: int) -> AveragedPerceptron:
    return AveragedPerceptron(max_iter=n, tol=None, shuffle=False)


def _peer(n: int) -> Any:
    return Peer(max_iter=n, tol=None, shuffle=False)


def mistake_share(data: workloads.Data, few: int, many: int) -> float:
    """The share of mistakes in the epochs that were measured."""
    made = quietly(lambda: _ours(many).fit(*data)).mistakes_per_epoch_[few:]
    return float(sum(made) / len(made) / len(data.y))


def _mistakes(data: workloads.Data, few: int, many: int) -> str:
    return f"{100 * mistake_share(data, few, many):.0f} % mistakes"


def dense(d: int, dtype: str, times: int = 1, noise: float = 0.3) -> list[Row]:
    """Two classes, dense rows, ``times`` as many as usual; more noise makes more mistakes."""
    n = times * ROWS[d, dtype]
    data = workloads.dense(n, d, np.dtype(dtype), noise=noise, fading=d == 5000)
    w, flat = np.ones(d, dtype), data.X.ravel()
    found = interleaved(
        7,
        limit=seconds(lambda: data.X @ w),
        ours=epoch(_ours, *data, **LONG),
        peer=epoch(_peer, *data, **LONG),
        read=seconds(lambda: flat @ flat),
    )
    # The product with a vector is not always as fast as memory: a plain read is shown as well.
    read = found.pop("read")
    bars = {
        "most_of_limit": 2.0 if d < 100 else 1.5,
        "least_of_peer": 4.0 if dtype == "float32" else 2.5,
    }
    note = f"{_mistakes(data, **LONG)}, {found['ours'] / read:.2f} x a plain read"
    return [Row(f"dense {dtype} {n:,} x {d}", **found, **(bars if noise == 0.3 else {}), note=note)]


def csr() -> list[Row]:
    """Two classes, sparse rows."""
    data = workloads.text_like()
    n, d = data.X.shape
    w: npt.NDArray[np.float32] = np.ones(d, np.float32)
    times = interleaved(
        7,
        limit=seconds(lambda: data.X @ w),
        ours=epoch(_ours, *data, **SHORT),
        peer=epoch(_peer, *data, **SHORT),
    )
    name = f"csr {n:,} x {d:,}, {data.X.nnz / n:.0f} a row"
    return [Row(name, **times, most_of_limit=1.5, least_of_peer=1.6, note=_mistakes(data, **SHORT))]


def shuffled(d: int, dtype: str, megabytes: int, **bars: float) -> list[Row]:
    """Dense rows of two classes in a new order every epoch, as both do by default."""
    n = megabytes * 1_000_000 // d // np.dtype(dtype).itemsize
    data = workloads.dense(n, d, np.dtype(dtype))
    return _shuffled(f"{dtype} {n:,} x {d}", data, LONG if megabytes < 200 else SHORT, **bars)


def shuffled_csr() -> list[Row]:
    """The same with sparse rows."""
    return _shuffled("csr", workloads.text_like(), SHORT)


def _shuffled(name: str, data: workloads.Data, counts: dict[str, int], **bars: float) -> list[Row]:
    times = interleaved(
        5,
        ours=epoch(lambda n: Perceptron(max_iter=n, tol=None), *data, **counts),
        peer=epoch(lambda n: Peer(max_iter=n, tol=None), *data, **counts),
    )
    return [Row(f"shuffled {name}", **times, **bars, note=_mistakes(data, **counts))]


def multiclass(n: int, d: int, k: int, repeats: int, **bars: float) -> list[Row]:
    """Many classes, dense rows; the limit scores every class once."""
    data = workloads.clusters(n, d, k)
    W = np.ones((k, d), np.float32)
    times = interleaved(
        repeats,
        limit=seconds(lambda: data.X @ W.T),
        ours=epoch(_ours, *data, few=1, many=4),
        peer=epoch(_peer, *data, few=1, many=4),
    )
    note = _mistakes(data, few=1, many=4)
    return [Row(f"multiclass {n:,} x {d}, {k} classes", **times, **bars, note=note)]


def averaging_dense() -> list[Row]:
    """What the mean costs on dense rows; the limit is the epoch without it."""
    data = workloads.dense(100_000, 100, np.float64, noise=0.23)
    return _averaging("averaging / plain, dense float64 d = 100", data, LONG, most_of_limit=1.35)


def averaging_sparse() -> list[Row]:
    """What the mean costs on sparse rows; the limit is the epoch without it."""
    return _averaging("averaging / plain, csr", workloads.text_like(), SHORT)


def averaging_soft() -> list[Row]:
    """What the mean costs where every row moves every class."""

    def learner(average: bool) -> Any:
        return lambda n: SoftPerceptron(max_iter=n, tol=None, average=average)

    name, data = "averaging / plain, soft, 784 x 10", workloads.clusters(30_000, 784, 10)
    pair = learner(False), learner(True)
    return _averaging(name, data, {"few": 1, "many": 4}, *pair, most_of_limit=1.35)


def _averaging(
    name: str,
    data: workloads.Data,
    counts: dict[str, int],
    plain: Any = _ours,
    averaged: Any = _averaged,
    **bars: float,
) -> list[Row]:
    times = interleaved(
        9, limit=epoch(plain, *data, **counts), ours=epoch(averaged, *data, **counts)
    )
    return [Row(name, **times, **bars, note=_mistakes(data, **counts))]


def second_order(kind: str) -> list[Row]:
    """What variances cost in shuffled epochs; the limit is the epoch of the perceptron."""
    sets = {"a9a": workloads.a9a, "mnist": lambda: workloads.mnist("train")}
    data = sets.get(kind, lambda: workloads.dense(50_000, 100, np.float64))()
    counts = SHORT if kind == "mnist" else {"few": 1, "many": 21}

    def learner(make: Any) -> Any:
        return epoch(lambda n: make(max_iter=n, tol=None), *data, **counts)

    times = interleaved(5, limit=learner(Perceptron), arow=learner(AROW), scw=learner(SCW))
    note = _mistakes(data, **counts)
    return [
        Row(
            f"{name} / perceptron, {kind}",
            times[name],
            limit=times["limit"],
            most_of_limit=2.0,
            note=note,
        )
        for name in ("arow", "scw")
    ]
