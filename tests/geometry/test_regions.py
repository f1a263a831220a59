"""The regions of several classes (L2.1)."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import Hyperplane, regions

BOX = (-2.0, 3.0, -1.5, 2.0)
AREA = 5.0 * 3.5

reals = st.floats(-10, 10).map(lambda value: 0.0 if abs(value) < 1e-6 else value)
whole = st.integers(-3, 3).map(float)


@st.composite
def classifiers(draw, elements):
    """Weights and biases of 2 to 8 classes, some of them at times the same."""
    k = draw(st.integers(2, 8))
    rows = draw(st.lists(st.tuples(elements, elements, elements), min_size=k, max_size=k))
    for i in draw(st.lists(st.integers(1, k - 1), max_size=2)):
        rows[i] = rows[i - 1]
    table = np.array(rows)
    return table[:, :2], table[:, 2]


either = st.one_of(classifiers(reals), classifiers(whole))


def turns(polygon):
    """The cross product of the edges at each corner: positive where the way bends to the left."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    after = np.roll(edge, -1, axis=0)
    return edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]


def contains(polygon, points):
    """Whether points lie within a convex polygon, by its edges."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    offset = points[:, None, :] - polygon
    return (edge[:, 0] * offset[..., 1] - edge[:, 1] * offset[..., 0] >= 0).all(axis=1)


@given(either)
def test_the_areas_of_all_regions_add_up_to_the_box(classifier):
    """L2.1"""
    cells = regions(*classifier, BOX)
    assert sum(map(cells.area, cells.classes)) == pytest.approx(AREA, rel=1e-12)
    assert set(cells.polygons) | set(cells.empty) == set(cells.classes)
    assert not set(cells.polygons) & set(cells.empty)


@given(either)
def test_regions_are_convex_and_counter_clockwise(classifier):
    """L2.1"""
    for polygon in regions(*classifier, BOX).polygons.values():
        assert len(polygon) >= 3
        assert (turns(polygon) >= -1e-12).all()
        assert polygon[:, 0].min() >= BOX[0]
        assert polygon[:, 0].max() <= BOX[1]
        assert polygon[:, 1].min() >= BOX[2]
        assert polygon[:, 1].max() <= BOX[3]


@given(either)
def test_at_every_corner_its_class_scores_highest(classifier):
    """L2.1"""
    W, b = classifier
    for k, polygon in regions(W, b, BOX).polygons.items():
        scores = polygon @ W.T + b
        assert (scores[:, [k]] >= scores - 1e-13 * (1 + np.abs(scores).max())).all()


@given(either, st.integers(0, 2**32 - 1))
def test_a_point_lies_in_the_region_of_the_class_predicted_there(classifier, seed):
    """L2.1: at points that are not on a boundary, and in no other region"""
    W, b = classifier
    cells = regions(W, b, BOX)
    points = np.random.default_rng(seed).uniform(BOX[::2], BOX[1::2], (60, 2))
    scores = points @ W.T + b
    best = scores.argmax(axis=1)
    for k in cells.classes:
        rivals = [i for i in cells.classes if (W[i] != W[k]).any() or b[i] != b[k]]
        steep = np.abs(W[rivals] - W[k]).max(axis=1, initial=1e-9)
        clear = (np.abs(scores[:, rivals] - scores[:, [k]]) > 1e-9 * (1 + steep)).all(axis=1)
        within = np.zeros(60, dtype=bool)
        if k in cells.polygons:
            within = contains(cells.polygons[k], points)
        np.testing.assert_array_equal(within[clear], (best == k)[clear])


@given(classifiers(whole))
def test_neighbours_share_their_corners_to_the_last_bit(classifier):
    """L2.1: every edge inside the box is an edge of exactly one other region, the other way"""
    cells = regions(*classifier, BOX)
    edges = [
        (tuple(start), tuple(end))
        for polygon in cells.polygons.values()
        for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    ]
    assert len(set(edges)) == len(edges)
    for start, end in edges:
        along_box = any(
            start[axis] == end[axis] and start[axis] in BOX[2 * axis : 2 * axis + 2]
            for axis in (0, 1)
        )
        assert along_box or (end, start) in edges


@given(either, st.integers(-400, 400))
def test_regions_do_not_depend_on_the_size_of_the_weights(classifier, exponent):
    W, b = classifier
    cells = regions(W, b, BOX)
    other = regions(np.ldexp(W, exponent), np.ldexp(b, exponent), BOX)
    assert other.empty == cells.empty
    for k, polygon in cells.polygons.items():
        np.testing.assert_array_equal(other.polygons[k], polygon)


@given(classifiers(whole))
def test_regions_do_not_depend_on_what_all_classes_have_in_common(classifier):
    """L2.1: only differences of weights count"""
    W, b = classifier
    cells, moved = regions(W, b, BOX), regions(W + np.array([5, -7]), b + 3, BOX)
    assert moved.empty == cells.empty
    for k, polygon in cells.polygons.items():
        np.testing.assert_array_equal(moved.polygons[k], polygon)


@given(st.lists(st.tuples(whole, whole), min_size=2, max_size=8, unique=True))
def test_regions_of_nearest_points_are_those_of_voronoi(sites):
    """L2.1: w = 2 s and b = -||s||^2 make the highest score that of the nearest site"""
    sites = np.array(sites)
    cells = regions(2 * sites, -(sites**2).sum(axis=1), BOX)
    for k, polygon in cells.polygons.items():
        middle = polygon.mean(axis=0)
        assert ((sites - middle) ** 2).sum(axis=1).argmin() == k


def test_two_classes_divide_the_box_along_their_boundary():
    """L2.1, L1.2: the segment of the boundary is an edge of both regions"""
    cells = regions([[0, 0], [2, 3]], [0, 6], (-4, 4, -4, 4))
    segment = cells.boundary(1, 0).segment_in_box((-4, 4, -4, 4))
    for polygon in cells.polygons.values():
        corners = polygon.tolist()
        assert all(end in corners for end in segment.tolist())
    assert cells.area(0) == pytest.approx(7 * (14 / 3) / 2)


@given(classifiers(whole))
def test_the_boundary_has_the_first_class_on_its_positive_side(classifier):
    """L2.1: (w_k - w_l).x + (b_k - b_l) = 0"""
    W, b = classifier
    cells = regions(W, b, BOX)
    for k, polygon in cells.polygons.items():
        for rival in cells.classes:
            if (W[k] != W[rival]).any():
                plane = cells.boundary(k, rival)
                assert plane == Hyperplane(W[k] - W[rival], b[k] - b[rival])
                assert (plane.signed_distance(polygon) >= -1e-14).all()


def test_of_classes_that_are_the_same_the_first_has_the_region():
    """L2.1"""
    cells = regions([[1, 0], [0, 0], [1, 0], [0, 0]], [0, 0, 0, 0], (-1, 1, -1, 1), list("abcd"))
    assert cells.empty == ("c", "d")
    assert [cells.area(label) for label in "abcd"] == [2.0, 2.0, 0.0, 0.0]


def test_equal_weights_with_another_bias_leave_the_lower_class_empty():
    cells = regions([[1, 2], [1, 2]], [0, 1], BOX)
    assert cells.empty == (0,)
    assert cells.polygons[1].tolist() == [[-2, -1.5], [3, -1.5], [3, 2], [-2, 2]]


def test_a_class_that_is_best_on_a_line_only_is_empty():
    # The middle class ties with both others where these meet, at x = -1/3, which is no float.
    cells = regions([[3, 0], [0, 0], [-3, 0]], [1, 0, -1], BOX)
    assert cells.empty == (1,)
    assert sorted(cells.polygons) == [0, 2]
    # At a point only: the corner of the box, where it ties with both others.
    cells = regions([[1, 0], [0, 1], [0, 0]], [2, 1.5, 0], BOX)
    assert cells.empty == (2,)


def test_a_region_narrower_than_floats_can_show_is_empty():
    cells = regions([[1, 0], [0, 0], [-1, 0]], [-1, 5e-324, 1], (0, 2, 0, 1))
    assert cells.empty == (1,)
    assert sum(map(cells.area, cells.classes)) == 2.0


def test_classes_far_apart_in_size_do_not_disturb_each_other():
    W = [[1e-200, 0], [-1e-200, 0], [0, 1e200], [0, -1e200]]
    cells = regions(W, [0, 0, -1e200, -1e200], (-2, 2, -2, 2))
    assert [cells.area(k) for k in range(4)] == [4.0, 4.0, 4.0, 4.0]
    largest = np.finfo(float).max
    assert regions([[largest, 0], [-largest, 0]], 0, (-1, 1, -1, 1)).area(0) == 2.0


@pytest.mark.parametrize("size", [1e-200, 1e-3, 1e150])
def test_boxes_of_any_size_are_divided(size):
    cells = regions([[1, 0], [0, 1], [-1, -1]], 0, (-size, size, -size, size))
    assert len(cells.polygons) == 3
    assert cells.area(0) == pytest.approx(1.25 * size * size)


def test_one_class_has_the_whole_box():
    assert regions([[1, 2]], [3], BOX).area(0) == AREA


@given(st.tuples(whole, whole, whole))
def test_one_row_and_two_classes_are_the_plane_of_a_binary_learner(row):
    """L1.2: the second class has the positive side"""
    u, v, c = row
    cells = regions([[u, v]], [c], BOX, np.array(["no", "yes"]))
    for label, sign in (("no", -1), ("yes", 1)):
        if label in cells.polygons:
            assert sign * (cells.polygons[label].mean(axis=0) @ [u, v] + c) >= 0
    assert cells.area("no") + cells.area("yes") == pytest.approx(AREA)


def test_labels_of_an_array_become_those_of_python():
    cells = regions(np.eye(2), [0, 0], BOX, np.array([10, 20]))
    assert [type(label) for label in cells.polygons] == [int, int]
    assert cells.area(np.int64(10)) == cells.area(10)


def test_regions_cannot_be_changed():
    W = np.eye(2)
    cells = regions(W, [0, 0], BOX)
    W[0] = 9.0
    assert cells.W.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="read-only"):
        cells.polygons[0][0] = 1.0
    with pytest.raises(TypeError):
        cells.polygons[0] = None
    with pytest.raises(FrozenInstanceError):
        cells.box = BOX


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_a_copy_has_the_same_regions(copied):
    cells = regions([[1, 2], [2, 1], [2, 1]], [1, 2, 2], BOX, "abc")
    other = copied(cells)
    assert other.empty == cells.empty == ("c",)
    for label, polygon in cells.polygons.items():
        np.testing.assert_array_equal(other.polygons[label], polygon)


def test_regions_show_what_they_hold():
    cells = regions([[1, 0], [0, 0], [1, 0]], 0, (-1, 1, -1, 1), "abc")
    assert repr(cells) == (
        "Regions({'a': 4 corners, 'b': 4 corners}, empty=('c',), box=(-1.0, 1.0, -1.0, 1.0))"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1, 2, 3]], [0], BOX), InputError, r"W has shape \(1, 3\)"),
        (([1, 2], [0], BOX), InputError, r"W has shape \(2,\)"),
        ((np.zeros((0, 2)), [], BOX), InputError, r"W has shape \(0, 2\)"),
        (([[0, 0], [1, math.nan]], [0, 0], BOX), InputError, r"W\[1\] is \[1.0, nan\]"),
        (([[0, 0], [1, 1]], [0, math.inf], BOX), InputError, r"b\[1\] is inf"),
        (([[0, 0], [1, 1]], [0, 0, 0], BOX), InputError, "b has 3 entries; W has 2 rows"),
        (([[0, 0], [1, 1]], [0, 0], (0, 0, 0, 1)), ParameterError, "xmin < xmax"),
        (([[0, 0], [1, 1]], [0, 0], BOX, "abc"), ParameterError, "classes has 3 labels"),
        (([[0, 0], [1, 1]], [0, 0], BOX, "aa"), ParameterError, "every label must be there once"),
    ],
)
def test_what_has_no_regions_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        regions(*arguments)


def test_there_is_no_boundary_between_the_same_weights_or_with_an_unknown_class():
    """L2.1"""
    cells = regions([[1, 2], [1, 2]], [0, 1], BOX, "ab")
    with pytest.raises(InputError, match="'a' and 'b' have the same weights"):
        cells.boundary("a", "b")
    with pytest.raises(ParameterError, match="'c' is not a class; the classes are"):
        cells.boundary("a", "c")
    with pytest.raises(ParameterError, match="'c' is not a class"):
        cells.area("c")
