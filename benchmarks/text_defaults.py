"""Texts as they come: rosenblatt train FILE and nothing else, beside what one types elsewhere.

python benchmarks/text_defaults.py [--only SET] [--splits N]

Ours is the command of the shell, process, reading and choosing of the learner included. The peers
are scikit-learn's tf-idf of words and pairs of words with LinearSVC, the passive-aggressive learner
and LogisticRegression, as they come, and Vowpal Wabbit with --ngram 2 and ten passes; they get the
texts in memory, and their imports are not counted. LinearSVC is also timed as a process that does
what ours does, from the file of rows to that of the model. Errors are those on test parts, which
nothing was chosen by. Times are those of the processor, of one thread each.
"""

from __future__ import annotations

import os

# Heeded by the libraries only when set before they are loaded.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import timed
from accuracy_sets import TEXTS
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

Texts = Sequence[str]
# What was the default of scikit-learn's PassiveAggressiveClassifier, which SGDClassifier replaces.
PA = partial(SGDClassifier, penalty=None, learning_rate="pa1", eta0=1.0, loss="hinge")
PEERS: dict[str, Callable[[], Any]] = {
    "LinearSVC": partial(LinearSVC, random_state=0),
    "PassiveAggressive": partial(PA, random_state=0),
    "LogisticRegression": partial(LogisticRegression, max_iter=1000),
}
BAR, AS_PROCESS = 0.3, "LinearSVC, a process"
WORD = re.compile(r"(?u)\b\w\w+\b")


def ours(A: Texts, a: Texts, B: Texts, b: Texts, folder: Path) -> tuple[float, float]:
    """Error in % and seconds of the shell."""
    # Posts have lines, which are no texts of one line each.
    of_lines = not any("\n" in text.rstrip("\n") for text in islice(A, 1000))
    names = [folder / name for name in (("train", "test") if of_lines else ("A.jsonl", "B.jsonl"))]
    for name, texts, labels in ((names[0], A, a), (names[1], B, b)):
        with name.open("w", encoding="utf-8") as file:
            for text, label in zip(texts, labels, strict=True):
                row = {"label": str(label), "text": text}
                line = f"{label}\t{' '.join(text.split())}" if of_lines else json.dumps(row)
                file.write(f"{line}\n")
    before = _spent()
    _run("train", names[0], "--out", folder / "m.rbt", "--quiet")
    took = _spent() - before
    judged = json.loads(_run("evaluate", folder / "m.rbt", names[1], "--json"))
    return 100 * (1 - judged["accuracy"]), took


PROCESS = """
import json, sys, joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
if sys.argv[1].endswith(".jsonl"):
    pairs = [(row["label"], row["text"]) for row in map(json.loads, lines)]
else:
    pairs = [line.split("\\t", 1) for line in lines]
labels, texts = zip(*pairs)
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0))
joblib.dump(model.fit(texts, labels), sys.argv[2])
"""


def process(folder: Path) -> float:
    """Seconds of LinearSVC from the file that ours was trained on to that of a model."""
    file = next(folder / name for name in ("train", "A.jsonl") if (folder / name).exists())
    before = _spent()
    command = [sys.executable, "-c", PROCESS, str(file), str(folder / "svc.joblib")]
    subprocess.run(command, check=True, capture_output=True)
    return _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(*words: str | Path) -> str:
    command = [sys.executable, "-m", "rosenblatt", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def peer(make: Callable[[], Any], A: Texts, a: Any, B: Texts, b: Any) -> tuple[float, float]:
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), make())
    took, _ = timed(lambda: model.fit(A, a))
    return 100 * float(np.mean(model.predict(B) != b)), took


def wabbit(A: Texts, a: Any, B: Texts, b: Any, folder: Path) -> tuple[float, float]:
    """Words of two letters or more, as scikit-learn's are, in lower case; rows in random order."""
    import vowpalwabbit

    classes, numbers = np.unique(a, return_inverse=True)
    k = len(classes)
    labels = numbers + 1 if k > 2 else 2 * numbers - 1

    def write(name: str, texts: Texts, marks: Any) -> None:
        with (folder / name).open("w", encoding="utf-8") as file:
            for text, mark in zip(texts, marks, strict=True):
                file.write(f"{mark} |w {' '.join(WORD.findall(text.lower()))}\n")

    def run(*words: str) -> None:
        vowpalwabbit.Workspace(arg_list=["--quiet", *words]).finish()

    def learn() -> None:
        order = np.random.default_rng(0).permutation(len(labels))
        write("train.vw", [A[i] for i in order], labels[order])
        kind = ["--oaa", str(k)] if k > 2 else ["--binary"]
        run(
            *("-d", str(folder / "train.vw"), "-f", str(folder / "vw"), "-c", "-k", "-b", "24"),
            *("--passes", "10", "--holdout_off", "--ngram", "2", "--loss_function", "logistic"),
            *kind,
        )

    took, _ = timed(learn)
    write("test.vw", B, [""] * len(B))
    run("-t", "-i", str(folder / "vw"), "-d", str(folder / "test.vw"), "-p", str(folder / "p"))
    found = np.loadtxt(folder / "p").astype(int)
    predicted = classes[found - 1 if k > 2 else (found + 1) // 2]
    return 100 * float(np.mean(predicted != b)), took


def measure(name: str, n_splits: int) -> dict[str, tuple[float, float]]:
    """Mean error and time of everybody."""
    found: dict[str, list[tuple[float, float]]] = {}
    for split in islice(TEXTS[name](lambda *parts: parts), n_splits):
        with tempfile.TemporaryDirectory() as place:
            found.setdefault("ours", []).append(ours(*split, Path(place)))
            seconds = process(Path(place))
            found.setdefault(AS_PROCESS, []).append((np.nan, seconds))
            for who, make in PEERS.items():
                found.setdefault(who, []).append(peer(make, *split))
            if find_spec("vowpalwabbit") is not None:
                found.setdefault("VW --ngram 2", []).append(wabbit(*split, Path(place)))
    return {who: tuple(np.mean(rows, axis=0)) for who, rows in found.items()}  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="SET", default="", help="sets with this in the name")
    parser.add_argument("--splits", type=int, default=3, help="how many, where there are several")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    behind = []
    for name in (name for name in TEXTS if given.only in name):
        found = measure(name, given.splits)
        (own, took), (_, whole) = found.pop("ours"), found.pop(AS_PROCESS)
        best = min(found, key=lambda who: found[who][0])
        behind.append(own - found[best][0])
        print(f"{name}: error % and seconds of the processor")
        for who, (error, seconds) in {"rosenblatt train": (own, took), **found}.items():
            print(f"  {who:20} {error:6.2f}  {seconds:6.1f}")
        print(
            f"  to the best ({best}) {behind[-1]:+.2f} points (at most {BAR}); "
            f"{took / found['LinearSVC'][1]:.2f} × the time of LinearSVC's fit, "
            f"{took / whole:.2f} × that of its process (at most 1)",
            flush=True,
        )
    print(f"on average {np.mean(behind):+.2f} points (at most 0)")


if __name__ == "__main__":
    main()
