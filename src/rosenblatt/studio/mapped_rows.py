"""The rows of a state as a learner takes them: mapped features and numbers of classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IndexArray
from rosenblatt.studio.states import PageState

# What stands for minus and plus where classes are named by a sign.
SIGNS = {"-": -1, "−": -1, "–": -1, "+": 1}


@dataclass(frozen=True, eq=False)
class MappedRows:
    """Points, their mapped features and their classes.

    They are those that are learned from; ``numbers`` are their places among all, and ``everything``
    is all of them, where some are held out.
    ``y`` holds places in ``classes``. Of two classes the second is the positive one. Where there
    is only one, it is the positive one, and a class without rows stands for all it is not.
    """

    columns: list[str]
    points: FloatArray
    names: list[str]
    X: FloatArray
    y: IndexArray
    classes: list[str]
    one_class: bool
    numbers: IndexArray
    everything: MappedRows | None = None

    @classmethod
    def of(cls, state: PageState) -> MappedRows:
        """The rows of a state, but for every ``held``-th, unless nothing of its class remained."""
        rows = state.rows
        points = np.array([row[:2] for row in rows], np.float64)
        classes = in_order({str(row[2]) for row in rows})
        one_class = len(classes) == 1
        if one_class:
            classes = [f"not {classes[0]}", classes[0]]
        place = {name: i for i, name in enumerate(classes)}
        names, X = mapped(state.map, points, state.columns)
        y = np.array([place[str(row[2])] for row in rows], np.intp)
        everything = cls(state.columns, points, names, X, y, classes, one_class, np.arange(len(y)))
        if state.held < 2:
            return everything
        learned = everything.numbers % state.held != state.held - 1
        learned |= ~np.isin(y, y[learned])
        few = np.flatnonzero(learned)
        return replace(
            everything, points=points[few], X=X[few], y=y[few], numbers=few, everything=everything
        )

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_vectors(self) -> int:
        """How many weight vectors a linear learner has."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def to_json(self) -> dict[str, Any]:
        if self.everything is not None:
            held = np.setdiff1d(self.everything.numbers, self.numbers)
            return self.everything.to_json() | {"held": held.tolist()}
        return {
            "columns": self.columns,
            "rows": [numbers_of(point) for point in self.points],
            "labels": self.y.tolist(),
            "classes": self.classes,
            "features": self.names,
            "held": [],
            "mapped": None if self.X is self.points else [numbers_of(row) for row in self.X],
        }


def in_order(classes: set[str]) -> list[str]:
    """Numbers by size, signs minus first, all else as text."""
    are_numbers = all(math.isfinite(_value(name)) for name in classes)
    return sorted(classes, key=lambda name: (_value(name) if are_numbers else 0.0, name))


def _value(name: str) -> float:
    """The number or sign that a class is named by, else NaN."""
    try:
        return SIGNS[name] if name in SIGNS else float(name)
    except ValueError:
        return math.nan


def mapped(kind: str, points: FloatArray, columns: list[str]) -> tuple[list[str], FloatArray]:
    """The features behind a map; the first two are the points themselves."""
    x, y = points.T
    a, b = columns
    if kind == "product":
        return [a, b, f"{a}·{b}"], np.column_stack([x, y, x * y])
    if kind == "quadratic":
        names = [a, b, f"{a}²", f"{a}·{b}", f"{b}²"]
        return names, np.column_stack([x, y, x * x, x * y, y * y])
    return columns, points


def numbers_of(values: AnyArray) -> list[Any]:
    """Floats as they are, without the point where all of them are whole: shorter to send."""
    if values.size and np.abs(values).max() < 2**53 and (values == np.floor(values)).all():
        return values.astype(np.int64).tolist()  # type: ignore[no-any-return]
    return values.tolist()  # type: ignore[no-any-return]
