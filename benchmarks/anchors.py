"""Published figures beside ours: the same data, the same procedure, every learner that we have.

python benchmarks/anchors.py [--only WORD] [--page FILE]

Each line is a figure that somebody printed and ours by the procedure it was printed for: one pass
in random orders, parameters chosen as they were chosen there, never on the rows that are counted.
``--page`` writes the table as a page (docs/evidence.md is made so). The data are read from the
folder ROSENBLATT_DATA. It takes some minutes.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import gzip
import itertools
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import freund_schapire
import numpy as np
import tagging
import workloads
from report import Skipped
from timing import quietly
from workloads import Data

from rosenblatt import (
    AROW,
    SCW,
    PassiveAggressive,
    Perceptron,
    SequenceTagger,
    SoftPerceptron,
)
from rosenblatt.errors import OverflowRefused

Grid = dict[str, list[float]]
POWERS = [2.0**k for k in range(-4, 5)]


class Figure(NamedTuple):
    """Mean and standard deviation over orders; a figure of one run has none."""

    mean: float
    deviation: float | None = None

    def __str__(self) -> str:
        shown = f"{self.mean:.4f}".rstrip("0") if self.mean < 1 else f"{self.mean:.2f}"
        return shown if self.deviation is None else f"{shown} ± {self.deviation:.4f}"


class Anchor(NamedTuple):
    """A published figure, and how ours is had; ``why`` explains what is not level."""

    name: str
    theirs: Figure
    ours: Callable[[], Figure]
    why: Callable[[], str] | None = None


class Table(NamedTuple):
    """Anchors of one source."""

    title: str
    procedure: str
    smaller_is_better: bool
    # Differences up to this are noise of one order or of another generator of random numbers.
    noise: float
    anchors: list[Anchor]


def verdict(table: Table, anchor: Anchor, ours: Figure) -> str:
    """Better, level or worse, allowing for two standard errors of both and for the noise."""
    gain = anchor.theirs.mean - ours.mean
    gain = gain if table.smaller_is_better else -gain
    room = table.noise + 2 * sum(f.deviation or 0.0 for f in (ours, anchor.theirs)) / 10**0.5
    return "level" if abs(gain) <= room else "better" if gain > 0 else "worse"


# ---------------------------------------------------------------------- mistakes of one pass


def mistake_rates(data: Callable[[], Data], run: Any, **grid: list[float]) -> Figure:
    """Mistakes of one pass over 20 orders; parameters with the fewest on another order, in turn.

    ``run(X, y, **parameters)`` is the mistake rate of one pass.
    """
    X, y = data()
    orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(21)]

    def rate(order: Any, settings: dict[str, float]) -> float:
        return float(run(X[order], y[order], **settings))

    settings: dict[str, float] = {}
    for name, values in grid.items():
        rates = [rate(orders[0], settings | {name: value}) for value in values]
        # Of equal values the last, as LIBOL chooses.
        best = max(i for i, found in enumerate(rates) if found == min(rates))
        settings[name] = values[best]
    rates = [rate(order, settings) for order in orders[1:]]
    return Figure(float(np.mean(rates)), float(np.std(rates)))


def one_pass(make: Any, X: Any, y: Any, **settings: float) -> float:
    """The mistake rate of a learner."""
    learner = make(ties="positive", fit_intercept=False, **settings)
    return float(learner.partial_fit(X, y).n_mistakes_ / len(y))


def full_matrix(rule: str, X: Any, y: Any, **settings: float) -> float:
    """The mistake rate of AROW, CW, SCW-I or SCW-II with a full matrix, by their papers."""
    w, S, wrong = np.zeros(X.shape[1]), np.eye(X.shape[1]), 0
    phi = NormalDist().inv_cdf(settings.get("eta", 0.75))
    for x, label in zip(X, y.tolist(), strict=True):
        score, Sx = float(w @ x), S @ x
        m, v = label * score, max(float(x @ Sx), 1e-300)
        wrong += (1 if score >= 0 else -1) != label
        if m >= (1.0 if rule == "AROW" else phi * np.sqrt(v)):
            continue
        if rule == "AROW":
            beta = 1 / (v + settings["r"])
            alpha = (1 - m) * beta
        else:
            n = v + (0.5 / settings["C"] if rule == "SCW-II" else 0.0)
            root = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
            alpha = (root - m * (2 * n + phi**2 * v)) / (2 * (n**2 + n * v * phi**2))
            alpha = min(alpha, settings["C"]) if rule == "SCW-I" else alpha
            deviation = (np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v) - alpha * v * phi) / 2
            beta = alpha * phi / (deviation + v * alpha * phi)
        w, S = w + alpha * label * Sx, S - beta * np.outer(Sx, Sx)
    return wrong / len(y)


@cache
def svmguide3() -> Data:
    with gzip.open(workloads.data_file("svmguide3/svmguide3.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    return Data(np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(int))


def libol() -> Table:
    """LIBOL: a library for online learning algorithms, its manual."""
    etas = [round(0.55 + 0.05 * k, 2) for k in range(9)]
    r, C, eta = {"r": POWERS}, {"C": POWERS}, {"eta": etas}
    rules: dict[str, tuple[float, Any, Grid]] = {
        "perceptron": (0.332, Perceptron, {}),
        "PA": (0.318, passive("PA"), {}),
        "PA-I": (0.236, passive("PA-I"), C),
        "PA-II": (0.253, passive("PA-II"), C),
        "CW": (0.299, partial(SCW, variant="CW"), eta),
        "AROW": (0.222, AROW, r),
        "SCW-I": (0.206, partial(SCW, variant="I"), C | eta),
        "SCW-II": (0.212, partial(SCW, variant="II"), C | eta),
    }

    def full(name: str, grid: Grid) -> str:
        found = mistake_rates(svmguide3, partial(full_matrix, name), **grid)
        return f"theirs has a full matrix of variances, ours a diagonal; a full one has {found}"

    return Table(
        "LIBOL's manual, svmguide3",
        "mistakes of one pass, mean of 20 orders; C or r (2⁻⁴ … 2⁴) and η (0.55 … 0.95) with the "
        "fewest mistakes on another order; no bias, last weights",
        smaller_is_better=True,
        noise=0.005,
        anchors=[
            Anchor(
                name,
                Figure(rate),
                partial(mistake_rates, svmguide3, partial(one_pass, make), **grid),
                partial(full, name, grid) if "W" in name else None,
            )
            for name, (rate, make, grid) in rules.items()
        ],
    )


def passive(variant: str) -> Any:
    """The passive-aggressive learner that predicts with its last weights, as theirs does."""
    return partial(PassiveAggressive, variant=variant, average=False)


# ---------------------------------------------------------------------- one pass, then a test part


def one_pass_accuracy(
    parts: Callable[[], tuple[Data, Data]], orders: int, make: Any, grid: Grid
) -> Figure:
    """Accuracy on the test part after one pass; parameters by five folds of the training part."""
    (X, y), test = parts()
    n = len(y)

    def accuracy(rows: Any, tested: Data, settings: dict[str, float]) -> float:
        learner = make(**settings)
        try:
            return float(learner.partial_fit(X[rows], y[rows]).score(*tested))
        except OverflowRefused:  # CW, where much confidence is asked for and labels are wrong
            return 0.0

    # Five folds of few rows say little of them; another five are another draw.
    draws = 10 if n < 10_000 else 1
    folds = [np.array_split(np.random.default_rng(d).permutation(n), 5) for d in range(draws)]

    def by_folds(settings: dict[str, float]) -> float:
        found = []
        for parts in folds:
            for held_out in parts:
                rows = np.concatenate([fold for fold in parts if fold is not held_out])
                found.append(accuracy(rows, Data(X[held_out], y[held_out]), settings))
        return float(np.mean(found))

    choices = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    best = max(choices, key=by_folds) if len(choices) > 1 else choices[0]
    seeds = [np.random.default_rng(1 + seed) for seed in range(orders)]
    scores = [accuracy(seed.permutation(n), test, best) for seed in seeds]
    return Figure(float(np.mean(scores)), float(np.std(scores)))


@cache
def a1a() -> tuple[Data, Data]:
    return _svmlight("a1a/a1a.gz"), _svmlight("a1a/a1a.t.gz")


@cache
def a9a() -> tuple[Data, Data]:
    return _svmlight("a9a/a9a.gz"), _svmlight("a9a/a9a.t.gz")


def _svmlight(name: str) -> Data:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(workloads.data_file(name)), n_features=123)
    return Data(X, y.astype(int))


@cache
def mnist() -> tuple[Data, Data]:
    return workloads.mnist("train"), workloads.mnist("t10k")


def sol(
    title: str,
    parts: Callable[[], tuple[Data, Data]],
    orders: int,
    largest_r: int,
    figures: dict[str, Figure],
) -> Table:
    """SOL, its README: the learners that we have, with the grids of its scripts."""
    etas, r = [2.0**k for k in range(-5, 6)], np.logspace(-5, largest_r, 11, base=2).tolist()
    ours: dict[str, tuple[Any, Grid]] = {
        "perceptron": (Perceptron, {}),
        "PA-I": (passive("PA-I"), {"C": POWERS}),
        "CW": (partial(SCW, variant="CW"), {"eta": [0.55, 0.65, 0.75, 0.85, 0.95]}),
        "AROW": (AROW, {"r": r}),
        "Ada-FOBOS": (partial(Perceptron, margin=1.0, steps="adagrad"), {"eta0": etas}),
    }
    why = {
        "CW": "there the variance form, here the standard deviation's",
        "Ada-FOBOS": "there δ is chosen, too",
    }
    return Table(
        title,
        f"accuracy on the test part after one pass, mean of {orders} orders; parameters by five "
        "folds of the training part, over the grid of its scripts; last weights",
        smaller_is_better=False,
        noise=0.003,
        anchors=[
            Anchor(
                name,
                figures[name],
                partial(one_pass_accuracy, parts, orders, make, grid),
                partial(str, why[name]) if name in why else None,
            )
            for name, (make, grid) in ours.items()
        ],
    )


def sol_a1a() -> Table:
    figures = {
        "perceptron": Figure(0.7793, 0.0187),
        "PA-I": Figure(0.8193, 0.0103),
        "CW": Figure(0.7907, 0.0113),
        "AROW": Figure(0.8402, 0.0009),
        "Ada-FOBOS": Figure(0.8234, 0.0043),
    }
    return sol("SOL's README, a1a", a1a, 10, 8, figures)


def sol_mnist() -> Table:
    figures = {
        "perceptron": Figure(0.8671, 0.0164),
        "PA-I": Figure(0.8753, 0.0164),
        "CW": Figure(0.8861, 0.0034),
        "AROW": Figure(0.9226, 0.0014),
        "Ada-FOBOS": Figure(0.9239, 0.0020),
    }
    return sol("SOL's README, MNIST", mnist, 5, 5, figures)


def peers() -> Table:
    """What SOL prints beside its learners, a batch solver and Vowpal Wabbit; ours by default."""
    figures = {"a1a": (a1a, 0.8425, 0.8326), "MNIST": (mnist, 0.9183, 0.9125)}
    anchors = []
    for name, (parts, liblinear, vw) in figures.items():
        ours = partial(default_accuracy, parts)
        anchors.append(Anchor(f"{name}: LIBLINEAR", Figure(liblinear), ours))
        anchors.append(Anchor(f"{name}: Vowpal Wabbit", Figure(vw), ours))
    return Table(
        "SOL's README, the peers it prints; ours is `AutoLinear()`",
        "accuracy on the test part; theirs tuned by five folds, ours with defaults",
        smaller_is_better=False,
        noise=0.003,
        anchors=anchors,
    )


@cache
def default_accuracy(parts: Callable[[], tuple[Data, Data]]) -> Figure:
    from rosenblatt import AutoLinear

    train, test = parts()
    return Figure(quietly(lambda: AutoLinear(random_state=0).fit(*train)).score(*test))


def hivemall() -> Table:
    """Hivemall's user guide, a9a."""
    etas = {"eta0": [0.03, 0.1, 0.3, 1.0]}
    ada = partial(SoftPerceptron, steps="adagrad", average=False)
    accuracy = partial(one_pass_accuracy, a9a, 5)
    return Table(
        "Hivemall's user guide, a9a",
        "accuracy on the test part; ours after one pass, mean of 5 orders",
        smaller_is_better=False,
        noise=0.003,
        anchors=[
            Anchor("AdaGrad, log loss", Figure(0.8510), partial(accuracy, ada, etas)),
            Anchor("logistic regression", Figure(0.8430), partial(accuracy, SoftPerceptron, etas)),
        ],
    )


