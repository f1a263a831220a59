"""A held-out part decides when to stop and which weights answer (L3.7)."""

import numpy as np
import pytest
from strategies import LEARNERS, LINEAR, assert_same_bytes, csr, floats, weights_of

from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_learner = pytest.mark.parametrize("learner", LINEAR)
both = pytest.mark.parametrize("n_classes", [2, 3])


def noisy(seed, n=200, d=5, n_classes=2):
    """Rows of overlapping classes: scores on held-out rows go up and down."""
    X, y = floats(seed, n=n, d=d, n_classes=n_classes)
    X[np.arange(n), y] += 1.0
    return X, y


def held_out_rows(learner, X, y):
    """Rows that were never visited: every row trained on is a support row at margin infinity."""
    visits = learner.set_params(margin=1e9, max_iter=1, tol=None).fit(X, y)
    return np.setdiff1d(np.arange(len(X)), visits.support_)


@pytest.mark.parametrize("fraction", [0.1, 0.25])
def test_the_held_out_part_has_the_same_share_of_every_class_and_is_not_trained_on(fraction):
    X, y = noisy(1, n=200)
    y[:] = np.arange(200) % 10 == 0  # 20 of one class, 180 of the other
    learner = Perceptron(early_stopping=True, validation_fraction=fraction, record=True)
    held_out = held_out_rows(learner, X, y)
    assert (y[held_out] == 1).sum() == 20 * fraction
    assert (y[held_out] == 0).sum() == 180 * fraction
    assert learner.t_ == 200 * (1 - fraction)
    assert not np.isin(learner.ledger_.entries.row, held_out).any()
    assert learner.ledger_.entries.row.max() > len(X) * (1 - fraction)  # numbered as in X


def test_the_held_out_part_depends_on_the_seed_alone():
    X, y = noisy(1)
    one, same, other = (
        held_out_rows(Perceptron(early_stopping=True, random_state=seed), X, y)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@every_learner
@both
@pytest.mark.parametrize("table", [np.asarray, csr])
def test_the_weights_that_answer_are_the_best_seen(learner, n_classes, table):
    X, y = noisy(2, n_classes=n_classes)
    X_dev, y_dev = noisy(3, n=80, n_classes=n_classes)
    fitted = learner(n_iter_no_change=4, max_iter=30, tol=None)
    fitted.fit(table(X), y, validation_set=(table(X_dev), y_dev))
    scores = fitted.validation_scores_
    assert len(scores) == fitted.n_iter_
    assert fitted.score(table(X_dev), y_dev) == max(scores)
    if fitted.stop_reason_ != "separated":
        assert fitted.best_iter_ == 1 + np.argmax(scores)
    if fitted.stop_reason_ == "early_stopping":
        assert fitted.n_iter_ == fitted.best_iter_ + 4
    stopped = learner(max_iter=fitted.best_iter_, tol=None).fit(table(X), y)
    np.testing.assert_allclose(
        fitted.decision_function(X_dev), stopped.decision_function(X_dev), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron, VotedPerceptron])
def test_the_best_weights_are_not_the_last_ones(learner):
    """So that the checks above cannot pass by serving the last weights."""
    X, y = noisy(2)
    fitted = learner(n_iter_no_change=5, tol=None)
    fitted.fit(X, y, validation_set=noisy(3, n=80))
    assert fitted.best_iter_ < fitted.n_iter_
    last = learner(max_iter=fitted.n_iter_, tol=None).fit(X, y)
    X_dev = noisy(3, n=80)[0]
    assert not np.allclose(fitted.decision_function(X_dev), last.decision_function(X_dev))


@pytest.mark.parametrize("patience", [1, 2, 7])
def test_training_waits_as_long_as_it_is_told_to(patience):
    X, y = noisy(2)
    fitted = Perceptron(early_stopping=True, n_iter_no_change=patience, tol=None).fit(X, y)
    assert fitted.stop_reason_ == "early_stopping"
    assert fitted.n_iter_ == fitted.best_iter_ + patience
    best = max(fitted.validation_scores_)
    assert fitted.validation_scores_.index(best) + 1 == fitted.best_iter_


