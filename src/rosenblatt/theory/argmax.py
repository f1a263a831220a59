"""Linear separability of several classes: every row scores highest for its own class."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
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
from rosenblatt.theory.exact import MAX_POINTS, scaled_to_one
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import PairHull, Points
from rosenblatt.theory.separability import (
    NO_FLOATS,
    Separability,
    Separation,
    Verdict,
    can_solve_equations,
    classify_separation,
    decide,
    epochs_with_classes,
    exact_alternative,
    find_contradicting_twins,
    float_roundings,
    is_decided,
    perceptron_vectors,
    undecided_detail,
    vectors_by_equations,
)

# Most values in the points of all pairs for which the kind of separation is computed.
MAX_NUMBERS = 2_000_000
# Limit on the work of a search among the points of several classes, as `nearest_point` counts it:
# about 10 to 20 seconds.
MAX_WORK = 3_000_000_000
# If `MAX_WORK` is too little for all classes: the number of classes among which a conflict is
# searched for, and the share of `MAX_WORK` for that search.
FEWER_CLASSES = 40
FEWER_CLASSES_WORK_SHARE = 1 / 10
# Most scores that are held in memory at a time.
SCORES_PER_BLOCK = 4_000_000
# Most pairs of classes that are decided one by one.
MAX_PAIRS = 10_000

# Weights with a row for each class, and biases.
Scores = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, repr=False)
class RivalConflict(Conflict):
    """A proof that several classes are not separable: rows, a wrong class for each, and weights.

    The weighted sum of ``(x, 1)`` in the position of the right class and ``-(x, 1)`` in the
    position of the wrong class is exactly 0.
    """

    wrong: tuple[Any, ...]


@dataclass(frozen=True)
class ArgmaxSeparability(Verdict):
    """Verdict on the separability of several classes, with its proof.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        Whether some weights give every row its highest score for the right class. With so many
        classes that the search for a proof reaches its limit it is "undecided", and ``detail``
        explains why.
    separation : {"complete", "quasi-complete", "none", "undecided"}
        The same as for two classes, but for the differences between the right score and every other
        score, as in Kesler's construction and multinomial logistic regression. It is computed for
        small tables only.
    classes : tuple
        The classes, in the order of the rows of ``coef``.
    coef, intercept : ndarray or None
        Weights and biases that separate the classes, if there are any. They are None if no floats
        were found that are right for all rows; ``direction`` then holds exact numbers that are.
    conflict : RivalConflict or None
        The proof that the classes are not separable.
    pairs : dict
        The verdict on every pair of classes, computed on first access, for up to 141 classes. All
        pairs may be separable even if no scores are right for all classes at once.
    """

    conflict: RivalConflict | None = None
    coef: FloatArray | None = None
    intercept: FloatArray | None = None
    # The rows and class indices that the proof is about.
    _rows: Points | None = field(default=None, repr=False)
    _labels: IndexArray | None = field(default=None, repr=False)

    def _classify_inseparable(self) -> Separation:
        rows, labels = self._checked_rows()
        hull = PairHull(rows, labels, len(self.classes))
        if hull.n_dimensions > MAX_POINTS or hull.n_points * hull.n_dimensions > MAX_NUMBERS:
            return Separation("undecided")
        points = Points(hull.to_array(), np.ones(hull.n_points), fit_intercept=False)
        return classify_separation(points, decide(points, ()).conflict)

    def _checked_rows(self) -> tuple[Points, IndexArray]:
        if self._rows is None or self._labels is None:
            raise CertificateError(self._nothing_to_check())
        return self._rows, self._labels

    @property
    def n_pairs(self) -> int:
        """The number of pairs of classes."""
        return math.comb(len(self.classes), 2)

    @property
    def n_separable_pairs(self) -> int | None:
        """The number of separable pairs of classes; None if there are too many pairs to decide."""
        # If all classes are separable, the difference of two scores separates those two classes.
        if self.separable is True:
            return self.n_pairs
        if self.n_pairs > MAX_PAIRS:
            return None
        return sum(pair.separable is True for pair in self.pairs.values())

    @cached_property
    def pairs(self) -> dict[tuple[Hashable, Hashable], Separability]:
        if self.n_pairs > MAX_PAIRS:
            raise InputError(
                f"{len(self.classes):,} classes make {self.n_pairs:,} pairs, and no more than "
                f"{MAX_PAIRS:,} are decided one by one. Ask separability for the rows of two of "
                "the classes."
            )
        rows, labels = self._checked_rows()

        # The rows of each class.
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(1, len(self.classes)))
        members = np.split(order, starts)

        verdicts = {}
        for a, b in combinations(range(len(self.classes)), 2):
            chosen = np.sort(np.concatenate([members[a], members[b]]))
            signs = np.where(labels[chosen] == b, 1.0, -1.0)
            points = Points(rows.X[chosen], signs, rows.fit_intercept)
            pair = (self.classes[a], self.classes[b])
            verdicts[pair] = decide(points, pair)
        return verdicts

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; return True, or raise `CertificateError`.

        The certificate must prove the verdict itself; other certificates are ignored.
        """
        rows, labels = self._checked_rows()
        if self.separable is True and self.coef is not None and self.intercept is not None:
            check_best_score(rows.X, labels, self.coef, self.intercept)
        elif self.separable is True and self._exact is not None:
            vectors = np.array(self._exact).reshape(len(self.classes), -1)
            check_best_score(rows.X, labels, *_coef_and_intercept(rows, vectors))
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
    points: Points, labels: IndexArray, classes: tuple[Hashable, ...], work_share: float = 1.0
) -> ArgmaxSeparability:
    """Return the verdict on rows of several classes, by Kesler's construction.

    ``work_share`` limits the search to a share of `MAX_WORK`.
    """
    rows = Points(points.X, np.ones(len(points)), points.fit_intercept)
    k = len(classes)
    undecided = ArgmaxSeparability("undecided", classes, _rows=rows, _labels=labels)

    twins = find_contradicting_twins(rows, labels)
    if twins is not None:
        # Each stands against the class of the other.
        first, second = twins
        wrong = (classes[labels[second]], classes[labels[first]])
        conflict = RivalConflict(twins, (Fraction(1, 2), Fraction(1, 2)), wrong)
        return replace(undecided, verdict="not separable", conflict=conflict)

    # Most separable rows are separated by the perceptron, and few rows by linear equations.
    scaled = rows.balanced()
    epochs = epochs_with_classes(rows, k)
    vectors, converged = perceptron_vectors(rows, labels, k, epochs, tol=1e-4)
    scores = None
    if vectors is not None and converged:
        scores = _checked_scores(rows, labels, vectors)
    if scores is None:
        scores = _scores_by_equations(rows, scaled, labels, k)
    if scores is not None:
        return _separable(undecided, scores)

    # Otherwise Wolfe's method searches for a separator or a conflict, if it has a chance to finish.
    hull = PairHull(rows, labels, k)
    max_work = work_share * MAX_WORK
    near = None
    if hull.least_work <= max_work:
        # The first row against a wrong class.
        start = 0 if labels[0] else 1
        is_enough = is_decided(2 * rows.n_dimensions)
        near = nearest_point(PairHull(scaled, labels, k), start, is_enough, max_work)
        if near.lower > 0:
            scores = _checked_scores(rows, labels, scaled.unscaled(near.point.reshape(k, -1)))
            if scores is not None:
                return _separable(undecided, scores)
        near.weights = near.weights * scaled.signs[np.array(near.keys) // k]

    # If it could not finish, a conflict among a few classes is a conflict of all.
    if near is None or near.cut_short:
        if vectors is not None and k > FEWER_CLASSES:
            conflict_of_few = _conflict_of_few_classes(rows, labels, classes, vectors)
            if conflict_of_few is not None:
                return replace(undecided, verdict="not separable", conflict=conflict_of_few)
        return replace(undecided, detail=_undecided_detail(hull, near))

    # Exact arithmetic turns the result of Wolfe's method into a proof.
    proof = exact_alternative(hull, near)
    if proof.weights is not None:
        keys = sorted(proof.weights)
        conflict = RivalConflict(
            tuple(key // k for key in keys),
            tuple(proof.weights[key] for key in keys),
            tuple(classes[key % k] for key in keys),
        )
        return replace(undecided, verdict="not separable", conflict=conflict)
    if proof.separator is not None:
        exact = tuple(scaled_to_one(proof.separator))
        for v in float_roundings(proof.separator, len(rows)):
            scores = _checked_scores(rows, labels, v.reshape(k, -1))
            if scores is not None:
                return replace(_separable(undecided, scores), _exact=exact)
        return replace(undecided, verdict="separable", detail=NO_FLOATS, _exact=exact)
    return replace(undecided, detail=_undecided_detail(hull, near))


def _separable(undecided: ArgmaxSeparability, scores: Scores) -> ArgmaxSeparability:
    coef, intercept = scores
    return replace(undecided, verdict="separable", coef=coef, intercept=intercept)


def _conflict_of_few_classes(
    rows: Points, labels: IndexArray, classes: tuple[Hashable, ...], vectors: FloatArray
) -> RivalConflict | None:
    """Return a conflict between the most misclassified class and its strongest rivals.

    A proof that no scores are right for some of the classes holds for all of them. Return None if
    no conflict is found.
    """
    chosen = _worst_class_and_rivals(rows, labels, vectors)
    members = np.flatnonzero(np.isin(labels, chosen))
    numbers = np.searchsorted(chosen, labels[members])
    names = tuple(classes[number] for number in chosen)
    verdict = decide_argmax(rows.subset(members), numbers, names, FEWER_CLASSES_WORK_SHARE)
    conflict = verdict.conflict
    if conflict is None:
        return None
    original_rows = tuple(int(members[row]) for row in conflict.rows)
    return RivalConflict(original_rows, conflict.weights, conflict.wrong)


def _worst_class_and_rivals(rows: Points, labels: IndexArray, vectors: FloatArray) -> IndexArray:
    """Return the indices of the most misclassified class and its strongest rivals, in order."""
    n_wrong = np.zeros(len(vectors), np.intp)
    block = max(1, SCORES_PER_BLOCK // len(vectors))
    for start in range(0, len(labels), block):
        chosen = np.arange(start, min(start + block, len(labels)))
        scores = rows.subset(chosen).products(vectors)
        is_wrong = scores.argmax(axis=1) != labels[chosen]
        n_wrong += np.bincount(labels[chosen][is_wrong], minlength=len(vectors))

    worst = int(n_wrong.argmax())
    members = np.flatnonzero(labels == worst)[:block]
    scores = rows.subset(members).products(vectors)
    leads = (scores - scores[:, [worst]]).max(axis=0)
    leads[worst] = np.inf
    return np.sort(np.argsort(-leads, kind="stable")[:FEWER_CLASSES])


def _scores_by_equations(rows: Points, scaled: Points, labels: IndexArray, k: int) -> Scores | None:
    """Solve linear equations for scores of 1 for the right class and 0 for the others.

    Return None if there are too many rows, or if no solution passes the exact check.
    """
    if not can_solve_equations(scaled):
        return None
    targets = np.zeros((len(rows), k))
    targets[np.arange(len(rows)), labels] = 1.0
    vectors = vectors_by_equations(scaled, targets)
    if vectors is None:
        return None
    return _checked_scores(rows, labels, scaled.unscaled(vectors))


def _undecided_detail(hull: PairHull, near: Nearest | None) -> str:
    """Explain why there is no verdict, and give advice if there are too many classes."""
    advice = "Ask for fewer classes at once."
    if near is None:
        return (
            f"the perceptron found no separator in a few epochs, and {hull.k:,} classes are too "
            f"many for the search for a proof: {hull.n_dimensions:,} weights at once. {advice}"
        )
    detail = undecided_detail(hull, near)
    if near.cut_short:
        detail += (
            f" before the search reached its limit: {hull.k:,} classes have {hull.n_dimensions:,} "
            f"weights at once. {advice}"
        )
    return detail


def _checked_scores(rows: Points, labels: IndexArray, vectors: FloatArray) -> Scores | None:
    """Split vectors into weights and biases; return None if they fail the exact check."""
    coef, intercept = _coef_and_intercept(rows, vectors)
    try:
        check_best_score(rows.X, labels, coef, intercept)
    except CertificateError:
        return None
    return coef, intercept


def _coef_and_intercept(rows: Points, vectors: FloatArray) -> Scores:
    """Split vectors into weights and biases, which are 0 without an intercept."""
    coef, bias = rows.split_bias(vectors.T)
    if not rows.fit_intercept:
        bias = np.zeros(len(vectors))
    return np.ascontiguousarray(coef.T), np.ascontiguousarray(bias)
