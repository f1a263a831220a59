"""The fewest training errors of any hyperplane: NP-hard, so exact only for small sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
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

# Cost of one separability test, in nodes.
NODES_PER_QUESTION = 100
# The search gives up if a cover needs more groups than this.
MAX_COVER = 300


@dataclass(frozen=True, eq=False)
class FewestErrors(ResultCard):
    """Bounds on the fewest training errors, and weights that attain the upper bound.

    Attributes
    ----------
    lower, upper : int
        Proven bounds on the fewest errors, both included.
    closed : bool
        Whether the two bounds are equal.
    errors : tuple of int
        The ``upper`` rows that ``coef`` and ``intercept`` misclassify, counted in exact arithmetic.
    coef, intercept : ndarray
        Weights and biases, of shape (1, n_features) and (1,) for two classes, otherwise with a row
        for each class.
    hyperplane : Hyperplane or None
        The same for two classes; None if all weights are 0.
    conflicts : tuple of tuple of int
        Sets of rows that cannot all be right. No ``lower - 1`` rows meet all of these sets.
    classes : tuple
        The classes in order.
    detail : str
        The reason why the search ended before the bounds met; empty otherwise.
    """

    lower: int
    upper: int
    errors: tuple[int, ...]
    coef: FloatArray
    intercept: FloatArray
    conflicts: tuple[tuple[int, ...], ...]
    classes: tuple[Hashable, ...]
    detail: str
    _search: _Search = field(repr=False)

    @property
    def closed(self) -> bool:
        return self.lower == self.upper

    def _headline(self) -> str:
        upper = count(self.upper, "error")
        if self.closed:
            return f"{upper} at the fewest"
        return f"at least {self.lower:,} and at most {upper}"

    @property
    def hyperplane(self) -> Hyperplane | None:
        if len(self.coef) > 1 or not self.coef.any():
            return None
        return Hyperplane(self.coef[0], self.intercept[0])

    def verify(self) -> bool:
        """Count the errors and check the conflicts in exact arithmetic.

        Return True, or raise an error.
        """
        search = self._search
        wrong = search.wrong_rows(search.vector)
        if tuple(wrong) != self.errors or len(wrong) != self.upper:
            raise CertificateError(f"{len(wrong)} rows are misclassified, not {self.upper}")
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
    """Find weights with the fewest possible training errors, or bounds on that number.

    This minimises the 0-1 loss itself, for which the loss of a perceptron is a substitute. The
    problem is NP-hard: the work of every known method grows exponentially with the number of
    errors. A score of exactly 0 is an error, as with ``ties="mistake"``. With several classes, a
    row is right if the score of its class is above all others.

    A conflict (see `separability`) is a set of rows of which at least one must be wrong. Branch and
    bound finds the fewest rows that meet all conflicts known so far, which is a lower bound.
    Without these rows, the rest is separable, which ends the search, or has another conflict.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    feature_map : callable or transformer, default=None
        Applied to X first; the errors are those of the mapped rows.
    max_nodes : int, default=50000
        The number of nodes after which the search gives up and returns the bounds known by then. A
        test of separability counts as 100 nodes.

    Returns
    -------
    FewestErrors

    See Also
    --------
    rosenblatt.Perceptron : ``pocket=True`` keeps the best weights of the training run.

    Examples
    --------
    One of the four rows of exclusive or must be wrong, and one is enough:

    >>> from rosenblatt.theory import fewest_errors
    >>> found = fewest_errors([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])
    >>> found.lower, found.upper, len(found.errors), found.verify()
    (1, 1, 1, True)
    """
    checks.whole("max_nodes", max_nodes, at_least=1)
    examples = Examples(X, y, fit_intercept, feature_map)
    search = _Search(examples, max_nodes)
    detail = ""
    try:
        search.run()
    except _GaveUp as reason:
        search.lower = max(search.lower, search.packing(list(search.conflicts)))
        detail = f"{reason}; the fewest errors are between {search.lower} and {search.upper}."

    vectors = search.vector.reshape(examples.shape)
    d = examples.rows.X.shape[1]
    intercept = vectors[:, d] if fit_intercept else np.zeros(len(vectors))
    return FewestErrors(
        lower=search.lower,
        upper=search.upper,
        errors=tuple(search.wrong_rows(search.vector)),
        coef=np.ascontiguousarray(vectors[:, :d]),
        intercept=np.ascontiguousarray(intercept),
        conflicts=tuple(tuple(search.rows_of(_members(mask))) for mask in search.conflicts),
        classes=tuple(examples.classes.tolist()),
        detail=detail,
        _search=search,
    )


class _GaveUp(Exception):
    """Raised if the search or exact arithmetic reaches its limit."""


class _Search:
    """Branch-and-bound search for a minimum hitting set: the fewest rows that meet every conflict.

    Equal rows with equal labels are right or wrong together, so they form a group, and one row of
    each group is examined. A set of groups is a bit mask.
    """

    def __init__(self, examples: Examples, max_nodes: int) -> None:
        self.max_nodes = max_nodes
        self.nodes_left = max_nodes

        # Group equal rows with equal labels.
        all_points = examples.points.take(np.arange(len(examples.points)))
        keys = np.column_stack([all_points, examples.labels])
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.rows_of_group = [np.flatnonzero(group == one) for one in range(len(first))]
        self.sizes = [len(rows) for rows in self.rows_of_group]

        # Points to separate: one for each group, with several classes one for each wrong class.
        X = examples.rows.X[first]
        fit_intercept = examples.rows.fit_intercept
        if examples.k == 1:
            self.points = Points(X, examples.points.signs[first], fit_intercept)
            self.group_of_point = np.arange(len(first))
        else:
            rows = Points(X, np.ones(len(first)), fit_intercept)
            pairs = PairHull(rows, examples.labels[first], examples.k).to_array()
            self.points = Points(pairs, np.ones(len(pairs)), fit_intercept=False)
            self.group_of_point = np.repeat(np.arange(len(first)), examples.k - 1)

        # Conflicts between points, by the mask of their groups.
        self.conflicts: dict[int, Conflict] = {}
        self.latest_conflict = 0
        self.lower = 0

        # Start from the best of a few directions, rounded to fewer digits, so that ties are ties
        # and not decided by rounding.
        starts = []
        for epochs in (1, 100, 10_000):
            direction = examples.best_direction(epochs).ravel()
            starts.append(direction.astype(np.float32).astype(np.float64))
        self.vector: FloatArray = min(starts, key=lambda v: len(self.wrong_rows(v)))
        self.upper = len(self.wrong_rows(self.vector))

    def wrong_groups(self, vector: FloatArray) -> IndexArray:
        """Return the groups that a vector misclassifies, in exact arithmetic."""
        d = self.points.X.shape[1]
        bias = float(vector[d]) if self.points.fit_intercept else 0.0
        above, _ = sides(self.points.X, self.points.signs, vector[:d], bias)
        return np.unique(self.group_of_point[~above])

    def wrong_rows(self, vector: FloatArray) -> list[int]:
        """Return the rows that a vector misclassifies, in order."""
        return self.rows_of(self.wrong_groups(vector).tolist())

    def rows_of(self, groups: Iterable[int]) -> list[int]:
        """Return the rows of some groups, in order."""
        return sorted(int(row) for group in groups for row in self.rows_of_group[group])

    def n_rows_of(self, groups: Iterable[int]) -> int:
        """Return the number of rows in some groups."""
        return sum(self.sizes[group] for group in groups)

    def run(self) -> None:
        """Cover the known conflicts and search for new ones until both bounds are equal."""
        while self.lower < self.upper:
            cover = self._smallest_cover([*self.conflicts])
            self.lower = max(self.lower, self.n_rows_of(_members(cover)))
            if self.lower >= self.upper:
                return

            # Remove the groups of every conflict that is found, so that the next one has no group
            # in common with it: such conflicts raise the lower bound fastest.
            vector = self._separator_without(cover)
            while vector is None:
                cover |= self.latest_conflict
                vector = self._separator_without(cover)
            self._improve(vector)

    def _separator_without(self, removed: int) -> FloatArray | None:
        """Return a vector that separates all points but those of the removed groups.

        If there is no such vector, record a conflict and return None.
        """
        self._count_nodes(NODES_PER_QUESTION)
        is_kept = [not removed >> int(group) & 1 for group in self.group_of_point]
        rows = np.flatnonzero(is_kept)
        if not len(rows):
            return self.vector
        verdict = decide(self.points.subset(rows), ())
        if verdict.hyperplane is not None:
            w = verdict.hyperplane.w
            b = verdict.hyperplane.b
            return np.append(w, b) if self.points.fit_intercept else np.asarray(w)
        if verdict.conflict is None:
            raise _GaveUp(verdict.detail)

        members = rows[list(verdict.conflict.rows)]
        self.latest_conflict = _mask(self.group_of_point[members])
        conflict = Conflict(tuple(members.tolist()), verdict.conflict.weights)
        self.conflicts[self.latest_conflict] = conflict
        return None

    def _improve(self, vector: FloatArray) -> None:
        """Store a vector if it has fewer errors; then try to correct each of its errors in turn."""
        wrong = self.wrong_groups(vector)
        n_errors = self.n_rows_of(wrong.tolist())
        if n_errors >= self.upper:
            return
        self.vector = vector
        self.upper = n_errors
        removed = _mask(wrong)
        for one in wrong.tolist():
            # An earlier improvement may have corrected this group already.
            if self.lower < self.upper and removed >> one & 1:
                better = self._separator_without(removed & ~(1 << one))
                if better is not None:
                    still_wrong = self.wrong_groups(better)
                    self.vector = better
                    self.upper = self.n_rows_of(still_wrong.tolist())
                    removed = _mask(still_wrong)

    def _count_nodes(self, nodes: int) -> None:
        self.nodes_left -= nodes
        if self.nodes_left < 0:
            raise _GaveUp(f"gave up after max_nodes={self.max_nodes:,} nodes")

    def packing(self, sets: list[int]) -> int:
        """Return a lower bound on the rows of any hitting set, by a greedy packing of the sets.

        Each set takes as many rows from all of its groups as its smallest group has left.
        """
        left: dict[int, int] = {}
        total = 0
        for mask in sorted(sets, key=int.bit_count):
            members = list(_members(mask))
            least = min(left.get(one, self.sizes[one]) for one in members)
            total += least
            for one in members:
                left[one] = left.get(one, self.sizes[one]) - least
        return total

    def _smallest_cover(self, sets: list[int]) -> int:
        """Return the hitting set with the fewest rows as a bit mask, by branch and bound."""
        fewest_rows = self.upper + 1
        best_cover = 0

        def branch(sets: list[int], n_rows: int, chosen: int) -> None:
            nonlocal fewest_rows, best_cover
            self._count_nodes(1)
            if n_rows + self.packing(sets) >= fewest_rows:
                return
            if not sets:
                fewest_rows = n_rows
                best_cover = chosen
                return

            # One group of the smallest set must be chosen; first the one that meets most sets.
            members = list(_members(min(sets, key=int.bit_count)))
            members.sort(key=lambda one: -sum(mask >> one & 1 for mask in sets))
            refused = 0
            for one in members:
                # Covers with an earlier member were counted already.
                rest = [mask & ~refused for mask in sets if not mask >> one & 1]
                refused |= 1 << one
                if all(rest):
                    branch(rest, n_rows + self.sizes[one], chosen | 1 << one)

        # Every branch goes one level deeper, up to the recursion limit of Python.
        if self.packing(sets) > MAX_COVER * max(self.sizes):
            raise _GaveUp(f"gave up at more than {count(MAX_COVER, 'error')}")
        branch(sets, 0, 0)
        return best_cover


def _mask(groups: IndexArray) -> int:
    """Return some groups as a bit mask."""
    return sum(1 << one for one in set(groups.tolist()))


def _members(mask: int) -> Iterator[int]:
    """Yield the groups of a bit mask in ascending order."""
    while mask:
        lowest_bit = mask & -mask
        yield lowest_bit.bit_length() - 1
        mask ^= lowest_bit
