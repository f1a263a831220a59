"""Upper bounds on the mistakes of a perceptron, for separable and inseparable rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray, IndexArray, SparseRows
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.argmax import MAX_WORK, ArgmaxSeparability, decide_argmax
from rosenblatt.theory.margin_interval import CLOSED, MarginInterval, largest_margin, longest
from rosenblatt.theory.points import EPS, FeatureMap, PairHull, PointHull, Points, read_points
from rosenblatt.theory.proof import most_mistakes, unit_separator
from rosenblatt.theory.separability import (
    Separability,
    decide,
    epochs_with_classes,
    perceptron_vectors,
)

# Rounds in which u and γ are improved, and steps of conjugate gradients in each round.
ROUNDS = 25
STEPS = 25
# Above this number of values, one matrix product takes more than a few milliseconds, so there are
# fewer rounds and steps.
LARGE_TABLE_NUMBERS = 4_000_000
ROUNDS_ON_LARGE_TABLE = 8
STEPS_ON_LARGE_TABLE = 8
# Most scores, of every row by every vector, that are held in memory at a time.
SCORES_PER_BLOCK = 4_000_000
# With more scores than this, u is not improved.
MAX_SCORES = 20_000_000
# Thresholds of perceptrons that search for a margin among many classes, in units of R².
THRESHOLDS_IN_SQUARED_RADII = (1.0, 0.1)


@dataclass(frozen=True, eq=False)
class MistakeBound(ResultCard):
    """An upper bound on the mistakes of a perceptron, and the numbers in its formula.

    With a bias, R, γ, u and D are those of the rows with a 1 appended. With several classes, they
    are those of Kesler's construction, in which the vectors of all classes are stacked into one.

    Attributes
    ----------
    bound : float
        ``((R + D) / γ)²``: in no order of the rows does a perceptron make more mistakes. It is
        never below the true value of the formula, except that a value within 10⁻⁶ of an integer is
        rounded to it.
    theorem : {"Novikoff", "Freund and Schapire"}
        "Novikoff" if D is 0: the bound is ``R²/γ²`` and holds for any number of epochs.
    epochs : int or None
        The number of epochs that the bound is for; None if it holds for any number.
    radius : float
        R, the length of the longest row; with several classes √2 times that, because a mistake
        moves two vectors.
    margin : float
        γ. For separable rows, the margin of some vector of length 1; the largest if `closed`.
    margin_upper : float
        No vector of length 1 has a larger margin on all rows; 0 if they are not separable.
    closed : bool
        Whether ``margin`` is the largest margin, to one millionth.
    deviation : float
        D, the root of ``Σ max(0, γ - y u·x)²`` over all visits: how far the rows are from having
        the margin γ. The terms are hinge losses with γ instead of 1.
    u : ndarray of shape (n_features,), or (n_classes, n_features)
        The vector of length 1; a bias is its last entry.
    visits : int or None
        Rows times epochs, which is another upper bound; None if ``epochs`` is.
    unit_margin : float
        ``γ / R``, the margin after all rows are scaled into the unit sphere. If D is 0, the bound
        is also ``1 / unit_margin²``.
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
        """Return the bound for another number of epochs, with the same u and γ."""
        share = epochs / (self.epochs or epochs)
        length = self.radius + math.sqrt(share) * self.deviation
        bound = most_mistakes(length, self.margin, self.u.size)
        if self.visits is None:
            return bound
        return min(bound, share * self.visits)

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
    mistakes, in any number of epochs (Novikoff 1962). If the data are not linearly separable, any
    u and any γ > 0 give a bound: with ``D² = Σ max(0, γ - y u·x)²`` over all visits of rows there
    are at most ``((R + D)/γ)²`` mistakes (Freund and Schapire 1999, theorem 2). D grows with the
    number of epochs, and so does that bound. A few Newton steps on
    ``R‖v‖ + ‖max(0, 1 - y v·x)‖``, which is convex in ``v = u/γ``, choose u and γ to make it small.

    Both bounds hold for any order and number of rows, any dimension and any constant learning rate,
    for a perceptron without a margin that starts from zero weights. With a bias, R and γ are those
    of the augmented rows ``(x, 1)``. With a weight vector for each class, they are those of
    Kesler's construction: the vectors are stacked, and ``y u·x`` is the smallest difference between
    the right score and another one. The learner must then break ties (``ties="positive"``, see
    `rosenblatt.Perceptron`).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    epochs : int, default=1
        How often each row is visited, as in ``n_iter_`` of a learner. It makes no difference if the
        rows are separable.
    separator : pair (w, b) or object with attributes w and b, default=None
        Its direction is u. By default the best direction that is found.
    margin : float, default=None
        γ. By default the best for u.
    feature_map : callable or transformer, default=None
        Applied to X first; the bound is then that of the mapped rows.

    Returns
    -------
    MistakeBound

    Examples
    --------
    >>> from rosenblatt.theory import mistake_bound
    >>> found = mistake_bound([[3.0, 4.0], [-3.0, 4.0]], [1, -1], fit_intercept=False)
    >>> round(found.radius, 6), round(found.margin, 6), round(found.bound, 4), found.theorem
    (5.0, 3.0, 2.7778, 'Novikoff')

    With one wrong label there is no separator, but there is a bound for every number of epochs:

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
    """Return the bound for the best direction u that is found."""
    found = examples.largest_margin()
    if found.lower > 0 and margin is None:
        u = found.direction.reshape(examples.shape)
        u = u[0] if len(u) == 1 else u
        return MistakeBound(examples.radius, found.lower, found.upper, u)
    return examples.bound(examples.best_direction(epochs), epochs, margin, found.upper)


