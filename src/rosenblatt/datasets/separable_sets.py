"""Sets that can be separated with a margin that is known; and with labels known to be wrong."""

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
    """Rows, and the separator they were made for. It unpacks to ``X, y``.

    Attributes
    ----------
    w : ndarray of shape (n_features,), or (n_classes, n_features) for more than two classes
        The separator: ``w·x + b > 0`` for class 1, or the class with the largest ``w[k]·x``. All
        its numbers together have length 1.
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
        """How clearly each row is right: ``y (w·x + b)`` with y = ±1, or the lead on a rival."""
        smallest: FloatArray = leads(self.X, self.y, self.w, self.b).min(axis=1)
        return smallest

    def bound(self, fit_intercept: bool = True) -> float:
        """``R²/γ²``: a perceptron that starts at 0 makes no more mistakes, in whatever order.

        With a bias R and γ are those of the rows with a 1 appended, ``R² + 1`` and
        ``γ² / (1 + b²)``. With more than two classes ``R²`` counts twice, because a mistake moves
        two vectors; ties must then be broken, not raised (``ties="positive"``).
        """
        if not fit_intercept and self.b:
            raise ParameterError(
                f"fit_intercept=False is not allowed with intercept={self.b:g}: a learner without "
                "a bias may never separate these rows. Make them with intercept=0."
            )
        squared = self.radius**2 + (1.0 if fit_intercept else 0.0)
        moved = 1 if len(self.classes) == 2 else 2
        return moved * squared * (1 + self.b**2) / self.margin**2


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
    """Rows in a ball that a known hyperplane separates with exactly the margin asked for.

    The rows are spread evenly over the ball of the radius; those too near the boundary are moved
    away from it. One row of each class lies at the margin, in such a place that no separator can
    have a larger one: for two classes they face each other, ``2 margin`` apart. From
    ``n_classes + 1`` rows on one is as long as the radius. All that holds up to rounding.

    With more than two classes the separator has a vector for each, which point to the corners of a
    regular simplex, or of a polygon in a random plane if there are too few features for that. All
    their numbers together have length 1, and the margin is the smallest ``w[y]·x - w[k]·x`` over
    all rows and all ``k ≠ y``, as in `rosenblatt.theory.mistake_bound`.

    The same seed gives the same bytes on every machine; only for the polygon cosines are needed,
    whose last bit is up to the C library.

    Parameters
    ----------
    n_rows : int, default=200
        At least one for each class. The classes have equally many, or one more.
    n_features : int, default=2
    margin : float, default=0.1
        γ, above 0 and below what fits into the ball, for two classes ``radius - |intercept|``.
    radius : float, default=1.0
        R. Together they set the bound ``R²/γ²`` on the mistakes of a perceptron without a bias.
    intercept : float, default=0.0
        b, the distance of the hyperplane from the origin; for two classes only.
    n_classes : int, default=2
    seed : int, default=0

    Returns
    -------
    Separable
        ``X``, ``y``, and the ``w``, ``b``, ``margin`` and ``radius`` that are known.

    Examples
    --------
    A bound of 1/0.1² = 100 mistakes, and those made:

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
    random = generator(seed)
    corners = _corners(n_classes, n_features)
    basis = orthonormal(bell_shaped(random, corners.shape[1], n_features))
    towards = np.stack([dot(basis.T, corner) for corner in corners])
    b = float(intercept)
    w = towards[1] if n_classes == 2 else towards / math.sqrt(n_classes)
    tips = radius * towards
    classes = np.arange(n_classes)
    most = leads(tips, classes, w, b).min(axis=1)
    cure = "Or give a larger radius." if not b else "Or a larger radius or a smaller intercept."
    fits = float(most.min()) * (1 - 1e-12)  # what is computed may be a little too much
    number("margin", margin, above=0.0, below=fits, cure=cure)

    y = np.concatenate([classes, random.permutation(np.arange(n_classes, n_rows) % n_classes)])
    X = np.empty((n_rows, n_features))
    # Mean of the corner rows, over all pairs of a class and a rival: γ times the separator. So no
    # separator does better, wherever in the space upright on all of them the corners are moved.
    nothing = leads(np.zeros_like(tips), classes, w, b).min(axis=1)
    along = radius * (margin - nothing) / (most - nothing)
    aside = _aside(random, basis, math.sqrt(max(radius**2 - float((along**2).max()), 0.0)))
    X[:n_classes] = along[:, None] * towards + aside
    X[n_classes:] = _spread(random, y[n_classes:], towards, w, b, float(margin), float(radius))
    X[n_classes : n_classes + 1] = tips[y[n_classes : n_classes + 1]]
    order = random.permutation(n_rows)
    names = ("negative", "positive") if n_classes == 2 else tuple(f"class {k}" for k in classes)
    about = f"made, with margin {margin:g} in radius {radius:g}"
    return Separable(X[order], y[order], names, about, w, b, float(margin), float(radius))


