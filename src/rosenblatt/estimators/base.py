"""What every learner is: declared parameters, and scikit-learn's protocol without its base class.

scikit-learn is loaded only by those who already use it: its tags and its metadata routing are
asked for by its own functions alone.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.estimators.outcome import FitOutcome, SharedByThreads, of_whole_state
from rosenblatt.estimators.params import (
    Configurable,
    Option,
    check_seed,
    option,
)
from rosenblatt.estimators.progress import progress
from rosenblatt.estimators.routing import MetadataRouting
from rosenblatt.estimators.sklearn_classes import (
    convergence_warning,
    majority_warning,
    not_fitted_error,
)
from rosenblatt.plurals import count

if TYPE_CHECKING:  # transformers need nothing of the core, and files are not for all
    from collections.abc import Callable

    from rosenblatt.models.epochs import Trainer
    from rosenblatt.models.result import FitResult, Validation
    from rosenblatt.persistence.card import State
    from rosenblatt.persistence.layout import Layout

# Parameters of scikit-learn's Perceptron that have no meaning here, and why.
ELSEWHERE = {
    "penalty": "a perceptron has no penalty; AveragedPerceptron and early_stopping=True keep "
    "weights from following every row",
    "alpha": "there is no penalty that it would scale",
    "l1_ratio": "there is no penalty",
    "n_jobs": "learning is done by one thread",
    "loss": "each learner has its own: see PassiveAggressive and SoftPerceptron",
    "learning_rate": "SoftPerceptron has schedule; steps of the others have no schedule",
}


# Equal to no values: of a learner that was not checked yet.
UNCHECKED = (object(),)


class Estimator(MetadataRouting, Configurable, SharedByThreads):
    """Parameters by name, tags and whether it is fitted; what is learned is up to others.

    Parameters are declared with `rosenblatt.estimators.params.option` in the body of a class.
    """

    def __new__(cls, *_: Any, **params: Any) -> Self:
        # The constructor would only say that the name is unexpected.
        for name in params.keys() & ELSEWHERE.keys() - cls._options.keys():
            raise TypeError(f"{cls.__name__} has no parameter {name!r}.{_elsewhere(name)}")
        return super().__new__(cls)

    # ------------------------------------------------------------------ parameters

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The parameters as they are declared, by name."""
        return dict(cls._options)

    def check_parameters(self) -> None:
        """Refuse parameters whose values are not allowed, alone or together."""
        values = tuple(getattr(self, name) for name in self._options)
        # Asked before every prediction of some learners; what was found good stays good.
        if not all(map(is_, values, self.__dict__.get("_good_parameters", UNCHECKED))):
            for declared, value in zip(self._options.values(), values, strict=True):
                declared.check(value)
            self._good_parameters = values

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: no parameter has parameters of its own.
        """
        return {name: getattr(self, name) for name in self._parameter_names}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        for name in params.keys() - set(self._parameter_names):
            raise ParameterError(
                f"Invalid parameter {name!r}: {type(self).__name__} has "
                f"{', '.join(self._parameter_names)}.{_elsewhere(name)}"
            )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, declared in self._options.items()
            if not declared.is_default(getattr(self, name))
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    # ------------------------------------------------------------------ scikit-learn's protocol

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    def _refuse_unfitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            ways = "fit or partial_fit" if hasattr(self, "partial_fit") else "fit"
            raise not_fitted_error()(
                f"this {type(self).__name__} instance is not fitted yet", cures=f"call {ways} first"
            )


class Learner(FitOutcome, Estimator):
    """What all learners share: how long they train, in which order, from which seed.

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
        Whether all examples given to the last ``fit`` are predicted right: ``n_training_errors_``
        is 0.
    n_training_errors_ : int
        How many of the examples given to the last ``fit``, those held out included, the weights
        that predict misclassify. Unknown once learning goes on by other calls.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, in a model of the shell
        that a signal ended, "interrupted".
    validation_scores_ : list of float
        Accuracy on the examples held out after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    """

    max_iter: int = option(
        default=1000,
        at_least=1,
        in_studio=False,
        help="Most epochs of a ``fit``. Ending there with mistakes left is a `ConvergenceWarning`.",
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
        Epochs to wait for a better score on the held-out rows; without these for fewer mistakes,
        where nothing promises that they end or a proof says that they will not; and with none, for
        larger margins.""",
    )
    warm_start: bool = option(
        default=False,
        in_studio=False,
        help="""
        Let ``fit`` go on from the state of the last call, exactly as if it had not ended. Where
        a learner has ``average="tail"`` or ``calibrate``, these count the epochs of this call
        alone.""",
    )
    verbose: int = option(
        default=0,
        at_least=0,
        accepts=lambda value: isinstance(value, bool),
        in_studio=False,
        help="1 shows the progress on standard error: a bar on a terminal, lines elsewhere.",
    )

    # Where the layout of the family's files is: a module that is loaded when a file is.
    layout: ClassVar[str]

    @property
    def averages(self) -> bool:
        """Whether the mean of the weights predicts, which keeps a running sum beside them."""
        return False

    @property
    def last_predicts(self) -> bool:
        """Whether the last weights predict, and neither their mean nor a vote."""
        return getattr(self, "combine", "average" if self.averages else "last") == "last"

    def _run(
        self,
        model: Any,
        trainer: Trainer,
        validation: Validation | None,
        count_errors: Callable[[], int],
    ) -> FitResult:
        """Train the model, showing the progress; what came out becomes the learner's own.

        Errors are counted at once, except by learners whose predictions may cost more than training
        did: these do so when asked.
        """
        from rosenblatt.models import epochs

        first_row, trainer.last_predicts = model.next_row, self.last_predicts
        if validation is not None:
            validation.keep = model.noting_when(validation.keep)
        with progress(self.verbose, self.max_iter, type(self).__name__) as show:
            result = epochs.run(
                trainer,
                max_iter=int(self.max_iter),
                tol=getattr(self, "tol", None),
                shuffle=bool(self.shuffle),
                random=model.random,
                validation=validation,
                after_epoch=show,
                patience=int(self.n_iter_no_change),
            )
        model.random, model.next_row = result.random, first_row + trainer.n_all
        self._take_over(model, result, validation)
        if self.keeps_rows:
            self._count_errors = count_errors
        else:
            self._keep_errors(count_errors())
        return result

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
        """Warn the caller of ``fit`` if one class, always predicted, does as well."""
        majority = self.__dict__.get("_majority")
        if majority is not None and not majority.is_beaten:
            found = majority._replace(label=repr(majority.label))
            cure = "Look at the labels, scale the features, or try another learner."
            what = f"{type(self).__name__} is {found}. {cure}"
            warnings.warn(what, majority_warning(), stacklevel=stacklevel)

    def _what_to_try(self, result: FitResult) -> str:
        """The rest of the sentence that warns of mistakes left."""
        return ": no epoch separated the examples. Try a larger max_iter."

    # ------------------------------------------------------------------ for a model file

    @classmethod
    def file_layout(cls) -> Layout:
        """How the files of this family are laid out."""
        module, _, name = cls.layout.partition(":")
        layout: Layout = getattr(import_module(module), name)()
        return layout

    @of_whole_state
    def to_state(self, *, slim: bool = False) -> State:
        """All there is to know, as data for a file; what no file can hold is refused.

        What a family keeps it says in its layout. What is worked out when asked for, such as
        ``coef_``, follows from that; what a ``fit`` leaves behind is kept as its record, but what
        it did on each row only beside a ledger. ``slim``: enough to predict, but not to learn on.
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
        self._settle_schema()
        facts, arrays = layout.put(self, model, slim=slim)
        counts = getattr(self.__dict__.get("_result"), "mistakes_per_row", None)
        if counts is not None and model.recorder is not None and not slim:
            arrays["mistakes_per_row"] = counts
        origin, names = model.origin, self.__dict__.get(layout.names_attribute)
        columns = model.columns
        if names is not None and not all(isinstance(name, str) for name in names):
            columns, names = names.tolist(), None  # where each name keeps its type
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
                fit=self._fit_record(),
                search=model.search,
            ),
            model=facts,
            calibration=model.calibration,
        )
        card.training_data = layout.training_data(card)
        return State(card, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """A learner of a state that was read and is therefore sound."""
        card, layout = state.card, cls.file_layout()
        learner = cls(**card.parameters)
        if card.feature_names is not None:
            names = np.empty(len(card.feature_names), object)
            names[:] = card.feature_names
            learner.__dict__[layout.names_attribute] = names
        if card.record.fit is not None:
            learner._restore_fit(card.record.fit, state.arrays.get("mistakes_per_row"))
        try:
            learner.check_parameters()
            layout.take(learner, state)
            getattr(learner, "schema_", None)  # reads it, and refuses one that is not sound
        except ModelFileError:
            raise
        # A word that cannot be written as UTF-8 is a ValueError, as is a number without end.
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"{card.learner}: {error}") from None
        return learner


def _elsewhere(name: str) -> str:
    return f" scikit-learn's {name} is not here: {ELSEWHERE[name]}." if name in ELSEWHERE else ""
