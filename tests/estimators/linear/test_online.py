"""Learning one example at a time (L1.4): receive x, answer, receive y, learn."""

from collections import UserDict
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from reference.lectures import L1_7_MISTAKES, L1_7_X, L1_7_Y
from strategies import LEARNERS, LINEAR, assert_same_bytes, floats, integers, weights_of

from rosenblatt import Perceptron, SoftPerceptron, VotedPerceptron
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_learner = pytest.mark.parametrize("name", LEARNERS)
NAMES = ["a", "b", "c", "d"]


def as_mapping(x, names=NAMES):
    return dict(zip(names, x.tolist(), strict=True))


def stream(name, X, y, **options):
    learner = LEARNERS[name](**options)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(as_mapping(x), label)
    return learner


@every_learner
def test_there_is_no_answer_before_the_first_example(name):
    learner = LEARNERS[name]()
    assert learner.predict_one({"a": 1.0}) is None
    assert learner.predict_one([1.0, 2.0]) is None
    assert not hasattr(learner, "coef_")
    learner.learn_one({"a": 1.0}, "spam")
    assert learner.predict_one({"a": 1.0}) == "spam"
    assert learner.predict_one({}) == "spam"
    learner.learn_one({"a": -1.0}, "ham")
    assert learner.predict_one({"a": -3.0}) == "ham"
    assert learner.predict_one({"a": 3.0}) in ("ham", "spam")
    assert learner.t_ == 2


@pytest.mark.parametrize("as_mappings", [False, True])
def test_declared_classes_count_from_the_first_example(as_mappings):
    """L1.4, L1.7 as printed: the first example is a mistake, before the second class was seen."""
    learner = Perceptron(ties="positive", fit_intercept=False, record=True)
    for x, label in zip(L1_7_X, L1_7_Y, strict=True):
        learner.learn_one(as_mapping(x, "ab") if as_mappings else x, label, classes=[-1, 1])
    assert [update.t for update in learner.ledger_] == L1_7_MISTAKES
    assert learner.coef_.tolist() == [[3.0, 1.0]]


@pytest.mark.parametrize("x", [{"a": 1.0, "b": 2.0}, [1.0, 2.0]])
def test_classes_are_declared_in_the_first_call_and_may_grow(x):
    learner = Perceptron().learn_one(x, "b", classes=["b", "a"])
    assert learner.classes_.tolist() == ["a", "b"]
    assert learner.n_mistakes_ == 1
    learner.learn_one(x, "b").learn_one(x, "b", classes=["c"])
    assert learner.classes_.tolist() == ["a", "b", "c"]
    assert learner.t_ == 3


@pytest.mark.parametrize("x", [{"a": float("nan")}, [float("nan"), 1.0]])
def test_a_refused_example_declares_nothing(x):
    learner = Perceptron().learn_one({"a": 1.0, "b": 1.0} if isinstance(x, dict) else [1, 1], 0)
    state = learner._model.digest()
    with pytest.raises(InputError):
        learner.learn_one(x, 0, classes=[0, 1, 2])
    with pytest.raises(InputError, match=r"classes=7 is not a list of classes"):
        learner.learn_one({"a": 1.0} if isinstance(x, dict) else [1, 1], 0, classes=7)
    assert learner._model.digest() == state
    assert learner.classes_.tolist() == [0]


def test_probabilities_of_one_example_are_those_of_a_batch():
    soft = SoftPerceptron()
    assert soft.predict_proba_one({"a": 1.0}) == {}
    soft.learn_one({"a": 1.0, "b": 2.0}, "ham").learn_one({"a": -1.0, "b": 1.0}, "spam")
    found = soft.predict_proba_one({"a": 3.0, "never seen": 1.0})
    expected = soft.predict_proba(pd.DataFrame({"a": [3.0], "b": [0.0]}))[0].tolist()
    assert found == dict(zip(["ham", "spam"], expected, strict=True))
    assert max(found, key=found.get) == soft.predict_one({"a": 3.0})
    arrays = SoftPerceptron().partial_fit(np.eye(3), [0, 1, 2])
    assert list(arrays.predict_proba_one([1, 0, 0]).values()) == pytest.approx(
        arrays.predict_proba([[1, 0, 0]])[0].tolist(), abs=0
    )


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_predicting_never_learns(name, n_classes):
    X, y = floats(1, n_classes=n_classes)
    learner = stream(name, X, y)
    state = learner._model.digest()
    for x in X:
        learner.predict_one(as_mapping(x))
        learner.predict_one({"never seen": 4.0, "a": 1.0})
    assert learner._model.digest() == state
    assert list(learner.feature_names_in_) == NAMES
    assert [learner.predict_one(as_mapping(x)) for x in X] == learner.predict(
        pd.DataFrame(X, columns=NAMES)
    ).tolist()


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predicting_leaves_a_finished_fit_alone(learner, dtype):
    X, y = floats(1, n=60)
    frame = pd.DataFrame(X.astype(dtype), columns=NAMES)
    fitted = learner(early_stopping=True, validation_fraction=0.3, record=True, tol=None)
    fitted.set_params(max_iter=10).fit(frame, y)
    state, length, known = fitted._model.digest(), len(fitted.ledger_), set(vars(fitted))
    answers = [fitted.predict_one(x) for x in frame.to_dict("records")]
    assert answers == fitted.predict(frame).tolist()
    assert fitted._model.digest() == state
    assert len(fitted.ledger_) == length
    assert set(vars(fitted)) - {"_engine"} == known  # which is only a fast path


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_the_keys_does_not_matter_to_the_last_bit(name, n_classes):
    X, y = floats(2, n_classes=n_classes)
    one, other = LEARNERS[name](), LEARNERS[name]()
    one.learn_one(as_mapping(X[0]), y[0])
    other.learn_one(as_mapping(X[0]), y[0])
    for x, label in zip(X[1:], y[1:], strict=True):
        one.learn_one(as_mapping(x), label)
        other.learn_one(dict(reversed(as_mapping(x).items())), label)
    assert one._model.digest() == other._model.digest()


