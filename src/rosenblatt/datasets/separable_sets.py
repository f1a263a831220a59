"""Simulated tables: separable with a known margin, or with a known set of wrong labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IntArray
from rosenblatt.checks import choice, number, whole
from rosenblatt.datasets.bundled import LabelledRows
from rosenblatt.datasets.portable_random import bell_shaped, dot, generator, orthonormal, unit
from rosenblatt.errors import ParameterError


@dataclass(frozen=True, eq=False, repr=False)
class Separable(LabelledRows):
    """A separable table together with its separator; unpacks to ``X, y``.

    Attributes
    ----------
    w : ndarray of shape (n_features,), or (n_classes, n_features) for more than two classes
        The separator: ``w·x + b > 0`` for class 1, or the class with the largest ``w[k]·x``. Its
        norm, over all its numbers, is 1.
    b : float
        The bias; 0 for more than two classes.
    margin : float
        γ, the smallest of `margins`. No other separator has a larger one.
    radius : float
        R; no row is longer.
    """

    w: FloatArray
    b: float
    margin: float
    radius: float

    @property
    def margins(self) -> FloatArray:
        """Margin of each row: ``y (w·x + b)`` with y = ±1, or the lead over the best rival."""
        smallest: FloatArray = leads(self.X, self.y, self.w, self.b).min(axis=1)
        return smallest

    def bound(self, fit_intercept: bool = True) -> float:
        """Return the mistake bound ``R²/γ²`` of a perceptron from w = 0, for rows in any order.

        With a bias, R and γ are those of the rows with a 1 appended: ``R² + 1`` and
        ``γ² / (1 + b²)``. With more than two classes ``R²`` counts twice, because a mistake moves
        two vectors; the bound then needs ``ties="positive"``.
        """
        if not fit_intercept and self.b:
            raise ParameterError(
                f"fit_intercept=False is not allowed with intercept={self.b:g}: a learner without "
                "a bias may never separate these rows. Make them with intercept=0."
            )
        squared_radius = self.radius**2 + (1.0 if fit_intercept else 0.0)
        vectors_moved = 1 if len(self.classes) == 2 else 2
        return vectors_moved * squared_radius * (1 + self.b**2) / self.margin**2


def separable(
    n_rows: int = 200,
    n_features: int = 2,
    *,
    margin: float = 0.1,
    radius: float = 1.0,
    intercept: float = 0.0,
    n_classes: int = 2,
    seed: int = 0,
) -> Separable:
    """Make rows in a ball that a known hyperplane separates with exactly the given margin.

    The rows are spread evenly over the ball; those too near the boundary are moved away from it.
    One row of each class lies at the margin, placed so that no separator can have a larger one:
    for two classes they face each other, ``2 margin`` apart. If there are at least
    ``n_classes + 1`` rows, one of them is as long as the radius. All this holds up to rounding.

    With more than two classes the separator has one vector per class. They point to the corners of
    a regular simplex, or of a polygon in a random plane if there are too few features for a
    simplex. Their norm, over all their numbers, is 1, and the margin is the smallest
    ``w[y]·x - w[k]·x`` over all rows and all ``k ≠ y``, as in `rosenblatt.theory.mistake_bound`.

    The same seed gives the same bytes on every machine, except for the polygon: its cosines may
    differ in the last bit between C libraries.

    Parameters
    ----------
    n_rows : int, default=200
        At least one for each class. The sizes of the classes differ by at most one.
    n_features : int, default=2
        Number of features; more than two classes need at least 2.
    margin : float, default=0.1
        γ, above 0 and small enough for the ball: for two classes below ``radius - |intercept|``.
    radius : float, default=1.0
        R. A perceptron without a bias makes at most ``R²/γ²`` mistakes.
    intercept : float, default=0.0
        b, the distance of the hyperplane from the origin; for two classes only.
    n_classes : int, default=2
        Number of classes.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Separable
        ``X``, ``y``, and the known ``w``, ``b``, ``margin`` and ``radius``.

    Examples
    --------
    The bound is 1/0.1² = 100 mistakes; the perceptron makes fewer:

    >>> from rosenblatt import Perceptron, datasets
    >>> made = datasets.separable(500, 20, margin=0.1)
    >>> p = Perceptron(fit_intercept=False, random_state=0).fit(made.X, made.y)
    >>> round(made.bound(fit_intercept=False), 6), p.n_mistakes_, p.stop_reason_
    (100.0, 22, 'separated')
    """
    whole("n_classes", n_classes, at_least=2)
    whole("n_rows", n_rows, at_least=n_classes)
    whole("n_features", n_features, at_least=1)
    whole("seed", seed, at_least=0)
    number("radius", radius, above=0.0)
    number("intercept", intercept, above=-radius, below=radius, cure="Or give a larger radius.")
    if n_classes > 2 and intercept:
        raise ParameterError(
            f"intercept={intercept!r} is not allowed for n_classes={n_classes}: give 0, or make "
            "two classes."
        )
    if n_classes > 2 and n_features == 1:
        raise ParameterError(
            f"n_features=1 is not allowed for n_classes={n_classes}: on a line, through the "
            "origin, only two classes have room. Give at least 2 features."
        )

    # The direction of each class: corners of a simplex or polygon, turned at random.
    random = generator(seed)
    corners = _corners(n_classes, n_features)
    basis = orthonormal(bell_shaped(random, corners.shape[1], n_features))
    towards = np.stack([dot(basis.T, corner) for corner in corners])
    b = float(intercept)
    w = towards[1] if n_classes == 2 else towards / math.sqrt(n_classes)

    # No row of a class can have a larger margin than its tip, the point farthest in its direction.
    tips = radius * towards
    classes = np.arange(n_classes)
    most = leads(tips, classes, w, b).min(axis=1)
    cure = "Or give a larger radius." if not b else "Or a larger radius or a smaller intercept."
    # The computed limit may be too large by a rounding error.
    limit = float(most.min()) * (1 - 1e-12)
    number("margin", margin, above=0.0, below=limit, cure=cure)

    y = np.concatenate([classes, random.permutation(np.arange(n_classes, n_rows) % n_classes)])
    X = np.empty((n_rows, n_features))

    # The first row of each class lies at the margin. The mean of these rows, over all pairs of a
    # class and a rival, is γ times the separator, so no separator has a larger margin. A common
    # shift orthogonal to all directions does not change that.
    nothing = leads(np.zeros_like(tips), classes, w, b).min(axis=1)
    along = radius * (margin - nothing) / (most - nothing)
    aside = _aside(random, basis, math.sqrt(max(radius**2 - float((along**2).max()), 0.0)))
    X[:n_classes] = along[:, None] * towards + aside

    # The others are spread over the ball, except one that is as long as the radius.
    X[n_classes:] = _spread(random, y[n_classes:], towards, w, b, float(margin), float(radius))
    X[n_classes : n_classes + 1] = tips[y[n_classes : n_classes + 1]]

    order = random.permutation(n_rows)
    names = ("negative", "positive") if n_classes == 2 else tuple(f"class {k}" for k in classes)
    about = f"made, with margin {margin:g} in radius {radius:g}"
    return Separable(X[order], y[order], names, about, w, b, float(margin), float(radius))


def leads(X: FloatArray, y: AnyArray, w: FloatArray, b: float) -> FloatArray:
    """Return the lead of the right class over each other class, for each row."""
    if w.ndim == 1:
        return np.asarray((2 * y - 1) * (dot(X, w) + b))[:, None]
    scores = np.stack([dot(X, vector) for vector in w], axis=1)
    lead = np.take_along_axis(scores, y[:, None], axis=1) - scores
    is_rival = np.arange(len(w)) != y[:, None]
    return np.asarray(lead[is_rival].reshape(len(X), len(w) - 1))


def _corners(n_classes: int, n_features: int) -> FloatArray:
    """Return maximally distant unit vectors: ends of a line, a simplex, or a polygon."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    if n_features < n_classes - 1:
        angles = [2 * math.pi * k / n_classes for k in range(n_classes)]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles])

    # A regular simplex, coordinate by coordinate: all products of two corners are -1 / (n - 1).
    corners = np.zeros((n_classes, n_classes - 1))
    for i in range(n_classes - 1):
        before = corners[:, :i]
        corners[i, i] = math.sqrt(1.0 - float(dot(before[i], before[i])))
        others = dot(before[i + 1 :], before[i])
        corners[i + 1 :, i] = (-1.0 / (n_classes - 1) - others) / corners[i, i]
    return corners


