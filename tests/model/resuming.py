"""Runs that are interrupted: the first part here, the second in another process.

As a program, ``python resuming.py FOLDER``, it finishes every run from its file.
"""

import sys
import warnings
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from strategies import LEARNERS, csr, floats

from model.samples import as_mapping
from rosenblatt import load, save
from rosenblatt.model import disk

N = 24


def data(kind):
    """Rows and labels; those of a stream bring new classes as they come."""
    return floats(11, n=N, d=8 if "mappings" in kind else 4, n_classes=2 if "two" in kind else 4)


def options(kind):
    if kind.startswith("epochs"):
        early = {"early_stopping": True, "validation_fraction": 0.3} if "early" in kind else {}
        return {"warm_start": True, "tol": None, "record": "recorded" in kind, **early}
    return {"record": "recorded" in kind}


def learned(learner, kind, first, last):
    """Learn from the rows (or, of epochs, as many epochs) from ``first`` to ``last``."""
    X, y = data(kind)
    if kind.startswith("epochs"):
        table = csr(X) if "sparse" in kind else X
        return learner.set_params(max_iter=last - first).fit(table, y)
    if "float32" in kind:
        X = X.astype("f4")
    if kind.startswith("batches"):
        table = csr(X) if "sparse" in kind else X
        return learner.partial_fit(table[first:last], y[first:last])
    for x, label in zip(X[first:last], y[first:last], strict=True):
        learner.learn_one(as_mapping(x) if "mappings" in kind else x, label)
    return learner


KINDS = {
    "batches": range(1, N, 3),
    "batches of two classes": range(1, N, 5),
    "batches, sparse, recorded": range(1, N, 5),
    "batches, float32": range(1, N, 5),
    "one by one": range(1, N, 5),
    "one by one, recorded": range(2, N, 7),
    "mappings": range(1, N, 3),
    "mappings, recorded": range(2, N, 7),
    "epochs": range(1, 5),
    "epochs of two classes, sparse": range(1, 5),
    "epochs, recorded": range(1, 5),
    "epochs, early": range(1, 5),
}


def runs():
    for name in LEARNERS:
        for kind, cuts in KINDS.items():
            for cut in cuts:
                yield name, kind, cut, 5 if kind.startswith("epochs") else N


def main(folder):
    warnings.simplefilter("ignore")
    disk.os.fsync = lambda file: None
    for number, (_, kind, cut, end) in enumerate(runs()):
        learner = load(folder / f"{number}.rbt")
        save(learned(learner, kind, cut, end), folder / f"{number}.done")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
