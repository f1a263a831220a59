"""What is known of the last ``fit``, as one value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rosenblatt.estimators.majority import MajorityBaseline
    from rosenblatt.models.result import FitResult
    from rosenblatt.persistence.card import Fit


@dataclass(eq=False, repr=False)
class FitOutcome:
    """What is known of the last ``fit``; a learner drops it when it learns by another call.

    Attributes
    ----------
    result : FitResult
        What training did and why it ended.
    validation_scores : list of float or None
        The score on held-out examples after each epoch, if there were any.
    best_iter : int or None
        The epoch whose state predicts, if examples were held out.
    majority : MajorityBaseline or None
        The comparison with always predicting the most frequent class.
    count_errors : callable or None
        Count the training errors. It holds the rows, so copies and pickles leave it out.
    errors : int or None
        The training errors, once they were counted.
    errors_of : list or None
        The values that the parameters which decide what is predicted had when errors were counted.
    """

    result: FitResult
    validation_scores: list[float] | None = None
    best_iter: int | None = None
    majority: MajorityBaseline | None = None
    count_errors: Callable[[], int] | None = None
    errors: int | None = None
    errors_of: list[Any] | None = None

    def errors_by(self, parameters: list[Any]) -> int | None:
        """Return the training errors if they were counted under these values of parameters."""
        return self.errors if self.errors_of == parameters else None

    def keep_errors(self, errors: int | None, parameters: list[Any]) -> None:
        """Keep the number of training errors, counted under these values of parameters."""
        self.errors_of = parameters
        self.errors = errors

    @property
    def margin_ceiling(self) -> float | None:
        """The proven bound on all margins; None if the family of the learner proves none."""
        return None if self.result.n_rows is None else self.result.margin_ceiling

    def to_record(self, errors: int | None) -> Fit:
        """Return what a model file keeps; never what the fit did on each row."""
        from rosenblatt.persistence.card import Fit

        ceiling = self.margin_ceiling
        return Fit(
            rows=self.result.n_rows,
            n_iter=self.result.n_iter,
            mistakes_per_epoch=list(self.result.mistakes_per_epoch),
            stop_reason=self.result.stop_reason,
            training_errors=errors,
            margin_ceiling=ceiling if ceiling is not None and math.isfinite(ceiling) else None,
            validation_scores=self.validation_scores,
            best_iter=self.best_iter,
        )

    @classmethod
    def from_record(cls, fit: Fit, mistakes_per_row: npt.NDArray[np.int32] | None) -> FitOutcome:
        """Return the outcome of which a model file kept this record."""
        from rosenblatt.models.result import FitResult

        result = FitResult(
            fit.mistakes_per_epoch,
            fit.stop_reason,
            margin_ceiling=math.inf if fit.margin_ceiling is None else fit.margin_ceiling,
            n_rows=fit.rows,
            mistakes_per_row=mistakes_per_row,
        )
        return cls(result, fit.validation_scores, fit.best_iter)
