"""The ledger of a structured perceptron: every update in order, which is all there is to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, NamedTuple

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.structured.feature_weights import FeatureWeights, LearnedWeights
from rosenblatt.structured.problem import Problem

__all__ = ["StructuredLedger", "StructuredUpdate"]


class StructuredUpdate(NamedTuple):
    """One update: which example, what was right, what was found, how far, and when.

    ``example`` is the number of the example in the ``xs`` of ``fit``, or its place in the stream
    of ``partial_fit``. ``t`` counts the examples seen, this one included.
    """

    example: int
    gold: Any
    predicted: Any
    step: float
    t: int


class StructuredLedger:
    """Every update of a structured perceptron, in order.

    Iterating gives `StructuredUpdate` records; ``len`` is the number of updates. ``gold`` and
    ``predicted`` are the two answers whose features were compared: ``w = Σ step·(φ(x, gold) -
    φ(x, predicted))``.

    Attributes
    ----------
    updates : tuple of StructuredUpdate
    n_examples : int
        Examples seen when learning ended.

    Examples
    --------
    >>> from rosenblatt import StructuredPerceptron
    >>> from rosenblatt.structured.spaces import Candidates
    >>> space = Candidates(lambda x, y: {"size": y})
    >>> xs = [[2, 5, 3], [9, 7, 8]]
    >>> model = StructuredPerceptron(space, record=True, shuffle=False).fit(xs, [5, 9])
    >>> list(model.ledger_)
    [StructuredUpdate(example=0, gold=5, predicted=2, step=1.0, t=1)]
    >>> model.ledger_.replay(xs)
    {'size': 3.0}
    """

    def __init__(
        self, problem: Problem, updates: Sequence[StructuredUpdate], n_examples: int
    ) -> None:
        self._problem = problem
        self.updates, self.n_examples = tuple(updates), n_examples

    def __len__(self) -> int:
        return len(self.updates)

    def __getitem__(self, k: int) -> StructuredUpdate:
        return self.updates[index(k)]

    def __iter__(self) -> Iterator[StructuredUpdate]:
        return iter(self.updates)

    def __repr__(self) -> str:
        return f"<StructuredLedger: {len(self)} updates in {self.n_examples} examples>"

    def replay(self, xs: Sequence[Any], upto: int | None = None) -> FeatureWeights:
        """The weights after the first ``upto`` updates, all by default, to the last bit.

        Parameters
        ----------
        xs : sequence
            The same as ``fit`` was given; for ``partial_fit`` the whole stream.
        upto : int, default=None
            Number of updates.

        Returns
        -------
        weights : mapping of feature to weight
        """
        return self._replayed(xs, upto).nonzero()

    def average(self, xs: Sequence[Any]) -> FeatureWeights:
        """The mean of the weights after every example, to the last bit."""
        weights = self._replayed(xs, None)
        weights.t = self.n_examples
        return weights.average()

    def _replayed(self, xs: Sequence[Any], upto: int | None) -> LearnedWeights:
        upto = len(self) if upto is None else index(upto)
        if not 0 <= upto <= len(self):
            raise ParameterError(
                f"upto={upto}: this ledger has {len(self)} updates; give 0 to {len(self)}."
            )
        weights = LearnedWeights()
        for update in self.updates[:upto]:
            change, weights.raw.length = self.change_of(update, xs)
            weights.add(change, update.step, update.t)
        return weights

    def change_of(
        self, update: StructuredUpdate, xs: Sequence[Any]
    ) -> tuple[dict[Any, float], int]:
        """What an update adds for a step of 1, and the length of vectors of features (0: none)."""
        if update.example >= len(xs):
            raise InputError(
                f"the ledger names example {update.example}, but there are {len(xs)}. Give the "
                "same xs as in training."
            )
        x, where = xs[update.example], f"xs[{update.example}]"
        good, length = self._problem.features_of(x, update.gold, where)
        bad, _ = self._problem.features_of(x, update.predicted, where)
        return difference(good, bad), length


def difference(good: dict[Any, float], bad: dict[Any, float]) -> dict[Any, float]:
    """Δ = φ(good) - φ(bad), without zeros."""
    names = {**good, **bad}
    found = ((name, good.get(name, 0.0) - bad.get(name, 0.0)) for name in names)
    return {name: value for name, value in found if value}
