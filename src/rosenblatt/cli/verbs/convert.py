"""rosenblatt convert: write a model as ONNX or as a model file, or data as svmlight text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.reading import (
    DATA,
    Reading,
    notices,
    read_whole,
    reading_options,
    zero_based_option,
)
from rosenblatt.cli.frame.destinations import NewFiles, check_destination
from rosenblatt.cli.frame.options import MODEL, Command, slim_option
from rosenblatt.cli.frame.terminal import print_data, say_notices
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.tables.features.schemas import AnySchema
    from rosenblatt.tables.readers.block import Block

LINES = 1_000
# Maximum number of feature names that are stored in the metadata of an ONNX file.
MAX_NAMES = 20_000


@click.command(
    cls=Command,
    name="convert",
    epilog="\b\nExamples:\n  rosenblatt convert iris.rbt -o iris.onnx\n"
    "  rosenblatt convert old.rbt -o new.rbt\n"
    "  rosenblatt convert iris.rbt --slim -o small.rbt\n"
    "  rosenblatt convert iris.csv --names columns.tsv > iris.svm\n"
    "  rosenblatt convert new.csv --model iris.rbt -o new.svm",
)
@click.argument("files", nargs=-1, required=True, type=DATA, metavar="MODEL|DATA...")
@click.option(
    "--to",
    "form",
    type=click.Choice(["onnx", "rbt", "svmlight"]),
    help="What to write.  [default: by the suffix of FILE, otherwise onnx or svmlight]",
)
@click.option("--out", "-o", metavar="FILE", help="File to write.  [default: standard output]")
@slim_option
@click.option(
    "--encoded", is_flag=True, help="ONNX that takes the features (X) instead of the columns."
)
@click.option(
    "--model", type=MODEL, metavar="MODEL", help="Make features of DATA as this model does."
)
@click.option(
    "--names", metavar="FILE", help="Also write the index and name of each feature to FILE."
)
@click.option("--scale", is_flag=True, help="Scale and clip numbers, as train does.")
@click.option(
    "--number-labels", is_flag=True, help="Write labels as 0, 1, … in order of first occurrence."
)
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@reading_options
@zero_based_option
def command(
    files: tuple[str, ...],
    form: str | None,
    out: str | None,
    slim: bool,
    encoded: bool,
    model: str | None,
    names: str | None,
    scale: bool,
    number_labels: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a MODEL as ONNX, or the rows of DATA as svmlight text, features numbered from 1.

    Models are recognized by their content; any other file is data.

    ONNX has one input for each column of the training table and includes scaling and levels; the
    outputs are label, and scores for each class. Models of other data, and all with --encoded,
    take X, their features as numbers. A FILE that ends in .rbt, --to rbt and --slim
    write a model file in the format of this version, also of a model file of an older format.

    In svmlight text categories become one feature for each level and texts n-grams, as in
    training; numbers are unchanged, to the last bit, unless --model or --scale is given.
    """
    models = [file for file in files if file != "-" and _is_model(file)]
    _refuse_form(form, files, models)
    if models:
        _refuse_options_of_data(click.get_current_context())
        _refuse_overwriting(files, out, None, "model")
        is_named_rbt = form is None and not encoded and str(out).endswith(".rbt")
        if slim or form == "rbt" or is_named_rbt:
            if form == "onnx" or encoded:
                name = "--slim" if slim else "--to rbt"
                other = "--encoded" if encoded else "--to onnx"
                raise click.UsageError(f"{name} writes a model file, and {other} ONNX: give one.")
            _write_model_file(open_model(files[0], taggers=True), out, slim=slim)
        else:
            _write_onnx(open_model(files[0]), out, encoded=encoded)
        return
    if encoded or slim:
        raise click.UsageError(f"--{'encoded' if encoded else 'slim'} has no meaning for data.")
    if scale and model is not None:
        raise click.UsageError("--scale has no meaning with --model, which scales as it learned.")
    _refuse_overwriting(files, out, names, "data")
    features = Features(model, number_labels=number_labels)
    with notices(quiet):
        blocks = features.blocks(Reading(**options), files, scale=scale)
        _write_rows(features, blocks, out, names)
    if not quiet:
        say_notices(features.describe())


# ---------------------------------------------------------------------- models


