"""Separability of several classes by the best of several scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.theory.certificates import (
    CertificateError,
    Conflict,
    check_best_score,
    check_rivals,
)
from rosenblatt.theory.exact import MOST_POINTS, shortened
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import PairHull, Points
from rosenblatt.theory.separability import (
    NO_FLOATS,
    Separability,
    Verdict,
    by_equations,
    by_perceptron,
    decide,
    epochs_of_classes,
    exact_alternative,
    has_equations,
    is_settled,
    roundings,
    twins_of_different_classes,
    undecided,
)
from rosenblatt.theory.separation import Separation, separation_of


@dataclass(frozen=True, repr=False)
class RivalConflict(Conflict):
    """Rows, each against a wrong class, whose weights show that no scores can be right for all.

    The weighted sum of ``(x, 1)`` in the place of the right class and ``-(x, 1)`` in that of the
    wrong one is exactly 0.
    """

    wrong: tuple[Any, ...]


# So many numbers the points of all pairs may have when they are written out.
MOST_NUMBERS = 2_000_000
# So much work, as `nearest_point` counts it, a walk among the points of several classes may take:
# some 10 to 20 seconds.
MOST_WORK = 3_000_000_000
# Where that is too little for all classes, a conflict is looked for among so many of them, with
# such a part of the work.
FEWER_CLASSES, PART_OF_WORK = 40, 1 / 10
# So many scores of several classes are held at a time.
SCORES_AT_ONCE = 4_000_000
# So many pairs of classes are decided one by one.
MOST_PAIRS = 10_000


@dataclass(frozen=True)
class ArgmaxSeparability(Verdict):
    """A verdict on several classes and what proves it.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        Whether some weights give every row its best score for the right class. "undecided" also
        where the classes are so many that the search for a proof reaches its limit; ``detail``
        then says so.
    separation : {"complete", "quasi-complete", "none", "undecided"}
        As of two classes, for the differences of the right score and every other one: those of
        Kesler's construction, and of multinomial logistic regression. Small tables only.
    classes : tuple
        The classes, in the order of the rows of ``coef``.
    coef, intercept : ndarray or None
        Such weights, if there are any; None also where no floats were found that will do:
        ``direction`` then does, in whole numbers.
    conflict : RivalConflict or None
        What rules them out, if there are none.
    pairs : dict
        The verdict on every two classes by themselves; worked out when asked for, of up to 141
        classes. All pairs may be separable although no set of scores is right for all classes at
        once.
    """

    coef: FloatArray | None = None
    intercept: FloatArray | None = None
    # None of a verdict that has no rows to be checked on.
    _rows: Any = field(default=None, repr=False)
    _labels: Any = field(default=None, repr=False)

    def _closer_look(self) -> Separation:
        hull = PairHull(self._rows, self._labels, len(self.classes))
        if hull.n_dimensions > MOST_POINTS or hull.n_points * hull.n_dimensions > MOST_NUMBERS:
            return Separation("undecided")
        points = Points(hull.written_out(), np.ones(hull.n_points), fit_intercept=False)
        return separation_of(points, decide(points, ()).conflict)

    @property
    def n_pairs(self) -> int:
        """How many pairs of classes there are."""
        return math.comb(len(self.classes), 2)

    @property
    def n_separable_pairs(self) -> int | None:
        """How many pairs of classes are separable by themselves; None if that takes too long."""
        # The difference of the scores of two classes separates these two.
        if self.separable is True:
            return self.n_pairs
        if self.n_pairs > MOST_PAIRS:
            return None
        return sum(pair.separable is True for pair in self.pairs.values())

    @cached_property
    def pairs(self) -> dict[tuple[Any, Any], Separability]:
        if self.n_pairs > MOST_PAIRS:
            raise InputError(
                f"{len(self.classes):,} classes make {self.n_pairs:,} pairs, and no more than "
                f"{MOST_PAIRS:,} are decided one by one. Ask separability for the rows of two of "
                "the classes."
            )
        order = np.argsort(self._labels, kind="stable")
        starts = np.searchsorted(self._labels[order], np.arange(1, len(self.classes)))
        members = np.split(order, starts)
        found = {}
        for a, b in combinations(range(len(self.classes)), 2):
            chosen = np.sort(np.concatenate([members[a], members[b]]))
            signs = np.where(self._labels[chosen] == b, 1.0, -1.0)
            points = Points(self._rows.X[chosen], signs, self._rows.fit_intercept)
            pair = self.classes[a], self.classes[b]
            found[pair] = decide(points, pair)
        return found

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; True, or an error that names the row."""
        rows = self._rows
        labels = self._labels
        # What is proven must be what the verdict says, whatever else is there.
        if self.separable is True and self.coef is not None and self.intercept is not None:
            check_best_score(rows.X, labels, self.coef, self.intercept)
        elif self.separable is True and self._exact is not None:
            vectors = np.array(self._exact).reshape(len(self.classes), -1)
            check_best_score(rows.X, labels, *_scores_of(rows, vectors))
        elif self.separable is False and self.conflict is not None:
            numbers = {label: number for number, label in enumerate(self.classes)}
            unknown = [label for label in self.conflict.wrong if label not in numbers]
            if unknown:
                raise CertificateError(f"a row stands against {unknown[0]!r}, which is no class")
            wrong = [numbers[label] for label in self.conflict.wrong]
            check_rivals(rows.X, labels, rows.fit_intercept, wrong, self.conflict)
        else:
            raise CertificateError(self._nothing_to_check())
        return True


