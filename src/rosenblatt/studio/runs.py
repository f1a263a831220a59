"""A run of a learner, update by update, from its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.core.ledger import Entries, Ledger
from rosenblatt.core.result import stop_text
from rosenblatt.core.scoring import scores
from rosenblatt.studio.mapped_rows import Examples, numbers_of
from rosenblatt.studio.recipes import Recipe, most_updates

__all__ = ["LinearRun", "Run"]


@dataclass(eq=False)
class Run:
    """What every run has, whatever learned it.

    A run of one class alone counts a row of weight 0 at the end of each epoch; it is taken out of
    the counts of examples here.
    """

    recipe: Recipe
    learner: Mapping[str, Any]
    examples: Examples
    fitted: Any = field(repr=False)

    @property
    def most(self) -> int:
        return most_updates(self.examples)

    @cached_property
    def n_updates(self) -> int:
        """How many updates are shown."""
        return min(len(self.fitted.ledger_), self.most)

    @property
    def truncated(self) -> bool:
        return self.stop_reason == "cut" or self.n_updates < len(self.fitted.ledger_)

    @cached_property
    def entries(self) -> Entries:
        """The updates that are shown."""
        entries: Entries = self.fitted.ledger_.entries.first(self.n_updates)
        return entries._replace(t=entries.t - self._not_seen(entries.t))

    def _epoch_length(self) -> int:
        return len(self.examples) + int(self.recipe.placeholder)

    def _not_seen(self, t: Any) -> Any:
        return (t - 1) // self._epoch_length() if self.recipe.placeholder else 0

    @property
    def epochs(self) -> npt.NDArray[np.int64]:
        return np.asarray((self.entries.t - 1) // len(self.examples) + 1)

    @property
    def stop_reason(self) -> str:
        reason: str = self.fitted.stop_reason_
        return "cut" if self.recipe.cut and reason == "max_iter" else reason

    def sentence(self) -> str:
        """Why it ended, and what is not shown of it."""
        n = self.fitted.n_iter_
        after = f"after {n:,} epoch{'s' * (n != 1)}"
        if self.stop_reason == "cut":
            said = [f"Ended {after}, since the run grows long with so many points."]
        else:
            why = stop_text(self.stop_reason, "points")
            said = [f"Stopped {after}. {why[0].upper()}{why[1:]}."]
        if self.n_updates < len(self.fitted.ledger_):
            said.append(
                f"It made {len(self.fitted.ledger_):,} updates; the first {self.n_updates:,} are "
                "shown."
            )
        return " ".join(said)

    @property
    def rule(self) -> str:
        """The name of the rule that decides how far each step goes."""
        return "perceptron" if self.recipe.entry.family == "kernel" else self.fitted.rule().name

    @property
    def is_voted(self) -> bool:
        """Whether all weight vectors vote, each as long as it survived."""
        return self.recipe.entry.family == "linear" and bool(self.fitted.keeps_rows)

    @property
    def even_steps(self) -> bool:
        """Whether it moves on mistakes alone, and always as far."""
        return self.recipe.entry.family == "kernel" or self.fitted.rule().counts_tell_all

    def to_json(self) -> dict[str, Any]:
        entries = self.entries
        return {
            "title": self.recipe.title,
            "rule": self.rule,
            "even_steps": self.even_steps,
            "votes": self.is_voted,
            "learner": dict(self.learner),
            "stop_reason": self.stop_reason,
            "sentence": self.sentence(),
            "n_updates": self.n_updates,
            "truncated": self.truncated,
            "mistakes_per_epoch": list(self.fitted.mistakes_per_epoch_),
            "vectors": self.vectors,
            "row": entries.row.tolist(),
            "t": entries.t.tolist(),
            "epoch": self.epochs.tolist(),
            "score": numbers_of(self.scores),
            "right": entries.right.tolist(),
            "wrong": entries.wrong.tolist(),
            "step": numbers_of(entries.step),
            "weights": None,
            "answers": None,
            "survived": None,
            "proof": None,
        }

    @property
    def vectors(self) -> int:
        raise NotImplementedError

    @property
    def scores(self) -> FloatArray:
        """What each example scored before its update."""
        raise NotImplementedError

    def values(self, at: int, X: FloatArray) -> FloatArray:
        """What rows score after ``at`` updates: one number each, or one for each class."""
        raise NotImplementedError

    def cost(self, at: int) -> int:
        """How many numbers go into one such score."""
        raise NotImplementedError


class LinearRun(Run):
    """A run that weight vectors describe."""

    @property
    def vectors(self) -> int:
        return self.examples.n_vectors

    @property
    def most(self) -> int:
        return most_updates(self.examples, averaged=self.is_averaged)

    @property
    def is_averaged(self) -> bool:
        return bool(self.recipe.entry.load().averages and not self.is_voted)

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger as far as it is shown."""
        ledger: Ledger = self.fitted.ledger_
        return ledger if self.n_updates == len(ledger) else ledger.upto(self.n_updates)

    @cached_property
    def weights(self) -> FloatArray:
        """The vectors before the first and after every update, the bias last in each."""
        X, _ = self.recipe.rows(self.examples)
        trace = np.empty((self.n_updates + 1, self.vectors, X.shape[1] + 1))
        for k, (matrix, bias) in enumerate(self.ledger.trace(X)):
            trace[k, :, :-1], trace[k, :, -1] = matrix, bias
        return trace

    @cached_property
    def scores(self) -> FloatArray:
        # Several entries of one example were all decided by what it scored before the first.
        t = self.entries.t
        first = np.searchsorted(t, t)
        found = [
            scores(self.examples.X[row : row + 1], weights[:, :-1], weights[:, -1])[0]
            for row, weights in zip(self.entries.row.tolist(), self.weights[first], strict=True)
        ]
        return np.array(found, np.float64)

    @cached_property
    def survived(self) -> npt.NDArray[np.int64]:
        """How many examples the start and each later state lived."""
        n = self.ledger.n_examples
        seen = n - (n // self._epoch_length() if self.recipe.placeholder else 0)
        return np.diff(np.concatenate([[1], self.entries.t, [seen + 1]]))

    @cached_property
    def answers(self) -> FloatArray | None:
        """The mean over the examples before the next update, where that is what answers."""
        if not self.is_averaged:
            return None
        lived = self.survived.reshape(-1, 1, 1)
        total = np.cumsum(lived * self.weights, axis=0)
        mean = np.asarray(total / np.maximum(np.cumsum(lived, axis=0), 1))
        if not lived[0]:
            mean[0] = self.weights[0]
        if not self.recipe.placeholder:
            coef, bias = self.ledger.average(self.examples.X)
            mean[-1] = np.column_stack([coef, bias])
        return mean

    def values(self, at: int, X: FloatArray) -> FloatArray:
        if self.is_voted:
            rows, _ = self.recipe.rows(self.examples)
            return self.ledger.upto(at).votes(rows, X, ties=self.learner["ties"])
        weights = (self.weights if self.answers is None else self.answers)[at]
        return scores(X, weights[:, :-1], weights[:, -1])

    def cost(self, at: int) -> int:
        return at if self.is_voted else self.examples.X.shape[1] * self.vectors

    def to_json(self) -> dict[str, Any]:
        answers = self.answers
        told = {
            "weights": numbers_of(self.weights.ravel()),
            "answers": None if answers is None else numbers_of(answers.ravel()),
        }
        if self.is_averaged or self.is_voted:
            told["survived"] = self.survived.tolist()
        return super().to_json() | told
