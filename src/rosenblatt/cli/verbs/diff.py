"""rosenblatt diff: show the differences between two models."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.frame.options import MODEL, Command, Whole
from rosenblatt.cli.frame.terminal import cut, say, say_json
from rosenblatt.cli.verbs.show import facts_of
from rosenblatt.plurals import first_few
from rosenblatt.text_tables import ordinary, text_table

FACTS = (
    "learner",
    "parameters",
    "classes",
    "columns",
    "templates",
    "features",
    "known_words",
    "support_rows",
    "rows",
    "examples",
    "mistakes",
    "epochs",
    "stop_reason",
    "best_epoch",
    "data_sha256",
)
OF_TAGGERS = ("columns", "templates", "known_words")
SHOWN = 10
LONGEST_NAME = 48


@click.command(
    cls=Command,
    name="diff",
    epilog="\b\nExamples:\n  rosenblatt diff old.rbt new.rbt\n  rosenblatt diff a.rbt b.rbt --json"
    "\n\nExit codes: 0 equal, 1 different.",
)
@click.argument("first", type=MODEL)
@click.argument("second", type=MODEL)
@click.option(
    "--top", type=Whole(0), default=SHOWN, show_default=True, help="How many changes to show."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(first: str, second: str, top: int, as_json: bool) -> int:
    """Show how SECOND differs from FIRST: training, classes, features and weights, by name.

    Models are equal if they predict, continue training and report the same. Weights are compared
    by the names of features and classes; a missing one counts as 0.
    """
    found = differences(open_model(first, taggers=True), open_model(second, taggers=True), top)
    if as_json:
        say_json(found)
    else:
        say(_report(found))
    return 0 if found["equal"] else 1


def differences(first: Model, second: Model, top: int) -> dict[str, Any]:
    """Compare two models, and return the differences as in the JSON output."""
    from rosenblatt.tables.features.named_weights import WeightChanges

    names = [name for name in FACTS if name not in OF_TAGGERS]
    found = WeightChanges([], [], None)
    if first.tags_sentences != second.tags_sentences:  # only their kinds can be compared
        names = ["learner"]
    elif first.tags_sentences:
        names = list(FACTS)
    else:
        found = first.weights.changes(second.weights)
    left = facts_of(first)
    right = facts_of(second)
    return {
        "models": [first.path, second.path],
        "equal": _same(first, second),
        "facts": {name: [left[name], right[name]] for name in names if left[name] != right[name]},
        "features_added": found.added,
        "features_removed": found.removed,
        "weights_changed": None if found.changes is None else len(found.changes),
        "largest_changes": [
            {"class": label, "feature": feature, "from": before, "to": after}
            for label, feature, before, after in (found.changes or ())[:top]
        ],
    }


def _same(first: Model, second: Model) -> bool:
    """Return whether two models are bit-for-bit equal, whatever version wrote them."""
    import msgspec

    a = first.state
    b = second.state
    cards = [msgspec.structs.replace(s.card, version="", sha256="").to_json() for s in (a, b)]
    if cards[0] != cards[1] or a.arrays.keys() != b.arrays.keys():
        return False
    return all(
        values.dtype == b.arrays[name].dtype
        and values.shape == b.arrays[name].shape
        and values.tobytes() == b.arrays[name].tobytes()
        for name, values in a.arrays.items()
    )


def _report(found: dict[str, Any]) -> list[str]:
    if found["equal"]:
        return ["equal"]
    lines = [f"{name}: {_told(a)} -> {_told(b)}" for name, (a, b) in found["facts"].items()]
    for key, words in (("features_added", "added"), ("features_removed", "removed")):
        names = found[key]
        if names:
            lines.append(f"features {words} ({len(names):,}): {first_few(names, SHOWN)}")
    if found["weights_changed"]:
        lines.append(f"weights changed: {found['weights_changed']:,}")
        rows = [
            (
                ordinary(change["from"], "+", 5),
                "->",
                ordinary(change["to"], "+", 5),
                cut(f"{change['class']}: {change['feature']}", LONGEST_NAME),
            )
            for change in found["largest_changes"]
        ]
        lines += text_table(rows, align="><><", indent=2)
    if found["weights_changed"] is None:
        return lines or ["not the same weights, support rows, record or state"]
    return lines or ["the same weights, but not the same record or state"]


def _told(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={v!r}" for name, v in value.items()) or "defaults"
    if isinstance(value, list):
        return first_few([str(one) for one in value], SHOWN)
    if isinstance(value, str):
        return value[:16] + "…" if len(value) > 40 else value
    return "none" if value is None else f"{value:,}"
