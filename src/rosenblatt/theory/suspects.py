"""Rows whose labels look wrong, because the learner never came to terms with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.core.ledger import Ledger
from rosenblatt.errors import InputError
from rosenblatt.runs import LinearRun, finite_rows

__all__ = ["Suspect", "suspects"]


class Suspect(NamedTuple):
    """A row and why it is suspected.

    Attributes
    ----------
    row : int
        Its number in X.
    label : object
        The label it was given.
    answered : object
        The most common wrong answer; None when the row only ever met ties.
    updates : int
        How often it moved the weights.
    epochs_mistaken : int
        In how many epochs it did.
    share : float
        Its share of all updates.
    cost : float or None
        How much of ``‖w‖²`` its updates took away; None without X.
    """

    row: int
    label: Any
    answered: Any
    updates: int
    epochs_mistaken: int
    share: float
    cost: float | None


def suspects(
    ledger: Ledger, X: Any = None, *, top: int | None = None, n_rows: int | None = None
) -> list[Suspect]:
    """Rank the rows by how likely it is that their labels are wrong.

    A row with a wrong label lies among the rows of another class: whatever the others teach, it is
    answered wrong again in the next epoch, and its updates tear down what they built up. So the
    rows are ordered by the number of their updates, then by their cost

        cost = Σ -2 · step · y (w·x + b)     over the updates of the row, w and b before each

    (with several classes ``y (w·x + b)`` is the score of the right class minus that of the wrong
    one, or its own score where a tie raised it alone). An update changes ``‖w‖²`` by
    ``2 step y (w·x + b) + step² ‖x‖²``, so the cost is what the row took away from the squared
    norm, exactly: ``‖w_0‖² + Σ step² ‖x‖²`` minus the costs of all rows is ``‖w‖²`` of the end
    (with a bias: of ``(w, b)`` and ``(x, 1)``; where two vectors moved, ``2 ‖x‖²``).

    A suspicion is no proof: a right label on an odd row looks the same. The order tells most after
    several epochs of a rule that learns from mistakes alone; rules that learn from right answers
    too (a margin, passive-aggressive, soft) are ranked by all their updates.

    Cost: one pass over the updates; with X also over the stored values of the row of each.

    Parameters
    ----------
    ledger : Ledger
        The ``ledger_`` of a learner with ``record=True``.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The rows that were given to ``fit``. Without it there are no costs, and rows with equally
        many updates are ordered by the epochs they were mistaken in and their number.
    top : int, default=None
        How many rows to return; None returns every row that was mistaken at all.
    n_rows : int, default=None
        How many rows an epoch had. By default those of X; without X the smallest number with which
        the run makes whole epochs. Give it after early stopping, where some rows were held out.

    Returns
    -------
    list of Suspect
        The most suspicious row first.

    Examples
    --------
    Points on a line, positive from 0 upwards, with one label wrong:

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.theory.suspects import suspects
    >>> X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]])
    >>> y = np.array(["no", "no", "no", "yes", "no", "yes"])
    >>> p = Perceptron(max_iter=20, tol=None, shuffle=False, record=True).fit(X, y)
    >>> first = suspects(p.ledger_, X)[0]
    >>> first.row, first.label, first.answered, f"{first.share:.0%}"
    (4, 'no', 'yes', '44%')
    """
    if top is not None:
        checks.whole("top", top, at_least=1)
    if n_rows is not None:
        checks.whole("n_rows", n_rows, at_least=1)
    entries = ledger.entries
    started = int(ledger.to_arrays()["start"]["t"])
    if not len(ledger):
        return []
    table = None if X is None else finite_rows(X)
    if n_rows is None:
        n_rows = _epoch_length(ledger, started) if table is None else int(table.shape[0])
    rows, place = np.unique(entries.row, return_inverse=True)
    # A soft step writes one entry for each wrong class; they are one update of the row.
    occasions = np.unique(np.column_stack([place, entries.t]), axis=0)
    epochs = np.unique(
        np.column_stack([occasions[:, 0], (occasions[:, 1] - started - 1) // n_rows]), axis=0
    )
    updates = np.bincount(occasions[:, 0], minlength=len(rows))
    epochs_mistaken = np.bincount(epochs[:, 0], minlength=len(rows))
    last = np.empty(len(rows), np.int64)
    last[place] = np.arange(len(place))
    answered = _most_common_wrong(place, entries.y_pred, len(rows), len(ledger.classes))
    costs: npt.NDArray[Any] = np.zeros(len(rows))
    if table is not None:
        margins = np.array([move.margin for move in LinearRun(ledger, table).moves()])
        np.subtract.at(costs, place, 2.0 * entries.step * margins)
    order = np.lexsort([rows, -epochs_mistaken, -costs, -updates])[:top]
    return [
        Suspect(
            row=int(rows[i]),
            label=ledger.classes[entries.y_true[last[i]]],
            answered=None if answered[i] < 0 else ledger.classes[answered[i]],
            updates=int(updates[i]),
            epochs_mistaken=int(epochs_mistaken[i]),
            share=float(updates[i] / len(occasions)),
            cost=None if table is None else float(costs[i]),
        )
        for i in order
    ]


def _epoch_length(ledger: Ledger, started: int) -> int:
    """The fewest rows that hold all mistaken ones and go into the examples without remainder."""
    examples, fewest = ledger.n_examples - started, int(ledger.entries.row.max()) + 1
    for epochs in range(examples // fewest, 0, -1):
        if examples % epochs == 0:
            return examples // epochs
    raise InputError(
        f"the ledger names row {fewest - 1}, but the run saw {examples} examples only. Give n_rows."
    )


def _most_common_wrong(
    place: npt.NDArray[np.intp], wrong: npt.NDArray[np.int32], n_rows: int, n_classes: int
) -> npt.NDArray[np.int64]:
    """The wrong answer each row was given most often, -1 where there was none."""
    named = wrong >= 0
    pairs, counts = np.unique(place[named] * n_classes + wrong[named], return_counts=True)
    best = np.full(n_rows, -1, np.int64)
    ascending = np.argsort(counts, kind="stable")
    best[pairs[ascending] // n_classes] = pairs[ascending] % n_classes
    return best
