"""Edges that a hostile reader found: each of these was wrong once."""

import pickle
import threading
from collections.abc import Mapping

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    KernelPerceptron,
    Ledger,
    PassiveAggressive,
    Perceptron,
    SoftPerceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.errors import InputError, OverflowRefused, ParameterError
from rosenblatt.estimators.catalogue import entries
from rosenblatt.models.weights import Weights

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ROW_LEARNERS = [entry.load() for family in ("linear", "kernel") for entry in entries(family)]


class Liar(Mapping):
    """Says it holds one item and hands out many."""

    def __len__(self):
        return 1

    def __iter__(self):
        return iter(range(20_000))

    def __getitem__(self, key):
        return 1.0


def test_a_mapping_that_lies_about_its_length_is_read_whole():
    learner = Perceptron()
    for i in range(4):
        learner.learn_one(Liar(), i % 2)
    assert learner.n_features_in_ == 20_000


def test_a_large_mapping_in_any_order_gives_the_same_bytes():
    keys = list(range(3000))
    forward, backward = Perceptron(), Perceptron()
    for learner in (forward, backward):
        learner.learn_one(dict.fromkeys(keys, 1.0), 0)
    for i in range(6):
        values = np.random.default_rng(i).standard_normal(3000).tolist()
        forward.learn_one(dict(zip(keys, values, strict=True)), i % 2)
        backward.learn_one(dict(zip(keys[::-1], values[::-1], strict=True)), i % 2)
    assert forward._model.digest() == backward._model.digest()


def test_one_model_in_two_threads_is_refused_and_not_corrupted():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((300_000, 50)), random.integers(0, 3, 300_000)
    learner = Perceptron().partial_fit(X[:9], [0, 1, 2] * 3)
    refusals = []

    def learn(rows, labels):
        try:
            learner.partial_fit(rows, labels)
        except RuntimeError as error:
            refusals.append(str(error))

    thread = threading.Thread(target=learn, args=(X, y))
    thread.start()
    while thread.is_alive():
        learn(X[:1], y[:1])
    thread.join()
    assert np.isfinite(learner.coef_).all()
    assert all("another thread" in refusal for refusal in refusals)


def test_asking_in_one_thread_does_not_disturb_learning_in_another():
    random = np.random.default_rng(0)
    data = [
        (
            {
                f"f{j}": float(v)
                for j, v in zip(random.integers(0, 300, 20), range(20), strict=True)
            },
            i % 2,
        )
        for i in range(3000)
    ]
    asked, alone, stop = Perceptron(), Perceptron(), threading.Event()

    def ask():
        while not stop.is_set():
            asked.predict_one({"f1": 1.0, "f2": 2.0})

    thread = threading.Thread(target=ask)
    thread.start()
    for x, label in data:
        asked.learn_one(x, label)
    stop.set()
    thread.join()
    for x, label in data:
        alone.learn_one(x, label)
    assert asked._model.digest() == alone._model.digest()


def test_an_error_of_any_kind_half_way_leaves_no_feature_without_a_weight(monkeypatch):
    learner = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    before = learner._model.digest()

    def no_memory(self, n):
        if n > 2:
            raise MemoryError
        grow(self, n)

    grow = Weights.grow
    monkeypatch.setattr(Weights, "grow", no_memory)
    with pytest.raises(MemoryError):
        learner.learn_one({f"x{i}": 1.0 for i in range(200)}, 0)
    monkeypatch.undo()
    assert learner._model.digest() == before
    learner.learn_one({f"x{i}": 1.0 for i in range(200)}, 1)
    assert learner.coef_.shape == (1, 201)


@pytest.mark.parametrize(
    ("column", "change"),
    [("right", 2**20), ("wrong", 7), ("row", -1000)],
)
def test_a_ledger_that_names_what_cannot_be_is_refused(column, change):
    X = np.array([[1.0, 2], [-1, 0], [0, 3]])
    arrays = Perceptron(record=True).fit(X, [0, 1, 2]).ledger_.to_arrays()
    arrays[column] = arrays[column] + change
    with pytest.raises(InputError, match="no ledger"):
        Ledger.from_arrays(arrays)


