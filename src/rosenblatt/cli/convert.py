"""rosenblatt convert: any data as svmlight text, which other programs read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.models import MODEL, Strangers, notices, opened
from rosenblatt.cli.reading import TABLES, Reading, reading_options, zero_based_option

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["command"]

DATA = click.Path(exists=True, dir_okay=False, allow_dash=True)
LINES = 1_000
# These divide the parts of a line.
NO_LABEL = re.compile(r"[\s#:,;\x00]|^$")


@click.command(
    name="convert",
    epilog="Examples:  rosenblatt convert adult.csv --to svmlight --names columns.tsv > adult.svm"
    "    rosenblatt convert new.csv --to svmlight --model adult.rbt --out new.svm",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("--to", "form", type=click.Choice(["svmlight"]), required=True)
@click.option("--out", metavar="FILE", help="Where to.  [standard output]")
@click.option("--model", type=MODEL, help="Features as this model has them.")
@click.option("--names", metavar="FILE", help="Also write index and name of each feature.")
@click.option("--scale", is_flag=True, help="Numbers by mean and spread, as train does.")
@click.option("--number-labels", is_flag=True, help="Labels as 0, 1, … in order of meeting.")
@reading_options
@zero_based_option
@click.option("--quiet", is_flag=True, help="No notices.")
def command(
    data: tuple[str, ...],
    form: str,
    out: str | None,
    model: str | None,
    names: str | None,
    scale: bool,
    number_labels: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write the rows of DATA as svmlight text, features numbered from 1.

    Categories become one feature for each level and texts n-grams, as in training; numbers stay
    as they are, to the last bit, unless --model or --scale says otherwise.
    """
    if scale and model is not None:
        raise click.UsageError("--scale has no meaning with --model, which scales as it learned.")
    _refuse_overwriting(data, out, names)
    rows = Rows(Reading(**options), data, model, scale=scale, number_labels=number_labels)
    with notices(quiet):
        if out is None or out == "-":
            for text in rows.texts():
                click.echo(text, nl=False)
        else:
            from rosenblatt.model.disk import replace as write

            write(out, (text.encode() for text in rows.texts()))
        if names is not None:
            _write_names(names, rows)
    if not quiet:
        for line in rows.told():
            click.echo(f"notice: {line}", err=True)


class Rows:
    """The lines, block by block, and what was met on the way."""

    def __init__(
        self,
        reading: Reading,
        paths: Sequence[str],
        model: str | None,
        *,
        scale: bool,
        number_labels: bool,
    ) -> None:
        self._reading, self._paths, self._scale = reading, paths, scale
        self._known = None if model is None else opened(model)
        self._numbered: dict[str, int] | None = {} if number_labels else None
        self._strangers = Strangers()
        self._weighted = 0
        self.schema: AnySchema | None = None if self._known is None else self._known.schema
        self.met: set[int] = set()

    def texts(self) -> Iterator[str]:
        for X, labels in self._features():
            lines = self._lines(X, labels)
            while some := "".join(islice(lines, LINES)):
                yield some

    def _features(self) -> Iterator[tuple[Any, list[str]]]:
        """Features and labels; tables are read as a whole if their columns are to be guessed."""
        from rosenblatt.features import Schema, SparseSchema, TextFeatures, TextSchema

        kind = self._reading.format_of(self._paths, self.schema)
        guessing = self.schema is None
        reader = self._reader(kind)
        if guessing and kind in TABLES:
            table = reader.whole()
            self.schema = Schema.guess(table, missing=self._reading.missing, scale=self._scale)
            yield self.schema.encode(table), table.labels.tolist()
            return
        if guessing and kind == "text":
            self.schema = TextSchema(TextFeatures())
        with reader as blocks:
            for block in blocks:
                if guessing and kind in ("svmlight", "vw"):
                    named = getattr(block, "names", None)
                    self.schema = SparseSchema(kind, block.rows.shape[1], named)
                assert self.schema is not None
                self._weighted += int((getattr(block, "weights", block.lines[:0]) != 1).sum())
                if guessing:
                    yield self.schema.learn(block), block.labels.tolist()
                else:
                    yield self._strangers.encoded(self.schema, block), block.labels.tolist()

    def _reader(self, kind: str) -> Any:
        reading = replace(self._reading, kind=kind)
        if self._known is not None and kind == "svmlight":
            return reading.reader(self._paths, labels="text")  # strange columns are counted
        return reading.reader(self._paths, schema=self.schema, labels="text")

    def _lines(self, X: Any, labels: list[str]) -> Iterator[str]:
        import numpy as np

        if not hasattr(X, "tocsr"):
            at, columns = np.nonzero(X)
            values = X[at, columns]
            cut = np.searchsorted(at, np.arange(len(labels) + 1)).tolist()
        else:
            columns, values, cut = X.indices, X.data, X.indptr.tolist()
            if self.schema is not None and self.schema.kind == "table" and not values.all():
                kept = values != 0
                cut = np.concatenate([[0], np.cumsum(kept)])[X.indptr].tolist()
                columns, values = columns[kept], values[kept]
        self.met.update(np.unique(columns).tolist())
        numbers, written = (columns + 1).tolist(), values.tolist()
        for row, label in enumerate(labels):
            a, b = cut[row], cut[row + 1]
            pairs = zip(numbers[a:b], written[a:b], strict=True)
            # The shortest digits that give the same number again.
            yield " ".join([self._label(label), *(f"{i}:{v!r}" for i, v in pairs)]) + "\n"

    def _label(self, label: str) -> str:
        from rosenblatt.errors import InputError

        if self._numbered is not None:
            return str(self._numbered.setdefault(label, len(self._numbered)))
        if NO_LABEL.search(label):
            raise InputError(
                f"the label {label!r} cannot stand in svmlight text; --number-labels writes "
                "numbers instead."
            )
        return label

    def told(self) -> list[str]:
        lines = self._strangers.told()
        if self._numbered:
            lines.append(
                "labels: " + ", ".join(f"{i} is {label}" for label, i in self._numbered.items())
            )
        if self._weighted:
            lines.append(
                f"{self._weighted:,} rows have an importance, which svmlight text has no place for"
            )
        return lines


def _write_names(path: str, rows: Rows) -> None:
    from rosenblatt.model.disk import replace as write

    assert rows.schema is not None
    met = sorted(rows.met)
    escapes = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"})
    lines = ["index\tname\n"]
    for column, name in zip(met, rows.schema.names(met), strict=True):
        lines.append(f"{column + 1}\t{name.translate(escapes)}\n")
    write(path, ["".join(lines).encode("utf-8", "surrogatepass")])


def _refuse_overwriting(data: Sequence[str], out: str | None, names: str | None) -> None:
    if names is not None and names == out:
        raise click.UsageError("--names and --out are the same file.")
    for option, path in (("--out", out), ("--names", names)):
        for file in data:
            if path and os.path.exists(path) and file != "-" and os.path.samefile(file, path):
                raise click.UsageError(f"{option} {path} holds the data; give another name.")
