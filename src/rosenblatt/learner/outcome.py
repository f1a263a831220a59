"""What a finished ``fit`` leaves on its estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.result import FitResult, Validation

__all__ = ["FitOutcome", "adopt", "forget"]


class FitOutcome:
    """What a finished ``fit`` leaves; gone once learning goes on in another way."""

    n_iter_: int
    mistakes_per_epoch_: list[int]
    mistakes_per_row_: npt.NDArray[np.int32]
    converged_: bool
    stop_reason_: str
    margin_ceiling_: float
    validation_scores_: list[float]
    best_iter_: int


def forget(estimator: Any) -> None:
    """What was true of the last ``fit`` is so no longer."""
    for name in FitOutcome.__annotations__:
        estimator.__dict__.pop(name, None)


def adopt(estimator: Any, training: FitResult, watch: Validation | None) -> None:
    """Set what is known of this ``fit``, and nothing of the one before."""
    forget(estimator)
    estimator.n_iter_ = training.n_iter
    estimator.mistakes_per_epoch_ = training.mistakes_per_epoch
    estimator.mistakes_per_row_ = training.mistakes_per_row
    answers_are_last = watch is None or watch.best_epoch == training.n_iter
    estimator.converged_ = training.converged and answers_are_last
    estimator.stop_reason_ = training.stop_reason
    estimator.margin_ceiling_ = training.margin_ceiling
    if watch is not None:
        estimator.validation_scores_ = watch.scores
        estimator.best_iter_ = watch.best_epoch