def test_a_ledger_comes_back_from_its_arrays():
    X = np.array([[1.0, 2], [-1, 0], [0, 3]])
    learner = Perceptron(record=True).fit(X, [0, 1, 2])
    again = Ledger.from_arrays(learner.ledger_.to_arrays())
    np.testing.assert_array_equal(again.replay(X)[0], learner.coef_)
    assert list(again) == list(learner.ledger_)


def test_a_sparse_matrix_whose_rows_point_nowhere_is_refused():
    X = sp.csr_matrix(np.eye(4))
    assert X.has_canonical_format
    X.indptr[-1] = 2**30
    with pytest.raises((InputError, ValueError)):
        Perceptron().fit(X, [0, 1, 0, 1])


def test_steps_lost_in_rounding_prove_nothing():
    X = np.array([[1.0], [-1.0]])
    learner = Perceptron(fit_intercept=False).fit(X, [1, -1], coef_init=[[-1e17]])
    assert learner.stop_reason_ == "max_iter"
    assert learner.margin_ceiling_ >= 1.0
    Z = np.repeat(np.array([[1], [-1]], np.float32), 2000, 0)
    learner = Perceptron(eta0=0.7, fit_intercept=False, margin=1e6).fit(Z, Z[:, 0])
    assert learner.margin_ceiling_ >= 1.0


@pytest.mark.parametrize("seed", range(5))
def test_converged_speaks_of_the_weights_that_answer(seed):
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((300, 10)), random.standard_normal(10)
    dev = random.standard_normal((20, 10))
    learner = Perceptron(n_iter_no_change=1000)
    learner.fit(X, X @ w > 0, validation_set=(dev, dev @ w > 0))
    assert learner.stop_reason_ == "separated"
    assert learner.converged_ == (learner.score(X, X @ w > 0) == 1.0)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_refused_batch_on_a_mapping_model_keeps_names_and_columns_together():
    learner = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    with pytest.raises(InputError):
        learner.partial_fit(np.array([[1.0, 2], [3, 4]]), ["x", "y"])
    learner.learn_one({"c": 1.0}, 0)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    twin = pickle.loads(pickle.dumps(learner))
    for model in (learner, twin):
        model.learn_one({"d": 5.0}, 1)
    np.testing.assert_array_equal(learner.coef_, twin.coef_)


def refused(learner, act, error=(InputError, ParameterError)):
    before, attributes = learner._model.digest(), set(learner.__dict__)
    dtype = learner._model.weights.table.dtype
    with pytest.raises(error):
        act()
    assert learner._model.digest() == before
    assert learner._model.weights.table.dtype == dtype
    assert set(learner.__dict__) == attributes


def test_refusals_of_every_kind_leave_the_model_as_it_was():
    learner = Perceptron().learn_one({"a": 1}, 0).set_params(class_weight="balanced")
    refused(learner, lambda: learner.learn_one({"b": 1}, 1))
    single = Perceptron().partial_fit(np.eye(2, dtype=np.float32), [0, 1])
    refused(single, lambda: single.partial_fit(np.array([[1.0, 2]]), ["x"]))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.ones(2, np.float32), "b": np.zeros(2, np.float32)})
    named = Perceptron().partial_fit(frame, [0, 1])
    refused(named, lambda: named.learn_one({"a": float("nan")}, 0))


@pytest.mark.parametrize("learner", [PassiveAggressive(variant="PA"), MIRA(aggressive=1.0)])
def test_a_batch_refused_half_way_is_undone_also_for_a_great_many_weights(learner):
    d = 5_000_000
    learner.set_params(fit_intercept=False)
    learner.partial_fit(sp.csr_matrix(([1.0, 1.0], ([0, 1], [0, 1])), shape=(2, d)), [0, 1])
    Z = sp.csr_matrix(([1.0, 1e-160], ([0, 1], [2, 3])), shape=(2, d))
    refused(learner, lambda: learner.partial_fit(Z, [0, 1]), OverflowRefused)


