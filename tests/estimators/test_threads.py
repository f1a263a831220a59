"""One object in several threads: one learns, others are refused; all may predict."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import contextmanager

import numpy as np
import pytest
from waiting import PATIENCE

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    VotedPerceptron,
    load,
    save,
)

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


class Gate:
    """Rows that stop whoever converts them, until they are let on."""

    def __init__(self, rows):
        self.rows, self.reached, self.open = rows, threading.Event(), threading.Event()

    def __len__(self):
        return len(self.rows)

    def __array__(self, dtype=None, copy=None):
        self.reached.set()
        assert self.open.wait(PATIENCE)
        return np.asarray(self.rows, dtype)


@pytest.mark.parametrize("make", [Perceptron, AveragedPerceptron, KernelPerceptron])
@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_a_second_thread_that_learns_is_refused_and_predictions_are_of_the_model_before(make, way):
    learner = make().fit(X, Y)
    before, gate = learner.predict(X).tolist(), Gate(-X)
    thread = threading.Thread(target=lambda: getattr(learner, way)(gate, Y))
    thread.start()
    assert gate.reached.wait(PATIENCE)
    for learn in (learner.fit, learner.partial_fit):
        with pytest.raises(RuntimeError, match="learning in another thread"):
            learn(X, Y)
    assert learner.predict(X).tolist() == before
    gate.open.set()
    thread.join(30)
    alone = getattr(make().fit(X, Y), way)(-X, Y)
    np.testing.assert_array_equal(learner.decision_function(X), alone.decision_function(X))
    learner.fit(X, Y)  # whoever comes later is let in


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_a_second_thread_that_learns_a_structure_is_refused(way):
    refused = []

    def learn():
        with pytest.raises(RuntimeError, match="learning in another thread"):
            learner.partial_fit([1.0], [1])
        refused.append(True)

    def argmax(x, score):
        if not refused:
            thread = threading.Thread(target=learn)
            thread.start()
            thread.join(30)
        return max([-1, 1], key=score)

    learner = StructuredPerceptron(features=lambda x, y: {"x": x * y}, argmax=argmax)
    getattr(learner, way)([1.0, 2.0, -1.0], [1, 1, -1])
    assert refused
    assert learner.predict([5.0]) == [1]


def test_a_second_thread_that_trains_a_tagger_is_refused():
    tagger, refused = SequenceTagger(), []

    class Sentences(list):
        def __iter__(self):
            thread = threading.Thread(target=learn)
            thread.start()
            thread.join(30)
            return super().__iter__()

    def learn():
        try:
            tagger.fit([["b"]], [["Q"]])
        except RuntimeError as error:
            refused.append(str(error))

    tagger.fit(Sentences([["a"]]), [["P"]])
    assert tagger.tags_ == ["P"]
    assert refused
    assert all("another thread" in words for words in refused)


@pytest.mark.parametrize("way", ["arrays", "mappings"])
def test_predictions_in_other_threads_are_classes_whatever_joins_meanwhile(way):
    learner, done, found = Perceptron(), threading.Event(), []
    rows = X if way == "arrays" else [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    learner.learn_one(rows[0], 0).learn_one(rows[1], 1)

    def ask():
        while not done.is_set():
            found.append(learner.predict_one(rows[2]))
            if way == "arrays":
                found.extend(learner.predict(X).tolist())

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(600):
        learner.learn_one(rows[i % 40], (i * 7) % (2 + i // 20))
    done.set()
    for thread in threads:
        thread.join(30)
    assert found
    assert set(found) <= set(range(40))
    alone = Perceptron().learn_one(rows[0], 0).learn_one(rows[1], 1)
    for i in range(600):
        alone.learn_one(rows[i % 40], (i * 7) % (2 + i // 20))
    np.testing.assert_array_equal(learner.coef_, alone.coef_)


class SlowMapping(Mapping):
    """Features that stop whoever reads them, until they are let on."""

    def __init__(self, values):
        self.values_, self.reached, self.open = values, threading.Event(), threading.Event()

    def __len__(self):
        return len(self.values_)

    def __iter__(self):
        self.reached.set()
        assert self.open.wait(30)
        return iter(self.values_)

    def __getitem__(self, name):
        return self.values_[name]


@pytest.mark.parametrize("known", [False, True])
def test_a_second_thread_that_learns_a_mapping_is_refused(known):
    learner, slow = Perceptron(), SlowMapping({"a": 1.0, "c": 2.0})
    if known:
        learner.learn_one({"a": 1.0}, "x").learn_one({"b": 1.0}, "y")
    thread = threading.Thread(target=lambda: learner.learn_one(slow, "z"))
    thread.start()
    assert slow.reached.wait(30)
    for x in ({"a": 1.0}, {"new": 1.0}):
        with pytest.raises(RuntimeError, match="learning in another thread"):
            learner.learn_one(x, "x")
    slow.open.set()
    thread.join(30)
    assert learner.classes_.tolist() == (["x", "y", "z"] if known else ["z"])
    assert learner.t_ == (3 if known else 1)


def test_classes_and_features_that_join_in_two_threads_join_once(tmp_path):
    learner, accepted = Perceptron(), [0, 0]

    def learn(number):
        for i in range(120):
            try:
                learner.learn_one({f"f{i % 40}": 1.0, "b": i % 7}, f"c{i % 35}")
                accepted[number] += 1
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raise

    with switching_often():
        run_together(lambda: learn(0), lambda: learn(1))
    assert learner.t_ == sum(accepted)
    assert len(set(learner.classes_)) == len(learner.classes_)
    save(learner, tmp_path / "model.rbt")
    assert load(tmp_path / "model.rbt").t_ == learner.t_


@contextmanager
def switching_often():
    """Let the threads of CPython take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_together(*calls):
    errors = []

    def guarded(call):
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron, VotedPerceptron])
def test_no_turn_stays_taken_however_often_threads_contend_for_it(make):
    learner, accepted = make().fit(X, Y), []

    def learn():
        for _ in range(100):
            try:
                learner.partial_fit(X[:1], Y[:1])
                accepted.append(1)
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raise

    t = learner.t_
    with switching_often():
        run_together(learn, learn, learn)
    assert learner.t_ == t + len(accepted)
    run_together(lambda: learner.partial_fit(X, Y))  # whoever it is, and whatever went before


