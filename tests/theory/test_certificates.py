"""A certificate holds if and only if exact arithmetic, done the plain way, says so."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.arrays import SparseRows
from rosenblatt.theory import CertificateError, Conflict, separability
from rosenblatt.theory import certificates as certificates_module
from rosenblatt.theory.argmax import RivalConflict
from rosenblatt.theory.certificates import (
    check_best_score,
    check_conflict,
    check_rivals,
    check_separator,
    sides,
)

# Values of a table: few of them, so that sums cancel, and of every size that floats have.
values = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 3.0, 0.1, -0.1, 5e-324, -5e-324, 1e-300, 1e150, -1e150]),
    st.builds(
        lambda mantissa, power: mantissa * 2.0**power,
        st.integers(-7, 7),
        st.sampled_from([-1060, -1000, -500, -60, 0, 60, 490]),
    ),
    st.floats(-1e150, 1e150),
)
# Weights of a certificate: rational, far beyond what floats can hold.
rationals = st.one_of(
    st.fractions(-5, 5, max_denominator=9),
    values.map(Fraction),
    st.builds(
        lambda share, power: share * Fraction(10) ** power,
        st.fractions(-5, 5, max_denominator=9),
        st.sampled_from([-700, -400, -320, -160, 160, 400]),
    ),
)
kinds = st.sampled_from([np.asarray, lambda X: SparseRows.of(sp.csr_array(X))])


def score(x, w, b):
    """``w·x + b`` in fractions."""
    terms = zip(x, w, strict=True)
    return sum((Fraction(weight) * Fraction(value) for value, weight in terms), Fraction(b))


def passes(check, *arguments, **options):
    """Whether a check raises nothing."""
    try:
        check(*arguments, **options)
    except CertificateError:
        return False
    return True


@st.composite
def tables(draw):
    """A table, and as many numbers as make a weight vector and a bias for it."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    X = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    vector = draw(st.lists(rationals, min_size=d + 1, max_size=d + 1))
    if draw(st.booleans()) and X[-1][0]:
        # The last row lies on the plane, but for the last part of a number: floats see no side.
        others = score(X[-1][1:], vector[1:-1], vector[-1])
        vector[0] = -others / Fraction(X[-1][0])
        nudge = draw(st.sampled_from([0, 1, -1])) * Fraction(1, 10 ** draw(st.integers(0, 500)))
        vector[0] += nudge * max(abs(vector[0]), 1)
    return X, vector


@given(tables(), st.data(), kinds)
@example(([[1e-260, 1e150]], [Fraction(1), -Fraction(1, 10**400), Fraction(0)]), None, np.asarray)
def test_a_separator_of_fractions_is_judged_as_fractions_judge_it(table, data, kind):
    X, vector = table
    w, b = vector[:-1], vector[-1]
    signs = [1.0] * len(X)
    if data is not None:
        signs = data.draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=len(X), max_size=len(X)))
    rows, sides_of_rows = kind(np.array(X)), np.array(signs)
    products = [int(sign) * score(x, w, b) for x, sign in zip(X, signs, strict=True)]

    above, on = sides(rows, sides_of_rows, w, b)
    assert above.tolist() == [product > 0 for product in products]
    assert on.tolist() == [product == 0 for product in products]

    assert passes(check_separator, rows, sides_of_rows, w, b) == all(p > 0 for p in products)
    somewhere = any(p > 0 for p in products) and all(p >= 0 for p in products)
    assert passes(check_separator, rows, sides_of_rows, w, b, strict=False) == somewhere


@given(tables(), kinds)
def test_a_separator_of_floats_is_judged_as_fractions_judge_it(table, kind):
    X, vector = table
    w = np.array([float(max(min(value, Fraction(1e308)), Fraction(-1e308))) for value in vector])
    above, on = sides(kind(np.array(X)), np.ones(len(X)), w[:-1], w[-1])
    products = [score(x, w[:-1], w[-1]) for x in X]
    assert above.tolist() == [product > 0 for product in products]
    assert on.tolist() == [product == 0 for product in products]


