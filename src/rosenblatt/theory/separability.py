"""Separability of two classes: a verdict with its proof, and the kind of separation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IndexArray
from rosenblatt.engine.rows.rows import score
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import InputError, OverflowRefused
from rosenblatt.geometry import Hyperplane
from rosenblatt.html_tables import ResultCard
from rosenblatt.models.linear_training import train
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.models.weights import Weights
from rosenblatt.theory.certificates import (
    CertificateError,
    Conflict,
    check_conflict,
    check_separator,
)
from rosenblatt.theory.exact import (
    MAX_EFFORT,
    MAX_POINTS,
    effort,
    exact_weights,
    inner,
    install_hint,
    max_bits,
    max_effort,
    max_points,
    nearest_shares,
    null_space,
    scaled_to_one,
    to_integers,
)
from rosenblatt.theory.nearest import Hull, Nearest, nearest_point
from rosenblatt.theory.points import (
    ExactHull,
    FeatureMap,
    PointHull,
    Points,
    read_points,
    to_floats,
)

# A nearest point shorter than this share of the longest row is the origin, up to rounding.
ORIGIN = 1e-12
# Values that the perceptron may read before Wolfe's method takes over. With several classes, values
# that it may multiply by a weight: more, because Wolfe's method takes far longer there.
PERCEPTRON_WORK = 4_000_000
PERCEPTRON_WORK_WITH_CLASSES = 20_000_000_000
MIN_EPOCHS = 3
MAX_EPOCHS = 300
MAX_EPOCHS_WITH_CLASSES = 1000
# Limit on the float products that are spent on rounding an exact separator.
MAX_ROUNDING_PRODUCTS = 100_000_000
# Most values in a dense table of points for which equations are solved.
MAX_TABLE_NUMBERS = 20_000_000
# Cost of converting one value of a point to an integer, in units of `effort`.
EFFORT_PER_NUMBER = 3_000
# Most pairs of rows with equal codes that are compared.
MAX_COMPARED_PAIRS = 1000
NO_FLOATS = "separable as `direction` proves, but by no floats that were found"


@dataclass(frozen=True)
class Separation:
    """The kind of separation, with its proof if the rows are not separable."""

    kind: str
    direction: tuple[Fraction, ...] | None = None
    overlap: Conflict | None = None


@dataclass(frozen=True)
class Verdict(ResultCard):
    """Base class of verdicts on separability, of two classes or several."""

    verdict: str
    classes: tuple[Hashable, ...]
    detail: str = ""
    conflict: Conflict | None = None
    # A separator in exact numbers, if none in floats was found.
    _exact: tuple[Fraction, ...] | None = field(default=None, repr=False)

    @property
    def separable(self) -> bool | None:
        """Whether the classes are separable; None if neither answer could be proven."""
        return {"separable": True, "not separable": False}.get(self.verdict)

    def __bool__(self) -> bool:
        if self.separable is None:
            raise InputError(f"undecided, so neither true nor false: {self.detail}")
        return self.separable

    def _headline(self) -> str:
        return self.verdict

    def _nothing_to_check(self) -> str:
        reason = self.detail or f"the verdict is {self.verdict!r}, and nothing comes with it"
        return f"there is nothing to check: {reason}"

    def _classify_inseparable(self) -> Separation:
        """Return the kind of separation of rows that are not separable."""
        raise NotImplementedError

    @cached_property
    def _separation(self) -> Separation:
        if self.separable is False:
            return self._classify_inseparable()
        return Separation("complete" if self.separable else "undecided", self._exact)

    @property
    def separation(self) -> str:
        """The kind of separation, computed in exact arithmetic on first access."""
        return self._separation.kind

    @property
    def direction(self) -> tuple[Fraction, ...] | None:
        """The proof of "quasi-complete": a plane with no row on the wrong side and some off it.

        It is also the separator of rows for which no floats were found. It holds the weights and,
        with a bias, the bias; with several classes, those of each class in turn.
        """
        return self._separation.direction

    @property
    def overlap(self) -> Conflict | None:
        """The proof of "none": a conflict whose rows span all rows as linear combinations."""
        return self._separation.overlap


@dataclass(frozen=True)
class Separability(Verdict):
    """Verdict on the separability of two classes, with its proof.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        The proven answer, or "undecided".
    separation : {"complete", "quasi-complete", "none", "undecided"}
        Rows that are not separable may still be separable except for ties: "quasi-complete" means
        that some ``(w, b)`` has ``y (w·x + b) >= 0`` for every row and above 0 for some, and
        ``direction`` is the proof. "none" means that there is no such ``(w, b)``, and ``overlap``
        is the proof (Albert and Anderson 1984). Logistic regression has finite weights only in this
        last case. With more than 80 weights it may be "undecided", because exact arithmetic takes
        too long.
    hyperplane : Hyperplane or None
        A hyperplane with every row strictly on its side, if the rows are separable. It is None if
        no floats were found that separate the rows; ``direction`` then does so in exact numbers.
    conflict : Conflict or None
        Rows and weights that rule out a separator, if the rows are not separable.
    detail : str
        For an undecided verdict, a margin that no separator exceeds.
    classes : tuple
        The two classes; the second is on the positive side.
    """

    hyperplane: Hyperplane | None = None
    # The points that the proof is about.
    _points: Points | None = field(default=None, repr=False)

    def _classify_inseparable(self) -> Separation:
        if self._points is None:
            return Separation("undecided")
        return classify_separation(self._points, self.conflict)

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; return True, or raise `CertificateError`.

        The certificate must prove the verdict itself; other certificates are ignored.
        """
        points = self._points
        if points is None:
            raise CertificateError(self._nothing_to_check())
        if self.separable is True and self.hyperplane is not None:
            check_separator(points.X, points.signs, self.hyperplane.w, self.hyperplane.b)
        elif self.separable is True and self._exact is not None:
            w, b = points.split_bias(self._exact)
            check_separator(points.X, points.signs, w, b)
        elif self.separable is False and self.conflict is not None:
            check_conflict(points.X, points.signs, points.fit_intercept, self.conflict)
        else:
            raise CertificateError(self._nothing_to_check())
        return True


