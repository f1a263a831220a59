"""Certificates of a verdict, and their check in exact arithmetic.

Nothing here is shared with the solver: a check must not repeat the mistakes of what it checks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from rosenblatt.errors import RosenblattError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count

EPS = float(np.finfo(np.float64).eps)
# More than two numbers can lose by underflow when they are multiplied, beside the size of each.
UNDERFLOW = 2.0**-1070
# So many scores of several classes are held at a time.
SCORES_AT_ONCE = 1_000_000


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
        row = int(wrong[0])
        allowed = "above 0" if strict else "0 or more"
        score = _fraction(b)
        for column, value in _stored(X, row):
            score += _fraction(w[column]) * _fraction(value)
        if signs[row] < 0:
            score = -score
        raise CertificateError(
            f"row {row} is not on its side: y (w·x + b) = {_shown(score)}, which should be "
            f"{allowed}"
        )
    if not above.any():
        raise CertificateError("y (w·x + b) is 0 for every row, and should be above 0 for some")


def sides(X: Any, signs: FloatArray, w: Any, b: Any) -> tuple[BoolArray, BoolArray]:
    """Which rows have ``y (w·x + b)`` above 0, and which exactly 0; w and b floats or fractions.

    A float sum that is larger than its largest possible rounding error has the right sign; the
    other rows are summed in whole numbers.
    """
    if len(w) != X.shape[1]:
        raise CertificateError(f"there are {len(w)} weights, but rows of {X.shape[1]} numbers")
    if not len(signs):
        raise CertificateError("there are no rows, so there is nothing to prove")
    # A positive factor changes no sign; w and b come together, so that none of them is lost
    # unless it is tiny beside another one.
    vector = _scaled(np.append(np.asarray(w), b))
    floats = vector[:-1]
    offset = float(vector[-1])
    numbers = _floats_of(X)
    magnitudes = abs(numbers)
    with np.errstate(all="ignore"):
        products = np.asarray(numbers @ floats).ravel() + offset
        sizes = np.asarray(magnitudes @ np.abs(floats)).ravel() + abs(offset)
        doubtful = ~(np.abs(products) > _rounding(sizes, magnitudes))
    above = signs * products > 0
    on = np.zeros(len(products), np.bool_)
    if not doubtful.any():
        return above, on
    whole = _whole([*w, b])
    for row in np.flatnonzero(doubtful):
        score = _whole_score(X, int(row), whole)
        above[row] = score > 0 if signs[row] > 0 else score < 0
        on[row] = score == 0
    return above, on


def _scaled(values: AnyArray) -> FloatArray:
    """Numbers times a power of 2 as floats, the largest of them between 1/2 and 2.

    A float differs from its number by no more than a share EPS of it, or by what is lost below the
    smallest float: far less than `UNDERFLOW`, beside a largest of 1.
    """
    if values.dtype == np.float64:
        largest = float(np.abs(values).max())
        if not isfinite(largest):
            raise CertificateError("its weights are not all finite numbers")
        return np.ldexp(values, -int(np.frexp(largest)[1]))
    fractions = [_fraction(value) for value in values.ravel().tolist()]
    most = max(map(abs, fractions))
    power = most.numerator.bit_length() - most.denominator.bit_length()
    factor = Fraction(2) ** -power
    return np.array([float(factor * value) for value in fractions]).reshape(values.shape)


def _floats_of(X: Any) -> Any:
    """The table in floats: whole numbers have absolute values, and sums, that overflow."""
    return X if X.dtype == np.float64 else X.astype(np.float64)


def _rounding(sizes: FloatArray, magnitudes: Any) -> FloatArray:
    """How far float sums of products can be off whose terms are of these sizes, added up.

    ``γ = n EPS / (1 - n EPS)`` of the sizes bounds the rounding of sums in any order (Higham,
    "Accuracy and Stability of Numerical Algorithms", 3.1), with room for the rounding of their
    factors; an underflow in a weight is multiplied by the value of a row.
    """
    n_terms = magnitudes.shape[1] + 6
    unit = n_terms * EPS
    stored = magnitudes.data if hasattr(magnitudes, "indptr") else magnitudes
    largest = float(stored.max(initial=0.0))
    return np.asarray(unit * sizes / (1 - unit) + n_terms * (1 + largest) * UNDERFLOW)


def _fraction(value: Any) -> Fraction:
    """A number as it is, exactly."""
    if isinstance(value, np.generic):  # float32 is no float of Python's
        value = value.item()
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise CertificateError(f"{value!r} is not a finite number") from None


def _whole(values: Sequence[Any]) -> list[int]:
    """Numbers in the same proportions, with the same signs, as whole numbers."""
    fractions = [_fraction(value) for value in values]
    common = lcm(*(value.denominator for value in fractions))
    return [value.numerator * (common // value.denominator) for value in fractions]


def _whole_score(X: Any, row: int, vector: Sequence[int]) -> int:
    """The score of a row by weights and a bias, the last of the vector, times a positive number."""
    columns = []
    values: list[Any] = []
    for column, value in _stored(X, row):
        columns.append(column)
        values.append(value)
    *whole, unit = _whole([*values, 1])
    score = vector[-1] * unit
    for column, number in zip(columns, whole, strict=True):
        score += vector[column] * number
    return score


def _shown(value: Fraction) -> str:
    """A fraction in a few digits, also where it is too large or too small for a float."""
    try:
        near = float(value)
    except OverflowError:
        near = 0.0
    if near or not value:
        return f"{near:g}"
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.5e}"


def check_conflict(X: Any, signs: FloatArray, fit_intercept: bool, conflict: Conflict) -> None:
    """Prove that the weighted rows add up to nothing."""
    parts = []
    for row, weight in _weighted(conflict, len(signs)):
        sign = 1 if signs[row] > 0 else -1
        parts.append((row, weight, ((0, sign),)))
    _check_sum(X, fit_intercept, parts)


def check_rivals(
    X: Any, labels: IndexArray, fit_intercept: bool, wrong: Sequence[int], conflict: Any
) -> None:
    """Prove that weighted rows against wrong classes add up to nothing."""
    if len(wrong) != len(conflict.rows):
        raise CertificateError(
            f"{count(len(conflict.rows), 'row')} stand against {count(len(wrong), 'wrong class')}"
        )
    parts = []
    for (row, weight), rival in zip(_weighted(conflict, len(labels)), wrong, strict=True):
        if rival == labels[row]:
            raise CertificateError(f"row {row} stands against its own class")
        parts.append((row, weight, ((int(labels[row]), 1), (rival, -1))))
    _check_sum(X, fit_intercept, parts)


def _weighted(conflict: Any, n_rows: int) -> Iterator[tuple[int, int]]:
    """Rows and their weights, as whole numbers in the same proportions.

    All of nothing adds up to nothing, so there must be a row, and a weight above 0 for each.
    """
    if not len(conflict.rows):
        raise CertificateError("the conflict names no rows, so it proves nothing")
    if len(conflict.weights) != len(conflict.rows):
        raise CertificateError(
            f"the conflict has {count(len(conflict.rows), 'row')} but "
            f"{count(len(conflict.weights), 'weight')}"
        )
    for row, weight in zip(conflict.rows, conflict.weights, strict=True):
        if not 0 <= row < n_rows:
            raise CertificateError(f"there is no row {row}: the table has {n_rows:,}")
        if _fraction(weight) <= 0:
            shown = _shown(_fraction(weight))
            raise CertificateError(f"row {row} has the weight {shown}; it must be above 0")
    yield from zip(conflict.rows, _whole(conflict.weights), strict=True)


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
                f"the weighted rows do not add up to nothing: {_shown(left)} is left in {place}"
            )


def _stored(X: Any, row: int) -> Iterator[tuple[int, float]]:
    """Column and value of what is stored in a row."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[row], X.indptr[row + 1])
        yield from zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
    else:
        yield from enumerate(X[row].tolist())


