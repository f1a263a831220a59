"""Explanations are against the average row, as far as the schema of a model knows it."""

from __future__ import annotations

import io

import numpy as np
import pytest
from cli.shell import PETS, run, trained

from rosenblatt import AveragedPerceptron, Perceptron
from rosenblatt.features import Schema, TextFeatures
from rosenblatt.inspection.explanation import USUAL, ModelExplanation
from rosenblatt.io import read_table
from rosenblatt.tables.features.average_row import AverageRow

TEXTS = ["the cat purrs", "the dog barks", "the cat sleeps", "the dog runs"] * 3
KINDS = ["cat", "dog"] * 6


def animals(n: int = 60) -> tuple[AveragedPerceptron, Schema, np.ndarray]:
    rng = np.random.default_rng(0)
    colours, weights = rng.choice(["red", "blue", "grey"], n), rng.normal(size=n)
    y = np.where((colours == "red") + weights > 0.5, "yes", "no")
    rows = [f"{c},{w:.3f},{k}" for c, w, k in zip(colours, weights, y, strict=True)]
    table = read_table(io.BytesIO("\n".join(["colour,weight,y", *rows]).encode()), target="y")
    schema = Schema.guess(table)
    learner = AveragedPerceptron().partial_fit(schema.learn(table), table.labels)
    learner.schema_ = schema
    return learner, schema, table


def test_levels_count_against_the_mean_of_their_column_and_all_adds_up() -> None:
    learner, schema, _ = animals()
    why = learner.explain({"colour": "red", "weight": 0.2})
    parts = {part.name: part for part in why.contributions}
    assert sum(part.contribution for part in why.contributions) == pytest.approx(why.score)
    names = schema.names(range(schema.n_features))
    sign = 1.0 if why.label == "yes" else -1.0
    coef = sign * learner.coef_[0]
    levels = [i for i, name in enumerate(names) if name.startswith("colour=")]
    expected = coef[names.index("colour=red")] - coef[levels].mean()
    assert parts["colour=red"].contribution == pytest.approx(expected)
    assert parts[USUAL].contribution == pytest.approx(
        sign * learner.intercept_[0] + coef[levels].mean()
    )
    assert "beyond the average row" in str(why)


def test_a_word_that_all_texts_have_explains_nothing() -> None:
    features = TextFeatures(bits=None, words=(1, 1))
    X = features.fit_transform(TEXTS)
    ones = np.ones((1, X.shape[1]))  # a weight for every word, also for "the"
    learner = Perceptron(max_iter=20).fit(X, KINDS, coef_init=ones)
    assert learner.coef_.all()
    from rosenblatt.tables.features.schemas import TextSchema

    learner.schema_ = TextSchema(features)
    why = learner.explain(features.transform(["the dog barks"]))
    parts = {part.name: part for part in why.contributions}
    assert "the" not in parts
    assert parts["dog"].usual == pytest.approx(parts["dog"].value / 2)
    assert abs(parts["barks"].contribution) > abs(parts["dog"].contribution)
    assert sum(part.contribution for part in why.contributions) == pytest.approx(why.score)
    whole = learner.explain_model()
    assert [part.name for part in whole.contributions][-1] != "the"
    assert "the" not in [part.name for part in whole.contributions]


def test_a_model_without_a_schema_is_explained_as_it_is() -> None:
    assert AverageRow.of(Schema.of_numbers(["a", "b"]), 2) is None
    learner = Perceptron().fit([[1.0, 5.0], [-1.0, 5.0]], ["no", "yes"])
    assert [part.name for part in learner.explain([2.0, 5.0]).contributions][-1] == "bias"


def test_the_whole_model_is_ranked_by_weight_times_deviation() -> None:
    learner, schema, _ = animals()
    whole = learner.explain_model()
    assert isinstance(whole, ModelExplanation)
    sizes = [abs(part.contribution) for part in whole.contributions]
    assert sizes == sorted(sizes, reverse=True)
    parts = {part.name: part for part in whole.contributions}
    assert (
        parts["weight"].contribution == learner.coef_[0][schema.names([0, 1, 2, 3]).index("weight")]
    )
    assert parts["colour=red"].value == pytest.approx(np.sqrt(2) / 3)
    assert len(learner.explain_model(top=2).contributions) == 2
    model = Perceptron().fit(np.eye(3), ["a", "b", "c"])
    three = model.explain_model()
    most = np.abs(model.coef_ - model.coef_.mean(axis=0)).argmax(axis=0)
    assert {part.name for part in three.contributions} == {
        f"x[{j}] ({'abc'[k]})" for j, k in enumerate(most)
    }
    assert "deviation" in str(three)


def test_the_shell_explains_the_whole_model_and_draws_it(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = trained(tmp_path, data=PETS)
    done = run("explain", model, "--global", "--top", "3")
    assert (done.code, len(done.out.splitlines())) == (0, 5)
    found = run("explain", model, "--global", "--json").json
    assert {"name", "weight", "value", "contribution"} <= set(found["features"][0])
    for options in ([], ["--row", "1"], [tmp_path / "pets.csv"]):
        assert run("explain", model, *options).code == 2
    pytest.importorskip("matplotlib")
    for arguments in (["--global"], [tmp_path / "pets.csv", "--row", "2"]):
        picture = tmp_path / "why.svg"
        assert run("explain", model, *arguments, "--plot", picture).code == 0
        assert picture.read_bytes().startswith(b"<?xml")
        picture.unlink()
    assert (
        "--plot why.txt: a picture ends in"
        in run("explain", model, "--global", "--plot", "why.txt").err
    )
