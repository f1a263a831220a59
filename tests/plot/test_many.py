"""Pictures of many rows, many classes and many learners stay small, quick and legible."""

import warnings

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from rosenblatt import Hyperplane, Perceptron, evaluate, geometry, plot

RANDOM = np.random.default_rng(0)
ANGLES = np.linspace(0, 2 * np.pi, 50, endpoint=False)
# Of points on a circle each has a region of its own.
ROUND = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def many_regions(names):
    return geometry.regions(ROUND[: len(names)], np.zeros(len(names)), (-3, 3, -3, 3), names)


def legend_names(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_so_many_rows_are_dots_in_a_drawing_of_lines():
    rows = RANDOM.normal(size=(20_000, 2))
    few = plot.boundary(Hyperplane([1, 1]), rows[:100])._rendered("svg")
    many = plot.boundary(Hyperplane([1, 1]), rows)._rendered("svg")
    assert b"<image" not in few
    assert b"<image" in many
    assert len(many) < 1_000_000


@pytest.mark.parametrize("size", [None, (5.0, 4.0)])
def test_a_legend_of_fifty_long_names_leaves_room_for_the_picture(size, tmp_path):
    names = [f"a rather long label, number {k}" for k in range(50)]
    shown = plot.regions(many_regions(names), ROUND, names)
    shown.wrong = np.array([0])
    with warnings.catch_warnings():
        # Matplotlib warns if nothing is left of the axes.
        warnings.simplefilter("error")
        shown.save(tmp_path / "many.png", size=size)
    shown.plot()
    try:
        told = legend_names(shown.figure_)
        assert len(told) == 16
        assert told[-2:] == ["… 36 more", "misclassified"]
    finally:
        pyplot.close(shown.figure_)


def test_a_legend_inside_given_axes_is_short():
    names = [f"label {k}" for k in range(50)]
    ax = Figure().subplots()
    plot.regions(many_regions(names), ROUND, names).plot(ax)
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(told) == 10
    assert told[-1] == "… 41 more"


def test_the_letter_of_a_small_region_is_small():
    W, b = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]), [0.0, 0.05, 0.0]
    ax = Figure().subplots()
    plot.regions(geometry.regions(W, b, (-3, 3, -3, 3), "abc")).plot(ax)
    sizes = {text.get_text(): text.get_fontsize() for text in ax.texts}
    assert sizes["a"] == sizes["c"] == 20
    assert sizes["b"] == 5


def test_a_letter_keeps_away_from_the_rows_of_its_region():
    rows = np.column_stack([np.full(5000, -1.5), RANDOM.uniform(-3, 3, 5000)])
    shown = plot.regions(Perceptron().fit([[-1, 0], [1, 0]], ["a", "b"]), rows, box=(-3, 3, -3, 3))
    assert abs(shown.letters["a"][0] + 1.5) > 0.5


@pytest.mark.parametrize(("n", "is_image"), [(32, False), (33, True)])
def test_many_cells_of_a_matrix_are_one_image_of_the_same_colours(n, is_image):
    truth = RANDOM.integers(0, n, 500)
    shown = plot.confusion(evaluate.report(truth, RANDOM.permutation(truth), list(range(n))))
    ax = Figure().subplots()
    shown.plot(ax)
    mesh = ax.collections[0]
    assert bool(mesh.get_rasterized()) == is_image
    cells = np.asarray(mesh.get_array())
    assert cells.shape == (n, n, 3)
    np.testing.assert_array_equal((cells == 255).all(axis=2), shown.counts == 0)


def test_twenty_learners_leave_room_for_the_picture(tmp_path):
    model = Perceptron().fit([[-1, 0], [1, 0]], [0, 1])
    shown = plot.mistakes({f"a learner with a long name {k}": model for k in range(20)})
    assert shown.caption.endswith("; 14 more.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown.save(tmp_path / "twenty.png")
