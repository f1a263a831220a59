"""Certificates of a verdict, and their check in exact arithmetic.

Nothing here is shared with the solver: a check must not repeat the mistakes of what it checks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from rosenblatt.errors import RosenblattError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count


class CertificateError(RosenblattError):
    """A certificate that does not prove what it claims."""


@dataclass(frozen=True)
class Conflict(ResultCard):
    """Rows whose weights show that nothing separates them.

    Attributes
    ----------
    rows : tuple of int
        Row numbers, of both classes.
    weights : tuple of Fraction
        Positive, of sum 1. The weighted sum of ``y (x, 1)`` over the rows is exactly 0: the two
        classes have a point in common, a mean of rows of the one and of rows of the other.
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def _headline(self) -> str:
        return f"{type(self).__name__} of {count(len(self.rows), 'row')}"

    def __repr__(self) -> str:
        return f"<{self._headline()}>"


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


def sides(X: Any, signs: FloatArray, w: Any, b: Any) -> tuple[BoolArray, BoolArray]:
    """Which rows have ``y (w·x + b)`` above 0, and which exactly 0; w and b floats or fractions.

    A float sum that is larger than its largest possible rounding error has the right sign; the
    other rows are summed as fractions.
    """
    floats, offset = np.array([float(value) for value in w]), float(b)
    unit = (len(floats) + 6) * np.finfo(np.float64).eps
    with np.errstate(all="ignore"):
        products = signs * (np.asarray(X @ floats).ravel() + offset)
        sizes = np.asarray(abs(X) @ np.abs(floats)).ravel() + abs(offset)
        doubtful = ~(np.abs(products) > unit * sizes / (1 - unit) + 1e-300)
    above, on = products > 0, np.zeros(len(products), np.bool_)
    exact_w, exact_b = [Fraction(value) for value in w], Fraction(b)
    for row in np.flatnonzero(doubtful):
        score = _score(X, int(row), exact_w, exact_b)
        above[row], on[row] = int(signs[row]) * score > 0, score == 0
    return above, on


def _score(X: Any, row: int, w: Any, b: Any) -> Fraction:
    terms = (Fraction(w[column]) * Fraction(value) for column, value in _stored(X, row))
    return sum(terms, start=Fraction(b))


def check_conflict(X: Any, signs: FloatArray, fit_intercept: bool, conflict: Conflict) -> None:
    """Prove that the weighted rows add up to nothing."""
    parts = [(row, weight, ((0, int(signs[row])),)) for row, weight in _weighted(conflict)]
    _check_sum(X, fit_intercept, parts)


def check_rivals(
    X: Any, labels: IndexArray, fit_intercept: bool, wrong: Sequence[int], conflict: Any
) -> None:
    """Prove that weighted rows against wrong classes add up to nothing."""
    parts = []
    for (row, weight), rival in zip(_weighted(conflict), wrong, strict=True):
        if rival == labels[row]:
            raise CertificateError(f"row {row} stands against its own class")
        parts.append((row, weight, ((int(labels[row]), 1), (rival, -1))))
    _check_sum(X, fit_intercept, parts)


def _weighted(conflict: Any) -> Iterator[tuple[int, int]]:
    """Rows and their weights, as whole numbers in the same proportions."""
    weights = [Fraction(weight) for weight in conflict.weights]
    common = lcm(*(weight.denominator for weight in weights))
    for row, weight in zip(conflict.rows, weights, strict=True):
        if weight <= 0:
            raise CertificateError(
                f"row {row} has the weight {float(weight):g}; it must be above 0"
            )
        yield row, weight.numerator * (common // weight.denominator)


def _check_sum(X: Any, fit_intercept: bool, parts: Sequence[Any]) -> None:
    """Each part is a row, its weight, and the vectors it counts in with their signs.

    Sums are kept by the denominators of their terms, powers of 2: whole numbers are added fastest.
    """
    sums: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row, weight, places in parts:
        for column, value in [*_stored(X, row), *([(-1, 1.0)] if fit_intercept else [])]:
            if value:
                numerator, denominator = value.as_integer_ratio()
                for place, sign in places:
                    sums[place, column][denominator] += sign * weight * numerator
    for (_, column), terms in sums.items():
        left = sum(Fraction(term, denominator) for denominator, term in terms.items())
        if left:
            place = "the bias" if column == -1 else f"column {column}"
            left /= sum(weight for _, weight, _ in parts)
            raise CertificateError(
                f"the weighted rows do not add up to nothing: {float(left):g} is left in {place}"
            )


def _stored(X: Any, row: int) -> Iterator[tuple[int, float]]:
    """Column and value of what is stored in a row."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[row], X.indptr[row + 1])
        yield from zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
    else:
        yield from enumerate(X[row].tolist())


def check_best_score(X: Any, labels: IndexArray, coef: AnyArray, intercept: AnyArray) -> None:
    """Prove that every row scores highest for its own class, or name the first that does not."""
    floats, biases = coef.astype(np.float64), intercept.astype(np.float64)
    with np.errstate(all="ignore"):
        scores = np.asarray(X @ floats.T) + biases
        sizes = np.asarray(abs(X) @ np.abs(floats).T) + np.abs(biases)
        index = np.arange(len(labels))
        unit = (coef.shape[1] + 6) * np.finfo(np.float64).eps
        leads = scores[index, labels][:, None] - scores
        errors = (sizes + sizes[index, labels][:, None]) * unit / (1 - unit) + 1e-300
        doubtful = ~(leads > errors)
    doubtful[index, labels] = False
    for row, rival in np.argwhere(doubtful):
        own = labels[row]
        lead = Fraction(intercept[own]) - Fraction(intercept[rival])
        for column, value in _stored(X, int(row)):
            change = Fraction(coef[own, column]) - Fraction(coef[rival, column])
            lead += change * Fraction(value)
        if lead <= 0:
            raise CertificateError(
                f"row {row} does not score highest for its own class: {float(lead):g} ahead of "
                f"class number {rival}, which should be above 0"
            )