def test_a_validation_set_replaces_the_held_out_part():
    X, y = noisy(2)
    fitted = Perceptron(early_stopping=True, max_iter=1, tol=None)
    fitted.fit(X, y, validation_set=noisy(3))
    assert fitted.t_ == len(X)
    assert len(Perceptron(max_iter=1, tol=None).fit(X, y, validation_set=(X, y)).validation_scores_)


@every_learner
@both
def test_a_resumed_fit_goes_on_from_the_raw_state(learner, n_classes):
    X, y = noisy(2, n_classes=n_classes)
    dev = noisy(3, n=80, n_classes=n_classes)
    fitted = learner(n_iter_no_change=3, max_iter=12, warm_start=True, tol=None)
    fitted.fit(X, y, validation_set=dev)
    raw = learner(max_iter=fitted.n_iter_, warm_start=True, tol=None).fit(X, y)
    assert_same_bytes(weights_of(fitted), weights_of(raw))
    fitted.set_params(max_iter=2).fit(X, y)
    raw.set_params(max_iter=2).fit(X, y)
    assert_same_bytes(weights_of(fitted), weights_of(raw))
    assert_same_bytes([fitted.coef_], [raw.coef_])
    np.testing.assert_array_equal(fitted.predict(X), raw.predict(X))


@every_learner
@both
def test_learning_on_in_a_stream_goes_on_from_the_raw_state(learner, n_classes):
    X, y = noisy(2, n_classes=n_classes)
    fitted = learner(n_iter_no_change=3, max_iter=12, tol=None)
    fitted.fit(X, y, validation_set=noisy(3, n=80, n_classes=n_classes))
    raw = learner(max_iter=fitted.n_iter_, tol=None).fit(X, y)
    for one in (fitted, raw):
        one.partial_fit(X[:20], y[:20])
    assert_same_bytes(weights_of(fitted), weights_of(raw))
    assert_same_bytes([fitted.coef_], [raw.coef_])
    np.testing.assert_array_equal(fitted.decision_function(X), raw.decision_function(X))
    assert not hasattr(fitted, "validation_scores_")


@every_learner
def test_a_resumed_fit_with_a_validation_set_scores_its_own_weights(learner):
    """Not those that were best in the fit before."""
    X, y = noisy(2)
    dev = noisy(3, n=80)
    options = {"n_iter_no_change": 20, "tol": None}
    if learner().get_params().get("average") == "tail":  # of which each call counts the epochs
        options["average"] = True
    fitted = learner(max_iter=6, warm_start=True, **options)
    fitted.fit(X, y, validation_set=dev)
    first = fitted.validation_scores_
    fitted.fit(X, y, validation_set=dev)
    whole = learner(max_iter=12, **options).fit(X, y, validation_set=dev)
    assert whole.validation_scores_ == first + fitted.validation_scores_


def test_a_stream_after_a_resumed_fit_answers_with_what_it_learns():
    X, y = noisy(2)
    learner = Perceptron(warm_start=True, max_iter=5, n_iter_no_change=1, tol=None)
    learner.partial_fit(X, y)
    learner.fit(X, y, validation_set=noisy(3, n=80))
    learner.partial_fit(X, 1 - y)
    assert_same_bytes((learner.coef_, learner.intercept_), weights_of(learner))
    assert not hasattr(learner, "stop_reason_")


def test_a_fit_without_early_stopping_leaves_no_scores_of_an_earlier_one():
    X, y = noisy(2)
    learner = Perceptron(max_iter=3, tol=None).fit(X, y, validation_set=noisy(3))
    learner.fit(X, y)
    assert not hasattr(learner, "validation_scores_")
    assert not hasattr(learner, "best_iter_")
    assert_same_bytes((learner.coef_, learner.intercept_), weights_of(learner))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_class_with_one_row_is_never_held_out(name):
    X, y = noisy(4, n=40)
    y[:] = 0
    y[7] = 1
    fitted = LEARNERS[name](early_stopping=True, validation_fraction=0.5, max_iter=2, tol=None)
    fitted.fit(X, y)
    assert fitted.t_ == 40 * fitted.n_iter_ - fitted.n_iter_ * round(0.5 * 39)
