"""Learning one example at a time, as an array or as a mapping of features."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt._kernels.rows import scoring
from rosenblatt._kernels.rows.mappings import MappingRow, NotANumber
from rosenblatt.arrays import is_sparse
from rosenblatt.core.classes import in_order
from rosenblatt.core.ledger import Recorder
from rosenblatt.core.model import LinearModel
from rosenblatt.core.online import OnlinePass, Tested
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.training import one_pass
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.learner.classes import as_array
from rosenblatt.learner.conversion import as_table as as_rows_of_numbers
from rosenblatt.learner.inputs import check_count, read_table
from rosenblatt.learner.records import is_records, not_a_number
from rosenblatt.learner.targets import encoded, read_labels
from rosenblatt.learner.undo import unchanged_on_error
from rosenblatt.linear._partial import BatchLearning
from rosenblatt.linear._stream import LIMIT, Stream, as_row, as_table

__all__ = ["OnlineLearning"]

ONE = np.zeros(1, np.int32)  # a single example: label number 0 of a list of one


class OnlineLearning(BatchLearning):
    """``learn_one`` and ``predict_one``: a mapping may bring new features, any label new classes.

    A refused example changes nothing, and predicting never learns.
    """

    ties: str
    n_features_in_: int
    keeps_rows: ClassVar[bool]
    _refuse_unfitted: Any

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
            x = named_values(x)
            if not isinstance(x, dict):
                return self.partial_fit(as_row(x), as_array([y]))
        stream = self.__dict__.get("_online")
        if (
            stream is None
            or stream.row is None
            or stream.model is not self._model
            or stream.settings != self._rule_settings(self)
        ):
            if "_model" in self.__dict__ and self._reads_records:
                return self.partial_fit([x], as_array([y]))
            with unchanged_on_error(self):
                self._learn_first_mapping(x, y)
            return self
        row, model = stream.row, stream.model
        try:
            row.read(x, LIMIT, True)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        slot = number_of(y, model.slots)
        if (
            slot is None
            or row.pending
            or model.recorder is not None
            or self.class_weight is not None
            or len(model.classes) < 2
        ):
            self._learn_mapping(stream, y)
        else:
            stream.learn_row(row.rows, slot)
        return self

    def _learn_first_mapping(self, x: Any, y: Hashable) -> None:
        """The first mapping of a stream, which may bring names and the type float64 to a model."""
        if "_model" not in self.__dict__:
            rule = self._checked_rule()
            self._begin(self._new_model(0, np.float64), rule)
            self.n_features_in_ = 0
        stream = self._current_stream()
        model = stream.model
        row = MappingRow(self._columns(model))
        read(row, x, unseen_allowed=True)
        kept = model.copy()
        try:
            model.columns, stream.row = row.columns, row
            model.weights.promote()
            self._learn_mapping(stream, y)
        except BaseException:
            model.__dict__.update(kept.__dict__)
            stream.row = None
            raise

    def _learn_mapping(self, stream: Stream, y: Hashable) -> None:
        if number_of(y, stream.model.slots) is not None and not stream.row.pending:
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
            model.weights.grow(n_before + len(features))
            row.commit()
            self._learn_row(stream, y)
        except BaseException:
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
            x = named_values(x)
            if not isinstance(x, dict):
                answer = self.predict(as_row(x))[0]
                return answer.item() if isinstance(answer, np.generic) else answer
        model = self._model
        if model.notes and self._reads_records:
            table = read_table(self, [x], reset=False)
            if is_sparse(table):
                return self._answer_sparse_row(table)
            return self.predict(table).tolist()[0]
        # A row of its own, so that asking in one thread does not disturb learning in another.
        row = MappingRow(self._columns(model))
        read(row, x, unseen_allowed=False)
        if len(model.classes) < 2:
            return model.classes[0] if model.classes else None
        return self._best_class(model, self._row_scores(model, row))

    def _best_class(self, model: LinearModel, found: npt.NDArray[Any]) -> Any:
        """The class of one row by its scores; ties by the order of the classes, as ever."""
        if found.ndim == 1:  # two classes always stand in order
            return model.classes[int(self._answers(found)[0])]
        order = in_order(model.classes)
        return model.classes[order[int(self._answers(found[:, order])[0])]]

    def _row_scores(self, model: LinearModel, row: Any) -> npt.NDArray[Any]:
        """Scores of one sparse row, at the cost of its stored values where the layout allows.

        The row is a `MappingRow` or a CSR matrix.
        """
        weights = model.weights
        readable = weights.by_feature or weights.n_vectors == 1
        if model.best is not None or weights.is_float32 or not readable:
            return self._scores(model, as_table(row))
        rows = row.rows if isinstance(row, MappingRow) else as_rows(row, np.float64)
        found = scoring.score(rows, weights.table, weights.bias)
        if weights.averaged:
            found = found - scoring.score(rows, weights.table_sum, weights.bias_sum) / weights.t
        return found

    # ------------------------------------------------------------------ for whole streams

    def _answer_sparse_row(self, X: Any) -> Any:
        """As `predict` of a sparse table of one row, at the cost of its stored values."""
        model = self.__dict__.get("_model")
        if model is None or not model.classes:
            return None
        table = read_table(self, X, reset=False)
        inspect(as_rows(table))
        if len(model.classes) < 2:
            return model.classes[0]
        return self._best_class(model, self._row_scores(model, table))

    def _goes_through_blocks(self) -> bool:
        """Whether `predict_then_learn` does exactly what ``predict`` and ``partial_fit`` would.

        Not before the first example, nor of the model of a ``fit``, which is about to change.
        """
        stream: Stream | None = self.__dict__.get("_online")
        if stream is None or stream.model is not self._model:
            return False
        model = stream.model
        return (
            stream.settings == self._rule_settings(self)
            and self.ties == "mistake"
            and model.best is None
            and model.voters is None
            and not model.weights.is_float32
        )

    def predict_then_learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        predictions: bool = True,
        latest: bool = False,
        first_row: int = 0,
    ) -> Tested:
        """Predict and learn rows one after the other, each predicted before it is learned.

        Rows may be wider than those before; what was not met yet has weight 0.

        Parameters
        ----------
        X : array or sparse rows of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row.
        predictions : bool, default=True
            Whether to say what was predicted, beside what was wrong.
        latest : bool, default=False
            Whether what counts as wrong is by the latest weights, also of an averaged learner.
        first_row : int, default=0
            Errors count the rows from here on.

        Returns
        -------
        tested : Tested
            ``wrong``, ``predictions``, ``labels``.
        """
        self._refuse_kept_rows("predict_then_learn")
        if is_records(X) or hasattr(self, "feature_names_in_"):
            table = read_table(self, X, reset=False)
        else:
            table = as_rows_of_numbers(X)
        labels = read_labels(y, table.shape[0])
        weights = None
        if sample_weight is not None or self.class_weight is not None:
            found, numbers = encoded(labels)
            weights = self._row_weights(sample_weight, found.tolist(), numbers)
        with unchanged_on_error(self):
            if table.shape[1] > (self.n_features_in_ if "_model" in self.__dict__ else 0):
                inspect(as_rows(table))  # before anything grows
                self.grow(table.shape[1])
            check_count(self, table.shape[1])
            stream = self._current_stream()
            stream.model.weights.promote()
            through = OnlinePass(stream.model, stream.rule, latest=latest)
            return through.learn(table, labels, weights, answers=predictions, first_row=first_row)

    def _refuse_kept_rows(self, what: str) -> None:
        if self.keeps_rows:
            raise ParameterError(
                f"{type(self).__name__} keeps rows to predict by, which {what} does not do. Use "
                "predict_one and learn_one."
            )

    # ------------------------------------------------------------------ features that appear

    def grow(self, n_features: int) -> Self:
        """Make room for features after the last one, with weight 0; also before any is known.

        Parameters
        ----------
        n_features : int
            How many there are then.

        Returns
        -------
        self : estimator
        """
        checks.whole("n_features", n_features, at_least=0)
        if "_model" not in self.__dict__:
            rule = self._checked_rule()
            self._begin(self._new_model(int(n_features), np.float64), rule)
        self._refuse_named_features("grow")
        model = self._current_stream().model
        # One layout from the start, so that when columns join leaves no trace.
        model.weights.promote()
        model.weights.grow(max(n_features, model.weights.n_features))
        self.n_features_in_ = model.weights.n_features
        return self

    def _refuse_named_features(self, what: str) -> None:
        if self._model.columns is not None or "_feature_names" in self.__dict__:
            raise ParameterError(
                f"{what} is for features without names; these have some. learn_one takes new ones "
                "by name."
            )

    def insert_features(self, places: Sequence[int]) -> Self:
        """Add features with weight 0 before these places.

        Parameters
        ----------
        places : sequence of int
            Numbers of the features as they were.

        Returns
        -------
        self : estimator
        """
        self._refuse_kept_rows("insert_features")
        self._refuse_unfitted()
        self._refuse_named_features("insert_features")
        for place in places:
            checks.whole("a place", place, at_least=0, at_most=self.n_features_in_)
        model = self._current_stream().model
        model.insert_features(places)
        self.n_features_in_ = model.weights.n_features
        return self


def number_of(label: Any, slots: dict[Any, int]) -> int | None:
    try:
        return slots.get(label)
    except TypeError:
        raise InputError(f"the label {label!r} cannot be one: labels must be hashable.") from None


def read(row: MappingRow, x: Any, *, unseen_allowed: bool) -> None:
    try:
        row.read(x, LIMIT, unseen_allowed)
    except NotANumber as error:
        raise not_a_number(*error.args) from None


def named_values(x: Any) -> Any:
    """A labelled series, such as pandas has, as a mapping; anything else as it is."""
    names = getattr(x, "index", None)
    if hasattr(x, "to_dict") and names is not None and all(isinstance(n, str) for n in names):
        return x.to_dict()
    return x