def separability(
    X: Any, y: Any, fit_intercept: bool = True, *, feature_map: FeatureMap = None
) -> Any:
    """Decide whether a hyperplane separates the classes, with a certificate for either answer.

    Rows are separable if there are w and b with ``y (w·x + b) > 0`` for every row (without a bias:
    ``y w·x > 0``). If there are none, some rows have positive weights for which the weighted sum of
    ``y (x, 1)`` is 0 (Gordan's alternative): at that point the convex hulls of the two classes
    meet. At most d + 2 rows are needed for it.

    A few epochs of the perceptron are tried first. If they do not separate the rows, the nearest
    point to the origin in the hull of all ``y (x, 1)`` decides (Wolfe's method). Each round takes
    one product with some rows of X, and there are rarely more rounds than a few times d.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels. More than two classes are separable if some scores are highest for the right
        class on every row (argmax separability).
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    feature_map : callable or transformer, default=None
        Applied to X first; the verdict is about the mapped rows.

    Returns
    -------
    Separability or ArgmaxSeparability
        The ``verdict``, its certificate, and ``verify()``, which checks the certificate in exact
        arithmetic. It is true in a condition if the rows are separable.

    Examples
    --------
    Exclusive or is not separable, and four rows prove it: the mean of the first and the last is
    the mean of the other two.

    >>> from rosenblatt.theory import separability
    >>> verdict = separability([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])
    >>> verdict.verdict, verdict.conflict, verdict.verify()
    ('not separable', <Conflict of 4 rows>, True)
    >>> [str(weight) for weight in verdict.conflict.weights]
    ['1/4', '1/4', '1/4', '1/4']

    With the product of the two as a third feature it is.

    >>> lifted = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]
    >>> separability(lifted, ["no", "yes", "yes", "no"]).verdict
    'separable'
    """
    points, classes = read_points(X, y, fit_intercept, feature_map)
    if len(classes) > 2:
        # Imported here because that module builds on this one.
        from rosenblatt.theory.argmax import decide_argmax

        labels = np.searchsorted(classes, np.asarray(y))
        return decide_argmax(points, labels, tuple(classes.tolist()))
    if len(classes) < 2 and len(points) > 1:
        raise InputError(
            f"y holds only one class, {classes.tolist()[0]!r}: there is nothing to separate it "
            "from. Give rows of at least two classes."
        )
    return decide(points, tuple(classes.tolist()))


