"""How far each training loop is from the limits of memory and arithmetic, in one picture.

python benchmarks/roofline.py [--out FILE]

Two limits are measured beside each loop: reading its rows once (the dot product of the array with
itself), and doing its multiplications and additions at the speed of NumPy's matrix product. What a
loop could reach at best is the smaller one, the roof. One thread; the repetitions take turns.
The weights stay in the caches and are not counted as memory, nor is the arithmetic of the rare
updates that a formula cannot know beforehand: it is counted from the mistakes that were made.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import epochs
import numpy as np
import workloads
from timing import epoch, interleaved, seconds

from rosenblatt import AveragedPerceptron, Perceptron
from rosenblatt.plot.style import LIGHT

Learner = type[Perceptron] | type[AveragedPerceptron]
SIDE = 768  # of the square matrices whose product is the limit of arithmetic


@dataclass(frozen=True)
class Loop:
    """A training loop and the data to run it over."""

    name: str
    data: Callable[[], workloads.Data]
    learner: Learner = Perceptron
    shuffle: bool = False
    counts: tuple[int, int] = (1, 6)


@dataclass(frozen=True)
class Point:
    """What was measured of a loop: milliseconds of one epoch and of its limits."""

    name: str
    ours: float
    product: float  # of the rows with the weights, by NumPy or SciPy
    read: float
    matrix: float  # the operations of the epoch at the speed of a matrix product

    def ratios(self) -> tuple[float, float, float]:
        """How many times as long as reading, arithmetic and the product the epoch takes."""
        return self.ours / self.read, self.ours / self.matrix, self.ours / self.product


def _dense(d: int, dtype: str, noise: float = 0.3) -> Callable[[], workloads.Data]:
    n = epochs.ROWS[d, dtype]
    return lambda: workloads.dense(n, d, np.dtype(dtype), noise=noise, fading=d == 5000)


LOOPS = (
    *(
        Loop(f"{dtype}, {d} columns", _dense(d, dtype))
        for dtype in ("float32", "float64")
        for d in (20, 100, 784, 5000)
    ),
    Loop("float32, 20 columns, few mistakes", _dense(20, "float32", noise=0.02)),
    Loop("float32, 20 columns, many mistakes", _dense(20, "float32", noise=2.0)),
    Loop("float32, 100 columns, shuffled", _dense(100, "float32"), shuffle=True),
    Loop("float64, 100 columns, averaged", _dense(100, "float64"), AveragedPerceptron),
    Loop("sparse, 75 of 47,236 columns", workloads.text_like),
    Loop("784 columns, 10 classes", lambda: workloads.clusters(30_000, 784, 10), counts=(1, 3)),
    Loop(
        "1,000 columns, 100 classes", lambda: workloads.clusters(10_000, 1000, 100), counts=(1, 3)
    ),
)


def measured(loop: Loop, repeats: int) -> Point:
    """The loop beside its limits; the repetitions take turns."""
    data = loop.data()
    values = data.X if isinstance(data.X, np.ndarray) else data.X.data
    flat, indices = values.ravel(), getattr(data.X, "indices", np.zeros(1, np.int32))
    few, many = loop.counts
    classes = len(np.unique(data.y))
    k = 1 if classes == 2 else classes
    w = np.ones((data.X.shape[1], k), values.dtype).squeeze()
    square = np.ones((SIDE, SIDE), values.dtype)

    def learner(n: int) -> Any:
        return loop.learner(max_iter=n, tol=None, shuffle=loop.shuffle)

    times = interleaved(
        repeats,
        ours=epoch(learner, *data, few=few, many=many),
        product=seconds(lambda: data.X @ w),
        read=seconds(lambda: (flat @ flat, indices.max())),
        matrix=seconds(lambda: square @ square),
    )
    # A score multiplies and adds once for each value and class, an update once for each value
    # and changed vector: one, or with several classes two, and as many again for the mean.
    changed = (1 if k == 1 else 2) * (2 if loop.learner is AveragedPerceptron else 1)
    share = epochs.mistake_share(data, few, many)
    operations = 2 * values.size * (k + changed * share)
    matrix = times.pop("matrix") * operations / (2 * SIDE**3)
    return Point(loop.name, **times, matrix=matrix)


def table(points: list[Point]) -> Iterator[str]:
    """A line for each loop, as text."""
    yield f"{'an epoch of':<34}  {'ms':>7}  {'reading':>7}  {'arithmetic':>10}  {'X @ w':>6}"
    for point in points:
        reading, arithmetic, product = point.ratios()
        yield (
            f"{point.name:<34}  {point.ours:>7.2f}  {reading:>7.2f}"
            f"  {arithmetic:>10.2f}  {product:>6.2f}"
        )


def draw(points: list[Point], file: Path) -> None:
    """How many times as long as its limits each loop takes, one row a loop."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    limits = (
        ("reading the rows once", "o", LIGHT.colour(0)),
        ("its operations in a matrix product", "s", LIGHT.colour(1)),
        ("X @ w by NumPy or SciPy", "|", LIGHT.ink),
    )
    ratios = np.array([point.ratios() for point in points])
    places = np.arange(len(points))
    with plt.rc_context({**LIGHT.settings(), "svg.hashsalt": "roofline"}):
        figure, axes = plt.subplots(figsize=(9, 0.34 * len(points) + 1.6), layout="constrained")
        # The nearer of the two limits is the one that counts.
        axes.hlines(places, 1, ratios[:, :2].min(axis=1), color=LIGHT.rule, linewidth=7)
        for values, (label, marker, colour) in zip(ratios.T, limits, strict=True):
            axes.scatter(values, places, marker=marker, color=colour, label=label, s=48, zorder=3)
        axes.axvline(1, color=LIGHT.ink, linewidth=1)
        axes.set_xscale("log")
        ticks = [t for t in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64) if t < 2 * ratios.max()]
        axes.set_xticks(ticks, [f"{t:g} ×" for t in ticks])
        axes.minorticks_off()
        axes.set_yticks(places, [point.name for point in points])
        axes.invert_yaxis()
        axes.set_xlabel("time of an epoch of training, as a multiple of the limit's")
        axes.xaxis.grid(True)
        figure.legend(loc="outside upper center", ncols=3)
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("roofline.png"), help="the picture")
    parser.add_argument("--repeats", type=int, default=5, help="repetitions of each measurement")
    parser.add_argument("--only", default="", metavar="WORD", help="loops with this in the name")
    given = parser.parse_args()
    points = [measured(loop, given.repeats) for loop in LOOPS if given.only in loop.name]
    if not points:
        parser.error(f"no loop has {given.only!r} in its name")
    print("\n".join(table(points)))
    draw(points, given.out)
    print(f"wrote {given.out}")


if __name__ == "__main__":
    main()
