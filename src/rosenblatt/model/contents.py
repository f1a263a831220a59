"""Which arrays a file must hold, of what type, shape and range, as its card says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Arrays
from rosenblatt.checks import shown
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import Card, Start
from rosenblatt.model.learners import file_needs

__all__ = ["FLOATS", "MOST", "Arrays", "Need", "check_arrays", "linear_needs", "rows_needs"]

FLOATS = ("float32", "float64")
MOST = float(np.finfo(np.float64).max)


class Need(NamedTuple):
    """One array: its types, its shape (a word stands for a size that is free) and its range.

    Without a range, floats stay within what training allows for their type.
    """

    dtypes: tuple[str, ...]
    shape: tuple[int | str, ...]
    low: float | None = None
    high: float | None = None


def check_arrays(needed: Iterable[tuple[str, Need]], arrays: Arrays) -> None:
    """Refuse arrays that are missing, too many, of another shape or type, or out of range."""
    needs = dict(needed)
    for name in sorted(needs.keys() - arrays.keys()):
        raise ModelFileError(f"the array {name!r} is missing.")
    for name in sorted(arrays.keys() - needs.keys()):
        raise ModelFileError(f"the array {shown(name)} does not belong to this model.")
    sizes: dict[str, int] = {}
    for name, need in needs.items():
        _check(name, arrays[name], need, sizes)


def linear_needs(card: Card, arrays: Arrays) -> Iterator[tuple[str, Need]]:
    """What the file of a linear learner holds."""
    if "coef" not in arrays:
        raise ModelFileError("the array 'coef' is missing.")
    coef = arrays["coef"]
    return _needs(card, coef.shape[1] if coef.ndim == 2 else 0, coef.dtype)


def _needs(card: Card, n_features: int, dtype: npt.DTypeLike) -> Iterator[tuple[str, Need]]:
    k = len(card.classes)
    v = k if k > 2 else 1
    t, fit = card.record.t, card.record.fit
    needs = file_needs(card.learner)
    yield "coef", Need(FLOATS, (v, n_features))
    yield "intercept", Need((np.dtype(dtype).name,), (v,))
    if needs is not None and needs.averages:
        # The mean of weights within the limit is w - sum / t, so no sum is larger.
        most = min(2.0 * largest_allowed(dtype) * max(t, 1), MOST)
        yield "coef_sum", Need(("float64",), (v, n_features), -most, most)
        yield "intercept_sum", Need(("float64",), (v,), -most, most)
    if card.best:
        yield "best.coef", Need(FLOATS, (v, n_features))
        yield "best.intercept", Need(FLOATS, (v,))
    if fit is not None:
        yield "mistakes_per_row", Need(("int32",), (fit.rows,), 0)
        if fit.dual == "counts":
            yield "signs", Need(("int8",), (fit.rows,), -1, 1)
        elif fit.dual == "steps":
            yield "dual", Need(("float64",), (fit.rows,), -MOST, MOST)
        elif fit.dual == "pairs":
            yield "pairs.key", Need(("int64",), ("pairs",), 0, fit.rows * k * (k + 1) - 1)
            yield "pairs.step", Need(("float64",), ("pairs",), -MOST, MOST)
        elif fit.dual == "shares":
            yield "shares", Need(("float64",), (fit.rows, k), -MOST, MOST)
    if card.ledger is not None:
        seen = t - card.ledger.t if fit is None else fit.rows
        yield from _entries("ledger", card, card.ledger, n_features, seen)
    if card.voters is not None:
        yield from _entries("voters", card, card.voters.start, n_features, t)
        yield from rows_needs("voters.rows", card.voters.rows, n_features)


def rows_needs(name: str, kind: str, n_features: int) -> Iterator[tuple[str, Need]]:
    """Rows that a model keeps: "none", "dense" or sparse."""
    if kind == "dense":
        yield name, Need(FLOATS, (name, n_features))
    elif kind != "none":
        index = ("int32", "int64")
        yield f"{name}.data", Need(FLOATS, (f"{name}, stored",))
        yield f"{name}.indices", Need(index, (f"{name}, stored",), 0, n_features - 1)
        yield f"{name}.indptr", Need(index, (f"{name} + 1",), 0)


def _entries(
    name: str, card: Card, start: Start, n_features: int, n_rows: int
) -> Iterator[tuple[str, Need]]:
    k = len(card.classes)
    v = k if k > 2 else 1
    updates = f"{name} updates"
    yield f"{name}.row", Need(("int64",), (updates,), 0, n_rows - 1)
    yield f"{name}.right", Need(("int32",), (updates,), 0, k - 1)
    yield f"{name}.wrong", Need(("int32",), (updates,), -1, k - 1)
    yield f"{name}.step", Need(("float64",), (updates,), -MOST, MOST)
    yield f"{name}.t", Need(("int64",), (updates,), start.t + 1, card.record.t)
    if not start.zero:
        yield f"{name}.start.coef", Need((start.dtype,), (v, n_features))
        yield f"{name}.start.intercept", Need((start.dtype,), (v,))


def _check(name: str, values: npt.NDArray[Any], need: Need, sizes: dict[str, int]) -> None:
    if values.dtype.name not in need.dtypes:
        raise ModelFileError(
            f"the array {name!r} is of {values.dtype.name}, but must be of "
            f"{' or '.join(need.dtypes)}."
        )
    shape = tuple(sizes.get(size, size) if isinstance(size, str) else size for size in need.shape)
    fits = len(shape) == values.ndim and all(
        isinstance(size, str) or size == found
        for size, found in zip(shape, values.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "")
        raise ModelFileError(
            f"the array {name!r} has shape {values.shape}, but classes, features and rows of this "
            f"model ask for ({wanted})."
        )
    sizes.update(
        (size, found)
        for size, found in zip(need.shape, values.shape, strict=True)
        if isinstance(size, str)
    )
    low, high = need.low, need.high
    if values.dtype.kind == "f" and low is None:
        high = largest_allowed(values.dtype)
        low = -high
    _check_range(name, values, low, high)


def _check_range(
    name: str, values: npt.NDArray[Any], low: float | None, high: float | None
) -> None:
    if not values.size:
        return
    # Two numbers decide for most arrays; NaN is neither below nor above.
    least, most = values.min(), values.max()
    if (low is None or least >= low) and (high is None or most <= high):
        return
    sound = np.ones(values.shape, bool)
    if low is not None:
        sound &= values >= low
    if high is not None:
        sound &= values <= high
    place = np.unravel_index(np.argmin(sound), values.shape)
    where = ", ".join(str(int(i)) for i in place)
    bounds = [
        str(bound) if isinstance(bound, int) else f"{bound:g}"
        for bound in (low, high)
        if bound is not None
    ]
    allowed = " to ".join(bounds) if high is not None else f"{bounds[0]} or more"
    raise ModelFileError(f"{name}[{where}] is {values[place]}; {allowed} is allowed.")