@every_learner
def test_features_left_out_count_as_zero(name):
    X, y = integers(2)
    X[0] = 1
    full, short = LEARNERS[name](), LEARNERS[name]()
    for x, label in zip(X, y, strict=True):
        full.learn_one(as_mapping(x), label)
        short.learn_one({key: value for key, value in as_mapping(x).items() if value}, label)
    for found, expected in zip(weights_of(short), weights_of(full), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_new_features_may_appear_at_any_time(name, n_classes):
    """As if they had been there, with value 0, from the start."""
    X, y = integers(3, n=40, d=40, n_classes=n_classes)
    names = [f"f{j}" for j in range(40)]
    X *= np.arange(40)[None, :] <= np.arange(40)[:, None]  # row i knows the features up to i
    growing = LEARNERS[name]()
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        growing.learn_one(as_mapping(x[: i + 1], names[: i + 1]), label)
        assert growing.n_features_in_ == i + 1
    assert list(growing.feature_names_in_) == names
    assert growing.coef_.shape == (1 if n_classes == 2 else 3, 40)
    known = LEARNERS[name]()
    for x, label in zip(X, y, strict=True):
        known.learn_one(as_mapping(x, names), label)
    for found, expected in zip(weights_of(growing), weights_of(known), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert growing.n_mistakes_ == known.n_mistakes_


@pytest.mark.parametrize("kind", [UserDict, MappingProxyType])
def test_anything_that_maps_features_to_numbers_will_do(kind):
    values = {"a": 1.0, "b": -2.0}
    learner = Perceptron().learn_one(kind(values), 1).learn_one(kind({"a": -1.0}), 0)
    assert learner.predict_one(kind(values)) == learner.predict_one(values)
    assert list(learner.feature_names_in_) == ["a", "b"]


def test_numbers_of_many_types_are_read():
    learner = Perceptron().learn_one({"a": 1}, 0)
    learner.learn_one({"a": np.float32(2), "b": True, "c": np.int64(3)}, 1)
    assert learner.coef_.tolist() == [[2.0, 1.0, 3.0]]


def test_a_mapping_is_refused_by_a_model_without_names():
    learner = Perceptron().partial_fit([[1.0, 2.0]], [0], classes=[0, 1])
    state = learner._model.digest()
    for use in (lambda: learner.learn_one({"a": 1.0}, 1), lambda: learner.predict_one({"a": 1.0})):
        with pytest.raises(InputError, match=r"mapping.*columns without names"):
            use()
    assert learner._model.digest() == state


@every_learner
@pytest.mark.parametrize("value", ["red", float("nan"), float("inf"), 1e200, None, [1.0]])
def test_a_value_that_is_no_number_is_refused_by_name(name, value):
    learner = LEARNERS[name]().learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    state = learner._model.digest()
    for use in (
        lambda: learner.learn_one({"new": 1.0, "colour": value}, 2),
        lambda: learner.predict_one({"colour": value}),
    ):
        with pytest.raises(InputError, match="'colour'") as caught:
            use()
        assert repr(value) in str(caught.value)
    assert learner._model.digest() == state
    with pytest.raises(InputError, match="'colour=red': 1"):
        learner.learn_one({"colour": "red"}, 0)


def test_a_label_that_cannot_be_a_class_is_refused():
    learner = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    state = learner._model.digest()
    for label in ([1], {"a": 1}):
        with pytest.raises((InputError, TypeError), match=r"hashable|label"):
            learner.learn_one({"new": 1.0}, label)
    with pytest.raises(InputError, match=r"label 'x' \(str\) cannot be compared"):
        learner.learn_one({"new": 1.0}, "x")
    assert learner._model.digest() == state


def test_an_array_of_the_wrong_length_is_refused():
    learner = Perceptron().learn_one([1.0, 2.0], 0)
    with pytest.raises(ValueError, match=r"X has 3 features.*expecting 2"):
        learner.learn_one([1.0, 2.0, 3.0], 1)
    with pytest.raises(ValueError, match=r"X has 1 features.*expecting 2"):
        learner.predict_one([1.0])


@every_learner
def test_a_parameter_changed_between_two_examples_is_heeded(name):
    X, y = integers(4)
    learner = stream(name, X, y, ties="mistake")
    learner.ties = "maybe"
    with pytest.raises(ValueError, match="ties='maybe'"):
        learner.learn_one(as_mapping(X[0]), y[0])
    if hasattr(learner, "eta0"):
        slow = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"a": 1.0}, 1)
        slow.eta0 = 0.25
        before = slow.coef_.copy()
        slow.learn_one({"a": 1.0}, 0)
        assert (before - slow.coef_).tolist() == [[0.25]]


