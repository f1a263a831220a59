"""Kernel matrices of two tables, and the storage of a model's support rows.

Support rows are dense, or sparse if they arrived sparse and are wide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from rosenblatt.arrays import (
    AnyArray,
    AnyFloatArray,
    BoolArray,
    FloatArray,
    IntArray,
    SparseRows,
    Table,
    for_caller,
    is_sparse,
)
from rosenblatt.errors import InputError
from rosenblatt.models.rows import distances, products

# A distance of float32 rows is computed in float32 only if rounding changes it by less than this.
MAX_ROUNDING = 1e-6


class Kernel:
    """A kernel with its parameters; ``between(A, B)`` has a row for each row of A.

    The numbers are float32 if both tables are, else float64; "laplacian" always gives float64.
    """

    def __init__(
        self,
        name: str | Callable[[Any, Any], Any],
        *,
        degree: int = 3,
        gamma: float = 1.0,
        coef0: float = 1.0,
    ) -> None:
        self.name = name
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.is_precomputed = isinstance(name, str) and name == "precomputed"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Kernel:
        """Return the kernel that a learner's parameters describe; a gamma of None counts as 1."""
        gamma = settings["gamma"]
        return cls(
            settings["kernel"],
            degree=int(settings["degree"]),
            gamma=1.0 if gamma is None else float(gamma),
            coef0=float(settings["coef0"]),
        )

    @property
    def has_gamma(self) -> bool:
        """Return whether the kernel depends on gamma."""
        return self.name in ("poly", "rbf", "laplacian", "sigmoid")

    def measured_gamma(self, X: Table, counted: BoolArray, *, streamed: bool) -> float | None:
        """Return a default gamma for the spread of the counted rows; None if they are all 0.

            1 / mean ‖x - x̄‖²

        This is 1 / n_features for standardised features and about 1 for texts of length 1. In a
        stream the first example that is not 0 decides, so that batches do not matter: ‖x‖², for
        dense rows at least n_features, stands for the mean. The result is rounded, because sums
        over dense and sparse rows differ in their last digits.
        """
        squared_norms = _squared_norms(X)
        is_nonzero = counted & (squared_norms >= np.finfo(np.float64).tiny)
        if not is_nonzero.any():
            return None
        if streamed:
            counted = np.arange(len(counted)) == is_nonzero.argmax()

        # The means of ‖x‖² and of ‖x - x̄‖² = ‖x‖² - ‖x̄‖².
        n = np.count_nonzero(counted)
        length = float(squared_norms[counted].mean())
        spread = length
        if n > 1:
            spread -= float(np.sum(np.square(_column_sums(X, counted) / n)))
        elif not is_sparse(X):
            length = max(length, float(X.shape[1]))
            spread = length
        if spread <= 1e-9 * length:
            # All rows are the same.
            spread = length

        if self.name == "sigmoid":
            # tanh is steep only near 0, where products should stay.
            spread = 4.0 * length
        elif self.name == "laplacian":
            # With m values other than 0, ‖x‖₁ is at most √m ‖x‖.
            spread = (spread * float(_count_nonzeros(X, counted)) / n) ** 0.5
        return float(f"{1.0 / spread:.6g}")

    def support_rows(self, X: KernelTable, numbers: IntArray) -> Table:
        """Return rows of ``X`` as support rows; for a precomputed kernel, their indices."""
        if self.is_precomputed:
            return numbers[:, None]
        return (X.sparse if isinstance(X, Narrow) else X)[numbers]

    def between(self, A: Table, B: Table) -> AnyFloatArray:
        """Return the kernel matrix of the support rows A and the rows B, dense or sparse."""
        if self.is_precomputed:
            assert not is_sparse(A)
            columns = A[:, 0]
            found = SparseRows.of(B).toarray(columns) if is_sparse(B) else B[:, columns]
            return np.asarray(found.T)
        if is_narrow(A):
            A = A.toarray()
        if is_narrow(B):
            B = B.toarray()
        if callable(self.name):
            return _checked(self.name(for_caller(A), for_caller(B)), A.shape[0], B.shape[0])
        # An overflow is refused when the scores are read.
        with np.errstate(over="ignore", invalid="ignore"):
            return KERNELS[self.name](self, A, B)


def _checked(values: Any, n: int, m: int) -> AnyFloatArray:
    """Return the values of a user's kernel as a float array; raise if they are invalid."""
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


def _squared_norms(A: Table) -> FloatArray:
    """Return the squared length of each row."""
    if is_sparse(A):
        return SparseRows.of(A).squared_norms()
    return np.asarray(np.einsum("ij,ij->i", A, A, dtype=np.float64))


