"""Seeded data for the benchmarks, and the public data sets where they are at hand."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from report import Skipped
from scipy import sparse

__all__ = [
    "Data",
    "Tagged",
    "a9a",
    "bananas",
    "clusters",
    "conll2000",
    "data_file",
    "dense",
    "ewt",
    "letter",
    "mappings",
    "mnist",
    "records",
    "separable",
    "text_like",
]

Array = npt.NDArray[Any]
SEED = 0


class Data(NamedTuple):
    """Rows and labels."""

    X: Any
    y: Array


class Tagged(NamedTuple):
    """Sentences and their tags."""

    sentences: list[list[Any]]
    tags: list[list[str]]


def dense(n: int, d: int, dtype: Any, *, noise: float = 0.3, fading: bool = False) -> Data:
    """Two classes, split by a noisy hyperplane: about 13 % mistakes with the noise given.

    ``fading`` makes the columns smaller from first to last. Without it, rows about as many as
    columns could be separated, and the mistakes would die out within a few epochs.
    """
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((n, d), dtype=dtype)
    if fading:
        X *= ((1 + np.arange(d) / 20) ** -1.5).astype(dtype)
    score = X @ rng.standard_normal(d).astype(dtype)
    y = np.where(score + noise * score.std() * rng.standard_normal(n) > 0, 1, -1)
    return Data(X, y)


def text_like(n: int = 100_000, d: int = 47_236, per_row: int = 75, noise: float = 1.0) -> Data:
    """Sparse rows with a few frequent columns and many rare ones, as words have them."""
    rng = np.random.default_rng(SEED)
    values = np.abs(rng.standard_normal(n * per_row)).astype(np.float32)
    columns = (d * rng.random(n * per_row) ** 3).astype(np.int32)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_matrix((values, columns, starts), shape=(n, d))
    X.sum_duplicates()
    score = X @ rng.standard_normal(d).astype(np.float32)
    return Data(X, np.where(score + noise * rng.standard_normal(n) > 0, 1, -1))


def clusters(n: int, d: int, k: int, spread: float = 0.15) -> Data:
    """``k`` classes around as many centres, overlapping."""
    rng = np.random.default_rng(SEED)
    centres = spread * rng.standard_normal((k, d), dtype=np.float32)
    y = rng.integers(0, k, n)
    X = rng.standard_normal((n, d), dtype=np.float32)
    X += centres[y]
    return Data(X, y)


def separable(seed: int, n: int = 2000, d: int = 20, margin: float = 0.02) -> Data:
    """About ``n`` rows that a unit vector separates with at least this margin."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n, d))
    X = X[np.abs(X @ u) > margin]
    return Data(X, np.where(X @ u > 0, 1, -1))


def mappings(n: int, d: int = 20) -> list[tuple[dict[str, float], bool]]:
    """A stream of examples with named features and true or false as label."""
    X, y = dense(n, d, np.float64)
    names = [f"feature_{j}" for j in range(d)]
    return [
        (dict(zip(names, row, strict=True)), label > 0)
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def records(n: int, d: int = 20) -> list[tuple[dict[str, Any], bool]]:
    """As `mappings`, with a second half of categories: how far a number lies from 0, in words."""
    words = np.array(["far below", "below", "above", "far above"])
    stream = []
    for x, label in mappings(n, d):
        levels = words[np.searchsorted([-1.0, 0.0, 1.0], list(x.values())[d // 2 :])]
        stream.append((x | dict(zip(list(x)[d // 2 :], levels.tolist(), strict=True)), label))
    return stream


def mnist(part: str) -> Data:
    """Handwritten digits, pixels from 0 to 1; ``part`` is "train" or "t10k"."""
    pixels = _unpacked(f"mnist/{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    y = _unpacked(f"mnist/{part}-labels-idx1-ubyte.gz", 8)
    return Data(pixels.astype(np.float32) / np.float32(255), y)


def _unpacked(name: str, header: int) -> Array:
    return np.frombuffer(gzip.decompress(data_file(name).read_bytes()), np.uint8, offset=header)


def a9a() -> Data:
    """Incomes of the census as sparse rows of ones; two classes that overlap."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(data_file("a9a/a9a.gz")))
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return Data(sparse.csr_matrix((X.data, indices, starts), shape=X.shape), y.astype(np.int64))


def letter() -> Data:
    """Capital letters, each as 16 small whole numbers that describe its picture; 26 classes."""
    with gzip.open(data_file("letter/letter.dat.gz"), "rt") as file:
        fields = [[field.strip() for field in line.split(",")] for line in file if line.strip()]
    X = np.array([row[:-1] for row in fields], np.float64)
    return Data(X, np.array([row[-1] for row in fields]))


def bananas() -> Data:
    """Points in the plane, two classes shaped like bananas that overlap."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(data_file("bananas/banana.all.txt.gz")))
    return Data(X.toarray(), y.astype(np.int64))


def ewt(part: str) -> Tagged:
    """English of the web, words and 17 parts of speech; ``part`` is "train", "dev" or "test"."""
    return _tagged(f"ud_english_ewt/en_ewt-ud-{part}.conllu.gz")


def conll2000(part: str) -> Tagged:
    """News, (word, part of speech) and 22 tags of chunks; ``part`` is "train" or "test"."""
    return _tagged(f"conll2000/{part}.txt.gz")


def _tagged(name: str) -> Tagged:
    from rosenblatt.io import read_conll

    sentences, tags = read_conll(data_file(name))
    assert tags is not None
    return Tagged(sentences, tags)


def data_file(name: str) -> Path:
    """A file of a public data set, in the folder ROSENBLATT_DATA."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    file = Path(os.environ.get("ROSENBLATT_DATA", beside)) / name
    if not file.exists():
        raise Skipped(f"{name} was not found; set ROSENBLATT_DATA to the folder that holds it.")
    return file
