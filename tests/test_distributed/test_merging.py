"""Several models into one."""

from __future__ import annotations

import hashlib
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger
from rosenblatt.distributed import merge
from rosenblatt.errors import InputError, ParameterError

X, Y = rosenblatt.datasets.digits()
SENTENCES = [["the", "dog", "barks"], ["a", "cat"], ["dogs", "run"], ["she", "ran", "far"]]
TAGS = [["D", "N", "V"], ["D", "N"], ["N", "V"], ["P", "V", "A"]]


def digest(model: Any, folder: Path) -> str:
    """Of the model file, which must be a sound one."""
    path = folder / "model.rbt"
    rosenblatt.save(model, path)
    rosenblatt.load(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows_models(kind: str) -> list[Any]:
    learner = Perceptron if kind == "plain" else AveragedPerceptron
    if kind == "mappings":
        one, two = learner(), learner()
        for x, label in [({"a": 1, "b": 2}, "x"), ({"a": -1}, "y")]:
            one.learn_one(x, label)
        for x, label in [({"c": 1}, "x"), ({"b": -1}, "z"), ({"d": 1.5}, "y")]:
            two.learn_one(x, label)
        return [one, two]
    if kind == "classes":
        parts = (Y < 2, (Y > 0) & (Y < 4), Y == 5)
        return [learner().partial_fit(X[part], Y[part]) for part in parts]
    if kind == "float32":
        rows = X.astype(np.float32)
        return [learner().partial_fit(rows[k::2], Y[k::2]) for k in range(2)]
    return [learner().partial_fit(X[k::3], Y[k::3]) for k in range(3)]


def tag_models(order: int) -> list[Any]:
    parts = (slice(0, 2), slice(1, 3), slice(2, 4))
    return [SequenceTagger(order=order).fit(SENTENCES[p], TAGS[p]) for p in parts]


ALL = ["plain", "averaged", "classes", "mappings", "float32", "tagger", "second order"]


def models_of(kind: str) -> list[Any]:
    orders = {"tagger": 1, "second order": 2}
    return tag_models(orders[kind]) if kind in orders else rows_models(kind)


@pytest.mark.parametrize("kind", ALL)
def test_one_model_is_merged_into_itself(kind: str, tmp_path: Path) -> None:
    for model in models_of(kind):
        assert digest(merge([model], [3]), tmp_path) == digest(model, tmp_path)


@pytest.mark.parametrize("kind", ALL)
def test_the_order_in_which_models_are_listed_does_not_matter(kind: str, tmp_path: Path) -> None:
    models = models_of(kind)
    found = set()
    for order in permutations(range(len(models))):
        weights = [0.5 + number for number in order]
        found.add(digest(merge([models[k] for k in order], weights), tmp_path))
    assert len(found) == 1


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_weights_and_averages_are_weighted_means(weights: list[int]) -> None:
    models = rows_models("averaged")
    both, total = merge(models, weights), sum(weights)
    for name in ("coef_", "intercept_", "raw_coef_"):
        mean = sum(c * getattr(model, name) for c, model in zip(weights, models, strict=True))
        np.testing.assert_allclose(getattr(both, name), mean / total, atol=1e-9)
    assert both.t_ == sum(model.t_ for model in models)
    assert both.n_mistakes_ == sum(model.n_mistakes_ for model in models)


def test_weights_need_not_add_up_to_one(tmp_path: Path) -> None:
    models = rows_models("plain")
    assert digest(merge(models), tmp_path) == digest(merge(models, [2, 2, 2]), tmp_path)
    np.testing.assert_array_equal(merge(models, [0, 0, 7]).coef_, models[2].coef_)


def test_a_class_that_a_model_has_not_met_counts_as_zeros() -> None:
    two, four, _ = rows_models("classes")
    both = merge([two, four])
    assert both.classes_.tolist() == [0, 1, 2, 3]
    half = two.coef_[0] / 2  # one vector for two classes is one each, half as long
    np.testing.assert_allclose(both.coef_[0], -half / 2)
    np.testing.assert_allclose(both.coef_[1], (half + four.coef_[0]) / 2)


def test_features_with_names_are_matched_by_them() -> None:
    one, two = rows_models("mappings")
    both = merge([one, two])
    assert sorted(both.feature_names_in_) == ["a", "b", "c", "d"]
    assert {label: both.predict_one({"d": 1.5}) for label in "y"} == {"y": "y"}


def test_a_merged_tagger_knows_all_words_and_tags() -> None:
    tagger = merge(tag_models(1))
    assert tagger.predict(SENTENCES) == TAGS
    assert tagger.t_ == sum(model.t_ for model in tag_models(1))


def test_a_merged_model_learns_on(tmp_path: Path) -> None:
    for kind in ("averaged", "classes"):
        model = merge(rows_models(kind))
        digest(model.partial_fit(X, Y), tmp_path)
    tagger = merge(tag_models(1)).partial_fit([["cats", "sleep"]], [["N", "X"]])
    assert "X" in tagger.tags_


def test_what_predicts_is_mixed_where_it_is_an_earlier_state() -> None:
    fitted = [AveragedPerceptron(early_stopping=True).fit(X[k::2], Y[k::2]) for k in (0, 1)]
    mean = (fitted[0].coef_ + fitted[1].coef_) / 2
    np.testing.assert_allclose(merge(fitted).coef_, mean, atol=1e-9)


def slim(model: Any, folder: Path) -> Any:
    rosenblatt.save(model, folder / "slim.rbt", slim=True)
    return rosenblatt.load(folder / "slim.rbt")


def test_models_that_have_no_mean_are_refused(tmp_path: Path) -> None:
    plain = rows_models("plain")[0]
    with pytest.raises(ParameterError, match="no models"):
        merge([])
    with pytest.raises(ParameterError, match="cannot be merged: it has no weight vectors"):
        merge([rosenblatt.KernelPerceptron().fit(X[:50], Y[:50])])
    with pytest.raises(ParameterError, match="votes with the rows"):
        merge([rosenblatt.VotedPerceptron().partial_fit(X[:50], Y[:50])])
    with pytest.raises(ParameterError, match="keeps a ledger"):
        merge([Perceptron(record=True).partial_fit(X, Y)])
    with pytest.raises(ParameterError, match="saved slim"):
        merge([plain, slim(plain, tmp_path)])
    with pytest.raises(ParameterError, match="a Perceptron and a MIRA"):
        merge([plain, rosenblatt.MIRA().partial_fit(X, Y)])
    with pytest.raises(ParameterError, match=r"has eta0=1\.0, but models\[1\] has eta0=2\.0"):
        merge([plain, Perceptron(eta0=2.0).partial_fit(X, Y)])
    with pytest.raises(InputError, match="read other features"):
        merge([plain, Perceptron().partial_fit(X[:, :9], Y)])
    with pytest.raises(ParameterError, match="tag_dictionary"):
        merge([SequenceTagger(tag_dictionary=1).fit(SENTENCES, TAGS)] * 2)
    with pytest.raises(ValueError, match="not fitted"):
        merge([Perceptron()])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "1 weights"),
        ([1, -1], "at least 0"),
        ([1, np.nan], "finite"),
        ([0, 0], "all weights"),
    ],
)
def test_weights_that_make_no_mean_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        merge(rows_models("plain")[:2], weights)