def leads(X: FloatArray, y: AnyArray, w: FloatArray, b: float) -> FloatArray:
    """For each row by how much the right class leads each of the others."""
    if w.ndim == 1:
        return np.asarray((2 * y - 1) * (dot(X, w) + b))[:, None]
    scores = np.stack([dot(X, vector) for vector in w], axis=1)
    ahead = np.take_along_axis(scores, y[:, None], axis=1) - scores
    rivals = np.arange(len(w)) != y[:, None]
    return np.asarray(ahead[rivals].reshape(len(X), len(w) - 1))


def _corners(n_classes: int, n_features: int) -> FloatArray:
    """Directions as far from each other as can be: both ends of a line, a simplex, a polygon."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    if n_features < n_classes - 1:
        angles = [2 * math.pi * k / n_classes for k in range(n_classes)]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles])
    corners = np.zeros((n_classes, n_classes - 1))
    for i in range(n_classes - 1):
        before = corners[:, :i]
        corners[i, i] = math.sqrt(1.0 - float(dot(before[i], before[i])))
        others = dot(before[i + 1 :], before[i])
        corners[i + 1 :, i] = (-1.0 / (n_classes - 1) - others) / corners[i, i]
    return corners


def _aside(random: np.random.Generator, basis: FloatArray, room: float) -> FloatArray:
    """A step upright on the basis, no longer than the room there is."""
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
    """Rows of the classes y all over the ball, none nearer to the boundary than the margin."""
    d = towards.shape[1]
    # The length of a point in a ball of d dimensions is distributed like the largest of d numbers.
    length = radius * random.random((len(y), min(d, 16))).max(axis=1)
    X = unit(bell_shaped(random, len(y), d)) * length[:, None]
    # A row in the part of another class is mirrored into the part of its own.
    lies_in = np.stack([dot(X, vector) for vector in towards], axis=1).argmax(axis=1)
    mirror = unit(towards[lies_in] - towards[y])
    X -= 2.0 * dot(X, mirror)[:, None] * mirror
    # Towards the tip of the class every lead grows evenly, and the ball is convex: a row that is
    # too near goes there until its smallest lead is a number drawn above the margin.
    tips = radius * towards
    now, there = leads(X, y, w, b), leads(tips, np.arange(len(tips)), w, b)[y]
    drawn = random.random(len(y))
    wanted = margin + (there.min(axis=1) - margin) * drawn * drawn
    short = wanted[:, None] - now
    way = np.divide(short, there - now, out=np.zeros_like(now), where=short > 0).max(axis=1)
    way[now.min(axis=1) >= margin] = 0.0
    return np.asarray(X + way[:, None] * (tips[y] - X))


@dataclass(frozen=True, eq=False, repr=False)
class Noisy(LabelledRows):
    """Rows, labels of which some are wrong, and the truth. It unpacks to ``X, y``.

    Attributes
    ----------
    truth : ndarray of shape (n_rows,)
        The right class of every row.
    flipped : ndarray of int
        The numbers of the rows with a wrong label, in order.
    w, b
        The separator behind the truth, as in `Separable`.
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
    """Rows that a known hyperplane would separate, if a known share of the labels were not wrong.

    The rows are those of `separable`. Then exactly ``round(flip * n_rows)`` labels are changed.

    Parameters
    ----------
    n_rows, n_features, margin, radius, intercept, n_classes, seed
        As in `separable`.
    flip : float, default=0.1
        The share of wrong labels, from 0 to 0.5.
    where : {"anywhere", "boundary"}, default="anywhere"
        "anywhere": every row is as likely to be flipped, to any other class; so do slips of the
        pen. "boundary": the classes overlap, as if the margins had been read with an error, of a
        size that lets the right number of rows cross over to their nearest rival.

    Returns
    -------
    Noisy
        ``X``, ``y``, and the ``truth``, the ``flipped`` rows, ``w`` and ``b``.

    Examples
    --------
    Are the rows that a perceptron cannot come to terms with those with wrong labels?

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
        # An error of size s flips the row if s |e| > m, so those with the least m / |e| go first.
        error = np.abs(bell_shaped(random, n_rows))
        ease = np.divide(clean.margins, error, out=np.full(n_rows, np.inf), where=error > 0)
        flipped = np.sort(np.argsort(ease, kind="stable")[:wrong])
        y[flipped] = _rivals(clean.X, clean.y, clean.w)[flipped]
    about = f"made, {wrong} of {n_rows} labels wrong ({where})"
    return Noisy(clean.X, y, clean.classes, about, clean.y, flipped, clean.w, clean.b)


def _rivals(X: FloatArray, y: IntArray, w: FloatArray) -> IntArray:
    """The class that comes next after the right one."""
    if w.ndim == 1:
        return 1 - y
    scores = np.stack([dot(X, vector) for vector in w], axis=1)
    np.put_along_axis(scores, y[:, None], -np.inf, axis=1)
    return np.asarray(scores.argmax(axis=1), np.int64)
