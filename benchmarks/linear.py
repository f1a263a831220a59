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

from functools import partial

import epochs
import fits
import memory
import online
from running import Benchmarks, run

BENCHMARKS: Benchmarks = {
    **{
        f"dense {dtype} d={d}": partial(epochs.dense, d, dtype)
        for dtype in ("float32", "float64")
        for d in (20, 100, 784, 5000)
    },
    "dense beyond the caches": partial(epochs.dense, 100, "float32", times=4),
    **{
        f"dense with {word} mistakes, d={d}": partial(epochs.dense, d, "float32", noise=noise)
        for word, noise in (("few", 0.02), ("many", 2.0))
        for d in (20, 100)
    },
    "csr": epochs.csr,
    "shuffled dense": partial(epochs.shuffled, 100, "float64", 80),
    **{
        f"shuffled 200 MB {dtype} d={d}": partial(epochs.shuffled, d, dtype, 200, least_of_peer=6.0)
        for dtype in ("float32", "float64")
        for d in (20, 100)
    },
    "shuffled csr": epochs.shuffled_csr,
    "multiclass 784 x 10": partial(
        epochs.multiclass, 30_000, 784, 10, repeats=5, most_of_limit=2.2, least_of_peer=8.0
    ),
    "multiclass 1000 x 100": partial(epochs.multiclass, 10_000, 1000, 100, repeats=3),
    "averaging dense": epochs.averaging_dense,
    "averaging csr": epochs.averaging_sparse,
    "averaging soft": epochs.averaging_soft,
    **{
        f"second order {kind}": partial(epochs.second_order, kind)
        for kind in ("a9a", "mnist", "dense")
    },
    "memory": memory.memory,
    "learn_one and predict_one": online.one_by_one,
    "records": online.records,
    "partial_fit": online.partial_fit,
    "mnist": fits.mnist,
    "threads 4 MB": partial(fits.threads, 5_000, 9_000, "in cache (4 MB)"),
    "threads 80 MB": partial(fits.threads, 100_000, 300, "in memory (80 MB)"),
    "a9a": fits.a9a,
    "separable": fits.separable,
}


if __name__ == "__main__":
    run(BENCHMARKS, __doc__, ["numpy", "scipy", "scikit-learn", "river"])
