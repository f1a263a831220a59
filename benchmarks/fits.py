"""Whole fits, input checks included: time, quality, two at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import workloads
from report import Row
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from timing import interleaved, quietly, seconds

from rosenblatt import AveragedPerceptron, Perceptron

__all__ = ["a9a", "mnist", "separable", "threads"]


def mnist() -> list[Row]:
    """Handwritten digits, both averaged, shuffled and with the same number of epochs."""
    train, test = workloads.mnist("train"), workloads.mnist("t10k")
    ours = AveragedPerceptron(max_iter=5)
    # Ten epochs instead of five make the peer 0.1 points better.
    peer = SGDClassifier(
        loss="perceptron",
        average=True,
        learning_rate="constant",
        eta0=1.0,
        alpha=0,
        max_iter=5,
        tol=None,
        random_state=0,
    )
    times = interleaved(
        3, ours=seconds(lambda: ours.fit(*train)), peer=seconds(lambda: peer.fit(*train))
    )
    errors = [100 * (1 - model.score(*test)) for model in (ours, peer)]
    return [
        Row("mnist, 5 epochs of the averaged perceptron", **times, least_of_peer=10.0),
        Row("mnist, % errors on the test part", errors[0], peer=errors[1], most=7.6),
    ]


def a9a() -> list[Row]:
    """A fit with default settings on rows that nothing separates."""
    data = workloads.a9a()
    ours, peer = Perceptron(), Peer()
    times = interleaved(
        9, ours=seconds(lambda: ours.fit(*data)), peer=seconds(lambda: peer.fit(*data))
    )
    note = f"stop: {ours.stop_reason_} after {ours.n_iter_} epochs, peer {peer.n_iter_}"
    return [Row("a9a, fit with defaults", **times, least_of_peer=1 / 3, note=note)]


def separable(n_sets: int = 50) -> list[Row]:
    """Sets that can be separated: how many are, with default settings."""
    sets = [workloads.separable(seed) for seed in range(n_sets)]

    def fit_all(make: Any) -> list[Any]:
        return [make().fit(*data) for data in sets]

    def separated(make: Any) -> int:
        fitted = quietly(lambda: fit_all(make))
        return sum(model.score(*data) == 1.0 for model, data in zip(fitted, sets, strict=True))

    times = interleaved(
        3, ours=seconds(lambda: fit_all(Perceptron)), peer=seconds(lambda: fit_all(Peer))
    )
    return [
        Row(f"separable, sets separated of {n_sets}", separated(Perceptron), peer=separated(Peer)),
        Row(f"separable, fits of all {n_sets} sets", times["ours"], peer=times["peer"]),
    ]


def threads(n: int, epochs: int, where: str) -> list[Row]:
    """Two fits at once in two threads; the limit is the time of one alone.

    The note shows the same ratio for sorting, which is known to let other threads run: when that
    is far above 1, the machine had no second processor to spare.
    """
    data = workloads.dense(n, 100, np.float64)
    numbers = np.random.default_rng(0).random(500_000)

    def fit() -> None:
        Perceptron(max_iter=epochs, tol=None, shuffle=False).fit(*data)

    def sort() -> None:
        for _ in range(36):
            np.sort(numbers)

    times = interleaved(
        5,
        limit=seconds(fit),
        ours=seconds(lambda: _two_at_once(fit)),
        sort=seconds(sort),
        sorts=seconds(lambda: _two_at_once(sort)),
    )
    note = f"two sorts / one: {times.pop('sorts') / times.pop('sort'):.2f}"
    return [Row(f"threads, two fits / one, X {where}", **times, most_of_limit=1.3, note=note)]


def _two_at_once(act: Callable[[], None]) -> None:
    pair = [threading.Thread(target=act) for _ in range(2)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
