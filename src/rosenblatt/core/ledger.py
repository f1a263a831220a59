"""The ledger: every update a learner made, in order. A model is its mistakes.

    w = w0 + Σ step · x      over the entries of the right class, minus those of the wrong one

From the entries and the rows they name follow the weights after any update, the survival times,
the average and the votes. Replaying gives the weights of training to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import learning, voting
from rosenblatt._kernels.rows import replay as replaying
from rosenblatt.arrays import AnyFloatArray, is_sparse
from rosenblatt.core.pairs import products
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.weights import Weights
from rosenblatt.errors import InputError, ParameterError

__all__ = ["Entries", "Ledger", "Recorder", "Update"]


# Products with the mistaken rows are formed for so many numbers at a time.
VOTE_BLOCK = 4_000_000


class Update(NamedTuple):
    """One update: which row, what was right, what was wrong, how far, and when.

    ``wrong`` is None when the right class was raised and no other lowered (a multiclass tie).
    ``t`` counts the examples seen, this one included.
    """

    row: int
    right: Any
    wrong: Any
    step: float
    t: int


class Entries(NamedTuple):
    """Updates as columns; ``right`` and ``wrong`` are numbers of classes, -1 for none."""

    row: npt.NDArray[np.int64]
    right: npt.NDArray[np.int32]
    wrong: npt.NDArray[np.int32]
    step: npt.NDArray[np.float64]
    t: npt.NDArray[np.int64]

    @classmethod
    def of(cls, log: learning.Log) -> Entries:
        """A copy of what a log holds."""
        return cls(*(getattr(log, name)[: log.size].copy() for name in cls._fields))

    @classmethod
    def empty(cls) -> Entries:
        return cls.of(learning.Log(0))

    def first(self, k: int) -> Entries:
        return Entries(self.row[:k], self.right[:k], self.wrong[:k], self.step[:k], self.t[:k])

    def since(self, k: int) -> Entries:
        return Entries(self.row[k:], self.right[k:], self.wrong[k:], self.step[k:], self.t[k:])

    @classmethod
    def joined(cls, parts: list[Entries]) -> Entries:
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class Recorder:
    """Collects entries while a learner runs, a block at a time."""

    def __init__(self) -> None:
        self._parts: list[Entries] = []

    def add(self, entries: Entries) -> None:
        if len(entries.row):
            self._parts.append(entries)

    def copy(self) -> Recorder:
        twin = Recorder()
        twin.add(self.entries)
        return twin

    def halved(self) -> Recorder:
        """The same updates when one vector for two classes became two halves.

        Halving is exact, so replay stays exact.
        """
        twin = Recorder()
        twin.add(self.entries._replace(step=self.entries.step * 0.5))
        return twin

    @property
    def entries(self) -> Entries:
        self._parts = [Entries.joined(self._parts)] if self._parts else [Entries.empty()]
        return self._parts[0]


class Ledger:
    """Every update of a run, in order, and the weights it started from.

    Iterating gives `Update` records; ``len`` is the number of updates. The rows themselves are
    not kept: the methods that need them take the same ``X`` as ``fit`` did.

    Attributes
    ----------
    classes : tuple
        The classes; with two of them there is one weight vector and the second is the positive.
    entries : Entries
        The updates as columns.
    n_examples : int
        Examples seen when the run ended.

    Examples
    --------
    The worked example of the first lecture: mistakes on the first, third and fifth point.

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    >>> ledger = p.fit(X, [-1, 1, 1, -1, -1, 1]).ledger_
    >>> [int(row) + 1 for row in ledger.entries.row]
    [1, 3, 5]
    >>> [ledger.replay(X, upto=k)[0].ravel().tolist() for k in (1, 2, 3)]
    [[1.0, -2.0], [2.0, -1.0], [3.0, 1.0]]
    """

    def __init__(self, start: Weights, classes: tuple[Any, ...], entries: Entries, n_examples: int):
        self._start = start
        self.classes = classes
        self.entries = entries
        self.n_examples = n_examples

    def __len__(self) -> int:
        return len(self.entries.row)

    def __getitem__(self, k: int) -> Update:
        k = index(k)
        row, right, wrong, step, t = (column[k] for column in self.entries)
        return Update(
            int(row),
            self.classes[right],
            None if wrong < 0 else self.classes[wrong],
            float(step),
            int(t),
        )

    def __iter__(self) -> Iterator[Update]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<Ledger: {len(self)} updates in {self.n_examples} examples>"

    def upto(self, k: int, n_examples: int | None = None) -> Ledger:
        """The ledger as it was after ``k`` updates (and ``n_examples`` examples)."""
        k = self._checked(k)
        entries = self.entries.first(k)
        if n_examples is None:
            n_examples = int(self.entries.t[k]) - 1 if k < len(self) else self.n_examples
        return Ledger(self._start, self.classes, entries, n_examples)

    def replay(self, X: Any, upto: int | None = None) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Weights and biases after the first ``upto`` updates (all of them by default).

        Equal to those of training to the last bit; ``X`` is what was given to ``fit``.
        """
        weights = self._replayed(X, 0, self._checked(upto))
        return weights.matrix.copy(), weights.bias.copy()

    def trace(self, X: Any) -> Iterator[tuple[AnyFloatArray, AnyFloatArray]]:
        """Weights and biases before the first and after every update, one after the other."""
        weights, rows = self._at_start(X)
        yield weights.matrix.copy(), weights.bias.copy()
        for k in range(len(self)):
            replaying.replay(weights, rows, *self.entries, k, k + 1)
            yield weights.matrix.copy(), weights.bias.copy()

    @property
    def survival(self) -> npt.NDArray[np.int64]:
        """How many examples each weight vector lived for: the first one, then after each update."""
        born = np.concatenate([[self._start.t + 1], self.entries.t, [self.n_examples + 1]])
        return np.diff(born)

    def average(self, X: Any) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Mean of the weights and biases after every example, in float64."""
        weights = self._replayed(X, 0, len(self), averaged=True)
        weights.t = self.n_examples
        return weights.average()

    def votes(self, X: Any, queries: Any, *, ties: str = "mistake") -> AnyFloatArray:
        """Votes of all weight vectors on ``queries``, each counted as long as it survived.

        Two classes: one number a query, positive for the second class. More: one column a class.
        Cost: one product of the queries with the rows named, then a walk along the updates.
        """
        support, place = np.unique(self.entries.row, return_inverse=True)
        return self.votes_of(X[support], place.astype(np.int64), queries, ties=ties)

    def votes_of(
        self,
        support_vectors: Any,
        place: npt.NDArray[np.int64],
        queries: Any,
        *,
        ties: str = "mistake",
    ) -> AnyFloatArray:
        """As `votes`, with the mistaken rows alone; ``place[k]`` is the row of update k."""
        start = self._start
        survival = self.survival.astype(np.float64)
        bias_step = float(start.fit_intercept)
        right, wrong, step = self.entries.right, self.entries.wrong, self.entries.step
        block = max(1, VOTE_BLOCK // max(1, support_vectors.shape[0]))
        out = []
        for first in range(0, queries.shape[0], block):
            part = queries[first : first + block]
            found, at_start = (
                np.ascontiguousarray(products(part, vectors), np.float64)
                for vectors in (support_vectors, start.matrix)
            )
            at_start = at_start + start.bias
            if start.n_vectors == 1:
                out.append(
                    voting.vote_binary(
                        found,
                        place,
                        (2 * right - 1) * step,
                        survival,
                        np.ascontiguousarray(at_start[:, 0]),
                        bias_step,
                        ties == "positive",
                    )
                )
            else:
                out.append(
                    voting.vote_classes(
                        found, place, right, wrong, step, survival, at_start, bias_step
                    )
                )
        if not out:
            return np.zeros(0 if start.n_vectors == 1 else (0, start.n_vectors))
        return np.concatenate(out)

    def to_arrays(self) -> dict[str, Any]:
        """Everything there is to know, as arrays and plain numbers."""
        return {
            "start": self._start.to_arrays(),
            "classes": self.classes,
            **self.entries._asdict(),
            "n_examples": self.n_examples,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Ledger:
        """The ledger that `to_arrays` was called on; entries that cannot be are refused."""
        start, classes = Weights.from_arrays(arrays["start"]), tuple(arrays["classes"])
        empty = Entries.empty()
        entries = Entries(
            *(
                np.ascontiguousarray(arrays[name], getattr(empty, name).dtype)
                for name in Entries._fields
            )
        )
        k = len(classes)
        lengths = {len(column) for column in entries}
        sound = (
            len(lengths) == 1
            and start.n_vectors == (1 if k <= 2 else k)
            and bool(((entries.right >= 0) & (entries.right < k)).all())
            and bool(((entries.wrong >= -1) & (entries.wrong < k)).all())
            and bool((entries.row >= 0).all())
            and bool(np.isfinite(entries.step).all())
        )
        if not sound:
            raise InputError(
                "these arrays are no ledger: their lengths differ, or they name rows or classes "
                "that cannot be."
            )
        return cls(start, classes, entries, int(arrays["n_examples"]))

    def _checked(self, upto: int | None) -> int:
        if upto is None:
            return len(self)
        upto = index(upto)
        if not 0 <= upto <= len(self):
            raise ParameterError(
                f"upto={upto}: this ledger has {len(self)} updates; give 0 to {len(self)}."
            )
        return upto

    def _at_start(self, X: Any, *, averaged: bool = False) -> tuple[Weights, Any]:
        start = self._start
        if not hasattr(X, "shape"):
            X = np.asarray(X, np.float64)
        weights = Weights(
            start.n_vectors,
            start.n_features,
            dtype=start.table.dtype,
            fit_intercept=start.fit_intercept,
            averaged=averaged,
            by_feature=is_sparse(X),
        )
        weights.set(start.matrix, start.bias)
        weights.t = start.t
        rows = as_rows(X, start.table.dtype)
        if rows.n_features != start.n_features or (
            len(self) and rows.n_rows <= self.entries.row.max()
        ):
            raise InputError(
                f"X has shape {X.shape}, but this ledger was recorded on rows of "
                f"{start.n_features} features, up to row {self.entries.row.max(initial=0)}. "
                "Give the X that was given to fit."
            )
        inspect(rows)
        return weights, rows

    def _replayed(self, X: Any, first: int, last: int, *, averaged: bool = False) -> Weights:
        weights, rows = self._at_start(X, averaged=averaged)
        replaying.replay(weights, rows, *self.entries, first, last)
        return weights
