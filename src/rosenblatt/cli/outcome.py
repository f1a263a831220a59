"""What a training came to: for the model file, for programs, and for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.learners import Learner
from rosenblatt.cli.learning import Examples, Held
from rosenblatt.cli.lines import cut, listed
from rosenblatt.cli.models import Model
from rosenblatt.cli.reading import named

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema
    from rosenblatt.model import State

__all__ = ["complete", "counted_classes", "facts_of", "shortened", "summary"]

LONGEST_LABEL = 24


def complete(state: State, schema: AnySchema, data: tuple[str, ...] | None) -> None:
    """Add the schema and a digest of the files; going on keeps the digest of the beginning."""
    from rosenblatt.model.card import Data
    from rosenblatt.model.provenance import digest_of

    state.card.schema = schema.to_json(Model("", state, schema).weights()[0])
    if data is not None and "-" not in data:
        sha256, of = digest_of(list(data))
        state.card.record.data = Data(sha256=sha256, of=of, t=state.card.record.t)  # type: ignore[arg-type]


def facts_of(
    state: State, schema: AnySchema, examples: Examples, held: Held | None, path: str
) -> dict[str, Any]:
    card = state.card
    model = Model(path, state, schema)
    record = card.record
    facts: dict[str, Any] = {
        "model": path,
        "learner": card.learner,
        "rows": len(examples),
        "features": state.n_features,
        "classes": {
            str(label): count for label, count in sorted(Counter(examples.labels.tolist()).items())
        },
        "examples": record.t,
        "mistakes": record.n_mistakes,
        "epochs": None,
        "mistakes_per_epoch": None,
        "stop_reason": None,
        "converged": None,
        "best_epoch": None,
        "accuracy": {"train": _accuracy(model, examples), "dev": None},
        "dev_rows": None,
        "data_sha256": None if record.data is None else record.data.sha256,
        "columns": schema.told(),
    }
    if record.fit is not None:
        facts |= {
            "epochs": record.fit.n_iter,
            "mistakes_per_epoch": record.fit.mistakes_per_epoch,
            "stop_reason": record.fit.stop_reason,
            "converged": record.fit.converged,
            "best_epoch": record.fit.best_iter,
        }
        if record.fit.validation_scores is not None and record.fit.best_iter is not None:
            facts["accuracy"]["dev"] = record.fit.validation_scores[record.fit.best_iter - 1]
            if held is not None and held.examples is not None:
                facts["dev_rows"] = len(held.examples)
    return facts


def _accuracy(model: Model, examples: Examples) -> float:
    answers = model.answers(examples.X)[0]
    right = sum(a == b for a, b in zip(answers, examples.labels.tolist(), strict=True))
    return float(right / len(examples))


def summary(facts: dict[str, Any], learner: Learner, data: tuple[str, ...]) -> list[str]:
    from rosenblatt.core.training import STOP_REASONS

    lines = [
        f"{named(data)}: {facts['rows']:,} rows, {facts['features']:,} features",
        counted_classes(facts["classes"]),
    ]
    if facts["epochs"] is None:
        lines.append(
            f"{learner.words}, one pass: {facts['mistakes']:,} mistakes in "
            f"{facts['examples']:,} examples so far"
        )
    else:
        epochs = f"{facts['epochs']:,} epoch{'s' * (facts['epochs'] != 1)}"
        lines += [
            f"{learner.words}, {epochs}, mistakes {shortened(facts['mistakes_per_epoch'])}",
            f"ended: {STOP_REASONS[facts['stop_reason']]}",
        ]
    accuracy = facts["accuracy"]
    line = f"accuracy: {accuracy['train']:.4f} on these rows"
    separated = facts["stop_reason"] == "separated" and accuracy["dev"] is None
    if separated and learner.averaged and accuracy["train"] < 1:
        # Else it would seem to contradict the line above.
        line += " (the last weights alone: 1.0000)"
    if accuracy["dev"] is not None:
        of = "" if facts["dev_rows"] is None else f"{facts['dev_rows']:,} "
        line += f", {accuracy['dev']:.4f} on {of}rows held out (epoch {facts['best_epoch']})"
    return [*lines, line, f"wrote {facts['model']}"]


def counted_classes(counts: dict[str, int], of: str = "") -> str:
    """As many classes as fit into a line, at least one."""
    words = [f"{cut(label, LONGEST_LABEL)} ({count:,})" for label, count in counts.items()]
    return listed(f"{len(counts):,} class{'es' * (len(counts) != 1)}{of}: ", words)


def shortened(counts: list[int], most: int = 8) -> str:
    """The first few and the last of a list of numbers."""
    if len(counts) <= most:
        return " ".join(f"{count:,}" for count in counts)
    head, tail = counts[: most - 3], counts[-2:]
    return f"{shortened(head)} … {shortened(tail)}"