def test_rows_of_weight_zero_do_not_keep_a_fit_from_being_separated():
    X = np.array([[1.0], [-1.0], [0.5]])
    pa = PassiveAggressive(fit_intercept=False, max_iter=50)
    assert pa.fit(X, [1, -1, -1], sample_weight=[1, 1, 0]).stop_reason_ == "separated"


def test_class_weights_that_leave_nothing_or_name_strangers_are_refused():
    with pytest.raises(InputError, match="zero for every row"):
        Perceptron(class_weight={1: 0, -1: 0}).fit([[1.0], [-1.0]], [1, -1])
    with pytest.raises(ParameterError, match="'spma'"):
        Perceptron(class_weight={"spma": 5}).fit([[1.0], [-1.0]], ["ham", "spam"])


@pytest.mark.parametrize("nan", [float("nan"), np.float32("nan"), np.float64("nan")])
def test_labels_that_are_missing_are_no_classes(nan):
    with pytest.raises(InputError, match="NaN"):
        Perceptron().learn_one({"a": 1.0}, 1.0).learn_one({"a": 1.0}, nan)
    with pytest.raises(InputError, match="no label at row 2"):
        Perceptron().fit(np.eye(3), np.array([1.0, 2.0, nan], object))


@pytest.mark.parametrize("learner", [Perceptron(record=True), VotedPerceptron()])
def test_a_recorded_stream_of_both_number_types_replays_exactly(learner):
    X = np.random.default_rng(0).standard_normal((40, 3))
    y = np.arange(40) % 2
    learner.partial_fit(X[:20].astype(np.float32), y[:20]).partial_fit(X[20:], y[20:])
    whole = np.vstack([X[:20].astype(np.float32).astype(float), X[20:]])
    np.testing.assert_array_equal(learner.ledger_.replay(whole)[0], learner._model.weights.matrix)


def test_start_values_and_answers_follow_the_order_of_classes():
    learner = Perceptron(warm_start=True, max_iter=1, tol=None)
    learner.partial_fit(np.eye(3), list("cba"))
    learner.fit(np.eye(3) * 1e-9, list("cba"), intercept_init=[100.0, 0, 0])
    assert learner.intercept_.argmax() == 0
    scores = learner.decision_function(np.zeros((1, 3)))
    assert learner.predict(np.zeros((1, 3)))[0] == learner.classes_[scores.argmax(axis=1)][0]


def test_a_resumed_fit_cannot_change_its_mind_about_the_bias():
    learner = Perceptron(warm_start=True).fit([[1.0], [-1.0]], [1, -1])
    with pytest.raises(ParameterError, match="fit_intercept"):
        learner.set_params(fit_intercept=False).fit([[1.0], [-1.0]], [1, -1])


def test_coef_is_a_copy_that_stays_what_it_was():
    learner = Perceptron().partial_fit(np.eye(2), [0, 1])
    before = learner.coef_
    kept = before.copy()
    learner.partial_fit(np.array([[3.0, -9.0]] * 3), [0, 1, 0])
    np.testing.assert_array_equal(before, kept)
    learner.coef_[:] = np.nan
    assert np.isfinite(learner.coef_).all()


def test_a_named_series_is_read_by_its_names():
    pd = pytest.importorskip("pandas")
    by_name, by_mapping = Perceptron(), Perceptron()
    for values, label in (([1.0, 2.0], 0), ([-1.0, 0.5], 1)):
        by_name.learn_one(pd.Series(values, index=["b", "a"]), label)
        by_mapping.learn_one(dict(zip(["b", "a"], values, strict=True)), label)
    assert by_name._model.digest() == by_mapping._model.digest()
    assert by_name.predict_one(pd.Series({"a": 1.0})) == by_mapping.predict_one({"a": 1.0})


