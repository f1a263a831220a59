"""Labels as rows with a single one, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.errors import InputError
from rosenblatt.losses.binary import numbers


def one_hot(labels: Iterable[Hashable], classes: Iterable[Hashable]) -> FloatArray:
    """Write each label as a row of zeros with a single one in the column of its class.

    ``Y[i, k] = 1 if labels[i] == classes[k] else 0``

    Parameters
    ----------
    labels : iterable of n hashable labels
    classes : iterable of k different classes
        Their order is the order of the columns.

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
    column = {name: k for k, name in enumerate(names)}
    if len(column) < len(names):
        twice = next(name for k, name in enumerate(names) if column[name] != k)
        raise InputError(f"classes holds {_plain(twice)!r} more than once; give each class once")
    columns = []
    for i, label in enumerate(labels):
        try:
            known = label in column
        except TypeError as error:
            raise InputError(f"labels[{i}] is {label!r}, not a single label ({error})") from error
        if not known:
            raise InputError(
                f"labels[{i}] is {_plain(label)!r}, which is not one of the classes "
                f"{_listed(names)}; add it to classes or leave the row out"
            )
        columns.append(column[label])
    indicator = np.zeros((len(columns), len(names)))
    indicator[np.arange(len(columns)), np.asarray(columns, dtype=np.intp)] = 1.0
    return indicator


def from_one_hot(indicator: ArrayLike, classes: Iterable[Hashable]) -> AnyArray:
    """Read the labels back from one-hot rows.

    ``labels[i] = classes[k]`` for the one ``k`` with ``Y[i, k] = 1``

    Parameters
    ----------
    indicator : array of shape (n, k)
        Zeros, and exactly one 1 in each row.
    classes : iterable of k classes, in the order of the columns

    Returns
    -------
    array of n labels
        Of the type of `classes` if that is an array or all of one kind, otherwise of objects.

    Examples
    --------
    >>> from_one_hot([[0, 1, 0], [1, 0, 0]], classes=["cat", "dog", "owl"]).tolist()
    ['dog', 'cat']
    """
    Y = numbers("indicator", indicator)
    names = _array_of(classes)
    if Y.ndim != 2 or Y.shape[1] != len(names):
        raise InputError(
            f"indicator has shape {Y.shape}; expected one row for each example and one column "
            f"for each of the {len(names)} classes"
        )
    broken = ((Y == 1).sum(axis=1) != 1) | ((Y != 0).sum(axis=1) != 1)
    if broken.any():
        i = int(broken.argmax())
        raise InputError(
            f"indicator[{i}] is {_listed(Y[i])}, which is not one-hot; a row holds exactly one 1 "
            "and zeros elsewhere (for scores, take the argmax instead)"
        )
    labels: AnyArray = names[(Y == 1).nonzero()[1]]
    return labels


def _array_of(names: Iterable[Hashable]) -> AnyArray:
    if isinstance(names, np.ndarray):
        return names
    listed = list(names)
    kinds = {type(name) for name in listed}
    if len(kinds) == 1 and issubclass(kinds.pop(), str | int | float | np.generic):
        array = np.asarray(listed)
        # A numpy string forgets trailing NULs, and integers of mixed size become floats.
        if array.tolist() == listed:
            return array
    # np.asarray would make strings of [1, "a"] and a matrix of a list of tuples.
    return np.fromiter(listed, dtype=object, count=len(listed))


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _listed(values: Iterable[object], most: int = 10) -> str:
    shown = [repr(_plain(value)) for value in values]
    rest = [f"... {len(shown)} in all"] if len(shown) > most else []
    return f"[{', '.join(shown[:most] + rest)}]"
