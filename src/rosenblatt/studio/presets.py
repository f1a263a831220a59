"""Data to begin with: the examples of the lectures, and sets with a point to make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rosenblatt import datasets

Rows = list[list[Any]]


@dataclass(frozen=True)
class Preset:
    """Rows by name, and the learners that make the point where it takes special ones."""

    title: str
    about: str
    rows: Callable[[], Rows]
    learners: list[dict[str, Any]] = field(default_factory=lambda: [{"kind": "perceptron"}])

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "rows": self.rows()}


def _named(table: Any, names: str | list[str], digits: int = 2) -> Rows:
    """The rows of a data set, rounded so that they are short to write and to share."""
    return [
        [round(x, digits), round(y, digits), names[label]]
        for (x, y), label in zip(table.X.tolist(), table.y.tolist(), strict=True)
    ]


def _six() -> Rows:
    points = [(-1, 2), (1, 0), (1, 1), (-1, 0), (-1, -2), (1, -1)]
    labels = ["-1", "+1", "+1", "-1", "-1", "+1"]
    return [[x, y, label] for (x, y), label in zip(points, labels, strict=True)]


def _xor() -> Rows:
    return [[-1, -1, "no"], [-1, 1, "yes"], [1, -1, "yes"], [1, 1, "no"]]


PRESETS = {
    "six": Preset(
        "Six points",
        "The worked example of the first lecture: three mistakes, then w = (3, 1).",
        _six,
        [{"kind": "perceptron", "ties": "positive", "fit_intercept": False}],
    ),
    "separable": Preset(
        "Separable",
        "Two classes with room between them.",
        lambda: _named(datasets.separable(40, margin=0.4, radius=3.0, intercept=0.5, seed=2), "AB"),
    ),
    "narrow": Preset(
        "Narrow margin",
        "Separable, but only just: many mistakes, as the bound allows.",
        lambda: _named(
            datasets.separable(40, margin=0.03, radius=3.0, intercept=0.3, seed=5), "AB", 3
        ),
    ),
    "xor": Preset(
        "Exclusive or",
        "No line separates these four; with the product x·y as a feature a plane does.",
        _xor,
    ),
    "bent": Preset(
        "Exclusive or, with a kernel",
        "The same four points: a polynomial kernel of degree 2 has the product in it.",
        _xor,
        [{"kind": "kernel", "degree": 2}],
    ),
    "three": Preset(
        "Three classes",
        "One weight vector for each class; the largest score wins.",
        lambda: _named(datasets.separable(36, margin=0.2, radius=3.0, n_classes=3, seed=1), "ABC"),
    ),
    "noisy": Preset(
        "Noisy labels",
        "Some labels are wrong, so no line separates the classes.",
        lambda: _named(datasets.noisy(40, flip=0.1, margin=0.3, radius=3.0, seed=3), "AB"),
    ),
    "one": Preset(
        "One point",
        "A single example, learned from the weights (3, 4): how many updates does it take?",
        lambda: [[-3, 1, "+1"]],
        [{"kind": "perceptron", "fit_intercept": False, "initial": [3, 4, 0]}],
    ),
    "many": Preset(
        "Ten classes",
        "Ten weight vectors divide the plane among them.",
        lambda: _named(
            datasets.separable(100, margin=0.05, radius=5.0, n_classes=10, seed=0),
            [str(digit) for digit in range(10)],
        ),
    ),
}
