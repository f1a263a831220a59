"""The user's functions of a structured learner, features, search and cost, with checks.

Whatever these functions return is checked, and errors name the example.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray, SparseRows, is_sparse
from rosenblatt.errors import InputError, ParameterError, shown
from rosenblatt.models.feature_weights import Features, FeatureWeights, exact_sum, weighted


class Problem:
    """Features, search and cost of a structured problem, given as a space or as functions."""

    def __init__(self, space: Any, features: Any, argmax: Any, cost: Any) -> None:
        if space is not None:
            for name, given in (("features", features), ("argmax", argmax)):
                if given is not None:
                    raise ParameterError(
                        f"{name} belongs to the space: give one of them, not both."
                    )
            # A space is any object with these methods.
            features = getattr(space, "features", None)
            argmax = getattr(space, "argmax", None)
            if cost is None:
                cost = getattr(space, "cost", None)
        owner = "" if space is None else f"space={space!r}: "
        for name, given in (("features", features), ("argmax", argmax)):
            if not callable(given):
                cure = "a space" if space is None else "a method of the space"
                raise ParameterError(
                    f"{owner}{name}={given!r} is not allowed: give a function, or {cure}, such as "
                    + ("features(x, y)." if name == "features" else "argmax(x, score).")
                )
        if cost is not None and not callable(cost):
            raise ParameterError(f"cost={cost!r} is not allowed: give a function cost(gold, y).")
        self._features: Callable[[Any, Any], Any] = features
        self._argmax: Callable[..., Any] = argmax
        self._cost: Callable[[Any, Any], Any] | None = cost
        self._violation = getattr(space, "violation", None)
        self.searches_with_cost = _takes_gold(argmax)

    @property
    def chooses_parts(self) -> bool:
        """Return whether the space has a method ``violation``, which chooses what is compared."""
        return self._violation is not None

    def features_of(self, x: Any, y: Any, whose: str) -> tuple[Features, int]:
        """Return the features of an output, and the length of their vector (0 for a mapping)."""
        try:
            found = self._features(x, y)
        except Exception as error:
            raise InputError(
                f"features(x, y) failed for {whose}, {_short(y)}: {type(error).__name__}: {error}"
            ) from error
        try:
            return read_features(found)
        except InputError as error:
            raise InputError(f"features(x, y) for {whose}: {error}") from None

    def argmax(self, x: Any, score: Judge, where: str, *, gold: Any = None) -> Any:
        """Return the output with the best score, or best score plus cost if ``gold`` is given."""
        try:
            found = self._argmax(x, score) if gold is None else self._argmax(x, score, gold=gold)
        except Exception as error:
            error.add_note(f"raised by argmax for {where}")
            raise
        if found is None:
            raise InputError(f"argmax returned None for {where}; it must return an output.")
        return found

    def violation(self, x: Any, gold: Any, score: Judge, where: str) -> tuple[Any, Any] | None:
        """Return the outputs (good, bad) that the space compares; None if ``gold`` is found."""
        assert self._violation is not None
        try:
            found = self._violation(x, gold, score)
        except Exception as error:
            error.add_note(f"raised by violation for {where}")
            raise
        if found is None:
            return None
        if not isinstance(found, tuple) or len(found) != 2:
            raise InputError(
                f"violation returned {_short(found)} for {where}; it must return None or a pair "
                "(good, bad) of outputs."
            )
        return found

    def cost(self, gold: Any, y: Any) -> float:
        """Return the cost of an output; by default 0 if it equals ``gold``, otherwise 1."""
        if self._cost is None:
            return 0.0 if same(gold, y) else 1.0
        found = self._cost(gold, y)
        try:
            cost = float(found)
        except (TypeError, ValueError):
            cost = math.nan
        if not (math.isfinite(cost) and cost >= 0.0):
            raise InputError(
                f"cost(gold, y) returned {_short(found)} for the output {_short(y)}; it must be a "
                "finite number of at least 0."
            )
        return cost


class Judge:
    """Scoring function of outputs for one ``x``, passed to every search (see `spaces.Score`)."""

    __slots__ = ("_gold", "_problem", "_weights", "_whose", "_x")

    def __init__(
        self, problem: Problem, weights: FeatureWeights, x: Any, where: str, gold: Any = None
    ) -> None:
        self._problem = problem
        self._weights = weights
        self._x = x
        self._gold = gold
        self._whose = f"an output for {where}"

    def __call__(self, y: Any) -> float:
        """Return the score of an output, ``w·φ(x, y)``."""
        features, _ = self._problem.features_of(self._x, y, self._whose)
        return self._sum(features)

    def of(self, features: Any) -> float:
        """Return the score of some features, a mapping or a vector."""
        try:
            return self._sum(read_features(features)[0])
        except InputError as error:
            raise InputError(f"score.of(features) for {self._whose}: {error}") from None

    def cost(self, y: Any) -> float:
        """Return the cost of ``y``; 0 if no right output is given."""
        return 0.0 if self._gold is None else self._problem.cost(self._gold, y)

    @property
    def weights(self) -> Mapping[Any, float]:
        """Return the weight of each feature, read-only; a missing feature weighs 0."""
        return MappingProxyType(self._weights)

    @property
    def vector(self) -> FloatArray:
        """Return the weights as a read-only array; raise InputError if features are mappings."""
        view = self._weights.vector.view()
        view.flags.writeable = False
        return view

    def _sum(self, features: Features) -> float:
        score = exact_sum(weighted(self._weights, features))
        if not math.isfinite(score):
            raise InputError(
                f"the score of {self._whose} is beyond the range of float64. Scale the features."
            )
        return score


def read_features(found: Any) -> tuple[Features, int]:
    """Return features as a mapping to floats, and the length of their vector (0 for a mapping)."""
    names: Iterable[Any]
    if isinstance(found, Mapping):
        names = found.keys()
        values = list(found.values())
        length = 0
    elif is_sparse(found):
        names, values, length = _sparse(found)
    elif isinstance(found, np.ndarray):
        if found.ndim != 1 or found.dtype.kind not in "fiub" or not len(found):
            raise InputError(
                f"an array of shape {found.shape} and type {found.dtype} is no vector of numbers; "
                "give a 1-D array, a sparse row or a mapping of feature to number."
            )
        places = np.flatnonzero(found)
        names = places.tolist()
        values = found[places].tolist()
        length = len(found)
    else:
        raise InputError(
            f"{_short(found)} is a {type(found).__name__}; give a mapping of feature to number, a "
            "1-D array or a sparse row."
        )
    # One sum for all: it is finite only if each of them is.
    try:
        is_sound = math.isfinite(math.fsum(values))
    except (TypeError, OverflowError, ValueError):
        is_sound = False
    if not is_sound:
        raise _unsound(names, values)
    return dict(zip(names, map(float, values), strict=True)), length


def _sparse(row: Any) -> tuple[list[int], list[float], int]:
    """Return the column indices and values of a sparse row, and its length."""
    if len(row.shape) == 2 and row.shape[0] != 1:
        raise InputError(f"a sparse matrix of shape {row.shape} is not one row.")
    if len(row.shape) == 2:
        rows = SparseRows.of(row)
        return rows.indices.tolist(), rows.data.tolist(), rows.shape[1]
    row = row.tocoo(copy=True)
    row.sum_duplicates()
    return row.coords[0].tolist(), row.data.tolist(), row.shape[0]


def _unsound(names: Iterable[Any], values: list[Any]) -> InputError:
    """Return the error for features that are not finite numbers, or overflow when added."""
    for name, value in zip(names, values, strict=True):
        try:
            math.fsum([value])
        except OverflowError:
            return InputError(
                f"the feature {_short(name)} is {_short(value)}, beyond the range of float64. "
                "Scale it."
            )
        except (TypeError, ValueError):
            return InputError(
                f"the feature {_short(name)} is {_short(value)}, which is not a number."
            )
        if not math.isfinite(value):
            return InputError(f"the feature {name!r} is {value}; features must be finite.")
    return InputError("the features are so large that their sum overflows. Scale them.")


def answers(problem: Problem, weights: FeatureWeights, xs: Sequence[Any]) -> list[Any]:
    """Return the best output that the search finds for each example."""
    found = []
    for number, x in enumerate(xs):
        where = f"xs[{number}]"
        found.append(problem.argmax(x, Judge(problem, weights, x, where), where))
    return found


def same(one: Any, other: Any) -> bool:
    """Return whether two outputs are equal; lists, tuples and arrays are compared by element."""
    rows = (list, tuple, np.ndarray)
    if isinstance(one, rows) and isinstance(other, rows):
        return len(one) == len(other) and all(map(same, one, other))
    try:
        return bool(one == other)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the outputs {_short(one)} and {_short(other)} cannot be compared with ==: {error}"
        ) from error


def _takes_gold(argmax: Callable[..., Any]) -> bool:
    """Return whether a search has an argument ``gold``, so that it can include the cost."""
    try:
        return "gold" in inspect.signature(argmax).parameters
    except (TypeError, ValueError):  # a compiled function without a signature
        return False


def _short(thing: Any) -> str:
    return shown(thing)


def read_many(argument: str, given: Any) -> list[Any]:
    """Return an argument as a list with one entry per example; raise if it is no sequence."""
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        raise InputError(
            f"{argument} is a {type(given).__name__}; give a sequence with one entry for each "
            "example."
        )
    return list(given)


def read_examples(xs: Any, ys: Any) -> tuple[list[Any], list[Any]]:
    """Return examples and right outputs as lists; raise InputError if they are invalid."""
    xs = read_many("xs", xs)
    ys = read_many("ys", ys)
    if len(xs) != len(ys):
        raise InputError(
            f"xs has {len(xs)} examples but ys has {len(ys)} outputs. Give one output for each."
        )
    if not xs:
        raise InputError("there are 0 examples; give at least one.")
    for number, answer in enumerate(ys):
        if answer is None:
            raise InputError(f"ys[{number}] is None; give every example its right output.")
    return xs, ys


def share_right(found: list[Any], ys: list[Any]) -> float:
    """Return the share of right outputs."""
    return sum(map(same, found, ys)) / len(ys)
