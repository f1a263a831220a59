"""rosenblatt convert: a model as ONNX, or data as svmlight text, for other programs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rosenblatt.cli.data.models import MODEL, Model, open_model
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options, zero_based_option
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import Command

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["command"]

LINES = 1_000
# So many names of features fit into the metadata of a file without being a burden.
MOST_NAMES = 20_000
# These divide the parts of a line.
NO_LABEL = re.compile(r"[\s#:,;\x00]|^$")


@click.command(
    cls=Command,
    name="convert",
    epilog="\b\nExamples:\n  rosenblatt convert iris.rbt -o iris.onnx\n"
    "  rosenblatt convert iris.csv --names columns.tsv > iris.svm\n"
    "  rosenblatt convert new.csv --model iris.rbt -o new.svm",
)
@click.argument("files", nargs=-1, required=True, type=DATA, metavar="MODEL|DATA...")
@click.option(
    "--to",
    "form",
    type=click.Choice(["onnx", "svmlight"]),
    help="What to write.  [default: onnx of a model, svmlight of data]",
)
@click.option("--out", "-o", metavar="FILE", help="File to write.  [default: standard output]")
@click.option(
    "--encoded", is_flag=True, help="ONNX that takes the features (X) instead of the columns."
)
@click.option(
    "--model", type=MODEL, metavar="MODEL", help="Make features of DATA as this model does."
)
@click.option(
    "--names", metavar="FILE", help="Also write the index and name of each feature to FILE."
)
@click.option(
    "--scale", is_flag=True, help="Scale numbers by mean and standard deviation, as train does."
)
@click.option(
    "--number-labels", is_flag=True, help="Write labels as 0, 1, … in the order they are met."
)
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@reading_options
@zero_based_option
def command(
    files: tuple[str, ...],
    form: str | None,
    out: str | None,
    encoded: bool,
    model: str | None,
    names: str | None,
    scale: bool,
    number_labels: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a MODEL as ONNX, or the rows of DATA as svmlight text, features numbered from 1.

    Which it is shows in the file itself: rosenblatt train writes models, anything else is data.

    ONNX has one input for each column of the table the model was trained on, scaling and levels
    included; the outputs are label, and scores for each class. Models of other data, and all with
    --encoded, take X, their features as numbers.

    In svmlight text categories become one feature for each level and texts n-grams, as in
    training; numbers stay as they are, to the last bit, unless --model or --scale says otherwise.
    """
    models = [file for file in files if file != "-" and _is_model(file)]
    _refuse_form(form, files, models)
    if models:
        _refuse_options_of_data(click.get_current_context())
        _refuse_overwriting(files, out, None, "model")
        _write_model(open_model(files[0]), out, encoded=encoded)
        return
    if encoded:
        raise click.UsageError("--encoded has no meaning for data.")
    if scale and model is not None:
        raise click.UsageError("--scale has no meaning with --model, which scales as it learned.")
    _refuse_overwriting(files, out, names, "data")
    rows = Rows(Reading(**options), files, model, scale=scale, number_labels=number_labels)
    with notices(quiet):
        _write_rows(rows, out, names)
    if not quiet:
        for line in rows.told():
            click.echo(f"notice: {line}", err=True)


# ---------------------------------------------------------------------- models


