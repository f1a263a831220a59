"""rosenblatt explain: why a model gives this answer, by feature and by past mistake."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import MODEL, Model, open_model
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.options import Command, Whole
from rosenblatt.cli.frame.terminal import cut, say

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["command"]

LONGEST_NAME = 40


@click.command(
    cls=Command,
    name="explain",
    epilog="\b\nExamples:\n  rosenblatt explain iris.rbt new.csv --row 3\n"
    "  rosenblatt explain spam.rbt mail.tsv --format text --row 7 --train mail.tsv",
)
@click.argument("model", type=MODEL)
@click.argument("data", nargs=-1, required=True, type=DATA)
@click.option("--row", type=Whole(1), required=True, help="Which row of DATA, counted from 1.")
@click.option("--labelled", is_flag=True, help="DATA has labels; texts have them before a tab.")
@click.option(
    "--train",
    type=DATA,
    multiple=True,
    metavar="FILE",
    help="Data the model learned from, to weigh its past mistakes.",
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
    row: int,
    labelled: bool,
    train: tuple[str, ...],
    top: int,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Say why MODEL answers as it does for one row of DATA.

    Each feature of the row speaks for the answer or against it by weight times value; with the bias
    they add up to the margin. With several classes this is the lead over the second best class.

    A model trained with --record also knows its mistakes: with the training data (--train) they
    are weighed, each by its step times its product with the row.
    """
    from rosenblatt.cli.data.mistakes import weighed

    reading, found = Reading(**options), open_model(model)
    with notices(quiet):
        schema, block = _row(found, reading, data, row, labelled=labelled)
        explained = _explained(found, schema, block, row)
        if train and found.state.card.ledger is None:
            raise click.UsageError(
                f"--train: {model} kept no ledger of its mistakes; train it with --record."
            )
        if train:
            blocks = found.blocks(reading, train, labelled=True)
            explained["mistakes"] = weighed(found, blocks, schema.encode(block), explained)
    if as_json:
        say_json(explained)
    else:
        say(_report(explained, top))


# ---------------------------------------------------------------------- the row


def _row(
    found: Model, reading: Reading, paths: Sequence[str], row: int, *, labelled: bool
) -> tuple[AnySchema, Any]:
    """The one row, as a block of its own."""
    from rosenblatt.errors import InputError

    seen = 0
    # Closed here, where what goes wrong in closing is still heard.
    with closing(found.blocks(reading, paths, labelled=labelled)) as blocks:
        for schema, block in blocks:
            if row <= seen + len(block):
                return schema, block[row - seen - 1 : row - seen]
            seen += len(block)
    raise InputError(f"there is no row {row:,}: {', '.join(paths)} has {seen:,} rows.")


# ---------------------------------------------------------------------- by feature


def _explained(found: Model, schema: AnySchema, block: Any, row: int) -> dict[str, Any]:
    import numpy as np

    X: Any = schema.encode(block)
    (answer,), (scores,) = found.predict(X), found.scores(X)
    classes, card = found.classes, found.state.card
    coef, bias = found.weights()
    columns = X.indices if hasattr(X, "tocsr") else np.flatnonzero(X[0])
    values = X.data if hasattr(X, "tocsr") else X[0, columns]
    columns, values = columns[values != 0], values[values != 0]
    at = classes.index(answer)
    others = [i for i in np.argsort(-scores, kind="stable").tolist() if i != at]
    if len(bias) == 1:
        sign = 1.0 if at == 1 else -1.0
        weights, offset = sign * coef[0, columns], sign * float(bias[0])
    else:
        weights = coef[at, columns] - coef[others[0], columns]
        offset = float(bias[at] - bias[others[0]])
    parts = weights * values
    order = np.argsort(-np.abs(parts), kind="stable")
    order = order[parts[order] != 0]
    names = found.names if found.has_schema else schema.names
    told = zip(
        names(columns[order].tolist()),
        values[order].tolist(),
        weights[order].tolist(),
        parts[order].tolist(),
        strict=True,
    )
    numbers = getattr(block, "number_names", [])
    known = dict(zip(numbers, block.numbers[0].tolist(), strict=True)) if numbers else {}
    keys = ("name", "value", "weight", "contribution")
    features: list[dict[str, Any]] = [dict(zip(keys, one, strict=True)) for one in told]
    for feature in features:
        if feature["name"] in known:
            feature["raw"] = known[feature["name"]]
    return {
        "model": found.path,
        "row": row,
        "line": int(block.lines[0]),
        "label": None if block.labels is None else str(block.labels[0]),
        "answer": str(answer),
        "against": str(classes[others[0]]) if others else None,
        "scores": {str(c): s for c, s in zip(classes, scores.tolist(), strict=True)},
        "margin": float(parts.sum()) + offset,
        "bias": offset,
        "features": features,
        "without_weight": len(columns) - len(features),
        "unknown": {name: list(levels) for name, levels in schema.unknown(block).items()},
        "votes": card.parameters.get("combine") == "vote",
        "updates": None if card.ledger is None else len(found.state.arrays["ledger.row"]),
        "mistakes": None,
    }