# ---------------------------------------------------------------------- kernels and sequences


def digits() -> Table:
    """Freund and Schapire (1999), the table of their experiment."""
    printed = {1: (8.5, 8.7, 14.7), 2: (2.8, 2.8, 4.0), 3: (2.3, 2.3, 3.1)}
    train, test = mnist()

    @cache
    def errors(degree: int) -> dict[str, float]:
        return freund_schapire.cell(degree, 1, "shuffled", train, test).errors

    anchors = [
        Anchor(f"d = {d}, {how}", Figure(error), lambda d=d, how=how: Figure(errors(d)[how]))
        for d, row in printed.items()
        for how, error in zip(freund_schapire.ANSWERS, row, strict=True)
    ]
    return Table(
        "Freund and Schapire (1999), MNIST, kernel (1 + x·z)^d, one epoch",
        "% errors on the test part; the order of rows was theirs and is not known",
        smaller_is_better=True,
        noise=0.3,
        anchors=anchors,
    )


def chunks() -> Table:
    """CoNLL-2000."""

    @cache
    def ours() -> Figure:
        train, test = workloads.conll2000("train"), workloads.conll2000("test")
        tagger = quietly(lambda: SequenceTagger(max_iter=10).fit(*train))
        return Figure(tagging.f1(tagger.predict(test.sentences), test.tags))

    return Table(
        "CoNLL-2000, chunks",
        "F1 on the test part; ours with default templates, 10 epochs",
        smaller_is_better=False,
        noise=0.1,
        anchors=[
            Anchor("averaged perceptron (Hollingshead et al. 2005)", Figure(93.54), ours),
            Anchor("conditional random field (Bottou, crfsgd)", Figure(93.49), ours),
            Anchor("seqlearn, perceptron", Figure(83.4), ours),
        ],
    )


