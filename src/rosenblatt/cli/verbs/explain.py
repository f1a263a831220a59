"""rosenblatt explain: why a model predicts as it does, by feature and by past mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.frame.options import MODEL, Command, Whole
from rosenblatt.cli.frame.terminal import say, say_json
from rosenblatt.cli.plot.plot_files import check_picture, draw
from rosenblatt.plurals import count, first_few
from rosenblatt.text_tables import ordinary

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.inspection.explanation import Explanation, PastMistake
    from rosenblatt.tables.features.schemas import AnySchema
    from rosenblatt.tables.readers.block import Block


@click.command(
    cls=Command,
    name="explain",
    epilog="\b\nExamples:\n  rosenblatt explain iris.rbt new.csv --row 3\n"
    "  rosenblatt explain iris.rbt --global --plot iris.svg\n"
    "  rosenblatt explain spam.rbt mail.tsv --format text --row 7 --train mail.tsv",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, type=DATA)
@click.option("--row", type=Whole(1), help="Which row of DATA, counted from 1.")
@click.option("--global", "whole", is_flag=True, help="Explain the whole model instead of one row.")
@click.option("--plot", "picture", metavar="FILE", help="Also draw it, as .svg, .png or .pdf.")
@click.option("--labelled", is_flag=True, help="DATA has labels; texts have them before a tab.")
@click.option(
    "--train",
    type=DATA,
    multiple=True,
    metavar="FILE",
    help="Data the model was trained on, to weigh its past mistakes.",
)
@click.option(
    "--top", type=Whole(1), default=10, show_default=True, help="How many features to show."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all features.")
@click.option("--quiet", is_flag=True, help="Leave out notices and warnings.")
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    row: int | None,
    whole: bool,
    picture: str | None,
    labelled: bool,
    train: tuple[str, ...],
    top: int,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Explain what MODEL predicts for one row of DATA.

    Each feature contributes weight × (value − typical value). Typical is the median for numbers,
    an even mix of levels for categories, and the share of texts that contain a word. With the
    score of the typical row the contributions add up to the score of the prediction, or, with
    several classes, to its lead over the second best class.

    --global ranks the features of the model by how much they change the scores of typical rows.

    A model trained with --record also keeps its mistakes: with the training data (--train) each
    contributes its step times its product with the row. Voted and kernel models have no
    per-feature weights; they are explained by the past mistakes stored in the model.
    """
    from rosenblatt import plot
    from rosenblatt.estimators.inputs import rows_without_names
    from rosenblatt.tables.features.schema import Schema

    if whole == bool(data) or (row is None) == bool(data):
        raise click.UsageError(
            "give DATA and --row N for one row, or --global for the whole model."
        )
    if picture is not None:
        check_picture("--plot", picture, [model, *data, *train])
    reading = Reading(**options)
    found = open_model(model)
    learner = found.learner
    if whole:
        found.refuse_without_weights()
        everything = learner.explain_model()
        if as_json:
            parts = [part._asdict() for part in everything.contributions]
            say_json({"model": model, "classes": found.classes, "features": parts})
        else:
            shown = everything.cut(top)
            say([f"{model}: {everything.headline()}", *shown.lines()])
        if picture is not None:
            draw(plot.contributions(everything, top=top), picture, "light", None, None)
        return
    assert row is not None
    if train:
        _ = learner.ledger_  # without one the data are not read
    with notices(quiet):
        schema, block = _row(found, reading, data, row, labelled=labelled)
        if not found.has_schema:
            learner.schema_ = schema
        past = TrainingRows(found, reading, train)
        x = schema.encode(block)
        with rows_without_names():  # the schema has found the columns by their names already
            runner_up = learner.explain(x).runner_up
            why = learner.explain(x, against=runner_up, X=past.features() if train else None)
        past.compare(why.mistakes if train else None)
    numbers = getattr(block, "number_names", [])
    why = replace(
        why,
        unknown={name: list(some) for name, some in schema.unknown(block).items()},
        clipped=schema.clipped(block) if isinstance(schema, Schema) else [],
    )
    raw = dict(zip(numbers, block.numbers[0].tolist(), strict=True)) if numbers else {}
    facts = {
        "model": model,
        "row": row,
        "line": int(block.lines[0]),
        "label": None if block.labels is None else str(block.labels[0]),
        "updates": len(learner.ledger_) if hasattr(learner, "ledger_") else None,
        "best_epoch": getattr(learner, "best_iter_", None),
    }
    if as_json:
        say_json({**facts, **_parts_as_json(why, raw, past)})
    else:
        say(_report(why, facts, raw, past, top))
    if picture is not None:
        draw(plot.contributions(why, top=top), picture, "light", None, None)


