"""The augmented space (L1.3, L3.2, L5.1) and the unit sphere (L5.7)."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import sparse_rows

from rosenblatt import Perceptron
from rosenblatt.errors import InputError
from rosenblatt.geometry import augment, dot, fold, norm, to_unit_sphere, unfold

TYPES = [np.float64, np.float32, np.int64, np.int8, np.bool_]
LAYOUTS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array, sparse_rows]
small = st.integers(-9, 9)


@st.composite
def scored_rows(draw):
    """Rows, weights and a bias, of whole numbers so that sums are exact."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(float, (n, d), elements=small))
    return X, draw(hnp.arrays(float, d, elements=small)), float(draw(small))


@given(scored_rows())
def test_folded_weights_score_augmented_rows_as_weights_and_bias_do(problem):
    """L1.3, L3.2, L5.1"""
    X, w, b = problem
    np.testing.assert_array_equal(dot(augment(X), fold(w, b)), X @ w + b)
    np.testing.assert_array_equal(dot(augment(sp.csr_array(X)), fold(w, b)), X @ w + b)
    assert dot(augment(X[0]), fold(w, b)) == X[0] @ w + b


@given(scored_rows())
def test_unfolding_undoes_folding(problem):
    """L1.3"""
    W, w, b = problem
    back, bias = unfold(fold(w, b))
    np.testing.assert_array_equal(back, w)
    assert bias == b
    assert isinstance(bias, float)
    biases = W[:, 0] + 1
    back, bias = unfold(fold(W, biases))
    np.testing.assert_array_equal(back, W)
    np.testing.assert_array_equal(bias, biases)


@pytest.mark.parametrize("dtype", TYPES)
def test_augmenting_keeps_the_type(dtype):
    X = np.array([[0, 1], [1, 0], [0, 0]], dtype=dtype)
    got = augment(X)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.column_stack([X, np.ones(3, dtype)]))
    assert augment(X[0]).shape == (3,)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(3, 2), (4, 0), (0, 3), (1, 5)])
def test_augmenting_keeps_sparse_rows_sparse(dtype, layout, shape):
    X = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    sparse = layout(X)
    got = augment(sparse)
    assert type(got) is type(sparse)
    assert got.dtype == dtype
    assert got.shape == (shape[0], shape[1] + 1)
    np.testing.assert_array_equal(got.toarray(), augment(X))
    np.testing.assert_array_equal(sparse.toarray(), X)
    assert got.nnz == sparse.nnz + shape[0]


def test_augmented_rows_stay_in_order():
    got = augment(sp.csr_array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    assert got.has_canonical_format
    assert got.indices.tolist() == [0, 2, 3, 3]


def test_what_no_line_through_the_origin_separates_one_of_the_augmented_space_does():
    """L3.2: the points 1 and 2 of a line, with different labels"""
    X, y = np.array([[1.0], [2.0]]), np.array([-1, 1])
    assert not Perceptron(fit_intercept=False, max_iter=50).fit(X, y).converged_
    assert Perceptron(fit_intercept=False, max_iter=50).fit(augment(X), y).converged_


@given(scored_rows())
def test_training_with_a_bias_is_training_in_the_augmented_space(problem):
    """L1.3, L3.2, L5.1: to the last bit"""
    X, w, _ = problem
    y = np.where(X @ w > 0, 1, -1)
    assume(len(set(y)) == 2)
    with_bias = Perceptron(shuffle=False, max_iter=100_000).fit(X, y)
    augmented = Perceptron(shuffle=False, max_iter=100_000, fit_intercept=False).fit(augment(X), y)
    folded = fold(with_bias.coef_, with_bias.intercept_)
    np.testing.assert_array_equal(folded, augmented.coef_)
    assert with_bias.n_mistakes_ == augmented.n_mistakes_


def test_folding_loses_no_digits():
    single = np.float32([1, 2])
    assert fold(single, np.float32(3)).dtype == np.float32
    assert unfold(fold(single, 0.1))[1] == 0.1
    assert fold([1, 2], 3).dtype.kind == "i"


def test_one_bias_serves_every_class():
    np.testing.assert_array_equal(fold(np.eye(2), 5.0), [[1, 0, 5], [0, 1, 5]])


def test_unfolded_weights_share_no_memory():
    v = np.array([1.0, 2.0, 3.0])
    w, _ = unfold(v)
    w[0] = 9.0
    assert v[0] == 1.0


lengths = st.floats(-1e3, 1e3).map(lambda value: 0.0 if abs(value) < 1e-3 else value)


@given(hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=lengths))
def test_rows_on_the_unit_sphere_are_the_rows_over_the_longest(X):
    """L5.7"""
    assume(X.any())
    rows, R = to_unit_sphere(X)
    assert pytest.approx(max(norm(X))) == R
    assert max(norm(rows)) == pytest.approx(1.0)
    np.testing.assert_allclose(rows * R, X, rtol=1e-14)
    sparse, same = to_unit_sphere(sp.csc_array(X))
    assert isinstance(sparse, sp.csc_array)
    assert same == pytest.approx(R)
    np.testing.assert_allclose(sparse.toarray(), rows, rtol=1e-14)


def test_the_bound_on_mistakes_is_the_same_number_on_the_unit_sphere():
    """L5.7: (R / delta)^2 = 1 / gamma^2"""
    X, y, u = np.array([[3.0, 4.0], [-6.0, 1.0]]), np.array([1, -1]), np.array([1.0, 0.0])
    rows, R = to_unit_sphere(X)
    delta, gamma = min(y * (X @ u)), min(y * (rows @ u))
    assert (R / delta) ** 2 == pytest.approx(1 / gamma**2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_unit_sphere_keeps_the_type_of_floats(dtype):
    large = np.finfo(dtype).max / 2
    for X in (np.array([[large, large]], dtype), sp.csr_array(np.array([[large, large]], dtype))):
        rows, R = to_unit_sphere(X)
        assert rows.dtype == dtype
        assert norm(rows)[0] == pytest.approx(1.0)
        assert isinstance(R, float)
    assert to_unit_sphere(np.array([3, 4]))[0].tolist() == [0.6, 0.8]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: augment(1.0), r"X has shape \(\)"),
        (lambda: augment([["a"]]), "real numbers"),
        (lambda: fold(1.0, 1.0), r"w has shape \(\)"),
        (lambda: fold([1.0, 2.0], [1.0, 2.0]), r"b has shape \(2,\)"),
        (lambda: fold(np.eye(3), [1.0, 2.0]), r"b has shape \(2,\)"),
        (lambda: fold(sp.csr_array([[1.0]]), 1.0), "w is sparse"),
        (lambda: unfold([]), r"v has shape \(0,\)"),
        (lambda: unfold(1.0), r"v has shape \(\)"),
        (lambda: to_unit_sphere([[0.0, 0.0]]), "no row other than zero"),
        (lambda: to_unit_sphere(np.zeros((0, 3))), "no row other than zero"),
        (lambda: to_unit_sphere([[1.0], [np.nan]]), "row 1 of X"),
    ],
)
def test_what_cannot_be_augmented_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
