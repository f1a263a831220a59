"""What bad cells in the training rows cost: 0.2 % of them a thousand times too large.

python benchmarks/robustness.py

Tables are written as CSV files and read by a schema, as `rosenblatt train` does; an averaged
PassiveAggressive learns 12 epochs (C = 1 / mean ‖x‖²). Test errors in points, mean of 5 splits of
70 and 30 %; the test rows stay as they are. Tables are read from the folder ROSENBLATT_DATA.
"""

from __future__ import annotations

import csv
import gzip
import io
import warnings
from typing import Any

import numpy as np
import workloads
from report import Skipped

from rosenblatt import PassiveAggressive
from rosenblatt.features import Schema
from rosenblatt.io import Table, read_table

SHARE, FACTOR, SPLITS = 0.002, 1000.0, 5
MAX_IN_THE_MEAN, MOST = 0.6, 2.0
TABLES = {
    "wdbc": ("wdbc/breast_cancer.csv.gz", 1),
    "ionosphere": ("ionosphere/ionosphere.csv.gz", 0),
    "banknote": ("banknote/banknote_authentication.csv.gz", 0),
    "phishing": ("phishing/phishing.csv.gz", 1),
    "digits": ("digits/digits.csv.gz", 0),
    "segment": ("segment/segment.csv.gz", 1),
    "letter": ("letter/letter.dat.gz", 0),
}


def numbers_and_labels(name: str) -> tuple[Any, list[str]]:
    path, header = TABLES[name]
    with gzip.open(workloads.data_file(path), "rt") as file:
        rows = [row for row in csv.reader(file) if row][header:]
    return np.array([row[:-1] for row in rows], float), [row[-1] for row in rows]


def as_csv(X: Any, labels: list[str]) -> Table:
    """Through the text of a file and back."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "label"])
    writer.writerows([*row, label] for row, label in zip(X.tolist(), labels, strict=True))
    return read_table(io.BytesIO(out.getvalue().encode()), "label", labels="text", types="number")


def error(train: Table, test: Table, scale: str) -> float:
    schema = Schema.guess(train, scale=scale)
    X: Any = schema.encode(train)
    C = 1.0 / float((X**2).sum(axis=1).mean() + 1.0)
    model = PassiveAggressive(C=C, max_iter=12, tol=None, average=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, train.labels)
    return 100 * float(np.mean(model.predict(schema.encode(test)) != test.labels))


def costs(name: str, scale: str) -> tuple[float, float]:
    """The error with clean cells, and how much the bad ones add."""
    X, labels = numbers_and_labels(name)
    found = []
    for seed in range(SPLITS):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(labels))
        part = int(0.7 * len(labels))
        kept, held_out = order[:part], order[part:]
        bad = np.where(rng.random((part, X.shape[1])) < SHARE, FACTOR, 1.0) * X[kept]
        test = as_csv(X[held_out], [labels[i] for i in held_out])
        named = [labels[i] for i in kept]
        clean = error(as_csv(X[kept], named), test, scale)
        found.append((clean, error(as_csv(bad, named), test, scale) - clean))
    clean, cost = np.mean(found, axis=0).tolist()
    return clean, cost


def main() -> None:
    total: dict[str, list[float]] = {"robust": [], "standard": []}
    print(f"{'table':12}{'robust':>8}{'bad cells':>11}{'standard':>10}{'bad cells':>11}")
    for name in TABLES:
        try:
            found = {scale: costs(name, scale) for scale in total}
        except Skipped as error_:
            print(f"{name}: {error_}")
            continue
        for scale, (_, cost) in found.items():
            total[scale].append(cost)
        numbers = "".join(f"{clean:9.2f} {cost:+10.2f}" for clean, cost in found.values())
        print(f"{name:11}{numbers}")
    for scale, cost in total.items():
        print(f"{scale}: {np.mean(cost):+.2f} in the mean, {max(cost):+.2f} at most")
    holds = np.mean(total["robust"]) <= MAX_IN_THE_MEAN and max(total["robust"]) <= MOST
    print(f"at most {MAX_IN_THE_MEAN} in the mean and {MOST} on each: {'yes' if holds else 'NO'}")


if __name__ == "__main__":
    main()
