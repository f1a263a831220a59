"""Feature maps: the smallest of a few after which the classes can be separated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt.arrays import AnyArray, FloatArray, Int32Array, SparseRows, for_caller, is_sparse
from rosenblatt.core.model import LinearModel
from rosenblatt.core.rows import as_rows, largest_allowed, scores
from rosenblatt.core.training import train
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count
from rosenblatt.theory.argmax import ArgmaxSeparability
from rosenblatt.theory.mistake_bounds import MistakeBound, mistake_bound
from rosenblatt.theory.points import read_points
from rosenblatt.theory.separability import Separability, separability

MAX_COLUMNS = 20_000
# A mapped table is written out; this many numbers take 1.6 GB.
MOST_CELLS = 200_000_000
RANDOM_FEATURES = (100, 300, 1000)
SAMPLE = 500
EPOCHS = 10


class Trial(NamedTuple):
    """A map that was tried, or why it was not.

    ``verdict`` may also be "skipped"; ``mistakes`` are the rows misclassified by an averaged
    perceptron after a few epochs, only where the map does not separate; ``note`` says why it was
    skipped or not decided.
    """

    name: str
    n_features: int
    verdict: str
    mistakes: int | None = None
    note: str = ""


class Map(NamedTuple):
    """A map by name; ``apply`` takes dense rows, or any for the identity."""

    name: str
    n_features: int
    apply: Callable[[Any], Any]


@dataclass(frozen=True)
class SeparatingMap(ResultCard):
    """A feature map Φ and what is known of the rows behind it.

    Attributes
    ----------
    name : str
        "identity", "products", "degree 2", "degree 3" or "RBF 100" and so on.
    n_features : int
        How many columns the mapped rows have.
    verdict : Separability or ArgmaxSeparability
        That of the mapped rows, with its certificate.
    bound : MistakeBound or None
        R, γ and R²/γ² of the mapped rows; None if they are not separable.
    tried : tuple of Trial
        Every map looked at, in order, with its verdict or the reason why it was skipped.
    n_features_in : int
        How many columns rows must have to be mapped.
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
        """Whether the mapped rows are proven to be separable; if not, this is the best found."""
        return self.verdict.separable is True

    def _headline(self) -> str:
        return f"{self.name}, {count(self.n_features, 'feature')}: {self.verdict.verdict}"

    def transform(self, X: Any) -> Any:
        """Φ(x) for every row: the rows it was found with, or new ones.

        A model learned behind the map needs new rows mapped the same way. Sparse rows stay sparse
        under the identity and become dense under every other map.
        """
        table = _table(X)
        if table.shape[1] != self.n_features_in:
            raise InputError(
                f"X has {table.shape[1]} columns, but the map was made for {self.n_features_in}."
            )
        return for_caller(_mapped(self._apply, table, self.name))


