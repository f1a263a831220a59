"""How fits end on rows that contradict each other, and on rows that say nothing."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt
from rosenblatt import AutoLinear, KernelPerceptron, PassiveAggressive, Perceptron, distribute
from rosenblatt.errors import ConvergenceWarning, MajorityWarning
from rosenblatt.estimators.catalogue import entries, find
from rosenblatt.estimators.majority import MajorityBaseline
from rosenblatt.models.rows import contradictory

CLASSIFIERS = [entry.name for family in ("linear", "kernel") for entry in entries(family)]


def learner(name: str) -> Any:
    entry = find(name)
    assert entry is not None
    return entry.load()()


def wide(n: int = 120) -> tuple[Any, Any]:
    """Rows as texts have them: many columns, so that any labels can be separated."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, 600), density=0.02, rng=rng, format="csr")
    return X, rng.integers(0, 2, n)


def contradicted(n: int = 120) -> tuple[Any, Any]:
    X, y = wide(n)
    return sparse.vstack([X, X[:2]], format="csr"), np.append(y, 1 - y[:2])


@pytest.mark.parametrize("kind", ["csr", "dense", "float32", "packed"])
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "soft"])  # by its loss
def test_equal_rows_with_different_labels_end_a_fit_soon(name: str, kind: str, tmp_path: Any):
    X, y = contradicted()
    if kind == "packed":
        packed = rosenblatt.io.pack((X, y), tmp_path / "rows")
        X, y = packed.X, packed.y
    elif kind != "csr":
        X = X.toarray() if kind == "dense" else X.astype(np.float32)
    model = learner(name).fit(X, y)
    assert model.n_iter_ <= 60
    assert model.stop_reason_ == "no_gain"
    assert model.n_training_errors_ >= 2


@pytest.mark.parametrize("model", [Perceptron(), KernelPerceptron(kernel="linear")])
def test_contradictions_that_are_not_learned_from_do_not_count(model: Any):
    X, y = contradicted()
    weights = np.ones(len(y))
    weights[-2:] = 0.0
    assert model.fit(X, y, sample_weight=weights).stop_reason_ == "separated"


def test_who_never_gives_up_does_not_because_of_contradictions():
    with pytest.warns(ConvergenceWarning, match="max_iter=30"):
        assert Perceptron(tol=None, max_iter=30).fit(*contradicted()).n_iter_ == 30


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12),
    st.data(),
)
def test_contradictions_are_those_that_comparing_all_pairs_finds(rows: Any, data: Any):
    X, n = np.array(rows, float), len(rows)
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    subset = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True)), np.int64)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 2.0]), min_size=n, max_size=n)))
    some = [i for i in subset if weights[i]]
    expected = any(rows[i] == rows[j] and labels[i] != labels[j] for i in some for j in some)
    for table in (X, sparse.csr_array(X), X.astype(np.float32)):
        assert contradictory(table, labels, subset, weights) == expected
    pairs = [(i, j) for i in range(n) for j in range(i)]
    everywhere = any(rows[i] == rows[j] and labels[i] != labels[j] for i, j in pairs)
    assert contradictory(X, labels) == everywhere


def test_rows_that_differ_by_less_than_their_scores_show_are_no_contradiction():
    X = np.array([[1e8, 1e-12], [1e8, 2e-12]])
    assert not contradictory(X, np.array([0, 1]))
    assert contradictory(np.array([[0.0, 1.0], [-0.0, 1.0]]), np.array([0, 1]))


# ---------------------------------------------------------------------- the majority


def noise(n: int = 200, rare: float = 0.15) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), np.where(rng.random(n) < rare, "rare", "usual")


def majority_message(model: Any, *given: Any, **more: Any) -> str | None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*given, **more)
    found = [w for w in caught if issubclass(w.category, MajorityWarning)]
    assert all(w.filename == __file__ for w in found)
    return str(found[0].message) if found else None


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_fit_warns_if_and_only_if_the_majority_errs_no_more(name: str):
    X, y = noise()
    model = learner(name)
    if name == "kernel":
        model.set_params(kernel="linear")
    said, errors = majority_message(model, X, y), np.count_nonzero(model.predict(X) != y)
    assert (said is not None) == (errors >= np.count_nonzero(y == "rare"))
    assert said is None or f"predicting 'usual': {errors} errors on the rows learned from" in said
    assert majority_message(model, X, np.where(X[:, 0] > 0, "rare", "usual")) is None


