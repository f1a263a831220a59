"""rosenblatt: the perceptron family, in which a model is its mistakes.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy
from rosenblatt.learner.catalogue import CATALOGUE

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "Hyperplane": "rosenblatt.geometry",
        "Ledger": "rosenblatt.core.ledger",
        "load": "rosenblatt.model",
        "save": "rosenblatt.model",
        **{entry.class_name: entry.module for entry in CATALOGUE},
        "datasets": "rosenblatt.datasets",
        "errors": "rosenblatt.errors",
        "evaluate": "rosenblatt.evaluate",
        "features": "rosenblatt.features",
        "geometry": "rosenblatt.geometry",
        "io": "rosenblatt.io",
        "losses": "rosenblatt.losses",
        "model": "rosenblatt.model",
        "plot": "rosenblatt.plot",
        "studio": "rosenblatt.studio",
        "theory": "rosenblatt.theory",
    },
)

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
