"""Complete, quasi-complete and no separation, each with its certificate."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference.linear_program import separation as expected_kind
from strategies import sparse_rows

from rosenblatt import datasets
from rosenblatt.theory import CertificateError, argmax, separability
from rosenblatt.theory.certificates import check_conflict, check_separator

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])


def signed(X, y, fit_intercept):
    """The points ``y (x, 1)`` in fractions; of several classes one for each row and wrong class."""
    rows = [
        [Fraction(v) for v in x] + [Fraction(1)] * fit_intercept for x in np.asarray(X).tolist()
    ]
    classes = sorted(set(y))
    if len(classes) == 2:
        return [
            [v if label == classes[1] else -v for v in x] for x, label in zip(rows, y, strict=True)
        ]
    zero = [Fraction(0)] * len(rows[0])
    return [
        [v for c in classes for v in (x if c == y[i] else [-v for v in x] if c == rival else zero)]
        for i, x in enumerate(rows)
        for rival in classes
        if rival != y[i]
    ]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), start=Fraction(0))


def rank(rows):
    rows, found = [list(row) for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is not None:
            rows = [
                [a - row[column] / pivot[column] * b for a, b in zip(row, pivot, strict=True)]
                for row in rows
                if row is not pivot
            ]
            found += 1
    return found


def assert_proven(found, Z):
    """The certificates by their definition, in fractions."""
    if found.separation == "quasi-complete":
        products = [dot(z, found.direction) for z in Z]
        assert min(products) == 0 < max(products)
        assert not found
    elif found.separation == "none":
        members = [Z[row] for row in found.overlap.rows]
        assert min(found.overlap.weights) > 0
        assert sum(found.overlap.weights) == 1
        assert not any(dot(column, found.overlap.weights) for column in zip(*members, strict=True))
        assert rank(members) == rank(Z)
    else:
        assert found.separation == "complete"
        assert found.direction is found.overlap is None
        assert found


@st.composite
def tables(draw, n_classes=2):
    n, d = draw(st.integers(n_classes, 8)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    return np.array(X, float), [*range(n_classes), *y[n_classes:]]


@given(tables(), st.booleans(), st.sampled_from([np.asarray, sp.csr_array, sparse_rows]))
def test_the_kind_is_that_of_a_rational_linear_program(table, fit_intercept, kind):
    X, y = table
    Z = signed(X, y, fit_intercept)
    found = separability(kind(X), y, fit_intercept)
    assert found.separation == expected_kind(Z)
    assert_proven(found, Z)


@given(tables(n_classes=3), st.booleans())
def test_the_kind_of_several_classes_is_that_of_their_pairs(table, fit_intercept):
    X, y = table
    Z = signed(X, y, fit_intercept)
    found = separability(X, y, fit_intercept)
    assert found.separation == expected_kind(Z)
    assert_proven(found, Z)


@given(st.integers(0, 10**6), st.integers(0, 3), st.booleans())
def test_it_is_proven_for_any_floats(seed, n_twins, fit_intercept):
    """Rows of all scales, of which some lie in a hyperplane and some have both labels."""
    random = np.random.default_rng(seed)
    d = int(random.integers(2, 5))
    X = random.standard_normal((12, d)) * 10.0 ** random.integers(-8, 9, d)
    y = (X[:, 0] > 0).astype(int)
    y[:2] = 0, 1
    X[: 2 * n_twins, 0] = 0.0
    X[n_twins : 2 * n_twins] = X[:n_twins]
    y[: 2 * n_twins] = [0] * n_twins + [1] * n_twins
    Z = signed(X, y.tolist(), fit_intercept)
    found = separability(X, y, fit_intercept)
    assert found.separation == expected_kind(Z)
    assert_proven(found, Z)


def test_the_line_on_which_two_classes_touch_is_quasi_complete():
    found = separability([[0], [1], [1], [2]], list("aabb"))
    assert (found.verdict, found.separation) == ("not separable", "quasi-complete")
    assert found.direction == (1, -1)
    assert found.overlap is None
    assert separability([[0], [1], [2], [3]], list("aabb")).separation == "complete"
    crossed = separability([[0], [2], [1], [3]], list("aabb"))
    assert (crossed.separation, crossed.direction) == ("none", None)


@pytest.mark.parametrize("scale", [1e-299, 1e-150, 1e150])
def test_it_does_not_depend_on_the_scale(scale):
    assert separability(scale * XOR, [0, 1, 1, 0]).separation == "none"
    assert separability(scale * (XOR - 0.5), [0, 1, 1, 0], fit_intercept=False).separation == "none"
    assert separability(scale * XOR[:3], [0, 1, 0]).separation == "complete"


def test_exclusive_or_has_no_separation_and_all_four_rows_prove_it():
    found = separability(XOR, [0, 1, 1, 0])
    assert found.separation == "none"
    assert found.overlap.rows == (0, 1, 2, 3)


def test_equal_rows_with_both_labels_are_looked_behind():
    """The first conflict is a pair of twins; it takes a second one to rule a direction out."""
    random = np.random.default_rng(0)
    X = np.vstack([random.standard_normal((300, 5)), np.ones((2, 5))])
    y = np.append(random.integers(0, 2, 300), [0, 1])
    found = separability(X, y)
    assert len(found.conflict.rows) == 2
    assert found.separation == "none"
    check_conflict(X, np.where(y, 1.0, -1.0), True, found.overlap)
    y[:300] = X[:300] @ np.arange(5) > 10  # of the twins
    found = separability(X, y)
    assert found.separation == "quasi-complete"
    check_separator(
        X, np.where(y, 1.0, -1.0), found.direction[:-1], found.direction[-1], strict=False
    )


def test_real_data_and_what_has_no_exact_conflict():
    iris = datasets.iris()
    assert separability(iris.X, iris.y).separation == "quasi-complete"  # setosa lies apart
    assert separability(iris.X[50:], iris.y[50:]).separation == "none"
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 90))
    found = separability(X, random.integers(0, 2, 400))
    assert found.separation == "undecided"


def test_several_classes_are_looked_at_closely_up_to_a_number_of_values(monkeypatch):
    iris = datasets.iris()
    X, y = np.vstack([iris.X[::5], iris.X[-1:], iris.X[-1:]]), np.append(iris.y[::5], [1, 2])
    values = len(X) * 2 * 3 * (4 + 1)  # a point for each row and wrong class, a part for each class
    monkeypatch.setattr(argmax, "MAX_NUMBERS", values - 1)
    assert separability(X, y).separation == "undecided"
    monkeypatch.setattr(argmax, "MAX_NUMBERS", values)
    assert separability(X, y).separation == "quasi-complete"


def test_a_direction_that_proves_nothing_is_refused():
    X, signs = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([-1.0, -1, 1, 1])
    check_separator(X, signs, [1.0], -1.0, strict=False)
    with pytest.raises(CertificateError, match=r"row 1 is not on its side.*should be above 0"):
        check_separator(X, signs, [1.0], -1.0)
    with pytest.raises(CertificateError, match=r"row 2 is not on its side.*= -0.5.*be 0 or more"):
        check_separator(X, signs, [1.0], -1.5, strict=False)
    with pytest.raises(CertificateError, match="0 for every row"):
        check_separator(X, signs, [0.0], 0.0, strict=False)