def check_best_score(X: Any, labels: IndexArray, coef: AnyArray, intercept: AnyArray) -> None:
    """Prove that every row scores highest for its own class, or name the first that does not.

    As in `sides`, floats settle what is beyond their rounding, and whole numbers the rest. A row
    that is ahead of all others by more than the rounding of any score needs no closer look.
    """
    n_classes = len(coef)
    if not len(labels):
        raise CertificateError("there are no rows, so there is nothing to prove")
    if n_classes < 2 or int(labels.max()) >= n_classes or len(intercept) != n_classes:
        raise CertificateError(
            f"there are {n_classes} weight vectors and {len(intercept)} biases for "
            f"{int(labels.max()) + 1} classes"
        )
    if coef.shape[1] != X.shape[1]:
        raise CertificateError(
            f"there are {coef.shape[1]} weights for a class, but rows of {X.shape[1]} numbers"
        )
    scaled = _scaled(np.column_stack([coef, intercept]))
    floats = np.ascontiguousarray(scaled[:, :-1].T)
    biases = scaled[:, -1]
    widest = np.abs(scaled).max(axis=0)
    block = max(1, SCORES_AT_ONCE // n_classes)
    for start in range(0, len(labels), block):
        rows = slice(start, start + block)
        own = labels[rows]
        index = np.arange(len(own))
        numbers = _floats_of(X[rows])
        magnitudes = abs(numbers)
        with np.errstate(all="ignore"):
            scores = np.asarray(numbers @ floats) + biases
            right = scores[index, own]
            scores[index, own] = -np.inf
            # No score has terms of larger sizes than these.
            sizes = np.asarray(magnitudes @ widest[:-1]).ravel() + widest[-1]
            ahead = right - scores.max(axis=1) > _rounding(2 * sizes, magnitudes)
        close = np.flatnonzero(~ahead)
        if not len(close):
            continue
        own = own[close]
        index = np.arange(len(close))
        magnitudes = magnitudes[close]
        with np.errstate(all="ignore"):
            sizes = np.asarray(magnitudes @ np.abs(floats)) + np.abs(biases)
            errors = _rounding(sizes + sizes[index, own][:, None], magnitudes)
            doubtful = ~(right[close][:, None] - scores[close] > errors)
        doubtful[index, own] = False
        for place, rival in np.argwhere(doubtful):
            row = start + int(close[place])
            _check_lead(X, row, int(own[place]), int(rival), coef, intercept)


def _check_lead(
    X: Any, row: int, own: int, rival: int, coef: AnyArray, intercept: AnyArray
) -> None:
    """Prove that a row scores higher for its own class than for another one."""
    lead = _fraction(intercept[own]) - _fraction(intercept[rival])
    for column, value in _stored(X, row):
        change = _fraction(coef[own, column]) - _fraction(coef[rival, column])
        lead += change * _fraction(value)
    if lead <= 0:
        raise CertificateError(
            f"row {row} does not score highest for its own class: {_shown(lead)} ahead of "
            f"class number {rival}, which should be above 0"
        )
