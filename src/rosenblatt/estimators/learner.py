"""The base class of all learners: training, the model, the outcome of a fit, and model files.

The outcome of the last ``fit`` is one value, a `FitOutcome`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ModelFileError, NoLedgerError
from rosenblatt.estimators.base import Estimator, of_whole_state
from rosenblatt.estimators.params import check_seed, option
from rosenblatt.estimators.progress import progress
from rosenblatt.estimators.sklearn_classes import convergence_warning, majority_warning
from rosenblatt.models import epochs
from rosenblatt.plurals import count

if TYPE_CHECKING:  # files are not for everyone
    from rosenblatt.estimators.majority import MajorityBaseline
    from rosenblatt.models.epochs import Trainer
    from rosenblatt.models.model import Model
    from rosenblatt.models.result import FitResult, Validation
    from rosenblatt.persistence.card import Fit, State
    from rosenblatt.persistence.layout import Layout

# Attributes that decide, in addition to the parameters, how single examples are read.
ENGINE_PARTS = frozenset(["_model", "_feature_names", "_schema_read"])

Found = TypeVar("Found")


@dataclass(eq=False, repr=False)
class FitOutcome:
    """Outcome of the last ``fit``; a learner discards it when it learns by another call.

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
    counted : tuple or None
        The values that the parameters which decide what is predicted had when training errors were
        counted, and the errors. One tuple, because several threads may count at once.
    """

    result: FitResult
    validation_scores: list[float] | None = None
    best_iter: int | None = None
    majority: MajorityBaseline | None = None
    count_errors: Callable[[], int] | None = None
    counted: tuple[list[Any], int | None] | None = None

    def errors_by(self, parameters: list[object]) -> int | None:
        """Return the training errors if they were counted with these parameters; None otherwise."""
        if self.counted is None:
            return None
        counted_by, errors = self.counted
        return errors if counted_by == parameters else None

    def keep_errors(self, errors: int | None, parameters: list[object]) -> None:
        """Store the number of training errors, counted with these values of parameters."""
        self.counted = (parameters, errors)

    @property
    def margin_ceiling(self) -> float | None:
        """The proven upper bound on the margin; None if the family of the learner proves none."""
        return None if self.result.n_rows is None else self.result.margin_ceiling

    def to_record(self, errors: int | None) -> Fit:
        """Return the record of the fit for a model file, without the mistakes on each row."""
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
        """Restore the outcome from its record in a model file."""
        from rosenblatt.models.result import FitResult

        result = FitResult(
            fit.mistakes_per_epoch,
            fit.stop_reason,
            margin_ceiling=math.inf if fit.margin_ceiling is None else fit.margin_ceiling,
            n_rows=fit.rows,
            mistakes_per_row=mistakes_per_row,
        )
        return cls(result, fit.validation_scores, fit.best_iter)


class Learner(Estimator):
    """Base of all learners: length, order and seed of training, the model, and its files.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Mistakes made, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, if a signal ended training
        on the command line, "interrupted".
    validation_scores_ : list of float
        Accuracy on the held-out examples after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    """

    max_iter: int = option(
        default=1000,
        at_least=1,
        in_studio=False,
        help="""
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.""",
    )
    shuffle: bool = option(
        default=True, in_studio=False, help="Visit the rows in a new random order in every epoch."
    )
    random_state: Any = option(
        default=0,
        type="int, RandomState instance, Generator or None",
        check=check_seed,
        in_studio=False,
        help="Seed of the shuffling; equal seeds give equal models.",
    )
    n_iter_no_change: int = option(
        default=5,
        at_least=1,
        in_studio=False,
        help="""
        Epochs to wait for an improvement before stopping: of the score on held-out rows, if there
        are any; otherwise of the number of mistakes, unless it is known to reach 0. Rules that aim
        at a margin also train so many epochs after the first one without a mistake.""",
    )
    warm_start: bool = option(
        default=False,
        in_studio=False,
        help="""
        Continue ``fit`` from the state of the last call, exactly as if it had not ended. If a
        learner has ``average="tail"`` or ``calibrate``, they count only the epochs of this
        call.""",
    )
    verbose: int = option(
        default=0,
        at_least=0,
        accepts=lambda value: isinstance(value, bool),
        in_studio=False,
        help="1 shows progress on standard error: a bar on a terminal, lines elsewhere.",
    )

    # The file layout of the family, as "module:class"; the module is loaded when a file is.
    layout: ClassVar[str]
    # Parameters that still affect predictions after training.
    predicts_by: ClassVar[tuple[str, ...]] = ("ties",)
    # Whether rows have to be stored to predict, so that an endless stream would fill the memory.
    keeps_rows: ClassVar[bool] = False

    @property
    def averages(self) -> bool:
        """Whether the mean of the weights predicts, for which a running sum is kept."""
        return False

    @property
    def last_predicts(self) -> bool:
        """Whether the last weights predict, and neither their mean nor a vote."""
        return not self.averages

    # ------------------------------------------------------------------ training

    def _run(
        self,
        model: Model[Any],
        trainer: Trainer,
        validation: Validation | None,
        count_errors: Callable[[], int],
        *,
        tol: float | None = None,
    ) -> FitResult:
        """Train the model, show the progress, and store model and outcome in the learner.

        Training errors are counted at once, except by learners that store rows: their predictions
        may cost more than training did, so they count errors on demand.
        """
        first_row = model.next_row
        trainer.last_predicts = self.last_predicts
        if validation is not None:
            validation.keep = model.noting_when(validation.keep)

        with progress(self.verbose, self.max_iter, type(self).__name__) as show:
            result = epochs.run(
                trainer,
                max_iter=int(self.max_iter),
                tol=tol,
                shuffle=bool(self.shuffle),
                random=model.random,
                validation=validation,
                after_epoch=show,
                patience=int(self.n_iter_no_change),
            )
        model.random = result.random
        model.next_row = first_row + trainer.n_all

        self._take_over(model, result, validation)
        outcome = self._fit_outcome()
        if self.keeps_rows:
            outcome.count_errors = count_errors
        else:
            self._keep_errors(count_errors())
        return result

    def _take_over(
        self, model: Model[Any], result: FitResult, validation: Validation | None
    ) -> None:
        """Store a trained model and its outcome in the learner, in place of those before."""
        self._note_fit(model, result)
        self._model: Any = model
        if validation is None:
            model.best = None
            self._set_fit(result)
        else:
            model.best = validation.best
            self._set_fit(result, validation.scores, validation.best_epoch)

    def _note_fit(self, model: Any, result: FitResult) -> None:
        """Update counters of the model after a fit; nothing by default, families override it."""

    def _set_fit(
        self, result: FitResult, scores: list[float] | None = None, best_iter: int | None = None
    ) -> None:
        """Store the outcome of the last fit."""
        self._outcome = FitOutcome(result, scores, best_iter)

    def _forget_fit(self) -> None:
        """Discard the outcome of the last fit, which later learning invalidates."""
        self.__dict__.pop("_outcome", None)

    def _warn_of_mistakes(self, result: FitResult, *, stacklevel: int = 3) -> None:
        """Warn the caller of ``fit`` if it ended with mistakes left, and say what to try."""
        if result.stop_reason == "max_iter" and result.mistakes_per_epoch[-1]:
            mistakes = count(result.mistakes_per_epoch[-1], "mistake")
            what = (
                f"{type(self).__name__} stopped at max_iter={self.max_iter} with {mistakes} "
                f"in the last epoch{self._what_to_try(result)}"
            )
            warnings.warn(what, convergence_warning(), stacklevel=stacklevel)

    def _warn_of_majority(self, *, stacklevel: int = 3) -> None:
        """Warn the caller of ``fit`` if the learner is no better than the majority baseline."""
        majority = self._majority
        if majority is not None and not majority.is_beaten:
            found = majority._replace(label=repr(majority.label))
            cure = "Look at the labels, scale the features, or try another learner."
            what = f"{type(self).__name__} is {found}. {cure}"
            warnings.warn(what, majority_warning(), stacklevel=stacklevel)

    def _what_to_try(self, result: FitResult) -> str:
        """Return the end of the warning about remaining mistakes, with advice."""
        return ": no epoch separated the examples. Try a larger max_iter."

    # ------------------------------------------------------------------ the model

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _fitted(self) -> Any:
        """Return the model; raise AttributeError if the learner is not fitted."""
        try:
            return self.__dict__["_model"]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None

    def _recorded(self) -> Any:
        """Return the model; raise NoLedgerError if its updates were not recorded."""
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

    # ------------------------------------------------------------------ the last fit

    @property
    def _last_fit(self) -> FitOutcome | None:
        """The outcome of the last fit; None without a fit, or if learning continued after it."""
        return self.__dict__.get("_outcome")

    def _fit_outcome(self) -> FitOutcome:
        """Return the outcome of the last fit; raise AttributeError if there is none."""
        outcome = self._last_fit
        if outcome is None:
            raise AttributeError("known after fit only: rows given one by one are not kept")
        return outcome

    def _no_attribute(self, name: str) -> AttributeError:
        """Return the error for an attribute that exists only after a ``fit``."""
        return AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def n_iter_(self) -> int:
        """Epochs of the last ``fit``."""
        if self._last_fit is None:
            raise self._no_attribute("n_iter_")
        return self._last_fit.result.n_iter

    @property
    def mistakes_per_epoch_(self) -> list[int]:
        """Mistakes in each epoch of the last ``fit``."""
        if self._last_fit is None:
            raise self._no_attribute("mistakes_per_epoch_")
        return self._last_fit.result.mistakes_per_epoch

    @property
    def stop_reason_(self) -> str:
        """Why the last ``fit`` ended."""
        if self._last_fit is None:
            raise self._no_attribute("stop_reason_")
        return self._last_fit.result.stop_reason

    @property
    def margin_ceiling_(self) -> float:
        """Upper bound on the margin, as the last ``fit`` has proven."""
        ceiling = None if self._last_fit is None else self._last_fit.margin_ceiling
        if ceiling is None:
            raise self._no_attribute("margin_ceiling_")
        return ceiling

    @property
    def validation_scores_(self) -> list[float]:
        """The score on held-out examples after each epoch of the last ``fit``."""
        scores = None if self._last_fit is None else self._last_fit.validation_scores
        if scores is None:
            raise self._no_attribute("validation_scores_")
        return scores

    @property
    def best_iter_(self) -> int:
        """The epoch whose state was kept."""
        best_iter = None if self._last_fit is None else self._last_fit.best_iter
        if best_iter is None:
            raise self._no_attribute("best_iter_")
        return best_iter

    @property
    @of_whole_state
    def mistakes_per_row_(self) -> npt.NDArray[np.int32]:
        """Mistakes on each row in the last ``fit``."""
        counts = self._fit_outcome().result.mistakes_per_row
        if counts is None:
            raise NoLedgerError("mistakes on each row are saved beside a ledger, and none was kept")
        return counts

    @property
    @of_whole_state
    def n_training_errors_(self) -> int:
        """Number of misclassified examples of the last ``fit``, including those held out."""
        self._fitted()
        errors = self._known_errors
        if errors is None:
            outcome = self._last_fit
            if outcome is None or outcome.count_errors is None:
                raise AttributeError(
                    "training errors are counted by fit; since then more was learned, "
                    f"{' or '.join(self.predicts_by)} was changed, or a model that keeps rows was "
                    "loaded from a file. Compare predict(X) with y"
                )
            errors = int(outcome.count_errors())
            self._keep_errors(errors)
        return errors

    @property
    def converged_(self) -> bool:
        """Whether all examples of the last ``fit`` are classified correctly."""
        return self.n_training_errors_ == 0

    @property
    def _known_errors(self) -> int | None:
        """The training errors if they were counted with the current parameters; None otherwise."""
        outcome = self._last_fit
        return None if outcome is None else outcome.errors_by(self._what_predicts())

    def _keep_errors(self, errors: int | None) -> None:
        """Store the number of training errors, counted with the current parameters."""
        self._fit_outcome().keep_errors(errors, self._what_predicts())

    def _what_predicts(self) -> list[object]:
        """Return the values of the parameters that affect predictions."""
        return [getattr(self, name) for name in self.predicts_by]

    @property
    def _majority(self) -> MajorityBaseline | None:
        """The comparison of the last fit with always predicting the most frequent class."""
        return None if self._last_fit is None else self._last_fit.majority

    # ------------------------------------------------------------------ the fast path

    def __setattr__(self, name: str, value: object) -> None:
        if "_engine" in self.__dict__ and (name in self._options or name in ENGINE_PARTS):
            self.retire_engine()
        super().__setattr__(name, value)

    def before_learning(self) -> None:
        """Close the fast path for single examples when a turn to learn begins."""
        if "_engine" in self.__dict__:
            self.retire_engine()

    def retire_engine(self) -> None:
        """Close the fast path for single examples, because its model or parameters will change.

        A learner without a fast path has nothing to close.
        """

    # ------------------------------------------------------------------ copies and pickles

    def _settle(self) -> None:
        """Write back state that only the fast path holds, before the learner is copied."""

    def _copied(self) -> dict[str, Any]:
        """Return the attributes for a copy of the learner.

        A schema can be read from the model again, an engine belongs to one learner, and rows that
        training errors would be counted on are not copied.
        """
        self._settle()
        # A copy of the attributes first: another thread may open an engine while they are read.
        attributes = self.__dict__.copy()
        for name in ("_schema_read", "_engine"):
            attributes.pop(name, None)
        outcome = attributes.get("_outcome")
        if outcome is not None:
            attributes["_outcome"] = replace(outcome, count_errors=None)
        return attributes

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self._copied())
        return twin

    @of_whole_state
    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(deepcopy(self._copied(), memo))
        return twin

    @of_whole_state
    def __getstate__(self) -> dict[str, Any]:
        # A model of its own, since it is pickled after this, when another thread may learn.
        state = self._copied()
        model = state.get("_model")
        if model is None or model.slim:
            return state
        state["_model"] = model.copy()
        stream = state.get("_stream")
        if stream is not None and stream.model is model:
            state["_stream"] = type(stream)(state["_model"], stream.rule, stream.settings)
        return state

    @of_whole_state
    def _hold(self, act: Callable[[Any], Found]) -> Found:
        """Call ``act`` with the learner while no other thread changes it; return the result."""
        return act(self)

    # ------------------------------------------------------------------ model files

    @classmethod
    def file_layout(cls) -> Layout:
        """Return the file layout of this family."""
        module, _, name = cls.layout.partition(":")
        layout: Layout = getattr(import_module(module), name)()
        return layout

    @of_whole_state
    def to_state(self, *, slim: bool = False) -> State:
        """Return the state of the learner for a model file; raise an error if it cannot be saved.

        The layout of a family says what it keeps. Derived attributes, such as
        ``coef_``, are not stored; a ``fit`` is stored as its record, with the mistakes on each row
        only if there is a ledger. ``slim`` leaves out what is needed to learn, but not to predict.
        """
        from rosenblatt import __version__
        from rosenblatt.persistence.card import FORMAT, Card, Data, Record, State
        from rosenblatt.persistence.container import ZEROS
        from rosenblatt.persistence.soundness import dtype_name

        layout = self.file_layout()
        self._refuse_unfitted()
        self.check_parameters()
        model = self._fitted()
        slim = slim or model.slim
        self._settle()
        facts, arrays = layout.put(self, model, slim=slim)

        outcome = self._last_fit
        fit = None
        if outcome is not None:
            # Rows that are kept to predict cost too much to count errors for a file; whether they
            # were counted would depend on whether somebody had asked.
            fit = outcome.to_record(None if self.keeps_rows else self._known_errors)
            counts = outcome.result.mistakes_per_row
            if counts is not None and model.recorder is not None and not slim:
                arrays["mistakes_per_row"] = counts

        names = self.__dict__.get(layout.names_attribute)
        columns = model.columns
        if names is not None and not all(isinstance(name, str) for name in names):
            # Columns keep the type of each name.
            columns = names.tolist()
            names = None

        origin = model.origin
        card = Card(
            format=FORMAT,
            version=__version__,
            sha256=ZEROS,
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            classes=list(model.classes),
            label_dtype=dtype_name(model.label_dtype),
            feature_names=None if names is None else [str(name) for name in names],
            columns=None if columns is None else list(columns),
            schema=model.schema,
            random=model.random,
            training_data="none",
            slim=slim,
            record=Record(
                seed=model.seed,
                t=model.t,
                next_row=model.next_row,
                n_mistakes=model.n_mistakes,
                data=None if origin is None else Data(**origin._asdict()),
                fit=fit,
                search=model.search,
            ),
            model=facts,
            calibration=model.calibration,
        )
        card.training_data = layout.training_data(card)
        return State(card, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Create a learner from a state that was read from a file and checked."""
        card = state.card
        layout = cls.file_layout()
        learner = cls(**card.parameters)
        if card.feature_names is not None:
            names = np.empty(len(card.feature_names), object)
            names[:] = card.feature_names
            learner.__dict__[layout.names_attribute] = names
        if card.record.fit is not None:
            counts = state.arrays.get("mistakes_per_row")
            learner._outcome = FitOutcome.from_record(card.record.fit, counts)
            learner._keep_errors(card.record.fit.training_errors)

        try:
            learner.check_parameters()
            layout.take(learner, state)
            getattr(learner, "schema_", None)  # reads it, and refuses one that is not sound
        except ModelFileError:
            raise
        # A word that cannot be written as UTF-8 is a ValueError, and so is an endless number.
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        return learner
