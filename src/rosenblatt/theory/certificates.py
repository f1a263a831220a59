"""Certificates of a verdict, and checks of them in exact arithmetic.

This file shares no code with the solver, so that a check cannot repeat a mistake of the solver.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import AnyArray, BoolArray, FloatArray, IndexArray, is_sparse
from rosenblatt.errors import RosenblattError
from rosenblatt.html_tables import ResultCard
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

EPS = float(np.finfo(np.float64).eps)
# Upper bound on the loss by underflow in a product of two numbers of at most 1.
UNDERFLOW = 2.0**-1070
# Scores of several classes that are held in memory at a time.
SCORES_PER_BLOCK = 1_000_000
# Column index of the constant 1 that the bias is multiplied by.
BIAS_COLUMN = -1


class CertificateError(RosenblattError):
    """Raised if a certificate does not prove its claim."""


@dataclass(frozen=True)
class Conflict(ResultCard):
    """Rows and weights that prove that no hyperplane separates the rows.

    Attributes
    ----------
    rows : tuple of int
        Row indices, from both classes.
    weights : tuple of Fraction
        Positive weights with sum 1. The weighted sum of ``y (x, 1)`` over the rows is exactly 0, so
        a weighted mean of rows of one class equals a weighted mean of rows of the other class.
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def _headline(self) -> str:
        return f"{type(self).__name__} of {count(len(self.rows), 'row')}"

    def __repr__(self) -> str:
        return f"<{self._headline()}>"


def check_separator(
    X: Table,
    signs: FloatArray,
    w: Sequence[float] | Sequence[Fraction] | AnyArray,
    b: Any,
    *,
    strict: bool = True,
) -> None:
    """Check that ``y (w·x + b) > 0`` for every row; raise an error for the first that fails.

    With ``strict=False``, check that it is above 0 for at least one row and below 0 for none.
    """
    above, on = sides(X, signs, w, b)
    wrong = np.flatnonzero(~above if strict else ~(above | on))
    if len(wrong):
        row = int(wrong[0])
        allowed = "above 0" if strict else "0 or more"

        # The exact value is only for the message.
        score = _fraction(b)
        for column, value in _stored_values(X, row):
            score += _fraction(w[column]) * _fraction(value)
        if signs[row] < 0:
            score = -score
        raise CertificateError(
            f"row {row} is not on its side: y (w·x + b) = {_formatted(score)}, which should be "
            f"{allowed}"
        )
    if not above.any():
        raise CertificateError("y (w·x + b) is 0 for every row, and should be above 0 for some")


def sides(
    X: Table, signs: FloatArray, w: Sequence[float] | Sequence[Fraction] | AnyArray, b: Any
) -> tuple[BoolArray, BoolArray]:
    """Return two masks: the rows where ``y (w·x + b)`` is above 0, and those where it is 0.

    ``w`` and ``b`` are floats or fractions. A float sum that exceeds its largest possible rounding
    error has the right sign; all other rows are summed in integers.
    """
    if len(w) != X.shape[1]:
        raise CertificateError(f"there are {len(w)} weights, but rows of {X.shape[1]} numbers")
    if not len(signs):
        raise CertificateError("there are no rows, so there is nothing to prove")

    # Fast path in floats. A positive factor changes no sign; w and b get the same factor, so that
    # a number underflows only if it is tiny compared with the largest one.
    vector = _scaled_to_one(np.append(np.asarray(w), b))
    floats = vector[:-1]
    offset = float(vector[-1])
    numbers = _as_floats(X)
    magnitudes = abs(numbers)
    with np.errstate(all="ignore"):
        products = np.asarray(numbers @ floats).ravel() + offset
        sizes = np.asarray(magnitudes @ np.abs(floats)).ravel() + abs(offset)
        doubtful = ~(np.abs(products) > _rounding_error(sizes, magnitudes))
    above = signs * products > 0
    on = np.zeros(len(products), np.bool_)
    if not doubtful.any():
        return above, on

    # Exact fallback for the rows that floats cannot decide.
    exact = _to_integers([*w, b])
    for row in np.flatnonzero(doubtful):
        score = _integer_score(X, int(row), exact)
        above[row] = score > 0 if signs[row] > 0 else score < 0
        on[row] = score == 0
    return above, on


