"""A linear classifier that is trained in epochs: fitting, scoring, and what it tells afterwards."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, Scorer
from rosenblatt.errors import NoLedgerError, ParameterError
from rosenblatt.estimators.explain_models import ExplainedByWeights
from rosenblatt.estimators.inputs import TrainingData
from rosenblatt.estimators.linear.data_units import InDataUnits
from rosenblatt.estimators.linear.starting_weights import set_start
from rosenblatt.estimators.notebook_card import ModelDisplay
from rosenblatt.estimators.outcome import of_whole_state
from rosenblatt.estimators.params import n_jobs_option, option, seed_from
from rosenblatt.estimators.row_classifier import RowClassifier
from rosenblatt.estimators.targets import read_weights
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.result import FitResult, Validation, dual_form
from rosenblatt.models.rows import scorer
from rosenblatt.models.weights import Scaling

if TYPE_CHECKING:
    from rosenblatt.estimators.explain_rows import Question, UpdateHistory
    from rosenblatt.models.weights import Weights


# Parameters that a model is made with and keeps.
MODEL_SETTINGS = ("fit_intercept", "binary_as_multiclass", "average")


def learning_rate() -> Any:
    """The option ``eta0`` of the learners whose steps all have the same length."""
    return option(
        default=1.0,
        above=0.0,
        cure="It is the length of a step.",
        label="Learning rate η",
        help="Length of a step. From zero weights it only scales the model.",
    )


def averaging(default: bool | str, choices: tuple[Any, ...] = (False, True, "tail")) -> Any:
    """The option ``average``."""
    return option(
        default=default,
        choices=choices,
        label="Predict with",
        help="""
        Predict with the mean of the weights after each example, not with the last ones. It takes a
        running sum beside every weight, also in the file. "tail" leaves out the first epochs of
        ``fit``: the mean begins after the last of the epochs 1, 2, 4, 8 … that is at most half of
        all. What is learned after ``fit`` joins the mean.""",
    )


class _Same:
    """A value of any kind that equals itself alone, as arrays that differ have no truth value."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    __hash__ = None  # type: ignore[assignment]


