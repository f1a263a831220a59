"""Seeded files for the reading benchmarks, kept in the temporary folder from run to run."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

__all__ = ["FOLDER", "packed", "repeated", "sparse", "table", "text"]

FOLDER = Path(tempfile.gettempdir()) / "rosenblatt-benchmarks"
SEED = 0
N_FEATURES, PER_ROW = 47_236, 75  # as in RCV1, news as bags of words
WORDS_PER_LINE = 60

Row = tuple[str, str]  # a label, and the rest of the line


def sparse(n_bytes: int) -> tuple[Path, Path]:
    """The same rows for svmlight and for Vowpal Wabbit; the first file has about that many bytes.

    Two classes that a noisy hyperplane splits, so that no number of epochs ends the mistakes.
    """
    paths = _path(n_bytes, "svm"), _path(n_bytes, "vw")
    if not all(path.exists() for path in paths):
        _write(n_bytes, _sparse_rows(), {paths[0]: "{} {}\n", paths[1]: "{} | {}\n"})
    return paths


def table(n_bytes: int) -> Path:
    """Numbers with commas between them under a line of names; the first column is the label.

    A third of the columns are whole numbers, a third decimals of six digits, a third has all the
    digits of a float64.
    """
    path = _path(n_bytes, "csv")
    if not path.exists():
        names = ",".join(f"feature_{j}" for j in range(20))
        _write(n_bytes, _table_rows(), {path: "{},{}\n"}, first=f"label,{names}\n")
    return path


def text(n_bytes: int) -> Path:
    """A label, a tab, and words, some frequent and most of them rare."""
    path = _path(n_bytes, "tsv")
    if not path.exists():
        _write(n_bytes, _text_rows(), {path: "{}\t{}\n"})
    return path


def packed(path: Path) -> Path:
    """The same file, as gzip packs it."""
    target = path.with_name(path.name + ".gz")
    if not target.exists():
        with path.open("rb") as source, _renamed_to(target) as out, gzip.open(out, "wb", 6) as file:
            shutil.copyfileobj(source, file)
    return target


def repeated(path: Path, times: int) -> Path:
    """One file that holds the other so many times; the caller deletes it."""
    target = path.with_name(f"{times}-times-{path.name}")
    with target.open("wb") as file:
        for _ in range(times):
            with path.open("rb") as source:
                shutil.copyfileobj(source, file, 1 << 24)
    return target


def _path(n_bytes: int, ending: str) -> Path:
    return FOLDER / f"{n_bytes // 1_000_000}mb.{ending}"


def _write(n_bytes: int, rows: Iterator[Row], lines: dict[Path, str], first: str = "") -> None:
    """The rows in one form or several, until the first file has that many bytes."""
    with ExitStack() as stack:
        files = [stack.enter_context(_renamed_to(path)) for path in lines]
        forms = [line.format for line in lines.values()]
        for file in files:
            file.write(first.encode())
        written = 0
        while written < n_bytes:
            row = next(rows)
            texts = [form(*row).encode() for form in forms]
            for file, line in zip(files, texts, strict=True):
                file.write(line)
            written += len(texts[0])


@contextmanager
def _renamed_to(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name only when it is whole."""
    FOLDER.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sparse_rows(block: int = 5_000) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    weights = rng.standard_normal(N_FEATURES)
    while True:
        lengths = 1 + rng.poisson(PER_ROW - 1, block)
        columns = (N_FEATURES * rng.random(lengths.sum()) ** 3).astype(np.int64)
        rows = np.repeat(np.arange(block), lengths)
        rows, columns = np.divmod(np.unique(rows * N_FEATURES + columns), N_FEATURES)
        starts = np.searchsorted(rows, np.arange(block + 1))
        values = np.abs(rng.standard_normal(len(rows)))
        values /= np.sqrt(np.add.reduceat(values**2, starts[:-1]))[rows]
        scores = np.add.reduceat(values * weights[columns], starts[:-1])
        labels = scores + 0.3 * rng.standard_normal(block) > 0
        indices = (columns + 1).tolist()
        pairs = [f"{j}:{value:.6g}" for j, value in zip(indices, values.tolist(), strict=True)]
        for i, label in enumerate(labels.tolist()):
            yield "1" if label else "-1", " ".join(pairs[starts[i] : starts[i + 1]])


def _table_rows(block: int = 5_000) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    kinds = ("%d", "%.6g", "%r")
    line = ",".join(kinds[j % 3] for j in range(20))
    while True:
        columns = []
        for j in range(20):
            if j % 3 == 0:
                columns.append(rng.integers(-(10 ** (1 + j // 3)), 10 ** (1 + j // 3), block))
            else:
                columns.append(rng.standard_normal(block) * 10.0 ** (j // 4 - 2))
        labels = (columns[1] + columns[2] > 0).astype(int).tolist()
        lists = [column.tolist() for column in columns]
        for label, *numbers in zip(labels, *lists, strict=True):
            yield str(label), line % tuple(numbers)


def _text_rows(block: int = 5_000) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    alphabet = np.array(list("abcdefghijklmnoprstuvwyz"))
    words = ["".join(rng.choice(alphabet, n)) for n in rng.integers(2, 12, N_FEATURES)]
    while True:
        chosen = (N_FEATURES * rng.random((block, WORDS_PER_LINE)) ** 3).astype(np.int64)
        for row in chosen.tolist():
            yield str(row[0] % 2), " ".join(words[j] for j in row)
