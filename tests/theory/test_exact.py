"""Linear algebra in whole numbers, with python-flint and without."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.theory import exact

entry = st.one_of(st.integers(-3, 3), st.sampled_from([1e-12, -0.1, 2.0**70, 5e-324, 1e300]))


def both_ways(compute):
    """What is computed with python-flint, which without it must be equal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "flint", lambda: None)
        without = compute()
    if exact.flint():
        assert compute() == without
    return without


@given(st.data(), st.integers(1, 6))
def test_a_solution_satisfies_every_equation_and_is_the_only_one(data, n):
    row = st.lists(entry, min_size=n, max_size=n)
    A = data.draw(st.lists(row, min_size=n, max_size=n))
    b = data.draw(row)
    found = both_ways(lambda: exact.solve(A, b))
    assert (found is None) == bool(exact.null_space(A, n))
    if found is not None:
        assert [exact.inner(row, found) for row in A] == b


@given(st.data(), st.integers(1, 7), st.integers(1, 6), st.booleans())
def test_weights_are_those_of_points_that_depend_in_one_way(data, n, d, dependent):
    row = st.lists(entry, min_size=d, max_size=d)
    points = data.draw(st.lists(row, min_size=n, max_size=n))
    if dependent:
        shares = data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
        points.append([-exact.inner(column, shares) for column in zip(*points, strict=True)])
    found = both_ways(lambda: exact.exact_weights(points))
    ways = exact.null_space(zip(*points, strict=True), len(points))
    if found is None:
        assert len(ways) != 1 or min(ways[0]) <= 0 <= max(ways[0])
    else:
        assert min(found) > 0
        assert sum(found) == 1
        assert not any(exact.inner(column, found) for column in zip(*points, strict=True))


def test_a_rank_that_is_smaller_modulo_the_prime_misleads_nobody():
    pytest.importorskip("flint")
    assert exact.exact_weights([[1, 0], [-1, exact.PRIME]]) is None


def test_hundreds_of_points_are_solved_for_with_the_extra_alone():
    random = np.random.default_rng(0)
    points = random.integers(-9, 10, (150, 150))
    shares = random.integers(1, 9, 150)
    points = np.vstack([points, -shares @ points]).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "flint", lambda: None)
        assert exact.exact_weights(points) is None
        assert exact.solve(np.eye(81).tolist(), [1] * 81) is None
        assert "pip install 'rosenblatt[exact]'" in exact.how_to_get_more()
    pytest.importorskip("flint")
    total = int(shares.sum()) + 1
    expected = [Fraction(int(share), total) for share in [*shares, 1]]
    assert exact.exact_weights(points) == expected
    assert exact.how_to_get_more() == ""


def test_a_solution_that_few_bits_cannot_hold_is_computed_in_full():
    n = 10**40
    A = [[n, n + 1], [n - 1, n]]  # its determinant is 1
    assert exact.solve_closely(A, [1, 0], 16) == exact.solve(A, [1, 0]) == [n, 1 - n]
    close = exact.solve_closely([[3, 0], [0, 7]], [1, 2], 64)
    assert [float(value) for value in close] == [1 / 3, 2 / 7]


def test_close_solutions_need_no_extra(monkeypatch):
    monkeypatch.setattr(exact, "flint", lambda: None)
    assert exact.solve_closely([[3, 0], [0, 7]], [1, 2], 64) == [Fraction(1, 3), Fraction(2, 7)]
