"""What learning leaves on its learner, and nothing at all if it ends with an error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import NoLedgerError

if TYPE_CHECKING:
    from rosenblatt.core.result import FitResult, Validation
    from rosenblatt.model.card import Fit

LASTING = {"_model", "n_features_in_"}


class FitOutcome:
    """The model, and what is known of the last ``fit``; gone once learning goes on otherwise."""

    # Of the family: it has t and n_mistakes, and best if an earlier state predicts.
    _model: Any
    _result: FitResult
    n_features_in_: int
    n_iter_: int
    mistakes_per_epoch_: list[int]
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

    def _recorded(self) -> Any:
        """The model, which has kept its updates."""
        model = self._fitted()
        if model.recorder is None:
            raise NoLedgerError
        return model

    @property
    def t_(self) -> int:
        """Examples seen so far, over all epochs and calls."""
        return int(self._fitted().t)

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made so far, over all epochs and calls."""
        return int(self._fitted().n_mistakes)

    @property
    def mistakes_per_row_(self) -> npt.NDArray[np.int32]:
        """Mistakes on each row in the last ``fit``."""
        counts = self._last_result().mistakes_per_row
        if counts is None:
            raise NoLedgerError("mistakes on each row are saved beside a ledger, and none was kept")
        return counts

    def _last_result(self) -> FitResult:
        if "_result" not in self.__dict__:
            raise AttributeError("known after fit only: rows given one by one are not kept")
        return self._result

    def _take_over(self, model: Any, result: FitResult, validation: Validation | None) -> None:
        """Make what came out of a fit the learner's own, and nothing of the fit before."""
        self._forget_fit()
        self._model, model.best = model, None if validation is None else validation.best
        if validation is None:
            self._set_fit(result, result.converged)
        else:
            last_predicts = validation.best_epoch == result.n_iter
            best = validation.scores, validation.best_epoch
            self._set_fit(result, result.converged and last_predicts, *best)

    def _set_fit(
        self,
        result: FitResult,
        converged: bool,
        scores: list[float] | None = None,
        best_iter: int | None = None,
    ) -> None:
        self._result, self.n_iter_ = result, result.n_iter
        self.mistakes_per_epoch_, self.stop_reason_ = result.mistakes_per_epoch, result.stop_reason
        self.converged_ = converged
        if result.n_rows is not None:
            self.margin_ceiling_ = result.margin_ceiling
        if scores is not None and best_iter is not None:
            self.validation_scores_, self.best_iter_ = scores, best_iter

    def _fit_record(self) -> Fit | None:
        """What a model file keeps of the last ``fit``; never what it did on each row."""
        from rosenblatt.model.card import Fit

        known = self.__dict__
        if "n_iter_" not in known:
            return None
        ceiling = known.get("margin_ceiling_", math.inf)
        return Fit(
            rows=self._result.n_rows,
            n_iter=self.n_iter_,
            mistakes_per_epoch=list(self.mistakes_per_epoch_),
            stop_reason=self.stop_reason_,
            converged=self.converged_,
            margin_ceiling=ceiling if math.isfinite(ceiling) else None,
            validation_scores=known.get("validation_scores_"),
            best_iter=known.get("best_iter_"),
        )

    def _restore_fit(self, fit: Fit, mistakes_per_row: Any) -> None:
        """Make what a file kept of a ``fit`` the learner's own again."""
        from rosenblatt.core.result import FitResult

        ceiling = math.inf if fit.margin_ceiling is None else fit.margin_ceiling
        result = FitResult(fit.mistakes_per_epoch, fit.stop_reason, margin_ceiling=ceiling)
        result.n_rows, result.mistakes_per_row = fit.rows, mistakes_per_row
        self._set_fit(result, fit.converged, fit.validation_scores, fit.best_iter)

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
