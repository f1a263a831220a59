"""Answers straight from a state, for programs that do without the estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.model import LinearModel
from rosenblatt.core.scoring import scores as linear_scores
from rosenblatt.core.tables import as_rows, inspect
from rosenblatt.errors import InputError
from rosenblatt.machines.machine import Machine
from rosenblatt.machines.support import narrow_as_dense
from rosenblatt.model.kernel import kernel_machine
from rosenblatt.model.linear import linear_model, voters_arrays
from rosenblatt.model.state import State

__all__ = ["Answering"]


class Answering:
    """Scores and labels as the saved learner would give them, to the last bit.

    Neither scikit-learn nor SciPy is loaded.

    Parameters
    ----------
    state : State
        What `rosenblatt.model.read` gave.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import rosenblatt
    >>> from rosenblatt.model import Answering, read
    >>> p = rosenblatt.Perceptron().fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     answering = Answering(read(path))
    >>> answering.labels(np.array([[0.0, 1.0], [1.0, 0.0]]))
    ['no', 'yes']
    """

    def __init__(self, state: State) -> None:
        state.refuse_sentences()
        self._state = state
        self._ties = state.card.parameters["ties"]
        self._combine = state.card.parameters.get("combine")
        self._machine: Machine | None = None
        if state.card.kernel is not None:
            self._machine = kernel_machine(state)
            return
        self._model = linear_model(state)
        self._votes: tuple[Ledger, Any] | None = None
        if state.card.voters is None:
            return
        arrays = voters_arrays(state)
        ledger, rows = Ledger.from_arrays(arrays), arrays["rows"]
        if rows is None:
            rows = np.zeros((0, state.n_features))
        if self.model.best is not None:
            ledger = ledger.upto(*self.model.best)
            replay = ledger.average if self._combine == "average" else ledger.replay
            self._served = replay(rows)
        elif self._combine != "average":
            self._served = self.model.weights.matrix, self.model.weights.bias
        else:
            self._served = self.model.weights.average()
        if self._combine == "vote":
            self._votes = ledger, rows

    @property
    def model(self) -> LinearModel:
        """The weights; a kernel machine has none and says so."""
        return linear_model(self._state) if self._machine is not None else self._model

    def scores(self, X: Any) -> npt.NDArray[np.float64]:
        """One score a row for two classes, else one for each class as ``card.classes`` has them.

        ``X`` is a 2-D array or sparse rows of float32 or float64.
        """
        n_features = self._state.n_features
        if X.ndim != 2 or X.shape[1] != n_features:
            raise InputError(
                f"X has shape {X.shape}, but this model was trained on rows of {n_features} "
                "features."
            )
        if self._machine is not None:
            return self._kernel_scores(self._machine.served, X)
        inspect(as_rows(X))
        if self._votes is not None:
            ledger, rows = self._votes
            votes = ledger.votes_of(rows, ledger.entries.row, X, ties=self._ties)
            return np.asarray(votes / max(ledger.n_examples, 1))
        served = self.model.served() if self._combine is None else self._served
        return linear_scores(X, *served)

    def _kernel_scores(self, machine: Machine, X: Any) -> npt.NDArray[np.float64]:
        X = SparseRows.of(X) if is_sparse(X) else np.ascontiguousarray(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        inspect(as_rows(X))
        assert self._combine is not None
        positive = self._ties == "positive"
        return machine.scores(narrow_as_dense(X), self._combine, tie_is_positive=positive)

    def labels(self, X: Any) -> list[Any]:
        """The class of each row."""
        classes = self._state.card.classes
        found = self.scores(X)
        if len(classes) == 1:
            return classes * len(found)
        if found.ndim == 1:
            chosen = (found >= 0) if self._ties == "positive" else (found > 0)
            return [classes[answer] for answer in chosen.astype(int)]
        # Of equal scores the first in the order of the classes wins, or the last.
        order = sorted(range(len(classes)), key=classes.__getitem__)
        if self._ties == "positive":
            order.reverse()
        return [classes[order[place]] for place in found[:, order].argmax(axis=1)]