def _scaled_to_one(values: AnyArray) -> FloatArray:
    """Scale values by a power of 2 so that the largest is between 1/2 and 2; return floats.

    A float differs from its exact value by a relative error of at most EPS, or by an underflow,
    which is far below `UNDERFLOW` if the largest value is about 1.
    """
    if values.dtype == np.float64:
        largest = float(np.abs(values).max())
        if not isfinite(largest):
            raise CertificateError("its weights are not all finite numbers")
        return np.ldexp(values, -int(np.frexp(largest)[1]))

    fractions = [_fraction(value) for value in values.ravel().tolist()]
    largest_fraction = max(map(abs, fractions))
    power = largest_fraction.numerator.bit_length() - largest_fraction.denominator.bit_length()
    factor = Fraction(2) ** -power
    scaled = [float(factor * value) for value in fractions]
    return np.array(scaled).reshape(values.shape)


def _as_floats(X: Table) -> Any:
    """Return the table as float64, because sums and absolute values of integers can overflow."""
    return X if X.dtype == np.float64 else X.astype(np.float64)


def _rounding_error(sizes: FloatArray, magnitudes: Table) -> FloatArray:
    """Return an upper bound on the rounding errors of float dot products.

    ``sizes`` are the sums of the absolute values of the terms. The error of a sum in any order is
    at most ``γ · size`` with ``γ = n EPS / (1 - n EPS)`` (Higham, "Accuracy and Stability of
    Numerical Algorithms", 3.1). A few extra terms cover the rounding of the factors, and an
    underflow in a weight is multiplied by the value of a row.
    """
    n_terms = magnitudes.shape[1] + 6
    relative = n_terms * EPS
    stored = magnitudes.data if is_sparse(magnitudes) else magnitudes
    largest = float(stored.max(initial=0.0))
    rounding = relative * sizes / (1 - relative)
    underflow = n_terms * (1 + largest) * UNDERFLOW
    return np.asarray(rounding + underflow)


def _fraction(value: Any) -> Fraction:
    """Return a number as an exact fraction."""
    # Fraction accepts the numbers of Python, but not, for example, a float32.
    if isinstance(value, np.generic):
        value = value.item()
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise CertificateError(f"{value!r} is not a finite number") from None


