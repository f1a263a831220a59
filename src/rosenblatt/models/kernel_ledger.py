"""The ledger of a kernel model: its updates in order, from which everything else follows."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.models.classes import tie_is_positive
from rosenblatt.models.kernel import KernelModel
from rosenblatt.models.kernel_functions import narrow_as_dense
from rosenblatt.models.ledger import ColumnLedger
from rosenblatt.models.recording import Recorder

if TYPE_CHECKING:
    from rosenblatt.estimators.explain_rows import Question


class KernelLedger(ColumnLedger[FloatArray, KernelModel]):
    """Every update of a kernel perceptron, in order.

    Iterating gives `Update` records; ``len`` is the number of updates. ``y_pred`` is None if
    only the right class was raised. With ``multiclass="ovr"`` an update with a wrong class lowers
    only that class.

    Attributes
    ----------
    classes : tuple
        The classes, as they arrived; with two of them a positive score means the second.
    entries : Entries
        The updates as columns; ``row`` is the number of the row in all that was given, as in
        ``support_``.
    n_examples : int
        Examples seen when learning ended.

    Examples
    --------
    Exclusive or: one mistake on each point, and all is separated.

    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> model = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, shuffle=False).fit(X, y)
    >>> [update.row for update in model.ledger_], model.stop_reason_
    ([0, 1, 2, 3], 'separated')
    >>> model.ledger_.replay(upto=3).tolist()
    [[1.0, -1.0, -1.0, 0.0]]
    """

    def __init__(self, model: KernelModel) -> None:
        # The updates as the model has them, whose rows are slots of its support rows.
        assert model.recorder is not None
        self._slots = model.recorder.entries
        # A recorder of its own, so that reading never touches what a learner writes into.
        own = Recorder()
        own.add(self._slots)
        self._model = copy(model)
        self._model.best = None
        self._model.recorder = own
        entries = self._slots._replace(row=model.numbers[self._slots.row])
        super().__init__(tuple(model.classes), entries, model.t, best_t=model.best_t)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the kernel parameters of the run."""
        return self._model.settings

    def _cut(self, k: int) -> None:
        super()._cut(k)
        self._slots = self._slots.first(k)

    def replay(self, X: Any = None, upto: int | None = None) -> FloatArray:
        """Return the coefficients of the support rows after ``upto`` updates, by default after all.

        ``X`` is ignored: the model keeps the rows that it needs.
        """
        return super().replay(X, upto)

    def trace(self, X: Any = None) -> Iterator[FloatArray]:
        """Yield the coefficients before the first and after every update."""
        return super().trace(X)

    def average(self, X: Any = None) -> FloatArray:
        """Return the mean of the coefficients after every example."""
        return super().average(X)

    def votes(self, X: Any, queries: Any, *, ties: str = "mistake") -> FloatArray:
        """Return the vote on each query: every past hypothesis counts with its survival time.

        For two classes, this is one number per query, positive for the second class. For more,
        there is one column per class; with ``multiclass="ovr"`` the functions of each class vote by
        themselves. The cost is the kernel of the queries with the support rows, then a walk along
        the updates. ``X`` is ignored.
        """
        voters = copy(self._model)
        voters.best = len(self), self.n_examples
        voter = voters.voter(queries, tie_is_positive=tie_is_positive(ties))
        return voter(slice(0, queries.shape[0]))

    def _begin(self, X: Any, *, averaged: bool = False) -> KernelModel:
        return self._model.without_updates()

    def _play(self, state: KernelModel, start: int, stop: int, t0: int = 0) -> None:
        state.add(self._slots.part(start, stop))

    def _weights(self, state: KernelModel) -> FloatArray:
        return state.coef.copy()

    def _average(self, state: KernelModel) -> FloatArray:
        return state.average(self.n_examples)
