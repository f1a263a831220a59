"""Certificates of a verdict, and their check in exact arithmetic.

Nothing here is shared with the solver: a check must not repeat the mistakes of what it checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.errors import RosenblattError


class CertificateError(RosenblattError):
    """A certificate that does not prove what it claims."""


@dataclass(frozen=True)
class Conflict:
    """Rows whose weights show that nothing separates them.

    Attributes
    ----------
    rows : tuple of int
        Row numbers, of both classes.
    weights : tuple of Fraction or float
        Positive, of sum 1. The weighted sum of ``y (x, 1)`` over the rows is 0: the two classes
        have a point in common, a mean of rows of the one and of rows of the other.
    residual : float
        Length of that sum: 0 if the weights are fractions, else what is left of it in floats. No
        unit vector has a margin above it.
    """

    rows: tuple[int, ...]
    weights: tuple[Any, ...]
    residual: float

    @property
    def exact(self) -> bool:
        return self.residual == 0.0

    def __repr__(self) -> str:
        kind = "exact" if self.exact else f"within {self.residual:.2g}"
        return f"<Conflict of {len(self.rows)} rows, {kind}>"


def check_separator(X: Any, signs: FloatArray, w: Any, b: Any, *, strict: bool = True) -> None:
    """Prove ``y (w·x + b) > 0`` for every row, or name the first row for which it is not so.

    Not ``strict``: above 0 for at least one row, and below 0 for none.
    """
    above, on = sides(X, signs, w, b)
    wrong = np.flatnonzero(~above if strict else ~(above | on))
    if len(wrong):
        row, allowed = int(wrong[0]), "above 0" if strict else "0 or more"
        score = float(signs[row] * _score(X, row, w, b))
        raise CertificateError(
            f"row {row} is not on its side: y (w·x + b) = {score:g}, which should be {allowed}"
        )
    if not above.any():
        raise CertificateError("y (w·x + b) is 0 for every row, and should be above 0 for some")


def sides(
    X: Any, signs: FloatArray, w: Any, b: Any
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which rows have ``y (w·x + b)`` above 0, and which exactly 0; w and b floats or fractions.

    A float sum that is larger than its largest possible rounding error has the right sign; the
    other rows are summed as fractions.
    """
    floats, offset = np.array([float(value) for value in w]), float(b)
    products = signs * (np.asarray(X @ floats).ravel() + offset)
    sizes = np.asarray(abs(X) @ np.abs(floats)).ravel() + abs(offset)
    unit = (len(floats) + 6) * np.finfo(np.float64).eps
    above, on = products > 0, np.zeros(len(products), np.bool_)
    exact_w, exact_b = [Fraction(value) for value in w], Fraction(b)
    for row in np.flatnonzero(~(np.abs(products) > unit * sizes / (1 - unit) + 1e-300)):
        score = _score(X, int(row), exact_w, exact_b)
        above[row], on[row] = signs[row] * score > 0, score == 0
    return above, on


def _score(X: Any, row: int, w: Any, b: Any) -> Fraction:
    terms = (Fraction(w[column]) * Fraction(value) for column, value in _stored(X, row))
    return sum(terms, start=Fraction(b))


def check_conflict(X: Any, signs: FloatArray, fit_intercept: bool, conflict: Conflict) -> None:
    """Prove that the weighted rows add up to nothing, or to no more than the residual says."""
    parts = [(row, weight, ((0, int(signs[row])),)) for row, weight in _weighted(conflict)]
    _check_sum(X, fit_intercept, parts, conflict.residual)


def check_rivals(
    X: Any, labels: npt.NDArray[np.intp], fit_intercept: bool, wrong: Sequence[int], conflict: Any
) -> None:
    """Prove that rows against wrong classes add up to no more than the residual."""
    parts = []
    for (row, weight), rival in zip(_weighted(conflict), wrong, strict=True):
        if rival == labels[row]:
            raise CertificateError(f"row {row} stands against its own class")
        parts.append((row, weight, ((int(labels[row]), 1), (rival, -1))))
    _check_sum(X, fit_intercept, parts, conflict.residual)


def _weighted(conflict: Any) -> Iterator[tuple[int, Fraction]]:
    for row, weight in zip(conflict.rows, conflict.weights, strict=True):
        if weight <= 0:
            raise CertificateError(
                f"row {row} has the weight {float(weight):g}; it must be above 0"
            )
        yield row, Fraction(weight)


def _check_sum(X: Any, fit_intercept: bool, parts: Sequence[Any], residual: float) -> None:
    """Each part is a row, its weight, and the vectors it counts in with their signs."""
    sums: dict[tuple[int, int], Fraction] = {}
    for row, weight, places in parts:
        for column, value in [*_stored(X, row), *([(-1, 1.0)] if fit_intercept else [])]:
            for place, sign in places:
                key = place, column
                sums[key] = sums.get(key, Fraction(0)) + sign * weight * Fraction(value)
    total = sum((weight for _, weight, _ in parts), start=Fraction(0))
    length = sum((value * value for value in sums.values()), start=Fraction(0)) / total**2
    if length > Fraction(residual) ** 2:
        worst = max(sums, key=lambda key: abs(sums[key]))
        place = "the bias" if worst[1] == -1 else f"column {worst[1]}"
        raise CertificateError(
            f"the weighted rows do not add up to nothing: {float(sums[worst]):g} is left in {place}"
        )


def _stored(X: Any, row: int) -> Iterator[tuple[int, float]]:
    """Column and value of what is stored in a row."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[row], X.indptr[row + 1])
        yield from zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
    else:
        yield from enumerate(X[row].tolist())


def check_best_score(
    X: Any, labels: npt.NDArray[np.intp], coef: FloatArray, intercept: FloatArray
) -> None:
    """Prove that every row scores highest for its own class, or name the first that does not."""
    scores = np.asarray(X @ coef.T) + intercept
    sizes = np.asarray(abs(X) @ np.abs(coef).T) + np.abs(intercept)
    index = np.arange(len(labels))
    unit = (coef.shape[1] + 4) * np.finfo(np.float64).eps
    leads = scores[index, labels][:, None] - scores
    errors = (sizes + sizes[index, labels][:, None]) * unit / (1 - unit) + 1e-300
    leads[index, labels] = np.inf
    for row, rival in np.argwhere(leads <= errors):
        own = labels[row]
        lead = Fraction(float(intercept[own])) - Fraction(float(intercept[rival]))
        for column, value in _stored(X, int(row)):
            change = Fraction(float(coef[own, column])) - Fraction(float(coef[rival, column]))
            lead += change * Fraction(value)
        if lead <= 0:
            raise CertificateError(
                f"row {row} does not score highest for its own class: {float(lead):g} ahead of "
                f"class number {rival}, which should be above 0"
            )
