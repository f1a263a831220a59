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

from rosenblatt.engine.rows import ordering


# eq=False: comparing two arrays with == gives an array, so a generated __eq__ would raise.
@dataclass(frozen=True, eq=False, repr=False)
class LabelledRows:
    """A table of rows with class indices, class names and a description; unpacks to ``X, y``.

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
        """Name of the class of each row."""
        return np.array(self.classes, dtype=np.str_)[self.y]

    def split(self, share: float = 0.25, seed: int = 0) -> tuple[Self, Self]:
        """Return training rows and a held-out share of the rows, both in random order.

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
        return self._take(train), self._take(test)

    def _take(self, rows: npt.NDArray[np.int64]) -> Self:
        return replace(self, X=self.X[rows], y=self.y[rows])

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
    """Load 569 tumours with 30 measurements of their cells, malignant or benign (UCI WDBC).

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> datasets.breast_cancer().X.shape
    (569, 30)
    """
    classes = ("malignant", "benign")
    return _table("breast_cancer", classes, "tumours, 30 measurements of their cells")


def iris() -> LabelledRows:
    """Load 150 iris flowers with 4 lengths, of three species (Fisher 1936)."""
    classes = ("setosa", "versicolor", "virginica")
    return _table("iris", classes, "iris flowers, 4 lengths in cm")


def wine() -> LabelledRows:
    """Load 178 wines with 13 chemical properties, of three cultivars (UCI Wine)."""
    classes = ("class_0", "class_1", "class_2")
    return _table("wine", classes, "wines, 13 chemical properties")


def digits() -> LabelledRows:
    """Load 1,797 handwritten digits as 8 × 8 images with values 0 to 16 (UCI optical digits)."""
    classes = tuple(str(digit) for digit in range(10))
    return _table("digits", classes, "handwritten digits, 8 × 8 pixels")


def _table(name: str, classes: tuple[str, ...], about: str) -> LabelledRows:
    """Load a file with a header and one row per line, whose last field is the class."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="ascii", newline="\n") as file:
        rows = [line.rstrip("\n").rpartition(",") for line in file][1:]
    X = np.loadtxt([numbers for numbers, _, _ in rows], delimiter=",")
    y = np.array([classes.index(label) for _, _, label in rows], np.int64)
    return LabelledRows(X, y, classes, about)
