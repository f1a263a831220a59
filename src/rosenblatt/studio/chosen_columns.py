"""Two columns of a file and the class of every row."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.plurals import agree, count
from rosenblatt.studio.fields import MOST_CLASSES
from rosenblatt.studio.states import MAX_ROWS
from rosenblatt.tables.readers.fault_messages import HeaderOfNumbers
from rosenblatt.tables.readers.table import Table, iter_table

# How tables say that a value is not known.
MISSING = ["", "?", "-", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None", "none"]
# Of a longer file no more than this is read, to choose the rows to show from.
MAX_READ = 200_000
LINES_SHOWN = 5


@dataclass(frozen=True)
class ChosenColumns:
    """What was taken of a table, ready to be the data of a state."""

    x: str
    y: str
    label: str
    rows: list[list[Any]]
    notices: list[str] = field(default_factory=list)

    @property
    def data(self) -> dict[str, Any]:
        return {"columns": [self.x, self.y], "rows": self.rows}

    def scaled(self) -> ChosenColumns:
        """Both columns with mean 0 and standard deviation 1, so that they count alike."""
        points = np.array([row[:2] for row in self.rows], np.float64)
        deviation = points.std(axis=0)
        points = (points - points.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        labels = [row[2] for row in self.rows]
        rows = [
            [*point, label] for point, label in zip(points.round(5).tolist(), labels, strict=True)
        ]
        return replace(self, rows=rows)


def choose(
    source: Callable[[], Any],
    *,
    x: str | None = None,
    y: str | None = None,
    label: str | None = None,
    header: bool = True,
    **reading: Any,
) -> ChosenColumns:
    """Two number columns and a column of classes; what is not named is chosen.

    ``source`` gives what is to be read, as often as it is asked. The class is by default the last
    column of text, or else one with few different values; the features are the two columns in
    which the classes lie farthest apart.
    """
    reading["missing"] = MISSING
    notices = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        block = _first(source, header, reading)
    warned = any(issubclass(w.category, HeaderOfNumbers) for w in caught)
    if header and (warned or _is_row(block)):
        header = False
        block = _first(source, False, reading)
        notices.append("The first line holds values, so the columns are called 1, 2, 3 and so on.")
    if block.dialect is not None:
        found = block.dialect.to_json()
        reading |= {mark: found[mark] for mark in ("decimal", "thousands") if mark in found}
    names = block.names
    label = _named("the class", label, names) if label else _class_column(block, {x, y})
    x, y = _features(block, label, x, y)
    columns = {x: "number", y: "number", label: "text"}
    reader = iter_table(source(), header=header, columns=[*columns], types=columns, **reading)
    rows = _rows(_read(reader, notices), [*columns], notices)
    return ChosenColumns(x, y, label, rows, notices)


def _first(source: Callable[[], Any], header: bool, reading: dict[str, Any]) -> Table:
    """The first rows that can be read, to look at what the columns are."""
    reader = iter_table(source(), header=header, on_bad="skip", **reading)
    try:
        return next(iter(reader))
    except DataError as error:
        if error.line is not None:
            raise
        if reader.skipped:  # all of them: say what is wrong with the first
            return next(iter(iter_table(source(), header=header, **reading)))
        raise InputError("The table has no rows below its header.") from None


def _is_row(block: Table) -> bool:
    """Whether the names of the columns are rather a point and its class."""
    return len(block.names) == 3 and all(_is_number(name) for name in block.names[:2])


def _is_number(name: str) -> bool:
    try:
        return math.isfinite(float(name))
    except ValueError:
        return False


def _read(reader: Any, notices: list[str]) -> list[Table]:
    blocks, n = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that were not chosen are no news
        for block in reader:
            blocks.append(block)
            n += len(block)
            if n >= MAX_READ:
                notices.append(f"Only the first {n:,} rows were read.")
                break
    return blocks


def _rows(blocks: Sequence[Table], names: list[str], notices: list[str]) -> list[list[Any]]:
    numbers = np.concatenate([block.numbers for block in blocks])
    labels = np.concatenate([block.texts[names[2]] for block in blocks])
    lines = np.concatenate([block.lines for block in blocks])
    lacking = [*np.isnan(numbers).T, np.isin(labels, MISSING)]
    for name, missing in zip(names, lacking, strict=True):
        if missing.any():
            notices.append(_left_out(name, lines[missing]))
    kept = np.flatnonzero(~np.any(lacking, axis=0))
    if not len(kept):
        raise InputError(f'No row has a value in all of "{names[0]}", "{names[1]}", "{names[2]}".')
    if len(kept) > MAX_ROWS:
        notices.append(f"{MAX_ROWS:,} of {len(kept):,} rows are shown, spread evenly.")
        kept = kept[np.linspace(0, len(kept) - 1, MAX_ROWS).astype(np.intp)]
    classes = Counter(labels[kept].tolist())
    if len(classes) > MOST_CLASSES:
        raise InputError(
            f'The column "{names[2]}" has {len(classes):,} different values: choose a class with '
            f"at most {MOST_CLASSES}."
        )
    if len(classes) == 1:
        notices.append(f'All rows are of the class "{labels[kept[0]]}".')
    return [
        [_plain(a), _plain(b), str(label)]
        for (a, b), label in zip(numbers[kept].tolist(), labels[kept].tolist(), strict=True)
    ]


def _left_out(name: str, lines: npt.NDArray[np.int64]) -> str:
    shown = ", ".join(f"{line:,}" for line in lines[:LINES_SHOWN].tolist())
    more = " …" if len(lines) > LINES_SHOWN else ""
    rows = f"{count(len(lines), 'row')} {agree(len(lines), 'was', 'were')}"
    which = f"{agree(len(lines), 'line')} {shown}{more}"
    return f'{rows} left out for lack of a value in "{name}" ({which}).'


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _named(what: str, name: str, names: Sequence[str]) -> str:
    """A column by its name, or by its number from 1."""
    if name not in names and name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    if name not in names:
        listed = ", ".join(f'"{known}"' for known in names[:10])
        raise ParameterError(f'There is no column "{name}" for {what}; there are {listed}.')
    return name


def _class_column(block: Table, taken: set[str | None]) -> str:
    texts = [name for name in block.names if name in block.texts and name not in taken]
    few = [name for name in texts if len(set(block.texts[name].tolist())) <= MOST_CLASSES]
    if few:
        return few[-1]
    numbers = [name for name in block.number_names if name not in taken]
    columns = block.columns
    for most in (10, MOST_CLASSES):
        few = [name for name in numbers if len(np.unique(columns[name])) <= min(most, len(block))]
        if few and len(numbers) + len(taken - {None}) > 2:
            return few[-1]
    candidates = texts or numbers
    if not candidates:
        raise InputError("The table has no column left for the class.")
    return candidates[-1]


def _features(block: Table, label: str, x: str | None, y: str | None) -> tuple[str, str]:
    """The two columns named, or those in which the classes lie farthest apart."""
    x = _named("x", x, block.names) if x else None
    y = _named("y", y, block.names) if y else None
    named = [name for name in (x, y) if name]
    if len(set(named)) < len(named) or label in named:
        raise ParameterError("x, y and the class are to be three different columns.")
    usable = [name for name in block.number_names if name != label and name not in named]
    classes = np.unique(block.columns[label].astype(str), return_inverse=True)[1]
    apart = {name: _apart(block.columns[name], classes) for name in usable}
    best = sorted(usable, key=lambda name: -apart[name])[: 2 - len(named)]
    if len(named) + len(best) < 2:
        raise InputError(
            f'The table needs two columns of numbers beside the class "{label}"; it has '
            f"{len(usable) + len(named)}."
        )
    free = iter(name for name in block.names if name in best)
    return x or next(free), y or next(free)


def _apart(values: npt.NDArray[Any], classes: npt.NDArray[np.intp]) -> float:
    """The share of the variance of a column that lies between the classes."""
    known = np.isfinite(values)
    values, classes = values[known], classes[known]
    if not len(values):
        return 0.0
    counts = np.bincount(classes)
    means = np.bincount(classes, values) / np.maximum(counts, 1)
    total = float(np.square(values - values.mean()).sum())
    between = float((counts * np.square(means - values.mean())).sum())
    return between / total if total > 0 else 0.0
