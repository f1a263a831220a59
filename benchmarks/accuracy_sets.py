"""Public data sets cut into a part to learn from and a part to test on, for `accuracy.py`."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import workloads
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt.features import Schema, TextFeatures
from rosenblatt.io import read_table

__all__ = ["SETS", "TEXTS", "Part"]

N_SPLITS = 5


class Part(NamedTuple):
    """Rows for us and for the peers, in the same order, and their labels."""

    ours: Any
    peers: Any
    y: Any


Pair = tuple[Part, Part]


def _lines(name: str, **how: Any) -> Iterator[str]:
    with gzip.open(workloads.data_file(name), "rt", **how) as file:
        yield from file


def _numbers(name: str, skip: int = 0) -> tuple[Any, Any]:
    """A table of numbers, the label last."""
    rows = [row for row in csv.reader(_lines(name)) if row][skip:]
    return np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows])


def _scaled(X: Any, y: Any, X_test: Any, y_test: Any) -> Pair:
    """An array: we take it as it is, the peers by mean and standard deviation."""
    scaler = StandardScaler().fit(X)
    return Part(X, scaler.transform(X), y), Part(X_test, scaler.transform(X_test), y_test)


def _cut(X: Any, y: Any, make: Callable[..., Any], n_splits: int = N_SPLITS) -> Iterator[Any]:
    """Seven tenths to learn from, by several seeds."""
    for seed in range(n_splits):
        A, B, a, b = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        yield make(A, a, B, b)


def small(name: str, skip: int = 0) -> Callable[[], Iterator[Pair]]:
    return lambda: _cut(*_numbers(name, skip), _scaled)


def letter() -> Iterator[Pair]:
    return _cut(*workloads.letter(), _scaled, 2)


def mnist() -> Iterator[Pair]:
    yield _scaled(*workloads.mnist("train"), *workloads.mnist("t10k"))


def a9a() -> Iterator[Pair]:
    from sklearn.datasets import load_svmlight_file

    X, y = workloads.a9a()
    X_test, y_test = load_svmlight_file(
        str(workloads.data_file("a9a/a9a.t.gz")), n_features=X.shape[1]
    )
    yield Part(X, X, y), Part(X_test, X_test, y_test.astype(np.int64))


def adult() -> Iterator[Pair]:
    """Columns as the schema of the training part has them, for us and for the peers."""
    tables = []
    for part in ("data", "test"):
        lines = csv.reader(_lines(f"adult/adult.{part}.gz"), skipinitialspace=True)
        rows = [row for row in lines if len(row) == 15]
        text = ",".join([*(f"c{i}" for i in range(14)), "y"])
        text += "".join("\n" + ",".join([*row[:-1], row[-1].rstrip(".")]) for row in rows)
        tables.append(read_table(io.BytesIO(text.encode()), target="y"))
    schema = Schema.guess(tables[0])
    encoded = [(_for_peers(schema.encode(table)), np.asarray(table.y)) for table in tables]
    (X, y), (X_test, y_test) = encoded
    yield Part(X, X, y), Part(X_test, X_test, y_test)


def _for_peers(X: Any) -> Any:
    return X.tocsr() if hasattr(X, "tocsr") else X


# ---------------------------------------------------------------------- texts


def _text(A: Any, a: Any, B: Any, b: Any) -> Pair:
    """Our features for us; for the peers tf-idf of words and pairs of words."""
    ours, peers = TextFeatures(output="csr_array"), TfidfVectorizer(ngram_range=(1, 2))
    X, Z = ours.fit_transform(A), peers.fit_transform(A)
    return Part(X, Z, a), Part(ours.transform(B), peers.transform(B), b)


def _labelled_texts(pairs: Iterator[tuple[str, str]]) -> tuple[Any, Any]:
    labels, texts = zip(*pairs, strict=True)
    return np.array(texts, object), np.array(labels)


def sms_spam(make: Callable[..., Any] = _text) -> Iterator[Any]:
    lines = _lines("sms_spam/SMSSpamCollection.gz", encoding="utf-8")
    pairs = ((label, text) for label, _, text in (line.partition("\t") for line in lines))
    return _cut(*_labelled_texts(pairs), make)


def subjectivity(make: Callable[..., Any] = _text) -> Iterator[Any]:
    pairs = (
        (kind, line)
        for kind in ("plot", "quote")
        for line in _lines(f"subjectivity/{kind}.tok.gt9.5000.gz", encoding="latin-1")
    )
    return _cut(*_labelled_texts(pairs), make)


def newsgroups20(make: Callable[..., Any] = _text) -> Iterator[Any]:
    parts: list[Any] = []
    for part in ("train", "test"):
        posts = map(json.loads, _lines(f"newsgroups20/20news-bydate-{part}.jsonl.gz"))
        parts += _labelled_texts((post["label"], post["text"]) for post in posts)
    yield make(*parts)


TEXTS = {"sms_spam": sms_spam, "subjectivity": subjectivity, "newsgroups20": newsgroups20}
SETS: dict[str, Callable[[], Iterator[Pair]]] = {
    "wdbc": small("wdbc/breast_cancer.csv.gz", 1),
    "ionosphere": small("ionosphere/ionosphere.csv.gz"),
    "phishing": small("phishing/phishing.csv.gz", 1),
    "segment": small("segment/segment.csv.gz", 1),
    "letter": letter,
    "a9a": a9a,
    "adult": adult,
    **TEXTS,
    "mnist": mnist,
}
