"""The augmented space, in which the bias is a weight, and scaling to the unit sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import AnyArray, SparseRows, for_caller, is_sparse
from rosenblatt.checks import numbers
from rosenblatt.errors import InputError
from rosenblatt.geometry.vectors import lengths, read_rows


def augment(X: Any) -> Any:
    """Append a feature that is always 1.

    ``x -> (x, 1)``, so that ``w.x + b = (w, b).(x, 1)``

    A plane through the origin of the augmented space is a plane anywhere in the space of x, so rows
    that no plane through the origin separates in d dimensions may be separable in d + 1.

    Cost: one copy.

    Parameters
    ----------
    X : array of shape (n, d), or (d,) for one row, dense or sparse
        A one-dimensional sparse array is returned dense.

    Returns
    -------
    array of shape (n, d + 1) or (d + 1,), of the same type, and sparse if X is

    See Also
    --------
    fold : the same step for the weights.

    Examples
    --------
    The points 1 and 2 of a line lie on the same side of its origin. In the plane, the weights
    (2, -3) separate them:

    >>> augment([[1], [2]])
    array([[1, 1],
           [2, 1]])
    >>> augment([[1], [2]]) @ [2, -3]
    array([-1,  1])
    """
    rows = read_rows("X", X)
    if not is_sparse(rows):
        one = np.ones((*rows.shape[:-1], 1), dtype=rows.dtype)
        return np.concatenate([rows, one], axis=-1)

    # Every row gets one more stored value at its end, in column d.
    n, d = rows.shape
    ends = rows.indptr[1:]
    data = np.insert(rows.data, ends, 1)
    indices = np.insert(rows.indices, ends, d)
    indptr = rows.indptr + np.arange(n + 1)
    return _in_format_of(X, SparseRows(data, indices, indptr, d + 1, origin=rows.origin))


def fold(w: ArrayLike, b: ArrayLike) -> AnyArray:
    """Append the bias to the weights, as the weight of the constant feature.

    ``v = (w, b)``, for which ``v.(x, 1) = w.x + b``

    Parameters
    ----------
    w : array of shape (d,), or (k, d) with a row for each of k classes
    b : float, or k of them
        A single number is used for all classes.

    Returns
    -------
    array of shape (d + 1,) or (k, d + 1), of the smallest type that holds both

    See Also
    --------
    unfold : the inverse.
    augment : the same step for the rows.

    Examples
    --------
    >>> fold([2.0, 3.0], 6.0)
    array([2., 3., 6.])
    >>> fold([[1, 0], [0, 1]], [5, -5])
    array([[ 1,  0,  5],
           [ 0,  1, -5]])
    """
    weights = numbers("w", w)
    biases = numbers("b", b)
    if weights.ndim not in (1, 2):
        raise InputError(
            f"w has shape {weights.shape}; it must be one vector (d,) or one row a class (k, d)"
        )
    if biases.shape not in ((), weights.shape[:-1]):
        raise InputError(
            f"b has shape {biases.shape}; it must be one number, or one for each row of w, which "
            f"has shape {weights.shape}"
        )
    column = np.broadcast_to(biases, weights.shape[:-1])[..., None]
    return np.concatenate([weights, column], axis=-1)


def unfold(v: ArrayLike) -> tuple[AnyArray, Any]:
    """Split augmented weights into weights and bias.

    ``(w, b) = (v[:-1], v[-1])``

    Parameters
    ----------
    v : array of shape (d + 1,), or (k, d + 1) with a row for each of k classes

    Returns
    -------
    w : array of shape (d,) or (k, d)
    b : one number, or k of them

    See Also
    --------
    fold : the inverse.

    Examples
    --------
    >>> unfold([2.0, 3.0, 6.0])
    (array([2., 3.]), 6.0)
    """
    weights = numbers("v", v)
    if weights.ndim not in (1, 2) or weights.shape[-1] == 0:
        raise InputError(
            f"v has shape {weights.shape}; it must be one vector (d + 1,) or one row a class "
            "(k, d + 1), with the bias last"
        )
    biases = weights[..., -1]
    if biases.ndim:
        return weights[..., :-1].copy(), biases.copy()
    return weights[..., :-1].copy(), biases.item()


def to_unit_sphere(X: Any) -> tuple[Any, float]:
    """Scale all rows by the same factor, so that the longest has length 1.

    ``x -> x / R``, with ``R = max_i ||x_i||``

    This changes neither the angles nor the set of weights that separate the rows. A margin of delta
    becomes ``gamma = delta / R``, so the bound ``(R / delta)^2`` on the mistakes becomes
    ``1 / gamma^2``, which is the same number. With a bias, use `augment` first, because the theorem
    is about the augmented space.

    Cost: two passes and one copy.

    Parameters
    ----------
    X : array of shape (n, d), or (d,) for one row, dense or sparse
        Floats keep their type, integers become float64.

    Returns
    -------
    rows : array of the shape of X, sparse if X is
        No row is longer than 1, up to rounding.
    R : float
        The length of the longest row of X.

    Examples
    --------
    >>> to_unit_sphere([[3.0, 4.0], [0.0, -10.0]])
    (array([[ 0.3,  0.4],
           [ 0. , -1. ]]), 10.0)
    """
    rows = read_rows("X", X)
    R = float(np.max(lengths("X", rows), initial=0.0))
    if R == 0.0:
        raise InputError(
            f"X has shape {rows.shape} and no row other than zero; at least one row must have a "
            "length to divide by"
        )
    kind = rows.dtype if rows.dtype.kind == "f" else np.dtype(np.float64)
    if not is_sparse(rows):
        return (rows.astype(np.float64) / R).astype(kind), R
    scaled = rows.copy()
    scaled.data = (rows.data.astype(np.float64) / R).astype(kind)
    return _in_format_of(X, scaled), R


def _in_format_of(X: Any, rows: SparseRows) -> Any:
    """Convert sparse rows to the library and the format of X."""
    converted = for_caller(rows)
    return converted if X.format == converted.format else converted.asformat(X.format)
