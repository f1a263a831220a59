"""What learning leaves on its learner, and nothing at all if it ends with an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rosenblatt.core.result import FitResult, Validation

__all__ = ["FitOutcome", "unchanged_on_error"]

LASTING = {"_model", "n_features_in_"}


class FitOutcome:
    """The model, and what is known of the last ``fit``; gone once learning goes on otherwise."""

    # Of the family: it has t and n_mistakes, and best if an earlier state predicts.
    _model: Any
    _result: FitResult
    n_features_in_: int
    n_iter_: int
    mistakes_per_epoch_: list[int]
    mistakes_per_row_: npt.NDArray[np.int32]
    converged_: bool
    stop_reason_: str
    margin_ceiling_: float
    validation_scores_: list[float]
    best_iter_: int

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _fitted(self) -> Any:
        """The model; as an attribute of a learner that has none yet, it is not there."""
        try:
            return self.__dict__["_model"]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None

    @property
    def t_(self) -> int:
        """Examples seen so far, over all epochs and calls."""
        return int(self._fitted().t)

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made so far, over all epochs and calls."""
        return int(self._fitted().n_mistakes)

    def _take_over(self, model: Any, result: FitResult, validation: Validation | None) -> None:
        """Make what came out of a fit the learner's own, and nothing of the fit before."""
        self._forget_fit()
        model.best = None if validation is None else validation.best
        self._model, self._result = model, result
        self.n_iter_ = result.n_iter
        self.mistakes_per_epoch_ = result.mistakes_per_epoch
        last_predicts = validation is None or validation.best_epoch == result.n_iter
        self.converged_ = result.converged and last_predicts
        self.stop_reason_ = result.stop_reason
        if result.mistakes_per_row is not None:
            self.mistakes_per_row_ = result.mistakes_per_row
            self.margin_ceiling_ = result.margin_ceiling
        if validation is not None:
            self.validation_scores_ = validation.scores
            self.best_iter_ = validation.best_epoch

    def _forget_fit(self) -> None:
        """What was true of the last ``fit`` is so no longer."""
        if "n_iter_" in self.__dict__:
            for name in FitOutcome.__annotations__.keys() - LASTING:
                self.__dict__.pop(name, None)


@contextmanager
def unchanged_on_error(learner: Any) -> Iterator[None]:
    """Attributes set on the way to an error are taken back."""
    before = dict(learner.__dict__)
    try:
        yield
    except BaseException:
        learner.__dict__.clear()
        learner.__dict__.update(before)
        raise