def _column_sums(X: Table, counted: BoolArray) -> FloatArray:
    """Return the sum of each column over the counted rows."""
    if is_sparse(X):
        rows = SparseRows.of(X)
        values = rows.data * counted[rows.row_numbers()]
        return np.bincount(rows.indices, values, rows.shape[1]).astype(np.float64)
    return np.asarray(np.add.reduce(X, dtype=np.float64, where=counted[:, None]))


def _count_nonzeros(X: Table, counted: BoolArray) -> int:
    """Return the number of nonzero values in the counted rows."""
    if is_sparse(X):
        rows = SparseRows.of(X)
        return int(np.count_nonzero(rows.data[counted[rows.row_numbers()]]))
    return int(np.count_nonzero(X, axis=1)[counted].sum())


def _polynomial(kernel: Kernel, A: Table, B: Table) -> AnyFloatArray:
    """Return the polynomial kernel, (γ a·b + c)^degree."""
    found = products(A, B)
    if kernel.gamma != 1.0:
        found *= kernel.gamma
    if kernel.coef0 != 0.0:
        found += kernel.coef0
    return _power(found, kernel.degree)


def _power(base: AnyFloatArray, degree: int) -> AnyFloatArray:
    """Return base^degree, computed in place by repeated squaring."""
    if degree == 1:
        return base
    if degree % 2:
        rest = base.copy()
        base *= base
        return np.multiply(_power(base, degree // 2), rest, out=base)
    base *= base
    return _power(base, degree // 2)


def _sigmoid(kernel: Kernel, A: Table, B: Table) -> AnyFloatArray:
    """Return the sigmoid kernel, tanh(γ a·b + c)."""
    found = products(A, B)
    found *= kernel.gamma
    found += kernel.coef0
    return np.asarray(np.tanh(found, out=found))


def _rbf(kernel: Kernel, A: Table, B: Table) -> AnyFloatArray:
    """Return the RBF kernel exp(-γ‖a - b‖²), from -γ‖a - b‖² = 2γ a·b - γ‖a‖² - γ‖b‖²."""
    norms_of_a = _squared_norms(A)
    norms_of_b = _squared_norms(B)
    if A.dtype == np.float32 and B.dtype == np.float32:
        largest = float(norms_of_a.max(initial=0.0)) + float(norms_of_b.max(initial=0.0))
        if kernel.gamma * largest * np.finfo(np.float32).eps > MAX_ROUNDING:
            # The difference of large squares would be nothing but rounding.
            A = A.astype(np.float64)
            B = B.astype(np.float64)
    found = products(A, B)
    found *= 2.0 * kernel.gamma
    found -= (kernel.gamma * norms_of_a).astype(found.dtype)[:, None]
    found -= (kernel.gamma * norms_of_b).astype(found.dtype)
    # Rounding must not make a distance negative.
    np.minimum(found, 0.0, out=found)
    return np.asarray(np.exp(found, out=found))


def _laplacian(kernel: Kernel, A: Table, B: Table) -> AnyFloatArray:
    """Return the Laplacian kernel, exp(-γ‖a - b‖₁)."""
    found = distances(A, B)
    found *= -kernel.gamma
    return np.asarray(np.exp(found, out=found))


def _cosine(_: Kernel, A: Table, B: Table) -> AnyFloatArray:
    """Return the cosine of two rows, a·b / (‖a‖ ‖b‖); 0 for a row of zeros."""
    found = products(A, B)
    found /= _lengths(A).astype(found.dtype)[:, None]
    found /= _lengths(B).astype(found.dtype)
    return found


def _lengths(rows: Table) -> FloatArray:
    """Return the length of each row; 1 for a row of zeros."""
    lengths = np.sqrt(_squared_norms(rows))
    lengths[lengths == 0.0] = 1.0
    return lengths


KERNELS: dict[str, Callable[[Kernel, Table, Table], AnyFloatArray]] = {
    "linear": lambda _, A, B: products(A, B),
    "poly": _polynomial,
    "rbf": _rbf,
    "laplacian": _laplacian,
    "sigmoid": _sigmoid,
    "cosine": _cosine,
}


# ---------------------------------------------------------------------- support rows


# Minimum capacity of a dense buffer, in rows.
MIN_ROOM = 64
# Maximum number of columns of a sparse table whose rows multiply faster if they are made dense.
NARROW = 1024


def is_narrow(table: Any) -> TypeGuard[SparseRows]:
    """Return whether a table is sparse, with few enough columns to be made dense."""
    return is_sparse(table) and table.shape[1] <= NARROW


def narrow_as_dense(table: Table) -> KernelTable:
    """Return a sparse table as `Narrow` if it has few features, else as `SparseRows`."""
    if not is_sparse(table):
        return table
    rows = SparseRows.of(table)
    return Narrow(rows) if is_narrow(rows) else rows


class Narrow:
    """A sparse table that returns its rows as dense arrays."""

    def __init__(self, rows: SparseRows) -> None:
        self.sparse = rows
        self.shape = rows.shape
        self.dtype = rows.dtype

    def __getitem__(self, rows: slice | IntArray) -> AnyArray:
        return self.sparse[rows].toarray()


# A table as a kernel model reads it.
KernelTable: TypeAlias = "Table | Narrow"


def support_for(rows: Table) -> DenseSupport | SparseSupport:
    """Return an empty container for support rows in the format of ``rows``."""
    if is_sparse(rows) and not is_narrow(rows):
        return SparseSupport(rows)
    return DenseSupport(rows)


def widened(support: DenseSupport | SparseSupport, n_features: int) -> DenseSupport | SparseSupport:
    """Return the support rows with ``n_features`` columns; the added ones are 0."""
    rows: Table = support.vectors()
    if is_sparse(rows):
        rows = rows.widen(n_features)
    else:
        rows = np.pad(rows, ((0, 0), (0, n_features - rows.shape[1])))
    found = support_for(rows)
    found.append(rows)
    return found


class DenseSupport:
    """Support rows in a dense array that doubles when it is full."""

    def __init__(self, like: Table) -> None:
        self._rows = np.empty((0, like.shape[1]), like.dtype)
        self._origin = SparseRows.of(like).origin if is_sparse(like) else None
        self.n = 0

    @property
    def rows(self) -> AnyArray:
        """Return a view of the rows."""
        return self._rows[: self.n]

    def vectors(self) -> AnyArray | SparseRows:
        """Return a copy of the rows, as sparse rows if the first of them were sparse."""
        if self._origin is None:
            return self.rows.copy()
        return SparseRows.from_dense(self.rows, origin=self._origin)

    def append(self, rows: Table) -> None:
        """Append rows."""
        rows = rows.toarray() if is_sparse(rows) else rows
        self._agree(rows)
        end = self.n + len(rows)
        if end > len(self._rows):
            room = max(MIN_ROOM, end, 2 * self.n)
            larger = np.empty((room, rows.shape[1]), self._rows.dtype)
            larger[: self.n] = self.rows
            self._rows = larger
        self._rows[self.n : end] = rows
        self.n = end

    def put(self, slot: int, row: Table) -> None:
        """Replace the row in a slot."""
        row = row.toarray() if is_sparse(row) else row
        self._agree(row)
        self._rows[slot] = row[0]

    def _agree(self, rows: AnyArray) -> None:
        """Convert the stored rows to float64 if the new rows are float64."""
        if rows.dtype == np.float64 and self._rows.dtype == np.float32:
            self._rows = self.rows.astype(np.float64)

    def take(self, slots: slice | IntArray) -> AnyArray:
        """Return the rows in some slots."""
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Remove all but the first n rows."""
        self.n = n

    def copy(self) -> DenseSupport:
        """Return an independent copy."""
        twin = DenseSupport(self._rows)
        twin._rows = self.rows.copy()
        twin._origin = self._origin
        twin.n = self.n
        return twin


class SparseSupport:
    """Support rows in one sparse table; new rows are joined to it when it is read."""

    def __init__(self, like: Table) -> None:
        self._joined = SparseRows.of(like)[:0]
        self._new: list[SparseRows] = []
        self.n = 0

    @property
    def rows(self) -> SparseRows:
        """Return the rows as one table."""
        if self._new:
            self._joined = SparseRows.concat([self._joined, *self._new])
            self._new = []
        return self._joined

    def vectors(self) -> SparseRows:
        """Return a copy of the rows."""
        return self.rows.copy()

    def append(self, rows: Table) -> None:
        """Append rows."""
        self._new.append(SparseRows.of(rows) if is_sparse(rows) else SparseRows.from_dense(rows))
        self.n += rows.shape[0]

    def put(self, slot: int, row: Table) -> None:
        """Replace the row in a slot."""
        before = self.rows[:slot]
        after = self.rows[slot + 1 :]
        self._joined = before
        self.n = slot
        self.append(row)
        self.append(after)

    def take(self, slots: slice | IntArray) -> SparseRows:
        """Return the rows in some slots."""
        return self.rows[slots]

    def truncate(self, n: int) -> None:
        """Remove all but the first n rows."""
        self._joined = self.rows[:n]
        self.n = n

    def copy(self) -> SparseSupport:
        """Return an independent copy."""
        twin = SparseSupport(self._joined)
        twin._joined = self._joined
        twin._new = list(self._new)
        twin.n = self.n
        return twin
