"""rosenblatt evaluate: how often a model is right on rows with labels."""

from __future__ import annotations

import json
from typing import Any

import click

from rosenblatt.cli.models import MODEL, Strangers, notices, opened
from rosenblatt.cli.reading import Reading, reading_options

__all__ = ["command"]


@click.command(
    name="evaluate",
    epilog="Examples:  rosenblatt evaluate iris.rbt test.csv    "
    "rosenblatt evaluate spam.rbt test.tsv --format text --json",
)
@click.argument("model", type=MODEL)
@click.argument(
    "data", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--quiet", is_flag=True, help="No notices.")
def command(model: str, data: tuple[str, ...], as_json: bool, quiet: bool, **reading: Any) -> None:
    """Compare the answers of MODEL with the labels of DATA.

    Accuracy, and beside it that of always answering the most frequent class; precision, recall
    and F1 of each class; which class is taken for which. The model is not changed.
    """
    from rosenblatt.evaluate import report

    found = opened(model)
    strangers = Strangers()
    truth: list[Any] = []
    answers: list[Any] = []
    with notices(quiet), found.reader(Reading(**reading), data, labelled=True) as blocks:
        for block in blocks:
            truth += block.labels.tolist()
            answers += found.answers(strangers.encoded(found.schema, block))[0]
    if blocks.skipped and not quiet:
        rows = "1 bad row is" if blocks.skipped == 1 else f"{blocks.skipped:,} bad rows are"
        click.echo(f"warning: {rows} not counted", err=True)
    told = report(truth, answers, classes=found.classes)
    if as_json:
        facts = {**told.to_json(), "model": model, "files": list(data)}
        click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
    else:
        for line in told.lines():
            click.echo(line)
    if not quiet:
        for line in strangers.told():
            click.echo(f"notice: {line}", err=True)
