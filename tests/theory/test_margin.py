"""Margins (L4.4, L4.7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from rosenblatt import Perceptron, datasets
from rosenblatt.errors import InputError
from rosenblatt.theory import (
    exact,
    margin,
    margin_interval,
    max_margin,
    mistake_bound,
    separability,
)
from rosenblatt.theory.nearest import Nearest, is_closed, nearest_point
from rosenblatt.theory.points import PointHull, Points

seeds = st.integers(0, 10**6)


def with_known_margin(seed, *, d=None, gamma=None, b=None):
    """Rows at least gamma from a known plane, with one on either side that is exactly so far."""
    random = np.random.default_rng(seed)
    d = d or int(random.integers(2, 7))
    gamma = gamma or float(random.uniform(0.05, 1.0))
    u = random.standard_normal(d)
    u /= np.linalg.norm(u)
    b = float(random.standard_normal()) if b is None else b
    X = random.standard_normal((60, d)) * 3
    y = np.where(X @ u + b > 0, 1, -1)
    X += (y * (gamma + random.exponential(1.0, 60)) - (X @ u + b))[:, None] * u
    # Two rows face to face hold the plane in its place.
    foot = random.standard_normal(d)
    foot -= (foot @ u + b) * u
    X = np.vstack([X, foot + gamma * u, foot - gamma * u])
    return X, np.append(y, [1, -1]), u, b, gamma


@given(seeds)
def test_the_interval_holds_the_known_margin(seed):
    X, y, u, b, gamma = with_known_margin(seed)
    found = max_margin(X, y)
    assert found.lower <= gamma * (1 + 1e-9)
    assert found.upper >= gamma * (1 - 1e-9)
    assert found.gap <= 1e-6
    np.testing.assert_allclose(found.hyperplane.w, u, atol=1e-4)
    assert found.hyperplane.b == pytest.approx(b, abs=1e-3)
    assert margin(X, y, found.hyperplane.w, found.hyperplane.b) == pytest.approx(gamma, rel=1e-6)
    sparse = max_margin(sp.csr_array(X), y)
    assert sparse.lower == pytest.approx(found.lower, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_it_agrees_with_a_hard_margin_support_vector_machine(seed):
    X, y, *_ = with_known_margin(seed)
    machine = SVC(kernel="linear", C=1e10).fit(X, y)
    assert max_margin(X, y).margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-4)


def test_through_the_origin_the_margin_is_that_of_the_rows_and_their_mirror_images():
    X, y, *_ = with_known_margin(3, b=0.0)
    free = max_margin(np.vstack([X, -X]), np.append(y, -y))
    assert max_margin(X, y, fit_intercept=False).margin == pytest.approx(free.margin, rel=1e-6)


def test_it_agrees_where_more_than_a_hundred_rows_hold_the_plane():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(150, 200)), random.integers(0, 2, 150)
    machine = SVC(kernel="linear", C=1e10, tol=1e-8).fit(X, y)
    assert len(machine.support_) > 100
    assert max_margin(X, y).margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-6)


@pytest.mark.parametrize("scaled", [True, False])
def test_thirty_measurements_of_tumours_also_where_their_sizes_differ_a_millionfold(scaled):
    table = datasets.breast_cancer()
    X = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0) if scaled else table.X
    found = max_margin(X, table.y)
    assert 0 < found.lower <= found.upper
    assert found.gap <= 1e-6


def test_a_margin_that_is_not_there_is_minus_infinity():
    """L4.4"""
    assert margin([[1.0], [-1.0]], [1, -1], [1.0]) == 1.0
    assert margin([[1.0], [-1.0]], [1, -1], [-1.0]) == -np.inf
    assert margin([[1.0], [3.0]], [-1, 1], [1.0], b=-2.0) == 1.0
    with pytest.raises(InputError, match="cannot be separated"):
        max_margin([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    for function in (max_margin, mistake_bound):
        with pytest.raises(InputError, match="only one class"):
            function([[0.0], [1.0]], [1, 1])
    with pytest.raises(InputError, match="3 classes"):
        max_margin([[0.0], [1], [2]], [0, 1, 2])
    with pytest.raises(InputError, match="2 weights"):
        margin([[1.0], [-1.0]], [1, -1], [1.0, 2.0])


def test_the_perceptron_converges_but_not_to_the_largest_margin():
    """L4.7"""
    X, y, *_, gamma = with_known_margin(5, gamma=0.5)
    p = Perceptron().fit(X, y)
    length = np.linalg.norm(p.coef_)
    found = margin(X, y, p.coef_ / length, float(p.intercept_[0]) / length)
    assert 0 < found < 0.99 * gamma


# ---------------------------------------------------------------------- between two bounds


def test_columns_of_very_different_size_have_their_largest_margin():
    """The second column is 10⁸ times the first, and holds none of the margin."""
    X = [[3e-5, 0.0], [-2e-5, 0.0], [-1e-5, -2000.0]]
    found = max_margin(X, ["p", "q", "p"])
    assert found.closed
    assert found.lower <= found.upper == pytest.approx(2.5e-5)
    assert margin(X, ["p", "q", "p"], found.hyperplane.w, found.hyperplane.b) == pytest.approx(
        found.lower
    )


@pytest.mark.parametrize("seed", range(40))
def test_no_factor_between_columns_keeps_the_bounds_apart(seed):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(4, 40)), int(random.integers(2, 7))
    X = random.standard_normal((n, d))
    y = X @ random.standard_normal(d) > 0
    y[:2] = X[:2, 0] > X[:2, 0].mean()
    if len(set(y.tolist())) < 2 or not separability(X, y):
        return
    scaled = X * 10.0 ** random.uniform(-8, 8, d)
    found = max_margin(scaled, y)
    assert found.closed
    # Scaling all columns by a power of two changes no digit of it.
    assert max_margin(scaled * 2.0**40, y).lower == found.lower * 2.0**40


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_without_a_margin_are_refused_with_the_rows_in_conflict(fit_intercept):
    X = [[0.0, 5.0], [0.0, 1.0], [3.0, 3.0], [0.0, -5.0], [0.0, -1.0], [0.0, 5.0]]
    with pytest.raises(InputError, match=r"cannot be separated.*rows 0, 5 are in conflict"):
        max_margin(X, [0, 0, 1, 1, 1, 1], fit_intercept)


def test_a_search_that_ends_early_leaves_an_interval_that_is_not_closed(monkeypatch):
    monkeypatch.setattr(margin_interval, "max_effort", lambda: 0.0)
    X = np.array([[3e-9, 0.0], [-2e-9, 0.0], [-1e-9, -2e9], [5e-9, 3e9]])
    found = max_margin(X, [1, 0, 1, 1])
    assert 0 <= found.lower <= found.upper
    bound = mistake_bound(X, [1, 0, 1, 1], fit_intercept=False, epochs=4)
    assert bound.margin <= bound.margin_upper or bound.theorem == "Freund and Schapire"


@pytest.mark.parametrize("known", [True, False])
def test_with_and_without_python_flint_it_is_the_same_interval(known, monkeypatch):
    X, y, *_ = with_known_margin(4)
    X = X * 10.0 ** np.arange(-6, X.shape[1] - 6)
    expected = max_margin(X, y)
    if not known:
        monkeypatch.setattr(exact, "flint", lambda: None)
    found = max_margin(X, y)
    assert (found.lower, found.upper) == (expected.lower, expected.upper)


def test_the_margin_of_weights_is_exact_where_a_sum_of_floats_is_not():
    # In floats 1e16 + 1 - 1e16 is 0.
    X, y = [[1e16, 1.0, -1e16], [-1.0, 0.0, 0.0]], [1, 0]
    assert margin(X, y, [1.0, 1.0, 1.0]) == 1.0
    assert margin(X, y, [1.0, -1.0, 1.0]) == -np.inf
    with pytest.raises(InputError, match="finite"):
        margin(X, y, [np.inf, 0.0, 0.0])


@pytest.mark.parametrize("in_two_places", [False, True])
def test_the_longest_of_many_rows_is_told_from_above_and_closely(in_two_places, monkeypatch):
    points = Points(np.random.default_rng(0).standard_normal((50, 7)), np.ones(50), True)
    closest = margin_interval.longest(points, in_two_places=in_two_places)
    monkeypatch.setattr(margin_interval, "MAX_EXACT_PRODUCTS", 0)
    quick = margin_interval.longest(points, in_two_places=in_two_places)
    assert closest <= quick <= closest * (1 + 1e-13)


def test_the_search_for_the_nearest_point_tells_both_bounds_in_every_round():
    X, y, *_ = with_known_margin(0)
    bounds = []

    def enough(now):
        bounds.append((now.lower, now.upper))
        return False

    found = nearest_point(PointHull(Points(X, y.astype(float), True)), 0, enough)
    assert len(bounds) > 3
    assert all(-np.inf < lower <= found.upper * (1 + 1e-9) for lower, _ in bounds)
    assert all(upper >= found.upper * (1 - 1e-9) for _, upper in bounds)


def test_bounds_that_meet_up_to_a_gap_end_the_search_for_the_largest_margin():
    near = Nearest(np.array([2.0]), [0], np.ones(1), lowest=4.0)
    assert is_closed(1.0)(near)
    assert not is_closed(1.0)(replace(near, lowest=4.0 - 1e-6))
    assert is_closed(1e13)(replace(near, lowest=-np.inf))
