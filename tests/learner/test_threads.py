"""One object in several threads: one learns, others are refused; all may predict."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from waiting import PATIENCE

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
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
