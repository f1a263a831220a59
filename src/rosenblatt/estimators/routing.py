"""Metadata routing by scikit-learn's public `MetadataRequest`, and conditional methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from rosenblatt.estimators.base import Estimator

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "decision_function",
    "score",
    "transform",
)
LABELS = {"y", "ys", "tags"}


def add_request_setters(cls: type[Estimator]) -> None:
    """Add ``set_{method}_request`` to a class for each of its methods that takes metadata.

    Metadata are all arguments except the rows and their labels, such as ``sample_weight``.
    """
    for method in METHODS:
        name = f"set_{method}_request"
        if name not in cls.__dict__ and _metadata(cls, method):
            setattr(cls, name, _setter(method, name))


def metadata_request(estimator: Estimator) -> Any:
    """Return the metadata requests of an estimator; none by default."""
    from sklearn.utils.metadata_routing import MetadataRequest

    # scikit-learn's clone looks for this name as well.
    if "_metadata_request" in estimator.__dict__:
        return deepcopy(estimator.__dict__["_metadata_request"])

    routing = MetadataRequest(owner=type(estimator).__name__)
    for method in METHODS:
        for name in _metadata(type(estimator), method):
            getattr(routing, method).add_request(param=name, alias=None)
    return routing


def _metadata(cls: type, method: str) -> list[str]:
    """Return the metadata of a method: its arguments except the rows and their labels."""
    function = getattr(cls, method, None)
    if function is None or not inspect.isfunction(function):
        return []
    # First come the learner itself and the rows, which are X, xs or sentences.
    further = list(inspect.signature(function).parameters)[2:]
    return [name for name in further if name not in LABELS]


def _setter(method: str, name: str) -> Callable[..., Estimator]:
    """Return the method ``set_{method}_request`` of a class."""

    def set_request(self: Estimator, **requests: bool | str | None) -> Estimator:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable "
                "it using sklearn.set_config(enable_metadata_routing=True)."
            )
        known = _metadata(type(self), method)
        for unknown in requests.keys() - set(known):
            raise TypeError(
                f"Unexpected args: {unknown!r} in {method}. Accepted arguments are: "
                f"{', '.join(known)}."
            )

        routing = self.get_metadata_routing()
        for argument, alias in requests.items():
            getattr(routing, method).add_request(param=argument, alias=alias)
        self.__dict__["_metadata_request"] = routing
        return self

    set_request.__name__ = name
    set_request.__qualname__ = f"Estimator.{name}"
    set_request.__doc__ = (
        f"Choose which metadata a meta-estimator of scikit-learn passes to ``{method}``.\n\n"
        "True passes the argument of that name, a text the one with the name it gives, False and "
        "None nothing.\n\nReturns\n-------\nself : learner\n"
    )
    return set_request


F = TypeVar("F", bound=Callable[..., Any])


class _Available(Generic[F]):
    """Descriptor of a method that exists only on instances that meet a condition."""

    def __init__(self, function: F, check: Callable[[Any], bool]) -> None:
        self._function = function
        self._check = check
        self.__doc__ = function.__doc__

    def __get__(self, instance: object, owner: type) -> F | MethodType:
        if instance is None:
            return self._function
        if not self._check(instance):
            raise AttributeError(
                f"this {owner.__name__} has no attribute {self._function.__name__!r}"
            )
        return MethodType(self._function, instance)


def available_if(check: Callable[[Any], bool]) -> Callable[[F], F]:
    """Return a decorator that hides a method unless ``check(self)`` is true.

    The check may raise AttributeError itself.
    """

    def decorate(function: F) -> F:
        return _Available(function, check)  # type: ignore[return-value]

    return decorate