def _aside(random: np.random.Generator, basis: FloatArray, room: float) -> FloatArray:
    """Return a random vector of length ``room / 2`` orthogonal to the basis; 0 if there is none."""
    vector = bell_shaped(random, 1, basis.shape[1])
    if len(basis) == basis.shape[1]:
        return np.zeros(basis.shape[1])
    return np.asarray(0.5 * room * orthonormal(vector, beside=basis)[0])


def _spread(
    random: np.random.Generator,
    y: AnyArray,
    towards: FloatArray,
    w: FloatArray,
    b: float,
    margin: float,
    radius: float,
) -> FloatArray:
    """Return rows of the classes y spread over the ball, with margins of at least ``margin``."""
    d = towards.shape[1]
    # The length of a random point in a d-dimensional ball is distributed like the largest of d
    # uniform numbers.
    length = radius * random.random((len(y), min(d, 16))).max(axis=1)
    X = unit(bell_shaped(random, len(y), d)) * length[:, None]

    # A row in the region of another class is mirrored into the region of its own class.
    lies_in = np.stack([dot(X, vector) for vector in towards], axis=1).argmax(axis=1)
    mirror = unit(towards[lies_in] - towards[y])
    X -= 2.0 * dot(X, mirror)[:, None] * mirror

    # On the way to the tip of its class every lead of a row grows linearly, and the ball is convex.
    # A row that is too close to the boundary moves there until its smallest lead is a random number
    # above the margin.
    tips = radius * towards
    lead_now = leads(X, y, w, b)
    lead_at_tip = leads(tips, np.arange(len(tips)), w, b)[y]
    drawn = random.random(len(y))
    wanted = margin + (lead_at_tip.min(axis=1) - margin) * drawn * drawn
    missing = wanted[:, None] - lead_now
    share_of_way = np.divide(
        missing, lead_at_tip - lead_now, out=np.zeros_like(lead_now), where=missing > 0
    ).max(axis=1)
    share_of_way[lead_now.min(axis=1) >= margin] = 0.0
    return np.asarray(X + share_of_way[:, None] * (tips[y] - X))


