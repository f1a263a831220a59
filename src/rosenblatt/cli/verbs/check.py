"""rosenblatt check: find problems in data before training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import (
    DATA,
    Reading,
    named,
    notices,
    read_whole,
    reading_options,
)
from rosenblatt.cli.data.training_data import refuse_one_class
from rosenblatt.cli.data.training_report import LONGEST_LABEL, counted_classes, counted_features
from rosenblatt.cli.frame.options import Command, use_one_thread
from rosenblatt.cli.frame.terminal import baseline, cut, say, say_json
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.inspection.data_checks import DataReport
    from rosenblatt.tables.features.schemas import AnySchema
    from rosenblatt.tables.readers.block import Block

# Limits above which deciding separability would take too long for a check.
MAX_ROWS = 2_000
MAX_CELLS = 400_000
MOST_CLASSES = 10
VERDICTS = {
    "separable": "there is one; training ends without a mistake",
    "not separable": "there is none; some mistakes always remain",
}


@click.command(
    cls=Command,
    name="check",
    epilog="\b\nExamples:\n  rosenblatt check iris.csv --target species\n"
    "  rosenblatt check mail.tsv --format text --json\n\n"
    "Exit codes: 0 can be learned from, 1 nothing to learn, 2 usage, 3 bad data.",
)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@reading_options
def command(data: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Check DATA before training: the kinds of its columns, and problems.

    Counts classes, missing values, constant and repeated columns, repeated rows and rows that
    contradict each other. Small data are also checked for linear separability.
    """
    with notices(quiet):
        use_one_thread()
        report, facts = _checked(Reading(**options), data)
    if as_json:
        say_json(facts)
    else:
        say(_lines(report, facts))
    return 1 if facts["errors"] else 0


def _checked(reading: Reading, paths: Sequence[str]) -> tuple[DataReport, dict[str, Any]]:
    """Return the report on the data, and the facts for the JSON output."""
    from rosenblatt.arrays import SparseRows
    from rosenblatt.inspection.data_checks import check_data
    from rosenblatt.tables.features.schemas import FeatureOptions, guess_schema

    kind = reading.kind_of(paths)
    block = read_whole(reading.reader(paths), paths)
    refuse_one_class(Counter(block.labels.tolist()), named(paths), of_table=kind == "table")
    schema = known = reading.schema_of(paths, None)
    if schema is None:
        schema = guess_schema(kind, block)
    else:
        kind = "svmlight"  # packed rows are features, whatever the data were
        if not hasattr(block.rows, "indptr"):
            block.rows = SparseRows.from_dense(block.rows)
    report = check_data(kind, block, schema)
    verdict = None
    if report.rows <= MAX_ROWS and len(report.classes) <= MOST_CLASSES:
        # Without scaling, as in certify: scaling rounds.
        as_they_are = guess_schema(kind, block, FeatureOptions(scale=None))
        verdict = _verdict(known or as_they_are, block)
    return report, {
        "files": list(paths),
        "format": reading.format_of(paths).name,
        "target": getattr(block, "target", None),
        "baseline": baseline(report.classes),
        "description": schema.describe(),
        **report.to_json(),
        "separability": verdict,
    }


def _verdict(schema: AnySchema, block: Block) -> dict[str, str] | None:
    """Return the verdict on separability; None if the data are too large for a check."""
    from rosenblatt.arrays import dense_columns
    from rosenblatt.theory.separability import separability

    X = dense_columns(schema.learn(block), MAX_CELLS)
    if X is None:
        return None
    return {"verdict": separability(X, block.labels).verdict}


def _lines(report: DataReport, facts: dict[str, Any]) -> list[str]:
    columns = f"{count(len(report.columns), 'column')}, " if report.columns else ""
    features = counted_features(report.features, report.features_used)
    frequent_first = dict(sorted(facts["classes"].items(), key=lambda one: -one[1]))
    target = "" if facts["target"] is None else f" of {facts['target']}"
    verdict = facts["separability"]
    return [
        f"{', '.join(facts['files'])} ({facts['format']}): {count(report.rows, 'row')}, "
        f"{columns}{features}",
        *(f"  {line}" for line in facts["description"]),
        counted_classes(frequent_first, target),
        f"baseline: always {cut(str(facts['baseline']['label']), LONGEST_LABEL)} is right in "
        f"{facts['baseline']['accuracy']:.1%}",
        *(line if line.startswith(" ") else f"warning: {line}" for line in report.warnings()),
        *(f"wrong: {line}" for line in facts["errors"]),
        "a hyperplane between the classes: "
        + (
            "not asked; rosenblatt certify does"
            if verdict is None
            else VERDICTS.get(verdict["verdict"], "could not be decided")
        ),
    ]