def _is_model(path: str) -> bool:
    """Return whether a file starts like a model file: a small length in eight bytes, then JSON."""
    if not os.path.isfile(path):  # reading from a pipe would consume its data
        return False
    with open(path, "rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and start[4:8] == bytes(4)


def _refuse_form(form: str | None, files: Sequence[str], models: list[str]) -> None:
    if models and len(files) > 1:
        raise click.UsageError(f"{models[0]} is a model; convert one model at a time.")
    if models and form == "svmlight":
        raise click.UsageError(
            f"{models[0]} is a model, which becomes --to onnx or rbt, not svmlight."
        )
    if form in ("onnx", "rbt") and not models:
        what = "ONNX" if form == "onnx" else "model files"
        raise click.UsageError(
            f"{files[0]} is no model, and only models become {what}; rosenblatt train makes one."
        )


def _refuse_options_of_data(ctx: click.Context) -> None:
    of_models = {"files", "form", "out", "slim", "encoded", "quiet"}
    for param in ctx.command.params:
        given = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if given and param.expose_value and param.name not in of_models:
            raise click.UsageError(
                f"{param.opts[0]} is for data, and {ctx.params['files'][0]} is a model."
            )


def _write_model_file(model: Model, out: str | None, *, slim: bool) -> None:
    """Write the model as a file of the current format."""
    from rosenblatt.persistence.file import save

    if out is None or out == "-":
        raise click.UsageError("a model file is not for a pipe; give --out FILE.")
    save(model.learner, out, slim=slim)


def _write_onnx(model: Model, out: str | None, *, encoded: bool) -> None:
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
        from rosenblatt.persistence.disk import replace as write

        write(str(out), [file])


def _onnx(model: Model, *, encoded: bool) -> bytes:
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.onnx import to_onnx
    from rosenblatt.tables.features.onnx_columns import table_to_onnx
    from rosenblatt.tables.features.schema import Schema

    state = model.state
    if encoded or state.card.schema is None or model.schema.kind in ("svmlight", "vw"):
        named = state.card.schema is not None and state.n_features <= MAX_NAMES
        return to_onnx(state, model.weights.names(range(state.n_features)) if named else None)
    if not isinstance(model.schema, Schema):
        raise ModelFileError(
            "trained on texts, whose n-grams no ONNX operator counts as this model does; --encoded "
            "writes the form that takes the features themselves."
        )
    return table_to_onnx(state, model.schema)


# ---------------------------------------------------------------------- data


class Features:
    """Encoder of files as features and labels, block by block; it counts omitted values."""

    def __init__(self, model: str | None, *, number_labels: bool) -> None:
        from rosenblatt.tables.features.schemas import UnseenValues

        self.schema: AnySchema | None = None if model is None else open_model(model).schema
        self.columns: set[int] = set()
        self._numbers: dict[str, int] | None = {} if number_labels else None
        self._unseen = UnseenValues()
        self._weighted = 0

    def blocks(
        self, reading: Reading, paths: Sequence[str], *, scale: bool
    ) -> Iterator[tuple[Table, list[str] | list[int]]]:
        """Yield features and labels by block; without a schema, tables and texts are one block."""
        import numpy as np

        from rosenblatt.tables.features.schemas import FeatureOptions, guess_schema

        kind = reading.kind_of(paths, self.schema)
        guessing = self.schema is None
        with reading.reader(paths, schema=self.schema, labels="text") as reader:
            blocks: Iterable[Block] = reader
            if guessing and kind in ("table", "text"):
                # The guess depends on all rows.
                blocks = [read_whole(reader, paths)]
            for block in blocks:
                if self.schema is None:
                    self.schema = guess_schema(
                        kind, block, FeatureOptions(scale="robust" if scale else None)
                    )
                if guessing:
                    self.schema.grow(block)
                    X: Any = self.schema.learn(block)
                else:
                    X = self._unseen.encode(self.schema, block)
                if kind == "table" and hasattr(X, "keep"):
                    X = X.keep(X.data != 0)
                used = X.indices if hasattr(X, "indices") else np.flatnonzero(X.any(axis=0))
                self.columns.update(np.unique(used).tolist())
                if block.weights is not None:
                    self._weighted += int((block.weights != 1).sum())
                yield X, self._labels(block.labels.tolist())

    def _labels(self, labels: list[str]) -> list[str] | list[int]:
        numbers = self._numbers
        if numbers is None:
            return labels
        return [numbers.setdefault(label, len(numbers)) for label in labels]

    def names(self) -> str:
        """Return the index and name of each feature that occurred, one per line."""
        assert self.schema is not None
        met = sorted(self.columns)
        escapes = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"})
        lines = ["index\tname\n"]
        for column, name in zip(met, self.schema.names(met), strict=True):
            lines.append(f"{column + 1}\t{name.translate(escapes)}\n")
        return "".join(lines)

    def describe(self) -> list[str]:
        lines = self._unseen.describe()
        if self._numbers:
            numbers = [f"{number} is {label}" for label, number in self._numbers.items()]
            lines.append(f"labels: {', '.join(numbers)}")
        if self._weighted:
            rows = count(self._weighted, "row has", "rows have")
            lines.append(f"{rows} an importance, which svmlight text has no place for")
        return lines


def _write_rows(
    features: Features,
    blocks: Iterator[tuple[Table, list[str] | list[int]]],
    out: str | None,
    names: str | None,
) -> None:
    """Write the rows and the feature names; both files are created, or neither."""
    from rosenblatt.tables.readers.svmlight import svmlight_lines

    with NewFiles() as files:
        file = None if out is None or out == "-" else files.open(out)
        for X, labels in blocks:
            lines = svmlight_lines(X, labels)
            while text := "".join(islice(lines, LINES)):
                if file is None:
                    print_data(text)
                else:
                    file.write(text.encode())
        if names is not None:
            files.open(names).write(features.names().encode("utf-8", "surrogatepass"))
        files.keep()


def _refuse_overwriting(
    files: Sequence[str], out: str | None, names: str | None, what: str
) -> None:
    if names is not None and names == out:
        raise click.UsageError("--names and --out are the same file.")
    for option, path in (("--out", out), ("--names", names)):
        if path is not None and (option, path) != ("--out", "-"):
            check_destination(option, path, files, what)
