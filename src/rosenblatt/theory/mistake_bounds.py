"""The most mistakes a perceptron can make, on rows that are separable and on others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray, is_sparse
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.argmax import MOST_WORK, decide_argmax
from rosenblatt.theory.margin_interval import CLOSED, MarginInterval, largest_margin, longest
from rosenblatt.theory.points import EPS, FeatureMap, PairHull, PointHull, Points, read_points
from rosenblatt.theory.proof import most_mistakes, unit_separator
from rosenblatt.theory.separability import by_perceptron, decide, epochs_of_classes

# Rounds in which u and γ are improved, and steps of conjugate gradients in each; fewer of them for
# tables of more numbers than a product with all of them takes a few milliseconds for.
ROUNDS, STEPS = 25, 25
FEW_ROUNDS, FEW_STEPS, MANY_NUMBERS = 8, 8, 4_000_000
# So many scores, of every row by every vector, are held at a time; u is improved where all can be.
SCORES_AT_ONCE = 4_000_000
MOST_SCORES = 20_000_000
# Thresholds of perceptrons that look for a margin among many classes, in squares of R.
SHARES_OF_RADIUS = 1.0, 0.1


@dataclass(frozen=True, eq=False)
class MistakeBound(ResultCard):
    """A bound on the mistakes of a perceptron, and what it is made of.

    With a bias R, γ, u and D are those of the rows with a 1 appended, with several classes those of
    Kesler's construction, where the vectors of all classes are one.

    Attributes
    ----------
    bound : float
        ``((R + D) / γ)²``: no order of the rows makes a perceptron err more often. Never below the
        true value of the formula, but for a whole number that is printed as such.
    theorem : {"Novikoff", "Freund and Schapire"}
        The first if D is 0: it holds for any number of epochs, and the bound is ``R²/γ²``.
    epochs : int or None
        How many epochs it is for; None if for any number.
    radius : float
        R, the length of the longest row; with several classes √2 times that, since a mistake moves
        two vectors.
    margin : float
        γ. Of separable rows a margin that some vector of length 1 has; the largest if `closed`.
    margin_upper : float
        No vector of length 1 has a larger margin on all rows; 0 if they are not separable.
    closed : bool
        Whether ``margin`` is the largest, but for a millionth of it.
    deviation : float
        D, the root of ``Σ max(0, γ - y u·x)²`` over all visits: how far the rows are from having
        the margin γ. The terms are hinge losses with γ in the place of 1.
    u : ndarray of shape (n_features,), or (n_classes, n_features)
        The vector of length 1, with a bias at its end.
    visits : int or None
        Rows times epochs, which is a bound of its own; None if for any number.
    unit_margin : float
        ``γ / R``, the margin after all rows are brought into the unit sphere; without D the bound
        is ``1 / unit_margin²`` as well.
    """

    radius: float
    margin: float
    margin_upper: float
    u: FloatArray
    deviation: float = 0.0
    epochs: int | None = None
    visits: int | None = None

    @property
    def bound(self) -> float:
        return self.after(1 if self.epochs is None else self.epochs)

    def after(self, epochs: int) -> float:
        """The bound for another number of epochs, by the same u and γ."""
        share = epochs / (self.epochs or epochs)
        length = self.radius + math.sqrt(share) * self.deviation
        found = most_mistakes(length, self.margin, self.u.size)
        return found if self.visits is None else min(found, share * self.visits)

    @property
    def closed(self) -> bool:
        return self.margin >= (1 - CLOSED) * self.margin_upper > 0

    @property
    def theorem(self) -> str:
        return "Freund and Schapire" if self.deviation else "Novikoff"

    @property
    def unit_margin(self) -> float:
        return self.margin / self.radius if self.radius > 0 else 0.0

    def _headline(self) -> str:
        when = "" if self.epochs is None else f" in {count(self.epochs, 'epoch')}"
        return f"at most {ordinary(self.bound)} mistakes{when} ({self.theorem})"


def mistake_bound(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    epochs: int = 1,
    separator: Any = None,
    margin: float | None = None,
    feature_map: FeatureMap = None,
) -> MistakeBound:
    """Bound the mistakes of a perceptron: ``R²/γ²``, or ``((R + D)/γ)²`` without a separator.

    If some u of length 1 has ``y (u·x) >= γ`` on every row, then there are at most ``R²/γ²``
    mistakes, in any number of epochs (Novikoff 1962). For data that are not linearly separable any
    u and any γ > 0 give a bound: with ``D² = Σ max(0, γ - y u·x)²`` over the rows as they are
    visited there are at most ``((R + D)/γ)²`` mistakes (Freund and Schapire 1999, theorem 2). D
    grows with the epochs, and so does that bound; u and γ are chosen to make it small, by a few
    Newton steps on ``R‖v‖ + ‖max(0, 1 - y v·x)‖``, which is convex in ``v = u/γ``.

    Both hold for any order of the rows, any number of them, any dimension and any constant learning
    rate, for a perceptron without a margin that starts from zero weights. With a bias the theorem
    lives in the space of the rows with a 1 appended: R and γ are those of ``(x, 1)``. With a
    weight vector for each class it lives in that of Kesler's construction, where these are stacked
    and ``y u·x`` is the smallest difference between the right score and another one; ties must then
    be broken, not raised (see `rosenblatt.Perceptron`).

    Parameters
    ----------
    epochs : int, default=1
        How often each row is visited, as ``n_iter_`` of a learner says. Of no account for rows that
        are separable.
    separator : pair (w, b) or object with attributes w and b, default=None
        Whose direction is u. By default the best that is found.
    margin : float, default=None
        γ. By default the best for u.

    Examples
    --------
    >>> from rosenblatt.theory import mistake_bound
    >>> found = mistake_bound([[3.0, 4.0], [-3.0, 4.0]], [1, -1], fit_intercept=False)
    >>> round(found.radius, 6), round(found.margin, 6), round(found.bound, 4), found.theorem
    (5.0, 3.0, 2.7778, 'Novikoff')

    With one wrong label there is no separator, but a bound for every number of epochs:

    >>> X, y = [[-3], [-2], [-1], [1], [2], [3]], [0, 0, 0, 1, 0, 1]
    >>> found = mistake_bound(X, y, epochs=100)
    >>> found.theorem, round(found.bound, 1), found.visits
    ('Freund and Schapire', 350.2, 600)
    """
    checks.whole("epochs", epochs, at_least=1, at_most=1 << 62)
    if margin is not None:
        margin = float(checks.number("margin", margin, above=0.0))
    examples = Examples(X, y, fit_intercept, feature_map)
    if separator is not None:
        u = unit_separator(separator, examples.shape, examples.rows.X.shape[1])
        return examples.bound(u, epochs, margin)
    return _found_bound(examples, epochs, margin)


def _found_bound(examples: Examples, epochs: int, margin: float | None = None) -> MistakeBound:
    """The bound by the best u that is found."""
    found = examples.largest_margin()
    if found.lower > 0 and margin is None:
        u = found.direction.reshape(examples.shape)
        u = u[0] if len(u) == 1 else u
        return MistakeBound(examples.radius, found.lower, found.upper, u)
    return examples.bound(examples.best_direction(epochs), epochs, margin, found.upper)


def separable_bound(X: Any, y: Any, fit_intercept: bool, epochs: int, verdict: Any) -> MistakeBound:
    """As `mistake_bound`, for rows that have a verdict already."""
    examples = Examples(X, y, fit_intercept, None)
    examples.known_verdict = verdict
    return _found_bound(examples, epochs)


def overlap_bound(X: Any, y: Any, fit_intercept: bool, epochs: int) -> MistakeBound:
    """As `mistake_bound`, for rows that are known not to be separable."""
    examples = Examples(X, y, fit_intercept, None)
    return examples.bound(examples.best_direction(epochs), epochs)


class Examples:
    """Rows of two or more classes with the vectors of their classes, one for two."""

    def __init__(self, X: Any, y: Any, fit_intercept: bool, feature_map: FeatureMap) -> None:
        self.points, classes = read_points(X, y, fit_intercept, feature_map)
        if len(classes) < 2:
            raise InputError(
                f"y holds only one class, {classes.tolist()[0]!r}: there is nothing to be mistaken "
                "for."
            )
        self.classes = classes
        self.labels: IndexArray = np.searchsorted(classes, np.asarray(y))
        self.rows = Points(self.points.X, np.ones(len(self.points)), fit_intercept)
        self.k = 1 if len(classes) == 2 else len(classes)
        self.shape = self.k, self.points.n_dimensions
        self.radius = longest(self.points, in_two_places=self.k > 1)
        # The verdict on the rows, where somebody asked for it before.
        self.known_verdict: Any = None

    def bound(
        self, u: FloatArray, epochs: int, margin: float | None = None, upper: float = math.inf
    ) -> MistakeBound:
        """What a vector of length 1 promises; ``upper`` is known of the largest margin."""
        ahead = self.margins(u)
        gamma = float(ahead.min()) if margin is None else margin
        if gamma <= 0:
            gamma = _best_margin(ahead, self.radius, epochs)
        hinge = float(np.linalg.norm(np.maximum(gamma - ahead, 0.0) / gamma))
        deviation = gamma * math.sqrt(epochs) * hinge * (1 + (len(ahead) + 8) * EPS)
        lasting = (epochs, epochs * len(ahead)) if deviation else ()
        vector = u[0] if len(u) == 1 else u
        return MistakeBound(self.radius, gamma, upper, vector, deviation, *lasting)

    def largest_margin(self) -> MarginInterval:
        """The largest margin between two bounds, and the vector that has the lower one."""
        start = int(np.argmin(self.points.squared_norms()))
        if self.k == 1:
            return largest_margin(PointHull(self.points), start, self.radius, self._verdict)
        hull = PairHull(self.rows, self.labels, self.k)
        if hull.likely_work > MOST_WORK:
            return self._margin_at_hand([])
        start = start * self.k + (0 if self.labels[start] else 1)
        found = largest_margin(hull, start, self.radius, self._verdict, MOST_WORK)
        if math.isinf(found.upper):
            return self._margin_at_hand([found.direction.reshape(self.shape)])
        return found

    def _margin_at_hand(self, directions: list[FloatArray]) -> MarginInterval:
        """The margin of a separator that is known, where the largest takes too long to find.

        It is the best of these directions, that of the verdict and those of perceptrons with
        thresholds: with R² one ends at a third of the largest margin at least, with less sooner.
        """
        verdict = self._verdict()
        best = MarginInterval(0.0, math.inf, np.zeros(self.shape), [])
        if verdict.separable is False:
            return replace(best, upper=0.0, conflict=verdict.conflict.rows)
        candidates = list(directions)
        epochs = epochs_of_classes(self.rows, self.k)
        for share in SHARES_OF_RADIUS:
            threshold = share * self.radius**2
            vectors, converged = by_perceptron(
                self.rows, self.labels, self.k, epochs, tol=None, threshold=threshold
            )
            if vectors is not None:
                candidates.append(vectors)
            if converged:
                break
        if verdict.coef is not None:
            candidates.append(np.column_stack([verdict.coef, verdict.intercept]))
        for vectors in candidates:
            largest = float(np.abs(vectors).max())
            direction = vectors[:, : self.shape[1]] / (largest or 1.0)  # so no square overflows
            direction = direction / (float(np.linalg.norm(direction)) or 1.0)
            lower = float(self.margins(direction).min())
            if lower > best.lower:
                best = replace(best, lower=lower, direction=direction)
        return best

    def _verdict(self) -> Any:
        if self.known_verdict is None:
            classes = tuple(self.classes.tolist())
            if self.k > 1:
                self.known_verdict = decide_argmax(self.points, self.labels, classes)
            else:
                self.known_verdict = decide(self.points, classes)
        return self.known_verdict

    def choice(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By how much each row is right, and the sign with which each vector counts in it."""
        scores = self.rows.products(V)
        if self.k == 1:
            return self.points.signs * scores[:, 0], self.points.signs[:, None]
        index, rivals = np.arange(len(scores)), scores.copy()
        rivals[index, self.labels] = -np.inf
        rival = rivals.argmax(axis=1)
        signs = np.zeros(scores.shape)
        signs[index, rival] = -1.0
        if not V.any():  # no rival is ahead of the others
            signs[:] = -1.0 / (self.k - 1)
        signs[index, self.labels] = 1.0
        return scores[index, self.labels] - scores[index, rival], signs

    def margins(self, V: FloatArray) -> FloatArray:
        """By how much each row is right, less what rounding can have added."""
        ahead = np.empty(len(self.rows))
        block = max(1, SCORES_AT_ONCE // self.k)
        for start in range(0, len(ahead), block):
            chosen = np.arange(start, min(start + block, len(ahead)))
            some = self.rows.only(chosen)
            scores = some.products(V)
            sizes = some.sizes(V).max(axis=1)
            if self.k == 1:
                ahead[chosen] = self.points.signs[chosen] * scores[:, 0]
            else:
                sizes = 2 * sizes
                index = np.arange(len(chosen))
                own = scores[index, self.labels[chosen]]
                scores[index, self.labels[chosen]] = -np.inf
                ahead[chosen] = own - scores.max(axis=1)
            ahead[chosen] -= (self.shape[1] + 6) * EPS * sizes
        return np.asarray(ahead - 1e-300)

    def best_direction(self, epochs: int) -> FloatArray:
        """The direction of the v with the smallest ``R‖v‖ + √epochs ‖max(0, 1 - margins)‖``.

        Each round minimises ``λ‖v‖² + ‖1 - margins‖²`` over the rows below 1, with the λ that makes
        it touch the sum above at the present v. The rows are divided by R on the way. Of very many
        rows and classes it is the direction in which the first round begins: any has a bound.
        """
        if self.k > 1 and len(self.labels) * self.k > MOST_SCORES:
            return self._mean_direction()
        scale, root = self.radius or 1.0, math.sqrt(epochs)
        V, weight = np.zeros(self.shape), 1.0
        best = math.inf, np.eye(1, V.size).reshape(self.shape)
        few = self.k * self.points.n_stored > MANY_NUMBERS
        for _ in range(FEW_ROUNDS if few else ROUNDS):
            ahead, signs = self.choice(V / scale)
            short = np.maximum(1.0 - ahead, 0.0)
            length = float(np.linalg.norm(V))
            worth = length + root * float(np.linalg.norm(short))
            if length and worth < best[0]:
                best = worth, V / length
            if length and short.any():
                weight = float(np.linalg.norm(short)) / (root * length)
            active = signs * (short > 0)[:, None] / scale
            matrix = partial(self._curvature, weight, active)
            V = _solve(matrix, self._sums(active), V, FEW_STEPS if few else STEPS)
            if not V.any():
                break
        return best[1]

    def _mean_direction(self) -> FloatArray:
        """The sum of the rows of each class, less the mean of those of the others, of length 1."""
        X = self.points.X
        d = X.shape[1]
        sums = np.zeros((self.k, d + 1))
        if is_sparse(X):
            np.add.at(sums, (self.labels[X.row_numbers()], X.indices), X.data)
        else:
            np.add.at(sums[:, :d], self.labels, X)
        sums[:, d] = np.bincount(self.labels, minlength=self.k)
        sums = sums[:, : self.shape[1]] / (self.radius or 1.0)
        sums -= (sums.sum(axis=0) - sums) / (self.k - 1)
        length = float(np.linalg.norm(sums))
        return sums / length if length else np.eye(1, sums.size).reshape(self.shape)

    def _curvature(self, weight: float, active: FloatArray, V: FloatArray) -> FloatArray:
        """``λ v + Σ (z·v) z`` over the points z that the rows and their signs make."""
        scores = self.rows.products(V)
        return weight * V + self._sums(active * (active * scores).sum(axis=1)[:, None])

    def _sums(self, parts: FloatArray) -> FloatArray:
        """For each vector the sum of all rows, each times its part in it."""
        sums = np.column_stack([parts.T @ self.points.X, parts.sum(axis=0)])
        return sums[:, : self.shape[1]]


def _solve(
    matrix: Callable[[FloatArray], FloatArray], right: FloatArray, start: FloatArray, steps: int
) -> FloatArray:
    """A few steps of conjugate gradients towards ``matrix(v) = right``."""
    v, rest = start, right - matrix(start)
    way, size = rest, float(np.sum(rest * rest))
    for _ in range(steps):
        if size <= 1e-20 * float(np.sum(right * right)):
            break
        turned = matrix(way)
        step = size / float(np.sum(way * turned))
        v, rest = v + step * way, rest - step * turned
        before, size = size, float(np.sum(rest * rest))
        way = rest + size / before * way
    return v


def _best_margin(ahead: FloatArray, radius: float, epochs: int) -> float:
    """The γ with the smallest ``(R + D)/γ``, by golden section in ``1/γ``, where it is convex."""
    scale = radius or 1.0

    def worth(t: float) -> float:
        return t + math.sqrt(epochs) * float(np.linalg.norm(np.maximum(1 - t * ahead / scale, 0.0)))

    low, high = 0.0, math.sqrt(epochs * len(ahead))  # beyond, t alone is more than at 0
    ratio = (math.sqrt(5.0) - 1) / 2
    for _ in range(80):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if worth(a) <= worth(b) else (a, high)
    return scale / max((low + high) / 2, 1e-3)


def alma_bound(margin: float, alpha: float = 0.9) -> float:
    """Bound the updates of ALMA: ``2/γ² · (2/alpha - 1)² + 8/alpha - 4``.

    Let a w of length 1 have ``y (w·x) / ‖x‖ >= γ > 0`` on every row. Then `rosenblatt.ALMA` with
    ``B = √8/alpha``, ``C = √2``, from zero weights and without weights of rows, makes no more
    updates than this, in any order of the rows and in any number of epochs; and after an epoch
    without one every row has a margin ``y (w·x) / ‖x‖`` of at least ``(1 - alpha) γ`` (Gentile
    2001, theorem 3, with p = 2). With a bias the rows are those with a 1 appended.

    Parameters
    ----------
    margin : float
        γ, that of rows of length 1; at most 1.
    alpha : float, default=0.9
        The share of γ that may be missed, from 0 to 1.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> from rosenblatt.theory import alma_bound
    >>> [round(alma_bound(0.1, alpha)) for alpha in (0.9, 0.5, 0.1)]
    [304, 1812, 72276]
    """
    gamma = float(checks.number("margin", margin, above=0.0, at_most=1.0))
    share = float(checks.number("alpha", alpha, above=0.0, at_most=1.0))
    return 2.0 / gamma**2 * (2.0 / share - 1.0) ** 2 + 8.0 / share - 4.0