def simplest_separating_map(
    X: Any, y: Any, fit_intercept: bool = True, *, seed: int = 0
) -> SeparatingMap:
    """Find the simplest of a few feature maps under which the classes become separable.

    Tried in this order, the first that separates is returned:

    - ``identity``: x as it is;
    - ``products``: x and every ``x_i x_j`` with i < j;
    - ``degree 2``: all of that and the squares;
    - ``degree 3``: every product of at most three features;
    - ``RBF 100``, ``RBF 300``, ``RBF 1000``: so many random waves ``√(2/m) cos(ω·x + φ)``, whose
      products come close to ``exp(-‖x - x'‖² / 2σ²)`` (Rahimi and Recht 2007). σ is the median
      distance between rows of a sample.

    If none separates, the best found is returned: the map with the fewest rows misclassified by
    an averaged perceptron after ten epochs, the simpler one of equals; its ``separable`` is False.

    With about as many features as rows almost any labels can be separated, so a map found at the
    end of the list says little about rows not seen.

    Cost: one call of `separability` a map, on a dense table of its size. Maps with more than
    20,000 columns, or 200 million numbers in all, are skipped, which ``tried`` tells.

    Parameters
    ----------
    seed : int, default=0
        Of the random waves and of the sample.

    See Also
    --------
    separability : The verdict without any map.

    Examples
    --------
    Exclusive or needs the product of its two features, and no more:

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
    table, labels = points.X, np.asarray(y)
    numbers = np.searchsorted(classes, labels).astype(np.int32)
    tried: list[Trial] = []
    best: tuple[int, Map, Any] | None = None
    d = int(table.shape[1])
    for one in _maps(table, int(seed)):
        reason = _too_large(one, len(labels))
        if not reason:
            try:
                mapped = _mapped(one.apply, table, one.name)
            except InputError as error:
                reason = str(error)
        if reason:
            tried.append(Trial(one.name, one.n_features, "skipped", note=reason))
            continue
        verdict = separability(mapped, labels, fit_intercept)
        if verdict.separable:
            tried.append(Trial(one.name, one.n_features, verdict.verdict))
            bound = mistake_bound(mapped, labels, fit_intercept)
            return SeparatingMap(*one[:2], verdict, bound, tuple(tried), d, one.apply)
        mistakes = _mistakes(mapped, numbers, classes, fit_intercept)
        tried.append(Trial(one.name, one.n_features, verdict.verdict, mistakes, verdict.detail))
        if best is None or mistakes < best[0]:
            best = mistakes, one, verdict
    assert best is not None  # the identity is never skipped
    return SeparatingMap(*best[1][:2], best[2], None, tuple(tried), d, best[1].apply)


def _maps(table: Any, seed: int) -> Iterator[Map]:
    """The maps in the order in which they are tried."""
    d = int(table.shape[1])
    yield Map("identity", d, _unchanged)
    if d > 1:  # of a single feature there are no pairs
        yield Map("products", d + comb(d, 2), partial(_products, pairs=True))
    yield Map("degree 2", d + comb(d + 1, 2), partial(_products, degree=2))
    yield Map("degree 3", comb(d + 3, 3) - 1, partial(_products, degree=3))
    width = _median_distance(table, seed)
    for m in RANDOM_FEATURES:
        # The directions of a smaller map are the first ones of a larger.
        directions = np.random.default_rng([seed, 0]).standard_normal((m, d)) / width
        phases = np.random.default_rng([seed, 1]).uniform(0.0, 2 * np.pi, m)
        yield Map(f"RBF {m}", m, partial(_waves, directions, phases))


def _unchanged(X: Any) -> Any:
    return X


def _products(X: FloatArray, *, degree: int = 2, pairs: bool = False) -> FloatArray:
    """The features, then their products; each is one product of a column and an earlier one."""
    n, d = X.shape
    choose = combinations if pairs else combinations_with_replacement
    chosen = [c for k in range(1, degree + 1) for c in choose(range(d), k)]
    place = {c: i for i, c in enumerate(chosen)}
    out = np.empty((n, len(chosen)))
    out[:, :d] = X
    for c in chosen[d:]:
        np.multiply(out[:, place[c[:-1]]], X[:, c[-1]], out=out[:, place[c]])
    return out


def _waves(directions: FloatArray, phases: FloatArray, X: FloatArray) -> FloatArray:
    waves = X @ directions.T + phases
    np.cos(waves, out=waves)
    waves *= np.sqrt(2.0 / len(phases))
    return waves


def _median_distance(table: Any, seed: int) -> float:
    """The median distance between unequal rows of a sample; 1 if all are equal."""
    rows = np.random.default_rng([seed, 2]).permutation(table.shape[0])[:SAMPLE]
    sample = _dense(table[rows])
    largest = float(np.abs(sample).max(initial=0.0)) or 1.0
    sample = sample / largest
    squares = (sample**2).sum(axis=1)
    gaps = squares[:, None] + squares - 2 * sample @ sample.T
    above = gaps[np.triu_indices(len(sample), 1)]
    above = above[above > 1e-14 * max(float(squares.max(initial=0.0)), 1e-300)]
    return largest * float(np.sqrt(np.median(above))) if len(above) else 1.0


def _mapped(apply: Callable[[Any], Any], table: Any, name: str) -> Any:
    """The mapped rows, refused if a number left the range that can be squared."""
    if name == "identity":
        return table
    with np.errstate(over="ignore", invalid="ignore"):
        mapped = apply(_dense(table))
    limit = largest_allowed(np.float64)
    if not (np.abs(mapped).max(initial=0.0) <= limit):
        raise InputError(
            f"numbers beyond {limit:g} arise under the map {name!r}. Scale the columns of X."
        )
    return mapped


def _too_large(one: Map, n_rows: int) -> str:
    if one.name == "identity":
        return ""
    if one.n_features > MAX_COLUMNS:
        return f"{one.n_features:,} columns are more than {MAX_COLUMNS:,}"
    cells = one.n_features * n_rows
    return f"{cells:,} numbers are more than {MOST_CELLS:,}" if cells > MOST_CELLS else ""


def _mistakes(mapped: Any, numbers: Int32Array, classes: AnyArray, fit_intercept: bool) -> int:
    """Rows that an averaged perceptron misclassifies after a few epochs."""
    low, high = mapped.column_range() if is_sparse(mapped) else (mapped.min(0), mapped.max(0))
    largest = np.maximum(-low, high)
    scale = np.where(largest > 0, largest, 1.0)
    if is_sparse(mapped):
        values = mapped.data * (1.0 / scale)[mapped.indices]
        scaled: Any = SparseRows(values, mapped.indices, mapped.indptr, mapped.shape[1])
    else:
        scaled = mapped / scale
    model = LinearModel(
        classes.tolist(), scaled.shape[1], fit_intercept=fit_intercept, averaged=True
    )
    train(model.weights, Rule("perceptron"), as_rows(scaled), numbers, max_iter=EPOCHS, tol=None)
    found = scores(scaled, *model.served())
    answers = found > 0 if found.ndim == 1 else found.argmax(axis=1)
    return int((answers != numbers).sum())


def _table(X: Any) -> Any:
    """Rows as numbers, checked as everywhere in this package."""
    if not is_sparse(X):
        try:
            X = np.asarray(X, np.float64)
        except (TypeError, ValueError):
            raise InputError("X must be a table of numbers.") from None
    return read_points(X, np.zeros(X.shape[0] if X.ndim else 0), True)[0].X


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if is_sparse(table) else table, np.float64)