def _row(
    found: Model, reading: Reading, paths: Sequence[str], row: int, *, labelled: bool
) -> tuple[AnySchema, Any]:
    """Return the schema and a block with row number ``row`` only; raise if there is no such row."""
    from rosenblatt.errors import InputError

    seen = 0
    # Closed here, so that an error on closing is reported.
    with closing(found.blocks(reading, paths, labelled=labelled)) as blocks:
        for schema, block in blocks:
            if row <= seen + len(block):
                return schema, block[row - seen - 1 : row - seen]
            seen += len(block)
    raise InputError(f"there is no row {row:,}: {', '.join(paths)} has {seen:,} rows.")


class TrainingRows:
    """The rows of --train, read once: features by block, and all line numbers and labels."""

    def __init__(self, found: Model, reading: Reading, paths: Sequence[str]) -> None:
        self.blocks = found.blocks(reading, paths, labelled=True) if paths else iter(())
        self.lines: list[int] = []
        self.labels: list[str] = []

    def features(self) -> Iterator[Table]:
        for schema, block in self.blocks:
            self.lines += block.lines.tolist()
            self.labels += [str(label) for label in block.labels.tolist()]
            yield schema.encode(block)

    def compare(self, mistakes: list[PastMistake] | None) -> None:
        """Raise if the labels of the rows differ from those recorded with the mistakes."""
        from rosenblatt.errors import InputError

        for _ in self.features():
            pass  # a learner that stores its rows has not read these
        for one in mistakes or ():
            if one.row is not None and str(one.y_true) != "".join(self.labels[one.row :][:1]):
                raise InputError(
                    "--train: the labels are not those of the ledger; give the data the model was "
                    "trained on, in order."
                )

    def where(self, row: int) -> str:
        return f"line {self.lines[row]:,}" if self.lines else f"row {row + 1:,}"


def _parts_as_json(why: Explanation, raw: dict[str, float], past: TrainingRows) -> dict[str, Any]:
    plain = why.to_json()
    parts = plain["contributions"]
    mistakes = plain["mistakes"]
    if mistakes is not None:
        for one in mistakes:
            line = past.lines[one["row"]] if past.lines else None
            one |= {"row": one["row"] + 1, "line": line, "label": one["y_true"]}
        mistakes = {
            "updates": sum(one["updates"] for one in mistakes),
            "sum": sum(one["contribution"] for one in mistakes),
            "adds_up": why.before == 0,
            "rows": mistakes,
        }
    return {
        "prediction": str(why.prediction),
        "against": None if why.against is None else str(why.against),
        "scores": plain["scores"],
        "margin": why.score,
        "bias": sum(part["contribution"] for part in parts if part["kind"] == "bias"),
        "features": [
            part | ({"raw": raw[part["name"]]} if part["name"] in raw else {})
            for part in parts
            if part["kind"] == "feature"
        ],
        "without_weight": why.without_weight,
        "unknown": why.unknown,
        "clipped": why.clipped,
        "votes": why.votes,
        "mistakes": mistakes,
    }


def _report(
    why: Explanation, facts: dict[str, Any], raw: dict[str, float], past: TrainingRows, top: int
) -> list[str]:
    label = "" if facts["label"] is None else f", labelled {facts['label']}"
    scores = sorted(why.scores.items(), key=lambda one: -one[1])
    shown = first_few([f"{name} {ordinary(score)}" for name, score in scores], top)
    # Numbers are also shown as in the file.
    named = [
        part._replace(name=f"{part.name} = {ordinary(raw[part.name], digits=6)}")
        if part.name in raw
        else part
        for part in why.contributions
    ]
    said = [
        f"row {facts['row']:,} (line {facts['line']:,}{label}): {why.prediction}",
        f"scores: {shown}",
        *replace(why, contributions=named).cut(top).lines(past.where),
    ]
    if facts["updates"] and why.mistakes is None:
        updates = count(facts["updates"], "update")
        said.append(f"the ledger holds {updates} by number of row only; --train DATA weighs them")
    elif facts["best_epoch"] and why.mistakes is not None:
        said.append("the model predicts with its best epoch; later updates are left out")
    return said
