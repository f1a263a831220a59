"""Vectors (L1.1): dot product, length, right angles, projection."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import sparse_rows

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import are_orthogonal, dot, norm, projection

reals = st.floats(-1e3, 1e3).map(lambda value: 0.0 if abs(value) < 1e-3 else value)
whole = st.integers(-9, 9)
FORMATS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix, sparse_rows]


@st.composite
def rows_and_vector(draw, elements=reals, dtype=float):
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rows = draw(hnp.arrays(dtype, (n, d), elements=elements))
    return rows, draw(hnp.arrays(dtype, d, elements=elements))


@given(rows_and_vector())
def test_dot_adds_up_products(problem):
    """L1.1"""
    a, b = problem
    expected = [math.fsum(x * y for x, y in zip(row, b, strict=True)) for row in a]
    np.testing.assert_allclose(dot(a, b), expected, rtol=0, atol=1e-8)
    assert dot(a[0], b) == pytest.approx(expected[0], abs=1e-8)


@given(rows_and_vector())
def test_norm_is_the_root_of_the_dot_product_with_itself(problem):
    """L1.1"""
    a, _ = problem
    np.testing.assert_allclose(norm(a), [math.hypot(*row) for row in a], rtol=1e-14)
    assert norm(a[0]) == pytest.approx(math.sqrt(dot(a[0], a[0])))


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e307])
@pytest.mark.parametrize("layout", [np.array, sp.csr_array])
def test_norm_neither_overflows_nor_vanishes(size, layout):
    got = norm(layout([[3 * size, 0.0, 4 * size], [0.0, 0.0, 0.0], [1.0, 2.0, 2.0]]))
    np.testing.assert_allclose(got, [5 * size, 0.0, 3.0], rtol=1e-15)


def test_one_vector_gives_one_number():
    for result in (dot([1, 2], [3, 4]), norm([3, 4]), are_orthogonal([1, 0], [0, 1])):
        assert np.ndim(result) == 0
        assert not isinstance(result, np.ndarray)


@given(rows_and_vector(), reals)
def test_projecting_twice_is_projecting_once(problem, scale):
    """L1.1"""
    a, b = problem
    assume(b.any())
    once = projection(a, b)
    np.testing.assert_allclose(projection(once, b), once, rtol=1e-12, atol=1e-9)
    if scale:
        np.testing.assert_allclose(projection(a, scale * b), once, rtol=1e-12, atol=1e-9)


@given(rows_and_vector())
def test_what_projection_leaves_is_orthogonal(problem):
    """L1.1"""
    a, b = problem
    assume(b.any())
    residual = a - projection(a, b)
    assert (np.abs(dot(residual, b)) <= 1e-12 * norm(a) * norm(b)).all()


@given(rows_and_vector(elements=whole, dtype=np.int64))
def test_projection_follows_the_formula(problem):
    """L1.1: (a.b / ||b||^2) b"""
    a, b = problem
    assume(b.any())
    expected = np.array([(row @ b) / (b @ b) * b for row in a])
    np.testing.assert_allclose(projection(a, b), expected, rtol=1e-14)
    np.testing.assert_allclose(projection(a[0], b), expected[0], rtol=1e-14)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e308])
def test_projection_does_not_depend_on_the_length_of_its_target(size):
    np.testing.assert_allclose(projection([2.0, 4.0], [size, size]), [3.0, 3.0], rtol=1e-3)


def test_projection_onto_zero_is_refused():
    """L1.1"""
    with pytest.raises(InputError, match="onto is the zero vector"):
        projection([1.0, 2.0], [0.0, -0.0])


@given(rows_and_vector(elements=whole, dtype=np.int64))
def test_integers_are_orthogonal_exactly_when_the_dot_product_is_zero(problem):
    """L1.1"""
    a, b = problem
    np.testing.assert_array_equal(are_orthogonal(a, b), a @ b == 0)
    np.testing.assert_array_equal(are_orthogonal(sp.csr_array(a), b), a @ b == 0)


@pytest.mark.parametrize("layout", [np.array, sp.csr_array])
def test_large_integers_are_orthogonal_without_rounding(layout):
    big = 2**62
    a = layout([[big + 1, big], [big, big]])
    assert are_orthogonal(a, [big, -big - 1]).tolist() == [True, False]
    assert are_orthogonal(a, [big, -big]).tolist() == [False, True]


def test_small_integer_types_do_not_overflow():
    a = np.array([100, 100], dtype=np.int8)
    assert dot(a, a) == 20000
    # 16 * 16 is 0 in eight bits.
    assert not are_orthogonal(np.array([16], dtype=np.int8), np.array([16], dtype=np.int8))


@given(rows_and_vector(), st.floats(1e-100, 1e100))
def test_right_angles_of_floats_do_not_depend_on_length(problem, scale):
    a, b = problem
    assume(b.any())
    residual = a - projection(a, b)
    long_enough = norm(residual) > 1e-6 * norm(a)
    assert are_orthogonal(residual * scale, b)[long_enough].all()
    assert are_orthogonal(residual, b * scale)[long_enough].all()
    assert not are_orthogonal(scale * b, b)


def test_tolerance_is_the_largest_cosine_that_counts_as_zero():
    slanted = [1.0, 0.01]
    assert not are_orthogonal(slanted, [0.0, 7.0])
    assert are_orthogonal(slanted, [0.0, 7.0], tolerance=0.01)
    assert not are_orthogonal(slanted, [0.0, 7.0], tolerance=0.0099)
    assert are_orthogonal([0.0, 0.0], [0.0, 7.0], tolerance=0.0)
    with pytest.raises(ParameterError, match="tolerance is -1"):
        are_orthogonal(slanted, [0.0, 7.0], tolerance=-1)


@pytest.mark.parametrize("layout", FORMATS)
@given(problem=rows_and_vector())
def test_sparse_rows_give_what_dense_rows_give(layout, problem):
    a, b = problem
    sparse = layout(a)
    np.testing.assert_allclose(dot(sparse, b), dot(a, b), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(norm(sparse), norm(a), rtol=1e-14)
    np.testing.assert_array_equal(are_orthogonal(sparse, b), are_orthogonal(a, b))
    if b.any():
        np.testing.assert_allclose(projection(sparse, b), projection(a, b), rtol=1e-12, atol=1e-9)


def test_entries_stored_twice_are_added_up():
    twice = sp.csr_array(([3, 1, 4], [0, 0, 1], [0, 3]), shape=(1, 2))
    assert norm(twice).tolist() == [math.hypot(4, 4)]
    assert are_orthogonal(twice, [1, -1]).tolist() == [True]
    assert not twice.has_canonical_format


def test_a_sparse_vector_of_one_dimension_is_one_row():
    assert norm(sp.coo_array(np.array([0.0, 3.0, 4.0]))) == 5.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dot([1.0, 2.0, 3.0], [1.0, 2.0]), "a has 3 columns.* has 2 entries"),
        (lambda: dot([1.0], [[1.0]]), r"b has shape \(1, 1\); it must be one vector"),
        (lambda: dot(1.0, [1.0]), r"a has shape \(\); it must be one row"),
        (lambda: dot([1.0], [math.inf]), r"b\[0\] is inf"),
        (lambda: dot([[1.0], [math.nan]], [1.0]), "row 1 of a holds NaN"),
        (lambda: dot([1e200], [1e200]), "beyond the largest float"),
        (lambda: norm([[1.0], [-math.inf]]), "row 1 of a"),
        (lambda: norm(sp.csr_array([[1.0], [math.nan]])), "row 1 of a"),
        (lambda: norm([1.7e308, 1.7e308]), "a holds NaN, an infinity, or numbers so large"),
        (lambda: dot(["one"], [1.0]), "a holds <U3; it must hold real numbers"),
        (lambda: dot([1j], [1.0]), "a holds complex128"),
        (lambda: dot([[1], [1, 2]], [1.0]), "a must be an array of numbers"),
        (lambda: dot(sp.csr_array([[1j]]), [1.0]), "a holds complex128"),
        (lambda: dot([1.0], sp.csr_array([[1.0]])), "b is sparse"),
        (lambda: norm([10**400]), "a must be an array of numbers"),
        (lambda: norm([object()]), "a must be an array of numbers"),
    ],
)
def test_what_is_no_vector_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
