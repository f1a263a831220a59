"""Training with --shards, for train and tag train."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import named
from rosenblatt.cli.data.training_report import (
    counted_classes,
    kept_by_interrupt,
    majority_facts,
    majority_line,
    shortened,
    training_facts,
)
from rosenblatt.cli.frame.destinations import default_destination, write_model
from rosenblatt.cli.frame.interrupts import NOTHING_LEARNED, current_interrupts
from rosenblatt.cli.frame.options import share_of
from rosenblatt.cli.frame.terminal import progress_shown, say, say_json
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.estimators.learner import Learner


def train_on_shards(
    learner: Learner,
    sharding: dict[str, Any],
    data: Sequence[str],
    reading: dict[str, Any],
    *,
    dev: str | None,
    out: str | None,
    slim: bool,
    as_json: bool,
    quiet: bool,
    unit: str = "row",
) -> None:
    """Train over shards of files, write the model, and print the result."""
    from rosenblatt.distributed import distribute
    from rosenblatt.distributed.shards import expanded
    from rosenblatt.models.result import stop_text

    if dev is not None and share_of(dev) is not None:
        raise click.UsageError(f"--dev {dev}: name a file; no rows of shards are held out.")
    interrupts = current_interrupts()
    files = expanded(data)
    interrupts.outcome = NOTHING_LEARNED
    path = default_destination(out, None, files, "model", [] if dev is None else [dev])
    with interrupts.held():
        with warnings.catch_warnings(), progress_shown(quiet or as_json):
            warnings.simplefilter("ignore")  # the reason to stop is shown anyway
            done = distribute(learner, **sharding).fit_files(files, validation_set=dev, **reading)
        model = done.to_local()
        report = done.report_
        state = write_model(model, path, slim=slim)
    interrupts.end(kept_by_interrupt(model, path, unit))
    n = sum(report.examples)
    wrong = model.n_training_errors_
    labels = "classes" if unit == "row" else "tags"
    counts = {str(label): n for label, n in report.labels.items()}
    facts = training_facts(state, path, {f"{unit}s": n}, {labels: counts}, 1 - wrong / n)
    facts |= {"training_errors": wrong, "distribution": report.to_json()}
    facts |= majority_facts(model) if unit == "row" else {}
    if as_json:
        say_json(facts)
    elif not quiet:
        held = facts["accuracy"]["dev"]
        seen = "" if held is None else f", {held:.4f} on {dev} (epoch {facts['best_epoch']})"
        say(
            [
                f"{named(data)}: {count(n, unit)}, {count(state.n_features, 'feature')}",
                counted_classes(counts),
                f"{count(facts['epochs'], 'epoch')}, mistakes "
                + shortened(facts["mistakes_per_epoch"]),
                f"ended: {stop_text(facts['stop_reason'], f'{unit}s')}",
                f"accuracy: {1 - wrong / n:.4f} on all {unit}s{seen}",
                *(majority_line(facts) if unit == "row" else ()),
                *report.describe(),
                f"wrote {path}",
            ]
        )
