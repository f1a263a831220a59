"""Is there a hyperplane between the classes? (L3.12, L4.5, L3.9)"""

from __future__ import annotations

import csv
import dataclasses
import gzip
import os
import re
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import largest_margin
from scipy.optimize import linprog
from strategies import sparse_rows

from rosenblatt import datasets
from rosenblatt.errors import InputError
from rosenblatt.theory import CertificateError, Conflict, separability
from rosenblatt.theory.certificates import check_best_score, check_conflict, check_separator
from rosenblatt.theory.exact import flint

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no folder with larger data")
small = st.integers(-3, 3)


def separable_by_linear_programming(X, signs, fit_intercept):
    """An oracle of another kind: z·v >= 1 for all points, or no such v."""
    Z = signs[:, None] * (np.column_stack([X, np.ones(len(X))]) if fit_intercept else X)
    found = linprog(
        np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None), method="highs"
    )
    assert found.status in (0, 2)
    return found.status == 0


@st.composite
def tables(draw):
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = -1, 1
    return X.astype(float), y


@given(tables(), st.booleans(), st.sampled_from([np.asarray, sp.csr_array, sparse_rows]))
def test_the_verdict_is_right_and_its_certificate_exact(table, fit_intercept, kind):
    X, y = table
    found = separability(kind(X), y, fit_intercept)
    assert found.separable == separable_by_linear_programming(X, y.astype(float), fit_intercept)
    assert found.verify()
    if found.conflict is not None:
        assert len(found.conflict.rows) <= X.shape[1] + 1 + fit_intercept
        assert sum(found.conflict.weights) == 1


@given(st.integers(0, 10**6), st.integers(2, 8), st.floats(0.0, 1.0))
def test_random_rows_get_a_verdict_that_holds(seed, d, noise):
    random = np.random.default_rng(seed)
    X = random.standard_normal((60, d)) * 10.0 ** random.integers(-4, 5, d)
    y = X @ (random.standard_normal(d) / np.abs(X).max(axis=0)) + noise * random.standard_normal(60)
    if len(set(y > 0)) < 2:
        return
    found = separability(X, y > 0)
    assert found.separable is not None
    assert found.verify()
    assert found.separable == separable_by_linear_programming(
        X / np.abs(X).max(axis=0), np.where(y > 0, 1.0, -1.0), True
    )


def test_whole_numbers_that_floats_take_for_inseparable_are_separated():
    size, d = 3e9, 100
    P = np.vstack([np.eye(d), -np.ones((1, d))])
    Z = np.hstack([size * P + 1, 1 + 2 * size * P[:, :1]])
    signs = np.where(np.arange(d + 1) % 2, 1.0, -1.0)
    found = separability(signs[:, None] * Z, signs, fit_intercept=False)
    assert found.separable is (True if flint() else None)  # w = (2, 0, ..., 0, -1) has margin 1
    assert found.separable is None or found.verify()


def test_rows_that_no_floats_were_found_for_are_separated_by_whole_numbers():
    X = [[0.0, 3, -3, 0], [0, -1, -4, 4], [5e-324, -1, -4, 4]]
    X += [[5e-324, 0.7405908403544261, -3.564852289911394, 2.259409159645574]]
    found = separability(X, [1, 0, 1, 1])
    assert (found.verdict, found.hyperplane, found.separation) == ("separable", None, "complete")
    assert "no floats" in found.detail
    assert found.verify()
    for x, sign in zip(X, (1, -1, 1, 1), strict=True):
        terms = zip([*x, 1.0], found.direction, strict=True)
        assert sign * sum(Fraction(value) * weight for value, weight in terms) > 0


@pytest.mark.parametrize("scale", [1e-299, 1e-170, 1e140])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_verdict_is_had_at_both_ends_of_the_range_of_floats(scale, fit_intercept):
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, (30, 3)) + 0.0
    X[:, 0] += X[:, 0] >= 0  # no zeros
    for y in (X[:, 0] > 0, random.integers(0, 2, 30)):
        expected = separability(X, y, fit_intercept).separable
        found = separability(scale * X, y, fit_intercept)
        assert found.separable is expected
        assert found.verify()


@given(st.integers(0, 10**6), st.booleans())
def test_several_classes_have_exact_verdicts_too(seed, fit_intercept):
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (9, 2)) * 10.0 ** random.integers(-12, 13, 2)
    y = np.append([0, 1, 2], random.integers(0, 3, 6))
    found = separability(X, y, fit_intercept)
    assert found.separable is largest_margin.separable(
        largest_margin.points(X.tolist(), y.tolist(), fit_intercept)
    )
    assert found.verify()
    assert found.conflict is None or sum(found.conflict.weights) == 1


def test_without_the_extra_a_large_conflict_is_undecided_and_says_what_to_install(monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((400, 90)), random.integers(0, 2, 400)
    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.theory.exact.flint", lambda: None)
        found = separability(X, y)
    assert (found.verdict, found.conflict) == ("undecided", None)
    assert re.fullmatch(
        r"no separator has a margin above \d.*e-\d+, and none was found; "
        r"pip install 'rosenblatt\[exact\]' solves for up to 1,000 rows",
        found.detail,
    )
    pytest.importorskip("flint")
    found = separability(X, y)
    assert len(found.conflict.rows) == 92
    assert found.verify()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sparse_rows])
