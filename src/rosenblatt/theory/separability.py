"""Is there a hyperplane between the classes? A verdict that comes with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import FloatArray
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.training import train
from rosenblatt.core.weights import Weights
from rosenblatt.errors import InputError, OverflowRefused
from rosenblatt.geometry import Hyperplane
from rosenblatt.html_tables import ResultCard
from rosenblatt.theory.certificates import (
    CertificateError,
    Conflict,
    check_conflict,
    check_separator,
)
from rosenblatt.theory.exact import (
    effort,
    exact_weights,
    how_to_get_more,
    integers,
    longest_of,
    most_effort,
    most_points,
    settled,
    shortened,
)
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import FeatureMap, PointHull, Points, floats, read_points

if TYPE_CHECKING:
    from rosenblatt.theory.separation import Separation

# A nearest point shorter than this share of the longest row is the origin, up to rounding.
ORIGIN = 1e-12
# So many values the perceptron may read before the thorough method takes over; with several classes
# so many it may multiply with a weight, which the thorough method takes far longer for.
PERCEPTRON_WORK = 4_000_000
PERCEPTRON_WORK_OF_CLASSES = 20_000_000_000
# It sees every row so often at least, and at most; rows of several classes more often.
FEWEST_EPOCHS, MOST_EPOCHS, MOST_EPOCHS_OF_CLASSES = 3, 300, 1000
# So many products of floats are tried to round a separator that is known exactly.
MOST_PRODUCTS = 100_000_000
# So many numbers of points are written out to solve equations with them.
MOST_WRITTEN_OUT = 20_000_000
# To write a number of a point out takes about as long as so many units of `effort`.
EFFORT_OF_WRITING = 3_000
NO_FLOATS = "separable as `direction` proves, but by no floats that were found"


@dataclass(frozen=True)
class Verdict(ResultCard):
    """What a verdict on two classes and one on several have in common."""

    verdict: str
    classes: tuple[Any, ...]
    detail: str = ""
    conflict: Any = None
    # A separator in whole numbers, where none in floats was found.
    _exact: tuple[Fraction, ...] | None = field(default=None, repr=False)

    @property
    def separable(self) -> bool | None:
        """True, False, or None where neither could be proven."""
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

    def _closer_look(self) -> Separation:
        """How far from separable rows are that are not."""
        raise NotImplementedError

    @cached_property
    def _separation(self) -> Separation:
        from rosenblatt.theory.separation import Separation  # which builds on this file

        if self.separable is False:
            return self._closer_look()
        return Separation("complete" if self.separable else "undecided", self._exact)

    @property
    def separation(self) -> str:
        """The kind of separation; worked out, and checked in exact arithmetic, when asked for."""
        return self._separation.kind

    @property
    def direction(self) -> tuple[Fraction, ...] | None:
        """What proves "quasi-complete": no row is on the wrong side of it, and not all are on it.

        Also what separates rows that no floats were found for. The weights and, with a bias, the
        bias; with several classes those of each, one after the other.
        """
        return self._separation.direction

    @property
    def overlap(self) -> Conflict | None:
        """What proves "none": a conflict of rows of which every row is a linear combination."""
        return self._separation.overlap


@dataclass(frozen=True)
class Separability(Verdict):
    """A verdict on two classes and what proves it.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        What is known.
    separation : {"complete", "quasi-complete", "none", "undecided"}
        Rows that are not separable may be so but for ties: "quasi-complete" if some ``(w, b)`` has
        ``y (w·x + b) >= 0`` for every row and above 0 for some, as ``direction`` shows; "none" if
        there is nothing of the kind, as ``overlap`` shows (Albert and Anderson 1984). Logistic
        regression has finite weights in the last case alone. "undecided" also with more than 80
        weights, where exact arithmetic takes too long.
    hyperplane : Hyperplane or None
        One with every row strictly on its side, if the rows are separable; None also where no
        floats were found that do so: ``direction`` then does, in whole numbers.
    conflict : Conflict or None
        Rows and weights that rule a separator out, if they are not.
    detail : str
        Of an undecided verdict: above what no separator has a margin.
    classes : tuple
        The two classes; the second is on the positive side.
    """

    hyperplane: Hyperplane | None = None
    _points: Any = field(default=None, repr=False)

    def _closer_look(self) -> Separation:
        from rosenblatt.theory.separation import separation_of

        return separation_of(self._points, self.conflict)

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; True, or an error that names the row."""
        points = self._points
        # What is proven must be what the verdict says, whatever else is there.
        if self.separable is True and self.hyperplane is not None:
            check_separator(points.X, points.signs, self.hyperplane.w, self.hyperplane.b)
        elif self.separable is True and self._exact is not None:
            w, b = points.parts(self._exact)
            check_separator(points.X, points.signs, w, b)
        elif self.separable is False and self.conflict is not None:
            check_conflict(points.X, points.signs, points.fit_intercept, self.conflict)
        else:
            raise CertificateError(self._nothing_to_check())
        return True


