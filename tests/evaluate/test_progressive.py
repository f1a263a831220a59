"""Test, then train: single examples, blocks, late labels, learners of all kinds."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import SGDClassifier

import rosenblatt
from rosenblatt import AveragedPerceptron, PassiveAggressive, Perceptron
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.evaluate import Progress, progressive


def rows(n: int = 400, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X @ rng.normal(size=(5, k)) + rng.normal(size=(n, k))).argmax(axis=1)


def by_hand(model, X, y) -> list[int]:
    """Mistakes after each example."""
    counts, mistakes = [], 0
    for x, label in zip(X, y.tolist(), strict=True):
        mistakes += model.predict_one(x) != label
        model.learn_one(x, label)
        counts.append(mistakes)
    return counts


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron, PassiveAggressive])
@pytest.mark.parametrize("k", [2, 3])
def test_mistakes_equal_those_counted_by_hand_in_rows_blocks_and_sparse_blocks(learner, k):
    X, y = rows(k=k)
    counts = by_hand(learner(), X, y)
    streams = (
        zip(X, y, strict=True),
        [(X[:1], y[:1]), (X[1:170], y[1:170]), (X[170:], y[170:])],
        [(csr_array(X), y)],
    )
    for stream in streams:
        progress = progressive(learner(), stream)
        assert (progress.n, progress.mistakes) == (400, counts[-1])
        assert [(p.n, p.mistakes) for p in progress.curve] == [
            (n, counts[n - 1]) for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 400)
        ]


def test_mappings_are_learned_with_the_features_they_bring():
    stream = [
        ({"win": 1}, "spam"),
        ({"noon": 1}, "ham"),
        ({"win": 1}, "spam"),
        ({"noon": 1}, "ham"),
    ]
    progress = progressive(Perceptron(), stream * 5)
    # No answer, a class never met, and what the two had to be told apart by.
    assert 2 <= progress.mistakes <= 4
    assert progress.recent < 0.25


def test_a_block_of_a_reader_can_be_passed_on():
    text = b"1 1:1\n2 2:1\n" * 10
    progress = progressive(
        Perceptron(), rosenblatt.io.iter_svmlight(io.BytesIO(text), n_features=2)
    )
    assert progress.n == 20
    assert progress.mistakes < 5


def test_an_example_with_a_late_label_is_learned_only_so_many_answers_later():
    X, y = rows(60)
    late, model = progressive(AveragedPerceptron(), zip(X, y, strict=True), delay=7), None
    model, mistakes = AveragedPerceptron(), 0
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        mistakes += model.predict_one(x) != label
        if i >= 7:
            model.learn_one(X[i - 7], y[i - 7])
    assert late.mistakes == mistakes
    # Before the first label arrives there is no answer.
    assert late.curve[2].mistakes == 4


def test_labels_that_come_after_the_end_are_still_learned():
    X, y = rows(20)
    model = Perceptron()
    progress = progressive(model, zip(X, y, strict=True), delay=100)
    assert progress.mistakes == 20
    assert model.t_ == 20


def test_online_mistakes_are_those_that_the_learner_counts():
    X, y = rows()
    model = AveragedPerceptron().partial_fit(X[:100], y[:100])
    before = model.n_mistakes_
    progress = progressive(model, [(X[100:], y[100:])])
    assert progress.online_mistakes == model.n_mistakes_ - before > progress.mistakes


def test_a_learner_of_another_package_learns_too():
    X, y = rows()
    model = SGDClassifier(random_state=0)
    progress = progressive(model, [(X, y)], classes=[0, 1, 2])
    assert progress.online_mistakes is None
    assert progress.curve[0].mistakes == 1
    assert progress.rate < 0.6


class MajorityOfRiver:
    """As river has learners: mappings only, and None before anything is known."""

    def __init__(self):
        self.counts = {}

    def predict_one(self, x):
        return max(self.counts, key=self.counts.__getitem__, default=None)

    def learn_one(self, x, y):
        self.counts[y] = self.counts.get(y, 0) + 1


def test_a_learner_that_always_answers_the_majority_comes_near_the_baseline():
    stream = [({"a": 1.0}, label) for label in "ababaaaaab"]
    progress = progressive(MajorityOfRiver(), stream)
    assert progress.mistakes == 4
    assert progress.baseline == pytest.approx(0.3)


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 12), st.data())
def test_recent_is_the_mean_of_the_window_however_outcomes_arrive(outcomes, window, data):
    every = data.draw(st.one_of(st.just("doubling"), st.integers(1, 9)))
    progress = Progress(every, window)
    at = 0
    while at < len(outcomes):
        size = data.draw(st.integers(1, 30))
        progress.add(np.array(outcomes[at : at + size]))
        at += size
    assert progress.mistakes == sum(outcomes)
    for point in progress.curve:
        last = outcomes[max(0, point.n - window) : point.n]
        assert point.recent == pytest.approx(sum(last) / len(last))
        assert point.mistakes == sum(outcomes[: point.n])
    places = [point.n for point in progress.curve]
    grid = [n for n in range(1, len(outcomes) + 1) if _on_grid(n, every)]
    assert places == sorted({*grid, *([len(outcomes)] if outcomes else [])})


def _on_grid(n: int, every: str | int) -> bool:
    return n & (n - 1) == 0 if every == "doubling" else n % every == 0


def test_reports_are_plain_text_json_and_html_without_scripts():
    X, y = rows()
    progress = progressive(Perceptron(), [(X, np.array(["<b>a", "b", "c"])[y])], every=100)
    assert max(map(len, progress.lines())) <= 100
    told = json.loads(json.dumps(progress.to_json()))
    assert told["schema"] == 1
    assert [point["n"] for point in told["curve"]] == [100, 200, 300, 400]
    html = progress._repr_html_()
    assert "<script" not in html
    assert "<b>" not in html.replace("&lt;b&gt;", "")
    assert 'role="img"' in html
    assert "400" in repr(progress)


@pytest.mark.parametrize(
    ("model", "stream", "settings", "error", "says"),
    [
        (Perceptron(), [1], {}, InputError, "give pairs"),
        (Perceptron(), [(["a text"], ["y"])], {}, InputError, "turn texts into features"),
        (Perceptron(), [(np.zeros((2, 2)), [1])], {}, InputError, "a block of 2 rows"),
        (SGDClassifier(), [({"a": 1}, 1)], {}, InputError, "x is a mapping"),
        (object(), [], {}, ParameterError, "does not learn from a stream"),
        (Perceptron(), [], {"delay": -1}, ParameterError, "delay=-1"),
        (Perceptron(), [], {"every": 0}, ParameterError, "every=0"),
        (Perceptron(), [], {"window": 0}, ParameterError, "window=0"),
    ],
)
def test_what_is_no_stream_or_no_learner_is_refused(model, stream, settings, error, says):
    with pytest.raises(error, match=says):
        progressive(model, stream, **settings)


def test_an_empty_stream_has_no_mistakes_and_no_curve():
    progress = progressive(Perceptron(), [])
    assert (progress.n, progress.mistakes, progress.rate, progress.curve) == (0, 0, 0.0, [])
    assert progress._repr_html_()
