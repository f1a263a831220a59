"""Dot product, length, right angles and projection; what the geometry is given, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import AnyArray, BoolArray, FloatArray, SparseRows, is_sparse
from rosenblatt.checks import numbers
from rosenblatt.errors import InputError, ParameterError

Box = tuple[float, float, float, float]

# The area of a box with sides of this size is still a number.
FARTHEST = 1e150


def number(name: str, value: Any) -> float:
    """One finite number."""
    array = numbers(name, value)
    if array.ndim:
        raise InputError(f"{name} has shape {array.shape}; it must be one number")
    if not np.isfinite(array):
        raise InputError(f"{name} is {array}; it must be a finite number")
    return float(array)


def vector(name: str, values: Any) -> FloatArray:
    """One finite vector, as float64."""
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


def points(name: str, X: Any, d: int | None = None) -> Any:
    """Rows as they are, dense (d,) or (n, d), or as our sparse rows, with d columns if given."""
    if is_sparse(X) and len(X.shape) == 1:
        X = X.toarray()
    rows: Any
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


def dense(rows: Any) -> FloatArray:
    """Rows as a dense float64 array that shares no memory with them."""
    array: AnyArray = rows.toarray() if is_sparse(rows) else rows
    return array.astype(np.float64)


def times(rows: Any, v: FloatArray) -> FloatArray:
    """``rows @ v``; what is not finite is left for `finite` to find."""
    if not is_sparse(rows):
        rows = rows.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(rows @ v)


def finite(name: str, result: FloatArray) -> FloatArray:
    """A result with one number a row, refused where it is not a number.

    NaN and infinity reach the result of every sum they are part of, so looking here finds them in
    the rows without another pass over these.
    """
    bad = ~np.isfinite(result)
    if bad.any():
        where = f"row {int(bad.argmax())} of {name}" if result.ndim else name
        raise InputError(
            f"{where} holds NaN, an infinity, or numbers so large that the result is beyond the "
            "largest float (about 1.8e308); leave such rows out, or scale the features"
        )
    return result[()]


def scaled(v: FloatArray) -> tuple[FloatArray, int]:
    """``v = u * 2**e`` with the largest entry of u between 1/2 and 1; exact but for underflow."""
    _, exponent = np.frexp(np.abs(v).max(initial=0.0))
    return np.ldexp(v, -exponent), int(exponent)


def box_sides(box: Any) -> Box:
    """``(xmin, xmax, ymin, ymax)`` as floats."""
    try:
        xmin, xmax, ymin, ymax = (float(side) for side in box)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"box is {box!r}; it must be four numbers, (xmin, xmax, ymin, ymax)"
        ) from error
    sides = (xmin, xmax, ymin, ymax)
    if not all(math.isfinite(side) and abs(side) <= FARTHEST for side in sides):
        raise ParameterError(f"box is {sides}; its numbers must lie in ±{FARTHEST:g}")
    if not (xmin < xmax and ymin < ymax):
        raise ParameterError(
            f"box is {sides}; it must be (xmin, xmax, ymin, ymax) with xmin < xmax and ymin < ymax"
        )
    return sides


# A dot product of d floats is off by at most about d * 1e-16 times the two lengths, so this is
# above the rounding of a million features and far below an angle anyone would see.
RIGHT_ANGLE = 1e-9


def dot(a: Any, b: ArrayLike) -> FloatArray:
    """Multiply two vectors entry by entry and add up.

    ``a.b = sum_i a_i b_i``

    It costs one pass over the entries (of a sparse row: its non-zeros).

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
    v = vector("b", b)
    return finite("a", times(points("a", a, len(v)), v))


