"""Sets with labels that are known to be wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.checks import choice, number
from rosenblatt.datasets.bundled import LabelledRows
from rosenblatt.datasets.portable_random import bell_shaped, dot, generator
from rosenblatt.datasets.separable_sets import separable


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