@pytest.mark.parametrize(
    "labels",
    [
        [("a", "b"), ("a", "c")],
        [(5,), (6, 7)],
        [2**63 + 1, 2**63 + 2],
        [-1, 2**63],
    ],
)
def test_unusual_labels_stay_what_they_are(labels):
    X = np.array([[1.0], [-1.0]])
    stream, mapped = Perceptron(), Perceptron()
    for x, label in zip(X, labels, strict=True):
        stream.learn_one(x, label)
        mapped.learn_one({"a": x[0]}, label)
    for learner in (stream, mapped):
        assert learner.classes_.tolist() == sorted(labels)
    assert mapped.predict_one({"a": 1.0}) in labels


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ({"a": 10**400}, 0, "feature 'a'"),
        ({"a": 1}, [1], "hashable"),
        ([[1.0], [2.0]], 0, "1-D array"),
    ],
)
def test_what_cannot_be_an_example_is_refused_in_our_words(x, y, said):
    with pytest.raises(InputError, match=said):
        Perceptron().learn_one(x, y)


def test_recording_a_stream_without_mistakes_costs_no_memory():
    learner = Perceptron(record=True)
    learner.learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    for _ in range(200):
        learner.learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    assert len(learner._model.recorder._parts) <= 1 + len(learner.ledger_)


@pytest.mark.parametrize("learner", ROW_LEARNERS)
def test_a_single_example_of_class_plus_or_minus_one_can_be_fitted(learner, tmp_path):
    """L5.5: the lectures call the two classes 1 and -1, so that either names the other."""
    for label in (1, -1, 1.0):
        fitted = learner().fit([[-3.0, 1.0]], [label])
        assert fitted.classes_.tolist() == [-1, 1]
        assert fitted.predict([[-3.0, 1.0]]).tolist() == [label]
        assert fitted.predict([[-3.0, 1.0]]).dtype == np.array([label]).dtype
        assert fitted.converged_
        assert fitted.explain([-3.0, 1.0]).prediction == label
        save(fitted, tmp_path / "one.rbt")
        assert load(tmp_path / "one.rbt").predict([[-3.0, 1.0]]).tolist() == [label]


@pytest.mark.parametrize("learner", ROW_LEARNERS)
def test_before_the_second_class_the_only_one_is_predicted_explained_and_saved(learner, tmp_path):
    one = learner(**({"record": True} if learner is not KernelPerceptron else {}))
    one.partial_fit([[-3.0, 1.0]], ["only"])
    assert one.predict([[5.0, 5.0]]).tolist() == ["only"]
    assert one.decision_function([[5.0, 5.0]]).tolist() == [0.0]
    assert one.explain([5.0, 5.0]).prediction == "only"
    assert len(one.ledger_) == 0
    save(one, tmp_path / "one.rbt")
    assert load(tmp_path / "one.rbt").predict([[5.0, 5.0]]).tolist() == ["only"]
    assert one.partial_fit([[3.0, -1.0]], ["other"]).classes_.tolist() == ["only", "other"]


def test_one_class_alone_is_certain():
    soft = SoftPerceptron().partial_fit([[1.0]], [0])
    np.testing.assert_array_equal(soft.predict_proba([[1.0], [2.0]]), [[1.0], [1.0]])
    assert AveragedPerceptron().partial_fit([[1.0]], ["only"]).predict([[5.0]]).tolist() == ["only"]


def test_a_row_on_the_boundary_that_counts_as_positive_is_right_at_the_end_of_an_epoch_too():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), [1, 1, -1]
    learner = MIRA(ties="positive", aggressive=0.5, fit_intercept=False, shuffle=False, max_iter=1)
    learner.fit(X, y)
    assert (learner.stop_reason_, learner.n_iter_, learner.n_mistakes_) == ("separated", 1, 0)
