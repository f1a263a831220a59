"""What commands read: the options for it, and blocks of rows from any format."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema
    from rosenblatt.io.reader import Reader

__all__ = [
    "LabelledRows",
    "Reading",
    "notices_told",
    "read_rows",
    "reading_options",
    "zero_based_option",
]

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "text", "parquet", "arrow")
TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
# Tables of more numbers than this stay sparse if they came so.
DENSE_CELLS = 20_000_000

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option("--target", metavar="COL", help="Label: name, or number from 1.  [last]"),
    click.option("--no-header", is_flag=True, help="The first line is a row already."),
    click.option(
        "--format", "kind", type=click.Choice(FORMATS), help="  [by the ending, else csv]"
    ),
    click.option("--delimiter", metavar="CHAR", help="Between fields, instead of comma or tab."),
    click.option(
        "--missing", multiple=True, metavar="TEXT", help="Stands for an unknown number.  [none]"
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Of the text."),
    click.option(
        "--on-bad",
        metavar="fail|skip|rejects=FILE",
        default="fail",
        show_default=True,
        help="What to do with a row that cannot be read.",
    ),
    click.option("--max-line-bytes", type=click.IntRange(1), help="Longest row.  [16,777,216]"),
    click.option("--max-features", type=click.IntRange(1), help="Most features.  [1,000,000]"),
)


# Not for commands that make or use a model, which would have to remember it.
zero_based_option = click.option(
    "--zero-based", is_flag=True, help="svmlight indices begin at 0, not at 1."
)


def reading_options(command: Command) -> Command:
    """The options that mean the same in every command that reads data."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Reading:
    """The values of these options."""

    target: str | None = None
    no_header: bool = False
    kind: str | None = None
    delimiter: str | None = None
    zero_based: bool = False
    missing: tuple[str, ...] = ()
    encoding: str = "utf-8"
    on_bad: str = "fail"
    max_line_bytes: int | None = None
    max_features: int | None = None

    def format_of(self, paths: Sequence[str], schema: AnySchema | None = None) -> str:
        """The format of the files; tables may come in any format of tables, others in their own."""
        from rosenblatt.io.formats import format_of

        otherwise = "csv" if schema is None or schema.kind == "table" else schema.kind
        found = format_of(list(paths), self.kind, FORMATS, otherwise=otherwise)
        if found not in TABLES and (self.target is not None or self.no_header):
            option = "--no-header" if self.target is None else "--target"
            raise click.UsageError(f"{option} has no meaning for {found}: labels come first there.")
        if schema is not None and ("table" if found in TABLES else found) != schema.kind:
            raise click.UsageError(
                f"the model was trained on {_called(schema.kind)}, but the data are {found}; "
                "--format says otherwise if the ending misleads."
            )
        return found

    def reader(
        self,
        paths: Sequence[str],
        *,
        schema: AnySchema | None = None,
        labelled: bool = True,
        types: Any = None,
        classes: Any = None,
        labels: str = "auto",
    ) -> Reader[Any]:
        """Blocks of the files; with a schema, as the file behind it was read.

        Not `labelled`: the rows are to be answered, and a label that stands there is passed over.
        """
        from rosenblatt import io

        kind = self.format_of(paths, schema)
        settings = self._settings()
        kept = {} if schema is None else schema.reading()
        if kind == "svmlight":
            return io.iter_svmlight(
                list(paths),
                zero_based=self.zero_based,
                labels=labels,
                classes=classes,
                **settings,
                **kept,
            )
        if kind == "vw":
            kept.setdefault("bits", None)
            return io.iter_vw(
                list(paths), labelled=labelled, labels=labels, classes=classes, **settings, **kept
            )
        if kind == "text":
            settings.pop("max_features", None)
            return io.iter_text(
                list(paths), labelled=labelled, labels=labels, classes=classes, **settings
            )
        if schema is None:
            kept = {"types": types, "missing": self.missing}
        target = self.target
        known = getattr(schema, "target", None)
        if target is None:
            target = known
        return io.iter_table(
            list(paths),
            (-1 if target is None else target) if labelled else None,
            format=kind,
            header=not self.no_header,
            delimiter=self.delimiter,
            ignore=_passed_over(schema) + ([] if labelled or target is None else [target]),
            trim=True,
            labels=labels,
            classes=classes,
            **settings,
            **kept,
        )

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"on_bad": self.on_bad, "encoding": self.encoding}
        if self.max_line_bytes is not None:
            settings["max_line_bytes"] = self.max_line_bytes
        if self.max_features is not None:
            settings["max_features"] = self.max_features
        return settings


def _passed_over(schema: AnySchema | None) -> list[str]:
    """Columns that the model knows of and does not use, so that they are not worth a notice."""
    columns = getattr(schema, "columns", ())
    return [column.name for column in columns if column.kind == "ignored"]


def _called(kind: str) -> str:
    return {"table": "a table", "text": "labelled text"}.get(kind, f"{kind} rows")


@contextmanager
def notices_told() -> Iterator[None]:
    """Warnings of the readers as plain lines."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    for warning in told:
        click.echo(f"warning: {warning.message}", err=True)


@dataclass
class LabelledRows:
    """A table X of numbers, its labels as text, and the line of every row."""

    name: str
    X: Any
    labels: list[str]
    lines: list[int]


def read_rows(path: str, **options: Any) -> LabelledRows:
    """Read a file, or standard input for ``-``; all columns but the target must be numbers."""
    from rosenblatt.errors import DataError

    reading = Reading(**options)
    if reading.format_of([path]) == "text":
        raise click.UsageError("rows of numbers are needed here, not text.")
    with notices_told():
        block = reading.reader([path], types="number").whole()
    name = "<stdin>" if path == "-" else path
    labels = [str(label) for label in block.labels.tolist()]
    if len(set(labels)) == 1:
        raise DataError(
            f"only class {labels[0]!r} seen, in all {len(labels):,} rows; two are needed",
            name=name,
            help="is the right column the target? (--target)",
        )
    return LabelledRows(name, _matrix(block.rows), labels, block.lines.tolist())


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
