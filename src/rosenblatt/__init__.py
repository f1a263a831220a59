"""rosenblatt: the perceptron family, in which a model is its mistakes.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy
from rosenblatt.estimators.catalogue import CATALOGUE

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".models.ledger": "Ledger",
        ".distributed": "distribute",
        ".geometry": "Hyperplane",
        ".persistence.file": "load save",
        **{entry.module: entry.class_name for entry in CATALOGUE},
    },
    modules="datasets distributed errors evaluate explain features geometry io losses model plot "
    "studio theory",
)

if TYPE_CHECKING:
    from rosenblatt import datasets as datasets
    from rosenblatt import distributed as distributed
    from rosenblatt import errors as errors
    from rosenblatt import evaluate as evaluate
    from rosenblatt import explain as explain
    from rosenblatt import features as features
    from rosenblatt import geometry as geometry
    from rosenblatt import io as io
    from rosenblatt import losses as losses
    from rosenblatt import model as model
    from rosenblatt import plot as plot
    from rosenblatt import studio as studio
    from rosenblatt import theory as theory
    from rosenblatt.distributed import distribute as distribute
    from rosenblatt.estimators.catalogue import *  # the learners
    from rosenblatt.geometry import Hyperplane as Hyperplane
    from rosenblatt.models.ledger import Ledger as Ledger
    from rosenblatt.persistence.file import load as load
    from rosenblatt.persistence.file import save as save
