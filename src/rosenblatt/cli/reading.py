"""Labelled rows of numbers for a command: the options it takes and what it reads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click

__all__ = ["LabelledRows", "read_rows", "reading_options"]

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")
# Tables of more numbers than this stay sparse if they came so.
DENSE_CELLS = 20_000_000

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class LabelledRows:
    """A table X, its labels as text, and the line of every row."""

    name: str
    X: Any
    labels: list[str]
    lines: list[int]


def reading_options(command: Command) -> Command:
    """The options that mean the same in every command that reads data."""
    for option in reversed(
        (
            click.option("--target", metavar="COL", help="Label: name, or number from 1.  [last]"),
            click.option("--no-header", is_flag=True, help="The first line is a row already."),
            click.option(
                "--format", "kind", type=click.Choice(FORMATS), help="  [by the ending, else csv]"
            ),
            click.option("--encoding", default="utf-8", show_default=True, help="Of the text."),
            click.option(
                "--on-bad",
                metavar="fail|skip|rejects=FILE",
                default="fail",
                show_default=True,
                help="What to do with a row that cannot be read.",
            ),
            click.option(
                "--max-line-bytes", type=click.IntRange(1), help="Longest row.  [16,777,216]"
            ),
            click.option(
                "--max-features", type=click.IntRange(1), help="Most features.  [1,000,000]"
            ),
        )
    ):
        command = option(command)
    return command


def read_rows(
    path: str,
    *,
    target: str | None = None,
    no_header: bool = False,
    kind: str | None = None,
    encoding: str = "utf-8",
    on_bad: str = "fail",
    max_line_bytes: int | None = None,
    max_features: int | None = None,
) -> LabelledRows:
    """Read a file, or standard input for ``-``; all columns but the target must be numbers."""
    from rosenblatt import io
    from rosenblatt.errors import DataError
    from rosenblatt.io.formats import format_of

    kind = format_of(path, kind, FORMATS, otherwise="csv")
    if kind in ("svmlight", "vw") and (target is not None or no_header):
        option = "--no-header" if target is None else "--target"
        raise click.UsageError(f"{option} has no meaning for {kind}: labels come first there.")
    settings: dict[str, Any] = {"on_bad": on_bad, "encoding": encoding}
    if max_line_bytes is not None:
        settings["max_line_bytes"] = max_line_bytes
    if max_features is not None:
        settings["max_features"] = max_features
    with _notices_told():
        if kind == "svmlight":
            block = io.iter_svmlight(path, **settings).whole()
        elif kind == "vw":
            block = io.iter_vw(path, bits=None, **settings).whole()
        else:
            block = io.iter_table(
                path,
                -1 if target is None else target,
                format=kind,
                header=not no_header,
                types="number",
                trim=True,
                **settings,
            ).whole()
    name = "<stdin>" if path == "-" else path
    labels = [str(label) for label in block.labels.tolist()]
    if len(set(labels)) == 1:
        raise DataError(
            f"only class {labels[0]!r} seen, in all {len(labels):,} rows; two are needed",
            name=name,
            help="is the right column the target? (--target)",
        )
    return LabelledRows(name, _matrix(block.rows), labels, block.lines.tolist())


@contextmanager
def _notices_told() -> Iterator[None]:
    """Warnings of the readers as plain lines."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    for warning in told:
        click.echo(f"warning: {warning.message}", err=True)


def _matrix(rows: Any) -> Any:
    """Sparse rows as a plain table, unless that were large."""
    import numpy as np

    if not hasattr(rows, "tocsr"):
        return rows
    if rows.shape[0] * rows.shape[1] > DENSE_CELLS:
        return rows.tocsr()
    X = np.zeros(rows.shape)
    X[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices] = rows.data
    return X
