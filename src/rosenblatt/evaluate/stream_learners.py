"""Learners of all kinds, as a stream asks and teaches them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arrays import SparseRows
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError

__all__ = ["StreamLearner", "stream_learner"]


class StreamLearner:
    """A learner of single examples; rows of a block are handed over as 1-D arrays."""

    reads_mappings = True

    def __init__(self, model: Any) -> None:
        self._model = model

    def inspect(self, X: Any) -> None:
        """Refuse a block that holds what cannot be learned from, before any of it is learned."""

    def row(self, X: Any, i: int) -> Any:
        """A row of a block, as the learner takes one."""
        if isinstance(X, np.ndarray):
            return X[i]
        return _SparseRow(X[i : i + 1]) if self._has_batches else X[[i]].toarray()[0]

    def predict(self, x: Any) -> Any:
        """What it predicts, None if that is nothing yet."""
        if isinstance(x, _SparseRow):
            return self._model.predict(x.X)[0] if hasattr(self._model, "classes_") else None
        return self._model.predict_one(x)

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        """Learn from one example."""
        if weight is None and not isinstance(x, _SparseRow):
            self._model.learn_one(x, y)
            return
        if not self._has_batches or not isinstance(x, _SparseRow | np.ndarray):
            raise InputError(
                "the stream gives weights, but learn_one takes none: give rows as arrays to a "
                "learner with partial_fit."
            )
        X = x.X if isinstance(x, _SparseRow) else x.reshape(1, -1)
        weights = {} if weight is None else {"sample_weight": np.array([weight])}
        self._model.partial_fit(X, np.array([y]), **weights)

    def takes_blocks(self) -> bool:
        """Whether it can predict and learn the rows of a block by itself from here on."""
        return False

    def predict_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[Any]:
        """Predictions of some rows of a block, each made before the row was learned."""
        predictions: list[Any] = self._model.predict_then_learn(
            X, y, weights, first_row=first_row
        ).predictions
        return predictions

    @property
    def _has_batches(self) -> bool:
        return hasattr(self._model, "partial_fit")


class _LinearLearner(StreamLearner):
    """A linear learner of this package, which has a loop of its own for blocks."""

    def inspect(self, X: Any) -> None:
        inspect(as_rows(X))

    def predict(self, x: Any) -> Any:
        return self._model.predict_row(x.X) if isinstance(x, _SparseRow) else super().predict(x)

    def takes_blocks(self) -> bool:
        return bool(self._model.can_predict_then_learn())


class _TableLearner(StreamLearner):
    """A learner of tables, which gets them one row long."""

    reads_mappings = False

    def __init__(self, model: Any, classes: Any) -> None:
        super().__init__(model)
        self._classes = classes

    def row(self, X: Any, i: int) -> Any:
        # Learners of others know SciPy's sparse rows, not ours.
        return X[i : i + 1].tocsr() if isinstance(X, SparseRows) else X[i : i + 1]

    def predict(self, x: Any) -> Any:
        # Before anything was learned there is nothing to ask.
        return self._model.predict(x)[0] if hasattr(self._model, "classes_") else None

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        arguments = {} if self._classes is None else {"classes": self._classes}
        if weight is not None:
            arguments["sample_weight"] = np.array([weight])
        self._classes = None
        self._model.partial_fit(x, np.array([y]), **arguments)


class _SparseRow:
    """One row of a sparse matrix, still sparse."""

    def __init__(self, X: Any) -> None:
        self.X = X


def stream_learner(model: Any, classes: Any) -> StreamLearner:
    """A learner, ours or another, for a stream; ``classes`` for the first batch of others."""
    if hasattr(model, "predict_one") and hasattr(model, "learn_one"):
        return (_LinearLearner if hasattr(model, "predict_then_learn") else StreamLearner)(model)
    if hasattr(model, "predict") and hasattr(model, "partial_fit"):
        return _TableLearner(model, classes)
    raise ParameterError(
        f"a {type(model).__name__} does not learn from a stream: it needs predict_one and "
        "learn_one, or predict and partial_fit."
    )