TABLES: dict[str, Callable[[], Table]] = {
    "libol": libol,
    "sol a1a": sol_a1a,
    "sol mnist": sol_mnist,
    "peers": peers,
    "hivemall": hivemall,
    "digits": digits,
    "chunks": chunks,
}


# ---------------------------------------------------------------------- the page


def lines(only: str) -> Iterator[str]:
    """The page, line by line as it becomes known."""
    counts = dict.fromkeys(("better", "level", "worse"), 0)
    for name, make in TABLES.items():
        if only not in name:
            continue
        try:
            table = make()
        except Skipped as reason:
            yield f"{name}: skipped, {reason}"
            continue
        yield from (
            "",
            f"## {table.title}",
            "",
            f"{table.procedure[0].upper()}{table.procedure[1:]}.",
        )
        yield from ("", "| | theirs | ours | verdict |", "|---|---|---|---|")
        reasons = []
        for anchor in table.anchors:
            ours = quietly(anchor.ours)
            found = verdict(table, anchor, ours)
            counts[found] += 1
            yield f"| {anchor.name} | {anchor.theirs} | {ours} | {found} |"
            if anchor.why is not None and found != "level":
                reasons.append(f"{anchor.name}: {anchor.why()}")
        if reasons:
            yield from ("", "; ".join(reasons) + ".")
    total = sum(counts.values())
    shown = ", ".join(f"{count} {name}" for name, count in counts.items())
    yield from ("", f"Figures compared: {total}; {shown}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="WORD", default="", help="tables with this in the name")
    parser.add_argument("--page", metavar="FILE", type=Path, help="write the page here")
    given = parser.parse_args()
    page = [OPENING]
    for line in lines(given.only):
        print(line, flush=True)
        page.append(line)
    if given.page is not None:
        given.page.write_text("\n".join(page) + "\n", encoding="utf-8")


OPENING = """# Evidence

Figures that others printed, and ours by the same procedure on the same data. The page is made by
`python benchmarks/anchors.py --page docs/evidence.md`, which needs the data sets in the folder
`ROSENBLATT_DATA`. "Level" means that the difference is within two standard errors and the noise of
orders that are not ours to repeat."""


if __name__ == "__main__":
    main()