@dataclass(frozen=True, eq=False, repr=False)
class Noisy(LabelledRows):
    """A table with some wrong labels, and the true ones; unpacks to ``X, y``.

    Attributes
    ----------
    truth : ndarray of shape (n_rows,)
        The right class of every row.
    flipped : ndarray of int
        Indices of the rows with a wrong label, in order.
    w, b
        The separator of the true classes, as in `Separable`.
    """

    truth: IntArray
    flipped: IntArray
    w: FloatArray
    b: float


def noisy(
    n_rows: int = 200,
    n_features: int = 2,
    *,
    flip: float = 0.1,
    where: str = "anywhere",
    margin: float = 0.1,
    radius: float = 1.0,
    intercept: float = 0.0,
    n_classes: int = 2,
    seed: int = 0,
) -> Noisy:
    """Make rows that a known hyperplane separates, except for a known share of wrong labels.

    The rows are those of `separable`; exactly ``round(flip * n_rows)`` labels are changed.

    Parameters
    ----------
    n_rows, n_features, margin, radius, intercept, n_classes, seed
        As in `separable`.
    flip : float, default=0.1
        The share of wrong labels, from 0 to 0.5.
    where : {"anywhere", "boundary"}, default="anywhere"
        "anywhere": every row is equally likely to be flipped, to any other class, as by typing
        errors. "boundary": the classes overlap, as if the margins had been measured with an error
        just large enough to move the right number of rows to their nearest rival.

    Returns
    -------
    Noisy
        ``X``, ``y``, and the ``truth``, the ``flipped`` rows, ``w`` and ``b``.

    Examples
    --------
    Are the rows that a perceptron cannot learn those with wrong labels?

    >>> import warnings
    >>> from rosenblatt import Perceptron, datasets, theory
    >>> made = datasets.noisy(300, 5, flip=0.05)
    >>> p = Perceptron(max_iter=20, tol=None, record=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # 20 epochs do not separate them
    ...     p = p.fit(made.X, made.y)
    >>> named = {suspect.row for suspect in theory.suspects(p.ledger_, made.X, top=15)}
    >>> len(named & set(made.flipped.tolist())), "of", len(made.flipped)
    (15, 'of', 15)
    """
    number("flip", flip, at_least=0.0, at_most=0.5)
    choice("where", where, "anywhere", "boundary")
    room = {"margin": margin, "radius": radius, "intercept": intercept}
    clean = separable(n_rows, n_features, n_classes=n_classes, seed=seed, **room)
    random = generator(seed, purpose=1)
    wrong = round(flip * n_rows)
    y = clean.y.copy()
    if where == "anywhere":
        flipped = np.sort(random.permutation(n_rows)[:wrong])
        y[flipped] = (y[flipped] + random.integers(1, n_classes, wrong)) % n_classes
    else:
        # With margin m and random error e, scaled by s, a row is flipped if s |e| > m. So the rows
        # with the smallest m / |e| are flipped first.
        error = np.abs(bell_shaped(random, n_rows))
        ease = np.divide(clean.margins, error, out=np.full(n_rows, np.inf), where=error > 0)
        flipped = np.sort(np.argsort(ease, kind="stable")[:wrong])
        y[flipped] = _rivals(clean.X, clean.y, clean.w)[flipped]
    about = f"made, {wrong} of {n_rows} labels wrong ({where})"
    return Noisy(clean.X, y, clean.classes, about, clean.y, flipped, clean.w, clean.b)


def _rivals(X: FloatArray, y: IntArray, w: FloatArray) -> IntArray:
    """Return the best class other than the right one, for each row."""
    if w.ndim == 1:
        return 1 - y
    scores = np.stack([dot(X, vector) for vector in w], axis=1)
    np.put_along_axis(scores, y[:, None], -np.inf, axis=1)
    return np.asarray(scores.argmax(axis=1), np.int64)
