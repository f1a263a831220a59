"""What learning leaves on its learner, and nothing at all if it ends with an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.turns import LearningTurn, Turns, read_whole
from rosenblatt.errors import NoLedgerError

if TYPE_CHECKING:
    from rosenblatt.estimators.majority import MajorityBaseline
    from rosenblatt.estimators.params import Option
    from rosenblatt.models.result import FitResult, Validation
    from rosenblatt.persistence.card import Fit

LASTING = {"_model", "n_features_in_"}
# Attributes that decide, beside the parameters, how single examples are read.
ENGINE_PARTS = frozenset(["_model", "_feature_names", "_schema_read"])

Given = ParamSpec("Given")
Found = TypeVar("Found")


def unchanged_on_error(learner: Any) -> LearningTurn:
    """Take the turn to learn, in a ``with`` statement; another thread that has it is an error.

    Attributes set on the way to an error are restored. What changes the model in place says so
    (`change_in_place`).
    """
    return LearningTurn(learner, learner._turns)


def of_whole_state(method: Callable[Given, Found]) -> Callable[Given, Found]:
    """A method or property that reads the learner as it is between two calls that learn.

    While another thread learns, it is given the state before, or waits for the state after.
    """

    @wraps(method)
    def read(self: Any, *args: Any, **named: Any) -> Any:
        return read_whole(self, self._turns, method, args, named)

    return read  # type: ignore[return-value]


class SharedByThreads:
    """An object that knows whose turn it is to learn on it; neither a copy nor a file has that."""

    __slots__ = ("_turns",)
    _turns: Turns
    _options: ClassVar[dict[str, Option]]

    def __new__(cls) -> Self:
        self = super().__new__(cls)
        self._turns = Turns()
        return self

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_engine" in self.__dict__ and (name in self._options or name in ENGINE_PARTS):
            self.retire_engine()
        super().__setattr__(name, value)

    def before_learning(self) -> None:
        """Let go of what is true only until something is learned; called as a turn begins."""
        if "_engine" in self.__dict__:
            self.retire_engine()

    def retire_engine(self) -> None:
        """Close the fast path of single examples: what it was made of is about to change."""


class FitOutcome:
    """The model, and what is known of the last ``fit``; gone once learning goes on otherwise."""

    # Of the family: it has t and n_mistakes, and best if an earlier state predicts.
    _model: Any
    _result: FitResult
    n_features_in_: int
    n_iter_: int
    mistakes_per_epoch_: list[int]
    stop_reason_: str
    margin_ceiling_: float
    validation_scores_: list[float]
    best_iter_: int
    # What predicted when training errors were counted, and how many there were.
    _errors: tuple[list[Any], Any]
    _count_errors: Callable[[], int]
    _majority: MajorityBaseline | None

    # Parameters that decide, beside what was learned, what is predicted.
    predicts_by: ClassVar[tuple[str, ...]] = ("ties",)
    # Whether rows have to be kept to predict, so that a stream without end would fill the memory.
    keeps_rows: ClassVar[bool] = False

    def _copied(self) -> dict[str, Any]:
        """What a copy has: a schema can be read from the notes again, and rows stay here."""
        self._settle_schema()
        left_out = "_schema_read", "_count_errors", "_engine"
        # A copy of the attributes first: another thread may open an engine while they are read.
        attributes = self.__dict__.copy()
        return {name: value for name, value in attributes.items() if name not in left_out}

    def _settle_schema(self) -> None:
        """Bring the schema of records, if there is one, up to date."""

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self._copied())
        return twin

    @of_whole_state
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__.update(deepcopy(self._copied(), memo))
        return twin

    @of_whole_state
    def __getstate__(self) -> dict[str, Any]:
        # Of its own, since it is pickled after this, when another thread may learn on.
        state = self._copied()
        model, stream = state.get("_model"), state.get("_stream")
        if model is None or model.slim:
            return state
        state["_model"] = model.copy()
        if stream is not None and stream.model is model:
            state["_stream"] = type(stream)(state["_model"], stream.rule, stream.settings)
        return state

    @of_whole_state
    def _hold(self, act: Callable[[Any], Found]) -> Found:
        """``act(learner)`` while nobody changes it."""
        return act(self)

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
    @of_whole_state
    def t_(self) -> int:
        """Examples seen so far, over all epochs and calls."""
        return int(self._fitted().t)

    @property
    @of_whole_state
    def n_mistakes_(self) -> int:
        """Mistakes made so far, over all epochs and calls."""
        return int(self._fitted().n_mistakes)

    @property
    @of_whole_state
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

    @property
    @of_whole_state
    def n_training_errors_(self) -> int:
        """Examples given to the last ``fit`` that are misclassified, those held out included."""
        self._fitted()
        if self._known_errors is None:
            if "_count_errors" not in self.__dict__:
                raise AttributeError(
                    "training errors are counted by fit; since then more was learned, "
                    f"{' or '.join(self.predicts_by)} was changed, or a model that keeps rows was "
                    "loaded from a file. Compare predict(X) with y"
                )
            self._keep_errors(self._count_errors())
        return int(self._errors[1])

    @property
    def converged_(self) -> bool:
        """Whether all examples given to the last ``fit`` are predicted right."""
        return self.n_training_errors_ == 0

    @property
    def _known_errors(self) -> int | None:
        """The training errors, if they were counted for what predicts now."""
        parameters, errors = self.__dict__.get("_errors", (None, None))
        return errors if parameters == [getattr(self, name) for name in self.predicts_by] else None

    def _keep_errors(self, errors: int | None) -> None:
        self._errors = [getattr(self, name) for name in self.predicts_by], errors

    def _take_over(self, model: Any, result: FitResult, validation: Validation | None) -> None:
        """Make what came out of a fit the learner's own, and nothing of the fit before."""
        self._forget_fit()
        self._model, model.best = model, None if validation is None else validation.best
        best = () if validation is None else (validation.scores, validation.best_epoch)
        self._set_fit(result, *best)

    def _set_fit(
        self, result: FitResult, scores: list[float] | None = None, best_iter: int | None = None
    ) -> None:
        self._result, self.n_iter_ = result, result.n_iter
        self.mistakes_per_epoch_, self.stop_reason_ = result.mistakes_per_epoch, result.stop_reason
        if result.n_rows is not None:
            self.margin_ceiling_ = result.margin_ceiling
        if scores is not None and best_iter is not None:
            self.validation_scores_, self.best_iter_ = scores, best_iter

    def _fit_record(self) -> Fit | None:
        """What a model file keeps of the last ``fit``; never what it did on each row."""
        from rosenblatt.persistence.card import Fit

        known = self.__dict__
        if "n_iter_" not in known:
            return None
        ceiling = known.get("margin_ceiling_", math.inf)
        return Fit(
            rows=self._result.n_rows,
            n_iter=self.n_iter_,
            mistakes_per_epoch=list(self.mistakes_per_epoch_),
            stop_reason=self.stop_reason_,
            # Of others it would depend on whether somebody had asked.
            training_errors=None if self.keeps_rows else self._known_errors,
            margin_ceiling=ceiling if math.isfinite(ceiling) else None,
            validation_scores=known.get("validation_scores_"),
            best_iter=known.get("best_iter_"),
        )

    def _restore_fit(self, fit: Fit, mistakes_per_row: Any) -> None:
        """Make what a file kept of a ``fit`` the learner's own again."""
        from rosenblatt.models.result import FitResult

        ceiling = math.inf if fit.margin_ceiling is None else fit.margin_ceiling
        result = FitResult(fit.mistakes_per_epoch, fit.stop_reason, margin_ceiling=ceiling)
        result.n_rows, result.mistakes_per_row = fit.rows, mistakes_per_row
        self._set_fit(result, fit.validation_scores, fit.best_iter)
        self._keep_errors(fit.training_errors)

    def _forget_fit(self) -> None:
        """What was true of the last ``fit`` is so no longer."""
        if "n_iter_" in self.__dict__:
            for name in FitOutcome.__annotations__.keys() - LASTING:
                self.__dict__.pop(name, None)
