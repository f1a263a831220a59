"""rosenblatt show: describe a model, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.training_report import (
    fit_facts,
    leaderboard,
    leaderboard_lines,
    shortened,
)
from rosenblatt.cli.frame.options import MODEL, Command, Whole
from rosenblatt.cli.frame.terminal import cut, printable, say, say_json
from rosenblatt.errors import ModelFileError
from rosenblatt.plurals import count, first_few
from rosenblatt.text_tables import ordinary, text_table

if TYPE_CHECKING:
    from rosenblatt.persistence.card import Card

MOST_COLUMNS = 40
LINES_AT_A_TIME = 10_000
LONGEST_NAME = 48
MOST_CLASSES = 12
MAX_TAGS = 24
HOLDS = {
    "none": "no rows of the training data",
    "ledger": "numbers and labels of the examples in the ledger",
    "rows": "rows of the training data, with their labels",
}
NAMELESS = "each is known by a hash of its template and words"


@click.command(
    cls=Command,
    name="show",
    epilog="\b\nExamples:\n  rosenblatt show iris.rbt\n"
    "  rosenblatt show iris.rbt --command\n"
    "  rosenblatt show spam.rbt --weights | sort -t $'\\t' -k 3 -g | tail",
)
@click.argument("model", type=MODEL)
@click.option(
    "--top", type=Whole(0), default=10, show_default=True, help="How many weights to show."
)
@click.option(
    "--weights", is_flag=True, help="Print all weights that are not 0: class, feature, weight."
)
@click.option(
    "--command",
    "how",
    is_flag=True,
    help="Print the command that made the model, and digests of what it was made from.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(model: str, top: int, weights: bool, how: bool, as_json: bool) -> None:
    """Describe MODEL: learner, classes, training, columns and largest weights.

    With two classes there is one weight per feature, and a positive one means the second class;
    with more, each class has its own. A bias is listed as (bias). For a tagger the tags and
    templates are shown; its weights have no names.

    --command prints a command that makes the same file, byte for byte, in the folder of its data.
    The other lines are shell comments: digests of the data, of the sources of this package and of
    the model. File names are printed without folders.
    """
    if how and weights:
        raise click.UsageError("--weights has no meaning with --command.")
    if weights and as_json:
        raise click.UsageError("--weights is a table; leave --json out.")
    found = open_model(model, taggers=True)
    if how:
        record = _made_by(found)
        if as_json:
            say_json(record)
        else:
            click.echo("\n".join(_command_lines(record)))
        return
    if weights:
        if found.tags_sentences:
            raise ModelFileError(f"{model}: its features have no names; {NAMELESS}.")
        found.refuse_without_weights()
        lines = (
            f"{label}\t{printable(name)}\t{w!r}\n" for label, name, w in found.weights.nonzero()
        )
        while some := "".join(islice(lines, LINES_AT_A_TIME)):
            click.echo(some, nl=False)
    elif as_json and found.tags_sentences:
        say_json(facts_of(found))
    elif as_json:
        largest = {
            voice: [{"feature": name, "weight": weight} for name, weight in pairs]
            for voice, pairs in found.weights.largest(top).items()
        }
        say_json({**facts_of(found), "top_weights": largest if found.has_weights else None})
    else:
        say(_card(found))
        if found.has_weights:
            say(_top_lines(found, top))


def facts_of(model: Model) -> dict[str, Any]:
    """Return the facts of a model card as plain data, with the same keys for all models."""
    card = model.state.card
    tags = model.tags_sentences
    record = card.record
    facts = {
        "model": model.path,
        "sha256": card.sha256,
        "version": card.version,
        "learner": card.learner,
        "parameters": _differing(model),
        "classes": model.classes,
        "features": model.state.n_features,
        "examples": record.t,
        "mistakes": record.n_mistakes,
        "seed": record.seed,
        "rows": None if tags or record.fit is None else record.fit.rows,
        **fit_facts(card),
        "data_sha256": None if record.data is None else record.data.sha256,
        "ledger": model.state.has_ledger,
        "training_data": card.training_data,
        "slim": card.slim,
        "columns": model.schema.describe() if model.has_schema else None,
        "support_rows": None,
        "leaderboard": leaderboard(card),
    }
    if tags:
        return facts | _tagger_facts(card)
    if not model.has_weights:
        facts["support_rows"] = model.state.arrays["support.number"].size
    return facts


def _made_by(model: Model) -> dict[str, Any]:
    """Return the command that made the model, and the digests of what it was made from."""
    card = model.state.card
    data = card.record.data
    if data is None or data.command is None:
        raise ModelFileError(
            f"{model.path} keeps no command: it was made in Python, by a stream, of a pipe or over "
            "shards, or its training was interrupted. rosenblatt train FILE keeps its own."
        )
    return {
        "command": ["rosenblatt", *data.command],
        "data_sha256": data.sha256,
        "package_sha256": data.package,
        "version": card.version,
        "model": model.path,
        "sha256": card.sha256,
        "examples_since": card.record.t - data.t,
    }


def _command_lines(record: dict[str, Any]) -> Iterator[str]:
    import shlex

    yield shlex.join(record["command"])
    yield f"# by rosenblatt {record['version']}; SHA-256 of the data, the package and the model:"
    yield f"# data     {record['data_sha256']}"
    yield f"# package  {record['package_sha256']}"
    yield f"# model    {record['sha256']}"
    if since := record["examples_since"]:
        yield f"# it has learned from {count(since, 'example')} since, by --resume or otherwise"


def _tagger_facts(card: Card) -> dict[str, Any]:
    from rosenblatt.tables.readers.sentence_layout import SentenceLayout

    words = card.model.words
    layout = card.schema
    return {
        "columns": None if layout is None else [SentenceLayout.from_json(layout).describe()],
        "top_weights": None,
        "templates": card.model.templates,
        "known_words": words[0] if words else None,
    }


def _differing(model: Model) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, except templates."""
    from rosenblatt import SequenceTagger

    options = (SequenceTagger if model.tags_sentences else type(model.learner)).options()
    return {
        name: value
        for name, value in sorted(model.state.card.parameters.items())
        if not options[name].is_default(value) and name != "templates"
    }


