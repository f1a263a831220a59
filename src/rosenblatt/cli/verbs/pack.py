"""rosenblatt pack: convert data into one file that training memory-maps."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from rosenblatt.cli.data.models import open_model
from rosenblatt.cli.data.reading import DATA, Reading, named, notices, reading_options
from rosenblatt.cli.data.training_data import column_options, feature_options, refuse_meaningless
from rosenblatt.cli.data.training_report import counted_classes
from rosenblatt.cli.frame.destinations import check_destination
from rosenblatt.cli.frame.options import MODEL, Command
from rosenblatt.cli.frame.terminal import say, say_json, say_notices
from rosenblatt.plurals import count


@click.command(
    cls=Command,
    name="pack",
    epilog="\b\nExamples:\n  rosenblatt pack iris.csv --target species\n"
    "  zcat clicks.svm.gz | rosenblatt pack - --format svmlight -o clicks.rows",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("-o", "--out", metavar="FILE", help="The file to write.  [default: DATA.rows]")
@click.option(
    "--schema-from",
    type=MODEL,
    metavar="MODEL",
    help="Use the columns and features of this model, as its test data need.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out the summary, notices and warnings.")
@reading_options
@column_options()
def command(
    data: tuple[str, ...],
    out: str | None,
    schema_from: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Convert the rows of DATA into one file of packed rows.

    Commands memory-map such a file, so it may be larger than memory; training on it gives the same
    model as training on DATA. How columns and texts become features is decided here. Every block
    of the file has a checksum, which is checked whenever the file is read.
    """
    from rosenblatt.estimators.packing import GUESSED, pack_blocks, repeatable
    from rosenblatt.tables.features.schemas import UnseenValues

    stem = "packed" if data[0] == "-" else os.path.basename(data[0]).split(".")[0] or "packed"
    path = f"{stem}.rows" if out is None else out
    check_destination("--out", path, data)
    features = feature_options(options)
    reading = Reading(**options)
    if reading.packed(data) is not None:
        raise click.UsageError(f"{data[0]} is packed already.")
    schema = None if schema_from is None else open_model(schema_from).schema
    kind = reading.kind_of(data, schema)
    unseen = UnseenValues()
    refuse_meaningless(features, kind, has_schema=schema is not None)
    twice = schema is None and kind in GUESSED
    with notices(quiet), repeatable(data) if twice else nullcontext() as copies:
        reading = replace(reading, copies=tuple(copies or ()))
        packed = pack_blocks(
            kind,
            lambda revised=None: reading.reader(
                data, schema=schema, features=features, types=revised, labels="codes"
            ),
            path,
            features,
            schema,
            sources=data,
            ahead=not reading.on_bad.startswith("rejects="),
            unseen=unseen,
        )
    facts = {
        "file": path,
        "rows": len(packed),
        "features": packed.rows.shape[1],
        "values": packed.n_values,
        "classes": {str(label): rows for label, rows in packed.labels.counts().items()},
        "bytes": os.path.getsize(path),
    }
    if as_json:
        say_json(facts)
    elif not quiet:
        sizes = f"{count(facts['rows'], 'row')}, {count(facts['features'], 'feature')}"
        say([f"{named(data)}: {sizes}, {count(facts['values'], 'value')}"])
        say([counted_classes(facts["classes"]), f"wrote {path} ({facts['bytes']:,} bytes)"])
    if not quiet:
        say_notices(unseen.describe())
