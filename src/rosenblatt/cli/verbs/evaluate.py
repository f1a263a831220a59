"""rosenblatt evaluate: compare the predictions of a model with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

import click

from rosenblatt.cli.data.models import open_model
from rosenblatt.cli.data.reading import DATA, Reading, named, notices, reading_options
from rosenblatt.cli.frame.options import MODEL, Command, n_jobs_option, threshold_option
from rosenblatt.cli.frame.terminal import baseline, reading_shown, say, say_json, say_notices
from rosenblatt.cli.plot.plot_files import check_picture, draw
from rosenblatt.plurals import count


@click.command(
    cls=Command,
    name="evaluate",
    epilog="\b\nExamples:\n  rosenblatt evaluate iris.rbt test.csv\n"
    "  rosenblatt evaluate spam.rbt test.tsv --curve spam.svg\n"
    "  rosenblatt evaluate spam.rbt test.tsv --threshold 0.8 --json",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, required=True, type=DATA)
@threshold_option
@click.option(
    "--curve",
    metavar="FILE",
    help="Draw the ROC and precision-recall curves there (.svg, .pdf or .png), and print what a "
    "few thresholds come to; with --json all points.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@n_jobs_option
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    threshold: float | None,
    curve: str | None,
    as_json: bool,
    quiet: bool,
    n_jobs: int | None,
    **reading: Any,
) -> None:
    """Compare the predictions of MODEL with the labels of DATA.

    Reports accuracy and the majority-class baseline, balanced accuracy, areas under the ROC and
    precision-recall curves, precision, recall and F1 of each class, and the confusion matrix; for
    models with probabilities also log loss and calibration error. If you choose a threshold by
    --curve, evaluate it on other rows. The model is not changed.
    """
    import numpy as np

    from rosenblatt.inspection.report import report
    from rosenblatt.tables.features.schemas import UnseenValues

    if curve is not None:
        check_picture("--curve", curve, [model, *data])
    found = open_model(model, n_jobs=n_jobs)
    unseen = UnseenValues()
    found.refuse_lacking(threshold=threshold)
    truth: list[Hashable] = []
    predicted: list[Hashable] = []
    parts: list[Any] = []
    read = Reading(**reading)
    with (
        notices(quiet),
        found.reader(read, data, labelled=True) as blocks,
        reading_shown(blocks, named(data)),
    ):
        for block in blocks:
            truth += block.labels.tolist()
            labels, *part = found.outputs(unseen.encode(found.schema, block), threshold)
            predicted += labels.tolist()
            parts.append(part)
    if blocks.skipped and not quiet:
        rows = count(blocks.skipped, "bad row is", "bad rows are")
        say([f"warning: {rows} not counted"], err=True)
    scores, probabilities = (
        None if column[0] is None else np.concatenate(column) for column in zip(*parts, strict=True)
    )
    result = report(
        truth, predicted, classes=found.classes, scores=scores, probabilities=probabilities
    )
    if curve is not None:
        from rosenblatt import plot

        draw(plot.score_curves(result), curve, "light", None, None)
    if as_json:
        facts = result.to_json()
        del facts["most_frequent"]
        facts["baseline"] = baseline(Counter(truth))
        facts |= {"threshold": threshold, "model": model, "files": list(data)}
        if curve is not None:
            points = {str(one.label): one.to_json() for one in result.curves}
            facts |= {"curves": points, "picture": curve}
        say_json(facts)
    else:
        say(result.lines())
        if curve is not None:
            say(["", *result.curve_lines(), f"wrote {curve}"])
    if not quiet:
        say_notices(unseen.describe())
