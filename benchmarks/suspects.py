"""Wrong labels found by `theory.suspects` and by cleanlab, with the same rows and noise.

python benchmarks/suspects.py [--seeds N]

A share of the labels of real sets is changed, and each method names as many rows as there are wrong
ones: how many of those named are wrong (precision at k)? cleanlab ranks by the probability that
logistic regression, fitted on other folds, gives to the label, as its guide recommends. The sets
are looked for in the folder named by ROSENBLATT_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import os
import warnings
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import numpy.typing as npt
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron
from rosenblatt.theory import suspects

# Numbers with the label last; of a large set so many rows are taken.
SETS = {
    "banknote": "banknote/banknote_authentication.csv.gz",
    "breast cancer": "wdbc/breast_cancer.csv.gz",
    "digits": "digits/digits.csv.gz",
    "ionosphere": "ionosphere/ionosphere.csv.gz",
    "phishing": "phishing/phishing.csv.gz",
    "segment": "segment/segment.csv.gz",
}
MAX_ROWS = 3000
EPOCHS = 20


def read(path: Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Standardised numbers, and the labels of the last column as numbers."""
    with gzip.open(path, "rt") as file:
        lines = [line.strip().split(",") for line in file if line.strip()]
    if len(lines[0]) != len(lines[1]) or lines[0][0][:1].isalpha():
        lines = lines[1:]
    table = np.array(lines)
    table = table[np.random.default_rng(0).permutation(len(table))[:MAX_ROWS]]
    X = StandardScaler().fit_transform(table[:, :-1].astype(np.float64))
    return X, np.unique(table[:, -1], return_inverse=True)[1]


def changed(
    y: npt.NDArray[np.intp], share: float, random: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The labels with a share of them changed to another class, and the rows where they are."""
    wrong = random.choice(len(y), int(share * len(y)), replace=False)
    noisy, k = y.copy(), int(y.max()) + 1
    noisy[wrong] = (noisy[wrong] + random.integers(1, k, len(wrong))) % k
    return noisy, wrong


def by_ledger(X: Any, y: Any, k: int) -> list[int]:
    """The rows that a perceptron with a record was wrong about most often."""
    learner = Perceptron(max_iter=EPOCHS, tol=None, record=True).fit(X, y)
    return [one.row for one in suspects(learner.ledger_, X, top=k)]


def by_cleanlab(X: Any, y: Any, k: int) -> list[int]:
    """The rows whose label has the smallest probability by logistic regression on other folds."""
    model = LogisticRegression(max_iter=1000)
    shares = cross_val_predict(model, X, y, cv=5, method="predict_proba")
    return np.argsort(get_label_quality_scores(y, shares))[:k].tolist()


METHODS = {"theory.suspects": by_ledger, "cleanlab": by_cleanlab}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("ROSENBLATT_DATA", "data"))
    print(f"{'wrong labels':14}{'set':16}{'rows':>6}" + "".join(f"{m:>18}" for m in METHODS))
    means = []
    for share in (0.05, 0.1, 0.2):
        for name, file in SETS.items():
            X, y = read(folder / file)
            found = []
            for seed in range(seeds):
                noisy, wrong = changed(y, share, np.random.default_rng(seed))
                ranked = (method(X, noisy, len(wrong)) for method in METHODS.values())
                found.append([np.isin(rows, wrong).mean() for rows in ranked])
            means.append(np.mean(found, axis=0))
            shown = "".join(f"{value:18.2f}" for value in means[-1])
            print(f"{share:<14.0%}{name:16}{len(y):6}{shown}", flush=True)
    print(f"{'mean':36}" + "".join(f"{value:18.3f}" for value in np.mean(means, axis=0)))


if __name__ == "__main__":
    main()
