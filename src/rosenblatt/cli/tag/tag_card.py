"""What a tagger is, for show and diff: tags, templates and how it came about."""

from __future__ import annotations

from typing import Any

from rosenblatt.cli.data.models import Model
from rosenblatt.cli.data.training_report import shortened
from rosenblatt.errors import ModelFileError

__all__ = ["COMPARED", "card_of", "refuse_weights", "tagger_facts"]

COMPARED = (
    "learner",
    "parameters",
    "classes",
    "columns",
    "templates",
    "features",
    "known_words",
    "examples",
    "mistakes",
    "epochs",
    "stop_reason",
    "best_epoch",
    "data_sha256",
)
MOST_TAGS = 24
NAMELESS = "each is known by a hash of its template and words"


def refuse_weights(model: Model) -> None:
    raise ModelFileError(f"{model.path}: its features have no names; {NAMELESS}.")


def tagger_facts(model: Model) -> dict[str, Any]:
    """What the card says, as plain data; words mean what they mean for other models."""
    card = model.state.card
    from rosenblatt.io import SentenceLayout

    tagger, record, fit = card.model, card.record, card.record.fit
    best = None if fit is None or fit.validation_scores is None else fit.best_iter
    return {
        "model": model.path,
        "sha256": card.sha256,
        "version": card.version,
        "learner": card.learner,
        "parameters": _differing(card.parameters),
        "classes": sorted(card.classes),
        "features": model.state.n_features,
        "examples": record.t,
        "mistakes": record.n_mistakes,
        "seed": record.seed,
        "rows": None,
        "epochs": None if fit is None else fit.n_iter,
        "mistakes_per_epoch": None if fit is None else fit.mistakes_per_epoch,
        "stop_reason": None if fit is None else fit.stop_reason,
        "converged": None if fit is None else fit.converged,
        "best_epoch": best,
        "dev_accuracy": None
        if fit is None or fit.validation_scores is None or best is None
        else fit.validation_scores[best - 1],
        "data_sha256": None if record.data is None else record.data.sha256,
        "ledger": tagger.ledger,
        "columns": None
        if card.schema is None
        else [SentenceLayout.from_json(card.schema).describe()],
        "support_rows": None,
        "top_weights": None,
        "templates": tagger.templates,
        "known_words": tagger.words[0] if tagger.words else None,
    }


def card_of(model: Model) -> list[str]:
    facts = tagger_facts(model)
    told = {"model": f"{model.path} (rosenblatt {facts['version']})", "learner": facts["learner"]}
    if facts["parameters"]:
        told["parameters"] = ", ".join(f"{n}={v!r}" for n, v in facts["parameters"].items())
    tags = facts["classes"]
    more = f" and {len(tags) - MOST_TAGS:,} more" if len(tags) > MOST_TAGS else ""
    told["tags"] = f"{len(tags):,}: {', '.join(tags[:MOST_TAGS])}{more}"
    if facts["columns"] is not None:
        told["reads"] = facts["columns"][0]
    told["features"] = f"{facts['features']:,}, without names: {NAMELESS}"
    if facts["known_words"] is not None:
        told["words"] = f"{facts['known_words']:,} known"
    if facts["epochs"] is None:
        told["learned"] = f"{facts['examples']:,} sentences one by one"
        told["mistakes"] = f"{facts['mistakes']:,}"
    else:
        told["epochs"] = f"{facts['epochs']:,}"
        told["mistakes"] = (
            f"{facts['mistakes']:,} sentences; by epoch {shortened(facts['mistakes_per_epoch'])}"
        )
        from rosenblatt.core.result import stop_text

        told["ended"] = stop_text(facts["stop_reason"], "sentences").partition(":")[0]
    if facts["best_epoch"] is not None:
        told["best epoch"] = f"{facts['best_epoch']}, {facts['dev_accuracy']:.4f} right held out"
    told["data"] = f"SHA-256 {facts['data_sha256'] or 'not kept'}"
    if facts["ledger"]:
        told["ledger"] = "every mistake was kept"
    if facts["templates"] is not None:
        told["templates"] = f"{len(facts['templates']):,}: {' '.join(facts['templates'])}"
    return [f"{name:10}  {text}" for name, text in told.items()]


def _differing(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters that are not as by default; templates are told by themselves."""
    from inspect import signature

    import rosenblatt

    usual = signature(rosenblatt.SequenceTagger).parameters
    return {
        name: value
        for name, value in sorted(parameters.items())
        if value != usual[name].default and name != "templates"
    }
