"""How a kernel perceptron answers, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import kernel_blocks as blocks
from rosenblatt.arrays import AnyFloatArray
from rosenblatt.core.classes import answers
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.kernel.learned import KernelLearned
from rosenblatt.kernel.support import narrow_as_dense
from rosenblatt.learner.inputs import read_table

if TYPE_CHECKING:
    from rosenblatt.learner.explain_rows import Question

__all__ = ["KernelAnswers", "one_example"]


class KernelAnswers(KernelLearned):
    """Scores, answers and reasons; nothing is learned here."""

    budget: int | None
    forget: str
    kernel: Any
    ties: str
    _options: Any
    _refuse_unfitted: Any

    def _kernel_name(self) -> str:
        return "callable" if callable(self.kernel) else str(self.kernel)

    def _check_combine(self) -> None:
        self._options["combine"].check(self.combine)
        fitted = self.__dict__.get("_machine")
        keeps_all = self.budget is None if fitted is None else fitted.recorder is not None
        if keeps_all or self.combine == "last":
            return
        if self.combine == "vote":
            raise ParameterError(
                "combine='vote' needs every mistaken row, and a budget does not keep them all. Use "
                "'last', or 'average' with forget='projection', or budget=None."
            )
        forget = self.forget if fitted is None else fitted.settings["forget"]
        if forget != "projection":
            raise ParameterError(
                f"combine='average' needs all rows that ever counted, and forget={forget!r} "
                "drops some. Use combine='last', or forget='projection', which drops none."
            )

    def decision_function(self, X: Any) -> AnyFloatArray:
        """Scores: one a row for two classes (positive: ``classes_[1]``), else one per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        self._refuse_unfitted()
        self._check_combine()
        table = self._queries(X)
        machine = self._machine.served
        ties = self.ties == "positive"
        found = machine.scores(table, self.combine, tie_is_positive=ties)
        return found if found.ndim == 1 else found[:, self._slots_in_order(machine)]

    def _queries(self, X: Any) -> Any:
        """Rows to answer, checked."""
        table = read_table(self, X, reset=False, ignore_unseen=True)
        inspect(as_rows(table), names=getattr(self, "feature_names_in_", None))
        return narrow_as_dense(table)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        found = answers(self.decision_function(X), self.ties)
        classes = self.classes_
        return classes[found if len(classes) > 1 else np.zeros_like(found)]

    def predict_one(self, x: Any) -> Any:
        """The class of one example, a mapping or an array; None before the first was learned."""
        if not self.__sklearn_is_fitted__():
            return None
        return self.predict(one_example(x)).tolist()[0]

    def _explain(self, question: Question, X: Any) -> Question:
        """By the support rows, which are kept, so that ``X`` is not needed."""
        from rosenblatt.explain import PastMistake
        from rosenblatt.learner.explain_rows import Past

        machine = self._machine.served
        found = np.zeros(0)
        if machine.support is not None:
            row = narrow_as_dense(question.row)[:1]
            found = np.asarray(machine.kernel.between(machine.support.rows, row)[:, 0], np.float64)
        if machine.recorder is None:
            coef = (question.direction @ machine.coefficients(self.combine)).tolist()
            known = zip(machine.numbers.tolist(), coef, found.tolist(), strict=True)
            return question.with_mistakes(
                [PastMistake(row, None, None, 0, a, k, a * k) for row, a, k in known if a]
            )
        past = Past(machine.entries(), machine.classes, found, machine.n_examples, machine.numbers)
        alone = machine.shape == blocks.EACH
        if self.combine == "vote":
            return question.by_vote(past, np.zeros(machine.n_vectors), 1, alone=alone)
        return question.by_mistake(past, mean=self.combine == "average", alone=alone)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self._kernel_name() == "precomputed"
        return tags


def one_example(x: Any) -> Any:
    """One example as rows: a mapping of features or a 1-D array."""
    if isinstance(x, Mapping):
        return [x]
    row = np.asarray(x)
    if row.dtype == object or row.ndim != 1:
        raise InputError(
            "one example is a mapping or a 1-D array of numbers. For tables and sparse rows use "
            "partial_fit or predict."
        )
    return row.reshape(1, -1)