def separable_bound(
    X: Any,
    y: Any,
    fit_intercept: bool,
    epochs: int,
    verdict: Separability | ArgmaxSeparability,
) -> MistakeBound:
    """Return `mistake_bound` for rows whose verdict is already known."""
    examples = Examples(X, y, fit_intercept, None)
    examples.known_verdict = verdict
    return _found_bound(examples, epochs)


def overlap_bound(X: Any, y: Any, fit_intercept: bool, epochs: int) -> MistakeBound:
    """Return `mistake_bound` for rows that are known not to be separable."""
    examples = Examples(X, y, fit_intercept, None)
    return examples.bound(examples.best_direction(epochs), epochs)


class Examples:
    """Labelled rows of two or more classes, prepared for the computation of mistake bounds.

    ``k`` is the number of weight vectors: 1 for two classes, otherwise one per class.
    """

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
        self.shape = (self.k, self.points.n_dimensions)
        self.radius = longest(self.points, in_two_places=self.k > 1)
        # A cache for the verdict on the rows, which the caller may already have.
        self.known_verdict: Separability | ArgmaxSeparability | None = None

    def bound(
        self, u: FloatArray, epochs: int, margin: float | None = None, upper: float = math.inf
    ) -> MistakeBound:
        """Return the mistake bound for a unit vector u; ``upper`` bounds the largest margin."""
        margins = self.margins(u)
        gamma = float(margins.min()) if margin is None else margin
        if gamma <= 0:
            gamma = _best_margin(margins, self.radius, epochs)

        # D = √(epochs Σ max(0, γ - y u·x)²), with room for the rounding of the sum.
        hinge = float(np.linalg.norm(np.maximum(gamma - margins, 0.0) / gamma))
        deviation = gamma * math.sqrt(epochs) * hinge * (1 + (len(margins) + 8) * EPS)
        vector = u[0] if len(u) == 1 else u
        if not deviation:
            return MistakeBound(self.radius, gamma, upper, vector)
        return MistakeBound(
            self.radius,
            gamma,
            upper,
            vector,
            deviation=deviation,
            epochs=epochs,
            visits=epochs * len(margins),
        )

    def largest_margin(self) -> MarginInterval:
        """Return bounds on the largest margin, and a direction that attains the lower bound."""
        start = int(np.argmin(self.points.squared_norms()))
        if self.k == 1:
            return largest_margin(PointHull(self.points), start, self.radius, self._verdict)

        hull = PairHull(self.rows, self.labels, self.k)
        if hull.least_work > MAX_WORK:
            return self._known_margin([])
        # The shortest row against a wrong class.
        start_key = start * self.k + (0 if self.labels[start] else 1)
        found = largest_margin(hull, start_key, self.radius, self._verdict, MAX_WORK)
        if math.isinf(found.upper):
            return self._known_margin([found.direction.reshape(self.shape)])
        return found

    def _known_margin(self, directions: list[FloatArray]) -> MarginInterval:
        """Return the margin of the best known separator, if the largest takes too long to find.

        The candidates are ``directions``, the separator of the verdict and the weights of
        perceptrons with a margin threshold. With the threshold R² a perceptron ends at a third of
        the largest margin or more; with less it ends sooner.
        """
        verdict = self._verdict()
        best = MarginInterval(0.0, math.inf, np.zeros(self.shape), [])
        if verdict.separable is False and verdict.conflict is not None:
            return replace(best, upper=0.0, conflict=verdict.conflict.rows)

        candidates = list(directions)
        epochs = epochs_with_classes(self.rows, self.k)
        for share in THRESHOLDS_IN_SQUARED_RADII:
            threshold = share * self.radius**2
            trained, converged = perceptron_vectors(
                self.rows, self.labels, self.k, epochs, tol=None, threshold=threshold
            )
            if trained is not None:
                candidates.append(trained)
            if converged:
                break
        if isinstance(verdict, ArgmaxSeparability) and verdict.coef is not None:
            assert verdict.intercept is not None
            candidates.append(np.column_stack([verdict.coef, verdict.intercept]))

        for vectors in candidates:
            # Divided by the largest entry first, so that no square overflows.
            largest = float(np.abs(vectors).max())
            direction = vectors[:, : self.shape[1]] / (largest or 1.0)
            direction = direction / (float(np.linalg.norm(direction)) or 1.0)
            lower = float(self.margins(direction).min())
            if lower > best.lower:
                best = replace(best, lower=lower, direction=direction)
        return best

    def _verdict(self) -> Separability | ArgmaxSeparability:
        if self.known_verdict is None:
            classes = tuple(self.classes.tolist())
            if self.k > 1:
                self.known_verdict = decide_argmax(self.points, self.labels, classes)
            else:
                self.known_verdict = decide(self.points, classes)
        return self.known_verdict

    def _margins_and_signs(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the margin of each row, and the coefficient of each weight vector in it.

        With several classes, the margin is the score of the right class minus that of its best
        rival.
        """
        scores = self.rows.products(V)
        if self.k == 1:
            return self.points.signs * scores[:, 0], self.points.signs[:, None]

        index = np.arange(len(scores))
        rival_scores = scores.copy()
        rival_scores[index, self.labels] = -np.inf
        rival = rival_scores.argmax(axis=1)
        signs = np.zeros(scores.shape)
        signs[index, rival] = -1.0
        if not V.any():
            # All rivals tie, so they share the blame.
            signs[:] = -1.0 / (self.k - 1)
        signs[index, self.labels] = 1.0
        return scores[index, self.labels] - scores[index, rival], signs

    def margins(self, V: FloatArray) -> FloatArray:
        """Return a lower bound on the margin of each row: the float less its rounding error."""
        margins = np.empty(len(self.rows))
        block = max(1, SCORES_PER_BLOCK // self.k)
        for start in range(0, len(margins), block):
            chosen = np.arange(start, min(start + block, len(margins)))
            rows = self.rows.subset(chosen)
            scores = rows.products(V)
            sizes = rows.term_sizes(V).max(axis=1)
            if self.k == 1:
                margins[chosen] = self.points.signs[chosen] * scores[:, 0]
            else:
                # A difference of two scores has twice the rounding error.
                sizes = 2 * sizes
                index = np.arange(len(chosen))
                own = scores[index, self.labels[chosen]]
                scores[index, self.labels[chosen]] = -np.inf
                margins[chosen] = own - scores.max(axis=1)
            margins[chosen] -= (self.shape[1] + 6) * EPS * sizes
        return np.asarray(margins - 1e-300)

    def best_direction(self, epochs: int) -> FloatArray:
        """Return a direction that approximately minimises the mistake bound.

        It is that of a v with a small ``R‖v‖ + √epochs ‖max(0, 1 - margins)‖``. Each round
        minimises ``λ‖v‖² + ‖1 - margins‖²`` over the rows with a margin below 1, with the λ for
        which it touches that objective at the current v. All rows are divided by R meanwhile. For
        very many rows and classes `_mean_direction` is returned, since any direction has a bound.
        """
        if self.k > 1 and len(self.labels) * self.k > MAX_SCORES:
            return self._mean_direction()
        scale = self.radius or 1.0
        root = math.sqrt(epochs)
        is_large = self.k * self.points.n_stored > LARGE_TABLE_NUMBERS
        n_rounds = ROUNDS_ON_LARGE_TABLE if is_large else ROUNDS
        n_steps = STEPS_ON_LARGE_TABLE if is_large else STEPS

        V = np.zeros(self.shape)
        penalty = 1.0
        smallest = math.inf
        best = np.eye(1, V.size).reshape(self.shape)
        for _ in range(n_rounds):
            margins, signs = self._margins_and_signs(V / scale)
            shortfall = np.maximum(1.0 - margins, 0.0)
            length = float(np.linalg.norm(V))
            objective = length + root * float(np.linalg.norm(shortfall))
            if length and objective < smallest:
                smallest = objective
                best = V / length
            if length and shortfall.any():
                penalty = float(np.linalg.norm(shortfall)) / (root * length)
            active = signs * (shortfall > 0)[:, None] / scale
            matrix = partial(self._curvature, penalty, active)
            V = _conjugate_gradients(matrix, self._weighted_sums(active), V, n_steps)
            if not V.any():
                break
        return best

    def _mean_direction(self) -> FloatArray:
        """Return the normalized sums of the classes, each minus the mean of the other sums."""
        X = self.points.X
        d = X.shape[1]
        sums = np.zeros((self.k, d + 1))
        if isinstance(X, SparseRows):
            np.add.at(sums, (self.labels[X.row_numbers()], X.indices), X.data)
        else:
            np.add.at(sums[:, :d], self.labels, X)
        sums[:, d] = np.bincount(self.labels, minlength=self.k)

        sums = sums[:, : self.shape[1]] / (self.radius or 1.0)
        sums -= (sums.sum(axis=0) - sums) / (self.k - 1)
        length = float(np.linalg.norm(sums))
        return sums / length if length else np.eye(1, sums.size).reshape(self.shape)

    def _curvature(self, penalty: float, active: FloatArray, V: FloatArray) -> FloatArray:
        """Multiply v by the matrix of one round: ``λ v + Σ (z·v) z`` over the active points z."""
        products = (active * self.rows.products(V)).sum(axis=1)
        return penalty * V + self._weighted_sums(active * products[:, None])

    def _weighted_sums(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sum of the rows for each column of ``weights``."""
        sums = np.column_stack([weights.T @ self.points.X, weights.sum(axis=0)])
        return sums[:, : self.shape[1]]


def _conjugate_gradients(
    matrix: Callable[[FloatArray], FloatArray], right: FloatArray, start: FloatArray, n_steps: int
) -> FloatArray:
    """Solve ``matrix(v) = right`` approximately by a few steps of conjugate gradients."""
    v = start
    residual = right - matrix(start)
    direction = residual
    squared = float(np.sum(residual * residual))
    for _ in range(n_steps):
        if squared <= 1e-20 * float(np.sum(right * right)):
            break
        image = matrix(direction)
        step = squared / float(np.sum(direction * image))
        v = v + step * direction
        residual = residual - step * image
        previous = squared
        squared = float(np.sum(residual * residual))
        direction = residual + squared / previous * direction
    return v


def _best_margin(margins: FloatArray, radius: float, epochs: int) -> float:
    """Return the γ that minimises ``(R + D)/γ``.

    The objective is convex in ``t = R/γ``, so golden-section search finds its minimum.
    """
    scale = radius or 1.0

    def objective(t: float) -> float:
        shortfall = np.maximum(1 - t * margins / scale, 0.0)
        return t + math.sqrt(epochs) * float(np.linalg.norm(shortfall))

    low = 0.0
    # Beyond this t, the term t exceeds the objective at 0.
    high = math.sqrt(epochs * len(margins))
    ratio = (math.sqrt(5.0) - 1) / 2
    for _ in range(80):
        a = high - ratio * (high - low)
        b = low + ratio * (high - low)
        if objective(a) <= objective(b):
            high = b
        else:
            low = a
    return scale / max((low + high) / 2, 1e-3)


def alma_bound(margin: float, alpha: float = 0.9) -> float:
    """Bound the updates of ALMA: ``2/γ² · (2/alpha - 1)² + 8/alpha - 4``.

    Let a w of length 1 have ``y (w·x) / ‖x‖ >= γ > 0`` on every row. Then `rosenblatt.ALMA` with
    ``B = √8/alpha`` and ``C = √2``, starting from zero weights and without sample weights, makes at
    most this many updates, in any order of the rows and any number of epochs. After an epoch
    without an update, every row has a margin ``y (w·x) / ‖x‖`` of at least ``(1 - alpha) γ``
    (Gentile 2001, theorem 3, with p = 2). With a bias, the rows have a 1 appended.

    Parameters
    ----------
    margin : float
        γ for rows of length 1, so at most 1.
    alpha : float, default=0.9
        The share of γ that may be missed, from 0 to 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from rosenblatt.theory import alma_bound
    >>> [round(alma_bound(0.1, alpha)) for alpha in (0.9, 0.5, 0.1)]
    [304, 1812, 72276]
    """
    gamma = float(checks.number("margin", margin, above=0.0, at_most=1.0))
    share = float(checks.number("alpha", alpha, above=0.0, at_most=1.0))
    return 2.0 / gamma**2 * (2.0 / share - 1.0) ** 2 + 8.0 / share - 4.0