def test_held_out_rows_decide_where_there_are_some():
    X, y = wide()
    model, rest = PassiveAggressive(n_iter_no_change=2), (X[60:], y[60:])
    said = majority_message(model, X[:60], y[:60], validation_set=rest)
    top = np.bincount(y[:60]).argmax()
    wrong = round(60 * (1 - max(model.validation_scores_)))
    assert (said is not None) == (wrong >= np.count_nonzero(rest[1] != top))
    shuffled = np.random.default_rng(1).permutation(rest[1])
    assert majority_message(Perceptron(), X[:60], y[:60], validation_set=(X[:60], shuffled))


def test_errors_are_counted_by_the_weights_that_were_asked_for():
    X, y = noise()
    balanced = PassiveAggressive(class_weight="balanced")
    said = majority_message(balanced, X, y)
    counts = {label: 200 / (2 * np.count_nonzero(y == label)) for label in ("rare", "usual")}
    wrong = sum(counts[label] for label in y[balanced.predict(X) != y])
    assert (said is not None) == (wrong >= 100 * (1 - 1e-9))
    weights = np.where(y == "rare", 0.0, 1.0)
    assert majority_message(Perceptron(), X, y, sample_weight=weights) is None, "of one class"


def test_neither_one_class_nor_no_error_is_a_reason():
    assert majority_message(Perceptron(), [[1.0]], [1]) is None
    assert majority_message(Perceptron(), [[1.0], [2.0]], [0, 1]) is None
    assert MajorityBaseline("a", 3, 0, False).is_beaten
    assert not MajorityBaseline("a", 3, 3, False).is_beaten
    said = str(MajorityBaseline("a", 1, 1, True))
    assert said.endswith("1 error on the held-out rows, where that makes 1")


def test_shards_and_a_choice_of_learners_say_it_too():
    X, y = noise()
    assert "no better" in (majority_message(distribute(Perceptron(), shards=3), X, y) or "")
    assert majority_message(distribute(Perceptron(), shards=2), X, X[:, 0] > 0) is None
    found = majority_message(auto := AutoLinear(), X, y)
    assert (found is not None) == (np.count_nonzero(auto.predict(X) != y) >= np.sum(y == "rare"))


def test_the_comparison_is_gone_once_more_was_learned_and_no_hindrance_to_copies():
    X, y = noise()
    model = Perceptron(max_iter=3)
    assert majority_message(model, X, y)
    assert pickle.loads(pickle.dumps(model))._majority == model._majority
    assert model.partial_fit(X, y)._majority is None


@pytest.mark.parametrize("model", [Perceptron(), rosenblatt.SoftPerceptron(), rosenblatt.AROW()])
def test_a_shard_whose_rows_all_weigh_nothing_takes_part(model: Any):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y, weights = (X[:, 0] > 0).astype(int), np.ones(40)
    weights[:10] = 0.0
    local = distribute(model, shards=4).fit(X, y, sample_weight=weights).to_local()
    assert local.score(X[10:], y[10:]) > 0.9
    with pytest.raises(rosenblatt.errors.InputError, match="zero for every row"):
        distribute(model, shards=4).fit(X, y, sample_weight=0 * weights)


def test_rows_of_weight_0_do_not_keep_shards_from_being_separated():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = distribute(Perceptron(class_weight={0: 0.0, 1: 1.0}), shards=4).fit(X, y).to_local()
    assert (model.stop_reason_, bool((model.predict(X[y == 1]) == 1).all())) == ("separated", True)
    with pytest.raises(rosenblatt.errors.InputError, match="zero for every row"):
        distribute(Perceptron(class_weight={0: 0.0, 1: 0.0}), shards=4).fit(X, y)