# ---------------------------------------------------------------------- for people


def _report(told: dict[str, Any], top: int) -> list[str]:
    label = "" if told["label"] is None else f", labelled {told['label']}"
    scores = sorted(told["scores"].items(), key=lambda one: -one[1])
    shown = ", ".join(f"{name} {score:.4g}" for name, score in scores[:top])
    more = f" and {len(scores) - top:,} more" if len(scores) > top else ""
    said = [
        f"row {told['row']:,} (line {told['line']:,}{label}): {told['answer']}",
        f"scores: {shown}{more}",
    ]
    for name, levels in told["unknown"].items():
        said.append(f"{name}: {', '.join(levels)} was never seen in training and has no weight")
    if told["votes"]:
        said.append(
            "this model votes by all weights it ever had; what follows are its last, which may "
            "answer otherwise"
        )
    if told["against"] is not None:
        said.append(
            f"{told['answer']} rather than {told['against']}, by {told['margin']:.4g}; "
            "weight × value of each feature:"
        )
    said += _parts(told, top)
    if told["mistakes"] is not None:
        said += _mistakes(told["mistakes"], top)
    elif told["updates"]:
        said.append(
            f"the ledger holds {told['updates']:,} updates by number of row only; "
            "--train DATA weighs them"
        )
    return said


def _parts(told: dict[str, Any], top: int) -> list[str]:
    features = told["features"]
    rows = [
        (_signed(one["contribution"]), _called(one), f"{one['weight']:.4g} × {one['value']:.4g}")
        for one in features[:top]
    ]
    rows.append((_signed(told["bias"]), "bias", ""))
    rest = features[top:]
    if rest:
        total = sum(one["contribution"] for one in rest)
        rows.append((_signed(total), f"{len(rest):,} other feature{'s' * (len(rest) != 1)}", ""))
    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    lines = [f"  {a:>{first}}  {b:{second}}  {c}".rstrip() for a, b, c in rows]
    if told["without_weight"]:
        n = told["without_weight"]
        lines.append(f"  {n:,} feature{'s' * (n != 1)} of the row without a say")
    return lines


def _called(feature: dict[str, Any]) -> str:
    value = f" = {feature['raw']:g}" if "raw" in feature else ""
    return cut(str(feature["name"]), LONGEST_NAME - len(value)) + value


def _signed(number: float) -> str:
    return f"{number + 0.0:+.4g}"  # 0 has no sign


def _mistakes(told: dict[str, Any], top: int) -> list[str]:
    said = [
        f"{told['updates']:,} updates on {len(told['rows']):,} rows of training gave "
        f"{told['sum']:+.4g}:"
    ]
    if told["best_epoch"]:
        said.insert(0, "the model answers with its best epoch; all updates lead to the last one")
    elif not told["adds_up"]:
        said.insert(0, "not all of it comes from the updates that were recorded")
    shown = [
        (one["contribution"], f"line {one['line']:,}, {one['label']}: {_updates(one['updates'])}")
        for one in told["rows"][:top]
    ]
    rest = told["rows"][top:]
    if rest:
        shown.append(
            (
                sum(one["contribution"] for one in rest),
                f"{len(rest):,} other row{'s' * (len(rest) != 1)}",
            )
        )
    widest = max((len(_signed(part)) for part, _ in shown), default=0)
    return said + [f"  {_signed(part):>{widest}}  {about}" for part, about in shown]


def _updates(count: int) -> str:
    return f"{count:,} update{'s' * (count != 1)}"
