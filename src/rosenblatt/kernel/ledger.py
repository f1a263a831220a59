"""The ledger of a kernel machine: its updates in order, which are all there is to it."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.ledger import Entries, Update
from rosenblatt.errors import ParameterError
from rosenblatt.kernel.kernel_model import KernelModel

__all__ = ["KernelLedger"]


class KernelLedger:
    """Every update of a kernel perceptron, in order.

    Iterating gives `Update` records; ``len`` is the number of updates. ``wrong`` is None where the
    right class was raised alone. With ``multiclass="ovr"`` an update with a wrong class lowers
    that class alone.

    Attributes
    ----------
    classes : tuple
        The classes, as they arrived; with two of them a positive score means the second.
    entries : Entries
        The updates as columns; ``row`` is the number of the row in ``X`` or in the stream.
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
    >>> model.ledger_.coefficients(upto=3).tolist()
    [[1.0, -1.0, -1.0, 0.0]]
    """

    def __init__(self, machine: KernelModel) -> None:
        self._machine = machine
        slots = machine.entries()
        self.classes = tuple(machine.classes)
        self.entries: Entries = slots._replace(row=machine.numbers[slots.row])
        self.n_examples = machine.n_examples

    def __len__(self) -> int:
        return len(self.entries.row)

    def __getitem__(self, k: int) -> Update:
        k = index(k)
        row, right, wrong, step, t = (column[k] for column in self.entries)
        wrong_class = None if wrong < 0 else self.classes[wrong]
        return Update(int(row), self.classes[right], wrong_class, float(step), int(t))

    def __iter__(self) -> Iterator[Update]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<KernelLedger: {len(self)} updates in {self.n_examples} examples>"

    def coefficients(self, upto: int | None = None) -> npt.NDArray[np.float64]:
        """Coefficients of the support rows after the first ``upto`` updates, all by default."""
        upto = len(self) if upto is None else index(upto)
        if not 0 <= upto <= len(self):
            raise ParameterError(
                f"upto={upto}: this ledger has {len(self)} updates; give 0 to {len(self)}."
            )
        machine = self._machine
        found: Any = np.zeros_like(machine.coef)
        entries = machine.entries().first(upto)
        for vector, of, step in machine.moves(entries):
            np.add.at(found, (vector, entries.row[of]), step)
        return np.asarray(found)
