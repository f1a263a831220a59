"""Hyperplanes (L1.2) and distances to them (L3.1)."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import sparse_rows

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane, are_orthogonal, dot, norm

reals = st.floats(-1e3, 1e3).map(lambda value: 0.0 if abs(value) < 1e-3 else value)
whole = st.integers(-9, 9).map(float)
BOX = (-4.0, 4.0, -3.0, 3.0)


@st.composite
def plane_and_rows(draw, elements=reals):
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    w = draw(hnp.arrays(float, d, elements=elements).filter(lambda w: w.any()))
    X = draw(hnp.arrays(float, (n, d), elements=elements))
    return Hyperplane(w, draw(elements)), X


lines = st.builds(Hyperplane, st.tuples(whole, whole).filter(any), st.integers(-60, 60).map(float))


def size(plane, X):
    """Rounding is measured against this: the lengths and distances that take part."""
    return 1e-12 * (1.0 + norm(X).max() + abs(plane.offset))


# Sides and distances


def test_the_exercise_of_the_lecture():
    """L1.2: w = (2, 3), b = 6"""
    plane = Hyperplane([2, 3], 6)
    assert plane.side([0, 0]) == 1
    assert plane.side([[-3, 0], [0, -2]]).tolist() == [0, 0]
    assert plane.side([-3, -2]) == -1
    assert plane.offset == pytest.approx(6 / math.sqrt(13))
    # w is orthogonal to the way between two points of the plane, and points into S+.
    assert are_orthogonal(plane.project([5, 5]) - plane.project([-7, 1]), plane.w)
    assert plane.side(plane.project([0, 0]) + plane.w) == 1


@given(plane_and_rows(whole))
def test_sides_are_the_signs_of_the_scores(problem):
    """L1.2"""
    plane, X = problem
    np.testing.assert_array_equal(plane.side(X), np.sign(X @ plane.w + plane.b))
    assert plane.side(X).dtype == np.int64


@given(plane_and_rows())
def test_distance_is_the_score_over_the_length_of_the_weights(problem):
    """L3.1"""
    plane, X = problem
    score = X @ plane.w + plane.b
    atol = size(plane, X)
    np.testing.assert_allclose(plane.distance(X), np.abs(score) / norm(plane.w), atol=atol)
    np.testing.assert_allclose(plane.signed_distance(X), score / norm(plane.w), atol=atol)
    np.testing.assert_array_equal(np.sign(plane.signed_distance(X)), plane.side(X))
    assert plane.offset == pytest.approx(plane.signed_distance(np.zeros_like(plane.w)))


@given(plane_and_rows())
def test_projected_rows_lie_on_the_plane_straight_below(problem):
    """L1.2, L3.1"""
    plane, X = problem
    foot = plane.project(X)
    assert (plane.distance(foot) <= size(plane, X)).all()
    np.testing.assert_allclose(norm(X - foot), plane.distance(X), atol=size(plane, X))
    np.testing.assert_allclose(plane.project(foot), foot, atol=size(plane, X))


@given(plane_and_rows())
def test_reflecting_twice_leaves_every_row_in_its_place(problem):
    """L1.2"""
    plane, X = problem
    mirrored = plane.reflect(X)
    atol = 2 * size(plane, X)
    np.testing.assert_allclose(plane.reflect(mirrored), X, atol=atol)
    np.testing.assert_allclose(
        plane.signed_distance(mirrored), -plane.signed_distance(X), atol=atol
    )
    np.testing.assert_allclose((X + mirrored) / 2, plane.project(X), atol=atol)


@given(plane_and_rows(), st.integers(-600, 600))
def test_the_length_of_the_weights_changes_nothing(problem, exponent):
    """L1.2: an equation times a positive number; with a power of two, to the last bit"""
    plane, X = problem
    other = Hyperplane(np.ldexp(plane.w, exponent), math.ldexp(plane.b, exponent))
    for name in ("side", "signed_distance", "distance", "project", "reflect"):
        np.testing.assert_array_equal(getattr(other, name)(X), getattr(plane, name)(X))
    assert other.offset == plane.offset
    assert other.unit() == plane.unit()


@given(plane_and_rows())
def test_the_unit_plane_is_the_same_plane(problem):
    plane, X = problem
    unit = plane.unit()
    assert norm(unit.w) == pytest.approx(1.0, rel=1e-15)
    np.testing.assert_allclose(
        unit.signed_distance(X), plane.signed_distance(X), atol=size(plane, X)
    )
    np.testing.assert_allclose(X @ unit.w + unit.b, plane.signed_distance(X), atol=size(plane, X))


@pytest.mark.parametrize("length", [2.0**-1074, 2.0**-1000, 2.0**-600, 2.0**600, 2.0**1020])
def test_very_long_and_very_short_weights_are_measured_well(length):
    """L3.1"""
    plane = Hyperplane([3 * length, 4 * length], 10 * length)
    assert plane.offset == pytest.approx(2.0, rel=1e-15)
    assert plane.distance([3.0, 4.0]) == pytest.approx(7.0, rel=1e-15)
    assert plane.side([-2.0, -1.0]) == 0
    np.testing.assert_allclose(plane.project([3.0, 4.0]), [-1.2, -1.6], rtol=1e-14)
    assert norm(plane.unit().w) == pytest.approx(1.0)


@given(plane_and_rows())
def test_one_row_is_answered_as_the_first_of_many(problem):
    plane, X = problem
    for name in ("side", "signed_distance", "distance", "project", "reflect"):
        one, many = getattr(plane, name)(X[0]), getattr(plane, name)(X)
        np.testing.assert_allclose(one, many[0], atol=size(plane, X))
        assert np.ndim(one) == np.ndim(many) - 1


@pytest.mark.parametrize(
    "layout", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix, sparse_rows]
)
@given(problem=plane_and_rows(whole))
def test_sparse_rows_are_answered_as_dense_ones(layout, problem):
    """L3.1"""
    plane, X = problem
    for name in ("side", "signed_distance", "distance", "project", "reflect"):
        got = getattr(plane, name)(layout(X))
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, getattr(plane, name)(X))


# Lines in a box


def inside(box, points, slack=0.0):
    xmin, xmax, ymin, ymax = box
    x, y = np.asarray(points).T
    return (xmin - slack <= x) & (x <= xmax + slack) & (ymin - slack <= y) & (y <= ymax + slack)


def meets_by_corners(plane, box):
    """Whether a line meets a box, in exact arithmetic: its corners are not all on one side."""
    u, v, c = (Fraction(number) for number in (*plane.w.tolist(), plane.b))
    heights = [u * Fraction(x) + v * Fraction(y) + c for x in box[:2] for y in box[2:]]
    return min(heights) <= 0 <= max(heights)


@given(lines)
def test_a_segment_ends_on_the_line_and_on_the_edge_of_the_box(plane):
    """L1.2"""
    segment = plane.segment_in_box(BOX)
    assert (segment is not None) == meets_by_corners(plane, BOX)
    if segment is not None:
        assert segment.shape == (2, 2)
        assert inside(BOX, segment).all()
        assert (plane.distance(segment) < 1e-14).all()
        on_edge = np.isin(segment[:, 0], BOX[:2]) | np.isin(segment[:, 1], BOX[2:])
        assert on_edge.all()


@given(lines)
def test_a_segment_is_all_of_the_line_that_the_box_shows(plane):
    """L1.2: against a walk along the line in small steps"""
    along = np.array([plane.w[1], -plane.w[0]]) / norm(plane.w)
    steps = np.linspace(-20, 20, 4001)
    seen = plane.project([0.0, 0.0]) + np.outer(steps, along)
    seen = seen[inside(BOX, seen, slack=-1e-9)]
    segment = plane.segment_in_box(BOX)
    if segment is None:
        assert len(seen) == 0
        return
    if not inside(BOX, segment.mean(axis=0), slack=-1e-9):
        assert len(seen) <= 1  # along an edge or through a corner, with nothing of it inside
        return
    start, end = dot(segment, along)
    assert start <= end
    assert (dot(seen, along) >= start - 1e-9).all()
    assert (dot(seen, along) <= end + 1e-9).all()
    assert len(seen) == pytest.approx((end - start) / 0.01, abs=2.1)


@given(lines)
def test_the_positive_side_lies_to_the_left_of_a_segment(plane):
    segment = plane.segment_in_box(BOX)
    assume(segment is not None)
    (x, y), (to_x, to_y) = segment
    middle, left = segment.mean(axis=0), np.array([y - to_y, to_x - x])
    if left.any():
        assert plane.side(middle + left) == 1
        assert plane.side(middle - left) == -1


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("w", "b", "ends"),
    [
        ((0, 1), -3, {(-4, 3), (4, 3)}),  # along the top
        ((0, 1), 3, {(-4, -3), (4, -3)}),  # along the bottom
        ((1, 0), 4, {(-4, -3), (-4, 3)}),  # along the left
        ((1, 0), -4, {(4, -3), (4, 3)}),  # along the right
        ((3, -4), 0, {(-4, -3), (4, 3)}),  # a diagonal
        ((3, 4), 0, {(-4, 3), (4, -3)}),  # the other one
        ((1, 1), -7, {(4, 3)}),  # a corner, no more
        ((1, -1), 7, {(-4, 3)}),
        ((1, 1), -1, {(-2, 3), (4, -3)}),  # from a corner to an edge
        ((0, 2), 1, {(-4, -0.5), (4, -0.5)}),
    ],
)
def test_lines_along_edges_and_through_corners(w, b, ends, sign):
    """L1.2"""
    plane = Hyperplane(np.multiply(sign, w), sign * b)
    assert {tuple(end) for end in plane.segment_in_box(BOX).tolist()} == ends


def test_a_line_that_misses_the_box_by_a_hair_misses_it():
    assert Hyperplane([1, 1], -7).segment_in_box(BOX) is not None
    assert Hyperplane([1, 1], -math.nextafter(7, 8)).segment_in_box(BOX) is None
    # Three times the float 0.1 lies between the float 0.3 and the next one.
    assert Hyperplane([0.1, -1], 0).segment_in_box((3, 4, 0, 0.3)) is None
    assert Hyperplane([-0.1, 1], 0).segment_in_box((3, 4, 0, math.nextafter(0.3, 1))) is not None


@pytest.mark.parametrize("length", [1e-320, 1e-200, 1e200, 1e307])
def test_segments_do_not_depend_on_the_length_of_the_weights(length):
    segment = Hyperplane([length, length], length).segment_in_box((-4, 4, -4, 4))
    np.testing.assert_array_equal(segment, [[-4, 3], [3, -4]])


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ((0, 1, 0), "four numbers"),
        (None, "four numbers"),
        ((1, 0, 0, 1), "xmin < xmax"),
        ((0, 1, 1, 1), "ymin < ymax"),
        ((0, math.inf, 0, 1), "must lie in"),
        ((0, 1e200, 0, 1), "must lie in"),
        ((0, math.nan, 0, 1), "must lie in"),
    ],
)
def test_what_is_no_box_is_refused(box, message):
    with pytest.raises(ParameterError, match=message):
        Hyperplane([1, 1]).segment_in_box(box)


# The object itself


def test_a_hyperplane_cannot_be_changed():
    given_weights = np.array([1.0, 2.0])
    plane = Hyperplane(given_weights, 3)
    given_weights[0] = 9.0
    assert plane.w.tolist() == [1.0, 2.0]
    assert plane.w.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 9.0
    with pytest.raises(FrozenInstanceError):
        plane.b = 9.0


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_a_copy_is_equal_and_cannot_be_changed_either(copied):
    plane = Hyperplane([1, 2], 3)
    other = copied(plane)
    assert other == plane
    assert not other.w.flags.writeable


def test_equal_hyperplanes_have_equal_equations():
    plane = Hyperplane([1, 0], 0)
    assert plane == Hyperplane([1.0, -0.0], -0.0)
    assert hash(plane) == hash(Hyperplane([1.0, -0.0], -0.0))
    assert plane != Hyperplane([2, 0], 0)
    assert plane.unit() == Hyperplane([2, 0], 0).unit()
    assert plane != Hyperplane([1, 0], 1)
    assert plane != Hyperplane([1, 0, 0], 0)
    assert plane != "plane"
    assert len({plane, Hyperplane([1, 0]), Hyperplane([-1, 0])}) == 2


def test_a_hyperplane_shows_its_equation():
    plane = Hyperplane([2, -3.5], 6)
    assert repr(plane) == "Hyperplane(w=[2.0, -3.5], b=6.0)"
    assert eval(repr(plane)) == plane
    assert (
        repr(Hyperplane(np.arange(100)))
        == "Hyperplane(w=[0.0, 1.0, 2.0, ... 96 more ..., 99.0], b=0.0)"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hyperplane([0.0, -0.0], 1.0), "w is the zero vector"),
        (lambda: Hyperplane([], 1.0), "w is the zero vector"),
        (lambda: Hyperplane([[1.0, 2.0]], 1.0), r"w has shape \(1, 2\)"),
        (lambda: Hyperplane([1.0, math.nan]), r"w\[1\] is nan"),
        (lambda: Hyperplane([1.0], math.inf), "b is inf; it must be a finite number"),
        (lambda: Hyperplane([1.0], np.array([1.0])), r"b has shape \(1,\); it must be one number"),
        (lambda: Hyperplane([1e-200], 1e200), "farther from the origin"),
        (lambda: Hyperplane([1, 2]).side([1, 2, 3]), "X has 3 columns"),
        (lambda: Hyperplane([1, 2]).project([[[1, 2]]]), r"X has shape \(1, 1, 2\)"),
        (lambda: Hyperplane([1, 0]).side([[0, 1], [0, math.nan]]), "row 1 of X"),
        (lambda: Hyperplane([1, 1]).distance([1.7e308, 1.7e308]), "largest float"),
        (lambda: Hyperplane([1, 2, 3]).segment_in_box(BOX), "w has 3 entries"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
