"""The run of a state as a Python script and as a notebook, for those who want to go on from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.plurals import count
from rosenblatt.studio.mapped_rows import MappedRows, numbers_of
from rosenblatt.studio.recipes import Recipe

if TYPE_CHECKING:
    from rosenblatt.studio.session import Study

WIDTH = 96
MAPPED = {
    "none": "points",
    "product": "np.column_stack([points, points[:, 0] * points[:, 1]])",
    "quadratic": (
        "np.column_stack(\n    [points, points[:, 0] ** 2, points[:, 0] * points[:, 1], "
        "points[:, 1] ** 2]\n)"
    ),
}


def script(study: Study) -> str:
    """Learns every run again and prints the weights it ends with."""
    return "\n".join([f'"""{_about(study)}"""\n', *_cells(study)])


def notebook(study: Study) -> str:
    """The same cell by cell, as nbformat 4 has it."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": f"# {_about(study)}"}]
    code: dict[str, Any] = {"execution_count": None, "metadata": {}, "outputs": []}
    for source in _cells(study):
        cells.append({"cell_type": "code", **code, "source": source.rstrip("\n")})
    whole = {
        "cells": [{"id": f"cell-{i}", **cell} for i, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _about(study: Study) -> str:
    return f"A run of the perceptron studio on {count(len(study.examples), 'point')}."


def _cells(study: Study) -> list[str]:
    recipes = [run.recipe for run in study.runs]
    return [
        _imports(recipes),
        _data(study.examples, study.state.map, placeholder=recipes[0].placeholder),
        *(_learner(recipe) for recipe in recipes),
    ]


def _imports(recipes: list[Recipe]) -> str:
    found = {recipe.entry for recipe in recipes}
    packages = {entry: "rosenblatt" if entry in CATALOGUE else entry.module for entry in found}
    lines = sorted(f"from {package} import {e.class_name}" for e, package in packages.items())
    return "import numpy as np\n\n" + "\n".join(lines) + "\n"


def _data(examples: MappedRows, map: str, *, placeholder: bool) -> str:
    points = [str(numbers_of(point)) for point in examples.points]
    lines = [
        f"columns = {examples.columns!r}",
        f"classes = {examples.classes!r}",
        f"points = np.array(\n    [\n{_wrapped(points, 8)}    ],\n    dtype=float,\n)",
        f"X = {MAPPED[map]}",
        "# Each class by its place in `classes`; of two, the second is the positive one.",
        f"y = np.array(\n    [\n{_wrapped([str(place) for place in examples.y], 8)}    ]\n)",
    ]
    if placeholder:
        lines += [
            "# There is only one class: a row that counts for nothing stands for the other.",
            "X, y = np.vstack([X, np.zeros(X.shape[1])]), np.append(y, 0)",
            "counts = np.append(np.ones(len(points)), 0.0)",
        ]
    return "\n".join(lines) + "\n"


def _wrapped(items: list[str], indent: int) -> str:
    """Items with commas, as many a line as fit."""
    lines, line = [], ""
    for item in items:
        if line and indent + len(line) + len(item) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += f"{' ' if line else ''}{item},"
    return "".join(f"{' ' * indent}{line}\n" for line in [*lines, line])


def _learner(recipe: Recipe) -> str:
    settings = "".join(f"    {name}={value!r},\n" for name, value in recipe.settings.items())
    given = ["X", "y"]
    if recipe.starts is not None:
        given += [f"coef_init={recipe.starts[0]!r}", f"intercept_init={recipe.starts[1]!r}"]
    if recipe.placeholder:
        given.append("sample_weight=counts")
    fit = f"learner.fit({', '.join(given)})"
    if len(fit) > WIDTH:
        fit = "learner.fit(\n" + "".join(f"    {argument},\n" for argument in given) + ")"
    title = f"{recipe.title}:"
    if recipe.entry.family == "kernel":
        ends = ("support points", "support_"), ("coefficients", "dual_coef_")
    else:
        ends = ("w", "coef_"), ("b", "intercept_")
    lines = [
        f"learner = {recipe.entry.class_name}(\n{settings})",
        fit,
        f'print({title!r}, learner.stop_reason_, "after", learner.n_mistakes_, "mistakes")',
        *(f"print({name!r}, learner.{array}.tolist())" for name, array in ends),
    ]
    return "\n".join(lines) + "\n"