def decide(
    points: Points,
    classes: tuple[Hashable, ...],
    exact_points: Callable[[IndexArray], AnyArray] | None = None,
) -> Separability:
    """Return the verdict on points of two classes, of which the last is the positive one.

    If the points are rounded, ``exact_points`` is a function that returns chosen ones as fractions.
    """
    if exact_points is None:
        twins = find_contradicting_twins(points, points.signs)
        if twins is not None:
            return _inseparable(points, dict.fromkeys(twins, Fraction(1, 2)), classes)

    # Most separable rows are separated by a few epochs of the perceptron.
    epochs = PERCEPTRON_WORK // max(1, points.n_stored)
    epochs = int(np.clip(epochs, MIN_EPOCHS, MAX_EPOCHS))
    vectors, converged = perceptron_vectors(points, points.signs > 0, 1, epochs, tol=1e-3)
    if vectors is not None and converged:
        found = _separated(points, vectors[0], classes)
        if found is not None:
            return found

    # With at most as many rows as dimensions, a linear system has a solution in most cases.
    scaled = points.balanced()
    if exact_points is None and can_solve_equations(scaled):
        vectors = vectors_by_equations(scaled, np.ones((len(scaled), 1)))
        if vectors is not None:
            found = _separated(points, scaled.unscaled(vectors[0]), classes)
            if found is not None:
                return found

    # Otherwise Wolfe's method finds a separator or the points of a conflict in floats.
    nearest = nearest_point(PointHull(scaled), 0, is_decided(scaled.n_dimensions))
    if nearest.lower > 0:
        found = _separated(points, scaled.unscaled(nearest.point), classes)
        if found is not None:
            return found

    # Exact arithmetic turns them into a proof.
    if exact_points is not None:
        weights = exact_weights(exact_points(np.array(nearest.keys)).tolist())
        if weights is not None:
            return _inseparable(points, dict(zip(nearest.keys, weights, strict=True)), classes)
    else:
        nearest.weights = nearest.weights * np.abs(scaled.signs[nearest.keys])
        proof = exact_alternative(PointHull(points), nearest)
        if proof.weights is not None:
            return _inseparable(points, proof.weights, classes)
        if proof.separator is not None:
            return _separated_exactly(points, proof.separator, classes)
    detail = undecided_detail(PointHull(points), nearest)
    return Separability("undecided", classes, detail, _points=points)


def is_decided(n_dimensions: int) -> Callable[[Nearest], bool]:
    """Return a stopping test: balanced points have a separator, or the origin in their hull."""
    longest = float(np.sqrt(n_dimensions))
    return lambda now: now.upper <= ORIGIN * longest or now.lower > ORIGIN


