"""Learners of all kinds, as a stream asks and teaches them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from rosenblatt.arrays import SparseRows
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError

__all__ = ["Learner", "learner_of"]


class Learner(Protocol):
    """What a stream needs of a learner."""

    reads_mappings: bool

    def inspect(self, X: Any) -> None:
        """Refuse a block that holds what cannot be learned from, before any of it is learned."""

    def row(self, X: Any, i: int) -> Any:
        """A row of a block, as the learner takes one."""

    def answer(self, x: Any) -> Any:
        """Its answer, None if it has none yet."""

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        """Learn from one example."""

    def goes_through_blocks(self) -> bool:
        """Whether it can answer and learn the rows of a block by itself from here on."""

    def answer_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[Any]:
        """The answers to some rows of a block, each given before the row was learned."""


def learner_of(model: Any, classes: Any) -> Learner:
    if hasattr(model, "predict_one") and hasattr(model, "learn_one"):
        return _InBlocks(model) if hasattr(model, "predict_then_learn") else _OneByOne(model)
    if hasattr(model, "predict") and hasattr(model, "partial_fit"):
        return _ByTables(model, classes)
    raise ParameterError(
        f"a {type(model).__name__} does not learn from a stream: it needs predict_one and "
        "learn_one, or predict and partial_fit."
    )


class _OneByOne:
    """A learner of single examples; rows of a block are handed over as 1-D arrays."""

    reads_mappings = True

    def __init__(self, model: Any) -> None:
        self._model = model

    def inspect(self, X: Any) -> None:
        pass

    def row(self, X: Any, i: int) -> Any:
        if isinstance(X, np.ndarray):
            return X[i]
        return _Row(X[i : i + 1]) if hasattr(self._model, "partial_fit") else X[[i]].toarray()[0]

    def answer(self, x: Any) -> Any:
        if isinstance(x, _Row):
            return self._model.predict(x.X)[0] if hasattr(self._model, "classes_") else None
        return self._model.predict_one(x)

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        if weight is not None:
            self._learn_weighted(x, y, weight)
        elif isinstance(x, _Row):
            self._model.partial_fit(x.X, np.array([y]))
        else:
            self._model.learn_one(x, y)

    def _learn_weighted(self, x: Any, y: Any, weight: float) -> None:
        if not hasattr(self._model, "partial_fit") or not isinstance(x, _Row | np.ndarray):
            raise InputError(
                "the stream gives weights, but learn_one takes none: give rows as arrays to a "
                "learner with partial_fit."
            )
        X = x.X if isinstance(x, _Row) else x.reshape(1, -1)
        self._model.partial_fit(X, np.array([y]), sample_weight=np.array([weight]))

    def goes_through_blocks(self) -> bool:
        return False

    def answer_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[Any]:
        raise NotImplementedError


class _InBlocks(_OneByOne):
    """A linear learner of this package, which has a loop of its own for blocks."""

    def inspect(self, X: Any) -> None:
        inspect(as_rows(X))

    def answer(self, x: Any) -> Any:
        if isinstance(x, _Row):
            return self._model.predict_row(x.X)
        return super().answer(x)

    def goes_through_blocks(self) -> bool:
        return bool(self._model.can_predict_then_learn())

    def answer_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[Any]:
        answers: list[Any] = self._model.predict_then_learn(
            X, y, weights, first_row=first_row
        ).predictions
        return answers


class _ByTables:
    """A learner of tables, which gets them one row long."""

    reads_mappings = False

    def __init__(self, model: Any, classes: Any) -> None:
        self._model, self._classes = model, classes

    def inspect(self, X: Any) -> None:
        pass

    def row(self, X: Any, i: int) -> Any:
        # Learners of others know SciPy's sparse rows, not ours.
        return X[i : i + 1].tocsr() if isinstance(X, SparseRows) else X[i : i + 1]

    def answer(self, x: Any) -> Any:
        # Before anything was learned there is nothing to ask.
        return self._model.predict(x)[0] if hasattr(self._model, "classes_") else None

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        told = {} if self._classes is None else {"classes": self._classes}
        if weight is not None:
            told["sample_weight"] = np.array([weight])
        self._classes = None
        self._model.partial_fit(x, np.array([y]), **told)

    def goes_through_blocks(self) -> bool:
        return False

    def answer_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[Any]:
        raise NotImplementedError


class _Row:
    """One row of a sparse matrix, still sparse."""

    def __init__(self, X: Any) -> None:
        self.X = X