@given(tables(), st.data(), kinds)
def test_best_scores_of_fractions_are_judged_as_fractions_judge_them(table, data, kind):
    X, first = table
    length = len(first)
    others = data.draw(st.lists(st.lists(rationals, min_size=length, max_size=length), min_size=1))
    # A rival that differs from another in the last part of a number only, or not at all.
    nudge = data.draw(st.sampled_from([0, 1, -1])) * Fraction(1, 10**330)
    close = [value + nudge for value in first]
    vectors = [first, *others, close]
    labels = data.draw(st.lists(st.integers(0, len(vectors) - 1), min_size=len(X), max_size=len(X)))
    right = True
    for x, label in zip(X, labels, strict=True):
        scores = [score(x, vector[:-1], vector[-1]) for vector in vectors]
        rivals = [value for number, value in enumerate(scores) if number != label]
        right = right and scores[label] > max(rivals)
    table = np.array(vectors)
    arguments = kind(np.array(X)), np.array(labels), table[:, :-1], table[:, -1]
    assert passes(check_best_score, *arguments) == right


def test_a_block_of_scores_names_the_row_of_the_table(monkeypatch):
    monkeypatch.setattr(certificates_module, "SCORES_PER_BLOCK", 4)
    X = np.array([[1.0], [2.0], [3.0], [-1.0], [4.0]])
    coef, intercept, labels = np.array([[-1.0], [1.0]]), np.zeros(2), np.array([1, 1, 1, 0, 1])
    check_best_score(X, labels, coef, intercept)
    labels[3] = 1
    with pytest.raises(CertificateError, match=r"row 3 does not score highest .*: -2 ahead of"):
        check_best_score(X, labels, coef, intercept)


