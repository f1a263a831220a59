"""Conversion between labels and one-hot rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.errors import InputError
from rosenblatt.losses.binary import numbers


def one_hot(labels: Iterable[Hashable], classes: Iterable[Hashable]) -> FloatArray:
    """Encode each label as a row of zeros with a single 1 in the column of its class.

    ``Y[i, k] = 1 if labels[i] == classes[k] else 0``

    Parameters
    ----------
    labels : iterable of n hashable labels
        The labels to encode.
    classes : iterable of k different classes
        The classes, in the order of the columns.

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> one_hot(["dog", "cat"], classes=["cat", "dog", "owl"])
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    names = list(classes)
    column_of = {name: k for k, name in enumerate(names)}
    if len(column_of) < len(names):
        repeated = next(name for k, name in enumerate(names) if column_of[name] != k)
        raise InputError(
            f"classes holds {_to_python(repeated)!r} more than once; give each class once"
        )
    columns = []
    for i, label in enumerate(labels):
        try:
            is_known = label in column_of
        except TypeError as error:
            raise InputError(f"labels[{i}] is {label!r}, not a single label ({error})") from error
        if not is_known:
            raise InputError(
                f"labels[{i}] is {_to_python(label)!r}, which is not one of the classes "
                f"{_listed(names)}; add it to classes or leave the row out"
            )
        columns.append(column_of[label])
    indicator = np.zeros((len(columns), len(names)))
    indicator[np.arange(len(columns)), np.asarray(columns, dtype=np.intp)] = 1.0
    return indicator


def from_one_hot(indicator: ArrayLike, classes: Iterable[Hashable]) -> AnyArray:
    """Decode one-hot rows into labels.

    ``labels[i] = classes[k]`` for the one ``k`` with ``Y[i, k] = 1``

    Parameters
    ----------
    indicator : array of shape (n, k)
        Zeros, and exactly one 1 in each row.
    classes : iterable of k classes
        The classes, in the order of the columns.

    Returns
    -------
    array of n labels
        Its type is that of ``classes`` if that is an array or holds only one type, otherwise
        object.

    Examples
    --------
    >>> from_one_hot([[0, 1, 0], [1, 0, 0]], classes=["cat", "dog", "owl"]).tolist()
    ['dog', 'cat']
    """
    Y = numbers("indicator", indicator)
    names = _to_array(classes)
    if Y.ndim != 2 or Y.shape[1] != len(names):
        raise InputError(
            f"indicator has shape {Y.shape}; expected one row for each example and one column "
            f"for each of the {len(names)} classes"
        )
    has_one_1 = (Y == 1).sum(axis=1) == 1
    has_one_value = (Y != 0).sum(axis=1) == 1
    is_one_hot = has_one_1 & has_one_value
    if not is_one_hot.all():
        i = int(is_one_hot.argmin())
        raise InputError(
            f"indicator[{i}] is {_listed(Y[i])}, which is not one-hot; a row holds exactly one 1 "
            "and zeros elsewhere (for scores, take the argmax instead)"
        )
    labels: AnyArray = names[(Y == 1).nonzero()[1]]
    return labels


def _to_array(names: Iterable[Hashable]) -> AnyArray:
    """Return the classes as an array that holds exactly these values."""
    if isinstance(names, np.ndarray):
        return names
    listed = list(names)
    kinds = {type(name) for name in listed}
    if len(kinds) == 1 and issubclass(kinds.pop(), str | int | float | np.generic):
        array = np.asarray(listed)
        # NumPy strings lose trailing NULs, and integers of mixed sizes become floats.
        if array.tolist() == listed:
            return array
    # np.asarray would convert [1, "a"] to strings and a list of tuples to a matrix.
    return np.fromiter(listed, dtype=object, count=len(listed))


def _to_python(value: object) -> object:
    """Return a NumPy scalar as a Python object, which has a shorter repr."""
    return value.item() if isinstance(value, np.generic) else value


def _listed(values: Iterable[object], max_shown: int = 10) -> str:
    """Return the values as a list for an error message, shortened if there are many."""
    texts = [repr(_to_python(value)) for value in values]
    shown = texts[:max_shown]
    if len(texts) > max_shown:
        shown.append(f"... {len(texts)} in all")
    return f"[{', '.join(shown)}]"
