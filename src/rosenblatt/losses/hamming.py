"""How many positions of two sequences differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import InputError


def hamming(a: Any, b: Any) -> NDArray[np.intp]:
    """Count the positions at which two sequences differ.

    ``d(a, b) = Σ_i [a_i ≠ b_i]``

    It is the zero-one loss summed over the parts of an answer, and a distance between rows of
    categories, where subtracting makes no sense. A missing value (NaN) differs from everything.

    Parameters
    ----------
    a, b : array-like of labels of any type, or text
        Counted along the last axis, which must be equally long; the other axes broadcast, so
        that one row can be compared with many. Text is a sequence of characters.

    Returns
    -------
    One count for two sequences, else an array of counts.

    See Also
    --------
    zero_one : One answer, right or wrong.

    Examples
    --------
    >>> int(hamming("karolin", "kathrin"))
    3
    >>> hamming([["red", "round", "big"], ["blue", "round", "small"]], ["red", "round", "small"])
    array([1, 1])
    """
    left, right = _sequences("a", a), _sequences("b", b)
    if left.shape[-1] != right.shape[-1]:
        raise InputError(
            f"a has {left.shape[-1]} positions and b has {right.shape[-1]}; only sequences of the "
            "same length can be compared position by position"
        )
    try:
        differ = np.not_equal(*np.broadcast_arrays(left, right), dtype=object).astype(bool)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a of shape {left.shape} and b of shape {right.shape} do not go together ({error})"
        ) from error
    return np.asarray(differ.sum(axis=-1, dtype=np.intp))[()]


def _sequences(name: str, values: Any) -> NDArray[Any]:
    """As objects: a plain array of [1, "a"] would hold two texts."""
    try:
        array = np.asarray(list(values) if isinstance(values, str) else values, dtype=object)
    except ValueError as error:
        raise InputError(f"the rows of {name} are not equally long ({error})") from error
    if any(isinstance(value, list | np.ndarray) for value in array.flat):
        raise InputError(f"the rows of {name} are not equally long")
    if array.ndim == 0:
        raise InputError(f"{name} is {values!r}, a single value; a sequence of labels is needed")
    return array
