"""Exclusive or, lifted to three dimensions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import rosenblatt
from rosenblatt import Hyperplane, Perceptron, plot, theory
from rosenblatt.errors import InputError, ParameterError

X = [[0, 0], [0, 1], [1, 0], [1, 1]]
Y = ["no", "yes", "yes", "no"]
LIFTED = [[a, b, a * b] for a, b in X]
number = st.integers(-9, 9)


def test_L3_9_a_plane_divides_what_no_line_does():
    """L3.9: XOR is not separable; with the extra feature x₁x₂ it is."""
    assert not theory.separability(X, Y)
    shown = plot.lift(Perceptron().fit(LIFTED, Y), X, Y)
    np.testing.assert_array_equal(shown.points, LIFTED)
    assert len(shown.wrong) == 0
    sides = shown.plane.side(shown.points)
    np.testing.assert_array_equal(sides, [-1, 1, 1, -1])
    above = shown.points[:, 2] > shown.heights
    np.testing.assert_array_equal(above, sides * np.sign(shown.plane.w[2]) > 0)


@given(number, number, number, number)
def test_plane_and_curve_are_where_the_score_is_zero(w1, w2, w3, b):
    if not (w1 or w2 or w3):
        return
    shown = plot.lift(Hyperplane([w1, w2, w3], b), X, [-1, 1, 1, -1])
    size = abs(w1) + abs(w2) + abs(w3) + abs(b)
    np.testing.assert_allclose(shown.corners @ [w1, w2, w3] + b, 0, atol=1e-9 * size)
    low, high = shown.box.T
    assert ((shown.corners >= low - 1e-9) & (shown.corners <= high + 1e-9)).all()
    for curve in shown.curves:
        x, up = curve.T
        np.testing.assert_allclose(w1 * x + w2 * up + w3 * x * up + b, 0, atol=1e-9 * size)
        assert ((curve >= low[:2] - 1e-9) & (curve <= high[:2] + 1e-9)).all()
    # Where the score changes its sign along the rim of the floor, a curve ends there.
    rim = np.linspace(low[0], high[0], 400)
    score = w1 * rim + w2 * low[1] + w3 * rim * low[1] + b
    for place in np.flatnonzero(np.sign(score[:-1]) * np.sign(score[1:]) < 0):
        ends = np.array([end for curve in shown.curves for end in (curve[0], curve[-1])])
        near = np.abs(ends - [rim[place], low[1]]).max(axis=1).min()
        assert near <= (high[0] - low[0]) / 300


@given(number, number, number)
def test_L3_2_by_a_constant_the_plane_goes_through_the_origin_and_cuts_height_1_there(a, b, c):
    """L3.2: (x₁, x₂, 1); what the line with a bias separates, a plane through the origin does."""
    if not (a or b):
        return
    rows = [[0, 0], [1, 2], [2, -1], [-3, 1]]
    line = Hyperplane([a, b], c)
    shown = plot.lift(line, rows, [-1, 1, 1, -1], by="constant")
    assert (shown.plane.w.tolist(), shown.plane.b) == ([a, b, c], 0)
    np.testing.assert_array_equal(shown.points, np.column_stack([rows, np.ones(4)]))
    np.testing.assert_array_equal(shown.plane.side(shown.points), line.side(rows))
    for curve in shown.curves:
        np.testing.assert_allclose(curve @ [a, b] + c, 0, atol=1e-9 * (abs(a) + abs(b) + abs(c)))
    shown.plot(Figure().add_subplot(projection="3d"), theme="dark")


def test_a_lift_by_something_else_or_of_a_model_that_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="'product' or 'constant'"):
        plot.lift(Hyperplane([1, 2], 0), X, [-1, 1, 1, -1], by="square")
    with pytest.raises(InputError, match="learned from the columns x1 and x2"):
        plot.lift(Hyperplane([1, 2, 3], 0), X, [-1, 1, 1, -1], by="constant")


def test_signs_are_divided_by_a_level_plane_and_two_lines_that_cross():
    """With labels and features ±1 the plane is x₁x₂ = 0, on the floor the two axes."""
    signs = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    model = Perceptron(shuffle=False).fit([[a, b, a * b] for a, b in signs], [1, -1, -1, 1])
    shown = plot.lift(model, signs, [1, -1, -1, 1])
    assert shown.plane.w[:2].tolist() == [0, 0]
    np.testing.assert_allclose(shown.corners[:, 2], 0)
    assert sorted(np.abs(curve).min(axis=0).tolist() for curve in shown.curves) == [
        [0, 1.6],
        [1.6, 0],
    ]


def test_the_map_that_theory_finds_is_drawn():
    found = theory.simplest_separating_map(X, Y)
    shown = plot.lift(found, X, Y)
    assert shown.plane == found.verdict.hyperplane
    assert [mark.name for mark in shown.marks] == ["no", "yes"]


def test_a_saved_model_draws_the_same_picture(tmp_path):
    model = Perceptron().fit(LIFTED, Y)
    rosenblatt.save(model, tmp_path / "model.rbt")
    for name, one in (("live", model), ("saved", rosenblatt.load(tmp_path / "model.rbt"))):
        plot.lift(one, X, Y).save(tmp_path / f"{name}.svg")
    assert (tmp_path / "live.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()


def test_what_is_no_lift_is_refused():
    model = Perceptron().fit(LIFTED, Y)
    with pytest.raises(InputError, match="two features are lifted"):
        plot.lift(model, LIFTED, Y)
    with pytest.raises(InputError, match="three columns"):
        plot.lift(Perceptron().fit(X, [0, 0, 1, 1]), X, Y)
    with pytest.raises(ParameterError, match="projection='3d'"):
        plot.lift(model, X, Y).plot(Figure().subplots())
    ax = Figure().add_subplot(projection="3d")
    plot.lift(model, X, Y).plot(ax)
    ax.get_figure().canvas.draw()
