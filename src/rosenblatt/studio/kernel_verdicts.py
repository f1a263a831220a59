"""Whether a kernel separates the examples: the verdict is on the points as the kernel maps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.models.rows import contradictory
from rosenblatt.studio.mapped_rows import MappedRows
from rosenblatt.studio.page_runs import PageRun
from rosenblatt.studio.verdicts import MAX_WEIGHTS, TheoremRows

# Of a space with more dimensions no verdict is looked for.
MAX_DIMENSIONS = 20


def kernel_theory(run: PageRun) -> dict[str, Any]:
    """What a page says of the space of a kernel; R and γ are not measured there."""
    separable, why = _verdict(run)
    if separable is None:
        said = f"It could not be decided whether the classes are separable with this kernel: {why}."
    else:
        said = f"The classes are {'' if separable else 'not '}separable with this kernel: {why}."
    unmeasured = dict.fromkeys(("radius", "margin", "bound", "separator", "conflict"))
    return {"separable": separable, "sentence": said, **unmeasured}


def _verdict(run: PageRun) -> tuple[bool | None, str]:
    examples, learner = run.examples, run.learner
    kernel = learner["kernel"]
    if contradictory(examples.X, examples.y.astype(np.int32)):
        return False, "two points are the same and have different labels"
    if run.stop_reason == "separated":
        return True, "the run ends with a function that is right for all points"
    if kernel in ("rbf", "laplacian"):
        return True, "it separates any points of which no two are the same"
    if kernel not in ("linear", "poly") or learner["coef0"] < 0:
        return None, "its values need not be products of mapped points"
    degree, least = (1, 1) if kernel == "linear" else (learner["degree"], 0)
    Z = _monomials(examples.X, degree, degree if learner["coef0"] == 0 else least)
    if Z is None or len(examples.classes) * Z.shape[1] > MAX_WEIGHTS:
        return None, "it maps the points into too many dimensions"
    mapped: MappedRows = replace(examples, X=Z)
    separable = TheoremRows.of(mapped, fit_intercept=False).separability(mapped).separable
    space = f"mapped into {Z.shape[1]} dimensions"
    if separable is None:
        return None, "rounding hides it"
    return separable, f"{space}, they {'can' if separable else 'cannot'} be divided by a plane"


def _monomials(X: FloatArray, degree: int, least: int) -> FloatArray | None:
    """All products of up to ``degree`` features, of at least ``least``; None if they are many."""
    level = [(np.ones(len(X)), 0)]
    found = [] if least else [level[0][0]]
    for size in range(1, degree + 1):
        level = [
            (values * X[:, column], column)
            for values, last in level
            for column in range(last, X.shape[1])
        ]
        found += [values for values, _ in level] if size >= least else []
        if len(found) > MAX_DIMENSIONS or len(level) > MAX_DIMENSIONS:
            return None
    Z = np.column_stack(found)
    return Z if np.isfinite(Z).all() else None