class LinearClassifier(ModelDisplay, ExplainedByWeights, InDataUnits, RowClassifier):
    """A linear classifier that is trained in epochs.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    raw_coef_, raw_intercept_ : ndarray
        The last weights and biases, from which training goes on, where the mean predicts.
    margin_ceiling_ : float
        Proven by the run: no unit vector separates the rows (with a bias: the rows with a 1
        appended) by a margin above this.
    support_ : ndarray of shape (n_support,)
        Rows that moved the weights in the last ``fit``; after `load` with ``record=True`` alone.
        Neither it nor ``dual_coef_`` is there where weights have rates of their own.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        How much each of them did: ``coef_`` is ``dual_coef_ @ X[support_]`` when training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, when ``record=True``.
    """

    average: bool | str = averaging(default=False)
    fit_intercept: bool = option(
        default=True,
        label="Bias b",
        help="Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.",
    )
    binary_as_multiclass: bool = option(
        default=False,
        in_studio=False,
        help="""
        Learn two classes as more are learned: a weight vector for each, and the one with the best
        score is predicted. By default one vector, their difference, tells them apart.""",
    )
    record: bool = option(
        default=False, in_studio=False, help="Keep the ledger of all updates in ``ledger_``."
    )
    n_jobs: int | None = n_jobs_option("predict and score rows")

    # What learning depends on; read at every call, so that a parameter that was changed is heeded.
    _rule_settings: ClassVar[Any]
    _rule_parameters: ClassVar[tuple[str, ...]]

    layout = "rosenblatt.persistence.linear_layout:LinearLayout"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        shared = LinearClassifier._options
        own = [name for name in cls._options if name not in shared]
        cls._rule_parameters = *own, "ties", "record", *MODEL_SETTINGS
        cls._rule_settings = settings = attrgetter(*cls._rule_parameters)
        if any(cls._options[name].kind == "other" for name in own):
            cls._rule_settings = staticmethod(lambda self: list(map(_Same, settings(self))))

    # ------------------------------------------------------------------ fitting

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        validation_set: tuple[Any, Any] | None = None,
    ) -> Self:
        """Train on all rows, epoch by epoch, until there is a reason to stop.

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
        return self._fit(
            X,
            y,
            validation_set,
            fresh=coef_init is not None,
            coef_init=coef_init,
            intercept_init=intercept_init,
            sample_weight=sample_weight,
        )

    def _new_model(self, classes: list[Any], table: Any) -> LinearModel:
        return self._empty_model(classes, table.shape[1], table.dtype)

    def _empty_model(
        self, classes: list[Any], n_features: int, dtype: npt.DTypeLike = np.float64
    ) -> LinearModel:
        self.check_parameters()
        return LinearModel(
            classes,
            n_features,
            dtype=dtype,
            fit_intercept=bool(self.fit_intercept),
            averaged=bool(self.average),
            rates=self.rule().rates,
            is_scaled=self.rule().scales,
            random=seed_from(self.random_state),
            binary_as_multiclass=bool(self.binary_as_multiclass),
        )

    def _refuse_other_settings(self) -> None:
        model = self._model
        model.refuse_slim()
        if len(model.classes) != 2:  # of one class nothing is learned, and more are learned alike
            model.binary_as_multiclass = bool(self.binary_as_multiclass)
        for name in self._other_settings(model):
            raise self._trained_otherwise(name)

    def _trained_otherwise(self, name: str) -> ParameterError:
        """The error for a parameter that was changed and that the model cannot follow."""
        return ParameterError(
            f"{name}={getattr(self, name)!r}, but the model to go on with was trained the other "
            "way. Set it back, or begin with a new learner."
        )

    def _other_settings(self, model: LinearModel) -> list[str]:
        """The parameters that a model is made with and that have another value now."""
        weights = model.weights
        begun = weights.fit_intercept, model.binary_as_multiclass, weights.averaged, weights.rates
        now = *(bool(getattr(self, name)) for name in MODEL_SETTINGS), self.rule().rates
        names = *MODEL_SETTINGS, "steps"
        return [name for name, a, b in zip(names, begun, now, strict=True) if a != b]

    def _agrees_with(self, model: LinearModel) -> bool:
        """Whether a model keeps all that the parameters ask a stream to keep, and nothing else."""
        is_recorded = model.recorder is not None
        return is_recorded == self._wants_record and not self._other_settings(model)

    @property
    def _wants_record(self) -> bool:
        return bool(self.record or self.keeps_rows)

    def _trainer(self, model: LinearModel, data: TrainingData, **start: Any) -> LinearTrainer:
        self._measure(model, data.rows)
        rule = self._rule_for(model)
        rows = model.weights.agree(data.table, data.rows)
        given = start["sample_weight"], self.class_weight, model.classes, data.labels
        some_of_all = start.get("is_shard", False)  # other rows of which have a weight
        data.weights = weights = read_weights(*given, may_be_zero=some_of_all)
        set_start(model, start["coef_init"], start["intercept_init"])
        self._keep_record(model)
        record = model.recording(model.next_row, data.table)
        known = data.labels, data.subset, weights, record
        trainer = LinearTrainer(model.weights, rule, rows, *known)
        trainer.table, trainer.tail = data.table, self.average == "tail"
        return trainer

    @property
    def averages(self) -> bool:
        return bool(self.average)

    def _errors_on(self, data: TrainingData) -> int:
        last_predicts = not self.averages and self._model.best is None and self.ties == "mistake"
        all_count = data.subset is None and data.weights is None
        if last_predicts and all_count and self._result.converged:
            return 0  # training has just seen all rows right
        return super()._errors_on(data)

    def _take_over(
        self, model: LinearModel, result: FitResult, validation: Validation | None
    ) -> None:
        model.n_mistakes += sum(result.mistakes_per_epoch)
        model.n_epochs += result.n_iter
        super()._take_over(model, result, validation)

    def _keep_record(self, model: LinearModel, *, streamed: bool = False) -> None:
        """Record from here on, if asked to; a ledger that was begun goes on."""
        wanted = self._wants_record
        if wanted and streamed:
            # Rows of either type may come, and replay must know which one counted.
            model.weights.promote()
        model.keep_record(wanted)

    def _what_to_try(self, result: FitResult) -> str:
        ceiling = result.margin_ceiling
        proven = f", and by a margin above {ceiling:.2g} none can" if math.isfinite(ceiling) else ""
        return (
            f": no epoch separated the rows{proven}. Try a larger max_iter, scaled features "
            "(sklearn.preprocessing.StandardScaler), or early_stopping=True"
            + ("." if self.averages else "; if the classes overlap, AveragedPerceptron copes best.")
        )

    # ------------------------------------------------------------------ predicting

    def _served(self, model: LinearModel) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The weights and biases that predict."""
        return model.served()

    def _scorer(self, model: LinearModel, table: Any) -> Scorer:
        return scorer(table, *self._served(model))

    # ------------------------------------------------------------------ what was learned

    def _schema_weights(self) -> AnyFloatArray:
        return self._served(self._fitted())[0]

    def _in_class_order(self, values: AnyFloatArray) -> AnyFloatArray:
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
        """The weights and biases that predict, for columns that are not scaled."""
        coef, bias = self._served(self._fitted())
        return (coef, bias) if self._scaling is None else self._scaling.fold(coef, bias)

    @property
    @of_whole_state
    def raw_coef_(self) -> AnyFloatArray:
        """The last weights, from which training goes on, where the mean predicts."""
        return self._in_class_order(self._raw_weights().matrix)

    @property
    @of_whole_state
    def raw_intercept_(self) -> AnyFloatArray:
        """The last biases, from which training goes on, where the mean predicts."""
        return self._in_class_order(self._raw_weights().bias)

    def _raw_weights(self) -> Weights:
        model: LinearModel = self._fitted()
        if not self.averages or self.keeps_rows:
            raise AttributeError("coef_ and intercept_ are the last weights, not their mean")
        model.refuse_slim()
        return model.weights

    @property
    @of_whole_state
    def support_(self) -> npt.NDArray[np.int64]:
        """Rows of ``X`` that moved the weights in the last ``fit``."""
        return self._dual()[0]

    @property
    @of_whole_state
    def dual_coef_(self) -> AnyFloatArray:
        """How much each row of ``support_`` contributed to each weight vector."""
        return self._dual()[1]

    def _dual(self) -> tuple[npt.NDArray[np.int64], AnyFloatArray]:
        model, result = self._fitted(), self._last_result()
        if model.weights.rates:
            raise NoLedgerError(
                "there is no dual form: each weight moves by a rate of its own that changes as it "
                "learns, so that the weights are no sum of rows",
                cures="Perceptron and PassiveAggressive with constant steps have one",
            )
        if model.recorder is None:
            found = result.dual_form()
        else:
            entries, n_rows = model.recorder.entries, result.n_rows or 0
            first = model.next_row - n_rows
            last_fit = entries.since(int(np.count_nonzero(entries.row < first)))
            last_fit = last_fit._replace(row=last_fit.row - first)
            if model.weights.is_scaled:
                now = Scaling(*model.weights.scaling)
                last_fit = last_fit._replace(step=last_fit.stored_after(now.folds) * now.scale)
                last_fit = last_fit._replace(folds=last_fit.folds[:0])
            found = dual_form(last_fit, self.rule(), n_rows, model.n_vectors)
        if found is None:
            raise NoLedgerError(
                "which rows moved the weights is known from a ledger, and none was kept"
            )
        support, dual = found
        return support, self._in_class_order(dual)

    @property
    @of_whole_state
    def ledger_(self) -> Ledger:
        """Every update in order, when ``record=True``."""
        ledger: Ledger = self._recorded().ledger()
        return ledger

    @property
    @of_whole_state
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """Names of the features, when the rows came with names."""
        model = self.__dict__.get("_model")
        if model is not None and model.columns is not None:
            names = np.empty(len(model.columns), dtype=object)
            names[:] = list(model.columns)
            return names
        if "_feature_names" not in self.__dict__:
            raise AttributeError("the features have no names")
        return self.__dict__["_feature_names"]  # type: ignore[no-any-return]

    @feature_names_in_.setter
    def feature_names_in_(self, names: npt.NDArray[Any]) -> None:
        self._feature_names = names

    @feature_names_in_.deleter
    def feature_names_in_(self) -> None:
        self.__dict__.pop("_feature_names", None)

    # ------------------------------------------------------------------ why a prediction

    def _explain(self, question: Question, X: Any) -> Question:
        question = question.by_feature(*self._served(self._model))
        past = self._past(question.row, X)
        if past is None:
            return question
        # The steps of scaled weights are what they came to, in the mean as well.
        mean = self._predicts_by_mean and not self._model.weights.is_scaled
        return question.by_mistake(past, mean=mean)

    @property
    def _predicts_by_mean(self) -> bool:
        return bool(self._model.weights.averaged)

    def _past(self, row: Any, X: Any) -> UpdateHistory | None:
        """The updates that led to the weights that predict, beside a row; None without ``X``."""
        from rosenblatt.estimators.explain_rows import UpdateHistory, score_moves, similarities

        if X is None:
            return None
        ledger = self.ledger_.best
        moved = None
        if ledger.start.rates and len(ledger):
            moved, found = score_moves(self, row, X, ledger), np.zeros(self._model.next_row)
        else:
            found = similarities(self, row, X, ledger.entries) + float(ledger.start.fit_intercept)
        entries = ledger.entries
        if ledger.start.is_scaled:
            entries = entries._replace(step=ledger.shares(mean=self._predicts_by_mean))
        past = UpdateHistory(entries, ledger.classes, found, ledger.n_examples)
        return past._replace(average_from=ledger.average_from, moved=moved)
