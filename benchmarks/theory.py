"""The verdicts of the theory beside their peers, in one run on one thread.

python benchmarks/theory.py [--only WORD] [--json FILE]

With ROSENBLATT_BEFORE, the folder src of another checkout that is built, its verdicts on digits and
on a hundred classes are the peer of ours, in time of the processor.

The peers are a plain feasibility problem for SciPy's linear programming and scikit-learn's support
vector machines. As with the learners, the table reports and does not judge.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import memory
import numpy as np
import workloads
from report import Row
from running import Benchmarks, run
from scipy.optimize import linprog
from timing import interleaved, seconds

from rosenblatt.theory import max_margin, separability


def digit(one: int) -> workloads.Data:
    """A digit of MNIST against the rest, pixels as whole numbers."""
    X, y = workloads.mnist("train")
    return workloads.Data(np.rint(X * 255.0), y == one)


def hundred_classes() -> workloads.Data:
    """5,000 points around 100 centers that overlap."""
    random = np.random.default_rng(0)
    centers, y = random.standard_normal((100, 10)), np.arange(5000) % 100
    return workloads.Data(centers[y] + random.standard_normal((5000, 10)), y)


LARGE: dict[str, Callable[[], workloads.Data]] = {
    "separable": partial(workloads.separable, 0, 500_000),
    "noisy": partial(workloads.dense, 500_000, 20, np.float64),
}


SLOW: dict[str, Callable[[], workloads.Data]] = {
    **{f"digit {one}": partial(digit, one) for one in range(10)},
    "100 classes": hundred_classes,
}


def feasibility(n: int, repeats: int, least_of_peer: float = 1 / 1.2) -> list[Row]:
    """Rows with a margin above 0.02, against one linear program that holds them all."""
    X, y = workloads.separable(0, n)
    verdict = separability(X, y)
    times = interleaved(
        repeats,
        ours=seconds(lambda: separability(X, y)),
        peer=seconds(lambda: _separated_by_linprog(X, y)),
    )
    note = f"{_told(verdict)}; linprog: {'feasible' if _separated_by_linprog(X, y) else 'not'}"
    return [Row(f"separable {n:,} x 20", **times, least_of_peer=least_of_peer, note=note)]


def _separated_by_linprog(X: Any, y: Any) -> bool:
    """Whether some v has ``y (x, 1)·v >= 1`` for every row."""
    signed = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    d = signed.shape[1]
    found = linprog(np.zeros(d), signed, -np.ones(len(X)), bounds=(None, None), method="highs")
    return bool(found.status == 0)


def a9a() -> list[Row]:
    """Sparse rows that nothing separates, against one fit of a linear support vector machine."""
    from sklearn.svm import LinearSVC

    X, y = workloads.a9a()
    times = interleaved(
        5, ours=seconds(lambda: separability(X, y)), peer=seconds(lambda: LinearSVC().fit(X, y))
    )
    note = _told(separability(X, y))
    return [Row("a9a, decided / LinearSVC fitted", **times, least_of_peer=1.0, note=note)]


def large(kind: str) -> list[Row]:
    """Time and peak memory of a process that makes the rows and decides them, nothing else."""
    command = [sys.executable, __file__, "--alone", kind]
    runs = []
    for _ in range(3):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    ours = float(np.median([run["ms"] for run in runs]))
    peak = max(run["peak_mb"] for run in runs)
    name = f"{kind} 500,000 x 20"
    return [
        Row(name, ours, note=runs[0]["told"]),
        Row(f"{name}, peak MB", peak, most=2000.0, note="X: 80 MB"),
    ]


def slow(kind: str) -> list[Row]:
    """What used to take minutes, beside another checkout if there is one."""
    command = [sys.executable, __file__, "--alone", kind]
    runs = []
    for source in filter(None, [os.pathsep.join(sys.path), os.environ.get("ROSENBLATT_BEFORE")]):
        environment = {**os.environ, "PYTHONPATH": source}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        runs.append(json.loads(done.stdout))
    times = {"ours": runs[0]["cpu_ms"], "peer": runs[1]["cpu_ms"] if runs[1:] else None}
    return [Row(kind, **times, least_of_peer=5.0 if runs[1:] else None, note=runs[0]["told"])]


def _alone(kind: str) -> dict[str, Any]:
    """What the fresh process tells."""
    X, y = (LARGE | SLOW)[kind]()
    start, cpu = time.perf_counter(), time.process_time()
    verdict = separability(X, y)
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = memory._peak() / 1e6
    return {"ms": 1000 * took, "cpu_ms": 1000 * cpu, "peak_mb": peak, "told": _told(verdict)}


def margins() -> list[Row]:
    """The largest margin, against a support vector machine that allows no exception."""
    from sklearn.svm import SVC

    X, y = workloads.separable(0, 2000, 10, margin=0.1)
    machine = SVC(kernel="linear", C=1e10)
    times = interleaved(
        5, ours=seconds(lambda: max_margin(X, y)), peer=seconds(lambda: machine.fit(X, y))
    )
    best = max_margin(X, y)
    scores = y * (X @ machine.coef_[0] + machine.intercept_[0])
    theirs = scores.min() / np.linalg.norm(machine.coef_)
    note = f"margin {best.lower:.6f} to {best.upper:.6f}, SVC {theirs:.6f}"
    return [Row("max_margin 2,000 x 10 / SVC(C=1e10)", **times, note=note)]


def _told(verdict: Any) -> str:
    proof = verdict.separable is not None and verdict.verify()
    return f"{verdict.verdict}, {verdict.conflict}, verified: {proof}"


BENCHMARKS: Benchmarks = {
    "separable 1,000": partial(feasibility, 1_000, 9),
    "separable 10,000": partial(feasibility, 10_000, 5),
    "separable 100,000": partial(feasibility, 100_000, 3, least_of_peer=10.0),
    "a9a": a9a,
    **{f"{kind} 500,000": partial(large, kind) for kind in LARGE},
    "max_margin": margins,
    **{kind: partial(slow, kind) for kind in SLOW},
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        print(json.dumps(_alone(sys.argv[2])))
    else:
        run(BENCHMARKS, __doc__, ["numpy", "scipy", "scikit-learn"])
