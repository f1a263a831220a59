"""Pictures beside each other: each is drawn as it is alone, the legend names all of them."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from rosenblatt import Hyperplane, Perceptron, geometry, plot
from rosenblatt.errors import ParameterError

X, Y = [[2.0], [2.5], [3.0], [4.5], [5.5]], [-1, -1, -1, 1, 1]
BOX = (-1, 6, -1.5, 2.5)


def test_L3_2_a_line_through_the_origin_of_the_plane_separates_what_none_of_the_line_does(tmp_path):
    """L3.2: with a constant feature 1 the bias is one more weight."""
    line = plot.boundary(Hyperplane([1.0]), X, Y, box=BOX)
    plane = plot.boundary(Hyperplane(geometry.fold([1.0], -3.75)), geometry.augment(X), Y, box=BOX)
    assert (len(line.wrong), len(plane.wrong)) == (3, 0)
    shown = plot.side_by_side([line, plane], titles=["in 1-D", "in 2-D"], caption="L3.2")
    assert (shown._grid(), shown.displays) == ((1, 2), (line, plane))
    for theme in ("light", "dark"):
        shown.save(tmp_path / "both.svg", theme=theme)
    figure = Figure()
    shown.plot(figure.subplots())
    assert [ax.get_title("left") for ax in shown.ax_.flat] == ["in 1-D", "in 2-D"]
    assert len(shown.ax_[0, 0].collections) > len(shown.ax_[0, 1].collections)  # the crosses


def test_one_legend_names_what_only_one_of_the_panels_shows():
    import matplotlib.pyplot as plt

    right = plot.boundary(Hyperplane([1.0], -3.75), X, Y, box=BOX)
    wrong = plot.boundary(Hyperplane([1.0]), X, Y, box=BOX)
    shown = plot.side_by_side([right, wrong], titles=["right", "wrong"]).plot()
    (legend,) = shown.figure_.legends
    assert [text.get_text() for text in legend.texts] == ["−1", "+1", "on the wrong side"]
    plt.close(shown.figure_)


def test_L2_1_the_regions_of_every_update_are_those_of_the_replayed_weights():
    points = np.array([[0, 2], [-2, -1], [2, -1], [0, 3], [-3, -1], [3, -2]], float)
    labels = ["up", "left", "right"] * 2
    ledger = Perceptron(record=True).fit(points, labels).ledger_
    pictures = []
    for k in range(1, len(ledger) + 1):
        W, b = ledger.replay(points, upto=k)
        cells = geometry.regions(W, b, (-4, 4, -4, 4), ledger.classes)
        pictures.append(plot.regions(cells, points, labels))
    shown = plot.side_by_side(pictures, titles=range(len(pictures)))
    assert len(shown.displays[-1].wrong) == 0
    assert sum(len(one.wrong) for one in shown.displays) > 0


def test_what_cannot_stand_beside_each_other_is_refused():
    one = plot.boundary(Hyperplane([1.0]), X, Y)
    for displays, titles in (([one], ["a"]), ([one, one], ["a"]), ([], [])):
        with pytest.raises(ParameterError, match="at least two, with a title each"):
            plot.side_by_side(displays, titles=titles)
    for other in (plot.losses(), "text"):
        with pytest.raises(ParameterError, match="no picture of rows in a plane"):
            plot.side_by_side([one, other], titles=["a", "b"])
