"""What is handed to a picture: rows, labels, boxes and models that are not what they seem."""

import numpy as np
import pytest
import scipy.sparse as sp
from strategies import sparse_rows

from rosenblatt import AveragedPerceptron, Hyperplane, KernelPerceptron, Perceptron, plot
from rosenblatt.errors import InputError, ParameterError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 2))
Y = (X @ [1.0, 2.0] > 0.3).astype(int)
WIDE = RANDOM.normal(size=(40, 6))


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
@pytest.mark.parametrize(
    "rows",
    [X, WIDE, sp.csr_matrix(WIDE), sparse_rows(WIDE), X.astype(np.float32)],
    ids=["plane", "wide", "SciPy", "sparse", "float32"],
)
def test_rows_of_training_are_ringed_and_as_many_others_are_not(learner, rows):
    y = np.asarray(rows @ np.ones(rows.shape[1])) > 0.1
    model = learner().fit(rows[:20], y[:20])
    mistaken = np.flatnonzero(model.mistakes_per_row_)
    assert len(mistaken)
    np.testing.assert_array_equal(plot.boundary(model, rows[:20], y[:20]).mistaken, mistaken)
    others = plot.boundary(model, rows[20:], y[20:])
    assert len(others.mistaken) == 0
    assert "training" not in others.caption


def test_support_rows_of_a_kernel_model_are_ringed_and_as_many_others_are_not():
    model = KernelPerceptron().fit(X[:20], Y[:20])
    np.testing.assert_array_equal(
        plot.kernel_boundary(model, X[:20], Y[:20], cells=4).support, model.support_
    )
    assert len(plot.kernel_boundary(model, X[20:], Y[20:], cells=4).support) == 0


@pytest.mark.parametrize("y", [None, 3, Y[:, None]], ids=["none", "number", "column"])
@pytest.mark.parametrize("picture", [plot.updates, plot.animate])
def test_labels_that_are_none_are_refused_in_one_sentence(picture, y):
    model = Perceptron(record=True).fit(X, Y)
    with pytest.raises(InputError, match="one label a row"):
        picture(model, X, y)


def test_a_class_in_the_place_of_a_model_is_refused():
    with pytest.raises(InputError, match="Perceptron is a class"):
        plot.boundary(Perceptron, X, Y)


def test_no_model_is_not_taken_for_rows_that_cannot_be_separated():
    with pytest.raises(InputError, match="a NoneType has no weights"):
        plot.boundary(None, X, Y)


@pytest.mark.parametrize(
    "box",
    [(4, -4, -4, 4), (0, 0, 0, 0), (1, 2, 3), (np.nan, 1, 2, 3), "abcd", 5, (0, 1e-300, 0, 1)],
)
@pytest.mark.parametrize("name", ["boundary", "regions", "updates", "animate", "kernel_boundary"])
def test_a_box_that_is_none_is_refused_by_every_picture(name, box):
    model = Perceptron(record=True).fit(X, Y)
    with pytest.raises(ParameterError, match="box"):
        getattr(plot, name)(model, X, Y, box=box)


def test_names_of_columns_are_shortened_to_what_an_axis_holds():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["two\nlines\x01", "far too long " * 20])
    shown = plot.boundary(Perceptron().fit(frame, Y), frame, Y)
    assert shown.plane.names == ("two lines�", "far too long far…oo long")


def test_an_epoch_of_fewer_examples_than_rows_is_not_shown_example_by_example():
    model = Perceptron(record=True, shuffle=False, early_stopping=True, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="rows held back"):
        plot.updates(model, X, Y, each="example")


def test_the_second_direction_is_that_of_the_widest_spread():
    """Against the eigenvectors of the rows without their part along w, far from the origin."""
    rows = WIDE * [1, 5, 2, 1, 1, 3] + 1e6
    plane = plot.boundary(Hyperplane(np.arange(1.0, 7.0), -1.0), rows).plane
    along = plane.directions[0]
    Z = rows - rows.mean(axis=0)
    Z = Z - np.outer(Z @ along, along)
    widest = np.linalg.svd(Z)[2][0]
    assert abs(widest @ plane.directions[1]) == pytest.approx(1.0, abs=1e-9)
