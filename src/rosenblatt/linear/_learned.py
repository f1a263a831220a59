"""What a learner tells of what it has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray
from rosenblatt.core.classes import in_order
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.core.result import FitResult
from rosenblatt.errors import ParameterError
from rosenblatt.learner.classes import as_array

if TYPE_CHECKING:
    from rosenblatt.learner.explain_rows import Past, Question

__all__ = ["Learned"]


class Learned:
    """Fitted attributes, worked out from the model when asked for."""

    averages: ClassVar[bool]

    best_iter_: int
    n_iter_: int
    _model: LinearModel
    _training: FitResult | None

    def _served(self, model: LinearModel) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The weights and biases that answer."""
        return model.served()

    def _schema_weights(self) -> AnyFloatArray | None:
        return self._served(self._fitted())[0]

    def _fitted(self) -> LinearModel:
        try:
            return self.__dict__["_model"]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None

    def _fit_outcome(self) -> FitResult:
        self._fitted()
        if self._training is None:
            raise AttributeError("known after fit only: rows given one by one are not kept")
        return self._training

    @staticmethod
    def _slots_in_order(model: LinearModel) -> list[int]:
        """The places of the classes, which stand as they arrived, in the order of ``classes_``."""
        return in_order(model.classes)

    def _in_class_order(self, values: AnyFloatArray) -> AnyFloatArray:
        if len(values) > 1:
            return np.asarray(values[self._slots_in_order(self._fitted())])
        return values.copy()

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes in order."""
        model = self._fitted()
        return as_array(sorted(model.classes), model.label_dtype)

    @property
    def coef_(self) -> AnyFloatArray:
        """Weights, (1, n_features) for two classes, else (n_classes, n_features)."""
        return self._in_class_order(self._served(self._fitted())[0])

    @property
    def intercept_(self) -> AnyFloatArray:
        """Biases, one for each row of ``coef_``."""
        return self._in_class_order(self._served(self._fitted())[1])

    @property
    def t_(self) -> int:
        """Examples seen so far, over all epochs and calls."""
        return self._fitted().weights.t

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made so far, over all epochs and calls."""
        return self._fitted().n_mistakes

    @property
    def support_(self) -> npt.NDArray[np.int64]:
        """Rows of ``X`` that moved the weights in the last ``fit``."""
        return self._dual()[0]

    @property
    def dual_coef_(self) -> AnyFloatArray:
        """How much each row of ``support_`` contributed to each weight vector."""
        return self._dual()[1]

    def _dual(self) -> tuple[npt.NDArray[np.int64], AnyFloatArray]:
        outcome = self._fit_outcome()
        if outcome.pairs is not None:
            support, dual = outcome.pairs.coefficients()
            return support, dual[self._slots_in_order(self._fitted())]
        if len(self._fitted().classes) > 2:
            raise AttributeError(
                "not kept: every row moves every class, which is too much to keep for so many rows "
                "and classes; record=True keeps the ledger"
            )
        dual = outcome.dual_of_rows()
        support = np.flatnonzero(dual)
        return support, dual[support][None, :]

    @property
    def ledger_(self) -> Ledger:
        """Every update in order, when ``record=True``."""
        return self._fitted().ledger()

    @property
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
        return question if past is None else question.by_mistake(past, mean=self._predicts_by_mean)

    @property
    def _predicts_by_mean(self) -> bool:
        return self.averages

    def _past(self, row: Any, X: Any) -> Past | None:
        """The updates that led to the weights that predict, beside a row; None without ``X``."""
        from rosenblatt.learner.explain_rows import Past, similarities

        if X is None:
            return None
        model = self._model
        if model.recorder is None:
            raise ParameterError(
                "X is to weigh past mistakes, but no ledger of them was kept: set record=True "
                "before learning."
            )
        ledger = model.ledger()
        if model.best is not None:  # all epochs are of one length
            epoch = model.seen_while_recording // self.n_iter_
            seen = ledger.n_examples - epoch * (self.n_iter_ - self.best_iter_)
            ledger = ledger.upto(int(np.searchsorted(ledger.entries.t, seen, "right")), seen)
        found = similarities(self, row, X, ledger.entries) + float(model.weights.fit_intercept)
        return Past(ledger.entries, ledger.classes, found, ledger.n_examples)
