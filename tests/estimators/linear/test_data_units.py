"""Parameters that count relative to the mean of ‖x‖²."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import assert_same_bytes, csr, floats, seeds

from rosenblatt import AROW, SCW, PassiveAggressive, Perceptron, SoftPerceptron, io, load, save
from rosenblatt.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FEW = {"max_iter": 4, "tol": None}
RULES = {
    "PA-I": (PassiveAggressive, "C"),
    "PA-II": (lambda **k: PassiveAggressive(variant="PA-II", **k), "C"),
    "soft": (SoftPerceptron, "eta0"),
    "margin": (lambda **k: Perceptron(margin=1.0, **k), "eta0"),
}
every_rule = pytest.mark.parametrize("rule", RULES)


def mean_square(X, fit_intercept):
    return float((np.asarray(X, np.float64) ** 2).sum()) / len(X) + fit_intercept


@every_rule
@pytest.mark.parametrize("n_classes", [2, 3])
@given(seeds, st.booleans(), st.booleans())
def test_the_value_is_divided_by_the_mean_of_the_squared_rows(
    rule, n_classes, seed, fit_intercept, sparse
):
    make, name = RULES[rule]
    X, y = floats(seed, n_classes=n_classes)
    X *= 7.0
    rows = csr(X) if sparse else X
    common = {"fit_intercept": fit_intercept, **FEW}
    plain = make(**{name: 0.5 / mean_square(X, fit_intercept)}, **common).fit(rows, y)
    relative = make(**{name: 0.5}, relative_to_data=True, **common).fit(rows, y)
    np.testing.assert_allclose(relative.coef_, plain.coef_, rtol=1e-9)


@every_rule
def test_scaled_rows_and_a_scaled_model_are_the_same(rule):
    """Without a bias: rows a thousand times as long, weights a thousandth."""
    X, y = floats(1)
    make, name = RULES[rule]
    one, other = (
        make(**{name: 0.3}, relative_to_data=True, fit_intercept=False, **FEW).fit(X * factor, y)
        for factor in (1.0, 1024.0)
    )
    np.testing.assert_allclose(other.coef_ * 1024.0, one.coef_, rtol=1e-9)


@every_rule
def test_packed_and_float32_rows_are_measured_alike(rule, tmp_path):
    X, y = floats(2, dtype=np.float32)
    make, _ = RULES[rule]
    packed = io.pack((X, y), tmp_path / "train.rows")
    there = make(relative_to_data=True, **FEW).fit(packed.X, packed.y)
    here = make(relative_to_data=True, **FEW).fit(X, y)
    assert there._model.units == here._model.units
    np.testing.assert_array_equal(there.coef_, here.coef_)


@every_rule
def test_what_was_measured_stays_for_what_is_learned_later(rule, tmp_path):
    X, y = floats(4)
    make, _ = RULES[rule]
    learner = make(relative_to_data=True, **FEW).fit(X, y)
    save(learner, tmp_path / "model.rbt")
    again = load(tmp_path / "model.rbt")
    for one in (learner, again):
        one.partial_fit(X[:6] * 100, y[:6])
        one.learn_one(X[7] * 100, y[7])
        assert one._model.units.squared_norm == pytest.approx(mean_square(X, True))
    assert_same_bytes([learner.coef_], [again.coef_])


def test_without_fit_the_rows_of_the_first_call_count():
    X, y = floats(5)
    learner = PassiveAggressive(relative_to_data=True).partial_fit(X[:10], y[:10])
    learner.partial_fit(X[10:] * 9, y[10:])
    assert learner._model.units.squared_norm == pytest.approx(mean_square(X[:10], True))


def test_a_stream_of_mappings_has_nothing_to_measure():
    learner = PassiveAggressive(relative_to_data=True)
    with pytest.raises(ParameterError, match="relative_to_data=True measures the rows of"):
        learner.learn_one({"a": 1.0}, "x")
    assert not hasattr(learner, "classes_")


@pytest.mark.parametrize("make", [Perceptron, SoftPerceptron])
def test_adagrad_divides_by_the_squares_itself(make):
    X, y = floats(6)
    X *= 5.0
    length = np.sqrt((X.shape[1] + 1) / mean_square(X, True))
    plain = make(steps="adagrad", eta0=0.5 * length, **FEW).fit(X, y)
    relative = make(steps="adagrad", eta0=0.5, relative_to_data=True, **FEW).fit(X, y)
    np.testing.assert_allclose(relative.coef_, plain.coef_, rtol=1e-9)


def test_the_damping_of_arow_is_multiplied():
    X, y = floats(7)
    plain = AROW(r=0.5 * mean_square(X, True), **FEW).fit(X, y)
    relative = AROW(r=0.5, relative_to_data=True, **FEW).fit(X, y)
    np.testing.assert_allclose(relative.coef_, plain.coef_, rtol=1e-9)


@pytest.mark.parametrize("variant", ["CW", "I", "II"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scw_learns_the_same_weights_of_rows_of_any_length(variant, n_classes):
    """Its margins grow with the rows as the deviation of the scores does."""
    X, y = floats(8, n_classes=n_classes)
    settings = {"variant": variant, "fit_intercept": False, "C": 0.01, **FEW}
    one, other, plain = (
        SCW(relative_to_data=relative, **settings).fit(X * factor, y).coef_
        for factor, relative in ((1.0, True), (1024.0, True), (1024.0, False))
    )
    np.testing.assert_allclose(other, one, rtol=1e-9)
    assert variant == "CW" or not np.allclose(plain, one)


def test_rows_of_zeros_are_no_unit():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    learner = SoftPerceptron(relative_to_data=True, fit_intercept=False, max_iter=2).fit(X, y)
    assert learner._model.units == (1.0, 2.0)