@every_learner
@pytest.mark.parametrize("as_arrays", [False, True])
def test_the_ledger_of_a_stream_replays_across_the_arrival_of_a_third_class(name, as_arrays):
    X, y = floats(5, n=40, n_classes=4)
    X[0] = 1.0  # so that the mappings name the features in the order of the columns
    y[:15] %= 2
    learner = LEARNERS[name](record=True)
    for i in range(0, 40, 4):
        part = slice(i, i + 4)
        if as_arrays:
            learner.partial_fit(X[part], y[part])
        else:
            for x, label in zip(X[part], y[part], strict=True):
                learner.learn_one(as_mapping(x), label)
    ledger = learner.ledger_
    assert len(ledger.classes) == 4
    assert len(ledger) > 10
    assert all(update.row == update.t - 1 for update in ledger)
    assert all(update.y_true == y[update.row] for update in ledger)
    assert_same_bytes(ledger.replay(X), weights_of(learner))
    assert ledger.survival.sum() == learner.t_ == 40


@every_learner
def test_the_ledger_of_a_fit_goes_on_in_the_stream_after_it(name):
    X, y = floats(5, n=40, n_classes=3)
    learner = LEARNERS[name](record=True, max_iter=2, tol=None).fit(X, y)
    between, n_before = weights_of(learner), len(learner.ledger_)
    learner.partial_fit(X[:20], y[:20])
    ledger, given = learner.ledger_, np.vstack([X, X[:20]])
    assert_same_bytes(ledger.replay(given, upto=n_before), between)
    assert_same_bytes(ledger.replay(given), weights_of(learner))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_vectors_of_a_fit_go_on_voting_in_the_stream_after_it(n_classes):
    X, y = floats(5, n=40, n_classes=n_classes)
    parts = VotedPerceptron(shuffle=False, max_iter=1, tol=None).fit(X, y).partial_fit(X, y)
    whole = VotedPerceptron(shuffle=False, max_iter=2, tol=None).fit(X, y)
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))


@every_learner
def test_a_row_of_weight_zero_is_passed_over_but_counted(name):
    X, y = floats(6, n=30)
    weights = np.arange(30) % 2.0
    weighted = LEARNERS[name]().partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    picked = LEARNERS[name]().partial_fit(X[1::2], y[1::2], classes=[0, 1])
    assert_same_bytes(weights_of(weighted), weights_of(picked))
    assert (weighted.t_, picked.t_) == (30, 15)
    state = weighted._model.weights.matrix.copy()
    weighted.partial_fit(X[:1], 1 - y[:1], sample_weight=[0.0])
    np.testing.assert_array_equal(weighted._model.weights.matrix, state)
    assert weighted.t_ == 31


@every_learner
def test_what_was_known_of_a_fit_is_gone_once_learning_goes_on(name):
    X, y = floats(6)
    learner = LEARNERS[name](max_iter=2, tol=None).fit(X, y)
    learner.partial_fit(X, y)
    for attribute in ("n_iter_", "stop_reason_", "converged_", "support_", "dual_coef_"):
        assert not hasattr(learner, attribute)
    assert learner.t_ == 3 * len(X)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "voted"])
def test_two_classes_keep_their_answers_when_a_third_arrives(name):
    """One vector becomes two halves. (Votes of vectors at a tie now have a class to go to.)"""
    X, y = integers(7, n=40)
    learner = LEARNERS[name]().partial_fit(X, y)
    scores = learner.decision_function(X)
    learner._model.admit(2)
    found = learner.decision_function(X)
    assert found.shape == (40, 3)
    np.testing.assert_array_equal(found[:, 1] - found[:, 0], scores)
    np.testing.assert_array_equal(found[:, 2], 0)


@pytest.mark.parametrize("classes", [["a", 1], [None, 1]])
def test_declared_classes_without_an_order_are_refused(classes):
    for act in (Perceptron().learn_one, lambda x, y, c: Perceptron().partial_fit([x], [y], c)):
        with pytest.raises(InputError, match="have no order: give labels of one type"):
            act([1.0], classes[1], classes)
