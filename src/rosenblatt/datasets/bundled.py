"""Data files of the installed scikit-learn as arrays."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rosenblatt.datasets.table import Table
from rosenblatt.errors import MissingExtra

__all__ = ["breast_cancer", "digits", "iris", "wine"]


def breast_cancer() -> Table:
    """569 tumours by 30 measurements of their cells, malignant or benign (UCI WDBC).

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> datasets.breast_cancer().X.shape
    (569, 30)
    """
    return _with_header("breast_cancer.csv", "tumours, 30 measurements of their cells")


def iris() -> Table:
    """150 flowers by 4 lengths, three species (Fisher 1936)."""
    return _with_header("iris.csv", "iris flowers, 4 lengths in cm")


def wine() -> Table:
    """178 wines by 13 chemical properties, three cultivars (UCI Wine)."""
    return _with_header("wine_data.csv", "wines, 13 chemical properties")


def digits() -> Table:
    """1,797 handwritten digits as 8 × 8 pictures with values 0 to 16 (UCI optical digits)."""
    with gzip.open(_file("digits.csv.gz"), "rt") as lines:
        values = np.loadtxt(lines, delimiter=",")
    names = tuple(str(digit) for digit in range(10))
    return _table(values, names, "handwritten digits, 8 × 8 pixels")


def _with_header(name: str, about: str) -> Table:
    """The first line holds the number of rows and columns and the names of the classes."""
    with _file(name).open() as lines:
        classes = tuple(next(lines).strip().split(",")[2:])
        return _table(np.loadtxt(lines, delimiter=","), classes, about)


def _table(values: npt.NDArray[np.float64], classes: tuple[str, ...], about: str) -> Table:
    return Table(
        np.ascontiguousarray(values[:, :-1]), values[:, -1].astype(np.int64), classes, about
    )


def _file(name: str) -> Path:
    spec = find_spec("sklearn")
    if spec is None or spec.origin is None:
        raise MissingExtra(
            "the bundled data sets come with scikit-learn, which is not installed: "
            "pip install scikit-learn"
        )
    return Path(spec.origin).parent / "datasets" / "data" / name
