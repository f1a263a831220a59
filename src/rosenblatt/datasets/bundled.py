"""The small real data sets that come with the package.

``data/README.md`` names the source, the authors and the licence of each.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from rosenblatt.datasets.labelled_rows import LabelledRows

__all__ = ["breast_cancer", "digits", "iris", "wine"]

DATA = Path(__file__).parent / "data"


def breast_cancer() -> LabelledRows:
    """569 tumours by 30 measurements of their cells, malignant or benign (UCI WDBC).

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> datasets.breast_cancer().X.shape
    (569, 30)
    """
    classes = ("malignant", "benign")
    return _table("breast_cancer", classes, "tumours, 30 measurements of their cells")


def iris() -> LabelledRows:
    """150 flowers by 4 lengths, three species (Fisher 1936)."""
    classes = ("setosa", "versicolor", "virginica")
    return _table("iris", classes, "iris flowers, 4 lengths in cm")


def wine() -> LabelledRows:
    """178 wines by 13 chemical properties, three cultivars (UCI Wine)."""
    classes = ("class_0", "class_1", "class_2")
    return _table("wine", classes, "wines, 13 chemical properties")


def digits() -> LabelledRows:
    """1,797 handwritten digits as 8 × 8 pictures with values 0 to 16 (UCI optical digits)."""
    classes = tuple(str(digit) for digit in range(10))
    return _table("digits", classes, "handwritten digits, 8 × 8 pixels")


def _table(name: str, classes: tuple[str, ...], about: str) -> LabelledRows:
    """A file of the names of the columns, then a row a line, the name of its class last."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="ascii", newline="\n") as file:
        rows = [line.rstrip("\n").rpartition(",") for line in file][1:]
    X = np.loadtxt([numbers for numbers, _, _ in rows], delimiter=",")
    y = np.array([classes.index(label) for _, _, label in rows], np.int64)
    return LabelledRows(X, y, classes, about)
