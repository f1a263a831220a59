"""The small real data sets that come with the package.

``data/README.md`` names the source, the authors and the licence of each.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import ordering


# Arrays have no single answer to ==, so two tables are equal only if they are the same one.
@dataclass(frozen=True, eq=False, repr=False)
class LabelledRows:
    """Rows, the number of the class of each, the names of the classes, and what the data are.

    It unpacks to ``X, y``.

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> iris = datasets.iris()
    >>> iris
    LabelledRows(150 × 4, setosa 50, versicolor 50, virginica 50: iris flowers, 4 lengths in cm)
    >>> X, y = iris
    >>> X.shape, y[-1].item(), iris.labels[-1].item()
    ((150, 4), 2, 'virginica')
    """

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    classes: tuple[str, ...]
    about: str

    @property
    def labels(self) -> npt.NDArray[np.str_]:
        """The name of the class of each row."""
        return np.array(self.classes, dtype=np.str_)[self.y]

    def split(self, share: float = 0.25, seed: int = 0) -> tuple[Self, Self]:
        """Rows to learn from, and a share of the rows held out; both in random order.

        Examples
        --------
        >>> from rosenblatt import datasets
        >>> train, test = datasets.iris().split(0.2, seed=3)
        >>> len(train.y), len(test.y)
        (120, 30)
        """
        order = np.empty(len(self.y), np.int64)
        ordering.shuffled(order, seed)
        test, train = np.split(order, [int(share * len(order))])
        return tuple(replace(self, X=self.X[rows], y=self.y[rows]) for rows in (train, test))  # type: ignore[return-value]

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        yield self.X
        yield self.y

    def __repr__(self) -> str:
        counts = np.bincount(self.y, minlength=len(self.classes)).tolist()
        named = ", ".join(f"{name} {n}" for name, n in zip(self.classes, counts, strict=True))
        rows, columns = self.X.shape
        return f"{type(self).__name__}({rows} × {columns}, {named}: {self.about})"


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
