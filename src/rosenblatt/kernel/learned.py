"""What a kernel perceptron tells of what it has learned."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import for_caller
from rosenblatt.core.classes import in_order
from rosenblatt.kernel.kernel_model import KernelModel
from rosenblatt.kernel.ledger import KernelLedger
from rosenblatt.learner.classes import as_array
from rosenblatt.learner.display import CELL, TOP_CLASSES, ModelDisplay

__all__ = ["KernelLearned"]


class KernelLearned(ModelDisplay):
    """Fitted attributes, worked out from the machine when asked for."""

    _machine: KernelModel
    combine: str
    n_features_in_: int

    def __sklearn_is_fitted__(self) -> bool:
        return "_machine" in self.__dict__

    def _fitted(self) -> KernelModel:
        try:
            return self.__dict__["_machine"]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None

    @staticmethod
    def _slots_in_order(machine: KernelModel) -> list[int]:
        """The places of the classes, which stand as they arrived, in the order of ``classes_``."""
        return in_order(machine.classes)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes in order."""
        machine = self._fitted()
        return as_array(sorted(machine.classes), machine.label_dtype)

    @property
    def t_(self) -> int:
        """Examples seen so far, over all epochs and calls."""
        return self._fitted().t

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made so far, over all epochs and calls."""
        return self._fitted().n_mistakes

    @property
    def support_(self) -> npt.NDArray[np.int64]:
        """The mistaken rows: their numbers in ``X``, or their places in the stream."""
        return self._fitted().served.numbers.copy()

    @property
    def support_vectors_(self) -> Any:
        """The mistaken rows themselves."""
        support = self._fitted().served.support
        if support is None:
            return np.zeros((0, self.n_features_in_))
        if self._fitted().kernel.is_precomputed:
            raise AttributeError("a precomputed kernel does not show the rows themselves")
        return for_caller(support.vectors())

    @property
    def dual_coef_(self) -> npt.NDArray[np.float64]:
        """What each support row counts for in each function."""
        machine = self._fitted().served
        coef = machine.coefficients(self.combine)
        return coef.copy() if len(coef) == 1 else coef[self._slots_in_order(machine)]

    @property
    def survival_(self) -> list[npt.NDArray[np.int64]]:
        """For each function how many examples each of its states lived."""
        machine = self._recorded()
        order = self._slots_in_order(machine) if machine.n_vectors > 1 else [0]
        return [machine.survival(vector)[2].astype(np.int64) for vector in order]

    @property
    def ledger_(self) -> KernelLedger:
        """Every update in order."""
        return KernelLedger(self._recorded())

    def _recorded(self) -> KernelModel:
        machine = self._fitted()
        if machine.recorder is None:
            raise AttributeError("not kept with a budget: some of the mistaken rows are forgotten")
        return machine

    def _weights_html(self) -> str:
        """How much of the support rows each function uses."""
        coef = self.dual_coef_
        shown = (
            [" against ".join(map(str, self.classes_[::-1]))] if len(coef) == 1 else self.classes_
        )
        rows = [
            f"<tr><th scope=row style='{CELL}'>{escape(str(label))}</th>"
            f"<td style='{CELL}'>{np.count_nonzero(values):,}</td></tr>"
            for label, values in zip(shown, coef[:TOP_CLASSES], strict=False)
        ]
        left_out = len(coef) - len(rows)
        note = f"<p>{left_out} more classes not shown.</p>" if left_out > 0 else ""
        return (
            f"<table><caption style='text-align:left'>{coef.shape[1]:,} support rows</caption>"
            f"<thead><tr><th scope=col style='{CELL}'>class</th>"
            f"<th scope=col style='{CELL}'>support rows used</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{note}"
        )
