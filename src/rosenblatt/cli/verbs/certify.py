"""rosenblatt certify: decide whether the classes of a file are separable, with a proof."""

from __future__ import annotations

import math
from typing import Any

import click

from rosenblatt.cli.data.reading import (
    DATA,
    Reading,
    named,
    notices,
    reading_options,
    zero_based_option,
)
from rosenblatt.cli.data.training_data import (
    Examples,
    read_examples,
    refuse_one_class,
)
from rosenblatt.cli.data.training_report import counted_classes, counted_features
from rosenblatt.cli.frame.options import SEED, Command, use_one_thread
from rosenblatt.cli.frame.terminal import say, say_json
from rosenblatt.plurals import count

SUSPECTS = 5
CONFLICT_SHOWN = 12
# Maximum number of cells of sparse features that are converted to a dense matrix.
DENSE_CELLS = 20_000_000
# Descriptions of the kinds of separation if no hyperplane separates the rows.
SEPARATIONS = {
    "quasi-complete": "quasi-complete: some boundary has no row on its wrong side, but rows on it",
    "none": "none: every boundary has rows on its wrong side",
}


@click.command(
    cls=Command,
    name="certify",
    epilog="\b\nExamples:\n  rosenblatt certify iris.csv --target species\n"
    "  rosenblatt certify a9a.svmlight.gz --json\n\n"
    "Exit codes: 0 separable, 1 not or undecided, 2 usage, 3 bad data.",
)
@click.argument("file", type=DATA)
@click.option("--no-bias", is_flag=True, help="Only look for hyperplanes through the origin.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="Seed for the random order of the rows."
)
@reading_options
@zero_based_option
def command(file: str, no_bias: bool, as_json: bool, seed: int, **reading: Any) -> int:
    """Decide whether the classes of FILE are linearly separable, with a proof either way.

    FILE has any format that --format names and may be compressed (gzip, xz, bzip2, zstd); - reads
    standard input. Numbers are not scaled; categories become one feature for each level and texts
    one for each word, as in train.
    """
    from rosenblatt.errors import DataError, InputError

    use_one_thread()
    rows = read_rows(file, **reading)
    try:
        found = certificate(rows, fit_intercept=not no_bias, seed=seed)
    except InputError as error:
        raise DataError(str(error), name=named([file])) from None
    found = {"file": named([file]), **found}
    if as_json:
        say_json(found)
    else:
        say(_report(found))
    return 0 if found["verdict"] == "separable" else 1


# ---------------------------------------------------------------------- the rows


def read_rows(path: str, **options: Any) -> Examples:
    """Read a file, or standard input for ``-``, with labels as text and numbers unscaled.

    Scaling would round and, without a bias, could change the verdict by moving the rows.
    """
    import numpy as np

    from rosenblatt.tables.features.schemas import FeatureOptions

    with notices():
        rows = read_examples(Reading(**options), [path], FeatureOptions(scale=None)).encode()
    rows.block.labels = np.array([str(label) for label in rows.labels.tolist()])
    refuse_one_class(rows.counts, named([path]), of_table=rows.schema.kind == "table")
    if any(getattr(column, "clip", None) for column in rows.schema.columns):
        packed = (
            f"notice: {named([path])} was packed with its numbers clipped; the verdict is about"
        )
        say([f"{packed} those, not about the numbers of the data"], err=True)
    return rows


def certificate(rows: Examples, *, fit_intercept: bool, seed: int) -> dict[str, Any]:
    """Return the verdict and its proof as in the JSON output, without the file name."""
    from rosenblatt.arrays import dense_columns, used_columns
    from rosenblatt.theory import examine

    X = rows.X
    description = list[str]()
    if hasattr(X, "tocsr"):
        if rows.schema.kind in ("table", "text"):
            description = rows.schema.describe()
            dense = dense_columns(X, DENSE_CELLS)
        else:
            dense = X.toarray() if X.shape[0] * X.shape[1] <= DENSE_CELLS else None
        X = X if dense is None else dense
    found = examine(X, rows.labels, fit_intercept=fit_intercept, random_state=seed, top=SUSPECTS)
    return {
        "rows": len(rows),
        "features": rows.schema.n_features,
        "features_used": len(used_columns(rows.X)),
        "description": description,
        **found.to_json(rows.block.lines.tolist()),
    }


