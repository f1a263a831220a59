"""The fewest training errors any hyperplane can have: NP-hard, so exact for small sets only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.geometry import Hyperplane
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count
from rosenblatt.theory.certificates import CertificateError, Conflict, check_conflict, sides
from rosenblatt.theory.mistake_bounds import Examples
from rosenblatt.theory.points import FeatureMap, PairHull, Points
from rosenblatt.theory.separability import decide

# So many nodes a question of separability counts for.
QUESTION = 100
# A cover by more sets than this is out of reach.
MAX_COVER = 300


@dataclass(frozen=True, eq=False)
class FewestErrors(ResultCard):
    """How few rows can be misclassified, and weights that misclassify so few.

    Attributes
    ----------
    lower, upper : int
        The fewest errors lie between them, both included.
    closed : bool
        Whether the two are equal, so that nothing is left open.
    errors : tuple of int
        The ``upper`` rows that ``coef`` and ``intercept`` misclassify, counted in exact arithmetic.
    coef, intercept : ndarray
        Of shape (1, n_features) and (1,) for two classes, else with a row for each class.
    hyperplane : Hyperplane or None
        The same for two classes; None if the bias alone decides.
    conflicts : tuple of tuple of int
        Sets of rows that cannot all be right. No ``lower - 1`` rows meet all of these sets.
    classes : tuple
        The classes in order.
    detail : str
        Why the search ended before the interval was closed.
    """

    lower: int
    upper: int
    errors: tuple[int, ...]
    coef: FloatArray
    intercept: FloatArray
    conflicts: tuple[tuple[int, ...], ...]
    classes: tuple[Any, ...]
    detail: str
    _search: Any = field(repr=False)

    @property
    def closed(self) -> bool:
        return self.lower == self.upper

    def _headline(self) -> str:
        least = f"at least {self.lower:,} and at most " * (not self.closed)
        return f"{least}{count(self.upper, 'error')}" + " at the fewest" * self.closed

    @property
    def hyperplane(self) -> Hyperplane | None:
        if len(self.coef) > 1 or not self.coef.any():
            return None
        return Hyperplane(self.coef[0], self.intercept[0])

    def verify(self) -> bool:
        """Count the errors and check the conflicts in exact arithmetic; True, or an error."""
        search: _Search = self._search
        found = search.wrong_rows(search.vector)
        if tuple(found) != self.errors or len(found) != self.upper:
            raise CertificateError(f"{len(found)} rows are misclassified, not {self.upper}")
        points = search.points
        for conflict in search.conflicts.values():
            check_conflict(points.X, points.signs, points.fit_intercept, conflict)
        return True


def fewest_errors(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    feature_map: FeatureMap = None,
    max_nodes: int = 50_000,
) -> FewestErrors:
    """Find weights with the fewest training errors there can be, or an interval for them.

    The 0-1 loss itself, which a perceptron only follows. To find its minimum is NP-hard: nobody
    knows a way whose work does not grow exponentially with the number of errors. A score of exactly
    0 is an error, as with ``ties="mistake"``; with several classes a row is right if the score of
    its class is above every other one.

    A conflict (see `separability`) is a set of rows of which one at least must be wrong. The fewest
    rows that meet all conflicts known so far, found by branch and bound, are a lower bound; without
    them the rest is separable, which ends the search, or has another conflict.

    Parameters
    ----------
    max_nodes : int, default=50000
        How much to try before giving up with the interval that is known; a question of separability
        counts as 100 nodes.

    See Also
    --------
    rosenblatt.Perceptron : ``pocket=True`` keeps the best weights met in training.

    Examples
    --------
    Of the four rows of exclusive or one must be wrong, and one is enough:

    >>> from rosenblatt.theory import fewest_errors
    >>> found = fewest_errors([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])
    >>> found.lower, found.upper, len(found.errors), found.verify()
    (1, 1, 1, True)
    """
    checks.whole("max_nodes", max_nodes, at_least=1)
    examples = Examples(X, y, fit_intercept, feature_map)
    search = _Search(examples, max_nodes)
    try:
        search.run()
        detail = ""
    except _GaveUp as reason:
        search.lower = max(search.lower, search.packing(list(search.conflicts)))
        detail = f"{reason}; the fewest errors are between {search.lower} and {search.upper}."
    vectors = search.vector.reshape(examples.shape)
    d = examples.rows.X.shape[1]
    return FewestErrors(
        lower=search.lower,
        upper=search.upper,
        errors=tuple(search.wrong_rows(search.vector)),
        coef=np.ascontiguousarray(vectors[:, :d]),
        intercept=np.ascontiguousarray(vectors[:, d]) if fit_intercept else np.zeros(len(vectors)),
        conflicts=tuple(
            tuple(sorted(int(row) for one in _members(mask) for row in search.twins[one]))
            for mask in search.conflicts
        ),
        classes=tuple(examples.classes.tolist()),
        detail=detail,
        _search=search,
    )


class _GaveUp(Exception):
    """The limit was reached, or exact arithmetic was."""


class _Search:
    """The smallest cover of all conflicts; equal rows with equal labels stand and fall together.

    Of every group of such rows one is looked at; a set of groups is the bits of a whole number.
    """

    def __init__(self, examples: Examples, max_nodes: int) -> None:
        self.max_nodes, self.nodes_left = max_nodes, max_nodes
        chosen = examples.points.take(np.arange(len(examples.points)))
        keys = np.column_stack([chosen, examples.labels])
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.twins = [np.flatnonzero(group == one) for one in range(len(first))]
        self.sizes = [len(rows) for rows in self.twins]
        everything, labels = examples.rows.X[first], examples.labels[first]
        if examples.k == 1:
            signs = examples.points.signs[first]
            self.points = Points(everything, signs, examples.rows.fit_intercept)
            self.owner = np.arange(len(first))
        else:
            rows = Points(everything, np.ones(len(first)), examples.rows.fit_intercept)
            pairs = PairHull(rows, labels, examples.k).to_array()
            self.points = Points(pairs, np.ones(len(pairs)), fit_intercept=False)
            self.owner = np.repeat(np.arange(len(first)), examples.k - 1)
        self.conflicts: dict[int, Conflict] = {}
        self.lower = 0
        starts = [examples.best_direction(epochs).ravel() for epochs in (1, 100, 10_000)]
        # In fewer digits, so that ties are ties and not decided by rounding.
        starts = [start.astype(np.float32).astype(np.float64) for start in starts]
        self.vector: FloatArray = min(starts, key=lambda v: len(self.wrong_rows(v)))
        self.upper = len(self.wrong_rows(self.vector))

    def wrong_groups(self, vector: FloatArray) -> IndexArray:
        d = self.points.X.shape[1]
        bias = float(vector[d]) if self.points.fit_intercept else 0.0
        above, _ = sides(self.points.X, self.points.signs, vector[:d], bias)
        return np.unique(self.owner[~above])

    def wrong_rows(self, vector: FloatArray) -> list[int]:
        return sorted(int(row) for one in self.wrong_groups(vector) for row in self.twins[one])

    def run(self) -> None:
        """Cover the conflicts known, ask for another, until no more is found."""
        while self.lower < self.upper:
            cover = self._smallest_cover([*self.conflicts])
            self.lower = max(self.lower, sum(self.sizes[one] for one in _members(cover)))
            if self.lower < self.upper:
                # Conflicts without a group in common bring the bound up fastest.
                while (vector := self._separator(cover)) is None:
                    cover |= self.latest
                self._take(vector)

    def _separator(self, removed: int) -> FloatArray | None:
        """Weights that have the other rows right; None if another conflict was found instead."""
        self._count(QUESTION)
        rows = np.flatnonzero([not removed >> int(one) & 1 for one in self.owner])
        if not len(rows):
            return self.vector
        found = decide(self.points.subset(rows), ())
        if found.hyperplane is not None:
            w, b = found.hyperplane.w, found.hyperplane.b
            return np.append(w, b) if self.points.fit_intercept else np.asarray(w)
        if found.conflict is None:
            raise _GaveUp(found.detail)
        members = rows[list(found.conflict.rows)]
        self.latest = _mask(self.owner[members])
        self.conflicts[self.latest] = Conflict(tuple(members.tolist()), found.conflict.weights)
        return None

    def _take(self, vector: FloatArray) -> None:
        """Keep weights if they have fewer errors; then try to have each of these right as well."""
        wrong = self.wrong_groups(vector)
        errors = sum(self.sizes[one] for one in wrong)
        if errors >= self.upper:
            return
        self.vector, self.upper, removed = vector, errors, _mask(wrong)
        for one in wrong.tolist():
            if self.lower < self.upper and removed >> one & 1:
                better = self._separator(removed & ~(1 << one))
                if better is not None:
                    wrong = self.wrong_groups(better)
                    self.vector, removed = better, _mask(wrong)
                    self.upper = sum(self.sizes[one] for one in wrong)

    def _count(self, nodes: int) -> None:
        self.nodes_left -= nodes
        if self.nodes_left < 0:
            raise _GaveUp(f"gave up after max_nodes={self.max_nodes:,} nodes")

    def packing(self, sets: list[int]) -> int:
        """What any cover weighs at least: each set takes what its lightest group has left."""
        left, total = dict[int, int](), 0
        for members in map(list, map(_members, sorted(sets, key=int.bit_count))):
            least = min(left.get(one, self.sizes[one]) for one in members)
            total += least
            for one in members:
                left[one] = left.get(one, self.sizes[one]) - least
        return total

    def _smallest_cover(self, sets: list[int]) -> int:
        """The lightest set of groups that meets every set, by branch and bound."""
        best = [self.upper + 1, 0]

        def branch(sets: list[int], cost: int, chosen: int) -> None:
            self._count(1)
            if cost + self.packing(sets) >= best[0]:
                return
            if not sets:
                best[:] = cost, chosen
                return
            members = list(_members(min(sets, key=int.bit_count)))
            members.sort(key=lambda one: -sum(mask >> one & 1 for mask in sets))
            refused = 0
            for one in members:
                rest = [mask & ~refused for mask in sets if not mask >> one & 1]
                refused |= 1 << one
                if all(rest):
                    branch(rest, cost + self.sizes[one], chosen | 1 << one)

        if self.packing(sets) > MAX_COVER * max(self.sizes):
            raise _GaveUp(f"gave up at more than {count(MAX_COVER, 'error')}")
        branch(sets, 0, 0)
        return best[1]


def _mask(groups: IndexArray) -> int:
    return sum(1 << one for one in set(groups.tolist()))


def _members(mask: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
