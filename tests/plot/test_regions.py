"""Class regions as exact polygons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from strategies import integers, seeds, tables

import rosenblatt
from rosenblatt import Perceptron, VotedPerceptron, geometry, plot
from rosenblatt.errors import InputError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X3, Y3 = [[0, 2], [-2, -1], [2, -1], [0, 3]], ["up", "left", "right", "up"]


def area(corners):
    x, y = np.asarray(corners).T
    return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


@given(seeds, st.integers(2, 6))
def test_regions_tile_the_box_without_gap_or_overlap(seed, n_classes):
    X, y = integers(seed, n=12, d=2, n_classes=n_classes)
    shown = plot.regions(Perceptron(max_iter=4, tol=None).fit(X, y), X, y)
    left, right, bottom, top = shown.box
    polygons = shown.regions.polygons
    whole = (right - left) * (top - bottom)
    assert sum(area(corners) for corners in polygons.values()) == pytest.approx(whole)
    # Counter-clockwise and convex, each corner with all others on its left: with areas that add
    # up to the box, an overlap would need a gap.
    places = np.random.default_rng(seed).uniform((left, bottom), (right, top), (40, 2))
    owners = np.zeros(40, int)
    for corners in polygons.values():
        edges = np.roll(corners, -1, axis=0) - corners
        offset = places[:, None, :] - corners[None, :, :]
        owners += (edges[:, 0] * offset[..., 1] - edges[:, 1] * offset[..., 0] > 0).all(axis=1)
    assert (owners <= 1).all()
    assert owners.sum() >= 39  # one may lie on an edge to rounding


@given(tables(3, max_features=2))
def test_every_row_lies_in_the_region_of_its_answer(table):
    X, y = table
    model = Perceptron(max_iter=4, tol=None).fit(X, y)
    shown = plot.regions(model, X, y)
    np.testing.assert_array_equal(shown.wrong, np.flatnonzero(model.predict(X) != y))
    W = model.coef_ if X.shape[1] == 2 else np.column_stack([model.coef_, np.zeros(3)])
    for label, corners in shown.regions.polygons.items():
        scores = corners @ W.T + model.intercept_
        assert (scores[:, label] >= scores.max(axis=1) - 1e-9 * np.abs(scores).max()).all()


def test_L2_1_the_corner_where_three_regions_meet():
    """L2.1: boundaries (w_k - w_l)·x + b_k - b_l = 0 between the classes k and l."""
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X3, Y3)
    shown = plot.regions(model, X3, Y3, box=(-4, 4, -4, 4))
    for corners in shown.regions.polygons.values():
        assert [0.0, 0.0] in corners.tolist()
    assert sum(map(area, shown.regions.polygons.values())) == pytest.approx(64)
    assert len(shown.wrong) == 0


def test_L2_1_nearest_prototypes_have_voronoi_regions():
    """L2.1: with w_k = p_k and b_k = -‖p_k‖²/2 the best class is the nearest prototype."""
    P = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [-2.0, -1.0]])
    cells = geometry.regions(P, -(P**2).sum(axis=1) / 2, (-5, 5, -4, 5), "abcd")
    shown = plot.regions(cells, P, list("abcd"))
    for place, label in enumerate("abcd"):
        for corner in shown.regions.polygons[label]:
            ways = np.linalg.norm(P - corner, axis=1)
            assert ways[place] == pytest.approx(ways.min())
    assert [1.5, 1.5] in shown.regions.polygons["a"].tolist()
    assert len(shown.wrong) == 0
    with pytest.raises(ParameterError, match="leave box out"):
        plot.regions(cells, box=(0, 1, 0, 1))


@given(seeds)
def test_letters_stand_in_their_region(seed):
    X, y = integers(seed, n=12, d=2, n_classes=4)
    shown = plot.regions(Perceptron(max_iter=4, tol=None).fit(X, y), X, y)
    for label, corners in shown.regions.polygons.items():
        edges = np.roll(corners, -1, axis=0) - corners
        offset = shown.letters[label] - corners
        assert (edges[:, 0] * offset[:, 1] - edges[:, 1] * offset[:, 0] > 0).all()


def test_a_class_without_a_region_is_named():
    cells = geometry.regions([[2, 0], [1, 0], [0, 0]], 0, (-1, 1, 0, 1), ["a", "nowhere", "c"])
    assert "Nowhere in this box the highest: nowhere." in plot.regions(cells).caption


def test_letters_and_rows_are_drawn():
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X3, Y3)
    ax = Figure().subplots()
    plot.regions(model, X3, Y3).plot(ax)
    assert [text.get_text() for text in ax.texts] == ["l", "r", "u"]
    assert len(ax.patches) == 3
    assert sum(len(points.get_offsets()) for points in ax.collections) == 4


def test_one_feature_gives_intervals():
    X, y = [[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]], [0, 0, 1, 1, 2, 2]
    model = Perceptron(max_iter=1000, tol=None).fit(X, y)
    shown = plot.regions(model, X, y)
    ends = {label: corners[:, 0] for label, corners in shown.regions.polygons.items()}
    assert ends[0].max() == ends[1].min()
    assert ends[1].max() == ends[2].min()


def test_two_classes_have_two_regions():
    X, y = [[0.0, 0.0], [1.0, 2.0]], ["a", "b"]
    shown = plot.regions(Perceptron().fit(X, y), X, y)
    assert set(shown.regions.polygons) == {"a", "b"}


def test_a_saved_model_draws_the_same_picture(tmp_path):
    X, y = integers(5, n=30, d=2, n_classes=4)
    model = Perceptron(max_iter=9, tol=None).fit(X, y)
    rosenblatt.save(model, tmp_path / "model.rbt")
    for name, one in (("live", model), ("saved", rosenblatt.load(tmp_path / "model.rbt"))):
        plot.regions(one, X, y).save(tmp_path / f"{name}.svg")
    assert (tmp_path / "live.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()


def test_what_has_no_regions_is_refused_with_a_way_out():
    X, y = integers(5, n=30, d=3, n_classes=3)
    with pytest.raises(InputError, match="3 features"):
        plot.regions(Perceptron(max_iter=2, tol=None).fit(X, y), X, y)
    X, y = X[:, :2], y
    with pytest.raises(InputError, match=r"plot\.kernel_boundary"):
        plot.regions(VotedPerceptron(max_iter=2, tol=None).fit(X, y), X, y)
    with pytest.raises(ParameterError, match="give X"):
        plot.regions(Perceptron(max_iter=2, tol=None).fit(X, y))
