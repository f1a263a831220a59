"""rosenblatt predict: the class of every row of a file."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import click

from rosenblatt.cli.models import MODEL, Strangers, notices, opened
from rosenblatt.cli.reading import Reading, reading_options

__all__ = ["command"]

SCHEMA = 1


@click.command(
    name="predict",
    epilog="Examples:  rosenblatt predict iris.rbt new.csv > answers.txt    "
    "zcat mail.tsv.gz | rosenblatt predict spam.rbt - --format text --scores",
)
@click.argument("model", type=MODEL)
@click.argument(
    "data", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@reading_options
@click.option("--scores", is_flag=True, help="CSV: the label and a score for each class.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a row.")
@click.option("--quiet", is_flag=True, help="No notices.")
def command(
    model: str,
    data: tuple[str, ...],
    scores: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Print the class of every row of DATA, one a line.

    Columns are found by name, in any order. Labels that are there are passed over. The model
    is not changed. For two classes the scores are -s and s.
    """
    if scores and as_json:
        raise click.UsageError("--json has the scores already; leave --scores out.")
    found = opened(model)
    classes = [str(label) for label in found.classes]
    strangers, labelled = Strangers(), False
    if scores:
        click.echo(_csv([["label", *classes]]), nl=False)
    with notices(quiet), found.reader(Reading(**reading), data, labelled=False) as blocks:
        for number, block in enumerate(blocks):
            if found.schema.kind == "text":
                labelled = _begins_with_labels(block.rows, classes) if number == 0 else labelled
                if labelled:
                    block.rows = [text.partition("\t")[2] for text in block.rows]
            labels, numbers = found.answers(strangers.encoded(found.schema, block))
            if scores:
                listed = zip(labels, numbers.tolist(), strict=True)
                click.echo(_csv([label, *row] for label, row in listed), nl=False)
            elif as_json:
                rows = zip(block.lines.tolist(), labels, numbers.tolist(), strict=True)
                click.echo("\n".join(_json(classes, *row) for row in rows))
            else:
                click.echo("\n".join(map(str, labels)))
    if blocks.skipped and not quiet:
        bad = "1 bad row has" if blocks.skipped == 1 else f"{blocks.skipped:,} bad rows have"
        click.echo(f"warning: {bad} no answer", err=True)
    if labelled and not quiet:
        click.echo("notice: labels before the tab are passed over", err=True)
    if not quiet:
        for line in strangers.told():
            click.echo(f"notice: {line}", err=True)


def _begins_with_labels(texts: list[str], classes: list[str]) -> bool:
    """Whether these are lines to train on: a known class and a tab at the start of each."""
    return all(
        tab and before.strip() in classes
        for before, tab, _ in (text.partition("\t") for text in texts)
    )


def _json(classes: list[str], line: int, label: Any, scores: list[float]) -> str:
    answer = {
        "schema": SCHEMA,
        "line": line,
        "label": label,
        "scores": dict(zip(classes, scores, strict=True)),
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False)


def _csv(rows: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