@given(tables(), st.data(), st.booleans(), kinds)
def test_a_conflict_holds_if_its_rows_add_up_to_nothing(table, data, fit_intercept, kind):
    X, _ = table
    weights = data.draw(
        st.lists(st.sampled_from([-1, 0, 1, 2]).map(Fraction), min_size=len(X), max_size=len(X))
    )
    if data.draw(st.booleans()):  # a twin of the other class for every row
        X, weights = X + X, weights + weights
    signs = [1.0] * (len(X) // 2) + [-1.0] * (len(X) - len(X) // 2)
    n_rows = data.draw(st.integers(0, len(X)))
    conflict = Conflict(tuple(range(n_rows)), tuple(weights[:n_rows]))
    left = [Fraction(0)] * (len(X[0]) + 1)
    for row, weight in zip(conflict.rows, conflict.weights, strict=True):
        for column, value in enumerate([*X[row], float(fit_intercept)]):
            left[column] += int(signs[row]) * weight * Fraction(value)
    holds = bool(n_rows) and all(w > 0 for w in conflict.weights) and not any(left)
    assert passes(check_conflict, kind(np.array(X)), np.array(signs), fit_intercept, conflict) == (
        holds
    )


@pytest.mark.parametrize("weight", [Fraction(0), 0.0, Fraction(-1, 3), -1e-300])
def test_a_row_of_weight_0_or_less_proves_nothing(weight):
    X, signs = np.array([[1.0], [1.0], [5.0]]), np.array([1.0, -1.0, 1.0])
    half = Fraction(1, 2)
    check_conflict(X, signs, True, Conflict((0, 1), (half, half)))
    with pytest.raises(CertificateError, match=r"row 2 has the weight .*; it must be above 0"):
        check_conflict(X, signs, True, Conflict((0, 1, 2), (half, half, weight)))
    rivals = RivalConflict((0, 1, 2), (half, half, weight), (1, 0, 1))
    with pytest.raises(CertificateError, match=r"row 2 has the weight .*; it must be above 0"):
        check_rivals(X, np.array([0, 1, 0]), True, (1, 0, 1), rivals)


def test_nothing_is_proven_by_no_rows():
    X, signs = np.array([[1.0], [2.0]]), np.array([1.0, -1.0])
    for fit_intercept in (True, False):
        with pytest.raises(CertificateError, match="names no rows"):
            check_conflict(X, signs, fit_intercept, Conflict((), ()))
        with pytest.raises(CertificateError, match="names no rows"):
            check_rivals(X, np.array([0, 1]), fit_intercept, (), RivalConflict((), (), ()))
    with pytest.raises(CertificateError, match="no rows"):
        check_separator(X[:0], signs[:0], [1.0], 0.0)
    with pytest.raises(CertificateError, match="no rows"):
        check_best_score(X[:0], np.zeros(0, int), np.ones((2, 1)), np.zeros(2))
    xor = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(CertificateError, match="names no rows"):
        dataclasses.replace(xor, conflict=Conflict((), ())).verify()


@pytest.mark.parametrize("kind", [np.asarray, lambda X: SparseRows.of(sp.csr_array(X))])
@pytest.mark.parametrize("row", [-1, -3, 3])
def test_a_row_that_the_table_does_not_have_proves_nothing(kind, row):
    X, signs = kind(np.array([[1.0], [2.0], [3.0]])), np.array([1.0, -1.0, 1.0])
    with pytest.raises(CertificateError, match=f"there is no row {row}: the table has 3"):
        check_conflict(X, signs, False, Conflict((row,), (Fraction(1),)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": (Fraction(1),)}, "4 rows but 1 weight"),
        ({"weights": (float("nan"),) * 4}, "nan is not a finite number"),
        ({"weights": (float("inf"),) * 4}, "inf is not a finite number"),
    ],
)
def test_what_is_no_conflict_is_refused_in_a_sentence(change, said):
    xor = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(CertificateError, match=said):
        dataclasses.replace(xor, conflict=dataclasses.replace(xor.conflict, **change)).verify()


def test_weights_of_another_shape_or_that_are_no_numbers_are_refused_in_a_sentence():
    X, signs, labels = np.eye(2), np.array([1.0, -1.0]), np.array([0, 1])
    with pytest.raises(CertificateError, match="3 weights, but rows of 2 numbers"):
        check_separator(X, signs, [1.0, -1.0, 0.0], 0.0)
    with pytest.raises(CertificateError, match="3 weights for a class, but rows of 2 numbers"):
        check_best_score(X, labels, np.ones((2, 3)), np.zeros(2))
    with pytest.raises(CertificateError, match="1 weight vectors and 1 biases for 2 classes"):
        check_best_score(X, labels, np.ones((1, 2)), np.zeros(1))
    for weight in (np.nan, np.inf):
        with pytest.raises(CertificateError, match="finite"):
            check_separator(X, signs, [weight, 0.0], 0.0)
        with pytest.raises(CertificateError, match="finite"):
            check_best_score(X, labels, np.array([[weight, 0.0], [0.0, 0.0]]), np.zeros(2))
    three = separability(np.eye(2)[[0, 0, 1]], [0, 1, 2])
    conflict = dataclasses.replace(three.conflict, wrong=("red",) * len(three.conflict.rows))
    with pytest.raises(CertificateError, match="'red', which is no class"):
        dataclasses.replace(three, conflict=conflict).verify()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_proof_of_the_opposite_does_not_verify_a_verdict(classes):
    separable = separability(np.eye(3)[:classes], range(classes))
    twins = separability(np.eye(3)[[0, 0, 1]], [0, 1, classes - 1])
    assert separable.verify()
    assert twins.verify()
    with pytest.raises(CertificateError, match="nothing to check"):
        dataclasses.replace(separable, verdict="not separable").verify()
    with pytest.raises(CertificateError, match="nothing to check"):
        dataclasses.replace(twins, verdict="separable").verify()


def test_a_score_beyond_floats_is_named_in_the_error():
    X, signs = np.array([[1e150]]), np.array([-1.0])
    with pytest.raises(CertificateError, match=r"= -1\.0+e\+550, which should be above 0"):
        check_separator(X, signs, [Fraction(10) ** 400], 0)
    with pytest.raises(CertificateError, match=r"= -1\.0+e-400, which should be above 0"):
        check_separator(np.array([[1.0]]), signs, [Fraction(1, 10**400)], 0)


def test_most_rows_of_a_large_table_are_settled_by_floats(monkeypatch):
    """The exact check is some thousand times slower a row; w as fractions changes nothing."""
    asked = []
    exact = certificates_module._integer_score
    monkeypatch.setattr(
        certificates_module, "_integer_score", lambda *given: asked.append(1) or exact(*given)
    )
    random = np.random.default_rng(0)
    X, w = random.standard_normal((20_000, 20)), random.standard_normal(20)
    X[:3] = 0.0
    signs = np.where(X @ w > 0, 1.0, -1.0)
    for weights in (w, [Fraction(weight) for weight in w]):
        above, on = sides(X, signs, weights, 0)
        assert above.sum() == 20_000 - 3
        assert np.flatnonzero(on).tolist() == [0, 1, 2]
    assert len(asked) == 6
