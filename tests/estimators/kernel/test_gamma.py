"""A gamma that was left open is measured by the first rows, kept as a number, and good enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import floats

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.errors import ParameterError
from rosenblatt.models.classes import hold_out

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SCALED = ("poly", "rbf", "laplacian", "sigmoid")
every_scaled = pytest.mark.parametrize("kernel", SCALED)


def fitted(X: Any, y: Any, kernel: str = "rbf", **settings: Any) -> KernelPerceptron:
    return KernelPerceptron(kernel=kernel, max_iter=2, **settings).fit(X, y)


def standardised(X: Any) -> Any:
    return (X - X.mean(axis=0)) / X.std(axis=0)


def texts(n: int = 200, d: int = 3000) -> tuple[Any, Any]:
    """Sparse rows of length 1: some of the first words speak for the label, the others do not."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    X = np.zeros((n, d))
    for row, label in zip(X, y, strict=True):
        row[random.integers(60, d, 8)] = 1.0
        row[random.integers(30 * label, 30 * label + 30, 3)] = 1.0
    return sp.csr_array(X / np.linalg.norm(X, axis=1)[:, None]), y


@given(st.integers(0, 2**32), st.sampled_from(SCALED), st.sampled_from([1e-3, 1.0, 1e4]))
def test_dense_and_sparse_rows_have_the_same(seed: int, kernel: str, size: float) -> None:
    X, y = floats(seed, n=12)
    X = size * np.where(X > 0, X, 0.0)
    X[0, 0] = size
    assert fitted(X, y, kernel).gamma_ == fitted(sp.csr_array(X), y, kernel).gamma_


@pytest.mark.parametrize("kernel", ["poly", "rbf", "laplacian"])
def test_standardised_features_have_one_over_their_number(kernel: str) -> None:
    X, y = floats(1, n=50, d=7)
    assert fitted(standardised(X), y, kernel).gamma_ == pytest.approx(1 / 7, rel=1e-5)


def test_it_is_one_over_the_mean_squared_distance_from_the_mean() -> None:
    X, y = floats(1, n=50)
    apart = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert fitted(X, y).gamma_ == pytest.approx(1 / apart, rel=1e-5)
    assert fitted(X + 100.0, y).gamma_ == pytest.approx(1 / apart, rel=1e-5)
    assert fitted(3.0 * X, y).gamma_ == pytest.approx(1 / apart / 9, rel=1e-5)
    assert fitted(np.ones((4, 5)), [0, 1, 0, 1]).gamma_ == pytest.approx(1 / 5)


@every_scaled
def test_texts_of_length_one_are_learned(kernel: str) -> None:
    X, y = texts()
    model = KernelPerceptron(kernel=kernel, max_iter=20).fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) > 0.9
    old = KernelPerceptron(kernel=kernel, gamma=1 / X.shape[1], max_iter=20).fit(X[:150], y[:150])
    assert old.score(X[150:], y[150:]) <= model.score(X[150:], y[150:])


@every_scaled
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_in_a_stream_the_first_example_that_is_not_zero_decides(kernel: str, form: Any) -> None:
    X, y = floats(5, n=30)
    X[:3] = 0.0
    one, batch = KernelPerceptron(kernel=kernel), KernelPerceptron(kernel=kernel)
    batch.partial_fit(form(X), y)
    for i in range(len(y)):
        one.partial_fit(form(X[i : i + 1]), y[i : i + 1])
    assert one.gamma_ == batch.gamma_
    np.testing.assert_array_equal(one.support_, batch.support_)
    alone = KernelPerceptron(kernel=kernel).partial_fit(form(X[3:4]), y[3:4])
    assert alone.gamma_ == one.gamma_


def test_arrays_in_a_stream_never_have_more_than_one_over_the_number_of_features() -> None:
    small, large = np.full((1, 4), 0.01), np.full((1, 4), 10.0)
    assert KernelPerceptron().partial_fit(small, [0]).gamma_ == pytest.approx(1 / 4)
    assert KernelPerceptron().partial_fit(large, [0]).gamma_ == pytest.approx(1 / 400)
    assert KernelPerceptron().partial_fit(sp.csr_array(small), [0]).gamma_ == pytest.approx(2500)


def test_rows_of_weight_zero_are_not_measured() -> None:
    X, y = floats(2, n=20)
    weights = np.ones(20)
    weights[[4, 9]] = 0.0
    far = X.copy()
    far[[4, 9]] = 1e3
    counted = weights > 0
    found = KernelPerceptron(max_iter=2).fit(far, y, sample_weight=weights)
    assert found.gamma_ == fitted(X[counted], y[counted], "poly").gamma_


def test_rows_held_out_are_not_measured() -> None:
    X, y = floats(2, n=40)
    found = KernelPerceptron(early_stopping=True, random_state=1, max_iter=3).fit(X, y)
    subset, _ = hold_out(y.astype(np.int32), 0.1, 1)
    assert len(subset) < 40
    assert found.gamma_ == fitted(X[subset], y[subset], "poly").gamma_


def test_it_is_saved_as_a_number_and_learning_goes_on_with_it(tmp_path: Path) -> None:
    X, y = floats(3)
    model = fitted(X, y)
    save(model, tmp_path / "m.rbt")
    twin = load(tmp_path / "m.rbt")
    assert (twin.gamma, twin.gamma_) == (None, model.gamma_)
    for learner in (model, twin):
        learner.partial_fit(100.0 * X, 1 - y)
        assert learner.gamma_ == twin.gamma_
    np.testing.assert_array_equal(model.decision_function(X), twin.decision_function(X))
    with pytest.raises(ParameterError, match=r"gamma=2\.0, but what was learned so far"):
        twin.set_params(gamma=2.0).partial_fit(X, y)


def test_a_file_from_before_it_was_measured_has_one_over_the_number_of_features() -> None:
    model = fitted(*floats(3))
    state = model.to_state()
    state.card.model.settings["gamma"] = None
    assert KernelPerceptron.from_state(state).gamma_ == 1 / 4


def test_kernels_without_a_scale_have_none() -> None:
    X, y = floats(4)
    assert fitted(X, y, "linear").gamma_ is None
    assert fitted(X, y, "cosine").gamma_ is None
    assert fitted(X, y, "rbf", gamma=3.0).gamma_ == 3.0