def test_rows_that_are_fewer_than_dimensions_are_separated_by_solving_equations(kind, monkeypatch):
    """A walk to the nearest point takes a round for each row or so, each a look at all rows."""
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 400)) * 10.0 ** random.integers(-5, 6, 400)
    y = random.integers(0, 2, 200)

    def refused(*_):
        raise AssertionError("no walk is needed")

    monkeypatch.setattr(import_module("rosenblatt.theory.separability"), "nearest_point", refused)
    for fit_intercept in (True, False):
        found = separability(kind(X), y, fit_intercept)
        assert found.verdict == "separable"
        assert found.verify()


def test_exclusive_or_before_and_after_its_map():
    """L3.9"""
    xor, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), ["no", "yes", "yes", "no"]
    before = separability(xor, y)
    assert not before
    assert before.conflict.weights == (Fraction(1, 4),) * 4
    after = separability(np.column_stack([xor, xor[:, 0] * xor[:, 1]]), y)
    assert after
    assert after.verify()


def test_rows_that_are_the_same_but_for_the_label_are_found_first():
    X = np.vstack([np.random.default_rng(0).standard_normal((500, 3)), [[1.0, 2, 3]] * 2])
    y = np.array([0, 1] * 250 + [0, 1])
    found = separability(X, y)
    assert found.conflict.rows == (500, 501)
    assert found.conflict.weights == (Fraction(1, 2), Fraction(1, 2))
    assert found.verify()


def test_of_many_rows_two_that_cancel_each_other_are_a_conflict():
    random = np.random.default_rng(0)
    X = np.vstack([[[10.0, 0.0], [-10.0, 0.0]], random.standard_normal((3000, 2))])
    found = separability(X, np.append([1, 1], random.integers(0, 2, 3000)), fit_intercept=False)
    assert found.conflict.rows == (0, 1)
    assert found.verify()


def test_one_point_is_separable():
    assert separability([[-3.0, 1.0]], [1]).verify()
    assert separability([[-3.0, 1.0]], [1], fit_intercept=False).verify()


def test_a_row_of_zeros_cannot_be_separated_without_a_bias():
    found = separability([[0.0, 0.0], [1.0, 0.0]], [0, 1], fit_intercept=False)
    assert found.verdict == "not separable"
    assert found.verify()
    assert separability([[0.0, 0.0], [1.0, 0.0]], [0, 1])


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-12, 1e-15])
def test_a_thin_margin_is_never_called_none(scale, gap):
    found = separability(scale * np.array([[1.0], [1.0 + gap]]), [0, 1])
    assert found.verdict in ("separable", "undecided")
    if gap >= 1e-12:
        assert found.separable
        assert found.verify()


@pytest.mark.parametrize(
    ("name", "positive", "verdict"),
    [("iris", 0, True), ("breast_cancer", 1, True), ("digits", 8, False), ("digits", 3, True)],
)
def test_bundled_data(name, positive, verdict):
    table = getattr(datasets, name)()
    found = separability(table.X, table.y == positive)
    assert found.separable is verdict
    assert found.verify()


def test_every_pair_of_digits_is_separable_and_all_ten_are_at_once():
    digits = datasets.digits()
    found = separability(digits.X, digits.y)
    assert found
    assert found.verify()
    assert len(found.pairs) == 45
    for a, b in combinations(range(10), 2):
        assert found.pairs[a, b].separable
        assert found.pairs[a, b].verify()
    scores = digits.X @ found.coef.T + found.intercept
    np.testing.assert_array_equal(scores.argmax(axis=1), digits.y)


def test_several_classes_that_no_scores_are_right_for():
    iris = datasets.iris()
    found = separability(iris.X, iris.y)
    assert not found
    assert sum(found.conflict.weights) == 1
    assert found.verify()
    assert [pair.separable for pair in found.pairs.values()] == [True, True, False]


def test_a_row_of_zeros_without_a_bias_is_in_conflict_with_a_class_that_is_not_its_own():
    found = separability([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], list("abc"), fit_intercept=False)
    assert not found
    assert (found.conflict.rows, found.conflict.wrong) == ((0,), ("b",))
    assert found.verify()
    assert repr(found.conflict) == "<RivalConflict of 1 row>"


def test_the_right_score_must_be_highest_in_exact_arithmetic():
    X, labels, nothing = np.array([[1.0, 1.0]]), np.array([1]), np.zeros(2)
    check_best_score(X, labels, np.array([[1.0, 0.0], [1.0, 1e-20]]), nothing)  # floats see a tie
    with pytest.raises(CertificateError, match=r"row 0 does not score highest .*: 0 ahead of "):
        check_best_score(X, labels, np.array([[1.0, 0.0], [0.0, 1.0]]), nothing)