# ---------------------------------------------------------------------- for people


def _report(found: dict[str, Any]) -> list[str]:
    from rosenblatt.models.result import stop_text

    said = [
        f"{found['file']}: {count(found['rows'], 'row')}, "
        f"{counted_features(found['features'], found['features_used'])}; "
        + counted_classes(found["classes"]),
        *(f"  {line}" for line in found["description"]),
        f"verdict: {found['verdict']}"
        + (
            " (proof exact, checked in exact arithmetic)"
            if found["verified"]
            else f"; {found['detail']}"
        ),
    ]
    if found["separation"] in SEPARATIONS:
        said.append(f"separation: {SEPARATIONS[found['separation']]}")
    if found["conflict"] is not None:
        said += _conflict_lines(found["conflict"])
    pairs = found["pairs"]
    if pairs is not None and pairs["separable"] is None:
        said.append(f"pairs of classes separable: not counted, since there are {pairs['all']:,}")
    elif pairs is not None:
        said.append(f"pairs of classes separable: {pairs['separable']:,} of {pairs['all']:,}")
    if found["margin_closed"]:
        said.append(f"margin: {found['margin']:.6g}, the largest there is")
    elif found["margin"] is not None:
        said.append(
            f"largest margin: between {found['margin']:.6g} and {found['margin_upper']:.6g}"
        )
    said.append(_bound(found))
    run = found["perceptron"]
    said.append(
        f"perceptron: {count(run['mistakes'], 'mistake')} in {count(run['epochs'], 'epoch')}; "
        f"stopped: {stop_text(run['stop_reason'])}"
    )
    if found["suspects"]:
        said.append("most often misclassified:")
    for one in found["suspects"]:
        predicted = "" if one["predicted"] is None else f", predicted {one['predicted']}"
        said.append(
            f"  line {one['line']}: {count(one['mistakes'], 'time')}, "
            f"labelled {one['label']}{predicted}"
        )
    return said


def _bound(found: dict[str, Any]) -> str:
    space = " of the rows with a 1 appended" if found["fit_intercept"] else ""
    bound = found["bound"]
    epochs = found["bound_epochs"]
    if bound is None or bound == found["bound_visits"]:
        return f"bound: none below the number of visits; R = {found['radius']:.6g}{space}"
    if epochs is None:
        where = ""
        formula = "R²/γ²"
        deviation = "" if found["gamma_closed"] else ", for a margin that is not the largest,"
    else:
        where = f" {count(epochs, 'epoch')} in"
        formula = "((R + D)/γ)²"
        deviation = f", D = {found['deviation']:.6g}"
    return (
        f"bound: at most {count(math.floor(bound), 'mistake')} in{where} any order, {formula} with "
        f"R = {found['radius']:.6g}{deviation} and γ = {found['gamma']:.6g}{space}"
    )


def _conflict_lines(conflict: dict[str, Any]) -> list[str]:
    members = conflict["rows"]
    rows = count(len(members), "row")
    said = [f"conflict of {rows}; weighted so, they rule every separator out:"]
    for one in members[:CONFLICT_SHOWN]:
        fraction = one.get("fraction", "")
        weight = fraction if 0 < len(fraction) <= 12 else f"{one['weight']:.6g}"
        against = f" against {one['against']}" if "against" in one else ""
        said.append(f"  line {one['line']}: {one['label']}{against}, {weight}")
    more = len(members) - CONFLICT_SHOWN
    return [*said, f"  and {more:,} more (--json shows all)"] if more > 0 else said