def norm(a: Any) -> FloatArray:
    """Measure the length of a vector.

    ``||a|| = sqrt(a.a)``

    Squares that would overflow or vanish are avoided by scaling. It costs one pass over the
    entries.

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
    return lengths("a", points("a", a))


def lengths(name: str, rows: Any) -> FloatArray:
    """The length of each row; `name` is what a message calls them."""
    if is_sparse(rows):
        return finite(name, _sparse_lengths(rows))
    table = np.atleast_2d(rows).astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", table, table)
        result: FloatArray = np.sqrt(squares)
        # Elsewhere a square that counts may have vanished or overflowed.
        odd = ~((squares > 1e-280) & (squares < np.inf))
        if odd.any():
            _, exponent = np.frexp(np.abs(table[odd]).max(axis=1, initial=0.0))
            some = np.ldexp(table[odd], -exponent[:, None])
            result[odd] = np.ldexp(np.sqrt(np.einsum("ij,ij->i", some, some)), exponent)
    return finite(name, result if rows.ndim == 2 else result[0])


def are_orthogonal(a: Any, b: ArrayLike, tolerance: float | None = None) -> BoolArray:
    """Tell whether two vectors stand at a right angle.

    ``|a.b| <= tolerance ||a|| ||b||``, so the tolerance is the largest cosine that counts as zero

    The zero vector is orthogonal to every vector.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse
    b : array of shape (d,)
    tolerance : float, default=None
        By default 1e-9, which is above the rounding of floats and the same for vectors of any
        length. When both arrays are of an integer type the default is 0: their dot product is
        then computed without rounding, and must be zero.

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
    v, given = vector("b", b), numbers("b", b)
    rows = points("a", a, len(v))
    if tolerance is None and rows.dtype.kind in "iu" and given.dtype.kind in "iu":
        exact: BoolArray = _whole_dot(rows, given) == 0
        return exact
    limit = RIGHT_ANGLE if tolerance is None else tolerance
    if not 0.0 <= limit < 1.0:
        raise ParameterError(f"tolerance is {tolerance}; it is a cosine, at least 0 and below 1")
    v, _ = scaled(v)
    right: BoolArray = np.abs(finite("a", times(rows, v))) <= limit * norm(v) * norm(rows)
    return right


def projection(a: Any, onto: ArrayLike) -> FloatArray:
    """Drop a vector onto the line through another: the nearest point there.

    ``(a.b / ||b||^2) b``, with ``b = onto``

    What is left, ``a - projection(a, b)``, is orthogonal to b. It costs two passes over the
    entries; the result is dense also for sparse vectors.

    Parameters
    ----------
    a : array of shape (d,), or (n, d) for n vectors, dense or sparse
    onto : array of shape (d,)
        Its length does not matter, but the zero vector has no direction and is refused.

    Returns
    -------
    array of the shape of `a`

    Examples
    --------
    >>> projection([[2, 3], [-1, 1]], onto=[4, 4])
    array([[2.5, 2.5],
           [0. , 0. ]])
    """
    b, _ = scaled(vector("onto", onto))
    if not b.any():
        raise InputError(
            "onto is the zero vector, which has no direction to project on; give a vector with an "
            "entry other than 0"
        )
    share = finite("a", times(points("a", a, len(b)), b)) / (b @ b)
    return np.multiply.outer(share, b)


def _sparse_lengths(rows: SparseRows) -> FloatArray:
    values, row, largest = rows.data.astype(np.float64), rows.row_numbers(), np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        np.maximum.at(largest, row, np.abs(values))
        _, exponent = np.frexp(largest)
        values = np.ldexp(values, -exponent[row])
        squares = np.bincount(row, values * values, minlength=len(largest))
        return np.ldexp(np.sqrt(squares), exponent)


def _whole_dot(rows: Any, v: AnyArray) -> AnyArray:
    """The dot products of integers as Python's, which do not overflow."""
    v = v.astype(object)
    if not is_sparse(rows):
        return np.asarray(rows.astype(object) @ v)
    result = np.zeros(len(rows), dtype=object)
    np.add.at(result, rows.row_numbers(), rows.data.astype(object) * v[rows.indices])
    return result