def _to_integers(values: Sequence[float] | Sequence[Fraction]) -> list[int]:
    """Multiply values by a positive common factor that makes all of them integers."""
    fractions = [_fraction(value) for value in values]
    common = lcm(*(value.denominator for value in fractions))
    return [value.numerator * (common // value.denominator) for value in fractions]


def _integer_score(X: Table, row: int, vector: Sequence[int]) -> int:
    """Return the score of a row up to a positive factor; the bias is the last of ``vector``."""
    columns = []
    values: list[float] = []
    for column, value in _stored_values(X, row):
        columns.append(column)
        values.append(value)

    # The 1 that the bias is multiplied by gets the same factor as the values.
    *integers, unit = _to_integers([*values, 1])
    score = vector[-1] * unit
    for column, number in zip(columns, integers, strict=True):
        score += vector[column] * number
    return score


def _formatted(value: Fraction) -> str:
    """Format a fraction with a few digits, even if it is too large or too small for a float."""
    try:
        near = float(value)
    except OverflowError:
        near = 0.0
    if near or not value:
        return f"{near:g}"
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.5e}"


def check_conflict(X: Table, signs: FloatArray, fit_intercept: bool, conflict: Conflict) -> None:
    """Check that the weighted sum of ``y (x, 1)`` over the rows of a conflict is exactly 0."""
    terms = []
    for row, weight in _rows_and_weights(conflict, len(signs)):
        sign = 1 if signs[row] > 0 else -1
        terms.append(_Term(row, weight, ((0, sign),)))
    _check_sum(X, fit_intercept, terms)


def check_rivals(
    X: Table, labels: IndexArray, fit_intercept: bool, wrong: Sequence[int], conflict: Conflict
) -> None:
    """Check that the weighted sum of a conflict among several classes is exactly 0.

    A row adds ``(x, 1)`` to the vector of its own class and ``-(x, 1)`` to that of the wrong class.
    """
    if len(wrong) != len(conflict.rows):
        raise CertificateError(
            f"{count(len(conflict.rows), 'row')} stand against {count(len(wrong), 'wrong class')}"
        )
    terms = []
    for (row, weight), rival in zip(_rows_and_weights(conflict, len(labels)), wrong, strict=True):
        if rival == labels[row]:
            raise CertificateError(f"row {row} stands against its own class")
        terms.append(_Term(row, weight, ((int(labels[row]), 1), (rival, -1))))
    _check_sum(X, fit_intercept, terms)


def _rows_and_weights(conflict: Conflict, n_rows: int) -> Iterator[tuple[int, int]]:
    """Validate a conflict; yield each row with its weight, scaled to an integer.

    An empty sum and a sum with zero weights are always 0 and prove nothing, so there must be at
    least one row, and every weight must be above 0.
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
            shown = _formatted(_fraction(weight))
            raise CertificateError(f"row {row} has the weight {shown}; it must be above 0")
    yield from zip(conflict.rows, _to_integers(conflict.weights), strict=True)


class _Term(NamedTuple):
    """A weighted row, and the weight vectors (class index and sign) that it is added to."""

    row: int
    weight: int
    signed_classes: tuple[tuple[int, int], ...]


def _check_sum(X: Table, fit_intercept: bool, terms: Sequence[_Term]) -> None:
    """Check that the sum of all terms is exactly 0 in every column of every weight vector."""
    # One sum for each class, column and denominator. The denominators are powers of 2, so most
    # numbers are added as integers, which is far faster than adding fractions.
    sums: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for term in terms:
        values = list(_stored_values(X, term.row))
        if fit_intercept:
            values.append((BIAS_COLUMN, 1.0))
        for column, value in values:
            if not value:
                continue
            numerator, denominator = value.as_integer_ratio()
            for number, sign in term.signed_classes:
                sums[number, column][denominator] += sign * term.weight * numerator

    for (_, column), numerators in sums.items():
        rest = sum(Fraction(numerator, d) for d, numerator in numerators.items())
        if rest:
            place = "the bias" if column == BIAS_COLUMN else f"column {column}"
            rest /= sum(term.weight for term in terms)
            raise CertificateError(
                f"the weighted rows do not add up to nothing: {_formatted(rest)} is left in {place}"
            )


def _stored_values(X: Table, row: int) -> Iterator[tuple[int, float]]:
    """Yield the column and the value of every stored entry of a row."""
    if is_sparse(X):
        part = slice(X.indptr[row], X.indptr[row + 1])
        yield from zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
    else:
        yield from enumerate(X[row].tolist())


def check_best_score(X: Table, labels: IndexArray, coef: AnyArray, intercept: AnyArray) -> None:
    """Check that every row scores highest for its own class; raise an error if one does not.

    As in `sides`, floats decide whatever exceeds their rounding errors, and fractions the rest.
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

    scaled = _scaled_to_one(np.column_stack([coef, intercept]))
    floats = np.ascontiguousarray(scaled[:, :-1].T)
    biases = scaled[:, -1]
    largest = np.abs(scaled).max(axis=0)
    block = max(1, SCORES_PER_BLOCK // n_classes)
    for start in range(0, len(labels), block):
        rows = slice(start, start + block)
        own = labels[rows]
        index = np.arange(len(own))
        numbers = _as_floats(X[rows])
        magnitudes = abs(numbers)

        # First with one bound for all classes, because most rows lead by more than that.
        with np.errstate(all="ignore"):
            scores = np.asarray(numbers @ floats) + biases
            right = scores[index, own]
            scores[index, own] = -np.inf
            sizes = np.asarray(magnitudes @ largest[:-1]).ravel() + largest[-1]
            ahead = right - scores.max(axis=1) > _rounding_error(2 * sizes, magnitudes)
        close = np.flatnonzero(~ahead)
        if not len(close):
            continue

        # Then the close rows, with a bound for each rival.
        own = own[close]
        index = np.arange(len(close))
        magnitudes = magnitudes[close]
        with np.errstate(all="ignore"):
            sizes = np.asarray(magnitudes @ np.abs(floats)) + np.abs(biases)
            errors = _rounding_error(sizes + sizes[index, own][:, None], magnitudes)
            doubtful = ~(right[close][:, None] - scores[close] > errors)
        doubtful[index, own] = False

        # Finally in fractions the pairs that floats cannot decide.
        for place, rival in np.argwhere(doubtful):
            row = start + int(close[place])
            _check_lead(X, row, int(own[place]), int(rival), coef, intercept)


def _check_lead(
    X: Table, row: int, own: int, rival: int, coef: AnyArray, intercept: AnyArray
) -> None:
    """Check in fractions that a row scores higher for its own class than for a rival."""
    lead = _fraction(intercept[own]) - _fraction(intercept[rival])
    for column, value in _stored_values(X, row):
        change = _fraction(coef[own, column]) - _fraction(coef[rival, column])
        lead += change * _fraction(value)
    if lead <= 0:
        raise CertificateError(
            f"row {row} does not score highest for its own class: {_formatted(lead)} ahead of "
            f"class number {rival}, which should be above 0"
        )
