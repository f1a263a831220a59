"""Whether a target is a class to learn, and whether one column gives it away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.io.table import Table
from rosenblatt.plurals import count

# Numbers with more values than this are rather measured than classes.
MANY_VALUES = 20
# Fewer rows say too little; of more, so many are looked at first.
FEWEST_ROWS, LOOKED_AT = 30, 20_000
# A column alone predicts if so few of the errors remain that the most frequent class has.
REMAINING = 0.02
FEWEST_IN_BIN, MOST_BINS = 8, 256
Codes = npt.NDArray[np.int64]


class ColumnCodes(NamedTuple):
    """The values of a column as numbers from 0; of a measure, the bins that they fall into."""

    codes: Codes
    binned: bool


@dataclass(frozen=True)
class TargetWarning:
    """What is odd about a target.

    ``kind`` is "many values" (``figure`` of them), or says of a ``column`` that it "equals" the
    target under other names, "determines" it, each of its ``figure`` values having one label, or
    "predicts" it alone, for the share ``figure`` of the rows.
    """

    kind: str
    target: str
    column: str | None
    figure: float

    def __str__(self) -> str:
        target, figure = self.target, f"{self.figure:,.0f}"
        if self.kind == "many values":
            return (
                f"the target {target} has {figure} different numbers, as a measure has and not a "
                "class; is it the right column? (--target)"
            )
        leak = f"if it is known only after {target}, leave it out: --column {self.column}=ignored"
        if self.kind == "equals":
            return f"{self.column} says the same as the target {target}; {leak}"
        if self.kind == "determines":
            values = count(int(self.figure), "value")
            return f"{self.column} determines {target}: each of its {values} has one label; {leak}"
        return f"{self.column} alone predicts {target} for {self.figure:.1%} of the rows; {leak}"


def check_target(table: Table, columns: Iterable[str] | None = None) -> list[TargetWarning]:
    """Look at the target of a table: is it a measure, and does one column tell it already?

    Some thousand rows are looked at; what is odd there is counted in all of them.

    Parameters
    ----------
    table : Table
        With labels, as `rosenblatt.io.read_table` gives it.
    columns : iterable of str, default=None
        Which columns to compare with the target; by default all.

    Returns
    -------
    warnings : list of TargetWarning
        `str` puts each into words.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.evaluate import check_target
    >>> from rosenblatt.io import read_table
    >>> rows = [f"{i % 7},{'red' if i % 3 else 'blue'},{int(i % 3 > 0)}" for i in range(60)]
    >>> data = io.BytesIO("\\n".join(["size,colour,late", *rows]).encode())
    >>> [odd] = check_target(read_table(data, target="late"))
    >>> odd.kind, odd.column
    ('equals', 'colour')
    """
    labels = np.asarray(table.labels)
    target = table.target or "the target"
    found = []
    if labels.dtype.kind in "if" and (n := len(np.unique(labels))) > MANY_VALUES:
        found.append(TargetWarning("many values", target, None, float(n)))
    if len(labels) < FEWEST_ROWS:
        return found
    step = -(-len(labels) // LOOKED_AT)
    some = _codes(labels[::step])
    columns = table.names if columns is None else columns
    odd = [n for n in columns if _right(_column(table, n, step).codes, some) is not None]
    every = _codes(labels) if odd else some
    verdicts = (_verdict(target, name, _column(table, name, 1), every) for name in odd)
    return found + [verdict for verdict in verdicts if verdict is not None]


def _verdict(target: str, name: str, column: ColumnCodes, labels: Codes) -> TargetWarning | None:
    """What a column tells of the target, in all rows."""
    values, right = column.codes, _right(column.codes, labels)
    if right is None:
        return None
    n_values, n_labels = int(values.max()) + 1, int(labels.max()) + 1
    pairs = len(np.unique(values * n_labels + labels))
    if pairs == n_values == n_labels:
        return TargetWarning("equals", target, name, float(n_values))
    if pairs == n_values and not column.binned:
        return TargetWarning("determines", target, name, float(n_values))
    return TargetWarning("predicts", target, name, right)


def _right(values: Codes, labels: Codes) -> float | None:
    """The share of rows right by the most frequent label of their value; None if too few are.

    A label counts where its value has it twice at least: what occurs once predicts nothing.
    """
    n_labels = int(labels.max()) + 1
    pairs, sizes = np.unique(values * n_labels + labels, return_counts=True)
    best = np.zeros(int(values.max()) + 1, np.int64)
    np.maximum.at(best, pairs // n_labels, np.where(sizes > 1, sizes, 0))
    right = float(best.sum() / len(labels))
    others = 1 - np.bincount(labels).max() / len(labels)
    return right if 1 - right <= REMAINING * others else None


def _column(table: Table, name: str, step: int) -> ColumnCodes:
    """The values of every ``step``-th row."""
    if name in table.texts:
        return ColumnCodes(_codes(table.coded(name)[0][::step]), binned=False)
    values = table.number_column(name)[::step]
    different, codes = np.unique(values, return_inverse=True)
    n_bins = min(MOST_BINS, len(values) // FEWEST_IN_BIN)
    if len(different) <= n_bins:
        return ColumnCodes(codes.astype(np.int64), binned=False)
    # Bins of as many rows each; equal values stay together.
    firsts = np.searchsorted(np.sort(codes), np.arange(len(different)))
    return ColumnCodes(_codes(firsts * n_bins // len(values))[codes], binned=True)


def _codes(values: npt.NDArray[Any]) -> Codes:
    return np.unique(values, return_inverse=True)[1].astype(np.int64).ravel()
