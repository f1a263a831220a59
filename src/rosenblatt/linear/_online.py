"""Learning one example at a time, as an array or as a mapping of features."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels import learning
from rosenblatt._kernels.mappings import MappingRow, NotANumber
from rosenblatt.core.ledger import Recorder
from rosenblatt.core.model import LinearModel
from rosenblatt.core.training import one_pass
from rosenblatt.errors import InputError
from rosenblatt.linear._partial import BatchLearning
from rosenblatt.linear._stream import (
    LIMIT,
    Stream,
    as_row,
    as_table,
    not_a_number,
    unchanged_on_error,
)

__all__ = ["OnlineLearning"]

ONE = np.zeros(1, np.int32)  # a single example: label number 0 of a list of one


class OnlineLearning(BatchLearning):
    """``learn_one`` and ``predict_one``: a mapping may bring new features, any label new classes.

    A refused example changes nothing, and predicting never learns.
    """

    def _answers(self, found: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        raise NotImplementedError

    def _scores(self, model: LinearModel, table: Any) -> npt.NDArray[Any]:
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        raise NotImplementedError

    def learn_one(self, x: Any, y: Hashable) -> Self:
        """Learn from one example.

        Parameters
        ----------
        x : mapping {feature: value} or array-like of shape (n_features,)
            A mapping names its features, may leave out those that are 0, and may bring features
            never seen before.
        y : hashable
            The label. One not seen before becomes a new class.

        Returns
        -------
        self : estimator
        """
        if type(x) is not dict and not isinstance(x, Mapping):
            return self.partial_fit(as_row(x), [y])
        stream = self.__dict__.get("_online")
        if (
            stream is None
            or stream.row is None
            or stream.model is not self._model
            or stream.settings != self._rule_settings(self)
        ):
            with unchanged_on_error(self):
                self._learn_mapping(self._mapping_stream(), x, y)
        else:
            self._learn_mapping(stream, x, y)
        return self

    def _learn_mapping(self, stream: Stream, x: Any, y: Hashable) -> None:
        row = stream.row
        try:
            row.read(x, LIMIT, True)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        if y in stream.model.slots and not row.pending:
            self._learn_row(stream, y)
        else:
            self._learn_new(stream, y)

    def _learn_new(self, stream: Stream, y: Hashable) -> None:
        """An example that brings a new class or new features, which leave again if refused."""
        row, model = stream.row, stream.model
        features, n_before = list(row.pending), len(row.columns)
        kept = None if y in model.slots else model.copy()
        try:
            stream.slot(y)
            row.commit()
            model.weights.grow(len(row.columns))
            self._learn_row(stream, y)
        except InputError:
            for feature in features:
                row.columns.pop(feature, None)
            if kept is None:
                model.weights.grow(n_before)
            else:
                model.__dict__.update(kept.__dict__)
                model.columns = row.columns
            raise
        self.n_features_in_ = len(row.columns)

    def _learn_row(self, stream: Stream, y: Hashable) -> None:
        model, rows = stream.model, stream.row.rows
        weights = model.weights
        if len(model.classes) < 2:
            weights.t += 1
            return
        weight = None if self.class_weight is None else self._row_weights(None, [y], ONE)
        if model.recorder is None:
            stream.learn_row(rows, model.slots[y], weight)
            return
        stream.label[0] = model.slots[y]
        updates, seen = Recorder(), model.seen_while_recording
        tally = one_pass(
            weights, stream.rule, rows, stream.label, row_weights=weight, recorder=updates
        )
        self._keep(model, updates.entries, stream.row, seen)
        model.n_mistakes += tally.mistakes

    def _mapping_stream(self) -> Stream:
        if "_model" not in self.__dict__:
            rule = self._check_parameters()
            self._begin(self._new_model(0, np.float64), rule)
            self.n_features_in_ = 0
        stream = self._current_stream()
        if stream.row is None:
            model = stream.model
            model.columns = self._columns(model)
            model.weights.promote()
            stream.row = MappingRow(model.columns)
        return stream

    def _columns(self, model: LinearModel) -> dict[Any, int]:
        """The column of each feature by name."""
        if model.columns is not None:
            return model.columns
        names = getattr(self, "feature_names_in_", None)
        if names is None and model.weights.n_features:
            raise InputError(
                "x is a mapping, but this model was trained on columns without names. "
                "Give a 1-D array, or train on a data frame or on mappings."
            )
        return {name: column for column, name in enumerate([] if names is None else names)}

    def predict_one(self, x: Any) -> Any:
        """The class of one example, a mapping or a 1-D array; None before any was learned.

        Features of a mapping that were never learned from count as 0.
        """
        if "_model" not in self.__dict__:
            return None
        if type(x) is not dict and not isinstance(x, Mapping):
            answer = self.predict(as_row(x))[0]
            return answer.item() if isinstance(answer, np.generic) else answer
        model = self._model
        stream: Stream | None = self.__dict__.get("_online")
        if stream is not None and stream.model is model and stream.row is not None:
            row = stream.row
        else:
            row = MappingRow(self._columns(model))
        try:
            row.read(x, LIMIT, False)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        if len(model.classes) < 2:
            return model.classes[0] if model.classes else None
        return model.classes[int(self._answers(self._row_scores(model, row))[0])]

    def _row_scores(self, model: LinearModel, row: MappingRow) -> npt.NDArray[Any]:
        """Scores of one sparse row, at the cost of its stored values where the layout allows."""
        weights = model.weights
        readable = weights.by_feature or weights.n_vectors == 1
        if model.best is not None or weights.is_float32 or not readable:
            return self._scores(model, as_table(row))
        found = learning.score(row.rows, weights.table, weights.bias)
        if weights.averaged:
            found = (
                found - learning.score(row.rows, weights.table_sum, weights.bias_sum) / weights.t
            )
        return found
