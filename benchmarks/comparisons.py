"""The comparisons of the README, measured in one run and printed as its table.

python benchmarks/comparisons.py

Each is a benchmark that can also be run alone, by the command in the last column. Figures are
ratios of medians of repetitions that take turns; run it on a machine that does nothing else. It
needs the extra `bench` and, for MNIST and UD English-EWT, the folder named by ROSENBLATT_DATA.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import epochs
import fits
import tagging
import text
import theory
from report import Row, Skipped

Benchmark = Callable[[], list[Row]]


class Comparison(NamedTuple):
    """A line of the table: the first row of the benchmark is the time, the second the errors."""

    work: str
    peer: str
    measure: Benchmark
    command: str
    errors: bool = False


COMPARISONS = (
    Comparison(
        "an epoch over 100,000 × 100 numbers, shuffled",
        "scikit-learn, `Perceptron`",
        partial(epochs.shuffled, 100, "float64", 80),
        'linear.py --only "shuffled dense"',
    ),
    Comparison(
        "MNIST, 5 shuffled epochs, averaged",
        "scikit-learn, `SGDClassifier(average=True)`",
        fits.mnist,
        "linear.py --only mnist",
        errors=True,
    ),
    Comparison(
        "one pass over 2 GB of svmlight text",
        "Vowpal Wabbit, `--sgd --loss_function hinge`",
        partial(text.stream, 200_000_000, 10, 3),
        "text.py --only stream",
    ),
    Comparison(
        "parts of speech, 10 epochs, the same 16 features",
        "CRFsuite, averaged perceptron",
        partial(tagging.parts_of_speech, None, 3),
        'tagging.py --only "parts of speech"',
        errors=True,
    ),
    Comparison(
        "are 100,000 × 20 numbers linearly separable?",
        "linear programming, SciPy's HiGHS",
        partial(theory.feasibility, 100_000, 3),
        'theory.py --only "separable 100,000"',
    ),
)


def line(comparison: Comparison) -> str:
    """The comparison as a line of Markdown."""
    time, *others = comparison.measure()
    result = f"{time.to_peer:.1f} × as fast"
    if comparison.errors:
        result += f", {others[0].ours:.1f} % errors (theirs {others[0].peer:.1f} %)"
    command = f"`python benchmarks/{comparison.command}`"
    return f"| {comparison.work} | {comparison.peer} | {result} | {command} |"


if __name__ == "__main__":
    print("| work | beside | `rosenblatt` is | command |\n|---|---|---|---|")
    for comparison in COMPARISONS:
        try:
            print(line(comparison), flush=True)
        except Skipped as reason:
            print(f"{comparison.work}: skipped, {reason}", file=sys.stderr)
