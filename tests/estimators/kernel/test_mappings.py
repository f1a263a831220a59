"""Mappings of features: new ones may come at any time, unknown ones count for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, Perceptron, load, save
from rosenblatt.errors import InputError
from rosenblatt.models import kernel_functions as functions

Stream = list[tuple[dict[Any, float], str]]
FORGET: list[dict[str, Any]] = [
    {},
    {"combine": "vote"},
    {"budget": 4},
    {"budget": 4, "forget": "oldest", "combine": "last"},
    {"budget": 4, "forget": "smallest", "combine": "last"},
]


def stream(seed: int, n: int = 40, words: int = 15) -> Stream:
    """Words that come one after the other; the label follows from some of them."""
    random = np.random.default_rng(seed)
    found: Stream = []
    for i in range(n):
        known = 2 + i * words // n
        x = {f"w{w}": float(random.normal()) for w in random.integers(0, known, 3)}
        found.append((x, "abc"[sum(int(name[1:]) % 3 for name in x) % 3]))
    return found


def learned(examples: Stream, **settings: Any) -> KernelPerceptron:
    model = KernelPerceptron(**settings)
    for x, label in examples:
        model.learn_one(x, label, classes=["a", "b", "c"])
    return model


def table(examples: Stream, names: list[Any]) -> Any:
    return np.array([[x.get(name, 0.0) for name in names] for x, _ in examples])


def labels(examples: Stream) -> list[str]:
    return [label for _, label in examples]


@given(st.integers(0, 2**32), st.sampled_from(["poly", "rbf", "laplacian"]))
def test_one_by_one_they_are_learned_as_rows_that_had_all_features(seed: int, kernel: str) -> None:
    examples = stream(seed)
    model = learned(examples, kernel=kernel)
    names = model.feature_names_in_.tolist()
    assert names == list(dict.fromkeys(name for x, _ in examples for name in x))
    rows = sp.csr_array(table(examples, names))
    whole = KernelPerceptron(kernel=kernel).partial_fit(rows, labels(examples), ["a", "b", "c"])
    assert (model.n_features_in_, model.gamma_) == (len(names), whole.gamma_)
    np.testing.assert_array_equal(model.support_, whole.support_)
    np.testing.assert_array_equal(
        model.support_vectors_.toarray(), whole.support_vectors_.toarray()
    )
    found = model.decision_function([x for x, _ in examples])
    np.testing.assert_allclose(found, whole.decision_function(rows), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("settings", [s for s in FORGET if s.get("forget") != "oldest"])
def test_lists_of_mappings_are_learned_as_single_ones_are(settings: dict[str, Any]) -> None:
    examples = stream(3)
    one = learned(examples, **settings)
    batches = KernelPerceptron(**settings)
    for part in (examples[:7], examples[7:30], examples[30:]):
        batches.partial_fit([x for x, _ in part], labels(part), ["a", "b", "c"])
    assert batches.feature_names_in_.tolist() == one.feature_names_in_.tolist()
    np.testing.assert_array_equal(batches.support_, one.support_)
    np.testing.assert_allclose(batches.dual_coef_, one.dual_coef_, rtol=1e-6, atol=1e-9)


@given(st.integers(0, 2**32))
def test_with_the_linear_kernel_it_is_the_perceptron(seed: int) -> None:
    examples = stream(seed)
    ours = learned(examples, kernel="linear", multiclass="argmax", combine="last")
    plain = Perceptron(fit_intercept=False, record=True)
    for x, label in examples:
        assert plain.learn_one(x, label, classes=["a", "b", "c"]) is plain
    assert [tuple(update) for update in ours.ledger_] == [tuple(u) for u in plain.ledger_]
    np.testing.assert_allclose(ours.dual_coef_ @ ours.support_vectors_.toarray(), plain.coef_)
    assert [ours.predict_one(x) for x, _ in examples] == [plain.predict_one(x) for x, _ in examples]


def test_features_that_were_never_learned_from_count_for_nothing() -> None:
    model = learned(stream(1))
    before = model.n_features_in_
    assert model.predict_one({"w1": 2.0, "new": 9.0}) == model.predict_one({"w1": 2.0})
    known = model.decision_function([{"w1": 2.0}])
    np.testing.assert_array_equal(model.decision_function([{"w1": 2.0, "new": 9.0}]), known)
    assert model.n_features_in_ == before


@pytest.mark.parametrize("settings", FORGET)
def test_a_refused_mapping_changes_nothing(settings: dict[str, Any], tmp_path: Path) -> None:
    model = learned(stream(1), **settings)
    twin = learned(stream(1), **settings)
    with pytest.raises(InputError, match="'bad' is nan"):
        model.learn_one({"new": 1.0, "bad": float("nan")}, "a")
    with pytest.raises(InputError, match="too large"):
        model.learn_one({"new": 1e140, "w1": 1e140}, "a")
    assert model.n_features_in_ == twin.n_features_in_ == model._model.n_features
    for each in (model, twin):
        each.learn_one({"w1": 1.0, "next": 2.0}, "b")
    assert model.feature_names_in_.tolist() == twin.feature_names_in_.tolist()
    save(model, tmp_path / "model.rbt")
    save(twin, tmp_path / "twin.rbt")
    assert (tmp_path / "model.rbt").read_bytes() == (tmp_path / "twin.rbt").read_bytes()


@pytest.mark.parametrize("settings", FORGET)
@pytest.mark.parametrize("typed", [str, int])
def test_a_loaded_model_goes_on_with_new_features(
    settings: dict[str, Any], typed: Any, tmp_path: Path
) -> None:
    examples: Stream = [
        ({typed(name[1:]): value for name, value in x.items()}, label) for x, label in stream(4)
    ]
    model = learned(examples[:25], **settings)
    save(model, tmp_path / "model.rbt")
    twin = load(tmp_path / "model.rbt")
    assert twin.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    for x, label in examples[25:]:
        for each in (model, twin):
            each.learn_one(x, label)
    asked = [x for x, _ in examples]
    np.testing.assert_array_equal(model.decision_function(asked), twin.decision_function(asked))
    assert twin.n_features_in_ == model.n_features_in_ > len(examples[0][0])


def test_rows_become_sparse_when_they_get_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = stream(6)
    narrow = learned(examples)
    monkeypatch.setattr(functions, "NARROW", 8)
    wide = learned(examples)
    assert isinstance(wide._model.support, functions.SparseSupport)
    np.testing.assert_array_equal(wide.support_, narrow.support_)
    np.testing.assert_array_equal(
        wide.support_vectors_.toarray(), narrow.support_vectors_.toarray()
    )


def test_rows_of_a_frame_take_new_features_too() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), ["a", "b", "a"]
    model = KernelPerceptron().partial_fit(pandas.DataFrame(X, columns=["p", "q"]), y)
    model.learn_one({"p": 1.0, "new": 3.0}, "b")
    assert model.feature_names_in_.tolist() == ["p", "q", "new"]
    assert model.support_vectors_.shape[1] == 3


def test_columns_without_names_cannot_be_joined_by_named_ones() -> None:
    model = KernelPerceptron().partial_fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    with pytest.raises(InputError, match="trained on columns without names"):
        model.learn_one({"new": 1.0}, "a")