def _is_model(path: str) -> bool:
    """Whether the file starts as model files do: a small length in eight bytes, then JSON."""
    if not os.path.isfile(path):  # to read from a pipe would take away what it holds
        return False
    with open(path, "rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and start[4:8] == bytes(4)


def _refuse_form(form: str | None, files: Sequence[str], models: list[str]) -> None:
    if models and len(files) > 1:
        raise click.UsageError(f"{models[0]} is a model; convert one model at a time.")
    if models and form == "svmlight":
        raise click.UsageError(f"{models[0]} is a model, which becomes --to onnx, not svmlight.")
    if form == "onnx" and not models:
        raise click.UsageError(
            f"{files[0]} is no model, and only models become ONNX; rosenblatt train makes one."
        )


def _refuse_options_of_data(ctx: click.Context) -> None:
    of_models = {"files", "form", "out", "encoded", "quiet"}
    for param in ctx.command.params:
        given = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if given and param.expose_value and param.name not in of_models:
            raise click.UsageError(
                f"{param.opts[0]} is for data, and {ctx.params['files'][0]} is a model."
            )


def _write_model(model: Model, out: str | None, *, encoded: bool) -> None:
    from rosenblatt.errors import ModelFileError

    piped = out is None or out == "-"
    if piped and sys.stdout.isatty():
        raise click.UsageError("ONNX is not for a terminal; give --out FILE.")
    try:
        file = _onnx(model, encoded=encoded)
    except ModelFileError as error:
        raise ModelFileError(f"{model.path}: {error}") from None
    if piped:
        click.echo(file, nl=False)
    else:
        from rosenblatt.model.disk import replace as write

        write(str(out), [file])


def _onnx(model: Model, *, encoded: bool) -> bytes:
    from rosenblatt.errors import ModelFileError
    from rosenblatt.features import Schema
    from rosenblatt.features.onnx_columns import table_to_onnx
    from rosenblatt.model.onnx import to_onnx

    state = model.state
    if encoded or state.card.schema is None or model.schema.kind in ("svmlight", "vw"):
        named = state.card.schema is not None and state.n_features <= MOST_NAMES
        return to_onnx(state, model.names(range(state.n_features)) if named else None)
    if not isinstance(model.schema, Schema):
        raise ModelFileError(
            "trained on texts, whose n-grams no ONNX operator counts as this model does; --encoded "
            "writes the form that takes the features themselves."
        )
    return table_to_onnx(state, model.schema)


# ---------------------------------------------------------------------- data


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
        from rosenblatt.features import FeatureOptions, UnseenValues

        self._reading, self._paths = reading, paths
        self._options = FeatureOptions(scale=scale)
        known = None if model is None else open_model(model)
        self._numbered: dict[str, int] | None = {} if number_labels else None
        self._unseen = UnseenValues()
        self._weighted = 0
        self.schema: AnySchema | None = None if known is None else known.schema
        self.met: set[int] = set()

    def texts(self) -> Iterator[str]:
        for X, labels in self._features():
            lines = self._lines(X, labels)
            while some := "".join(islice(lines, LINES)):
                yield some

    def _features(self) -> Iterator[tuple[Any, list[str]]]:
        """Features and labels; tables are read as a whole if their columns are to be guessed."""
        from rosenblatt.features import guess_schema

        kind = self._reading.kind_of(self._paths, self.schema)
        guessing = self.schema is None
        with self._reading.reader(self._paths, schema=self.schema, labels="text") as reader:
            for block in [reader.whole()] if guessing and kind == "table" else reader:
                self._weighted += int((getattr(block, "weights", block.lines[:0]) != 1).sum())
                if self.schema is None:
                    self.schema = guess_schema(kind, block, self._options)
                if guessing:
                    self.schema.grow(block)
                    yield self.schema.learn(block), block.labels.tolist()
                else:
                    yield self._unseen.encode(self.schema, block), block.labels.tolist()

    def _lines(self, X: Any, labels: list[str]) -> Iterator[str]:
        import numpy as np

        if not hasattr(X, "tocsr"):
            at, columns = np.nonzero(X)
            values = X[at, columns]
            cut = np.searchsorted(at, np.arange(len(labels) + 1)).tolist()
        else:
            if self.schema is not None and self.schema.kind == "table" and not X.data.all():
                X = X.keep(X.data != 0)
            columns, values, cut = X.indices, X.data, X.indptr.tolist()
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
        lines = self._unseen.describe()
        if self._numbered:
            lines.append(
                "labels: " + ", ".join(f"{i} is {label}" for label, i in self._numbered.items())
            )
        if self._weighted:
            lines.append(
                f"{self._weighted:,} rows have an importance, which svmlight text has no place for"
            )
        return lines


def _write_rows(rows: Rows, out: str | None, names: str | None) -> None:
    """Rows and names belong together: both files are there in the end, or none."""
    with NewFiles() as files:
        file = None if out is None or out == "-" else files.open(out)
        for text in rows.texts():
            if file is None:
                click.echo(text, nl=False, color=True)  # labels as they are, in a pipe too
            else:
                file.write(text.encode())
        if names is not None:
            files.open(names).write(_names(rows).encode("utf-8", "surrogatepass"))
        files.keep()


def _names(rows: Rows) -> str:
    """Index and name of each feature that was met, one a line."""
    assert rows.schema is not None
    met = sorted(rows.met)
    escapes = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"})
    lines = ["index\tname\n"]
    for column, name in zip(met, rows.schema.names(met), strict=True):
        lines.append(f"{column + 1}\t{name.translate(escapes)}\n")
    return "".join(lines)


def _refuse_overwriting(
    files: Sequence[str], out: str | None, names: str | None, what: str
) -> None:
    if names is not None and names == out:
        raise click.UsageError("--names and --out are the same file.")
    for option, path in (("--out", out), ("--names", names)):
        if path is not None and (option, path) != ("--out", "-"):
            check_destination(option, path, files, what)
