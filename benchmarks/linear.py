"""The linear learners beside their limits and peers, in one run on one thread.

python benchmarks/linear.py [--only WORD] [--json FILE]

The limit of an epoch is the product of X with the weights, the cost of reading X once; peers are
scikit-learn and river. The table reports and does not judge: what counts are the ratios, and on a
busy machine those differ from run to run.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import platform
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path

import epochs
import fits
import memory
import online
from report import HEADER, Row, Skipped

BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    **{
        f"dense {dtype} d={d}": partial(epochs.dense, d, dtype)
        for dtype in ("float32", "float64")
        for d in (20, 100, 784, 5000)
    },
    "csr": epochs.csr,
    "multiclass 784 x 10": partial(
        epochs.multiclass, 30_000, 784, 10, repeats=5, most_of_limit=2.2, least_of_peer=8.0
    ),
    "multiclass 1000 x 100": partial(epochs.multiclass, 10_000, 1000, 100, repeats=3),
    "averaging dense": epochs.averaging_dense,
    "averaging csr": epochs.averaging_sparse,
    "memory": memory.memory,
    "learn_one": online.learn_one,
    "partial_fit": online.partial_fit,
    "mnist": fits.mnist,
    "threads 4 MB": partial(fits.threads, 5_000, 9_000, "in cache (4 MB)"),
    "threads 80 MB": partial(fits.threads, 100_000, 300, "in memory (80 MB)"),
    "a9a": fits.a9a,
    "separable": fits.separable,
}


def main() -> None:
    """Run the benchmarks whose name holds the word, print each as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", metavar="WORD", default="", help="benchmarks with this in the name"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    chosen = {name: run for name, run in BENCHMARKS.items() if given.only in name}
    if not chosen:
        parser.error(f"no benchmark has {given.only!r} in its name; known: {', '.join(BENCHMARKS)}")

    start, machine = time.perf_counter(), _machine()
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print("limit: ours/limit at most; peer: peer/ours at least; ours: ours at most\n")
    print(HEADER)
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    for name, run in chosen.items():
        try:
            found = run()
        except Skipped as reason:
            skipped[name] = str(reason)
            print(f"{name}: skipped, {reason}", flush=True)
            continue
        rows += found
        for row in found:
            print(row.line().rstrip(), flush=True)
    missed = sum(bool(row.missed) for row in rows)
    judged = sum(bool(row.bars) for row in rows)
    took = time.perf_counter() - start
    print(f"\n{judged - missed} of {judged} met, {missed} missed; {took:.0f} s; load now {_load()}")
    if given.json is not None:
        figures = {
            "machine": machine,
            "seconds": took,
            "rows": [row.as_dict() for row in rows],
            "skipped": skipped,
        }
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _machine() -> dict[str, str]:
    """What a reader needs to know of the run to compare it with another."""
    found = {"python": platform.python_version(), "processors": str(os.cpu_count())}
    for package in ("numpy", "scipy", "scikit-learn", "river"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return {**found, "load": _load()}


def _load() -> str:
    """How many processes wanted to run in the last minute, ours included."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    main()
