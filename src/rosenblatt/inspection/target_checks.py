"""Checks of the target column: whether it is a class, and whether another column leaks it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.plurals import count
from rosenblatt.tables.readers.table import Table

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray

# A numeric target with more distinct values is probably a measurement, not a class.
MANY_VALUES = 20
# Minimum number of rows for the check, and number of rows sampled first.
FEWEST_ROWS = 30
SAMPLE_ROWS = 20_000
# A column gives the target away if this share of the errors of the majority class remains.
REMAINING = 0.02
# Bins of a measured column: rows per bin, and number of bins.
FEWEST_IN_BIN = 8
MAX_BINS = 256
Codes = npt.NDArray[np.int64]


class ColumnCodes(NamedTuple):
    """The values of a column as codes from 0; measured values are binned first."""

    codes: Codes
    is_binned: bool


@dataclass(frozen=True)
class TargetWarning:
    """A problem of the target column.

    ``kind`` is "many values" (``figure`` of them) or describes a ``column``: it "equals" the target
    under other names, "determines" it (each of its ``figure`` values has one label), or "predicts"
    it without other columns, for the share ``figure`` of the rows.
    """

    kind: str
    target: str
    column: str | None
    figure: float

    def __str__(self) -> str:
        target = self.target
        figure = f"{self.figure:,.0f}"
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
    """Check whether the target of a table is a measurement, or is leaked by another column.

    A sample of some thousand rows is checked first; what is found there is checked in all rows.

    Parameters
    ----------
    table : Table
        A table with labels, as `rosenblatt.io.read_table` returns it.
    columns : iterable of str, default=None
        The columns to compare with the target; by default all.

    Returns
    -------
    warnings : list of TargetWarning
        `str` formats each as a sentence.

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
    warnings = []
    if labels.dtype.kind in "if":
        n_values = len(np.unique(labels))
        if n_values > MANY_VALUES:
            warnings.append(TargetWarning("many values", target, None, float(n_values)))
    if len(labels) < FEWEST_ROWS:
        return warnings

    # First a sample of the rows.
    step = -(-len(labels) // SAMPLE_ROWS)
    sampled_labels = _codes(labels[::step])
    suspects = []
    for name in table.names if columns is None else columns:
        sampled = _column(table, name, step)
        if _share_right(sampled.codes, sampled_labels) is not None:
            suspects.append(name)

    # Then all rows of the columns that stood out.
    if suspects:
        all_labels = _codes(labels)
        for name in suspects:
            warning = _column_warning(target, name, _column(table, name, 1), all_labels)
            if warning is not None:
                warnings.append(warning)
    return warnings


def _column_warning(
    target: str, name: str, column: ColumnCodes, labels: Codes
) -> TargetWarning | None:
    """Return a warning if a column leaks the target, otherwise None."""
    values = column.codes
    share_right = _share_right(values, labels)
    if share_right is None:
        return None
    n_values = int(values.max()) + 1
    n_labels = int(labels.max()) + 1
    n_pairs = len(np.unique(values * n_labels + labels))
    if n_pairs == n_values == n_labels:
        return TargetWarning("equals", target, name, float(n_values))
    if n_pairs == n_values and not column.is_binned:
        return TargetWarning("determines", target, name, float(n_values))
    return TargetWarning("predicts", target, name, share_right)


def _share_right(values: Codes, labels: Codes) -> float | None:
    """Return the share of rows that have the most frequent label of their value.

    It is None if the column does not give the target away. A label counts only if its value has it
    at least twice: a value that occurs once predicts nothing.
    """
    n_labels = int(labels.max()) + 1
    pairs, sizes = np.unique(values * n_labels + labels, return_counts=True)
    best = np.zeros(int(values.max()) + 1, np.int64)
    np.maximum.at(best, pairs // n_labels, np.where(sizes > 1, sizes, 0))
    share_right = float(best.sum() / len(labels))
    majority_errors = 1 - np.bincount(labels).max() / len(labels)
    if 1 - share_right > REMAINING * majority_errors:
        return None
    return share_right


def _column(table: Table, name: str, step: int) -> ColumnCodes:
    """Return the codes of a column in every ``step``-th row."""
    if name in table.texts:
        return ColumnCodes(_codes(table.coded(name)[0][::step]), is_binned=False)
    values = table.number_column(name)[::step]
    distinct, codes = np.unique(values, return_inverse=True)
    n_bins = min(MAX_BINS, len(values) // FEWEST_IN_BIN)
    if len(distinct) <= n_bins:
        return ColumnCodes(codes.astype(np.int64), is_binned=False)

    # Bins with about the same number of rows each; equal values stay together.
    first_places = np.searchsorted(np.sort(codes), np.arange(len(distinct)))
    bins = _codes(first_places * n_bins // len(values))
    return ColumnCodes(bins[codes], is_binned=True)


def _codes(values: AnyArray) -> Codes:
    """Return the index of each value among the sorted distinct values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64).ravel()
