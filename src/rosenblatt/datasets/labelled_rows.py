"""Rows and their classes, as every set here is handed out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import ordering

__all__ = ["LabelledRows"]


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
