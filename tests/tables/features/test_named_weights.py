"""Weights by class and name of feature: the largest, all, and what changed between two models."""

from __future__ import annotations

import numpy as np

from rosenblatt.features import Schema, TextFeatures, TextSchema
from rosenblatt.tables.features.named_weights import BIAS, NamedWeights


def weights(
    schema: Schema | TextSchema, coef: list[list[float]], bias: list[float]
) -> NamedWeights:
    classes = ["no", "yes"] if len(bias) == 1 else ["a", "b", "c"][: len(bias)]
    return NamedWeights(
        np.array(coef), np.array(bias), classes, schema.n_features, schema.names, schema
    )


def colours(*levels: str) -> Schema:
    return Schema.guess_records([{"colour": level} for level in levels])


def test_the_largest_come_first_and_nothing_is_no_weight() -> None:
    found = weights(colours("red", "blue", "green"), [[1.0, -3.0, 0.0]], [0.5])
    assert found.voices == ["yes"]
    assert found.largest(1) == {"yes": [(BIAS, 0.5), ("colour=blue", -3.0)]}
    assert [name for _, name, _ in found.nonzero()] == [BIAS, "colour=red", "colour=blue"]


def test_changes_go_by_name_wherever_a_feature_stands() -> None:
    before = weights(colours("red", "blue"), [[1.0, 2.0]], [0.0])
    after = weights(colours("green", "blue", "red"), [[4.0, 2.0, 3.0]], [1.0])
    found = before.changes(after)
    assert (found.added, found.removed) == (["colour=green"], [])
    assert found.changes == [
        ("yes", "colour=green", 0.0, 4.0),
        ("yes", "colour=red", 1.0, 3.0),
        ("yes", BIAS, 0.0, 1.0),
    ]
    assert after.changes(before).removed == ["colour=green"]


def test_columns_that_are_hashed_alike_go_by_number() -> None:
    schemas = []
    for texts in (["one two"], ["two one"]):
        schema = TextSchema(TextFeatures(bits=1))
        schema.features.learn(texts)
        schemas.append(schema)
    first, second = (weights(schema, [[1.0, 0.0]], [0.0]) for schema in schemas)
    assert first.changes(second).changes == []
    assert first.changes(second).added == []


def test_a_model_without_weights_has_features_alone() -> None:
    schema = colours("red", "blue")
    found = NamedWeights(None, None, ["a", "b"], 2, schema.names, schema)
    other = weights(colours("red"), [[1.0]], [0.0])
    assert found.changes(other).removed == ["colour=blue"]
    assert found.changes(other).changes is None
    assert found.largest(3) == {}
