"""rosenblatt: the perceptron family, in which a model is its mistakes.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.learner.catalogue import CATALOGUE

__version__ = "0.1.0"

_NAMES = {
    "Hyperplane": "rosenblatt.geometry",
    "Ledger": "rosenblatt.core.ledger",
    "load": "rosenblatt.model",
    "save": "rosenblatt.model",
    **{entry.class_name: entry.module for entry in CATALOGUE},
}
_MODULES = (
    "datasets",
    "errors",
    "evaluate",
    "features",
    "geometry",
    "io",
    "losses",
    "model",
    "plot",
    "studio",
    "theory",
)

__all__ = [*_NAMES, *_MODULES]

if TYPE_CHECKING:
    from rosenblatt import (
        datasets,
        errors,
        evaluate,
        features,
        geometry,
        io,
        losses,
        model,
        plot,
        studio,
        theory,
    )
    from rosenblatt.core.ledger import Ledger
    from rosenblatt.geometry import Hyperplane
    from rosenblatt.learner.catalogue import *  # the learners
    from rosenblatt.model import load, save


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
