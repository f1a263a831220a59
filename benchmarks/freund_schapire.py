"""The experiment of Freund and Schapire: handwritten digits, products of pixels, three answers.

python benchmarks/freund_schapire.py [--degrees 1,2,3] [--epochs 1] [--order file|shuffled]
    [--check] [--picture FILE]

Ten perceptrons, one for each digit, with the kernel (1 + x·z)^d learn from 60,000 digits in T
epochs and answer 10,000 new ones by their votes, by their average and as they ended ("Large margin
classification using the perceptron algorithm", Machine Learning 37, 1999). "Support rows" are the
digits on which any of the ten was wrong, each once; "mistakes" are those of all ten together.

--check learns the same rows in the same order once more with a plain NumPy version that shares no
code with the library, and compares the errors of all three answers. That takes some minutes a cell.
The digits are read from the folder ROSENBLATT_DATA.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import workloads
from report import Skipped
from timing import quietly

from rosenblatt import KernelPerceptron
from rosenblatt.engine.rows import ordering

Array = npt.NDArray[Any]

ANSWERS = ("vote", "average", "last")
SEED = 0
# Most that an error of the plain version may differ, in points of a hundred.
TOLERANCE = 0.15
BLOCK = 500
# Okabe and Ito's colours, which people who see fewer colours tell apart; the marks differ as well.
# Vote and average lie close together: the one is a filled disc in the other's open square.
LOOKS = {
    "vote": {"color": "#0072B2", "marker": "o", "markersize": 5},
    "average": {"color": "#E69F00", "marker": "s", "markersize": 9, "markerfacecolor": "none"},
    "last": {"color": "#000000", "marker": "^", "markersize": 6},
}


class Cell(NamedTuple):
    """One degree and number of epochs: errors in percent, sizes, seconds of training."""

    degree: int
    epochs: int
    errors: dict[str, float]
    support: int
    mistakes: int
    seconds: float


def cell(degree: int, epochs: int, order: str, train: Any, test: Any) -> Cell:
    """Learn and answer."""
    model = KernelPerceptron(
        kernel="poly",
        degree=degree,
        gamma=1.0,
        coef0=1.0,
        max_iter=epochs,
        tol=None,
        multiclass="ovr",
        shuffle=order == "shuffled",
        random_state=SEED,
    )
    start = time.perf_counter()
    quietly(lambda: model.fit(train.X, train.y))
    took = time.perf_counter() - start
    errors = {}
    for combine in ANSWERS:
        model.set_params(combine=combine)
        errors[combine] = 100 * float(np.mean(model.predict(test.X) != test.y))
    return Cell(degree, epochs, errors, len(model.support_), len(model.ledger_), took)


# ---------------------------------------------------------------------- the plain version


def plain(degree: int, epochs: int, order: str, train: Any, test: Any) -> dict[str, float]:
    """The errors of ten voted perceptrons as the paper has them, in float64."""
    X, Q = train.X.astype(np.float64), test.X.astype(np.float64)
    orders = _orders(len(X), epochs, order)
    found = [_one_digit(X, np.where(train.y == c, 1.0, -1.0), Q, degree, orders) for c in range(10)]
    return {
        combine: 100 * float(np.mean(np.argmax([f[combine] for f in found], axis=0) != test.y))
        for combine in ANSWERS
    }


def _orders(n: int, epochs: int, order: str) -> list[Array]:
    """The order of the rows in each epoch; the shuffled ones are those of the library."""
    if order == "file":
        return [np.arange(n)] * epochs
    orders, random = [], SEED
    for _ in range(epochs):
        orders.append(np.empty(n, np.int64))
        random = ordering.shuffled(orders[-1], random)
    return orders


def _one_digit(X: Array, y: Array, Q: Array, degree: int, orders: list[Array]) -> dict[str, Array]:
    """Train on the labels 1 and -1, then score the rows of Q in three ways."""
    mistaken: list[int] = []  # the row of each mistake, in order; a row may come again
    lived = [0]  # how long the function before the first mistake lived, and after each
    for rows in orders:
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            among = (1.0 + X[block] @ X[block].T) ** degree
            unique, counts = np.unique(np.array(mistaken, int), return_counts=True)
            scores = (1.0 + X[block] @ X[unique].T) ** degree @ (counts * y[unique])
            for i, row in enumerate(block):
                if y[row] * scores[i] > 0:
                    lived[-1] += 1
                else:
                    mistaken.append(int(row))
                    lived.append(1)
                    scores += y[row] * among[i]
    return _answered(X, y, np.array(mistaken, int), np.array(lived, float), Q, degree)


def _answered(
    X: Array, y: Array, mistaken: Array, lived: Array, Q: Array, degree: int
) -> dict[str, Array]:
    vote, average, last = (np.zeros(len(Q)) for _ in ANSWERS)
    unique, place = np.unique(mistaken, return_inverse=True)
    for first in range(0, len(Q), BLOCK):
        part = slice(first, first + BLOCK)
        kernel = (1.0 + Q[part] @ X[unique].T) ** degree
        score = np.zeros(len(kernel))
        for row, k, c in zip(mistaken, place, lived[1:], strict=True):
            score += y[row] * kernel[:, k]
            vote[part] += c * np.sign(score)
            average[part] += c * score
        last[part] = score
    return {"vote": vote, "average": average, "last": last}


# ---------------------------------------------------------------------- told


def table(cells: list[Cell]) -> str:
    """The cells as lines."""
    lines = [
        f"{'d':>2} {'T':>3} {'vote %':>8} {'average %':>10} {'last %':>8}"
        f" {'support rows':>13} {'mistakes':>9} {'training s':>11}"
    ]
    for c in cells:
        errors = c.errors
        lines.append(
            f"{c.degree:>2} {c.epochs:>3} {errors['vote']:>8.2f} {errors['average']:>10.2f} "
            f"{errors['last']:>8.2f} {c.support:>13,} {c.mistakes:>9,} {c.seconds:>11.1f}"
        )
    return "\n".join(lines)


def picture(cells: list[Cell], path: Path) -> None:
    """The error against the epochs, a panel for each degree; against the degree if T is one."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    by_degree = len({c.epochs for c in cells}) == 1
    degrees = sorted({c.degree for c in cells})
    panels = [cells] if by_degree else [[c for c in cells if c.degree == d] for d in degrees]
    # Panels close together, and enough room for the words even if there is only one.
    width = max(5.0, 1.0 + 1.9 * len(panels))
    figure, axes = plt.subplots(
        1, len(panels), sharey=True, squeeze=False, figsize=(width, 3.6), layout="constrained"
    )
    errors = [error for c in cells for error in c.errors.values()]
    low, high = min(errors) / 1.25, max(errors) * 1.25
    marks = [mark for mark in (1, 1.5, 2, 3, 4, 6, 8, 12, 16) if low < mark < high]
    ticks = sorted({c.degree if by_degree else c.epochs for c in cells})
    for axis, panel in zip(axes[0], panels, strict=True):
        at = [c.degree if by_degree else c.epochs for c in panel]
        for combine, look in LOOKS.items():
            axis.plot(at, [c.errors[combine] for c in panel], lw=1.5, label=combine, **look)
        axis.set_yscale("log")
        if not by_degree:
            axis.set_xscale("log")
            axis.set_title(f"d = {panel[0].degree}", fontsize=10)
        axis.xaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_minor_locator(NullLocator())
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        edges = (
            (ticks[0] - 0.3, ticks[-1] + 0.3) if by_degree else (ticks[0] / 1.4, ticks[-1] * 1.4)
        )
        axis.set_xlim(*edges)
        axis.set_ylim(low, high)
        axis.set_yticks(marks, [f"{mark:g}" for mark in marks])
        axis.grid(axis="y", color="0.9", lw=0.8)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("error on 10,000 new digits, %")
    axes[0][-1].legend(frameon=False, title="answer by", fontsize=9, title_fontsize=9)
    known = f"T = {cells[0].epochs}" if by_degree else "T epochs"
    figure.supxlabel("degree d" if by_degree else "epochs T", fontsize=10)
    figure.suptitle(f"Kernel perceptron, (1 + x·z)$^d$, MNIST, {known}", fontsize=11)
    figure.savefig(path, dpi=150)
    plt.close(figure)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """Gives a function that tells what is done now and how much was done just before."""
    if not sys.stderr.isatty():
        yield lambda now, _: print(now, file=sys.stderr, flush=True) if now else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda now, done: bar.update(task, description=now, advance=done)


