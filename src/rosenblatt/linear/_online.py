"""Learning as the examples come: in batches, or one at a time as an array or a mapping."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels import learning
from rosenblatt._kernels.mappings import MappingRow, NotANumber
from rosenblatt._kernels.rows import Rows, dense
from rosenblatt.core.ledger import Entries, Recorder
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rules import Rule
from rosenblatt.core.tables import as_rows, inspect
from rosenblatt.core.training import one_pass
from rosenblatt.errors import InputError, OverflowRefused, ParameterError
from rosenblatt.linear._inputs import read_labels, read_table, read_weights, seed_from
from rosenblatt.linear._learned import FIT_ONLY, Learned
from rosenblatt.linear._stream import LIMIT, Stream, not_a_number

__all__ = ["OnlineLearning"]


class OnlineLearning(Learned):
    """``partial_fit``, ``learn_one`` and ``predict_one``.

    Classes may appear in any call; a mapping may bring new features too. One row at a time or
    all in one batch give the same model to the last bit, and a refused example changes nothing.
    """

    # Read at every call, so that a parameter changed in between is heeded.
    _rule_settings: ClassVar[Any] = attrgetter("ties")

    _averaged: ClassVar[bool]
    _online: Stream
    class_weight: Any
    fit_intercept: bool
    random_state: Any
    record: bool

    def _check_parameters(self) -> Rule:
        raise NotImplementedError

    def _answers(self, found: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        raise NotImplementedError

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from each row once, in the order given, starting from what was learned before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            A label for each row. Labels not seen before become new classes.
        classes : array-like, default=None
            Classes to know of from the start. Unlike in scikit-learn this is optional, and the
            list may grow in later calls.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves the row out.

        Returns
        -------
        self : estimator
        """
        table, rows = self._rows_to_learn(X)
        labels = y if type(y) is np.ndarray and y.ndim == 1 and len(y) == 1 else None
        if labels is None or labels.dtype.kind not in "iuUb" or rows.n_rows != 1:
            labels = read_labels(y, rows.n_rows)
        stream = self._stream(rows, table)
        model = stream.model
        for label in [] if classes is None else np.unique(np.asarray(classes)).tolist():
            if label not in model.slots:
                model.admit(label)
        if len(labels) == 1 and sample_weight is None and self.class_weight is None:
            self._learn_batch(stream, table, rows, [labels.item()], None)
            return self
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs all labels at once. For partial_fit give a dict of "
                "class to weight, or pass sample_weight."
            )
        given = labels.tolist()
        names, numbers = np.unique(labels, return_inverse=True)
        weights = read_weights(
            sample_weight,
            self.class_weight,
            names,
            numbers.astype(np.int32),
            table,
        )
        self._learn_batch(stream, table, rows, given, weights)
        return self

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
        if not isinstance(x, Mapping):
            self.partial_fit(np.asarray(x).reshape(1, -1), [y])
            return self
        stream = self._mapping_stream()
        row = stream.row
        try:
            row.read(x, LIMIT, True)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        model = stream.model
        slot = model.slots.get(y)
        if slot is None:
            slot = self._slot(model, y)
        if row.pending:
            row.commit()
            model.weights.grow(len(row.columns))
            self.n_features_in_ = len(row.columns)
        self._learn_rows(stream, row.rows, slot, x)
        return self

    def predict_one(self, x: Any) -> Any:
        """The class of one example, a mapping or a 1-D array; None before any was learned.

        Features of a mapping that were never learned from count as 0.
        """
        if "_model" not in self.__dict__:
            return None
        if not isinstance(x, Mapping):
            return self.predict(np.asarray(x).reshape(1, -1))[0].item()
        stream = self._mapping_stream()
        try:
            stream.row.read(x, LIMIT, False)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        return stream.model.classes[self._answer_row(stream)]

    # ------------------------------------------------------------------ one batch

    def _rows_to_learn(self, X: Any) -> tuple[Any, Rows]:
        """``X`` checked; the plainest case, an array like the ones before, without detours."""
        names = getattr(self, "feature_names_in_", None)
        if (
            type(X) is np.ndarray
            and names is None
            and X.ndim == 2
            and X.dtype in (np.float64, np.float32)
            and X.flags.carray
            and X.shape[1] == self.__dict__.get("n_features_in_")
        ):
            rows, table = dense(X), X
        else:
            table = read_table(self, X, reset="_model" not in self.__dict__)
            rows = as_rows(table)
        inspect(rows, names=names)
        return table, rows

    def _stream(self, rows: Rows, table: Any) -> Stream:
        """The model to go on with, in a type that can hold these rows."""
        if "_model" not in self.__dict__:
            rule = self._check_parameters()
            model = self._new_model(rows.n_features, rows.dtype)
            self._begin(model, rule)
        stream = self._current_stream()
        if rows.dtype != stream.model.weights.table.dtype:
            stream.model.weights.promote()
        return stream

    def _new_model(self, n_features: int, dtype: npt.DTypeLike) -> LinearModel:
        return LinearModel(
            [],
            n_features,
            dtype=dtype,
            fit_intercept=bool(self.fit_intercept),
            averaged=self._averaged,
            random=seed_from(self.random_state),
        )

    def _begin(self, model: LinearModel, rule: Rule) -> None:
        self._model, self._training = model, None
        self._online = Stream(model, rule, self._rule_settings(self))
        self._start_recording(model)

    def _start_recording(self, model: LinearModel) -> None:
        if self.record:
            model.start_recording()
        else:
            model.recorder = None

    def _current_stream(self) -> Stream:
        stream: Stream | None = self.__dict__.get("_online")
        settings = self._rule_settings(self)
        if stream is None or stream.model is not self._model or stream.settings != settings:
            rule = self._check_parameters()
            if stream is not None and stream.model is self._model:
                stream.rule, stream.settings = rule, settings
            else:
                self._forget_fit()
                self._begin(self._model, rule)
                stream = self._online
        assert stream is not None
        return stream

    def _forget_fit(self) -> None:
        """What was true of a finished fit is no longer so once learning goes on."""
        self._model.best = None
        for name in FIT_ONLY:
            self.__dict__.pop(name, None)

    def _slot(self, model: LinearModel, label: Any) -> int:
        slot = model.slots.get(label)
        if slot is None:
            if isinstance(label, float) and label != label:
                raise InputError("the label is NaN. Drop the example or give it a label.")
            slot = model.admit(label)
        return slot

    def _learn_batch(
        self,
        stream: Stream,
        table: Any,
        rows: Rows,
        given: list[Any],
        row_weights: npt.NDArray[np.float64] | None,
    ) -> None:
        """Learn row by row; a class joins at the row where it first appears, as one by one."""
        model = stream.model
        undo = stream.checkpoint(rows) if len(given) > 1 else None
        start, labels = 0, np.empty(len(given), np.int32)
        slots = model.slots
        try:
            for i, label in enumerate(given):
                slot = slots.get(label)
                if slot is None:
                    start = self._learn_part(stream, table, rows, labels, start, i, row_weights)
                    before = model.classes
                    slot = self._slot(model, label)
                    slots = model.slots
                    if len(before) == 1:  # the two may have changed places
                        labels[start:i] = slots[before[0]]
                labels[i] = slot
            self._learn_part(stream, table, rows, labels, start, len(given), row_weights)
        except (OverflowRefused, InputError):
            if undo is not None:
                undo()
            raise

    def _learn_part(
        self,
        stream: Stream,
        table: Any,
        rows: Rows,
        labels: npt.NDArray[np.int32],
        start: int,
        stop: int,
        row_weights: npt.NDArray[np.float64] | None,
    ) -> int:
        model = stream.model
        if start == stop:
            return stop
        if len(model.classes) < 2:
            model.weights.t += stop - start
            return stop
        recorder = Recorder() if model.recorder is not None else None
        seen = model.seen_while_recording - start
        tally = one_pass(
            model.weights,
            stream.rule,
            rows,
            labels,
            start=start,
            stop=stop,
            row_weights=row_weights,
            recorder=recorder,
        )
        model.n_mistakes += tally.mistakes
        if recorder is not None:
            self._keep(model, recorder.entries, table, seen)
        return stop

    def _keep(self, model: LinearModel, entries: Entries, table: Any, first_row: int) -> None:
        """Write down the updates of a batch; rows are numbered through the stream."""
        model.record(entries, first_row)

    # ------------------------------------------------------------------ one mapping

    def _mapping_stream(self) -> Stream:
        if "_model" not in self.__dict__:
            rule = self._check_parameters()
            self._begin(self._new_model(0, np.float64), rule)
            self.n_features_in_ = 0
        stream = self._current_stream()
        if stream.row is None:
            model = stream.model
            if model.columns is None:
                names = getattr(self, "feature_names_in_", None)
                if names is None and model.weights.n_features:
                    raise InputError(
                        "x is a mapping, but this model was trained on columns without names. "
                        "Give a 1-D array, or train on a data frame or on mappings."
                    )
                model.columns = {name: j for j, name in enumerate([] if names is None else names)}
            model.weights.promote()
            stream.row = MappingRow(model.columns)
        return stream

    def _learn_rows(self, stream: Stream, rows: Rows, slot: int, x: Any) -> None:
        model = stream.model
        weights = model.weights
        if len(model.classes) < 2:
            weights.t += 1
            return
        if model.recorder is not None:
            one = Recorder()
            seen = model.seen_while_recording
            labels = np.array([slot], np.int32)
            tally = one_pass(weights, stream.rule, rows, labels, recorder=one)
            model.n_mistakes += tally.mistakes
            self._keep(model, one.entries, stream.row, seen)
            return
        if not weights.by_feature:
            weights.arrange(by_feature=True)
        stream.label[0] = slot
        tally = stream.tally
        learning.learn(weights, stream.rule, rows, stream.label, None, 0, 1, None, tally, None)
        if tally.refused >= 0:
            raise OverflowRefused(
                "the update for this example would leave the range of float64; the model was not "
                "changed. Scale the features or lower eta0."
            )
        model.n_mistakes += tally.mistakes
        tally.mistakes = 0

    def _answer_row(self, stream: Stream) -> int:
        model = stream.model
        if len(model.classes) < 2:
            return 0
        return int(self._answers(self._row_scores(stream))[0])

    def _row_scores(self, stream: Stream) -> npt.NDArray[np.float64]:
        weights, rows = stream.model.weights, stream.row.rows
        weights.arrange(by_feature=True)
        found = learning.score(rows, weights.table, weights.bias)
        if weights.averaged:
            found = found - learning.score(rows, weights.table_sum, weights.bias_sum) / weights.t
        return found
