"""Labelled rows from a CSV, TSV or svmlight file, each with its line number."""

from __future__ import annotations

import csv
import gzip
import io
import math
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TextIO

import click

__all__ = ["FORMATS", "BadData", "LabelledRows", "read_rows"]

FORMATS = ("csv", "tsv", "svmlight")
ENDINGS = {
    "tsv": "tsv",
    "tab": "tsv",
    "svmlight": "svmlight",
    "svm": "svmlight",
    "libsvm": "svmlight",
}
# Tables of more numbers than this stay sparse if they came so.
DENSE_CELLS = 20_000_000
# Beyond this the square of a number overflows in training.
LARGEST = 1e150


class BadData(click.ClickException):
    """A file that cannot be read as it is; the message begins with its place."""

    exit_code = 3


@dataclass
class LabelledRows:
    """A table X, its labels as they stand in the file, and the line of every row."""

    name: str
    X: Any
    labels: list[str]
    lines: list[int]


def read_rows(
    path: str, *, target: str | None = None, header: bool = True, kind: str | None = None
) -> LabelledRows:
    """Read a file, or standard input for ``-``; the ending tells its format unless it is given."""
    name = "<stdin>" if path == "-" else path
    stem = path.lower().removesuffix(".gz")
    kind = kind or ENDINGS.get(stem.rpartition(".")[2], "csv")
    if kind == "svmlight" and (target is not None or not header):
        option = "--no-header" if target is None else "--target"
        raise click.UsageError(f"{option} has no meaning for svmlight: labels come first there.")
    with _opened(path, name) as stream:
        if kind == "svmlight":
            rows = _svmlight(stream, name)
        else:
            rows = _table(stream, name, "\t" if kind == "tsv" else ",", target, header)
    if len(set(rows.labels)) == 1:
        raise BadData(
            f"{name}: the label is {rows.labels[0]!r} in every row; at least two classes are "
            "needed. Is the right column the target (--target)?"
        )
    return rows


@contextmanager
def _opened(path: str, name: str) -> Iterator[TextIO]:
    try:
        raw: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
        packed = gzip.GzipFile(fileobj=raw) if path.lower().endswith(".gz") else raw
        with raw, io.TextIOWrapper(packed, encoding="utf-8-sig", newline="") as stream:
            yield stream
    except UnicodeDecodeError as error:
        raise BadData(
            f"{name}: not UTF-8 text (byte {error.object[error.start]:#04x}). Convert it to UTF-8."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadData(f"{name}: damaged gzip file: {error}") from None


def _table(
    stream: Iterable[str], name: str, delimiter: str, target: str | None, header: bool
) -> LabelledRows:
    import numpy as np

    names: list[str] = []
    chosen = width = -1
    values: list[list[float]] = []
    labels: list[str] = []
    lines: list[int] = []
    for line, fields in _records(stream, name, delimiter):
        if width < 0:
            width = len(fields)
            names = [text.strip() for text in fields] if header else []
            chosen = _target(target, names, width, name)
            if width < 2:
                raise BadData(f"{name}:{line}: one column only; a label and numbers are needed.")
            if header:
                if all(_number(text) is not None for i, text in enumerate(fields) if i != chosen):
                    click.echo(
                        f"warning: {name}:{line}: the header is all numbers; "
                        "if it is a row, give --no-header.",
                        err=True,
                    )
                continue
        if len(fields) != width:
            found = f"{len(fields)} column{'s' * (len(fields) != 1)}"
            raise BadData(f"{name}:{line}: {found} where the first line has {width}.")
        label = fields[chosen].strip()
        if not label:
            _refuse(name, line, chosen, names, "has no label")
        row = []
        for column, text in enumerate(fields):
            if column != chosen:
                value = _number(text)
                if value is None or abs(value) > LARGEST:
                    _refuse(name, line, column, names, _fault(text))
                row.append(value)
        values.append(row)
        labels.append(label)
        lines.append(line)
    if not labels:
        raise BadData(f"{name}: no rows" + (" below the header." if names else "; it is empty."))
    return LabelledRows(name, np.array(values), labels, lines)


def _records(stream: Iterable[str], name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Records that are not blank, with the line each begins on."""
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            if fields:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadData(f"{name}:{line}: {error}") from None


def _target(target: str | None, names: list[str], width: int, name: str) -> int:
    """The place of the target column: its name, else its number from 1, else the last."""
    if target is None:
        return width - 1
    if names.count(target) == 1:
        return names.index(target)
    if names.count(target) > 1:
        raise click.UsageError(
            f"--target {target}: {names.count(target)} columns of {name} have this name; "
            "give its number."
        )
    if target.isdecimal() and 1 <= int(target) <= width:
        return int(target) - 1
    known = f"columns are {', '.join(names)}" if names else f"columns are numbered 1 to {width}"
    raise click.UsageError(f"--target {target}: there is no such column in {name}; {known}.")


def _svmlight(stream: Iterable[str], name: str) -> LabelledRows:
    labels: list[str] = []
    lines: list[int] = []
    data: list[float] = []
    columns: list[int] = []
    starts = [0]
    for line, text in enumerate(stream, 1):
        fields = text.partition("#")[0].split()
        if not fields:
            continue
        if ":" in fields[0]:
            _refuse(name, line, 0, [], f"{fields[0]!r} stands where the label should be")
        seen = set()
        for place, pair in enumerate(fields[1:], 1):
            index, _, number = pair.partition(":")
            if index == "qid":
                continue
            value = _number(number)
            if not (index.isascii() and index.isdecimal() and 0 < int(index) < 2**31):
                _refuse(
                    name, line, place, [], f"{pair!r} should be index:value with an index from 1"
                )
            if value is None or abs(value) > LARGEST:
                _refuse(name, line, place, [], _fault(number))
            if index in seen:
                _refuse(name, line, place, [], f"index {index} stands twice in this row")
            seen.add(index)
            columns.append(int(index) - 1)
            data.append(value)
        starts.append(len(data))
        labels.append(_plain(fields[0]))
        lines.append(line)
    if not labels:
        raise BadData(f"{name}: no rows; it is empty.")
    if not data:
        raise BadData(f"{name}: no row has a value.")
    return LabelledRows(name, _matrix(data, columns, starts), labels, lines)


def _matrix(data: list[float], columns: list[int], starts: list[int]) -> Any:
    """Stored values as a table, dense unless that were large."""
    import numpy as np

    shape = len(starts) - 1, max(columns) + 1
    if shape[0] * shape[1] <= DENSE_CELLS:
        X = np.zeros(shape)
        X[np.repeat(np.arange(shape[0]), np.diff(starts)), columns] = data
        return X
    from importlib import import_module  # SciPy is needed for large files alone

    X = import_module("scipy.sparse").csr_matrix((data, columns, starts), shape=shape)
    X.sort_indices()
    return X


def _number(text: str) -> float | None:
    """A finite number, or None; Python would also read 1_000."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _fault(text: str) -> str:
    """Why a text is no number to learn from."""
    if not text.strip():
        return "a number is missing"
    if _number(text) is None:
        return f"{text!r} is not a finite number"
    return f"{text!r} is beyond {LARGEST:g}, where squares overflow"


def _plain(label: str) -> str:
    """+1, 1 and 1.0 are one label."""
    value = _number(label)
    return str(int(value)) if value is not None and value.is_integer() else label


def _refuse(name: str, line: int, column: int, names: list[str], what: str) -> NoReturn:
    title = f" (column {names[column]!r})" if names else ""
    raise BadData(f"{name}:{line}:{column + 1}: {what}{title}.")
