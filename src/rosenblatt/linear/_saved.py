"""How a learner hands itself over to a model file, and is made from one again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.core.duals import Pairs, Shares
from rosenblatt.core.result import FitResult
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.linear.streaming import Stream
from rosenblatt.linear.voters import Voters

if TYPE_CHECKING:  # files are not for those who only fit and predict
    from rosenblatt.model.card import Fit
    from rosenblatt.model.state import State

__all__ = ["Saved"]


class Saved:
    """``_to_state`` and ``_from_state``, between which nothing is lost.

    What is worked out when asked for, such as ``coef_``, follows from the model; what a ``fit``
    leaves behind is kept as its record.
    """

    get_params: Any
    _checked_rule: Any
    _model: Any
    _refuse_unfitted: Any
    _rule_settings: Any

    def _to_state(self) -> State:
        from rosenblatt.model.linear import fit_record, state_of

        self._refuse_unfitted()
        self._checked_rule()
        parameters = self.get_params(deep=False)
        fit: Fit | None = None
        arrays: Arrays = {}
        known = self.__dict__
        if "_result" in known:
            fit, arrays = fit_record(
                known["_result"],
                converged=known["converged_"],
                validation_scores=known.get("validation_scores_"),
                best_iter=known.get("best_iter_"),
            )
        names = self.__dict__.get("_feature_names")
        return state_of(
            self._model,
            learner=type(self).__name__,
            parameters=parameters,
            feature_names=None if names is None else [str(name) for name in names],
            fit=fit,
            fit_arrays=arrays,
        )

    @classmethod
    def _from_state(cls, state: State) -> Self:
        """A learner of a state that was read and is therefore sound."""
        from rosenblatt.model.linear import linear_model, voters_arrays

        card = state.card
        estimator = cls(**card.parameters)
        try:
            rule = estimator._checked_rule()
        except (ParameterError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        model = linear_model(state)
        if card.voters is not None:
            model.voters = Voters.from_arrays(voters_arrays(state))
        attributes = estimator.__dict__
        attributes["_model"] = model
        attributes["n_features_in_"] = model.weights.n_features
        if card.feature_names is not None:
            names = np.empty(len(card.feature_names), dtype=object)
            names[:] = card.feature_names
            attributes["_feature_names"] = names
        if card.record.fit is None:
            attributes["_stream"] = Stream(model, rule, estimator._rule_settings(estimator))
        else:
            estimator._take_fit_record(card.record.fit, state)
        return estimator

    def _take_fit_record(self, fit: Fit, state: State) -> None:
        arrays = state.arrays
        pairs: Pairs | Shares | None = None
        if fit.dual == "pairs":
            parts = {part: arrays[f"pairs.{part}"] for part in ("key", "step")}
            pairs = Pairs.from_arrays(len(state.card.classes), parts)
        elif fit.dual == "shares":
            pairs = Shares.from_arrays({"table": arrays["shares"]})
        ceiling = math.inf if fit.margin_ceiling is None else fit.margin_ceiling
        training = FitResult(
            mistakes_per_epoch=fit.mistakes_per_epoch,
            stop_reason=fit.stop_reason,
            n_updates=fit.n_updates,
            cycle_length=fit.cycle_length,
            margin_ceiling=ceiling,
            mistakes_per_row=arrays["mistakes_per_row"],
            dual=arrays.get("dual"),
            pairs=pairs,
            signs=arrays.get("signs"),
            eta=fit.eta,
            random=state.card.random,
        )
        self._result = training
        self.__dict__.update(
            n_iter_=training.n_iter,
            mistakes_per_epoch_=training.mistakes_per_epoch,
            mistakes_per_row_=training.mistakes_per_row,
            converged_=fit.converged,
            stop_reason_=fit.stop_reason,
            margin_ceiling_=ceiling,
        )
        if fit.best_iter is not None:
            self.__dict__.update(validation_scores_=fit.validation_scores, best_iter_=fit.best_iter)