def separability(
    X: Any, y: Any, fit_intercept: bool = True, *, feature_map: FeatureMap = None
) -> Any:
    """Say whether some hyperplane separates the classes, with a certificate either way.

    Rows are separable if there are w and b with ``y (w·x + b) > 0`` for every row (without a bias:
    ``y w·x > 0``). If there are none, some rows have positive weights with which ``y (x, 1)`` adds
    up to 0 (Gordan's alternative): the convex hulls of the two classes meet there. At most d + 2
    rows are needed for it.

    A few epochs of the perceptron are tried first. Then the point of the hull of all ``y (x, 1)``
    that is nearest to the origin settles it (Wolfe's method): one product with some rows of X a
    round, and rarely more rounds than a few times d.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels. More than two classes are asked for argmax separability.

    Returns
    -------
    Separability or ArgmaxSeparability
        ``verdict``, the certificate, and ``verify()``, which checks it in exact arithmetic. True
        in a condition if the rows are separable.

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
        from rosenblatt.theory.argmax import decide_argmax  # which builds on this file

        return decide_argmax(
            points, np.searchsorted(classes, np.asarray(y)), tuple(classes.tolist())
        )
    if len(classes) < 2 and len(points) > 1:
        raise InputError(
            f"y holds only one class, {classes.tolist()[0]!r}: there is nothing to separate it "
            "from. Give rows of at least two classes."
        )
    return decide(points, tuple(classes.tolist()))


def decide(
    points: Points, classes: tuple[Any, ...], exact: Callable[[Any], Any] | None = None
) -> Separability:
    """The verdict on points, positive class last.

    ``exact`` writes some points out in fractions, where those given are rounded.
    """
    twins = None if exact else twins_of_different_classes(points, points.signs)
    if twins is not None:
        return _conflicting(points, dict.fromkeys(twins, Fraction(1, 2)), classes)
    epochs = PERCEPTRON_WORK // max(1, points.n_stored)
    epochs = int(np.clip(epochs, FEWEST_EPOCHS, MOST_EPOCHS))
    vectors, converged = by_perceptron(points, points.signs > 0, 1, epochs, tol=1e-3)
    if vectors is not None and converged:
        found = _separated(points, vectors[0], classes)
        if found is not None:
            return found
    scaled = points.balanced()
    vectors = None
    if not exact and has_equations(scaled):
        vectors = by_equations(scaled, np.ones((len(scaled), 1)))
    found = None if vectors is None else _separated(points, scaled.unscaled(vectors[0]), classes)
    if found is not None:
        return found
    nearest = nearest_point(PointHull(scaled), 0, is_settled(scaled.n_dimensions))
    if nearest.lower > 0:
        found = _separated(points, scaled.unscaled(nearest.point), classes)
    if found is None and exact:
        weights = exact_weights(exact(np.array(nearest.keys)).tolist())
        if weights is not None:
            return _conflicting(points, dict(zip(nearest.keys, weights, strict=True)), classes)
    elif found is None:
        nearest.weights = nearest.weights * np.abs(scaled.signs[nearest.keys])
        known = exact_alternative(PointHull(points), nearest)
        if isinstance(known, dict):
            return _conflicting(points, known, classes)
        if known is not None:
            tries = (_separated(points, v, classes) for v in roundings(known, len(points)))
            found = next(filter(None, tries), None)
            found = found or Separability(
                "separable", classes, NO_FLOATS, _exact=tuple(shortened(known)), _points=points
            )
    detail = undecided(PointHull(points), nearest)
    return found or Separability("undecided", classes, detail, _points=points)


def is_settled(n_dimensions: int) -> Callable[[Nearest], bool]:
    """When balanced points of so many dimensions have a separator, or the origin in their hull."""
    longest = float(np.sqrt(n_dimensions))
    return lambda now: now.upper <= ORIGIN * longest or now.lower > ORIGIN


def roundings(v: list[int], n_points: int) -> Iterator[FloatArray]:
    """A vector in floats, some times over, each time of another length: one may still separate."""
    most = int(np.clip(MOST_PRODUCTS // (n_points * len(v)), 1, 64))
    for factor in range(64, 64 + most):
        yield floats([factor * entry for entry in v])[0]


def exact_alternative(hull: Any, near: Nearest) -> dict[int, Fraction] | list[int] | None:
    """Gordan's alternative in exact arithmetic, from where floats ended.

    Weights of some points that add up to 0, by their keys; or a vector, in whole numbers, whose
    product with every point is above 0; or None, if that takes too much work.
    """
    keys = list(near.keys)
    if len(keys) > most_points():
        return None
    points = hull.whole(keys)[0]
    exact = exact_weights(points)
    if exact is not None:
        return dict(zip(keys, exact, strict=True))
    weights: list[Any] = near.weights.tolist()
    left = most_effort()
    seen = set[frozenset[int]]()
    while left > 0:
        # Products of two points are twice as long as the points.
        left -= effort(len(keys) + 1, 2 * longest_of(points))
        left -= EFFORT_OF_WRITING * len(keys) * len(points[0])
        shares = settled(points, weights)
        if shares is None:
            return None
        chosen, whole = [points[place] for place in shares], shares.values()
        mean = [sum(map(mul, whole, column)) for column in zip(*chosen, strict=True)]
        keys, total = [keys[place] for place in shares], sum(whole)
        if not any(mean):
            return {key: Fraction(w, total) for key, w in zip(keys, whole, strict=True)}
        key, product = hull.lowest_exactly(integers(mean))
        if product > 0:
            return mean
        # Every mean is nearer than the one before, unless rounded shares led in a circle.
        if key in keys or frozenset(keys) in seen:
            return None
        seen.add(frozenset(keys))
        keys, weights = [*keys, key], [*(Fraction(share, total) for share in whole), 0.0]
        points = hull.whole(keys)[0]
    return None


def by_perceptron(
    points: Points,
    labels: Any,
    n_vectors: int,
    epochs: int,
    *,
    tol: float | None,
    threshold: float = 0.0,
) -> tuple[FloatArray | None, bool]:
    """Vectors from a few epochs of the perceptron, and whether it was right on every row then.

    On most separable rows that is all it takes. Rows that are right by no more than a threshold are
    learned from as well.
    """
    rows = as_rows(points.X, np.float64)
    inspect(rows)
    weights = Weights(n_vectors, points.X.shape[1], fit_intercept=points.fit_intercept)
    rule = Rule("perceptron", threshold=threshold)
    numbers = labels.astype(np.int32)
    try:
        run = train(weights, rule, rows, numbers, max_iter=epochs, tol=tol)
    except OverflowRefused:  # the thorough method scales
        return None, False
    vectors = np.asarray(weights.matrix)
    if points.fit_intercept:
        vectors = np.column_stack([vectors, weights.bias])
    return vectors, run.converged


def epochs_of_classes(points: Points, n_classes: int) -> int:
    """How many epochs the perceptron may take for several classes."""
    epochs = PERCEPTRON_WORK_OF_CLASSES // max(1, points.n_stored * n_classes)
    return int(np.clip(epochs, FEWEST_EPOCHS, MOST_EPOCHS_OF_CLASSES))


def has_equations(points: Points) -> bool:
    """Whether any products of vectors with the points can be solved for, mostly, and soon."""
    n, d = len(points), points.n_dimensions
    return n <= d and n * d <= MOST_WRITTEN_OUT


def by_equations(points: Points, products: FloatArray) -> FloatArray | None:
    """Vectors with these products with every point, a column for each: ``Z vᵀ = products``.

    The shortest are sums of the points, ``v = aᵀ Z`` with ``Z Zᵀ a = products``.
    """
    Z = points.take(np.arange(len(points)))
    try:
        shares = np.linalg.solve(Z @ Z.T, products)
    except np.linalg.LinAlgError:
        return None
    vectors = shares.T @ Z
    return vectors if np.isfinite(vectors).all() else None


def _separated(points: Points, v: FloatArray, classes: tuple[Any, ...]) -> Separability | None:
    """The verdict with its hyperplane, if that stands up to the exact check."""
    d = points.X.shape[1]
    w, b = points.parts(v)
    if not w.any():  # a bias alone, as for a single row: tilt it without turning it over
        w = np.full(d, abs(b) * 1e-9 / max(1.0, float(np.abs(points.take(np.arange(1))).sum())))
    hyperplane = Hyperplane(w, b)
    try:
        check_separator(points.X, points.signs, hyperplane.w, hyperplane.b)
    except CertificateError:
        return None
    return Separability("separable", classes, hyperplane=hyperplane, _points=points)


def _conflicting(
    points: Points, weights: dict[int, Fraction], classes: tuple[Any, ...]
) -> Separability:
    rows = tuple(sorted(weights))
    conflict = Conflict(rows, tuple(weights[row] for row in rows))
    return Separability("not separable", classes, conflict=conflict, _points=points)


def undecided(hull: Any, near: Nearest) -> str:
    """What is known where nothing is proven."""
    members = np.array([hull.point(key) for key in near.keys])
    size = float(np.abs(members).max()) or 1.0
    lengths = np.linalg.norm(members / size, axis=1)
    weights = near.weights / near.weights.sum()
    # With what the float sum itself may have hidden.
    left = float(np.linalg.norm(weights @ (members / size)))
    left += 4 * len(members) * np.finfo(np.float64).eps * float(lengths.max())
    more = "" if len(near.keys) <= most_points() else how_to_get_more()
    return f"no separator has a margin above {left * size:.3g}, and none was found{more}"


def twins_of_different_classes(points: Points, labels: Any) -> tuple[int, int] | None:
    """Two equal rows with different labels, the plainest conflict, if there are any."""
    if not points.fit_intercept and not len(points) > 1:
        return None
    random = np.random.default_rng(0).standard_normal((1, points.X.shape[1]))
    codes = score(as_rows(points.X, np.float64), random, np.zeros(1))
    order = np.lexsort((labels, codes))
    sorted_codes, sorted_labels = codes[order], labels[order]
    touching = np.flatnonzero(
        (sorted_codes[1:] == sorted_codes[:-1]) & (sorted_labels[1:] != sorted_labels[:-1])
    )
    for place in touching[:1000]:
        pair = order[place : place + 2]
        a, b = points.signs[pair][:, None] * points.take(pair)
        if np.array_equal(a, b):
            first, second = sorted(pair.tolist())
            return first, second
    return None
