"""Is there a hyperplane between the classes? A verdict that comes with its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import FloatArray, is_sparse
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.training import train
from rosenblatt.core.weights import Weights
from rosenblatt.errors import InputError, OverflowRefused
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory.certificates import (
    CertificateError,
    Conflict,
    check_conflict,
    check_separator,
)
from rosenblatt.theory.exact import MOST_POINTS, exact_weights
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import FeatureMap, PointHull, Points, read_points

if TYPE_CHECKING:
    from rosenblatt.theory.separation import Separation

# A nearest point shorter than this share of the longest row is the origin, up to rounding.
ORIGIN = 1e-12
# So many values the perceptron may read before the thorough method takes over.
PERCEPTRON_WORK = 4_000_000
# Of a large table so many rows are looked at first, and so many more whenever that was not enough.
FIRST_ROWS = 4096
MOST_NEW_ROWS = 2048
# A conflict proves that no margin above this share of the longest row is possible.
WITHIN = 1e-9


@dataclass(frozen=True)
class Verdict:
    """What a verdict on two classes and one on several have in common."""

    verdict: str
    classes: tuple[Any, ...]
    detail: str = ""
    conflict: Any = None

    @property
    def separable(self) -> bool | None:
        """True, False, or None where neither could be proven."""
        return {"separable": True, "not separable": False}.get(self.verdict)

    @property
    def strength(self) -> str:
        if self.separable is None:
            return "none"
        exact = self.separable or self.conflict.residual == 0.0
        return "exact" if exact else "within epsilon"

    def __bool__(self) -> bool:
        if self.separable is None:
            raise InputError(f"undecided, so neither true nor false: {self.detail}")
        return self.separable

    def _closer_look(self) -> Separation:
        """How far from separable rows are that are not."""
        raise NotImplementedError

    @cached_property
    def _separation(self) -> Separation:
        from rosenblatt.theory.separation import Separation  # which builds on this file

        if self.separable is False:
            return self._closer_look()
        return Separation("complete" if self.separable else "undecided")

    @property
    def separation(self) -> str:
        """The kind of separation; worked out, and checked in exact arithmetic, when asked for."""
        return self._separation.kind

    @property
    def direction(self) -> tuple[Fraction, ...] | None:
        """What proves "quasi-complete": no row is on the wrong side of it, and not all are on it.

        The weights and, with a bias, the bias; with several classes those of each, one after the
        other.
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
        One with every row strictly on its side, if the rows are separable.
    conflict : Conflict or None
        Rows and weights that rule a separator out, if they are not; if it is undecided, those that
        come nearest to doing so.
    strength : {"exact", "within epsilon", "none"}
        How strong the proof is: exact arithmetic, or floats with a bound on what they can hide.
    classes : tuple
        The two classes; the second is on the positive side.
    """

    hyperplane: Hyperplane | None = None
    _points: Points | None = field(default=None, repr=False)

    def _closer_look(self) -> Separation:
        from rosenblatt.theory.separation import separation_of

        assert self._points is not None
        return separation_of(self._points, self.conflict)

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; True, or an error that names the row."""
        points = self._points
        assert points is not None
        if self.hyperplane is not None:
            check_separator(points.X, points.signs, self.hyperplane.w, self.hyperplane.b)
        elif self.conflict is not None and self.separable is not None:
            check_conflict(points.X, points.signs, points.fit_intercept, self.conflict)
        else:
            raise CertificateError(f"there is nothing to check: {self.detail}")
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
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels. More than two classes are asked for argmax separability.
    fit_intercept : bool, default=True
        Whether the hyperplane may lie off the origin.
    feature_map : callable or transformer, default=None
        Applied to X first; all is then said of the mapped rows.

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
    ('not separable', <Conflict of 4 rows, exact>, True)
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
    twins = None if exact else _twins_of_opposite_classes(points)
    if twins is not None:
        conflict = Conflict(twins, (Fraction(1, 2), Fraction(1, 2)), 0.0)
        return Separability("not separable", classes, conflict=conflict, _points=points)
    v = _by_perceptron(points)
    if v is not None:
        found = _separated(points, v, classes)
        if found is not None:
            return found
    scaled = points.balanced()
    longest = float(np.sqrt(points.n_dimensions))

    def enough(now: Nearest) -> bool:
        return now.upper <= ORIGIN * longest or now.lower > ORIGIN

    rows = _first_rows(points)
    corral = [0]
    while True:
        nearest = nearest_point(PointHull(scaled.only(rows)), corral, enough)
        if nearest.lower <= ORIGIN:
            return _conflicting(points, rows, nearest, classes, exact or points.take)
        v = scaled.unscaled(nearest.point)
        missed = np.flatnonzero(points.products(v) <= 0.0)
        missed = missed[~np.isin(missed, rows)]
        if not len(missed):
            return _separated(points, v, classes) or _undecided(points, nearest, classes)
        # The worst of the rows on the wrong side join those looked at.
        worst = missed[np.argsort(points.products(v)[missed])[:MOST_NEW_ROWS]]
        corral = nearest.keys
        rows = np.concatenate([rows, worst])