def _card(model: Model) -> list[str]:
    facts = facts_of(model)
    items = {"model": f"{model.path} (rosenblatt {facts['version']})", "learner": facts["learner"]}
    if facts["parameters"]:
        items["parameters"] = ", ".join(f"{n}={v!r}" for n, v in facts["parameters"].items())
    if model.tags_sentences:
        items["tags"] = f"{len(model.classes):,}: {first_few(model.classes, MAX_TAGS)}"
        if facts["columns"] is not None:
            items["reads"] = facts["columns"][0]
        items["features"] = f"{facts['features']:,}, without names: {NAMELESS}"
        if facts["known_words"] is not None:
            items["words"] = f"{facts['known_words']:,} known"
        items |= _training_lines(facts, "sentences")
    else:
        items["classes"] = first_few([str(label) for label in model.classes], MOST_CLASSES)
        items["features"] = f"{facts['features']:,}"
        if facts["support_rows"] is not None:
            items["support"] = f"{facts['support_rows']:,} rows"
        if facts["rows"] is not None:
            items["rows"] = f"{facts['rows']:,}"
        items |= _training_lines(facts, "examples")
    if facts["ledger"]:
        items["ledger"] = f"every {'mistake' if model.tags_sentences else 'update'} was kept"
        ledger = model.state.card.model.ledger
        if first := getattr(ledger, "t", ledger):
            items["ledger"] += f" since example {first + 1:,}"
    items["holds"] = HOLDS[facts["training_data"]]
    if facts["slim"]:
        items["slim"] = "it predicts, but cannot learn on"
    if facts.get("templates") is not None:
        items["templates"] = f"{len(facts['templates']):,}: {' '.join(facts['templates'])}"
    lines = [f"{name:10}  {text}" for name, text in items.items()]
    if model.tags_sentences:
        return lines
    if facts["leaderboard"]:
        lines += ["", *leaderboard_lines(facts["leaderboard"])]
    columns = facts["columns"] or []
    lines += ["", *columns[:MOST_COLUMNS]]
    if len(columns) > MOST_COLUMNS:
        lines.append(f"and {len(columns) - MOST_COLUMNS:,} columns more (--json)")
    return lines


def _training_lines(facts: dict[str, Any], units: str) -> dict[str, str]:
    """Return the lines about training by their titles; `units` names the training examples."""
    from rosenblatt.models.result import stop_text

    items = {}
    if facts["epochs"] is None:
        items["learned"] = f"{facts['examples']:,} {units} one by one"
        items["mistakes"] = f"{facts['mistakes']:,}"
    else:
        mistakes = f"{facts['mistakes']:,}" + (" sentences" if units == "sentences" else "")
        items["epochs"] = f"{facts['epochs']:,}"
        items["mistakes"] = f"{mistakes}; by epoch {shortened(facts['mistakes_per_epoch'])}"
        items["ended"] = stop_text(facts["stop_reason"], rows := units.replace("examples", "rows"))
        if facts["training_errors"] is not None:
            items["errors"] = f"{facts['training_errors']:,} on the training {rows}"
    if facts["best_epoch"] is not None:
        kept = "in the pocket"
        if facts["dev_accuracy"] is not None:
            kept = f"{facts['dev_accuracy']:.4f} right held out"
        items["best epoch"] = f"{facts['best_epoch']}, {kept}"
    items["data"] = f"SHA-256 {facts['data_sha256'] or 'not kept'}"
    return items


# ---------------------------------------------------------------------- weights


def _top_lines(model: Model, top: int) -> Iterator[str]:
    if not top:
        return
    largest = model.weights.largest(top)
    for voice, pairs in largest.items():
        yield ""
        yield f"largest weights for {voice}" + (
            f" (negative: for {model.classes[0]})" if len(largest) < len(model.classes) else ""
        )
        rows = [
            (ordinary(weight, "+", 5), cut(printable(name), LONGEST_NAME)) for name, weight in pairs
        ]
        yield from text_table(rows, align="><", indent=2)
