"""The base class of all estimators: scikit-learn's protocol without its base class.

scikit-learn is loaded only by those who already use it: only its own functions ask for its tags,
its metadata routing and its diagram.

Several threads may share a learner: one learns at a time, any number read; `engine.turns` has the
turns. A method that learns takes its turn in a ``with unchanged_on_error(self)`` block; one that
reads is decorated by `of_whole_state`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import is_
from typing import Any, ClassVar, ParamSpec, Self, TypeVar, dataclass_transform

from rosenblatt.engine.turns import LearningTurn, Turns, read_whole
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.params import Option, declare_options, option
from rosenblatt.estimators.routing import add_request_setters, metadata_request
from rosenblatt.estimators.sklearn_classes import not_fitted_error

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

Given = ParamSpec("Given")
Found = TypeVar("Found")

# Stands for the parameters of an estimator before its first check; no values are equal to these.
UNCHECKED = (object(),)


def unchanged_on_error(estimator: Estimator) -> LearningTurn:
    """Return a context manager that takes the turn to learn, and undoes changes on an error.

    It raises RuntimeError if another thread has the turn. An error restores the attributes that
    were set in the block. A block that changes the model in place has to announce it by
    `change_in_place` of the turn.
    """
    return LearningTurn(estimator, estimator._turns)


def of_whole_state(method: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a method that reads, so that it never sees a half-updated learner.

    While another thread learns, the method is given the state before, or waits for the state after.
    """

    @wraps(method)
    def read(self: Estimator, *args: Any, **named: Any) -> Any:
        return read_whole(self, self._turns, method, args, named)

    return read  # type: ignore[return-value]


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(option,))
class Estimator:
    """Base of all estimators: parameters by name, scikit-learn's protocol, and thread safety.

    Learners, transformers and `AutoLinear` derive from it. Parameters are declared with
    `rosenblatt.estimators.params.option` in the body of a class; the constructor takes them by
    name.
    """

    # The turns are in a slot and no part of the state, so that no copy or pickle has them.
    __slots__ = ("__dict__", "__weakref__", "_turns")
    _turns: Turns
    n_features_in_: int

    # The options by name, including inherited ones.
    _options: ClassVar[dict[str, Option]] = {}
    # The options declared in the body of the class itself; None for an inherited parameter that the
    # class fixes as a ClassVar.
    _own_options: ClassVar[dict[str, Option | None]] = {}
    # Names of the parameters of the constructor: the options, unless it is written by hand.
    _parameter_names: ClassVar[tuple[str, ...]] = ()
    # The constructor that was generated for the class, or for the one that it inherits from.
    _made_init: ClassVar[Callable[..., None]] = object.__init__

    def __new__(cls, *_: object, **params: object) -> Self:
        # The constructor would only report that the name is unexpected.
        for name in params.keys() & ELSEWHERE.keys() - cls._options.keys():
            raise TypeError(f"{cls.__name__} has no parameter {name!r}.{_elsewhere(name)}")
        self = super().__new__(cls)
        self._turns = Turns()
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare_options(cls)
        add_request_setters(cls)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def before_learning(self) -> None:
        """Discard state that learning invalidates; called when a thread takes the turn to learn."""

    # ------------------------------------------------------------------ parameters

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the declarations of the parameters, by name."""
        return dict(cls._options)

    def check_parameters(self) -> None:
        """Raise a ParameterError if a parameter, or a combination of parameters, is not allowed."""
        values = tuple(getattr(self, name) for name in self._options)
        # Some learners check before every prediction, so values that passed are not checked again.
        passed = self.__dict__.get("_good_parameters", UNCHECKED)
        if not all(map(is_, values, passed)):
            for declared, value in zip(self._options.values(), values, strict=True):
                declared.check(value)
            self._good_parameters = values

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

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
        """Return whether the estimator is fitted."""
        raise NotImplementedError

    def _refuse_unfitted(self) -> None:
        """Raise NotFittedError if the estimator is not fitted."""
        if not self.__sklearn_is_fitted__():
            ways = "fit or partial_fit" if hasattr(self, "partial_fit") else "fit"
            raise not_fitted_error()(
                f"this {type(self).__name__} instance is not fitted yet", cures=f"call {ways} first"
            )

    def get_metadata_routing(self) -> Any:
        """Return the metadata that meta-estimators of scikit-learn may route to each method.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRequest
        """
        return metadata_request(self)

    # ------------------------------------------------------------------ notebooks

    def _repr_html_(self) -> str:
        from rosenblatt.estimators.notebook_card import diagram_html

        return diagram_html(self) + self._summary_html()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _summary_html(self) -> str:
        """Return the HTML that is shown below the diagram; empty unless a class overrides it."""
        return ""


def _elsewhere(name: str) -> str:
    """Return the end of an error message: why a parameter of scikit-learn does not exist here.

    Empty for any other name.
    """
    if name not in ELSEWHERE:
        return ""
    return f" scikit-learn's {name} is not here: {ELSEWHERE[name]}."
