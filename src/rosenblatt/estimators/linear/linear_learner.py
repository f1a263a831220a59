"""The base of the linear learners: one weight vector for two classes, or one for each class.

A learner declares its parameters and names its rule (`LinearLearner.rule`); the rest is here.
Rows are learned in epochs by ``fit`` (`rosenblatt.models.linear_training`), and as they come by
``partial_fit`` and ``learn_one``: usual single examples by the fast path, one compiled call of an
engine that stays open; all others by the fallback (`rosenblatt.estimators.linear.streaming`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.arrays import AnyFloatArray, Scorer, is_sparse
from rosenblatt.engine.rows.engine import Engine
from rosenblatt.engine.rows.mappings import MappingRow, NotANumber
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import Message, NoLedgerError, ParameterError, Setting
from rosenblatt.estimators.base import of_whole_state, unchanged_on_error
from rosenblatt.estimators.conversion import as_table as as_rows_of_numbers
from rosenblatt.estimators.inputs import (
    Batch,
    FitArguments,
    TrainingData,
    array_row,
    check_count,
    named_values,
    read_table,
)
from rosenblatt.estimators.linear.shared_options import averaging
from rosenblatt.estimators.linear.streaming import LIMIT, Stream, as_table, read
from rosenblatt.estimators.mapping_rows import (
    columns_by_name,
    is_records,
    keep_guessed_schema,
    not_a_number,
    reads_records,
    record_plan,
    settle_schema,
)
from rosenblatt.estimators.params import n_jobs_option, option, seed_from
from rosenblatt.estimators.row_classifier import RowClassifier
from rosenblatt.estimators.targets import (
    encode_labels,
    read_labels,
    read_weights,
    streamed_weights,
)
from rosenblatt.models.classes import (
    has_tie,
    number_of,
    one_label,
    predicted_labels,
    tie_is_positive,
)
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.readouts import NAMES, Readouts
from rosenblatt.models.result import DualForm, FitResult, OnlineResult, dual_form
from rosenblatt.models.rows import Rows, as_rows, inspect, largest_allowed, scorer
from rosenblatt.models.snapshots import Snapshot
from rosenblatt.models.weights import RATE, Scaling, Weights

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, Table
    from rosenblatt.estimators.explain_rows import Question
    from rosenblatt.inspection.explanation import ModelExplanation

# Parameters that are fixed when a model is created.
MODEL_SETTINGS = ("fit_intercept", "binary_as_multiclass", "average")
# The class index of a single example, in a list of one class.
ONE = np.zeros(1, np.int32)


class _Identical:
    """Wrapper that compares values by identity, since comparing arrays gives no truth value."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identical) and self._value is other._value

    __hash__ = None  # type: ignore[assignment]


