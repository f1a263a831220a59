"""Linear algebra in whole numbers, with python-flint and without."""

from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.awkward_problems import extreme_problem

from rosenblatt.theory import exact, mistake_bound, separability

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
        assert "pip install 'rosenblatt[exact]'" in exact.install_hint()
    pytest.importorskip("flint")
    total = int(shares.sum()) + 1
    expected = [Fraction(int(share), total) for share in [*shares, 1]]
    assert exact.exact_weights(points) == expected
    assert exact.install_hint() == ""


def test_a_solution_that_few_bits_cannot_hold_is_computed_in_full():
    n = 10**40
    A = [[n, n + 1], [n - 1, n]]  # its determinant is 1
    assert exact.solve_approximately(A, [1, 0], 16) == exact.solve(A, [1, 0]) == [n, 1 - n]
    close = exact.solve_approximately([[3, 0], [0, 7]], [1, 2], 64)
    assert [float(value) for value in close] == [1 / 3, 2 / 7]


def test_close_solutions_need_no_extra(monkeypatch):
    monkeypatch.setattr(exact, "flint", lambda: None)
    assert exact.solve_approximately([[3, 0], [0, 7]], [1, 2], 64) == [
        Fraction(1, 3),
        Fraction(2, 7),
    ]


def test_a_solution_of_zeros_has_no_bits_to_count():
    assert exact.solve_approximately([[2, 0], [0, 3]], [0, 0], 64) == [0, 0]


whole = st.one_of(st.integers(-3, 3), st.integers(-3, 3).map(lambda v: v << 1500))
weight = st.sampled_from([0.0, 5e-324, 1e-300, 1e-17, 0.1, 0.5, 1.0])


@given(st.data(), st.integers(1, 7), st.integers(1, 3), st.booleans())
def test_inner_steps_end_at_the_nearest_point_of_some_points(data, n, d, with_flint):
    """Every round solves once and drops a point, so there are no more rounds than points."""
    row = st.lists(whole, min_size=d, max_size=d)
    points = data.draw(st.lists(row, min_size=n, max_size=n))
    weights = data.draw(st.lists(weight, min_size=n, max_size=n))
    solved = []
    solve = exact.solve_integers

    def counted(table):
        solved.append(len(table))
        return solve(table)

    with pytest.MonkeyPatch.context() as patch:
        if not with_flint:
            patch.setattr(exact, "flint", lambda: None)
        patch.setattr(exact, "solve_integers", counted)
        shares = exact.nearest_shares(points, weights)
    assert len(solved) <= 2 * n  # a dependent point may take a solution of its own
    if shares is None:
        assert not any(weights) or sum(weights) < 0.5
        return
    assert min(shares.values()) > 0
    chosen = [points[place] for place in shares]
    mean = [sum(map(mul, shares.values(), column)) for column in zip(*chosen, strict=True)]
    products = {sum(map(mul, point, mean)) for point in chosen}
    assert len(products) == 1


def test_numbers_that_are_too_long_are_not_solved_for(monkeypatch):
    monkeypatch.setattr(exact, "max_effort", lambda: 1e6)
    points = [[1 << 400, 1, 5], [1, 3, -2], [-7, 1 << 300, 1], [-1, -5, -9]]
    assert exact.nearest_shares(points, [0.25] * 4) is None
    assert exact.exact_weights(points) is None
    assert exact.solve(np.diag([1e300, 1e-300, 1.0]).tolist(), [1, 1, 1]) is None


@pytest.mark.parametrize("seed", [79, 245])
def test_where_exact_arithmetic_would_take_too_long_the_verdict_is_undecided(seed, monkeypatch):
    X, y, fit_intercept = extreme_problem(seed)
    assert separability(X, y, fit_intercept).separable is not None
    monkeypatch.setattr(exact, "MAX_EFFORT", 0.0)
    monkeypatch.setattr(exact, "MAX_EFFORT_WITH_FLINT", 0.0)
    found = separability(X, y, fit_intercept)
    assert (found.verdict, found.separation) == ("undecided", "undecided")
    assert "none was found" in found.detail
    assert mistake_bound(X, y, fit_intercept, epochs=2).theorem == "Freund and Schapire"
