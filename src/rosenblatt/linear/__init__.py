"""The linear learners, one a file, and what it takes to write another."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.learner.catalogue import CATALOGUE

_NAMES = {
    "LinearLearner": "rosenblatt.linear._classifier",
    "Rule": "rosenblatt._kernels.rules",
    "option": "rosenblatt.learner.options",
    **{entry.class_name: entry.module for entry in CATALOGUE if entry.family == "linear"},
}

__all__ = [*_NAMES]

if TYPE_CHECKING:
    from rosenblatt._kernels.rules import Rule
    from rosenblatt.learner.catalogue import *
    from rosenblatt.learner.options import option
    from rosenblatt.linear._classifier import LinearLearner


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_NAMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
