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
from strategies import LINEAR, sparse_rows

import rosenblatt
from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron
from rosenblatt.engine.rows import engine
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.evaluate import Progress, progressive


def rows(n: int = 400, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X @ rng.normal(size=(5, k)) + rng.normal(size=(n, k))).argmax(axis=1)


def is_wrong(model, rows, label) -> bool:
    """Whether a learner does not predict a label; a tie predicts nothing, unless it may."""
    if not hasattr(model, "classes_") or model.predict(rows)[0] != label:
        return True
    if model.ties == "positive" or len(model.classes_) < 2:
        return False
    scores = model.decision_function(rows)[0]
    return bool(scores == 0 if np.ndim(scores) == 0 else (scores == scores.max()).sum() > 1)


def by_hand(model, X, y) -> list[int]:
    """Mistakes after each example."""
    counts, mistakes = [], 0
    for x, label in zip(X, y.tolist(), strict=True):
        mistakes += is_wrong(model, x.reshape(1, -1), label)
        model.learn_one(x, label)
        counts.append(mistakes)
    return counts


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("k", [2, 3])
def test_mistakes_equal_those_counted_by_hand_in_rows_blocks_and_sparse_blocks(learner, k):
    X, y = rows(k=k)
    counts = by_hand(learner(), X, y)
    streams = (
        zip(X, y, strict=True),
        [(X[:1], y[:1]), (X[1:170], y[1:170]), (X[170:], y[170:])],
        [(csr_array(X), y)],
        [(sparse_rows(X), y)],
    )
    for stream in streams:
        progress = progressive(learner(), stream)
        assert (progress.n, progress.mistakes) == (400, counts[-1])
        assert [(p.n, p.mistakes) for p in progress.curve] == [
            (n, counts[n - 1]) for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 400)
        ]


def start_anew(learner, X, y):
    return learner


def start_from_a_fit(learner, X, y):
    return learner.set_params(early_stopping=True, max_iter=20).fit(X, y)


