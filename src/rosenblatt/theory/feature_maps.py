"""Search for the simplest feature map under which the classes become separable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray, Int32Array, SparseRows, for_caller, is_sparse
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import train
from rosenblatt.models.rows import as_rows, largest_allowed, scores
from rosenblatt.plurals import count
from rosenblatt.theory.argmax import ArgmaxSeparability
from rosenblatt.theory.mistake_bounds import MistakeBound, mistake_bound
from rosenblatt.theory.points import Table, read_points
from rosenblatt.theory.separability import Separability, separability

MAX_COLUMNS = 20_000
# A mapped table is held in memory; this many numbers take 1.6 GB.
MAX_CELLS = 200_000_000
# Numbers of random Fourier features of the maps that are tried.
RANDOM_FEATURES = (100, 300, 1000)
# Rows in the sample whose median distance is the kernel width of the random features.
SAMPLE_ROWS = 500
# Epochs of the averaged perceptron whose errors rank maps that do not separate.
EPOCHS = 10


class Trial(NamedTuple):
    """The outcome of one feature map that was tried or skipped.

    ``verdict`` is that of `separability`, or "skipped". ``mistakes`` is the number of rows that an
    averaged perceptron misclassifies after a few epochs; it is None if the map separates or was
    skipped. ``note`` is the reason for a skipped map or an undecided verdict.
    """

    name: str
    n_features: int
    verdict: str
    mistakes: int | None = None
    note: str = ""


class Map(NamedTuple):
    """A named feature map. ``apply`` takes dense rows; only the identity also takes sparse rows."""

    name: str
    n_features: int
    apply: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class SeparatingMap(ResultCard):
    """A feature map Φ, and the verdict on the mapped rows.

    Attributes
    ----------
    name : str
        "identity", "products", "degree 2", "degree 3", "RBF 100" and so on.
    n_features : int
        The number of columns of the mapped rows.
    verdict : Separability or ArgmaxSeparability
        The verdict on the mapped rows, with its certificate.
    bound : MistakeBound or None
        R, γ and R²/γ² of the mapped rows; None if they are not separable.
    tried : tuple of Trial
        Every map in the order of trial, with its verdict or the reason why it was skipped.
    n_features_in : int
        The number of columns of the rows before the map.
    """

    name: str
    n_features: int
    verdict: Separability | ArgmaxSeparability
    bound: MistakeBound | None
    tried: tuple[Trial, ...]
    n_features_in: int
    _apply: Callable[[Any], Any] = field(repr=False)

    @property
    def separable(self) -> bool:
        """Whether the mapped rows are proven to be separable; False if no map achieved that."""
        return self.verdict.separable is True

    def _headline(self) -> str:
        return f"{self.name}, {count(self.n_features, 'feature')}: {self.verdict.verdict}"

    def transform(self, X: Any) -> Any:
        """Return Φ(x) for every row of X.

        A model that was trained on mapped rows needs new rows mapped the same way. Sparse rows stay
        sparse under the identity and become dense under every other map.
        """
        table = _checked_table(X)
        if table.shape[1] != self.n_features_in:
            raise InputError(
                f"X has {table.shape[1]} columns, but the map was made for {self.n_features_in}."
            )
        return for_caller(_apply_map(self._apply, table, self.name))


def simplest_separating_map(
    X: Any, y: Any, fit_intercept: bool = True, *, seed: int = 0
) -> SeparatingMap:
    """Find the simplest of a few feature maps under which the classes become separable.

    The maps are tried in this order, and the first that separates is returned:

    - ``identity``: x unchanged;
    - ``products``: x and every ``x_i x_j`` with i < j;
    - ``degree 2``: the same and the squares;
    - ``degree 3``: every product of at most three features;
    - ``RBF 100``, ``RBF 300``, ``RBF 1000``: m random waves ``√(2/m) cos(ω·x + φ)``, whose dot
      products approximate ``exp(-‖x - x'‖² / 2σ²)`` (Rahimi and Recht 2007). σ is the median
      distance between rows of a sample.

    If none separates, the best is returned: the map under which an averaged perceptron
    misclassifies the fewest rows after ten epochs, or the simplest of several. Its ``separable`` is
    False.

    With about as many features as rows almost any labels can be separated, so a map from the end of
    the list tells little about unseen rows.

    Cost: one call of `separability` per map, on a dense table of its size. Maps with more than
    20,000 columns, or 200 million numbers in all, are skipped and noted in ``tried``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    seed : int, default=0
        Seed for the random waves and the sample.

    Returns
    -------
    SeparatingMap

    See Also
    --------
    separability : The verdict without a map.

    Examples
    --------
    Exclusive or needs only the product of its two features:

    >>> from rosenblatt.theory.feature_maps import simplest_separating_map
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> found = simplest_separating_map(X, y)
    >>> found.name, found.n_features, round(found.bound.bound)
    ('products', 3, 100)
    >>> found.transform([[2, 3]]).tolist()
    [[2.0, 3.0, 6.0]]
    """
    checks.whole("seed", seed, at_least=0)
    points, classes = read_points(X, y, fit_intercept)
    table = points.X
    labels = np.asarray(y)
    numbers = np.searchsorted(classes, labels).astype(np.int32)
    tried: list[Trial] = []
    best: SeparatingMap | None = None
    fewest_mistakes = len(labels) + 1
    for one in _maps(table, int(seed)):
        reason = _reason_to_skip(one, len(labels))
        if not reason:
            try:
                mapped = _apply_map(one.apply, table, one.name)
            except InputError as error:
                reason = str(error)
        if reason:
            tried.append(Trial(one.name, one.n_features, "skipped", note=reason))
            continue

        verdict = separability(mapped, labels, fit_intercept)
        found = SeparatingMap(
            name=one.name,
            n_features=one.n_features,
            verdict=verdict,
            bound=None,
            tried=(),
            n_features_in=int(table.shape[1]),
            _apply=one.apply,
        )
        if verdict.separable:
            tried.append(Trial(one.name, one.n_features, verdict.verdict))
            bound = mistake_bound(mapped, labels, fit_intercept)
            return replace(found, bound=bound, tried=tuple(tried))

        mistakes = _count_mistakes(mapped, numbers, classes, fit_intercept)
        tried.append(Trial(one.name, one.n_features, verdict.verdict, mistakes, verdict.detail))
        if mistakes < fewest_mistakes:
            fewest_mistakes = mistakes
            best = found

    # The identity is never skipped.
    assert best is not None
    return replace(best, tried=tuple(tried))


def _maps(table: Table, seed: int) -> Iterator[Map]:
    """Yield the maps in the order in which they are tried."""
    d = int(table.shape[1])
    yield Map("identity", d, _unchanged)
    # A single feature has no pairs.
    if d > 1:
        yield Map("products", d + comb(d, 2), partial(_products, pairs=True))
    yield Map("degree 2", d + comb(d + 1, 2), partial(_products, degree=2))
    yield Map("degree 3", comb(d + 3, 3) - 1, partial(_products, degree=3))

    width = _median_distance(table, seed)
    for m in RANDOM_FEATURES:
        # The directions of a smaller map are the first ones of a larger map.
        directions = np.random.default_rng([seed, 0]).standard_normal((m, d)) / width
        phases = np.random.default_rng([seed, 1]).uniform(0.0, 2 * np.pi, m)
        yield Map(f"RBF {m}", m, partial(_waves, directions, phases))


def _unchanged(X: FloatArray) -> FloatArray:
    return X


def _products(X: FloatArray, *, degree: int = 2, pairs: bool = False) -> FloatArray:
    """Return the features followed by their products up to a degree; ``pairs`` omits squares."""
    n, d = X.shape
    choose = combinations if pairs else combinations_with_replacement
    # Each product is a tuple of feature numbers.
    products = [factors for k in range(1, degree + 1) for factors in choose(range(d), k)]
    column_of = {factors: column for column, factors in enumerate(products)}
    table = np.empty((n, len(products)))
    table[:, :d] = X

    # A longer product is a shorter one, computed before, times one more feature.
    for factors in products[d:]:
        shorter = table[:, column_of[factors[:-1]]]
        np.multiply(shorter, X[:, factors[-1]], out=table[:, column_of[factors]])
    return table


def _waves(directions: FloatArray, phases: FloatArray, X: FloatArray) -> FloatArray:
    """Return m random Fourier features, ``√(2/m) cos(ω·x + φ)``, of each row."""
    waves = X @ directions.T + phases
    np.cos(waves, out=waves)
    waves *= np.sqrt(2.0 / len(phases))
    return waves


def _median_distance(table: Table, seed: int) -> float:
    """Return the median distance between unequal rows of a sample; 1 if all rows are equal."""
    rows = np.random.default_rng([seed, 2]).permutation(table.shape[0])[:SAMPLE_ROWS]
    sample = _to_dense(table[rows])
    # Scaled, so that no square overflows.
    largest = float(np.abs(sample).max(initial=0.0)) or 1.0
    sample = sample / largest

    # ‖a - b‖² = ‖a‖² + ‖b‖² - 2 a·b, once for each pair; smaller values are rounding only.
    squares = (sample**2).sum(axis=1)
    squared_distances = squares[:, None] + squares - 2 * sample @ sample.T
    pairs = squared_distances[np.triu_indices(len(sample), 1)]
    pairs = pairs[pairs > 1e-14 * max(float(squares.max(initial=0.0)), 1e-300)]
    if not len(pairs):
        return 1.0
    return largest * float(np.sqrt(np.median(pairs)))


def _apply_map(apply: Callable[[FloatArray], FloatArray], table: Table, name: str) -> Table:
    """Return the mapped rows; raise an error if a number is too large to be squared."""
    if name == "identity":
        return table
    with np.errstate(over="ignore", invalid="ignore"):
        mapped: FloatArray = apply(_to_dense(table))
    limit = largest_allowed(np.float64)
    if not (np.abs(mapped).max(initial=0.0) <= limit):
        raise InputError(
            f"numbers beyond {limit:g} arise under the map {name!r}. Scale the columns of X."
        )
    return mapped


def _reason_to_skip(one: Map, n_rows: int) -> str:
    """Return the reason why the mapped table is too large, or an empty string if it is not."""
    if one.name == "identity":
        return ""
    if one.n_features > MAX_COLUMNS:
        return f"{one.n_features:,} columns are more than {MAX_COLUMNS:,}"
    cells = one.n_features * n_rows
    if cells > MAX_CELLS:
        return f"{cells:,} numbers are more than {MAX_CELLS:,}"
    return ""


def _count_mistakes(
    mapped: Table, numbers: Int32Array, classes: AnyArray, fit_intercept: bool
) -> int:
    """Count the rows that an averaged perceptron misclassifies after a few epochs."""
    # Columns of very different sizes would need more epochs.
    scaled: Table
    if isinstance(mapped, SparseRows):
        low, high = mapped.column_range()
        scale = _column_scale(low, high)
        values = mapped.data * (1.0 / scale)[mapped.indices]
        scaled = SparseRows(values, mapped.indices, mapped.indptr, mapped.shape[1])
    else:
        scaled = mapped / _column_scale(mapped.min(0), mapped.max(0))
    model = LinearModel(
        classes.tolist(), scaled.shape[1], fit_intercept=fit_intercept, averaged=True
    )
    train(model.weights, Rule("perceptron"), as_rows(scaled), numbers, max_iter=EPOCHS, tol=None)
    found = scores(scaled, *model.served())
    answers = found > 0 if found.ndim == 1 else found.argmax(axis=1)
    return int((answers != numbers).sum())


def _column_scale(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the largest absolute value of each column; 1 for a column of zeros."""
    largest = np.maximum(-low, high)
    return np.where(largest > 0, largest, 1.0)


def _checked_table(X: Any) -> Table:
    """Validate X as the other functions of `theory` do; return it as a table."""
    if not is_sparse(X):
        try:
            X = np.asarray(X, np.float64)
        except (TypeError, ValueError):
            raise InputError("X must be a table of numbers.") from None
    n_rows = X.shape[0] if X.ndim else 0
    points, _ = read_points(X, np.zeros(n_rows), True)
    return points.X


def _to_dense(table: Table) -> FloatArray:
    dense = table.toarray() if isinstance(table, SparseRows) else table
    return np.asarray(dense, np.float64)
