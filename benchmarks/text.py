"""Texts to hashed n-grams, and a stream from the shell, beside their peers.

python benchmarks/text.py [--quick] [--only WORD] [--json FILE]

The words are the same for both: two or more characters, in lower case, counted, hashed to 2**20
columns, rows of length 1; that both find as many is checked before anything is timed. The stream is
the command as it is called from the shell, process and all, beside the work of Vowpal Wabbit alone
over the same rows; both have a second processor if there is one. By default the averaged learner
counts the mistakes of its average, which is more to do than vw has, which counts those of its
latest weights; both counts have the same bar.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import files
from reading import alone
from report import Row
from running import Benchmarks, run
from timing import Measurement, interleaved, seconds

import rosenblatt.io
from rosenblatt.features import TextFeatures

BITS = 20
WORDS = {"words": (1, 1), "shortest": 2, "symbols": False, "value": "count", "idf": False}
LEARN = ["--quiet", "--noconstant", "--sgd", "--loss_function", "hinge"]
STREAM = """
import sys
import memory
from rosenblatt.cli.main import group
group.main(["stream", *sys.argv[1:]], standalone_mode=False)
print(memory._peak() / 1e6)
"""


def ngrams(n_bytes: int, repeats: int) -> list[Row]:
    """A list of texts to sparse rows, and the same from the file."""
    from sklearn.feature_extraction.text import HashingVectorizer

    path = files.text(n_bytes)
    texts, _ = rosenblatt.io.read_text(path)
    ours = TextFeatures(**WORDS, bits=BITS)
    peer = HashingVectorizer(n_features=1 << BITS, alternate_sign=False)
    found, expected = ours.transform(texts), peer.transform(texts)
    # The columns differ, but not how many words there are; a few share a column.
    assert abs(len(found.data) / expected.nnz - 1) < 1e-3, (len(found.data), expected.nnz)
    default = TextFeatures()
    times = interleaved(
        repeats,
        ours=seconds(lambda: ours.transform(texts)),
        named=seconds(lambda: TextFeatures(**WORDS, bits=BITS).fit_transform(texts)),
        file=seconds(lambda: ours.transform(rosenblatt.io.read_text(path)[0])),
        default=seconds(lambda: default.transform(texts)),
        peer=seconds(lambda: peer.transform(texts)),
        peer_file=seconds(lambda: peer.transform(_lines(path))),
    )
    name = f"{len(texts):,} texts, {path.stat().st_size / 1e6:,.0f} MB"
    note = f"{len(found.data):,} counts"
    against = {"peer": times["peer"], "least_of_peer": 5.0}
    return [
        Row(f"{name} to words / scikit-learn", times["ours"], **against, note=note),
        Row("the same, keeping the names", times["named"], **against),
        Row(
            "the same from label<TAB>text",
            times["file"],
            peer=times["peer_file"],
            least_of_peer=5.0,
        ),
        Row("words and symbols, as by default", times["default"]),
    ]


def _lines(path: Path) -> list[str]:
    """How one reads such a file in Python."""
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n").partition("\t")[2] for line in file]


def stream(n_bytes: int, times: int, repeats: int) -> list[Row]:
    """One pass from the shell over a large file, beside vw; then how much memory it takes."""
    small, same = files.sparse(n_bytes)
    path, vw = files.repeated(small, times), files.repeated(same, times)
    try:
        took = interleaved(
            repeats,
            served=_stream(path),
            latest=_stream(path, "--count", "latest"),
            perceptron=_stream(path, "--learner", "perceptron"),
            vw=lambda: alone("wabbit", "-d", str(vw), *LEARN)["ms"] / 1000,
        )
        facts = _streamed(path)
        size = f"{path.stat().st_size / 1e6:,.0f} MB"
    finally:
        path.unlink()
        vw.unlink()
    against = {"peer": took["vw"], "least_of_peer": 2.0}
    note = f"{facts['examples']:,} rows, {facts['mistakes']:,} mistakes"
    return [
        Row(f"stream {size} of svmlight / vw, a pass", took["served"], **against, note=note),
        Row("the same, --count latest", took["latest"], **against),
        Row("the same, perceptron", took["perceptron"], **against),
        Row(f"stream {size} of svmlight, peak MB", facts["peak_mb"], most=200.0),
    ]


def _stream(path: Path, *options: str) -> Measurement:
    return lambda: _streamed(path, *options)["process_ms"] / 1000


def _streamed(path: Path, *options: str) -> dict[str, Any]:
    """What the command told, how long its process took and how much memory."""
    command = [sys.executable, "-c", STREAM, str(path), "--format", "svmlight", "--json", *options]
    start = time.perf_counter()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=os.environ,
        cwd=Path(__file__).parent,
        check=True,
    )
    took = 1000 * (time.perf_counter() - start)
    told, peak = done.stdout.splitlines()
    return {"process_ms": took, "peak_mb": float(peak), **json.loads(told)}


def _benchmarks(megabytes: int, times: int, repeats: int) -> Benchmarks:
    n_bytes = megabytes * 1_000_000
    return {
        "n-grams": partial(ngrams, 20_000_000, repeats),
        "stream": partial(stream, n_bytes, times, min(repeats, 3)),
    }


if __name__ == "__main__":
    packages = ["numpy", "scikit-learn", "vowpalwabbit"]
    run(_benchmarks(200, 10, 5), __doc__, packages, quick=_benchmarks(20, 25, 3))