def start_from_a_stream(learner, X, y):
    return learner.partial_fit(X[:50], y[:50])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("start", [start_anew, start_from_a_fit, start_from_a_stream])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ties": "positive"},
        {"record": True},
        {"class_weight": {0: 2.0, 1: 0.5}},
        {"fit_intercept": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("shape", [np.array, csr_array, sparse_rows, np.float32])
def test_a_block_leaves_the_model_that_single_rows_leave(learner, settings, start, shape):
    X, y = rows(60, k=4, seed=3)
    weights = np.tile([1.0, 0.5, 0.0, 2.0], 15)
    by_block = start(learner(**settings), X, y)
    one_by_one = start(learner(**settings), X, y)
    mistakes = 0
    for i in range(60):
        row = shape(X[i : i + 1])
        mistakes += is_wrong(one_by_one, row, y[i])
        one_by_one.partial_fit(row, y[i : i + 1], sample_weight=weights[i : i + 1])
    progress = progressive(by_block, [(shape(X), y, weights)])
    assert progress.mistakes == mistakes
    assert by_block._model.digest() == one_by_one._model.digest()
    assert by_block.n_mistakes_ == one_by_one.n_mistakes_


@pytest.mark.parametrize("delay", [0, 10])
def test_answering_never_averages_all_the_weights(delay, monkeypatch):
    n, wide = 400, 1 << 12
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    columns = np.stack([y, rng.integers(2, wide, n)], axis=1).ravel()
    X = csr_array((np.ones(2 * n), columns, np.arange(0, 2 * n + 1, 2)), shape=(n, wide))
    X.sort_indices()
    averages = []
    serve = engine.serve

    def counted(weights, readouts):
        averages.append(weights.n_features)
        return serve(weights, readouts)

    monkeypatch.setattr(engine, "serve", counted)
    assert progressive(AveragedPerceptron(), [(X, y)], delay=delay).rate < 0.2
    assert len(averages) <= 1
    _ = AveragedPerceptron().partial_fit(X, y).coef_
    assert len(averages) >= 1


def test_a_block_with_a_value_that_is_no_number_is_refused_by_its_row():
    X, y = rows(30)
    X[17, 2] = np.nan
    model = Perceptron()
    with pytest.raises(InputError, match="NaN at row 17, column 2"):
        progressive(model, [(X, y)])
    assert not hasattr(model, "classes_")


def test_what_was_learned_before_a_step_that_is_refused_stays_and_counts():
    X = np.array([[1.0], [1.0], [1.0], [9e149], [9e149], [9e149]])
    y = np.array([0, 1, 0, 1, 0, 1])
    one_by_one, by_block = Perceptron(), Perceptron()
    with pytest.raises(InputError, match="leave the range"):
        by_hand(one_by_one, X, y)
    with pytest.raises(InputError, match=f"row {one_by_one.t_} would leave the range"):
        progressive(by_block, [(X, y)])
    assert 0 < by_block.t_ == one_by_one.t_ < 6
    assert by_block.n_mistakes_ == one_by_one.n_mistakes_ > 1
    assert by_block._model.digest() == one_by_one._model.digest()


def test_weights_of_vowpal_wabbit_rows_are_heeded():
    text = b"1 2 | a b\n2 0 | b c\n1 1 | c\n2 3 | a\n2 0.5 | b\n" * 4
    blocks = list(rosenblatt.io.iter_vw(io.BytesIO(text), bits=4))
    model, same, plain = Perceptron(), Perceptron(), Perceptron()
    progress = progressive(model, blocks)
    triples = [(block.X, block.y, block.weights) for block in blocks]
    assert progressive(same, triples).mistakes == progress.mistakes
    assert progressive(plain, [(X, y) for X, y, _ in triples]).n == progress.n == 20
    expected = Perceptron()
    for X, y, weights in triples:
        expected.partial_fit(X, y, sample_weight=weights)
    assert (model.coef_ == expected.coef_).all()
    assert (same.coef_ == expected.coef_).all()
    assert (plain.coef_ != expected.coef_).any()


def test_weights_are_heeded_in_single_rows_late_labels_and_other_learners():
    X, y = rows(60)
    weights = np.tile([1.0, 0.25, 3.0], 20)
    expected = Perceptron().partial_fit(X, y, sample_weight=weights)
    for stream, delay in ((zip(X, y, weights, strict=True), 0), ([(X, y, weights)], 9)):
        model = Perceptron()
        progressive(model, stream, delay=delay)
        assert (model.coef_ == expected.coef_).all()
    other, same = (SGDClassifier(loss="perceptron", random_state=0) for _ in range(2))
    progressive(other, [(X, y, weights)], classes=[0, 1, 2])
    for i in range(60):
        part = slice(i, i + 1)
        same.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    assert (other.coef_ == same.coef_).all()


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


def test_as_many_mistakes_as_the_most_frequent_label_makes_do_not_beat_it():
    """Of these labels it makes three: at the first row, at the third, and at the last."""
    for n_wrong, beats in ((2, True), (3, False), (4, False)):
        progress = Progress()
        progress.add_labels("aabaab")
        progress.add(np.arange(6) < n_wrong)
        assert progress.majority == 3 / 6
        assert progress.beats_majority is beats


def test_a_learner_that_always_answers_the_majority_comes_near_the_baseline():
    stream = [({"a": 1.0}, label) for label in "ababaaaaab"]
    progress = progressive(MajorityOfRiver(), stream)
    assert progress.mistakes == 4
    assert progress.baseline == pytest.approx(0.3)


@given(st.text("abc", max_size=60), st.lists(st.integers(1, 12), min_size=1, max_size=9))
def test_baselines_are_those_of_one_label_after_the_other(labels, sizes):
    persistence = majority = 0
    leader, counts = None, dict.fromkeys("abc", 0) | {None: 0}
    for place, label in enumerate(labels):
        persistence += place == 0 or labels[place - 1] != label
        majority += leader != label
        counts[label] += 1
        leader = label if counts[label] > counts[leader] else leader
    progress, at = Progress(), 0
    for size in sizes * len(labels):
        progress.add_labels(labels[at : at + size])
        progress.add(np.zeros(len(labels[at : at + size])))
        at += size
    n = max(len(labels), 1)
    assert (progress.persistence, progress.majority) == (persistence / n, majority / n)
    assert dict(progress.labels) == {one: labels.count(one) for one in labels}


def test_blocks_and_single_examples_have_the_same_baselines_and_every_report_has_them():
    digits = rosenblatt.datasets.digits()
    X, y = digits.X[:300] / 16, digits.y[:300]
    blocks = progressive(rosenblatt.Perceptron(), [(X[:7], y[:7]), (X[7:], y[7:])])
    single = progressive(rosenblatt.Perceptron(), zip(X, y.tolist(), strict=True))
    assert blocks.persistence == single.persistence == np.count_nonzero(np.diff(y)) / 300 + 1 / 300
    assert blocks.majority == single.majority > 0.8
    said = f"; same label as before: {100 * single.persistence:.2f} %, majority so far: "
    assert said in single.summary()
    assert said in single._repr_html_()
    found = single.to_json()
    assert (found["persistence"], found["majority"]) == (single.persistence, single.majority)


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
        (Perceptron(), [(1, 2, 3, 4)], {}, InputError, "give pairs"),
        (Perceptron(), [(np.eye(2), [0, 1], [1, 2, 3])], {}, InputError, "2 examples have 3 wei"),
        (Perceptron(), [({"a": 1}, 0, 2.0)], {}, InputError, "learn_one takes none"),
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


# ---------------------------------------------------------------------- ties


# Those that keep the rows of their mistakes are refused by a stream in the shell.
STREAMING = [learner for learner in LINEAR if not learner.keeps_rows]


def with_ties(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of few small whole numbers, many of them all 0, so that scores are often equal."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, 4)) * (rng.random((n, 4)) < 0.4)
    return X.astype(float), rng.integers(0, 2 + seed % 3, n)


def as_mappings(X: np.ndarray) -> list[dict[str, float]]:
    return [{f"x{k}": value for k, value in enumerate(x) if value} for x in X.tolist()]


@pytest.mark.parametrize("seed", [0, 1, 2])
# A mean is summed in one way for single rows and in another for blocks, so that an exact tie of its
# scores may fall to either class; the last weights have no such choice, unless a rule scales them:
# then they are rounded for dense rows, and these learners refuse read-outs.
@pytest.mark.parametrize(
    "settings",
    [{}, {"readout": "auto"}, {"record": True}, {"ties": "positive", "readout": "last"}],
    ids=str,
)
@pytest.mark.parametrize("learner", [kind for kind in STREAMING if not kind().rule().scales])
def test_rows_blocks_mappings_and_the_shell_count_the_same_mistakes(learner, settings, seed):
    X, y = with_ties(200, seed)
    settings = {**settings, "fit_intercept": False}
    in_the_shell = learner(**settings).grow(4).predict_then_learn(X, y)
    expected = int(np.count_nonzero(in_the_shell.wrong))
    streams = {
        "rows": zip(X, y, strict=True),
        "blocks": [(X[:70], y[:70]), (X[70:], y[70:])],
        "sparse": [(csr_array(X), y)],
        "mappings": zip(as_mappings(X), y.tolist(), strict=True),
    }
    found = {name: progressive(learner(**settings), of).mistakes for name, of in streams.items()}
    assert found == dict.fromkeys(streams, expected)


@pytest.mark.parametrize(
    "learner", [*LINEAR, KernelPerceptron], ids=lambda learner: learner.__name__
)
def test_a_tie_is_a_mistake_unless_it_counts_as_a_prediction(learner):
    nothing = [(np.zeros(2), label) for label in (0, 1, 0, 1, 1)]
    first = [(np.array([1.0, 0.0]), 0), (np.array([0.0, 1.0]), 1)]
    for ties, mistakes in (("mistake", 5), ("positive", 2)):
        model = learner(ties=ties)
        is_kernel = learner is KernelPerceptron
        model.set_params(**({"kernel": "linear"} if is_kernel else {"fit_intercept": False}))
        for x, label in first:
            model.learn_one(x, label)
        assert progressive(model, nothing).mistakes == mistakes