def _first_rows(points: Points) -> npt.NDArray[np.intp]:
    """Rows to begin with: all of a small table, else an even share of both classes."""
    if len(points) <= FIRST_ROWS:
        return np.arange(len(points))
    random = np.random.default_rng(0)
    halves = [np.flatnonzero(points.signs == sign) for sign in (1.0, -1.0)]
    return np.concatenate([random.permutation(half)[: FIRST_ROWS // 2] for half in halves])


def _by_perceptron(points: Points) -> FloatArray | None:
    """A separator from a few epochs of the perceptron: on most separable rows all it takes."""
    rows = as_rows(points.X, np.float64)
    inspect(rows)
    weights = Weights(1, points.X.shape[1], fit_intercept=points.fit_intercept)
    stored = points.X.nnz if is_sparse(points.X) else points.X.size
    epochs = int(np.clip(PERCEPTRON_WORK // max(1, stored), 3, 300))
    labels = (points.signs > 0).astype(np.int32)
    try:
        run = train(weights, Rule("perceptron"), rows, labels, max_iter=epochs, tol=1e-3)
    except OverflowRefused:  # the thorough method scales
        return None
    if not run.converged:
        return None
    bias = weights.bias if points.fit_intercept else np.zeros(0)
    return np.concatenate([weights.matrix[0], bias])


def _separated(points: Points, v: FloatArray, classes: tuple[Any, ...]) -> Separability | None:
    """The verdict with its hyperplane, if that stands up to the exact check."""
    d = points.X.shape[1]
    w, b = v[:d], float(v[d]) if points.fit_intercept else 0.0
    if not w.any():  # a bias alone, as for a single row: tilt it without turning it over
        w = np.full(d, abs(b) * 1e-9 / max(1.0, float(np.abs(points.take(np.arange(1))).sum())))
    hyperplane = Hyperplane(w, b)
    try:
        check_separator(points.X, points.signs, hyperplane.w, hyperplane.b)
    except CertificateError:
        return None
    return Separability("separable", classes, hyperplane=hyperplane, _points=points)


def _conflicting(
    points: Points,
    chosen: npt.NDArray[np.intp],
    nearest: Nearest,
    classes: tuple[Any, ...],
    exact: Callable[[Any], Any],
) -> Separability:
    """The rows that hold the nearest point at the origin, with exact weights if they can be had."""
    order = np.argsort(chosen[nearest.keys])
    rows = tuple(int(row) for row in chosen[nearest.keys][order])
    members = points.take(np.array(rows))
    longest = float(np.sqrt(points.squared_norms().max()))
    fractions = exact_weights(exact(np.array(rows)).tolist())
    if fractions is not None:
        conflict = Conflict(rows, tuple(fractions), 0.0)
        return Separability("not separable", classes, conflict=conflict, _points=points)
    weights = nearest.weights[order] / nearest.weights.sum()
    left = float(np.linalg.norm(weights @ members))
    # What the float sum itself may have hidden is added, so that the exact check agrees.
    residual = left + 4 * len(rows) * np.finfo(np.float64).eps * longest
    conflict = Conflict(rows, tuple(weights.tolist()), residual)
    # Of a few points exact weights were looked for, and there are none.
    if residual > WITHIN * longest or len(rows) <= MOST_POINTS:
        return _undecided(points, nearest, classes, conflict)
    return Separability("not separable", classes, conflict=conflict, _points=points)


def _undecided(
    points: Points, nearest: Nearest, classes: tuple[Any, ...], conflict: Conflict | None = None
) -> Separability:
    detail = (
        f"any margin lies below {nearest.upper:.3g} of the scaled rows, and the best vector found "
        f"has {nearest.lower:.3g}: too close to 0 to be more than rounding"
    )
    return Separability("undecided", classes, detail, conflict=conflict, _points=points)


def _twins_of_opposite_classes(points: Points) -> tuple[int, int] | None:
    """Two equal rows with different labels, the plainest conflict, if there are any."""
    if not points.fit_intercept and not len(points) > 1:
        return None
    random = np.random.default_rng(0).standard_normal((1, points.X.shape[1]))
    codes = score(as_rows(points.X, np.float64), random, np.zeros(1))
    order = np.lexsort((points.signs, codes))
    sorted_codes, sorted_signs = codes[order], points.signs[order]
    touching = np.flatnonzero(
        (sorted_codes[1:] == sorted_codes[:-1]) & (sorted_signs[1:] != sorted_signs[:-1])
    )
    for place in touching[:1000]:
        first, second = int(order[place]), int(order[place + 1])
        a, b = points.take(np.array([first, second]))
        if np.array_equal(a, -b):
            return (first, second) if first < second else (second, first)
    return None
