"""A run as the page shows it: as far as it can be followed, as JSON or as a CSV table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.inspection.runs import LinearRun, Run, prediction, run_of
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.recording import Entries
from rosenblatt.models.result import stop_text
from rosenblatt.models.rows import scores
from rosenblatt.plurals import count
from rosenblatt.studio.mapped_rows import MappedRows, numbers_of
from rosenblatt.studio.recipes import Recipe, most_updates


@dataclass(eq=False)
class PageRun:
    """One learner of a page, fitted, and its run from update to update."""

    recipe: Recipe
    learner: Mapping[str, Any]
    examples: MappedRows
    fitted: Any = field(repr=False)

    @cached_property
    def replay(self) -> Run:
        """The updates that are shown."""
        shown = most_updates(self.examples, averaged=self.is_averaged)
        most = min(shown, len(self.fitted.ledger_))
        if not self.recipe.placeholder:
            return run_of(self.fitted, self.examples.X, most)
        # The row that stands for the missing class was counted at the end of each epoch.
        ledger: Ledger = self.fitted.ledger_
        length = len(self.examples) + 1
        seen = {
            "t": ledger.entries.t - (ledger.entries.t - 1) // length,
            "n_examples": ledger.n_examples - ledger.n_examples // length,
            "average_from": ledger.average_from - ledger.average_from // length,
        }
        return LinearRun(Ledger.from_arrays(ledger.to_arrays() | seen), self.examples.X, most)

    @property
    def n_updates(self) -> int:
        """How many updates are shown."""
        return len(self.replay)

    @property
    def truncated(self) -> bool:
        return self.stop_reason == "cut" or self.n_updates < len(self.fitted.ledger_)

    @property
    def entries(self) -> Entries:
        return self.replay.entries

    @property
    def stop_reason(self) -> str:
        reason: str = self.fitted.stop_reason_
        return "cut" if self.recipe.cut and reason == "max_iter" else reason

    def sentence(self) -> str:
        """Why it ended, and what is not shown of it."""
        after = f"after {count(self.fitted.n_iter_, 'epoch')}"
        if self.stop_reason == "cut":
            sentences = [f"Ended {after}, since the run grows long with so many points."]
        else:
            why = stop_text(self.stop_reason, "points")
            sentences = [f"Stopped {after}. {why[0].upper()}{why[1:]}."]
        if not self.recipe.placeholder:
            sentences.append(f"{count(self.fitted.n_training_errors_, 'training error')}.")
        if self.n_updates < (made := len(self.fitted.ledger_)):
            sentences.append(f"It made {made:,} updates; the first {self.n_updates:,} are shown.")
        return " ".join(sentences)

    # ------------------------------------------------------------------ which learner it is

    @property
    def has_weights(self) -> bool:
        """Whether weight vectors describe it, and not coefficients of mistaken points."""
        return self.recipe.entry.family == "linear"

    @property
    def is_voted(self) -> bool:
        """Whether all its weight vectors vote, each as long as it survived."""
        return self.has_weights and bool(self.fitted.keeps_rows)

    @property
    def is_averaged(self) -> bool:
        return self.has_weights and bool(self.fitted.averages) and not self.is_voted

    @property
    def rule(self) -> str:
        """The name of the rule that decides how far each step goes."""
        return self.fitted.rule().name if self.has_weights else "perceptron"

    @property
    def even_steps(self) -> bool:
        """Whether it moves on mistakes alone, and always as far."""
        return not self.has_weights or bool(self.fitted.rule().counts_tell_all)

    # ------------------------------------------------------------------ its numbers

    @property
    def vectors(self) -> int:
        """How many weight vectors it has; none with a kernel."""
        return self.replay.n_vectors if self.has_weights else 0

    @property
    def weights(self) -> FloatArray:
        """The vectors before the first and after every update, the bias last in each."""
        assert isinstance(self.replay, LinearRun)
        return self.replay.weights

    @property
    def answers(self) -> FloatArray | None:
        """The mean over the examples before the next update, where that is what answers."""
        if not self.is_averaged:
            return None
        assert isinstance(self.replay, LinearRun)
        return self.replay.averages

    def values(self, at: int, X: FloatArray) -> FloatArray:
        """What rows score after ``at`` updates: one number each, or one for each class."""
        replay = self.replay
        if self.is_voted and isinstance(replay, LinearRun):
            return replay.votes(at, X, ties=self.learner["ties"])
        if self.answers is not None:
            return scores(X, self.answers[at, :, :-1], self.answers[at, :, -1])
        return replay.values(at, X)

    def cost(self, at: int) -> int:
        """How many numbers go into one such score."""
        if self.is_voted:
            return at
        if self.has_weights:
            return int(self.examples.X.shape[1]) * self.vectors
        return len(np.unique(self.entries.row[:at])) * self.replay.n_vectors

    def to_json(self) -> dict[str, Any]:
        entries, answers = self.entries, self.answers
        survived = self.replay.survival.tolist() if self.is_averaged or self.is_voted else None
        return {
            "title": self.recipe.title,
            "rule": self.rule,
            "rates": self.fitted.rule().rates if self.has_weights else None,
            "even_steps": self.even_steps,
            "votes": self.is_voted,
            "learner": dict(self.learner),
            "stop_reason": self.stop_reason,
            "sentence": self.sentence(),
            "n_updates": self.n_updates,
            "truncated": self.truncated,
            "mistakes_per_epoch": list(self.fitted.mistakes_per_epoch_),
            "vectors": self.vectors,
            "n_examples": self.replay.n_examples,
            "row": self.examples.numbers[entries.row].tolist(),
            "t": entries.t.tolist(),
            "epoch": ((entries.t - 1) // len(self.examples) + 1).tolist(),
            "score": numbers_of(self.replay.scores),
            "right": entries.y_true.tolist(),
            "wrong": entries.y_pred.tolist(),
            "step": numbers_of(entries.step),
            "weights": numbers_of(self.weights.ravel()) if self.has_weights else None,
            "answers": None if answers is None else numbers_of(answers.ravel()),
            "survived": survived,
            "gamma": None if self.has_weights else self.fitted.gamma_,
            "proof": None,
        }


def as_csv(run: PageRun) -> str:
    """One line an update: which point, what it scored, and the weights after it."""
    examples, columns, entries = run.examples, run.to_json(), run.entries
    classes = examples.classes
    several = len(classes) > 2
    head = ["update", "epoch", "example", "point", *examples.columns, "class", "predicted"]
    head += ["lowered"] * several
    head += [f"score of {name}" for name in classes] if several else ["score"]
    head.append("step")
    weights: list[Any] = []
    if run.has_weights:
        of = [f" of {name}" for name in classes] if several else [""]
        names = [*examples.names, "bias"]
        head += [f"weight of {name}{which}" for which in of for name in names]
        weights = [numbers_of(after.ravel()) for after in run.weights[1:]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")  # as RFC 4180 has it
    writer.writerow(map(_no_formula, head))
    for k in range(run.n_updates):
        row, wrong, score = columns["row"][k], columns["wrong"][k], columns["score"][k]
        cells = [
            k + 1,
            columns["epoch"][k],
            columns["t"][k],
            row + 1,
            *numbers_of(examples.points[entries.row[k]]),
            classes[columns["right"][k]],
            prediction(classes, score if several else [score], run.learner["ties"]) or "",
            *(["" if wrong < 0 else classes[wrong]] * several),
            *(score if several else [score]),
            columns["step"][k],
            *(weights[k] if weights else []),
        ]
        writer.writerow(map(_no_formula, cells))
    return out.getvalue()


def _no_formula(cell: Any) -> Any:
    """A text that a spreadsheet would run begins with an apostrophe; numbers stay what they are."""
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
