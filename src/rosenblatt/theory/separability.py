"""Is there a hyperplane between the classes? A verdict that comes with its proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows import scoring
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import FloatArray, is_sparse
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.core.training import train
from rosenblatt.core.weights import Weights
from rosenblatt.errors import InputError
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory.certificates import (
    CertificateError,
    Conflict,
    check_conflict,
    check_separator,
)
from rosenblatt.theory.nearest import Nearest, nearest_point
from rosenblatt.theory.points import FeatureMap, PointHull, Points, read_points

__all__ = ["Separability", "separability"]

# A nearest point shorter than this share of the longest row is the origin, up to rounding.
ORIGIN = 1e-12
# So many values the perceptron may read before the thorough method takes over.
PERCEPTRON_WORK = 4_000_000
# Of a large table so many rows are looked at first, and so many more whenever that was not enough.
FIRST_ROWS = 4096
MOST_NEW_ROWS = 2048
# A conflict proves that no margin above this share of the longest row is possible.
WITHIN = 1e-9
# Above this many points the numbers of the elimination grow too long to be worth it.
MOST_POINTS = 80


@dataclass(frozen=True)
class Separability:
    """A verdict on two classes and what proves it.

    Attributes
    ----------
    verdict : {"separable", "not separable", "undecided"}
        What is known.
    hyperplane : Hyperplane or None
        One with every row strictly on its side, if the rows are separable.
    conflict : Conflict or None
        Rows and weights that rule a separator out, if they are not.
    strength : {"exact", "within epsilon", "none"}
        How strong the proof is: exact arithmetic, or floats with a bound on what they can hide.
    classes : tuple
        The two classes; the second is on the positive side.
    """

    verdict: str
    classes: tuple[Any, ...]
    hyperplane: Hyperplane | None = None
    conflict: Conflict | None = None
    detail: str = ""
    _points: Points | None = field(default=None, repr=False)

    @property
    def separable(self) -> bool | None:
        """True, False, or None where neither could be proven."""
        return {"separable": True, "not separable": False}.get(self.verdict)

    @property
    def strength(self) -> str:
        if self.hyperplane is not None or (self.conflict is not None and self.conflict.exact):
            return "exact"
        return "none" if self.conflict is None else "within epsilon"

    def __bool__(self) -> bool:
        if self.separable is None:
            raise InputError(f"undecided, so neither true nor false: {self.detail}")
        return self.separable

    def verify(self) -> bool:
        """Check the certificate in exact arithmetic; True, or an error that names the row."""
        points = self._points
        assert points is not None
        if self.hyperplane is not None:
            check_separator(points.X, points.signs, self.hyperplane.w, self.hyperplane.b)
        elif self.conflict is not None:
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


def decide(points: Points, classes: tuple[Any, ...]) -> Separability:
    """The verdict on points, positive class last."""
    twins = _twins_of_opposite_classes(points)
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
            return _conflicting(points, rows, nearest, classes)
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
    run = train(
        weights,
        Rule("perceptron"),
        rows,
        (points.signs > 0).astype(np.int32),
        max_iter=epochs,
        tol=1e-3,
    )
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
    points: Points, chosen: npt.NDArray[np.intp], nearest: Nearest, classes: tuple[Any, ...]
) -> Separability:
    """The rows that hold the nearest point at the origin, with exact weights if they can be had."""
    order = np.argsort(chosen[nearest.keys])
    rows = tuple(int(row) for row in chosen[nearest.keys][order])
    members = points.take(np.array(rows))
    longest = float(np.sqrt(points.squared_norms().max()))
    exact = exact_weights(members)
    if exact is not None:
        conflict = Conflict(rows, tuple(exact), 0.0)
        return Separability("not separable", classes, conflict=conflict, _points=points)
    if len(rows) <= MOST_POINTS:  # exact weights were looked for, and there are none
        return _undecided(points, nearest, classes)
    weights = nearest.weights[order] / nearest.weights.sum()
    left = float(np.linalg.norm(weights @ members))
    # What the float sum itself may have hidden is added, so that the exact check agrees.
    residual = left + 4 * len(rows) * np.finfo(np.float64).eps * longest
    if residual > WITHIN * longest:
        return _undecided(points, nearest, classes)
    conflict = Conflict(rows, tuple(weights.tolist()), residual)
    return Separability("not separable", classes, conflict=conflict, _points=points)


def _undecided(points: Points, nearest: Nearest, classes: tuple[Any, ...]) -> Separability:
    detail = (
        f"any margin lies below {nearest.upper:.3g} of the scaled rows, and the best vector found "
        f"has {nearest.lower:.3g}: too close to 0 to be told from rounding"
    )
    return Separability("undecided", classes, detail=detail, _points=points)


def _twins_of_opposite_classes(points: Points) -> tuple[int, int] | None:
    """Two equal rows with different labels, the plainest conflict, if there are any."""
    if not points.fit_intercept and not len(points) > 1:
        return None
    random = np.random.default_rng(0).standard_normal((1, points.X.shape[1]))
    codes = scoring.score(as_rows(points.X, np.float64), random, np.zeros(1))
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


# ---------------------------------------------------------------------- exact weights of a conflict


def exact_weights(points: FloatArray) -> list[Fraction] | None:
    """Positive weights, of sum 1, with which the points add up to 0 exactly; else None.

    The points (one a row) are to depend on each other in one way only, as those of a nearest
    point of length 0 do.
    """
    if len(points) > MOST_POINTS:
        return None
    columns = _independent_equations(points)
    m = len(points)
    if len(columns) != m - 1:
        return None
    # Each equation is in echelon form with its pivot at column k: solve from the last weight up.
    weights = [Fraction(0)] * m
    free = next(j for j in range(m) if j not in columns)
    weights[free] = Fraction(1)
    for pivot, equation in reversed(columns.items()):
        rest = sum(
            (coefficient * weights[j] for j, coefficient in enumerate(equation) if j != pivot),
            start=Fraction(0),
        )
        weights[pivot] = -rest / equation[pivot]
    if min(weights) < 0 < max(weights) or not any(weights):
        return None
    total = sum(weights, start=Fraction(0))
    shares = [weight / total for weight in weights]
    return shares if all(share > 0 for share in shares) else None


def _independent_equations(points: FloatArray) -> dict[int, list[int]]:
    """The equations ``Σ weight · point = 0``, one a coordinate, in echelon form over the integers.

    Keys are pivot columns in the order of elimination (Bareiss: no fractions on the way).
    """
    equations = [_integers(coordinate) for coordinate in points.T]
    equations = [list(e) for e in dict.fromkeys(tuple(e) for e in equations) if any(e)]
    done: dict[int, list[int]] = {}
    previous = 1
    for column in range(len(points)):
        found = next((e for e in equations if e[column]), None)
        if found is None:
            continue
        equations.remove(found)
        pivot = found[column]
        equations = [
            [(pivot * a - e[column] * b) // previous for a, b in zip(e, found, strict=True)]
            for e in equations
        ]
        equations = [e for e in equations if any(e)]
        previous = pivot
        done[column] = found
    return done


def _integers(values: FloatArray) -> list[int]:
    """The same proportions in whole numbers."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    common = lcm(*(denominator for _, denominator in ratios))
    return [numerator * (common // denominator) for numerator, denominator in ratios]