def test_a_turn_belongs_to_an_object_and_not_to_the_place_where_it_lies():
    gate = Gate(X)
    learner = Perceptron()
    thread = threading.Thread(target=lambda: learner.fit(gate, Y))
    thread.start()
    assert gate.reached.wait(30)
    for other in (Perceptron(), copy.copy(learner), copy.deepcopy(learner)):
        other.fit(X, Y)
    gate.open.set()
    thread.join(30)
    assert pickle.loads(pickle.dumps(learner)).partial_fit(X, Y).t_ > learner.t_


@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron])
def test_a_fit_of_other_columns_does_not_show_before_it_ends(make):
    learner, gate = make().fit(X, Y), Gate(Y)
    before = learner.decision_function(X)
    thread = threading.Thread(target=lambda: learner.fit(np.hstack([X, X]), gate))
    thread.start()
    assert gate.reached.wait(30)  # by then the columns were counted
    np.testing.assert_array_equal(learner.decision_function(X), before)
    np.testing.assert_array_equal(copy.deepcopy(learner).decision_function(X), before)
    gate.open.set()
    thread.join(30)
    assert learner.n_features_in_ == 6


def test_what_is_read_while_a_batch_is_learned_is_of_after_it():
    """The search of the second example asks another thread for the weights, and goes on."""
    found, threads = [], []

    def argmax(x, score):
        if x == 2.0 and not threads:
            threads.append(threading.Thread(target=lambda: found.append(dict(learner.weights_))))
            threads[0].start()
            threads[0].join(0.2)  # it would be through by now, if it did not wait
        return max([-1, 1], key=score)

    learner = StructuredPerceptron(features=lambda x, y: {"x": x * y}, argmax=argmax)
    learner.partial_fit([1.0, 2.0, -1.0], [1, -1, -1])
    threads[0].join(30)
    assert found == [dict(learner.weights_)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have():
    gate, learner = Gate(X), Perceptron().fit(X, Y)
    readers = threading.Thread(target=lambda: learner.predict(gate))
    readers.start()
    assert gate.reached.wait(30)
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.alarm(20)  # ends it, should it wait
            code = 0 if learner.partial_fit(X, Y).t_ else 1
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    gate.open.set()
    readers.join(30)


def test_an_interrupted_call_gives_its_turn_back():
    class Interrupted(Gate):
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

    learner = Perceptron().fit(X, Y)
    for call in (learner.fit, learner.partial_fit):
        with pytest.raises(KeyboardInterrupt):
            call(Interrupted(X), Y)
    with pytest.raises(KeyboardInterrupt):
        learner.predict(Interrupted(X))
    run_together(lambda: learner.partial_fit(X, Y))
