"""Usual examples take one compiled call; all others the longer way, and no result tells which."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import LEARNERS, floats

from estimators.linear.one_call import (
    OPTIONS,
    OddFloat,
    OddInt,
    OddText,
    assert_refused,
    compare_both_ways,
    learns_in_one_call,
    outcome,
    predicted_in_one_call,
    same,
    state,
)
from rosenblatt import AveragedPerceptron, Perceptron, SoftPerceptron
from rosenblatt.engine.rows.engine import Engine
from rosenblatt.errors import OverflowRefused
from rosenblatt.linear import LinearLearner, Rule

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


VALUES = st.one_of(
    st.floats(-5, 5),
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from(
        [0.0, -0.0, 1e-320, 1e150, -1e150, 1e151, float("nan"), float("-inf"), 10**400]
    ),
    st.sampled_from(
        [np.float64(1.5), np.float32(0.1), np.int8(2), np.bool_(True), np.float64("nan")]
    ),
    st.sampled_from(
        [OddFloat(2.0), OddInt(2), Decimal("0.5"), Fraction(1, 3), "1", None, 1j, [1.0]]
    ),
)
KEYS = st.sampled_from(
    ["a", "b", "c", "d", OddText("a"), np.str_("b"), 0, 1, True, 2.0, np.int64(1), None, ("a", 1)]
)
USUAL = st.dictionaries(st.sampled_from("abcd"), st.floats(-5, 5))
MAPPINGS = st.one_of(USUAL, st.dictionaries(KEYS, VALUES, max_size=6))
LABELS = st.sampled_from([0, 1, 1, 2, 3, True, np.int64(1), 1.0, "1", None, [1]])


@given(
    name=st.sampled_from(sorted(LEARNERS)),
    options=OPTIONS,
    examples=st.lists(st.tuples(MAPPINGS, st.one_of(st.sampled_from([0, 1]), LABELS)), max_size=12),
    changed=st.integers(0, 12),
)
def test_mappings_are_learned_and_predicted_as_by_the_longer_way(name, options, examples, changed):
    short, long = LEARNERS[name](**options), LEARNERS[name](**options)
    for number, (x, y) in enumerate(examples):
        if number == changed:
            for learner in (short, long):
                learner.set_params(ties="positive", class_weight=None)
        compare_both_ways(short, long, x, y)


ROWS = st.one_of(
    st.lists(st.floats(-5, 5), min_size=3, max_size=3).map(np.array),
    st.lists(st.floats(-5, 5, width=32), min_size=3, max_size=3).map(np.float32),
    st.sampled_from(
        [
            np.array([1, 2, 3]),
            np.array([1.0, np.nan, 0.0]),
            np.array([np.inf, 0.0, 0.0]),
            np.array([1e151, 0.0, 0.0]),
            np.array([1e149, 0.0, 0.0]),
            np.float32([1e16, 0.0, 0.0]),
            np.array([1.0, 2.0]),
            np.array([]),
            np.array(1.0),
            np.ones((1, 3)),
            np.arange(6.0)[::2],
            np.arange(3.0)[::-1],
            np.arange(3.0).astype(">f8"),
            np.frombuffer(np.arange(3.0).tobytes()),  # cannot be written to
            np.arange(3.0, dtype=np.longdouble),
            np.array(["a", "b", "c"]),
            np.array([True, False, True]),
            np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
            np.array([1.0, 2.0, 3.0]).view(np.matrix),
        ]
    ),
)
ARRAY_LABELS = st.sampled_from(
    [0, 1, 2, True, np.int64(1), np.uint8(0), np.bool_(True), 1.0, np.float64(0.0), "1", None, [1]]
)
TEXTS = st.sampled_from(["a", "b", "c", np.str_("a"), "a\0", "", "b\0\0", 1])


@given(
    name=st.sampled_from(sorted(LEARNERS)),
    options=OPTIONS,
    first=st.sampled_from([np.float32, np.float64]),
    labels=st.sampled_from([ARRAY_LABELS, TEXTS]),
    data=st.data(),
)
def test_arrays_are_learned_and_predicted_as_batches_of_one(name, options, first, labels, data):
    # Refused where rows are kept, and where all weights change at once.
    can_be_read_out = name != "voted" and not LEARNERS[name]().rule().scales
    assume(can_be_read_out or "readout" not in options)
    short, long = LEARNERS[name](**options), LEARNERS[name](**options)
    names = [0, 1] if labels is ARRAY_LABELS else ["a", "b"]
    X, y = floats(data.draw(st.integers(0, 9)), n=4, d=3, dtype=first)
    for learner in (short, long):
        learner.partial_fit(X, np.array(names)[y])
    for _ in range(data.draw(st.integers(0, 8))):
        x, label = data.draw(ROWS), data.draw(st.one_of(st.sampled_from(names), labels))
        if x.ndim == 1:
            expected = outcome(lambda x: long.predict(x[None]).tolist()[0], x)
            assert same(outcome(short.predict_one, x), expected)
        before = state(short)
        if x.ndim != 1 or label is None or isinstance(label, list):
            assert isinstance(outcome(short.learn_one, x, label), tuple)
            assert state(short) == before
            continue
        expected = outcome(long.partial_fit, x[None], [label])
        assert same(outcome(short.learn_one, x, label), expected)
        assert state(short) == state(long)
        if expected is not True:
            assert_refused(before, state(short))


X, Y = floats(3, n=40)
ROW = dict(zip("abcd", [1.0, 2.0, -3.0, 0.5], strict=True))
X_BY_NAME = [dict(zip("abcd", x, strict=True)) for x in X.tolist()]


def stream(learner, labels=Y):
    for x, label in zip(X, labels, strict=True):
        learner.learn_one(dict(zip("abcd", x.tolist(), strict=True)), label)
    return learner


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - {"voted"}))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_usual_examples_take_one_call(name, n_classes):
    learner = stream(LEARNERS[name](), np.arange(len(X)) % n_classes)
    compiled = not hasattr(learner, "step")
    odd = {"a": np.float64(1.0), "b": True, "c": 2, "d": OddFloat(0.5)}
    for x in (ROW, odd, dict(reversed(ROW.items())), {"b": 1.0}, {}):
        assert learns_in_one_call(learner, x, 1) is compiled
        assert predicted_in_one_call(learner, x) in range(n_classes)
    arrays = LEARNERS[name]().partial_fit(X, np.arange(len(X)) % n_classes)
    for label in (1, True, np.int8(1), np.bool_(True)):
        assert learns_in_one_call(arrays, X[0], label) is compiled
    assert predicted_in_one_call(arrays, X[0]) in range(n_classes)


@pytest.mark.parametrize(
    "x",
    [
        {"a": 1.0, "new": 1.0},
        {"a": "1"},
        {"a": float("nan")},
        {"a": np.float32(1.0)},
        {OddText("a"): 1.0},
        MappingProxyType(ROW),
        pd.Series(ROW),
        X[0],
        [1.0, 2.0, 3.0, 4.0],
    ],
)
def test_what_is_unusual_is_left_alone(x):
    assert not learns_in_one_call(stream(Perceptron()), x, 1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("readout", ["auto", "last", "average", "slow", "fast"])
def test_means_beside_the_weights_follow_in_one_call(readout, n_classes):
    learner = stream(Perceptron(readout=readout), np.arange(len(X)) % n_classes)
    for x in (ROW, {"b": 1.0}, {}):
        assert learns_in_one_call(learner, x, 1)
        assert predicted_in_one_call(learner, x) in range(n_classes)
    arrays = Perceptron(readout=readout).partial_fit(X, np.arange(len(X)) % n_classes)
    assert learns_in_one_call(arrays, X[0], 1)
    assert predicted_in_one_call(arrays, X[0]) == arrays.predict(X[:1])[0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_mix_learns_and_predicts_in_one_call(n_classes):
    y = np.arange(len(X)) % n_classes
    for learner, x in (
        (stream(Perceptron(readout="mix"), y), ROW),
        (Perceptron(readout="mix").partial_fit(X, y), X[0]),
    ):
        assert learns_in_one_call(learner, x, 1)
        row = [ROW] if x is ROW else x[None]
        assert predicted_in_one_call(learner, x) == learner.predict(row)[0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_arrays_are_predicted_by_the_best_weights_in_one_call(n_classes):
    learner = Perceptron(early_stopping=True).fit(X, np.arange(len(X)) % n_classes)
    for x in X:
        assert predicted_in_one_call(learner, x) == learner.predict(x[None])[0]


@pytest.mark.parametrize("y", [2, "1", None, [1], {}])
def test_labels_that_are_unknown_or_none_are_left_alone(y):
    assert not learns_in_one_call(stream(Perceptron()), ROW, y)


@pytest.mark.parametrize(
    "changes",
    [{"eta0": 2.0}, {"ties": "positive"}, {"record": True}, {"class_weight": "balanced"}],
)
def test_a_parameter_that_was_set_is_seen(changes):
    learner = stream(Perceptron()).set_params(**changes)
    assert not learns_in_one_call(learner, ROW, 1)


def test_an_engine_is_made_again_after_a_parameter_was_set_or_the_model_has_changed():
    learner = stream(Perceptron(eta0=0.5))
    learner.learn_one(ROW, 1)
    engine = learner._engine
    learner.learn_one(ROW, 1).predict_one(ROW)
    assert learner._engine is engine
    learner.eta0 = 0.5
    assert "_engine" not in vars(learner)
    learner.learn_one(ROW, 1)
    learner.partial_fit(X_BY_NAME, Y)
    assert "_engine" not in vars(learner)
    assert learns_in_one_call(learner, ROW, 1)


def test_single_examples_are_recorded_in_one_call():
    learner = stream(Perceptron(record=True), np.arange(len(X)) % 3)
    recorder = learner._model.recorder
    n = len(recorder.entries.row)
    for number in range(3000):  # more than wait in a log
        x = dict(zip("abcd", X[number % len(X)].tolist(), strict=True))
        learner.learn_one(x, number % 3)
    slow = stream(Perceptron(record=True), np.arange(len(X)) % 3)
    for number in range(3000):
        x = dict(zip("abcd", X[number % len(X)].tolist(), strict=True))
        slow.learn_one(MappingProxyType(x), number % 3)
    found, expected = recorder.entries, slow._model.recorder.entries
    assert len(found.row) > n + 1024
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert learner.n_mistakes_ == slow.n_mistakes_


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_go_on_as_the_model_does(again):
    learner = stream(AveragedPerceptron(eta0=0.3))
    twin = again(learner)
    for one in (learner, twin):
        stream(one)
    assert state(twin) == state(learner)
    assert twin._stream.model is twin._model
    assert learns_in_one_call(twin, ROW, 1)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(("ties", "winner"), [("mistake", 0), ("positive", -1)])
def test_ties_go_to_the_first_or_the_last_class_in_their_natural_order(n_classes, ties, winner):
    labels = list("cadb"[:n_classes])
    mappings = stream(Perceptron(ties=ties, fit_intercept=False), np.resize(labels, len(X)))
    arrays = Perceptron(ties=ties, fit_intercept=False).partial_fit(X, np.resize(labels, len(X)))
    assert predicted_in_one_call(mappings, {}) == sorted(labels)[winner]
    assert predicted_in_one_call(arrays, np.zeros(4)) == sorted(labels)[winner]


@pytest.mark.parametrize("size", [65, 257])
@pytest.mark.parametrize("n_classes", [2, 300])
def test_long_mappings_and_many_classes(size, n_classes):
    short, long = SoftPerceptron(), SoftPerceptron()
    random = np.random.default_rng(0)
    for number in range(n_classes + 5):
        names = random.permutation(size).tolist()
        x = {f"feature {name}": float(name % 7) for name in names[: size // (1 + number % 3)]}
        y = number % n_classes
        short.learn_one(x, y)
        long.learn_one(MappingProxyType(x), y)
        assert short.predict_one(x) == long.predict_one(MappingProxyType(x))
    assert state(short) == state(long)


def test_a_refused_step_changes_nothing():
    learner = Perceptron(eta0=1e149)
    learner.learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    before = state(learner)
    huge = {"a": -1e150}
    expected = outcome(learner.learn_one, MappingProxyType(huge), 0)
    assert expected[0] is OverflowRefused
    assert outcome(learner.learn_one, huge, 0) == expected
    assert state(learner)[0] == before[0]


class Contrary(Perceptron):
    def predict(self, X):
        return 1 - super().predict(X)


def test_a_class_with_predictions_of_its_own_keeps_them():
    plain, contrary = (kind().partial_fit(X, Y) for kind in (Perceptron, Contrary))
    for x in X:
        assert contrary.predict_one(x) == 1 - plain.predict_one(x)


class Meddler:
    """A feature that is taken for "a", and changes the mapping when it is compared."""

    def __init__(self):
        self.meddle = lambda: None

    def __hash__(self):
        return hash("a")

    def __eq__(self, other):
        self.meddle()
        return self is other


@pytest.mark.parametrize("what", ["clear", "grow", "learn", "raise"])
def test_features_that_meddle_when_compared_do_no_harm(what):
    meddler = Meddler()
    learner = Perceptron().learn_one({meddler: 1.0, "b": 2.0}, 0).learn_one({"b": -1.0}, 1)
    x = {"a": 1.0, "b": 1.0}

    def meddle():
        meddler.meddle = lambda: None  # once is enough
        if what == "clear":
            x.clear()
        elif what == "grow":
            x.update({str(number): 1.0 for number in range(300)})
        elif what == "learn":
            learner.learn_one({"b": 3.0, "new": 1.0}, 2)
        else:
            raise ArithmeticError

    meddler.meddle = meddle
    predicted = outcome(learner.predict_one, x)
    meddler.meddle = meddle
    found = outcome(learner.learn_one, x, 0)
    if what == "raise":
        assert predicted[0] is found[0] is ArithmeticError
    assert np.isfinite(learner.coef_).all()
    assert learner.coef_.shape[1] == learner.n_features_in_ == len(learner.feature_names_in_)
    assert learner.learn_one({"b": 1.0}, 1).predict_one({"b": 1.0}) in (0, 1, 2)


def opened(model):
    """An engine of its own that is ready for the mappings of a model."""
    engine = Engine(model.weights, Rule("perceptron"))
    engine.open(model, learns=True, columns=model.columns)
    return engine


class Asking(LinearLearner):
    """Tries to learn from an example while it learns from another."""

    def rule(self):
        return Rule("asking", step=self.step)

    def step(self, margin, squared_norm, mistaken):
        other = opened(self._model)
        self.answers = [*vars(self).get("answers", []), other.learn_one(ROW, 1)]
        return 1.0


def test_weights_that_another_thread_learns_into_are_left_alone():
    learner = stream(Asking())
    assert learner.answers
    assert not any(learner.answers)
    other = opened(learner._model)
    assert other.learn_one(ROW, 1)