def test_biases_count_in_scores_and_in_their_exact_check():
    X, labels, coef = np.array([[1.0]]), np.array([0]), np.array([[1.0], [1.0]])
    check_best_score(X, labels, coef, np.array([0.5, -0.5]))
    check_best_score(X, labels, coef, np.array([0.5, 0.5 - 1e-16]))  # floats see a tie
    for biases in [-0.5, 0.5], [0.5, 0.5]:
        with pytest.raises(CertificateError, match="row 0 does not score highest"):
            check_best_score(X, labels, coef, np.array(biases))
    found = separability([[0.0], [1.0], [3.0]], ["a", "b", "c"])
    assert found.verify()
    with pytest.raises(CertificateError, match="does not score highest"):
        dataclasses.replace(found, coef=-found.coef).verify()


def test_tampered_certificates_are_caught():
    iris = datasets.iris()
    good = separability(iris.X, iris.y == 0)
    plane = good.hyperplane
    with pytest.raises(CertificateError, match="row 0 is not on its side"):
        check_separator(iris.X, np.where(iris.y == 0, 1.0, -1.0), -plane.w, -plane.b)
    rows = iris.y > 0
    bad = separability(iris.X[rows], iris.y[rows])
    signs = np.where(iris.y[rows] == 2, 1.0, -1.0)
    first, *others = bad.conflict.weights
    tampered = dataclasses.replace(bad.conflict, weights=(first + Fraction(1, 1000), *others))
    with pytest.raises(CertificateError, match="do not add up"):
        check_conflict(iris.X[rows], signs, True, tampered)
    with pytest.raises(CertificateError, match="must be above 0"):
        check_conflict(iris.X[rows], signs, True, Conflict((0,), (Fraction(-1),)))
    uneven = Conflict((0, 1), (Fraction(1, 3), Fraction(2, 3)))
    with pytest.raises(CertificateError, match=r"-0\.333333 is left in the bias$"):
        check_conflict(np.array([[2.0], [1.0]]), np.array([1.0, -1.0]), True, uneven)


def test_an_undecided_verdict_is_neither_true_nor_false():
    undecided = dataclasses.replace(
        separability([[0.0], [1.0]], [0, 1]), verdict="undecided", hyperplane=None
    )
    with pytest.raises(InputError, match="undecided"):
        bool(undecided)
    with pytest.raises(CertificateError, match="nothing to check"):
        undecided.verify()


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[1.0], [2.0]], [1, 1], "only one class"),
        ([[1.0], [np.nan]], [0, 1], "NaN at row 1, column 0"),
        (np.zeros((0, 2)), [], "no rows"),
        ([[1.0], [2.0]], [0], "one label for each"),
        ([1.0, 2.0], [0, 1], "a table of rows has 2"),
        ([["a"], ["b"]], [0, 1], "table of numbers"),
    ],
)
def test_what_has_no_verdict_is_refused(X, y, said):
    with pytest.raises(InputError, match=said):
        separability(X, y)


def svmlight(name, d):
    with gzip.open(DATA / name, "rt") as file:
        lines = [line.split() for line in file]
    pairs = [[pair.split(":") for pair in line[1:]] for line in lines]
    starts = np.cumsum([0, *map(len, pairs)])
    columns = [int(column) - 1 for row in pairs for column, _ in row]
    values = [float(value) for row in pairs for _, value in row]
    X = sp.csr_array((values, columns, starts), shape=(len(lines), d))
    return X, np.array([int(line[0]) > 0 for line in lines])


@needs_data
@pytest.mark.parametrize(
    ("name", "d", "verdict"),
    [("mushrooms/agaricus.txt.train.gz", 126, True), ("a9a/a9a.gz", 123, False)],
)
def test_sparse_real_data(name, d, verdict):
    X, y = svmlight(name, d)
    found = separability(X, y)
    assert found.separable is verdict
    assert found.verify()


@needs_data
@pytest.mark.parametrize(
    "name", ["banknote/banknote_authentication.csv.gz", "ionosphere/ionosphere.csv.gz"]
)
def test_dense_real_data(name):
    with gzip.open(DATA / name, "rt") as file:
        rows = [row for row in csv.reader(file) if row]
    found = separability(
        np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows])
    )
    assert found.verdict == "not separable"
    assert found.verify()


@cache
def mnist():
    def read(name, offset):
        return np.frombuffer(gzip.open(DATA / "mnist" / name).read(), np.uint8, offset=offset)

    y = read("train-labels-idx1-ubyte.gz", 8)
    return read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784), y


@needs_data
def test_noughts_and_ones_of_mnist_are_separable():
    X, y = mnist()
    found = separability(X[y < 2].astype(float), y[y < 2])
    assert found
    assert found.verify()


@needs_data
@pytest.mark.long
@pytest.mark.parametrize("digit", range(10))
def test_no_digit_of_mnist_is_separable_from_the_rest_and_the_conflict_is_exact(digit):
    pytest.importorskip("flint")
    X, y = mnist()
    found = separability(X, y == digit)
    assert found.verdict == "not separable"
    assert 400 < len(found.conflict.rows) <= 786
    assert found.verify()
