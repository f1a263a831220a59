"""Models as ONNX graphs: a runtime of somebody else gives our answers."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LEARNERS, floats, integers, seeds, tables

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron
from rosenblatt.errors import MissingExtra, ModelFileError
from rosenblatt.model import learner_of, read
from rosenblatt.persistence.onnx import to_onnx

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

LINEAR = [name for name in LEARNERS if name != "voted"]
EXACT = ["perceptron", "margin"]  # their weights are sums of the rows, without a division
NAMES = np.array(["no", "perhaps", "yes", "zebra"])


def session(file: bytes) -> Any:
    onnx.checker.check_model(onnx.load_from_string(file), full_check=True)
    return runtime.InferenceSession(file)


def answers(file: bytes, X: Any) -> tuple[list[Any], Any]:
    label, scores = session(file).run(None, {"X": np.asarray(X, np.float64)})
    return label.tolist(), scores


def by_class(learner: Any, X: Any) -> Any:
    """Our scores with a column for each class in order."""
    found = learner.decision_function(X)
    return np.column_stack([-found, found]) if found.ndim == 1 else found


@given(
    n_classes=st.integers(2, 4),
    data=st.data(),
    name=st.sampled_from(EXACT),
    ties=st.sampled_from(["mistake", "positive"]),
    bias=st.booleans(),
    epochs=st.integers(1, 3),
)
@pytest.mark.filterwarnings("ignore")
def test_sums_without_rounding_are_equal_and_ties_fall_to_the_same_class(
    n_classes: int, data: Any, name: str, ties: str, bias: bool, epochs: int
) -> None:
    X, y = data.draw(tables(n_classes))
    learner = LEARNERS[name](ties=ties, fit_intercept=bias, max_iter=epochs, tol=None)
    state = learner.fit(X, NAMES[y]).to_state()
    asked = np.vstack([X, np.zeros((1, X.shape[1])), -X])
    label, scores = answers(to_onnx(state), asked)
    learner = learner_of(state)
    assert label == learner.predict(asked).tolist()
    np.testing.assert_array_equal(scores, by_class(learner, asked))


@given(
    name=st.sampled_from(LINEAR),
    seed=seeds,
    n_classes=st.integers(2, 5),
    dtype=st.sampled_from([np.float64, np.float32]),
)
@pytest.mark.filterwarnings("ignore")
def test_every_linear_learner_answers_the_same(
    name: str, seed: int, n_classes: int, dtype: Any
) -> None:
    X, y = floats(seed, n_classes=n_classes, dtype=dtype)
    state = LEARNERS[name](max_iter=5, tol=None).fit(X, y).to_state()
    asked = X.astype(np.float64)
    label, scores = answers(to_onnx(state), asked)
    learner = learner_of(state)
    ours = by_class(learner, asked)
    np.testing.assert_allclose(scores, ours, rtol=1e-12, atol=1e-12 * np.abs(ours).max())
    first, second = np.sort(ours, axis=1)[:, -1], np.sort(ours, axis=1)[:, -2]
    clear = first - second > 1e-9 * np.abs(ours).max()
    assert clear.any()
    expected = learner.predict(asked)
    assert (np.array(label) == expected)[clear].all()


def test_classes_that_joined_later_stand_in_order() -> None:
    X, y = integers(3, n_classes=4)
    learner = Perceptron().partial_fit(X[y == 3], NAMES[y[y == 3]])
    learner.partial_fit(X, NAMES[y])
    state = learner.to_state()
    assert state.card.classes != sorted(state.card.classes)
    file = to_onnx(state)
    label, scores = answers(file, X)
    assert label == learner_of(state).predict(X).tolist()
    np.testing.assert_array_equal(scores, by_class(learner_of(state), X))
    facts = session(file).get_modelmeta().custom_metadata_map
    assert json.loads(facts["classes"]) == sorted(state.card.classes)


def test_the_mean_answers_of_an_averaged_model_and_the_best_epoch_of_a_watched_one() -> None:
    digits = rosenblatt.datasets.digits()
    X, y = digits.X, digits.y
    averaged = AveragedPerceptron().partial_fit(X, y)
    assert (averaged._model.weights.matrix != averaged.coef_).any()
    watched = Perceptron(early_stopping=True, n_iter_no_change=1).fit(X, y)
    for learner in (averaged, watched):
        label, scores = answers(to_onnx(learner.to_state()), X)
        assert label == learner.predict(X).tolist()
        np.testing.assert_allclose(scores, learner.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        (["b", "ä"], "tensor(string)"),
        ([-(2**40), 7], "tensor(int64)"),
        ([False, True], "tensor(bool)"),
        ([1.0, 2.0], "tensor(double)"),
        (np.array([3, 4], np.int8), "tensor(int64)"),
    ],
)
def test_labels_keep_their_kind(classes: Any, kind: str) -> None:
    learner = Perceptron().partial_fit([[1.0], [-1.0]], classes)
    file = to_onnx(learner.to_state())
    assert [(out.name, out.type) for out in session(file).get_outputs()] == [
        ("label", kind),
        ("scores", "tensor(double)"),
    ]
    assert answers(file, [[1.0], [-1.0]])[0] == list(classes)


def test_labels_without_a_type_in_onnx_are_refused() -> None:
    for labels in ([("a", 1), ("b", 2)], [2**70, 2**71], [b"a", b"b"]):
        learner = Perceptron().learn_one({"a": 1.0}, labels[0]).learn_one({"a": -1.0}, labels[1])
        with pytest.raises(ModelFileError, match="has no type in ONNX"):
            to_onnx(learner.to_state())
    learner = Perceptron().learn_one({"a": 1.0}, "\ud800").learn_one({"a": -1.0}, "b")
    with pytest.raises(ModelFileError, match="is not Unicode"):
        to_onnx(learner.to_state())


def test_one_class_is_the_answer_to_everything() -> None:
    learner = Perceptron().partial_fit([[1.0, 2.0]], ["only"])
    label, scores = answers(to_onnx(learner.to_state()), [[1.0, 2.0], [-3.0, 0.0]])
    assert (label, scores.tolist()) == (["only", "only"], [[0.0], [0.0]])


def test_more_bytes_of_weights_than_a_file_holds_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = Perceptron().fit(np.eye(5), [0, 1, 0, 1, 0]).to_state()
    monkeypatch.setattr("rosenblatt.persistence.onnx.MAX_BYTES", 5 * 8)
    assert to_onnx(state)
    monkeypatch.setattr("rosenblatt.persistence.onnx.MAX_BYTES", 5 * 8 - 1)
    with pytest.raises(ModelFileError, match=r"^5 weights do not fit into an ONNX file"):
        to_onnx(state)


def test_no_rows_have_no_answers() -> None:
    learner = Perceptron().partial_fit([[1.0, 2.0], [0.0, 1.0]], ["a", "b"])
    label, scores = answers(to_onnx(learner.to_state()), np.zeros((0, 2)))
    assert (label, scores.shape) == ([], (0, 2))


@pytest.mark.filterwarnings("ignore")
def test_votes_are_refused_and_other_ways_to_combine_are_not() -> None:
    X, y = integers(1)
    voted = VotedPerceptron(max_iter=3, tol=None).fit(X, y)
    with pytest.raises(ModelFileError, match="predicts by the votes"):
        to_onnx(voted.to_state())
    for combine in ("average", "last"):
        state = voted.set_params(combine=combine).to_state()
        assert answers(to_onnx(state), X)[0] == learner_of(state).predict(X).tolist()


def test_the_metadata_name_features_and_model_and_the_bytes_repeat(tmp_path: Path) -> None:
    learner = Perceptron().learn_one({"win": 1.0, "now": 2.0}, "spam").learn_one({"a": 1.0}, "ham")
    rosenblatt.save(learner, tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    file = to_onnx(state)
    facts = session(file).get_modelmeta()
    assert facts.producer_name == "rosenblatt"
    assert facts.custom_metadata_map == {
        "learner": "Perceptron",
        "classes": '["ham", "spam"]',
        "feature_names": json.dumps(state.card.columns),
        "sha256": state.card.sha256,
    }
    assert to_onnx(read(tmp_path / "model.rbt")) == file
    named = session(to_onnx(state, ["x", "y", "z"])).get_modelmeta().custom_metadata_map
    assert named["feature_names"] == '["x", "y", "z"]'


def test_without_onnx_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_onnx(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "onnx":
            raise ImportError(name)
        return real(name, *rest)

    state = Perceptron().partial_fit([[1.0], [0.0]], ["a", "b"]).to_state()
    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(MissingExtra, match=r"pip install 'rosenblatt\[onnx\]'"):
        to_onnx(state)
