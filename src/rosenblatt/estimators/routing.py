"""scikit-learn's metadata routing by its public `MetadataRequest`, and methods on a condition."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from types import MethodType
from typing import Any, Generic, TypeVar

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


class MetadataRouting:
    """``set_fit_request`` and the like for every argument beside the rows and their labels."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for method in METHODS:
            name = f"set_{method}_request"
            if name not in cls.__dict__ and _metadata(cls, method):
                setattr(cls, name, _setter(method, name))

    def get_metadata_routing(self) -> Any:
        """What may be routed to which method, for scikit-learn's meta-estimators.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        # scikit-learn's clone looks for this name, too.
        if "_metadata_request" in self.__dict__:
            return deepcopy(self.__dict__["_metadata_request"])
        routing = MetadataRequest(owner=type(self).__name__)
        for method in METHODS:
            for name in _metadata(type(self), method):
                getattr(routing, method).add_request(param=name, alias=None)
        return routing


def _metadata(cls: type, method: str) -> list[str]:
    """The arguments of a method beside the data."""
    function = getattr(cls, method, None)
    if function is None or not inspect.isfunction(function):
        return []
    # First come the learner itself and the rows, whatever they are called.
    beside = list(inspect.signature(function).parameters)[2:]
    return [name for name in beside if name not in LABELS]


def _setter(method: str, name: str) -> Callable[..., Any]:
    def set_request(self: Any, **requests: bool | str | None) -> Any:
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
        for name, alias in requests.items():
            getattr(routing, method).add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self

    set_request.__name__ = name
    set_request.__qualname__ = f"MetadataRouting.{name}"
    set_request.__doc__ = (
        f"Say which metadata a meta-estimator of scikit-learn passes to ``{method}``.\n\n"
        "True passes what has that name, a text what has the name it gives, False and None "
        "nothing.\n\nReturns\n-------\nself : learner\n"
    )
    return set_request


F = TypeVar("F", bound=Callable[..., Any])


class _Available(Generic[F]):
    def __init__(self, function: F, check: Callable[[Any], bool]) -> None:
        self._function, self._check = function, check
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._function
        if not self._check(instance):
            raise AttributeError(
                f"this {owner.__name__} has no attribute {self._function.__name__!r}"
            )
        return MethodType(self._function, instance)


def available_if(check: Callable[[Any], bool]) -> Callable[[F], F]:
    """Hide a method where ``check(self)`` is false; it may say why by an AttributeError."""

    def decorate(function: F) -> F:
        return _Available(function, check)  # type: ignore[return-value]

    return decorate
