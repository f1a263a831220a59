"""How a kernel perceptron hands itself over to a model file, and is made from one again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.core.result import FitResult
from rosenblatt.errors import ModelFileError, ParameterError

if TYPE_CHECKING:  # files are not for those who only fit and predict
    from rosenblatt.model.card import Card, Fit
    from rosenblatt.model.state import State

__all__ = ["KernelSaved"]


class KernelSaved:
    """``_to_state`` and ``_from_state``, between which nothing is lost."""

    get_params: Any
    check_parameters: Any
    _model: Any
    _refuse_unfitted: Any

    def _to_state(self) -> State:
        from rosenblatt.kernel.file import kernel_state
        from rosenblatt.model.linear import fit_record

        self._refuse_unfitted()
        parameters = self.get_params(deep=False)
        for kernel in (parameters["kernel"], self._model.settings["kernel"]):
            if callable(kernel):
                raise ParameterError(
                    "a kernel that is a function cannot be saved, because a model file holds no "
                    "code: use a kernel by its name, or kernel='precomputed' and work the kernel "
                    "of the rows out yourself."
                )
        self.check_parameters()
        known = self.__dict__
        fit: Fit | None = None
        arrays: dict[str, npt.NDArray[Any]] = {}
        if "n_iter_" in known:
            training = FitResult(
                mistakes_per_epoch=list(known["mistakes_per_epoch_"]),
                stop_reason=known["stop_reason_"],
                margin_ceiling=known["margin_ceiling_"],
                mistakes_per_row=known["mistakes_per_row_"],
            )
            fit, arrays = fit_record(
                training,
                converged=known["converged_"],
                validation_scores=known.get("validation_scores_"),
                best_iter=known.get("best_iter_"),
            )
        names = known.get("feature_names_in_")
        return kernel_state(
            self._model,
            learner=type(self).__name__,
            parameters=parameters,
            feature_names=None if names is None else [str(name) for name in names],
            fit=fit,
            fit_arrays=arrays,
        )

    @staticmethod
    def _check_file(card: Card, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Refuse a file whose parts do not fit together."""
        from rosenblatt.kernel.soundness import check_kernel

        assert card.kernel is not None
        check_kernel(card, card.kernel, arrays)

    @classmethod
    def _from_state(cls, state: State) -> Self:
        """A learner of a state that was read and is therefore sound."""
        from rosenblatt.kernel.file import kernel_machine

        card = state.card
        estimator = cls(**card.parameters)
        known = estimator.__dict__
        known["_model"], known["n_features_in_"] = kernel_machine(state), state.n_features
        if card.feature_names is not None:
            names = np.empty(len(card.feature_names), dtype=object)
            names[:] = card.feature_names
            known["feature_names_in_"] = names
        try:
            estimator.check_parameters()
        except (ParameterError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        fit = card.record.fit
        if fit is not None:
            known |= {
                "n_iter_": fit.n_iter,
                "mistakes_per_epoch_": fit.mistakes_per_epoch,
                "mistakes_per_row_": np.array(state.arrays["mistakes_per_row"]),
                "converged_": fit.converged,
                "stop_reason_": fit.stop_reason,
                "margin_ceiling_": math.inf if fit.margin_ceiling is None else fit.margin_ceiling,
            }
            if fit.best_iter is not None:
                known["validation_scores_"] = fit.validation_scores
                known["best_iter_"] = fit.best_iter
        return estimator
