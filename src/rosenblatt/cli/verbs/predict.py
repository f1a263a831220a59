"""rosenblatt predict: the class of every row of a file."""

from __future__ import annotations

import csv
import io
from typing import Any

import click

from rosenblatt.cli.data.models import open_model
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.frame.options import MODEL, Command, n_jobs_option, threshold_option
from rosenblatt.cli.frame.terminal import as_json, say_notices
from rosenblatt.plurals import count


@click.command(
    cls=Command,
    name="predict",
    epilog="\b\nExamples:\n  rosenblatt predict iris.rbt new.csv > predictions.txt\n"
    "  zcat mail.tsv.gz | rosenblatt predict spam.rbt - --format text --scores",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("--scores", is_flag=True, help="Print CSV: prediction and a score for each class.")
@click.option("--proba", is_flag=True, help="Print CSV: prediction and probability of each class.")
@threshold_option
@click.option("--json", "wants_json", is_flag=True, help="Print a JSON object for each row.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@n_jobs_option
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    scores: bool,
    proba: bool,
    threshold: float | None,
    wants_json: bool,
    quiet: bool,
    n_jobs: int | None,
    **reading: Any,
) -> None:
    """Print the class of every row of DATA, one a line.

    Columns are found by name, in any order. Labels that are there are skipped. The model
    is not changed. For two classes the scores are -s and s. --proba needs a model trained with
    --calibrate, or a soft perceptron; with --json rows have probabilities beside their scores.
    """
    if scores and (wants_json or proba):
        has = "--json has the scores already" if wants_json else "--proba prints probabilities"
        raise click.UsageError(f"{has}; leave --scores out.")
    from rosenblatt.features import UnseenValues

    found = open_model(model, n_jobs=n_jobs)
    found.refuse_lacking(proba=proba, threshold=threshold)
    classes = [str(label) for label in found.classes]
    unseen, labelled = UnseenValues(), False
    as_csv = scores or (proba and not wants_json)
    if as_csv:
        _print(_csv([["label", *classes]]))
    with notices(quiet), found.reader(Reading(**reading), data, labelled=False) as blocks:
        for number, block in enumerate(blocks):
            if isinstance(block.rows, list):
                labelled = _begins_with_labels(block.rows, classes) if number == 0 else labelled
                if labelled:
                    block.rows = [text.partition("\t")[2] for text in block.rows]
            X = unseen.encode(found.schema, block)
            labels = found.predict(X, threshold)
            by_class = {"scores": found.scores(X)} if scores or wants_json else {}
            if proba:
                by_class["probabilities"] = found.probabilities(X)
            rows = zip(*(values.tolist() for values in by_class.values()), strict=True)
            if as_csv:
                listed = zip(labels, rows, strict=True)
                _print(_csv([label, *row] for label, (row,) in listed))
            elif wants_json:
                numbered = zip(block.lines.tolist(), labels, rows, strict=True)
                _print("".join(_json(classes, list(by_class), *row) + "\n" for row in numbered))
            else:
                _print("".join(f"{label}\n" for label in labels))
    if blocks.skipped and not quiet:
        bad = count(blocks.skipped, "bad row has", "bad rows have")
        click.echo(f"warning: {bad} no prediction", err=True)
    if labelled and not quiet:
        click.echo("notice: labels before the tab are skipped", err=True)
    if not quiet:
        say_notices(unseen.describe())


def _print(text: str) -> None:
    """Labels as they are; in a pipe click would else take out what looks like a colour."""
    click.echo(text, nl=False, color=True)


def _begins_with_labels(texts: list[str], classes: list[str]) -> bool:
    """Whether these are lines to train on: a known class and a tab at the start of each."""
    return all(
        tab and before.strip() in classes
        for before, tab, _ in (text.partition("\t") for text in texts)
    )


def _json(classes: list[str], names: list[str], line: int, label: Any, rows: Any) -> str:
    by_class = [dict(zip(classes, row, strict=True)) for row in rows]
    return as_json({"line": line, "label": label, **dict(zip(names, by_class, strict=True))})


def _csv(rows: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
