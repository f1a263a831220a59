"""The fewest possible errors: equal to brute force, counted, and honest when it gives up."""

import dataclasses
import sys
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from reference.fewest_errors import fewest_errors as brute_force
from reference.linear_program import separation
from strategies import seeds

from rosenblatt import Perceptron, datasets
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.theory import CertificateError, fewest_errors, separability
from theory.test_separation import signed

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array(["no", "yes", "yes", "no"])


def small_set(seed):
    """A few rows, most of them on a grid: many are equal, in a line, or of both classes."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 13)), int(random.integers(1, 4))
    X = random.standard_normal((n, d))
    if random.random() < 0.7:
        X = random.integers(-2, 3, (n, d)).astype(float)
    y = random.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y, bool(random.integers(2))


def assert_equal_to_brute_force(seed):
    X, y, fit_intercept = small_set(seed)
    found = fewest_errors(X, y, fit_intercept=fit_intercept)
    assert found.lower == found.upper == brute_force(signed(X, y, fit_intercept))
    assert found.closed
    assert found.detail == ""
    assert found.verify()
    scores = np.where(y, 1, -1) * (X @ found.coef[0] + found.intercept[0])
    assert (scores[[*found.errors]] <= 1e-9).all()
    assert (np.delete(scores, found.errors) > 0).all()


@given(seeds)
def test_it_is_that_of_brute_force(seed):
    assert_equal_to_brute_force(seed)


@pytest.mark.slow
def test_it_is_that_of_brute_force_on_five_hundred_sets():
    for seed in range(500):
        assert_equal_to_brute_force(seed)


@settings(max_examples=20)
@given(seeds)
def test_of_several_classes_it_is_the_smallest_set_without_which_the_rest_is_separable(seed):
    random = np.random.default_rng(seed)
    X, y = random.integers(-1, 2, (6, 1)).astype(float), np.arange(6) % 3
    found = fewest_errors(X, y)
    assert found.verify()
    scores = X @ found.coef.T + found.intercept
    right = np.delete(np.arange(6), found.errors)
    assert (scores.argmax(axis=1) == y)[right].all()
    Z = np.array(signed(X, y.tolist(), True), object).reshape(6, 2, -1)

    def separable_without(removed):
        rest = np.delete(Z, removed, axis=0)
        return not len(rest) or separation(rest.reshape(2 * len(rest), -1).tolist()) == "complete"

    subsets = (list(rows) for k in range(7) for rows in combinations(range(6), k))
    assert found.lower == found.upper == len(next(filter(separable_without, subsets)))


def test_exclusive_or_and_after_its_map():
    """L3.9"""
    found = fewest_errors(*XOR)
    assert found.upper == 1
    right = found.hyperplane.side(XOR[0]) == np.where(np.asarray(XOR[1]) == max(XOR[1]), 1, -1)
    assert tuple(np.flatnonzero(~right)) == found.errors
    mapped = fewest_errors(*XOR, feature_map=lambda X: np.column_stack([X, X.prod(axis=1)]))
    assert (mapped.lower, mapped.upper, mapped.errors) == (0, 0, ())
    assert fewest_errors(sp.csr_array(XOR[0]), XOR[1]).conflicts == ((0, 1, 2, 3),)


def test_a_score_of_0_is_an_error_so_that_a_row_of_zeros_needs_a_bias():
    X, y = [[0.0], [1.0], [-1.0]], [1, 1, 0]
    assert fewest_errors(X, y, fit_intercept=False).errors == (0,)
    assert fewest_errors(X, y).upper == 0
    nothing = fewest_errors(np.zeros((3, 2)), [0, 1, 1], fit_intercept=False)
    assert nothing.upper == nothing.lower == 3


def test_equal_rows_count_as_often_as_they_are_there():
    X = np.tile(XOR[0], (100, 1))
    found = fewest_errors(X, np.tile(XOR[1], 100))
    assert found.lower == found.upper == len(found.errors) == 100
    both = fewest_errors(np.ones((7, 2)), [0, 0, 0, 1, 1, 1, 1])
    assert (both.upper, both.errors) == (3, (0, 1, 2))


def test_the_first_row_is_counted_as_an_error_like_any_other():
    X = np.array([[-1.0], [0], [-2], [-1], [-2], [2], [1]])
    found = fewest_errors(X, [0, 1, 0, 1, 0, 0, 1])
    assert (found.lower, found.upper) == (2, 2)  # one of the twins at -1, and the row at 2


def test_irises_that_overlap():
    iris = datasets.iris()
    found = fewest_errors(iris.X[50:], iris.y[50:])
    assert (found.lower, found.upper) == (1, 1)
    assert fewest_errors(iris.X[50:, 2:], iris.y[50:]).upper == 3
    assert fewest_errors(iris.X, iris.y).upper == 1


def test_it_says_when_it_gives_up_and_what_it_knows():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2))
    y = (X[:, 0] + random.standard_normal(60) > 0).astype(int)
    found = fewest_errors(X, y, max_nodes=1000)
    assert found.detail == (
        f"gave up after max_nodes=1,000 nodes; the fewest errors are between {found.lower} and "
        f"{found.upper}."
    )
    assert not found.closed
    assert found.verify()
    assert len(found.errors) == found.upper
    closed = fewest_errors(X, y, max_nodes=10**6)
    assert closed.closed
    assert 0 < found.lower <= closed.lower <= found.upper
    pocket = Perceptron(max_iter=50, tol=None)
    with pytest.warns(UserWarning, match="max_iter"):
        pocket.fit(X, y)
    assert (pocket.predict(X) != y).sum() >= closed.lower


def test_it_gives_up_where_the_search_would_go_too_deep(monkeypatch):
    monkeypatch.setitem(sys.modules["rosenblatt.theory.fewest_errors"].__dict__, "MAX_COVER", 2)
    X = np.repeat([[0.0, 0], [1, 0], [0, 1]], 2, axis=0)  # each row once in both classes
    found = fewest_errors(X, [0, 1] * 3)
    assert found.detail.startswith("gave up at more than 2 errors;")
    assert found.lower <= 3 <= found.upper
    closed = fewest_errors(X[:4], [0, 1] * 2)
    assert closed.lower == closed.upper == 2


def test_none_of_the_errors_of_one_that_gave_up_could_be_avoided_without_another():
    random = np.random.default_rng(3)
    X = random.standard_normal((60, 2))
    y = (X[:, 0] + random.standard_normal(60) > 0).astype(int)
    found = fewest_errors(X, y, max_nodes=3000)
    assert not found.closed
    for row in found.errors:
        right = np.setdiff1d(np.arange(60), [other for other in found.errors if other != row])
        assert separability(X[right], y[right]).verdict == "not separable"


def test_rows_in_a_line_but_for_rounding_leave_an_interval():
    iris = datasets.iris()
    found = fewest_errors(iris.X[50:, :2], iris.y[50:], max_nodes=10_000)
    assert found.lower < 25 <= found.upper
    assert found.verify()


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_it_does_not_depend_on_the_scale(scale):
    assert fewest_errors(scale * XOR[0], XOR[1]).upper == 1
    assert fewest_errors(scale * (XOR[0] - 0.5), XOR[1], fit_intercept=False).upper == 2


def test_a_false_count_is_found_out():
    found = fewest_errors(*XOR)
    with pytest.raises(CertificateError, match="1 rows are misclassified, not 0"):
        dataclasses.replace(found, upper=0, errors=()).verify()


def test_what_has_no_errors_to_count_is_refused():
    with pytest.raises(InputError, match="only one class"):
        fewest_errors([[0.0], [1.0]], [1, 1])
    with pytest.raises(ParameterError, match="max_nodes=0"):
        fewest_errors(*XOR, max_nodes=0)
