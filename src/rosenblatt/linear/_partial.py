"""Learning as the rows come, in batches of any size."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import Rows, dense
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.core.ledger import Entries, Recorder
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.training import one_pass
from rosenblatt.errors import ParameterError
from rosenblatt.learner import outcome
from rosenblatt.learner.classes import declared, first_places
from rosenblatt.learner.inputs import read_table
from rosenblatt.learner.seeds import seed_from
from rosenblatt.learner.targets import encoded, read_labels, read_weights
from rosenblatt.learner.undo import unchanged_on_error
from rosenblatt.linear._learned import Learned
from rosenblatt.linear._stream import Stream

__all__ = ["BatchLearning"]


class BatchLearning(Learned):
    """``partial_fit``: classes may appear in any call, and a refused batch changes nothing.

    One row at a time or all in one batch give the same model to the last bit.
    """

    # Read at every call, so that a parameter changed in between is heeded.
    _rule_settings: ClassVar[Any]
    averages: ClassVar[bool]

    _online: Stream
    class_weight: Any
    fit_intercept: bool
    random_state: Any
    record: bool
    _reads_records: bool
    _take_guessed_schema: Any

    def _checked_rule(self) -> Rule:
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
        if classes is None and sample_weight is None and self._learn_plain_row(X, y):
            return self
        with unchanged_on_error(self):
            table = read_table(self, X, reset="_model" not in self.__dict__)
            rows = as_rows(table)
            inspect(rows, names=getattr(self, "feature_names_in_", None))
            found, numbers = encoded(read_labels(y, rows.n_rows))
            names = found.tolist()
            weights = None
            if sample_weight is not None or self.class_weight is not None:
                weights = self._row_weights(sample_weight, names, numbers)
            told = declared(classes)
            stream = self._stream(rows)
            known = stream.model.slots
            reshapes = rows.dtype != stream.model.weights.table.dtype or any(
                label not in known for label in (*told, *names)
            )
            undo = stream.checkpoint(table, rows, weights, reshapes=reshapes)
            try:
                rows = stream.model.weights.agree(table, rows)
                for label in told:
                    stream.slot(label)
                self._learn_batch(stream, table, rows, names, numbers, weights)
            except BaseException:
                undo()
                raise
            self._take_guessed_schema()
        return self

    def _row_weights(
        self, sample_weight: Any, names: list[Any], numbers: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64] | None:
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs all labels at once. For partial_fit give a dict of "
                "class to weight, or pass sample_weight."
            )
        return read_weights(sample_weight, self.class_weight, names, numbers, may_be_zero=True)

    def _learn_plain_row(self, X: Any, y: Any) -> bool:
        """One array row like those before, of a known class: learned at once, without detours."""
        stream: Stream | None = self.__dict__.get("_online")
        if (
            stream is None
            or type(X) is not np.ndarray
            or type(y) is not np.ndarray
            or y.shape != (1,)
            or y.dtype.kind not in "iuUb"
            or self.class_weight is not None
            or "_feature_names" in self.__dict__
        ):
            return False
        model = stream.model
        slot = model.slots.get(y.item())
        if (
            slot is None
            or model is not self._model
            or model.recorder is not None
            or model.columns is not None
            or len(model.classes) < 2
            or X.shape != (1, model.weights.n_features)
            or X.dtype != model.weights.table.dtype
            or not X.flags.carray
            or stream.settings != self._rule_settings(self)
        ):
            return False
        rows = dense(X)
        inspect(rows)
        stream.learn_row(rows, slot)
        return True

    def _stream(self, rows: Rows) -> Stream:
        """The stream to go on with."""
        if "_model" not in self.__dict__:
            rule = self._checked_rule()
            self._begin(self._new_model(rows.n_features, rows.dtype), rule)
        return self._current_stream()

    def _new_model(self, n_features: int, dtype: npt.DTypeLike) -> LinearModel:
        return LinearModel(
            [],
            n_features,
            dtype=dtype,
            fit_intercept=bool(self.fit_intercept),
            averaged=self.averages,
            random=seed_from(self.random_state),
        )

    def _begin(self, model: LinearModel, rule: Rule) -> None:
        self._model, self._training = model, None
        self._online = Stream(model, rule, self._rule_settings(self))
        self._start_recording(model, stream=True)

    def _start_recording(self, model: LinearModel, *, stream: bool = False) -> None:
        if self.record:
            if stream:  # rows of either type may come, and replay must know which one counted
                model.weights.promote()
            model.start_recording()
        else:
            model.recorder = None

    def _current_stream(self) -> Stream:
        stream: Stream | None = self.__dict__.get("_online")
        settings = self._rule_settings(self)
        if stream is not None and stream.model is self._model:
            if stream.settings != settings:
                self._refuse_other_bias()
                stream.rule, stream.settings = self._checked_rule(), settings
            return stream
        # The first example after a fit: what was true of the finished fit is so no longer.
        rule = self._checked_rule()
        self._refuse_other_bias()
        outcome.forget(self)
        model = self._model.copy()
        model.best = None
        self._begin(model, rule)
        return self._online

    def _refuse_other_bias(self) -> None:
        if bool(self.fit_intercept) != self._model.weights.fit_intercept:
            raise ParameterError(
                f"fit_intercept={self.fit_intercept!r}, but the model to go on with was trained "
                "the other way. Set it back, or begin with a new learner."
            )

    def _learn_batch(
        self,
        stream: Stream,
        table: Any,
        rows: Rows,
        names: list[Any],
        numbers: npt.NDArray[np.int32],
        row_weights: npt.NDArray[np.float64] | None,
    ) -> None:
        """Learn row by row; a class joins at the row where it first appears, as one by one."""
        start = 0
        for first, label in first_places(names, numbers, stream.model.slots):
            self._learn_part(stream, table, rows, names, numbers, start, first, row_weights)
            stream.slot(label)
            start = first
        self._learn_part(stream, table, rows, names, numbers, start, rows.n_rows, row_weights)

    def _learn_part(
        self,
        stream: Stream,
        table: Any,
        rows: Rows,
        names: list[Any],
        numbers: npt.NDArray[np.int32],
        start: int,
        stop: int,
        row_weights: npt.NDArray[np.float64] | None,
    ) -> None:
        model = stream.model
        if start == stop:
            return
        if len(model.classes) < 2:
            model.weights.t += stop - start
            return
        slots = model.slots
        labels = np.array([slots.get(name, 0) for name in names], np.int32)[numbers]
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

    def _keep(self, model: LinearModel, entries: Entries, table: Any, first_row: int) -> None:
        """Write down the updates of a batch; rows are numbered through the stream."""
        model.record(entries, first_row)
