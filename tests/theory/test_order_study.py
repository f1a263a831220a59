"""What depends on the order of the rows, and what does not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from strategies import LINEAR, csr, floats, seeds, separable

from rosenblatt import Perceptron, datasets
from rosenblatt.errors import ParameterError
from rosenblatt.theory.order_study import OrderStudy, Spread, order_study


def halves(table):
    """Every second row to train on, the others to test on."""
    return (table.X[::2], table.y[::2]), {"X_test": table.X[1::2], "y_test": table.y[1::2]}


@settings(max_examples=15)
@given(seed=seeds, bias=st.booleans(), shuffle=st.booleans(), eta0=st.sampled_from([0.1, 1.0]))
def test_no_order_breaks_the_bound_and_all_separate(seed, bias, shuffle, eta0):
    """L3.14, L5.6: the bound does not depend on the order; what is found within it does."""
    X, y, u = separable(seed, gamma=0.1, bias=bias)
    rows = np.column_stack([X, np.ones(len(X))]) if bias else X
    bound = np.max(np.sum(rows**2, axis=1)) / np.min(y * (rows @ u)) ** 2
    learner = Perceptron(fit_intercept=bias, shuffle=shuffle, eta0=eta0, tol=None)
    study = order_study(learner, X, y, n_orders=8, random_state=seed)
    assert set(study.stop_reasons) == {"separated"}
    assert (study.mistakes <= bound).all()
    assert (study.margin > 0).all()
    assert (study.train_accuracy == 1.0).all()
    assert study.unstable == 0.0
    assert len(study.unstable_rows) == 0
    assert study.test_accuracy is None


@pytest.mark.parametrize("shuffle", [False, True])
def test_orders_differ_in_mistakes_margin_and_answers_to_new_rows(shuffle):
    """L5.6, L1.10: versicolor against virginica overlap, so the last mistakes decide."""
    iris = datasets.iris()
    table = datasets.LabelledRows(
        iris.X[iris.y > 0], iris.y[iris.y > 0], iris.classes[1:], iris.about
    )
    train, test = halves(table)
    study = order_study(Perceptron(shuffle=shuffle, max_iter=20), *train, n_orders=15, **test)
    assert len(set(study.mistakes.tolist())) > 3
    assert 0.0 < study.unstable < 1.0
    assert study.unstable == len(study.unstable_rows) / len(test["y_test"])
    assert (np.isneginf(study.margin) == (study.train_accuracy < 1)).all()


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_linear_learner_can_be_studied_and_is_left_alone(learner, n_classes):
    X, y = floats(0, n=40, n_classes=n_classes)
    estimator = learner(max_iter=5, random_state=7, verbose=0)
    before = estimator.get_params()
    study = order_study(estimator, csr(X), y, n_orders=3)
    assert isinstance(study, OrderStudy)
    assert study.n_orders == len(study.epochs) == 3
    assert estimator.get_params() == before
    assert not estimator.__sklearn_is_fitted__()


def test_each_value_is_that_of_a_fit_on_its_own():
    """A learner that shuffles gets seeds; one that does not gets rows in another order."""
    X, y, _ = separable(3, gamma=0.05)
    study = order_study(Perceptron(), X, y, n_orders=4, random_state=5)
    seeds_drawn = np.random.default_rng(5).integers(2**31 - 1, size=4)
    for i, seed in enumerate(seeds_drawn.tolist()):
        fitted = Perceptron(random_state=seed).fit(X, y)
        assert study.mistakes[i] == fitted.n_mistakes_
        assert study.epochs[i] == fitted.n_iter_
        scores = y * fitted.decision_function(X)
        assert study.margin[i] == pytest.approx(scores.min() / np.linalg.norm(fitted.coef_))


def test_the_margin_of_several_classes_is_the_smallest_lead_of_the_right_score():
    X = np.array([[4.0, 0.0], [-2.0, 3.0], [-2.0, -3.0]])
    y = np.array(["x", "y", "z"])
    study = order_study(Perceptron(), X, y, n_orders=1)
    seed = int(np.random.default_rng(0).integers(2**31 - 1, size=1)[0])
    fitted = Perceptron(random_state=seed).fit(X, y)
    scores = fitted.decision_function(X)
    leads = [scores[i, i] - np.delete(scores[i], i).max() for i in range(3)]
    assert study.margin[0] == pytest.approx(min(leads) / np.linalg.norm(fitted.coef_))


def test_the_margin_does_not_depend_on_the_learning_rate():
    """L3.14: a constant learning rate only scales the weights."""
    X, y, _ = separable(1, gamma=0.05)
    one = order_study(Perceptron(eta0=1.0), X, y, n_orders=5)
    other = order_study(Perceptron(eta0=0.25), X, y, n_orders=5)
    np.testing.assert_array_equal(one.mistakes, other.mistakes)
    np.testing.assert_allclose(one.margin, other.margin)


def test_the_same_seed_gives_the_same_study_and_another_one_does_not():
    X, y, _ = separable(2, gamma=0.02)
    for shuffle in (False, True):
        learner = Perceptron(shuffle=shuffle)
        one, same, other = (order_study(learner, X, y, 6, seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.mistakes, same.mistakes)
        np.testing.assert_array_equal(one.margin, same.margin)
        assert one.margin.tolist() != other.margin.tolist()


def test_warnings_about_fits_that_ended_early_are_kept_quiet_and_only_those():
    X, y = floats(0, n=60, d=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = order_study(Perceptron(max_iter=2, tol=None), X, y, n_orders=3)
    assert set(study.stop_reasons) == {"max_iter"}
    with pytest.warns(ConvergenceWarning):
        Perceptron(max_iter=2, tol=None).fit(X, y)


def test_the_summary_names_median_and_extremes_and_can_be_read():
    train, test = halves(datasets.iris())
    study = order_study(Perceptron(max_iter=10, tol=None), *train, n_orders=6, **test)
    assert list(study.summary) == [
        "mistakes",
        "epochs",
        "margin",
        "train_accuracy",
        "test_accuracy",
    ]
    assert study.summary["mistakes"] == Spread(
        np.median(study.mistakes), study.mistakes.min(), study.mistakes.max()
    )
    shown = repr(study)
    assert shown.startswith("Perceptron on 6 orders\n")
    assert "test accuracy" in shown
    assert "max_iter 6" in shown
    assert f"{study.unstable:.1%} of test rows" in shown


def test_progress_is_told_when_asked_for_and_clones_are_silent(capsys):
    X, y, _ = separable(0)
    order_study(Perceptron(verbose=2), X, y, n_orders=3)
    assert capsys.readouterr().err == ""
    order_study(Perceptron(verbose=2), X, y, n_orders=3, verbose=2)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert told[0].startswith("Perceptron: order 1, ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"estimator": Perceptron}, "linear learner"),
        ({"estimator": "perceptron"}, "linear learner"),
        ({"n_orders": 0}, "n_orders=0"),
        ({"n_orders": 2.5}, "n_orders=2.5"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": "seed"}, "random_state='seed'"),
        ({"X_test": [[1.0]]}, "go together"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options, told):
    X, y, _ = separable(0)
    with pytest.raises(ParameterError, match=told):
        order_study(**{"estimator": Perceptron(), "X": X, "y": y, "n_orders": 2, **options})


def test_with_test_rows_their_accuracy_is_told_line_by_line():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    study = order_study(Perceptron(), X, y, 4, X_test=[[-1.0], [5.0]], y_test=[0, 1])
    assert study.test_accuracy.tolist() == [1.0] * 4
    assert str(study).endswith("\nprediction depends on the order: 0.0% of test rows")
    assert not any(line.startswith("~") for line in str(study).splitlines())
    assert order_study(Perceptron(), X, y, 2).test_accuracy is None
