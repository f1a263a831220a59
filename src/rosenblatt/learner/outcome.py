"""What a finished ``fit`` leaves on its estimator."""

from __future__ import annotations

from typing import Any

from rosenblatt.core.training import Training, Watch

__all__ = ["adopt", "forget"]

# True of a finished fit alone; no longer so once learning goes on.
FIT_ONLY = (
    "n_iter_",
    "mistakes_per_epoch_",
    "mistakes_per_row_",
    "converged_",
    "stop_reason_",
    "margin_ceiling_",
    "validation_scores_",
    "best_iter_",
)


def forget(estimator: Any) -> None:
    """What was true of the last ``fit`` is so no longer."""
    for name in FIT_ONLY:
        estimator.__dict__.pop(name, None)


def adopt(estimator: Any, training: Training, watch: Watch | None) -> None:
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
