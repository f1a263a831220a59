"""Sampled boundaries of what no line describes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import rosenblatt
from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron, plot
from rosenblatt.errors import InputError, ParameterError

XOR = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
Y = [1, -1, -1, 1]
BOX = (-2.0, 2.0, -2.0, 2.0)


def xor_machine(**more):
    return KernelPerceptron(
        kernel="poly", degree=2, gamma=1.0, shuffle=False, combine="last", **more
    ).fit(XOR, Y)


def test_the_grid_holds_the_closed_form():
    """Each point once: Σ y_s (1 + x_s·x)² = 8 x₁ x₂, the squares and the rest cancel."""
    shown = plot.kernel_boundary(xor_machine(), XOR, Y, box=BOX, cells=20)
    across, up = np.meshgrid(shown.across, shown.up)
    np.testing.assert_allclose(shown.scores[0], 8 * across * up, atol=1e-9)
    np.testing.assert_allclose(shown.lead(1), 8 * across * up, atol=1e-9)
    np.testing.assert_allclose(shown.lead(0), -8 * across * up, atol=1e-9)
    assert "grid of 20 × 20 cells of 0.2 × 0.2" in shown.caption
    np.testing.assert_array_equal(shown.support, [0, 1, 2, 3])
    # Letters stand in the area of their class, and not on a row.
    for place, sign in ((0, -1), (1, 1)):
        at = shown.roomiest(place)
        assert np.sign(at[0] * at[1]) == sign
        assert np.linalg.norm(XOR - at, axis=1).min() > 0.3


def test_the_curve_that_is_drawn_is_where_the_score_is_zero():
    circle = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 6, 40)])
    X, y = np.vstack([0.5 * circle, 2.0 * circle]), ["in"] * 40 + ["out"] * 40
    model = KernelPerceptron(kernel="rbf", gamma=1.0).fit(X, y)
    shown = plot.kernel_boundary(model, X, y, cells=60)
    ax = Figure().subplots()
    shown.plot(ax)
    drawn = [c for c in ax.collections if hasattr(c, "levels") and list(c.levels) == [0.0]]
    vertices = np.vstack([path.vertices for c in drawn for path in c.get_paths()])
    radius = np.linalg.norm(vertices, axis=1)
    assert ((radius > 0.5) & (radius < 2.0)).all()
    # Between two grid points the score is taken to be straight.
    assert np.abs(model.decision_function(vertices)).max() < 0.05 * np.abs(shown.scores).max()
    assert len(shown.wrong) == 0


def test_a_linear_model_is_seen_where_its_line_is():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]]), [0, 0, 1, 1]
    model = Perceptron().fit(X, y)
    sampled, exact = plot.kernel_boundary(model, X, y, cells=50), plot.boundary(model, X, y)
    assert sampled.box == exact.box
    across, up = np.meshgrid(sampled.across, sampled.up)
    places = np.column_stack([across.ravel(), up.ravel()])
    np.testing.assert_array_equal(
        np.sign(sampled.scores[0].ravel()), np.sign(exact.line.side(places))
    )


def test_several_classes_and_votes(tmp_path):
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(c, 0.4, (15, 2)) for c in ([0, 0], [3, 0], [0, 3])])
    y = np.repeat(["a", "b", "c"], 15)
    model = VotedPerceptron(combine="vote").fit(X, y)
    shown = plot.kernel_boundary(model, X, y, cells=30)
    assert shown.scores.shape == (3, 31, 31)
    leads = np.array([shown.lead(place) for place in range(3)])
    assert ((leads > 0).sum(axis=0) <= 1).all()
    for place, label in enumerate("abc"):
        assert model.predict([shown.roomiest(place)]) == [label]
    shown.save(tmp_path / "x.png")


def test_one_feature_and_rows_without_labels(tmp_path):
    X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], [1, 0, 0, 0, 1]
    model = KernelPerceptron(degree=2).fit(X, y)
    shown = plot.kernel_boundary(model, X, cells=40)
    # Up to rounding: BLAS may sum the rows at the end of a block in another order.
    np.testing.assert_allclose(np.ptp(shown.scores[0], axis=0), 0, atol=1e-12)
    assert shown.classes_of_points is None
    shown.save(tmp_path / "x.svg")


def test_a_saved_model_draws_the_same_picture(tmp_path):
    model = xor_machine()
    rosenblatt.save(model, tmp_path / "model.rbt")
    for name, one in (("live", model), ("saved", rosenblatt.load(tmp_path / "model.rbt"))):
        plot.kernel_boundary(one, XOR, Y, cells=20).save(tmp_path / f"{name}.svg")
    assert (tmp_path / "live.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()


def test_values_are_never_made_up_for_features_that_are_not_seen():
    X = np.column_stack([XOR, [1.0, 2.0, 3.0, 4.0]])
    model = KernelPerceptron(degree=2).fit(X, Y)
    with pytest.raises(InputError, match=r"3 features.*made up"):
        plot.kernel_boundary(model, X, Y)


def test_what_cannot_be_sampled_is_refused():
    machine = KernelPerceptron(kernel="precomputed").fit((1 + XOR @ XOR.T) ** 2, Y)
    with pytest.raises(InputError, match="precomputed"):
        plot.kernel_boundary(machine, XOR, Y)
    with pytest.raises(ParameterError, match="cells=1"):
        plot.kernel_boundary(xor_machine(), XOR, Y, cells=1)
    with pytest.raises(InputError, match="decision_function"):
        plot.kernel_boundary(KernelPerceptron(), XOR, Y)