def decide_argmax(
    points: Points, labels: IndexArray, classes: tuple[Any, ...], part: float = 1.0
) -> ArgmaxSeparability:
    """The verdict on rows of several classes, in the construction of Kesler.

    The walk may take such a part of `MOST_WORK`.
    """
    rows = Points(points.X, np.ones(len(points)), points.fit_intercept)
    k = len(classes)
    known: dict[str, Any] = {"_rows": rows, "_labels": labels}
    twins = twins_of_different_classes(rows, labels)
    if twins is not None:
        # Each stands against the class of the other.
        first, second = twins
        wrong = classes[labels[second]], classes[labels[first]]
        conflict = RivalConflict(twins, (Fraction(1, 2), Fraction(1, 2)), wrong)
        return ArgmaxSeparability("not separable", classes, conflict=conflict, **known)
    scaled = rows.balanced()
    hull = PairHull(rows, labels, k)
    vectors, converged = by_perceptron(rows, labels, k, epochs_of_classes(rows, k), tol=1e-4)
    found = None
    if vectors is not None and converged:
        found = _best_scores(rows, labels, vectors)
    if found is None:
        found = _by_equations(rows, scaled, labels, k)
    most_work = part * MOST_WORK
    near = None
    if found is None and hull.likely_work <= most_work:
        start = 0 if labels[0] else 1  # the first row against a wrong class
        enough = is_settled(2 * rows.n_dimensions)
        near = nearest_point(PairHull(scaled, labels, k), start, enough, most_work)
        if near.lower > 0:
            found = _best_scores(rows, labels, scaled.unscaled(near.point.reshape(k, -1)))
        near.weights = near.weights * scaled.signs[np.array(near.keys) // k]
    given_up = near is None or near.cut_short
    if found is None and given_up and vectors is not None and k > FEWER_CLASSES:
        fewer = _conflict_of_fewer(rows, labels, classes, vectors)
        if fewer is not None:
            return ArgmaxSeparability("not separable", classes, conflict=fewer, **known)
    if found is None and near is not None and not near.cut_short:
        exact = exact_alternative(hull, near)
        if isinstance(exact, dict):
            keys = sorted(exact)
            conflict = RivalConflict(
                tuple(key // k for key in keys),
                tuple(exact[key] for key in keys),
                tuple(classes[key % k] for key in keys),
            )
            return ArgmaxSeparability("not separable", classes, conflict=conflict, **known)
        if exact is not None:
            tries = (
                _best_scores(rows, labels, v.reshape(k, -1)) for v in roundings(exact, len(rows))
            )
            found = next(filter(None, tries), None)
            known["_exact"] = tuple(shortened(exact))
    if found is None and "_exact" in known:
        return ArgmaxSeparability("separable", classes, NO_FLOATS, **known)
    if found is None:
        return ArgmaxSeparability("undecided", classes, _not_known(hull, near), **known)
    coef, intercept = found
    return ArgmaxSeparability("separable", classes, coef=coef, intercept=intercept, **known)


def _conflict_of_fewer(
    rows: Points, labels: IndexArray, classes: tuple[Any, ...], vectors: FloatArray
) -> RivalConflict | None:
    """A conflict of a class that the perceptron gets wrong and of its rivals, if it is found.

    What rules out scores for some of the classes rules them out for all.
    """
    chosen = _rivals(rows, labels, vectors)
    some = np.flatnonzero(np.isin(labels, chosen))
    numbers = np.searchsorted(chosen, labels[some])
    names = tuple(classes[number] for number in chosen)
    conflict = decide_argmax(rows.only(some), numbers, names, PART_OF_WORK).conflict
    if conflict is None:
        return None
    places = tuple(int(some[row]) for row in conflict.rows)
    return RivalConflict(places, conflict.weights, conflict.wrong)


def _rivals(rows: Points, labels: IndexArray, vectors: FloatArray) -> IndexArray:
    """The class with most rows that score higher for another one, and its strongest rivals."""
    n_wrong = np.zeros(len(vectors), np.intp)
    block = max(1, SCORES_AT_ONCE // len(vectors))
    for start in range(0, len(labels), block):
        chosen = np.arange(start, min(start + block, len(labels)))
        scores = rows.only(chosen).products(vectors)
        wrong = scores.argmax(axis=1) != labels[chosen]
        n_wrong += np.bincount(labels[chosen][wrong], minlength=len(vectors))
    worst = int(n_wrong.argmax())
    members = np.flatnonzero(labels == worst)[:block]
    scores = rows.only(members).products(vectors)
    leads = (scores - scores[:, [worst]]).max(axis=0)
    leads[worst] = np.inf
    return np.sort(np.argsort(-leads, kind="stable")[:FEWER_CLASSES])


def _by_equations(
    rows: Points, scaled: Points, labels: IndexArray, k: int
) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients and intercepts that solve linear equations, if they will do."""
    if not has_equations(scaled):
        return None
    # A score of 1 for the right class, and of 0 for the others.
    targets = np.zeros((len(rows), k))
    targets[np.arange(len(rows)), labels] = 1.0
    vectors = by_equations(scaled, targets)
    return None if vectors is None else _best_scores(rows, labels, scaled.unscaled(vectors))


def _not_known(hull: PairHull, near: Nearest | None) -> str:
    """Why there is no verdict, and what to do about it where there are too many classes."""
    fewer = "Ask for fewer classes at once."
    if near is None:
        return (
            f"the perceptron found no separator in a few epochs, and {hull.k:,} classes are too "
            f"many for the search for a proof: {hull.n_dimensions:,} weights at once. {fewer}"
        )
    detail = undecided(hull, near)
    if near.cut_short:
        detail += (
            f" before the search reached its limit: {hull.k:,} classes have {hull.n_dimensions:,} "
            f"weights at once. {fewer}"
        )
    return detail


def _best_scores(
    rows: Points, labels: IndexArray, vectors: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients and intercepts, if they stand up to the exact check."""
    found = _scores_of(rows, vectors)
    try:
        check_best_score(rows.X, labels, *found)
    except CertificateError:
        return None
    return found


def _scores_of(rows: Points, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    coef, bias = rows.parts(vectors.T)
    bias = bias if rows.fit_intercept else np.zeros(len(vectors))
    return np.ascontiguousarray(coef.T), np.ascontiguousarray(bias)