class LinearLearner(RowClassifier):
    """Base of the linear learners; each declares its own parameters and names its rule.

    Rows may come in batches of any size or one by one, new classes and, by name, new features at
    any time; the model is the same to the last bit. A rejected example changes nothing, and
    predicting never learns.

    Parameters
    ----------
    readout : {"mix", "auto", "last", "average", "slow", "fast"} or None, default=None
        Weights that predict in a stream (``partial_fit``, ``learn_one``), whatever ``average`` is.
        "last": the current weights. "average": their mean over all examples. "slow" and "fast":
        their mean over about the last 1,000 and 100 examples. "auto": whichever of these made the
        fewest recent mistakes; a mistake counts half after 50 examples. "mix": the sum of the last
        weights and of the last, average, slow and fast weights of a cautious passive-aggressive
        learner, each weighted by how few recent mistakes it made. All of this takes three more
        numbers for each weight, a mix four. ``fit`` ignores it.
    average : {False, True, "tail"}, default=False
        Predict with the mean of the weights after each example, not with the last weights. This
        takes a running sum for every weight, also in the model file. "tail" leaves out the first
        epochs of ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most
        half of all. Examples learned after ``fit`` join the mean.
    fit_intercept : bool, default=True
        Learn an intercept (bias). It counts as one more feature of value 1, also in ``‖x‖²``.
    binary_as_multiclass : bool, default=False
        Train two classes as three or more are trained: with one weight vector for each class, and
        the highest score predicts. By default two classes share one vector, the difference of the
        two.
    record : bool, default=False
        Record every update in ``ledger_``.
    n_jobs : int or None, default=None
        Number of threads that predict and score rows: None is 1, -1 all processors. Results are the
        same.
    tol : float or None, default=1e-4
        Stop once the run itself has proved that no margin above ``tol`` times the length of the
        longest row separates the rows. Rows that can be separated by a larger margin are never
        given up on. None never stops for this reason.
    ties : {"mistake", "positive"}, default="mistake"
        How a score of exactly 0 counts: as a mistake or as the positive class. If several of more
        than two classes share the highest score, "positive" predicts the last of them in
        ``classes_`` (while learning, the one that joined last).
    class_weight : dict, "balanced" or None, default=None
        Factor for the steps of each class, by label; "balanced" makes rare classes count as much as
        frequent ones.
    early_stopping : bool, default=False
        Hold out some rows, stop when accuracy on them no longer improves, and keep the best
        weights.
    validation_fraction : float, default=0.1
        Share of the rows to hold out, the same of every class.
    calibrate : bool, default=False
        Also fit probabilities, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid (with more than two classes a
        temperature) to their scores of the rows they have not seen. Weights and predictions stay
        the same; ``sample_weight`` counts and ``class_weight`` does not. ``partial_fit`` and
        ``learn_one`` keep what was fitted until a new class joins.
    max_iter : int, default=1000
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_iter_no_change : int, default=5
        Epochs to wait for an improvement before stopping: of the score on held-out rows, if there
        are any; otherwise of the number of mistakes, unless it is known to reach 0. Rules that aim
        at a margin also train so many epochs after the first one without a mistake.
    warm_start : bool, default=False
        Continue ``fit`` from the state of the last call, exactly as if it had not ended. If a
        learner has ``average="tail"`` or ``calibrate``, they count only the epochs of this
        call.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Mistakes made, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, if a signal ended training
        on the command line, "interrupted".
    validation_scores_ : list of float
        Accuracy on the held-out examples after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    calibration_ : Calibration
        Parameters that turn scores into probabilities, with ``calibrate=True``: ``slope`` and
        ``offset``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two classes, a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the rows had names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How the columns of a file become features, if a loaded model has a schema or one was set.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    raw_coef_, raw_intercept_ : ndarray
        The last weights and biases, from which training continues, if the mean predicts.
    margin_ceiling_ : float
        Upper bound that the run has proved: no unit vector separates the rows (with a bias: the
        rows with a 1 appended) by a larger margin.
    support_ : ndarray of shape (n_support,)
        Rows that changed the weights in the last ``fit``; after `load` only with ``record=True``.
        It and ``dual_coef_`` do not exist if each weight has a rate of its own.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Coefficient of each of these rows: ``coef_`` is ``dual_coef_ @ X[support_]`` if training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, with ``record=True``.
    readout_ : str
        Which weights predict, if ``readout`` is set: "last", "average", "slow" or "fast". In a mix,
        which may also have "gentle" ones, those that count most.
    """

    readout: str | None = option(
        default=None,
        choices=("mix", "auto", *NAMES),
        in_studio=False,
        help="""
        Weights that predict in a stream (``partial_fit``, ``learn_one``), whatever ``average`` is.
        "last": the current weights. "average": their mean over all examples. "slow" and "fast":
        their mean over about the last 1,000 and 100 examples. "auto": whichever of these made the
        fewest recent mistakes; a mistake counts half after 50 examples. "mix": the sum of the last
        weights and of the last, average, slow and fast weights of a cautious passive-aggressive
        learner, each weighted by how few recent mistakes it made. All of this takes three more
        numbers for each weight, a mix four. ``fit`` ignores it.""",
    )
    average: bool | str = averaging(default=False)
    fit_intercept: bool = option(
        default=True,
        label="Bias b",
        help="""
        Learn an intercept (bias). It counts as one more feature of value 1, also in ``‖x‖²``.""",
    )
    binary_as_multiclass: bool = option(
        default=False,
        in_studio=False,
        help="""
        Train two classes as three or more are trained: with one weight vector for each class, and
        the highest score predicts. By default two classes share one vector, the difference of the
        two.""",
    )
    record: bool = option(
        default=False, in_studio=False, help="Record every update in ``ledger_``."
    )
    n_jobs: int | None = n_jobs_option("predict and score rows")

    # Whether parameters are relative to the scale of the rows; an option of scale-dependent rules.
    relative_to_data = False

    layout = "rosenblatt.persistence.linear_layout:LinearLayout"

    # Parameters that learning depends on; read at every call, so that a change takes effect.
    _rule_parameters: ClassVar[tuple[str, ...]]
    _rule_settings: ClassVar[Any]
    # Whether the weights alone predict: false for a class that overrides a method of prediction.
    _predicts_plainly: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = [name for name in cls._options if name not in LinearLearner._options]
        cls._rule_parameters = (*own, "readout", "ties", "record", *MODEL_SETTINGS)
        settings = attrgetter(*cls._rule_parameters)
        cls._rule_settings = staticmethod(settings)
        if any(cls._options[name].kind == "other" for name in own):
            cls._rule_settings = staticmethod(
                lambda learner: [_Identical(value) for value in settings(learner)]
            )

        ways = ("predict", "_scorer", "_served", "_predicted", "_row_scores", "_best_state")
        cls._predicts_plainly = all(
            getattr(cls, name) is getattr(LinearLearner, name) for name in ways
        )

    # ------------------------------------------------------------------ the rule

    def rule(self) -> Rule:
        """Return the update rule with the current parameters.

        Returns
        -------
        rule : Rule
        """
        raise NotImplementedError(f"{type(self).__name__} does not say its rule")

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        """Return the scale-dependent parameters in units of the data; empty if there are none."""
        return {}

    def _rule_for(self, model: LinearModel) -> Rule:
        """Return the update rule with the current parameters, in the data units of the model."""
        self.check_parameters()
        if not self.relative_to_data:
            return self.rule()
        if model.units is None:
            why = " measures the rows of the first fit or partial_fit, and there was none"
            cures = ["begin with one of these", "set it to False"]
            raise ParameterError(Message(Setting("relative_to_data", True), why), cures=cures)
        return type(self)(**self.get_params() | self._in_units(model.units)).rule()

    def _measure(self, model: LinearModel, rows: Rows) -> None:
        """Measure the data units of the model on these rows, if it needs them and has none."""
        if self.relative_to_data and model.units is None:
            model.units = DataUnits.of(rows, model.weights.fit_intercept)

    # ------------------------------------------------------------------ learning in epochs

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        validation_set: tuple[Any, Any] | None = None,
    ) -> Self:
        """Train on all rows, epoch by epoch, until a stopping criterion is met.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. C-contiguous float32 or float64 arrays and CSR matrices are read
            where they lie; nothing is copied.
        y : array-like of shape (n_samples,)
            A label for each row: whole numbers, text, booleans or anything that can be ordered.
            Two classes at least; beside a single row of label 1 or -1 the other is the second.
        coef_init, intercept_init : array-like, default=None
            Weights and biases to start from instead of 0, shaped like ``coef_`` and
            ``intercept_``.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves the row out.
        validation_set : tuple (X_dev, y_dev), default=None
            Rows to watch instead of a held-out part of ``X``; turns early stopping on.

        Returns
        -------
        self : learner
            Fitted; ``stop_reason_`` says why training ended.
        """
        given = FitArguments(coef_init, intercept_init, sample_weight)
        return self._fit(X, y, validation_set, given, is_new=coef_init is not None)

    def _new_model(self, classes: list[Hashable], table: Table) -> LinearModel:
        return self._empty_model(classes, table.shape[1], table.dtype)

    def _empty_model(
        self, classes: list[Hashable], n_features: int, dtype: npt.DTypeLike = np.float64
    ) -> LinearModel:
        """Return an untrained model for rows with ``n_features`` features."""
        self.check_parameters()
        rule = self.rule()
        return LinearModel(
            classes,
            n_features,
            dtype=dtype,
            fit_intercept=bool(self.fit_intercept),
            averaged=bool(self.average),
            rates=rule.rates,
            is_scaled=rule.scales,
            random=seed_from(self.random_state),
            binary_as_multiclass=bool(self.binary_as_multiclass),
        )

    def _refuse_other_settings(self) -> None:
        model = self._fitted()
        model.refuse_slim()
        if len(model.classes) != 2:
            # Of one class nothing is learned, and more than two are learned alike either way.
            model.binary_as_multiclass = bool(self.binary_as_multiclass)
        for name in self._other_settings(model):
            raise self._trained_otherwise(name)

    def _trained_otherwise(self, name: str) -> ParameterError:
        """Return the error for a parameter that differs from the one the model was trained with."""
        return ParameterError(
            f"{name}={getattr(self, name)!r}, but the model to go on with was trained the other "
            "way. Set it back, or begin with a new learner."
        )

    def _other_settings(self, model: LinearModel) -> list[str]:
        """Return the names of parameters that differ from those the model was created with."""
        weights = model.weights
        changed = []
        if bool(self.fit_intercept) != weights.fit_intercept:
            changed.append("fit_intercept")
        if bool(self.binary_as_multiclass) != model.binary_as_multiclass:
            changed.append("binary_as_multiclass")
        if bool(self.average) != weights.averaged:
            changed.append("average")
        if self.rule().rates != weights.rates:
            changed.append("steps")
        return changed

    def _agrees_with(self, model: LinearModel) -> bool:
        """Return whether the recorder, read-outs and settings of a model match the parameters."""
        readout = None if model.readouts is None else model.readouts.name
        is_recorded = model.recorder is not None
        return (
            readout == self.readout
            and is_recorded == self._wants_record
            and not self._other_settings(model)
        )

    def _trainer(
        self, model: LinearModel, data: TrainingData, given: FitArguments
    ) -> LinearTrainer:
        self._measure(model, data.rows)
        rule = self._rule_for(model)
        rows = model.weights.agree(data.table, data.rows)
        data.weights = read_weights(
            given.sample_weight,
            self.class_weight,
            model.classes,
            data.labels,
            may_be_zero=given.is_shard,
        )
        _set_start(model, given.coef_init, given.intercept_init)
        self._keep_record(model)
        record = model.recording(model.next_row, data.table)
        trainer = LinearTrainer(
            model.weights, rule, rows, data.labels, data.subset, data.weights, record
        )
        trainer.table = data.table
        trainer.tail = self.average == "tail"
        return trainer

    def _note_fit(self, model: LinearModel, result: FitResult) -> None:
        model.n_mistakes += sum(result.mistakes_per_epoch)
        model.n_epochs += result.n_iter

    @property
    def averages(self) -> bool:
        return bool(self.average)

    @property
    def _n_threads(self) -> int | None:
        return self.n_jobs

    def _errors_on(self, data: TrainingData) -> int:
        model = self._fitted()
        last_predicts = not self.averages and model.best is None and self.ties == "mistake"
        all_count = data.subset is None and data.weights is None
        if last_predicts and all_count and self._fit_outcome().result.converged:
            return 0  # training has just seen all rows right
        return super()._errors_on(data)

    @property
    def _wants_record(self) -> bool:
        return bool(self.record or self.keeps_rows)

    def _keep_record(self, model: LinearModel, *, streamed: bool = False) -> None:
        """Record updates from now on, or stop recording; an existing ledger continues."""
        wanted = self._wants_record
        if wanted and streamed:
            # Rows of either type may come, and replay must know which one counted.
            model.weights.promote()
        model.keep_record(wanted)

    def _what_to_try(self, result: FitResult) -> str:
        ceiling = result.margin_ceiling
        proven = ""
        if math.isfinite(ceiling):
            proven = f", and by a margin above {ceiling:.2g} none can"
        end = "." if self.averages else "; if the classes overlap, AveragedPerceptron copes best."
        return (
            f": no epoch separated the rows{proven}. Try a larger max_iter, scaled features "
            f"(sklearn.preprocessing.StandardScaler), or early_stopping=True{end}"
        )

    # ------------------------------------------------------------------ learning as rows come

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from each row once, in the given order, continuing from the current model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Or records. If any of them holds a text, those of the first call decide what the columns
            are (``schema_``): no feature for later texts, no gaps where there were none (unlike
            with `rosenblatt.features.GrowingSchema`). Numbers are scaled by the records before.
        y : array-like of shape (n_samples,)
            A label for each row. Labels not seen before become new classes.
        classes : array-like, default=None
            Classes to know of from the start. Unlike in scikit-learn this is optional, and the
            list may grow in later calls.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves the row out.

        Returns
        -------
        self : learner
        """
        # One row of an array, as those before it.
        if sample_weight is None and type(X) is np.ndarray and X.shape[:1] == (1,):
            engine = self.__dict__.get("_engine") or self._engine_to_learn_by()
            if (
                engine is not None
                and (classes is None or engine.model.knows(classes))
                and engine.learn_table(X, y, self._turns)
            ):
                return self
        return self._partial_fit(X, y, classes, sample_weight)

    def _model_to_learn_on(self, table: Table) -> LinearModel:
        if not self.__sklearn_is_fitted__():
            model = self._new_model([], table)
            self._measure(model, as_rows(table))
            self._begin(model)
        return self._current_stream().model

    def _begin(self, model: LinearModel) -> None:
        """Start online training of the given model."""
        rule = self._rule_for(model)
        self._model = model
        self._stream = self._stream_of(model, rule)
        self._keep_record(model, streamed=True)
        self._keep_readouts(model)

    def _stream_of(self, model: LinearModel, rule: Rule) -> Stream:
        return Stream(model, rule, self._rule_settings(self))

    @property
    def _open_stream(self) -> Stream | None:
        """The stream of the current model; None after ``fit``, and before anything is learned."""
        stream: Stream | None = self.__dict__.get("_stream")
        if stream is None or stream.model is not self.__dict__.get("_model"):
            return None
        return stream

    def _current_stream(self) -> Stream:
        """Return the stream with the current parameters; after ``fit`` open one on a model copy."""
        stream = self._open_stream
        settings = self._rule_settings(self)
        if stream is not None:
            if stream.settings != settings:
                self._refuse_other_settings()
                stream.rule = self._rule_for(stream.model)
                self._keep_record(stream.model, streamed=True)
                self._keep_readouts(stream.model)
            stream.settings = settings
            return stream

        # The first example after a fit: what was true of the finished fit is so no longer.
        self.check_parameters()
        self._refuse_other_settings()
        self._forget_fit()
        model = self._model.copy()
        model.best = None
        self._begin(model)
        return self._stream

    def _snapshot(self, model: LinearModel, batch: Batch) -> Snapshot:
        return self._stream.snapshot(batch)

    def _learn(self, model: LinearModel, batch: Batch) -> None:
        self._stream.learn_batch(batch)

    # ------------------------------------------------------------------ learning one example

    def learn_one(self, x: Any, y: Hashable, classes: Any = None) -> Self:
        """Learn from one example.

        Parameters
        ----------
        x : mapping {feature: value} or array-like of shape (n_features,)
            A mapping names its features, may leave out those that are 0, and may bring new ones.
            For a model with a schema it is a record; what the schema lacks counts for nothing.
        y : hashable
            The label. One not seen before becomes a new class.
        classes : array-like, default=None
            Classes to know of from the first example on; needed in the first call only.

        Returns
        -------
        self : learner
        """
        if classes is None:
            engine = self.__dict__.get("_engine") or self._engine_to_learn_by()
            if engine is not None and engine.learn_one(x, y, self._turns):
                return self
        if type(x) is not dict and not isinstance(x, Mapping):
            x = named_values(x)
            if not isinstance(x, dict):
                return self.partial_fit(array_row(x), one_label(y), classes)
        with unchanged_on_error(self) as turn:
            # At once, as the mapping is read into a buffer that belongs to the stream.
            turn.change_in_place()
            return self._learn_mapping(x, y, classes)

    def _learn_mapping(self, x: Mapping[Any, Any], y: Hashable, classes: Any) -> Self:
        """Learn from a mapping without the fast path; the caller has taken the turn to learn."""
        stream: Stream | None = self.__dict__.get("_stream")
        if (
            stream is None
            or stream.row is None
            or stream.row.columns is not stream.model.columns
            or stream.model is not self._model
            or stream.settings != self._rule_settings(self)
            or not (classes is None or stream.model.knows(classes))
        ):
            return self._learn_first_mapping(x, y, classes)

        row = stream.row
        model = stream.model
        try:
            row.read(x, LIMIT, True)
            slot = model.slots.get(y)
        except NotANumber as error:
            raise not_a_number(*error.args) from None
        except TypeError:
            number_of(y, model.slots)  # raises its own error if it is the label
            raise
        if (
            slot is None
            or row.pending
            or model.recorder is not None
            or self.class_weight is not None
            or len(model.classes) < 2
        ):
            stream.learn_mapping(y, streamed_weights(None, self.class_weight, [y], ONE))
            self.n_features_in_ = len(row.columns)
        else:
            stream.learn_mapping(y, None)
        return self

    def _learn_first_mapping(self, x: Mapping[Any, Any], y: Hashable, classes: Any) -> Self:
        """Learn the first mapping of a stream, or the first one after a change of parameters."""
        if self.__sklearn_is_fitted__() and reads_records(self._model):
            return super().learn_one(x, y, classes)
        if not self.__sklearn_is_fitted__():
            self._begin(self._empty_model([], 0))
        stream = self._current_stream()
        weight = streamed_weights(None, self.class_weight, [y], ONE)
        stream.begin_mappings(x, y, weight, self._columns(stream.model), classes)
        self.n_features_in_ = stream.model.weights.n_features
        return self

    def _columns(self, model: LinearModel) -> dict[Hashable, int]:
        """Return the column of each feature by name."""
        if model.columns is not None or not model.weights.n_features:
            return model.columns or {}
        return columns_by_name(self, "x is a mapping", "a 1-D array")

    # ------------------------------------------------------------------ the fast path

    def retire_engine(self) -> None:
        if "_engine" in self.__dict__:
            settle_schema(self)
            self.__dict__.pop("_engine").close()

    def _settle(self) -> None:
        settle_schema(self)

    def _engine_to_learn_by(self) -> Engine | None:
        """Return the engine of the fast path; None without one or if another thread is learning."""
        return None if self._turns.is_taken else self._open_engine()

    @of_whole_state
    def _open_engine(self) -> Engine | None:
        """Open the fast path for single examples with the current parameters; return its engine.

        Return None before anything is learned. The engine is used until a parameter is set, or the
        model changes in another way than by the fast path.
        """
        model: LinearModel | None = self.__dict__.get("_model")
        if model is None:
            return None
        takes_mappings = model.columns is not None and model.schema is None
        plan = None if model.columns is not None else record_plan(self)
        rule = self._fast_rule(model, takes_mappings=takes_mappings)
        log = None
        if rule is not None and model.recorder is not None:
            log = model.recorder.log(rule)
        if rule is None:
            engine = Engine(model.weights, None, model.readouts)
        else:
            engine = self._stream.engine

        # Columns that are scaled take the fallback, which scales them.
        is_scaled = self._scaling is not None
        engine.open(
            model,
            learns=rule is not None,
            log=log,
            columns=model.columns if takes_mappings and not is_scaled else None,
            plan=None if is_scaled else plan,
            takes_arrays=model.columns is None and self._reads_as_is,
            last_wins=tie_is_positive(self.ties),
        )
        self._engine = engine
        return engine

    def _fast_rule(self, model: LinearModel, *, takes_mappings: bool) -> Rule | None:
        """Return the rule by which the fast path learns; None if examples need the fallback."""
        stream: Stream | None = self.__dict__.get("_stream")
        if stream is None or stream.model is not model or self.class_weight is not None:
            return None
        if takes_mappings and (stream.row is None or stream.row.columns is not model.columns):
            return None
        rule = stream.rule
        weights = model.weights
        if rule.is_python or rule.rates != weights.rates or rule.scales != weights.is_scaled:
            return None
        # The engine keeps no rows beside the ledger, as voters do.
        is_plain = model.voters is None and stream.settings == self._rule_settings(self)
        return rule if is_plain else None

    @property
    def _reads_as_is(self) -> bool:
        """Whether arrays can be read without checking names or scaling columns."""
        return "_feature_names" not in self.__dict__ and self._scaling is None

    # ------------------------------------------------------------------ predicting

    def _served(self, model: LinearModel) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return the weights and biases that predict."""
        return model.served()

    def _scorer(self, model: LinearModel, table: Table) -> Scorer:
        return scorer(table, *self._served(model))

    def predict_one(self, x: Any) -> Any:
        """Predict the class of one example, a mapping or a 1-D array; None if no class is known.

        Features of a mapping that were never learned from count as 0.
        """
        if self._predicts_plainly:
            engine = self.__dict__.get("_engine") or self._open_engine()
            found = None if engine is None else engine.predict_one(x, self._turns)
            if found is not None:
                return found
        return self._predict_unusual(x)

    @of_whole_state
    def _predict_unusual(self, x: Any) -> Any:
        """Predict the class of one example without the fast path; None if no class is known."""
        if "_model" not in self.__dict__ or not self._model.classes:
            return None
        if type(x) is not dict and not isinstance(x, Mapping):
            x = named_values(x)
            if not isinstance(x, dict):
                return super().predict_one(x)
        model = self._model
        if reads_records(model):
            table = read_table(self, [x], reset=False, ignore_unseen=True)
            return self.predict_row(table) if is_sparse(table) else super().predict_one(x)
        # A row of its own, as several threads may ask.
        row = MappingRow(self._columns(model))
        read(row, x, unseen_allowed=False)
        return self._predicted(model, row)

    def _predicted(self, model: LinearModel, row: MappingRow | Table) -> Any:
        """Predict the class of one row, a `MappingRow` or sparse; None if no class is known."""
        classes, slots = model.classes, model.sorted_slots
        if len(classes) < 2:
            return classes[0] if classes else None
        return predicted_labels(classes, slots, self._row_scores(model, row), self.ties)[0]

    def _row_scores(self, model: LinearModel, row: MappingRow | Table) -> AnyFloatArray:
        """Return the scores of one row, if possible in time linear in its stored values."""
        weights = model.weights
        readable = weights.by_feature or weights.n_vectors == 1
        if model.best is not None or weights.is_float32 or not readable:
            return self._scores(model, as_table(row))
        rows = row.rows if isinstance(row, MappingRow) else as_rows(row, np.float64)
        return model.score(rows)

    # ------------------------------------------------------------------ which weights predict

    def _keep_readouts(self, model: LinearModel) -> None:
        """Start or end read-outs as the parameter ``readout`` says; existing ones continue."""
        readouts = model.readouts
        if self.readout is not None:
            self._refuse_readout(model)
        if readouts is not None:
            if self.readout is not None and readouts.is_mix == (self.readout == "mix"):
                readouts.name = self.readout
                return
            readouts.end(model.weights)
            model.readouts = None
        if self.readout is not None:
            model.weights.promote()
            model.readouts = Readouts.begin(model.weights, self.readout)

    def _refuse_readout(self, model: LinearModel) -> None:
        """Raise a ParameterError if the learner stores rows, or if its rule scales all weights."""
        if self.keeps_rows:
            what = f" chooses among weights, and a {type(self).__name__} keeps rows to predict by"
            raise ParameterError(Message(Setting("readout", self.readout), what))
        if model.weights.is_scaled:
            what = f" follows single steps, and {type(self).__name__} changes all weights at once"
            cures = ["set it to None", "predict with the mean of all weights by average"]
            raise ParameterError(Message(Setting("readout", self.readout), what), cures=cures)

    @property
    @of_whole_state
    def readout_(self) -> str:
        """The weights that predict in a stream with ``readout``, or count most in a mix."""
        readouts: Readouts | None = self._fitted().readouts
        if readouts is None:
            raise AttributeError("there are no read-outs: set readout, then learn from a stream")
        return readouts.chosen

    @property
    def _predicts_by_mean(self) -> bool:
        """Whether the mean of the weights over all examples predicts."""
        readouts = self._fitted().readouts
        if readouts is not None:
            return readouts.chosen == "average"
        return self._fitted().weights.averaged

    # ------------------------------------------------------------------ whole streams

    @of_whole_state
    def predict_row(self, X: Any) -> Any:
        """Predict the class of one sparse row, in time linear in its stored values.

        Return None if no class is known.
        """
        model = self.__dict__.get("_model")
        if model is None or not model.classes:
            return None
        table = read_table(self, X, reset=False)
        inspect(as_rows(table))
        return self._predicted(model, table)

    @of_whole_state
    def is_tie(self, x: Any) -> bool:
        """Return whether several classes share the highest score of an example.

        It is a mapping, a 1-D array or one sparse row.
        """
        model = self.__dict__.get("_model")
        if model is None or len(model.classes) < 2:
            return False
        row: Any
        if not isinstance(x, Mapping):
            row = read_table(self, x if is_sparse(x) else array_row(x), reset=False)
        elif reads_records(model):
            row = read_table(self, [x], reset=False, ignore_unseen=True)
        else:
            row = MappingRow(self._columns(model))
            read(row, x, unseen_allowed=False)
        # The mean of all weights is not worked out where the row stores a few values.
        stores_few = isinstance(row, MappingRow) or is_sparse(row)
        scores = self._row_scores(model, row) if stores_few else self._scores(model, row)
        return has_tie(scores[0])

    @of_whole_state
    def can_predict_then_learn(self) -> bool:
        """Return whether `predict_then_learn` equals ``predict`` followed by ``partial_fit``.

        It is not before the first example, nor right after ``fit``.
        """
        stream: Stream | None = self.__dict__.get("_stream")
        if stream is None or stream.model is not self._model or self._scaling is not None:
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
    ) -> OnlineResult:
        """Predict each row and then learn from it, row by row (prequential evaluation).

        Rows may be wider than those before; new features have weight 0. All numbers are float64
        from here on: float32 rows may lead to other last bits than ``partial_fit`` of them.

        Parameters
        ----------
        X : array or sparse rows of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row.
        predictions : bool, default=True
            Whether to return the predictions in addition to the errors.
        latest : bool, default=False
            Whether errors are those of the latest weights, also for an averaged learner.
        first_row : int, default=0
            Number of the first row in error messages.

        Returns
        -------
        tested : OnlineResult
            ``wrong``, ``predictions``, ``mistakes``.
        """
        self._refuse_kept_rows("predict_then_learn")
        with unchanged_on_error(self) as turn:
            named = is_records(X) or hasattr(self, "feature_names_in_") or not self._reads_as_is
            table = read_table(self, X, reset=False, once=True) if named else as_rows_of_numbers(X)
            labels = np.asarray(read_labels(y, table.shape[0]))
            weights = None
            if sample_weight is not None or self.class_weight is not None:
                names, numbers = encode_labels(labels)
                given = sample_weight, self.class_weight, names.tolist(), numbers
                weights = streamed_weights(*given)
            turn.change_in_place()
            if not self.__sklearn_is_fitted__() or table.shape[1] > self.n_features_in_:
                inspect(as_rows(table))  # before anything grows
                self.grow(table.shape[1])
            check_count(self, table.shape[1])
            stream = self._current_stream()
            stream.model.weights.promote()
            tested = stream.predict_then_learn(
                table,
                labels,
                weights,
                predictions=predictions,
                latest=latest,
                first_row=first_row,
            )
            keep_guessed_schema(self)
        return tested

    def _refuse_kept_rows(self, what: str) -> None:
        if self.keeps_rows:
            raise ParameterError(
                f"{type(self).__name__} keeps rows to predict by, which {what} does not do. Use "
                "predict_one and learn_one."
            )

    # ------------------------------------------------------------------ features that appear

    def grow(self, n_features: int) -> Self:
        """Append features with weight 0, up to ``n_features`` in total; also before any is known.

        Parameters
        ----------
        n_features : int
            The new number of features.

        Returns
        -------
        self : learner
        """
        checks.whole("n_features", n_features, at_least=0)
        with unchanged_on_error(self) as turn:
            turn.change_in_place()
            if not self.__sklearn_is_fitted__():
                self._begin(self._empty_model([], int(n_features)))
            self._refuse_named_features("grow")
            model = self._current_stream().model
            # One layout from the start, so that when columns join leaves no trace.
            model.weights.promote()
            model.weights.grow(max(n_features, model.weights.n_features))
            self.n_features_in_ = model.weights.n_features
        return self

    def _refuse_named_features(self, what: str) -> None:
        if self._model.columns is not None or not self._reads_as_is:
            raise ParameterError(
                f"{what} is for features without names and scales; these have some. learn_one "
                "takes new ones by name."
            )

    def insert_features(self, places: Sequence[int]) -> Self:
        """Insert features with weight 0 before the features at the given indices.

        Parameters
        ----------
        places : sequence of int
            Indices of features before the insertion.

        Returns
        -------
        self : learner
        """
        self._refuse_kept_rows("insert_features")
        with unchanged_on_error(self) as turn:
            turn.change_in_place()
            self._refuse_unfitted()
            self._refuse_named_features("insert_features")
            for place in places:
                checks.whole("a place", place, at_least=0, at_most=self.n_features_in_)
            model = self._current_stream().model
            model.insert_features(places)
            self.n_features_in_ = model.weights.n_features
        return self

    # ------------------------------------------------------------------ what was learned

    def _fitted(self) -> LinearModel:
        model: LinearModel = super()._fitted()
        return model

    def _schema_weights(self) -> AnyFloatArray:
        return self._served(self._fitted())[0]

    def _in_class_order(self, values: AnyFloatArray) -> AnyFloatArray:
        """Return a copy of values with one row per weight vector, in the order of ``classes_``."""
        if len(values) > 1:
            return np.asarray(values[self._fitted().sorted_slots])
        return values.copy()

    @property
    @of_whole_state
    def coef_(self) -> AnyFloatArray:
        """Weights, (1, n_features) for two classes, else (n_classes, n_features)."""
        return self._in_class_order(self._in_own_units()[0])

    @property
    @of_whole_state
    def intercept_(self) -> AnyFloatArray:
        """Biases, one for each row of ``coef_``."""
        return self._in_class_order(self._in_own_units()[1])

    def _in_own_units(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return the weights and biases that predict, in the original units of the columns."""
        coef, bias = self._served(self._fitted())
        scaling = self._scaling
        return (coef, bias) if scaling is None else scaling.fold(coef, bias)

    @property
    @of_whole_state
    def raw_coef_(self) -> AnyFloatArray:
        """The last weights, from which training continues; only if the mean predicts."""
        return self._in_class_order(self._raw_weights().matrix)

    @property
    @of_whole_state
    def raw_intercept_(self) -> AnyFloatArray:
        """The last biases, from which training continues; only if the mean predicts."""
        return self._in_class_order(self._raw_weights().bias)

    def _variances(self) -> AnyFloatArray:
        """Return the variance of each weight; only for second-order learners."""
        model = self._fitted()
        model.refuse_slim()
        return self._in_class_order(model.weights.plane(RATE).table)

    def _raw_weights(self) -> Weights:
        model = self._fitted()
        if not self.averages or self.keeps_rows:
            raise AttributeError("coef_ and intercept_ are the last weights, not their mean")
        model.refuse_slim()
        return model.weights

    @property
    @of_whole_state
    def support_(self) -> npt.NDArray[np.int64]:
        """Indices of the rows of ``X`` that changed the weights in the last ``fit``."""
        return self._dual()[0]

    @property
    @of_whole_state
    def dual_coef_(self) -> AnyFloatArray:
        """The coefficient of each row of ``support_`` in each weight vector."""
        return self._in_class_order(self._dual()[1])

    def _dual(self) -> DualForm:
        """Return the dual form of the last fit; raise NoLedgerError if it is not known."""
        model = self._fitted()
        result = self._fit_outcome().result
        if model.weights.rates:
            raise NoLedgerError(
                "there is no dual form: each weight moves by a rate of its own that changes as it "
                "learns, so that the weights are no sum of rows",
                cures="Perceptron and PassiveAggressive with constant steps have one",
            )
        if model.recorder is None:
            found = result.dual_form()
        else:
            found = _recorded_dual(model, self.rule(), result.n_rows or 0)
        if found is None:
            raise NoLedgerError(
                "which rows moved the weights is known from a ledger, and none was kept"
            )
        return found

    @property
    @of_whole_state
    def ledger_(self) -> Ledger:
        """The ledger of every update, in order; only with ``record=True``."""
        ledger: Ledger = self._recorded().ledger()
        return ledger

    @property
    @of_whole_state
    def feature_names_in_(self) -> AnyArray:
        """Names of the features, if the rows had names."""
        model: LinearModel | None = self.__dict__.get("_model")
        if model is not None and model.columns is not None:
            names = np.empty(len(model.columns), dtype=object)
            names[:] = list(model.columns)
            return names
        if "_feature_names" not in self.__dict__:
            raise AttributeError("the features have no names")
        return self._feature_names

    @feature_names_in_.setter
    def feature_names_in_(self, names: AnyArray) -> None:
        self._feature_names: AnyArray = names

    @feature_names_in_.deleter
    def feature_names_in_(self) -> None:
        self.__dict__.pop("_feature_names", None)

    @of_whole_state
    def _summary_html(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        from rosenblatt.estimators.notebook_card import summary_html, weight_table_html

        names = getattr(self, "feature_names_in_", None)
        table = weight_table_html(self.classes_.tolist(), self.coef_, self.intercept_, names)
        return summary_html(self, table)

    # ------------------------------------------------------------------ why a prediction

    def _explain(self, question: Question, X: Any) -> Question:
        from rosenblatt.estimators.explain_rows import update_history

        question = question.by_feature(*self._served(self._model))
        readouts = self._fitted().readouts
        if readouts is not None and (readouts.is_mix or readouts.chosen in ("slow", "fast")):
            # Another learner counts as well, or old mistakes count less and less.
            return question
        if X is None:
            return question
        mean = self._predicts_by_mean
        history = update_history(self, self.ledger_.best, question.row, X, mean=mean)
        # The steps of scaled weights are already what they came to, in the mean as well.
        is_scaled = self._fitted().weights.is_scaled
        return question.by_mistake(history, mean=mean and not is_scaled)

    @of_whole_state
    def explain_model(self, *, top: int | None = None) -> ModelExplanation:
        """Explain the model as a whole: its features, ranked by influence.

        The influence of a feature is its weight times the standard deviation of the feature, if a
        schema tells it, otherwise its weight: features that separate rows rank before features that
        are just frequent.

        Parameters
        ----------
        top : int, default=None
            Keep so many of the largest. None keeps all.

        Returns
        -------
        explanation : ModelExplanation
            Print it, show it in a notebook, ``plot`` it.
        """
        from rosenblatt.estimators.explain_models import explained_by_weights

        self._refuse_unfitted()
        return explained_by_weights(self, self._served(self._model)[0]).cut(top)


def _recorded_dual(model: LinearModel, rule: Rule, n_rows: int) -> DualForm:
    """Return the dual form of the last fit, on ``n_rows`` rows, from the ledger of the model."""
    assert model.recorder is not None
    entries = model.recorder.entries
    first = model.next_row - n_rows
    of_fit = entries.since(int(np.count_nonzero(entries.row < first)))
    of_fit = of_fit._replace(row=of_fit.row - first)
    if model.weights.is_scaled:
        # Later updates have scaled the steps before them.
        now = Scaling(*model.weights.scaling)
        steps = of_fit.stored_after(now.folds) * now.scale
        of_fit = of_fit._replace(step=steps, folds=of_fit.folds[:0])
    return dual_form(of_fit, rule, n_rows, model.n_vectors)


def _set_start(model: LinearModel, coef_init: Any, intercept_init: Any) -> None:
    """Set the initial weights and biases, if any are given, in the order of ``classes_``."""
    if coef_init is None and intercept_init is None:
        return
    weights = model.weights
    coef = weights.matrix if coef_init is None else np.asarray(coef_init, np.float64)
    bias = weights.bias if intercept_init is None else np.asarray(intercept_init, np.float64)
    shapes = (weights.n_vectors, weights.n_features), (weights.n_vectors,)
    for name, values, shape in (
        ("coef_init", coef, shapes[0]),
        ("intercept_init", bias, shapes[1]),
    ):
        if values.size != np.prod(shape) or (values.ndim > 1 and values.shape != shape):
            raise ParameterError(
                f"{name} has shape {values.shape}, but these data need {shape}: one row for "
                "two classes, one for each class when there are more (or with "
                "binary_as_multiclass=True)."
            )
        limit = largest_allowed(weights.table.dtype)
        if not (np.abs(values) <= limit).all():
            raise ParameterError(
                f"{name} holds values that are not finite or beyond {limit:g}, where the sums "
                "of training would overflow."
            )
    if intercept_init is not None and not weights.fit_intercept and np.any(bias):
        raise ParameterError("intercept_init needs fit_intercept=True.")
    coef, bias = coef.reshape(shapes[0]), bias.reshape(shapes[1])
    if weights.n_vectors > 1:  # given in the order of classes_, kept in that of arrival
        place = np.argsort(model.sorted_slots)
        coef = coef[place] if coef_init is not None else coef
        bias = bias[place] if intercept_init is not None else bias
    weights.set(coef, bias)
    model.recorder = None  # no update leads from the weights before to these
