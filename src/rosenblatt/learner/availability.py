"""Methods that are there only while a check of their object holds."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Generic, TypeVar

__all__ = ["available_if"]

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