def float_roundings(v: list[int], n_points: int) -> Iterator[FloatArray]:
    """Yield an exact vector, scaled to different lengths and rounded to floats.

    Each length is rounded differently, so one of them may separate even if others do not.
    """
    n_tries = int(np.clip(MAX_ROUNDING_PRODUCTS // (n_points * len(v)), 1, 64))
    for factor in range(64, 64 + n_tries):
        yield to_floats([factor * entry for entry in v])[0]


class Alternative(NamedTuple):
    """A proof of one side of Gordan's alternative; both fields are None if the search gave up."""

    # Positive weights, by key, with sum 1: the weighted sum of these points is 0.
    weights: dict[int, Fraction] | None = None
    # A vector whose product with every point is above 0.
    separator: list[int] | None = None


def exact_alternative(hull: ExactHull, near: Nearest) -> Alternative:
    """Decide Gordan's alternative in exact arithmetic, starting from the result in floats."""
    keys = list(near.keys)
    if len(keys) > max_points():
        return Alternative()
    points, _ = hull.to_integers(keys)
    exact = exact_weights(points)
    if exact is not None:
        return Alternative(weights=dict(zip(keys, exact, strict=True)))

    # Wolfe's method in integers.
    weights: list[float | Fraction] = near.weights.tolist()
    effort_left = max_effort()
    seen = set[frozenset[int]]()
    while effort_left > 0:
        # Products of two points have twice as many bits as the points.
        effort_left -= effort(len(keys) + 1, 2 * max_bits(points))
        effort_left -= EFFORT_PER_NUMBER * len(keys) * len(points[0])
        shares_by_index = nearest_shares(points, weights)
        if shares_by_index is None:
            return Alternative()
        shares = list(shares_by_index.values())
        total = sum(shares)
        kept = [points[index] for index in shares_by_index]
        keys = [keys[index] for index in shares_by_index]
        mean = [sum(map(mul, shares, column)) for column in zip(*kept, strict=True)]
        if not any(mean):
            fractions = [Fraction(share, total) for share in shares]
            return Alternative(weights=dict(zip(keys, fractions, strict=True)))

        key, product = hull.lowest_exactly(to_integers(mean))
        if product > 0:
            return Alternative(separator=mean)
        # Every mean is nearer than the one before, unless rounded shares led back to it.
        if key in keys or frozenset(keys) in seen:
            return Alternative()
        seen.add(frozenset(keys))
        keys = [*keys, key]
        weights = [*(Fraction(share, total) for share in shares), 0.0]
        points, _ = hull.to_integers(keys)
    return Alternative()


def perceptron_vectors(
    points: Points,
    labels: AnyArray,
    n_vectors: int,
    epochs: int,
    *,
    tol: float | None,
    threshold: float = 0.0,
) -> tuple[FloatArray | None, bool]:
    """Train a perceptron for a few epochs; return its weight vectors and whether it converged.

    It also learns from rows whose margin is not above ``threshold``. The vectors are None if the
    weights overflow.
    """
    rows = as_rows(points.X, np.float64)
    inspect(rows)
    weights = Weights(n_vectors, points.X.shape[1], fit_intercept=points.fit_intercept)
    rule = Rule("perceptron", threshold=threshold)
    numbers = labels.astype(np.int32)
    try:
        run = train(weights, rule, rows, numbers, max_iter=epochs, tol=tol)
    except OverflowRefused:
        # Wolfe's method scales the points and has no such limit.
        return None, False
    vectors = np.asarray(weights.matrix)
    if points.fit_intercept:
        vectors = np.column_stack([vectors, weights.bias])
    return vectors, run.converged


def epochs_with_classes(points: Points, n_classes: int) -> int:
    """Return the limit on the epochs of a perceptron with several classes."""
    epochs = PERCEPTRON_WORK_WITH_CLASSES // max(1, points.n_stored * n_classes)
    return int(np.clip(epochs, MIN_EPOCHS, MAX_EPOCHS_WITH_CLASSES))


def can_solve_equations(points: Points) -> bool:
    """Return whether there are at most as many points as dimensions, and they fit into memory."""
    n = len(points)
    d = points.n_dimensions
    return n <= d and n * d <= MAX_TABLE_NUMBERS


def vectors_by_equations(points: Points, products: FloatArray) -> FloatArray | None:
    """Return the least-norm solutions v of ``Z vᵀ = products`` for the matrix Z of all points.

    They are combinations of the points, ``v = aᵀ Z`` with ``Z Zᵀ a = products``. Each column of
    ``products`` gives one vector. Return None if the equations have no unique solution.
    """
    Z = points.take(np.arange(len(points)))
    try:
        shares = np.linalg.solve(Z @ Z.T, products)
    except np.linalg.LinAlgError:
        return None
    vectors = shares.T @ Z
    return vectors if np.isfinite(vectors).all() else None


def _separated(points: Points, v: FloatArray, classes: tuple[Hashable, ...]) -> Separability | None:
    """Return the verdict that v separates the points, or None if v fails the exact check."""
    if not v.any():
        return None  # as a system of equations with hardly a solution may give
    d = points.X.shape[1]
    w, b = points.split_bias(v)
    if not w.any():
        # A single row needs only a bias, but a hyperplane needs weights: take weights so small that
        # they do not change the side of the row.
        size = max(1.0, float(np.abs(points.take(np.arange(1))).sum()))
        w = np.full(d, abs(b) * 1e-9 / size)
    hyperplane = Hyperplane(w, b)
    try:
        check_separator(points.X, points.signs, hyperplane.w, hyperplane.b)
    except CertificateError:
        return None
    return Separability("separable", classes, hyperplane=hyperplane, _points=points)


def _separated_exactly(
    points: Points, separator: list[int], classes: tuple[Hashable, ...]
) -> Separability:
    """Return the verdict "separable" with a separator in floats, or else in exact numbers."""
    for v in float_roundings(separator, len(points)):
        found = _separated(points, v, classes)
        if found is not None:
            return found
    exact = tuple(scaled_to_one(separator))
    return Separability("separable", classes, NO_FLOATS, _exact=exact, _points=points)


def _inseparable(
    points: Points, weights: dict[int, Fraction], classes: tuple[Hashable, ...]
) -> Separability:
    """Return the verdict "not separable" with the conflict of the weighted rows."""
    rows = tuple(sorted(weights))
    conflict = Conflict(rows, tuple(weights[row] for row in rows))
    return Separability("not separable", classes, conflict=conflict, _points=points)


def undecided_detail(hull: Hull, near: Nearest) -> str:
    """Describe an undecided verdict by an upper bound on the margin of any separator."""
    members = np.array([hull.point(key) for key in near.keys])
    size = float(np.abs(members).max()) or 1.0
    lengths = np.linalg.norm(members / size, axis=1)
    weights = near.weights / near.weights.sum()
    bound = float(np.linalg.norm(weights @ (members / size)))
    # The float sum itself may have lost this much.
    bound += 4 * len(members) * np.finfo(np.float64).eps * float(lengths.max())
    hint = "" if len(near.keys) <= max_points() else install_hint()
    return f"no separator has a margin above {bound * size:.3g}, and none was found{hint}"


def find_contradicting_twins(points: Points, labels: AnyArray) -> tuple[int, int] | None:
    """Find two equal rows with different labels, the simplest conflict; None if there are none."""
    if not points.fit_intercept and not len(points) > 1:
        return None
    # Equal rows have equal products with a random vector. After sorting they are neighbours.
    random = np.random.default_rng(0).standard_normal((1, points.X.shape[1]))
    codes = score(as_rows(points.X, np.float64), random, np.zeros(1))
    order = np.lexsort((labels, codes))
    sorted_codes = codes[order]
    sorted_labels = labels[order]
    is_candidate = (sorted_codes[1:] == sorted_codes[:-1]) & (
        sorted_labels[1:] != sorted_labels[:-1]
    )

    for place in np.flatnonzero(is_candidate)[:MAX_COMPARED_PAIRS]:
        pair = order[place : place + 2]
        a, b = points.signs[pair][:, None] * points.take(pair)
        if np.array_equal(a, b):
            first, second = sorted(pair.tolist())
            return first, second
    return None


# ---------------------------------------------------------------------- the kind of separation


def classify_separation(points: Points, conflict: Conflict | None) -> Separation:
    """Distinguish "quasi-complete" from "none" for points that have a conflict.

    If ``z·v >= 0`` for every point, then ``z·v = 0`` for the points of a conflict, because their
    weighted sum is 0. So v is orthogonal to them. In that smaller space, the other points either
    have a separator, which is v, or another conflict, which joins the first. Each round leaves
    fewer dimensions. When none is left, the conflict spans all points, and v is 0 on all of them.
    """
    if conflict is None or points.n_dimensions > MAX_POINTS:
        return Separation("undecided")
    rows = list(conflict.rows)
    weights = [Fraction(weight) for weight in conflict.weights]
    for _ in range(points.n_dimensions + 1):
        members = points.take(np.array(rows)).tolist()
        if effort(points.n_dimensions, max_bits(map(to_integers, members))) > MAX_EFFORT:
            return Separation("undecided")
        basis = [scaled_to_one(v) for v in null_space(members, points.n_dimensions)]
        outside, coordinates = _points_outside(points, basis)
        if not len(outside):
            return Separation("none", overlap=Conflict(tuple(rows), tuple(weights)))

        # The other points, in coordinates of the orthogonal space.
        projected = Points(coordinates, np.ones(len(coordinates)), fit_intercept=False)
        found = decide(projected, (), _ExactCoordinates(points, outside, basis))
        if found.hyperplane is not None:
            return _quasi_complete(points, basis, found.hyperplane)
        if found.conflict is None:
            return Separation("undecided")

        # Join the two conflicts, so that the weighted sum of all their points is 0.
        more = outside[list(found.conflict.rows)]
        columns = zip(*points.take(more).tolist(), strict=True)
        rest = [inner(column, found.conflict.weights) for column in columns]
        weights = _weights_that_cancel(members, weights, rest) + list(found.conflict.weights)
        rows += more.tolist()
        total = sum(weights, start=Fraction(0))
        weights = [weight / total for weight in weights]
    return Separation("undecided")


@dataclass(frozen=True)
class _ExactCoordinates:
    """Callable that returns chosen points as fractions in the coordinates of a basis."""

    points: Points
    rows: IndexArray
    basis: list[list[Fraction]]

    def __call__(self, chosen: IndexArray) -> AnyArray:
        members = self.points.take(self.rows[chosen]).tolist()
        coordinates = [[inner(z, v) for v in self.basis] for z in members]
        return np.array(coordinates, object)


def _quasi_complete(
    points: Points, basis: list[list[Fraction]], hyperplane: Hyperplane
) -> Separation:
    """Convert a hyperplane in the coordinates of a basis to a quasi-complete separation.

    The separation is "undecided" if the hyperplane fails the exact check.
    """
    shares = [Fraction(share) for share in hyperplane.w.tolist()]
    direction = scaled_to_one([inner(entries, shares) for entries in zip(*basis, strict=True)])
    w, b = points.split_bias(direction)
    try:
        check_separator(points.X, points.signs, w, b, strict=False)
    except CertificateError:
        return Separation("undecided")
    return Separation("quasi-complete", direction=tuple(direction))


def _points_outside(points: Points, basis: list[list[Fraction]]) -> tuple[IndexArray, FloatArray]:
    """Return the indices of the points not orthogonal to a basis, and their products with it."""
    if not basis:
        return np.empty(0, np.intp), np.empty((0, 0))
    vectors = np.array(basis, np.float64)
    products = np.column_stack([points.products(v) for v in vectors])
    rounding = np.column_stack([points.rounding(v) for v in vectors])

    # Fractions decide the points whose products may be rounding only.
    is_outside = np.asarray((np.abs(products) > rounding).any(axis=1))
    for row in np.flatnonzero(~is_outside):
        z = points.take(np.array([row]))[0].tolist()
        is_outside[row] = any(inner(z, v) for v in basis)
    outside = np.flatnonzero(is_outside)
    return outside, products[outside]


def _weights_that_cancel(
    members: list[list[float]], weights: list[Fraction], rest: list[Fraction]
) -> list[Fraction]:
    """Return positive weights with which the members sum to ``-rest``, which is in their span.

    The members sum to 0 with the weights given, so any multiple of these can be added.
    """
    columns = zip(*members, rest, strict=True)
    particular = null_space(columns, len(members) + 1)[-1][:-1]
    multiple = max(-a / b for a, b in zip(particular, weights, strict=True)) + 1
    multiple = max(multiple, Fraction(0))
    return [a + multiple * b for a, b in zip(particular, weights, strict=True)]
