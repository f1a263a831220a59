"""Probabilities and log losses of scores are right to a few last bits."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import calibration as reference

from rosenblatt.engine.rows import probabilities, rules

PRECISE = Context(prec=60)


def ulps(found: float, exact: Decimal) -> float:
    """By how many last bits a number differs from an exact one."""
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


@given(st.floats(5e-324, 1.7e308))
@example(1.0)
@example(math.nextafter(1.0, 0.0))
@example(math.nextafter(1.0, 2.0))
@example(0.5**0.5)
@example(5e-324)
def test_the_logarithm_is_right_to_two_last_bits(x: float) -> None:
    assert ulps(probabilities.log(x), Decimal(x).ln(PRECISE)) <= 2.0


@given(st.floats(0.5, 2.0))
def test_the_logarithm_of_numbers_near_1_is_right_to_three_last_bits(x: float) -> None:
    assert ulps(probabilities.log(x), Decimal(x).ln(PRECISE)) <= 3.0


@given(st.floats(-708.0, 708.0))
@example(0.0)
@example(-math.log(2) / 2)
def test_the_exponential_is_right_to_one_last_bit(x: float) -> None:
    assert ulps(rules.exp(x), Decimal(x).exp(PRECISE)) <= 1.0


tables = st.integers(1, 7).flatmap(
    lambda k: st.lists(
        st.lists(st.floats(-800, 800), min_size=k, max_size=k), min_size=1, max_size=5
    )
)


def exact_softmax(row: list[float]) -> list[Decimal]:
    powers = [PRECISE.exp(Decimal(value)) for value in row]
    total = sum(powers, Decimal(0))
    return [PRECISE.divide(power, total) for power in powers]


@given(tables)
def test_probabilities_and_their_logarithms_are_those_of_exact_arithmetic(rows: Any) -> None:
    z = np.array(rows)
    shares = z.copy()
    probabilities.softmax(shares)
    logarithms = z.copy()
    probabilities.log_softmax(logarithms)
    for given_row, share, logarithm in zip(rows, shares, logarithms, strict=True):
        exact = exact_softmax(given_row)
        assert share.tolist() == pytest.approx([float(p) for p in exact], rel=1e-13, abs=1e-300)
        expected = [float(p.ln(PRECISE)) for p in exact]
        assert logarithm.tolist() == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("k", [1, 2, 3, 700, 5000])
def test_a_row_has_the_same_probabilities_alone_and_among_many(k: int) -> None:
    z = np.random.default_rng(k).normal(size=(40, k)) * 3
    together = z.copy()
    probabilities.softmax(together)
    for row, expected in zip(z, together, strict=True):
        alone = row[None, :].copy()
        probabilities.softmax(alone)
        np.testing.assert_array_equal(alone[0], expected)


def test_no_rows_and_no_classes_have_no_probabilities() -> None:
    for shape in ((0, 3), (3, 0)):
        probabilities.softmax(np.empty(shape))
        probabilities.log_softmax(np.empty(shape))


# ---------------------------------------------------------------------- losses


def differences(loss: Any, at: tuple[float, ...], step: float) -> list[float]:
    """The slopes of a function by small steps to both sides, one number after the other."""
    found = []
    for place in range(len(at)):
        ahead = [x + step * (i == place) for i, x in enumerate(at)]
        behind = [x - step * (i == place) for i, x in enumerate(at)]
        found.append((loss(*ahead) - loss(*behind)) / (2 * step))
    return found


def rows_of_scores(seed: int, n: int, *more: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    scores = random.uniform(-1, 1, (n, *more))
    return scores, random.integers(0, more[0] if more else 2, n), random.uniform(0.2, 2, n)


@pytest.mark.parametrize("n", [1, 7, 2500])
@pytest.mark.parametrize("at", [(0.0, 0.0), (3.0, -1.0), (-2.0, 0.5), (600.0, 40.0)])
def test_the_loss_of_a_sigmoid_and_its_derivatives_are_those_of_the_reference(
    n: int, at: tuple[float, float]
) -> None:
    scores, labels, weights = rows_of_scores(n, n)
    targets = reference.targets(labels, 2, weights)[:, 1].copy()

    def loss(slope: float, offset: float) -> Any:
        return probabilities.sigmoid_loss(scores, targets, weights, slope, offset)

    value, gradient, (slope_slope, slope_offset, offset_offset) = loss(*at)
    assert value == pytest.approx(reference.sigmoid_loss(*at, scores, labels, weights), rel=1e-12)
    expected = differences(lambda *x: loss(*x)[0], at, 1e-5)
    assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-6 * n)
    by_slope = differences(lambda *x: loss(*x)[1][0], at, 1e-5)
    by_offset = differences(lambda *x: loss(*x)[1][1], at, 1e-5)
    assert [slope_slope, slope_offset] == pytest.approx(by_slope, rel=1e-5, abs=1e-7 * n)
    assert [slope_offset, offset_offset] == pytest.approx(by_offset, rel=1e-5, abs=1e-7 * n)


@pytest.mark.parametrize("n", [1, 7, 900])
@pytest.mark.parametrize("k", [2, 3, 40])
@pytest.mark.parametrize("slope", [0.0, 3.0, -2.0, 600.0])
def test_the_loss_of_a_softmax_and_its_derivatives_are_those_of_the_reference(
    n: int, k: int, slope: float
) -> None:
    scores, labels, weights = rows_of_scores(n + k, n, k)
    # As for several classes, for which all rows are counted together.
    rest = 1 / (weights.sum() + 2)
    targets = np.full((n, k), rest / (k - 1))
    targets[np.arange(n), labels] = 1 - rest
    wanted = (targets * scores).sum(axis=1)

    def loss(slope: float) -> Any:
        return probabilities.softmax_loss(scores, wanted, weights, slope)

    value, gradient, curvature = loss(slope)
    z = slope * scores
    largest = z.max(axis=1)
    log_sums = largest + np.log(np.exp(z - largest[:, None]).sum(axis=1))
    assert value == pytest.approx(weights @ (log_sums - slope * wanted), rel=1e-12)
    if k > 2:
        by_reference = reference.softmax_loss(slope, scores, labels, weights)
        assert value == pytest.approx(by_reference, rel=1e-12)
    [expected] = differences(lambda x: loss(x)[0], (slope,), 1e-5)
    assert gradient == pytest.approx((expected, 0.0), rel=1e-5, abs=1e-6 * n)
    [expected] = differences(lambda x: loss(x)[1][0], (slope,), 1e-5)
    assert curvature == pytest.approx((expected, 0.0, 0.0), rel=1e-5, abs=1e-7 * n)