def main() -> int:
    given = _arguments()
    try:
        train, test = workloads.mnist("train"), workloads.mnist("t10k")
    except Skipped as reason:
        print(reason, file=sys.stderr)
        return 2
    cells: list[Cell] = []
    compared: list[str] = []
    agree = True
    pairs = [(d, T) for d in given.degrees for T in given.epochs]
    with progress((1 + given.check) * sum(T for _, T in pairs)) as told:
        done = 0
        for d, T in pairs:
            told(f"d = {d}, T = {T}", done)
            cells.append(cell(d, T, given.order, train, test))
            done = T
            if given.check:
                told(f"d = {d}, T = {T}, plain NumPy", done)
                expected = plain(d, T, given.order, train, test)
                gaps = {c: cells[-1].errors[c] - expected[c] for c in ANSWERS}
                near = all(abs(gap) <= TOLERANCE for gap in gaps.values())
                agree &= near
                shown = ", ".join(f"{c} {expected[c]:.2f} ({gaps[c]:+.2f})" for c in ANSWERS)
                verdict = "agrees" if near else f"DIFFERS by more than {TOLERANCE}"
                compared.append(f"d = {d}, T = {T}: plain {shown}; {verdict}")
        told("", done)
    print(f"MNIST, rows in {given.order} order, error on 10,000 new digits")
    print(table(cells))
    print(*compared, sep="\n", end="\n" if compared else "")
    if given.picture is not None:
        picture(cells, given.picture)
        print(f"wrote {given.picture}")
    return 0 if agree else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    numbers = {"type": _numbers, "metavar": "N,N,…"}
    parser.add_argument("--degrees", default="1,2,3", help="degrees d (default 1,2,3)", **numbers)
    parser.add_argument("--epochs", default="1", help="numbers of epochs T (default 1)", **numbers)
    parser.add_argument(
        "--order",
        choices=["file", "shuffled"],
        default="file",
        help="rows as in the file, or in a new order in each epoch (default file)",
    )
    parser.add_argument("--check", action="store_true", help="compare with a plain NumPy version")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="an .svg or .png to draw")
    given = parser.parse_args()
    if given.picture is not None and given.picture.suffix not in {".svg", ".png"}:
        parser.error(f"--picture {given.picture}: the name must end in .svg or .png")
    if given.picture is not None and find_spec("matplotlib") is None:
        parser.error("--picture needs matplotlib: pip install matplotlib")
    return given


def _numbers(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: give whole numbers from 1 on, with commas")
    return sorted({int(part) for part in parts})


if __name__ == "__main__":
    raise SystemExit(main())
