"""A pass over blocks predicts and learns as the learners do one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from strategies import LEARNERS

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear.streaming import Stream
from rosenblatt.evaluate import Progress, progressive
from rosenblatt.models.linear import LinearModel

# Streams of rows take the linear learners that keep none of them.
STREAMING = {name: kind for name, kind in LEARNERS.items() if not kind().keeps_rows}


def rows(n: int, k: int, *, noise: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.6)
    X[:, 0] = rng.normal(size=n)
    scores = X @ rng.normal(size=(6, k)) + noise * rng.normal(size=(n, k))
    return X, np.array(["c", "a", "d", "b"])[scores.argmax(axis=1)]


def model_of(learner, n_features):
    """An empty model such as the learner would begin with."""
    rule = learner.rule()
    kinds = {"rates": rule.rates, "is_scaled": rule.scales}
    return LinearModel([], n_features, averaged=learner.averages, **kinds)


def passed(name, X, y, cuts, **settings):
    progress = Progress()
    learner = STREAMING[name]()
    model = model_of(learner, X.shape[1])
    online = Stream(model, STREAMING[name]().rule())
    given = []
    for start, stop in itertools.pairwise(cuts):
        tested = online.predict_then_learn(
            X[start:stop], y[start:stop], predictions=True, **settings
        )
        progress.add_tested(tested)
        given += tested.predictions
    return model, progress, given


@pytest.mark.parametrize("name", STREAMING)
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_mistakes_answers_and_weights_equal_those_of_the_estimator(name, k, sparse):
    X, y = rows(300, k)
    estimator, answers = STREAMING[name](), []
    for x, label in zip(X, y.tolist(), strict=True):
        answers.append(estimator.predict_one(x))
        estimator.learn_one(x, label)
    expected = progressive(STREAMING[name](), [(X, y)])
    table = csr_array(X) if sparse else X
    for cuts in ([0, 300], [0, 1, 2, 5, 77, 78, 300]):
        model, progress, given = passed(name, table, y, cuts)
        assert given == answers
        assert progress.curve == expected.curve
        assert progress.online_mistakes == expected.online_mistakes
        order = sorted(range(k), key=model.classes.__getitem__) if k > 2 else [0]
        assert np.allclose(model.served()[0][order], estimator.coef_)


@pytest.mark.parametrize("name", STREAMING)
@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_without_answers_the_same_is_counted(name, noise):
    X, y = rows(900, 3, noise=noise)
    _, expected, _ = passed(name, X, y, [0, 900])
    progress = Progress()
    learner = STREAMING[name]()
    model = model_of(learner, 6)
    online = Stream(model, learner.rule())
    tested = online.predict_then_learn(X, y)
    points = progress.add_tested(tested)
    assert tested.predictions == []
    assert points == expected.curve[:-1]
    assert progress.mistakes == expected.mistakes


def test_the_latest_weights_of_an_averaged_model_are_counted_as_the_learner_does():
    X, y = rows(500, 2)
    runs = {}
    for latest in (False, True):
        progress = Progress()
        model = LinearModel([], 6, averaged=True)
        online = Stream(model, Rule("perceptron"))
        progress.add_tested(online.predict_then_learn(X, y, latest=latest))
        runs[latest] = progress.mistakes, progress.online_mistakes, model.digest()
    # The first row and the first of the second class have no answer, but teach nothing or a tie.
    assert runs[True][0] in (runs[True][1], runs[True][1] + 1)
    assert runs[False][0] < runs[True][0]
    assert runs[False][1:] == runs[True][1:]


def test_new_features_join_with_weight_0():
    X, y = rows(200, 2)
    wide, narrow = LinearModel([], 6, averaged=True), LinearModel([], 3, averaged=True)
    first = X[:100].copy()
    first[:, 3:] = 0
    for model, start in ((wide, first), (narrow, first[:, :3])):
        online = Stream(model, Rule("perceptron"))
        online.predict_then_learn(csr_array(start), y[:100])
        online.predict_then_learn(csr_array(X[100:]), y[100:])
    assert np.array_equal(wide.served()[0], narrow.served()[0])


def test_every_update_is_recorded_where_a_ledger_is_kept():
    X, y = rows(300, 3)
    model = LinearModel([], 6, averaged=True)
    model.keep_record(True)
    online = Stream(model, Rule("perceptron"))
    for start in range(0, 300, 50):
        online.predict_then_learn(X[start : start + 50], y[start : start + 50])
    coef, bias = model.ledger().replay(X)
    assert np.allclose(coef, model.weights.matrix)
    assert np.allclose(bias, model.weights.bias)


def test_a_value_that_is_not_finite_is_refused_and_changes_nothing():
    X, y = rows(50, 2)
    model = LinearModel([], 6)
    online = Stream(model, Rule("perceptron"))
    online.predict_then_learn(X, y)
    before = model.digest()
    X[3, 2] = np.nan
    with pytest.raises(InputError, match="NaN at row 3"):
        online.predict_then_learn(X, y)
    assert model.digest() == before
