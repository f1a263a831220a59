"""Kernels: how alike two rows are, for all pairs of two tables at once.

Rows that are kept are dense, or sparse if they came so and are wide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.arrays import (
    AnyArray,
    AnyFloatArray,
    BoolArray,
    FloatArray,
    IntArray,
    SparseRows,
    for_caller,
    is_sparse,
)
from rosenblatt.errors import InputError
from rosenblatt.models.rows import distances, products

# A distance of float32 rows is taken in float32 only if rounding changes exp(-distance) by less.
MOST_ROUNDING = 1e-6


class Kernel:
    """A kernel with its parameters; ``between(A, B)`` has a row for each row of A.

    Numbers are float32 if both tables are, else float64; those of "laplacian" always are float64.
    """

    def __init__(
        self,
        name: str | Callable[[Any, Any], Any],
        *,
        degree: int = 3,
        gamma: float = 1.0,
        coef0: float = 1.0,
    ) -> None:
        self.name, self.degree, self.gamma, self.coef0 = name, degree, gamma, coef0
        self.is_precomputed = isinstance(name, str) and name == "precomputed"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Kernel:
        """The kernel that the parameters of a learner name; a gamma not known yet counts as 1."""
        gamma = settings["gamma"]
        return cls(
            settings["kernel"],
            degree=int(settings["degree"]),
            gamma=1.0 if gamma is None else float(gamma),
            coef0=float(settings["coef0"]),
        )

    @property
    def has_gamma(self) -> bool:
        return self.name in ("poly", "rbf", "laplacian", "sigmoid")

    def measured_gamma(self, X: Any, counted: BoolArray, *, streamed: bool) -> float | None:
        """A gamma at which this kernel tells rows apart, by those that count; None if these are 0.

        1 / the mean of ‖x - x̄‖², which is 1 / n_features for standardised features and about 1 for
        texts of length 1. Of a stream the first example that is not 0 decides, so that batches do
        not matter: ‖x‖², in an array at least n_features, stands for the mean. Rounded, because
        sums over dense and sparse rows differ in their last digits.
        """
        squares = _squared_norms(X)
        others = counted & (squares >= np.finfo(np.float64).tiny)
        if not others.any():
            return None
        if streamed:
            counted = np.arange(len(counted)) == others.argmax()
        n = np.count_nonzero(counted)
        length = apart = float(squares[counted].mean())
        if n > 1:
            apart -= float(np.sum(np.square(_column_sums(X, counted) / n)))
        elif not is_sparse(X):
            length = apart = max(apart, float(X.shape[1]))
        if apart <= 1e-9 * length:  # all rows are the same
            apart = length
        if self.name == "sigmoid":  # steep only near 0, where products should stay
            apart = 4.0 * length
        elif self.name == "laplacian":  # of m values other than 0, ‖x‖₁ is at most √m ‖x‖
            apart = (apart * float(_column_sums(X, counted, ones=True).sum()) / n) ** 0.5
        return float(f"{1.0 / apart:.6g}")

    def support_rows(self, X: Any, numbers: IntArray) -> Any:
        """What has to be kept of some rows of ``X`` to ask for their kernel later."""
        if self.is_precomputed:
            return numbers[:, None]
        return (X.sparse if isinstance(X, Narrow) else X)[numbers]

    def between(self, A: Any, B: Any) -> AnyFloatArray:
        """The kernel of every kept row of A with every row of B, dense or sparse."""
        if self.is_precomputed:
            columns = A[:, 0]
            found = SparseRows.of(B).toarray(columns) if is_sparse(B) else B[:, columns]
            return np.asarray(found.T)
        A, B = (table.toarray() if is_narrow(table) else table for table in (A, B))
        if callable(self.name):
            return _checked(self.name(for_caller(A), for_caller(B)), A.shape[0], B.shape[0])
        # What overflows is refused by whoever reads the scores.
        with np.errstate(over="ignore", invalid="ignore"):
            return KERNELS[self.name](self, A, B)


def _checked(values: Any, n: int, m: int) -> AnyFloatArray:
    """What a kernel of the user returned, if it is what it should be."""
    found = values.toarray() if is_sparse(values) else np.asarray(values)
    if found.shape != (n, m):
        raise InputError(
            f"kernel: called with {n} and {m} rows it returned shape {found.shape}; it must return "
            f"one number for each pair, shape ({n}, {m})."
        )
    if found.dtype.kind not in "fiub":
        raise InputError(f"kernel: it returned {found.dtype}; it must return real numbers.")
    if not np.isfinite(found).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(found)))
        raise InputError(
            f"kernel: it returned {found[row, column]} for one pair of rows; it must return finite "
            "numbers for all."
        )
    return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)


def _squared_norms(A: Any) -> FloatArray:
    if is_sparse(A):
        return SparseRows.of(A).squared_norms()
    return np.asarray(np.einsum("ij,ij->i", A, A, dtype=np.float64))


def _column_sums(X: Any, counted: BoolArray, *, ones: bool = False) -> FloatArray:
    """The sum of each column over the rows that count, or how many of its values are not 0."""
    if is_sparse(X):
        rows = SparseRows.of(X)
        values = (rows.data != 0.0 if ones else rows.data) * counted[rows.row_numbers()]
        return np.bincount(rows.indices, values, rows.shape[1]).astype(np.float64)
    values = X != 0.0 if ones else X
    return np.asarray(np.add.reduce(values, dtype=np.float64, where=counted[:, None]))


def _polynomial(kernel: Kernel, A: Any, B: Any) -> AnyFloatArray:
    found = products(A, B)
    if kernel.gamma != 1.0:
        found *= kernel.gamma
    if kernel.coef0 != 0.0:
        found += kernel.coef0
    return _power(found, kernel.degree)


def _power(base: AnyFloatArray, degree: int) -> AnyFloatArray:
    """By squaring, in place where it can be; every factor is a product, not a logarithm."""
    if degree == 1:
        return base
    if degree % 2:
        rest = base.copy()
        base *= base
        return np.multiply(_power(base, degree // 2), rest, out=base)
    base *= base
    return _power(base, degree // 2)


def _sigmoid(kernel: Kernel, A: Any, B: Any) -> AnyFloatArray:
    found = products(A, B)
    found *= kernel.gamma
    found += kernel.coef0
    return np.asarray(np.tanh(found, out=found))


def _rbf(kernel: Kernel, A: Any, B: Any) -> AnyFloatArray:
    norms = _squared_norms(A), _squared_norms(B)
    if A.dtype == np.float32 and B.dtype == np.float32:
        largest = sum(float(part.max(initial=0.0)) for part in norms)
        if kernel.gamma * largest * np.finfo(np.float32).eps > MOST_ROUNDING:
            # The difference of large squares would be rounding alone.
            A, B = A.astype(np.float64), B.astype(np.float64)
    found = products(A, B)
    found *= 2.0 * kernel.gamma
    for part, shape in zip(norms, ((-1, 1), (1, -1)), strict=True):
        found -= (kernel.gamma * part).reshape(shape).astype(found.dtype)
    np.minimum(found, 0.0, out=found)
    return np.asarray(np.exp(found, out=found))


def _laplacian(kernel: Kernel, A: Any, B: Any) -> AnyFloatArray:
    found = distances(A, B)
    found *= -kernel.gamma
    return np.asarray(np.exp(found, out=found))


def _cosine(_: Kernel, A: Any, B: Any) -> AnyFloatArray:
    found = products(A, B)
    for part, shape in ((A, (-1, 1)), (B, (1, -1))):
        length = np.sqrt(_squared_norms(part))
        length[length == 0.0] = 1.0
        found /= length.reshape(shape).astype(found.dtype)
    return found


KERNELS: dict[str, Callable[[Kernel, Any, Any], AnyFloatArray]] = {
    "linear": lambda _, A, B: products(A, B),
    "poly": _polynomial,
    "rbf": _rbf,
    "laplacian": _laplacian,
    "sigmoid": _sigmoid,
    "cosine": _cosine,
}


# ---------------------------------------------------------------------- rows that are kept


LEAST_ROOM = 64
# Sparse rows of fewer features are multiplied faster as dense ones, and take little room.
NARROW = 1024


def is_narrow(table: Any) -> bool:
    """Whether a table is sparse although it need not be."""
    return is_sparse(table) and table.shape[1] <= NARROW


def narrow_as_dense(table: Any) -> Any:
    """The table, whose rows come out dense if there are few features, else as `SparseRows`."""
    if not is_sparse(table):
        return table
    rows = SparseRows.of(table)
    return Narrow(rows) if is_narrow(rows) else rows


class Narrow:
    """A sparse table whose rows are dense when they are taken out of it."""

    def __init__(self, rows: SparseRows) -> None:
        self.sparse, self.shape, self.dtype = rows, rows.shape, rows.dtype

    def __getitem__(self, rows: Any) -> AnyArray:
        return self.sparse[rows].toarray()


def support_for(rows: Any) -> DenseSupport | SparseSupport:
    """A place for rows like these."""
    return SparseSupport(rows) if is_sparse(rows) and not is_narrow(rows) else DenseSupport(rows)


def widened(support: DenseSupport | SparseSupport, n_features: int) -> DenseSupport | SparseSupport:
    """The same rows with more features, which are 0 in all of them."""
    rows: Any = support.vectors()
    if is_sparse(rows):
        rows = rows.widen(n_features)
    else:
        rows = np.pad(rows, ((0, 0), (0, n_features - rows.shape[1])))
    found = support_for(rows)
    found.append(rows)
    return found


class DenseSupport:
    """Rows in one array that doubles when it is full; they are handed out as they came."""

    def __init__(self, like: Any) -> None:
        self._rows = np.empty((0, like.shape[1]), like.dtype)
        self._origin = SparseRows.of(like).origin if is_sparse(like) else None
        self.n = 0

    @property
    def rows(self) -> AnyArray:
        return self._rows[: self.n]

    def vectors(self) -> AnyArray | SparseRows:
        """The rows as an array, or as sparse rows if the first of them were sparse."""
        if self._origin is None:
            return self.rows.copy()
        return SparseRows.from_dense(self.rows, origin=self._origin)

    def append(self, rows: Any) -> None:
        rows = rows.toarray() if is_sparse(rows) else rows
        self._agree(rows)
        end = self.n + len(rows)
        if end > len(self._rows):
            wider = np.empty((max(LEAST_ROOM, end, 2 * self.n), rows.shape[1]), self._rows.dtype)
            wider[: self.n] = self.rows
            self._rows = wider
        self._rows[self.n : end] = rows
        self.n = end

    def put(self, slot: int, row: Any) -> None:
        """Another row in the place of one."""
        row = row.toarray() if is_sparse(row) else row
        self._agree(row)
        self._rows[slot] = row[0]

    def _agree(self, rows: AnyArray) -> None:
        if rows.dtype == np.float64 and self._rows.dtype == np.float32:
            self._rows = self.rows.astype(np.float64)  # the room behind them holds anything

    def take(self, slots: slice | IntArray) -> AnyArray:
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Forget all but the first rows."""
        self.n = n

    def copy(self) -> DenseSupport:
        twin = DenseSupport(self._rows)
        twin._rows, twin._origin, twin.n = self.rows.copy(), self._origin, self.n
        return twin


class SparseSupport:
    """Rows in one sparse table; those that came last are joined to it when it is asked for."""

    def __init__(self, like: Any) -> None:
        self._joined = SparseRows.of(like)[:0]
        self._new: list[SparseRows] = []
        self.n = 0

    @property
    def rows(self) -> SparseRows:
        if self._new:
            self._joined, self._new = SparseRows.concat([self._joined, *self._new]), []
        return self._joined

    def vectors(self) -> SparseRows:
        """The rows, which share no memory with these."""
        return self.rows.copy()

    def append(self, rows: Any) -> None:
        self._new.append(SparseRows.of(rows) if is_sparse(rows) else SparseRows.from_dense(rows))
        self.n += rows.shape[0]

    def put(self, slot: int, row: Any) -> None:
        """Another row in the place of one."""
        before, after = self.rows[:slot], self.rows[slot + 1 :]
        self._joined, self.n = before, slot
        self.append(row)
        self.append(after)

    def take(self, slots: slice | IntArray) -> SparseRows:
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Forget all but the first rows."""
        self._joined, self.n = self.rows[:n], n

    def copy(self) -> SparseSupport:
        twin = SparseSupport(self._joined)
        twin._joined, twin._new, twin.n = self._joined, list(self._new), self.n
        return twin
