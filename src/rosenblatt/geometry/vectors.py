"""Dot products, lengths, orthogonality and projections of vectors, and argument checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import AnyArray, BoolArray, FloatArray, SparseRows, is_sparse
from rosenblatt.checks import numbers
from rosenblatt.errors import InputError, ParameterError

# (xmin, xmax, ymin, ymax)
Box = tuple[float, float, float, float]
Rows = AnyArray | SparseRows

# The area of a box with coordinates of this size does not overflow.
MAX_COORDINATE = 1e150


def read_number(name: str, value: object) -> float:
    """Validate a finite number and return it as a float."""
    array = numbers(name, value)
    if array.ndim:
        raise InputError(f"{name} has shape {array.shape}; it must be one number")
    if not np.isfinite(array):
        raise InputError(f"{name} is {array}; it must be a finite number")
    return float(array)


def read_vector(name: str, values: ArrayLike) -> FloatArray:
    """Validate a finite vector and return it as float64."""
    array = numbers(name, values).astype(np.float64)
    if array.ndim != 1:
        raise InputError(
            f"{name} has shape {array.shape}; it must be one vector "
            f"({name}[0] is the first row of a table)"
        )
    if not np.isfinite(array).all():
        i = int(np.isfinite(array).argmin())
        raise InputError(f"{name}[{i}] is {array[i]}; every entry must be a finite number")
    return array


def read_rows(name: str, X: Any, d: int | None = None) -> Rows:
    """Validate rows, dense (d,) or (n, d) or sparse; return an array or `SparseRows`.

    If d is given, the rows must have d columns.
    """
    if is_sparse(X) and len(X.shape) == 1:
        X = X.toarray()
    rows: Rows
    if is_sparse(X):
        if X.dtype.kind not in "biuf":
            raise InputError(f"{name} holds {X.dtype}; it must hold real numbers")
        rows = SparseRows.of(X)
    else:
        rows = numbers(name, X)
        if rows.ndim not in (1, 2):
            raise InputError(
                f"{name} has shape {rows.shape}; it must be one row (d,) or many rows (n, d)"
            )
    if d is not None and rows.shape[-1] != d:
        raise InputError(
            f"{name} has {rows.shape[-1]} columns; the vector it meets here has {d} entries"
        )
    return rows


def to_dense(rows: Rows) -> FloatArray:
    """Return the rows as a dense float64 array that shares no memory with them."""
    array: AnyArray = rows.toarray() if isinstance(rows, SparseRows) else rows
    return array.astype(np.float64)


def products(rows: Rows, v: FloatArray) -> FloatArray:
    """Return ``rows @ v``, without a check for overflow (see `check_finite`)."""
    if not isinstance(rows, SparseRows):
        rows = rows.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(rows @ v)


def check_finite(name: str, result: FloatArray) -> FloatArray:
    """Return a result with one number per row; raise InputError if a number is not finite.

    NaN and infinity in the rows reach the sums that they are part of, so this check finds them
    without another pass over the rows.
    """
    is_bad = ~np.isfinite(result)
    if is_bad.any():
        place = f"row {int(is_bad.argmax())} of {name}" if result.ndim else name
        raise InputError(
            f"{place} holds NaN, an infinity, or numbers so large that the result is beyond the "
            "largest float (about 1.8e308); leave such rows out, or scale the features"
        )
    return result[()]


def scaled_to_one(v: FloatArray) -> tuple[FloatArray, int]:
    """Return u and e with ``v = u * 2**e`` and the largest entry of u between 1/2 and 1.

    It is exact except for underflow.
    """
    _, exponent = np.frexp(np.abs(v).max(initial=0.0))
    return np.ldexp(v, -exponent), int(exponent)


def box_sides(box: Any) -> Box:
    """Validate a box and return ``(xmin, xmax, ymin, ymax)`` as floats."""
    try:
        xmin, xmax, ymin, ymax = (float(side) for side in box)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"box is {box!r}; it must be four numbers, (xmin, xmax, ymin, ymax)"
        ) from error
    sides = (xmin, xmax, ymin, ymax)
    if not all(math.isfinite(side) and abs(side) <= MAX_COORDINATE for side in sides):
        raise ParameterError(f"box is {sides}; its numbers must lie in ±{MAX_COORDINATE:g}")
    if not (xmin < xmax and ymin < ymax):
        raise ParameterError(
            f"box is {sides}; it must be (xmin, xmax, ymin, ymax) with xmin < xmax and ymin < ymax"
        )
    return sides


# The largest cosine that counts as zero. The rounding error of a dot product of d floats is at most
# about d * 1e-16 times the two lengths, so this allows for a million features, and it is far below
# any visible angle.
MAX_COSINE = 1e-9


def dot(a: Any, b: ArrayLike) -> FloatArray:
    """Return the dot product of two vectors.

    ``a.b = sum_i a_i b_i``

    Cost: one pass over the entries, or over the non-zeros of sparse rows.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse
    b : array of shape (d,)

    Returns
    -------
    one float64, or n of them

    Examples
    --------
    >>> float(dot([1, 2, 3], [4, -5, 6]))
    12.0
    >>> dot([[3, 4], [-4, 3]], [3, 4])
    array([25.,  0.])
    """
    v = read_vector("b", b)
    return check_finite("a", products(read_rows("a", a, len(v)), v))


def norm(a: Any) -> FloatArray:
    """Return the Euclidean length of a vector.

    ``||a|| = sqrt(a.a)``

    The entries are scaled if their squares would overflow or underflow.

    Cost: one pass over the entries.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse

    Returns
    -------
    one float64, or n of them

    Examples
    --------
    >>> print(norm([3, 4]), f"{norm([3e200, 4e200]):.15g}")
    5.0 5e+200
    """
    return lengths("a", read_rows("a", a))


def lengths(name: str, rows: Rows) -> FloatArray:
    """Return the length of each row; ``name`` is the argument that an error names."""
    if isinstance(rows, SparseRows):
        return check_finite(name, _sparse_lengths(rows))
    table = np.atleast_2d(rows).astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", table, table)
        result: FloatArray = np.sqrt(squares)
        # In the other rows a square may have underflowed or overflowed; these are scaled first.
        is_extreme = ~((squares > 1e-280) & (squares < np.inf))
        if is_extreme.any():
            _, exponent = np.frexp(np.abs(table[is_extreme]).max(axis=1, initial=0.0))
            scaled = np.ldexp(table[is_extreme], -exponent[:, None])
            roots = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
            result[is_extreme] = np.ldexp(roots, exponent)
    return check_finite(name, result if rows.ndim == 2 else result[0])


def are_orthogonal(a: Any, b: ArrayLike, tolerance: float | None = None) -> BoolArray:
    """Return whether two vectors are orthogonal.

    ``|a.b| <= tolerance ||a|| ||b||``, so the tolerance is the largest cosine that counts as zero.

    The zero vector is orthogonal to every vector.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse
    b : array of shape (d,)
    tolerance : float, default=None
        By default 1e-9, which is above the rounding errors of floats and independent of the lengths
        of the vectors. If both arrays hold integers, the default is 0: their dot product is
        computed without rounding and must be exactly zero.

    Returns
    -------
    one bool, or n of them

    Examples
    --------
    >>> are_orthogonal([[0.1, 0.3], [0.3, 0.3]], [0.3, -0.1])
    array([ True, False])
    >>> bool(are_orthogonal([10**9 + 1, 10**9], [10**9, -(10**9) - 1]))
    True
    >>> bool(are_orthogonal([10**9 + 1, 10**9], [10**9, -(10**9) - 2]))
    False
    """
    v = read_vector("b", b)
    given = numbers("b", b)
    rows = read_rows("a", a, len(v))
    if tolerance is None and rows.dtype.kind in "iu" and given.dtype.kind in "iu":
        exact: BoolArray = _exact_dot(rows, given) == 0
        return exact
    limit = MAX_COSINE if tolerance is None else tolerance
    if not 0.0 <= limit < 1.0:
        raise ParameterError(f"tolerance is {tolerance}; it is a cosine, at least 0 and below 1")
    v, _ = scaled_to_one(v)
    sizes = np.abs(check_finite("a", products(rows, v)))
    found: BoolArray = sizes <= limit * norm(v) * norm(rows)
    return found


def projection(a: Any, onto: ArrayLike) -> FloatArray:
    """Project a vector onto the line through another: return the nearest point on that line.

    ``(a.b / ||b||^2) b``, with ``b = onto``

    The rest, ``a - projection(a, b)``, is orthogonal to b. The result is dense even if the vectors
    are sparse.

    Cost: two passes over the entries.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse
    onto : array of shape (d,)
        Its length does not matter, but it must not be the zero vector, which has no direction.

    Returns
    -------
    array of the shape of `a`

    Examples
    --------
    >>> projection([[2, 3], [-1, 1]], onto=[4, 4])
    array([[2.5, 2.5],
           [0. , 0. ]])
    """
    b, _ = scaled_to_one(read_vector("onto", onto))
    if not b.any():
        raise InputError(
            "onto is the zero vector, which has no direction to project on; give a vector with an "
            "entry other than 0"
        )
    share = check_finite("a", products(read_rows("a", a, len(b)), b)) / (b @ b)
    return np.multiply.outer(share, b)


def _sparse_lengths(rows: SparseRows) -> FloatArray:
    """Return the length of each row, scaled so that no square overflows or underflows."""
    values = rows.data.astype(np.float64)
    row = rows.row_numbers()
    largest = np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        np.maximum.at(largest, row, np.abs(values))
        _, exponent = np.frexp(largest)
        values = np.ldexp(values, -exponent[row])
        squares = np.bincount(row, values * values, minlength=len(largest))
        return np.ldexp(np.sqrt(squares), exponent)


def _exact_dot(rows: Rows, v: AnyArray) -> AnyArray:
    """Return the dot products of integers as Python integers, which do not overflow."""
    v = v.astype(object)
    if not isinstance(rows, SparseRows):
        return np.asarray(rows.astype(object) @ v)
    result = np.zeros(len(rows), dtype=object)
    np.add.at(result, rows.row_numbers(), rows.data.astype(object) * v[rows.indices])
    return result
