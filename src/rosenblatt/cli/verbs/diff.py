"""rosenblatt diff: what two models do not have in common."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.cli.data.models import MODEL, Model, open_model
from rosenblatt.cli.frame.json_output import say_json
from rosenblatt.cli.frame.options import Command, Whole
from rosenblatt.cli.frame.terminal import cut, say
from rosenblatt.cli.verbs.show import facts_of, voices

__all__ = ["command"]

FACTS = (
    "learner",
    "parameters",
    "classes",
    "features",
    "support_rows",
    "rows",
    "examples",
    "mistakes",
    "epochs",
    "stop_reason",
    "best_epoch",
    "data_sha256",
)
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
    """Tell how SECOND differs from FIRST: record, classes, features and weights, by name.

    Models are equal if they answer, learn on and tell the same. Weights are compared by the names
    of features and classes; one that is missing counts as 0.
    """
    found = differences(open_model(first, taggers=True), open_model(second, taggers=True), top)
    if as_json:
        say_json(found)
    else:
        say(_report(found))
    return 0 if found["equal"] else 1


def differences(first: Model, second: Model, top: int) -> dict[str, Any]:
    """Everything the command tells, as what becomes the JSON object."""
    if first.tags_sentences or second.tags_sentences:
        return _between_taggers(first, second)
    left, right = facts_of(first), facts_of(second)
    facts = {name: [left[name], right[name]] for name in FACTS if left[name] != right[name]}
    hashing = _hashing(first)
    by_number = bool(hashing) and hashing == _hashing(second)
    old, new = (_named(model, by_number=by_number) for model in (first, second))
    changes = [
        (*key, old.weights.get(key, 0.0), new.weights.get(key, 0.0))
        for key in {**old.weights, **new.weights}
        if old.weights.get(key, 0.0) != new.weights.get(key, 0.0)
    ]
    if not (first.has_weights and second.has_weights):
        changes = []
    changes.sort(key=lambda change: -abs(change[3] - change[2]))
    called = {"(bias)": "(bias)", **old.names, **new.names}
    return {
        "models": [first.path, second.path],
        "equal": _same(first, second),
        "facts": facts,
        "features_added": _beyond(new, old),
        "features_removed": _beyond(old, new),
        "weights_changed": len(changes) if first.has_weights and second.has_weights else None,
        "largest_changes": [
            {"class": label, "feature": called[key], "from": before, "to": after}
            for label, key, before, after in changes[:top]
        ],
    }


def _between_taggers(first: Model, second: Model) -> dict[str, Any]:
    """What their cards tell apart; a tagger and another model differ in what they are."""
    from rosenblatt.cli.tag.tag_card import COMPARED, tagger_facts

    if first.tags_sentences and second.tags_sentences:
        left, right = tagger_facts(first), tagger_facts(second)
    else:
        left, right = ({"learner": model.state.card.learner} for model in (first, second))
    names = [name for name in COMPARED if name in left and left[name] != right[name]]
    return {
        "models": [first.path, second.path],
        "equal": _same(first, second),
        "facts": {name: [left[name], right[name]] for name in names},
        "features_added": [],
        "features_removed": [],
        "weights_changed": None,
        "largest_changes": [],
    }


def _beyond(one: Named, other: Named) -> list[str]:
    known = set(other.features)
    return [one.names[key] for key in one.features if key not in known]


def _same(first: Model, second: Model) -> bool:
    """By their digests, which cover every bit; the version that wrote them does not matter."""
    import msgspec

    a, b = first.state, second.state
    cards = [msgspec.structs.replace(s.card, version="", sha256="").to_json() for s in (a, b)]
    if cards[0] != cards[1] or a.arrays.keys() != b.arrays.keys():
        return False
    return all(
        values.dtype == b.arrays[name].dtype
        and values.shape == b.arrays[name].shape
        and values.tobytes() == b.arrays[name].tobytes()
        for name, values in a.arrays.items()
    )


@dataclass
class Named:
    """What a model has, by what identifies it: names of features, those listed, and weights."""

    names: dict[str, str]
    features: list[str]
    weights: dict[tuple[str, str], float]


def _named(model: Model, *, by_number: bool) -> Named:
    """By name, as different schemas number features differently.

    ``by_number``: both models hash alike, so that hashed columns are identified by their number;
    their name is only that of the n-gram which was met first. Both have all of these columns, so
    they are not listed as features.
    """
    import numpy as np

    if not model.has_weights:
        listed = model.names(range(model.state.n_features))
        return Named(dict(zip(listed, listed, strict=True)), listed, {})
    coef, bias = model.weights()
    used = np.flatnonzero(np.any(coef, axis=0)).tolist()
    identity = model.names
    if by_number:
        from rosenblatt.features import schema_from_json

        identity = schema_from_json(_nameless(model.state.card.schema)).names
    own = list(_not_hashed(model))
    places = sorted({*used, *own})
    names = dict(zip(identity(places), model.names(places), strict=True))
    keys = identity(used)
    weights = {}
    for voice, row, constant in zip(voices(model), coef, bias.tolist(), strict=True):
        if constant:
            weights[voice, "(bias)"] = constant
        for key, weight in zip(keys, row[used].tolist(), strict=True):
            if weight:
                weights[voice, key] = weight
    return Named(names, identity(own) if by_number else list(names), weights)


def _not_hashed(model: Model) -> Iterator[int]:
    """The features that have a name of their own."""
    schema: Any = model.schema if model.has_schema else None
    start = 0
    for part in getattr(schema, "columns", (schema,)):
        size = model.state.n_features if part is schema else part.n_features
        if not _hashes(getattr(part, "features", part)):
            yield from range(start, start + size)
        start += size


def _hashes(part: Any) -> bool:
    settings = getattr(part, "settings", {})
    return settings.get("bits") is not None or getattr(part, "bits", None) is not None


def _nameless(told: Any) -> Any:
    """A schema whose hashed columns have no names."""
    told = deepcopy(told)
    if isinstance(told, dict):
        for part in (told, *told.get("columns", ())):
            features = part.get("features")
            if isinstance(features, dict) and features["bits"] is not None:
                features["names"] = {}
    return told


def _hashing(model: Model) -> list[Any]:
    """How texts are hashed: the same number means the same column where this is the same."""
    told = _nameless(model.state.card.schema)
    parts = (told, *told.get("columns", ())) if isinstance(told, dict) else ()
    return [(part.get("name"), part["features"]) for part in parts if "features" in part]


def _report(found: dict[str, Any]) -> list[str]:
    if found["equal"]:
        return ["equal"]
    lines = [f"{name}: {_told(a)} -> {_told(b)}" for name, (a, b) in found["facts"].items()]
    for key, words in (("features_added", "added"), ("features_removed", "removed")):
        names = found[key]
        if names:
            more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
            lines.append(f"features {words} ({len(names):,}): {', '.join(names[:SHOWN])}{more}")
    if found["weights_changed"]:
        lines.append(f"weights changed: {found['weights_changed']:,}")
        for change in found["largest_changes"]:
            lines.append(
                f"  {change['from']:+11.5g} -> {change['to']:+11.5g}  "
                + cut(f"{change['class']}: {change['feature']}", LONGEST_NAME)
            )
    if found["weights_changed"] is None:
        return lines or ["not the same weights, support rows, record or state"]
    return lines or ["the same weights, but not the same record or state"]


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={v!r}" for name, v in value.items()) or "defaults"
    if isinstance(value, list):
        more = f" and {len(value) - SHOWN:,} more" if len(value) > SHOWN else ""
        return ", ".join(map(str, value[:SHOWN])) + more
    if isinstance(value, str):
        return value[:16] + "…" if len(value) > 40 else value
    return "none" if value is None else f"{value:,}"
