"""Snapshots of a linear model, restored when an example or a batch raises an error.

There are three kinds, since a snapshot should never cost more than what is learned: of the whole
model (`Model.snapshot`), of the weights that a few sparse rows can change, and only of the shape,
for a row that brings classes or features and is refused before it changes a weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, SparseRows
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.model import Snapshot as Snapshot


class Unchanged:
    """Snapshot that does nothing, for learning that cannot leave the model half changed."""

    def restore(self) -> None:
        """Do nothing, since an invalid step raises an error before it changes anything."""


class ShapeSnapshot:
    """Snapshot of the classes and features of a model, to remove those added later."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        self._n_classes = len(model.classes)
        self._n_features = model.weights.n_features
        # Reset when a class joins.
        self._best = model.best
        self._label_dtype = model.label_dtype
        self._calibration = model.calibration

    def restore(self) -> None:
        """Remove the new vectors and features; the others are unchanged."""
        model = self._model
        while len(model.classes) > self._n_classes:
            del model.slots[model.classes.pop()]
            model.sorted_slots.remove(len(model.classes))
            model.weights.drop_vector()
        model.best = self._best
        model.label_dtype = self._label_dtype
        model.calibration = self._calibration
        if model.weights.n_features > self._n_features:
            model.weights.grow(self._n_features)
        if model.columns is not None:
            for feature in list(model.columns)[self._n_features :]:
                del model.columns[feature]


class TouchedSnapshot:
    """Snapshot of the weights of some features, and of all small parts of the model.

    Nothing else changes when sparse rows of these features are learned, as long as no class joins.
    """

    def __init__(self, model: LinearModel, columns: AnyArray) -> None:
        self._model = model
        self._columns = np.unique(columns)
        model.weights.arrange(by_feature=True)
        # The planes are laid out like the table: weights, running sums, rates, lags.
        self._touched = {
            name: (plane.table.T[self._columns], plane.bias.copy())
            for name, plane in model.weights.all_planes().items()
        }
        self._t = model.weights.t
        self._reach = model.weights.reach
        self._n_mistakes = model.n_mistakes
        self._recorder = None if model.recorder is None else model.recorder.copy()
        self._voters = None if model.voters is None else model.voters.copy()
        self._readouts = None if model.readouts is None else model.readouts.copy()

    def restore(self) -> None:
        """Restore the weights of these features and all small parts of the model."""
        model = self._model
        for name, plane in model.weights.all_planes().items():
            weights, bias = self._touched[name]
            plane.table.T[self._columns] = weights
            plane.bias[...] = bias
        model.weights.t = self._t
        model.weights.reach = self._reach
        model.n_mistakes = self._n_mistakes
        model.recorder = self._recorder
        model.voters = self._voters
        model.readouts = self._readouts


def changes_few_weights(model: LinearModel, table: SparseRows) -> bool:
    """Return whether sparse rows touch so few features that a snapshot of these is cheaper."""
    if 2 * len(table.indices) >= model.weights.n_features:
        return False
    # A fold changes all weights, and a mean whose scale becomes 1 again all of its numbers.
    if model.weights.is_scaled:
        return False
    return model.readouts is None or not model.readouts.may_rescale(table.shape[0])
