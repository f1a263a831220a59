"""How time and memory grow with rows, columns, classes and non-zeros; how large files are.

Each command runs in a process of its own on data of two sizes. Growth is a ratio between the two:
time without that of an almost empty file, and the memory that the process took at most. Linear cost
gives the ratio of the sizes.

    python benchmarks/growth.py              every axis
    python benchmarks/growth.py --only wide  those with the word in their name
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

Writer = Callable[[Path, int], None]


def numbers(columns: int) -> Writer:
    """A table of numbers: more rows."""

    def write(path: Path, rows: int) -> None:
        values = np.random.default_rng(1).normal(size=(rows, columns))
        with path.open("w") as file:
            file.write(",".join(f"c{j}" for j in range(columns)) + ",y\n")
            for row in values:
                file.write(",".join(f"{v:.3f}" for v in row) + f",{'ab'[int(row.sum() > 0)]}\n")

    return write


def wide(path: Path, columns: int) -> None:
    """Ten rows of numbers: more columns."""
    with path.open("w") as file:
        file.write(",".join(f"c{j}" for j in range(columns)) + ",y\n")
        for i in range(10):
            file.write(
                ",".join(str((j * 7 + i) % 10) for j in range(columns)) + f",{'ab'[i % 2]}\n"
            )


def levels(path: Path, columns: int) -> None:
    """Thirty rows of categories: more columns."""
    with path.open("w") as file:
        file.write(",".join(f"c{j}" for j in range(columns)) + ",y\n")
        for i in range(30):
            file.write(",".join(f"v{j}_{(i + j) % 3}" for j in range(columns)))
            file.write(f",{'ab'[i % 2]}\n")


def classes(path: Path, n: int) -> None:
    """8,000 rows, whose labels are of more classes."""
    with path.open("w") as file:
        for i in range(8_000):
            file.write(f"k{i % n} {i % n % 50 + 1}:1 51:{(i % n) // 50}\n")


def nonzeros(path: Path, n: int) -> None:
    """2,000 sparse rows over 2¹⁸ columns: more values in each."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for _ in range(2000):
            columns = np.unique(rng.integers(1, 1 << 18, n // 2000))
            label = "b" if columns[0] % 2 else "a"
            file.write(f"{label} " + " ".join(f"{c}:1" for c in columns) + "\n")


def sentences(path: Path, n: int) -> None:
    """Sentences of ten words, out of a vocabulary that grows with them."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for words in rng.zipf(1.3, (n, 10)) % (n + 10):
            file.write(" ".join(f"w{word}/T{word % 12}" for word in words) + "\n")


# Seconds: what takes less beside the start is lost in its noise.
SHORTEST = 0.25
# Name: what writes the data, two sizes, options, the most that time and memory may grow.
AXES: dict[str, tuple[Writer, int, int, list[str], float]] = {
    "rows": (numbers(11), 100_000, 400_000, ["--target", "y"], 6.0),
    "wide numbers": (wide, 8_000, 32_000, ["--target", "y"], 6.0),
    "a million columns": (wide, 100_000, 1_000_000, ["--target", "y"], 12.0),
    "wide categories": (levels, 2_000, 8_000, ["--target", "y"], 6.0),
    "classes": (classes, 1_600, 8_000, ["--format", "svmlight"], 6.0),
    "non-zeros": (nonzeros, 4_000_000, 16_000_000, ["--format", "svmlight"], 6.0),
    "sentences": (sentences, 8_000, 32_000, ["tag"], 6.0),
}


def measured(*arguments: str) -> tuple[float, float]:
    """Seconds, and megabytes at most, of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"rosenblatt {' '.join(arguments)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def commands(data: str, model: str, options: list[str]) -> dict[str, list[str]]:
    if options == ["tag"]:
        return {
            "train": ["tag", "train", data, "--format", "text", "--epochs", "2", "--out", model],
            "predict": ["tag", "predict", model, data, "--format", "text"],
            "evaluate": ["tag", "evaluate", model, data, "--format", "text"],
        }
    reading = [part for part in options if part in ("--format", "svmlight")]
    train = ["train", data, *options, "--learner", "averaged", "--epochs", "2", "--quiet"]
    return {
        "train": [*train, "--out", model],
        "predict": ["predict", model, data, *reading],
        "evaluate": ["evaluate", model, data, *reading],
        "stream": ["stream", data, *options, "--quiet"],
    }


def grown(folder: Path, name: str) -> bool:
    write, small, large, options, most = AXES[name]
    found: dict[str, list[tuple[float, float]]] = {}
    for size in (2, small, large):
        data, model = folder / f"{size}.data", folder / f"{size}.rbt"
        write(data, max(size, 2_000) if write is nonzeros else size)
        for verb, arguments in commands(str(data), str(model), options).items():
            found.setdefault(verb, []).append(min(measured(*arguments) for _ in range(2)))
    good = True
    for verb, ((base, _), (first, before), (second, after)) in found.items():
        ratio = (second - base) / max(first - base, SHORTEST)
        whole = second / first
        judged = whole if name == "a million columns" else ratio
        good &= judged <= most
        print(
            f"{name:18}  {verb:9}{small:>10,} {large:>10,}  {second:7.2f} s  {whole:5.1f} x, "
            f"{ratio:5.1f} x without start (at most {most:g})  {after:7,.0f} MB  "
            f"{after / before:4.1f} x",
            flush=True,
        )
    size = (folder / f"{large}.rbt").stat().st_size
    print(f"{name:18}  model file {size:,} bytes", flush=True)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="WORD", default="", help="axes with this in the name")
    chosen = [name for name in AXES if parser.parse_args().only in name]
    short = []
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            if not grown(Path(folder), name):
                short.append(name)
    print(f"short: {', '.join(short) or 'none'}")
    raise SystemExit(bool(short))


if __name__ == "__main__":
    main()
