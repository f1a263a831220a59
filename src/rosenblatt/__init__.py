"""rosenblatt: the perceptron family, in which a model is its mistakes.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "AveragedPerceptron": "rosenblatt.linear",
    "Hyperplane": "rosenblatt.geometry",
    "KernelPerceptron": "rosenblatt.kernel",
    "Ledger": "rosenblatt.core.ledger",
    "MIRA": "rosenblatt.linear",
    "PassiveAggressive": "rosenblatt.linear",
    "Perceptron": "rosenblatt.linear",
    "SequenceTagger": "rosenblatt.structured",
    "SoftPerceptron": "rosenblatt.linear",
    "StructuredPerceptron": "rosenblatt.structured",
    "VotedPerceptron": "rosenblatt.linear",
    "load": "rosenblatt.model",
    "save": "rosenblatt.model",
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

__all__ = [
    "MIRA",
    "AveragedPerceptron",
    "Hyperplane",
    "KernelPerceptron",
    "Ledger",
    "PassiveAggressive",
    "Perceptron",
    "SequenceTagger",
    "SoftPerceptron",
    "StructuredPerceptron",
    "VotedPerceptron",
    "datasets",
    "errors",
    "evaluate",
    "features",
    "geometry",
    "io",
    "load",
    "losses",
    "model",
    "plot",
    "save",
    "studio",
    "theory",
]

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
        theory,
    )
    from rosenblatt.core.ledger import Ledger
    from rosenblatt.geometry import Hyperplane
    from rosenblatt.kernel import KernelPerceptron
    from rosenblatt.linear import (
        MIRA,
        AveragedPerceptron,
        PassiveAggressive,
        Perceptron,
        SoftPerceptron,
        VotedPerceptron,
    )
    from rosenblatt.model import load, save
    from rosenblatt.structured import SequenceTagger, StructuredPerceptron


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(_WHERE[name]), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
