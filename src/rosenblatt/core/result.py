"""What a fit came to: the reasons to stop, the scores on held-out examples, the counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.duals import Pairs, Shares

__all__ = ["STOP_REASONS", "EpochCallback", "FitResult", "Validation", "stop_text"]

STOP_REASONS = {
    "separated": "an epoch without a mistake: the rows are separated",
    "cycle": "the weights repeat themselves: the rows cannot be separated",
    "early_stopping": "no gain on the rows held out",
    "tolerance": "proven by the run: no hyperplane separates the rows by a margin worth having",
    "max_iter": "the limit of epochs was reached while mistakes remained",
    "interrupted": "interrupted; what was learned until then is kept",
}


def stop_text(reason: str, examples: str = "rows") -> str:
    """Why a fit ended, in words; ``examples`` is what the learner calls its rows."""
    return STOP_REASONS[reason].replace("rows", examples)


# Called after every epoch: its number, its mistakes and the score on held-out examples, if any.
EpochCallback = Callable[[int, int, float | None], None]


@dataclass
class Validation:
    """A score on held-out examples, taken after every epoch; patience counts epochs without a gain.

    ``keep`` is called at each new best and returns what is needed to go back to it.
    """

    score: Callable[[], float]
    keep: Callable[[], Any]
    patience: int
    scores: list[float] = field(default_factory=list)
    best: Any = None
    best_epoch: int = 0

    def after_epoch(self) -> float:
        """Take the score; a new best is kept."""
        score = self.score()
        if score > max(self.scores, default=-math.inf):
            self.best, self.best_epoch = self.keep(), len(self.scores) + 1
        self.scores.append(score)
        return score

    @property
    def patience_ended(self) -> bool:
        return len(self.scores) - self.best_epoch >= self.patience

    def prefer_last(self) -> None:
        """All is right now: of equals on the held-out examples, keep what separates."""
        if self.scores[-1] == max(self.scores):
            self.best, self.best_epoch = self.keep(), len(self.scores)


@dataclass
class FitResult:
    """What a fit did and why it ended; ``stop_reason`` is one of `STOP_REASONS`."""

    mistakes_per_epoch: list[int] = field(default_factory=list)
    stop_reason: str = "max_iter"
    n_updates: int = 0
    cycle_length: int | None = None
    margin_ceiling: float = math.inf
    mistakes_per_row: npt.NDArray[np.int32] | None = None
    dual: npt.NDArray[np.float64] | None = None
    pairs: Pairs | Shares | None = None
    signs: npt.NDArray[np.int8] | None = None
    eta: float = 1.0
    random: int = 0

    @property
    def converged(self) -> bool:
        return self.stop_reason == "separated"

    @property
    def n_iter(self) -> int:
        return len(self.mistakes_per_epoch)

    def dual_of_rows(self) -> npt.NDArray[np.float64]:
        """For two classes: the signed sum of the steps of every row."""
        if self.dual is not None:
            return self.dual
        assert self.mistakes_per_row is not None
        assert self.signs is not None
        return np.asarray(self.eta * self.mistakes_per_row * self.signs, np.float64)
