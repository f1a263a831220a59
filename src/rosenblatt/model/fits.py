"""Whether what is told of a finished ``fit`` can be so."""

from __future__ import annotations

from rosenblatt.checks import shown
from rosenblatt.core.result import STOP_REASONS
from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import Fit
from rosenblatt.model.ranges import MOST_EXAMPLES, number, whole

__all__ = ["check_outcome"]


def check_outcome(fit: Fit, *, t: int, most_mistakes: int) -> None:
    """Epochs, the mistakes of each, why it ended and the scores, where ``t`` examples were seen."""
    whole("n_iter", fit.n_iter, 1, t)
    whole("n_updates", fit.n_updates, 0, MOST_EXAMPLES)
    if len(fit.mistakes_per_epoch) != fit.n_iter:
        raise ModelFileError(
            f"mistakes_per_epoch has {len(fit.mistakes_per_epoch)} numbers for {fit.n_iter} epochs."
        )
    for mistakes in fit.mistakes_per_epoch:
        whole("mistakes_per_epoch", mistakes, 0, most_mistakes)
    if fit.stop_reason not in STOP_REASONS:
        raise ModelFileError(f"the stop reason {shown(fit.stop_reason)} is not known.")
    if fit.converged and fit.stop_reason != "separated":
        raise ModelFileError(f"converged, but the stop reason is {fit.stop_reason}.")
    if fit.cycle_length is not None:
        whole("cycle_length", fit.cycle_length, 1, fit.n_iter)
    if fit.margin_ceiling is not None:
        number("margin_ceiling", fit.margin_ceiling, at_least=0.0)
    number("eta", fit.eta, at_least=0.0)
    if (fit.best_iter is None) != (fit.validation_scores is None):
        raise ModelFileError("best_iter and validation_scores go together.")
    if fit.best_iter is not None and fit.validation_scores is not None:
        whole("best_iter", fit.best_iter, 1, fit.n_iter)
        if len(fit.validation_scores) != fit.n_iter:
            raise ModelFileError(
                f"validation_scores has {len(fit.validation_scores)} numbers for "
                f"{fit.n_iter} epochs."
            )
        for score in fit.validation_scores:
            number("validation_scores", score, at_least=0.0)
