"""The result of training: facts for the JSON output, and lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.data.reading import named
from rosenblatt.cli.data.training_data import Examples
from rosenblatt.cli.frame.terminal import cut, listed
from rosenblatt.plurals import count
from rosenblatt.text_tables import text_table

if TYPE_CHECKING:
    from rosenblatt.estimators.learner import Learner
    from rosenblatt.estimators.row_classifier import RowClassifier
    from rosenblatt.persistence.card import Card, State

LONGEST_LABEL = 24
MAX_TRIED = 8


def facts_of(
    learner: RowClassifier, state: State, examples: Examples, held: Examples | None, path: str
) -> dict[str, Any]:
    """Return the result of training on rows, as in the JSON output."""
    counts = sorted(examples.counts.items())
    classes = {"classes": {str(label): n for label, n in counts}}
    rows = {"rows": len(examples)}
    wrong = getattr(learner, "n_training_errors_", None)
    right = _accuracy(learner, examples) if wrong is None else 1 - wrong / len(examples)
    facts = training_facts(state, path, rows, classes, right)
    facts |= {"training_errors": wrong, "converged": None if wrong is None else not wrong}
    facts |= {"dev_rows": None, "columns": examples.schema.describe()}
    facts["target"] = examples.schema.target
    facts["leaderboard"] = leaderboard(state.card)
    facts |= majority_facts(learner)
    if facts["accuracy"]["dev"] is not None:
        # Each epoch counted the rows it learned from; the others were held out.
        learned = learner.t_ // learner.n_iter_
        facts["dev_rows"] = len(examples) - learned if held is None else len(held)
    return facts


def majority_facts(learner: object) -> dict[str, Any]:
    """Return whether the learner beats the majority class, and that class; None if not compared."""
    found = getattr(learner, "_majority", None)
    if found is None:
        return {"beats_majority": None, "majority": None}
    label = cut(str(found.label), LONGEST_LABEL)
    return {"beats_majority": found.is_beaten, "majority": found._replace(label=label)._asdict()}


def majority_line(facts: dict[str, Any]) -> list[str]:
    """Return a line about the majority class if the learner does not beat it; otherwise no line."""
    from rosenblatt.estimators.majority import MajorityBaseline

    beaten = facts["beats_majority"] is not False
    return [] if beaten else [str(MajorityBaseline(**facts["majority"]))]


def training_facts(
    state: State, path: str, sizes: dict[str, int], counted: dict[str, Any], right: float
) -> dict[str, Any]:
    """Return the facts common to every training; ``right`` is the training accuracy."""
    record = state.card.record
    fit = fit_facts(state.card)
    dev_accuracy = fit.pop("dev_accuracy")
    return {
        "model": path,
        "learner": state.card.learner,
        **sizes,
        "features": state.n_features,
        **counted,
        "examples": record.t,
        "mistakes": record.n_mistakes,
        **fit,
        "accuracy": {"train": right, "dev": dev_accuracy},
        "data_sha256": None if record.data is None else record.data.sha256,
    }


def fit_facts(card: Any) -> dict[str, Any]:
    """Return the facts of the last fit from a model card; those not recorded are None."""
    fit = card.record.fit
    wrong = None if fit is None else fit.training_errors
    # The scores of a pocket learner are on the training rows, not on held-out ones.
    scores = None if fit is None or card.parameters.get("pocket") else fit.validation_scores
    return {
        "epochs": None if fit is None else fit.n_iter,
        "mistakes_per_epoch": None if fit is None else fit.mistakes_per_epoch,
        "stop_reason": None if fit is None else fit.stop_reason,
        "training_errors": wrong,
        "converged": None if wrong is None else wrong == 0,
        "best_epoch": None if fit is None else fit.best_iter,
        "dev_accuracy": scores[fit.best_iter - 1] if scores and fit.best_iter else None,
    }


def leaderboard(card: Card) -> list[dict[str, Any]] | None:
    """Return the candidates tried on held-out rows; None unless the learner was auto."""
    from rosenblatt.estimators.selection import Candidate

    tried = card.record.search
    return None if tried is None else [Candidate(*row)._asdict() for row in tried]


def _accuracy(learner: RowClassifier, examples: Examples) -> float:
    from rosenblatt.estimators.inputs import rows_without_names

    with rows_without_names():
        return float(learner.score(examples.X, examples.labels))


def summary(facts: dict[str, Any], data: tuple[str, ...]) -> list[str]:
    from rosenblatt.estimators.catalogue import find
    from rosenblatt.models.result import stop_text

    entry = find(facts["learner"])
    assert entry is not None

    lines = [
        f"{named(data)}: {facts['rows']:,} rows, {facts['features']:,} features"
        + (f", target {facts['target']}" if facts["target"] is not None else "")
        + ("" if facts["leaderboard"] is None else ", learner auto"),
        counted_classes(facts["classes"]),
    ]
    if facts["epochs"] is None:
        lines.append(
            f"{entry.title_in_sentence}, one pass: {count(facts['mistakes'], 'mistake')} in "
            f"{count(facts['examples'], 'example')} so far"
        )
    else:
        epochs = count(facts["epochs"], "epoch")
        lines += [
            f"{entry.title_in_sentence}, {epochs}, "
            f"mistakes {shortened(facts['mistakes_per_epoch'])}",
        ]
        if facts["leaderboard"] is None or facts["stop_reason"] != "max_iter":
            lines.append(f"ended: {stop_text(facts['stop_reason'])}")
        lines += leaderboard_lines(facts["leaderboard"] or [])
    accuracy = facts["accuracy"]
    line = f"accuracy: {accuracy['train']:.4f} on all {facts['rows']:,} rows"
    if facts["stop_reason"] == "separated" and facts["training_errors"] and not accuracy["dev"]:
        line += " (by other weights than the last)"
    if accuracy["dev"] is not None:
        of = "" if facts["dev_rows"] is None else f"{facts['dev_rows']:,} "
        line += f", {accuracy['dev']:.4f} on {of}held-out rows (epoch {facts['best_epoch']})"
    elif facts["best_epoch"] is not None:
        line += f" (the weights in the pocket, of epoch {facts['best_epoch']})"
    return [*lines, line, *majority_line(facts), f"wrote {facts['model']}"]


def leaderboard_lines(tried: list[dict[str, Any]]) -> list[str]:
    """Return a table of the chosen candidate, the default, and the best of every other rule."""
    first = sorted(tried, key=lambda row: (not row["chosen"], not row["is_default"]))
    best: dict[str, dict[str, Any]] = {}
    for row in first:
        best.setdefault("default" if row["is_default"] else row["name"], row)
    rows = []
    for row in list(best.values())[: MAX_TRIED - 1]:
        more = f"{100 * row['difference']:+.2f} ± {100 * row['standard_error']:.2f}"
        marks = ["the default"] * row["is_default"] + ["chosen"] * row["chosen"]
        name = ", ".join([row["name"], count(row["epochs"], "epoch"), *marks])
        rows.append((f"{row['error_rate']:.2%}", "" if row["is_default"] else more, name))
    head = ("held-out error", "to the default", "learner")
    return text_table(rows, head, align=">><") if rows else []


def kept_by_interrupt(learner: Learner, path: str, unit: str = "row") -> str:
    """Return the message for interrupted training: its progress, the model, how to resume."""
    reason = getattr(learner, "stop_reason_", None)
    if reason not in (None, "interrupted"):
        return f" when training had ended; wrote {path}"
    after = f" after {count(learner.t_, unit)}"
    resume = f"--resume {path}"
    if reason is not None:
        after = f" in epoch {learner.n_iter_:,}"
        resume = f"{resume} --epochs N"
        if hasattr(learner, "best_iter_"):
            after += f"; the weights of epoch {learner.best_iter_:,}, the best so far, predict"
    return f"{after}. What was learned is kept in {path}; continue with {resume}"


def counted_classes(counts: dict[str, int], of: str = "") -> str:
    """Return a line with as many classes and their counts as fit, at least one."""
    words = [f"{cut(label, LONGEST_LABEL)} ({n:,})" for label, n in counts.items()]
    return listed(f"{count(len(counts), 'class', 'classes')}{of}: ", words)


def counted_features(n: int, used: int) -> str:
    """Return the number of features as text, with the number of those that occur if smaller."""
    return count(n, "feature") + (f" ({used:,} occur)" if used < n else "")


def shortened(numbers: Sequence[float], form: str = ",", most: int = 8) -> str:
    """Return numbers as text; of a long list, the first few and the last two."""
    shown = [format(number, form) for number in numbers]
    return " ".join(shown if len(shown) <= most else [*shown[: most - 3], "…", *shown[-2:]])
