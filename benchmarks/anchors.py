"""Mistake rates that others have published, beside ours on the same rows.

python benchmarks/anchors.py [--orders N]

svmguide3, from the manual of LIBOL: one pass over the rows in each of 20 random orders, without a
bias, and the share of rows that were predicted wrong before they were learned. The parameters of a
rule are those with the fewest mistakes in one more order, as in that manual. Its CW, AROW and SCW
have a full matrix of covariances; ours a diagonal, which is why they are beside the same rules with
a full matrix, in plain NumPy.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import AROW, SCW, PassiveAggressive, Perceptron

Rows = npt.NDArray[np.float64]
GRID_C = [2.0**k for k in range(-4, 5)]
GRID_ETA = [0.55, 0.65, 0.75, 0.85, 0.95]
# By rule: the published rate, how to make a learner, and the parameters to choose from.
RULES: dict[str, tuple[float, Callable[..., Any], dict[str, list[float]]]] = {
    "perceptron": (0.332, lambda: Perceptron(**PLAIN), {}),
    "PA": (0.318, lambda: PassiveAggressive(variant="PA", average=False, **PLAIN), {}),
    "PA-I": (0.236, lambda C: PassiveAggressive(C=C, average=False, **PLAIN), {"C": GRID_C}),
    "PA-II": (
        0.253,
        lambda C: PassiveAggressive(variant="PA-II", C=C, average=False, **PLAIN),
        {"C": GRID_C},
    ),
    "CW": (0.299, lambda eta: SCW(variant="CW", eta=eta, **PLAIN), {"eta": GRID_ETA}),
    "AROW": (0.222, lambda r: AROW(r=r, **PLAIN), {"r": GRID_C}),
    "SCW-I": (
        0.206,
        lambda C, eta: SCW(C=C, eta=eta, **PLAIN),
        {"C": GRID_C, "eta": GRID_ETA},
    ),
    "SCW-II": (
        0.212,
        lambda C, eta: SCW(variant="II", C=C, eta=eta, **PLAIN),
        {"C": GRID_C, "eta": GRID_ETA},
    ),
}
PLAIN: dict[str, Any] = {"fit_intercept": False, "ties": "positive"}


def svmguide3() -> tuple[Rows, npt.NDArray[np.int64]]:
    file = Path(os.environ["ROSENBLATT_DATA"], "svmguide3", "svmguide3.csv.gz")
    with gzip.open(file, "rt") as lines:
        table = np.array([[float(cell) for cell in row] for row in csv.reader(lines)])
    return table[:, 1:], table[:, 0].astype(np.int64)


def mistake_rate(learner: Any, X: Rows, y: npt.NDArray[np.int64]) -> float:
    learner.partial_fit(X, y, classes=[-1, 1])
    return float(learner.n_mistakes_ / len(y))


def full_matrix(rule: str, X: Rows, y: npt.NDArray[np.int64], **parameters: float) -> float:
    """The mistake rate of AROW, CW, SCW-I or SCW-II with a full matrix, by their papers."""
    w, S, wrong = np.zeros(X.shape[1]), np.eye(X.shape[1]), 0
    phi = NormalDist().inv_cdf(parameters.get("eta", 0.75))
    for x, label in zip(X, y.tolist(), strict=True):
        score, Sx = float(w @ x), S @ x
        m, v = label * score, max(float(x @ Sx), 1e-300)
        wrong += (1 if score >= 0 else -1) != label
        if m >= (1.0 if rule == "AROW" else phi * np.sqrt(v)):
            continue
        if rule == "AROW":
            beta = 1 / (v + parameters["r"])
            alpha = (1 - m) * beta
        else:
            n = v + (0.5 / parameters["C"] if rule == "SCW-II" else 0.0)
            root = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
            alpha = (root - m * (2 * n + phi**2 * v)) / (2 * (n**2 + n * v * phi**2))
            alpha = min(alpha, parameters["C"]) if rule == "SCW-I" else alpha
            deviation = (np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v) - alpha * v * phi) / 2
            beta = alpha * phi / (deviation + v * alpha * phi)
        w, S = w + alpha * label * Sx, S - beta * np.outer(Sx, Sx)
    return wrong / len(y)


def combinations(grid: dict[str, list[float]]) -> Iterable[dict[str, float]]:
    return (dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


def line_of(name: str, X: Rows, y: npt.NDArray[np.int64], orders: list[Any]) -> str:
    published, make, grid = RULES[name]

    def rate(order: Any, full: bool, **chosen: float) -> float:
        if full:
            return full_matrix(name, X[order], y[order], **chosen)
        return mistake_rate(make(**chosen), X[order], y[order])

    def best(full: bool) -> tuple[dict[str, float], list[float]]:
        """Chosen in the last order, measured in the others."""
        chosen = min(combinations(grid), key=lambda k: rate(orders[-1], full, **k))
        return chosen, [rate(order, full, **chosen) for order in orders[:-1]]

    chosen, rates = best(full=False)
    shown = ", ".join(f"{key}={value:g}" for key, value in chosen.items())
    line = f"{name:22} {published:9.3f}   {np.mean(rates):.3f} ± {np.std(rates):.3f}    {shown:17}"
    if name in ("CW", "AROW", "SCW-I", "SCW-II"):
        line += f" {np.mean(best(full=True)[1]):.3f}"
    return line.rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--orders", type=int, default=20)
    X, y = svmguide3()
    n_orders = parser.parse_args().orders
    orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(n_orders + 1)]
    print("svmguide3, one pass    published   ours (± sd)      parameters        full matrix")
    for name in RULES:
        print(line_of(name, X, y, orders))


if __name__ == "__main__":
    main()
