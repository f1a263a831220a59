"""Blocks of rows predicted and learned, features that appear, and what is refused on the way."""

import copy

import numpy as np
import pytest
from strategies import LEARNERS, LINEAR, csr, floats, integers

from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron
from rosenblatt.errors import InputError, NotFittedError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
STREAMED = [name for name in LEARNERS if name != "voted"]


@pytest.mark.parametrize("name", STREAMED)
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_block_is_predicted_and_learned_as_one_by_one(name, ties, n_classes):
    X, y = integers(4, n=60, n_classes=n_classes)
    blocks, single = (LEARNERS[name](ties=ties) for _ in range(2))
    predicted = []
    for x, label in zip(X, y.tolist(), strict=True):
        predicted.append(single.predict_one(x))
        single.learn_one(x, label)
    tested = [blocks.predict_then_learn(X[i : i + 7], y[i : i + 7]) for i in range(0, 60, 7)]
    assert [answer for block in tested for answer in block.predictions] == predicted
    assert blocks.coef_.tobytes() == single.coef_.tobytes()
    assert sum(block.mistakes for block in tested) == single.n_mistakes_ == blocks.n_mistakes_


@pytest.mark.parametrize("name", STREAMED)
def test_blocks_go_on_after_float32_rows_and_take_lists_and_records(name):
    X, y = floats(3, dtype=np.float32)
    learner = LEARNERS[name](max_iter=3, tol=None).fit(X, y)
    twin = copy.deepcopy(learner)
    assert len(learner.predict_then_learn(X, y).predictions) == len(y)
    twin.predict_then_learn(X.astype(np.float64).tolist(), y.tolist())
    assert learner.coef_.tobytes() == twin.coef_.tobytes()
    named = LEARNERS[name]().learn_one({"a": 1.0, "b": 2.0}, "p").learn_one({"a": -1.0}, "q")
    assert named.predict_then_learn([{"a": 3.0}], ["p"]).predictions == ["p"]


@pytest.mark.parametrize("sparse", [False, True])
def test_a_refused_block_changes_nothing(sparse):
    X, y = floats(3)
    learner = Perceptron(max_iter=3, tol=None).fit(X, y)
    before = learner.coef_.tobytes(), learner.stop_reason_, learner.n_features_in_, learner.t_
    wide = np.hstack([X, X])
    spoiled = wide.copy()
    spoiled[2, 1] = np.nan
    as_given = csr if sparse else np.asarray
    for rows, labels in ((wide, y[:-1]), (spoiled, y), (spoiled[:, :4], y), (X, [None] * len(y))):
        with pytest.raises(InputError):
            learner.predict_then_learn(as_given(rows), labels)
        found = learner.coef_.tobytes(), learner.stop_reason_, learner.n_features_in_, learner.t_
        assert found == before


@pytest.mark.parametrize("as_given", [np.asarray, csr])
def test_a_first_block_without_features_is_learned_by_the_bias(as_given):
    learner = Perceptron()
    assert learner.predict_then_learn(as_given(np.zeros((2, 0))), [0, 1]).mistakes == 1
    learner.predict_then_learn(np.eye(2), [0, 1])
    assert learner.predict(np.eye(2)).tolist() == [0, 1]


def test_a_learner_that_keeps_rows_refuses_what_would_not_keep_them():
    X, y = floats(3)
    voted = VotedPerceptron(max_iter=2).fit(X, y)
    for call in (lambda: voted.predict_then_learn(X, y), lambda: voted.insert_features([0])):
        with pytest.raises(ParameterError, match="keeps rows to predict by"):
            call()


def test_features_are_added_where_they_are_wanted():
    X, y = floats(3)
    learner = AveragedPerceptron().partial_fit(X, y)
    before = learner.decision_function(X)
    learner.insert_features([0, 4]).grow(8)
    wider = np.hstack([np.full((len(X), 1), 9.0), X, np.full((len(X), 3), 7.0)])
    np.testing.assert_allclose(learner.decision_function(wider), before, rtol=1e-12)
    assert learner.n_features_in_ == 8


def test_features_are_added_behind_those_that_joined_after_the_record_began():
    X, y = integers(3)
    learner = Perceptron(record=True).partial_fit(X[:, :2], y)
    learner.predict_then_learn(X, y)
    learner.insert_features([1, 4])
    assert learner.n_features_in_ == learner.ledger_.start.n_features == 6
    assert not learner.coef_[0, [1, 5]].any()


def test_places_and_sizes_that_make_no_sense_are_refused():
    X, y = floats(3)
    learner = Perceptron().partial_fit(X, y)
    for places in ([5], [-1], [0.5]):
        with pytest.raises(ParameterError, match="a place="):
            learner.insert_features(places)
    with pytest.raises(ParameterError, match="n_features=-1"):
        learner.grow(-1)
    with pytest.raises(NotFittedError):
        Perceptron().insert_features([0])
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        Perceptron().predict([[1.0]])
    with pytest.raises(NotFittedError, match="met no class yet"):
        Perceptron().grow(3).predict([[1.0, 2.0, 3.0]])
    named = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    for call in (lambda: named.grow(5), lambda: named.insert_features([0])):
        with pytest.raises(ParameterError, match="for features without names"):
            call()


def test_ties_of_a_mapping_fall_to_the_class_that_predict_names():
    for ties, expected in (("mistake", "a"), ("positive", "c")):
        learner = Perceptron(ties=ties, fit_intercept=False)
        learner.partial_fit(np.zeros((3, 1)), ["c", "b", "a"])
        mapping = Perceptron(ties=ties, fit_intercept=False)
        for label in "cba":
            mapping.learn_one({"x": 0.0}, label)
        assert learner.predict_one([0.0]) == mapping.predict_one({"x": 0.0}) == expected


@pytest.mark.parametrize("learner", LINEAR)
def test_a_bias_is_not_switched_on_the_way(learner):
    X, y = floats(3)
    model = learner().partial_fit(X, y)
    with pytest.raises(ParameterError, match="was trained the other way"):
        model.set_params(fit_intercept=False).partial_fit(X, y)
    with pytest.raises(ParameterError, match="was trained the other way"):
        model.learn_one(X[0], y[0])
