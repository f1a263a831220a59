"""The largest weights under their names, and images of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, datasets, load, plot, save
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.plot.weights import _largest

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    table = datasets.digits()
    return AveragedPerceptron().partial_fit(table.X, table.labels)


def iris(**options):
    table = datasets.iris()
    return Perceptron(**options).fit(table.X, table.labels == "setosa")


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30), st.integers(1, 9))
def test_the_largest_of_each_sign_are_found_and_no_zero(values, top):
    weights = np.array(values, float)
    found = weights[_largest(weights, top)].tolist()
    positive = sorted((v for v in values if v > 0), reverse=True)[:top]
    negative = sorted(v for v in values if v < 0)[:top][::-1]
    assert found == positive + negative


def test_two_classes_share_one_weight_vector():
    model = iris()
    (voice,) = plot.weights(model, names=NAMES).voices
    assert (voice.label, voice.against) == (True, False)
    assert voice.bias == model.intercept_[0]
    by_name = dict(zip(NAMES, model.coef_[0], strict=True))
    assert dict(zip(voice.names, voice.values, strict=True)) == {
        name: weight for name, weight in by_name.items() if weight
    }
    assert (np.diff(voice.values) <= 0).all()


def test_each_of_several_classes_has_its_own(digits):
    shown = plot.weights(digits, top=3)
    assert [voice.label for voice in shown.voices] == digits.classes_.tolist()
    for row, voice in zip(digits.coef_, shown.voices, strict=True):
        assert voice.values.max() == row.max()
        assert voice.values.min() == row.min()
        assert voice.names[0] == f"x[{row.argmax()}]"
        assert voice.against is None
    chosen = plot.weights(digits, labels=["7", "1"])
    assert [voice.label for voice in chosen.voices] == ["7", "1"]


def test_names_come_from_the_rows_if_they_have_some():
    table = datasets.iris()
    frame = pd.DataFrame(table.X, columns=NAMES)
    model = Perceptron().fit(frame, table.labels == "setosa")
    assert set(plot.weights(model).voices[0].names) <= set(NAMES)
    streamed = Perceptron().learn_one({"rain": 1.0}, "wet").learn_one({"sun": 1.0}, "dry")
    assert set(plot.weights(streamed).voices[0].names) <= {"rain", "sun"}


def test_pixels_stand_where_they_stand_in_the_image(digits):
    shown = plot.weights(digits, shape=(8, 8))
    assert shown.labels == digits.classes_.tolist()
    assert shown.images[3, 2, 5] == digits.coef_[3, 2 * 8 + 5]
    assert shown.limit == np.abs(digits.coef_).max()
    assert np.array_equal(plot.weights(iris(), shape=(2, 2)).images[0], iris().coef_.reshape(2, 2))


def test_more_classes_than_panels_are_counted_and_not_drawn():
    X = np.eye(30)
    model = Perceptron().partial_fit(np.vstack([X, X]), np.arange(60) % 30)
    assert len(plot.weights(model).voices) == 12
    assert plot.weights(model).left_out == 18
    assert plot.weights(model, shape=(5, 6)).left_out == 18


def test_a_saved_model_shows_the_same(digits, tmp_path):
    save(digits, tmp_path / "digits.rbt")
    twin = load(tmp_path / "digits.rbt")
    ours, theirs = plot.weights(digits), plot.weights(twin)
    for a, b in zip(ours.voices, theirs.voices, strict=True):
        assert a.names == b.names
        assert np.array_equal(a.values, b.values)
    images = (plot.weights(model, shape=(8, 8)).images for model in (digits, twin))
    assert np.array_equal(*images)


@pytest.mark.parametrize(
    "options",
    [
        {"top": 0},
        {"top": 2.5},
        {"shape": (3, 2)},
        {"shape": 4},
        {"shape": (-2, -2)},
        {"labels": [True]},
        {"names": ["one"]},
    ],
)
def test_arguments_that_do_not_fit_are_refused(options):
    with pytest.raises((ParameterError, InputError)):
        plot.weights(iris(), **options)


def test_an_unknown_class_and_a_learner_without_weights_are_refused(digits):
    with pytest.raises(ParameterError, match="'x' is no class"):
        plot.weights(digits, labels=["1", "x"])
    with pytest.raises(InputError, match="coef_"):
        plot.weights(KernelPerceptron().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(InputError, match="coef_"):
        plot.weights(Perceptron())
